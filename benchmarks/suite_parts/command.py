"""What the commands `suite` and `leaderboard` share: options, limits, and a line for each measurement."""

import argparse
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

from suite_parts import memory
from suite_parts.run import Limits
from suite_parts.store import Result
from suite_parts.tables import number

# Fraction of the available memory.
MEMORY_SHARE = 0.8
MB = 1e6

# medical names its labels in two places.
warnings.filterwarnings("ignore", message=".*the labels are those of")


def add_options(parser: argparse.ArgumentParser, sets: list[str], methods: list[str]) -> None:
    parser.add_argument("binary", help="not used: all sides are Python packages")
    parser.add_argument("data", type=Path, help="folder of the data sets")
    parser.add_argument("--sets", nargs="*", choices=sets, default=sets, metavar="SET", help=", ".join(sets))
    parser.add_argument("--methods", nargs="+", choices=methods, metavar="METHOD", help=", ".join(methods))
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="for one run of one method")
    parser.add_argument("--memory", type=float, metavar="MB", help="for one method; default: 4/5 of the free memory")
    parser.add_argument("--only-missing", action="store_true", help="measure only what has no result yet")


def limits(options: argparse.Namespace) -> Limits:
    return Limits(options.limit, MB * options.memory if options.memory else MEMORY_SHARE * memory.available())


def show_progress(name: str, key: str, result: Result, scores: Iterable[str]) -> None:
    parts = ("fit_seconds", "predict_seconds", *scores)
    shown = [f"{part} {number(result[part])}" for part in parts if part in result]
    end = result.get("error") or (f"over the limit of {result['over']}" if "over" in result else "")
    print(f"{name:<10}{key:<17}", *shown, end, file=sys.stderr, flush=True)
