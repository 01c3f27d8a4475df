"""Rows for which a worker has no memory, in files.

Dask also moves to disk what exceeds the memory of a worker, but it writes a value again each time that it leaves
memory. Rows never change. Here they are written once, and read for each request.
"""

import math
import pickle
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any, Protocol

import distributed
import numpy as np
import numpy.typing as npt
import psutil

from .. import _native

# The share of the memory of a worker that its process may have before further rows go to files. Dask begins to move
# data to disk at 60 %, and tasks need memory to load and scale partitions.
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
    """Rows in a file. It is removed with this object."""

    # In memory.
    nbytes = 0

    def __init__(self, rows: _native.Partition, folder: Path) -> None:
        self.rows = rows.rows
        self._path = _written(rows, folder)
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
        with self._path.open("rb") as file:
            rows: _native.Partition = pickle.load(file)
        return rows

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes may not see the file. They store the rows themselves if they have no memory for them.
        return placed, (self._read(),)


def placed(rows: _native.Partition) -> PartRows:
    """Rows in memory if this worker has room for them, else in a file. Outside of workers they stay in memory."""
    try:
        worker = distributed.get_worker()
    except ValueError:
        return rows
    room = _ROOMS.get(worker) or _ROOMS.setdefault(worker, _Room(worker))
    return room.placed(rows)


class _Room:
    """The memory that a worker has for rows."""

    def __init__(self, worker: distributed.Worker) -> None:
        limit = worker.memory_manager.memory_limit
        self._bytes = _SHARE * limit - psutil.Process().memory_info().rss if limit else math.inf
        self._folder = Path(worker.local_directory)
        self._rows: weakref.WeakSet[_native.Partition] = weakref.WeakSet()
        self._counting = threading.Lock()

    def placed(self, rows: _native.Partition) -> PartRows:
        """The rows, in memory as long as they fit."""
        with self._counting:
            if sum(own.nbytes for own in self._rows) + rows.nbytes <= self._bytes:
                self._rows.add(rows)
                return rows
        return StoredRows(rows, self._folder)


_ROOMS: weakref.WeakKeyDictionary[distributed.Worker, _Room] = weakref.WeakKeyDictionary()


def _written(rows: _native.Partition, folder: Path) -> Path:
    """The file of rows. If it cannot be written, as when the disk is full, nothing is left of it."""
    descriptor, name = tempfile.mkstemp(prefix="mmoc-", suffix=".rows", dir=folder)
    path = Path(name)
    try:
        with open(descriptor, "wb") as file:
            pickle.dump(rows, file, pickle.HIGHEST_PROTOCOL)
    except OSError as error:
        path.unlink()
        raise OSError(error.errno, error.strerror, name) from error
    return path
