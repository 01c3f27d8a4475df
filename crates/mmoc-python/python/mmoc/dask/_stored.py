"""Rows for which a worker has no memory, in files.

Dask also moves to disk what exceeds the memory of a worker, but it writes a value again each time that it leaves
memory. Rows never change. Here they are written once, and read for each request.
"""

import pickle
import tempfile
import weakref
from pathlib import Path
from typing import Any, Protocol

import distributed
import numpy as np
import numpy.typing as npt

from .. import _native

# The share of its memory limit that the process of a worker may have before further rows go to files. Dask begins to
# move data to disk at 60 %, and tasks need memory to load and scale partitions.
_SHARE = 0.4


class PartRows(Protocol):
    """The rows of a partition, wherever they are."""

    @property
    def rows(self) -> int:
        """How many."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""

    def answer(self, request: bytes) -> bytes:
        """The share of these rows in what is asked."""

    def derived(self, request: bytes) -> "_native.Partition":
        """Other rows made of these."""

    def folds(self, count: int, seed: int) -> npt.NDArray[np.int64]:
        """The fold of each row."""


class StoredRows:
    """Rows in a file, which is removed with this object. What was read stays in memory if there is some by then."""

    # Of what Dask could move to disk. It would only write the file again.
    nbytes = 0

    def __init__(self, rows: _native.Partition, folder: Path) -> None:
        self.rows = rows.rows
        self._path = _written(rows, folder)
        self._in_memory: _native.Partition | None = None
        weakref.finalize(self, self._path.unlink, missing_ok=True)

    def answer(self, request: bytes) -> bytes:
        """The share of these rows in what is asked."""
        return self._read().answer(request)

    def derived(self, request: bytes) -> _native.Partition:
        """Other rows made of these."""
        return self._read().derived(request)

    def folds(self, count: int, seed: int) -> npt.NDArray[np.int64]:
        """The fold of each row."""
        return self._read().folds(count, seed)

    def _read(self) -> _native.Partition:
        if self._in_memory is not None:
            return self._in_memory
        with self._path.open("rb") as file:
            rows: _native.Partition = pickle.load(file)
        if _folder_if_full() is None:
            self._in_memory = rows
        return rows

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes may not see the file.
        return placed, (self._read(),)


def placed(rows: _native.Partition) -> PartRows:
    """Rows in memory if this worker has room for them, else in a file. Outside of workers they stay in memory."""
    folder = _folder_if_full()
    return rows if folder is None else StoredRows(rows, folder)


def _folder_if_full() -> Path | None:
    """The folder of this worker if its memory has no room for rows, else None."""
    workers = _workers()
    limits = [worker.memory_manager.memory_limit for worker in workers]
    if not limits or not all(limits) or _memory_of(workers[0]) <= _SHARE * sum(limits):
        return None
    return Path(workers[0].local_directory)


def _workers() -> list[distributed.Worker]:
    """The workers of this process, which is mostly one. That of the task is the first."""
    try:
        own = [distributed.get_worker()]
    except ValueError:
        # Not in a task, as when rows come from another worker.
        own = []
    return [*own, *(worker for worker in list(distributed.Worker._instances) if worker not in own)]


def _memory_of(worker: distributed.Worker) -> int:
    """The bytes of memory that the process of a worker has."""
    return worker.monitor.get_process_memory()  # type: ignore[no-any-return]


def _written(rows: _native.Partition, folder: Path) -> Path:
    """The file of rows. If it cannot be written, as when the disk is full, nothing is left of it."""
    descriptor, name = tempfile.mkstemp(prefix="mmoc-", suffix=".rows", dir=folder)
    path = Path(name)
    try:
        with open(descriptor, "wb") as file:
            pickle.dump(rows, file, pickle.HIGHEST_PROTOCOL)
    except BaseException as error:
        path.unlink()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, name) from error
        raise
    return path
