"""Comparisons whose fits are tasks have the results of `mmoc.compare`, and resume."""

import json
import os
import signal
import subprocess
import threading
import time

import dask
import distributed
import mmoc
import mmoc.dask
import numpy as np
import pytest
from dask.utils import key_split
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

TIMES = ("fit_seconds", "own_seconds", "predict_seconds")


class Counting(KNeighborsClassifier):
    """Notes each fit in a file."""

    def __init__(self, file=None, n_neighbors=5):
        super().__init__(n_neighbors)
        self.file = file

    def fit(self, X, y):
        with open(self.file, "a", encoding="utf-8") as file:
            file.write("fit\n")
        return super().fit(X, y)


class Failing(DummyClassifier):
    """Fails as long as there is a file."""

    def __init__(self, file=None):
        super().__init__()
        self.file = file

    def fit(self, X, y):
        if os.path.exists(self.file):
            raise ValueError("no")
        return super().fit(X, y)


class Slow(DummyClassifier):
    """Takes a while."""

    def fit(self, X, y):
        time.sleep(0.3)
        return super().fit(X, y)


class Killed(DummyClassifier):
    """Ends its process."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(params=["a cluster", "threads", "this thread"])
def where(request):
    """What runs the tasks: a client, or the scheduler of the configuration."""
    if request.param == "a cluster":
        yield {"client": request.getfixturevalue("client")}
        return
    with dask.config.set(scheduler="threads" if request.param == "threads" else "synchronous"):
        yield {}


def methods():
    return {"near": KNeighborsClassifier(3), "br": mmoc.BinaryRelevance(penalty=0.01), "none": DummyClassifier()}


def records(folder):
    """The lines of results without times."""
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key not in TIMES} for line in lines]


def without_times(summary):
    if isinstance(summary, dict):
        return {key: without_times(value) for key, value in summary.items() if "seconds" not in key}
    return [without_times(value) for value in summary] if isinstance(summary, list) else summary


def test_results_are_those_of_one_process(data, where, tmp_path):
    X, Y = data
    here = mmoc.compare(X, Y, methods(), cv=3, repeats=2, out=tmp_path / "here")
    there = mmoc.dask.compare(X, Y, methods(), cv=3, repeats=2, out=tmp_path / "there", **where)
    assert without_times(there.summary) == without_times(here.summary)
    assert records(tmp_path / "there") == records(tmp_path / "here")
    manifests = [json.loads((tmp_path / name / "experiment.json").read_bytes()) for name in ("here", "there")]
    assert manifests[0] == manifests[1]
    assert (tmp_path / "there" / "report.html").exists()
    in_memory = mmoc.dask.compare(X, Y, methods(), cv=3, repeats=2, **where)
    assert without_times(in_memory.summary) == without_times(here.summary)


def test_the_folder_is_read_by_the_command_line(data, where, program, tmp_path):
    X, Y = data
    found = mmoc.dask.compare(X, Y, methods(), runs=2, train_size=40, out=tmp_path / "out", **where)
    run = subprocess.run([program, "report", tmp_path / "out", "--json"], check=True, capture_output=True, text=True)
    assert json.loads(run.stdout) == found.summary


def test_several_data_sets(data, where, tmp_path):
    X, Y = data
    songs = mmoc.Dataset(X, Y, [], [], "songs")
    scenes = mmoc.Dataset(X[:80], Y[:80, :3], [], [], "scenes", np.arange(80) % 3 + 1.0)
    methods = {"br": mmoc.BinaryRelevance(penalty=0.01), "none": DummyClassifier()}
    there = mmoc.dask.compare([songs, scenes], methods=methods, cv=3, out=tmp_path / "there", **where)
    here = mmoc.compare([songs, scenes], methods=methods, cv=3, out=tmp_path / "here")
    assert [own["name"] for own in there.summary["datasets"]] == ["songs", "scenes"]
    assert without_times(there.summary) == without_times(here.summary)
    assert records(tmp_path / "there") == records(tmp_path / "here")
    alone = mmoc.compare(songs, methods=methods, cv=3)
    assert without_times(there.summary["datasets"][0]) == without_times(alone.summary["datasets"][0])
    with pytest.raises(TypeError, match="^Y, sample_weight and name must not be given beside several Datasets"):
        mmoc.dask.compare([songs, scenes], methods=methods, name="both", **where)
    with pytest.raises(ValueError, match="^two data sets are called 'songs'$"):
        mmoc.dask.compare([songs, songs], methods=methods, **where)


def test_only_what_is_missing_is_computed(data, where, tmp_path):
    X, Y = data
    fits = tmp_path / "fits"
    counting = {"near": Counting(str(fits), 3)}

    def computed(methods, **options):
        fits.write_text("")
        found = mmoc.dask.compare(X, Y, methods, cv=3, out=tmp_path / "out", **options, **where)
        return len(fits.read_text().splitlines()), found

    first, found = computed(counting)
    assert first == 3
    again, same = computed(counting)
    assert again == 0
    assert same.summary == found.summary, "with the times of the first call"
    more, _ = computed(counting | {"far": Counting(str(fits), 9)}, repeats=2)
    assert more == 3 + 6
    assert len(records(tmp_path / "out")) == 12
    none, with_kept = computed(counting, repeats=2)
    assert none == 0
    assert {own["name"] for own in with_kept.summary["datasets"][0]["methods"]} == {"near", "far"}
    with pytest.raises(ValueError, match="^the folder has results of 'far', but not of all runs: give its estimator"):
        computed(counting, repeats=3)


def test_an_interrupted_comparison_resumes(data, where, tmp_path):
    X, Y = data
    fits, fault = tmp_path / "fits", tmp_path / "fault"
    fits.touch()
    some = {"near": Counting(str(fits), 3), "fails": Failing(str(fault))}
    mmoc.dask.compare(X, Y, some, runs=1, out=tmp_path / "out", **where)
    fault.touch()
    with pytest.raises(ValueError, match=r"^data set 'data', run [1-4]: method 'fails': no$"):
        mmoc.dask.compare(X, Y, some, runs=5, out=tmp_path / "out", **where)
    kept = [record["run"] for record in records(tmp_path / "out") if record["method"] == "near"]
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    fault.unlink()
    fits.write_text("")
    mmoc.dask.compare(X, Y, some, runs=5, out=tmp_path / "out", **where)
    # Each of the two workers may still have been at a fit when another one failed.
    assert 5 - len(kept) <= len(fits.read_text().splitlines()) <= 5 - len(kept) + 2
    assert set(lines) <= set((tmp_path / "out" / "results.jsonl").read_text().splitlines()), "with their times"
    mmoc.compare(X, Y, some, runs=5, out=tmp_path / "whole")
    assert records(tmp_path / "out") == records(tmp_path / "whole")


def test_errors_say_where_they_happened(data, where):
    X, Y = data

    class Unread(KNeighborsClassifier):
        def fit(self, X, y):
            raise FileNotFoundError(2, "no such file", "weights.bin")

    with pytest.raises(FileNotFoundError, match=r"weights\.bin") as error:
        mmoc.dask.compare(X, Y, {"f": Unread()}, cv=3, **where)
    notes = error.value.__notes__
    assert notes[0] == "This happened in the method 'f'."
    assert notes[1] in [f"This happened on the data set 'data', run {run}." for run in range(3)]


def test_what_cannot_be_compared_is_refused_before_any_task(data, tmp_path):
    X, Y = data
    with dask.config.set(scheduler=lambda *arguments, **options: pytest.fail("nothing was to be computed")):
        with pytest.raises(TypeError, match="^methods must be a dict of names and estimators"):
            mmoc.dask.compare(X, Y, {})
        with pytest.raises(ValueError, match="^unknown method 'best': expected one of near, br, none$"):
            mmoc.dask.compare(X, Y, methods(), reference="best")
        with pytest.raises(TypeError, match="^client must be a distributed.Client or None"):
            mmoc.dask.compare(X, Y, methods(), client="tcp://127.0.0.1:8786")
        mmoc.compare(X, Y, methods(), cv=3, out=tmp_path)
        with pytest.raises(ValueError, match="holds another experiment, which differs in seed$"):
            mmoc.dask.compare(X, Y, methods(), cv=3, random_state=1, out=tmp_path)


def test_nothing_is_written_before_there_is_a_result(data, where, tmp_path):
    X, Y = data
    out, here = tmp_path / "out", os.path.abspath(__file__)
    with pytest.raises(ValueError, match="method 'fails': no$"):
        mmoc.dask.compare(X, Y, {"fails": Failing(here)}, cv=3, out=out, **where)
    assert not out.exists()


def test_tasks_have_readable_names(data, client):
    X, Y = data
    with distributed.get_task_stream(client) as stream:
        mmoc.dask.compare(X, Y, {"max margin 2": DummyClassifier(), "n-1": DummyClassifier()}, cv=3, client=client)
    assert {"compare-max-margin", "compare-n"} <= {key_split(task["key"]) for task in stream.data}


def test_a_worker_that_dies_again_and_again_is_an_error(data, own_cluster):
    X, Y = data
    with distributed.Client(own_cluster, set_as_default=False) as client:
        client.run_on_scheduler(allow_one_failure)
        with pytest.raises(RuntimeError, match="^data set 'data', run 0: method 'k': the workers that fitted it died"):
            mmoc.dask.compare(X, Y, {"k": Killed()}, runs=1, client=client)


def allow_one_failure(dask_scheduler):
    dask_scheduler.allowed_failures = 1


def test_a_worker_that_dies_once_changes_nothing(data, own_cluster):
    X, Y = data
    expected = mmoc.compare(X, Y, methods(), cv=5)
    with distributed.Client(own_cluster, set_as_default=False) as client:
        victim = next(iter(client.run(os.getpid).values()))
        timer = threading.Timer(0.2, os.kill, (victim, signal.SIGKILL))
        timer.start()
        found = mmoc.dask.compare(X, Y, methods() | {"slow": Slow()}, cv=5, client=client)
        timer.join()
    methods_of_all = found.summary["datasets"][0]["methods"]
    own = [method for method in methods_of_all if method["name"] != "slow"]
    scores = [{name: value["mean"] for name, value in method["metrics"].items()} for method in own]
    others = expected.summary["datasets"][0]["methods"]
    assert scores == [{name: value["mean"] for name, value in method["metrics"].items()} for method in others]
