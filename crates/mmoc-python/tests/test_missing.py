"""Missing features: the parameter ``missing``."""

import csv
import subprocess

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone


@pytest.fixture
def holes(data):
    """Rows whose third column is missing mostly where they carry the first label."""
    X, Y = data
    X = X.copy()
    X[Y[:, 0] == 1, 2] = np.nan
    X[::5, 2] = 0.5
    X[3, 0] = np.nan
    return X, Y


def indicators(X):
    """Where the columns with missing values miss them."""
    return np.isnan(X)[:, np.isnan(X).any(axis=0)].astype(float)


def test_missing_is_a_parameter_like_others(estimator):
    assert estimator().get_params()["missing"] == "mean"
    changed = clone(estimator(missing="median").set_params(missing="indicator"))
    assert changed.missing == "indicator"
    assert "missing : default='mean'" in estimator.__doc__


def test_unknown_ways_are_refused(data):
    with pytest.raises(ValueError, match="missing must be one of mean, median, indicator, not 'mode'"):
        mmoc.BinaryRelevance(missing="mode").fit(*data)


def test_missing_cells_become_the_median_of_their_column(estimator, holes):
    X, Y = holes
    filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    for scaling in ("none", "standard"):
        found = estimator(missing="median", scaling=scaling).fit(X, Y)
        expected = estimator(scaling=scaling).fit(filled, Y)
        np.testing.assert_array_equal(found.predict(X), expected.predict(filled))


def test_indicators_are_columns_after_the_others(estimator, holes):
    X, Y = holes
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    wide = np.hstack([filled, indicators(X)])
    for form in (np.asarray, sp.csr_array):
        found = estimator(missing="indicator", scaling="none").fit(form(X), Y)
        expected = estimator(scaling="none").fit(form(wide), Y)
        np.testing.assert_array_equal(found.predict(form(X)), expected.predict(form(wide)))
        assert found.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("scaling", ["none", "standard"])
def test_coefficients_of_indicators_come_last(holes, scaling):
    X, Y = holes
    fitted = mmoc.BinaryRelevance(missing="indicator", scaling=scaling, features="linear").fit(X, Y)
    assert fitted.coef_.shape == (Y.shape[1], X.shape[1] + 2)
    wide = np.hstack([np.where(np.isnan(X), np.nanmean(X, axis=0), X), indicators(X)])
    log_odds = wide @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(log_odds, fitted.decision_function(X), atol=1e-9)
    importances = fitted.feature_importances_
    assert importances.shape == (X.shape[1],)
    assert importances.sum() == pytest.approx(1.0)
    assert importances.argmax() == 2


def test_importances_of_a_forest_include_indicators(holes):
    X, Y = holes
    fitted = mmoc.MaxMarginOutputCoding(evidence="forest", trees=10, missing="indicator").fit(X, Y)
    assert fitted.feature_importances_.shape == (X.shape[1],)
    assert fitted.feature_importances_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("missing", ["mean", "median", "indicator"])
def test_explanations_add_up_and_name_indicators(holes, form, missing):
    X, Y = holes
    fitted = mmoc.BinaryRelevance(missing=missing, features="linear").fit(form(X), Y)
    some = form(X[:12])
    explanation = fitted.explain(some, k=20)
    np.testing.assert_allclose(explanation.scores, fitted.decision_function(some), atol=1e-9)
    row = int(np.flatnonzero(np.isnan(X[:12, 2]))[0])
    parts = {part.name: part for part in explanation.row(row)[0].parts}
    assert ("x3 is missing" in parts) == (missing == "indicator")
    if missing == "indicator":
        assert parts["x3 is missing"].kind == "feature"
        assert parts["x3 is missing"].value == 1.0
        assert parts["x3 is missing"].contribution > 0.0
    whole = int(np.flatnonzero(~np.isnan(X[:12]).any(axis=1))[0])
    assert not any("is missing" in part.name for own in explanation.row(whole) for part in own.parts)


@pytest.mark.parametrize("missing", ["median", "indicator"])
def test_model_files_keep_it(estimator, holes, missing, tmp_path):
    X, Y = holes
    fitted = estimator(missing=missing).fit(X, Y)
    fitted.save(tmp_path / "m.mmoc")
    again = mmoc.load(tmp_path / "m.mmoc")
    assert again.missing == missing
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("missing", ["mean", "median", "indicator"])
def test_the_program_finds_the_same(holes, missing, program, tmp_path):
    X, Y = holes
    features, labels = [f"f{k}" for k in range(X.shape[1])], [f"y{k}" for k in range(Y.shape[1])]
    with open(tmp_path / "rows.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(features + labels)
        for x, y in zip(X.tolist(), Y.tolist(), strict=True):
            table.writerow(["" if np.isnan(cell) else repr(cell) for cell in x] + y)
    shared = ["--missing", missing]
    train = ["train", "rows.csv", "--labels", "y*", "--method", "coding-cca", "-o", "m.mmoc", *shared]
    predict = ["predict", "m.mmoc", "rows.csv", "--proba", "-o", "out.csv", *shared]
    for command in (train, predict):
        subprocess.run([program, *command], cwd=tmp_path, check=True, capture_output=True)
    fitted = mmoc.CanonicalCorrelationCoding(missing=missing).fit(X, Y)
    expected = fitted.predict_proba(X)
    named = pd.DataFrame(X, columns=features)
    np.testing.assert_array_equal(mmoc.load(tmp_path / "m.mmoc").predict_proba(named), expected)
    with open(tmp_path / "out.csv", newline="") as file:
        found = [[float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    np.testing.assert_array_equal(np.array(found)[:, -Y.shape[1] :], expected)


def test_codes_are_found_with_it(holes):
    X, Y = holes
    median = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    found = mmoc.OutputCoder("cca", missing="median").fit(Y, X)
    expected = mmoc.OutputCoder("cca").fit(Y, median)
    np.testing.assert_allclose(found.projections_, expected.projections_, atol=1e-12)
