"""The base classes of all estimators: validation, training, prediction, model files."""

import json
import numbers
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _native
from ._document import documented
from ._evidence import Evidence, FittedTerm, NamedNumbers, folds_of, split
from ._explanation import Explanation, explanation_of
from ._features import ACCEPTED, canonical, is_sparse
from ._folds import Folds, check_some_differ, checked_folds
from ._linear import code_term, importances, label_term
from ._names import Names, check_feature_names, in_order, listed, split_label_names, with_integers
from ._refusals import explained, refuse_no_data
from ._seed import seed
from ._sparse import check_sparse
from ._tables import TableWithWords, column_names, is_table, read_frame, read_table, refuse_repeated_names
from ._tags import TagRows, tag_rows
from ._targets import Targets, check_columns_of_labels, share_correct
from ._threads import threads
from ._training_rows import TrainingRows
from ._unknown import KnownLabels, known_labels
from ._verbose import reporter
from ._weights import checked_sample_weight, class_weight_text, is_text

T = TypeVar("T")

# What follows what was asked for.
_NEEDS_POSTERIOR = (
    "needs a posterior over label sets, and this {} was fitted without one. Use MaxMarginOutputCoding with its default "
    'parameters, or BinaryRelevance(candidates="seen").'
)

# The parameters that belong neither to the method nor to its base learners.
_OF_TRAINING = ("missing_labels", "scaling", "missing", "estimates", "random_state", "n_jobs", "verbose")


def warn_of_limits(model: _native.Model, stacklevel: int) -> None:
    """Warns of each solver that stopped before it converged."""
    for sentence in model.not_converged:
        warnings.warn(sentence, ConvergenceWarning, stacklevel=stacklevel)


def check_count(name: str, count: Any) -> None:
    """Fails unless it is a whole number of at least 1."""
    if not isinstance(count, numbers.Integral) or count < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {count!r}")


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The base class of all estimators.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        The indices of the labels. For one or two labels, the classes 0 and 1 of each. For a one-dimensional ``y``, its
        classes.
    label_names_ : ndarray of str
        The names of the labels: the columns of ``y`` if it was a DataFrame, the sorted tags if it had tags.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of str
        The names of the columns, if ``X`` had names.
    estimates_ : dict of str to float
        Metrics of held-out predictions: each training row is predicted by models that were fitted without it. Empty if
        they were not computed.
    record_ : dict
        The training record, as in model files.
    """

    _method: ClassVar[str]
    _base_parameters: ClassVar[tuple[str, ...]]
    # What can be done with rows that do not fit into memory. Most classes have a namesake in mmoc.dask.
    _for_many_rows: ClassVar[str] = (
        "If they do not fit into memory, use mmoc.dask.{name} with partitions of them, or fit with a sample of them."
    )
    # What parameters accept in Python beside the values of the registry, as a sentence for each.
    _accepts_also: ClassVar[dict[str, str]] = {}

    missing_labels: str
    scaling: str
    missing: str
    estimates: str
    n_jobs: int | None
    verbose: int

    _model: _native.Model
    _targets: Targets
    # The estimators of scikit-learn that are terms of the posterior.
    _outside: tuple[FittedTerm, ...]
    # Whether the column names may be the numbers of a file without names.
    _accepts_unnamed_columns: bool

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "_method" in vars(cls):
            cls.__doc__ = documented(cls, cls._method, cls._base_parameters, cls._accepts_also)

    @classmethod
    def from_preset(cls, preset: str, **parameters: Any) -> Self:
        """An estimator with the parameters of a preset.

        Parameters
        ----------
        preset : {"paper", "default"}
            ``paper`` is exactly as published, and ``default`` has the default parameters.
        **parameters
            Parameters that override those of the preset.
        """
        return cls(**(_native.preset(preset, cls._method) | parameters))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, folds: Any = None) -> Self:
        """Fits the model to training rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features. A C-contiguous array of float64 and a CSR matrix with sorted indices are not copied. NaN is a
            missing value and is replaced as ``missing`` says.
        y : array, sparse matrix or DataFrame of shape (n, q), or lists of tags
            The labels of each row: 0 or 1, or a list or set of names, such as ``[{"food", "wine"}, ["wine"]]``. The
            sorted names become ``label_names_``. In columns of labels the words yes and true count as 1, and no and
            false as 0. A one-dimensional ``y`` has one of two classes for each row. NaN, None and nulls are unknown
            labels, which are an error unless ``missing_labels="ignore"``; None in place of a list of tags makes all
            labels of its row unknown. Rows without any known label are left out.
        sample_weight : array of shape (n,), optional
            The weight of each row: finite, not negative, and not all zero. Rows of weight 0 are left out. With
            whole numbers, a row of weight 2 is the same as two such rows. Other weights are relative: multiplying all
            of them by a number changes nothing.
        folds : array of int of shape (n,), optional
            The fold of each row in cross-validation, from 0. At least two must differ. By default the rows are dealt
            into as many folds as the parameter ``folds`` says. With those of :func:`mmoc.dask.folds` the result is that
            of a fit on Dask.

        Returns
        -------
        self
        """
        labels, names = split_label_names(y, missing_labels=self.missing_labels)
        known = known_labels(labels, names, self.missing_labels)
        if is_table(y):
            known = replace(known, filled=with_integers(known.filled))
        with self._unchanged_by_failures():
            return self._fit(X, known, names, sample_weight, folds)

    def _fit(self, X: Any, known: KnownLabels, names: Names | None, sample_weight: Any, folds: Any) -> Self:
        refuse_no_data(X, "X")
        refuse_repeated_names(X, "X")
        X, columns = read_table(X) if is_table(X) else (read_frame(X), None)
        attributes, words = None, None
        if isinstance(X, TableWithWords):
            words, columns = X, X.names
            X, attributes = words.encoded()
        check_sparse(X, "X")
        check_columns_of_labels(known.filled, "y")
        with explained(X, known.filled, columns):
            X, y = validate_data(self, X, known.filled, multi_output=True, ensure_min_samples=2, **ACCEPTED)
            rows = TrainingRows.of(known, names, sample_weight, y.shape[0])
            # Rows that do not count have no classes. Label sets of all rows must be valid.
            targets = Targets.of(rows.among(y) if y.ndim == 1 else y, names)
        given_folds = checked_folds(folds, y.shape[0])
        if given_folds is not None:
            given_folds = rows.among(given_folds)
            check_some_differ(given_folds)
        if columns is not None:
            self.feature_names_in_ = np.array(columns, dtype=object)
            self.n_features_in_ = len(columns)
        if words is not None and rows.kept is not None:
            X, attributes = words.among(rows.kept).encoded()
        else:
            X = rows.among(canonical(X))
        label_sets, drawn = targets.label_sets(rows.among(y)), seed(getattr(self, "random_state", 0))
        feature_names = getattr(self, "feature_names_in_", None)
        parameters, base = self._parameters_for(targets)
        outside = self._fit_outside(X, label_sets, rows, drawn, given_folds)
        model = _native.fit(
            self._method,
            parameters,
            base,
            scaling=str(self.scaling),
            missing=str(self.missing),
            estimates=str(self.estimates),
            seed=drawn,
            threads=threads(self.n_jobs),
            x=X,
            y=label_sets,
            weights=rows.weights,
            unknown=rows.unknown,
            feature_names=None if feature_names is None else [str(name) for name in feature_names],
            attributes=attributes,
            label_names=None if names is None else list(names),
            evidence=[(term.name, term.kind, numbers) for term, numbers in outside],
            folds=given_folds,
            report=reporter(self.verbose, type(self).__name__),
        )
        # The posterior may have left terms out.
        self._keep(model, targets, tuple(term for term, _ in outside if term.name in model.evidence))
        warn_of_limits(model, stacklevel=4)
        return self

    def predict(self, X: Any, decide: str | None = None) -> Any:
        """Predicts the label set of each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.
        decide : {"subset", "f1", "hamming", "micro-f1", "macro-f1"}, optional
            The measure that predicted label sets are to be best in. By default the parameter ``decide`` of the
            estimator, which ``set_params`` may change after ``fit``. Models without a posterior over label sets predict
            for one measure only.

        Returns
        -------
        ndarray or CSR matrix of shape (n, q), or (n,)
            Zeros and ones with the dtype of ``y``. Sparse if ``y`` was sparse.
        """
        model = self._deciding(decide)
        return self._targets.predicted(model.label_sets(*self._input(X)))

    def predict_tags(self, X: Any, decide: str | None = None) -> list[tuple[str, ...]]:
        """Predicts the names of the labels of each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.
        decide : str, optional
            As in :meth:`predict`.

        Returns
        -------
        list of tuple of str
            The names of the predicted labels of each row, in the order of ``label_names_``.
        """
        model = self._deciding(decide)
        if self._targets.classes is not None:
            raise ValueError("predict_tags needs a y with label sets, and y had one class for each row. Use predict.")
        offsets, members = model.label_sets(*self._input(X))
        names = np.array(model.label_names, dtype=object)[members]
        return [tuple(names[first:end]) for first, end in pairwise(offsets)]

    def score(self, X: Any, y: Any, sample_weight: Any = None, decide: str | None = None) -> float:
        """The subset accuracy: the share of rows whose whole label set is predicted correctly.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.
        y : array, sparse matrix or DataFrame of shape (n, q)
            The true labels. The columns of a DataFrame are matched to the labels by name, and so are lists of tags. A
            row with a tag that was not in ``fit`` counts as wrong, and a warning names such tags. With
            ``missing_labels="ignore"``, a row is correct if its known labels are, and rows without any are left out.
        sample_weight : array of shape (n,), optional
            The weight of each row: finite, not negative, and not all zero.
        decide : str, optional
            As in :meth:`predict`. The score is the subset accuracy in any case.
        """
        check_is_fitted(self)
        if y is None:
            raise ValueError("y is None. score needs the true labels of each row.")
        tags, predicted = tag_rows(y), self.predict(X, decide)
        if tags is not None:
            tags.refuse_numbers_as_text(self._targets.names or ())
            tags.refuse_unknown_rows(self.missing_labels)
            y, predicted = self._with_unknown_tags(tags, predicted)
        else:
            y = in_order(y, self._targets.names)
        weights = checked_sample_weight(sample_weight, predicted.shape[0])
        y, predicted, weights = self._where_known(y, predicted, weights)
        with explained(y=y):
            return share_correct(y, predicted, self._targets, weights)

    def _where_known(
        self, y: Any, predicted: Any, weights: npt.NDArray[np.float64] | None
    ) -> tuple[Any, Any, npt.NDArray[np.float64] | None]:
        """True labels, predictions and weights of rows with a known label. Unknown labels become the predicted ones."""
        known = known_labels(y, self._targets.names, self.missing_labels)
        rows = known.rows_with_some
        if known.unknown is None or rows is None or len(rows) != predicted.shape[0]:
            return known.filled, predicted, weights
        true, predicted = np.asarray(known.filled), predicted.toarray() if is_sparse(predicted) else predicted
        if true.shape == predicted.shape:
            true = np.where(known.unknown.reshape(true.shape), predicted, true)
        if weights is not None:
            weights = checked_sample_weight(weights[rows], int(np.count_nonzero(rows)))
        return true[rows], predicted[rows], weights

    def _with_unknown_tags(self, tags: TagRows, predicted: Any) -> tuple[Any, Any]:
        """True and predicted label sets, n×(q + 1), with a last label for tags that were not in ``fit``."""
        known = self._targets.names
        if known is None or self._targets.classes is not None:
            raise ValueError(
                "y has tags, and the labels of the model have no names to match them with. Give score a y of the same "
                "form as that of fit, or fit with tags or a DataFrame."
            )
        if unknown := tags.unknown(known):
            message = f"y has tags that were not in fit; rows with them count as wrong: {listed(unknown)}"
            warnings.warn(message, UserWarning, stacklevel=3)
        predicted = predicted.toarray() if is_sparse(predicted) else predicted
        nothing = np.zeros((len(predicted), 1), dtype=predicted.dtype)
        has_unknown = np.array([[not row <= set(known)] for row in tags.rows], dtype=np.int64).reshape(-1, 1)
        return np.hstack([tags.matrix(known), tags.with_unknown_rows(has_unknown)]), np.hstack([predicted, nothing])

    @property
    def partial_fit(self) -> Any:
        """There is none. As a property, ``hasattr`` is false, which is how scikit-learn asks."""
        name = next(cls.__name__ for cls in type(self).__mro__ if "_method" in vars(cls))
        raise AttributeError(
            f"{name} has no partial_fit: what it learns depends on all rows at once. Use fit with all rows. "
            f"{self._for_many_rows.format(name=name)}"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model to a file that ``mmoc predict`` and :func:`mmoc.load` can read.

        The file is written completely or not at all. Its model predicts as this estimator does, also if ``decide`` was
        changed after ``fit``. The file does not contain the classes of a one-dimensional ``y``. A model with an
        estimator of scikit-learn as a term cannot be saved to a file. Use pickle or joblib.
        """
        model = self._deciding(None)
        if names := ", ".join(repr(term.name) for term in self._outside):
            raise ValueError(
                f"the model has the term {names} of evidence, a Python object that a model file cannot hold. Nothing "
                "was written. Use pickle or joblib to keep this estimator."
            )
        model.save(path)

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The model as an ONNX graph, which predicts as this estimator does without this package.

        Its input ``features`` has the columns of ``X`` in double precision, with NaN for missing values. If ``X`` had
        columns of words, these are the columns of numbers that they were encoded as, named in the metadata. Its outputs
        are ``labels``, ``probabilities`` and ``confidence``, as far as the estimator has them. ``docs/onnx.md`` says
        more. Evidence from neighbours, forests and estimators of scikit-learn cannot be exported.

        Parameters
        ----------
        path : path, optional
            A file to write, completely or not at all.

        Returns
        -------
        bytes
            The bytes of the file.
        """
        model, classes = self._deciding(None), self._targets.classes
        if classes is not None and classes.tolist() != [0, 1]:
            lower, upper = classes.tolist()
            raise ValueError(
                f"the classes {lower!r} and {upper!r} of y are not in an ONNX graph, whose labels are 0 and 1. "
                f"Fit with y == {upper!r}."
            )
        return model.to_onnx(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Loads a model from a file written by ``mmoc train`` or :meth:`save`."""
        return cls._of(_native.Model.load(path), str(path))

    @property
    def label_names_(self) -> npt.NDArray[np.str_]:
        """The names of the labels."""
        return np.array(self._fitted().label_names)

    @property
    def record_(self) -> dict[str, Any]:
        """The training record, as in model files."""
        record: dict[str, Any] = json.loads(self._fitted().record)
        return record

    @property
    def estimates_(self) -> dict[str, float]:
        """Metrics of held-out predictions of the training rows. Empty if they were not computed."""
        estimates: dict[str, float] = self.record_["estimates"]
        return estimates

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """The coefficients of each label for unscaled features, q×p. ``X @ coef_.T + intercept_`` are the log-odds of
        the classifiers, or the ``decision_function`` of PrincipalLabelSpaceCoding. With ``missing="indicator"`` the
        coefficients of the indicators come last, one for each column with missing values in the training rows. An
        AttributeError gives the reason if the model has none."""
        return label_term(self._fitted()).coef

    @property
    def intercept_(self) -> npt.NDArray[np.float64]:
        """The intercept of each label for unscaled features."""
        return label_term(self._fitted()).intercept

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """How much each feature counts; the importances add up to one. For classifiers and regressions: the norm, over
        all labels, of its coefficients times its standard deviation (times 1 if features were not scaled). For a
        forest without these: its share of the cuts, where a cut counts half as much as the one above it. The
        indicator of missing values of a feature counts as the feature. An AttributeError gives the reason if the model
        has none."""
        return importances(self._fitted())

    def explain(self, X: Any, k: int = 5, decide: str | None = None) -> Explanation:
        """Explains the predicted label sets: what features and other labels contribute to each label of each row.

        The contribution of a feature is its coefficient times its difference from the mean of the training rows (the
        median with ``missing="median"``). In models of sparse rows it is its coefficient times its value. With
        ``missing="indicator"`` it also matters that a value is missing, which contributes as ``NAME is missing``. Other
        labels contribute through the code, which couples pairs of labels. In radial basis functions, the contribution
        of a feature is its integrated gradient between a row of means and the row. Those of sparse rows have no parts,
        and neither have estimators of scikit-learn.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features. A few rows: the result has all labels of each.
        k : int, default=5
            The number of features, and of other labels, that are listed for each label, the largest contributions
            first.
        decide : str, optional
            As in :meth:`predict`.

        Returns
        -------
        Explanation
            It prints as text. Its ``to_frame`` makes a DataFrame.
        """
        check_count("k", k)
        model = self._deciding(decide)
        left_out = tuple(name for name, _, outputs, _ in model.terms or [] if outputs == 0)
        if model.terms and len(left_out) == len(model.terms):
            sets = ", ".join(left_out)
            raise ValueError(f"explain: the model has no scores of labels, only terms about whole label sets: {sets}")
        rows = self._input(X)
        try:
            explained_rows = model.explain(*rows, int(k))
        except ValueError as error:
            raise ValueError(f"explain: {error}") from None
        return explanation_of(explained_rows, model.label_names, left_out)

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
        estimator = cls(scaling=model.scaling, missing=model.missing, **model.parameters, **base)
        if hasattr(estimator, "decide"):
            # It may have been changed after the training.
            estimator.decide = model.decision
        if hasattr(estimator, "random_state"):
            estimator.random_state = model.seed
        estimator.n_features_in_ = model.columns
        if model.feature_names is not None:
            estimator.feature_names_in_ = np.array(model.feature_names, dtype=object)
        estimator._keep(model, Targets.of_model(model))
        return estimator

    @contextmanager
    def _unchanged_by_failures(self) -> Iterator[None]:
        """Keeps the previous model if a fit fails."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _keep(self, model: _native.Model, targets: Targets, outside: tuple[FittedTerm, ...] = ()) -> None:
        self._model, self._targets, self._outside = model, targets, outside
        self._accepts_unnamed_columns = model.may_have_numbered_columns
        self.classes_ = targets.classes_

    def _parameters(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters of the method and those of its base learners."""
        own = {key: value for key, value in self.get_params(deep=False).items() if key not in _OF_TRAINING}
        return own, {key: own.pop(key) for key in self._base_parameters}

    def _parameters_for(self, targets: Targets) -> tuple[dict[str, Any], dict[str, Any]]:
        """The same with what depends on the labels."""
        return self._parameters()

    def _fit_outside(
        self, X: Any, label_sets: Any, rows: TrainingRows, seed: int, given_folds: Folds | None
    ) -> list[tuple[FittedTerm, npt.NDArray[np.float64]]]:
        """The terms of the posterior that are estimators of scikit-learn, with the numbers of the training rows."""
        return []

    def _input(self, X: Any) -> tuple[Any, list[NamedNumbers], int]:
        """Checked features, the numbers of estimators that are terms of the posterior, and the number of threads."""
        X = self._checked(X)
        return X, [term.numbers(X) for term in self._outside], threads(self.n_jobs)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        refuse_no_data(X, "X")
        refuse_repeated_names(X, "X")
        check_sparse(X, "X")
        if (features := self._encoded(X)) is not None:
            return features
        if is_table(X):
            X, names = read_table(X)
            self._check_names(names)
            with explained(X, names=names):
                return self._checked_values(X)
        with explained(X):
            if self._accepts_unnamed_columns and not hasattr(X, "columns"):
                return canonical(self._checked_values(X))
            return canonical(validate_data(self, X, reset=False, **ACCEPTED))

    def _encoded(self, X: Any) -> Any:
        """The features of a table as numbers, if the model was trained on words, and the table has their columns."""
        expected, names = self._model.features_with_words, column_names(X)
        if expected is None or names is None or list(names) == self._model.feature_names:
            return None
        check_feature_names(names, expected)
        if is_table(X):
            table, names = read_table(X)
            if not isinstance(table, TableWithWords):
                table = TableWithWords(list(zip(names, table.T.copy(), strict=True)))
        else:
            table = read_frame(X, all_columns=True)
        features, notes = table.encoded_for(self._model)
        for note in notes:
            warnings.warn(note, UserWarning, stacklevel=5)
        return features

    def _check_names(self, names: Names) -> None:
        """Checks the column names of an Arrow table, which scikit-learn may not know."""
        if hasattr(self, "feature_names_in_"):
            check_feature_names(names, list(self.feature_names_in_))
            return
        message = f"X has feature names, but {type(self).__name__} was fitted without feature names"
        warnings.warn(message, UserWarning, stacklevel=5)

    def _checked_values(self, X: Any) -> Any:
        """Checks everything but the names of the columns."""
        X = check_array(X, input_name="X", estimator=self, **ACCEPTED)
        if X.shape[1] != self.n_features_in_:
            name, expected = type(self).__name__, self.n_features_in_
            raise ValueError(f"X has {X.shape[1]} features, but {name} is expecting {expected} features as input")
        return X

    def _fitted(self) -> _native.Model:
        check_is_fitted(self)
        return self._model

    def _deciding(self, decide: str | None) -> _native.Model:
        """The model with the given decision, else with that of the estimator."""
        model = self._fitted()
        asked = getattr(self, "decide", None) if decide is None else decide
        if asked is None or asked == model.decision:
            return model
        return self._with_posterior(f"decide={asked!r}").with_decision(str(asked))

    def _with_posterior(self, asked: str) -> _native.Model:
        """The model. An error if it has no posterior, which is needed for what was asked."""
        model = self._fitted()
        if not model.has_posterior:
            raise ValueError(f"{asked} {_NEEDS_POSTERIOR.format(type(self).__name__)}")
        return model


class HasProbabilities(MultiLabelClassifier):
    """An estimator with a probability for each label."""

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Predicts the probability of each label in each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.

        Returns
        -------
        ndarray of shape (n, q)
            For a one-dimensional ``y``, the shape is (n, 2) with one column per class.
        """
        _, probabilities = self._fitted().numbers(*self._input(X))
        assert probabilities is not None, "every model of this method has probabilities"
        return self._targets.probabilities(probabilities)

    def predict_top_k(self, X: Any, k: int = 3) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predicts the k labels of highest probability in each row, with their probabilities.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.
        k : int, default=3
            The number of labels. If there are fewer, the result has a column for each of them.

        Returns
        -------
        labels : ndarray of shape (n, k)
            The names of the labels if ``y`` had names, else their indices, the likeliest first. Of equally likely
            labels the first comes first. For a one-dimensional ``y``, the classes.
        probabilities : ndarray of shape (n, k)
            Their probabilities, as :meth:`predict_proba` returns them.
        """
        check_count("k", k)
        probabilities = self.predict_proba(X)
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, : int(k)]
        return self._targets.labels()[order], np.take_along_axis(probabilities, order, axis=1)


class HasDecisions(MultiLabelClassifier):
    """An estimator that decides each label separately by a score."""

    # The score above which a label is predicted.
    _threshold: ClassVar[float]

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """The score of each label in each row.

        Labels with a score above zero are predicted, unless the model decides on whole label sets by a posterior.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.

        Returns
        -------
        ndarray of shape (n, q), or (n,)
        """
        scores, _ = self._fitted().numbers(*self._input(X))
        assert scores is not None, "every model of this method has scores"
        return self._targets.scores(scores - self._threshold)


class HasClassifiers(MultiLabelClassifier):
    """An estimator whose base learners include a classifier for each label."""

    _accepts_also: ClassVar[dict[str, str]] = {
        "class_weight": "Also a dict of label names or indices and the weights of their positive rows, or one such "
        "weight for each label. For a one-dimensional ``y``, a dict of classes and weights."
    }

    class_weight: Any

    def _parameters(self) -> tuple[dict[str, Any], dict[str, Any]]:
        own, base = super()._parameters()
        # Weights that are given one by one depend on the labels.
        return own, base if is_text(self.class_weight) else base | {"class_weight": None}

    def _parameters_for(self, targets: Targets) -> tuple[dict[str, Any], dict[str, Any]]:
        own, base = super()._parameters_for(targets)
        return own, base | {"class_weight": class_weight_text(self.class_weight, targets)}

    @property
    def classifier_penalties_(self) -> npt.NDArray[np.float64]:
        """The penalty chosen for the classifier of each label, relative to the scatter of the features."""
        return np.array(self.record_["penalties"]["classifiers"])


class HasCode(MultiLabelClassifier):
    """An estimator with an output code."""

    @property
    def projections_(self) -> npt.NDArray[np.float64]:
        """V, q×d: one direction per column."""
        return self._of_code(self._fitted().projections)

    @property
    def spectrum_(self) -> npt.NDArray[np.float64]:
        """The singular values, canonical correlations or eigenvalues of the directions, descending."""
        code = self._of_code(self.record_.get("code"))
        names = ("singular_values", "correlations", "eigenvalues")
        return np.array(next((code[name] for name in names if name in code), []))

    def _of_code(self, found: T | None) -> T:
        """What was found of the code. An error if none was learnt."""
        if found is None:
            raise AttributeError(
                "the model has no code: 'code' is not among its evidence, or no label set occurs twice in the training "
                "rows"
            )
        return found

    @property
    def code_coef_(self) -> npt.NDArray[np.float64]:
        """The coefficients of the regressions of the code for unscaled features, d×p. ``X @ code_coef_.T +
        code_intercept_`` are predictions of ``Y @ code_directions_``. An AttributeError gives the reason if the model
        has none."""
        return code_term(self._fitted()).coef

    @property
    def code_intercept_(self) -> npt.NDArray[np.float64]:
        """The intercepts of the regressions of the code for unscaled features."""
        return code_term(self._fitted()).intercept

    @property
    def code_directions_(self) -> npt.NDArray[np.float64]:
        """The directions of label space that the regressions of the code predict, q×d: ``projections_``, or with a
        posterior those that span the same space and have uncorrelated errors of variance one."""
        model = self._fitted()
        code_term(model)
        with_posterior = next((own[3] for own in model.terms or [] if own[0] == "code"), None)
        found = model.decoding_projections if with_posterior is None else with_posterior
        return self.projections_ if found is None else found

    @property
    def codeword_penalties_(self) -> npt.NDArray[np.float64]:
        """The penalty chosen for each regression that predicts codewords, relative to the scatter of the features."""
        return np.array(self.record_["penalties"]["codewords"])


class HasPosterior(MultiLabelClassifier):
    """An estimator that may have a posterior: a probability for each label set."""

    decide: str

    def predict_sets(self, X: Any, k: int = 1) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predicts the k likeliest label sets of each row, with their probabilities.

        The result has k columns, or as many as there are candidate sets (``posterior_["sets"]``) if these are fewer.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.
        k : int, default=1
            The number of label sets.

        Returns
        -------
        sets : ndarray of bool of shape (n, k, q)
            The label sets of each row, the likeliest first. ``label_names_[sets[i, j]]`` are the labels of one of them.
            The array takes n·k·q bytes, so give a few rows at a time if there are very many labels. For a
            one-dimensional ``y``, the classes, of shape (n, k).
        probabilities : ndarray of shape (n, k)
            The probability of each of these sets. Sets are ordered by their probability among the candidates. So these
            numbers, which include the probability of a set as one of independent labels, may be out of order by at most
            ``posterior_["unseen_mass"]``. They are not recalibrated, as :meth:`predict_confidence` is.
        """
        check_count("k", k)
        model = self._with_posterior("predict_sets")
        pattern, probabilities = model.likeliest_sets(*self._input(X), int(k))
        return self._targets.likely_sets(pattern, probabilities.shape), probabilities

    def predict_confidence(self, X: Any, decide: str | None = None) -> npt.NDArray[np.float64]:
        """Predicts how likely it is that the whole predicted label set of each row is right.

        This is recalibrated after training, so it may differ from the probability of the set in :meth:`predict_sets`,
        which is that of the posterior before.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n, p)
            Features.
        decide : str, optional
            As in :meth:`predict`: the confidence is that of the label sets which ``predict`` returns.

        Returns
        -------
        ndarray of shape (n,)
        """
        self._with_posterior("predict_confidence")
        confidence = self._deciding(decide).confidence(*self._input(X))
        assert confidence is not None, "every posterior has a confidence"
        return confidence

    @property
    def posterior_(self) -> dict[str, Any] | None:
        """How the posterior over label sets was fitted: candidates, terms with their weights, and what they were chosen
        among, as in the training record. None if the model has no posterior."""
        posterior: dict[str, Any] | None = self.record_.get("posterior")
        return posterior


class HasJointDecoding(HasProbabilities, HasPosterior, HasClassifiers, HasCode):
    """An estimator whose code and classifiers are decoded together, maybe with estimators of scikit-learn."""

    _accepts_also: ClassVar[dict[str, str]] = HasClassifiers._accepts_also | {
        "evidence": "Or a list of these names and of (name, estimator) pairs with classifiers and regressors of "
        "scikit-learn, each a term of its own. They are cross-validated with ``folds`` folds."
    }

    evidence: Evidence
    folds: int

    def _parameters(self) -> tuple[dict[str, Any], dict[str, Any]]:
        own, base = super()._parameters()
        return own | {"evidence": split(self.evidence)[0]}, base

    def _fit_outside(
        self, X: Any, label_sets: Any, rows: TrainingRows, seed: int, given_folds: Folds | None
    ) -> list[tuple[FittedTerm, npt.NDArray[np.float64]]]:
        _, pairs = split(self.evidence)
        if not pairs:
            return []
        # Estimators may take long, so parameters are checked before.
        _native.check_evidence(self._method, *self._parameters(), [name for name, _ in pairs])
        Y = rows.marked(label_sets.toarray() if is_sparse(label_sets) else label_sets)
        folds = folds_of(len(Y), int(self.folds), seed, given_folds)
        return [FittedTerm.fit(name, estimator, X, Y, folds, rows.weights) for name, estimator in pairs]

    @property
    def noise_(self) -> npt.NDArray[np.float64] | None:
        """σ̂²: the leave-one-out mean squared error of each predicted direction. None if the model has a posterior."""
        return self._fitted().noise

    @property
    def decoding_projections_(self) -> npt.NDArray[np.float64] | None:
        """The directions that σ̂² belongs to, q×d. None if the model has a posterior."""
        return self._fitted().decoding_projections
