"""Joint decoding (eq. 15) compared with NumPy: the same algorithms on the same rows, rows per second and their ratio.

Run it with `benchmarks/run decoders`, which builds mmoc and sets up Python.
"""

import functools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

CASES = ["exact-6", "exact-10", "exact-14", "exact-16", "mean-field-159-159", "mean-field-159-3"]
ROUNDS = 3
# Repetitions of each side in a round: ours are shorter, and both get about the same time.
REPETITIONS = 50
THEIR_REPETITIONS = 5
TOLERANCE = 1e-6
MOST_SWEEPS = 200
# Energies that NumPy keeps in memory, 1 MiB.
MOST_ENERGIES = 2**17
# Labels that NumPy sums in one product: one by one, and in blocks like ours.
BLOCKS = [1, 8]


def ours(binary, name, folder):
    """Our side: times measured inside the program, inputs and results from its files."""
    command = [binary, name, folder, str(REPETITIONS)]
    about = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    n, q, d = about["rows"], about["labels"], about["projections"]

    def read(file, *shape):
        return np.fromfile(Path(folder) / file).reshape(shape)

    return {
        **about,
        "projections": read("projections", q, d),
        "noise": read("noise", d),
        "codewords": read("codewords", n, d),
        "log_odds": read("log_odds", n, q),
        "found": read("labels", n, q) > 0.5,
        "marginals": read("marginals", n, q),
    }


def evidence(run):
    return run["codewords"] @ (run["projections"] / run["noise"]).T + run["log_odds"]


def coupling(run):
    return (run["projections"] / run["noise"]) @ run["projections"].T


def table_of_codes(run):
    """Every label set and the row-independent part of its energy; not timed."""
    q = run["labels"]
    codes = (np.arange(2**q)[:, None] >> np.arange(q) & 1).astype(float)
    return codes, 0.5 * np.einsum("cj,cj->c", codes @ coupling(run), codes)


def exact(run, codes, table, with_marginals):
    """The code of minimum energy of every row and optionally the marginals, a few rows at a time."""
    b = evidence(run)
    rows = max(1, MOST_ENERGIES // len(codes))
    best = np.empty(len(b), dtype=np.intp)
    marginals = np.empty_like(b)
    energies = np.empty((rows, len(codes)))
    turned = np.ascontiguousarray(-codes.T)
    for start in range(0, len(b), rows):
        part = b[start : start + rows]
        held = energies[: len(part)]
        np.matmul(part, turned, out=held)
        held += table
        np.argmin(held, axis=1, out=best[start : start + rows])
        if with_marginals:
            np.subtract(held.min(axis=1, keepdims=True), held, out=held)
            np.exp(held, out=held)
            marginals[start : start + rows] = held @ codes / held.sum(axis=1, keepdims=True)
    return codes[best] > 0.5, marginals


def sigmoid(field):
    np.negative(field, out=field)
    np.exp(field, out=field)
    field += 1
    return np.divide(1, field, out=field)


def mean_field(run, sweep):
    """Sweeps over the labels for all rows at once; converged rows are removed."""
    factor = run["projections"] / np.sqrt(run["noise"])
    a = factor @ factor.T
    bias = np.ascontiguousarray((evidence(run) - 0.5 * np.diag(a)).T)
    q = sigmoid(run["log_odds"].T.copy())
    result = np.empty_like(q)
    rows = np.arange(q.shape[1])
    for _ in range(MOST_SWEEPS):
        change = sweep(a, factor, bias, q)
        done = change <= TOLERANCE
        if done.any():
            result[:, rows[done]] = q[:, done]
            left = ~done
            rows, bias, q = rows[left], bias[:, left], q[:, left]
        if not len(rows):
            break
    result[:, rows] = q
    return result.T


def update(q, j, field, change):
    new = sigmoid(field)
    step = new - q[j]
    q[j] = new
    np.maximum(change, np.abs(step), out=change)
    return step


def dense_sweep(block, a, factor, bias, q):
    change = np.zeros(q.shape[1])
    a = a - np.diag(np.diag(a))
    for first in range(0, len(q), block):
        last = min(first + block, len(q))
        fields = bias[first:last] - a[first:last] @ q
        for j in range(first, last):
            step = update(q, j, fields[j - first], change)
            if j + 1 < last:
                fields[j + 1 - first :] -= a[j + 1 : last, j, None] * step
    return change


def low_rank_sweep(a, factor, bias, q):
    change = np.zeros(q.shape[1])
    sums = factor.T @ q
    for j in range(len(q)):
        field = factor[j] @ sums
        np.subtract(bias[j], field, out=field)
        field += a[j, j] * q[j]
        step = update(q, j, field, change)
        for k, weight in enumerate(factor[j]):
            sums[k] += weight * step
    return change


def theirs(name, run):
    """The timed functions of the peer: for each result, the alternatives to compute it."""
    if name.startswith("exact"):
        tables = table_of_codes(run)
        return {
            "labels": [lambda: exact(run, *tables, False)],
            "decode": [lambda: exact(run, *tables, True)],
        }
    sweeps = [low_rank_sweep]
    if 2 * run["projections"].shape[1] >= run["labels"]:
        sweeps = [functools.partial(dense_sweep, block) for block in BLOCKS]
    return {"decode": [lambda sweep=sweep: mean_field(run, sweep) for sweep in sweeps]}


def seconds(ways):
    """The fastest of several alternatives, each with one and two threads in the matrix products."""
    best = np.inf
    for work in ways:
        for threads in [1, 2]:
            with threadpool_limits(threads):
                for _ in range(THEIR_REPETITIONS):
                    start = time.perf_counter()
                    result = work()
                    best = min(best, time.perf_counter() - start)
    return best, result


def check(name, run, results):
    """Both sides must find the same label sets and marginals."""
    if name.startswith("exact"):
        labels, marginals = results["decode"]
    else:
        marginals = results["decode"]
        labels = marginals > 0.5
    different = (labels != run["found"]).any(axis=1).sum()
    apart = np.abs(marginals - run["marginals"]).max()
    assert different == 0, f"{name}: {different} label sets differ"
    assert apart < 1e-4, f"{name}: marginals differ by {apart}"
    return apart


def compare(binary, name):
    """Alternates the two sides, so that load affects both, and keeps the fastest run of each."""
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            run = ours(binary, name, folder)
            results = {}
            for task, ways in theirs(name, run).items():
                took, results[task] = seconds(ways)
                mine = run[f"{task}_seconds"]
                before = best.get(task, (np.inf, np.inf))
                best[task] = min(before[0], mine), min(before[1], took)
            apart = check(name, run, results)
    return run, best, apart


def main():
    binary, _ = sys.argv[1:]
    print(f"numpy {np.__version__}; 2 threads, or 1 where NumPy is faster; fastest of {ROUNDS} rounds")
    print(f"\n{'case':<22}{'result':<9}{'ours rows/s':>13}{'theirs rows/s':>15}{'ratio':>8}")
    notes = []
    for name in CASES:
        run, best, apart = compare(binary, name)
        for task, (mine, took) in best.items():
            n = run["rows"]
            print(f"{name:<22}{task:<9}{n / mine:>13.0f}{n / took:>15.0f}{took / mine:>8.1f}")
        notes.append(f"{name}: equal label sets; marginals differ by at most {apart:.1e}")
    print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
