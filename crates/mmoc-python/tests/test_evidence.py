"""Classifiers and regressors of scikit-learn as terms of the posterior."""

import pickle
import re

import joblib
import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mmoc._evidence import Calibration, FittedTerm, LabelModel, folds_of, split
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

LINEAR = ["labels", "code", "frequency"]
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
ESTIMATORS = {
    "one label": HistGradientBoostingClassifier(max_iter=5),
    "all labels": RandomForestClassifier(10, random_state=0),
    "list of probabilities": KNeighborsClassifier(),
    "matrix of probabilities": MLPClassifier((5,), solver="lbfgs", max_iter=20, tol=1.0, random_state=0),
    "multiple outputs": MultiOutputClassifier(GaussianNB()),
    "chain": ClassifierChain(LogisticRegression()),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "scores": LinearSVC(),
    "scores of all labels": RidgeClassifier(),
    "own method": mmoc.BinaryRelevance(folds=2),
    "regressor": RandomForestRegressor(10, random_state=0),
    "regressor of one label": SVR(),
}
WITH_EVIDENCE = [
    mmoc.MaxMarginOutputCoding,
    mmoc.CanonicalCorrelationCoding,
    mmoc.RedundantPrincipalLabelSpaceCoding,
]


def rings(rows, seed=0):
    """Points in a plane, labelled by the rings they are in: no linear function of a point says which."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    radius = np.hypot(*X.T) + 0.05 * rng.normal(size=rows)
    return X, np.column_stack([radius < 0.8, radius > 1.2, (radius > 0.5) & (radius < 1.6)]).astype(int)


def linear(evidence, **parameters):
    return mmoc.MaxMarginOutputCoding(evidence=evidence, features="linear", **parameters)


def terms_of(model):
    return {term["name"]: term for term in model.posterior_["terms"]}


@pytest.fixture(scope="module")
def boosted():
    """A model with a term of boosted trees. Tests must not change it."""
    boosting = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5)
    return linear([*LINEAR, ("boosting", boosting)]).fit(*rings(200))


def test_boosting_lifts_linear_terms_on_data_that_is_not_linear(boosted):
    X, Y = rings(500, seed=1)
    plain = linear("labels+code+frequency").fit(*rings(200))
    assert boosted.score(X, Y) > plain.score(X, Y) + 0.2
    term = terms_of(boosted)["boosting"]
    assert term["weight"] > 0.1
    assert term["worth"] > 0.1
    assert [*terms_of(boosted)][-1] == "boosting"


def test_every_prediction_has_the_evidence(boosted):
    X, Y = rings(300, seed=1)
    sets, probabilities = boosted.predict_sets(X, k=2)
    np.testing.assert_array_equal(sets[:, 0], boosted.predict(X) == 1)
    assert probabilities.shape == (300, 2)
    right = (boosted.predict(X) == Y).all(axis=1)
    confidence = boosted.predict_confidence(X)
    assert boosted.score(X, Y) == right.mean() == pytest.approx(confidence.mean(), abs=0.1)
    np.testing.assert_array_equal(boosted.predict(X, decide="hamming") == 1, boosted.predict_proba(X) > 0.5)
    np.testing.assert_array_equal(
        np.vstack([boosted.predict_proba(X[:7]), boosted.predict_proba(X[7:])]), boosted.predict_proba(X)
    )


@pytest.mark.parametrize("name", ESTIMATORS)
def test_any_classifier_or_regressor_is_a_term(data, name):
    X, Y = data
    estimator = ESTIMATORS[name]
    before = vars(estimator).copy()
    model = linear(["labels", (name, estimator)], folds=3).fit(X, Y)
    assert [*terms_of(model)] == ["labels", name]
    assert model.score(X, Y) > 0.5
    # The estimator of the user is not fitted.
    assert vars(estimator) == before
    (term,) = model._outside
    assert term.kind == ("regression" if "regressor" in name else "log-odds")


@pytest.mark.parametrize("estimator", WITH_EVIDENCE, ids=lambda cls: cls.__name__)
def test_every_method_with_terms_takes_estimators(estimator, data):
    X, Y = data
    model = estimator(evidence=["labels", ("tree", TREE)]).fit(X, Y)
    assert [*terms_of(model)][-1] == "tree"
    assert model.predict(X).shape == Y.shape


def test_training_rows_may_leave_estimators_out():
    X, Y = rings(200)

    class Guesses(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            return self

        def predict_proba(self, X):
            # As good as random.
            share = np.modf(1e4 * np.abs(X[:, 0]))[0]
            return np.column_stack([1 - share, share])

    useless = mmoc.MaxMarginOutputCoding(evidence=["auto", ("guesses", Guesses())], trees=50).fit(X, Y)
    assert "guesses" not in terms_of(useless)
    assert any("guesses" in form["terms"] for form in useless.posterior_["forms"])
    assert useless._outside == ()
    # What was left out is not needed, so the model has a file.
    assert b"guesses:" not in useless._model.to_bytes()


def test_numbers_of_training_rows_are_from_fits_without_them(data):
    X, Y = data
    _, numbers = FittedTerm.fit("tree", TREE, X, Y, folds_of(120, 4, seed=7))
    folds = folds_of(120, 4, seed=7)
    probabilities = np.array(cross_val_predict(TREE, X, Y, cv=folds, method="predict_proba"))[:, :, 1].T
    # Each fold was fitted to 90 rows.
    clipped = np.clip(probabilities, 1 / 182, 181 / 182)
    np.testing.assert_allclose(numbers, np.log(clipped / (1 - clipped)))


def test_a_classifier_that_memorises_gets_little_weight():
    """Its numbers for rows that it was fitted to would be perfect."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 20))
    Y = (X[:, :3] + 2 * rng.normal(size=(300, 3)) > 0).astype(int)
    model = linear(["labels", ("nearest", KNeighborsClassifier(1))]).fit(X, Y)
    assert (KNeighborsClassifier(1).fit(X, Y).predict(X) == Y).all()
    assert terms_of(model)["nearest"]["weight"] < 0.2
    assert terms_of(model)["nearest"]["weight"] < terms_of(model)["labels"]["weight"] / 3
    rows = rng.normal(size=(1000, 20))
    plain = linear("labels").fit(X, Y)
    assert (model.predict(rows) == plain.predict(rows)).all(axis=1).mean() > 0.7


def test_the_seed_chooses_the_folds(data):
    X, Y = data

    def model(seed):
        return linear(["labels", ("tree", TREE)], random_state=seed, penalty=1.0).fit(X, Y)

    weights = [terms_of(model(seed))["tree"]["weight"] for seed in (0, 0, 1, 2**63)]
    assert weights[0] == weights[1]
    assert len(set(weights)) == 3


@pytest.mark.parametrize("estimator", [TREE, LinearSVC(), RandomForestRegressor(5, random_state=0), SVR()])
def test_labels_that_are_constant_in_a_fold_do_no_harm(data, estimator):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(120), np.ones(120), np.eye(120)[0]]).astype(int)
    model = linear(["labels", ("mine", estimator)]).fit(X, Y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert (model.predict(X)[:, 4:6] == [0, 1]).all()


def test_only_constant_labels_need_no_estimator(data):
    X, _ = data
    numbers = LabelModel(TREE).fit(X, np.tile([0, 1], (120, 1))).predict(X[:2])
    np.testing.assert_allclose(numbers, np.tile(np.log(241) * np.array([-1, 1]), (2, 1)))


def test_certain_probabilities_have_finite_log_odds(data):
    X, Y = data
    numbers = LabelModel(KNeighborsClassifier(1)).fit(X, Y).predict(X)
    np.testing.assert_allclose(np.abs(numbers), np.log(2 * 120 + 1))
    np.testing.assert_array_equal(numbers > 0, Y == 1)


def test_scores_become_log_odds_whatever_their_scale():
    rng = np.random.default_rng(0)
    odds = rng.normal(size=(5000, 2), scale=2.0)
    Y = (rng.random((5000, 2)) < 1 / (1 + np.exp(-odds))).astype(int)
    for scores in (odds, 1e-3 * odds + 5, 1e6 * odds):
        found = Calibration.fit(scores, Y).log_odds(scores)
        np.testing.assert_allclose(found, odds, atol=0.5)
        assert np.polyfit(odds.ravel(), found.ravel(), 1) == pytest.approx([1, 0], abs=0.1)
    constant = Calibration.fit(odds, np.tile([0, 1], (5000, 1))).log_odds(odds[:1])
    np.testing.assert_allclose(constant, [[-np.log(10001), np.log(10001)]])
    np.testing.assert_allclose(
        Calibration.fit(np.zeros((4, 1)), np.array([[0, 0, 0, 1]]).T).log_odds(np.zeros((1, 1))),
        np.log(1 / 3),
        atol=0.01,
    )


def test_a_classifier_without_probabilities_is_of_use():
    X, Y = rings(300)
    model = linear([*LINEAR, ("kernel", SVC())]).fit(X, Y)
    X, Y = rings(500, seed=1)
    assert model._outside[0].calibration is not None
    assert model.score(X, Y) > linear("labels+code+frequency").fit(*rings(300)).score(X, Y) + 0.2
    # Calibrated scores are log-odds of independent labels too.
    assert np.mean((model.predict_proba(X) > 0.5) == Y) > 0.9


def test_a_regressor_is_of_use():
    X, Y = rings(300)
    model = linear([*LINEAR, ("trees", HistGradientBoostingRegressor(max_iter=30))]).fit(X, Y)
    assert terms_of(model)["trees"]["worth"] > 0.1
    X, Y = rings(500, seed=1)
    assert model.score(X, Y) > linear("labels+code+frequency").fit(*rings(300)).score(X, Y) + 0.2


def test_one_label_and_two_classes(data):
    X, Y = data
    for y in (Y[:, :1], np.where(Y[:, 0] == 1, "yes", "no")):
        model = linear(["labels", ("forest of mine", RandomForestClassifier(10, random_state=0))]).fit(X, y)
        assert np.mean(model.predict(X) == y) > 0.8


def test_estimators_get_the_features_of_the_model(data):
    """Sparse rows stay sparse, and missing values stay missing."""
    X, Y = data
    seen = []

    class Witness(LogisticRegression):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X if sp.issparse(X) else np.nan_to_num(X), y)

        def predict_proba(self, X):
            seen.append(X)
            return super().predict_proba(X if sp.issparse(X) else np.nan_to_num(X))

    evidence = ["labels", ("witness", Witness())]
    model = linear(evidence).fit(sp.csr_matrix(X), sp.csr_matrix(Y))
    assert sp.issparse(model.predict(sp.csr_matrix(X)))
    assert all(sp.issparse(rows) for rows in seen)
    seen.clear()
    holes = pd.DataFrame(np.where(X > 1.5, np.nan, X)).rename(columns=str)
    linear(evidence).fit(holes, Y).predict(holes)
    assert all(isinstance(rows, np.ndarray) for rows in seen)
    assert any(np.isnan(rows).any() for rows in seen)


def test_copies_and_searches(data):
    X, Y = data
    evidence = ["labels", ("tree", TREE)]
    model = mmoc.MaxMarginOutputCoding(evidence=evidence)
    assert model.get_params()["evidence"] is evidence
    copy = clone(model)
    assert copy.evidence[0] == "labels"
    assert copy.evidence[1][1] is not TREE
    assert copy.evidence[1][1].max_depth == 3
    assert copy.set_params(evidence="auto").evidence == "auto"
    choices = ["labels", ["labels", ("tree", TREE)], ["labels", ("tree", TREE), ("ridge", Ridge())]]
    search = GridSearchCV(linear("auto", penalty=1.0), {"evidence": choices}, cv=2).fit(X, Y)
    assert search.best_index_ in range(3)
    assert "DecisionTreeClassifier" in repr(model)


@pytest.mark.parametrize("module", [pickle, joblib], ids=["pickle", "joblib"])
def test_pickled_estimators_predict_the_same(boosted, tmp_path, module):
    with (tmp_path / "model").open("wb") as file:
        module.dump(boosted, file)
    with (tmp_path / "model").open("rb") as file:
        again = module.load(file)
    X, _ = rings(100, seed=1)
    np.testing.assert_array_equal(again.predict_proba(X), boosted.predict_proba(X))
    assert again.posterior_ == boosted.posterior_


def test_a_model_file_cannot_hold_an_estimator(boosted, tmp_path):
    message = (
        "the model has the term 'boosting' of evidence, a Python object that a model file cannot hold. Nothing was "
        "written. Use pickle or joblib to keep this estimator."
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        boosted.save(tmp_path / "model.mmoc")
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_its_evidence_says_what_is_missing(boosted, tmp_path):
    """Such a file is made by the native part of the estimator only."""
    boosted._model.save(tmp_path / "model.mmoc")
    model = mmoc.load(tmp_path / "model.mmoc")
    assert model.evidence == "labels+code+frequency"
    assert "boosting" in terms_of(model)
    message = "the model needs the evidence 'boosting', which comes from outside .*only the pickled estimator has it"
    for use in (model.predict, model.predict_proba, model.predict_sets, model.predict_confidence):
        with pytest.raises(ValueError, match=message):
            use(rings(5)[0])


def test_another_fit_forgets_estimators(data, tmp_path):
    X, Y = data
    model = linear(["labels", ("tree", TREE)]).fit(X, Y)
    model.set_params(evidence="labels").fit(X, Y).save(tmp_path / "model.mmoc")
    np.testing.assert_array_equal(mmoc.load(tmp_path / "model.mmoc").predict(X), model.predict(X))


FORM = 'evidence must be "auto", names joined by .* or a list of names and .* pairs'


@pytest.mark.parametrize(
    ("evidence", "error", "message"),
    [
        (["labels", ("tree", TREE, 1)], TypeError, FORM + r", not \('tree', DecisionTree.* in the list"),
        (["labels", TREE], TypeError, FORM + ", not DecisionTree.* in the list"),
        (["labels", (1, TREE)], TypeError, FORM + r", not \(1, DecisionTree.* in the list"),
        (["labels", 3], TypeError, FORM + ", not 3 in the list"),
        (("tree", TREE), TypeError, FORM + ", not the tuple"),
        (["labels", ("tree", DecisionTreeClassifier)], TypeError, "as the term 'tree', not <class"),
        (["labels", ("tree", "forest")], TypeError, "a classifier or a regressor .* as the term 'tree', not 'forest'"),
        (["labels", ("scaler", StandardScaler())], TypeError, "as the term 'scaler', not StandardScaler"),
        (["labels", ("means", KMeans())], TypeError, "as the term 'means', not KMeans"),
        ([], ValueError, FORM + r".*at least one name, .* not \[\]"),
        ([("tree", TREE)], ValueError, FORM + '.*at least one name, which may be "auto"'),
        (["auto", "code"], ValueError, FORM + '.* Beside "auto" a list may only have pairs'),
        (["labels", "labels"], ValueError, FORM + ".* Each name must occur once"),
        (["labels", "trees"], ValueError, "evidence must be auto, or labels, .* not 'labels[+]trees'"),
        (None, ValueError, "evidence must be auto, or labels, .* not None"),
        (["labels", ("forest", TREE)], ValueError, "evidence must be other than those of the library, not 'forest'"),
        (["labels", ("", TREE)], ValueError, "evidence must be 1 to 100 characters, .* not ''"),
        (["labels", ("t", TREE), ("t", TREE)], ValueError, "evidence must be used once, not 't'"),
    ],
)
def test_what_is_no_evidence_is_refused(data, evidence, error, message):
    with pytest.raises(error, match=message):
        mmoc.MaxMarginOutputCoding(evidence=evidence).fit(*data)


def test_names_in_a_list_are_those_of_the_library():
    assert split(["code", "labels", ("tree", TREE)]) == ("code+labels", [("tree", TREE)])
    assert split("labels+code") == ("labels+code", [])


def test_other_parameters_are_checked_before_estimators_are_fitted(data):
    class Slow(LogisticRegression):
        def fit(self, X, y):
            raise AssertionError("fitted")

    evidence = ["labels", ("slow", Slow())]
    with pytest.raises(ValueError, match="folds must be a count from 2 to 1000, not 1"):
        mmoc.MaxMarginOutputCoding(evidence=evidence, folds=1).fit(*data)
    message = "the method must be one with a posterior over label sets, as the evidence 'slow' is a term of it"
    with pytest.raises(ValueError, match=message):
        mmoc.MaxMarginOutputCoding.from_preset("paper", evidence=evidence).fit(*data)
    with pytest.raises(AssertionError, match="fitted") as failure:
        mmoc.MaxMarginOutputCoding(evidence=evidence).fit(*data)
    assert failure.value.__notes__ == ["This happened in the term 'slow' of evidence."]


def test_numbers_that_are_not_finite_are_refused(data):
    class Broken(LogisticRegression):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.raises(ValueError, match="finite numbers as the evidence 'broken', found NaN"):
        linear(["labels", ("broken", Broken())]).fit(*data)


def test_lead_has_a_parameter_of_the_same_name(data):
    X, Y = data
    model = mmoc.Lead(evidence="probabilities").fit(X, Y)
    assert model._model.parameters["evidence"] == "probabilities"
    with pytest.raises(ValueError, match="evidence must be labels or probabilities, not 'auto'"):
        mmoc.Lead(evidence="auto").fit(X, Y)
