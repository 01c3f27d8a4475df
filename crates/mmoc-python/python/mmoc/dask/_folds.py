"""The folds of a fit on Dask."""

from typing import Any

import distributed
import numpy as np
import numpy.typing as npt

from .._estimator import check_count
from .._seed import RandomState, seed
from ._client import used_client
from ._partitions import Partitions
from ._training import rows_of


def folds(
    X: Any, y: Any, n_folds: int = 5, random_state: RandomState = 0, client: distributed.Client | None = None
) -> npt.NDArray[np.int64]:
    """The folds that a fit on Dask uses.

    The fold of a row follows from its features and labels, not from its partition. A local estimator fits the same
    model to all rows if it is given these folds:
    ``mmoc.BinaryRelevance().fit(X, y, folds=mmoc.dask.folds(X_dask, y_dask))``.

    Parameters
    ----------
    X : Dask array, Dask DataFrame, or list of delayed objects or futures
        Features.
    y : the same
        Labels.
    n_folds : int, default=5
        The parameter ``folds`` of the estimator.
    random_state : int or RandomState, default=0
        The parameter ``random_state`` of the estimator.
    client : distributed.Client, optional
        As in the estimators.

    Returns
    -------
    ndarray of int64 of shape (n,)
        The fold of each row, from 0, in the order of partitions.
    """
    check_count("n_folds", n_folds)
    partitions, drawn = Partitions.of(X, y), seed(random_state)
    with used_client(client) as used, rows_of(used, partitions) as rows:
        return rows.folds(int(n_folds), drawn)
