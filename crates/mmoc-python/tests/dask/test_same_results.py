"""Results depend neither on workers nor on schedulers, and hardly on partitions. They are those of one machine."""

from contextlib import ExitStack

import dask
import dask.array as da
import distributed
import mmoc
import mmoc.dask
import numpy as np
import pytest
from sklearn.base import clone

ESTIMATORS = [
    (mmoc.dask.BinaryRelevance, {}),
    (mmoc.dask.BinaryRelevance, {"candidates": "seen", "class_weight": "balanced", "penalty": 0.01}),
    (mmoc.dask.CanonicalCorrelationCoding, {"evidence": "labels+code", "penalty": 0.01}),
    (mmoc.dask.CompressedSensingCoding, {"projections": 20}),
    (mmoc.dask.MaxMarginOutputCoding, {"evidence": "labels+code", "penalty": 0.01}),
    (mmoc.dask.PrincipalLabelSpaceCoding, {}),
    (mmoc.dask.RedundantPrincipalLabelSpaceCoding, {"evidence": "labels+code", "penalty": 0.01}),
]
CHUNKS = (70, 20, 150)


@pytest.fixture(params=ESTIMATORS, ids=lambda own: "-".join((own[0].__name__, *own[1])))
def estimator(request):
    """Each of the estimators, with linear models only."""
    own, parameters = request.param
    return own(features="linear", **parameters)


@pytest.fixture(scope="module")
def of_other_sizes():
    """Clients of clusters of one and of four workers."""
    with ExitStack() as stack:
        clients = []
        for workers in (1, 4):
            own = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0"}
            cluster = stack.enter_context(distributed.LocalCluster(workers, **own))
            clients.append(stack.enter_context(distributed.Client(cluster, set_as_default=False)))
        yield clients


def collections(rows, chunks=CHUNKS):
    return tuple(da.from_array(own, chunks=(chunks, own.shape[1])) for own in rows)


def content(model):
    """All numbers of a model."""
    numbers = [model.coef_, model.intercept_] if hasattr(model, "coef_") else []
    if hasattr(model, "projections_"):
        numbers += [model.projections_, model.code_coef_, model.code_intercept_]
    assert numbers
    return [own.tobytes() for own in numbers]


def test_neither_the_number_of_workers_nor_the_scheduler_changes_a_bit(estimator, client, of_other_sizes, rows):
    X, y = collections(rows)
    expected = content(clone(estimator).set_params(client=client).fit(X, y))
    for other in of_other_sizes:
        assert content(clone(estimator).set_params(client=other).fit(X, y)) == expected
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            local = clone(estimator).fit(X, y)
        assert local.client_ is None
        assert content(local) == expected


def test_processes_change_no_bit(client, rows):
    X, y = collections(rows)
    estimator = mmoc.dask.PrincipalLabelSpaceCoding(features="linear")
    with dask.config.set(scheduler="processes", num_workers=2):
        local = clone(estimator).fit(X, y)
    assert content(local) == content(estimator.set_params(client=client).fit(X, y))


@pytest.mark.parametrize("chunks", [(240,), (1, 100, 3, 130, 6), (20,) * 12])
def test_one_machine_with_the_same_folds_finds_the_same(estimator, rows, chunks):
    X, y = collections(rows, chunks)
    with dask.config.set(scheduler="synchronous"):
        model = estimator.fit(X, y)
        folds = mmoc.dask.folds(X, y, n_folds=getattr(model, "folds", 5))
    alone = clone(model.to_local()).fit(*rows, folds=folds)
    assert np.array_equal(alone.predict(rows[0]), model.predict(rows[0]))
    if hasattr(alone, "classifier_penalties_"):
        np.testing.assert_allclose(model.classifier_penalties_, alone.classifier_penalties_, rtol=1e-9)
        np.testing.assert_allclose(model.coef_, alone.coef_, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(model.predict_proba(rows[0]), alone.predict_proba(rows[0]), atol=1e-6)
    if hasattr(alone, "code_coef_"):
        np.testing.assert_allclose(model.codeword_penalties_, alone.codeword_penalties_, rtol=1e-9)
        np.testing.assert_allclose(model.code_coef_, alone.code_coef_, rtol=1e-9, atol=1e-10)
    if hasattr(alone, "metric_"):
        assert model.solver_.converged
        np.testing.assert_allclose(model.metric_, alone.metric_, rtol=1e-5, atol=1e-6)


def test_folds_follow_rows_and_not_partitions(client, rows):
    X, y = rows
    found = mmoc.dask.folds(*collections(rows), client=client)
    assert found.dtype == np.int64
    assert found.shape == (240,)
    assert set(found) == set(range(5))
    for chunks in ((240,), (40,) * 6):
        assert np.array_equal(mmoc.dask.folds(*collections(rows, chunks), client=client), found)
    order = np.random.default_rng(1).permutation(240)
    assert np.array_equal(mmoc.dask.folds(*collections((X[order], y[order])), client=client), found[order])
    assert not np.array_equal(mmoc.dask.folds(*collections(rows), random_state=1, client=client), found)
    assert set(mmoc.dask.folds(*collections(rows), n_folds=3, client=client)) == set(range(3))
