"""Results of tasks that are computed once."""

from typing import Any

import dask
import distributed
from dask.delayed import Delayed


def computed(client: distributed.Client | None, tasks: list[Delayed]) -> list[Any]:
    """The results of tasks, on the cluster or on the local scheduler."""
    if client is None:
        return list(dask.compute(*tasks))
    found: list[Any] = client.gather(client.compute(tasks))
    return found
