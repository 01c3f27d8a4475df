"""Pictures of codes: their directions, how much each counts, and how the max-margin one was found.

    python 07_looking_at_a_code.py [FOLDER]

writes three PNG files to the folder, or to a temporary one.

Photos show one place, all places but rooms are outdoors, and there may be people. In the pictures of the codes a row is
a label and a column a direction. Principal components are led by what most labels have in common, canonical directions
by what features predict best. The first direction of the max-margin code is a rule: streets, beaches and forests
against being outdoors, and rooms half as much. It is about the same for every set that makes sense and differs for sets
that do not, which is how these are told apart. The spectrum shows that few directions are needed; the rest is noise of
the solver.
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
SENSIBLE = [["room"], ["room", "people"], ["street", "outdoors"], ["beach", "outdoors"], ["forest", "outdoors"]]
SENSELESS = [[], ["outdoors"], ["street"], ["street", "beach", "outdoors"]]


def photos(rows, seed=0):
    """Features that blur what a photo shows, and its labels, of which one in a hundred was overlooked."""
    rng = np.random.default_rng(seed)
    place = rng.integers(4, size=rows)
    people = rng.random(rows) < np.array([0.8, 0.6, 0.4, 0.1])[place]
    shown = np.column_stack([np.eye(4)[place], place > 0, people])
    X = shown @ rng.normal(size=(6, 12)) + 2 * rng.normal(size=(rows, 12))
    seen = shown * (rng.random(shown.shape) > 0.01)
    return X, pd.DataFrame(seen.astype(int), columns=LABELS)


def draw(plot, models, path):
    """A picture of each model beside the others, in one file."""
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
    print(f"\nthe max-margin code keeps {kept} directions of {len(LABELS)} labels; the first one says of")
    direction = newton.projections_[:, 0] / np.abs(newton.projections_[:, 0]).max()
    for labels in SENSIBLE + SENSELESS:
        print(f"  {', '.join(labels) or 'nothing':26} {np.isin(LABELS, labels) @ direction:5.2f}")


if __name__ == "__main__":
    main()
