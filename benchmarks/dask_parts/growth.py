"""Seconds of a fit to drawn rows, from 250,000 to 4 million."""

import argparse
from functools import partial

import mmoc.dask

from dask_parts import data
from dask_parts.cluster import cluster, seconds_of, table

ROWS_OF_PARTITION = 62_500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", default="250000,500000,1000000,2000000,4000000", help="numbers with commas between")
    parser.add_argument("--estimator", default="MaxMarginOutputCoding")


def run(options: argparse.Namespace) -> str:
    estimator = getattr(mmoc.dask, options.estimator)
    rows = []
    for count in map(int, options.rows.split(",")):
        # A cluster for each size: workers do not give all memory back.
        with cluster(2) as (_, client):
            parts = data.on_workers(client, data.drawn(-(-count // ROWS_OF_PARTITION), ROWS_OF_PARTITION))
            model = estimator(estimates="never", client=client)
            seconds, _ = seconds_of(partial(model.fit, *parts))
        rows.append([f"{count:,}", len(parts.x), f"{seconds:.1f}", f"{seconds / count * 1e6:.1f}"])
        print(rows[-1], flush=True)
    said = f"`{options.estimator}`, {data.FEATURES} features, {data.LABELS} labels, two workers of one thread."
    return table(["rows", "partitions", "seconds", "seconds per million rows"], rows, said)
