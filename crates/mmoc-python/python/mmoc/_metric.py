"""The max-margin problem."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_consistent_length

from . import _native
from ._features import indicator
from ._names import in_order, split_label_names
from ._records import SolverRecord
from ._targets import checked_labels
from ._threads import threads


class MetricSolution(NamedTuple):
    """A metric of label space, and the record of the solver."""

    metric: npt.NDArray[np.float64]
    record: SolverRecord


def solve_metric(
    predictions: Any,
    labels: Any,
    log_odds: Any = None,
    C: float = 1e6,
    tol: float | None = None,
    solver: str = "auto",
    *,
    separation: str = "relaxed",
    max_iterations: int = 200,
    n_jobs: int | None = None,
) -> MetricSolution:
    """Solves the max-margin problem (31), or (25) without log-odds, to a certified gap.

    ::

        F(Q) = ½ tr Q + (C/n) Σᵢ hᵢ(Q),   Q ⪰ 0
        hᵢ(Q) = max over z in [0, 1]^q of  (2Qeᵢ + gᵢ)ᵀ(z − yᵢ) − (z − yᵢ)ᵀQ(z − yᵢ)
        eᵢ = ŷᵢ − yᵢ,   gᵢ = (1 − 2yᵢ) + log-oddsᵢ

    Parameters
    ----------
    predictions : array of shape (n, q)
        ŷ, the labels as predicted by a regression on the features.
    labels : array or sparse matrix of shape (n, q)
        y, zeros and ones. Of DataFrames, the columns are matched by name.
    log_odds : array of shape (n, q), optional
        log p̂₁/p̂₀ of classifiers. Without them problem (25) is solved.
    C : float
        The weight of the slack variables.
    tol : float, optional
        The relative gap to stop at, from 1e-12 to 0.5. ``None`` means 1e-6 for up to 24 labels, 1e-4 for up to 256, and
        1e-2 for more.
    solver : {"auto", "newton", "newton-cg", "primal-dual", "cutting-plane"}
        The algorithm. ``auto`` chooses by the number of labels, the number of rows and the gap. ``primal-dual`` is for
        very many labels and gaps of about 1e-2.
    separation : {"relaxed", "exact"}
        Whether z is any point of the unit cube, or one of its corners (27).
    max_iterations : int
        The largest number of Newton steps, of cutting-plane rounds, or of rounds of 20 primal-dual steps.
    n_jobs : int, optional
        The number of threads. ``None`` uses all cores.

    Returns
    -------
    MetricSolution
        ``metric``, Q of shape (q, q), and ``record``, a :class:`SolverRecord`.

    Warns
    -----
    ConvergenceWarning
        If the requested gap was not reached. The record has the gap that was reached.

    Examples
    --------
    >>> import numpy as np
    >>> from mmoc import solve_metric
    >>> Y = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> metric, record = solve_metric(0.2 + 0.6 * Y, Y, C=100)
    >>> record.relative_gap <= 1e-6
    True
    """
    labels, names = split_label_names(labels, "labels")
    predictions = in_order(predictions, names, "predictions")
    predictions = check_array(predictions, dtype=np.float64, order="C", input_name="predictions")
    labels = checked_labels(labels, "labels")
    if log_odds is not None:
        log_odds = in_order(log_odds, names, "log_odds")
        log_odds = check_array(log_odds, dtype=np.float64, order="C", input_name="log_odds")
    check_consistent_length(predictions, labels, log_odds)
    if max_iterations < 1:
        raise ValueError(f"max_iterations must be at least 1, not {max_iterations}")
    metric, record, warning = _native.solve_metric(
        predictions,
        indicator(labels),
        log_odds,
        c=C,
        gap=tol,
        solver=solver,
        separation=separation,
        max_iterations=max_iterations,
        threads=threads(n_jobs),
    )
    if warning is not None:
        warnings.warn(warning, ConvergenceWarning, stacklevel=2)
    return MetricSolution(metric, SolverRecord.from_json(record))
