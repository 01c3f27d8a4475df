"""What cannot be fitted on Dask is refused with the place and the remedy, mostly before any rows are loaded."""

import re

import dask
import dask.array as da
import dask.dataframe as dd
import mmoc.dask
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from sklearn.ensemble import RandomForestClassifier


def refuse_to_load(*_):
    raise AssertionError("loaded")


@pytest.fixture(autouse=True)
def on_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def unloaded():
    """Collections whose rows cannot be loaded."""
    parts = [delayed(refuse_to_load)(number) for number in range(3)]
    X = da.concatenate([da.from_delayed(own, (10, 6), dtype=float) for own in parts])
    return X, da.concatenate([da.from_delayed(own, (10, 4), dtype=int) for own in parts])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"evidence": "labels+neighbours"}, "evidence='labels+neighbours' is not supported on Dask: neighbours would"),
        ({"evidence": "labels+forest"}, 'Use evidence="labels+code", or fit mmoc.MaxMarginOutputCoding to a sample'),
        ({"evidence": ["labels", ("forest", RandomForestClassifier())]}, "evidence must be a text on Dask, not a list"),
        ({"features": "rbf"}, 'features="rbf" is not supported on Dask. Use features="linear"'),
        ({"missing": "median"}, 'missing="median" is not supported on Dask: a median is no sum over rows.'),
        ({"missing_labels": "ignore"}, 'missing_labels="ignore" is not supported on Dask. Drop the rows'),
        ({"missing_labels": "maybe"}, "missing_labels must be refuse on Dask, not 'maybe'"),
        ({"class_weight": len}, "class_weight is a function or a class"),
        ({"sample_rows": 0}, "sample_rows must be a whole number of at least 1, not 0"),
        ({"client": "tcp://127.0.0.1:8786"}, "client must be a distributed.Client or None, not 'tcp:"),
        ({"verbose": -1}, "verbose must be 0 or 1"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0"),
        ({"folds": 1}, "folds must be"),
        ({"random_state": -1}, "random_state must be from 0"),
    ],
)
def test_parameters(unloaded, parameters, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        mmoc.dask.MaxMarginOutputCoding(**parameters).fit(*unloaded)


def test_rows_in_memory(unloaded):
    X, y = unloaded
    rows, labels = np.zeros((30, 6)), np.zeros((30, 4), dtype=int)
    for own in (rows, pd.DataFrame(rows), rows.tolist()):
        with pytest.raises(
            TypeError, match=r"X must be a Dask array, a Dask DataFrame, or a list .* not (numpy|pandas|l)"
        ):
            mmoc.dask.BinaryRelevance().fit(own, y)
    with pytest.raises(TypeError, match=r"y must be .* Use dask.array.from_array\(y, chunks=\(X.chunks\[0\], -1\)\)"):
        mmoc.dask.BinaryRelevance().fit(X, labels)
    with pytest.raises(TypeError, match="sample_weight must be .*chunks=X"):
        mmoc.dask.BinaryRelevance().fit(X, y, np.ones(30))
    with pytest.raises(TypeError, match=r"X is one delayed object or future. Give a list"):
        mmoc.dask.BinaryRelevance().fit(delayed(rows), delayed(labels))
    with pytest.raises(ValueError, match="X is an empty list"):
        mmoc.dask.BinaryRelevance().fit([], [])


def test_dimensions(unloaded):
    X, y = unloaded
    with pytest.raises(ValueError, match=r"X must have two dimensions.* Use X.reshape\(-1, 1\)"):
        mmoc.dask.BinaryRelevance().fit(X[:, 0], y)
    with pytest.raises(ValueError, match=r"y must have two dimensions.* Use y.reshape\(-1, 1\)"):
        mmoc.dask.BinaryRelevance().fit(X, y[:, 0])
    with pytest.raises(ValueError, match="sample_weight must have one dimension"):
        mmoc.dask.BinaryRelevance().fit(X, y, y)


def test_partitions_that_are_not_alike(unloaded):
    X, y = unloaded
    with pytest.raises(ValueError, match="X has 30 rows and y has 20"):
        mmoc.dask.BinaryRelevance().fit(X, y[:20])
    unknown = da.concatenate([da.from_delayed(delayed(refuse_to_load)(0), (np.nan, 4), dtype=int)] * 2)
    with pytest.raises(ValueError, match=r"X has 3 partitions and y has 2 partitions. .* by X.compute_chunk_sizes\(\)"):
        mmoc.dask.BinaryRelevance().fit(X, unknown)
    frame = pd.DataFrame(np.zeros((30, 2)), columns=["a", "b"])
    with pytest.raises(ValueError, match=r"Use y.repartition\(divisions=X.divisions\)"):
        mmoc.dask.BinaryRelevance().fit(dd.from_pandas(frame, npartitions=3), dd.from_pandas(frame, npartitions=2))
    lists = [delayed(np.zeros((10, 2)))] * 2, [delayed(np.zeros((own, 1))) for own in (10, 9)]
    with pytest.raises(ValueError, match="partition 1: X has 10 rows and y has 9"):
        mmoc.dask.BinaryRelevance().fit(*lists)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["red", "blue"] * 15, "the column 'a' of X has the type .* by dask.dataframe.get_dummies"),
        (pd.date_range("2020", periods=30), "column 'a' of X has dates or times"),
    ],
)
def test_columns_of_tables(cells, message):
    frame = pd.DataFrame({"a": cells, "b": 1.0})
    y = pd.DataFrame({"u": [0, 1] * 15})
    given = dd.from_pandas(frame, npartitions=2), dd.from_pandas(y, npartitions=2)
    with pytest.raises(ValueError, match=message):
        mmoc.dask.BinaryRelevance().fit(*given)


def in_list(*parts):
    return [delayed(own) for own in parts]


def test_content_is_refused_with_its_partition():
    good, labels = np.arange(20.0).reshape(10, 2), np.eye(10, 3, dtype=int)
    for X, y, message in [
        (in_list(good, good[:, :1]), in_list(labels, labels), "partition 0 has 2 columns of X, and partition 1 has 1"),
        (in_list(good, good), in_list(labels, labels[:, :2]), "partition 0 has 3 columns of y, and partition 1 has 2"),
        (in_list(good, good + np.inf), in_list(labels, labels), "partition 1: .*infinity"),
        (in_list(good, good), in_list(labels, labels * 2), "partition 1: labels must be zeros and ones, and row 0"),
        (in_list(good, good), in_list(labels, labels[:, 0]), "partition 1: y must have two dimensions"),
        (in_list(good, good), in_list(labels, labels * np.nan), "partition 1: row 0, column 0 of y has NaN, a missing"),
        (in_list(good, good), in_list(labels, [["a"], ["b"]] * 5), "partition 1: y has tags. On Dask labels must be"),
        (in_list(good[:1]), in_list(labels[:1]), "fit needs at least 2 rows with a positive weight, and of 1 rows"),
        (in_list(good[:0]), in_list(labels[:0]), "X has no rows: all of its partitions are empty"),
    ]:
        with pytest.raises(ValueError, match=message):
            mmoc.dask.BinaryRelevance().fit(X, y)
    with pytest.raises(ValueError, match="of 10 rows there is none"):
        mmoc.dask.BinaryRelevance().fit(in_list(good), in_list(labels), in_list(np.zeros(10)))
    weights = np.where(np.arange(10) == 3, -1.0, 1.0)
    with pytest.raises(ValueError, match="partition 0: row 3 of sample_weight has -1.0"):
        mmoc.dask.BinaryRelevance().fit(in_list(good), in_list(labels), in_list(weights))


def test_an_error_while_rows_are_loaded_comes_back(unloaded, client):
    with pytest.raises(AssertionError, match="loaded"):
        mmoc.dask.BinaryRelevance().fit(*unloaded)
    broken = [delayed(int)("no number")]
    with pytest.raises(ValueError, match="invalid literal for int"):
        mmoc.dask.BinaryRelevance(client=client).fit(broken, broken)


def test_a_failed_fit_keeps_the_previous_model(rows):
    X, Y = rows
    model = mmoc.dask.PrincipalLabelSpaceCoding().fit(da.from_array(X, chunks=60), da.from_array(Y, chunks=60))
    before = model.coef_
    with pytest.raises(ValueError, match="labels must be zeros and ones"):
        model.fit(da.from_array(X[:, :3], chunks=60), da.from_array(Y * 2, chunks=60))
    assert np.array_equal(model.coef_, before)
    assert model.n_features_in_ == 6
