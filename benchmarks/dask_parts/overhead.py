"""Seconds of a fit by two workers of one thread, beside one process with two threads, on imdb."""

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

import mmoc
import mmoc.dask

from dask_parts import data
from dask_parts.cluster import TERMS, cluster, seconds_of, table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", default="imdb", choices=data.SETS)
    parser.add_argument("--partitions", default="4,8", help="numbers with commas between")
    parser.add_argument("--rounds", type=int, default=3, help="all sides take turns; the medians count")
    parser.add_argument("--estimator", default="MaxMarginOutputCoding")


def run(options: argparse.Namespace) -> str:
    x, y = data.read(options.data, options.set)
    counts = [int(count) for count in options.partitions.split(",")]
    local, on_dask = (getattr(module, options.estimator) for module in (mmoc, mmoc.dask))
    terms = TERMS if options.estimator == "MaxMarginOutputCoding" else {"estimates": "never"}
    alone: list[float] = []
    ours: dict[int, list[float]] = {count: [] for count in counts}
    with tempfile.TemporaryDirectory() as folder, cluster(2) as (_, client):
        parts = {count: loaded(client, x, y, count, Path(folder) / str(count)) for count in counts}
        folds = mmoc.dask.folds(*parts[counts[0]])
        for _ in range(options.rounds):
            alone.append(seconds_of(lambda: local(**terms, n_jobs=2).fit(x, y, folds=folds))[0])
            for count, own in parts.items():
                # The process that calls has work of its own, on as many threads, while the workers wait.
                seconds, _ = seconds_of(lambda own=own: on_dask(**terms, n_jobs=2, client=client).fit(*own))
                ours[count].append(seconds)
            latest = ", ".join(f"{own[-1]:.2f} s in {count} partitions" for count, own in ours.items())
            print(f"{alone[-1]:.2f} s in one process, {latest}", flush=True)
    one = statistics.median(alone)
    head = ["partitions", "one process, two threads, s", "two workers of one thread, s", "ratio"]
    rows = []
    for count in counts:
        two = statistics.median(ours[count])
        rows.append([count, f"{one:.1f}", f"{two:.1f}", f"{two / one:.2f}"])
    said = f"`{options.estimator}` on {options.set} ({len(y):,} rows), medians of {options.rounds} fits in turn."
    return table(head, rows, said)


def loaded(client: Any, x: Any, y: Any, count: int, folder: Path) -> data.Partitions:
    """The rows in so many equal partitions, in the memory of the workers."""
    folder.mkdir()
    ends = [len(y) * part // count for part in range(count + 1)]
    return data.on_workers(client, data.in_files(x, y, ends, folder))
