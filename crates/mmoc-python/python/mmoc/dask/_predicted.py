"""Predictions of one partition, as tasks make them."""

import pickle
from typing import Any

import dask
import numpy as np
import pandas as pd
from dask import delayed
from dask.delayed import Delayed

from .._features import is_sparse
from .._names import in_order
from .._refusals import explained
from .._targets import share_correct
from .._weights import weights_of_rows
from ._frames import is_frame
from ._parts import check_rows, joined, naming_partition, side_by_side


def model_task(estimator: Any) -> Delayed:
    """A fitted local estimator as one task, on which the tasks of all partitions depend."""
    content = pickle.dumps(estimator, protocol=5)
    key = f"mmoc-model-{dask.base.tokenize(content)}"
    task: Delayed = delayed(pickle.loads, pure=False)(content, dask_key_name=key)
    return task


def predicted(model: Any, method: str, options: dict[str, Any], *blocks: Any) -> Any:
    """What the estimator predicts for a partition. Features come as blocks of columns."""
    return of_rows(model, method, options, side_by_side(blocks, "X"))


def of_rows(model: Any, method: str, options: dict[str, Any], X: Any) -> Any:
    """What the estimator predicts for some rows, of which there may be none."""
    if X.shape[0]:
        return getattr(model, method)(X, **options)
    # Estimators refuse no rows. One row says what the result looks like.
    found = getattr(model, method)(_one_row(X), **options)
    return tuple(own[:0] for own in found) if isinstance(found, tuple) else found[:0]


def of_block(block: Any, model: Any, method: str, options: dict[str, Any]) -> Any:
    """The same for a block of an array, or for a list of blocks beside each other."""
    return predicted(model, method, options, *(block if isinstance(block, list) else [block]))


def as_frame(model: Any, method: str, options: dict[str, Any], labels: list[str], frame: Any) -> Any:
    """The same as a table with the index of the rows: a column for each label, or one number for each row."""
    values = of_rows(model, method, options, frame)
    if values.ndim == 1:
        return pd.Series(values, index=frame.index, name=method)
    return pd.DataFrame(values, index=frame.index, columns=labels)


def correct(
    model: Any, decide: str | None, number: int, x_blocks: int, y_blocks: int, *blocks: Any
) -> tuple[float, float]:
    """The weight of the rows whose label set is predicted correctly, and that of all rows."""
    with naming_partition(number):
        X, y, weights = joined(x_blocks, y_blocks, blocks)
        check_rows(X, y)
        if weights is not None:
            X, y, weights = _with_weight(X, y, weights)
        if X.shape[0] == 0:
            return 0.0, 0.0
        true = in_order(y, model._targets.names)
        with explained(y=true):
            right = share_correct(true, model.predict(X, decide), model._targets, weights, normalize=False)
    return right, float(X.shape[0] if weights is None else weights.sum())


def _with_weight(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The rows of positive weight. In one partition there may be none."""
    weights = weights_of_rows(sample_weight, X.shape[0])
    counts = weights > 0.0
    if counts.all():
        return X, y, weights
    return X[counts], y[counts], weights[counts]


def _one_row(X: Any) -> Any:
    if is_frame(X):
        return pd.DataFrame(np.zeros((1, X.shape[1])), columns=X.columns)
    zeros = np.zeros((1, X.shape[1]))
    return type(X)(zeros) if is_sparse(X) else zeros
