"""A pipeline: cross-validation with several metrics, and a grid search over its parameters.

Places on a map lie in one of five rings around the centre of a town. From the third ring on they have a sixth label. No
linear model can separate rings by the two coordinates alone. A kernel approximation in front of the same estimator can.

The grid search then varies the width of the kernel, the number of directions of the code (None keeps all) and the label
sets to choose from: those of the training rows, or all. It selects by subset accuracy and also reports macro-F1.
Several combinations are about as good as the best. Those with a single direction and a wide kernel are the worst.
Finally the selected model is scored on new places.
"""

import numpy as np
from mmoc import MaxMarginOutputCoding
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

SCORERS = {"subset accuracy": "accuracy", "macro-F1": "f1_macro", "area under ROC": "roc_auc"}
GRID = {"kernel__gamma": [0.1, 0.3, 1.0], "code__projections": [1, 2, None], "code__candidates": ["seen", "all"]}


def places(rows, seed):
    """Coordinates, and the rings they are in. One in a hundred labels is missing."""
    rng = np.random.default_rng(seed)
    X = 30 * rng.normal(size=(rows, 2))
    ring = np.digitize(np.hypot(*X.T) + 5 * rng.normal(size=rows), [18, 30, 42, 57])
    labels = np.column_stack([np.eye(5)[ring], ring >= 2])
    return X, (labels * (rng.random(labels.shape) > 0.01)).astype(int)


def main():
    X, Y = places(400, seed=0)
    folds = KFold(4, shuffle=True, random_state=0)
    pipeline = Pipeline(
        [
            ("scale", StandardScaler()),
            ("kernel", Nystroem(gamma=1.0, n_components=40, random_state=0)),
            ("code", MaxMarginOutputCoding()),
        ]
    )

    print("cross-validated" + "".join(f"{name:>18}" for name in SCORERS))
    for name, model in (("coordinates", MaxMarginOutputCoding()), ("with a kernel", pipeline)):
        scores = cross_validate(model, X, Y, scoring=SCORERS, cv=folds)
        print(f"  {name:13}" + "".join(f"{scores[f'test_{metric}'].mean():18.3f}" for metric in SCORERS))

    search = GridSearchCV(pipeline, GRID, scoring=["accuracy", "f1_macro"], refit="accuracy", cv=folds).fit(X, Y)
    found = search.cv_results_
    order = np.argsort(found["rank_test_accuracy"])
    print("\nthe best and the worst combinations: subset accuracy, macro-F1")
    for k in [*order[:3], *order[-3:]]:
        chosen = ", ".join(f"{name.split('__')[1]} {value}" for name, value in found["params"][k].items())
        print(f"  {chosen:45} {found['mean_test_accuracy'][k]:.3f} {found['mean_test_f1_macro'][k]:.3f}")

    print(f"\nsubset accuracy of the best on new places: {search.score(*places(2000, seed=1)):.3f}")


if __name__ == "__main__":
    main()
