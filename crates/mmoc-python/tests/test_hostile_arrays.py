"""Arrays that are not what they say: errors, never a crash of the interpreter."""

import subprocess
import sys
import textwrap

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

# In an interpreter of its own, which SciPy would end by a segmentation fault.
PROGRAM = textwrap.dedent(
    """
    import sys
    import mmoc
    import numpy as np
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    dense = np.where(rng.random((30, 5)) < 0.5, rng.normal(size=(30, 5)), 0.0)
    Y = (rng.random((30, 2)) < 0.5).astype(int)

    def damaged(matrix, name, change):
        matrix = matrix.copy()
        setattr(matrix, name, change(getattr(matrix, name).copy()))
        return matrix

    def put(place, value):
        def change(array):
            array[place] = value
            return array
        return change

    where = sys.argv[1]
    good = sp.csr_matrix(dense)
    cases = {
        "indices beyond": lambda: damaged(good, "indices", put(3, 1 << 30)),
        "negative indices": lambda: damaged(good, "indices", put(3, -7)),
        "indptr beyond": lambda: damaged(good, "indptr", put(-1, 1 << 30)),
        "falling indptr": lambda: damaged(good, "indptr", put(3, 1 << 20)),
        "negative indptr": lambda: damaged(good, "indptr", put(0, -(1 << 30))),
        "short indptr": lambda: damaged(good, "indptr", lambda array: array[:-2]),
        "short data": lambda: damaged(good, "data", lambda array: array[:3]),
        "columns": lambda: damaged(sp.csc_array(dense), "indices", put(3, 1 << 30)),
        "blocks": lambda: damaged(sp.bsr_array(dense, blocksize=(1, 1)), "indices", put(3, 1 << 30)),
        "coordinates": lambda: damaged(sp.coo_matrix(dense), "col", put(3, 1 << 30)),
    }
    wide = (rng.random((30, 5)) < 0.5).astype(int)
    fitted = mmoc.BinaryRelevance().fit(good, Y)

    def with_ones(bad):
        bad.data[:] = 1
        return bad

    def use(bad):
        if where == "fit":
            mmoc.BinaryRelevance().fit(bad, Y)
        elif where == "predict":
            fitted.predict(bad)
        elif where == "labels":
            mmoc.BinaryRelevance().fit(dense, with_ones(bad))
        elif where == "score":
            mmoc.BinaryRelevance().fit(dense, wide).score(dense, with_ones(bad))
        elif where == "transform":
            mmoc.OutputCoder().fit(wide).transform(with_ones(bad))
        elif where == "compare":
            mmoc.compare(bad, Y, {"br": mmoc.BinaryRelevance()})
        else:
            mmoc.OutputCoder(code="cca").fit(Y, bad)

    for what, make in cases.items():
        print(what, end="|", flush=True)
        try:
            use(make())
            print("no error")
        except ValueError as error:
            print(error)
    """
)

CASES = {
    "indices beyond": "indices must be from 0 to 4, not 1073741824",
    "negative indices": "indices must be from 0 to 4, not -7",
    "indptr beyond": "indptr ends with 1073741824, but only",
    "falling indptr": "indptr must not decrease",
    "negative indptr": "indptr must begin with 0, not -1073741824",
    "short indptr": "indptr must have 31 entries for the shape (30, 5), not 29",
    "short data": "but only 3 values are stored",
    "columns": "indices must be from 0 to 29, not 1073741824",
    "blocks": "indices must be from 0 to 4, not 1073741824",
    "coordinates": "col must be from 0 to 4, not 1073741824",
}


# Where matrices are given, and what they are called there.
DOORS = {
    "fit": "X",
    "predict": "X",
    "labels": "y",
    "score": "y",
    "transform": "Y",
    "compare": "X",
    "code": "X",
}


@pytest.mark.parametrize("where", DOORS)
def test_damaged_sparse_matrices_are_refused(where):
    run = subprocess.run([sys.executable, "-c", PROGRAM, where], capture_output=True, text=True, check=False)
    assert run.returncode == 0, (run.returncode, run.stdout, run.stderr)
    found = dict(line.split("|") for line in run.stdout.splitlines())
    assert found.keys() == CASES.keys()
    for what, message in CASES.items():
        assert found[what].startswith(f"{DOORS[where]} is not a valid sparse matrix: "), (what, found[what])
        assert message in found[what]


def misaligned(array):
    """The same numbers, four bytes away from where a processor wants them, as in messages of several arrays."""
    buffer = np.zeros(array.nbytes + 8, dtype=np.uint8)
    moved = buffer[4 : 4 + array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def test_arrays_that_are_not_aligned_are_copied():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), (rng.random((40, 2)) < 0.5).astype(int)
    moved = misaligned(X)
    assert not moved.flags.aligned
    expected = mmoc.BinaryRelevance().fit(X, y)
    np.testing.assert_array_equal(mmoc.BinaryRelevance().fit(moved, y).predict(moved), expected.predict(X))
    sparse = sp.csr_array(X)
    sparse.data = misaligned(sparse.data)
    np.testing.assert_array_equal(expected.predict_proba(sparse), expected.predict_proba(sp.csr_array(X)))


NO_LABELS = {
    "array": np.zeros((30, 0)),
    "sparse": sp.csr_matrix((30, 0)),
    "frame": pd.DataFrame(index=range(30)),
    "lists": [[]] * 30,
}


@pytest.mark.parametrize("form", NO_LABELS)
def test_no_labels_are_refused_in_words_about_labels(estimator, form):
    X, y = np.random.default_rng(0).normal(size=(30, 4)), NO_LABELS[form]
    for fit, name in ((lambda: estimator().fit(X, y), "y"), (lambda: mmoc.OutputCoder().fit(y), "Y")):
        with pytest.raises(ValueError, match=f"{name} must have at least one column") as error:
            fit()
        assert "feature" not in str(error.value)
