"""Plots of codes: their directions, their spectra, and the convergence of the max-margin solver.

A photo shows one place. All places but the room are outdoors. There may be people. In the plots of the codes a row is a
label and a column is a direction. Principal components start with what most labels have in common, canonical directions
with what the features predict best. The first direction of the max-margin code is a rule: streets, beaches and forests
against outdoors, and rooms with half the weight. Its value is about the same for all possible label sets and different
for impossible ones. The spectrum shows that few directions are needed. The others are numerical noise.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from mmoc import (
    CanonicalCorrelationCoding,
    MaxMarginOutputCoding,
    PrincipalLabelSpaceCoding,
    plot_code,
    plot_convergence,
    plot_spectrum,
)

LABELS = ["room", "street", "beach", "forest", "outdoors", "people"]
POSSIBLE = [["room"], ["room", "people"], ["street", "outdoors"], ["beach", "outdoors"], ["forest", "outdoors"]]
IMPOSSIBLE = [[], ["outdoors"], ["street"], ["street", "beach", "outdoors"]]


def photos(rows, seed=0):
    """Noisy features of photos, and their labels. One in a hundred labels is missing."""
    rng = np.random.default_rng(seed)
    place = rng.integers(4, size=rows)
    people = rng.random(rows) < np.array([0.8, 0.6, 0.4, 0.1])[place]
    shown = np.column_stack([np.eye(4)[place], place > 0, people])
    X = shown @ rng.normal(size=(6, 12)) + 2 * rng.normal(size=(rows, 12))
    seen = shown * (rng.random(shown.shape) > 0.01)
    return X, pd.DataFrame(seen.astype(int), columns=LABELS)


def draw(plot, models):
    """A figure with a plot of each model."""
    _, axes = plt.subplots(1, len(models), figsize=(4.5 * len(models), 3.5), layout="constrained")
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        plot(model, ax=ax).set_title(name)


def main():
    X, Y = photos(500)
    newton, planes = (MaxMarginOutputCoding(algorithm=name).fit(X, Y) for name in ("newton", "cutting-plane"))
    codes = {
        "principal components": PrincipalLabelSpaceCoding().fit(X, Y),
        "canonical directions": CanonicalCorrelationCoding().fit(X, Y),
        "max-margin": newton,
    }
    draw(plot_code, codes)
    draw(plot_spectrum, codes)
    draw(plot_convergence, {"Newton": newton, "cutting planes": planes})

    kept = newton.projections_.shape[1]
    print(f"the max-margin code keeps {kept} directions for {len(LABELS)} labels; values of the first direction:")
    direction = newton.projections_[:, 0] / np.abs(newton.projections_[:, 0]).max()
    for labels in POSSIBLE + IMPOSSIBLE:
        print(f"  {', '.join(labels) or 'nothing':26} {np.isin(LABELS, labels) @ direction:5.2f}")
    plt.show()


if __name__ == "__main__":
    main()
