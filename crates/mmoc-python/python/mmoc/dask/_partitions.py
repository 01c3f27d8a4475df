"""Features, labels and weights that are partitioned alike."""

from dataclasses import dataclass
from typing import Any, Self

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask import delayed
from dask.delayed import Delayed

from .._refusals import refuse_times
from ._blocks import Blocks
from ._frames import check_numbers, feature_names, is_frame
from ._parts import refuse_one_dimension

_ALIKE = "must be partitioned alike by rows"


@dataclass(frozen=True)
class Partitions:
    """The blocks of each partition: features, then labels, then weights."""

    x: Blocks
    y: Blocks
    weights: Blocks | None

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The partitions of collections. What cannot be used is refused as far as it can be seen without rows."""
        check_features(X)
        _check_labels(y)
        x = Blocks.of(X, "X")
        weights = None
        if sample_weight is not None:
            _check_weights(sample_weight)
            weights = _aligned(X, x, sample_weight, "sample_weight")
        return cls(x, _aligned(X, x, y, "y"), weights)

    def __len__(self) -> int:
        return len(self.x)

    def each(self, function: Any, name: str, token: str, *first: Any) -> list[Delayed]:
        """A task for each partition. The function gets its number, how many blocks of each kind it has, and these."""
        task = delayed(function, pure=False)
        return [
            task(
                *first, number, *self._counts(number), *self._blocks(number), dask_key_name=(f"{name}-{token}", number)
            )
            for number in range(len(self))
        ]

    def _counts(self, number: int) -> tuple[int, int]:
        return len(self.x.partitions[number]), len(self.y.partitions[number])

    def _blocks(self, number: int) -> list[Any]:
        # As arguments of their own: inside of a list Dask would look at each block again.
        weights = [] if self.weights is None else self.weights.partitions[number]
        return [*self.x.partitions[number], *self.y.partitions[number], *weights]


def check_features(X: Any) -> None:
    """Fails if a collection cannot be features, by its dimensions and the types and names of its columns."""
    if isinstance(X, dd.Series) or (isinstance(X, da.Array) and X.ndim != 2):
        one = "X.to_frame()" if isinstance(X, dd.Series) else "X.reshape(-1, 1)"
        raise ValueError(f"X must have two dimensions, rows and features. Use {one} for one feature.")
    meta: Any = getattr(X, "_meta", None)
    if is_frame(meta):
        refuse_times(meta)
        check_numbers(meta, "X")
        feature_names(tuple(meta.columns))
    elif isinstance(X, da.Array):
        refuse_times(X)


def _check_labels(y: Any) -> None:
    if isinstance(y, (dd.Series, da.Array)):
        refuse_one_dimension(y)
    elif is_frame(getattr(y, "_meta", None)):
        check_numbers(y._meta, "y")


def _check_weights(weights: Any) -> None:
    if isinstance(weights, dd.DataFrame) or (isinstance(weights, da.Array) and weights.ndim != 1):
        raise ValueError("sample_weight must have one dimension. Use a Dask array of one dimension, or a Series.")


def _aligned(X: Any, x: Blocks, data: Any, what: str) -> Blocks:
    """The blocks of labels or weights. Those of an array are cut where the features are, if it is known where."""
    if isinstance(data, da.Array) and x.rows is not None and not np.isnan(data.chunks[0]).any():
        _check_lengths(sum(x.rows), int(sum(data.chunks[0])), what)
        # The same chunks are left as they are.
        data = data.rechunk({0: x.rows})
    _check_divisions(X, data, what)
    blocks = Blocks.of(data, what)
    if len(blocks) != len(x):
        raise ValueError(
            f"X has {_counted(len(x))} and {what} has {_counted(len(blocks))}. Both {_ALIKE}. {_remedy(X, data, what)}"
        )
    return blocks


def _check_lengths(expected: int, found: int, what: str) -> None:
    if found != expected:
        raise ValueError(f"X has {expected} rows and {what} has {found}. Both must have the same rows.")


def _check_divisions(X: Any, data: Any, what: str) -> None:
    """Fails if two DataFrames are known to be cut at other rows."""
    own, given = (getattr(collection, "divisions", (None,)) for collection in (X, data))
    if None in own or None in given or own == given:
        return
    raise ValueError(f"X and {what} have different divisions. Both {_ALIKE}. {_remedy(X, data, what)}")


def _remedy(X: Any, data: Any, what: str) -> str:
    if isinstance(X, dd.DataFrame) and isinstance(data, (dd.DataFrame, dd.Series)) and None not in X.divisions:
        return f"Use {what}.repartition(divisions=X.divisions)."
    if isinstance(X, da.Array) and isinstance(data, da.Array):
        return "Arrays of unknown chunk sizes get them by X.compute_chunk_sizes()."
    return f"Take X and {what} from the same partitions."


def _counted(partitions: int) -> str:
    return "1 partition" if partitions == 1 else f"{partitions} partitions"
