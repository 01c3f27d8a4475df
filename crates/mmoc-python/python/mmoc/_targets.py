"""What is predicted: several labels at once, or one of two classes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from ._features import Pattern, indicator, is_sparse, label_array, label_matrix

_FOR_SETS = (
    "For several labels at once y must be a 0/1 matrix with one column for each label, as MultiLabelBinarizer makes it "
    "of sets."
)


@dataclass(frozen=True)
class Targets:
    """How ``y`` was given, so that predictions are given the same way.

    A 0/1 matrix is a set of labels for each row. A single column without a second dimension is one label that
    stands for the greater of two classes.
    """

    count: int
    dtype: Any
    sparse: Callable[..., Any] | None
    classes: npt.NDArray[Any] | None

    @classmethod
    def of(cls, y: Any) -> "Targets":
        """Looks at checked targets; fails if they are neither."""
        try:
            check_classification_targets(y)
        except ValueError as error:
            raise ValueError(f"{error} {_FOR_SETS}") from None
        if y.ndim == 1:
            return cls(1, y.dtype, None, two_classes(y))
        check_zeros_and_ones(y)
        sparse = (sp.csr_array if isinstance(y, sp.sparray) else sp.csr_matrix) if is_sparse(y) else None
        return cls(y.shape[1], y.dtype, sparse, None)

    @classmethod
    def of_labels(cls, count: int) -> "Targets":
        """Those of a model from a file, which has so many labels."""
        return cls(count, np.dtype(np.int64), None, None)

    def label_sets(self, y: Any) -> Any:
        """Where the labels are, n×q."""
        if self.classes is None:
            return indicator(y)
        return np.ascontiguousarray(y == self.classes[-1]).reshape(-1, 1)

    def predicted(self, pattern: Pattern) -> Any:
        """Predicted label sets as ``y`` was."""
        if self.sparse is not None:
            return self.sparse(label_matrix(pattern, self.count, self.dtype))
        if self.classes is None:
            return label_array(pattern, self.count, self.dtype)
        # Where there is only one class, it is the first and the last.
        return np.where(label_array(pattern, 1, bool)[:, 0], self.classes[-1], self.classes[0])

    def probabilities(self, found: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The probability of each label, or of each of the classes."""
        if self.classes is None:
            return found
        if len(self.classes) == 1:
            return np.ones_like(found)
        return np.hstack([1.0 - found, found])

    def scores(self, found: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The score of each label, or of the greater class."""
        return found if self.classes is None else found[:, 0]

    @property
    def classes_(self) -> Any:
        """What scikit-learn calls the classes: the numbers of the labels.

        Up to two numbers would be taken for the classes of a single label, and scorers would look at one column only.
        So there it is the other form that scikit-learn knows: the classes 0 and 1 of each label.
        """
        if self.classes is not None:
            return self.classes
        return np.arange(self.count) if self.count > 2 else [np.array([0, 1])] * self.count


def two_classes(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The classes, of which there may be two."""
    if (kind := type_of_target(y)) == "multiclass":
        raise ValueError(f"Only binary classification is supported. The type of the target is {kind}. {_FOR_SETS}")
    return np.unique(y)


def check_zeros_and_ones(y: Any) -> None:
    """Fails unless everything stored is 0 or 1."""
    stored = y.data if is_sparse(y) else y
    if y.shape[1] == 0:
        raise ValueError("y must have at least one label, a column of zeros and ones")
    if stored.dtype.kind not in "biuf" or not np.isin(stored, (0, 1)).all():
        raise ValueError(f"labels must be zeros and ones. {_FOR_SETS}")


def checked_labels(Y: Any, name: str = "Y") -> Any:
    """A 0/1 matrix, n×q, dense or CSR."""
    Y = check_array(Y, accept_sparse="csr", input_name=name)
    check_zeros_and_ones(Y)
    return Y
