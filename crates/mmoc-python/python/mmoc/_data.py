"""Reading data files."""

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from . import _native
from ._features import is_sparse, label_array
from ._refusals import refuse_no_data
from ._threads import threads

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Dataset:
    """A multi-label data set. ``X, Y = dataset`` unpacks it.

    ``len(dataset)`` is the number of rows. ``dataset[rows]`` is the data set of some rows, by a row number, a slice, a
    mask, or a list or array of row numbers.

    Attributes
    ----------
    X : ndarray, CSR matrix or DataFrame of shape (n, p)
        Features. NaN is a missing value.
    Y : ndarray or DataFrame of shape (n, q)
        Labels: zeros and ones. NaN is an unknown label; only with such labels are these floats.
    feature_names : list of str
        The names of the columns of ``X``.
    label_names : list of str
        The names of the columns of ``Y``.
    name : str
        The name of the data set.
    weights : ndarray of shape (n,), or None
        The weights of the rows, if they have any: ``fit(X, Y, sample_weight=dataset.weights)``.
    """

    X: Any
    Y: Any
    feature_names: list[str]
    label_names: list[str]
    name: str
    weights: npt.NDArray[np.float64] | None = None

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.Y))

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: Any) -> "Dataset":
        chosen = _row_numbers(rows, len(self))
        X, Y = (part.iloc[chosen] if hasattr(part, "iloc") else part[chosen] for part in (self.X, self.Y))
        weights = None if self.weights is None else np.asarray(self.weights)[chosen]
        return replace(self, X=X, Y=Y, weights=weights)

    def __repr__(self) -> str:
        (rows, features), labels = self.X.shape, self.Y.shape[1]
        sizes = ", ".join(
            _counted(count, what) for count, what in ((rows, "row"), (features, "feature"), (labels, "label"))
        )
        # Without rows there is no mean.
        cardinality = f", {np.nansum(np.asarray(self.Y)) / rows:.2f} labels per row" if rows else ""
        return f"Dataset({self.name!r}: {sizes}{cardinality})"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _row_numbers(rows: Any, count: int) -> npt.NDArray[np.intp]:
    """The numbers of the chosen rows, from 0."""
    if isinstance(rows, slice):
        return np.arange(*rows.indices(count))
    chosen = np.atleast_1d(np.asarray(rows))
    if chosen.size == 0:
        chosen = chosen.astype(np.intp)
    if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
        raise TypeError(f"rows must be a row number, a slice, a mask, or an array of row numbers, not {rows!r}")
    if chosen.dtype.kind == "b":
        if len(chosen) != count:
            raise IndexError(f"a mask must have {count} entries, one for each row, not {len(chosen)}")
        return np.flatnonzero(chosen)
    numbers = chosen.astype(np.intp)
    wrong = numbers[(numbers < -count) | (numbers >= count)]
    if len(wrong):
        raise IndexError(f"row {wrong[0]} is not among the {count} rows")
    return np.where(numbers < 0, numbers + count, numbers)


def read(
    path: Path | Sequence[Path] | Any,
    labels: int | str | Path | Sequence[str] | None = None,
    *,
    tags: str | None = None,
    tag_separator: str = ";",
    ignore: str | Sequence[str] = (),
    id: str | None = None,
    weight: str | None = None,
    labels_as_features: bool = False,
    format: str | None = None,
    missing: str = "refuse",
    missing_labels: str = "refuse",
    times: str = "refuse",
    top_labels: int | None = None,
    drop_empty_rows: bool = False,
    as_frame: bool = False,
    n_jobs: int | None = None,
) -> Dataset:
    """Reads a multi-label data set from ARFF, CSV, TSV, LIBSVM, extreme classification, Parquet, Arrow or
    JSON-lines files, or from a table in memory.

    Parameters
    ----------
    path : path, list of paths, or table
        One file, or several files with the same columns, which are concatenated. Files that end in .gz or .bz2 are
        decompressed. Or a table of pandas, Polars, PyArrow or another package with ``__arrow_c_stream__``, which is
        read as an Arrow file with the same columns would be; pandas needs PyArrow for that.
    labels : int, str, path or list of str, optional
        Which columns are labels: a list of names; 6 for the first six columns, -6 for the last six; ``"mood_*"`` for
        columns with that prefix; or a Mulan label file (.xml). Not needed if the data says it: ARFF files with a label
        file of the same name or with MEKA's ``-C``, LIBSVM, and extreme classification.
    tags : str, optional
        Instead of ``labels``, the name of a column of tags such as ``food;wine``. Each tag is a label.
    tag_separator : str
        The text between the tags of a cell. The cells of a table in memory may be lists of tags instead.
    ignore : str or list of str
        Names of columns to leave out, as a list or with commas between them. ``"date_*"`` stands for all columns with
        that prefix.
    id : str, optional
        The name of a column with what rows are called, which is left out.
    weight : str, optional
        The name of a column with the weight of each row, which becomes ``weights``.
    labels_as_features : bool
        If the file declares more labels than ``labels`` names, whether the others become features. By default they are
        left out.
    format : {"arff", "csv", "tsv", "libsvm", "extreme", "parquet", "arrow", "jsonl"}, optional
        The format. By default it follows from the file name.
    missing : {"refuse", "mean"}
        Whether a missing value is an error or becomes NaN. Estimators replace NaN as their parameter
        ``missing`` says.
    missing_labels : {"refuse", "ignore"}
        Whether a missing label is an error or becomes NaN, for estimators with the same parameter.
    times : {"refuse", "numbers"}
        Whether dates and times are errors or become numbers of days: those since 1970-01-01, with the part of the day
        for points in time. A time of day becomes the part of the day since midnight: 18:00 is 0.75.
    top_labels : int, optional
        How many of the most frequent labels are kept.
    drop_empty_rows : bool
        Whether rows without a label are left out.
    as_frame : bool
        Whether ``X`` and ``Y`` are pandas DataFrames with column names. Sparse features become sparse columns.
    n_jobs : int, optional
        The number of threads. ``None`` uses all cores.

    Returns
    -------
    Dataset
    """
    origin = _origin(path)
    if isinstance(origin, list) and not origin:
        raise ValueError("path must name at least one file")
    if tags is not None and labels is not None:
        raise ValueError(
            "read takes labels or tags, not both: labels says which columns are labels of zeros and ones, tags names "
            "one column of names of labels."
        )
    _check_missing(missing)
    if top_labels is not None and not isinstance(top_labels, (int, np.integer)):
        raise ValueError(f"top_labels must be a whole number, not {top_labels!r}")
    chosen, names = _labels(labels)
    X, pattern, unknown, weights, feature_names, label_names, name, notes = _native.read(
        origin,
        labels=chosen,
        label_names=names,
        tags=None if tags is None else (tags, tag_separator),
        ignore=_ignored(ignore),
        id=id,
        weight=weight,
        labels_as_features=labels_as_features,
        format=format,
        missing=missing,
        missing_labels=missing_labels,
        times=times,
        top_labels=None if top_labels is None else max(int(top_labels), 0),
        drop_empty_rows=bool(drop_empty_rows),
        threads=threads(n_jobs),
    )
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    Y = label_array(pattern, len(label_names), np.int64)
    if unknown is not None:
        Y = np.where(label_array(unknown, len(label_names), bool), np.nan, Y)
    if isinstance(X, tuple):
        X = sp.csr_matrix(X, shape=(len(Y), len(feature_names)))
    if as_frame:
        X, Y = _frame(X, feature_names), _frame(Y, label_names)
    return Dataset(X, Y, feature_names, label_names, name, weights)


def _check_missing(missing: Any) -> None:
    if missing in ("refuse", "mean"):
        return
    said = f'missing must be "refuse" or "mean", not {missing!r}.'
    if missing in ("median", "indicator"):
        said += (
            ' With "mean" missing values become NaN, which estimators fill in as their own parameter says: '
            f"missing={missing!r}."
        )
    raise ValueError(said)


def _ignored(ignore: str | Sequence[str]) -> list[str]:
    if isinstance(ignore, str):
        return [name for name in ignore.split(",") if name]
    return [str(name) for name in ignore]


def _origin(path: Any) -> Any:
    """A list of paths, or a table."""
    refuse_no_data(path, "path")
    if isinstance(path, (str, os.PathLike)):
        return [path]
    if not hasattr(path, "__arrow_c_stream__"):
        return list(path)
    if hasattr(path, "iloc"):
        # The index of a DataFrame is no column.
        path = path.reset_index(drop=True)
    try:
        path.__arrow_c_stream__()
    except ImportError as error:
        raise ImportError("a pandas DataFrame can be read if PyArrow is installed") from error
    return path


def _labels(labels: int | str | Path | Sequence[str] | None) -> tuple[str | None, list[str] | None]:
    """The labels as text for the command line's parser, or as a list of names."""
    if labels is None:
        return None, None
    if isinstance(labels, (int, np.integer, str, os.PathLike)):
        return os.fspath(labels) if isinstance(labels, os.PathLike) else str(labels), None
    return None, [str(name) for name in labels]


def _frame(values: Any, names: list[str]) -> Any:
    import pandas as pd

    frame: Any = pd.DataFrame
    return frame.sparse.from_spmatrix(values, columns=names) if is_sparse(values) else frame(values, columns=names)
