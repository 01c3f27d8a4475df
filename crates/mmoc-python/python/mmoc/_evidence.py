"""Classifiers and regressors of scikit-learn as terms of the posterior.

The weight of a term is fitted to numbers of the training rows that come from fits without these rows, by
``cross_val_predict``. Another fit to all rows gives the numbers of new rows.

In label sets, n×q, a label is 1, 0, or -1 if it is not known. Each label is fitted to the rows where it is known.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit, cross_val_predict
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import has_fit_parameter

from ._folds import Folds
from ._training_rows import UNKNOWN

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

# The parameter: names of terms, and estimators with names of their own.
Evidence = str | list[str | tuple[str, Any]]
# The name of a term, what its numbers are, and the numbers, n×q.
NamedNumbers = tuple[str, str, Floats]

_FORM = (
    'evidence must be "auto", names joined by "+" such as "labels+code", or a list of names and (name, estimator) pairs'
)


def split(evidence: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """The terms of the library as it names them, and the estimators."""
    if not isinstance(evidence, list):
        if isinstance(evidence, tuple):
            raise TypeError(f"{_FORM}, not the tuple {evidence!r}")
        return evidence, []
    names = [item for item in evidence if isinstance(item, str)]
    pairs = [item for item in evidence if not isinstance(item, str)]
    for item in pairs:
        _check_pair(item)
    if not names:
        raise ValueError(f'{_FORM}. The list must have at least one name, which may be "auto", not {evidence!r}')
    terms = "+".join(names).split("+")
    if "auto" in terms and len(terms) > 1:
        raise ValueError(f'{_FORM}. Beside "auto" a list may only have pairs, not {evidence!r}')
    if len(set(terms)) < len(terms):
        raise ValueError(f"{_FORM}. Each name must occur once, not as in {evidence!r}")
    return "+".join(terms), pairs


def _check_pair(item: Any) -> None:
    if not (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)):
        raise TypeError(f"{_FORM}, not {item!r} in the list")
    name, estimator = item
    if not _is_estimator(estimator):
        raise TypeError(
            f"evidence must have a classifier or a regressor of scikit-learn as the term {name!r}, not {estimator!r}"
        )


def _is_estimator(estimator: Any) -> bool:
    """Whether it is an instance of a classifier or of a regressor."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit") or not hasattr(estimator, "__sklearn_tags__"):
        return False
    return bool(is_classifier(estimator) or is_regressor(estimator))


def folds_of(rows: int, folds: int, seed: int, given: Folds | None = None) -> KFold | PredefinedSplit:
    """The folds of the training rows."""
    if given is not None:
        return PredefinedSplit(given)
    return KFold(n_splits=min(folds, rows), shuffle=True, random_state=seed % 2**32)


@dataclass(frozen=True)
class FittedTerm:
    """An estimator fitted to all training rows."""

    name: str
    # "log-odds" or "regression".
    kind: str
    model: "LabelModel"
    calibration: "Calibration | None"

    @classmethod
    def fit(
        cls, name: str, estimator: Any, X: Any, Y: Labels, folds: KFold | PredefinedSplit, weights: Floats | None = None
    ) -> tuple[Self, Floats]:
        """The term, and the numbers of the training rows, each from a fit without the row."""
        _check_can_use(name, estimator, Y, weights)
        params = None if weights is None else {"sample_weight": weights}
        try:
            model = LabelModel(estimator).fit(X, Y, weights)
            numbers = cross_val_predict(LabelModel(estimator), X, Y, cv=folds, params=params)
        except Exception as error:
            error.add_note(f"This happened in the term {name!r} of evidence.")
            raise
        calibration = Calibration.fit(numbers, Y, weights) if model.has_scores else None
        kind = "regression" if is_regressor(estimator) else "log-odds"
        term = cls(name, kind, model, calibration)
        return term, term._calibrated(numbers)

    def numbers(self, X: Any) -> NamedNumbers:
        """The numbers of new rows."""
        return self.name, self.kind, self._calibrated(self.model.predict(X))

    def _calibrated(self, numbers: Floats) -> Floats:
        found = numbers if self.calibration is None else self.calibration.log_odds(numbers)
        return np.ascontiguousarray(found, dtype=np.float64)


def _check_can_use(name: str, estimator: Any, Y: Labels, weights: Floats | None) -> None:
    """Fails if there are weights or unknown labels, and the estimator has no use for them."""
    if weights is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"the term {name!r} of evidence is a {type(estimator).__name__}, whose fit takes no sample_weight. Use an "
            "estimator that does, or leave the weights out."
        )
    if (Y == UNKNOWN).any() and not get_tags(estimator).target_tags.single_output:
        raise ValueError(
            f"the term {name!r} of evidence is a {type(estimator).__name__}, which needs several labels at once, and "
            "some labels are unknown. Use an estimator of single labels."
        )


class LabelModel(BaseEstimator):  # type: ignore[misc]
    """A clone of an estimator for all labels, or one for each label if it predicts one target only.

    ``predict`` returns one number for each label: log-odds from ``predict_proba``, else ``decision_function``, and for
    regressors ``predict``.

    Of the probabilities 0 and 1, which have no finite log-odds, n training rows are no proof. They become those of half
    a row in n + 1, so log-odds are between ±log(2n + 1). Labels that do not vary in the training rows are not given to
    the estimator, as many estimators refuse them. Their log-odds are at these bounds. A label that is unknown in all of
    them has even odds.
    """

    # If metadata is routed, weights are for the fit.
    __metadata_request__fit = {"sample_weight": True}

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, Y: Labels, sample_weight: Floats | None = None) -> Self:
        """Fits clones to label sets, n×q."""
        known = Y != UNKNOWN
        self.rows_, self.constants_ = len(Y), _constants(Y)
        self.varying_ = np.flatnonzero(np.isnan(self.constants_))
        tags = get_tags(self.estimator)
        several, needed = len(self.varying_) > 1 and _predicts_several(tags), not tags.target_tags.single_output
        self.together_ = bool(len(self.varying_) and known.all() and (several or needed))
        if self.together_:
            self.models_ = [self._fitted(X, Y[:, self.varying_], sample_weight)]
        else:
            columns = [(known[:, label], Y[:, label]) for label in self.varying_]
            self.models_ = [self._fitted_where(rows, X, labels, sample_weight) for rows, labels in columns]
        return self

    def _fitted_where(self, rows: npt.NDArray[np.bool_], X: Any, labels: Labels, weights: Floats | None) -> Any:
        """A clone that is fitted to some of the rows."""
        if rows.all():
            return self._fitted(X, labels, weights)
        return self._fitted(X[rows], labels[rows], None if weights is None else weights[rows])

    def _fitted(self, X: Any, labels: Labels, weights: Floats | None) -> Any:
        given = {} if weights is None else {"sample_weight": weights}
        return clone(self.estimator).fit(X, labels, **given)

    def predict(self, X: Any) -> Floats:
        """One number for each label, n×q."""
        found = np.tile(self._of_constants(), (X.shape[0], 1))
        if self.models_:
            found[:, self.varying_] = np.hstack([self._numbers(model, X) for model in self.models_])
        return found

    @property
    def has_scores(self) -> bool:
        """Whether numbers are scores of an unknown scale."""
        classifies = is_classifier(self.estimator)
        return classifies and any(not hasattr(model, "predict_proba") for model in self.models_)

    def _numbers(self, model: Any, X: Any) -> Floats:
        """The numbers of the labels of one model, n×labels."""
        if is_regressor(self.estimator):
            found = model.predict(X)
        elif hasattr(model, "predict_proba"):
            found = self._log_odds(self._of_ones(model.predict_proba(X)))
        else:
            found = model.decision_function(X)
        labels = len(self.varying_) if self.together_ else 1
        return np.asarray(found, dtype=np.float64).reshape(X.shape[0], labels)

    def _of_ones(self, probabilities: Any) -> Any:
        """The probabilities of ones: estimators return a matrix of them, or both classes of each label."""
        if isinstance(probabilities, list):
            return np.column_stack([of_label[:, 1] for of_label in probabilities])
        return probabilities if self.together_ else probabilities[:, 1]

    def _log_odds(self, probabilities: Any) -> Floats:
        least = 1.0 / (2 * self.rows_ + 2)
        clipped = np.clip(np.asarray(probabilities, dtype=np.float64), least, 1.0 - least)
        odds: Floats = np.log(clipped) - np.log1p(-clipped)
        return odds

    def _of_constants(self) -> Floats:
        """What is predicted for labels that do not vary: the label, its log-odds, or a margin of one."""
        # Those of labels that vary are replaced.
        ones = np.where(np.isnan(self.constants_), 0.5, self.constants_)
        if is_regressor(self.estimator):
            return ones
        return 2.0 * ones - 1.0 if self.has_scores else self._log_odds(ones)


def _constants(Y: Labels) -> Floats:
    """The value of each label that has one value only, one half if it is unknown in all rows, and NaN if it varies."""
    has_one, has_zero = np.any(Y == 1, axis=0), np.any(Y == 0, axis=0)
    constants = np.where(has_one, 1.0, np.where(has_zero, 0.0, 0.5))
    return np.where(has_one & has_zero, np.nan, constants)


def _predicts_several(tags: Tags) -> bool:
    """Whether an estimator can be fitted to several labels at once."""
    of_classes = tags.classifier_tags is not None and tags.classifier_tags.multi_label
    return bool(of_classes or tags.target_tags.multi_output)


@dataclass(frozen=True)
class Calibration:
    """From scores to log-odds: a logistic regression of each label on its score (Platt scaling)."""

    slopes: Floats
    intercepts: Floats

    @classmethod
    def fit(cls, scores: Floats, Y: Labels, weights: Floats | None = None) -> Self:
        """The calibration of scores of rows that the classifiers were not fitted to, n×q."""
        # Only the ratios of weights matter.
        relative = None if weights is None else weights / weights.mean()
        fits = [
            cls._of_label(scores[rows, label], Y[rows, label], None if relative is None else relative[rows])
            for label, rows in enumerate((Y != UNKNOWN).T)
        ]
        slopes, intercepts = np.array(fits, dtype=np.float64).T
        return cls(slopes, intercepts)

    @staticmethod
    def _of_label(scores: Floats, y: Labels, weights: Floats | None) -> tuple[float, float]:
        if (y == y[0]).all():
            bound = float(np.log(2 * len(y) + 1))
            return 0.0, bound if y[0] else -bound
        # The scale of scores is arbitrary, and the penalty of the regression must not depend on it.
        centre, spread = scores.mean(), scores.std() or 1.0
        standard = ((scores - centre) / spread).reshape(-1, 1)
        regression = LogisticRegression().fit(standard, y, sample_weight=weights)
        slope = float(regression.coef_[0, 0] / spread)
        return slope, float(regression.intercept_[0] - slope * centre)

    def log_odds(self, scores: Floats) -> Floats:
        """The log-odds of scores, n×q."""
        return scores * self.slopes + self.intercepts
