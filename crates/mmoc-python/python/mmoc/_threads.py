"""From ``n_jobs`` to a number of threads."""

import os

import joblib


def threads(n_jobs: int | None) -> int:
    """The threads that ``n_jobs`` asks for; results never depend on it.

    ``None`` takes all cores, or ``OMP_NUM_THREADS`` of them: joblib sets that in its workers, so that estimators
    inside of a parallel search do not crowd each other out. ``-1`` takes all cores, ``-2`` all but one.
    """
    cores: int = joblib.cpu_count()
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdecimal() and int(limit) > 0 else cores
    if n_jobs == 0 or n_jobs != int(n_jobs):
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
