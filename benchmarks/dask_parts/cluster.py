"""Clusters of processes on this machine, and fits on them."""

import platform
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import distributed
import page

LONGEST_LINE = 118

# The terms of the posterior that both sides have. Estimates would be fits of their own.
TERMS: dict[str, Any] = {"evidence": "labels+code+frequency", "features": "linear", "estimates": "never"}


@contextmanager
def cluster(
    workers: int, threads: int = 1, memory_limit: str | None = None
) -> Iterator[tuple[distributed.LocalCluster, distributed.Client]]:
    """Worker processes with this many threads each."""
    with (
        # Four processes that import at the same time on two cores may take longer than Dask waits.
        dask.config.set({"distributed.comm.timeouts.connect": "120s"}),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            memory_limit=memory_limit,
            dashboard_address=":0",
        ) as own,
        distributed.Client(own) as client,
    ):
        # The first import takes seconds, which are not of the fit.
        client.run(_import)
        yield own, client


def _import() -> None:
    import mmoc.dask  # noqa: F401


def seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long something takes, and what it returns."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def bytes_of(estimator: Any) -> bytes:
    """The model file of an estimator."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.mmoc"
        estimator.save(file)
        return file.read_bytes()


def conditions() -> str:
    """Where and with what something was measured, as a sentence."""
    machine = page.machine()
    return (
        f"Measured on {machine['cores']} cores ({machine['cpu']}), Python {platform.python_version()}, "
        f"Dask {dask.__version__}."
    )


def table(head: list[str], rows: list[list[Any]], said: str) -> str:
    """A table in Markdown, and below it what is to be said of it, in lines as long as pages have them."""
    head_and_rows = [f"| {' | '.join(map(str, line))} |" for line in (head, *rows)]
    head_and_rows.insert(1, f"|---{'|---:' * (len(head) - 1)}|")
    cells = "\n".join(head_and_rows)
    return f"{cells}\n\n{textwrap.fill(f'{said} {conditions()}', LONGEST_LINE, break_on_hyphens=False)}"
