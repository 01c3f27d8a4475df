"""A worker killed at random moments of a fit, and one added meanwhile: the same model, in bounded time."""

import argparse
import os
import random
import signal
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import distributed
import mmoc.dask

from dask_parts import data
from dask_parts.cluster import TERMS, bytes_of, cluster, seconds_of, table

KILLS = 10
WORKERS = 3
# A fit that takes longer than this counts as one that hangs: a worker restarts in a few seconds.
LONGEST_SECONDS, LONGEST_FACTOR = 120.0, 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", default="imdb", choices=data.SETS)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")


def run(options: argparse.Namespace) -> str:
    x, y = data.read(options.data, options.set)
    moments = random.Random(options.seed)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        parts = data.in_files(x, y, data.cuts(len(y), "32 equal"), Path(folder))
        usual, expected = undisturbed(parts)
        while len(rows) < options.kills:
            moment = moments.uniform(0.0, usual)
            seconds, found = disturbed(parts, moment, usual)
            assert found == expected, f"another model after a worker was killed at {moment:.2f} s"
            if seconds <= moment:
                print(f"the fit ended after {seconds:.1f} s, before the worker was killed: it does not count", flush=True)
                continue
            rows.append([f"{moment:.1f} s", f"{moment / usual:.0%}", f"{seconds:.1f}", f"{seconds / usual:.1f}"])
            print(rows[-1], flush=True)
    said = (
        f"All {options.kills} models have the same bytes as that of the undisturbed fit, which took "
        f"{usual:.1f} s on {WORKERS} workers of {options.set}. Each time one of them gets SIGKILL, and another one is "
        f"added."
    )
    return table(["killed at", "of the usual time", "seconds of the fit", "ratio"], rows, said)


def undisturbed(parts: data.Partitions) -> tuple[float, bytes]:
    with cluster(WORKERS) as (_, client):
        return fitted(client, parts)


def fitted(client: Any, parts: data.Partitions) -> tuple[float, bytes]:
    """The seconds of a fit, and its model."""
    seconds, model = seconds_of(lambda: mmoc.dask.MaxMarginOutputCoding(**TERMS, client=client).fit(*parts))
    return seconds, bytes_of(model)


def disturbed(parts: data.Partitions, moment: float, usual: float) -> tuple[float, bytes]:
    """The same while a worker is killed and another one is added."""
    with cluster(WORKERS) as (own, client):
        # Not waited for at the end: a fit that hangs ends with the cluster.
        fit = ThreadPoolExecutor(1)
        victim = random.Random(moment).choice(list(client.run(os.getpid).values()))
        timer = threading.Timer(moment, disturb, (own, victim))
        timer.start()
        try:
            return fit.submit(fitted, client, parts).result(timeout=LONGEST_SECONDS + LONGEST_FACTOR * usual)
        finally:
            timer.join()
            fit.shutdown(wait=False)


def disturb(own: distributed.LocalCluster, victim: int) -> None:
    os.kill(victim, signal.SIGKILL)
    own.scale(WORKERS + 1)
