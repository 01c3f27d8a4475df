"""Tables: DataFrames of pandas, and tables that provide an Arrow stream (Polars, PyArrow, DuckDB and others)."""

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from . import _native
from ._refusals import FINITE, SPLIT_COMPLEX, of_infinity

# Numbers with NaN for missing cells, or words with None.
Column = npt.NDArray[np.float64] | list[str | None]

# Of these kinds are the dtypes of pandas that are no numbers: objects, texts and categories, dates, durations.
_KINDS_TO_READ = "OSUMm"


@dataclass(frozen=True)
class TableWithWords:
    """The columns of a table, of which some have words, by name."""

    columns: list[tuple[str, Column]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for name, _ in self.columns)

    def among(self, kept: npt.NDArray[np.bool_]) -> "TableWithWords":
        """The same columns with some of the rows."""
        rows = np.flatnonzero(kept)

        def chosen(cells: Column) -> Column:
            return [cells[row] for row in rows] if isinstance(cells, list) else cells[rows]

        return TableWithWords([(name, chosen(cells)) for name, cells in self.columns])

    def encoded(self) -> tuple[npt.NDArray[np.float64], str]:
        """The features as numbers, as those of a file would be, and what they are."""
        self._refuse_infinity()
        return _native.encode(self.columns)

    def encoded_for(self, model: _native.Model) -> tuple[Any, list[str]]:
        """The features that a model knows, and notes about them."""
        self._refuse_infinity()
        features, notes = model.encode(self.columns)
        if isinstance(features, tuple):
            features = sp.csr_matrix(features, shape=(len(features[2]) - 1, model.columns))
        return features, notes

    def _refuse_infinity(self) -> None:
        numbers = ((name, cells) for name, cells in self.columns if not isinstance(cells, list))
        if reason := of_infinity(numbers, "X", FINITE):
            raise ValueError(reason)


def is_table(data: Any) -> bool:
    """Whether the data is a table with an Arrow stream. Scikit-learn handles pandas DataFrames itself."""
    has_columns = hasattr(data, "schema") or hasattr(data, "columns")
    return has_columns and hasattr(data, "__arrow_c_stream__") and not hasattr(data, "iloc")


def column_names(data: Any) -> tuple[str, ...] | None:
    """The names of the columns of a DataFrame or an Arrow table. Other data has none."""
    # A property in PyArrow, a method in Polars, which has them in `columns` too.
    names = getattr(getattr(data, "schema", None), "names", None)
    if not isinstance(names, list):
        names = getattr(data, "columns", None)
    return None if names is None else tuple(str(name) for name in names)


def refuse_repeated_names(data: Any, what: str) -> None:
    """Fails if several columns of a table have the same name."""
    names = column_names(data) or ()
    if len(set(names)) < len(names):
        repeated = next(name for place, name in enumerate(names) if name in names[:place])
        raise ValueError(
            f"{what} has several columns named {repeated!r}. Each column needs a name of its own: rename or drop some."
        )


def read_table(table: Any) -> tuple[Any, tuple[str, ...]]:
    """The numbers of a table, n×p, or its columns if some have words, and their names. A null becomes NaN."""
    values, names = _native.table(table)
    if isinstance(values, list):
        values = TableWithWords(list(zip(names, values, strict=True)))
    return values, tuple(names)


def read_frame(frame: Any, *, all_columns: bool = False) -> Any:
    """The columns of a pandas DataFrame if some of them have words, or in any case. Anything else unchanged."""
    if not (hasattr(frame, "iloc") and hasattr(frame, "dtypes") and hasattr(frame, "columns")):
        return frame
    if not all_columns and not any(_kind(dtype) in _KINDS_TO_READ for dtype in frame.dtypes):
        return frame
    columns = [(str(name), _cells(str(name), frame.iloc[:, place])) for place, name in enumerate(frame.columns)]
    has_words = any(isinstance(cells, list) for _, cells in columns)
    return TableWithWords(columns) if has_words or all_columns else frame


def _kind(dtype: Any) -> str:
    return str(getattr(dtype, "kind", "O"))


def _cells(name: str, column: Any) -> Column:
    """The cells of a column. An error if they are neither numbers nor words."""
    kind = _kind(column.dtype)
    if kind in "Mm":
        what = "dates or times" if kind == "M" else "durations"
        raise ValueError(f"column {name!r} of X has {what}. Convert them to numbers, or drop the column.")
    if kind == "c":
        raise ValueError(f"the column {name!r} of X has complex numbers. {SPLIT_COMPLEX}")
    if kind not in _KINDS_TO_READ:
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    is_category = hasattr(column.dtype, "categories")
    cells = [None if missing else cell for cell, missing in zip(column, column.isna(), strict=True)]
    present = [cell for cell in cells if cell is not None]
    if any(isinstance(cell, (complex, np.complexfloating)) for cell in present):
        raise ValueError(f"the column {name!r} of X has complex numbers. {SPLIT_COMPLEX}")
    if is_category or all(isinstance(cell, str) for cell in present):
        return [None if cell is None else str(cell) for cell in cells]
    if all(isinstance(cell, Number | np.bool_) for cell in present):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    odd = next(cell for cell in present if not isinstance(cell, str))
    if isinstance(odd, (list, tuple, np.ndarray)):
        raise ValueError(
            f"column {name!r} of X has lists such as {odd!r}. Give what they hold columns of their own: "
            f"pandas.DataFrame(X[{name!r}].tolist())."
        )
    found = f"text and {odd!r}" if any(isinstance(cell, str) for cell in present) else f"{odd!r}"
    raise ValueError(
        f"column {name!r} of X must have only numbers or only text, but has {found}. Convert or drop the column."
    )
