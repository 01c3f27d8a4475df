"""Labels that are not known: NaN, None, pandas.NA and nulls in ``y``."""

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt

from ._features import is_sparse
from ._names import Names
from ._tags import is_missing

Mask = npt.NDArray[np.bool_]

_POLICIES = ("refuse", "ignore")
_REMEDY = 'Fill it with 0 or 1, or use missing_labels="ignore".'


@dataclass(frozen=True)
class KnownLabels:
    """Labels of which some may be unknown."""

    # The labels, with zeros (or some class) in place of those that are unknown.
    filled: Any
    # The cells that are unknown, n×q, or n×1 for a one-dimensional y. None if all are known.
    unknown: Mask | None

    @property
    def rows_with_some(self) -> Mask | None:
        """Which rows have at least one known label. None if all are known."""
        return None if self.unknown is None else np.array((~self.unknown).any(axis=1))


def known_labels(y: Any, names: Names | None, missing_labels: Any) -> KnownLabels:
    """Separates known labels from unknown ones. An error if unknown ones are refused, and there are any."""
    if missing_labels not in _POLICIES:
        raise ValueError(f"missing_labels must be {' or '.join(_POLICIES)}, not {missing_labels!r}")
    cells, mask = _cells(y)
    if mask is None or not mask.any():
        return KnownLabels(y, None)
    if missing_labels == "refuse":
        raise ValueError(_refusal(cells, mask, names))
    if mask.all():
        raise ValueError("y has no known label")
    return KnownLabels(_filled(cells, mask), mask.reshape(len(mask), -1))


def check_each_is_known(unknown: Mask, names: Names | None) -> None:
    """Fails if a label is unknown in all rows."""
    nowhere = np.flatnonzero(unknown.all(axis=0))
    if len(nowhere):
        label = int(nowhere[0])
        raise ValueError(
            f"the label {label if names is None else repr(names[label])} is unknown in all rows that count. Drop its "
            "column from y."
        )


def _cells(y: Any) -> tuple[Any, Mask | None]:
    """The labels in a form that can be filled, and which of them are missing. No mask if none can be."""
    if hasattr(y, "iloc") and hasattr(y, "isna"):
        return y, _mask_of_pandas(y)
    if isinstance(y, (list, tuple)):
        y = _array_of_lists(y)
    if is_sparse(y) or not isinstance(y, np.ndarray) or y.ndim not in (1, 2):
        return y, None
    if y.dtype.kind == "f":
        return y, np.isnan(y)
    return y, _is_missing(y).astype(bool) if y.dtype.kind == "O" and y.size else None


def _mask_of_pandas(y: Any) -> Mask:
    """The missing cells of a DataFrame or Series. Dates are no labels, and no missing ones either."""
    mask = np.array(y.isna(), dtype=bool)
    if mask.ndim == 2:
        mask[:, [getattr(dtype, "kind", "O") in "mM" for dtype in y.dtypes]] = False
    return mask


def _array_of_lists(y: Any) -> Any:
    """An array of lists of equal lengths. Others unchanged: their validation says what is wrong with them."""
    try:
        return np.array(y)
    except ValueError:
        return y


_is_missing = np.frompyfunc(is_missing, 1, 1)


def _refusal(cells: Any, mask: Mask, names: Names | None) -> str:
    place = tuple(int(k) for k in np.argwhere(mask)[0])
    value = (cells.iloc if hasattr(cells, "iloc") else cells)[place if len(place) > 1 else place[0]]
    column = "" if len(place) == 1 else f", column {place[1] if names is None else repr(names[place[1]])}"
    shown = value.item() if isinstance(value, np.generic) else value
    return f"row {place[0]}{column} of y has {shown}, a missing label. {_REMEDY}"


def _filled(cells: Any, mask: Mask) -> Any:
    """The labels with zeros where they are missing. A one-dimensional y has a class that it has elsewhere instead."""
    if hasattr(cells, "columns"):
        frame = cells.copy()
        for column in np.flatnonzero(mask.any(axis=0)):
            values = _filled_array(cells.iloc[:, column].to_numpy(dtype=object), mask[:, column], 0)
            frame.isetitem(column, values)
        return frame
    values = cells.to_numpy(dtype=object) if hasattr(cells, "iloc") else cells
    return _filled_array(values, mask, 0 if mask.ndim == 2 else values[~mask][0])


def _filled_array(values: npt.NDArray[Any], mask: Mask, value: Any) -> npt.NDArray[Any]:
    filled = values.copy()
    filled[mask] = value
    if filled.dtype.kind == "O" and all(isinstance(cell, (Number, np.bool_)) for cell in filled.flat):
        return np.array(filled.tolist())
    return filled
