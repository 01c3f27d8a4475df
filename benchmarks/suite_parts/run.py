"""Runs methods on a set, each in its own process, which is stopped above the limits."""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from suite_parts import memory
from suite_parts.methods import METHODS
from suite_parts.scores import scored
from suite_parts.store import Result

# Methods are repeated while their runs together take less than this, up to a maximum.
REPEATED_SECONDS = 20.0
REPETITIONS = 3
LOOKS_PER_SECOND = 10
TARGET = Path(__file__).parents[2] / "target"


class Limits(NamedTuple):
    seconds: float
    bytes: float


def failed(result: Result) -> bool:
    return "error" in result or "over" in result


def run(file: Path, key: str, jobs: int, limits: Limits, *more: str) -> Result:
    """Runs one method in its own process, with the Python of its environment."""
    python = TARGET / f"{METHODS[key].environment}-venv" / "bin" / "python"
    command = [str(python), "-m", "suite_parts.measure", str(file), key, str(jobs), *more]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command, stdout=output, stderr=errors, env=environment(jobs), start_new_session=True, text=True
        )
        try:
            over = watch(process, limits)
        finally:
            end(process)
        return known(output) | over | (crash(process, errors) if not over else {})


def environment(jobs: int) -> dict[str, str]:
    """An environment with as many threads for matrix products as jobs, and with these modules on the path.

    Threads that wait sleep: beside other work, two that spin took XGBoost four times as long as one alone.
    """
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(jobs))
    return os.environ | threads | {"OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": str(Path(__file__).parents[1])}


def watch(process: subprocess.Popen[str], limits: Limits) -> Result:
    """Waits until the process ends or exceeds a limit."""
    start, highest = time.monotonic(), 0
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(1 / LOOKS_PER_SECOND)
            return {}
        highest = max(highest, memory.resident(process.pid))
        if time.monotonic() - start > limits.seconds:
            return {"over": "time", "limit_seconds": limits.seconds, "peak_bytes_seen": highest}
        if highest > limits.bytes:
            return {"over": "memory", "limit_bytes": limits.bytes, "peak_bytes_seen": highest}


def end(process: subprocess.Popen[str]) -> None:
    """Stops the process and its descendants: all of its session, and no others."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def known(output: IO[str]) -> Result:
    result: Result = {}
    output.seek(0)
    for line in output:
        # The last line may be truncated.
        with suppress(json.JSONDecodeError):
            result |= json.loads(line)
    return result


def crash(process: subprocess.Popen[str], errors: IO[str]) -> Result:
    """The error of a process that ended without reporting one."""
    if process.returncode == 0:
        return {}
    errors.seek(0)
    lines = errors.read().strip().splitlines() or ["no message"]
    return {"error": f"ended with code {process.returncode}: {lines[-1]}", "during": "the run"}


def better(one: Result, other: Result) -> Result:
    """The better of two runs; fit and prediction are compared separately."""
    if failed(other):
        return one | {"failed_repetition": other}
    quickest = min(one, other, key=lambda result: result["fit_seconds"])
    both = (one, other)
    return one | quickest | {
        "predict_seconds": min(result["predict_seconds"] for result in both),
        "all_fit_seconds": sum((result["all_fit_seconds"] for result in both), []),
    }


def jobs_of(key: str, repetition: int, best: dict[str, Result]) -> int:
    """Each number of jobs in turn, then the fastest."""
    tried = METHODS[key].jobs
    return tried[repetition] if repetition < len(tried) else best[key]["jobs"]


def run_all(
    file: Path, keys: list[str], limits: Limits, repeat: int | None, keep: Callable[[str, Result, Result], None]
) -> None:
    """All methods one after the other, then again, so that load affects all sides.

    `keep` gets the best result of a method so far, and that of the last run.
    """
    best: dict[str, Result] = {}
    spent = dict.fromkeys(keys, 0.0)
    for repetition in range(repeat or REPETITIONS):
        for key in keys:
            if repetition > 0 and (failed(best[key]) or (repeat is None and spent[key] >= REPEATED_SECONDS)):
                continue
            start = time.monotonic()
            result = scored(run(file, key, jobs_of(key, repetition, best), limits))
            spent[key] += time.monotonic() - start
            result["all_fit_seconds"] = [result["fit_seconds"]] if "fit_seconds" in result else []
            best[key] = better(best[key], result) if key in best else result
            keep(key, best[key], result)
