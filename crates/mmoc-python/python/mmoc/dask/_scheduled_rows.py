"""Rows on one machine, by Dask's local schedulers. Partitions are loaded again for each request."""

from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Self

import dask
import dask.multiprocessing
import dask.threaded
from dask.base import get_scheduler
from dask.delayed import Delayed
from dask.system import CPU_COUNT

from ._requests import Keys, derived_tasks
from ._rows import Rows, Tasks


class LocalScheduler:
    """One of Dask's local schedulers, and what runs its tasks."""

    def __init__(self) -> None:
        # Delayed objects run on threads unless the configuration names another scheduler.
        self._get = get_scheduler(cls=Delayed)
        self._workers = dask.config.get("num_workers", None) or CPU_COUNT
        self._pool = None if dask.config.get("pool", None) else self._pool_for(self._get)

    def computed(self, tasks: list[Delayed]) -> list[Any]:
        """The results of tasks."""
        options = {} if self._pool is None else {"pool": self._pool}
        found = dask.compute(
            *tasks,
            # The graphs of partitions were optimized when they were made.
            optimize_graph=False,
            scheduler=self._get,
            num_workers=self._workers,
            **options,
        )
        return list(found)

    def stop(self) -> None:
        """Ends the threads or processes, as soon as the tasks that are running are done."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _pool_for(self, get: Callable[..., Any]) -> Executor | None:
        """What runs all requests of a fit. Otherwise Dask would start processes for each of them."""
        if get is dask.threaded.get:
            return ThreadPoolExecutor(self._workers)
        if get is dask.multiprocessing.get and not dask.config.get("multiprocessing.initializer", None):
            return ProcessPoolExecutor(self._workers, mp_context=dask.multiprocessing.get_context())
        return None


class ScheduledRows(Rows):
    """Rows that are loaded for each request, as many partitions at a time as there are threads or processes.

    So data may be larger than memory.
    """

    def __init__(self, scheduler: LocalScheduler, parts: list[Delayed]) -> None:
        self._scheduler = scheduler
        self._parts = parts

    @classmethod
    def of(cls, partitions: list[Delayed]) -> Self:
        """Partitions that are not loaded yet."""
        return cls(LocalScheduler(), list(dask.optimize(*partitions)))

    def derive(self, name: str, request: bytes) -> "ScheduledRows":
        """Other rows, which are made of these whenever they are needed."""
        return ScheduledRows(self._scheduler, derived_tasks(self._parts, request, Keys.of(name)))

    def among(self, numbers: list[int]) -> Self:
        """The rows of some of the partitions."""
        if len(numbers) == len(self._parts):
            return self
        # Without what only the other partitions need.
        return type(self)(self._scheduler, list(dask.optimize(*(self._parts[number] for number in numbers))))

    def release(self) -> None:
        """Nothing is kept between requests."""

    def stop(self) -> None:
        """Ends the threads or processes."""
        self._scheduler.stop()

    def _computed(self, tasks: Tasks) -> list[Any]:
        return self._scheduler.computed(tasks(self._parts))
