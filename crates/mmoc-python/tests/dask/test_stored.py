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
from mmoc.dask._stored import StoredRows
from sklearn.base import clone

# Dask does not enforce the limit of memory, so that workers may have one that their imports alone exceed.
UNLIMITED = {f"distributed.worker.memory.{what}": False for what in ("target", "spill", "pause", "terminate")}


@pytest.fixture(scope="module")
def without_memory():
    """A client of workers that have no memory for rows, and the folder of their files."""
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


def test_a_fit_without_memory_for_rows_changes_no_bit(client, without_memory, rows, monkeypatch):
    X, y = collections(rows)
    fit_partitions, during = _native.fit_partitions, []

    def watched(*arguments, **options):
        model = fit_partitions(*arguments, **options)
        during.append(files(without_memory))
        return model

    monkeypatch.setattr(_native, "fit_partitions", watched)
    estimator = mmoc.dask.MaxMarginOutputCoding(features="linear", client=client)
    expected, found = estimator.fit(X, y), clone(estimator).set_params(client=without_memory).fit(X, y)
    assert during[0] == 0
    assert during[1] >= 4
    for name in ("coef_", "intercept_", "code_coef_", "metric_"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert np.array_equal(found.predict_proba(rows[0]), expected.predict_proba(rows[0]))


def test_files_end_with_the_fit(without_memory, rows):
    mmoc.dask.BinaryRelevance(client=without_memory).fit(*collections(rows))
    end = time.monotonic() + 30
    while files(without_memory) and time.monotonic() < end:
        time.sleep(0.05)
    assert files(without_memory) == 0


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
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_stored.pickle, "dump", full)
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/mmoc-.*rows'"):
        StoredRows(partition, tmp_path)
    assert not list(tmp_path.iterdir())


class Worker:
    """What is asked of a worker."""

    def __init__(self, limit, folder):
        self.memory_manager = self
        self.memory_limit = limit
        self.local_directory = str(folder)


def process_of(size):
    class Process:
        def memory_info(self):
            return self

        rss = size

    return Process


@pytest.mark.parametrize("fit", [0, 1, 3])
def test_rows_stay_in_memory_as_long_as_they_fit(partition, tmp_path, monkeypatch, fit):
    taken, size = 1_000_000, partition.nbytes
    monkeypatch.setattr(_stored.psutil, "Process", process_of(taken))
    room = _stored._Room(Worker((taken + (fit + 0.5) * size) / _stored._SHARE, tmp_path))
    copies = [pickle.loads(pickle.dumps(partition)) for _ in range(5)]
    placed = [room.placed(own) for own in copies]
    assert [isinstance(own, StoredRows) for own in placed] == [number >= fit for number in range(5)]
    # What is forgotten makes room again.
    placed.clear()
    copies.clear()
    assert isinstance(room.placed(partition), StoredRows) == (fit == 0)


@pytest.mark.parametrize("limit", [None, 0])
def test_workers_without_a_limit_keep_all(partition, tmp_path, limit):
    assert _stored._Room(Worker(limit, tmp_path)).placed(partition) is partition


def test_outside_of_workers_rows_stay_in_memory(partition):
    assert _stored.placed(partition) is partition
