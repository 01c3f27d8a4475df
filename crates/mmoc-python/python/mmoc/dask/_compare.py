"""Comparisons whose fits are tasks: methods, runs and data sets of ``mmoc.compare`` side by side."""

import os
import re
import threading
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

import dask
import distributed
import numpy as np
import numpy.typing as npt
from dask.base import compute
from dask.delayed import delayed

from .._comparison import ComparisonResult, Contest, Job, Rows, Task, contest
from .._entrants import Entrant, Run
from .._seed import RandomState
from ._client import used_client

# Without a cluster results are kept after so many fits for each processor.
_FITS_AT_A_TIME = 4

_SENDING = threading.Lock()


def compare(
    X: Any,
    Y: Any = None,
    methods: Mapping[str, Any] | None = None,
    *,
    cv: int | None = None,
    repeats: int | None = None,
    runs: int | None = None,
    train_size: int | float | None = None,
    sample_weight: Any = None,
    metrics: Sequence[str] | None = None,
    reference: str | None = None,
    name: str | None = None,
    random_state: RandomState = 0,
    out: str | os.PathLike[str] | None = None,
    client: Any = None,
) -> ComparisonResult:
    """Compares estimators as :func:`mmoc.compare` does, each fit as a task. The results are the same but for times.

    The data is in memory, here and on each worker: it is the fits that are many. Estimators are ordinary ones, not
    those of ``mmoc.dask``.

    Parameters
    ----------
    X, Y, methods, cv, repeats, runs, train_size, sample_weight, metrics, reference, name, random_state
        As in :func:`mmoc.compare`.
    out : path, optional
        A folder for the results, ``report.html`` and its figures, on the machine that calls. ``mmoc report`` reads it.
        Each result is written as soon as it is there. Called again, ``compare`` computes what the folder does not have:
        after an interruption, with methods or runs added, or nothing. Methods that it has need not be given again. What
        an estimator is follows from its ``repr``: if its code has changed, use another folder.
    client : distributed.Client, optional
        The cluster. By default Dask's current scheduler, be it a local one.

    Returns
    -------
    ComparisonResult
    """
    planned = contest(
        X,
        Y,
        methods,
        cv=cv,
        repeats=repeats,
        runs=runs,
        train_size=train_size,
        sample_weight=sample_weight,
        metrics=metrics,
        reference=reference,
        name=name,
        random_state=random_state,
        out=out,
    )
    with planned as own, used_client(client) as cluster:
        found = _on_local_scheduler(own) if cluster is None else _on_cluster(own, cluster)
        with closing(found) as results:
            for job, run in results:
                own.add(job, run)
        return own.result()


def _on_cluster(own: Contest, client: Any) -> Generator[tuple[Job, Run], None, None]:
    """What the missing jobs find, in the order in which they end."""
    token = uuid.uuid4().hex
    datasets = [_sent(client, rows, token) for rows in own.datasets]
    jobs = {_submitted(client, own.task(job), datasets[job.dataset], job, token): job for job in sorted(own.missing())}
    try:
        for future in distributed.as_completed(jobs, loop=client.loop):
            yield jobs[future], _result(future, own.task(jobs[future]), jobs[future])
            # The cluster may forget what was found.
            future.release()
    finally:
        client.cancel(list(jobs))


def _sent(client: Any, rows: Rows, token: str) -> Any:
    """A data set on the cluster. As a task it can be computed again, unlike data that is sent to workers."""
    # Dask warns of large tasks, but this one is as large as it must be, and sent once.
    with _SENDING, dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
        return client.submit(_same, rows, key=f"compare-data-{_word(rows.name)}-{token}-{uuid.uuid4().hex}", pure=False)


def _same(rows: Rows) -> Rows:
    return rows


def _submitted(client: Any, task: Task, rows: Any, job: Job, token: str) -> Any:
    key = (f"compare-{_word(task.entrant.name)}-{token}", job.dataset, job.run)
    return client.submit(_run, rows, task.entrant, task.train, task.test, job.run, key=key, pure=False)


def _word(name: str) -> str:
    """A name as a part of the name of a task, by which the dashboard groups tasks."""
    return re.sub(r"[^A-Za-z]+", "-", name).strip("-") or "method"


def _result(future: Any, task: Task, job: Job) -> Run:
    """What a task found."""
    try:
        found: Run = future.result()
    except distributed.KilledWorker as error:
        place = f"{_place(task.rows.name, job.run)}: method {task.entrant.name!r}"
        raise RuntimeError(f"{place}: the workers that fitted it died, perhaps for lack of memory: {error}") from error
    return found


def _on_local_scheduler(own: Contest) -> Generator[tuple[Job, Run], None, None]:
    """What the missing jobs find. It is handed over after some of them, so that not all is lost with one."""
    datasets = [delayed(rows, traverse=False) for rows in own.datasets]
    jobs, at_a_time = sorted(own.missing()), _FITS_AT_A_TIME * (os.cpu_count() or 1)
    for first in range(0, len(jobs), at_a_time):
        some = jobs[first : first + at_a_time]
        found = compute(*(_delayed(own.task(job), datasets[job.dataset], job) for job in some))
        yield from zip(some, found, strict=True)


def _delayed(task: Task, rows: Any, job: Job) -> Any:
    run = delayed(_run, pure=False)
    key = f"compare-{_word(task.entrant.name)}-{uuid.uuid4().hex}"
    return run(rows, task.entrant, task.train, task.test, job.run, dask_key_name=key)


def _run(rows: Rows, entrant: Entrant, train: npt.NDArray[np.intp], test: npt.NDArray[np.intp], run: int) -> Run:
    """What a method finds in a run. An error says where it happened."""
    try:
        return Task(entrant, rows, train, test)()
    except Exception as error:
        place = _place(rows.name, run)
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (f"{place}: {error.args[0]}",)
        else:
            error.add_note(f"This happened on the {place}.")
        raise


def _place(dataset: str, run: int) -> str:
    return f"data set {dataset!r}, run {run}"
