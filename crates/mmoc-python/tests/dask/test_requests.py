"""Requests: few messages, a tree of sums that depends on the number of partitions alone, and readable names."""

import dask
import distributed
import numpy as np
import pytest
from dask import delayed
from dask.utils import key_split
from mmoc.dask._cluster_rows import ClusterRows
from mmoc.dask._requests import Keys, partial_sums, total
from mmoc.dask._scheduled_rows import ScheduledRows


class Words:
    """Rows that answer with their number, for sums that show their order."""

    def __init__(self, number):
        self.number = number

    def answer(self, request):
        return request + str(self.number).encode()


class Piece:
    """A partition of such rows."""

    def __init__(self, number):
        self.rows = Words(number)


def in_brackets(answers):
    return b"(" + b" ".join(answers) + b")"


@pytest.fixture(autouse=True)
def sums_show_their_order(monkeypatch):
    monkeypatch.setattr("mmoc._native.add_answers", in_brackets)


@pytest.fixture(scope="module")
def threads():
    """A cluster in this process, whose workers have what tests replace."""
    with (
        distributed.LocalCluster(2, processes=False, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def pieces(count):
    return [delayed(Piece, pure=False)(number) for number in range(count)]


def expected(count):
    """The sum of answers x0 to x(count − 1)."""
    level = [b"x%d" % number for number in range(count)]
    while len(level) > 8:
        groups = [level[first : first + 8] for first in range(0, len(level), 8)]
        level = [in_brackets(group) if len(group) > 1 else group[0] for group in groups]
    return level[0] if count == 1 else in_brackets(level)


@pytest.mark.parametrize("count", [1, 2, 8, 10, 64, 70])
def test_sums_are_the_same_wherever_they_are_added(threads, count):
    local = ScheduledRows.of(pieces(count))
    assert local.sum("numbers", b"x") == expected(count)
    rows = ClusterRows.of(threads, lambda: pieces(count))
    # The first sum of a name is added by tasks, small ones after that by this process.
    assert rows.sum("numbers", b"x") == expected(count)
    assert rows.sum("numbers", b"x") == expected(count)
    assert rows.collect("numbers", b"x") == local.collect("numbers", b"x") == [b"x%d" % own for own in range(count)]
    local.stop()
    rows.stop()


def test_an_answer_that_is_alone_in_the_last_group_is_its_own_sum(threads):
    rows = ClusterRows.of(threads, lambda: pieces(9))
    assert rows.sum("numbers", b"x") == b"((x0 x1 x2 x3 x4 x5 x6 x7) x8)"
    rows.stop()


def test_a_large_request_is_once_in_the_graph_and_a_small_one_has_no_task():
    for size, tasks in ((10, 0), (2**20, 1)):
        rows = ClusterRows.__new__(ClusterRows)
        rows.futures = pieces(4)
        keys = Keys.of("Gram matrix")
        (found,) = rows._total(rows.futures, b"r" * size, keys)
        names = [key_split(key) for key in found.__dask_graph__()]
        assert names.count("mmoc-gram-matrix") == 4
        assert names.count("mmoc-gram-matrix-sum") == 1
        assert names.count("mmoc-gram-matrix-request") == tasks


def test_sums_of_sums_have_the_fan_in(threads):
    keys = Keys.of("log-likelihood of blocks (1)")
    tasks = [delayed(number, name=f"answer-{number}") for number in range(70)]
    assert len(partial_sums(tasks, keys)) == 2
    graph = dict(total(tasks, keys).__dask_graph__())
    sums = [key for key in graph if key_split(key) == "mmoc-log-likelihood-of-blocks-sum"]
    # 70 answers are eight groups of eight and one of six. Of these nine the last is alone.
    assert len(sums) == 9 + 1 + 1


def test_nothing_of_a_request_stays_on_the_cluster(threads):
    rows = ClusterRows.of(threads, lambda: pieces(20))
    for _ in range(3):
        rows.sum("numbers", b"x" * 10**6)
    rows.stop()
    del rows
    for _ in range(100):
        left = threads.run_on_scheduler(lambda dask_scheduler: [str(key) for key in dask_scheduler.tasks])
        if not left:
            break
        threads.run_on_scheduler(lambda: None)
    assert not left


def test_large_requests_do_not_warn(threads, recwarn):
    rows = ClusterRows.of(threads, lambda: pieces(2))
    assert len(rows.sum("weights", bytes(11 * 2**20))) > 2 * 11 * 2**20
    assert not [own for own in recwarn if "large graph" in str(own.message)]
    assert dask.config.get("distributed.admin.large-graph-warning-threshold") == "10MB"
    rows.stop()


def test_few_partitions_are_in_memory_at_a_time():
    """As many as there are threads, and one more that is loaded while another is about to end."""
    loaded = set()
    most = []

    class Load:
        def __init__(self, number):
            self.rows, self.number = Words(number), number
            loaded.add(number)
            most.append(len(loaded))

        def __del__(self):
            loaded.discard(self.number)

    with dask.config.set(scheduler="threads", num_workers=2):
        rows = ScheduledRows.of([delayed(Load)(number) for number in range(40)])
        for _ in range(3):
            assert rows.sum("numbers", b"x") == expected(40)
        rows.stop()
    assert np.max(most) <= 4


def test_a_request_is_tried_again_and_then_given_up(threads, monkeypatch):
    rows = ClusterRows.of(threads, lambda: pieces(3))
    failures = iter([distributed.CancelledError("lost")] * 2)
    results = type(rows._cluster).results

    def failing(cluster, tasks):
        for error in failures:
            raise error
        return results(cluster, tasks)

    monkeypatch.setattr(type(rows._cluster), "results", failing)
    assert rows.sum("numbers", b"x") == b"(x0 x1 x2)"
    failures = iter([distributed.CancelledError("no more")] * 3)
    with pytest.raises(RuntimeError, match="lost workers or data at each of 3 attempts .*: no more.*use smaller parti"):
        rows.sum("numbers", b"x")
    rows.stop()


def test_cancelled_partitions_are_made_again(threads):
    rows = ClusterRows.of(threads, lambda: pieces(3))
    assert rows.sum("numbers", b"x") == b"(x0 x1 x2)"
    threads.cancel(rows.futures)
    assert rows.sum("numbers", b"x") == b"(x0 x1 x2)"
    rows.stop()
