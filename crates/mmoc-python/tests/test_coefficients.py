"""Coefficients and importances are those of what a model computes."""

import mmoc
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import SelectFromModel

JOINT = [mmoc.MaxMarginOutputCoding, mmoc.CanonicalCorrelationCoding, mmoc.RedundantPrincipalLabelSpaceCoding]
LINEAR = {"evidence": "labels+code", "features": "linear"}


def shifted(data):
    """Features whose scale and mean matter."""
    X, Y = data
    return X * [1, 10, 0.1, 3, 1, 2, 5, 1] + [0, 5, 1, -30, 2, 0, 0, 9], Y


@pytest.mark.parametrize("scaling", ["none", "standard"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["BinaryRelevance", "PrincipalLabelSpaceCoding"])
def test_coefficients_reproduce_decisions(data, name, scaling, form):
    X, Y = shifted(data)
    fitted = getattr(mmoc, name)(scaling=scaling).fit(form(X), Y)
    assert fitted.coef_.shape == (4, 8)
    assert fitted.intercept_.shape == (4,)
    found = X @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(found, fitted.decision_function(form(X)), rtol=0, atol=1e-9)


def test_a_code_of_centred_labels_reproduces_decisions(data):
    X, Y = shifted(data)
    fitted = mmoc.PrincipalLabelSpaceCoding(centre=True, projections=2).fit(X, Y)
    found = X @ fitted.coef_.T + fitted.intercept_
    np.testing.assert_allclose(found, fitted.decision_function(X), rtol=0, atol=1e-9)
    assert fitted.code_coef_.shape == (2, 8)


@pytest.mark.parametrize("cls", JOINT)
def test_classifiers_of_joint_methods_are_those_of_binary_relevance(cls, data):
    X, Y = shifted(data)
    expected = mmoc.BinaryRelevance().fit(X, Y)
    for fitted in (cls(**LINEAR).fit(X, Y), cls.from_preset("paper").fit(X, Y)):
        np.testing.assert_allclose(fitted.coef_, expected.coef_, rtol=1e-9)
        np.testing.assert_allclose(fitted.intercept_, expected.intercept_, rtol=1e-9)


@pytest.mark.parametrize("cls", [*JOINT, mmoc.PrincipalLabelSpaceCoding, mmoc.CompressedSensingCoding])
def test_the_code_predicts_projected_labels(cls, data):
    X, Y = shifted(data)
    own = LINEAR if cls in JOINT else {}
    fitted = cls(**own).fit(X, Y)
    d = fitted.code_directions_.shape[1]
    assert fitted.code_directions_.shape == (4, d)
    assert fitted.code_coef_.shape == (d, 8)
    assert fitted.code_intercept_.shape == (d,)
    predicted = X @ fitted.code_coef_.T + fitted.code_intercept_
    target = Y @ fitted.code_directions_
    # Better than the mean.
    assert ((predicted - target) ** 2).sum() < 0.9 * ((target - target.mean(axis=0)) ** 2).sum()
    np.testing.assert_allclose(predicted.mean(axis=0), target.mean(axis=0), atol=1e-6 * abs(target).max())


def test_the_code_of_a_posterior_spans_that_of_the_projections(data):
    X, Y = shifted(data)
    fitted = mmoc.MaxMarginOutputCoding(**LINEAR, regression="labels").fit(X, Y)
    both = np.hstack([fitted.code_directions_, fitted.projections_])
    assert np.linalg.matrix_rank(both) == fitted.projections_.shape[1]
    paper = mmoc.MaxMarginOutputCoding.from_preset("paper").fit(X, Y)
    np.testing.assert_array_equal(paper.code_directions_, paper.decoding_projections_)


def test_coefficients_come_with_loaded_models(data, tmp_path):
    X, Y = shifted(data)
    fitted = mmoc.MaxMarginOutputCoding(**LINEAR).fit(X, Y)
    fitted.save(tmp_path / "model.mmoc")
    loaded = mmoc.load(tmp_path / "model.mmoc")
    for name in ("coef_", "intercept_", "code_coef_", "code_intercept_", "code_directions_", "feature_importances_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(fitted, name))


def test_coefficients_of_pairs_reproduce_votes(data):
    X, Y = shifted(data)
    fitted = mmoc.CalibratedLabelRanking(features="linear").fit(X, Y)
    assert fitted.pairs_ == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert fitted.pair_coef_.shape == (6, 8)
    own = X @ fitted.coef_.T + fitted.intercept_ > 0
    of_pairs = X @ fitted.pair_coef_.T + fitted.pair_intercept_ > 0
    votes = own.astype(int)
    for (first, second), is_first in zip(fitted.pairs_, of_pairs.T, strict=True):
        votes[:, first] += is_first
        votes[:, second] += ~is_first
    of_virtual_label = (~own).sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(votes > of_virtual_label, fitted.predict(X) == 1)


@pytest.mark.parametrize("evidence", ["labels", "probabilities"])
def test_coefficients_of_parents_reproduce_decisions(data, evidence):
    X, Y = shifted(data)
    fitted = mmoc.Lead(features="linear", evidence=evidence).fit(X, Y)
    assert fitted.coef_.shape == (4, 8)
    assert any(fitted.parents_)
    of_parents = fitted.predict(X) if evidence == "labels" else fitted.predict_proba(X)
    found = X @ fitted.coef_.T + fitted.intercept_
    for label, (parents, coefficients) in enumerate(zip(fitted.parents_, fitted.parent_coef_, strict=True)):
        assert len(parents) == len(coefficients)
        found[:, label] += of_parents[:, parents] @ coefficients
    np.testing.assert_allclose(found, fitted.decision_function(X), rtol=0, atol=1e-9)


RADIAL = "they are functions of radial basis functions, which have no coefficients of features"


@pytest.mark.parametrize(
    ("model", "name", "reason"),
    [
        (mmoc.CompressedSensingCoding(), "coef_", "by sparse recovery, which is not linear"),
        (mmoc.Lead(features="rbf"), "coef_", f"the classifiers have no coefficients: {RADIAL}"),
        (mmoc.CalibratedLabelRanking(features="rbf"), "intercept_", f"the classifiers have no coefficients: {RADIAL}"),
        (mmoc.CalibratedLabelRanking(features="rbf"), "pair_coef_", f"the classifiers have no coefficients: {RADIAL}"),
        (mmoc.CompressedSensingCoding(features="rbf"), "code_coef_", f"regressions of the code have no .*: {RADIAL}"),
        (mmoc.PrincipalLabelSpaceCoding(features="rbf"), "coef_", f"regressions of the code have no .*: {RADIAL}"),
        (mmoc.PrincipalLabelSpaceCoding(features="rbf"), "code_coef_", f"regressions of the code have .*: {RADIAL}"),
        (mmoc.BinaryRelevance(features="rbf"), "coef_", f"the classifiers have no coefficients: {RADIAL}"),
        (mmoc.MaxMarginOutputCoding(features="rbf"), "coef_", f"the classifiers have no coefficients: {RADIAL}"),
        (
            mmoc.MaxMarginOutputCoding(features="rbf", evidence="labels+code"),
            "code_coef_",
            f"the regressions of the code have no coefficients: {RADIAL}",
        ),
        (mmoc.MaxMarginOutputCoding(evidence="forest"), "coef_", "the model has no classifiers: 'labels' is no term"),
        (
            mmoc.MaxMarginOutputCoding(evidence="labels", features="linear"),
            "code_coef_",
            "the model has no regressions of the code: 'code' is no term of it",
        ),
        (mmoc.BinaryRelevance(features="rbf"), "feature_importances_", "neither linear classifiers or regressions nor"),
    ],
)
def test_what_has_no_coefficients_says_why(data, model, name, reason):
    model.fit(*data)
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=reason):
        getattr(model, name)


def test_importances_add_up_to_one_and_do_not_depend_on_units(estimator, data):
    X, Y = data
    linear = {"features": "linear"} if "features" in estimator._base_parameters else {}
    fitted = estimator(scaling="standard", **linear).fit(X, Y)
    found = fitted.feature_importances_
    assert found.shape == (8,)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1.0)
    in_other_units = estimator(scaling="standard", **linear).fit(X * [1, 10, 1, 1, 1, 1, 1, 0.1], Y)
    np.testing.assert_allclose(in_other_units.feature_importances_, found, atol=1e-6)


@pytest.mark.parametrize(
    "model", [mmoc.BinaryRelevance(), mmoc.MaxMarginOutputCoding(evidence="forest", trees=50)], ids=["linear", "forest"]
)
def test_features_that_matter_are_important(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    Y = (X[:, [1, 4]] > 0).astype(int)
    importances = model.fit(X, Y).feature_importances_
    assert set(np.argsort(importances)[-2:]) == {1, 4}
    assert importances.sum() == pytest.approx(1.0)
    chosen = SelectFromModel(model, importance_getter="feature_importances_", max_features=2, threshold=-np.inf)
    assert chosen.fit(X, Y).get_support().tolist() == [False, True, False, False, True, False]
