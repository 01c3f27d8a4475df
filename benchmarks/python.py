"""The whole method compared with scikit-learn and CVXPY: `MaxMarginOutputCoding().fit`, and a script without it.

The peer does on the same rows what ours does by default: classifiers by `LogisticRegressionCV`, their out-of-fold
log-odds by `cross_val_predict`, regressions by `RidgeCV`, the metric by the paper's cutting planes with CVXPY and
Clarabel, label sets by enumeration. There is a straightforward implementation and one tuned for speed. Its metric is
checked against ours on the same problem, and its subset accuracy against ours on the remaining rows.

The parts of our side are measured alone: `BinaryRelevance`, `PrincipalLabelSpaceCoding`, `solve_metric`. The whole
takes less than their sum, since they share a factorisation.

Run it with `benchmarks/run python`, which builds mmoc and sets up Python.
"""

import itertools
import os
import statistics
import sys
import time
import warnings
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import clarabel
import cvxpy
import mmoc
import numpy as np
import scipy.sparse as sp
import sklearn
from max_margin import cutting_plane, pose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge, RidgeCV
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_predict
from sklearn.multioutput import MultiOutputClassifier
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

FILES = {
    "scene": ["scene-train.arff", "scene-test.arff"],
    "emotions": ["emotions.arff"],
    "medical": ["medical.arff"],
}
PARTS = ["classifiers", "ridge", "metric", "fit"]
TRAINING_ROWS = 300
SPLITS = 3
# Ours is short, so it is repeated, and the median counts.
REPETITIONS = 7

# The default parameters of the method. Penalties are relative to the scatter of the features.
CLASSIFIER_PENALTIES = np.logspace(0, -6, 13)
RIDGE_PENALTIES = np.logspace(1, -6, 15)
FOLDS = 5
PENALTY_FACTOR = 5
C = 1e6
RANK_TOLERANCE = 1e-3

JOBS = 2
# The straightforward peer: label after label with `n_jobs`, the default solver, nothing else.
PLAIN_SOLVER = "lbfgs"
# And tuned for speed. What made it faster:
# - labels in parallel in two processes, instead of the folds of each label;
# - the faster of two solvers in each split: lbfgs is the default, liblinear also penalises the intercept;
PEER_SOLVERS = ["lbfgs", "liblinear"]
# - one thread for matrix products, which are too small for two;
# - a gap of ten times ours, and masters solved no more accurately than that needs (see `max_margin.py`).
PEER_GAP = 1e-5

# Larger differences of mean subset accuracy would mean different methods.
FEW_POINTS = 0.03

warnings.simplefilter("ignore", ConvergenceWarning)
# medical names its labels in two places.
warnings.filterwarnings("ignore", message=".*the labels are those of")


class Peer:
    """The method as a script over scikit-learn and CVXPY."""

    def __init__(self, solver, *, tuned=True):
        self.solver = solver
        self.tuned = tuned
        self.seconds = defaultdict(float)

    @contextmanager
    def timed(self, part):
        start = time.perf_counter()
        yield
        self.seconds[part] += time.perf_counter() - start

    def fit(self, x, y):
        with threadpool_limits(1 if self.tuned else None), self.timed("fit"):
            self.scaler = StandardScaler() if abs(x).max() > 1 else FunctionTransformer()
            x = self.scaler.fit_transform(x)
            with self.timed("classifiers"):
                log_odds = self.fit_classifiers(x, y)
            with self.timed("ridge"):
                predictions = regressed_labels(x, y)
            with self.timed("metric"):
                self.problem = predictions, y, log_odds
                self.solution = cutting_plane(pose(*self.problem, C), PEER_GAP)
                self.projections = projections_of(self.solution["metric"])
            with self.timed("ridge"):
                self.regressions = ridge(x, y @ self.projections)
        return self

    def fit_classifiers(self, x, y):
        """Returns the out-of-fold log-odds at the chosen penalties."""
        search = LogisticRegressionCV(
            Cs=1 / (scatter(x) * CLASSIFIER_PENALTIES),
            cv=FOLDS,
            scoring="neg_log_loss",
            solver=self.solver,
            l1_ratios=(0,),
            use_legacy_attributes=False,
        )
        if self.tuned:
            self.classifiers = MultiOutputClassifier(search, n_jobs=JOBS).fit(x, y).estimators_
        else:
            self.classifiers = [clone(search).set_params(n_jobs=JOBS).fit(x, label) for label in y.T]
        chosen = [LogisticRegression(C=model.C_, solver=self.solver) for model in self.classifiers]
        held_out = Parallel(n_jobs=JOBS)(
            delayed(cross_val_predict)(model, x, label, cv=FOLDS, method="decision_function")
            for model, label in zip(chosen, y.T, strict=True)
        )
        return np.column_stack(held_out)

    def predict(self, x):
        """The label sets of minimum energy (15), by enumeration."""
        x = self.scaler.transform(x)
        log_odds = np.column_stack([model.decision_function(x) for model in self.classifiers])
        noise = -self.regressions.best_score_
        codes = np.array(list(itertools.product((0, 1), repeat=log_odds.shape[1])))
        evidence = self.regressions.predict(x) / noise @ self.projections.T + log_odds
        squares = ((codes @ self.projections) ** 2 / noise).sum(axis=1)
        return codes[np.argmin(squares / 2 - evidence @ codes.T, axis=1)]


def scatter(x):
    """The trace of XᵀX after centring."""
    squares = x.multiply(x) if sp.issparse(x) else x**2
    return squares.sum() - x.shape[0] * np.square(x.mean(axis=0)).sum()


def ridge(x, targets):
    """A penalty for each target by leave-one-out; its mean squared error is the noise."""
    return RidgeCV(scatter(x) * RIDGE_PENALTIES, alpha_per_target=True).fit(x, targets)


def regressed_labels(x, y):
    return Ridge(PENALTY_FACTOR * ridge(x, y).alpha_).fit(x, y).predict(x)


def projections_of(metric):
    values, vectors = np.linalg.eigh(metric)
    kept = values >= RANK_TOLERANCE * values.max()
    return vectors[:, kept] * np.sqrt(values[kept])


def paper_set(folder, name):
    """A data set as in the paper: of medical the ten most frequent labels, without rows that have none of them."""
    x, y = mmoc.read([Path(folder) / file for file in FILES[name]])
    if name == "medical":
        frequent = np.argsort(-y.sum(axis=0), kind="stable")[:10]
        some = y[:, frequent].any(axis=1)
        x, y = x[some], y[some][:, frequent]
    return x, y


def middle_seconds(work):
    """The median of several repetitions."""

    def seconds():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return statistics.median(seconds() for _ in range(REPETITIONS))


def our_seconds(x, y, problem):
    ways = {
        "classifiers": lambda: mmoc.BinaryRelevance().fit(x, y),
        "ridge": lambda: mmoc.PrincipalLabelSpaceCoding().fit(x, y),
        "metric": lambda: mmoc.solve_metric(*problem, C=C),
        "fit": lambda: mmoc.MaxMarginOutputCoding().fit(x, y),
    }
    return {part: middle_seconds(way) for part, way in ways.items()}


def difference_of_objectives(peer):
    """Relative, on the problem of the peer; fails if a metric is better than the other side's bound."""
    assert peer.solution["relative_gap"] <= PEER_GAP, "the peer did not reach its gap"
    record = mmoc.solve_metric(*peer.problem, C=C).record
    # Both are sums of a few hundred rounded terms.
    assert peer.solution["objective"] >= record.lower_bound * (1 - 1e-12), "peer below our lower bound"
    assert record.objective >= peer.solution["lower_bound"] * (1 - 1e-12), "ours below the peer's lower bound"
    return abs(peer.solution["objective"] / record.objective - 1)


class Split(NamedTuple):
    """One split of a data set: times of the parts, and the checks that both sides do the same."""

    ours: dict
    theirs: dict
    plain: float
    solver: str
    accuracies: tuple
    difference: float

    def ratio(self, part):
        return self.theirs[part] / self.ours[part]

    def plain_ratio(self):
        return self.plain / self.ours["fit"]


def compare(x, y, seed):
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:TRAINING_ROWS], order[TRAINING_ROWS:]
    peers = [Peer(solver).fit(x[train], y[train]) for solver in PEER_SOLVERS]
    peer = min(peers, key=lambda peer: peer.seconds["fit"])
    plain = Peer(PLAIN_SOLVER, tuned=False).fit(x[train], y[train])
    model = mmoc.MaxMarginOutputCoding().fit(x[train], y[train])
    return Split(
        ours=our_seconds(x[train], y[train], peer.problem),
        theirs=peer.seconds,
        plain=plain.seconds["fit"],
        solver=peer.solver,
        accuracies=tuple(accuracy_score(y[test], side.predict(x[test])) for side in (model, peer)),
        difference=difference_of_objectives(peer),
    )


def show_times(name, splits):
    for part in PARTS:
        ours = statistics.median(split.ours[part] for split in splits)
        theirs = statistics.median(split.theirs[part] for split in splits)
        ratio = statistics.median(split.ratio(part) for split in splits)
        print(f"{name:<10}{part:<14}{1e3 * ours:>9.2f}{1e3 * theirs:>11.1f}{ratio:>8.1f}", flush=True)
    plain = statistics.median(split.plain for split in splits)
    ratio = statistics.median(split.plain_ratio() for split in splits)
    print(f"{name:<10}{'fit, plain':<14}{1e3 * ours:>9.2f}{1e3 * plain:>11.1f}{ratio:>8.1f}", flush=True)


def agreement(name, splits):
    """The checks that both sides do the same; fails if they do not."""
    ours, theirs = np.mean([split.accuracies for split in splits], axis=0)
    assert abs(ours - theirs) <= FEW_POINTS, f"{name}: subset accuracy {ours:.3f}, peer {theirs:.3f}"
    return (
        f"{name}: subset accuracy {ours:.3f}, peer {theirs:.3f}; objectives differ by at most "
        f"{max(split.difference for split in splits):.1e} (relative); the peer is fastest with "
        f"{', '.join(split.solver for split in splits)}"
    )


def main():
    _, data = sys.argv[1:]
    print(
        f"scikit-learn {sklearn.__version__}, cvxpy {cvxpy.__version__}, clarabel {clarabel.__version__}, "
        f"numpy {np.__version__}; {TRAINING_ROWS} training rows; {os.cpu_count()} cores; medians of {SPLITS} splits"
    )
    print(f"\n{'set':<10}{'part':<14}{'ours ms':>9}{'theirs ms':>11}{'ratio':>8}")
    notes = []
    for name in FILES:
        x, y = paper_set(data, name)
        # The first run starts the peer's processes, and is not counted.
        _, *splits = [compare(x, y, seed) for seed in range(SPLITS + 1)]
        show_times(name, splits)
        notes.append(agreement(name, splits))
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
