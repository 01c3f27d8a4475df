"""Comparisons of any multi-label estimators, with the statistics and the report of ``mmoc compare``."""

import json
import numbers
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_consistent_length

from . import _native
from ._data import Dataset
from ._entrants import entrants
from ._estimator import check_count
from ._features import ACCEPTED, canonical, indicator, is_sparse
from ._names import split_label_names, split_names
from ._refusals import explained
from ._seed import RandomState, seed
from ._targets import checked_labels
from ._unknown import Mask, known_labels
from ._weights import checked_sample_weight

# As in `mmoc compare`.
_DEFAULT_FOLDS = 5
_DEFAULT_RUNS = 30
_DEFAULT_TRAIN_SIZE = 0.5


@dataclass(frozen=True, repr=False)
class ComparisonResult:
    """The results of a comparison. It prints as tables.

    Attributes
    ----------
    text : str
        The tables of ``mmoc compare``: means and standard errors.
    summary : dict
        All numbers, with differences from the reference and their tests, as ``mmoc compare --json`` writes them.
    tables : dict of str to str
        The table of each headline metric as LaTeX, Markdown and CSV, by the name of its file, such as
        ``"micro-f1.tex"``. They are those of ``mmoc report --tables``.
    """

    text: str
    summary: dict[str, Any]
    tables: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.text

    def write_tables(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes ``tables`` into a folder, which is made if necessary, and returns the files."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        files = [Path(folder) / name for name in self.tables]
        for file, text in zip(files, self.tables.values(), strict=True):
            file.write_text(text, encoding="utf-8", newline="")
        return files


def compare(
    X: Any,
    Y: Any = None,
    methods: Mapping[str, Any] | None = None,
    *,
    cv: int | None = None,
    repeats: int | None = None,
    runs: int | None = None,
    train_size: int | float | None = None,
    sample_weight: Any = None,
    metrics: Sequence[str] | None = None,
    reference: str | None = None,
    name: str | None = None,
    random_state: RandomState = 0,
    out: str | os.PathLike[str] | None = None,
) -> ComparisonResult:
    """Compares estimators on the same splits of a data set.

    Clones of all estimators are fitted to the same training rows, and their predictions for the test rows are scored by
    the metrics of ``mmoc compare``. Differences from the reference are tested as there.

    Parameters
    ----------
    X : array, CSR matrix or DataFrame of shape (n, p), or Dataset
        Features. Estimators get rows of it in the form that it has. A :class:`Dataset` has labels and weights too.
    Y : array, sparse matrix or DataFrame of shape (n, q), or lists of tags
        Label sets. Estimators get a dense matrix of zeros and ones. NaN and None are unknown labels, which metrics
        leave out. All estimators must accept them, as those of this package do with ``missing_labels="ignore"``.
    methods : dict of str to estimator
        Multi-label classifiers of this package, of scikit-learn, or compatible with it, by the names of the tables.
    cv : int, default=5
        The number of folds of cross-validation, stratified by labels.
    repeats : int, default=1
        How often cross-validation is repeated with other folds.
    runs : int, default=30
        In place of cross-validation, the number of random splits.
    train_size : int or float, default=0.5
        In place of cross-validation, the number of training rows of each random split, or their share of all rows.
    sample_weight : array of shape (n,), optional
        The weight of each row, in ``fit`` and in metrics. All estimators must accept it.
    metrics : list of str, optional
        The headline metrics of tables, ranks and report, such as ``["hamming_loss", "micro_f1"]``. The summary has all
        metrics.
    reference : str, optional
        The name of the method that the others are compared with. By default the last.
    name : str, optional
        The name of the data set in tables.
    random_state : int, RandomState or None
        The source of randomness of the splits. An integer is the seed, as in ``mmoc compare --seed``.
    out : path, optional
        A folder for the results, ``report.html`` and its figures. ``mmoc report`` reads it. It may hold the results of
        the same comparison, or of one with fewer methods or runs.

    Returns
    -------
    ComparisonResult

    Examples
    --------
    >>> import mmoc
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> found = mmoc.compare(X, Y, {"neighbours": KNeighborsClassifier(), "br": mmoc.BinaryRelevance()}, cv=3)
    >>> [method["name"] for method in found.summary["datasets"][0]["methods"]]
    ['neighbours', 'br']
    """
    protocol = _protocol(cv, repeats, runs, train_size)
    dataset = _dataset(X, Y, sample_weight, name)
    labels, label_names = split_label_names(dataset.Y, "Y", "ignore")
    known = known_labels(labels, label_names, "ignore")
    with explained(dataset.X, known.filled):
        values, feature_names = split_names(dataset.X)
        values = canonical(check_array(values, input_name="X", **ACCEPTED))
        labels = checked_labels(known.filled)
        check_consistent_length(values, labels)
    weights = checked_sample_weight(dataset.weights, values.shape[0])
    contestants = entrants(methods, with_weights=weights is not None, with_unknown=known.unknown is not None)
    comparison = _native.Comparison(
        values,
        indicator(labels),
        unknown=known.unknown,
        weights=weights,
        name=dataset.name,
        feature_names=None if feature_names is None else list(feature_names),
        label_names=None if label_names is None else list(label_names),
        seed=seed(random_state),
        reference=reference,
        metrics=_listed(metrics),
        out=out,
        **protocol,
    )
    comparison.check([(entrant.name, entrant.description) for entrant in contestants])
    matrix = _matrix(labels, known.unknown)
    # A table of Arrow has no rows that could be chosen by number.
    has_rows = hasattr(dataset.X, "iloc") or not hasattr(dataset.X, "__arrow_c_stream__")
    source = dataset.X if has_rows else values
    splits = [(train.astype(np.intp), test.astype(np.intp)) for train, test in comparison.splits()]
    found = [
        (own.name, own.description, [own.run(source, matrix, weights, train, test) for train, test in splits])
        for own in contestants
    ]
    text, summary, notes, tables = comparison.finish(found)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return ComparisonResult(text, json.loads(summary), dict(tables))


def _dataset(X: Any, Y: Any, sample_weight: Any, name: str | None) -> Dataset:
    """What is compared on, of which only the parts that ``compare`` uses are filled in."""
    if not isinstance(X, Dataset):
        return Dataset(X, Y, [], [], "data" if name is None else str(name), sample_weight)
    if Y is not None:
        raise TypeError("Y must not be given beside a Dataset, which has labels: mmoc.compare(dataset, methods=…)")
    weights = X.weights if sample_weight is None else sample_weight
    return Dataset(X.X, X.Y, [], [], X.name if name is None else str(name), weights)


class _Protocol(TypedDict):
    """How rows are split: at random if there is a number or share of training rows, else into folds."""

    folds: int
    repeats: int
    runs: int
    train_size: int | None
    train_share: float | None


def _protocol(cv: int | None, repeats: int | None, runs: int | None, train_size: int | float | None) -> _Protocol:
    """How rows are split."""
    for what, count in (("cv", cv), ("repeats", repeats), ("runs", runs)):
        if count is not None:
            check_count(what, count)
    is_random = runs is not None or train_size is not None
    if is_random and (cv is not None or repeats is not None):
        raise ValueError(
            "cv and repeats are of cross-validation, and runs and train_size are of random splits. Give one or the "
            "other."
        )
    rows, share = _training_rows(_DEFAULT_TRAIN_SIZE if train_size is None else train_size)
    return _Protocol(
        folds=_DEFAULT_FOLDS if cv is None else int(cv),
        repeats=1 if repeats is None else int(repeats),
        runs=_DEFAULT_RUNS if runs is None else int(runs),
        train_size=rows if is_random else None,
        train_share=share if is_random else None,
    )


def _training_rows(train_size: Any) -> tuple[int | None, float | None]:
    """The number of training rows of a random split, or their share of all rows."""
    if isinstance(train_size, numbers.Integral) and int(train_size) > 0:
        return int(train_size), None
    if isinstance(train_size, numbers.Real) and 0.0 < float(train_size) < 1.0:
        return None, float(train_size)
    raise ValueError(f"train_size must be a number of rows, or a share between 0 and 1, not {train_size!r}")


def _listed(metrics: Sequence[str] | None) -> list[str] | None:
    if metrics is None:
        return None
    listed = [metrics] if isinstance(metrics, str) else [str(metric) for metric in metrics]
    if not listed:
        raise ValueError("metrics must name at least one metric")
    return listed


def _matrix(labels: Any, unknown: Mask | None) -> npt.NDArray[Any]:
    """The labels as estimators get them, n×q. Unknown ones are NaN."""
    matrix: npt.NDArray[Any] = (labels.toarray() if is_sparse(labels) else np.asarray(labels)).astype(np.int64)
    return matrix if unknown is None else np.where(unknown, np.nan, matrix)
