"""Labels are matched by name, whatever their order."""

import mmoc
import numpy as np
import pandas as pd
import pytest
from mmoc import OutputCoder, solve_metric
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

NAMES = ["rain", "snow", "wind", "sun"]
MISMATCH = "the columns of {} do not match the labels; "


@pytest.fixture
def frames(data):
    X, Y = data
    return X, pd.DataFrame(Y, columns=NAMES)


def test_score_matches_labels_by_name(estimator, frames, tmp_path):
    X, Y = frames
    fitted = estimator().fit(X, Y)
    expected = fitted.score(X, Y)
    assert fitted.score(X, Y[NAMES[::-1]]) == expected
    assert fitted.score(X, Y.astype(bool)[NAMES[::-1]]) == expected
    fitted.save(tmp_path / "model.mmoc")
    assert mmoc.load(tmp_path / "model.mmoc").score(X, Y[NAMES[::-1]]) == expected


def test_score_takes_weights(frames):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    correct = (fitted.predict(X) == Y.to_numpy()).all(axis=1)
    weights = np.where(correct, 3.0, 1.0)
    expected = weights[correct].sum() / weights.sum()
    assert fitted.score(X, Y[NAMES[::-1]], sample_weight=weights) == pytest.approx(expected)


def test_pipelines_score_by_name(frames):
    X, Y = frames
    pipeline = make_pipeline(StandardScaler(), mmoc.BinaryRelevance()).fit(X, Y)
    assert pipeline.score(X, Y[NAMES[::-1]]) == pipeline.score(X, Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda Y: Y.rename(columns={"rain": "hail"}), "missing: rain; unknown: hail"),
        (lambda Y: Y[NAMES[:3]], "missing: sun"),
        (lambda Y: Y.assign(fog=0), "unknown: fog"),
        (lambda Y: Y[["rain", "rain", "wind", "sun"]], "missing: snow; more than once: rain"),
        (lambda Y: Y.set_axis(range(4, 8), axis=1), "missing: rain, snow, wind, sun; unknown: 4, 5, 6, 7"),
        (
            lambda Y: pd.concat([Y, Y.add_prefix("no "), Y.add_prefix("much ")], axis=1),
            "unknown: no rain, no snow, no wind, no sun, much rain, …",
        ),
    ],
)
def test_other_labels_are_refused_by_name(frames, change, message):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    with pytest.raises(ValueError, match=f"^{MISMATCH.format('y')}{message}$"):
        fitted.score(X, change(Y))
    with pytest.raises(ValueError, match=f"^{MISMATCH.format('Y')}{message}$"):
        OutputCoder().fit(Y).transform(change(Y))


def test_labels_without_names_are_matched_by_position(frames, tmp_path):
    X, Y = frames
    named, unnamed = mmoc.BinaryRelevance().fit(X, Y), mmoc.BinaryRelevance().fit(X, Y.to_numpy())
    expected = named.score(X, Y)
    unnamed.save(tmp_path / "model.mmoc")
    for fitted in (named, unnamed, mmoc.load(tmp_path / "model.mmoc")):
        assert fitted.score(X, Y.to_numpy()) == expected
        assert fitted.score(X, pd.DataFrame(Y.to_numpy())) == expected
    for fitted in (unnamed, mmoc.load(tmp_path / "model.mmoc")):
        assert fitted.score(X, Y) == expected


def test_columns_that_are_numbers_are_names(frames):
    X, Y = frames
    Y = Y.set_axis([3, 1, 0, 2], axis=1)
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    assert fitted.score(X, Y[[0, 1, 2, 3]]) == fitted.score(X, Y)


def test_the_name_of_one_label_does_not_matter(frames):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y["rain"])
    assert fitted.score(X, Y["rain"].rename("hail")) == fitted.score(X, Y["rain"])


def test_coders_match_labels_by_name(frames):
    X, Y = frames
    coder = OutputCoder("cca").fit(Y, X)
    Z = coder.transform(Y)
    np.testing.assert_array_equal(coder.transform(Y[NAMES[::-1]]), Z)
    log_odds = pd.DataFrame(np.random.default_rng(0).normal(scale=5, size=Y.shape), columns=NAMES)
    expected = coder.decode(Z, log_odds=log_odds)
    assert (expected != coder.decode(Z)).any()
    np.testing.assert_array_equal(coder.decode(Z, log_odds=log_odds[NAMES[::-1]]), expected)
    with pytest.raises(ValueError, match=MISMATCH.format("log_odds") + "missing: rain; unknown: hail"):
        coder.decode(Z, log_odds=log_odds.rename(columns={"rain": "hail"}))


def test_the_max_margin_problem_matches_labels_by_name(frames):
    _, Y = frames
    rng = np.random.default_rng(0)
    predictions, log_odds = (pd.DataFrame(Y + rng.normal(size=Y.shape)) for _ in range(2))
    predictions.columns = log_odds.columns = NAMES
    expected = solve_metric(predictions, Y, log_odds, C=100).metric
    found = solve_metric(predictions[NAMES[::-1]], Y, log_odds[NAMES[::-1]], C=100).metric
    np.testing.assert_array_equal(found, expected)
    for what, tables in {
        "predictions": (predictions.add_prefix("p "), Y, log_odds),
        "log_odds": (predictions, Y, log_odds.add_prefix("p ")),
    }.items():
        with pytest.raises(ValueError, match=MISMATCH.format(what) + "missing: rain, snow, wind, sun"):
            solve_metric(*tables, C=100)
