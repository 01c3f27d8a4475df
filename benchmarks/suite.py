"""mmoc compared with the common alternatives on all data sets: time, memory and scores.

The peers are one-vs-rest logistic regressions (at C = 1 with two solvers, and with C by cross-validation), classifier
chains, label powersets and random forests of scikit-learn, and the working methods of scikit-multilearn. All get the
same arrays: the published split, or a random two thirds of the rows; dense features are standardised on the training
rows.

Each method on each set is a process of its own. It loads the arrays, fits the method to a small drawn set to start
threads and processes, and measures: seconds of the fit, seconds of the prediction of all test rows (the median of three
if short), subset accuracy, macro-F1 and micro-F1, and the peak memory above what it held before the fit. The memory of
joblib's processes, each with its own Python, is added; threads are part of the process. A process above `--limit`
seconds or `--memory` megabytes is stopped and reported, and so are failures.

Results are added to benchmarks/results/suite.json after each run, so that an interrupted suite resumes with
`--only-missing`; the tables are printed, and with `--write` put into docs/benchmarks.md.

Run it with `benchmarks/run suite`, which builds mmoc and sets up Python.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import warnings
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import page
from suite_parts import memory, sets, tables
from suite_parts.methods import METHODS
from suite_parts.run import Limits, Result, run_all

RESULTS = page.ROOT / "benchmarks" / "results" / "suite.json"
PACKAGES = ["mmoc", "scikit-learn", "scikit-multilearn", "numpy", "scipy", "joblib"]
# Fraction of the available memory.
MEMORY_SHARE = 0.8
MB = 1e6

# medical names its labels in two places.
warnings.filterwarnings("ignore", message=".*the labels are those of")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/run suite", description="Compares mmoc with its peers.")
    parser.add_argument("binary", help="not used: all sides are Python packages")
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("--sets", nargs="+", choices=sets.SETS, default=sets.SETS, metavar="SET")
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="METHOD", help=", ".join(METHODS))
    parser.add_argument("--all-ours", action="store_true", help="all of our methods, not only three")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="for one run of one method")
    parser.add_argument("--memory", type=float, metavar="MB", help="for one method; default: 4/5 of the free memory")
    parser.add_argument("--repeat", type=int, metavar="N", help="runs; default: up to three while under 20 s")
    parser.add_argument("--rows", type=int, metavar="N", help="only the first training rows, in a separate file")
    parser.add_argument("--only-missing", action="store_true", help="measure only what has no result yet")
    parser.add_argument("--write", action="store_true", help="write the tables to docs/benchmarks.md")
    chosen = parser.parse_args()
    if chosen.write and chosen.rows:
        parser.error("--write cannot be combined with --rows")
    if chosen.repeat is not None and chosen.repeat < 1:
        parser.error("--repeat must be at least 1")
    return chosen


def chosen_methods(options: argparse.Namespace) -> list[str]:
    if options.methods:
        return [key for key in METHODS if key in options.methods]
    return [key for key, method in METHODS.items() if method.by_default or options.all_ours]


def versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


class Store:
    """The file of all results, always complete on disk."""

    def __init__(self, file: Path) -> None:
        self.file = file
        old = json.loads(file.read_text()) if file.exists() else {}
        self.circumstances = {"date": date.today().isoformat(), "machine": page.machine(), "versions": versions()}
        self.document = {"sets": {}, "results": {}} | old | self.circumstances

    def results(self, name: str) -> dict[str, Result]:
        return self.document["results"].setdefault(name, {})

    def keep(self, name: str, key: str, result: Result) -> None:
        """Every result has its own date, machine and versions, since a file may hold results of several days."""
        self.results(name)[key] = result | self.circumstances | {"load": os.getloadavg()[0]}
        self.save()

    def save(self) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.document, indent=1) + "\n")
        new.replace(self.file)


def progress(name: str, key: str, result: Result) -> None:
    parts = {
        part: tables.number(result[part])
        for part in ("fit_seconds", "predict_seconds", *tables.SCORES)
        if part in result
    }
    end = result.get("error") or (f"over the limit of {result['over']}" if "over" in result else "")
    print(
        f"{name:<10}{key:<17}", *(f"{part} {value}" for part, value in parts.items()), end, file=sys.stderr, flush=True
    )


def measure(name: str, keys: list[str], options: argparse.Namespace, limits: Limits, store: Store) -> None:
    if options.only_missing:
        keys = [key for key in keys if key not in store.results(name)]
    if not keys:
        return
    split, how = sets.read(options.data, name, options.rows)
    store.document["sets"][name] = split.about() | {"split": how}

    def keep(key: str, best: Result, last: Result) -> None:
        store.keep(name, key, best)
        progress(name, key, last)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "set.npz"
        sets.save(split, file)
        run_all(file, keys, limits, options.repeat, keep)


def main() -> None:
    options = arguments()
    if options.write:
        page.around(page.BENCHMARKS, "suite")
    store = Store(page.ROOT / "target" / f"suite-{options.rows}.json" if options.rows else RESULTS)
    limits = Limits(options.limit, MB * options.memory if options.memory else MEMORY_SHARE * memory.available())
    for name in options.sets:
        measure(name, chosen_methods(options), options, limits, store)
    print(tables.page(store.document, options.sets))
    if options.write:
        page.write(page.BENCHMARKS, "suite", tables.page(store.document, sets.SETS))


if __name__ == "__main__":
    main()
