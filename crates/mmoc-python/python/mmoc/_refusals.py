"""Errors about data that cannot be used: what was found, where, and what can be done.

Scikit-learn's validation finds out that something is wrong. Only then is the data searched for the reason.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, time, timedelta
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp

_ENCODE = (
    "Encode it as numbers, for example by a ColumnTransformer with OneHotEncoder, or TfidfVectorizer for sentences."
)
_COUNT_TIME = "Convert dates and times to numbers, such as days since a date, or drop them."
_TAKE_APART = "Each cell must be one number: give what it holds columns of their own."
_DROP = "Convert or drop it."
# The first words are those of scikit-learn, whose checks ask for them.
SPLIT_COMPLEX = "Complex data not supported: use real and imaginary parts as two columns, or drop the column."
_BINARY = "Labels must be zeros and ones."
_FOR_CLASSES = "pandas.get_dummies makes a 0/1 column for each value."
_SETS = "Several names in a row are lists of tags: [['food', 'wine'], ['wine']]."
FINITE = "Numbers must be finite. Replace infinity by a number, or by NaN, which is a missing value."

# Words that count as numbers in columns of labels.
LABEL_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}

# Characters of a value that an error shows.
_LONGEST = 40

# From a value and the type of its column to what can be done.
Remedy = Callable[[Any, str], str]


@contextmanager
def explained(X: Any = (), y: Any = None, names: Sequence[str] | None = None) -> Iterator[None]:
    """Says what is wrong with features or labels if their validation fails and the reason is known.

    `names` are those of the columns of features that have none themselves.
    """
    refuse_times(X)
    try:
        yield
    except (TypeError, ValueError) as error:
        reason = of_features(X, names) or of_labels(y)
        if reason is None:
            raise
        if isinstance(error, TypeError):
            raise TypeError(f"{reason} ({error})") from error
        raise ValueError(reason) from error


def refuse_no_data(data: Any, what: str) -> None:
    """Fails if a table is not computed yet, or has no column."""
    if type(data).__name__ == "LazyFrame":
        raise TypeError(f"{what} is a LazyFrame, which has no rows yet. Call collect() first: {what}.collect().")
    columns = getattr(data, "columns", None)
    if what == "X" and isinstance(getattr(data, "shape", None), tuple) and columns is not None and len(columns) == 0:
        raise ValueError("X has no features: the table has no columns")


def refuse_times(X: Any) -> None:
    """Fails if features are dates or times, which NumPy takes for numbers of an unknown unit, or are complex."""
    if _kind(getattr(X, "dtype", None)) in "mM":
        raise ValueError(f"X has dates or times, of type {X.dtype}. {_COUNT_TIME}")
    for name, dtype in _column_types(X):
        if _kind(dtype) == "c":
            raise ValueError(f"the column {name!r} of X has complex numbers. {SPLIT_COMPLEX}")
        if _kind(dtype) in "mM":
            raise ValueError(f"the column {name!r} of X has dates or times, of type {dtype}. {_COUNT_TIME}")


def of_features(X: Any, names: Sequence[str] | None = None) -> str | None:
    """Why features cannot be used, if it is one of the known reasons."""
    reason = _of_whole(X, "X")
    if reason is not None:
        return reason
    if reason := _of_columns(_columns(X), "X", _remedy_of_feature):
        return reason
    if reason := _of_lists(X, "X"):
        return reason
    if isinstance(first := _first(X), (str, bytes)):
        return f"X must have a row of numbers for each example, and it has text such as {_shown(first)}. {_ENCODE}"
    return _of_cells(X, "X", _remedy_of_feature) or of_infinity(_number_columns(X, names), "X", FINITE)


def of_labels(y: Any) -> str | None:
    """Why labels cannot be used, if it is one of the known reasons."""
    reason = _of_whole(y, "y")
    if reason is not None:
        return reason
    if reason := _of_columns(_columns(y), "y", _remedy_of_label):
        return reason
    if reason := _of_lists(y, "y"):
        return reason
    if (dimensions := getattr(y, "ndim", 2)) > 2:
        return f"y has {dimensions} dimensions. It must have a row for each example, and a column for each label."
    if dimensions == 2 and isinstance(_first(y), (list, tuple, np.ndarray)):
        return _of_cells(y, "y", _remedy_of_label) or of_infinity(_number_columns(y), "y", _BINARY)
    return of_infinity(_number_columns(y), "y", _BINARY)


def of_infinity(columns: Iterable[tuple[Any, Any]], what: str, remedy: str) -> str | None:
    """Where the first of some columns of numbers, given by name, is infinite."""
    for name, numbers in columns:
        rows = np.flatnonzero(np.isinf(numbers))
        if len(rows):
            return f"row {rows[0]}, column {name!r} of {what} has {numbers[rows[0]]}. {remedy}"
    return None


def _number_columns(data: Any, names: Sequence[str] | None = None) -> Iterator[tuple[Any, Any]]:
    """Name or number of each column of a matrix or a DataFrame of pandas, and its numbers."""
    if types := _column_types(data):
        are_floats = ((place, name) for place, (name, dtype) in enumerate(types) if _kind(dtype) == "f")
        yield from ((name, data.iloc[:, place].to_numpy(np.float64, na_value=np.nan)) for place, name in are_floats)
        return
    is_sparse = bool(sp.issparse(data))
    try:
        matrix: Any = data.tocsc() if is_sparse else np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        return
    for place in range(matrix.shape[1] if matrix.ndim == 2 else 0):
        column = matrix[:, [place]].toarray()[:, 0] if is_sparse else matrix[:, place]
        yield place if names is None else names[place], column


def _of_whole(data: Any, what: str) -> str | None:
    """Why something that is not a table at all cannot be used."""
    if isinstance(data, (str, bytes, os.PathLike)):
        return f"{what} is the text {_shown(data)}. Files are read by X, Y = mmoc.read(path)."
    if isinstance(data, dict):
        return f"{what} is a dict. pandas.DataFrame({what}) makes a table of it."
    if isinstance(data, (list, tuple)) and isinstance(_first(data), dict):
        return f"{what} is a list of dicts. pandas.DataFrame({what}) makes a table of it."
    if isinstance(data, (set, frozenset, Iterator)):
        kind = "a set" if isinstance(data, (set, frozenset)) else "an iterator"
        return f"{what} is {kind}, which has no order or length. list({what}) makes a list of it."
    if data is None and what == "X":
        return "X is None. It must have a row of numbers for each example."
    if isinstance(data, Number) or (isinstance(data, np.ndarray) and data.ndim == 0):
        return f"{what} is {_shown(data)}. It must have a row for each example."
    return _of_lengths(data, what)


def _of_lists(data: Any, what: str) -> str | None:
    """Why a column of lists, which are the rows of a matrix, cannot be used."""
    if str(getattr(data, "dtype", "")) != "object" or data.ndim != 1:
        return None
    rows = data.tolist()
    if not isinstance(first := _first(rows), (list, tuple, np.ndarray)):
        return None
    return _of_lengths(rows, what) or f"{what} has lists such as {_shown(first)}. np.vstack({what}) makes a matrix."


def _of_lengths(data: Any, what: str) -> str | None:
    """Where rows begin to have other lengths than the first."""
    if not isinstance(data, (list, tuple)) or not all(isinstance(row, (list, tuple, np.ndarray)) for row in data):
        return None
    lengths = [np.size(row) if isinstance(row, np.ndarray) else len(row) for row in data]
    other = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    if other is None:
        return None
    found = f"row 0 of {what} has {_counted(lengths[0])} and row {other} has {_counted(lengths[other])}"
    needed = "All rows must have the same columns."
    return f"{found}. {needed}" + (f" {_SETS}" if what == "y" else "")


def _counted(values: int) -> str:
    return "1 value" if values == 1 else f"{values} values"


def _of_columns(columns: list[tuple[Any, Any]], what: str, remedy: Remedy) -> str | None:
    for name, column in columns:
        for value in column:
            if not _is_number(value, what):
                found = f"the column {name!r} of {what} has {_named(value)}"
                return f"{found}. {remedy(value, str(column.dtype))}"
    return None


def _of_cells(data: Any, what: str, remedy: Remedy) -> str | None:
    for row, cells in enumerate(_iterated(data)):
        for column, value in enumerate(_iterated(cells)):
            if not _is_number(value, what):
                return f"row {row}, column {column} of {what} has {_named(value)}. {remedy(value, '')}"
    return None


def _remedy_of_feature(value: Any, dtype: str) -> str:
    if isinstance(value, (str, bytes)) or dtype == "category":
        return _ENCODE
    if _is_time(value):
        return _COUNT_TIME
    if isinstance(value, (complex, np.complexfloating)):
        return SPLIT_COMPLEX
    return _TAKE_APART if isinstance(value, (list, tuple, set, frozenset, dict, np.ndarray)) else _DROP


def _remedy_of_label(value: Any, dtype: str) -> str:
    if value is None or str(value) in ("<NA>", "NaT"):
        return f"{_BINARY} None may be missing."
    if isinstance(value, (complex, np.complexfloating)):
        return f"Complex data not supported. {_BINARY}"
    if isinstance(value, str):
        if value.strip() in ("0", "1"):
            return f"{_BINARY} y.astype(int) makes numbers of text."
        return f"{_BINARY} {_FOR_CLASSES} {_SETS}"
    return f"{_BINARY} {_FOR_CLASSES}" if _is_time(value) or dtype == "category" else _BINARY


def _is_number(value: Any, what: str) -> bool:
    """Whether NumPy makes a number of it, or it is a word for a label. Of None it makes NaN, for features only."""
    if what == "y" and isinstance(value, str):
        return value.lower() in LABEL_WORDS
    if _is_time(value) or isinstance(value, (list, tuple, set, frozenset, complex, np.complexfloating)):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None and what == "X"
    return True


def _is_time(value: Any) -> bool:
    return isinstance(value, (date, time, timedelta, np.datetime64, np.timedelta64))


def _named(value: Any) -> str:
    """A value with what it is."""
    kinds = {str: "the text ", bytes: "the bytes ", list: "the list ", tuple: "the tuple ", dict: "the dict "}
    if _is_time(value):
        return f"the date or time {_shown(str(value))}"
    kind = next((words for own, words in kinds.items() if isinstance(value, own)), "")
    return kind + _shown(value)


def _shown(value: Any) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _kind(dtype: Any) -> str:
    """The letter of NumPy for a type, or one that none has."""
    return str(getattr(dtype, "kind", "?"))


def _column_types(data: Any) -> list[tuple[Any, Any]]:
    """Name and type of each column of a DataFrame of pandas."""
    if not hasattr(data, "iloc") or not hasattr(data, "dtypes") or not hasattr(data, "columns"):
        return []
    return list(zip(data.columns, data.dtypes, strict=True))


def _columns(data: Any) -> list[tuple[Any, Any]]:
    """Name and values of each column of a DataFrame of pandas that may have something other than numbers."""
    types = enumerate(_column_types(data))
    return [(name, data.iloc[:, place]) for place, (name, dtype) in types if _kind(dtype) not in "biuf"]


def _first(data: Any) -> Any:
    return next(iter(islice(_iterated(data), 1)), None)


def _iterated(data: Any) -> Iterable[Any]:
    """What can be looked at one by one, if that is a list or an array."""
    if isinstance(data, np.ndarray):
        return data if data.ndim > 0 else ()
    return data if isinstance(data, (list, tuple)) else ()
