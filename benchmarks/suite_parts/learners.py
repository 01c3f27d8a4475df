"""Small estimators that scikit-learn and scikit-multilearn lack.

In a module of its own, as joblib's processes import it.
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.svm import LinearSVC

FOLDS = 5
PENALTIES = 10
# With more distinct label sets than this, `LinearSVC` classifies them: on 300 rows of bibtex, with 227 label sets, it
# took 0.1 s and a multinomial regression 2 s, which grow with the product of rows and label sets.
MANY_LABEL_SETS = 500


class SearchedLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression with C chosen by cross-validated log-loss.

    C = 1 for labels with fewer rows than folds, for which `LogisticRegressionCV` fails.
    """

    def fit(self, x: Any, y: np.ndarray) -> Self:
        self.classes_, counts = np.unique(y, return_counts=True)
        rare = LogisticRegression(solver="liblinear")
        search = LogisticRegressionCV(
            Cs=PENALTIES,
            cv=FOLDS,
            solver="liblinear",
            scoring="neg_log_loss",
            l1_ratios=(0,),
            use_legacy_attributes=False,
        )
        self.model_ = (rare if counts.min() < FOLDS else search).fit(x, y)
        return self

    def decision_function(self, x: Any) -> np.ndarray:
        return self.model_.decision_function(x)

    def predict(self, x: Any) -> np.ndarray:
        return self.model_.predict(x)


class LabelPowerset(BaseEstimator):
    """The label sets of the training rows as classes of one classifier."""

    def fit(self, x: Any, y: np.ndarray) -> Self:
        self.sets_, classes = np.unique(y, axis=0, return_inverse=True)
        model = LinearSVC() if len(self.sets_) > MANY_LABEL_SETS else LogisticRegression()
        self.model_ = model.fit(x, classes.ravel())
        return self

    def predict(self, x: Any) -> np.ndarray:
        return self.sets_[self.model_.predict(x)]


class VaryingLabels(BaseEstimator):
    """A model of the labels that vary in the training rows, for methods that fail on constant labels."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, x: Any, y: np.ndarray) -> Self:
        self.first_, self.vary_ = y[0], (y != y[0]).any(axis=0)
        self.model.fit(x, y[:, self.vary_])
        return self

    def predict(self, x: Any) -> np.ndarray:
        predicted = np.tile(self.first_, (x.shape[0], 1))
        predicted[:, self.vary_] = dense(self.model.predict(x))
        return predicted


def dense(labels: Any) -> np.ndarray:
    return labels.toarray() if sp.issparse(labels) else np.asarray(labels)
