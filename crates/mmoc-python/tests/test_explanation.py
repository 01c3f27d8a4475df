"""Contributions of features and labels add up to the scores that the model decides by."""

import itertools

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

NAMES = ["rain", "snow", "wind", "sun"]
FEATURES = [f"f{k}" for k in range(8)]
ALL_SETS = {"candidates": "all", "evidence": "labels+code"}


@pytest.fixture
def frames(data):
    X, Y = data
    return pd.DataFrame(2 * X + 1, columns=FEATURES), pd.DataFrame(Y, columns=NAMES)


def sums(explanation):
    return np.array([sum(part.contribution for part in own.parts) for own in explanation])


def parts(explained, kind):
    return [part for part in explained.parts if part.kind == kind]


def test_contributions_of_binary_relevance_are_those_of_its_decisions(frames):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    explanation = fitted.explain(X, k=3)
    np.testing.assert_allclose(explanation.scores, fitted.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(sums(explanation), explanation.scores.ravel(), atol=1e-12)
    np.testing.assert_allclose(explanation.baseline, fitted.decision_function(X.mean().to_frame().T)[0], atol=1e-9)
    assert (explanation.predicted == fitted.predict(X)).all()
    own = explanation.row(5)[2]
    assert (own.row, own.label, own.predicted) == (5, "wind", bool(fitted.predict(X)[5, 2]))
    expected = fitted.coef_[2] * (X.iloc[5] - X.mean()).to_numpy()
    largest = np.argsort(-np.abs(expected))[:3]
    found = parts(own, "feature")
    assert [part.name for part in found] == [FEATURES[k] for k in largest]
    np.testing.assert_allclose([part.contribution for part in found], expected[largest], atol=1e-9)
    assert [part.value for part in found] == X.iloc[5, largest].tolist()
    assert parts(own, "other features")[0].contribution == pytest.approx(np.delete(expected, largest).sum())
    assert not parts(own, "label")


def log_probabilities(fitted, X):
    """The log-probability of every label set of every row."""
    sets, probabilities = fitted.predict_sets(X, k=2 ** len(NAMES))
    keys = [[tuple(labels.astype(int)) for labels in of_row] for of_row in sets]
    return [dict(zip(own, np.log(found), strict=True)) for own, found in zip(keys, probabilities, strict=True)]


@pytest.mark.parametrize("features", ["linear", "rbf"])
@pytest.mark.parametrize("cls", [mmoc.MaxMarginOutputCoding, mmoc.CanonicalCorrelationCoding])
def test_a_score_is_the_log_odds_of_a_label_given_the_other_predicted_labels(cls, features, frames):
    X, Y = frames
    X = X[:20]
    fitted = cls(**ALL_SETS, features=features).fit(*frames)
    explanation = fitted.explain(X)
    assert explanation.left_out == ()
    np.testing.assert_allclose(sums(explanation), explanation.scores.ravel(), atol=1e-9)
    predicted, of_sets = fitted.predict(X), log_probabilities(fitted, X)
    for row, label in itertools.product(range(len(X)), range(len(NAMES))):
        with_label, without = predicted[row].copy(), predicted[row].copy()
        with_label[label], without[label] = 1, 0
        expected = of_sets[row][tuple(with_label)] - of_sets[row][tuple(without)]
        assert explanation.scores[row, label] == pytest.approx(expected, abs=1e-6)
    kinds = {part.kind for own in explanation for part in own.parts}
    assert "label" in kinds
    assert "feature" in kinds
    assert "term" not in kinds


def test_decoding_as_published_is_explained_by_its_energy(frames):
    X, Y = frames
    fitted = mmoc.MaxMarginOutputCoding.from_preset("paper", inference="exact", lam=0.7).fit(X, Y)
    explanation = fitted.explain(X)
    V, noise = fitted.decoding_projections_, fitted.noise_
    m = X.to_numpy() @ fitted.code_coef_.T + fitted.code_intercept_
    log_odds = X.to_numpy() @ fitted.coef_.T + fitted.intercept_

    def energy(row, y):
        return 0.5 * (((V.T @ y - m[row]) ** 2) / noise).sum() - 0.7 * log_odds[row] @ y

    for row, label in itertools.product(range(10), range(len(NAMES))):
        with_label, without = (explanation.predicted[row].astype(float) for _ in range(2))
        with_label[label], without[label] = 1, 0
        expected = energy(row, without) - energy(row, with_label)
        assert explanation.scores[row, label] == pytest.approx(expected, rel=1e-6, abs=1e-6)
        # The label set of least energy cannot be improved by any single label.
        assert (explanation.scores[row, label] > 0) == explanation.predicted[row, label]


def test_labels_that_exclude_each_other_push_each_other_out(frames):
    """The first label excludes the last."""
    X, Y = frames
    fitted = mmoc.MaxMarginOutputCoding(**ALL_SETS, features="linear").fit(X, Y)
    explanation = fitted.explain(X)
    (row, *_) = np.flatnonzero(explanation.predicted[:, 0])
    pulls = {part.name: part.contribution for part in parts(explanation.row(row)[3], "label")}
    assert pulls["rain"] < 0


def test_sparse_rows_are_explained_relative_to_zeros(data):
    X, Y = data
    X = sp.csr_array(np.where(np.abs(X) > 0.8, X, 0.0))
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    explanation = fitted.explain(X[:10], k=100)
    np.testing.assert_allclose(explanation.scores, fitted.decision_function(X[:10]), atol=1e-9)
    np.testing.assert_allclose(explanation.baseline, fitted.intercept_)
    stored = {f"x{column + 1}" for column in X[[0]].indices}
    assert {part.name for part in parts(explanation.row(0)[0], "feature")} == stored
    np.testing.assert_allclose(fitted.explain(X[:10].toarray()).scores, explanation.scores, atol=1e-12)
    dense = mmoc.BinaryRelevance().fit(X.toarray(), Y)
    np.testing.assert_allclose(dense.explain(X[:10]).scores, dense.decision_function(X[:10]), atol=1e-9)


def test_missing_values_contribute_nothing(frames):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    holes = X[:5].copy()
    holes.iloc[2, 3] = np.nan
    explanation = fitted.explain(holes, k=8)
    np.testing.assert_allclose(explanation.scores, fitted.decision_function(holes), atol=1e-9)
    assert "f3" not in {part.name for part in explanation.row(2)[0].parts}


def test_estimators_of_scikit_learn_are_terms_without_parts(frames):
    X, Y = frames
    evidence = ["labels", "frequency", ("other", LogisticRegression())]
    fitted = mmoc.MaxMarginOutputCoding(evidence=evidence, features="linear").fit(X, Y)
    explanation = fitted.explain(X[:3])
    assert explanation.left_out == ("frequency",)
    assert [part.name for part in parts(explanation.row(0)[0], "term")] == ["other"]


def test_an_explanation_is_a_table(frames):
    X, Y = frames
    explanation = mmoc.MaxMarginOutputCoding(**ALL_SETS, features="linear").fit(X, Y).explain(X[:4], k=2)
    table = explanation.to_frame()
    assert list(table) == ["row", "label", "predicted", "score", "kind", "name", "value", "contribution"]
    assert len(explanation) == 16 == len(table.groupby(["row", "label"]))
    totals = table.groupby(["row", "label"])["contribution"].sum().unstack()[NAMES]
    np.testing.assert_allclose(totals, explanation.scores, atol=1e-9)
    assert (table[table["kind"] == "feature"].groupby(["row", "label"]).size() == 2).all()


def test_an_explanation_is_readable(frames):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    explanation = fitted.explain(X, k=1)
    lines = repr(explanation).splitlines()
    first = ", ".join(fitted.predict_tags(X)[0]) or "no label"
    assert lines[0] == f"row 0: {first}"
    assert lines[1].startswith("  ")
    assert "score " in lines[1]
    assert lines[2].split()[0] == "baseline"
    assert lines[-1] == f"… {len(X) - 3} more rows"
    seen = mmoc.MaxMarginOutputCoding(evidence="labels+frequency", features="linear").fit(X, Y)
    left_out = "not included, as they are about whole label sets: frequency"
    assert repr(seen.explain(X[:1])).splitlines()[-1] == left_out


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (mmoc.Lead(), "explain: the model has no linear scores of labels: the classifier of a label depends on"),
        (mmoc.CalibratedLabelRanking(), "explain: the model has no linear scores of labels: labels are ranked"),
        (mmoc.CompressedSensingCoding(), "explain: the model has no linear scores of labels: labels are recovered"),
        (mmoc.BinaryRelevance(features="rbf"), "functions of radial basis functions only.*features=.linear."),
        (mmoc.MaxMarginOutputCoding(evidence="forest", trees=10), "only terms about whole label sets: forest"),
    ],
)
def test_what_cannot_be_explained_is_refused(data, model, reason):
    with pytest.raises(ValueError, match=reason):
        model.fit(*data).explain(data[0])
