"""Reading files of many rows, each file, byte range or group of rows as a partition."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse as sp
from dask.base import compute, tokenize
from dask.delayed import delayed
from dask.utils import parse_bytes

from .._data import _check_missing, _ignored, _labels
from ._read_files import Choice, Files
from ._read_parquet import ParquetReader
from ._read_schema import Reader, Run, Schema
from ._read_tables import TableReader
from ._read_vectors import VectorReader

_Path = str | os.PathLike[str]


@dataclass(frozen=True)
class PartitionedDataset:
    """A multi-label data set in partitions. ``X, y = dataset`` unpacks it.

    Attributes
    ----------
    X : Dask DataFrame or Dask array
        Features. NaN is a missing value. LIBSVM files give an array, of CSR matrices if most cells are zero.
    Y : Dask DataFrame
        Labels: zeros and ones.
    feature_names : list of str
        The names of the columns of ``X``.
    label_names : list of str
        The names of the columns of ``Y``.
    name : str
        The name of the data set.
    weights : Dask Series, or None
        The weights of the rows, if they have any: ``fit(X, Y, sample_weight=dataset.weights)``.
    """

    X: Any
    Y: Any
    feature_names: list[str]
    label_names: list[str]
    name: str
    weights: Any = None

    def __iter__(self) -> Any:
        return iter((self.X, self.Y))

    def __repr__(self) -> str:
        partitions, features, labels = self.Y.npartitions, len(self.feature_names), len(self.label_names)
        return f"PartitionedDataset({self.name!r}: {partitions} partitions, {features} features, {labels} labels)"


def read(
    paths: _Path | Sequence[_Path],
    labels: int | str | _Path | Sequence[str] | None = None,
    *,
    tags: str | None = None,
    tag_separator: str = ";",
    ignore: str | Sequence[str] = (),
    id: str | None = None,
    weight: str | None = None,
    n_features: int | None = None,
    format: str | None = None,
    missing: str = "refuse",
    times: str = "refuse",
    blocksize: int | str | None = "64MiB",
    storage_options: dict[str, Any] | None = None,
    client: Any = None,
) -> PartitionedDataset:
    """Reads CSV, TSV, LIBSVM or Parquet files in partitions. The rows are those of :func:`mmoc.read` of all files.

    The beginning of the first file is read at once. Columns of words and of tags, and LIBSVM files, are read once more
    before the rows are, on the workers: which words there are is known at their end only.

    Parameters
    ----------
    paths : path or list of paths
        One file or several, a pattern such as ``"part-*.csv"``, or a folder. All workers must be able to read them.
        Files of a pattern or folder are sorted, numbers in names by their size. Other places than the file system are
        named as in ``dask.dataframe.read_csv``, such as ``"s3://bucket/part-*.csv"``.
    labels : int, str, path or list of str, optional
        Which columns are labels, as in :func:`mmoc.read`. For LIBSVM files, the numbers of all labels: with
        ``n_features`` they are not looked for.
    tags : str, optional
        Instead of ``labels``, the name of a column of tags such as ``food;wine``. Each tag is a label.
    tag_separator : str
        The text between the tags of a cell.
    ignore : str or list of str
        Names of columns to leave out. ``"date_*"`` stands for all columns with that prefix.
    id : str, optional
        The name of a column with what rows are called, which is left out.
    weight : str, optional
        The name of a column with the weight of each row, which becomes ``weights``.
    n_features : int, optional
        The number of features of LIBSVM files, whose indices then count from one. By default it is the largest index.
    format : {"csv", "tsv", "libsvm", "parquet"}, optional
        The format. By default it follows from the file names.
    missing : {"refuse", "mean"}
        Whether a missing value is an error or becomes NaN. Missing labels are errors.
    times : {"refuse", "numbers"}
        Whether dates and times are errors or become numbers.
    blocksize : int, str or None
        The most bytes of a partition, such as ``"64MiB"``. Text is divided between lines, Parquet between groups of
        rows, of which a partition has one at least. Compressed files are not divided. With ``None`` no file is, which
        tables need that have line ends inside quotes.
    storage_options : dict, optional
        Options for other places than the file system, as in ``dask.dataframe.read_csv``.
    client : distributed.Client, optional
        Where words, tags and LIBSVM files are looked through. By default Dask's current scheduler.

    Returns
    -------
    PartitionedDataset
    """
    if tags is not None and labels is not None:
        raise ValueError(
            "read takes labels or tags, not both: labels says which columns are labels of zeros and ones, tags names "
            "one column of names of labels."
        )
    _check_missing(missing)
    files = Files.of(paths, format, storage_options or {}, None if blocksize is None else parse_bytes(blocksize))
    chosen, names = _labels(labels)
    choice = Choice(
        labels=chosen,
        label_names=names,
        tags=None if tags is None else (tags, tag_separator),
        ignore=_ignored(ignore),
        id=id,
        weight=weight,
        format=files.format,
        missing=missing,
        times=times,
    )
    return _collections(files, _reader(files, choice, n_features).schema(_runner(client)))


def _reader(files: Files, choice: Choice, n_features: int | None) -> Reader:
    if files.format == "libsvm":
        return VectorReader(files, choice, n_features)
    if n_features is not None:
        raise ValueError(f"n_features is for libsvm files, and these are {files.format}")
    return ParquetReader(files, choice) if files.format == "parquet" else TableReader(files, choice)


def _runner(client: Any) -> Run:
    """What computes tasks."""

    def run(tasks: list[Any]) -> list[Any]:
        return list(compute(*tasks) if client is None else client.gather(client.compute(tasks)))

    return run


def _collections(files: Files, schema: Schema) -> PartitionedDataset:
    """Features and labels of which each partition is read once."""
    pieces = schema.reader.pieces()
    # One for all partitions: lists of words may be long.
    shared = delayed(schema, name=f"read-schema-{tokenize(files, schema.token)}", traverse=False)
    task = delayed(_rows_of_piece, pure=True)
    versions = {path: files.version(path) for path in files.paths}

    def key(piece: Any) -> str:
        return f"read-{files.format}-{tokenize(piece, versions[piece.path], shared.key)}"

    parts = [task(piece, shared, dask_key_name=key(piece)) for piece in pieces]
    kinds = ("features", "labels", "weights")
    x_parts, y_parts, weights = (_pick(parts, index, what) for index, what in enumerate(kinds))
    y_meta = pd.DataFrame(np.zeros((0, len(schema.label_names)), dtype=np.int64), columns=schema.label_names)
    return PartitionedDataset(
        X=_features(x_parts, schema),
        Y=dd.from_delayed(y_parts, meta=y_meta, prefix="labels", verify_meta=False),
        feature_names=schema.feature_names,
        label_names=schema.label_names,
        name=files.name,
        weights=_weights(weights) if schema.has_weights else None,
    )


def _rows_of_piece(piece: Any, schema: Schema) -> tuple[Any, pd.DataFrame, Any]:
    """Features, labels and weights of a partition."""
    rows = schema.rows(piece)
    x = pd.DataFrame(rows.x, columns=schema.feature_names, copy=False) if schema.is_sparse is None else rows.x
    weights = None if rows.weights is None else pd.Series(rows.weights)
    return x, pd.DataFrame(rows.y, columns=schema.label_names, copy=False), weights


def _pick(parts: list[Any], index: int, what: str) -> list[Any]:
    """A part of each partition, in a task of a readable name."""
    pick = delayed(_item, pure=True)
    return [pick(part, index, dask_key_name=f"{what}-{tokenize(part.key, index)}") for part in parts]


def _item(parts: tuple[Any, ...], index: int) -> Any:
    return parts[index]


def _features(parts: list[Any], schema: Schema) -> Any:
    """A DataFrame, or an array of LIBSVM files, whose features have no names of their own."""
    width = len(schema.feature_names)
    if schema.is_sparse is None:
        meta = pd.DataFrame(np.zeros((0, width)), columns=schema.feature_names)
        return dd.from_delayed(parts, meta=meta, prefix="features", verify_meta=False)
    nothing = sp.csr_matrix((0, width)) if schema.is_sparse else np.zeros((0, width))
    blocks = [da.from_delayed(part, shape=(np.nan, width), meta=nothing) for part in parts]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def _weights(parts: list[Any]) -> Any:
    return dd.from_delayed(parts, meta=pd.Series(np.zeros(0)), prefix="weights", verify_meta=False)
