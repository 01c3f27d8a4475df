"""Features and label sets in the form that the library takes without a copy."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

# Row offsets and label numbers of label sets.
Pattern = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]

# Missing cells are filled in by the library, from the training rows.
ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": np.float64,
    "order": "C",
    "ensure_all_finite": "allow-nan",
}


def canonical(X: Any) -> Any:
    """The same matrix, a copy only if it is sparse and its rows are unsorted or name columns twice."""
    if not is_sparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def is_sparse(matrix: Any) -> bool:
    """Whether it is one of SciPy's sparse matrices or arrays."""
    return bool(sp.issparse(matrix))


def indicator(y: Any) -> Any:
    """Label sets of a 0/1 matrix, n×q: where the ones are."""
    if not is_sparse(y):
        return np.ascontiguousarray(y != 0)
    ones = canonical(y.tocsr()).astype(bool)
    ones.eliminate_zeros()
    return ones


def label_array(pattern: Pattern, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """The 0/1 matrix of label sets, n×q."""
    offsets, members = pattern
    rows = len(offsets) - 1
    labels = np.zeros((rows, count), dtype=dtype)
    labels[np.repeat(np.arange(rows), np.diff(offsets)), members] = 1
    return labels


def label_matrix(pattern: Pattern, count: int, dtype: npt.DTypeLike) -> Any:
    """The same as CSR."""
    offsets, members = pattern
    ones = np.ones(len(members), dtype=dtype)
    return sp.csr_matrix((ones, members, offsets), shape=(len(offsets) - 1, count))
