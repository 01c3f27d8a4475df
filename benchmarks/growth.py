"""How time and memory grow with the data: rows n, columns p, nonzeros and labels q, each by itself on drawn data.

Every point is a process of its own: it draws its data, fits a toy problem so that code and threads are there, fits,
and predicts the rows that it was fitted to. Short ones are repeated, every axis is gone through in several rounds, and
the quickest counts. Memory is the peak of the first fit (or prediction) beyond what the process held just before it. A
series ends with the first point above the limit.

An exponent is the slope of log(time) over log(size) by least squares over the larger half of the sizes (three of them
at least), with its standard error. Beside it stand the slope of the last doubling and the steepest one among those
that begin at 20 ms or more: where a series changes its course, as at p = n, one slope does not tell all.

- sparse rows: s of p columns are 1, common ones by Zipf's law and those of the row's topic; labels by a few columns
  each, the topic and noise, as skewed as those of bibtex, about three in a row;
- dense rows: Gaussian, the variance of the k-th axis falling as 1/k, all axes mixed; labels by ten shared factors;
- the max-margin problem alone: labels in groups, and with them log-odds and regressed labels with noise.

The peer is scikit-learn's one-vs-rest with liblinear at C = 1, in threads (liblinear lets others run), so that all it
holds is in one process. It fits each label once, where ours by default chooses among 13 penalties by five folds:
compare the slopes, not the heights.

Usage: benchmarks/run growth [--axes n,p,nnz,q,solve] [--quick] [--limit SECONDS] [--rounds N] [--write]

Points go to benchmarks/results/growth.json as they come; those of axes that are not measured anew are kept, if machine
and versions are the same. Tables are printed and plots written to target/growth, with --write to docs/benchmarks.md
(between <!-- growth --> and <!-- /growth -->) and docs/images. --quick is for trying.
"""

import argparse
import json
import math
import platform
import sys
from itertools import product
from pathlib import Path
from typing import Any

import mmoc
import numpy as np
import page
import scipy
import sklearn
from growth_parts.axes import AXES, GROUPS, Axis
from growth_parts.plots import write_plots
from growth_parts.point import point_of
from growth_parts.series import exponents
from growth_parts.tables import digits, document

JSON = Path("benchmarks/results/growth.json")
DRAFTS = Path("target/growth")
IMAGES = Path("docs/images")


def versions() -> dict[str, str]:
    return {
        "mmoc": mmoc.__version__,
        "scikit-learn": sklearn.__version__,
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "Python": platform.python_version(),
    }


def kept_points(path: Path, axes: list[Axis]) -> list[dict[str, Any]]:
    """Those of axes that are not measured now, if all else is the same."""
    try:
        before = json.loads(path.read_text())
    except OSError:
        return []
    if (before["machine"], before["versions"]) != (page.machine(), versions()):
        return []
    measured_now = {axis.key for axis in axes}
    known = {axis.key for axis in AXES}
    return [point for point in before["points"] if point["axis"] in known - measured_now]


def take_quicker(point: dict[str, Any], again: dict[str, Any]) -> None:
    """Keeps the quicker time of each step."""
    for step in {"fit", "predict"} & point.keys() & again.keys():
        point[step]["seconds"] = min(point[step]["seconds"], again[step]["seconds"])


def measure(axes: list[Axis], limit: float, rounds: int, results: dict[str, Any], path: Path) -> None:
    """Adds point after point to the results and to the file; each axis in rounds, so that a busy minute spoils none."""
    for axis in axes:
        points: dict[tuple[str, int], dict[str, Any]] = {}
        end: dict[str, int] = {}
        for _, method, size in product(range(rounds), axis.methods(), axis.sizes):
            if size >= end.get(method, math.inf):
                continue
            point = point_of(axis, method, size, limit)
            took = [f"{step} {digits(point[step]['seconds'])} s" for step in ("fit", "predict") if step in point]
            print(f"{axis.key}, {method}, {size}: {', '.join(took)} {point.get('over', '')}", file=sys.stderr)
            if (method, size) in points:
                take_quicker(points[method, size], point)
            else:
                points[method, size] = point
                results["points"].append(point)
                if "over" in point:
                    end[method] = size
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(results, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How time and memory grow with the data.")
    parser.add_argument("binary", help="not used")
    parser.add_argument("data", help="not used")
    parser.add_argument("--axes", default=",".join(GROUPS), help="some of %(default)s")
    parser.add_argument("--quick", action="store_true", help="small sizes, for trying")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a point (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="of which the quickest counts (%(default)s)")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md and docs/images")
    options = parser.parse_args()
    options.axes = options.axes.split(",")
    unknown = set(options.axes) - set(GROUPS)
    if unknown:
        parser.error(f"no axis {', '.join(sorted(unknown))}: there are {', '.join(GROUPS)}")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if options.quick and options.write:
        parser.error("--quick is for trying, and is not written")
    return options


def main() -> None:
    options = arguments()
    if options.write:
        page.around(page.BENCHMARKS, "growth")
    path = DRAFTS / "quick.json" if options.quick else JSON
    all_axes = [axis.quick() for axis in AXES] if options.quick else AXES
    now = [axis for axis in all_axes if axis.group in options.axes]
    results: dict[str, Any] = {"machine": page.machine(), "versions": versions(), "limit": options.limit}
    results["points"] = [] if options.quick else kept_points(path, now)
    measure(now, options.limit, options.rounds, results, path)
    points = results["points"]
    axes = [axis for axis in all_axes if any(point["axis"] == axis.key for point in points)]
    results["exponents"] = exponents(points, axes)
    path.write_text(json.dumps(results, indent=1) + "\n")
    write_plots(points, axes, IMAGES if options.write else DRAFTS)
    text = document(results, axes, "images")
    print(text)
    if options.write:
        page.write(page.BENCHMARKS, "growth", text)


if __name__ == "__main__":
    main()
