"""Clusters of processes, and data with dependent labels."""

import contextlib
import time

import distributed
import numpy as np
import pytest


def started(workers):
    """A cluster of processes of one thread each."""
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")


@pytest.fixture(scope="session")
def cluster():
    """Two workers that all tests share."""
    with started(2) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client that is not the current one."""
    with distributed.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def current_client(cluster):
    """The current client."""
    with distributed.Client(cluster) as client:
        yield client


@contextlib.contextmanager
def harmed(workers):
    """A cluster whose workers die."""
    cluster = started(workers)
    try:
        yield cluster
    finally:
        wait_until(lambda: all(own.status == distributed.Status.running for own in cluster.workers.values()))
        # Dask 2024.8 may wait for ever for a worker that has been started again. What is left ends with this process.
        with contextlib.suppress(TimeoutError):
            cluster.close(timeout=10)


@pytest.fixture
def own_cluster():
    """A cluster of two workers for a test that harms it."""
    with harmed(2) as cluster:
        yield cluster


@pytest.fixture
def one_worker():
    """Starts a cluster of one worker for a test that harms it."""
    return lambda: harmed(1)


def wait_until(condition, seconds=30):
    """Waits for a condition, but not for ever."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


@pytest.fixture
def rows():
    """240 rows of six features and four labels, of which the first excludes the last."""
    return dependent_rows(240)


def dependent_rows(count, seed=0):
    """Features and labels. Features are binary fractions, so that many sums of them are exact."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(count, 6)) * 64) / 64
    Y = (X @ rng.normal(size=(6, 4)) + rng.normal(size=(count, 4)) > 0.5).astype(np.int64)
    Y[:, -1] = np.where(Y[:, 0] == 1, 0, Y[:, -1])
    return X, Y
