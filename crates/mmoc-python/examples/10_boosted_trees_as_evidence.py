"""Boosted trees as one more term of the posterior.

    python 10_boosted_trees_as_evidence.py [SEED]

A greenhouse reports which of its systems should run: heating, shading, watering, and an alarm. Whether a plant needs
water depends on warmth and moisture together, and temperatures are bad on both sides. Linear models cannot express
this. Boosted trees can, but they predict one label at a time.

- With linear terms alone, the method has the lowest subset accuracy.
- Boosted trees label by label are better, but some of their label sets never occur in the training rows.
- With the trees as a term beside the linear ones, subset accuracy is about the same or higher, and every predicted set
  is one of a training row. Weights are fitted to out-of-fold predictions, so trees that had memorised their rows would
  get little weight.

The pictures show where predicted label sets are wrong: linear terms also fail where it is very warm or very cold.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from mmoc import MaxMarginOutputCoding
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score
from sklearn.multioutput import MultiOutputClassifier

LINEAR = ["labels", "code", "frequency"]
BOOSTING = HistGradientBoostingClassifier(max_iter=30, random_state=0)


def greenhouse(rows, seed):
    """Warmth, moisture and sunlight, measured with noise, and the systems that should run."""
    rng = np.random.default_rng(seed)
    warmth, moisture, sun = rng.normal(size=(3, rows))
    heating = warmth < -0.5
    shading = (warmth > 0.5) & (sun > 0)
    watering = moisture < 0.5 * np.abs(warmth) - 0.3
    alarm = (np.abs(warmth) > 1.5) | (watering & shading)
    X = np.column_stack([warmth, moisture, sun]) + 0.2 * rng.normal(size=(rows, 3))
    return X, np.column_stack([heating, shading, watering, alarm]).astype(int)


def never_seen(predicted, Y):
    """The share of predicted label sets that no training row has."""
    known = {tuple(row) for row in Y}
    return np.mean([tuple(row) not in known for row in predicted])


def draw(X, wrong):
    """Where the label sets of each model are wrong."""
    _, axes = plt.subplots(1, len(wrong), figsize=(3.5 * len(wrong), 3.5), sharey=True, layout="constrained")
    for ax, (name, rows) in zip(axes, wrong.items(), strict=True):
        ax.scatter(*X[~rows, :2].T, s=4, color="lightgrey")
        ax.scatter(*X[rows, :2].T, s=4, color="crimson")
        ax.set(title=f"{name}: {rows.mean():.0%} wrong", xlabel="warmth")
    axes[0].set_ylabel("moisture")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    X, Y = greenhouse(600, seed)
    X_test, Y_test = greenhouse(2000, seed + 1)

    wrong = {}

    def report(name, model):
        predicted = model.fit(X, Y).predict(X_test)
        print(f"  {name:22} {accuracy_score(Y_test, predicted):.3f} {never_seen(predicted, Y):.3f}")
        wrong[name] = (predicted != Y_test).any(axis=1)
        return model

    print("subset accuracy, and share of label sets that no training row has")
    report("linear terms", MaxMarginOutputCoding(evidence=LINEAR, features="linear"))
    report("boosted trees", MultiOutputClassifier(BOOSTING))
    evidence = [*LINEAR, ("boosting", BOOSTING)]
    both = report("linear terms and trees", MaxMarginOutputCoding(evidence=evidence, features="linear"))

    print("weight of each term, and log-likelihood that is lost without it")
    for term in both.posterior_["terms"]:
        print(f"  {term['name']:22} {term['weight']:.2f} {term['worth']:.3f}")
    draw(X_test, wrong)
    plt.show()


if __name__ == "__main__":
    main()
