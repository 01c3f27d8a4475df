"""Predictions as Dask collections. Nothing is computed before somebody asks for it."""

from operator import itemgetter
from typing import Any
from uuid import uuid4

import dask.array as da
import dask.dataframe as dd
import numpy as np
import scipy.sparse as sp
from dask import delayed
from dask.array.dispatch import concatenate_lookup
from dask.delayed import Delayed

from .._features import is_sparse
from ._blocks import Blocks
from ._partitions import check_features
from ._predicted import as_frame, model_task, of_block, of_rows, predicted

_ROWS, _COLUMNS = "i", "k"
# Names of the other dimensions of results.
_OTHER = "jl"


def _joined_arrays(arrays: Any, axis: int = 0) -> Any:
    return sp.csr_array(sp.vstack(arrays) if axis == 0 else sp.hstack(arrays))


# Releases of Dask before 2025 can join sparse matrices, but not sparse arrays.
if concatenate_lookup.dispatch(sp.csr_array) is concatenate_lookup.dispatch(object):
    concatenate_lookup.register(sp.csr_array, _joined_arrays)


def lazily(model: Any, X: Any, method: str, options: dict[str, Any]) -> Any:
    """What a method of a fitted local estimator returns for a collection, as a collection of the same kind.

    Results are arrays for arrays, and a list of delayed objects for a list. For a DataFrame they are a DataFrame with a
    column for each label, a Series if there is one number for each row, and arrays otherwise.
    """
    check_features(X)
    if not isinstance(X, (da.Array, dd.DataFrame)):
        return _each(model_task(model), Blocks.of(X, "X"), method, options)
    example = of_rows(model, method, options, _no_rows(X))
    if isinstance(example, list):
        # Lists of Python objects are no arrays.
        return _each(model_task(model), Blocks.of(X, "X"), method, options)
    if isinstance(X, da.Array):
        return _array(model_task(model), X, method, options, example)
    if isinstance(example, tuple) or is_sparse(example):
        return _arrays_of_frame(_each(model_task(model), Blocks.of(X, "X"), method, options), example)
    return _frame(model, X, method, options)


def _no_rows(X: Any) -> Any:
    """No rows with the columns of a collection. What these cannot be used for is an error at once."""
    if isinstance(X, dd.DataFrame):
        return X._meta
    return type(X._meta)((0, X.shape[1])) if is_sparse(X._meta) else np.empty((0, X.shape[1]))


def _each(model: Delayed, blocks: Blocks, method: str, options: dict[str, Any]) -> list[Delayed]:
    task, token = delayed(predicted, pure=False), uuid4().hex
    return [
        task(model, method, options, *own, dask_key_name=(f"mmoc-{_words(method)}-{token}", number))
        for number, own in enumerate(blocks.partitions)
    ]


def _array(model: Delayed, X: da.Array, method: str, options: dict[str, Any], example: Any) -> Any:
    """One array, or several of which one task makes a chunk each."""
    if not isinstance(example, tuple):
        return _blockwise(of_block, f"mmoc-{_words(method)}", X, model, example, method=method, options=options)
    together = _blockwise(
        of_block, f"mmoc-{_words(method)}", X, model, np.empty(0, dtype=object), method=method, options=options
    )
    return tuple(
        _of_shape(da.blockwise, itemgetter(place), f"mmoc-{_words(method)}-{place}", own, together, _ROWS)
        for place, own in enumerate(example)
    )


def _blockwise(function: Any, name: str, X: da.Array, model: Delayed, example: Any, **options: Any) -> da.Array:
    return _of_shape(
        da.blockwise, function, name, example, X, _ROWS + _COLUMNS, model, None, concatenate=False, **options
    )


def _of_shape(blockwise: Any, function: Any, name: str, example: Any, *arguments: Any, **options: Any) -> da.Array:
    """An array with the rows of the first argument, and the type and other dimensions of an example."""
    others = _OTHER[: example.ndim - 1]
    found: da.Array = blockwise(
        function,
        _ROWS + others,
        *arguments,
        new_axes=dict(zip(others, example.shape[1:], strict=True)),
        dtype=example.dtype,
        meta=example,
        token=name,
        **options,
    )
    return found


def _arrays_of_frame(tasks: list[Delayed], example: Any) -> Any:
    """Arrays of unknown chunk sizes."""
    if isinstance(example, tuple):
        several = [[task[place] for task in tasks] for place in range(len(example))]
        return tuple(_joined(own, form) for own, form in zip(several, example, strict=True))
    return _joined(tasks, example)


def _joined(tasks: list[Delayed], example: Any) -> da.Array:
    shape = (np.nan, *example.shape[1:])
    chunks = [da.from_delayed(task, shape, dtype=example.dtype, meta=example) for task in tasks]
    joined: da.Array = da.concatenate(chunks, axis=0, allow_unknown_chunksizes=True)
    return joined


def _frame(model: Any, X: dd.DataFrame, method: str, options: dict[str, Any]) -> Any:
    labels = [str(name) for name in model.label_names_]
    example = as_frame(model, method, options, labels, X._meta)
    task, shared, token = delayed(as_frame, pure=False), model_task(model), uuid4().hex
    blocks = [
        task(shared, method, options, labels, block, dask_key_name=(f"mmoc-{_words(method)}-{token}", number))
        for number, block in enumerate(X.to_delayed())
    ]
    return dd.from_delayed(blocks, meta=example, divisions=X.divisions, verify_meta=False)


def _words(method: str) -> str:
    return method.replace("_", "-")
