"""Comparisons of any multi-label estimators, with the statistics and the report of ``mmoc compare``."""

import json
import numbers
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_consistent_length

from . import _native
from ._data import Dataset
from ._entrants import Entrant, Run, entrants
from ._estimator import check_count
from ._features import ACCEPTED, canonical, indicator, is_sparse
from ._names import split_label_names, split_names
from ._refusals import explained, refuse_no_data
from ._seed import RandomState, seed
from ._sparse import check_sparse
from ._tables import refuse_repeated_names
from ._targets import checked_labels
from ._unknown import Mask, known_labels
from ._verbose import Report, reporter
from ._weights import checked_sample_weight

# As in `mmoc compare`.
_DEFAULT_FOLDS = 5
_DEFAULT_RUNS = 30
_DEFAULT_TRAIN_SIZE = 0.5

_FORMS = (
    "compare needs the label sets of all rows: mmoc.compare(X, Y, methods), or mmoc.compare(dataset, methods=methods) "
    "with what mmoc.read returns."
)


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
    verbose: int = 0,
) -> ComparisonResult:
    """Compares estimators on the same splits of a data set.

    Clones of all estimators are fitted to the same training rows, and their predictions for the test rows are scored by
    the metrics of ``mmoc compare``. Differences from the reference are tested as there.

    Parameters
    ----------
    X : array, CSR matrix or DataFrame of shape (n, p), Dataset, or list of Datasets
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
        The name of the data set in tables. :class:`Dataset` has one.
    random_state : int, RandomState or None
        The source of randomness of the splits. An integer is the seed, as in ``mmoc compare --seed``.
    out : path, optional
        A folder for the results, ``report.html`` and its figures. ``mmoc report`` reads it. It may hold the results of
        the same comparison, or of one with other methods or fewer runs: what it has is not computed again, and its
        methods stay in the comparison. What an estimator is follows from its ``repr``: if its code has changed, use
        another folder.
    verbose : int, default=0
        Whether to write each fit to standard error when it begins: 0 or 1.

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
    with contest(
        X,
        Y,
        methods,
        cv=cv,
        repeats=repeats,
        runs=runs,
        train_size=train_size,
        sample_weight=sample_weight,
        metrics=metrics,
        reference=reference,
        name=name,
        random_state=random_state,
        out=out,
    ) as own:
        # A folder is written once all fits have succeeded.
        for job, found in own.computed(reporter(verbose, "compare")):
            own.add(job, found)
        return own.result()


class Job(NamedTuple):
    """A method in a run on a data set, by their numbers."""

    dataset: int
    run: int
    method: int


@dataclass(frozen=True)
class Rows:
    """A data set as estimators get it."""

    name: str
    # Features in the form that they were given in, if rows can be chosen of it.
    X: Any
    labels: npt.NDArray[Any]
    weights: npt.NDArray[np.float64] | None


@dataclass(frozen=True)
class Task:
    """What is computed of a job."""

    entrant: Entrant
    rows: Rows
    train: npt.NDArray[np.intp]
    test: npt.NDArray[np.intp]

    def __call__(self) -> Run:
        return self.entrant.run(self.rows.X, self.rows.labels, self.rows.weights, self.train, self.test)


@dataclass(frozen=True)
class Contest:
    """The jobs of a comparison, and what was found by them."""

    comparison: _native.Comparison
    entrants: list[Entrant]
    datasets: list[Rows]
    # The training and test rows of each run, for each data set.
    splits: list[list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]]

    def jobs(self) -> list[Job]:
        """All jobs, method by method."""
        return [
            Job(dataset, run, method)
            for dataset, splits in enumerate(self.splits)
            for method in range(len(self.entrants))
            for run in range(len(splits))
        ]

    def missing(self) -> list[Job]:
        """The jobs of which the folder has no results, method by method."""
        return [job for job in self.jobs() if not self.comparison.has(*job)]

    def computed(self, report: Report | None) -> list[tuple[Job, Run]]:
        """What the missing jobs find. Each is reported as it begins, with the seconds until then."""
        start, jobs, found = time.perf_counter(), self.missing(), []
        for number, job in enumerate(jobs, 1):
            if report is not None:
                report(f"{self._words(job)} (fit {number} of {len(jobs)})", time.perf_counter() - start)
            found.append((job, self.task(job)()))
        return found

    def _words(self, job: Job) -> str:
        runs = len(self.splits[job.dataset])
        return f"{self.entrants[job.method].name} on {self.datasets[job.dataset].name}, run {job.run + 1} of {runs}"

    def task(self, job: Job) -> Task:
        """What is computed of a job."""
        return Task(self.entrants[job.method], self.datasets[job.dataset], *self.splits[job.dataset][job.run])

    def add(self, job: Job, found: Run) -> None:
        """Scores what was found by a job, and keeps the result."""
        self.comparison.add(*job, found)

    def result(self) -> ComparisonResult:
        """Tables and tests of all results. The folder gets the report."""
        text, summary, notes, tables = self.comparison.finish()
        for note in notes:
            warnings.warn(note, UserWarning, stacklevel=3)
        return ComparisonResult(text, json.loads(summary), dict(tables))


@contextmanager
def contest(
    X: Any,
    Y: Any,
    methods: Mapping[str, Any] | None,
    *,
    cv: int | None,
    repeats: int | None,
    runs: int | None,
    train_size: int | float | None,
    sample_weight: Any,
    metrics: Sequence[str] | None,
    reference: str | None,
    name: str | None,
    random_state: RandomState,
    out: str | os.PathLike[str] | None,
) -> Iterator[Contest]:
    """The jobs of a comparison with the parameters of :func:`compare`. A folder is left to others at the end."""
    if methods is None and isinstance(Y, Mapping):
        raise TypeError(f"Y is a dict, and methods is None. {_FORMS}")
    protocol = _protocol(cv, repeats, runs, train_size)
    inputs = [_input(dataset) for dataset in _datasets(X, Y, sample_weight, name)]
    with_weights = any(own.weights is not None for own in inputs)
    with_unknown = any(own.unknown is not None for own in inputs)
    contestants = entrants(methods, with_weights=with_weights, with_unknown=with_unknown)
    comparison = _native.Comparison(
        [own.native() for own in inputs],
        [(own.name, own.description) for own in contestants],
        seed=seed(random_state),
        reference=reference,
        metrics=_listed(metrics),
        out=out,
        **protocol,
    )
    try:
        yield Contest(comparison, contestants, [own.rows() for own in inputs], _splits(comparison, len(inputs)))
    finally:
        comparison.close()


def _splits(comparison: _native.Comparison, datasets: int) -> list[list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]]:
    splits = (comparison.splits(dataset) for dataset in range(datasets))
    return [[(train.astype(np.intp), test.astype(np.intp)) for train, test in own] for own in splits]


@dataclass(frozen=True)
class _Input:
    """A data set as it was given, and as the library takes it."""

    name: str
    given: Any
    values: Any
    labels: Any
    unknown: Mask | None
    weights: npt.NDArray[np.float64] | None
    feature_names: list[str] | None
    label_names: list[str] | None

    def native(self) -> tuple[Any, ...]:
        return (
            self.values,
            indicator(self.labels),
            self.unknown,
            self.weights,
            self.name,
            self.feature_names,
            self.label_names,
        )

    def rows(self) -> Rows:
        # A table of Arrow has no rows that could be chosen by number.
        has_rows = hasattr(self.given, "iloc") or not hasattr(self.given, "__arrow_c_stream__")
        return Rows(
            self.name, self.given if has_rows else self.values, _matrix(self.labels, self.unknown), self.weights
        )


def _input(dataset: Dataset) -> _Input:
    """A data set with its parts checked."""
    labels, label_names = split_label_names(dataset.Y, "Y", "ignore")
    known = known_labels(labels, label_names, "ignore")
    refuse_no_data(dataset.X, "X")
    refuse_repeated_names(dataset.X, "X")
    check_sparse(dataset.X, "X")
    values, feature_names = split_names(dataset.X)
    with explained(values, known.filled, feature_names):
        values = canonical(check_array(values, input_name="X", **ACCEPTED))
        labels = checked_labels(known.filled)
        check_consistent_length(values, labels)
    return _Input(
        name=dataset.name,
        given=dataset.X,
        values=values,
        labels=labels,
        unknown=known.unknown,
        weights=checked_sample_weight(dataset.weights, values.shape[0]),
        feature_names=None if feature_names is None else list(feature_names),
        label_names=None if label_names is None else list(label_names),
    )


def _datasets(X: Any, Y: Any, sample_weight: Any, name: str | None) -> list[Dataset]:
    """What is compared on, of which only the parts that ``compare`` uses are filled in."""
    if isinstance(X, Sequence) and len(X) > 0 and all(isinstance(own, Dataset) for own in X):
        if Y is not None or sample_weight is not None or name is not None:
            raise TypeError("Y, sample_weight and name must not be given beside several Datasets, which have their own")
        return list(X)
    return [_dataset(X, Y, sample_weight, name)]


def _dataset(X: Any, Y: Any, sample_weight: Any, name: str | None) -> Dataset:
    """A data set of the parts that were given."""
    if not isinstance(X, Dataset):
        if Y is None:
            raise TypeError(f"Y is None. {_FORMS}")
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
