"""DataFrames: named columns, named labels, missing values, and columns that do not match.

The kind of a dish is predicted from laboratory measurements. A dish has meat, has fish or is vegetarian. Only
vegetarian dishes can be vegan. Some measurements are missing. NaN marks them, and they are replaced by the mean of
their column.

An estimator fitted on DataFrames stores the names of features and labels. It refuses a table with other feature names
or with features in another order. Labels are matched by name. Predictions are arrays, which one line turns into a
DataFrame.
"""

import numpy as np
import pandas as pd
from mmoc import MaxMarginOutputCoding

LABELS = ["meat", "fish", "vegetarian", "vegan"]
# The mean measurements of dishes with meat, with fish, vegetarian and vegan.
MEASURED = {
    "protein": (26, 24, 13, 10),
    "fat": (18, 10, 14, 8),
    "fibre": (3, 3, 7, 10),
    "iodine": (6, 40, 15, 5),
    "calcium": (60, 80, 260, 110),
}


def dishes(rows, seed):
    """A table of measurements with missing values, and a table of labels."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(4, size=rows)
    names = [f"dish {seed}-{k}" for k in range(rows)]
    means = np.array(list(MEASURED.values()), dtype=float).T[kind]
    measured = means * rng.lognormal(sigma=0.45, size=means.shape)
    measured[rng.random(means.shape) < 0.05] = np.nan
    labels = np.column_stack([kind == 0, kind == 1, kind >= 2, kind == 3]).astype(int)
    return pd.DataFrame(measured, names, list(MEASURED)), pd.DataFrame(labels, names, LABELS)


def refusal(model, X):
    """The error for a table that does not match."""
    try:
        model.predict(X)
    except ValueError as error:
        return "\n".join(f"  {line}" for line in str(error).strip().splitlines())
    return "  accepted"


def main():
    X, Y = dishes(400, seed=0)
    new, true = dishes(1000, seed=1)
    print(f"{X.isna().sum().sum()} of {X.size} values are missing")

    model = MaxMarginOutputCoding().fit(X, Y)
    print("features", *model.feature_names_in_)
    print("labels  ", *model.label_names_)

    predicted = pd.DataFrame(model.predict(new), new.index, model.label_names_)
    likely = pd.DataFrame(model.predict_proba(new), new.index, model.label_names_)
    print("\npredicted\n", predicted.head(3), "\n\nprobabilities\n", likely.head(3).round(2), sep="")
    print(f"\nsubset accuracy: {model.score(new, true):.3f}")
    print(f"with the labels in another order: {model.score(new, true[LABELS[::-1]]):.3f}")
    print(f"vegan but not vegetarian: {(predicted.vegan > predicted.vegetarian).sum()}")

    print("\na column with another name:", refusal(model, new.rename(columns={"fat": "lipids"})), sep="\n")
    print("\ncolumns in another order:", refusal(model, new[new.columns[::-1]]), sep="\n")
    larger = new.assign(price=9.5)
    print("\nthe columns of the model, from a larger table:", refusal(model, larger[model.feature_names_in_]), sep="\n")


if __name__ == "__main__":
    main()
