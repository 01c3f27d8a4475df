"""One point of a series: a method at one size, measured in its own process."""

import ctypes
import gc
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import joblib
import mmoc

from growth_parts.axes import Axis, Sizes
from growth_parts.draw import Labels, draw_dense, draw_metric, draw_sparse
from growth_parts.methods import JOBS, OURS, PEERS
from growth_parts.tables import digits

# Short operations are repeated up to this total time, or this number of times.
ENOUGH_SECONDS = 2.0
MOST_REPETITIONS = 7
DRAWING_LIMIT = 600.0
TOY = {"n": 50, "p": 20, "s": 5, "q": 4}


def held_memory() -> float:
    """Resident memory in MiB after freeing unused memory; resets the peak to it where Linux allows."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        return status("VmRSS")
    except (OSError, AttributeError):
        return peak_memory()


def peak_memory() -> float:
    """In MiB."""
    try:
        return status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name + ":"))


def measured(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """The result of the first run, the seconds of the fastest, and the peak memory of the first in MiB."""
    before = held_memory()
    start = time.perf_counter()
    result = work()
    seconds = [time.perf_counter() - start]
    memory = peak_memory() - before
    while sum(seconds) < ENOUGH_SECONDS and len(seconds) < MOST_REPETITIONS:
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return result, {"seconds": min(seconds), "mebibytes": max(memory, 0.0), "repetitions": len(seconds)}


def stages(data: str, method: str, sizes: Sizes) -> Iterator[dict[str, Any]]:
    """Draws, then fits, then predicts; reports each step."""
    if data == "metric":
        problem = draw_metric(**sizes)
        mmoc.solve_metric(*draw_metric(n=50, q=4), n_jobs=JOBS)
        yield {}
        yield {"fit": measured(lambda: mmoc.solve_metric(*problem, n_jobs=JOBS))[1]}
        return
    make = (OURS | PEERS)[method]
    draw: Callable[..., tuple[Any, Labels]] = draw_sparse if data == "sparse" else draw_dense
    x, y = draw(**sizes)
    toy = draw(**{name: TOY[name] for name in sizes})
    make().fit(*toy).predict(toy[0])
    yield {}
    model, fit = measured(lambda: make().fit(x, y))
    yield {"fit": fit}
    yield {"predict": measured(lambda: model.predict(x))[1]}


def run_point(pipe: Connection, *point: Any) -> None:
    with warnings.catch_warnings(record=True) as caught, joblib.parallel_config("threading"):
        warnings.simplefilter("always")
        for stage in stages(*point):
            # Messages before the end of the first stage are about the toy problem.
            said = sorted({str(warning.message) for warning in caught}) if stage else []
            pipe.send(stage | ({"warnings": said} if said else {}))
            caught.clear()


def point_of(axis: Axis, method: str, size: int, limit: float) -> dict[str, Any]:
    """The measurements of a process; `over` is the reason why the series ends."""
    point: dict[str, Any] = {"axis": axis.key, "method": method, "size": size, "sizes": axis.at(size)}
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=run_point, args=(sender, axis.data, method, axis.at(size)))
    process.start()
    sender.close()
    allowed = [DRAWING_LIMIT, limit + ENOUGH_SECONDS, limit + ENOUGH_SECONDS]
    try:
        for seconds in allowed[: 2 if axis.data == "metric" else 3]:
            if not receiver.poll(seconds):
                point["over"] = f"longer than {seconds:.0f} s"
                break
            point |= receiver.recv()
    except EOFError:
        process.join()
        point["over"] = f"the process ended with {process.exitcode}"
    finally:
        process.kill()
        process.join()
    took = max(point.get(step, {}).get("seconds", 0.0) for step in ("fit", "predict"))
    return point | ({"over": f"{digits(took)} s"} if took > limit else {})
