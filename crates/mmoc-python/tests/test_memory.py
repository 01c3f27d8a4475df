"""Inputs are not copied, and the interpreter is not blocked."""

import subprocess
import sys
import threading

import mmoc
import numpy as np
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
