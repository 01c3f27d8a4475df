"""Binary relevance on bibtex compared with scikit-learn's one-vs-rest, at one penalty and with cross-validation.

Both minimise Σ log-loss + ½α‖w‖² for each label. Ours and lbfgs do not penalise the intercept. liblinear does, with a
penalty that `intercept_scaling` reduces: it runs with its defaults, and with a scaling of 100 at the tolerance that
brings the objective of every label to within 10⁻⁶ of ours. The objective with a free intercept is evaluated at all
solutions; its relative excess over ours is given as the median and the maximum over labels.

At one penalty: `BinaryRelevance(penalty=…)`, which fits one regression per label like the peer, and the same with
`estimates="always"`, which fits five folds for each besides; the column of regressions says how many each side does.
Processor seconds are for one job.

With cross-validation: our default, 13 penalties by the log-loss of five folds, and `LogisticRegressionCV` with the
same penalties, number of folds and criterion, with labels in parallel in two processes. Folds differ: ours are the same
for all labels and stratified by all of them, those of the peer by each label. Scores are of the test file.

The sides alternate, and the fastest run of each counts; long runs are not repeated. Two jobs of liblinear are
threads or running processes, whichever is faster. The peer's matrix products have one thread.

--labels K takes every (159/K)th label for the cross-validation, where the peer takes long; --fixed-labels K does so
for the fits at one penalty.

Usage: benchmarks/run binary_relevance [--labels K] [--fixed-labels K] [--costs 0.1,1,10] [--rounds N]
                                       [--parts fixed,cv]
"""

import argparse
import itertools
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import mmoc
import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

JOBS = (1, 2)
BACKENDS = ("threading", "loky")
TOLERANCES = [10.0**-power for power in range(4, 11)]
# Objectives within this relative difference count as equal.
SAME = 1e-6
INTERCEPT_SCALING = 100.0
MOST_STEPS = 10_000
# Longer runs are not repeated.
LONG_SECONDS = 30.0
# Our defaults, relative to the scatter of the features.
PENALTIES = np.logspace(0, -6, 13)
FOLDS = 5

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    x: Any
    y: Labels

    @classmethod
    def read(cls, path: Path) -> "Rows":
        x, y = mmoc.read(path)
        return cls(x, y)

    def with_labels(self, count: int) -> "Rows":
        """Evenly spaced labels, `count` of them."""
        labels = self.y.shape[1]
        return Rows(self.x, self.y[:, np.arange(min(count, labels)) * labels // min(count, labels)])

    def scatter(self) -> float:
        """The trace of XᵀX after centring."""
        return float(self.x.multiply(self.x).sum() - self.x.shape[0] * np.square(self.x.mean(axis=0)).sum())


@dataclass(frozen=True)
class Side:
    """A way to fit all labels."""

    name: str
    make: Callable[[int], Any]  # of the number of jobs
    backends: tuple[str, ...] = ("threading",)

    def fit(self, train: Rows, jobs: int, backend: str) -> tuple[Any, float, float]:
        """The model, its wall-clock seconds, and the processor seconds of this process."""
        model = self.make(jobs)
        with joblib.parallel_config(backend), threadpool_limits(1):
            start, processors = time.perf_counter(), time.process_time()
            model.fit(train.x, train.y)
            return model, time.perf_counter() - start, time.process_time() - processors


def ours(train: Rows, alpha: float, estimates: str) -> Side:
    penalty = alpha / train.scatter()
    return Side(
        "ours" if estimates == "never" else "ours, with estimates",
        lambda jobs: mmoc.BinaryRelevance(penalty=penalty, estimates=estimates, scaling="none", n_jobs=jobs),
    )


def theirs(alpha: float, solver: str, tolerance: float, scaling: float = 1.0) -> Side:
    regression = LogisticRegression(
        C=1 / alpha, solver=solver, tol=tolerance, intercept_scaling=scaling, max_iter=MOST_STEPS
    )
    scaled = f", intercept scaling {scaling:g}" if scaling != 1 else ""
    return Side(
        f"{solver}, tolerance {tolerance:.0e}{scaled}",
        lambda jobs: OneVsRestClassifier(regression, n_jobs=jobs),
        # lbfgs runs in Python, where threads block each other.
        BACKENDS if solver == "liblinear" else ("loky",),
    )


def coefficients(model: Any) -> tuple[Floats, Floats]:
    """The coefficients of all labels, q×p, and the intercepts."""
    if isinstance(model, OneVsRestClassifier):
        own = model.estimators_
        return np.vstack([one.coef_[0] for one in own]), np.array([one.intercept_[0] for one in own])
    return model.coef_, model.intercept_


def regressions(model: Any) -> int:
    """The number of fitted regressions; fails if some of ours did not converge."""
    if isinstance(model, OneVsRestClassifier):
        return len(model.estimators_)
    record = model.record_["logistic"]
    assert record["converged"] == record["regressions"], "some of our regressions did not converge"
    return record["regressions"]


def objectives(model: Any, train: Rows, alpha: float) -> Floats:
    """The objective of each label, without a penalty on the intercept."""
    weights, intercepts = coefficients(model)
    log_odds = train.x @ weights.T + intercepts
    losses = np.logaddexp(0.0, log_odds) - train.y * log_odds
    return losses.sum(axis=0) + 0.5 * alpha * np.square(weights).sum(axis=1)


def above(model: Any, train: Rows, alpha: float, least: Floats) -> Floats:
    return objectives(model, train, alpha) / least - 1


def as_exact(train: Rows, alpha: float, least: Floats, solver: str, scaling: float) -> Side:
    """The peer at the tolerance at which its objectives equal ours, or else at the last one."""
    for tolerance in TOLERANCES:
        side = theirs(alpha, solver, tolerance, scaling)
        model, *_ = side.fit(train, JOBS[-1], side.backends[0])
        if above(model, train, alpha, least).max() <= SAME:
            break
    return side


def fixed_sides(train: Rows, alpha: float, least: Floats) -> list[Side]:
    tight = [as_exact(train, alpha, least, "liblinear", INTERCEPT_SCALING), as_exact(train, alpha, least, "lbfgs", 1.0)]
    plain = [theirs(alpha, solver, TOLERANCES[0]) for solver in ("liblinear", "lbfgs")]
    own = [ours(train, alpha, estimates) for estimates in ("never", "always")]
    sides = [*own, plain[0], tight[0], plain[1], tight[1]]
    return list({side.name: side for side in sides}.values())


class Runs:
    """The fastest run of each side with one job and with two, and its model; the sides alternate."""

    def __init__(self, sides: list[Side], train: Rows, rounds: int) -> None:
        self.seconds: dict[tuple[str, int], float] = {}
        self.processors: dict[str, float] = {}
        self.models: dict[str, Any] = {}
        for _ in range(rounds):
            for side, jobs in itertools.product(sides, JOBS):
                for backend in side.backends if jobs > 1 else side.backends[:1]:
                    self.add(side, train, jobs, backend)

    def add(self, side: Side, train: Rows, jobs: int, backend: str) -> None:
        known = self.seconds.get((side.name, jobs), math.inf)
        if not LONG_SECONDS < known < math.inf:
            self.models[side.name], took, processors = side.fit(train, jobs, backend)
            self.seconds[side.name, jobs] = min(known, took)
            if jobs == 1:
                self.processors[side.name] = min(self.processors.get(side.name, math.inf), processors)

    def of(self, side: Side) -> list[float]:
        """Seconds with one job and with two."""
        return [self.seconds[side.name, jobs] for jobs in JOBS]


def compare_fixed(train: Rows, cost: float, rounds: int) -> Iterator[list[str]]:
    """Rows of the table for one penalty."""
    alpha = 1 / cost
    model, *_ = ours(train, alpha, "never").fit(train, JOBS[-1], BACKENDS[0])
    least = objectives(model, train, alpha)
    sides = fixed_sides(train, alpha, least)
    runs = Runs(sides, train, rounds)
    for side in sides:
        seconds = runs.of(side)
        model = runs.models[side.name]
        differences = above(model, train, alpha, least)
        ratios = [f"{took / own:.2f}" for took, own in zip(seconds, runs.of(sides[0]), strict=True)]
        yield [
            f"{cost:g}",
            side.name,
            str(regressions(model)),
            *(f"{value:.2f}" for value in (runs.processors[side.name], *seconds)),
            f"{1e3 * seconds[-1] / regressions(model):.1f}",
            *ratios,
            *(f"{value:.0e}" for value in (np.median(differences), differences.max())),
        ]


def table(rows: list[list[str]]) -> str:
    heading, *rest = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([heading, "|---" * len(rows[0]) + "|", *rest])


def show_fixed(train: Rows, costs: list[float], rounds: int) -> None:
    print(f"\nOne common penalty, α = 1/C, {train.y.shape[1]} labels:\n")
    heading = ["C", "", "regressions", "processor s", "1 job, s", "2 jobs, s", "ms per regression"]
    heading += ["ratio to ours, 1 job", "2 jobs", "objective above ours, median", "largest"]
    rows = [row for cost in costs for row in compare_fixed(train, cost, rounds)]
    print(table([heading, *rows]), flush=True)


def fit_one(x: Any, label: Labels, costs: Floats) -> LogisticRegressionCV:
    model = LogisticRegressionCV(
        Cs=costs,
        cv=FOLDS,
        scoring="neg_log_loss",
        solver="liblinear",
        max_iter=MOST_STEPS,
        l1_ratios=(0,),
        use_legacy_attributes=False,
    )
    return model.fit(x, label)


def fit_chosen(train: Rows, costs: Floats) -> tuple[list[LogisticRegressionCV], float]:
    start = time.perf_counter()
    models = Parallel(n_jobs=JOBS[-1])(delayed(fit_one)(train.x, label, costs) for label in train.y.T)
    return models, time.perf_counter() - start


def scores(test: Rows, found: Labels) -> list[str]:
    return [
        f"{accuracy_score(test.y, found):.4f}",
        f"{f1_score(test.y, found, average='macro', zero_division=0):.4f}",
        f"{f1_score(test.y, found, average='micro', zero_division=0):.4f}",
    ]


def show_chosen(train: Rows, test: Rows, rounds: int) -> None:
    """Penalties by cross-validation."""
    labels, scatter = train.y.shape[1], train.scatter()
    side = Side("ours", lambda jobs: mmoc.BinaryRelevance(scaling="none", n_jobs=jobs))
    runs = Runs([side], train, rounds)
    model, (alone, together) = runs.models[side.name], runs.of(side)
    peers, seconds = fit_chosen(train, 1 / (scatter * PENALTIES))
    chosen = np.log10(model.classifier_penalties_), np.log10([1 / (scatter * float(peer.C_)) for peer in peers])
    steps = np.rint(2 * (chosen[0] - chosen[1]))
    assert np.allclose(2 * chosen[0], np.rint(2 * chosen[0])), "our penalties differ from those of the peer"
    predicted = np.column_stack([peer.predict(test.x) for peer in peers])
    print(f"\nPenalties by cross-validation, {labels} labels, 2 jobs:\n")
    rows = [
        ["", "seconds", "ratio", "subset accuracy", "macro-F1", "micro-F1"],
        ["ours", f"{together:.2f}", "", *scores(test, model.predict(test.x))],
        ["`LogisticRegressionCV`", f"{seconds:.2f}", f"{seconds / together:.1f}", *scores(test, predicted)],
    ]
    print(table(rows))
    same, near = np.mean(steps == 0), np.mean(abs(steps) <= 1)
    print(
        f"\nWith one job ours takes {alone:.2f} s. The same penalty is chosen for {same:.0%} of the "
        f"labels, the same or the next one for {near:.0%}.",
        flush=True,
    )


def start_processes() -> None:
    """Starts the peer's processes before the measurements."""
    Parallel(n_jobs=JOBS[-1])(delayed(LogisticRegression.get_params)(LogisticRegression()) for _ in range(4))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Binary relevance on bibtex compared with scikit-learn.")
    parser.add_argument("binary", help="not used")
    parser.add_argument("data", type=Path, help="folder of bibtex-train.arff")
    parser.add_argument("--labels", type=int, default=20, help="labels in the cross-validation (%(default)s)")
    parser.add_argument("--fixed-labels", type=int, default=159, help="labels in fits at one penalty (%(default)s)")
    parser.add_argument("--costs", default="0.1,1,10", help="C (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side (%(default)s)")
    parser.add_argument("--parts", default="fixed,cv", help="subset of %(default)s")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    warnings.simplefilter("ignore", ConvergenceWarning)
    train, test = (Rows.read(options.data / f"bibtex-{part}.arff") for part in ("train", "test"))
    print(
        f"bibtex, {train.x.shape[0]} × {train.x.shape[1]}, {train.y.shape[1]} labels; mmoc {mmoc.__version__}, "
        f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}; {os.cpu_count()} cores; "
        f"fastest of {options.rounds}"
    )
    start_processes()
    if "fixed" in options.parts.split(","):
        costs = [float(cost) for cost in options.costs.split(",")]
        show_fixed(train.with_labels(options.fixed_labels), costs, options.rounds)
    if "cv" in options.parts.split(","):
        show_chosen(train.with_labels(options.labels), test.with_labels(options.labels), options.rounds)


if __name__ == "__main__":
    main()
