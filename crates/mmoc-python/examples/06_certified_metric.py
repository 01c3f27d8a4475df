"""The max-margin problem, and the certificate of its solution.

solve_metric takes label sets, their predictions by a regression, and the log-odds of classifiers. Any models can
provide them; here scikit-learn does. It finds the metric Q of label space in which the label set of each row is closer
to its prediction than other label sets are.

The problem is convex. Each iteration has an upper bound on the optimum (the objective at its metric) and a proven lower
bound. Where both agree, the metric is optimal. Here three algorithms solve the same problem. The lower bound of each
must not exceed the objective of any other.

The metric is easy to interpret. A photo shows one place. Removing the place or adding a second one is a longer distance
in Q than replacing the place by another, although the latter changes two labels and the former only one.
"""

import numpy as np
from mmoc import solve_metric
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.multiclass import OneVsRestClassifier

LABELS = ["room", "street", "beach", "forest", "people"]


def photos(rows, seed=0):
    """Noisy features of photos, and their labels: one of four places, and people."""
    rng = np.random.default_rng(seed)
    place = rng.integers(4, size=rows)
    people = rng.random(rows) < np.array([0.8, 0.6, 0.4, 0.1])[place]
    Y = np.column_stack([np.eye(4)[place], people]).astype(int)
    return Y @ rng.normal(size=(5, 12)) + 2 * rng.normal(size=(rows, 12)), Y


def distance(metric, one, other):
    """The squared distance of two label sets in the metric."""
    difference = np.isin(LABELS, one).astype(float) - np.isin(LABELS, other)
    return difference @ metric @ difference


def main():
    X, Y = photos(400)
    regressed = Ridge(alpha=10.0).fit(X, Y).predict(X)
    classifiers = OneVsRestClassifier(LogisticRegression())
    log_odds = cross_val_predict(classifiers, X, Y, cv=5, method="decision_function")

    print("algorithm      iterations  objective   lower bound   relative gap")
    records = []
    for solver in ("newton", "newton-cg", "cutting-plane"):
        metric, record = solve_metric(regressed, Y, log_odds, C=100, tol=1e-6, solver=solver)
        records.append(record)
        bounds = f"{record.objective:.6f}  {record.lower_bound:.6f}"
        print(f"{solver:14} {record.iterations:10}  {bounds}   {record.relative_gap:.1e}")
    highest, lowest = max(r.lower_bound for r in records), min(r.objective for r in records)
    print(f"no lower bound exceeds an objective: {highest <= lowest}")

    print("\nthe iterations of Newton's method")
    for k, found in enumerate(records[0].rounds):
        print(f"  {k:2}  {found.lower_bound:9.4f} <= optimum <= {found.objective:9.4f}")

    print("\nsquared distance from {beach} to")
    for other in (["street"], [], ["beach", "street"], ["beach", "people"]):
        print(f"  {{{', '.join(other)}}}".ljust(20), f"{distance(metric, ['beach'], other):8.3f}")


if __name__ == "__main__":
    main()
