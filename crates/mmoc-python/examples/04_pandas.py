"""Tables: named columns, named labels, missing cells, and columns that do not fit.

What is in a dish is guessed from what a laboratory measures. A dish has meat or fish or is vegetarian, and only what is
vegetarian can be vegan. Some cells were not measured: NaN stands for them, and becomes the mean of its column.

An estimator that was fitted on DataFrames knows the names of features and labels, and refuses a table whose columns are
others or in another order. Predictions are arrays; a line makes a table of them.
"""

import numpy as np
import pandas as pd
from mmoc import MaxMarginOutputCoding

LABELS = ["meat", "fish", "vegetarian", "vegan"]
# What a laboratory finds on average in dishes of meat, of fish, vegetarian and vegan ones.
MEASURED = {
    "protein": (26, 24, 13, 10),
    "fat": (18, 10, 14, 8),
    "fibre": (3, 3, 7, 10),
    "iodine": (6, 40, 15, 5),
    "calcium": (60, 80, 260, 110),
}


def dishes(rows, seed):
    """A table of measurements with gaps, and a table of labels."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(4, size=rows)
    names = [f"dish {seed}-{k}" for k in range(rows)]
    means = np.array(list(MEASURED.values()), dtype=float).T[kind]
    measured = means * rng.lognormal(sigma=0.45, size=means.shape)
    measured[rng.random(means.shape) < 0.05] = np.nan
    labels = np.column_stack([kind == 0, kind == 1, kind >= 2, kind == 3]).astype(int)
    return pd.DataFrame(measured, names, list(MEASURED)), pd.DataFrame(labels, names, LABELS)


def refusal(model, X):
    """What the model says about a table that does not fit."""
    try:
        model.predict(X)
    except ValueError as error:
        return "\n".join(f"  {line}" for line in str(error).strip().splitlines())
    return "  nothing"


def main():
    X, Y = dishes(400, seed=0)
    new, true = dishes(1000, seed=1)
    print(f"{X.isna().sum().sum()} of {X.size} cells were not measured")

    model = MaxMarginOutputCoding().fit(X, Y)
    print("features", *model.feature_names_in_)
    print("labels  ", *model.label_names_)

    predicted = pd.DataFrame(model.predict(new), new.index, model.label_names_)
    likely = pd.DataFrame(model.predict_proba(new), new.index, model.label_names_)
    print("\npredicted\n", predicted.head(3), "\n\nhow likely\n", likely.head(3).round(2), sep="")
    print(f"\nwhole sets right: {(predicted == true).all(axis=1).mean():.3f}")
    print(f"vegan but not vegetarian: {(predicted.vegan > predicted.vegetarian).sum()}")

    print("\na column has another name:", refusal(model, new.rename(columns={"fat": "lipids"})), sep="\n")
    print("\nthe columns are in another order:", refusal(model, new[new.columns[::-1]]), sep="\n")
    print("\nwith the columns of the model:", refusal(model, new.assign(price=9.5)[model.feature_names_in_]), sep="\n")


if __name__ == "__main__":
    main()
