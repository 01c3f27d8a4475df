"""ONNX graphs under onnxruntime predict what the estimators do, and what cannot be exported is refused by name."""

import hashlib
import json
import subprocess
from pathlib import Path

import mmoc
import mmoc.onnx
import numpy as np
import onnx
import pytest
import skl2onnx
from onnx_agreement import DATA, DECISIONS, TERMS, agreement, dense, run, split
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# The worst that was found is 5e-14.
TOLERANCE = 1e-9
PROGRAM = Path(__file__).parents[3] / "target" / "debug" / "mmoc"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="real data sets not found (set MMOC_DATA)")


def some_data(rows=120, features=8, labels=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    Y = (X @ rng.normal(size=(features, labels)) + rng.normal(size=(rows, labels)) > 0.5).astype(np.int64)
    Y[:, -1] = np.where(Y[:, 0] == 1, 0, Y[:, -1])
    return X, Y


def assert_agrees(estimator, X, found=None, tolerance=TOLERANCE):
    agreed = agreement(estimator, X, found)
    assert agreed.sets == 0
    assert agreed.largest <= tolerance


def max_margin(**parameters):
    return mmoc.MaxMarginOutputCoding(**({"evidence": TERMS, "features": "linear"} | parameters))


@needs_data
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*the labels are those of")
@pytest.mark.parametrize("name", ["flags", "emotions", "scene", "yeast", "medical"])
def test_every_decision_on_real_data(name):
    X, Y, test = split(name)
    model = max_margin().fit(X, Y)
    for decide in DECISIONS:
        assert_agrees(model.set_params(decide=decide), test)


@needs_data
@pytest.mark.parametrize("name", ["flags", "emotions"])
def test_radial_basis_functions_on_real_data(name):
    X, Y, test = split(name)
    for features in ("rbf", "auto"):
        model = max_margin(features=features).fit(X, Y)
        for decide in DECISIONS:
            assert_agrees(model.set_params(decide=decide), test)


def test_radial_basis_functions_of_sparse_rows():
    sp = pytest.importorskip("scipy.sparse")
    X, Y = some_data(features=12)
    X = np.where(X > 0.5, X, 0.0)
    X[5] = 0.0
    model = max_margin(features="rbf").fit(sp.csr_array(X), Y)
    assert_agrees(model, np.vstack([X, 1e160 * X[:3]]))


EXPORTED = [
    mmoc.BinaryRelevance(),
    mmoc.BinaryRelevance(features="rbf"),
    mmoc.BinaryRelevance(candidates="seen"),
    mmoc.BinaryRelevance(decide="f1"),
    mmoc.PrincipalLabelSpaceCoding(),
    mmoc.RedundantPrincipalLabelSpaceCoding(evidence=TERMS, features="linear"),
    mmoc.CanonicalCorrelationCoding(evidence=TERMS, features="linear"),
    mmoc.CanonicalCorrelationCoding.from_preset("paper", inference="exact"),
    mmoc.RedundantPrincipalLabelSpaceCoding.from_preset("paper", inference="exact"),
    mmoc.MaxMarginOutputCoding.from_preset("paper", inference="exact"),
    mmoc.MaxMarginOutputCoding.from_preset("paper", inference="exact", lam=0.0),
    mmoc.CalibratedLabelRanking(),
    mmoc.CalibratedLabelRanking(votes="soft"),
    mmoc.Lead(),
    mmoc.Lead(evidence="probabilities"),
    max_margin(candidates="all"),
    max_margin(evidence="frequency"),
    max_margin(evidence="labels"),
    max_margin(evidence="code", decide="f1"),
    max_margin(weights="fixed", candidates="all"),
]


@pytest.mark.parametrize("estimator", EXPORTED, ids=str)
def test_every_method_that_can_be_exported(estimator):
    X, Y = some_data()
    new, _ = some_data(rows=300, seed=1)
    assert_agrees(estimator.fit(X, Y), new)


@pytest.mark.parametrize("decide", DECISIONS)
def test_rows_whose_sets_are_all_different_have_independent_labels(decide):
    X, Y = some_data(rows=30, labels=12)
    Y[:, 0:5] = (np.arange(30)[:, None] >> np.arange(5)) & 1
    model = max_margin(decide=decide).fit(X, Y)
    assert model.posterior_["sets"] == 0
    assert_agrees(model, some_data(rows=100, labels=12, seed=1)[0])


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize("decide", DECISIONS)
def test_one_and_two_labels(labels, decide):
    X, Y = some_data()
    model = max_margin(decide=decide).fit(X, Y[:, :labels])
    assert_agrees(model, some_data(seed=1)[0])


@pytest.mark.parametrize("missing", ["mean", "median", "indicator"])
@pytest.mark.parametrize("scaling", ["none", "standard"])
def test_missing_cells_are_filled_in(missing, scaling):
    X, Y = some_data()
    X[::7, 2] = np.nan
    X[::5, 6] = np.nan
    new, _ = some_data(seed=1)
    new[::3] = np.nan
    new[1::3, 2] = np.nan
    assert_agrees(max_margin(missing=missing, scaling=scaling).fit(X, Y), new)


@pytest.mark.parametrize("decide", DECISIONS)
@pytest.mark.parametrize("rows", [1, 5000])
def test_one_row_and_many_rows(decide, rows):
    model = max_margin(decide=decide).fit(*some_data())
    assert_agrees(model, some_data(rows=rows, seed=1)[0])


@pytest.mark.parametrize("decide", DECISIONS)
def test_no_rows(decide):
    model = max_margin(decide=decide).fit(*some_data())
    found = run(model.to_onnx(), np.empty((0, 8)))
    shapes = {name: values.shape for name, values in found.items()}
    assert shapes == {"labels": (0, 4), "probabilities": (0, 4), "confidence": (0,)}


def test_rows_that_are_refused_have_no_label_and_nan():
    X, Y = some_data()
    new = X[:4].copy()
    new[1, 3] = np.inf
    new[2, 3] = -np.inf
    new[3, 3] = 1e308
    for estimator in (max_margin(), max_margin(decide="f1"), mmoc.BinaryRelevance(), mmoc.Lead()):
        model = estimator.fit(X * 1e-3, Y)
        with pytest.raises(ValueError, match="infinity|finite|too large"):
            model.predict(new[1:2])
        found = run(model.to_onnx(), new)
        assert not found["labels"][1:3].any()
        assert np.isnan(found["probabilities"][1:3]).all()
        assert np.isfinite(found["probabilities"][0]).all()


@pytest.mark.parametrize("operators", [13, 15, 17, 18, 21, 22])
@pytest.mark.parametrize("decide", ["subset", "f1", "hamming"])
def test_later_operator_sets_have_the_same_operators(operators, decide):
    model = max_margin(decide=decide, features="rbf").fit(*some_data())
    graph = onnx.load_from_string(model.to_onnx())
    assert [(own.domain, own.version) for own in graph.opset_import] == [("", 13)]
    graph.opset_import[0].version = operators
    graph.ir_version = 10
    new, _ = some_data(seed=1)
    assert_agrees(model, new, run(graph, new))


def test_the_metadata_names_columns_labels_version_and_digest(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, Y = some_data()
    columns, labels = [f"column {k}" for k in range(8)], ["a", "b", "ç", "d"]
    model = max_margin(decide="f1").fit(pandas.DataFrame(X, columns=columns), pandas.DataFrame(Y, columns=labels))
    path = tmp_path / "model.onnx"
    assert model.to_onnx(path) == path.read_bytes()
    model.save(tmp_path / "model.mmoc")
    said = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
    assert json.loads(said["mmoc.columns"]) == columns
    assert json.loads(said["mmoc.labels"]) == labels
    assert said["mmoc.version"] == mmoc.__version__
    assert said["mmoc.decide"] == "f1"
    assert said["mmoc.model_sha256"] == hashlib.sha256((tmp_path / "model.mmoc").read_bytes()).hexdigest()


def test_the_program_writes_the_same_file(tmp_path):
    model = max_margin().fit(*some_data())
    model.save(tmp_path / "model.mmoc")
    convert = [PROGRAM, "convert", "model.mmoc", "model.onnx"]
    subprocess.run(convert, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "model.onnx").read_bytes() == model.to_onnx()


def test_words_are_columns_of_numbers():
    pandas = pytest.importorskip("pandas")
    X, Y = some_data()
    colour = np.array(["red", "green", "blue"])[np.arange(120) % 3]
    table = pandas.DataFrame(X[:, :2], columns=["a", "b"]).assign(colour=colour)
    model = max_margin().fit(table, Y)
    graph = onnx.load_from_string(model.to_onnx())
    columns = json.loads(next(own.value for own in graph.metadata_props if own.key == "mmoc.columns"))
    assert columns == ["a", "b", "colour=blue", "colour=green", "colour=red"]
    encoded = np.column_stack([X[:, :2], *(colour == word for word in ("blue", "green", "red"))]).astype(float)
    assert_agrees(model, table, run(graph, encoded))
    mmoc.onnx.register()
    with pytest.raises(ValueError, match="columns of words"):
        skl2onnx.to_onnx(model, encoded[:1])


REFUSED = [
    (mmoc.MaxMarginOutputCoding(evidence="labels+forest"), "the term 'forest'.*labels.code.frequency"),
    (mmoc.MaxMarginOutputCoding(evidence="labels+neighbours"), "the term 'neighbours'.*labels.code.frequency"),
    (
        mmoc.MaxMarginOutputCoding(evidence=["labels", ("own", LogisticRegression())]),
        "the term 'own', whose numbers come from outside.*without estimators",
    ),
    (mmoc.CompressedSensingCoding(), "the decoder cosamp iterates"),
    (mmoc.CompressedSensingCoding(recovery="l1"), "the decoder l1 iterates"),
    (mmoc.MaxMarginOutputCoding.from_preset("paper", inference="mean-field"), 'mean-field.*inference="exact"'),
]


@pytest.mark.parametrize(("estimator", "message"), REFUSED, ids=[str(own[0]) for own in REFUSED])
def test_what_cannot_be_exported_is_refused_by_name(estimator, message, tmp_path):
    model = estimator.fit(*some_data())
    with pytest.raises(ValueError, match=message):
        model.to_onnx(tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_classes_other_than_zero_and_one_are_refused(tmp_path):
    X, Y = some_data()
    model = max_margin().fit(X, np.where(Y[:, 0] == 1, "yes", "no"))
    with pytest.raises(ValueError, match="the classes 'no' and 'yes'"):
        model.to_onnx(tmp_path / "model.onnx")
    model = max_margin().fit(X, Y[:, 0])
    np.testing.assert_array_equal(run(model.to_onnx(), X)["labels"][:, 0], model.predict(X))


IN_PIPELINES = [max_margin(decide="f1"), mmoc.BinaryRelevance(), mmoc.PrincipalLabelSpaceCoding()]


@pytest.mark.parametrize("estimator", IN_PIPELINES, ids=str)
@pytest.mark.parametrize("operators", [13, 17, 21, None])
def test_pipelines_are_exported_by_skl2onnx(estimator, operators):
    X, Y = some_data()
    pipeline = make_pipeline(StandardScaler(), estimator).fit(1000 * X + 1, Y)
    mmoc.onnx.register()
    new = 1000 * some_data(seed=1)[0] + 1
    found = run(skl2onnx.to_onnx(pipeline, new[:1], target_opset=operators), new)
    assert_agrees(pipeline[-1], pipeline[0].transform(new), found)


def test_pipelines_take_single_precision():
    X, Y = some_data()
    pipeline = make_pipeline(StandardScaler(), max_margin()).fit(X, Y)
    mmoc.onnx.register()
    new = some_data(seed=1)[0].astype(np.float32)
    found = run(skl2onnx.to_onnx(pipeline, new[:1]), new)
    assert_agrees(pipeline[-1], dense(pipeline[0].transform(new.astype(np.float64))), found, tolerance=1e-5)
