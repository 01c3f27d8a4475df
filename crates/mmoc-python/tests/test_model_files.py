"""Pickles and model files, and their exchange with the command line."""

import copy
import json
import pickle
import subprocess

import joblib
import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import dependent_data
from mmoc import _native


@pytest.fixture
def frames():
    X, Y = dependent_data(rows=90, features=5, labels=4, seed=2)
    features = pd.DataFrame(np.round(3 * X, 3), columns=["a", "b", "c", "d", "e"])
    return features, pd.DataFrame(Y, columns=["red", "green", "blue", "grey"])


def same_predictions(a, b, X):
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    for numbers in ("predict_proba", "decision_function"):
        if hasattr(a, numbers):
            np.testing.assert_array_equal(getattr(a, numbers)(X), getattr(b, numbers)(X))


def test_pickles_hold_the_native_bytes(estimator, frames):
    X, Y = frames
    fitted = estimator(scaling="standard").fit(X, Y)
    pickled = pickle.dumps(fitted)
    assert fitted._model.to_bytes() in pickled
    for again in (pickle.loads(pickled), copy.deepcopy(fitted)):
        assert again.get_params() == fitted.get_params()
        assert again._model.to_bytes() == fitted._model.to_bytes()
        same_predictions(fitted, again, X)
    assert pickle.loads(pickle.dumps(estimator())).get_params() == estimator().get_params()


def test_joblib_files(estimator, frames, tmp_path):
    X, Y = frames
    fitted = estimator().fit(X, Y)
    joblib.dump(fitted, tmp_path / "model.joblib", compress=3)
    same_predictions(fitted, joblib.load(tmp_path / "model.joblib"), X)


def test_classes_of_one_dimension_are_in_pickles(frames):
    X, Y = frames
    y = np.where(Y["red"] == 1, "yes", "no")
    fitted = mmoc.BinaryRelevance().fit(X, y)
    assert set(pickle.loads(pickle.dumps(fitted)).predict(X)) == {"yes", "no"}


def test_saved_models_are_loaded_as_they_were(estimator, frames, tmp_path):
    X, Y = frames
    fitted = estimator(scaling="standard").fit(X, Y)
    fitted.save(tmp_path / "model.mmoc")
    for again in (mmoc.load(tmp_path / "model.mmoc"), estimator.load(str(tmp_path / "model.mmoc"))):
        assert type(again) is estimator
        assert again.get_params() == fitted.get_params()
        assert again.label_names_.tolist() == list(Y)
        assert again.feature_names_in_.tolist() == list(X)
        same_predictions(fitted, again, X)


def test_models_without_names_have_none_when_they_are_loaded(frames, tmp_path):
    X, Y = frames
    mmoc.Lead().fit(X.to_numpy(), Y.to_numpy()).save(tmp_path / "model.mmoc")
    again = mmoc.load(tmp_path / "model.mmoc")
    assert not hasattr(again, "feature_names_in_")
    assert again.n_features_in_ == 5
    assert again.predict(X.to_numpy()).shape == Y.shape


@pytest.mark.parametrize("form", [pd.DataFrame, lambda X: pd.DataFrame(X).astype(pd.SparseDtype(float, 0.0))])
def test_names_that_look_generated_are_kept(frames, tmp_path, form):
    X, Y = frames
    names = [f"x{k + 1}" for k in range(X.shape[1])]
    table = form(X.to_numpy()).set_axis(names, axis=1)
    fitted = mmoc.BinaryRelevance().fit(table, Y)
    fitted.save(tmp_path / "model.mmoc")
    again = mmoc.load(tmp_path / "model.mmoc")
    assert again.feature_names_in_.tolist() == names
    assert pickle.loads(pickle.dumps(again)).feature_names_in_.tolist() == names
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(table[names[::-1]])


def test_only_names_that_look_generated_change_the_recorded_origin(frames):
    X, Y = frames
    generated = [f"x{k + 1}" for k in range(X.shape[1])]
    tables = (X, X.to_numpy(), X.set_axis(generated, axis=1), X.set_axis(generated[::-1], axis=1))
    origins = [mmoc.BinaryRelevance().fit(table, Y).record_["dataset"] for table in tables]
    assert origins == ["python", "python", "python table", "python"]


def test_names_that_look_generated_are_kept_from_files(frames, program, tmp_path):
    X, Y = frames
    names = [f"x{k + 1}" for k in range(X.shape[1])]
    path = written((X.set_axis(names, axis=1), Y), tmp_path)
    run(program, "train", path, "--labels", "-4", "--method", "br", "-o", tmp_path / "cli.mmoc")
    assert mmoc.load(tmp_path / "cli.mmoc").feature_names_in_.tolist() == names


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_columns_of_files_without_names_need_none(frames, program, tmp_path, form):
    X, Y = frames
    svm, model = tmp_path / "data.svm", tmp_path / "svm.mmoc"
    run(program, "convert", written(frames, tmp_path), svm, "--labels", "-4")
    run(program, "train", svm, "--method", "br", "-o", model)
    again = mmoc.load(model)
    named = again.predict(mmoc.read(svm, as_frame=True).X)
    np.testing.assert_array_equal(again.predict(form(X.to_numpy())), named)
    with pytest.raises(ValueError, match="X has 4 features, but BinaryRelevance is expecting 5"):
        again.predict(form(X.to_numpy()[:, 1:]))
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(X)


def test_parameters_are_loaded(frames, tmp_path):
    X, Y = frames
    own = {"C": 10.0, "projections": 2, "lam": 0.5, "gap": 1e-3, "penalty": 0.25, "folds": 3, "random_state": 11}
    mmoc.MaxMarginOutputCoding(**own).fit(X, Y).save(tmp_path / "model.mmoc")
    found = mmoc.load(tmp_path / "model.mmoc").get_params()
    assert {name: found[name] for name in own} == own


def test_files_that_are_no_models_are_refused(estimator, frames, tmp_path):
    path = tmp_path / "model.mmoc"
    with pytest.raises(FileNotFoundError):
        mmoc.load(path)
    path.write_bytes(b"not a model")
    with pytest.raises(ValueError, match=r"model\.mmoc: expected"):
        mmoc.load(path)
    fitted = estimator().fit(*frames)
    fitted.save(path)
    damaged = bytearray(path.read_bytes())
    damaged[-40] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match="expected"):
        mmoc.load(path)
    with pytest.raises(ValueError, match="expected"):
        _native.Model.from_bytes(bytes(damaged))
    with pytest.raises(OSError, match="nowhere"):
        fitted.save(tmp_path / "nowhere" / "model.mmoc")


def test_a_model_of_another_method_is_refused(frames, tmp_path):
    mmoc.Lead().fit(*frames).save(tmp_path / "lead.mmoc")
    with pytest.raises(ValueError, match="expected a model of br, found one of lead"):
        mmoc.BinaryRelevance.load(tmp_path / "lead.mmoc")


# The command line.


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def written(frames, folder, name="data.csv"):
    X, Y = frames
    path = folder / name
    pd.concat([X, Y], axis=1).to_csv(path, index=False)
    return path


def predicted(program, model, path, folder):
    """Label sets and, where the method has them, probabilities."""
    run(program, "predict", model, path, "-o", folder / "sets.csv")
    sets = pd.read_csv(folder / "sets.csv")
    try:
        run(program, "predict", model, path, "--proba", "-o", folder / "proba.csv")
    except AssertionError:
        return sets, None
    # As strings, because pandas may round numbers when it parses them.
    return sets, pd.read_csv(folder / "proba.csv", dtype=str)


def assert_predicts(estimator, X, names, sets, probabilities):
    np.testing.assert_array_equal(estimator.predict(X), sets[names].to_numpy())
    if hasattr(estimator, "predict_proba"):
        np.testing.assert_array_equal(estimator.predict_proba(X), probabilities[names].to_numpy().astype(float))
    else:
        assert probabilities is None


@pytest.mark.parametrize("seed", [0, 5])
def test_the_command_line_and_python_give_the_same_predictions(estimator, frames, program, tmp_path, seed):
    X, Y = frames
    path, model = written(frames, tmp_path), tmp_path / "cli.mmoc"
    labels = ",".join(Y)
    run(program, "train", path, "--labels", labels, "--method", estimator._method, "--seed", seed, "-o", model)
    fitted = estimator()
    if "random_state" in fitted.get_params():
        fitted.set_params(random_state=seed)
    fitted.fit(X, Y)

    from_cli = mmoc.load(model)
    assert from_cli.get_params() == fitted.get_params()
    same_predictions(from_cli, fitted, X)
    own, other = fitted.record_, from_cli.record_
    assert own.pop("dataset") != other.pop("dataset")
    assert own == other

    sets, probabilities = predicted(program, model, path, tmp_path)
    assert_predicts(fitted, X, list(Y), sets, probabilities)
    fitted.save(tmp_path / "python.mmoc")
    sets, probabilities = predicted(program, tmp_path / "python.mmoc", path, tmp_path)
    assert_predicts(fitted, X, list(Y), sets, probabilities)


def test_models_without_given_parameters_are_equal_to_the_byte(estimator, frames, program, tmp_path):
    X, Y = frames
    # The name of the file is recorded as that of the data set, which is "python" for data from Python.
    path, model = written(frames, tmp_path, "python.csv"), tmp_path / "cli.mmoc"
    run(program, "train", path, "--labels", ",".join(Y), "--method", estimator._method, "-o", model)
    assert model.read_bytes() == estimator().fit(X, Y)._model.to_bytes()


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_parameters_and_presets_are_the_same_in_both(frames, program, tmp_path, preset):
    X, Y = frames
    path, model = written(frames, tmp_path, "python.csv"), tmp_path / "cli.mmoc"
    run(
        program, "train", path, "--labels", ",".join(Y), "--method", "max-margin", "--preset", preset,
        "--set", "c=100", "--set", "base.penalty=0.01", "--scale", "standard", "--seed", 3, "-o", model,
    )  # fmt: skip
    own = {"C": 100, "penalty": 0.01, "scaling": "standard", "random_state": 3}
    fitted = mmoc.MaxMarginOutputCoding.from_preset(preset, **own).fit(X, Y)
    assert model.read_bytes() == fitted._model.to_bytes()
    same_predictions(mmoc.load(model), fitted, X)


def test_the_command_line_predicts_for_the_measure_of_the_saved_model(frames, program, tmp_path):
    X, Y = frames
    path, fitted = written(frames, tmp_path), mmoc.MaxMarginOutputCoding().fit(X, Y)
    for decide in ("subset", "f1", "macro-f1"):
        fitted.set_params(decide=decide).save(tmp_path / "model.mmoc")
        run(program, "predict", tmp_path / "model.mmoc", path, "-o", tmp_path / "sets.csv")
        np.testing.assert_array_equal(pd.read_csv(tmp_path / "sets.csv")[list(Y)], fitted.predict(X))


def test_real_data_gives_the_same_in_both(real_data, program, tmp_path):
    train, test = real_data / "scene-train.arff", real_data / "scene-test.arff"
    model = tmp_path / "scene.mmoc"
    run(program, "train", train, "--method", "max-margin", "-o", model)
    X, Y = mmoc.read(train, as_frame=True)
    X_test, Y_test = mmoc.read(test, as_frame=True)
    fitted = mmoc.MaxMarginOutputCoding().fit(X, Y)
    sets, probabilities = predicted(program, model, test, tmp_path)
    assert_predicts(fitted, X_test, list(Y), sets, probabilities)
    scores = json.loads(run(program, "score", model, test, "--json"))
    found = json.dumps(scores)
    assert f"{fitted.score(X_test, Y_test):.6f}"[:6] in found


def test_sparse_models_exchange_too(frames, program, tmp_path):
    X, Y = frames
    X = X.where(X.abs() > 2, 0.0)
    fitted = mmoc.MaxMarginOutputCoding().fit(sp.csr_array(X.to_numpy()), Y)
    fitted.save(tmp_path / "sparse.mmoc")
    same_predictions(fitted, mmoc.load(tmp_path / "sparse.mmoc"), sp.csr_array(X.to_numpy()))
