"""Features and label sets in the forms that the library uses without a copy."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ._sparse import check_sparse

# Label sets as row offsets and label indices.
Pattern = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]

# The library replaces NaN by column means of the training rows.
ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": np.float64,
    "order": "C",
    "ensure_all_finite": "allow-nan",
}


def canonical(X: Any) -> Any:
    """The same matrix. A sparse matrix with unsorted or duplicate indices is copied."""
    check_sparse(X, "X")
    if not is_sparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def is_sparse(matrix: Any) -> bool:
    """Whether it is a SciPy sparse matrix or array."""
    return bool(sp.issparse(matrix))


def indicator(y: Any) -> Any:
    """The positions of the ones in a 0/1 matrix, n×q."""
    if not is_sparse(y):
        return np.ascontiguousarray(y != 0)
    ones = canonical(y.tocsr()).astype(bool)
    ones.eliminate_zeros()
    return ones


def label_array(pattern: Pattern, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Label sets as a dense 0/1 matrix, n×q."""
    offsets, members = pattern
    rows = len(offsets) - 1
    labels = np.zeros((rows, count), dtype=dtype)
    labels[np.repeat(np.arange(rows), np.diff(offsets)), members] = 1
    return labels


def label_matrix(pattern: Pattern, count: int, dtype: npt.DTypeLike) -> Any:
    """Label sets as a sparse 0/1 matrix, n×q."""
    offsets, members = pattern
    ones = np.ones(len(members), dtype=dtype)
    return sp.csr_matrix((ones, members, offsets), shape=(len(offsets) - 1, count))
