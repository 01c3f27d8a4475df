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
import tempfile
from pathlib import Path

import page
from suite_parts import command, sets, tables
from suite_parts.methods import METHODS
from suite_parts.run import Limits, run_all
from suite_parts.store import RESULTS, Result, Store


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/run suite", description="Compares mmoc with its peers.")
    command.add_options(parser, sets.SETS, list(METHODS))
    parser.add_argument("--all-ours", action="store_true", help="all of our methods, not only three")
    parser.add_argument("--repeat", type=int, metavar="N", help="runs; default: up to three while under 20 s")
    parser.add_argument("--rows", type=int, metavar="N", help="only the first training rows, in a separate file")
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
    return [key for key, method in METHODS.items() if method.by_default or (options.all_ours and method.ours)]


def measure(name: str, keys: list[str], options: argparse.Namespace, limits: Limits, store: Store) -> None:
    if options.only_missing:
        keys = [key for key in keys if key not in store.results(name)]
    if not keys:
        return
    split, how = sets.read(options.data, name, options.rows)
    store.document["sets"][name] = split.about() | {"split": how}

    def keep(key: str, best: Result, last: Result) -> None:
        store.keep(name, key, best)
        command.show_progress(name, key, last, tables.SCORES)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "set.npz"
        sets.save(split, file)
        run_all(file, keys, limits, options.repeat, keep)


def main() -> None:
    options = arguments()
    if options.write:
        page.around(page.BENCHMARKS, "suite")
    store = Store(page.ROOT / "target" / f"suite-{options.rows}.json" if options.rows else RESULTS / "suite.json")
    limits = command.limits(options)
    for name in options.sets:
        measure(name, chosen_methods(options), options, limits, store)
    print(tables.page(store.document, options.sets))
    if options.write:
        page.write(page.BENCHMARKS, "suite", tables.page(store.document, sets.SETS))


if __name__ == "__main__":
    main()
