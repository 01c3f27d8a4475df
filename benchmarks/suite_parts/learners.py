"""Small estimators that scikit-learn and scikit-multilearn lack, and BOOMER with a decision for each measure.

In a module of its own, as joblib's processes import it.
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain
from sklearn.svm import SVC, LinearSVC

FOLDS = 5
PENALTIES = 10
# The grid of support vector machines; widths are multiples of that of `gamma="scale"`.
SVM_FOLDS = 3
SVM_PENALTIES = (1.0, 10.0, 100.0)
SVM_WIDTHS = (0.25, 1.0, 4.0)
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

    def predict_proba(self, x: Any) -> np.ndarray:
        return self.model_.predict_proba(x)


class SearchedSVC(ClassifierMixin, BaseEstimator):
    """A support vector machine with an RBF kernel, C and the width chosen by cross-validated accuracy.

    The defaults of scikit-learn for labels with fewer rows than folds.
    """

    def fit(self, x: Any, y: np.ndarray) -> Self:
        self.classes_, counts = np.unique(y, return_counts=True)
        grid = {"C": SVM_PENALTIES, "gamma": [width * usual_gamma(x) for width in SVM_WIDTHS]}
        self.model_ = (SVC() if counts.min() < SVM_FOLDS else GridSearchCV(SVC(), grid, cv=SVM_FOLDS)).fit(x, y)
        return self

    def decision_function(self, x: Any) -> np.ndarray:
        return self.model_.decision_function(x)

    def predict(self, x: Any) -> np.ndarray:
        return self.model_.predict(x)


def usual_gamma(x: Any) -> float:
    """What `gamma="scale"` stands for."""
    squares = x.multiply(x) if sp.issparse(x) else x**2
    return float(1 / (x.shape[1] * (squares.mean() - x.mean() ** 2)))


class LabelPowerset(BaseEstimator):
    """The label sets of the training rows as classes of one classifier."""

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def fit(self, x: Any, y: np.ndarray) -> Self:
        self.sets_, classes = np.unique(y, axis=0, return_inverse=True)
        model = self.model
        if model is None:
            model = LinearSVC() if len(self.sets_) > MANY_LABEL_SETS else LogisticRegression()
        self.model_ = model.fit(x, classes.ravel())
        return self

    def predict(self, x: Any) -> np.ndarray:
        return self.sets_[self.model_.predict(x)]

    def predict_proba(self, x: Any) -> np.ndarray:
        return self.model_.predict_proba(x) @ self.sets_


class ChainEnsemble(BaseEstimator):
    """Classifier chains in random orders, whose probabilities are averaged."""

    def __init__(self, base: Any, chains: int, jobs: int) -> None:
        self.base, self.chains, self.jobs = base, chains, jobs

    def fit(self, x: Any, y: np.ndarray) -> Self:
        chains = [ClassifierChain(clone(self.base), order="random", random_state=seed) for seed in range(self.chains)]
        self.chains_ = Parallel(n_jobs=self.jobs)(delayed(chain.fit)(x, y) for chain in chains)
        return self

    def predict(self, x: Any) -> np.ndarray:
        return (self.predict_proba(x) > 0.5).astype(np.int64)

    def predict_proba(self, x: Any) -> np.ndarray:
        return np.mean([chain.predict_proba(x) for chain in self.chains_], axis=0)


class Boomer:
    """BOOMER, whose model can decide in several ways. Its package is imported here since it has its own environment."""

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters

    def fit(self, x: Any, y: np.ndarray) -> Self:
        from mlrl.boosting import BoomerClassifier

        self.model_ = BoomerClassifier(**self.parameters).fit(x, y)
        return self

    def predict(self, x: Any, decide: str | None = None) -> Any:
        if decide is not None:
            self.model_.set_params(binary_predictor=decide)
        return self.model_.predict(x)

    def predict_proba(self, x: Any) -> np.ndarray:
        return self.model_.predict_proba(x)


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

    def predict_proba(self, x: Any) -> np.ndarray:
        given = np.tile(self.first_.astype(float), (x.shape[0], 1))
        given[:, self.vary_] = probabilities(self.model, x)
        return given


def dense(labels: Any) -> np.ndarray:
    return labels.toarray() if sp.issparse(labels) else np.asarray(labels)


def probabilities(model: Any, x: Any) -> np.ndarray:
    """The probability of each label in each row; forests have an array of two classes for each label."""
    given = model.predict_proba(x)
    return np.stack([each[:, 1] for each in given], axis=1) if isinstance(given, list) else dense(given)
