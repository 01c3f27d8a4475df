"""The max-margin problem by itself, and what is certain about its solution.

solve_metric takes label sets, what is regressed for them, and the log-odds of classifiers: of any models, here of
scikit-learn. It finds the metric Q of label space in which the label set of each row is nearer to its regression than
others are.

The problem is convex. Each iteration has an upper bound of the least value, the objective at its metric, and a lower
bound that no metric can fall below. Where they meet, the solution is certain, whoever found it: here three algorithms,
each of whose bounds must lie below the objectives of the others.

The metric can be read. Photos show one place. To leave out the place of a photo or to name a second one is a longer way
in Q than to take another place for it, although the latter changes two labels and the former one.
"""

import numpy as np
from mmoc import solve_metric
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.multiclass import OneVsRestClassifier

LABELS = ["room", "street", "beach", "forest", "people"]


def photos(rows, seed=0):
    """Features that blur what a photo shows, and its labels: one of four places, and people."""
    rng = np.random.default_rng(seed)
    place = rng.integers(4, size=rows)
    people = rng.random(rows) < np.array([0.8, 0.6, 0.4, 0.1])[place]
    Y = np.column_stack([np.eye(4)[place], people]).astype(int)
    return Y @ rng.normal(size=(5, 12)) + 2 * rng.normal(size=(rows, 12)), Y


def distance(metric, one, other):
    """How far two label sets are apart."""
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
    print(f"no bound lies above any objective: {highest <= lowest}")

    print("\nNewton's way, one round after the other")
    for k, found in enumerate(records[0].rounds):
        print(f"  {k:2}  {found.lower_bound:9.4f} <= least value <= {found.objective:9.4f}")

    print("\nhow far {beach} is from")
    for other in (["street"], [], ["beach", "street"], ["beach", "people"]):
        print(f"  {{{', '.join(other)}}}".ljust(20), f"{distance(metric, ['beach'], other):8.3f}")


if __name__ == "__main__":
    main()
