"""Rows for a fit, on the cluster or on the local scheduler."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import distributed
from dask.delayed import Delayed

from ._cluster_rows import ClusterRows
from ._partitions import Partitions
from ._parts import prepared
from ._rows import Rows
from ._scheduled_rows import ScheduledRows


@contextmanager
def rows_of(client: distributed.Client | None, partitions: Partitions) -> Iterator[Rows]:
    """The rows of all partitions. Computations on them end with the block, also if it is interrupted."""

    def tasks() -> list[Delayed]:
        # With keys of this fit alone: what ends with it must not be that of others on the same data.
        return partitions.each(prepared, "mmoc-partition", uuid4().hex)

    rows: Rows = ScheduledRows.of(tasks()) if client is None else ClusterRows.of(client, tasks)
    try:
        yield rows
    finally:
        rows.stop()
