"""Rows on a cluster. Partitions stay with the workers, in memory or in files of theirs."""

import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import dask
import distributed
from dask.delayed import Delayed

from ._requests import FAN_IN, Keys, derived_tasks, request_task, total
from ._rows import Rows, Tasks

# Attempts at a request. Each ends when more workers died with a task than `distributed.scheduler.allowed-failures`
# says, or with data that nobody can compute again.
_ATTEMPTS = 3

# Bytes that a request may have in all partitions together to be sent with their tasks. A task of its own takes one more
# round of messages.
_MOST_BYTES_SENT_ALONG = 2**20

# Bytes that partial sums may have together to be added here. A task that adds them takes one more round of messages.
_MOST_BYTES_ADDED_HERE = 2**20

# Workers may die with what is needed (cancelled), or too many of them with the same task (killed).
_LOST = (distributed.KilledWorker, distributed.CancelledError)

_FAILED = (
    "the cluster lost workers or data at each of {} attempts at the same computation, the last time because: {}. If a "
    "partition takes more memory than a worker has, use smaller partitions or larger workers. Data of client.scatter "
    "are lost with their worker: load them by tasks instead, such as dask.delayed(load)(path)."
)

# The states of futures that no longer get a result.
_GIVEN_UP = ("error", "cancelled")

# A client sends what it releases some turns of its loop later, after a graph that is computed in the meantime.
_SECONDS_TO_FORGET = 0.3

_SENDING = threading.Lock()


class Cluster:
    """What the rows of one fit share: the client, and what runs on the cluster for them."""

    def __init__(self, client: distributed.Client) -> None:
        self.client = client
        # The bytes of the last sum of each name.
        self.sizes: dict[str, int] = {}
        self._rows: weakref.WeakSet[ClusterRows] = weakref.WeakSet()
        self._previous: list[distributed.Future] = []

    def started(self, tasks: list[Delayed]) -> list[distributed.Future]:
        """Tasks as futures, in one message to the scheduler."""
        futures: list[distributed.Future] = self.client.compute(tasks, optimize_graph=False)
        return futures

    def asked(self, tasks: list[Delayed]) -> list[distributed.Future]:
        """The same for tasks of requests. Dask warns of large graphs, but these are as large as they must be."""
        with _SENDING, dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
            return self.started(tasks)

    def results(self, tasks: list[Delayed]) -> list[Any]:
        """The results of tasks."""
        futures = self.asked(tasks)
        # Kept until the next request, with whose message they are released: the client sends one in ten milliseconds.
        self._previous = futures
        try:
            found: list[Any] = self.client.gather(futures)
        except BaseException:
            # Failed or interrupted. As long as somebody wants them, the scheduler tries nothing of them again.
            self._previous = []
            _release(futures)
            raise
        return found

    def add(self, rows: "ClusterRows") -> None:
        """Rows that end with the fit."""
        self._rows.add(rows)

    def stop(self) -> None:
        """Releases all partitions."""
        self._previous = []
        for rows in list(self._rows):
            rows.release()


class ClusterRows(Rows):
    """Rows that workers keep. What dies with a worker is computed again from the graph."""

    def __init__(
        self, cluster: Cluster, futures: list[distributed.Future], again: Callable[[], list[distributed.Future]]
    ) -> None:
        self.futures = futures
        self._cluster = cluster
        # Makes partitions anew whose futures were cancelled.
        self._again = again
        cluster.add(self)

    @classmethod
    def of(cls, client: distributed.Client, partitions: Callable[[], list[Delayed]]) -> Self:
        """Partitions that are loaded on the cluster. Each call makes tasks with keys of their own."""
        cluster = Cluster(client)

        def loaded() -> list[distributed.Future]:
            return cluster.started(partitions())

        return cls(cluster, loaded(), loaded)

    def sum(self, name: str, request: bytes) -> bytes:
        """The answers of all partitions, added in their order."""
        cluster = self._cluster
        if cluster.sizes.get(name, _MOST_BYTES_ADDED_HERE) * FAN_IN <= _MOST_BYTES_ADDED_HERE:
            found = super().sum(name, request)
        else:
            (found,) = self._computed(lambda parts: self._total(parts, request, Keys.of(name)))
        cluster.sizes[name] = len(found)
        return found

    def derive(self, name: str, request: bytes) -> "ClusterRows":
        """Other rows, made of these. The workers begin with them at once."""
        cluster, given = self._cluster, partial(_given, len(self.futures))

        def made(parts: list[distributed.Future]) -> list[distributed.Future]:
            keys = Keys.of(name)
            return cluster.asked(derived_tasks(parts, given(request, keys), keys))

        again = self._again
        # It does not refer to these rows, so that workers can forget them if nobody else does.
        return ClusterRows(cluster, made(self.futures), lambda: made(again()))

    def among(self, numbers: list[int]) -> Self:
        """The rows of some of the partitions."""
        if len(numbers) == len(self.futures):
            return self
        again = self._again
        return type(self)(
            self._cluster,
            [self.futures[number] for number in numbers],
            lambda: [own for number, own in enumerate(again()) if number in numbers],
        )

    def release(self) -> None:
        """Lets the cluster forget the partitions."""
        _release(self.futures)

    def stop(self) -> None:
        """Lets the cluster forget all rows of the fit."""
        self._cluster.stop()

    def _total(self, parts: list[Any], request: bytes, keys: Keys) -> list[Delayed]:
        return [total(self._answers(parts, request, keys), keys)]

    def _given(self, request: bytes, keys: Keys) -> bytes | Delayed:
        return _given(len(self.futures), request, keys)

    def _computed(self, tasks: Tasks) -> list[Any]:
        for _ in range(_ATTEMPTS):
            try:
                return self._cluster.results(tasks(self.futures))
            except _LOST as error:
                lost = error
                self._restore()
        raise RuntimeError(_FAILED.format(_ATTEMPTS, lost)) from lost

    def _restore(self) -> None:
        """Makes partitions again if some were given up. Dask itself does so with those that died with a worker."""
        if any(own.status in _GIVEN_UP for own in self.futures):
            # The scheduler tries nothing again that it knows to have failed.
            self.release()
            time.sleep(_SECONDS_TO_FORGET)
            self.futures = self._again()


def _release(futures: list[distributed.Future]) -> None:
    for future in futures:
        future.release()


def _given(parts: int, request: bytes, keys: Keys) -> bytes | Delayed:
    """The request as the tasks of partitions get it."""
    return request if len(request) * parts <= _MOST_BYTES_SENT_ALONG else request_task(request, keys)
