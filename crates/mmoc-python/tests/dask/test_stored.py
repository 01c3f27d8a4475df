"""Rows for which workers have no memory are in files, which nobody notices but by the memory."""

import errno
import pickle
import time
from pathlib import Path

import dask
import dask.array as da
import distributed
import mmoc.dask
import numpy as np
import pytest
from mmoc import _native
from mmoc._features import indicator
from mmoc.dask import _stored
from mmoc.dask._cluster_rows import Cluster
from mmoc.dask._parts import prepared
from mmoc.dask._stored import StoredRows
from sklearn.base import clone

# Dask does not enforce the limit of memory, so that workers may have one that their imports alone exceed.
UNLIMITED = {f"distributed.worker.memory.{what}": False for what in ("target", "spill", "pause", "terminate")}


@pytest.fixture(scope="module")
def without_memory():
    """A client of workers that have no memory for rows."""
    with (
        dask.config.set(UNLIMITED),
        distributed.LocalCluster(2, threads_per_worker=1, memory_limit="1 MB", dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def partition(rows):
    X, y = rows
    return _native.Partition(X, indicator(y))


def collections(rows):
    return tuple(da.from_array(own, chunks=(60, own.shape[1])) for own in rows)


def files(client):
    """How many files of rows the workers have."""
    return sum(client.run(lambda dask_worker: len(list(Path(dask_worker.local_directory).glob("*.rows")))).values())


@pytest.fixture
def files_at_requests(monkeypatch):
    """How many files the workers of the cluster that fits have before each request."""
    results, found = Cluster.results, []

    def watched(cluster, tasks):
        found.append(files(cluster.client))
        return results(cluster, tasks)

    monkeypatch.setattr(Cluster, "results", watched)
    return found


def test_a_fit_without_memory_for_rows_changes_no_bit(client, without_memory, rows, files_at_requests):
    X, y = collections(rows)
    estimator = mmoc.dask.MaxMarginOutputCoding(features="linear", client=client)
    expected = estimator.fit(X, y)
    assert set(files_at_requests) == {0}
    found = clone(estimator).set_params(client=without_memory).fit(X, y)
    assert max(files_at_requests) >= 4
    for name in ("coef_", "intercept_", "code_coef_", "metric_"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert np.array_equal(found.predict_proba(rows[0]), expected.predict_proba(rows[0]))


def test_files_end_with_the_fit(without_memory, rows, files_at_requests):
    mmoc.dask.BinaryRelevance(client=without_memory).fit(*collections(rows))
    assert max(files_at_requests) >= 4
    end = time.monotonic() + 30
    while files(without_memory) and time.monotonic() < end:
        time.sleep(0.05)
    assert files(without_memory) == 0


def test_rows_that_go_to_another_worker_are_in_a_file_there_too(without_memory, rows):
    X, y = rows
    here, there = without_memory.scheduler_info()["workers"]
    part = without_memory.submit(prepared, 0, 1, 1, X, y, workers=[here], pure=False)
    asked = [(about_rows, [here]), (about_rows, [there])]
    kinds = [without_memory.submit(what, part, workers=workers, pure=False).result() for what, workers in asked]
    assert kinds == [("StoredRows", len(X))] * 2


def about_rows(part):
    """How the rows of a partition are kept where the task runs, and how many there are."""
    return type(part.rows).__name__, part.rows.rows


def test_stored_rows_are_the_rows(partition, tmp_path):
    stored = StoredRows(partition, tmp_path)
    assert stored.rows == partition.rows
    assert stored.nbytes == 0
    assert np.array_equal(stored.folds(5, 1), partition.folds(5, 1))
    copy = pickle.loads(pickle.dumps(stored))
    assert isinstance(copy, _native.Partition)
    assert pickle.dumps(copy) == pickle.dumps(partition)


def test_the_file_ends_with_the_rows(partition, tmp_path):
    stored = StoredRows(partition, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    del stored
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_named_and_leaves_nothing(partition, tmp_path, monkeypatch):
    class Full:
        HIGHEST_PROTOCOL = pickle.HIGHEST_PROTOCOL

        def dump(self, *_):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_stored, "pickle", Full())
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/mmoc-.*rows'"):
        StoredRows(partition, tmp_path)
    assert not list(tmp_path.iterdir())


class Worker:
    """What is asked of a worker."""

    def __init__(self, limit, folder):
        self.memory_manager = self
        self.memory_limit = limit
        self.local_directory = str(folder)


@pytest.fixture
def memory(monkeypatch, tmp_path):
    """Sets the limits of the workers of this process, and the memory that it has."""

    def have(limits, taken):
        workers = [Worker(limit, tmp_path) for limit in limits]
        monkeypatch.setattr(_stored, "_workers", lambda: workers)
        monkeypatch.setattr(_stored, "_memory_of", lambda _: taken)

    return have


@pytest.mark.parametrize(
    ("limits", "taken", "is_stored"), [([100], 40, False), ([100], 41, True), ([100, 100], 80, False)]
)
def test_rows_stay_in_memory_up_to_a_share_of_the_limit(partition, memory, limits, taken, is_stored):
    memory(limits, taken)
    assert isinstance(_stored.placed(partition), StoredRows) == is_stored


def test_what_is_read_stays_in_memory_if_there_is_some_by_then(partition, memory, tmp_path):
    memory([100], 100)
    stored = _stored.placed(partition)
    memory([100], 40)
    expected = stored.folds(5, 1)
    next(tmp_path.iterdir()).unlink()
    assert np.array_equal(stored.folds(5, 1), expected)


def test_what_is_read_does_not_stay_in_memory_that_is_full(partition, memory, tmp_path):
    memory([100], 100)
    stored = _stored.placed(partition)
    stored.folds(5, 1)
    next(tmp_path.iterdir()).unlink()
    with pytest.raises(FileNotFoundError):
        stored.folds(5, 1)


@pytest.mark.parametrize("limits", [[None], [0], [100, None], []])
def test_workers_without_a_limit_keep_all(partition, memory, limits):
    memory(limits, 1000)
    assert _stored.placed(partition) is partition


def test_outside_of_workers_rows_stay_in_memory(partition):
    assert _stored.placed(partition) is partition
