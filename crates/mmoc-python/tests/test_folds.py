"""Folds that are given one by one."""

import mmoc
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict


@pytest.fixture
def folds():
    """Three folds of unequal sizes."""
    return np.random.default_rng(3).choice(3, size=120, p=[0.5, 0.3, 0.2])


def numbers(model):
    return [own for own in (getattr(model, "coef_", None), model.record_["penalties"]) if own is not None]


def test_every_estimator_takes_them(estimator, data, folds):
    model = estimator().fit(*data, folds=folds)
    again = estimator().fit(*data, folds=folds.astype(np.uint8))
    assert np.array_equal(again.predict(data[0]), model.predict(data[0]))
    assert model.estimates_ == again.estimates_


def test_held_out_predictions_are_those_of_the_folds(data, folds):
    """The estimates follow from the folds: with other folds there are others."""
    by_folds = {
        name: mmoc.BinaryRelevance(penalty=0.01, estimates="always").fit(*data, folds=own).estimates_
        for name, own in (("given", folds), ("renumbered", 2 - folds), ("others", np.roll(folds, 1)))
    }
    assert by_folds["given"] == pytest.approx(by_folds["renumbered"], rel=1e-6)
    assert by_folds["given"] != by_folds["others"]


def test_estimators_as_evidence_have_the_same_folds(data, folds):
    X, Y = data
    evidence = ["labels", ("regression", LogisticRegression(C=0.5))]
    model = mmoc.MaxMarginOutputCoding(evidence=evidence, features="linear").fit(X, Y, folds=folds)
    of_parameter = mmoc.MaxMarginOutputCoding(evidence=evidence, features="linear").fit(X, Y)
    assert model.posterior_["terms"] != of_parameter.posterior_["terms"]
    found = cross_val_predict(LogisticRegression(C=0.5), X, Y[:, 0], cv=PredefinedSplit(folds))
    assert found.shape == (120,)


def test_folds_of_rows_without_weight_do_not_count(data, folds):
    X, Y = data
    weights = np.where(np.arange(120) % 4 == 0, 0.0, 1.0)
    left_out = mmoc.BinaryRelevance().fit(X, Y, sample_weight=weights, folds=folds)
    kept = weights > 0
    without = mmoc.BinaryRelevance().fit(X[kept], Y[kept], sample_weight=weights[kept], folds=folds[kept])
    assert np.array_equal(left_out.coef_, without.coef_)
    assert left_out.estimates_ == without.estimates_
    in_one = np.where(kept, 1, 0)
    with pytest.raises(ValueError, match="all rows that count are in fold 1. Give folds at least two"):
        mmoc.BinaryRelevance().fit(X, Y, sample_weight=weights, folds=in_one)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (np.zeros((120, 1), dtype=int), "folds must have one whole number for each row, and it has 2 dimensions"),
        (np.zeros(119, dtype=int), "folds must have one whole number for each row, and it has 119 for 120 rows"),
        (np.zeros(120), r"it is of type float64. Use folds.astype\(int\)"),
        (["a"] * 120, "it is of type <U1"),
        (np.where(np.arange(120) == 7, -1, 0), "row 7 of folds has -1. Folds are numbered from 0 to at most 999"),
        (np.where(np.arange(120) == 7, 1000, 0), "row 7 of folds has 1000"),
        (np.ones(120, dtype=int), "all rows that count are in fold 1"),
    ],
)
def test_others_are_refused(data, folds, message):
    with pytest.raises(ValueError, match=message):
        mmoc.BinaryRelevance().fit(*data, folds=folds)
