"""Measures one method on one set in its own process: `python -m suite_parts.measure FILE METHOD JOBS [--everything]`.

With `--everything`, the model makes all of its decisions and predicts probabilities; otherwise its first decision
only. Results are printed immediately, one JSON object per line, so that they survive if the process is stopped.
"""

import argparse
import gc
import json
import os
import random
import statistics
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from suite_parts import sets
from suite_parts.learners import dense, probabilities
from suite_parts.memory import Peak
from suite_parts.methods import METHODS, PLAIN, SEED, Method, Task
from suite_parts.scores import Tally, log_loss
from suite_parts.store import versions

# Shorter predictions are repeated, and the median counts.
QUICK_SECONDS = 2.0
PREDICTIONS = 3

Report = Callable[..., None]


def reporter() -> Report:
    """Prints to standard output, and redirects other output to standard error."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def report(**known: Any) -> None:
        print(json.dumps(known), file=output, flush=True)

    return report


@contextmanager
def stage(name: str, report: Report) -> Any:
    """Reports what failed."""
    try:
        yield
    except Exception as error:
        report(error=last_line(error), during=name)
        raise SystemExit(0) from None


def last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[-1]}"


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def make(method: Method, split: sets.Split, jobs: int) -> Any:
    random.seed(SEED)
    np.random.seed(SEED)
    return method.make(Task(labels=split.y_train.shape[1], sparse=split.sparse, jobs=jobs))


def warm_up(method: Method, split: sets.Split, jobs: int) -> None:
    """Starts threads and processes, loads lazy imports, and checks that the method works at all."""
    small = sets.drawn(sparse=split.sparse)
    make(method, small, jobs).fit(small.x_train, small.y_train).predict(small.x_test)


def labels_of(model: Any, x: Any, decision: str) -> np.ndarray:
    return dense(model.predict(x) if decision == PLAIN else model.predict(x, decide=decision))


def timed_labels(model: Any, x: Any, decision: str) -> tuple[float, np.ndarray]:
    took, labels = seconds(lambda: labels_of(model, x, decision))
    times = [took]
    while took < QUICK_SECONDS and len(times) < PREDICTIONS:
        times.append(seconds(lambda: labels_of(model, x, decision))[0])
    return statistics.median(times), labels


def measure(split: sets.Split, method: Method, jobs: int, everything: bool, report: Report) -> None:
    first, *others = method.all_decisions
    report(versions=versions())
    with stage("warm-up", report):
        warm_up(method, split, jobs)
    gc.collect()
    peak = Peak()
    with stage("fit", report):
        model = make(method, split, jobs)
        took, _ = seconds(lambda: model.fit(split.x_train, split.y_train))
        report(jobs=jobs, fit_seconds=took)
    with stage("predict", report):
        took, labels = timed_labels(model, split.x_test, first)
        report(predict_seconds=took)
    report(
        peak_bytes=peak.own(),
        peak_bytes_of_processes=peak.of_descendants(),
        peak_from="VmHWM" if peak.resets else "ru_maxrss",
    )
    with stage("scores", report):
        tallies = {first: Tally.of(split.y_test, labels).to_json()}
        report(tallies=tallies)
    if everything:
        with stage("other decisions", report):
            for decision in others:
                tallies[decision] = Tally.of(split.y_test, labels_of(model, split.x_test, decision)).to_json()
            report(tallies=tallies)
    if everything and method.probabilities:
        with stage("probabilities", report):
            report(log_loss=log_loss(split.y_test, probabilities(model, split.x_test)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("jobs", type=int)
    parser.add_argument("--everything", action="store_true")
    chosen = parser.parse_args()
    report = reporter()
    warnings.simplefilter("ignore")
    measure(sets.load(chosen.file), METHODS[chosen.method], chosen.jobs, chosen.everything, report)


if __name__ == "__main__":
    main()
