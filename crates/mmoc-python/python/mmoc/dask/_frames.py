"""DataFrames of pandas as numbers with names."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .._names import Names

_REMEDY = {
    "X": "Encode it as numbers, for example by dask.dataframe.get_dummies after .categorize(), or drop it.",
    "y": "Each label is a column of zeros and ones.",
}


def is_frame(data: Any) -> bool:
    """Whether it is a DataFrame of pandas."""
    return hasattr(data, "iloc") and hasattr(data, "dtypes") and hasattr(data, "columns")


def check_numbers(frame: Any, what: str) -> None:
    """Fails unless all columns are numbers or booleans. It needs no rows, so that Dask's metadata is enough."""
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        if getattr(dtype, "kind", "O") not in "biuf":
            raise ValueError(
                f"the column {name!r} of {what} has the type {dtype}. All columns must be numbers or booleans on Dask. "
                f"{_REMEDY[what]}"
            )


def numbers_of(frame: Any) -> npt.NDArray[Any]:
    """The cells of a DataFrame of numbers, n×p. A missing cell becomes NaN."""
    if all(isinstance(dtype, np.dtype) for dtype in frame.dtypes):
        return np.asarray(frame.to_numpy())
    numbers = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    # Types of pandas that can have missing cells: without any, whole numbers and booleans stay whole.
    are_whole = all(dtype.kind in "biu" for dtype in frame.dtypes) and not np.isnan(numbers).any()
    return np.asarray(numbers.astype(np.int64) if are_whole else numbers)


def feature_names(columns: tuple[Any, ...]) -> Names | None:
    """The names of features. Columns that are numbers have none, as in scikit-learn."""
    texts = [isinstance(name, str) for name in columns]
    if all(texts):
        return columns
    if any(texts):
        raise ValueError(
            "the names of the columns of X are text and something else. Use text for all: "
            "X.rename(columns=str), or X.columns = X.columns.astype(str)."
        )
    return None


def label_names(columns: tuple[Any, ...]) -> Names:
    """The names of labels."""
    return tuple(str(name) for name in columns)
