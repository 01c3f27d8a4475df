"""Decisions, likely label sets and confidence: what follows from a posterior over label sets."""

import itertools
import pickle

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import dependent_data
from mmoc._load import ESTIMATORS
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV

DECISIONS = ["subset", "f1", "hamming", "micro-f1", "macro-f1"]
WITH_POSTERIOR = {
    "max-margin": mmoc.MaxMarginOutputCoding(),
    "coding-cca": mmoc.CanonicalCorrelationCoding(),
    "coding-pca-r": mmoc.RedundantPrincipalLabelSpaceCoding(),
    "br": mmoc.BinaryRelevance(candidates="seen"),
    "all sets": mmoc.MaxMarginOutputCoding(candidates="all"),
}
WITHOUT = [
    *(cls() for cls in ESTIMATORS if not hasattr(cls, "posterior_")),
    mmoc.BinaryRelevance(),
    mmoc.MaxMarginOutputCoding.from_preset("paper"),
]


@pytest.fixture(params=WITH_POSTERIOR, scope="module")
def fitted(request):
    """A model with a posterior. Tests must not change it."""
    return WITH_POSTERIOR[request.param].fit(*dependent_data(rows=120, features=8, labels=4))


@pytest.fixture(params=WITHOUT, ids=lambda estimator: type(estimator).__name__)
def without(request, data):
    return request.param.fit(*data)


def fresh(fitted):
    return pickle.loads(pickle.dumps(fitted))


def same_set(sets, Y):
    """Which of several label sets of a row are those of the row, n×k."""
    return (sets == (np.asarray(Y)[:, None, :] == 1)).all(axis=2)


def expected_f1(sets, probabilities, guess):
    """The expected F1 of a guess for a row, whose label sets are given. F1 is 1 if both sets are empty."""
    sizes = sets.sum(axis=1) + guess.sum()
    return probabilities @ np.where(sizes > 0, 2 * (sets @ guess) / np.maximum(sizes, 1), 1.0)


@pytest.mark.parametrize("decide", DECISIONS)
def test_a_decision_is_one_of_a_call_or_of_the_estimator(fitted, data, tmp_path, decide):
    X, Y = data
    found = fitted.predict(X, decide=decide)
    changed = fresh(fitted).set_params(decide=decide)
    np.testing.assert_array_equal(changed.predict(X), found)
    np.testing.assert_array_equal(changed.predict_confidence(X), fitted.predict_confidence(X, decide=decide))
    assert changed.score(X, Y) == fitted.score(X, Y, decide=decide) == accuracy_score(Y, found)
    np.testing.assert_array_equal(changed.predict(X, decide="subset"), fitted.predict(X))

    fitted.save(tmp_path / "model.mmoc")
    np.testing.assert_array_equal(mmoc.load(tmp_path / "model.mmoc").predict(X, decide=decide), found)
    changed.save(tmp_path / "changed.mmoc")
    again = mmoc.load(tmp_path / "changed.mmoc")
    assert again.get_params() == changed.get_params()
    np.testing.assert_array_equal(again.predict(X), found)
    np.testing.assert_array_equal(again.set_params(decide="subset").predict(X), fitted.predict(X))


@pytest.mark.parametrize("decide", DECISIONS)
def test_with_given_terms_a_decision_needs_no_other_fit(data, decide):
    X, Y = data
    given = {"evidence": "labels+code", "regression": "labels"}
    usual = mmoc.MaxMarginOutputCoding(**given).fit(X, Y)
    own = mmoc.MaxMarginOutputCoding(**given, decide=decide).fit(X, Y)
    np.testing.assert_array_equal(usual.predict(X, decide=decide), own.predict(X))
    np.testing.assert_array_equal(own.predict(X, decide="subset"), usual.predict(X))


def test_weights_of_rows_count_for_any_decision(fitted, data):
    X, Y = data
    weights = np.arange(len(X)) % 3
    expected = accuracy_score(Y, fitted.predict(X, "f1"), sample_weight=weights)
    assert fitted.score(X, Y, weights, decide="f1") == expected
    assert fitted.score(X, Y, sample_weight=weights, decide="f1") == expected


def test_the_likeliest_set_is_predicted_for_subset_accuracy(fitted, data):
    X, _ = data
    sets, probabilities = fitted.predict_sets(X)
    assert (sets.shape, sets.dtype, probabilities.shape) == ((120, 1, 4), bool, (120, 1))
    np.testing.assert_array_equal(sets[:, 0], fitted.predict(X) == 1)
    # Confidence is recalibrated, which keeps the order.
    order = np.argsort(probabilities[:, 0], kind="stable")
    assert (np.diff(fitted.predict_confidence(X)[order]) >= -1e-12).all()


def test_all_candidates_have_probabilities_that_add_up(fitted, data):
    X, _ = data
    candidates = fitted.posterior_["sets"]
    sets, probabilities = fitted.predict_sets(X, k=10**9)
    assert probabilities.shape == (120, candidates)
    assert len(np.unique(sets[0], axis=0)) == candidates
    sums, unseen = probabilities.sum(axis=1), fitted.posterior_["unseen_mass"]
    assert (sums <= 1 + 1e-12).all()
    assert (sums >= 1 - unseen - 1e-12).all()
    few, of_few = fitted.predict_sets(X, k=np.int64(3))
    np.testing.assert_array_equal(few, sets[:, :3])
    np.testing.assert_array_equal(of_few, probabilities[:, :3])


@pytest.mark.parametrize("decide", DECISIONS)
def test_confidence_grows_with_the_probability_of_the_predicted_set(fitted, data, decide):
    X, _ = data
    sets, probabilities = fitted.predict_sets(X, k=16)
    found = fitted.predict_confidence(X, decide=decide)
    assert found.shape == (120,)
    assert ((found >= 0) & (found <= 1)).all()
    predicted = same_set(sets, fitted.predict(X, decide=decide))
    known = predicted.any(axis=1)
    order = np.argsort(probabilities[predicted], kind="stable")
    assert (np.diff(found[known][order]) >= -1e-12).all()


def test_for_hamming_loss_labels_likelier_than_not_are_predicted(fitted, data):
    X, _ = data
    np.testing.assert_array_equal(fitted.predict(X, decide="hamming") == 1, fitted.predict_proba(X) > 0.5)


@pytest.mark.parametrize("decide", ["micro-f1", "macro-f1"])
def test_labels_above_a_threshold_are_predicted_for_averages_over_labels(fitted, data, decide):
    X, _ = data
    found, probabilities = fitted.predict(X, decide=decide) == 1, fitted.predict_proba(X)
    least = np.where(found, probabilities, np.inf).min(axis=0)
    greatest = np.where(found, -np.inf, probabilities).max(axis=0)
    assert (least > greatest).all()
    if decide == "micro-f1":
        assert least.min() > greatest.max()


def test_no_set_has_a_larger_expected_f1_than_the_predicted_one(data):
    X, Y = data
    fitted = mmoc.MaxMarginOutputCoding(candidates="all").fit(X, Y)
    every = np.array(list(itertools.product([0, 1], repeat=4)))
    sets, probabilities = fitted.predict_sets(X, k=16)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    for row, found in enumerate(fitted.predict(X, decide="f1")):
        best = max(expected_f1(sets[row], probabilities[row], guess) for guess in every)
        assert expected_f1(sets[row], probabilities[row], found) == pytest.approx(best, abs=1e-9)


def test_confidence_is_calibrated():
    X, Y = dependent_data(rows=3000, features=8, labels=5, seed=4)
    fitted = mmoc.MaxMarginOutputCoding().fit(X[:400], Y[:400])
    right = (fitted.predict(X[400:]) == Y[400:]).all(axis=1)
    confidence = fitted.predict_confidence(X[400:])
    assert right.mean() == pytest.approx(confidence.mean(), abs=0.05)
    sure = confidence > np.median(confidence)
    assert right[sure].mean() > right[~sure].mean() + 0.1


def test_labels_of_sets_have_names(data):
    X, Y = data
    labels = pd.DataFrame(Y, columns=["rain", "snow", "wind", "sun"])
    fitted = mmoc.MaxMarginOutputCoding().fit(X, labels)
    sets, _ = fitted.predict_sets(X[:1], k=2)
    expected = labels.columns[fitted.predict(X[:1])[0] == 1].tolist()
    assert fitted.label_names_[sets[0, 0]].tolist() == expected


def test_sets_of_sparse_labels_are_an_array(data):
    X, Y = data
    dense, sparse = (mmoc.MaxMarginOutputCoding().fit(X, form) for form in (Y, sp.csr_array(Y)))
    for one, other in zip(dense.predict_sets(X, 3), sparse.predict_sets(sp.csr_array(X), 3), strict=True):
        assert isinstance(other, np.ndarray)
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert isinstance(sparse.predict(X, decide="f1"), sp.csr_array)


def test_one_dimension_has_classes_as_sets(data):
    X, Y = data
    y = np.where(Y[:, 0] == 1, "yes", "no")
    fitted = mmoc.MaxMarginOutputCoding().fit(X, y)
    sets, probabilities = fitted.predict_sets(X, k=5)
    assert sets.shape == probabilities.shape == (120, 2)
    np.testing.assert_array_equal(sets[:, 0], fitted.predict(X))
    assert all(set(row) == {"no", "yes"} for row in sets)
    assert set(fitted.predict(X, decide="f1")) == {"no", "yes"}
    single, certain = fitted.fit(X, np.repeat("only", len(X))).predict_sets(X, k=2)
    assert single.shape == certain.shape == (120, 1)
    assert set(single.ravel()) == {"only"}


def test_the_posterior_tells_how_it_was_fitted(fitted, data):
    found = fitted.posterior_
    assert found == fitted.record_["posterior"]
    assert found["decide"] == "subset"
    assert found["candidates"] == fitted.candidates
    assert found["sets"] == (16 if fitted.candidates == "all" else len(np.unique(data[1], axis=0)))
    assert 0 <= found["unseen_mass"] <= found["independent_share"] <= 1
    assert 0 <= found["gap"] < 1e-3
    for term in found["terms"]:
        assert set(term) == {"name", "weight", "worth"}
    assert found["terms"][0]["name"] == "labels"
    chosen = [form["terms"] for form in found["forms"] if form["chosen"]]
    assert chosen == ([[term["name"] for term in found["terms"]]] if found["forms"] else [])


@pytest.mark.parametrize("decide", DECISIONS[1:])
def test_without_a_posterior_other_decisions_are_refused(without, data, decide):
    X, Y = data
    name = type(without).__name__
    message = rf"decide='{decide}' needs a posterior over label sets, and this {name} was fitted without one"
    remedy = r".*MaxMarginOutputCoding with its default parameters, or BinaryRelevance\(candidates=\"seen\"\)"
    with pytest.raises(ValueError, match=message + remedy):
        without.predict(X, decide=decide)
    with pytest.raises(ValueError, match=message):
        without.score(X, Y, decide=decide)


def test_without_a_posterior_there_are_no_sets_and_no_confidence(without, data, tmp_path):
    X, _ = data
    without.save(tmp_path / "model.mmoc")
    for model in (without, mmoc.load(tmp_path / "model.mmoc")):
        if not hasattr(model, "decide"):
            assert not hasattr(model, "posterior_")
            assert not hasattr(model, "predict_sets")
            assert not hasattr(model, "predict_confidence")
            continue
        assert model.posterior_ is None
        np.testing.assert_array_equal(model.predict(X, decide="subset"), model.predict(X))
        for method in ("predict_sets", "predict_confidence"):
            with pytest.raises(ValueError, match=f"{method} needs a posterior"):
                getattr(model, method)(X)
        unable = fresh(model).set_params(decide="f1")
        for use in (unable.predict, lambda _, unable=unable: unable.save(tmp_path / "other.mmoc")):
            with pytest.raises(ValueError, match="decide='f1' needs a posterior"):
                use(X)
        assert not (tmp_path / "other.mmoc").exists()


def test_values_that_are_not_allowed_are_refused(fitted, data):
    X, _ = data
    for use in (fitted.predict, fitted.predict_confidence):
        with pytest.raises(ValueError, match="decide must be .*subset.*f1.*hamming.*, not '?recall"):
            use(X, decide="recall")
    for k in (0, -1, 1.5, "2", None):
        with pytest.raises(ValueError, match="k must be a whole number of at least 1, not"):
            fitted.predict_sets(X, k)


def test_the_number_of_threads_changes_nothing(data):
    X, Y = data
    found = [
        mmoc.MaxMarginOutputCoding(n_jobs=n_jobs).fit(X, Y).predict_sets(np.tile(X, (50, 1)), 3) for n_jobs in (1, 3)
    ]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_grid_search_may_choose_the_decision(data):
    X, Y = data
    search = GridSearchCV(mmoc.MaxMarginOutputCoding(), {"decide": DECISIONS}, scoring="f1_macro", cv=3).fit(X, Y)
    assert search.best_params_["decide"] in DECISIONS
