"""Comparisons of any multi-label estimators, with the statistics and the report of ``mmoc compare``."""

import json
import numbers
import os
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import _safe_indexing as rows_of
from sklearn.utils import check_array, check_consistent_length

from . import _native
from ._estimator import check_count
from ._features import ACCEPTED, canonical, indicator, is_sparse
from ._names import split_label_names, split_names
from ._refusals import explained
from ._seed import RandomState, seed
from ._targets import checked_labels

Floats = npt.NDArray[np.float64]

# Label sets, scores, probabilities, confidence, and the seconds of the fit and of the prediction.
_Run = tuple[Any, Floats | None, Floats | None, Floats | None, float, float]


@dataclass(frozen=True, repr=False)
class ComparisonResult:
    """The results of a comparison. It prints as tables.

    Attributes
    ----------
    text : str
        The tables of ``mmoc compare``: means and standard errors.
    summary : dict
        All numbers, with differences from the reference and their tests, as ``mmoc compare --json`` writes them.
    """

    text: str
    summary: dict[str, Any]

    def __repr__(self) -> str:
        return self.text


def compare(
    X: Any,
    Y: Any,
    methods: Mapping[str, Any],
    *,
    cv: int = 5,
    repeats: int = 1,
    runs: int | None = None,
    train_size: int | float = 0.5,
    reference: str | None = None,
    name: str = "data",
    random_state: RandomState = 0,
    out: str | os.PathLike[str] | None = None,
) -> ComparisonResult:
    """Compares estimators on the same splits of a data set.

    Clones of all estimators are fitted to the same training rows, and their predictions for the test rows are scored by
    the metrics of ``mmoc compare``. Differences from the reference are tested as there.

    Parameters
    ----------
    X : array, CSR matrix or DataFrame of shape (n, p)
        Features. Estimators get rows of it in the form that it has.
    Y : array, sparse matrix or DataFrame of shape (n, q), or lists of tags
        Label sets. Estimators get a dense matrix of zeros and ones.
    methods : dict of str to estimator
        Multi-label classifiers of this package, of scikit-learn, or compatible with it, by the names of the tables.
    cv : int
        The number of folds of cross-validation, stratified by labels.
    repeats : int
        How often cross-validation is repeated with other folds.
    runs : int, optional
        The number of random splits, in place of cross-validation.
    train_size : int or float
        With ``runs``: the number of training rows of each split, or their share of all rows.
    reference : str, optional
        The name of the method that the others are compared with. By default the last.
    name : str
        The name of the data set in tables.
    random_state : int, RandomState or None
        The source of randomness of the splits. An integer is the seed, as in ``mmoc compare --seed``.
    out : path, optional
        A folder for the report: ``report.html`` and its figures.

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
    _check_methods(methods)
    for what, count in (("cv", cv), ("repeats", repeats), ("runs", 1 if runs is None else runs)):
        check_count(what, count)
    Y, label_names = split_label_names(Y, "Y")
    with explained(X, Y):
        values, feature_names = split_names(X)
        values = canonical(check_array(values, input_name="X", **ACCEPTED))
        labels = checked_labels(Y)
        check_consistent_length(values, labels)
    rows = values.shape[0]
    comparison = _native.Comparison(
        values,
        indicator(labels),
        name=str(name),
        feature_names=None if feature_names is None else list(feature_names),
        label_names=None if label_names is None else list(label_names),
        folds=int(cv),
        repeats=int(repeats),
        runs=None if runs is None else int(runs),
        train_size=_training_rows(train_size, rows),
        seed=seed(random_state),
    )
    matrix = (labels.toarray() if is_sparse(labels) else labels).astype(np.int64)
    # A table of Arrow has no rows that could be chosen by number.
    source = X if hasattr(X, "iloc") or not hasattr(X, "__arrow_c_stream__") else values
    splits = [(train.astype(np.intp), test.astype(np.intp)) for train, test in comparison.splits()]
    entrants = [
        (str(method), [_run(method, estimator, source, matrix, train, test) for train, test in splits])
        for method, estimator in methods.items()
    ]
    text, summary, notes = comparison.finish(entrants, reference, out)
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return ComparisonResult(text, json.loads(summary))


def _check_methods(methods: Any) -> None:
    if not isinstance(methods, Mapping) or not methods:
        raise TypeError(f"methods must be a dict of names and estimators, not {methods!r}")
    for name, estimator in methods.items():
        if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise TypeError(f"methods must have an estimator with fit and predict as {name!r}, not {estimator!r}")


def _training_rows(train_size: Any, rows: int) -> int:
    """The number of training rows of a random split."""
    if isinstance(train_size, numbers.Integral) and int(train_size) > 0:
        return int(train_size)
    if isinstance(train_size, numbers.Real) and 0.0 < float(train_size) < 1.0:
        return round(float(train_size) * rows)
    raise ValueError(f"train_size must be a number of rows, or a share between 0 and 1, not {train_size!r}")


def _run(name: str, estimator: Any, X: Any, Y: npt.NDArray[np.int64], train: Any, test: Any) -> _Run:
    """What a clone of an estimator that is fitted to some rows predicts for others."""
    start = time.perf_counter()
    try:
        model = clone(estimator).fit(rows_of(X, train), Y[train])
        fitted = time.perf_counter()
        unseen = rows_of(X, test)
        predicted = model.predict(unseen)
        end = time.perf_counter()
    except Exception as error:
        error.add_note(f"This happened in the method {name!r}.")
        raise
    shape = (len(test), Y.shape[1])
    sets = predicted.toarray() if is_sparse(predicted) else np.asarray(predicted)
    if sets.shape != shape or not np.isin(sets, (0, 1)).all():
        raise ValueError(
            f"the method {name!r} must predict a matrix of zeros and ones of shape {shape}, and it predicted one of "
            f"shape {sets.shape}. MultiOutputClassifier and ClassifierChain make such estimators of others."
        )
    probabilities = _probabilities(model, unseen, shape)
    scores = _scores(model, unseen, shape) if probabilities is None else probabilities
    confidence = _confidence(model, unseen)
    return indicator(sets), scores, probabilities, confidence, fitted - start, end - fitted


def _probabilities(model: Any, X: Any, shape: tuple[int, int]) -> Floats | None:
    """The probability of each label, n×q, if the model has them."""
    if not hasattr(model, "predict_proba"):
        return None
    found = model.predict_proba(X)
    if isinstance(found, list):
        found = np.column_stack([_of_ones(own, classes) for own, classes in zip(found, model.classes_, strict=True)])
    return _of_shape(found, shape)


def _of_ones(probabilities: Any, classes: Any) -> Any:
    """The probability of the class 1, which may not have been among the training rows."""
    place = np.flatnonzero(np.asarray(classes) == 1)
    return probabilities[:, place[0]] if len(place) else np.zeros(len(probabilities))


def _scores(model: Any, X: Any, shape: tuple[int, int]) -> Floats | None:
    return _of_shape(model.decision_function(X), shape) if hasattr(model, "decision_function") else None


def _confidence(model: Any, X: Any) -> Floats | None:
    has_posterior = getattr(model, "posterior_", None) is not None and hasattr(model, "predict_confidence")
    return model.predict_confidence(X) if has_posterior else None


def _of_shape(numbers: Any, shape: tuple[int, int]) -> Floats | None:
    """The numbers, unless they are not one for each label."""
    numbers = numbers.toarray() if is_sparse(numbers) else numbers
    found = np.ascontiguousarray(numbers, dtype=np.float64)
    return found if found.shape == shape and np.isfinite(found).all() else None
