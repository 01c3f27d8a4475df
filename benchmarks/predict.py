"""Prediction from files larger than memory: rows per second, peak memory, and one row from a cold start.

Ours is the command line, from a CSV file to a CSV file. The peer does the same with pandas in chunks and one
logistic regression per label by scikit-learn, fitted to the same rows. The peer gets a tenth of the rows.

Usage: benchmarks/run predict [GIGABYTES], by default 2.
"""

import pickle
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

FEATURES, LABELS, TRAINING_ROWS = 100, 6, 1000
BLOCK_ROWS = 20_000
PEER_SHARE = 10
COLD_STARTS = 30
MMOC = Path("target/release/mmoc")

PEER = """
import pickle, sys
import pandas as pd
model, source, target = sys.argv[1:]
model = pickle.load(open(model, "rb"))
with open(target, "w") as out:
    for k, rows in enumerate(pd.read_csv(source, chunksize=20_000)):
        found = pd.DataFrame(model.predict(rows.to_numpy()), columns=model.names)
        found.to_csv(out, header=k == 0, index=False)
"""


def rows_of(generator, count):
    """Features with six decimal places, and labels that depend on them."""
    x = generator.normal(size=(count, FEATURES)).round(6)
    weights = np.random.default_rng(7).normal(size=(FEATURES, LABELS))
    return x, (x @ weights + generator.normal(size=(count, LABELS)) > 0).astype(int)


def write_table(path, x, y=None):
    columns = [f"x{j}" for j in range(FEATURES)]
    table = pd.DataFrame(x, columns=columns)
    if y is not None:
        table[[f"label_{j}" for j in range(LABELS)]] = y
    table.to_csv(path, index=False)


def write_large(path, size):
    """Repeats blocks of different rows up to the given number of bytes; returns the number of rows."""
    x, _ = rows_of(np.random.default_rng(2), BLOCK_ROWS)
    write_table(path, x)
    header, block = path.read_bytes().split(b"\n", 1)
    count = -(-size // len(block))
    with open(path, "wb") as out:
        out.write(header + b"\n")
        for _ in range(count):
            out.write(block)
    return count * BLOCK_ROWS


def peak_memory(process):
    """The peak memory of a running process in MB; it never decreases, so the last value counts."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    lines = [line.split() for line in status.splitlines() if line.startswith("VmHWM")]
    return int(lines[0][1]) / 1024 if lines else 0.0


def measured(command):
    """Seconds and peak memory in MB of a command."""
    start = time.perf_counter()
    child = subprocess.Popen(command)
    memory = 0.0
    while child.poll() is None:
        memory = max(memory, peak_memory(child.pid))
        time.sleep(0.001)
    if child.returncode != 0:
        sys.exit(f"{command} failed")
    return time.perf_counter() - start, memory


def seconds_of(command):
    """Seconds of a command whose output is discarded."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def fit_peer(path, x, y):
    model = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(x, y)
    model.names = [f"label_{j}" for j in range(LABELS)]
    path.write_bytes(pickle.dumps(model))


def main():
    gigabytes = float(sys.argv[3]) if len(sys.argv) > 3 else 2.0
    folder = Path("target/benchmark-predict")
    folder.mkdir(parents=True, exist_ok=True)
    train, large, tenth = (folder / name for name in ["train.csv", "large.csv", "tenth.csv"])
    x, y = rows_of(np.random.default_rng(1), TRAINING_ROWS)
    write_table(train, x, y)
    size = int(gigabytes * 1e9)
    count, some = write_large(large, size), write_large(tenth, size // PEER_SHARE)
    write_table(folder / "one.csv", x[:1])

    print(f"{FEATURES} features, {LABELS} labels, {large.stat().st_size / 1e9:.2f} GB, {count} rows")
    print(f"scikit-learn {sklearn.__version__}, pandas {pd.__version__}, NumPy {np.__version__}\n")
    print("| | rows | seconds | rows/s | MB/s | peak memory, MB |\n|---|---|---|---|---|---|")

    def show(name, rows, path, seconds, memory):
        rate, megabytes = rows / seconds, path.stat().st_size / 1e6 / seconds
        print(f"| {name} | {rows} | {seconds:.1f} | {rate:.0f} | {megabytes:.0f} | {memory:.0f} |", flush=True)
        return rate

    fit_peer(folder / "peer.pickle", x, y)
    command = [sys.executable, "-c", PEER, folder / "peer.pickle", tenth, folder / "peer.csv"]
    peer = show("pandas + scikit-learn, one per label", some, tenth, *measured(command))
    for method in ["br", "max-margin"]:
        model = folder / f"{method}.mmoc"
        training = [MMOC, "train", train, "--labels", "label_*", "--method", method, "-o", model]
        subprocess.run(training, check=True, stdout=subprocess.DEVNULL)
        for flags in [[], ["--proba"]]:
            out = folder / "predicted.csv"
            found = measured([MMOC, "predict", model, large, "-o", out, *flags])
            name = " ".join(["mmoc,", method, *flags])
            rate = show(name, count, large, *found)
            print(f"  {rate / peer:.1f} times the rows per second of the peer", flush=True)

    cold = [MMOC, "predict", folder / "max-margin.mmoc", folder / "one.csv"]
    times = sorted(1000 * seconds_of(cold) for _ in range(COLD_STARTS))
    print(f"\none row, model loaded from its file: {times[0]:.1f} ms minimum, "
          f"{statistics.median(times):.1f} ms median, {times[-1]:.1f} ms maximum of {COLD_STARTS}")


main()
