"""The estimators in scikit-learn's tools."""

import joblib
import mmoc
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, OneHotEncoder, StandardScaler

SCORERS = ["accuracy", "f1_micro", "f1_macro", "f1_samples", "jaccard_samples", "precision_micro", "recall_macro"]
RANKING = ["roc_auc", "average_precision"]


def test_clones_are_unfitted_and_equal(estimator, data):
    X, Y = data
    fitted = estimator(scaling="standard").fit(X, Y)
    again = clone(fitted)
    assert again.get_params() == fitted.get_params()
    assert not hasattr(again, "_model")
    assert again.fit(X, Y)._model.to_bytes() == fitted._model.to_bytes()


def test_a_pipeline_scales_like_the_estimator_itself(estimator, data):
    X, Y = data
    pipeline = make_pipeline(StandardScaler(), estimator(scaling="none")).fit(X, Y)
    own = estimator(scaling="standard").fit(X, Y)
    np.testing.assert_array_equal(pipeline.predict(X), own.predict(X))


def test_frames_go_through_pipelines_with_their_names(estimator, data):
    X, Y = data
    features = pd.DataFrame(X, columns=[f"f{k}" for k in range(X.shape[1])])
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, estimator()).fit(features, Y)
    assert pipeline[-1].feature_names_in_.tolist() == list(features)


def test_mixed_columns_and_words(data):
    X, Y = data
    frame = pd.DataFrame(X[:, :3], columns=list("abc"))
    frame["sky"] = np.where(X[:, 3] > 0, "blue", "grey")
    columns = ColumnTransformer([("words", OneHotEncoder(), ["sky"])], remainder="passthrough")
    assert make_pipeline(columns, mmoc.MaxMarginOutputCoding()).fit(frame, Y).score(frame, Y) > 0.3

    texts = ["sun and wind"] * 10 + ["wind and rain"] * 10 + ["rain", "sun", "wind"] * 5
    sets = [set(text.replace(" and ", " ").split()) for text in texts]
    Y = MultiLabelBinarizer(sparse_output=True).fit_transform(sets)
    pipeline = make_pipeline(TfidfVectorizer(), mmoc.MaxMarginOutputCoding()).fit(texts, Y)
    assert pipeline.score(texts, Y) == 1.0


def test_grid_search_finds_the_better_parameter(data):
    X, Y = data
    search = GridSearchCV(
        mmoc.MaxMarginOutputCoding(weights="fixed"),
        {"projections": [1, 4], "lam": [0.0, 1.0], "penalty": [None, 1e3]},
        scoring="f1_micro",
        cv=3,
        n_jobs=2,
    ).fit(X, Y)
    assert search.best_params_["penalty"] is None or search.best_params_["lam"] == 0.0
    assert search.best_score_ > 0.5
    np.testing.assert_array_equal(search.predict(X), search.best_estimator_.predict(X))
    assert search.score(X, Y) == f1_score(Y, search.predict(X), average="micro")


def test_grid_search_in_a_pipeline_with_several_scorers(estimator, data):
    X, Y = data
    search = GridSearchCV(
        make_pipeline(StandardScaler(), estimator()),
        {f"{estimator.__name__.lower()}__scaling": ["none", "standard"]},
        scoring=["accuracy", "f1_macro"],
        refit="accuracy",
        cv=3,
    ).fit(X, Y)
    scores = search.cv_results_["mean_test_accuracy"]
    assert scores[0] == pytest.approx(scores[1], abs=0.03), "scaled twice is scaled once"


@pytest.mark.filterwarnings("ignore:.*ill-defined:sklearn.exceptions.UndefinedMetricWarning")
def test_cross_validate_with_scorers_of_label_sets(estimator, data):
    X, Y = data
    scorers = SCORERS + RANKING if estimator not in (mmoc.CalibratedLabelRanking,) else SCORERS
    found = cross_validate(estimator(), X, Y, scoring=scorers, cv=3, error_score="raise")
    for name in scorers:
        assert (found[f"test_{name}"] > 0.2).all(), name


def test_ranking_scorers_look_at_all_labels_however_few(data):
    X, Y = data
    for labels in (1, 2, 3):
        for scoring in RANKING:
            score = cross_val_score(
                mmoc.BinaryRelevance(), X, Y[:, :labels], scoring=scoring, cv=3, error_score="raise"
            )
            assert (score > 0.6).all()


def test_own_scorers_of_probabilities(data):
    X, Y = data
    brier = make_scorer(
        lambda Y, found: ((Y - found) ** 2).mean(), response_method="predict_proba", greater_is_better=False
    )
    found = cross_val_score(mmoc.MaxMarginOutputCoding(), X, Y, scoring=brier, cv=3, error_score="raise")
    assert (found > -0.25).all()


def test_cross_val_predict_puts_every_row_in_its_place(estimator, data):
    X, Y = data
    found = cross_val_predict(estimator(), X, Y, cv=3)
    assert found.shape == Y.shape
    assert (found == Y).mean() > 0.7
    method = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
    numbers = cross_val_predict(estimator(), X, Y, cv=3, method=method)
    threshold = 0.5 if method == "predict_proba" else 0.0
    assert ((numbers > threshold) == (found == 1)).mean() > 0.95


def _fit_score(estimator, X, Y):
    return estimator.fit(X, Y).score(X, Y)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_workers_of_joblib(data, backend):
    X, Y = data
    models = [mmoc.BinaryRelevance(), mmoc.MaxMarginOutputCoding(), mmoc.PrincipalLabelSpaceCoding()]
    expected = [_fit_score(clone(model), X, Y) for model in models]
    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(_fit_score)(clone(model), X, Y) for model in models)
    assert found == expected


def test_threads_can_share_a_fitted_model(estimator, data):
    X, Y = data
    fitted = estimator().fit(X, Y)
    expected = fitted.predict(X)
    found = joblib.Parallel(n_jobs=4, backend="threading")(joblib.delayed(fitted.predict)(X) for _ in range(16))
    assert all(np.array_equal(one, expected) for one in found)


def test_other_tools(data):
    X, Y = data
    sizes, _, scores = learning_curve(mmoc.MaxMarginOutputCoding(), X, Y, cv=3, train_sizes=[0.3, 1.0])
    assert sizes[0] < sizes[1]
    assert np.isfinite(scores).all()
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    assert permutation_importance(fitted, X, Y, n_repeats=2, random_state=0).importances_mean.shape == (8,)


def test_a_regressor_between_encoding_and_decoding(data):
    X, Y = data
    model = TransformedTargetRegressor(Ridge(), transformer=mmoc.OutputCoder(projections=3), check_inverse=False)
    found = cross_val_predict(model, X, Y, cv=3)
    assert set(np.unique(found)) <= {0, 1}
    assert (found == Y).mean() > 0.7


def test_there_is_no_partial_fit_and_the_error_says_what_to_do(estimator, data):
    on_dask = pytest.importorskip("mmoc.dask", exc_type=ImportError)
    model, name = estimator(), estimator.__name__
    other = f"use mmoc.dask.{name} with partitions of them, or fit with a sample"
    if name in on_dask.__all__:
        with pytest.raises(AttributeError, match=f"^{name} has no partial_fit: .* They may be more than fit into"):
            getattr(on_dask, name)().partial_fit(*data)
    else:
        other = "use fit with a sample of them, or mmoc.dask.BinaryRelevance"
    message = f"^{name} has no partial_fit: .* Use fit with all rows. If they do not fit into memory, {other}"
    for own in (model, clone(model).fit(*data)):
        assert not hasattr(own, "partial_fit")
        with pytest.raises(AttributeError, match=message):
            own.partial_fit(*data)
    with pytest.raises(ValueError, match="must support the partial_fit interface"):
        learning_curve(model, *data, exploit_incremental_learning=True)
