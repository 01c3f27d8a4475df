"""From ``n_jobs`` to a number of threads."""

import numbers
import os
from functools import cache

import joblib

# More threads than this only cost memory, unless there are as many cores.
_MOST = 64


def threads(n_jobs: int | None) -> int:
    """The number of threads for ``n_jobs``.

    ``None`` means all cores, or ``OMP_NUM_THREADS`` if that is less. Joblib sets this variable in its workers, so that
    the estimators of a parallel search share the cores. ``-1`` means all cores, ``-2`` all but one.
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
    """The cores available to this process. Counting them takes longer than predicting a row, hence the cache."""
    return int(joblib.cpu_count())
