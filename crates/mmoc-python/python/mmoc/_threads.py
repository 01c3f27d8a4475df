"""From ``n_jobs`` to a number of threads."""

import numbers
import os
from functools import cache

import joblib

# More threads than cores are of no use, and too many of them are none at all.
_MOST = 64


def threads(n_jobs: int | None) -> int:
    """The threads that ``n_jobs`` asks for; results never depend on it.

    ``None`` takes all cores, or ``OMP_NUM_THREADS`` of them: joblib sets that in its workers, so that estimators
    inside of a parallel search do not crowd each other out. ``-1`` takes all cores, ``-2`` all but one.
    """
    cores = _cores()
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdecimal() and int(limit) > 0 else cores
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}")
    asked = int(n_jobs)
    return min(asked, max(cores, _MOST)) if asked > 0 else max(1, cores + 1 + asked)


@cache
def _cores() -> int:
    """The cores that this process may use. To ask takes longer than to predict a row."""
    return int(joblib.cpu_count())
