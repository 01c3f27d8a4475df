"""Weights of rows and weights of classes."""

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from mmoc._load import ESTIMATORS
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import recall_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ROUNDING = 1e-9
WITH_CLASSIFIERS = [estimator for estimator in ESTIMATORS if "class_weight" in estimator._base_parameters]


def counts(rows, seed=1):
    """Whole numbers, some of them zero."""
    return np.random.default_rng(seed).integers(0, 4, size=rows)


def fractions(rows, seed=1):
    return np.random.default_rng(seed).uniform(0.2, 3.0, size=rows)


def assert_same(first, second, X, tolerance=ROUNDING):
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
    for numbers in ("predict_proba", "decision_function"):
        if hasattr(first, numbers):
            found, expected = getattr(first, numbers)(X), getattr(second, numbers)(X)
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def penalties(estimator, given):
    """Parameters with given penalties, or with chosen ones."""
    names = set(estimator._base_parameters) & {"penalty", "ridge_penalty"}
    return dict.fromkeys(names, 0.01) if given else {}


@pytest.mark.parametrize("given", [True, False], ids=["given penalties", "chosen penalties"])
def test_counts_are_repeated_rows(estimator, data, given):
    X, Y = data
    weights = counts(len(X))
    parameters = penalties(estimator, given)
    weighted = estimator(**parameters).fit(X, Y, sample_weight=weights)
    repeated = estimator(**parameters).fit(X.repeat(weights, axis=0), Y.repeat(weights, axis=0))
    assert_same(weighted, repeated, X)


def test_counts_are_repeated_rows_of_sparse_matrices(estimator, data):
    X, Y = data
    X, weights = sp.csr_matrix(np.where(X > 0.5, X, 0.0)), counts(len(X))
    rows = np.repeat(np.arange(len(Y)), weights)
    weighted = estimator().fit(X, sp.csr_matrix(Y), sample_weight=weights)
    repeated = estimator().fit(X[rows], sp.csr_matrix(Y[rows]))
    assert (weighted.predict(X) != repeated.predict(X)).nnz == 0


def test_weights_of_one_are_no_weights(estimator, data):
    X, Y = data
    weighted, plain = estimator().fit(X, Y, sample_weight=np.ones(len(X))), estimator().fit(X, Y)
    assert_same(weighted, plain, X)


def test_only_ratios_of_fractional_weights_matter(estimator, data):
    X, Y = data
    weights = fractions(len(X))
    for factor in (0.25, 1000.0):
        first, second = (estimator().fit(X, Y, sample_weight=own) for own in (weights, factor * weights))
        assert_same(first, second, X, tolerance=1e-6)


def test_fractional_weights_matter(estimator, data):
    X, Y = data
    numbers = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
    plain, weighted = estimator().fit(X, Y), estimator().fit(X, Y, sample_weight=fractions(len(X)))
    assert np.abs(getattr(plain, numbers)(X) - getattr(weighted, numbers)(X)).max() > 1e-4


def test_rows_of_weight_zero_are_left_out(estimator, data):
    X, Y = data
    weights = np.where(np.arange(len(X)) % 3 == 0, 0.0, fractions(len(X)))
    kept = weights > 0
    zeros = estimator().fit(X, Y, sample_weight=weights)
    dropped = estimator().fit(X[kept], Y[kept], sample_weight=weights[kept])
    assert zeros._model.to_bytes() == dropped._model.to_bytes()


def test_classes_and_words_of_rows_of_weight_zero_are_unknown(data):
    X, _ = data
    classes = np.array(["a", "b", "c"])[np.arange(len(X)) % 3]
    weights = (classes != "c").astype(float)
    fitted = mmoc.BinaryRelevance().fit(X, classes, sample_weight=weights)
    assert fitted.classes_.tolist() == ["a", "b"]
    words = pd.DataFrame({"word": classes, "number": X[:, 0]})
    fitted = mmoc.BinaryRelevance().fit(words, X[:, :1] > 0, sample_weight=weights)
    expected = mmoc.BinaryRelevance().fit(words[weights > 0], X[weights > 0, :1] > 0)
    known = words[weights > 0]
    np.testing.assert_array_equal(fitted.predict_proba(known), expected.predict_proba(known))


@pytest.mark.parametrize("form", [list, tuple, pd.Series, np.float32, lambda own: own.astype(object)])
def test_weights_may_have_any_form(data, form):
    X, Y = data
    weights = counts(len(X))
    expected = mmoc.BinaryRelevance().fit(X, Y, sample_weight=weights)
    found = mmoc.BinaryRelevance().fit(X, Y, sample_weight=form(weights))
    assert found._model.to_bytes() == expected._model.to_bytes()


EACH = "sample_weight must have one number for each row"
BAD = {
    "too few": (np.ones(3), f"{EACH}, and it has 3 for 120 rows."),
    "a number": (1.0, f"{EACH}, and it has 0 dimensions. Use an array of shape (120,)."),
    "a matrix": (np.ones((120, 2)), f"{EACH}, and it has 2 dimensions. Use an array of shape (120,)."),
    "text": (["much"] * 120, f"{EACH}, and this list has something else than numbers."),
    "dates": (
        np.full(120, np.datetime64("2024-05-01")),
        f"{EACH}, and this ndarray has something else than numbers.",
    ),
    "negative": (np.where(np.arange(120) == 7, -1.0, 1.0), "row 7 of sample_weight has -1.0. Weights must be finite"),
    "NaN": (np.where(np.arange(120) == 7, np.nan, 1.0), "row 7 of sample_weight has nan. Weights must be finite"),
    "None": ([None] + [1.0] * 119, "row 0 of sample_weight has nan. Weights must be finite"),
    "infinite": (np.full(120, np.inf), "row 0 of sample_weight has inf. Weights must be finite"),
    "zeros": (np.zeros(120), "all weights in sample_weight are zero. At least one row must have a positive weight."),
    "a single row": (
        np.eye(120)[0],
        "fit needs at least 2 rows with a positive weight and a known label, and of 120 rows there is 1.",
    ),
}


@pytest.mark.parametrize(("weights", "message"), BAD.values(), ids=BAD)
def test_weights_are_refused_with_the_reason(data, weights, message):
    X, Y = data
    with pytest.raises(ValueError) as error:  # noqa: PT011
        mmoc.BinaryRelevance().fit(X, Y, sample_weight=weights)
    assert str(error.value).startswith(message)
    if "fit needs" not in message:
        with pytest.raises(ValueError) as error:  # noqa: PT011
            mmoc.BinaryRelevance().fit(X, Y).score(X, Y, sample_weight=weights)
        assert str(error.value).startswith(message)


def test_scores_are_weighted(data):
    X, Y = data
    weights, fitted = fractions(len(X)), mmoc.BinaryRelevance().fit(X, Y)
    right = (fitted.predict(X) == Y).all(axis=1)
    assert fitted.score(X, Y, sample_weight=weights) == pytest.approx(np.average(right, weights=weights))


def test_pipelines_and_cross_validation_pass_weights_on(data):
    X, Y = data
    weights = counts(len(X))
    pipeline = make_pipeline(StandardScaler(), mmoc.MaxMarginOutputCoding(scaling="none"))
    pipeline.fit(X, Y, maxmarginoutputcoding__sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    expected = mmoc.MaxMarginOutputCoding(scaling="none").fit(scaled, Y, sample_weight=weights)
    np.testing.assert_array_equal(pipeline.predict(X), expected.predict(scaled))

    folds = KFold(3)
    found = cross_val_score(mmoc.BinaryRelevance(), X, Y, cv=folds, params={"sample_weight": weights})
    for (train, test), score in zip(folds.split(X), found, strict=True):
        fitted = mmoc.BinaryRelevance().fit(X[train], Y[train], sample_weight=weights[train])
        assert score == fitted.score(X[test], Y[test])


def test_metadata_routing_passes_weights_on(data):
    X, Y = data
    weights, folds = counts(len(X)), KFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = mmoc.BinaryRelevance().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_val_score(estimator, X, Y, cv=folds, params={"sample_weight": weights})
        evidence = [("own", RandomForestClassifier(5, random_state=0)), "labels"]
        mmoc.MaxMarginOutputCoding(evidence=evidence).fit(X, Y, sample_weight=fractions(len(X)))
    for (train, test), score in zip(folds.split(X), found, strict=True):
        fitted = mmoc.BinaryRelevance().fit(X[train], Y[train], sample_weight=weights[train])
        assert score == fitted.score(X[test], Y[test], sample_weight=weights[test])


@pytest.mark.parametrize("own", [LogisticRegression(), RandomForestClassifier(5, random_state=0), RidgeClassifier()])
def test_evidence_is_weighted(data, own):
    X, Y = data
    weights = fractions(len(X))
    evidence = ["labels", ("own", own)]
    weighted = mmoc.MaxMarginOutputCoding(evidence=evidence).fit(X, Y, sample_weight=weights)
    (term,) = weighted._outside
    expected = mmoc._evidence.LabelModel(own).fit(X, Y, weights)
    np.testing.assert_array_equal(term.model.predict(X), expected.predict(X))
    plain = mmoc.MaxMarginOutputCoding(evidence=evidence).fit(X, Y)
    assert np.abs(plain.predict_proba(X) - weighted.predict_proba(X)).max() > 1e-4


def test_evidence_without_weights_is_refused(data):
    X, Y = data
    estimator = mmoc.MaxMarginOutputCoding(evidence=["labels", ("near", KNeighborsClassifier())])
    with pytest.raises(
        ValueError,
        match="the term 'near' of evidence is a KNeighborsClassifier, whose fit takes no sample_weight",
    ):
        estimator.fit(X, Y, sample_weight=fractions(len(X)))
    estimator.fit(X, Y)


def rare_label(rows=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 5))
    noise = rng.normal(size=(rows, 2))
    return X, np.column_stack([X[:, 0] + noise[:, 0] > 2.2, X[:, 1] + noise[:, 1] > 0]).astype(int)


@pytest.mark.parametrize("estimator", [mmoc.BinaryRelevance, mmoc.CalibratedLabelRanking, mmoc.Lead])
def test_balanced_classes_raise_the_recall_of_a_rare_label(estimator):
    """Where classifiers decide alone: in joint decoding they are one of several terms."""
    X, Y = rare_label()
    X, X_test, Y, Y_test = X[:200], X[200:], Y[:200], Y[200:]

    def recall(class_weight):
        fitted = estimator(class_weight=class_weight).fit(X, Y)
        return recall_score(Y_test, fitted.predict(X_test), average=None)[0]

    assert recall("balanced") > recall(None) + 0.2


def test_forms_of_class_weights_agree():
    X, Y = rare_label()
    frame = pd.DataFrame(Y, columns=["rare", "common"])

    def model(class_weight):
        fitted = mmoc.BinaryRelevance(class_weight=class_weight).fit(X, frame)
        return fitted.coef_.tobytes()

    expected = model([5.0, 1.0])
    for same in ({"rare": 5}, {0: 5.0}, {"rare": 5.0, 1: 1}, np.array([5.0, 1.0]), (5, 1)):
        assert model(same) == expected
    assert model(None) != expected
    assert model([1.0, 1.0]) == model(None)


def test_class_weights_of_classes_are_relative():
    X, Y = rare_label()
    classes = np.where(Y[:, 0] == 1, "yes", "no")
    found = mmoc.BinaryRelevance(class_weight={"yes": 10.0, "no": 2.0}).fit(X, classes)
    expected = mmoc.BinaryRelevance(class_weight=[5.0]).fit(X, classes)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_class_weights_are_kept_in_files(tmp_path):
    X, Y = rare_label()
    for class_weight in (None, "balanced", [20.0, 0.25]):
        fitted = mmoc.BinaryRelevance(class_weight=class_weight).fit(X, Y)
        fitted.save(tmp_path / "model.mmoc")
        again = mmoc.load(tmp_path / "model.mmoc")
        np.testing.assert_array_equal(again.fit(X, Y).coef_, fitted.coef_)
    assert again.class_weight == "20+0.25"


def test_large_class_weights_are_not_taken_apart():
    targets = mmoc._targets.Targets(2, None, np.dtype(int), None, None)
    assert mmoc._weights.class_weight_text([1e16, 1e-7], targets) == "1e16+1e-07"


FORMS = "class_weight must be None, 'balanced', a dict of labels and the weights of their positive rows, or a sequence"
BAD_CLASSES = {
    "a word": ("bal", f"{FORMS} of one such weight for each label, not 'bal'"),
    "a number": (3.0, f"{FORMS} of one such weight for each label, not 3.0"),
    "too few": ([1.0], "class_weight must have one weight for each of the 2 labels, not 1."),
    "zero": ([1.0, 0], "class_weight has 0 for 1. Weights of positive rows must be positive, finite numbers."),
    "text": ({"rare": "5"}, "class_weight has '5' for 'rare'. Weights of positive rows must be positive"),
    "NaN": ({"rare": np.nan}, "class_weight has nan for 'rare'. Weights of positive rows must be positive"),
    "an unknown label": (
        {"rain": 2.0},
        "class_weight has the label 'rain', which is not in y. Its labels are indices from 0 to 1, or rare, common.",
    ),
    "an unknown index": (
        {2: 2.0},
        "class_weight has the label 2, which is not in y. Its labels are indices from 0 to 1, or rare, common.",
    ),
}


@pytest.mark.parametrize(("class_weight", "message"), BAD_CLASSES.values(), ids=BAD_CLASSES)
def test_class_weights_are_refused_with_the_reason(class_weight, message):
    X, Y = rare_label(40)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        mmoc.BinaryRelevance(class_weight=class_weight).fit(X, pd.DataFrame(Y, columns=["rare", "common"]))
    assert str(error.value).startswith(message)


def test_an_unknown_class_is_refused():
    X, Y = rare_label(40)
    with pytest.raises(ValueError, match="class_weight has the class 2, and the classes of y are 0 and 1"):
        mmoc.BinaryRelevance(class_weight={2: 1.0}).fit(X, Y[:, 1])
