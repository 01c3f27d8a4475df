"""Seconds of a fit by two workers of one thread, beside one process with two threads, on imdb."""

import argparse
import statistics
import tempfile
from pathlib import Path

import mmoc
import mmoc.dask

from dask_parts import data
from dask_parts.cluster import TERMS, cluster, seconds_of, table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", default="imdb", choices=data.SETS)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3, help="both sides take turns; the medians count")
    parser.add_argument("--estimator", default="MaxMarginOutputCoding")


def run(options: argparse.Namespace) -> str:
    x, y = data.read(options.data, options.set)
    count = options.partitions
    ends = [len(y) * part // count for part in range(count + 1)]
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder, cluster(2) as (_, client):
        parts = data.on_workers(client, data.in_files(x, y, ends, Path(folder)))
        folds = mmoc.dask.folds(*parts)
        local, on_dask = (getattr(module, options.estimator) for module in (mmoc, mmoc.dask))
        terms = TERMS if options.estimator == "MaxMarginOutputCoding" else {"estimates": "never"}
        for _ in range(options.rounds):
            theirs.append(seconds_of(lambda: local(**terms, n_jobs=2).fit(x, y, folds=folds))[0])
            # The process that calls has work of its own, on one thread here: the workers have the two cores.
            ours.append(seconds_of(lambda: on_dask(**terms, n_jobs=1, client=client).fit(*parts))[0])
            print(f"{theirs[-1]:.2f} s in one process, {ours[-1]:.2f} s on Dask", flush=True)
    one, two = statistics.median(theirs), statistics.median(ours)
    head = ["set", "rows", "one process, two threads, s", "two workers of one thread, s", "ratio"]
    cells = [options.set, f"{len(y):,}", f"{one:.1f}", f"{two:.1f}", f"{two / one:.2f}"]
    return table(head, [cells], f"`{options.estimator}`, medians of {options.rounds} fits in turn, {count} partitions.")
