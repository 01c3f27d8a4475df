"""Checks of sparse matrices before SciPy, which trusts their indices and would read outside of the arrays."""

from typing import Any

import numpy as np
import scipy.sparse as sp


def check_sparse(matrix: Any, name: str) -> None:
    """Fails if the index arrays of a sparse matrix do not fit its shape. Other data is not looked at."""
    if not sp.issparse(matrix):
        return
    fault = _fault(matrix)
    if fault is not None:
        raise ValueError(f"{name} is not a valid sparse matrix: {fault}")


def _fault(matrix: Any) -> str | None:
    if matrix.format in ("csr", "csc", "bsr"):
        return _fault_of_compressed(matrix)
    if matrix.format == "coo":
        return _fault_of_coordinates(matrix)
    # The other formats have no arrays of indices that conversions trust.
    return None


def _fault_of_compressed(matrix: Any) -> str | None:
    indptr, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    height, width = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    rows, columns = matrix.shape[0] // height, matrix.shape[-1] // width
    major, minor = (columns, rows) if matrix.format == "csc" else (rows, columns)
    for array, what in ((indptr, "indptr"), (indices, "indices")):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            return f"{what} must be a one-dimensional array of integers"
    if len(indptr) != major + 1:
        return f"indptr must have {major + 1} entries for the shape {matrix.shape}, not {len(indptr)}"
    if indptr[0] != 0:
        return f"indptr must begin with 0, not {indptr[0]}"
    if (indptr[1:] < indptr[:-1]).any():
        return "indptr must not decrease"
    stored = int(indptr[-1])
    held = min(len(indices), len(matrix.data))
    if stored > held:
        return f"indptr ends with {stored}, but only {held} values are stored"
    return _fault_of_indices("indices", indices[:stored], minor)


def _fault_of_coordinates(matrix: Any) -> str | None:
    axes = {"row": matrix.row, "col": matrix.col}
    for (what, indices), size in zip(axes.items(), matrix.shape, strict=True):
        if len(indices) != len(matrix.data):
            return f"{what} must have {len(matrix.data)} entries, one for each stored value, not {len(indices)}"
        fault = _fault_of_indices(what, np.asarray(indices), size)
        if fault is not None:
            return fault
    return None


def _fault_of_indices(what: str, indices: Any, size: int) -> str | None:
    if len(indices) == 0 or (indices.min() >= 0 and indices.max() < size):
        return None
    wrong = indices.min() if indices.min() < 0 else indices.max()
    return f"{what} must be from 0 to {size - 1}, not {wrong}"
