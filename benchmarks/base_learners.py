"""Base learners compared with scikit-learn: times, objectives and held-out losses, on the same rows and folds.

Run it with `benchmarks/run base_learners`, which builds mmoc and sets up Python.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeCV
from sklearn.model_selection import PredefinedSplit

SETS = ["emotions", "scene", "medical"]
ROUNDS = 3
warnings.simplefilter("ignore", ConvergenceWarning)


def ours(binary, data, name, folder, repetitions):
    """Our side: times measured inside the program, rows and results from its files."""
    command = [binary, data, name, folder, str(repetitions)]
    about = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    n, p, q = about["rows"], about["columns"], about["labels"]
    k = len(about["logistic_penalties"])

    def read(file, shape):
        return np.fromfile(Path(folder) / file).reshape(shape)

    coefficients = read("coefficients", (k, p + 1, q))
    return {
        **about,
        "x": read("x", (n, p)),
        "y": read("y", (n, q)),
        "folds": read("folds", n).astype(int),
        "losses": read("losses", (k, q)),
        "w": coefficients,
    }


def seconds(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def logistic_cv(x, y, penalties, folds, jobs):
    """The straightforward peer: one LogisticRegressionCV per label with default parameters."""
    models = []
    for j in range(y.shape[1]):
        model = LogisticRegressionCV(
            Cs=1 / np.array(penalties),
            cv=PredefinedSplit(folds),
            scoring="neg_log_loss",
            l1_ratios=(0,),
            use_legacy_attributes=False,
            n_jobs=jobs,
        )
        models.append(model.fit(x, y[:, j]))
    return models


def ridge_cv(x, y, penalties):
    return RidgeCV(penalties, alpha_per_target=True).fit(x, y)


def objective(x, y, w, b, alpha):
    margin = x @ w + b
    return (np.logaddexp(0, margin) - y * margin).sum() + alpha / 2 * w @ w


def objectives(run):
    """The largest relative excess of our objective over theirs, over labels and penalties, for fits to all rows."""
    worst = -np.inf
    for k, alpha in enumerate(run["logistic_penalties"]):
        for j in range(run["labels"]):
            y = run["y"][:, j]
            peer = LogisticRegression(C=1 / alpha).fit(run["x"], y)
            theirs = objective(run["x"], y, peer.coef_[0], peer.intercept_[0], alpha)
            mine = objective(run["x"], y, run["w"][k, :-1, j], run["w"][k, -1, j], alpha)
            worst = max(worst, mine / theirs - 1)
    return worst


def compare(binary, data, name):
    """Alternates the two sides, so that load affects both, and keeps the fastest run of each."""
    best = {}

    def keep(key, value):
        best[key] = min(best.get(key, np.inf), value)

    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            run = ours(binary, data, name, folder, 10)
            keep("logistic", run["logistic_seconds"])
            keep("ridge", run["ridge_seconds"])
            forms = {"dense": run["x"]}
            if name == "medical":
                forms["sparse"] = scipy.sparse.csr_matrix(run["x"])
            for form, x in forms.items():
                for jobs in [None, 2]:
                    took, _ = seconds(lambda: logistic_cv(
                        x, run["y"], run["logistic_penalties"], run["folds"], jobs))
                    keep(f"logistic peer {form}", took)
                for _ in range(10):
                    took, _ = seconds(lambda: ridge_cv(x, run["y"], run["ridge_penalties"]))
                    keep(f"ridge peer {form}", took)
    return best, objectives(run), run["record"]


def main():
    binary, data = sys.argv[1:]
    print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}; 300 training rows; {os.cpu_count()} cores")
    header = f"{'set':<10}{'task':<28}{'ours ms':>9}{'theirs ms':>11}{'ratio':>8}"
    print(f"\n{header}")
    notes = []
    for name in SETS:
        best, worst, record = compare(binary, data, name)
        for key, theirs in sorted(best.items()):
            task, _, form = key.partition(" peer ")
            if form:
                mine = best[task]
                label = f"{task}, peer {form}"
                print(f"{name:<10}{label:<28}{1e3 * mine:>9.2f}{1e3 * theirs:>11.2f}{theirs / mine:>8.1f}")
        notes.append(
            f"{name}: our objective is at most {worst:+.1e} above theirs (relative, worst label and penalty); "
            f"{record['converged']} of {record['regressions']} regressions converged, "
            f"worst gradient {record['worst_gradient']:.1e}"
        )
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
