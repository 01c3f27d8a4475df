"""Inputs and outputs of the estimators."""

import itertools

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import dependent_data
from mmoc._load import ESTIMATORS
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import accuracy_score


def model_bytes(fitted):
    return fitted._model.to_bytes()


@pytest.mark.parametrize(
    "form",
    [
        np.asfortranarray,
        lambda X: X.tolist(),
        lambda X: X[::-1][::-1],
        pd.DataFrame,
        lambda X: np.array(X, dtype=">f8"),
    ],
    ids=["column by column", "lists", "negative strides", "frame", "swapped bytes"],
)
def test_dense_features_of_any_form_give_the_same_model(estimator, data, form):
    X, Y = data
    assert model_bytes(estimator().fit(form(X), Y)) == model_bytes(estimator().fit(X, Y))


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array, sp.csc_array, sp.coo_array, sp.lil_array])
def test_sparse_features_of_any_form_give_the_same_model(estimator, data, form):
    X, Y = data
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    assert model_bytes(estimator().fit(form(X), Y)) == model_bytes(estimator().fit(sp.csr_matrix(X), Y))


def test_dense_and_sparse_features_give_the_same_predictions(estimator, data):
    X, Y = data
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    # Rounding may decide between penalties with equal scores, so they are fixed.
    penalties = {name: 1e-2 for name in ("penalty", "ridge_penalty") if name in estimator._base_parameters}
    dense = estimator(scaling="none", **penalties).fit(X, Y)
    sparse = estimator(scaling="none", **penalties).fit(sp.csr_array(X), Y)
    for rows in (X, sp.csr_array(X)):
        np.testing.assert_array_equal(dense.predict(rows), sparse.predict(rows))
    numbers = "predict_proba" if hasattr(dense, "predict_proba") else "decision_function"
    np.testing.assert_allclose(getattr(dense, numbers)(X), getattr(sparse, numbers)(X), atol=1e-4)


def test_wide_indices_and_rows_in_disorder_make_no_difference(data):
    X, Y = data
    X = sp.csr_matrix(np.where(np.abs(X) > 0.8, X, 0.0))
    usual = model_bytes(mmoc.BinaryRelevance().fit(X, Y))

    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert model_bytes(mmoc.BinaryRelevance().fit(wide, Y)) == usual

    order = np.concatenate([np.arange(end - 1, start - 1, -1) for start, end in itertools.pairwise(X.indptr)])
    disordered = sp.csr_matrix((X.data[order], X.indices[order], X.indptr), shape=X.shape)
    before = disordered.indices.copy()
    assert model_bytes(mmoc.BinaryRelevance().fit(disordered, Y)) == usual
    np.testing.assert_array_equal(disordered.indices, before)

    halves = sp.csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    assert model_bytes(mmoc.BinaryRelevance().fit(halves, Y)) == usual
    assert halves.nnz == 2 * X.nnz


@pytest.mark.parametrize(
    "form",
    [
        lambda Y: Y.astype(bool),
        lambda Y: Y.astype(np.int8),
        lambda Y: Y.astype(np.float32),
        lambda Y: Y.tolist(),
        np.asfortranarray,
        lambda Y: pd.DataFrame(Y, columns=[f"label{k + 1}" for k in range(Y.shape[1])]),
        sp.csr_matrix,
        sp.csc_array,
        lambda Y: sp.csr_matrix((np.array(Y.ravel()), np.tile(np.arange(4), len(Y)), np.arange(0, Y.size + 1, 4))),
    ],
    ids=["bool", "int8", "float32", "lists", "column by column", "frame", "csr", "csc", "stored zeros"],
)
def test_labels_of_any_form_give_the_same_model(estimator, data, form):
    X, Y = data
    assert model_bytes(estimator().fit(X, form(Y))) == model_bytes(estimator().fit(X, Y))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int32, np.float64])
def test_predictions_have_the_type_of_the_labels(estimator, data, dtype):
    X, Y = data
    found = estimator().fit(X, Y.astype(dtype)).predict(X)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, estimator().fit(X, Y).predict(X).astype(dtype))


def test_sparse_labels_are_predicted_sparse(estimator, data):
    X, Y = data
    found = estimator().fit(X, sp.csr_matrix(Y)).predict(X)
    assert isinstance(found, sp.csr_matrix)
    assert isinstance(estimator().fit(X, sp.csc_array(Y)).predict(X), sp.csr_array)
    np.testing.assert_array_equal(found.toarray(), estimator().fit(X, Y).predict(X))


def test_names_of_columns_and_labels_are_kept(estimator, data):
    X, Y = data
    features = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])
    labels = pd.DataFrame(Y, columns=["rain", "snow", "wind", "sun"])
    fitted = estimator().fit(features, labels)
    assert fitted.feature_names_in_.tolist() == list(features)
    assert fitted.label_names_.tolist() == list(labels)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(features[list(features)[::-1]])


def test_missing_cells_become_the_mean_of_their_column(estimator, data):
    X, Y = data
    holes = X.copy()
    holes[3, 2] = holes[7, 2] = holes[5, 0] = np.nan
    filled = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
    with_holes = estimator(scaling="none").fit(holes, Y)
    np.testing.assert_array_equal(with_holes.predict(holes), estimator(scaling="none").fit(filled, Y).predict(filled))


def test_decisions_have_the_sign_of_the_prediction(estimator, data):
    if not hasattr(estimator, "decision_function"):
        assert estimator.predict_proba
        return
    X, Y = data
    fitted = estimator().fit(X, Y)
    np.testing.assert_array_equal(fitted.decision_function(X) > 0, fitted.predict(X) == 1)


def test_probabilities_are_probabilities(estimator, data):
    if not hasattr(estimator, "predict_proba"):
        assert estimator.decision_function
        return
    X, Y = data
    found = estimator().fit(X, Y).predict_proba(X)
    assert found.shape == Y.shape
    assert ((found > 0) & (found < 1)).all()
    # Better than guessing.
    assert np.abs(found - Y).mean() < 0.4


def test_score_is_the_share_of_label_sets_that_are_right(estimator, data):
    X, Y = data
    fitted = estimator().fit(X, Y)
    assert fitted.score(X, Y) == accuracy_score(Y, fitted.predict(X)) == (fitted.predict(X) == Y).all(axis=1).mean()


def test_the_number_of_threads_changes_nothing(estimator, data):
    X, Y = data
    usual = model_bytes(estimator(n_jobs=1).fit(X, Y))
    assert model_bytes(estimator(n_jobs=3).fit(X, Y)) == usual
    assert model_bytes(estimator(n_jobs=-1).fit(X, Y)) == usual


def test_the_random_state_is_the_seed(data):
    X, Y = data

    def fitted(random_state):
        return model_bytes(mmoc.CompressedSensingCoding(random_state=random_state).fit(X, Y))

    assert fitted(7) == fitted(7) != fitted(8)
    assert fitted(np.random.RandomState(1)) == fitted(np.random.RandomState(1))
    np.random.seed(3)
    drawn = fitted(None)
    assert drawn != fitted(None)
    np.random.seed(3)
    assert drawn == fitted(None)


@pytest.mark.parametrize("classes", [("no", "yes"), (0, 1), (-1, 1), (2.5, 3.5), (False, True)])
def test_one_dimension_is_one_of_two_classes(estimator, classes):
    X, Y = dependent_data(rows=80, features=4, labels=2, seed=1)
    y = np.array(classes)[Y[:, 0]]
    if y.dtype.kind == "f":
        with pytest.raises(ValueError, match="Unknown label type"):
            estimator().fit(X, y)
        return
    fitted = estimator().fit(X, y)
    found = fitted.predict(X)
    assert found.shape == (80,)
    assert (found == y).mean() > 0.7
    assert fitted.classes_.tolist() == sorted(classes)
    np.testing.assert_array_equal(found == classes[1], estimator().fit(X, Y[:, :1]).predict(X)[:, 0] == 1)
    if hasattr(fitted, "predict_proba"):
        assert fitted.predict_proba(X).shape == (80, 2)
    if hasattr(fitted, "decision_function"):
        assert fitted.decision_function(X).shape == (80,)


def test_sets_of_labels_are_answered_with_how_to_give_them(data):
    X, Y = data
    sets = np.empty(len(Y), dtype=object)
    sets[:] = [set(np.flatnonzero(row).tolist()) for row in Y]
    with pytest.raises(ValueError, match="^tags must be text.* or use MultiLabelBinarizer"):
        mmoc.MaxMarginOutputCoding().fit(X, sets)


def test_the_name_of_a_series_is_that_of_its_label(data):
    X, Y = data
    fitted = mmoc.BinaryRelevance().fit(X, pd.Series(Y[:, 0], name="rain"))
    assert fitted.label_names_.tolist() == ["rain"]


def test_one_class_is_always_predicted(estimator):
    X, _ = dependent_data(rows=20, features=3, labels=2)
    fitted = estimator().fit(X, np.repeat("only", 20))
    assert set(fitted.predict(X)) == {"only"}


def test_labels_that_never_vary_are_predicted_as_they_were(estimator, data):
    X, Y = data
    Y = np.column_stack([Y, np.zeros(len(Y), int), np.ones(len(Y), int)])
    found = estimator().fit(X, Y).predict(X)
    assert not found[:, -2].any()
    # Codes without classifiers do not guarantee it.
    if hasattr(estimator, "classifier_penalties_"):
        assert found[:, -1].all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, Y: (X, Y * 2), "zeros and ones"),
        (lambda X, Y: (X, Y - 1), "zeros and ones"),
        (lambda X, Y: (X, sp.csr_matrix(Y * 3)), "zeros and ones"),
        (lambda X, Y: (X, Y[:, :0]), "y must have at least one column of zeros and ones"),
        (lambda X, Y: (X, np.arange(len(Y)) % 3), "Only binary classification is supported"),
        (lambda X, Y: (X, np.where(Y == 1, np.nan, 0.0)), "has nan, a missing label"),
        (lambda X, Y: (np.where(X > 2, np.inf, X), Y), "infinity"),
        (lambda X, Y: (X[:-1], Y), "inconsistent numbers of samples"),
        (lambda X, Y: (X[:1], Y[:1]), "minimum of 2 is required"),
        (lambda X, Y: (X[:, :0], Y), "0 feature"),
        (lambda X, Y: (X.astype(str), Y.astype(str)), "zeros and ones|Unknown label type|could not"),
        (
            lambda X, Y: (pd.DataFrame(X, columns=["a"] * X.shape[1]), Y),
            "X has several columns named 'a'",
        ),
        (
            lambda X, Y: (X, pd.DataFrame(Y, columns=["l"] * Y.shape[1])),
            "y has several columns named 'l'",
        ),
    ],
)
def test_data_that_cannot_be_learnt_from_is_refused(estimator, data, change, message):
    unfitted = estimator()
    with pytest.raises(ValueError, match=message):
        unfitted.fit(*change(*data))
    with pytest.raises(NotFittedError):
        unfitted.predict(data[0])


def test_a_fit_that_fails_leaves_the_last_model(data):
    X, Y = data
    fitted = mmoc.MaxMarginOutputCoding().fit(X, Y)
    before = fitted.predict(X)
    with pytest.raises(ValueError, match="C must be"):
        fitted.set_params(C=0.0).fit(X[:, :3], Y)
    np.testing.assert_array_equal(fitted.predict(X), before)


def test_rows_that_do_not_fit_are_refused(estimator, data):
    X, Y = data
    fitted = estimator().fit(X, Y)
    with pytest.raises(ValueError, match="expecting 8 features"):
        fitted.predict(X[:, :5])
    with pytest.raises(ValueError, match="infinity"):
        fitted.predict(np.where(X > 2, np.inf, X))
    with pytest.raises(ValueError, match="too large|finite"):
        fitted.predict(np.full_like(X, 1.7e308))


def test_no_fitted_attribute_is_there_before_fit(estimator):
    names = [name for name in dir(estimator) if name.endswith("_") and not name.startswith("_")]
    assert "record_" in names
    assert not any(hasattr(estimator(), name) for name in names)


def test_a_tolerance_that_was_not_met_is_a_warning(data):
    X, Y = data
    with pytest.warns(ConvergenceWarning, match="not solved to the requested gap"):
        fitted = mmoc.MaxMarginOutputCoding(max_iterations=1).fit(X, Y)
    assert not fitted.solver_.converged
    assert fitted.solver_.relative_gap > 1e-6


def test_coefficients_are_those_of_the_decisions(data):
    X, Y = data
    for scaling in ("none", "standard"):
        fitted = mmoc.BinaryRelevance(scaling=scaling).fit(3.0 * X + 1.0, Y)
        decisions = (3.0 * X + 1.0) @ fitted.coef_.T + fitted.intercept_
        np.testing.assert_allclose(decisions, fitted.decision_function(3.0 * X + 1.0), atol=1e-9)


def test_the_metric_is_made_of_its_projections(data):
    X, Y = data
    fitted = mmoc.MaxMarginOutputCoding().fit(X, Y)
    metric, rank = fitted.metric_, fitted.solver_.rank
    np.testing.assert_allclose(metric, metric.T)
    values, vectors = np.linalg.eigh(metric)
    assert values[0] >= -1e-9 * values[-1]
    np.testing.assert_allclose(fitted.spectrum_, np.maximum(values[::-1], 0), rtol=1e-6, atol=1e-9 * values[-1])
    assert fitted.projections_.shape == (4, rank)
    for k in range(rank):
        kept = fitted.projections_[:, k]
        assert abs(kept @ vectors[:, -1 - k]) == pytest.approx(np.linalg.norm(kept), rel=1e-6)
    assert fitted.solver_.relative_gap <= 1e-6
    assert fitted.solver_.objective >= fitted.solver_.lower_bound


def test_every_code_says_how_it_was_found(data):
    X, Y = data
    for cls in ESTIMATORS:
        if not hasattr(cls, "projections_"):
            continue
        fitted = cls().fit(X, Y)
        assert fitted.projections_.shape[0] == 4
        assert (fitted.codeword_penalties_ > 0).all()
        if hasattr(cls, "noise_"):
            assert fitted.classifier_penalties_.shape == (4,)
            assert fitted.noise_ is None
            assert fitted.decoding_projections_ is None


def test_decoding_as_published_has_a_noise_for_each_direction(data):
    X, Y = data
    for cls in ESTIMATORS:
        if not hasattr(cls, "noise_"):
            continue
        fitted = cls.from_preset("paper").fit(X, Y)
        labels, directions = fitted.projections_.shape
        assert labels == 4
        assert fitted.codeword_penalties_.shape == fitted.noise_.shape == (directions,)
        assert (fitted.noise_ > 0).all()
        np.testing.assert_array_equal(fitted.decoding_projections_, fitted.projections_)


def test_estimates_are_those_of_rows_held_out(estimator, data):
    X, Y = data
    fitted = estimator().fit(X, Y)
    assert 0 < fitted.estimates_["subset_accuracy"] <= fitted.score(X, Y) + 0.1
    assert fitted.record_["rows"] == 120


def test_a_given_penalty_fits_no_folds_unless_estimates_are_asked_for(data):
    X, Y = data
    usual, always, never = (
        mmoc.BinaryRelevance(penalty=1e-3, estimates=estimates).fit(X, Y) for estimates in ("auto", "always", "never")
    )
    assert [fitted.record_["logistic"]["regressions"] for fitted in (usual, always, never)] == [4, 24, 4]
    assert (usual.estimates_, never.estimates_) == ({}, {})
    assert 0 < always.estimates_["subset_accuracy"] <= 1
    assert always.coef_.tobytes() == usual.coef_.tobytes() == never.coef_.tobytes()


def test_without_estimates_all_else_is_the_same(estimator, data):
    X, Y = data
    fitted, without = estimator().fit(X, Y), estimator(estimates="never").fit(X, Y)
    assert without.estimates_ == {} != fitted.estimates_
    np.testing.assert_array_equal(without.predict(X), fitted.predict(X))


def test_the_network_has_no_label_among_its_own_parents(data):
    X, Y = data
    parents = mmoc.Lead().fit(X, Y).parents_
    assert len(parents) == 4
    assert all(label not in own for label, own in enumerate(parents))
    assert any(parents), "the last label depends on the first"


def test_two_labels_are_not_taken_for_two_classes(estimator):
    X, Y = dependent_data(rows=60, features=4, labels=2)
    fitted = estimator().fit(X, Y)
    assert [classes.tolist() for classes in fitted.classes_] == [[0, 1], [0, 1]]
    assert fitted.predict(X).shape == (60, 2)
