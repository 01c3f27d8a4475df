"""Plots of codes: their directions, their spectra, and the convergence of the max-margin solver.

    python 07_looking_at_a_code.py [FOLDER]

writes three PNG files to the folder, or to a temporary one.

A photo shows one place. All places but the room are outdoors. There may be people. In the plots of the codes a row is a
label and a column is a direction. Principal components start with what most labels have in common, canonical directions
with what the features predict best. The first direction of the max-margin code is a rule: streets, beaches and forests
against outdoors, and rooms with half the weight. Its value is about the same for all possible label sets and different
for impossible ones. The spectrum shows that few directions are needed. The others are numerical noise.
"""

import sys
import tempfile
from pathlib import Path

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


def draw(plot, models, path):
    """Writes one file with a plot of each model."""
    figure, axes = plt.subplots(1, len(models), figsize=(4.5 * len(models), 3.5), layout="constrained")
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        plot(model, ax=ax).set_title(name)
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(f"wrote {path}")


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="mmoc-"))
    folder.mkdir(parents=True, exist_ok=True)
    X, Y = photos(500)
    newton, planes = (MaxMarginOutputCoding(algorithm=name).fit(X, Y) for name in ("newton", "cutting-plane"))
    codes = {
        "principal components": PrincipalLabelSpaceCoding().fit(X, Y),
        "canonical directions": CanonicalCorrelationCoding().fit(X, Y),
        "max-margin": newton,
    }
    draw(plot_code, codes, folder / "codes.png")
    draw(plot_spectrum, codes, folder / "spectra.png")
    draw(plot_convergence, {"Newton": newton, "cutting planes": planes}, folder / "convergence.png")

    kept = newton.projections_.shape[1]
    print(f"\nthe max-margin code keeps {kept} directions for {len(LABELS)} labels; values of the first direction:")
    direction = newton.projections_[:, 0] / np.abs(newton.projections_[:, 0]).max()
    for labels in POSSIBLE + IMPOSSIBLE:
        print(f"  {', '.join(labels) or 'nothing':26} {np.isin(LABELS, labels) @ direction:5.2f}")


if __name__ == "__main__":
    main()
