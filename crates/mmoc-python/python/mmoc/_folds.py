"""Folds that are given one by one, such as those of a cluster."""

from typing import Any

import numpy as np
import numpy.typing as npt

Folds = npt.NDArray[np.int64]

# The most folds that the parameter `folds` allows.
_MOST = 1000

_ONE_FOR_EACH_ROW = "folds must have one whole number for each row"


def checked_folds(folds: Any, rows: int) -> Folds | None:
    """The fold of each row, or None if the library chooses the folds."""
    if folds is None:
        return None
    found = np.asarray(folds)
    if found.ndim != 1:
        raise ValueError(f"{_ONE_FOR_EACH_ROW}, and it has {found.ndim} dimensions. Use an array of shape ({rows},).")
    if found.dtype.kind not in "iu":
        raise ValueError(f"{_ONE_FOR_EACH_ROW}, and it is of type {found.dtype}. Use folds.astype(int).")
    if len(found) != rows:
        raise ValueError(f"{_ONE_FOR_EACH_ROW}, and it has {len(found)} for {rows} rows.")
    are_wrong = (found < 0) | (found >= _MOST)
    if are_wrong.any():
        row = int(np.flatnonzero(are_wrong)[0])
        raise ValueError(f"row {row} of folds has {found[row]}. Folds are numbered from 0 to at most {_MOST - 1}.")
    return found.astype(np.int64)


def check_some_differ(folds: Folds | None) -> None:
    """Fails if all rows that count are in one fold, so that no row is held out."""
    if folds is not None and (folds == folds[0]).all():
        raise ValueError(
            f"all rows that count are in fold {folds[0]}. Give folds at least two different numbers: each fold is "
            "predicted by models that were fitted to the other folds."
        )
