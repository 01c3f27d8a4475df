"""Measures one method on one set in its own process: `python -m suite_parts.measure FILE METHOD JOBS`.

Results are printed immediately, one JSON object per line, so that they survive if the process is stopped.
"""

import gc
import json
import os
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from suite_parts import sets
from suite_parts.learners import dense
from suite_parts.memory import Peak
from suite_parts.methods import METHODS, SEED, Method, Task

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


def predict(model: Any, x: Any) -> tuple[float, np.ndarray]:
    took, labels = seconds(lambda: model.predict(x))
    times = [took]
    while took < QUICK_SECONDS and len(times) < PREDICTIONS:
        times.append(seconds(lambda: model.predict(x))[0])
    return statistics.median(times), dense(labels)


def scores(truth: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    return {
        "subset_accuracy": float(accuracy_score(truth, labels)),
        "macro_f1": float(f1_score(truth, labels, average="macro", zero_division=0)),
        "micro_f1": float(f1_score(truth, labels, average="micro", zero_division=0)),
    }


def measure(split: sets.Split, method: Method, jobs: int, report: Report) -> None:
    with stage("warm-up", report):
        warm_up(method, split, jobs)
    gc.collect()
    peak = Peak()
    with stage("fit", report):
        model = make(method, split, jobs)
        took, _ = seconds(lambda: model.fit(split.x_train, split.y_train))
        report(jobs=jobs, fit_seconds=took)
    with stage("predict", report):
        took, labels = predict(model, split.x_test)
        report(predict_seconds=took)
    report(
        peak_bytes=peak.own(),
        peak_bytes_of_processes=peak.of_descendants(),
        peak_from="VmHWM" if peak.resets else "ru_maxrss",
    )
    with stage("scores", report):
        report(**scores(split.y_test, labels))


def main() -> None:
    file, key, jobs = sys.argv[1:]
    report = reporter()
    warnings.simplefilter("ignore")
    measure(sets.load(Path(file)), METHODS[key], int(jobs), report)


if __name__ == "__main__":
    main()
