"""Where tasks run: on a cluster, or on Dask's local scheduler."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import distributed

# The names under which Dask's configuration means the cluster.
_OF_CLUSTER = (None, "dask.distributed", "distributed")


@contextmanager
def used_client(asked: Any) -> Iterator[distributed.Client | None]:
    """The client that was asked for, or the current one. None if tasks run on the local scheduler.

    A task on a worker leaves the thread of the worker to other tasks until the end. Otherwise the tasks that it waits
    for might never get a thread.
    """
    if asked is not None:
        yield _checked(asked)
    elif dask.config.get("scheduler", None) not in _OF_CLUSTER:
        # As for collections: a local scheduler that the user has chosen goes before the current client.
        yield None
    elif _is_in_task():
        with distributed.worker_client() as client:
            yield client
    else:
        yield _current()


def check_client(asked: Any) -> None:
    """Fails unless it is a client that can be waited for, or None."""
    if asked is not None:
        _checked(asked)


def _checked(client: Any) -> distributed.Client:
    if not isinstance(client, distributed.Client):
        raise TypeError(
            f"client must be a distributed.Client or None, not {client!r}. Use client=distributed.Client(address)."
        )
    if client.asynchronous:
        raise ValueError("client is asynchronous, and fit waits for results. Use Client(..., asynchronous=False).")
    return client


def _is_in_task() -> bool:
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def _current() -> distributed.Client | None:
    try:
        client = distributed.get_client()
    except ValueError:
        return None
    return _checked(client)
