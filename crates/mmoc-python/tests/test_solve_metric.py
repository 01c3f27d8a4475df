"""The max-margin problem: comparison with CVXPY, properties of the solution, inputs and outputs.

CVXPY solves the dual problems, each with one linear matrix inequality, scaled so that the optimum is F/C. The variables
of the relaxed problem are points of the cube, those of the exact problem are weights of all its corners.

Two tolerances add up. Ours is the certified gap, at most ``OURS`` relative to the objective. Clarabel gets a tolerance
of ``ASKED`` for the gap and the infeasibilities, relative to the larger of the optimum and one. It measures
infeasibilities in other norms, so its optimum is trusted to ``THEIRS``, ten times that tolerance.
"""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mmoc import solve_metric
from sklearn.exceptions import ConvergenceWarning

OURS, THEIRS, ASKED = 1e-6, 1e-8, 1e-9
# The relative difference of sums that are computed in different order.
ROUNDING = 1e-12
SOLVERS = ["newton", "newton-cg", "cutting-plane"]
# The share of the labels in the predictions, and their noise: nearly correct, realistic, worthless.
QUALITIES = [(1.0, 0.02), (0.5, 0.2), (0.0, 1.0)]


class Problem(NamedTuple):
    predictions: np.ndarray
    labels: np.ndarray
    log_odds: np.ndarray | None
    C: float

    @property
    def residuals(self):
        return self.predictions - self.labels

    @property
    def gains(self):
        return 1 - 2 * self.labels + (0 if self.log_odds is None else self.log_odds)

    @property
    def residual_variance(self):
        """The unit of the metric, so that CVXPY gets numbers near one."""
        return np.mean(self.residuals**2) + 1 / (2 * self.C)

    def objective(self, metric, slacks):
        return np.trace(metric) / 2 + self.C * slacks.mean()


def random_problem(seed, rows=(8, 31)):
    """2 to 12 correlated labels, predictions of each quality, with or without log-odds, C from 0.01 to a million."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(*rows), 2 + seed % 11
    signal = rng.normal(size=shape) + rng.normal(size=(shape[0], 1))
    labels = (signal + 0.5 * rng.normal(size=shape) > 0.5).astype(int)
    share, noise = QUALITIES[seed % 3]
    predictions = 0.3 + share * (labels - 0.3) + noise * rng.normal(size=shape)
    log_odds = 2 * signal - 1 if seed % 2 else None
    return Problem(predictions, labels, log_odds, C=10.0 ** rng.integers(-2, 7))


def few_labels(most):
    """The seeds of problems with at most that many labels."""
    return [seed for seed in range(50) if 2 + seed % 11 <= most]


def on_face(metric, linear, deltas, free):
    """The deltas with the free labels moved to where the gradient along them is zero."""
    slope = linear[:, free] - 2 * deltas[:, ~free] @ metric[np.ix_(~free, free)]
    deltas[:, free] = np.linalg.lstsq(2 * metric[np.ix_(free, free)], slope.T, rcond=None)[0].T
    return deltas


def most_violated(problem, metric, states):
    """The slack of each row, from all faces of the cube: each label is at 0, at 1, or (2) free between them.

    Points outside of the cube are clipped. So no face exceeds the slack, and one of them attains it.
    """
    linear = 2 * problem.residuals @ metric + problem.gains
    lower, upper = -problem.labels, 1 - problem.labels
    slacks = np.zeros(len(lower))
    for face in itertools.product(states, repeat=lower.shape[1]):
        deltas = np.where(np.array(face) == 1, upper, lower).astype(float)
        deltas = np.clip(on_face(metric, linear, deltas, np.array(face) == 2), lower, upper)
        slacks = np.maximum(slacks, ((linear - deltas @ metric) * deltas).sum(axis=1))
    return slacks


def slow_objective(problem, metric, separation="relaxed"):
    states = (0, 1, 2) if separation == "relaxed" else (0, 1)
    return problem.objective(metric, most_violated(problem, metric, states))


def optimum_by_clarabel(program):
    program.solve(solver="CLARABEL", tol_gap_abs=ASKED, tol_gap_rel=ASKED, tol_feas=ASKED)
    assert program.status == "optimal"
    return program.value


def relaxed_by_cvxpy(problem):
    """The largest gain of a Δ in its box with (E − Δ)ᵀ(E − Δ) ⪯ EᵀE + (n/2C)I, and the price of that, the metric."""
    cp = pytest.importorskip("cvxpy")
    n, q = problem.labels.shape
    unit = problem.residual_variance
    delta = cp.Variable((n, q))
    residuals = problem.residuals
    allowed = (residuals.T @ residuals / n + np.eye(q) / (2 * problem.C)) / unit
    moved = (residuals - delta) / np.sqrt(n * unit)
    smaller = cp.bmat([[allowed, moved.T], [moved, np.eye(n)]]) >> 0
    gain = cp.sum(cp.multiply(problem.gains, delta)) / n
    box = [delta >= -problem.labels, delta <= 1 - problem.labels]
    optimum = optimum_by_clarabel(cp.Problem(cp.Maximize(gain), [smaller, *box]))
    return problem.C * optimum, nearest_semidefinite(smaller.dual_value[:q, :q] / unit)


def exact_by_cvxpy(problem):
    """The largest gain of weights of the corners, at most one a row, at which a metric costs more than it is worth."""
    cp = pytest.importorskip("cvxpy")
    n, q = problem.labels.shape
    unit = problem.residual_variance
    corners = np.array(list(itertools.product((0, 1), repeat=q)))
    deltas = corners[None] - problem.labels[:, None]
    gains = (problem.gains[:, None] * deltas).sum(axis=2)
    products = (2 * problem.residuals[:, None] - deltas)[:, :, :, None] * deltas[:, :, None, :]
    slopes = (products + products.swapaxes(2, 3)).reshape(-1, q * q) / 2
    weights = cp.Variable(gains.shape, nonneg=True)
    slope = cp.reshape(slopes.T @ cp.vec(weights, order="C"), (q, q), order="C") / n
    rising = (np.eye(q) / (2 * problem.C) + slope) / unit >> 0
    gain = cp.sum(cp.multiply(gains, weights)) / n
    return problem.C * optimum_by_clarabel(cp.Problem(cp.Maximize(gain), [rising, cp.sum(weights, axis=1) <= 1]))


def nearest_semidefinite(matrix):
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def assert_is_metric(matrix):
    np.testing.assert_allclose(matrix, matrix.T, rtol=0, atol=ROUNDING * np.trace(matrix))
    assert np.linalg.eigvalsh(matrix)[0] >= -ROUNDING * np.trace(matrix)


def assert_encloses(record, optimum, problem):
    """The optimum is between our bounds, which are as near to each other as was asked for."""
    assert 0 <= record.objective - record.lower_bound <= OURS * record.objective
    margin = THEIRS * max(optimum, problem.C)
    assert record.lower_bound - margin <= optimum <= record.objective + margin


@pytest.mark.parametrize("seed", range(50))
def test_the_optimum_is_that_of_cvxpy(seed):
    problem = random_problem(seed)
    metric, record = solve_metric(*problem)
    assert record.converged
    assert_is_metric(metric)
    assert_encloses(record, relaxed_by_cvxpy(problem)[0], problem)


@pytest.mark.parametrize("seed", few_labels(most=6))
def test_the_metric_of_cvxpy_is_as_good(seed):
    problem = random_problem(seed)
    _, record = solve_metric(*problem)
    assert_encloses(record, slow_objective(problem, relaxed_by_cvxpy(problem)[1]), problem)


@pytest.mark.parametrize("seed", few_labels(most=6))
def test_exact_separation_is_that_of_all_corners(seed):
    problem = random_problem(seed, rows=(6, 13))
    metric, record = solve_metric(*problem, separation="exact")
    assert record.converged
    assert record.objective == pytest.approx(slow_objective(problem, metric, "exact"), rel=ROUNDING)
    assert_encloses(record, exact_by_cvxpy(problem), problem)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", few_labels(most=5))
def test_the_objective_is_that_of_the_metric(seed, solver):
    problem = random_problem(seed)
    metric, record = solve_metric(*problem, solver=solver)
    assert_is_metric(metric)
    assert record.objective == pytest.approx(slow_objective(problem, metric), rel=ROUNDING)
    assert record.relative_gap == pytest.approx(1 - record.lower_bound / record.objective, abs=ROUNDING)


@pytest.mark.parametrize("separation", ["relaxed", "exact"])
@pytest.mark.parametrize("seed", few_labels(most=4))
def test_no_metric_undercuts_the_bound(seed, separation):
    problem = random_problem(seed)
    found, record = solve_metric(*problem, separation=separation)
    rng = np.random.default_rng(seed)
    for size in 10.0 ** np.arange(-8, 3):
        noise = rng.normal(size=found.shape) / np.sqrt(problem.residual_variance)
        elsewhere = nearest_semidefinite(found * (1 + size * rng.normal()) + size * noise @ noise.T)
        assert slow_objective(problem, elsewhere, separation) >= record.lower_bound * (1 - ROUNDING)


@pytest.mark.parametrize("seed", few_labels(most=7))
def test_all_solvers_agree(seed):
    problem = random_problem(seed)
    records = {solver: solve_metric(*problem, solver=solver).record for solver in SOLVERS}
    for solver, record in records.items():
        assert record.algorithm == solver
        assert record.relative_gap <= OURS
    for one, other in itertools.permutations(records.values(), 2):
        assert one.objective >= other.lower_bound * (1 - ROUNDING)


@pytest.mark.filterwarnings("ignore:the max-margin problem was not solved to the gap")
@pytest.mark.parametrize("seed", few_labels(most=5))
def test_gradient_steps_enclose_the_least_value_more_loosely(seed):
    problem = random_problem(seed, rows=(120, 160))
    newton = solve_metric(*problem).record
    metric, record = solve_metric(*problem, solver="primal-dual", tol=1e-2)
    assert_is_metric(metric)
    assert record.algorithm == "primal-dual"
    assert record.converged == (record.relative_gap <= 1e-2)
    value = slow_objective(problem, metric)
    assert value * (1 - ROUNDING) <= record.objective <= value * 1.01
    assert record.objective >= newton.lower_bound * (1 - ROUNDING)
    assert record.lower_bound <= newton.objective * (1 + ROUNDING)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_record_has_the_way_to_the_result(solver):
    record = solve_metric(*random_problem(7), solver=solver).record
    bounds = [round_.lower_bound for round_ in record.rounds]
    assert bounds == sorted(bounds)
    assert bounds[-1] == record.lower_bound
    objectives = [round_.objective for round_ in record.rounds]
    # Conjugate gradients end at a centre, whose objective need not be the lowest one.
    assert record.objective == (objectives[-1] if solver == "newton-cg" else min(objectives))
    assert all((round_.constraints is None) == solver.startswith("newton") for round_ in record.rounds)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_gap_that_is_not_reached_is_a_warning(solver):
    with pytest.warns(ConvergenceWarning, match="not solved to the requested gap") as caught:
        metric, record = solve_metric(*random_problem(7), solver=solver, max_iterations=1)
    assert caught[0].filename == __file__
    assert not record.converged
    assert record.termination == "iteration_limit"
    assert record.iterations == 1
    assert metric.shape == (9, 9)


def test_a_solution_has_names_and_comes_apart():
    solution = solve_metric(*random_problem(1))
    metric, record = solution
    assert metric is solution.metric
    assert record is solution.record


@pytest.mark.parametrize(
    "form",
    [
        sp.csr_matrix,
        sp.coo_array,
        sp.csc_array,
        pd.DataFrame,
        np.asfortranarray,
        lambda labels: labels.tolist(),
        lambda labels: labels == 1,
        lambda labels: labels.astype(float),
    ],
    ids=["csr", "coo", "csc", "frame", "column by column", "lists", "bool", "float"],
)
def test_labels_of_any_form_give_the_same_metric(form):
    problem = random_problem(7)
    expected = solve_metric(*problem)
    metric, record = solve_metric(*problem._replace(labels=form(problem.labels)))
    np.testing.assert_array_equal(metric, expected.metric)
    assert record == expected.record


@pytest.mark.parametrize("form", [pd.DataFrame, np.asfortranarray, lambda numbers: numbers.tolist()])
def test_numbers_of_any_form_give_the_same_metric(form):
    predictions, labels, log_odds, C = random_problem(7)
    metric, _ = solve_metric(form(predictions), labels, form(log_odds), C)
    np.testing.assert_array_equal(metric, solve_metric(predictions, labels, log_odds, C).metric)


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_make_no_difference(solver):
    problem = random_problem(7, rows=(200, 300))
    one, two = (solve_metric(*problem, solver=solver, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.metric.tobytes() == two.metric.tobytes()
    assert one.record == two.record


def with_one(numbers, value):
    changed = numbers.astype(float)
    changed[2, 1] = value
    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: {"predictions": p.predictions[1:]}, r"inconsistent numbers of samples: \[28, 29, 29\]"),
        (lambda p: {"log_odds": p.log_odds[1:]}, r"inconsistent numbers of samples: \[29, 29, 28\]"),
        (lambda p: {"predictions": p.predictions[:, 1:]}, "columns of .*: expected 9, found 8"),
        (lambda p: {"log_odds": p.log_odds[:, 1:]}, "columns of log-odds: expected 9, found 8"),
        (lambda p: {"labels": p.labels[:, 0]}, "Expected 2D array, got 1D array"),
        (lambda p: {"labels": with_one(p.labels, 2)}, "zeros and ones"),
        (lambda p: {"labels": with_one(p.labels, 0.5)}, "zeros and ones"),
        (lambda p: {"labels": sp.csr_matrix(2 * p.labels)}, "zeros and ones"),
        (lambda p: {"labels": with_one(p.labels, np.nan)}, "labels contains NaN"),
        (lambda p: {"predictions": with_one(p.predictions, np.nan)}, "predictions contains NaN"),
        (lambda p: {"predictions": with_one(p.predictions, np.inf)}, "predictions contains infinity"),
        (lambda p: {"log_odds": with_one(p.log_odds, np.nan)}, "log_odds contains NaN"),
        (lambda p: {"C": 0}, "C must be a positive number, not 0"),
        (lambda p: {"C": np.nan}, "C must be a positive number, not NaN"),
    ],
)
def test_a_problem_that_is_none_is_a_clear_error(change, message):
    problem = random_problem(7)
    with pytest.raises(ValueError, match=message):
        solve_metric(*problem._replace(**change(problem)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tol": 0}, "from 1e-12 to 0.5, not 0"),
        ({"tol": 0.6}, "from 1e-12 to 0.5, not 0.6"),
        ({"tol": np.nan}, "from 1e-12 to 0.5, not NaN"),
        ({"solver": "simplex"}, "one of auto, newton, newton-cg, primal-dual, cutting-plane, not 'simplex'"),
        ({"separation": "corner"}, "separation must be one of relaxed, exact, not 'corner'"),
        ({"separation": "exact", "solver": "newton"}, "cutting-plane or auto for exact separation, not newton"),
        ({"n_jobs": 0}, "n_jobs must be .* other than 0, not 0"),
    ],
)
def test_a_parameter_out_of_range_is_a_clear_error(parameters, message):
    with pytest.raises(ValueError, match=message):
        solve_metric(*random_problem(7), **parameters)
