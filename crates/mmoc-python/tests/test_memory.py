"""Inputs are not copied, and the interpreter is not blocked."""

import subprocess
import sys
import threading

import mmoc
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import dependent_data
from mmoc import _native


def test_arrays_are_used_where_they_are(data):
    X, Y = data
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    assert _native.address(fitted._checked(X)) == X.ctypes.data
    read_only = X.copy()
    read_only.flags.writeable = False
    assert _native.address(fitted._checked(read_only)) == read_only.ctypes.data


def test_compressed_rows_are_used_where_they_are(data):
    X, Y = data
    for form in (sp.csr_matrix, sp.csr_array):
        rows = form(np.where(np.abs(X) > 0.8, X, 0.0))
        fitted = mmoc.BinaryRelevance().fit(rows, Y)
        checked = fitted._checked(rows)
        assert _native.address(checked) == rows.data.ctypes.data
        assert np.shares_memory(checked.indices, rows.indices)


MEASURE = """
import resource, sys
import numpy as np, mmoc
rng = np.random.default_rng(0)
small = rng.random((200, 100))
Y = (small[:, :3] > 0.5).astype(int)
# Without scaling, and with scaling of a few rows at a time.
model = mmoc.BinaryRelevance(scaling=sys.argv[1]).fit(small, Y)
large = rng.random((200_000, 100))
model.predict(large[:1000])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = peak()
model.predict(large)
print(large.nbytes / 2**20, peak() - before)
"""


def test_prediction_takes_no_memory_that_grows_with_the_features():
    for scaling in ("none", "standard"):
        run = subprocess.run([sys.executable, "-c", MEASURE, scaling], capture_output=True, text=True, check=True)
        size, growth = map(float, run.stdout.split())
        assert size > 150
        # The predictions themselves are copied: three labels per row.
        assert growth < 60, f"{growth} MB more for {size} MB of features"


def test_other_threads_go_on_while_a_model_is_fitted():
    X, Y = dependent_data(rows=2000, features=150, labels=12)
    steps, done = 0, threading.Event()

    def count():
        nonlocal steps
        while not done.wait(0.001):
            steps += 1

    other = threading.Thread(target=count)
    other.start()
    mmoc.CalibratedLabelRanking(n_jobs=1).fit(X, Y)
    done.set()
    other.join()
    assert steps > 20


TOO_LARGE = """
import resource
import numpy as np, scipy.sparse as sp, mmoc
X = sp.random(500, 300_000, density=1e-5, format="csr", random_state=0)
Y = (np.random.default_rng(0).random((500, 400)) < 0.02).astype(int)
model = mmoc.BinaryRelevance(n_jobs={jobs})
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**30, resource.RLIM_INFINITY))
try:
    model.fit(X, Y)
except MemoryError as error:
    print(error)
"""


# What is done, and how the error begins and ends. What is given takes little memory itself.
REFUSED = {
    "solve_metric": (
        "Y = np.eye(3, 9000); mmoc.solve_metric(0.5 * Y, Y)",
        "solving the max-margin problem of 9000 labels in 3 rows needs about ",
        "(fewer labels or rows need less)",
    ),
    "an output code": (
        'mmoc.OutputCoder("pca").fit(sp.identity(16000, format="csr"))',
        "finding an output code of 16000 labels in 16000 rows needs about ",
        "(fewer labels or rows need less)",
    ),
    "decoding": (
        'mmoc.OutputCoder("cca", projections=2).fit(Y, X).decode(np.zeros((3 * 10**6, 2)))',
        "predicting 20 labels of 3000000 rows needs about ",
        "(give some of the rows at a time)",
    ),
    "predict_proba": (
        "model.predict_proba(sp.csr_matrix((4 * 10**6, 5)))",
        "predicting 20 labels of 4000000 rows needs about ",
        "(give some of the rows at a time)",
    ),
}

PROGRAM = """
import resource
import numpy as np, scipy.sparse as sp, mmoc
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5))
Y = (rng.random((60, 20)) < 0.3).astype(int)
model = mmoc.BinaryRelevance(features="linear", n_jobs=1).fit(sp.csr_matrix(X), Y)
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**30, resource.RLIM_INFINITY))
try:
    {action}
except MemoryError as error:
    print(error)
"""


@pytest.mark.parametrize("name", REFUSED)
def test_work_that_needs_more_memory_than_there_is_raises_an_error(name):
    action, beginning, end = REFUSED[name]
    program = PROGRAM.format(action=action)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, (run.returncode, run.stderr)
    assert run.stdout.startswith(beginning), run.stdout
    assert run.stdout.rstrip().endswith(f" available {end}"), run.stdout


@pytest.mark.parametrize(("jobs", "fewer_jobs"), [(2, "n_jobs=1, "), (1, "")])
def test_a_fit_that_needs_more_memory_than_there_is_raises_an_error(jobs, fewer_jobs):
    run = subprocess.run(
        [sys.executable, "-c", TOO_LARGE.format(jobs=jobs)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, (run.returncode, run.stderr)
    assert run.stdout.startswith("fitting br to 500 rows of 300000 features and 400 labels needs about "), run.stdout
    assert f' available (fewer labels, {fewer_jobs}features="linear" and BinaryRelevance need less)' in run.stdout
