"""Dask collections as delayed blocks, one list for each partition. Nothing is loaded."""

from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
from dask.delayed import Delayed

# What a list may have: what is not loaded yet, or is on a cluster.
_IN_LISTS = (Delayed, distributed.Future)

_KINDS = "a Dask array, a Dask DataFrame, or a list of delayed objects or futures"
_REMEDY = {
    "X": "Use dask.array.from_array(X, chunks=(rows, -1)), or fit an estimator of mmoc instead of mmoc.dask.",
    "y": "Use dask.array.from_array(y, chunks=(X.chunks[0], -1)).",
    "sample_weight": "Use dask.array.from_array(sample_weight, chunks=X.chunks[0]).",
}


@dataclass(frozen=True)
class Blocks:
    """The partitions of a collection, each as its blocks of columns."""

    what: str
    partitions: list[list[Any]]
    # The number of rows of each partition, if known.
    rows: tuple[int, ...] | None

    @classmethod
    def of(cls, data: Any, what: str) -> "Blocks":
        """The blocks of a collection."""
        if isinstance(data, da.Array):
            return cls(what, _rows_of_blocks(data), _known(data))
        if isinstance(data, (dd.DataFrame, dd.Series)):
            return cls(what, [[block] for block in data.to_delayed()], None)
        return cls(what, [[block] for block in _checked_list(data, what)], None)

    def __len__(self) -> int:
        return len(self.partitions)


def is_on_dask(data: Any) -> bool:
    """Whether it is one of the collections that have partitions, or a list of partitions."""
    return isinstance(data, (da.Array, dd.DataFrame, dd.Series)) or is_list_of_partitions(data)


def is_list_of_partitions(data: Any) -> bool:
    """Whether it is a list of delayed objects or futures."""
    return isinstance(data, (list, tuple)) and len(data) > 0 and all(isinstance(own, _IN_LISTS) for own in data)


def _rows_of_blocks(array: da.Array) -> list[list[Any]]:
    """The blocks of an array, those beside each other in one list."""
    blocks = array.to_delayed()
    return [list(np.ravel(row)) for row in blocks]


def _known(array: da.Array) -> tuple[int, ...] | None:
    rows = array.chunks[0]
    return None if np.isnan(rows).any() else tuple(int(count) for count in rows)


def _checked_list(data: Any, what: str) -> list[Any]:
    if isinstance(data, _IN_LISTS):
        raise TypeError(f"{what} is one delayed object or future. Give a list with one for each partition: [{what}].")
    if isinstance(data, (list, tuple)) and len(data) == 0:
        raise ValueError(f"{what} is an empty list. It must have one delayed object or future for each partition.")
    if not is_list_of_partitions(data):
        kind = type(data)
        found = f"{kind.__module__.split('.')[0]}.{kind.__name__}" if kind.__module__ != "builtins" else kind.__name__
        raise TypeError(f"{what} must be {_KINDS}, not {found}. {_REMEDY[what]}")
    return list(data)
