"""Every kind of collection gives the same model as arrays with the same partitions, to the bit."""

import dask.array as da
import dask.dataframe as dd
import mmoc.dask
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from dask import delayed

# Uneven, so that partitions taken for others would be seen.
CHUNKS = (70, 20, 100, 50)
ENDS = np.cumsum((0, *CHUNKS))
FEATURES = [f"x{k}" for k in range(6)]
LABELS = ["calm", "happy", "sad", "tired"]


@pytest.fixture
def arrays(rows):
    """Dask arrays with uneven chunks."""
    X, Y = rows
    return da.from_array(X, chunks=(CHUNKS, (6,))), da.from_array(Y, chunks=(CHUNKS, (4,)))


@pytest.fixture
def cut(rows):
    """The rows of each partition."""
    return [tuple(part[first:end] for part in rows) for first, end in zip(ENDS[:-1], ENDS[1:], strict=True)]


@pytest.fixture
def fitted(client):
    """Fits a model and returns its coefficients."""

    def fit(X, y, sample_weight=None, **parameters):
        model = mmoc.dask.BinaryRelevance(penalty=0.01, client=client, **parameters).fit(X, y, sample_weight)
        return model, np.column_stack([model.coef_, model.intercept_])

    return fit


@pytest.fixture
def expected(fitted, arrays):
    """The coefficients from arrays."""
    return fitted(*arrays)[1]


def frames(cut, npartitions_of=lambda own: own):
    """Dask DataFrames of unknown divisions."""
    X = dd.from_delayed([delayed(pd.DataFrame)(x, columns=FEATURES) for x, _ in cut], verify_meta=False)
    y = dd.from_delayed([delayed(pd.DataFrame)(y, columns=LABELS) for _, y in cut], verify_meta=False)
    return X, y


def test_arrays_whose_columns_are_in_chunks(fitted, arrays, expected):
    X, y = (own.rechunk({1: 2}) for own in arrays)
    assert X.numblocks == (4, 3)
    assert np.array_equal(fitted(X, y)[1], expected)


def test_labels_in_other_chunks_of_rows(fitted, arrays, expected):
    X, y = arrays
    assert np.array_equal(fitted(X, y.rechunk((33, 4)))[1], expected)


def test_unknown_chunk_sizes(fitted, arrays, expected):
    X, y = (own[(own == own).all(axis=1)] for own in arrays)
    assert np.isnan(X.chunks[0]).all()
    assert np.array_equal(fitted(X, y)[1], expected)


@pytest.mark.parametrize("form", [np.asarray, lambda y: y.astype(bool), lambda y: y.astype(float)])
def test_types_of_labels(fitted, arrays, expected, form):
    X, y = arrays
    assert np.array_equal(fitted(X, form(y) if form is not np.asarray else y)[1], expected)


def test_data_frames(fitted, cut, expected):
    X, y = frames(cut)
    model, found = fitted(X, y)
    assert np.array_equal(found, expected)
    assert model.feature_names_in_.tolist() == FEATURES
    assert model.label_names_.tolist() == LABELS


def test_labels_of_a_data_frame_beside_an_array(fitted, arrays, cut, expected):
    model, found = fitted(arrays[0], frames(cut)[1])
    assert np.array_equal(found, expected)
    assert not hasattr(model, "feature_names_in_")


def test_a_data_frame_with_numbers_as_columns_has_no_names(fitted, cut, expected):
    X, y = frames(cut)
    model, found = fitted(X.rename(columns=dict(zip(FEATURES, range(6), strict=True))), y)
    assert np.array_equal(found, expected)
    assert not hasattr(model, "feature_names_in_")


def test_types_of_pandas_with_missing_cells(fitted, cut, expected):
    X, y = frames(cut)
    found = fitted(X.astype("Float64"), y.astype("Int64"))[1]
    assert np.array_equal(found, expected)


def test_lists_of_delayed(fitted, cut, expected):
    X, y = [delayed(x) for x, _ in cut], [delayed(y) for _, y in cut]
    assert np.array_equal(fitted(X, y)[1], expected)


def test_lists_of_futures(fitted, client, cut, expected):
    X = [client.submit(np.asarray, x, pure=False) for x, _ in cut]
    y = [client.submit(np.asarray, y, pure=False) for _, y in cut]
    assert np.array_equal(fitted(X, y)[1], expected)


def test_persisted_arrays(fitted, client, arrays, expected):
    X, y = client.persist(arrays)
    assert np.array_equal(fitted(X, y)[1], expected)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
def test_sparse_chunks(fitted, arrays, cut, form):
    X, y = arrays
    in_lists = fitted([delayed(form)(x) for x, _ in cut], [delayed(form)(y) for _, y in cut])[1]
    model, in_arrays = fitted(X.map_blocks(form, meta=form((0, 6))), y.map_blocks(form, meta=form((0, 4), dtype=int)))
    assert np.array_equal(in_lists, in_arrays)
    assert isinstance(model.predict(cut[0][0]), form)


def test_rows_of_no_partition_count_twice(fitted, arrays, cut, expected):
    """Empty partitions say nothing, whatever their columns."""
    nothing, no_labels = np.empty((0, 6)), np.empty((0, 4), dtype=int)
    parts = [(nothing, no_labels), *cut[:2], (nothing, no_labels), *cut[2:], (np.empty((0, 1)), np.empty((0, 2)))]
    found = fitted([delayed(x) for x, _ in parts], [delayed(y) for _, y in parts])[1]
    assert np.array_equal(found, expected)
    X, y = (own[da.arange(240, chunks=(CHUNKS,)) >= 90] for own in arrays)
    rest = fitted(X, y)[1]
    assert np.array_equal(rest, fitted(arrays[0][90:], arrays[1][90:])[1])


@pytest.mark.parametrize("kind", ["array", "series", "list"])
def test_weights(fitted, client, arrays, cut, kind):
    weights = np.tile([0.0, 1.0, 2.0, 0.5], 60)
    weights[ENDS[1] : ENDS[2]] = 0.0
    given = {
        "array": lambda: da.from_array(weights, chunks=30),
        "series": lambda: dd.from_array(da.from_array(weights, chunks=(CHUNKS,))),
        "list": lambda: [delayed(own) for own in np.split(weights, ENDS[1:-1])],
    }[kind]()
    X, y = arrays
    found = fitted(X, y, given)[1]
    counts = weights > 0
    X, Y, left = (own[counts] for own in (np.vstack([x for x, _ in cut]), np.vstack([y for _, y in cut]), weights))
    sizes = tuple(int(counts[first:end].sum()) for first, end in zip(ENDS[:-1], ENDS[1:], strict=True))
    sizes = tuple(size for size in sizes if size)
    of_rest = fitted(
        *(da.from_array(own, chunks=(sizes, *own.shape[1:])) for own in (X, Y)), da.from_array(left, chunks=(sizes,))
    )
    assert np.array_equal(found, of_rest[1])


def damaged(matrix):
    """A copy whose first row would end far behind the arrays."""
    matrix = matrix.copy()
    matrix.indptr[1] = 2**30
    return matrix


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix])
def test_damaged_sparse_chunks_are_refused(fitted, cut, form):
    """SciPy would read outside of the arrays, and end the worker."""
    x, y = form(cut[0][0]), form(cut[0][1])
    model = fitted([delayed(x)], [delayed(y)])[0]
    for what, X, Y in (("X", damaged(x), y), ("y", x, damaged(y))):
        for use in (fitted, model.score):
            with pytest.raises(ValueError, match=f"^partition 0: {what} is not a valid sparse matrix: indptr must not"):
                use([delayed(X)], [delayed(Y)])


def test_missing_values_become_means_of_all_rows(client, rows):
    X, Y = rows
    X = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    for missing in ("mean", "indicator"):
        model = mmoc.dask.BinaryRelevance(penalty=0.01, missing=missing, client=client)
        model.fit(da.from_array(X, chunks=(CHUNKS, 6)), da.from_array(Y, chunks=(CHUNKS, 4)))
        local = mmoc.BinaryRelevance(penalty=0.01, missing=missing, features="linear").fit(X, Y)
        np.testing.assert_allclose(model.coef_, local.coef_, rtol=1e-6, atol=1e-8)
