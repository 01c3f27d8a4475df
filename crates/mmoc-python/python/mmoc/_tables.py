"""Tables that provide an Arrow stream: Polars, PyArrow, DuckDB and others."""

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native


def is_table(data: Any) -> bool:
    """Whether the data is a table with an Arrow stream. Scikit-learn handles pandas DataFrames itself."""
    has_columns = hasattr(data, "schema") or hasattr(data, "columns")
    return has_columns and hasattr(data, "__arrow_c_stream__") and not hasattr(data, "iloc")


def read_table(table: Any) -> tuple[npt.NDArray[np.float64], tuple[str, ...]]:
    """The numbers of a table, n×p, and the names of its columns. A null becomes NaN."""
    values, names = _native.table(table)
    return values, tuple(names)
