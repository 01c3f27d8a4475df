"""Targets: label sets, or one of two classes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics import accuracy_score
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from ._features import Pattern, indicator, is_sparse, label_array, label_matrix
from ._names import Names
from ._native import Model
from ._sparse import check_sparse

_FOR_SETS = (
    "For several labels y must be a 0/1 matrix with one column per label, or a list or set of tags for each row: "
    "[['food', 'wine'], ['wine']]."
)

# How scikit-learn begins when the types of true and predicted classes differ.
_OTHER_CLASSES = (
    "Classification metrics can't handle a mix of",
    "Labels in y_true and y_pred should be of the same type",
    "Mix of label input types",
)

# Between names that are written in one text.
_SEPARATORS = (",", ";", "|")


@dataclass(frozen=True)
class Targets:
    """The form of ``y`` in ``fit``. Predictions have the same form.

    A 0/1 matrix has a label set in each row. A one-dimensional ``y`` has one of two classes in each row: it is treated
    as one label that stands for the greater class.
    """

    count: int
    # The names of the labels, if they have any.
    names: Names | None
    dtype: Any
    sparse: Callable[..., Any] | None
    classes: npt.NDArray[Any] | None

    @classmethod
    def of(cls, y: Any, names: Names | None) -> "Targets":
        """The form of validated targets."""
        if y.ndim == 1:
            return cls(1, names, y.dtype, None, two_classes(y))
        check_zeros_and_ones(y, names)
        sparse = (sp.csr_array if isinstance(y, sp.sparray) else sp.csr_matrix) if is_sparse(y) else None
        return cls(y.shape[1], names, y.dtype, sparse, None)

    @classmethod
    def of_model(cls, model: Model) -> "Targets":
        """The targets of a model from a file."""
        names = tuple(model.label_names)
        return cls(len(names), names if model.has_label_names else None, np.dtype(np.int64), None, None)

    def label_sets(self, y: Any) -> Any:
        """The label sets as booleans, n×q."""
        if self.classes is None:
            return indicator(y)
        return np.ascontiguousarray(y == self.classes[-1]).reshape(-1, 1)

    def predicted(self, pattern: Pattern) -> Any:
        """Predicted label sets in the form of ``y``."""
        if self.sparse is not None:
            return self.sparse(label_matrix(pattern, self.count, self.dtype))
        if self.classes is None:
            return label_array(pattern, self.count, self.dtype)
        return self._of_classes(label_array(pattern, 1, bool)[:, 0])

    def likely_sets(self, pattern: Pattern, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Several label sets of each row, n×k×q, or several classes, n×k."""
        sets = label_array(pattern, self.count, bool).reshape(*shape, self.count)
        return sets if self.classes is None else self._of_classes(sets[..., 0])

    def probabilities(self, found: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The probability of each label, or of each class."""
        if self.classes is None:
            return found
        if len(self.classes) == 1:
            return np.ones_like(found)
        return np.hstack([1.0 - found, found])

    def scores(self, found: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The score of each label, or of the greater class."""
        return found if self.classes is None else found[:, 0]

    def labels(self) -> npt.NDArray[Any]:
        """What the columns of probabilities are of: classes, names of labels, or their indices."""
        if self.classes is not None:
            return self.classes
        return np.arange(self.count) if self.names is None else np.array(self.names)

    def _of_classes(self, greater: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
        """The greater of the two classes, or the other. If there is only one class, it is both."""
        assert self.classes is not None, "only a one-dimensional y has classes"
        return self.classes[np.where(greater, len(self.classes) - 1, 0)]

    @property
    def classes_(self) -> Any:
        """The ``classes_`` for scikit-learn: the indices of the labels.

        Scorers take one or two indices for the classes of a single label, and would use one column only. So for up to
        two labels this is the other form that scikit-learn accepts: the classes 0 and 1 of each label.
        """
        if self.classes is not None:
            return self.classes
        return np.arange(self.count) if self.count > 2 else [np.array([0, 1])] * self.count


def two_classes(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The classes. There may be at most two."""
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise ValueError(f"{error} {_FOR_SETS}") from None
    if (kind := type_of_target(y)) == "multiclass":
        refusal = f"Only binary classification is supported. The type of the target is {kind}."
        raise ValueError(f"{refusal} {_split_of(y) or _FOR_SETS}")
    return np.unique(y)


def check_columns_of_labels(y: Any, name: str) -> None:
    """Fails if a matrix of labels has no column, or is a sparse matrix whose indices do not fit its shape."""
    check_sparse(y, name)
    shape = _shape(y)
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(f"{name} must have at least one column of zeros and ones, one for each label, and has none")


def _shape(y: Any) -> tuple[int, ...]:
    """The shape of an array, and of lists as far as their first row has one."""
    if hasattr(y, "shape"):
        return tuple(y.shape)
    return np.shape(y[:1]) if isinstance(y, (list, tuple)) else ()


def _split_of(y: npt.NDArray[Any]) -> str | None:
    """How texts that name several labels become lists of tags."""
    texts = [str(text) for text in y if isinstance(text, str)]
    for separator in _SEPARATORS:
        if text := next((text for text in texts if separator in text), None):
            return f"If {text!r} names several labels, use [text.split({separator!r}) for text in y]."
    return None


def share_correct(true: Any, predicted: Any, targets: Targets, weights: Any, *, normalize: bool = True) -> float:
    """The share of rows whose whole label set or class is right, or the weight of these rows."""
    if targets.classes is None:
        true = _true_sets(true, predicted.shape[1], targets.names)
    elif _has_texts(true) != _has_texts(targets.classes):
        # Older releases of scikit-learn count them as wrong.
        raise ValueError(_other_classes(targets.classes, "A text is never the same class as a number."))
    try:
        return float(accuracy_score(true, predicted, sample_weight=weights, normalize=normalize))
    except ValueError as error:
        if targets.classes is None or not str(error).startswith(_OTHER_CLASSES):
            raise
        raise ValueError(_other_classes(targets.classes, error)) from error


def _has_texts(classes: Any) -> bool:
    classes = np.asarray(classes)
    return classes.dtype.kind in "OU" and any(isinstance(value, str) for value in classes.ravel())


def _other_classes(expected: npt.NDArray[Any], reason: object) -> str:
    return f"y must have one class for each row, as in fit: {' and '.join(map(repr, expected.tolist()))}. {reason}"


def _true_sets(y: Any, count: int, names: Names | None) -> Any:
    """True label sets as a matrix of zeros and ones, n×q."""
    y = check_array(y, accept_sparse="csr", ensure_2d=False, dtype=None, ensure_min_samples=0, input_name="y")
    # A single label may have one dimension.
    found = y.reshape(-1, 1) if y.ndim == 1 and count == 1 else y
    if found.ndim != 2 or found.shape[1] != count:
        shape = f"{found.shape[1]} columns" if found.ndim == 2 else "one dimension"
        raise ValueError(
            f"y has {shape}, and the model has {count} labels. Give score a y of the same form as that of fit: a 0/1 "
            "matrix with one column per label, or a list or set of tags for each row."
        )
    check_zeros_and_ones(found, names)
    return y


def check_zeros_and_ones(y: Any, names: Names | None = None) -> None:
    """Fails unless everything stored is 0 or 1."""
    stored = y.data if is_sparse(y) else y
    if stored.dtype.kind not in "biuf":
        raise ValueError(f"labels must be zeros and ones, and these are of type {stored.dtype}. {_FOR_SETS}")
    are_wrong = ~np.isin(stored, (0, 1))
    if are_wrong.any():
        row, column = _first_place(y, are_wrong)
        place = f"row {row}, column {column if names is None else repr(names[column])}"
        found = f"labels must be zeros and ones, and {place} has {stored[are_wrong][0]}."
        are_signs = np.isin(stored, (-1, 1)).all()
        raise ValueError(f"{found} {'Use y > 0.' if are_signs else _FOR_SETS}")


def _first_place(y: Any, are_wrong: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Row and column of the first stored value that is wrong."""
    if not is_sparse(y):
        row, column = np.argwhere(are_wrong)[0]
        return int(row), int(column)
    first = int(np.flatnonzero(are_wrong)[0])
    return int(np.searchsorted(y.indptr, first, side="right") - 1), int(y.indices[first])


def checked_labels(Y: Any, name: str = "Y") -> Any:
    """A 0/1 matrix, n×q, dense or CSR."""
    check_columns_of_labels(Y, name)
    Y = check_array(Y, accept_sparse="csr", input_name=name)
    check_zeros_and_ones(Y)
    return Y
