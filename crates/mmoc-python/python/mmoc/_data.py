"""Data sets from files."""

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _native
from ._features import is_sparse, label_array
from ._threads import threads

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Dataset:
    """Features and label sets of some rows. ``X, Y = dataset`` takes it apart.

    Attributes
    ----------
    X : ndarray, CSR matrix or DataFrame of shape (n, p)
        Features; NaN is a missing cell.
    Y : ndarray or DataFrame of shape (n, q)
        Labels, zeros and ones.
    feature_names : list of str
        A name for each column of ``X``.
    label_names : list of str
        A name for each column of ``Y``.
    name : str
        What the data set is called.
    """

    X: Any
    Y: Any
    feature_names: list[str]
    label_names: list[str]
    name: str

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.Y))

    def __repr__(self) -> str:
        (rows, features), labels = self.X.shape, self.Y.shape[1]
        return f"Dataset({self.name!r}: {rows} rows, {features} features, {labels} labels)"


def read(
    path: Path | Sequence[Path],
    labels: int | str | Path | Sequence[str] | None = None,
    *,
    format: str | None = None,
    missing: str = "refuse",
    as_frame: bool = False,
    n_jobs: int | None = None,
) -> Dataset:
    """Reads a data set in any of the formats of ``mmoc``: ARFF, CSV, TSV, LIBSVM, extreme classification, Parquet.

    Parameters
    ----------
    path : path or list of paths
        A file, or several of the same columns, read one after the other; .gz and .bz2 are decompressed.
    labels : int, str, path or list of str, optional
        Which columns are labels: a list of their names; 6 for the first six, -6 for the last six; ``"mood_*"`` for
        those that begin so; a Mulan label file (.xml). Not needed where the file itself says it: ARFF with a label file
        beside it or MEKA's ``-C``, LIBSVM, extreme classification.
    format : {"arff", "csv", "tsv", "libsvm", "extreme", "parquet"}, optional
        By default the name of the file tells.
    missing : {"refuse", "mean"}
        Whether missing cells are errors, or NaN that estimators fill in.
    as_frame : bool
        Whether ``X`` and ``Y`` are pandas DataFrames, with names; sparse features make sparse columns.
    n_jobs : int, optional
        Threads: ``None`` takes all cores.

    Returns
    -------
    Dataset
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise ValueError("path must name at least one file")
    chosen, names = _labels(labels)
    X, pattern, feature_names, label_names, name, notes = _native.read(
        paths, labels=chosen, label_names=names, format=format, missing=missing, threads=threads(n_jobs)
    )
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    Y = label_array(pattern, len(label_names), np.int64)
    if isinstance(X, tuple):
        X = sp.csr_matrix(X, shape=(len(Y), len(feature_names)))
    if as_frame:
        X, Y = _frame(X, feature_names), _frame(Y, label_names)
    return Dataset(X, Y, feature_names, label_names, name)


def _labels(labels: int | str | Path | Sequence[str] | None) -> tuple[str | None, list[str] | None]:
    """As the command line has it, or as a list of names."""
    if labels is None:
        return None, None
    if isinstance(labels, (int, np.integer, str, os.PathLike)):
        return os.fspath(labels) if isinstance(labels, os.PathLike) else str(labels), None
    return None, [str(name) for name in labels]


def _frame(values: Any, names: list[str]) -> Any:
    import pandas as pd

    frame: Any = pd.DataFrame
    return frame.sparse.from_spmatrix(values, columns=names) if is_sparse(values) else frame(values, columns=names)
