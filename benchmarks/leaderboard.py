"""Our default beside its peers on all data sets: which label sets are right, and what that costs.

On the published split, or on five stratified folds, each method is fitted in a process of its own with limits of time
and memory, as in the suite. Models that can decide in several ways do so for each measure: ours by `decide`, BOOMER by
its predictors. Scores of folds are those of all test rows together; times are the means of the folds.

Results are added to benchmarks/results/leaderboard.json after each method, so that an interrupted run resumes with
`--only-missing`. It has the F1 of each test row in a compact form, for paired tests. The page is printed, and with
`--write` put into docs/leaderboard.md, with its pictures in docs/images; otherwise these are in target/leaderboard.

Usage: benchmarks/run leaderboard [--sets SET…] [--methods METHOD…] [--limit SECONDS] [--memory MB] [--only-missing]
[--write]. With `--sets` and no name, nothing is measured, and the page is made of the results that are there.
"""

import argparse
import tempfile
from pathlib import Path

import page
from leaderboard_parts import tables
from leaderboard_parts.folds import run_folds
from leaderboard_parts.pictures import write_pictures
from leaderboard_parts.results import SHOWN_SETS, Board
from suite_parts import command, sets
from suite_parts.methods import LEADERBOARD, METHODS
from suite_parts.run import Limits
from suite_parts.store import RESULTS, Result, Store

PAGE = page.ROOT / "docs" / "leaderboard.md"
IMAGES = page.ROOT / "docs" / "images"
DRAFTS = page.ROOT / "target" / "leaderboard"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/run leaderboard", description="Ranks mmoc among its peers.")
    command.add_options(parser, SHOWN_SETS, LEADERBOARD)
    parser.add_argument("--write", action="store_true", help="write to docs/leaderboard.md and docs/images")
    return parser.parse_args()


def about(splits: list[sets.Split], how: str) -> Result:
    """The sizes of the first fold, but all test rows."""
    return splits[0].about() | {"test_rows": sum(len(split.y_test) for split in splits), "split": how}


def progress(name: str, key: str, result: Result) -> None:
    scores = {}
    if "decisions" in result:
        for part in ("subset_accuracy", "example_f1"):
            scores[part] = result["decisions"][METHODS[key].decision_for(part)][part]
    command.show_progress(name, key, result | scores, scores)


def measure(name: str, keys: list[str], options: argparse.Namespace, limits: Limits, store: Store) -> None:
    if options.only_missing:
        keys = [key for key in keys if key not in store.results(name)]
    if not keys:
        return
    splits, how = sets.read_folds(options.data, name)
    store.document["sets"][name] = about(splits, how)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"fold-{index}.npz" for index in range(len(splits))]
        for split, file in zip(splits, files, strict=True):
            sets.save(split, file)
        del splits
        for key in keys:
            result = run_folds(files, key, limits)
            store.keep(name, key, result)
            progress(name, key, result)


def main() -> None:
    options = arguments()
    if options.write:
        page.around(PAGE, "leaderboard")
    store = Store(RESULTS / "leaderboard.json")
    limits = command.limits(options)
    for name in options.sets:
        measure(name, options.methods or LEADERBOARD, options, limits, store)
    board = Board(store.document)
    write_pictures(board, IMAGES if options.write else DRAFTS)
    print(tables.page(board))
    if options.write:
        page.write(PAGE, "leaderboard", tables.page(board))


if __name__ == "__main__":
    main()
