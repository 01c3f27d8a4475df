"""Reading a table for training, and converting it to Parquet: seconds, MB per second and peak memory of the program.

Run it with `benchmarks/run reading [OTHER]`, which builds mmoc and sets up Python. OTHER is the path of another version
of the program; its time is measured in the same rounds and compared. Reading is `mmoc inspect`, which reads all rows
as training does and computes a few sums besides.
"""

import os
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
LABELS = 5
ROUNDS = 5
# The table is repeated so many times where memory is measured.
LARGE = 10


def write_table(path, copies=1):
    """Standard normal numbers with six decimal places, then labels that one row in five carries."""
    draws = np.random.default_rng(0)
    names = [f"c{column}" for column in range(COLUMNS)] + [f"label{label}" for label in range(LABELS)]
    formats = ["%.6f"] * COLUMNS + ["%d"] * LABELS
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for _ in range(0, copies * ROWS, 10_000):
            numbers = draws.standard_normal((10_000, COLUMNS))
            labels = draws.random((10_000, LABELS)) < 0.2
            np.savetxt(file, np.hstack([numbers, labels]), formats, ",")


def run(command):
    """Seconds and peak memory in MiB of a program."""
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]}: {message}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def inspect(program):
    return lambda path: run([program, "inspect", path, "--labels", f"-{LABELS}"])[0]


def timed(work):
    def seconds(path):
        start = time.perf_counter()
        work(path)
        return time.perf_counter() - start

    return seconds


def main():
    program = Path(sys.argv[1]).with_name("mmoc")
    pa.set_cpu_count(2)
    readers = {"mmoc": inspect(program)}
    if len(sys.argv) > 3:
        readers["mmoc, other version"] = inspect(sys.argv[3])
    readers["pandas, engine c"] = timed(lambda path: pd.read_csv(path, engine="c").to_numpy())
    readers["pyarrow"] = timed(lambda path: pa.csv.read_csv(path))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path)
        megabytes = path.stat().st_size / 1e6
        best = dict.fromkeys(readers, np.inf)
        # The sides alternate, so that load affects all of them.
        for _ in range(ROUNDS):
            for name, read in readers.items():
                best[name] = min(best[name], read(path))
        report(best, megabytes)
        write_table(path, LARGE)
        report_conversion(program, path, Path(folder))


def report(best, megabytes):
    print(f"Reading {megabytes:.0f} MB, {ROWS} rows, fastest of {ROUNDS}:\n")
    print("| reader | seconds | MB/s | time relative to mmoc |")
    print("|---|---|---|---|")
    for name, took in best.items():
        print(f"| {name} | {took:.2f} | {megabytes / took:.0f} | {took / best['mmoc']:.2f} |")


def report_conversion(program, path, folder):
    print(f"\nConverting {path.stat().st_size / 1e6:.0f} MB of CSV:\n")
    print("| to | seconds | peak memory, MiB |")
    print("|---|---|---|")
    for extension in ["parquet", "csv.gz", "arff", "svm", "xc"]:
        out = folder / f"out.{extension}"
        took, peak = run([program, "convert", path, out, "--labels", f"-{LABELS}"])
        print(f"| {extension} | {took:.0f} | {peak:.0f} |")
        out.unlink()


if __name__ == "__main__":
    main()
