"""Words such as yes and no in columns of labels, which count as 1 and 0 as they do in files."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from ._tables import TableWithWords
from ._tags import is_missing

_FLAGS = {"true": 1, "yes": 1, "false": 0, "no": 0}


def without_words(y: Any) -> Any:
    """Columns of labels with numbers in place of words. Columns with other words are unchanged."""
    if hasattr(y, "iloc") and hasattr(y, "dtypes") and hasattr(y, "columns"):
        return _of_frame(y)
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "OU":
        columns = [_flags(column) for column in y.T]
        return np.column_stack(columns) if columns and all(own is not None for own in columns) else y
    return y


def numbers_of(table: TableWithWords, what: str) -> npt.NDArray[np.float64]:
    """The labels of a table as numbers, n×q, with NaN for nulls. An error if a column has other words."""
    return np.column_stack([_of_column(name, cells, what) for name, cells in table.columns])


def _of_column(name: str, cells: Any, what: str) -> Any:
    if not isinstance(cells, list):
        return cells
    found = _flags(cells)
    if found is None:
        word = next(cell for cell in cells if cell is not None and cell.lower() not in _FLAGS)
        raise ValueError(
            f"the column {name!r} of {what} has the text {word!r}. Labels must be zeros and ones, or the words yes and "
            "no, or true and false."
        )
    return found


def _of_frame(y: Any) -> Any:
    frame = None
    for place, dtype in enumerate(y.dtypes):
        if getattr(dtype, "kind", "O") in "OU" and (found := _flags(y.iloc[:, place])) is not None:
            frame = y.copy() if frame is None else frame
            frame.isetitem(place, found)
    return y if frame is None else frame


def _flags(cells: Any) -> npt.NDArray[np.float64] | None:
    """The number of each cell, NaN if it is missing. None unless all others are such words, and there is one."""
    known = [cell for cell in cells if not is_missing(cell)]
    if not known or not all(isinstance(cell, str) and cell.lower() in _FLAGS for cell in known):
        return None
    message = f"true and yes count as 1, false and no as 0 in labels (found {known[0]!r})"
    warnings.warn(message, UserWarning, stacklevel=7)
    return np.array([np.nan if is_missing(cell) else _FLAGS[cell.lower()] for cell in cells], dtype=np.float64)
