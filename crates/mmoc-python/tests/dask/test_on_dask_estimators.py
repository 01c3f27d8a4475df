"""The estimators keep the conventions of scikit-learn, and become local estimators and files."""

import doctest
import inspect
import pickle
import subprocess
import sys

import dask
import dask.array as da
import distributed
import joblib
import mmoc
import mmoc.dask
import numpy as np
import pytest
import sklearn
from mmoc.dask import _estimators
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

NAMES = [
    "BinaryRelevance",
    "CanonicalCorrelationCoding",
    "CompressedSensingCoding",
    "MaxMarginOutputCoding",
    "PrincipalLabelSpaceCoding",
    "RedundantPrincipalLabelSpaceCoding",
]


@pytest.fixture(params=NAMES)
def estimator(request):
    """Each of the estimators."""
    return getattr(mmoc.dask, request.param)


@pytest.fixture
def on_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def collections(rows, chunk=60):
    return tuple(da.from_array(own, chunks=(chunk, -1)) for own in rows)


def test_parameters_are_those_of_the_local_estimator_and_two_more(estimator):
    local = getattr(mmoc, estimator.__name__)
    found, expected = estimator().get_params(), local().get_params()
    assert found == expected | {"client": None, "sample_rows": None}
    own = inspect.signature(estimator).parameters
    assert list(own)[:-2] == list(inspect.signature(local).parameters)
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in own.values())
    assert isinstance(estimator(), local)
    with pytest.raises(TypeError, match="trees_of"):
        estimator(trees_of=1)
    assert estimator.from_preset("default").get_params() == found


def test_parameters_are_only_stored(estimator):
    odd = object()
    model = estimator(scaling=odd, client=odd, sample_rows=odd)
    assert model.scaling is model.client is model.sample_rows is odd
    assert model.set_params(sample_rows=3).sample_rows == 3
    assert repr(estimator(sample_rows=5)) == f"{estimator.__name__}(sample_rows=5)"


def test_clones_have_the_same_client(estimator, client):
    model = clone(estimator(client=client, scaling="none", sample_rows=7))
    assert model.client is client
    assert model.get_params() == estimator(client=client, scaling="none", sample_rows=7).get_params()


def test_clones_keep_what_is_routed_to_them():
    with sklearn.config_context(enable_metadata_routing=True):
        asked = mmoc.dask.BinaryRelevance().set_fit_request(sample_weight=True)
        assert clone(asked).get_metadata_routing().fit.requests == asked.get_metadata_routing().fit.requests


@pytest.mark.usefixtures("on_this_thread")
def test_examples_in_the_documentation():
    failed, tried = doctest.testmod(_estimators)
    assert tried > 20
    assert failed == 0


def test_without_dask_the_error_names_the_remedy():
    blocked = "import sys; sys.modules['distributed'] = None; import mmoc.dask"
    run = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False, timeout=60)
    assert "mmoc.dask needs Dask" in run.stderr
    assert "pip install mmoc[dask]" in run.stderr


def test_the_documentation_names_every_parameter(estimator):
    for name in inspect.signature(estimator).parameters:
        assert f"\n{name} : default=" in estimator.__doc__
    assert "None uses the current client" in " ".join(estimator.__doc__.split())


def test_use_before_fit(estimator, rows):
    X, y = collections(rows)
    model = estimator()
    for method in ("predict", "predict_proba", "predict_sets", "decision_function", "predict_confidence"):
        if hasattr(model, method):
            with pytest.raises(NotFittedError):
                getattr(model, method)(X)
    for use in (
        lambda: model.score(X, y),
        model.to_local,
        lambda: model.save("model.mmoc"),
        lambda: model.label_names_,
    ):
        with pytest.raises((NotFittedError, AttributeError)):
            use()


@pytest.mark.usefixtures("on_this_thread")
def test_the_local_estimator_has_the_model_and_the_parameters(estimator, rows, tmp_path):
    model = estimator(features="linear", sample_rows=200).fit(*collections(rows))
    local = model.to_local()
    assert type(local) is getattr(mmoc, estimator.__name__)
    given = model.get_params()
    assert local.get_params() == {name: given[name] for name in local.get_params()}
    for name in ("classes_", "n_features_in_", "label_names_", "estimates_", "record_", "coef_", "posterior_"):
        assert hasattr(local, name) == hasattr(model, name)
        if hasattr(local, name):
            np.testing.assert_equal(getattr(local, name), getattr(model, name))
    assert not hasattr(local, "client_")
    assert np.array_equal(local.predict(rows[0]), model.predict(rows[0]))
    model.save(tmp_path / "model.mmoc")
    for loaded in (mmoc.load(tmp_path / "model.mmoc"), estimator.load(tmp_path / "model.mmoc")):
        assert np.array_equal(loaded.predict(rows[0]), model.predict(rows[0]))
    X, _ = collections(rows)
    assert np.array_equal(loaded.predict(X).compute(), model.predict(rows[0]))
    assert clone(local).fit(*rows).n_features_in_ == 6


def test_pickle_leaves_the_connection_out(client, rows):
    model = mmoc.dask.PrincipalLabelSpaceCoding(client=client).fit(*collections(rows))
    assert model.client_ is client
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    assert not hasattr(again, "client_")
    assert np.array_equal(again.predict(rows[0]), model.predict(rows[0]))
    assert joblib.hash(again) == joblib.hash(pickle.loads(pickle.dumps(again)))


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")
def test_the_current_client_is_used(current_client, rows):
    X, y = collections(rows)
    model = mmoc.dask.PrincipalLabelSpaceCoding().fit(X, y)
    assert model.client_ is current_client
    assert model.score(X, y) == model.score(*rows)
    with dask.config.set(scheduler="threads"):
        assert model.fit(X, y).client_ is None


def test_a_fit_in_a_task_does_not_wait_for_its_own_thread(cluster, rows):
    def fit(rows):
        import dask.array
        import mmoc.dask

        X, y = (dask.array.from_array(own, chunks=(60, -1)) for own in rows)
        return mmoc.dask.PrincipalLabelSpaceCoding().fit(X, y).to_local()

    with distributed.Client(cluster, set_as_default=False) as client:
        futures = [client.submit(fit, rows, pure=False) for _ in range(3)]
        models = client.gather(futures)
    expected = mmoc.dask.PrincipalLabelSpaceCoding().fit(*collections(rows))
    for model in models:
        assert np.array_equal(model.coef_, expected.coef_)


@pytest.mark.usefixtures("on_this_thread")
def test_names_of_an_earlier_fit_are_forgotten(rows):
    import dask.dataframe as dd
    import pandas as pd

    X, Y = rows
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcdef")), npartitions=4)
    labels = dd.from_pandas(pd.DataFrame(Y, columns=list("uvwx")), npartitions=4)
    model = mmoc.dask.PrincipalLabelSpaceCoding().fit(frame, labels)
    assert model.feature_names_in_.tolist() == list("abcdef")
    model.fit(*collections(rows))
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 6


@pytest.mark.usefixtures("on_this_thread")
def test_progress_names_the_stages(rows, capfd):
    mmoc.dask.MaxMarginOutputCoding(verbose=1, evidence="labels+code").fit(*collections(rows))
    lines = capfd.readouterr().err.splitlines()
    assert lines
    assert all(line.startswith("[MaxMarginOutputCoding ") for line in lines)
