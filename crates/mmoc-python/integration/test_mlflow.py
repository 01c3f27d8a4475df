"""Models in MLflow: saved, logged, loaded, and served over HTTP, by MLflow itself."""

import contextlib
import doctest
import importlib
import io
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import warnings
from pathlib import Path

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mmoc._load import ESTIMATORS
from sklearn.linear_model import LogisticRegression

# MLflow and what it imports warn about themselves.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import mlflow
    import mmoc.mlflow

pytestmark = pytest.mark.filterwarnings("default")

LABELS = ["red", "green", "blue", "grey"]


@pytest.fixture(scope="module")
def frames():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(120, 5)), columns=list("abcde"))
    scores = X.to_numpy() @ rng.normal(size=(5, 4)) + rng.normal(size=(120, 4))
    return X, pd.DataFrame((scores > 0.5).astype(int), columns=LABELS)


@pytest.fixture(scope="module")
def fitted(frames):
    return mmoc.MaxMarginOutputCoding(trees=20).fit(*frames)


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Runs and models are kept in a database and a folder of this test."""
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment("colours")
    yield
    mlflow.set_tracking_uri(None)


def served(model, folder, **arguments):
    mmoc.mlflow.save_model(model, folder, **arguments)
    return mlflow.pyfunc.load_model(str(folder))


def names_and_types(schema):
    return [(column.name, column.type.name) for column in schema]


# Saving and loading.


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_every_estimator_comes_back_as_it_was(estimator, frames, tmp_path):
    X, Y = frames
    model = estimator().fit(X, Y)
    mmoc.mlflow.save_model(model, tmp_path / "model")
    again = mmoc.mlflow.load_model(tmp_path / "model")
    assert type(again) is estimator
    assert again._model.to_bytes() == model._model.to_bytes()
    predicted = mlflow.pyfunc.load_model(str(tmp_path / "model")).predict(X)
    pd.testing.assert_frame_equal(predicted, pd.DataFrame(model.predict(X), columns=LABELS))


def test_the_folder_has_the_native_file_and_no_pickle(fitted, frames, tmp_path):
    mmoc.mlflow.save_model(fitted, tmp_path / "model", input_example=frames[0][:3], metadata={"owner": "me"})
    files = {file.relative_to(tmp_path / "model").as_posix() for file in (tmp_path / "model").rglob("*.*")}
    assert {"data/model.mmoc", "conda.yaml", "requirements.txt", "input_example.json"} <= files
    assert not [file for file in files if file.endswith((".pkl", ".pickle"))]
    same = mmoc.load(tmp_path / "model" / "data" / "model.mmoc")
    np.testing.assert_array_equal(same.predict(frames[0]), fitted.predict(frames[0]))
    about = mlflow.models.Model.load(str(tmp_path / "model"))
    assert about.metadata == {"owner": "me"}
    assert about.flavors["mmoc"]["method"] == "max-margin"
    assert about.flavors["mmoc"]["mmoc_version"] == mmoc.__version__
    pd.testing.assert_frame_equal(about.load_input_example(str(tmp_path / "model")), frames[0][:3])


def test_requirements_are_the_default_the_extra_or_the_given_ones(fitted, tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_text("pandas\n")
    own = f"mmoc=={mmoc.__version__}"
    cases = [({}, [own]), ({"extra_pip_requirements": ["pandas"]}, [own, "pandas"])]
    cases += [({"extra_pip_requirements": str(mine)}, [own, "pandas"]), ({"pip_requirements": ["pandas"]}, ["pandas"])]
    for case, (given, expected) in enumerate(cases):
        folder = tmp_path / f"model{case}"
        mmoc.mlflow.save_model(fitted, folder, **given)
        found = (folder / "requirements.txt").read_text().splitlines()
        assert found == [f"mlflow=={mlflow.__version__}", *expected]
    environment = mmoc.mlflow.get_default_conda_env()
    mmoc.mlflow.save_model(fitted, tmp_path / "conda", conda_env=environment | {"name": "mine"})
    assert "name: mine" in (tmp_path / "conda" / "conda.yaml").read_text()


def test_models_of_the_command_line_can_be_saved(frames, tmp_path):
    program = Path(os.environ.get("MMOC_PROGRAM", Path(__file__).parents[3] / "target" / "debug" / "mmoc"))
    pd.concat(frames, axis=1).to_csv(tmp_path / "data.csv", index=False)
    train = [program, "train", tmp_path / "data.csv", "--labels", "-4", "--method", "br", "-o", tmp_path / "br.mmoc"]
    subprocess.run(train, check=True, capture_output=True)
    model = mmoc.load(tmp_path / "br.mmoc")
    predicted = served(model, tmp_path / "model").predict(frames[0])
    pd.testing.assert_frame_equal(predicted, pd.DataFrame(model.predict(frames[0]), columns=LABELS))


# Signatures and rows.


def test_the_signature_has_columns_labels_and_parameters(fitted, tmp_path):
    signature = served(fitted, tmp_path / "model").metadata.signature
    assert names_and_types(signature.inputs) == [(name, "double") for name in "abcde"]
    assert names_and_types(signature.outputs) == [(name, "long") for name in LABELS]
    defaults = {param.name: param.default for param in signature.params}
    assert defaults == {"decide": "subset", "probabilities": False, "confidence": False, "sets": 0}


def test_a_signature_can_be_given_or_left_out(fitted, frames, tmp_path):
    X, Y = frames
    given = mlflow.models.infer_signature(X, Y)
    assert served(fitted, tmp_path / "given", signature=given).metadata.signature == given
    without = served(fitted, tmp_path / "without", signature=False)
    assert without.metadata.signature is None
    pd.testing.assert_frame_equal(without.predict(X[list("edcba")]), without.predict(X))


def test_columns_are_matched_by_name(fitted, frames, tmp_path):
    model, (X, _) = served(fitted, tmp_path / "model"), frames
    shuffled = X[list("ecbda")].assign(unknown="?")
    pd.testing.assert_frame_equal(model.predict(shuffled), model.predict(X))
    with pytest.raises(mlflow.MlflowException, match="missing inputs.*'c'"):
        model.predict(X.drop(columns="c"))
    unsigned = served(fitted, tmp_path / "unsigned", signature=False)
    with pytest.raises(ValueError, match="missing"):
        unsigned.predict(X.drop(columns="c"))


def test_rows_keep_their_index(fitted, frames, tmp_path):
    rows = frames[0][7:9].set_axis(["x", "y"])
    predicted = served(fitted, tmp_path / "model").predict(rows, params={"sets": 1, "confidence": True})
    assert predicted.index.tolist() == ["x", "y"]
    assert not predicted.isna().any(axis=None)


def test_integers_are_refused_by_the_signature(fitted, frames, tmp_path):
    model, integers = served(fitted, tmp_path / "model"), frames[0].round().astype(int)
    with pytest.raises(mlflow.MlflowException, match="safely convert int64 to float64"):
        model.predict(integers)
    np.testing.assert_array_equal(model.predict(integers.astype(float)), fitted.predict(integers))


def test_words_are_columns_of_strings(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=80), "colour": rng.choice(["red", "blue"], 80), "one": ["same"] * 80})
    Y = pd.DataFrame({"big": X["size"] > 0, "warm": X["colour"] == "red"}).astype(int)
    model = mmoc.BinaryRelevance().fit(X, Y)
    loaded = served(model, tmp_path / "model", input_example=X[:2])
    types = [("size", "double"), ("colour", "string"), ("one", "string")]
    assert names_and_types(loaded.metadata.signature.inputs) == types
    np.testing.assert_array_equal(loaded.predict(X[["one", "colour", "size"]]), model.predict(X))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, pd.DataFrame])
def test_models_without_names_take_matrices(frames, tmp_path, form):
    X, Y = (frame.to_numpy() for frame in frames)
    model = mmoc.BinaryRelevance().fit(X, Y)
    loaded = served(model, tmp_path / "model", input_example=X[:2])
    (tensor,) = loaded.metadata.signature.inputs
    assert (tensor.type, tensor.shape) == (np.dtype(float), (-1, 5))
    predicted = loaded.predict(form(X))
    assert list(predicted) == ["label1", "label2", "label3", "label4"]
    np.testing.assert_array_equal(predicted, model.predict(X))


def test_models_of_sparse_labels_return_the_same_table(frames, tmp_path):
    X, Y = frames
    model = mmoc.BinaryRelevance().fit(sp.csr_matrix(X.to_numpy()), sp.csr_matrix(Y.to_numpy()))
    predicted = mmoc.mlflow.Predictor(model).predict(sp.csr_matrix(X.to_numpy()))
    np.testing.assert_array_equal(predicted, model.predict(X.to_numpy()).toarray())


# Parameters.


@pytest.mark.parametrize("decide", ["subset", "f1", "hamming"])
def test_decisions_and_their_confidence(fitted, frames, tmp_path, decide):
    X, _ = frames
    predicted = served(fitted, tmp_path / "model").predict(X, params={"decide": decide, "confidence": True})
    assert list(predicted) == [*LABELS, "confidence"]
    np.testing.assert_array_equal(predicted[LABELS], fitted.predict(X, decide))
    np.testing.assert_array_equal(predicted["confidence"], fitted.predict_confidence(X, decide))


def test_a_decision_that_was_changed_after_the_fit_is_kept(frames, tmp_path):
    X, _ = frames
    model = mmoc.MaxMarginOutputCoding(trees=20).fit(*frames).set_params(decide="f1")
    np.testing.assert_array_equal(served(model, tmp_path / "model").predict(X), model.predict(X))


def test_probabilities_and_likeliest_sets(fitted, frames, tmp_path):
    X, _ = frames
    predicted = served(fitted, tmp_path / "model").predict(X, params={"probabilities": True, "sets": 2})
    assert list(predicted) == [*LABELS, "set_1", "probability_1", "set_2", "probability_2"]
    np.testing.assert_array_equal(predicted[LABELS], fitted.predict_proba(X))
    sets, probabilities = fitted.predict_sets(X, 2)
    for rank in (0, 1):
        assert predicted[f"set_{rank + 1}"].tolist() == [np.array(LABELS)[row].tolist() for row in sets[:, rank]]
        np.testing.assert_array_equal(predicted[f"probability_{rank + 1}"], probabilities[:, rank])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"decide": "luck"}, "luck"),
        ({"decide": 3}, "decide"),
        ({"sets": -1}, "sets must be a whole number of at least 1, not -1"),
        ({"sets": 1.5}, "sets"),
        ({"confidence": "yes"}, "confidence"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(fitted, frames, tmp_path, asked, message):
    with pytest.raises((ValueError, mlflow.MlflowException), match=message):
        served(fitted, tmp_path / "model").predict(frames[0], params=asked)


@pytest.mark.parametrize("asked", [{"probabilities": True}, {"confidence": True}, {"sets": 1}, {"decide": "f1"}])
def test_what_a_method_does_not_have_is_refused(frames, tmp_path, asked):
    loaded = served(mmoc.CompressedSensingCoding().fit(*frames), tmp_path / "model")
    with pytest.raises(ValueError, match="CompressedSensingCoding"):
        loaded.predict(frames[0], params=asked)


def test_a_label_called_like_a_column_of_ours_is_refused(frames):
    X, Y = frames
    model = mmoc.MaxMarginOutputCoding(trees=20).fit(X, Y.rename(columns={"red": "confidence"}))
    with pytest.raises(ValueError, match="label 'confidence'"):
        mmoc.mlflow.Predictor(model).predict(X, {"confidence": True})


# What cannot be saved, and pickles.


def test_python_evidence_needs_a_pickle_which_may_be_forbidden(frames, tmp_path, monkeypatch):
    X, Y = frames
    evidence = ["labels", "code", ("theirs", LogisticRegression())]
    model = mmoc.MaxMarginOutputCoding(evidence=evidence).fit(X, Y)
    with pytest.raises(ValueError, match="term 'theirs' of evidence.*serialization_format='pickle'"):
        mmoc.mlflow.save_model(model, tmp_path / "refused")
    assert not (tmp_path / "refused").exists()

    predicted = served(model, tmp_path / "model", serialization_format="pickle").predict(X)
    np.testing.assert_array_equal(predicted, model.predict(X))
    assert "scikit-learn==" in (tmp_path / "model" / "requirements.txt").read_text()
    np.testing.assert_array_equal(mmoc.mlflow.load_model(tmp_path / "model").predict(X), predicted)
    monkeypatch.setenv("MLFLOW_ALLOW_PICKLE_DESERIALIZATION", "false")
    for load in (mmoc.mlflow.load_model, mlflow.pyfunc.load_model):
        with pytest.raises(ValueError, match="MLFLOW_ALLOW_PICKLE_DESERIALIZATION"):
            load(str(tmp_path / "model"))


def test_what_is_no_fitted_estimator_of_label_sets_is_refused(frames, tmp_path):
    X, Y = frames
    one_class = mmoc.BinaryRelevance().fit(X, np.where(Y["red"] == 1, "yes", "no"))
    cases = [(LogisticRegression(), TypeError, "found LogisticRegression"), (one_class, ValueError, "one class")]
    cases += [(mmoc.BinaryRelevance(), ValueError, "not fitted")]
    for model, error, message in cases:
        with pytest.raises(error, match=message):
            mmoc.mlflow.save_model(model, tmp_path / "model")
    with pytest.raises(ValueError, match="must be 'mmoc' or 'pickle'"):
        mmoc.mlflow.save_model(mmoc.BinaryRelevance().fit(X, Y), tmp_path / "model", serialization_format="onnx")
    assert not (tmp_path / "model").exists()


def test_a_damaged_file_and_a_model_of_another_flavour_are_refused(fitted, frames, tmp_path):
    mmoc.mlflow.save_model(fitted, tmp_path / "model")
    file = tmp_path / "model" / "data" / "model.mmoc"
    file.write_bytes(file.read_bytes()[:-1])
    for load in (mmoc.mlflow.load_model, mlflow.pyfunc.load_model):
        with pytest.raises(ValueError, match=r"model\.mmoc: expected"):
            load(str(tmp_path / "model"))
    X, Y = frames
    other = LogisticRegression().fit(X, Y["red"])
    mlflow.sklearn.save_model(other, tmp_path / "other", pip_requirements=["scikit-learn"])
    with pytest.raises(ValueError, match="expected a model of the flavour mmoc, found python_function, sklearn"):
        mmoc.mlflow.load_model(tmp_path / "other")


def test_without_mlflow_the_import_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    monkeypatch.delitem(sys.modules, "mmoc.mlflow")
    with pytest.raises(ImportError, match=r"pip install 'mmoc\[mlflow\]'"):
        importlib.import_module("mmoc.mlflow")


# Logging.


def test_logged_and_registered_models_are_found_again(fitted, frames, store):
    X, _ = frames
    with mlflow.start_run():
        mlflow.log_metrics(fitted.estimates_)
        info = mmoc.mlflow.log_model(fitted, "colours", registered_model_name="colours", input_example=X[:3])
    assert info.signature is not None
    for address in (info.model_uri, "models:/colours/1"):
        np.testing.assert_array_equal(mmoc.mlflow.load_model(address).predict(X), fitted.predict(X))
        np.testing.assert_array_equal(mlflow.pyfunc.load_model(address).predict(X), fitted.predict(X))
    assert set(info.flavors) == {"mmoc", "python_function"}


# Serving.


def ask(address, body):
    """The status and the answer to a request."""
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def wait_until_it_answers(address, process):
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"{address} does not answer; the server ended with {process.poll()}")


@pytest.fixture(scope="module")
def server(fitted, frames, tmp_path_factory):
    """The address of ``mlflow models serve`` with the fitted model."""
    folder = tmp_path_factory.mktemp("served")
    mmoc.mlflow.save_model(fitted, folder / "model", input_example=frames[0][:2])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = [sys.executable, "-m", "mlflow", "models", "serve", "--model-uri", str(folder / "model")]
    serve += ["--env-manager", "local", "--host", "127.0.0.1", "--port", str(port)]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(serve, stdout=log, stderr=log, env=os.environ | {"PATH": path})
        try:
            wait_until_it_answers(f"http://127.0.0.1:{port}/ping", process)
            yield f"http://127.0.0.1:{port}/invocations"
        finally:
            process.terminate()
            process.wait(timeout=30)


def test_served_predictions_are_those_of_the_estimator(server, fitted, frames):
    X, _ = frames
    expected = pd.DataFrame(fitted.predict(X), columns=LABELS).to_dict("records")
    shuffled = X[list("ecbda")]
    forms = {
        "dataframe_split": shuffled.to_dict("split", index=False),
        "dataframe_records": shuffled.to_dict("records"),
        "inputs": X.to_dict("list"),
    }
    for form, rows in forms.items():
        assert ask(server, {form: rows}) == (200, {"predictions": expected}), form


def test_served_models_take_parameters(server, fitted, frames):
    X = frames[0][:4]
    params = {"decide": "f1", "probabilities": True, "confidence": True, "sets": 1}
    status, answer = ask(server, {"dataframe_split": X.to_dict("split", index=False), "params": params})
    assert status == 200
    found = pd.DataFrame(answer["predictions"])
    np.testing.assert_array_equal(found[LABELS], fitted.predict_proba(X))
    np.testing.assert_array_equal(found["confidence"], fitted.predict_confidence(X, "f1"))
    likeliest = fitted.predict_sets(X, 1)[0][:, 0]
    assert found["set_1"].tolist() == [np.array(LABELS)[row].tolist() for row in likeliest]


def test_bad_requests_are_answered_with_the_reason(server, frames):
    X = frames[0][:1]
    missing = X.drop(columns="c").to_dict("split", index=False)
    cases = [({"dataframe_split": missing}, "missing inputs"), ({"rows": [[1]]}, "dataframe_split")]
    cases += [({"dataframe_split": X.to_dict("split", index=False), "params": {"decide": "luck"}}, "luck")]
    for body, reason in cases:
        status, answer = ask(server, body)
        assert status in (400, 500)
        assert reason in answer
    assert ask(server, {"inputs": X.to_dict("list")})[0] == 200


# The documentation.


def test_blocks_of_the_page_print_what_is_shown(store):
    page = (Path(__file__).parents[3] / "docs" / "mlflow.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == page.count("```python")
    names = {}
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/mlflow.md", "exec"), names)
        assert printed.getvalue() == shown, code


def test_examples_of_docstrings():
    assert doctest.testmod(mmoc.mlflow) == (0, 9)
