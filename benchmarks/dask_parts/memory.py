"""Peak memory of two workers of 1 GB that train on Parquet files larger than their memory."""

import argparse
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import dask
import mmoc.dask
import pandas as pd
import psutil

from dask_parts import data
from dask_parts.cluster import cluster, seconds_of, table

ROWS_OF_GROUP = 50_000
ROWS_OF_FILE = 2_000_000
SECONDS_BETWEEN = 0.05


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gigabytes", type=float, default=20.0, help="of Parquet files")
    parser.add_argument("--memory-limit", default="1GB", help="of each worker")
    parser.add_argument("--folder", type=Path, help="where files are written and workers spill; by default temporary")
    parser.add_argument("--estimator", default="MaxMarginOutputCoding")
    parser.add_argument(
        "--penalty", type=float, default=0.01, help="of the classifiers: to search it takes three times as many passes"
    )
    parser.add_argument("--blocksize", default="16MiB")


def run(options: argparse.Namespace) -> str:
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        rows = written(folder / "rows", options.gigabytes * 1e9)
        size = sum(file.stat().st_size for file in (folder / "rows").iterdir())
        print(f"{rows:,} rows in {size / 1e9:.1f} GB", flush=True)
        with dask.config.set({"temporary-directory": str(folder)}):
            seconds, peaks = trained(options, folder / "rows")
    head = ["data", "rows", "seconds", *(f"peak of worker {number}" for number in range(1, len(peaks) + 1))]
    cells = [f"{size / 1e9:.1f} GB", f"{rows:,}", f"{seconds:.0f}", *(f"{peak / 1e6:.0f} MB" for peak in peaks)]
    said = (
        f"`{options.estimator}(penalty={options.penalty})`, {data.FEATURES} features, {data.LABELS} labels, two workers "
        f"of one thread with memory_limit={options.memory_limit!r}. Peaks are of resident memory, looked at every "
        f"{SECONDS_BETWEEN * 1000:.0f} ms."
    )
    return table(head, [cells], said)


def written(folder: Path, size: float) -> int:
    """Parquet files of drawn rows, and how many rows they have."""
    folder.mkdir()
    rows = number = 0
    while sum(file.stat().st_size for file in folder.iterdir()) < size:
        frame = drawn_frame(number)
        frame.to_parquet(folder / f"part-{number}.parquet", index=False, row_group_size=ROWS_OF_GROUP, compression=None)
        rows, number = rows + len(frame), number + 1
    free = shutil.disk_usage(folder).free
    print(f"{free / 1e9:.1f} GB of the disk are free", flush=True)
    return rows


def drawn_frame(number: int) -> Any:
    x, y = data.draw(number, ROWS_OF_FILE)
    return pd.DataFrame(x).add_prefix("x").join(pd.DataFrame(y.astype(bool)).add_prefix("label "))


def trained(options: argparse.Namespace, folder: Path) -> tuple[float, list[int]]:
    """The seconds of reading and fit, and the peak memory of each worker."""
    estimator = getattr(mmoc.dask, options.estimator)
    with cluster(2, memory_limit=options.memory_limit) as (_, client):
        peaks = Peaks(list(client.run(os.getpid).values()))
        with peaks:
            seconds, _ = seconds_of(
                lambda: estimator(penalty=options.penalty, estimates="never", client=client).fit(
                    *mmoc.dask.read(folder, labels="label *", blocksize=options.blocksize)
                )
            )
        restarted = set(client.run(os.getpid).values()) - set(peaks.found)
        assert not restarted, "a worker was restarted, because it used more memory than its limit"
    return seconds, list(peaks.found.values())


class Peaks:
    """The largest resident memory of some processes, while the block runs."""

    def __init__(self, processes: list[int]) -> None:
        self.found = dict.fromkeys(processes, 0)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "Peaks":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        processes = {number: psutil.Process(number) for number in self.found}
        while not self._done.is_set():
            for number, process in processes.items():
                try:
                    self.found[number] = max(self.found[number], process.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue
            time.sleep(SECONDS_BETWEEN)
