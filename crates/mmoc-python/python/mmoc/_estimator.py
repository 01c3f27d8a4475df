"""What all estimators share: validation, training, prediction, model files."""

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _native
from ._document import documented
from ._features import ACCEPTED, canonical
from ._seed import seed
from ._targets import Targets
from ._threads import threads

# Parameters that are neither of the method nor of its base learners.
_OF_TRAINING = ("scaling", "estimates", "random_state", "n_jobs")


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The base of all estimators: everything but the parameters, which each has to itself.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        The numbers of the labels, or, if there are one or two, the values 0 and 1 for each; of a ``y`` with one
        dimension its classes.
    label_names_ : ndarray of str
        A name for each label: the columns of ``y``, if it was a DataFrame.
    n_features_in_ : int
        Columns of ``X``.
    feature_names_in_ : ndarray of str
        Their names, if ``X`` had any.
    estimates_ : dict of str to float
        How well the training rows are predicted as if they had not been seen: each by models that were fitted
        without it. Empty if that was not estimated.
    record_ : dict
        The whole record of the training, as model files keep it.
    """

    _method: ClassVar[str]
    _base_parameters: ClassVar[tuple[str, ...]]

    scaling: str
    estimates: str
    n_jobs: int | None

    _model: _native.Model
    _targets: Targets

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "_method" in vars(cls):
            cls.__doc__ = documented(cls, cls._method, cls._base_parameters)

    @classmethod
    def from_preset(cls, preset: str, **parameters: Any) -> Self:
        """An estimator with the parameters of a preset, before any that are given.

        Parameters
        ----------
        preset : {"best", "many", "paper", "default"}
            ``best`` is the best known for up to 14 labels, ``many`` is for more, ``paper`` the letter of the paper,
            ``default`` the defaults.
        **parameters
            Parameters that are set after the preset.
        """
        own, base = _native.preset(preset, cls._method)
        used = {name: base[name] for name in cls._base_parameters}
        return cls(**(own | used | parameters))

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from all rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features. A C-contiguous array of float64 and a CSR matrix with sorted indices are not copied. NaN is a
            missing cell, which becomes the mean of its column.
        y : array, sparse matrix or DataFrame of shape (n, q)
            The labels of each row, 0 or 1. With one dimension, one of two classes for each row.

        Returns
        -------
        self
        """
        names = label_names(y)
        with self._unchanged_by_failures():
            return self._fit(X, y, names)

    def _fit(self, X: Any, y: Any, names: tuple[str, ...] | None) -> Self:
        X, y = validate_data(self, X, y, multi_output=True, ensure_min_samples=2, **ACCEPTED)
        X, targets = canonical(X), Targets.of(y)
        feature_names = getattr(self, "feature_names_in_", None)
        parameters, base = self._parameters()
        model = _native.fit(
            self._method,
            parameters,
            base,
            scaling=str(self.scaling),
            estimates=str(self.estimates),
            seed=seed(getattr(self, "random_state", 0)),
            threads=threads(self.n_jobs),
            x=X,
            y=targets.label_sets(y),
            feature_names=None if feature_names is None else [str(name) for name in feature_names],
            label_names=None if names is None else list(names),
        )
        self._keep(model, targets)
        for sentence in model.not_converged:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=3)
        return self

    def predict(self, X: Any) -> Any:
        """The label set of each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.

        Returns
        -------
        ndarray or CSR matrix of shape (n, q), or (n,)
            Zeros and ones in the type of ``y``; sparse if ``y`` was.
        """
        X = self._checked(X)
        return self._targets.predicted(self._model.label_sets(X, threads(self.n_jobs)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file that ``mmoc predict`` and :func:`mmoc.load` read.

        The file is there as a whole or not at all. Classes of a ``y`` with one dimension are not in it: it has one
        label.
        """
        check_is_fitted(self)
        self._model.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """An estimator from a file that ``mmoc train`` or :meth:`save` wrote."""
        return cls._of(_native.Model.load(path), str(path))

    @property
    def label_names_(self) -> npt.NDArray[np.str_]:
        """A name for each label."""
        return np.array(self._fitted().label_names)

    @property
    def record_(self) -> dict[str, Any]:
        """The whole record of the training, as model files keep it."""
        record: dict[str, Any] = json.loads(self._fitted().record)
        return record

    @property
    def estimates_(self) -> dict[str, float]:
        """How well the training rows are predicted as if they had not been seen; empty if that was not estimated."""
        estimates: dict[str, float] = self.record_["estimates"]
        return estimates

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags

    @classmethod
    def _of(cls, model: _native.Model, path: str) -> Self:
        if model.method != cls._method:
            raise ValueError(f"{path}: expected a model of {cls._method}, found one of {model.method}")
        base = {name: model.base_parameters[name] for name in cls._base_parameters}
        estimator = cls(scaling=model.scaling, **model.parameters, **base)
        if hasattr(estimator, "random_state"):
            estimator.random_state = model.seed
        estimator.n_features_in_ = model.columns
        if model.feature_names is not None:
            estimator.feature_names_in_ = np.array(model.feature_names, dtype=object)
        estimator._keep(model, Targets.of_labels(len(model.label_names)))
        return estimator

    @contextmanager
    def _unchanged_by_failures(self) -> Iterator[None]:
        """A model that was fitted before stays usable if the next fit fails."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _keep(self, model: _native.Model, targets: Targets) -> None:
        self._model, self._targets = model, targets
        self.classes_ = targets.classes_

    def _parameters(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Those of the method and those of its base learners."""
        own = {key: value for key, value in self.get_params(deep=False).items() if key not in _OF_TRAINING}
        return own, {key: own.pop(key) for key in self._base_parameters}

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return canonical(validate_data(self, X, reset=False, **ACCEPTED))

    def _fitted(self) -> _native.Model:
        check_is_fitted(self)
        return self._model


class HasProbabilities(MultiLabelClassifier):
    """An estimator that knows how likely each label is."""

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The probability of each label in each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.

        Returns
        -------
        ndarray of shape (n, q)
            Of a ``y`` with one dimension, (n, 2): one column for each class.
        """
        X = self._checked(X)
        _, probabilities = self._model.numbers(X, threads(self.n_jobs))
        assert probabilities is not None, "every model of this method has probabilities"
        return self._targets.probabilities(probabilities)


class HasDecisions(MultiLabelClassifier):
    """An estimator that decides about each label by a number of its own."""

    # What scores are compared with.
    _threshold: ClassVar[float]

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """How much speaks for each label in each row: those above zero are predicted.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.

        Returns
        -------
        ndarray of shape (n, q), or (n,)
        """
        X = self._checked(X)
        scores, _ = self._model.numbers(X, threads(self.n_jobs))
        assert scores is not None, "every model of this method has scores"
        return self._targets.scores(scores - self._threshold)


class HasClassifiers(MultiLabelClassifier):
    """An estimator with a classifier for each label among its base learners."""

    @property
    def classifier_penalties_(self) -> npt.NDArray[np.float64]:
        """The penalty chosen for the classifier of each label, as a share of the scatter of the features."""
        return np.array(self.record_["penalties"]["classifiers"])


class HasCode(MultiLabelClassifier):
    """An estimator with an output code."""

    @property
    def projections_(self) -> npt.NDArray[np.float64]:
        """V, q×d: one encoding direction per column."""
        projections = self._fitted().projections
        assert projections is not None, "every model of this method has a code"
        return projections

    @property
    def spectrum_(self) -> npt.NDArray[np.float64]:
        """How much each direction counts, descending."""
        code = self.record_["code"]
        names = ("singular_values", "correlations", "eigenvalues")
        return np.array(next((code[name] for name in names if name in code), []))

    @property
    def codeword_penalties_(self) -> npt.NDArray[np.float64]:
        """The penalty chosen for the regression of each codeword entry, as a share of the scatter of the features."""
        return np.array(self.record_["penalties"]["codewords"])


class HasJointDecoding(HasProbabilities, HasClassifiers, HasCode):
    """An estimator whose code and classifiers are decoded together (eq. 15)."""

    @property
    def noise_(self) -> npt.NDArray[np.float64]:
        """σ̂²: the leave-one-out mean squared error of each predicted direction."""
        noise = self._fitted().noise
        assert noise is not None, "every model of this method is decoded jointly"
        return noise

    @property
    def decoding_projections_(self) -> npt.NDArray[np.float64]:
        """The directions that are predicted and decoded, q×d: those of the code, or others that span the same."""
        projections = self._fitted().decoding_projections
        assert projections is not None, "every model of this method is decoded jointly"
        return projections

    @property
    def choice_(self) -> dict[str, float] | None:
        """What ``weights="held-out"`` chose: ``projections``, ``lambda`` and their mean ``score``; else None."""
        choice: dict[str, float] | None = self.record_.get("choice")
        return choice


def label_names(y: Any) -> tuple[str, ...] | None:
    """The columns of a DataFrame, or the name of a Series."""
    columns = getattr(y, "columns", None)
    if columns is not None:
        return tuple(str(name) for name in columns)
    name = getattr(y, "name", None)
    return (str(name),) if name is not None and getattr(y, "ndim", 0) == 1 else None
