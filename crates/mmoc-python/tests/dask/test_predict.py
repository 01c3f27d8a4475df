"""Predictions are lazy, of the kind of the rows, and those of the local estimator."""

import pickle

import dask
import dask.array as da
import dask.dataframe as dd
import mmoc.dask
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from dask import delayed
from dask.utils import key_split

CHUNKS = ((100, 90, 50), (6,))
# Methods with their arguments.
METHODS = [
    ("predict", {}),
    ("predict", {"decide": "f1"}),
    ("predict_proba", {}),
    ("predict_top_k", {"k": 2}),
    ("predict_sets", {"k": 3}),
    ("predict_confidence", {}),
    ("predict_confidence", {"decide": "hamming"}),
]


@pytest.fixture(scope="module")
def fitted():
    """A model of 240 rows with names."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 6))
    Y = (X @ rng.normal(size=(6, 4)) + rng.normal(size=(240, 4)) > 0.5).astype(np.int8)
    model = mmoc.dask.MaxMarginOutputCoding(evidence="labels+code", features="linear")
    with dask.config.set(scheduler="synchronous"):
        return model.fit(da.from_array(X, chunks=(80, 6)), da.from_array(Y, chunks=(80, 4))), X, Y


@pytest.fixture(scope="module")
def named(fitted):
    """A model of a table, and the table."""
    _, X, Y = fitted
    table = pd.DataFrame(X, columns=list("abcdef"), index=np.arange(240) * 10)
    labels = pd.DataFrame(Y, columns=["calm", "happy", "sad", "tired"], index=table.index)
    given = [dd.from_pandas(own, npartitions=3) for own in (table, labels)]
    with dask.config.set(scheduler="synchronous"):
        return mmoc.dask.BinaryRelevance(candidates="seen", penalty=0.1).fit(*given), given[0], table


def in_tuple(found):
    return found if isinstance(found, tuple) else (found,)


def check_equal(found, expected):
    """Of the same form, type and content."""
    assert type(found) is type(expected)
    for own, other in zip(in_tuple(found), in_tuple(expected), strict=True):
        assert own.shape == other.shape
        assert own.dtype == other.dtype
        assert np.array_equal(own, other)


@pytest.mark.parametrize(("method", "options"), METHODS)
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_arrays(fitted, method, options, scheduler):
    model, X, _ = fitted
    expected = getattr(model.to_local(), method)(X, **options)
    found = getattr(model, method)(da.from_array(X, chunks=CHUNKS), **options)
    for own, other in zip(in_tuple(found), in_tuple(expected), strict=True):
        assert isinstance(own, da.Array)
        assert own.chunks[0] == CHUNKS[0]
        assert own.shape == other.shape
        assert own.dtype == other.dtype
    check_equal(dask.compute(found, scheduler=scheduler)[0], expected)


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_arrays_of_unknown_sizes_with_empty_chunks_and_columns_in_chunks(fitted, method, options):
    model, X, _ = fitted
    given = da.from_array(X, chunks=(CHUNKS[0], (2, 4)))
    given = given[da.arange(240, chunks=CHUNKS[:1]) >= 100]
    found = getattr(model, method)(given, **options)
    assert all(np.isnan(own.chunks[0]).all() for own in in_tuple(found))
    check_equal(dask.compute(found, scheduler="synchronous")[0], getattr(model.to_local(), method)(X[100:], **options))


def test_a_cluster_predicts_the_same(fitted, client):
    model, X, _ = fitted
    found = client.compute(model.predict_proba(da.from_array(X, chunks=CHUNKS))).result()
    assert np.array_equal(found, model.predict_proba(X))


def test_sparse_labels_stay_sparse(fitted):
    _, X, Y = fitted
    for form in (sp.csr_matrix, sp.csr_array):
        labels = [delayed(form)(own) for own in np.split(Y, 3)]
        with dask.config.set(scheduler="synchronous"):
            model = mmoc.dask.BinaryRelevance(penalty=0.1).fit([delayed(own) for own in np.split(X, 3)], labels)
            for given in (X, form(X)):
                array = da.from_array(X, chunks=CHUNKS)
                if given is not X:
                    array = array.map_blocks(form, meta=form((0, 6)))
                found = model.predict(array)
                assert isinstance(found._meta, form)
                assert found.shape == (240, 4)
                computed = found.compute()
                assert isinstance(computed, form)
                assert computed.dtype == Y.dtype
                assert (computed != model.predict(given)).nnz == 0


def test_data_frames_have_the_index_of_the_rows_and_the_labels_as_columns(named):
    model, given, table = named
    with dask.config.set(scheduler="synchronous"):
        for method in ("predict", "predict_proba", "decision_function"):
            found = getattr(model, method)(given)
            assert isinstance(found, dd.DataFrame)
            assert found.divisions == given.divisions
            computed = found.compute()
            assert computed.index.equals(table.index)
            assert computed.columns.tolist() == model.label_names_.tolist()
            assert (found.dtypes == computed.dtypes).all()
            assert np.array_equal(computed, getattr(model, method)(table))
        confidence = model.predict_confidence(given)
        assert isinstance(confidence, dd.Series)
        assert np.array_equal(confidence.compute(), model.predict_confidence(table))
        sets, probabilities = dask.compute(*model.predict_sets(given, k=2))
    check_equal((sets, probabilities), model.predict_sets(table, k=2))


def test_lists_give_lists_of_delayed(fitted, client):
    model, X, _ = fitted
    parts = np.split(X, 3)
    for given in ([delayed(own) for own in parts], client.map(np.asarray, parts, pure=False)):
        found = model.predict_sets(given, k=2)
        assert len(found) == 3
        computed = client.gather(client.compute(found))
        for own, part in zip(computed, parts, strict=True):
            check_equal(own, model.predict_sets(part, k=2))


def test_tags_are_a_list_of_delayed(named):
    model, given, table = named
    found = dask.compute(*model.predict_tags(given), scheduler="synchronous")
    assert [row for part in found for row in part] == model.predict_tags(table)


def test_nothing_is_computed_before_it_is_asked_for(fitted):
    model, _, _ = fitted

    def refuse(*_):
        raise AssertionError("computed")

    loads = [delayed(refuse)(number) for number in range(3)]
    arrays = da.concatenate([da.from_delayed(own, (5, 6), dtype=float) for own in loads])
    table = dd.from_delayed(loads, meta=pd.DataFrame(np.empty((0, 6))), verify_meta=False)
    for method, options in METHODS:
        for given in (arrays, table, loads):
            getattr(model, method)(given, **options)
    with pytest.raises(AssertionError, match="computed"):
        model.predict(arrays).compute(scheduler="synchronous")


@pytest.mark.parametrize(("method", "options"), METHODS)
def test_the_model_is_once_in_the_graph(fitted, method, options):
    model, X, _ = fitted
    given = da.from_array(X, chunks=(10, 6))
    file = model._model.to_bytes()
    mark = file[len(file) // 2 :][:200]
    for own in in_tuple(getattr(model, method)(given, **options)):
        for graph in (own.__dask_graph__(), dask.optimize(own)[0].__dask_graph__()):
            assert pickle.dumps(dict(graph)).count(mark) == 1
    (first, *others) = (own for own in graph if key_split(own) == "mmoc-model")
    assert not others
    tables = dd.from_pandas(pd.DataFrame(X), npartitions=24)
    for own in in_tuple(getattr(model, method)(tables, **options)):
        assert pickle.dumps(dict(own.__dask_graph__())).count(mark) == 1


def test_rows_in_memory_are_predicted_as_by_the_local_estimator(fitted):
    model, X, Y = fitted
    for method, options in METHODS:
        check_equal(getattr(model, method)(X, **options), getattr(model.to_local(), method)(X, **options))
    assert model.score(X, Y) == model.to_local().score(X, Y)
    assert str(model.explain(X[:2])) == str(model.to_local().explain(X[:2]))


def test_wrong_columns_are_refused_before_anything_is_computed(fitted, named):
    model, X, _ = fitted
    with pytest.raises(ValueError, match="X has 5 features, but MaxMarginOutputCoding is expecting 6"):
        model.predict(da.from_array(X[:, :5], chunks=(10, 5)))
    with pytest.raises(ValueError, match="X must have two dimensions"):
        model.predict(da.from_array(X[:, 0], chunks=10))
    model, given, _ = named
    with pytest.raises(ValueError, match="feature names"):
        model.predict(given.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="the column 'a' of X has the type"):
        model.predict(given.assign(a=given.a.astype(str)))
    with pytest.raises(TypeError, match="takes rows in memory"):
        model.explain(given)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_score_is_that_of_all_rows(fitted, named, client, weighted):
    model, X, Y = fitted
    weights = np.tile([0.0, 1.0, 2.5], 80) if weighted else None
    weights_of_first = weights if weights is None else np.where(np.arange(240) < 100, 0.0, weights)
    for own in (weights, weights_of_first):
        given = None if own is None else da.from_array(own, chunks=7)
        found = model.set_params(client=client).score(
            da.from_array(X, chunks=CHUNKS), da.from_array(Y, chunks=(17, 4)), given
        )
        assert found == pytest.approx(model.to_local().score(X, Y, own), rel=1e-14)
    model.set_params(client=None)
    named_model, table, frame = named
    labels = pd.DataFrame(Y, columns=named_model.label_names_, index=frame.index)
    # The columns of labels are matched by name.
    shuffled = dd.from_pandas(labels[labels.columns[::-1]], npartitions=3)
    with dask.config.set(scheduler="threads"):
        assert named_model.score(table, shuffled) == pytest.approx(named_model.score(frame, labels), rel=1e-14)
