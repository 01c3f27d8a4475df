"""Reading a table of numbers in batches compared with pandas and pyarrow: MB and rows per second and their ratio.

Run it with `benchmarks/run streaming`, which builds mmoc and sets up Python.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv

ROWS = 100_000
COLUMNS = 100
ROUNDS = 3
REPETITIONS = 3
BATCH_ROWS = 1024


def write_table(path):
    """Standard normal numbers with six decimal places."""
    draws = np.random.default_rng(0)
    with open(path, "w") as file:
        file.write(",".join(f"c{column}" for column in range(COLUMNS)) + "\n")
        for _ in range(0, ROWS, 10_000):
            np.savetxt(file, draws.standard_normal((10_000, COLUMNS)), "%.6f", ",")


def ours(binary, path, threads):
    """Seconds from inside the program; the processor time is for all repetitions."""
    command = [binary, str(path), str(REPETITIONS), str(threads)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {**run, "processor": used / (REPETITIONS + 1)}


def pandas_whole(path):
    return pd.read_csv(path, engine="c").to_numpy().sum()


def pandas_batches(path):
    chunks = pd.read_csv(path, engine="c", chunksize=BATCH_ROWS)
    return sum(chunk.to_numpy().sum() for chunk in chunks)


def pyarrow_whole(path):
    table = pa.csv.read_csv(path)
    return sum(column.to_numpy().sum() for column in table.columns)


def pyarrow_batches(path):
    return sum(
        column.to_numpy(zero_copy_only=False).sum()
        for batch in pa.csv.open_csv(path)
        for column in batch.columns
    )


PEERS = {
    "pandas, engine c": pandas_whole,
    "pandas, engine c, batches": pandas_batches,
    "pyarrow": pyarrow_whole,
    "pyarrow, batches": pyarrow_batches,
}


def seconds(work, path):
    """The fastest of several runs, the smallest processor time, and the sum of all cells."""
    best = (np.inf, np.inf)
    for _ in range(REPETITIONS):
        start = time.perf_counter(), time.process_time()
        total = work(path)
        end = time.perf_counter(), time.process_time()
        best = tuple(min(b, e - s) for b, s, e in zip(best, start, end))
    return best, total


def least(times, others):
    return tuple(map(min, times, others))


def main():
    binary = sys.argv[1]
    pa.set_cpu_count(2)
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path)
        megabytes = path.stat().st_size / 1e6
        # The sides alternate, so that load affects all of them.
        for _ in range(ROUNDS):
            for threads in [1, 2]:
                name = f"ours, {threads} thread{'s' * (threads > 1)}"
                run = ours(binary, path, threads)
                times = run["seconds"], run["processor"]
                best[name] = least(times, best.get(name, times))
                assert run["rows"] == ROWS
            for name, work in PEERS.items():
                times, total = seconds(work, path)
                best[name] = least(times, best.get(name, times))
                assert abs(total - run["sum"]) < 1e-6, f"{name}: {total} instead of {run['sum']}"
    report(best, megabytes, run["peak_kib"])


def report(best, megabytes, peak_kib):
    print(f"{megabytes:.0f} MB, {ROWS} rows; our peak memory {peak_kib / 1024:.0f} MiB")
    print("| reader | MB/s | rows/s | ratio to pandas | MB per processor second | ratio to pandas |")
    print("|---|---|---|---|---|---|")
    base = best["pandas, engine c"]
    for name, (took, used) in best.items():
        clock = f"{megabytes / took:.0f} | {ROWS / took:.0f} | {base[0] / took:.1f}"
        print(f"| {name} | {clock} | {megabytes / used:.0f} | {base[1] / used:.1f} |")


if __name__ == "__main__":
    main()
