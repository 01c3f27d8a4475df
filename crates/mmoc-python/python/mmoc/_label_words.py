"""Labels as numbers: words such as yes and no, which count as 1 and 0 as they do in files, and zeros and ones that
are objects or categories.
"""

import warnings
from collections.abc import Mapping
from numbers import Number
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ._refusals import LABEL_WORDS
from ._tables import TableWithWords
from ._tags import is_missing


def without_words(y: Any) -> Any:
    """Columns of labels with numbers in place of words and objects. Columns with other words are unchanged."""
    if hasattr(y, "iloc") and hasattr(y, "dtypes") and hasattr(y, "columns"):
        places = [place for place, dtype in enumerate(y.dtypes) if getattr(dtype, "kind", "O") in "OU"]
        flags = _flags_of({place: y.iloc[:, place] for place in places})
        return _with_columns(y, flags) if flags else y
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "OU":
        flags = _flags_of(dict(enumerate(y.T)))
        return np.column_stack([flags.get(place, column) for place, column in enumerate(y.T)]) if flags else y
    return y


def numbers_of(table: TableWithWords, what: str) -> npt.NDArray[np.float64]:
    """The labels of a table as numbers, n×q, with NaN for nulls. An error if a column has other words."""
    flags = _flags_of({name: cells for name, cells in table.columns if isinstance(cells, list)})
    for name, cells in table.columns:
        if isinstance(cells, list) and name not in flags:
            raise ValueError(
                f"the column {name!r} of {what} has the text {_other_cell(cells)!r}. Labels must be zeros and ones, or "
                "the words yes and no, or true and false."
            )
    numbers: list[Any] = [flags.get(name, cells) for name, cells in table.columns]
    return np.column_stack(numbers)


def _with_columns(frame: Any, columns: Mapping[Any, Any]) -> Any:
    frame = frame.copy()
    for place, column in columns.items():
        frame.isetitem(place, column)
    return frame


def _flags_of(columns: Mapping[Any, Any]) -> dict[Any, Any]:
    """The numbers of the columns that have such words, with NaN for missing cells, or zeros and ones throughout.

    Warns if there are words.
    """
    found = {place: cells for place, cells in columns.items() if _are_flags(cells)}
    words = (_first_word(cells) for cells in found.values())
    if word := next(filter(None, words), None):
        message = f"true and yes count as 1, false and no as 0 in labels (found {word!r})"
        warnings.warn(message, UserWarning, stacklevel=6)
    return {place: _numbers(cells) for place, cells in found.items()}


def _are_flags(cells: Any) -> bool:
    """Whether all cells stand for 0, 1 or a missing label. Missing ones among numbers are refused as they are."""
    return _other_cell(cells) is None and (_first_word(cells) is not None or not any(map(is_missing, cells)))


def _numbers(cells: Any) -> npt.NDArray[Any]:
    numbers = np.array([_flag(cell) for cell in cells], dtype=np.float64)
    return numbers if _first_word(cells) else numbers.astype(np.int64)


def _first_word(cells: Any) -> str | None:
    return next((cell for cell in cells if isinstance(cell, str)), None)


def _other_cell(cells: Any) -> str | None:
    """The first cell that is none of the words, as text."""
    return next((str(cell) for cell in cells if _flag(cell) is None), None)


def _flag(cell: Any) -> float | None:
    """The number of a cell, NaN if it is missing. None if it has neither such a word nor 0 or 1."""
    if is_missing(cell):
        return np.nan
    if isinstance(cell, str):
        return LABEL_WORDS.get(cell.lower())
    return float(cast(float, cell)) if isinstance(cell, (Number, np.bool_)) and cell in (0, 1) else None
