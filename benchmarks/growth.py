"""Growth of time and memory with the data: rows n, columns p, nonzeros and labels q, one at a time on drawn data.

Every point is a process of its own: it draws its data, fits a toy problem to load code and start threads, fits, and
predicts its training rows. Short operations are repeated, every axis is measured in several rounds, and the fastest
run counts. Memory is the peak of the first fit (or prediction) above what the process held before. A series ends with
the first point above the limit.

An exponent is the least-squares slope of log(time) over log(size) on the larger half of the sizes (at least three),
with its standard error. The tables also have the slope of the last doubling and the steepest slope among those that
start at 20 ms or more: where a series changes regime, as at p = n, one slope is not enough.

- sparse rows: s of p columns are 1, common ones by Zipf's law and those of the row's topic; labels depend on a few
  columns each, the topic and noise, are as skewed as those of bibtex, about three per row;
- dense rows: Gaussian, the variance of the k-th axis decreasing as 1/k, all axes mixed; labels by ten shared factors;
- the max-margin problem alone: labels in groups, with noisy log-odds and regressed labels.

The peer is scikit-learn's one-vs-rest with liblinear at C = 1, in threads (liblinear releases the GIL), so that all
its memory is in one process. It fits each label once, while ours by default chooses among 13 penalties by five folds:
compare the slopes, not the levels.

Usage: benchmarks/run growth [--axes n,p,nnz,q,solve] [--quick] [--limit SECONDS] [--rounds N] [--write]

Points go to benchmarks/results/growth.json as they are measured; those of axes that are not measured again are kept
if machine and versions are the same. Tables are printed and plots written to target/growth, with --write to
docs/benchmarks.md (between <!-- growth --> and <!-- /growth -->) and docs/images. --quick is for tests of the script.
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
    """The points of axes that are not measured now, if all else is the same."""
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
    """Keeps the shorter time of each step."""
    for step in {"fit", "predict"} & point.keys() & again.keys():
        point[step]["seconds"] = min(point[step]["seconds"], again[step]["seconds"])


def measure(axes: list[Axis], limit: float, rounds: int, results: dict[str, Any], path: Path) -> None:
    """Adds each point to the results and to the file; each axis in rounds, so that short load peaks do not matter."""
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
    parser = argparse.ArgumentParser(description="Growth of time and memory with the data.")
    parser.add_argument("binary", help="not used")
    parser.add_argument("data", help="not used")
    parser.add_argument("--axes", default=",".join(GROUPS), help="subset of %(default)s")
    parser.add_argument("--quick", action="store_true", help="small sizes, for tests of the script")
    parser.add_argument("--limit", type=float, default=300.0, help="limit in seconds for a point (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the fastest counts (%(default)s)")
    parser.add_argument("--write", action="store_true", help="write to docs/benchmarks.md and docs/images")
    options = parser.parse_args()
    options.axes = options.axes.split(",")
    unknown = set(options.axes) - set(GROUPS)
    if unknown:
        parser.error(f"unknown axis {', '.join(sorted(unknown))}: expected {', '.join(GROUPS)}")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if options.quick and options.write:
        parser.error("--write cannot be combined with --quick")
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
