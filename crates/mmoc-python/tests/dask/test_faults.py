"""Workers that die or come during a fit change nothing, and nothing waits for ever."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

import dask
import dask.array as da
import distributed
import mmoc.dask
import numpy as np
import pytest
from dask import delayed
from dask.utils import key_split
from mmoc.dask._cluster_rows import Cluster

# Seconds. Every wait in these tests ends.
LONGEST = 90


def collections(rows, partitions):
    return tuple(da.from_array(own, chunks=(len(own) // partitions, -1)) for own in rows)


@pytest.fixture
def many_rows():
    """Rows of which a fit asks often enough to be disturbed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 10))
    Y = (X @ rng.normal(size=(10, 5)) + 2 * rng.normal(size=(1000, 5)) > 2).astype(np.int64)
    return collections((X, Y), 4)


@pytest.fixture
def at_requests(monkeypatch):
    """Calls a function a moment after some of the requests, by their numbers. Returns how many requests there were."""
    results, count = Cluster.results, 0

    def during(numbers, disturb, seed=0):
        moments = random.Random(seed)

        def counted(cluster, tasks):
            nonlocal count
            if count in numbers:
                threading.Timer(moments.uniform(0, 0.03), disturb).start()
            count += 1
            return results(cluster, tasks)

        monkeypatch.setattr(Cluster, "results", counted)
        return lambda: count

    return during


def content(model):
    return [own.tobytes() for own in (model.coef_, model.intercept_, model.code_coef_, model.projections_)]


def ended(work):
    """The result of some work, which must end."""
    found, failures = [], []

    def run():
        try:
            found.append(work())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(LONGEST)
    assert not thread.is_alive(), "it hangs"
    if failures:
        raise failures[0]
    return found[0]


def fit(client, rows):
    estimator = mmoc.dask.MaxMarginOutputCoding(evidence="labels+code", features="linear", client=client)
    return estimator.fit(*rows)


@pytest.mark.parametrize("seed", [0, 1])
def test_killed_workers_and_a_new_one_change_no_bit(own_cluster, many_rows, at_requests, seed):
    moments, killed = random.Random(seed), []

    def disturb():
        if len(killed) == 2:
            own_cluster.scale(3)
        # A worker that is being started again has no process to kill.
        alive = [own.pid for own in own_cluster.workers.values() if own.pid is not None]
        killed.append(moments.choice(alive))
        os.kill(killed[-1], signal.SIGKILL)

    with distributed.Client(own_cluster, set_as_default=False) as client:
        requests = at_requests((), disturb)
        expected = content(ended(lambda: fit(client, many_rows)))
        at_requests(sorted(moments.sample(range(requests(), 2 * requests()), 5)), disturb, seed)
        start = time.monotonic()
        model = ended(lambda: fit(client, many_rows))
    print(f"{len(killed)} workers killed during {requests() // 2} requests, {time.monotonic() - start:.1f} s")
    assert len(killed) == 5
    assert content(model) == expected


@pytest.mark.parametrize("allowed", [3, 0], ids=["by-dask", "by-us"])
def test_a_worker_killed_while_rows_are_loaded(rows, one_worker, tmp_path, allowed):
    """The first to load a partition kills its worker. Dask tries again, and so do we if Dask gives up."""
    mark = str(tmp_path / "killed")

    def load(part):
        with contextlib.suppress(FileExistsError):
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": allowed}),
        one_worker() as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        X, y = ([delayed(load)(part) for part in np.split(own, 4)] for own in rows)
        model = ended(lambda: mmoc.dask.PrincipalLabelSpaceCoding(client=client).fit(X, y))
        expected = mmoc.dask.PrincipalLabelSpaceCoding(client=client).fit(*collections(rows, 4))
    assert os.path.exists(mark)
    assert np.array_equal(model.coef_, expected.coef_)


def test_rows_that_kill_every_worker_are_an_error(rows, one_worker):
    def kill(part):
        os.kill(os.getpid(), signal.SIGKILL)

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        one_worker() as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        X, y = ([delayed(function)(own)] for function, own in ((kill, rows[0]), (np.asarray, rows[1])))
        with pytest.raises(RuntimeError, match="the cluster lost workers or data at each of 3 attempts"):
            ended(lambda: mmoc.dask.BinaryRelevance(client=client).fit(X, y))


def test_scattered_rows_that_died_with_their_worker_are_an_error(own_cluster, rows):
    with distributed.Client(own_cluster, set_as_default=False) as client:
        X, y = (client.scatter(np.split(own, 4)) for own in rows)
        for own in own_cluster.workers.values():
            os.kill(own.pid, signal.SIGKILL)
        with pytest.raises((RuntimeError, distributed.CancelledError)) as caught:
            ended(lambda: mmoc.dask.BinaryRelevance(client=client).fit(X, y))
    assert "Data of client.scatter are lost with their worker" in str(caught.value)


def test_an_error_in_a_request_comes_back_as_it_is(rows, client, monkeypatch):
    results, names = Cluster.results, []

    def failing(cluster, tasks):
        names.append(key_split(tasks[0].key))
        if len(names) == 8:
            raise MemoryError(f"no memory left for {names[-1]}")
        return results(cluster, tasks)

    monkeypatch.setattr(Cluster, "results", failing)
    with pytest.raises(MemoryError, match="no memory left for mmoc-"):
        ended(lambda: fit(client, collections(rows, 3)))


def test_a_cluster_that_is_gone_is_an_error(rows):
    with distributed.LocalCluster(1, processes=False, dashboard_address=":0") as cluster:
        client = distributed.Client(cluster, set_as_default=False)
        client.close()
        with pytest.raises((RuntimeError, Exception), match="(?i)not running|closed"):
            ended(lambda: mmoc.dask.BinaryRelevance(client=client).fit(*collections(rows, 2)))


INTERRUPTED = """
def main():
    # Workers run what is outside of this function.
    import os, signal, sys, threading, time
    import dask, dask.array as da, distributed, numpy as np, mmoc.dask

    # Background jobs of a shell ignore the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 100))
    Y = (X[:, :60] @ rng.normal(size=(60, 60)) + 3 * rng.normal(size=(20000, 60)) > 8).astype(int)
    X, Y = da.from_array(X, chunks=(2500, -1)), da.from_array(Y, chunks=(2500, -1))
    sent = []

    def press(after):
        time.sleep(after)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def fit(after):
        model = mmoc.dask.MaxMarginOutputCoding(evidence="labels+code")
        threading.Thread(target=press, args=(after,), daemon=True).start()
        try:
            model.fit(X, Y)
        except KeyboardInterrupt:
            print(time.monotonic() - sent[-1], hasattr(model, "_model"))

    def fit_on_cluster(client, after):
        fit(after)
        for _ in range(200):
            if not any(client.processing().values()):
                break
            time.sleep(0.05)
        print(any(client.processing().values()), client.submit(sum, (1, 2)).result())

    if sys.argv[1] == "cluster":
        with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster:
            with distributed.Client(cluster) as client:
                # While rows are loaded, and while they are used.
                fit_on_cluster(client, 0.3)
                fit_on_cluster(client, 2.5)
    else:
        with dask.config.set(scheduler=sys.argv[1]):
            fit(1.5)

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("where", "others"), [("cluster", [["False", "3"]] * 2), ("threads", [])], ids=["cluster", "threads"]
)
def test_an_interrupt_ends_a_fit_and_the_cluster_is_free_again(where, others, tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    run = subprocess.run(
        [sys.executable, str(script), where], capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert run.returncode == 0, run.stderr
    lines = [line.split() for line in run.stdout.splitlines()]
    delays = [float(line[0]) for line in lines[::2]]
    print(f"{where}: stopped {max(delays):.3f} s after the signal")
    assert max(delays) < 10
    # No model, no task that is left, and an answer to another one.
    assert [line[1] for line in lines[::2]] == ["False"] * len(delays)
    assert lines[1::2] == others
