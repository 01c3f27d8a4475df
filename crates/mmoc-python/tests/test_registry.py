"""The estimators agree with the registry of methods."""

import inspect

import joblib
import mmoc
import numpy as np
import pytest
from mmoc import _native
from mmoc._load import ESTIMATORS
from mmoc._threads import threads

OF_TRAINING = {
    "scaling": "auto",
    "missing": "mean",
    "estimates": "auto",
    "random_state": 0,
    "n_jobs": None,
    "verbose": 0,
}


def test_every_method_has_one_estimator_in_the_order_of_the_registry():
    assert [estimator._method for estimator in ESTIMATORS] == list(_native.methods())
    assert all(getattr(mmoc, estimator.__name__) is estimator for estimator in ESTIMATORS)


def test_parameters_and_their_defaults_are_those_of_the_registry(estimator):
    signature = inspect.signature(estimator).parameters
    found = {name: parameter.default for name, parameter in signature.items()}
    base = _native.base_parameters()
    expected = {name: about[0] for name, about in _native.methods()[estimator._method].items()}
    expected |= {name: base[name][0] for name in estimator._base_parameters}
    expected |= OF_TRAINING
    if "random_state" not in found:
        del expected["random_state"]
    assert found == expected
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in signature.values())


def test_base_learners_that_have_parameters_are_those_that_the_method_fits(estimator, data):
    """An estimator has a parameter of the base learners if and only if it has an effect."""
    X, Y = data

    def predictions(**base):
        estimator_ = estimator()._parameters()
        model = _native.fit(
            estimator._method,
            estimator_[0],
            estimator_[1] | base,
            scaling="auto",
            missing="mean",
            estimates="auto",
            seed=0,
            threads=1,
            x=X,
            y=Y == 1,
            feature_names=None,
            attributes=None,
            label_names=None,
            evidence=[],
            report=None,
        )
        return model.coefficients[0].tobytes()

    usual = predictions()
    matters = {
        name
        for name, value in {
            "penalty": 10.0,
            "ridge_penalty": 10.0,
            "ridge_solver": "iterative",
            "folds": 3,
            "criterion": "error",
            "features": "rbf",
        }.items()
        if predictions(**{name: value}) != usual
    }
    assert matters <= set(estimator._base_parameters)
    # There are too few rows for landmarks.
    assert set(estimator._base_parameters) - {"criterion", "landmarks"} <= matters


def test_presets_are_those_of_the_library(estimator):
    default = estimator.from_preset("default")
    assert default.get_params() == estimator().get_params()
    paper = mmoc.MaxMarginOutputCoding.from_preset("paper", C=10.0)
    assert (paper.candidates, paper.weights, paper.inference) == ("all", "fixed", "mean-field")
    assert (paper.penalty_factor, paper.C) == (1.0, 10.0)
    assert mmoc.BinaryRelevance.from_preset("paper").get_params() == mmoc.BinaryRelevance().get_params()
    with pytest.raises(ValueError, match="preset must be one of paper, default, not 'worst'"):
        estimator.from_preset("worst")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"penalty_factor": 0}, "penalty_factor must be None or a number of at least 1e-9 and at most 1e9, not 0"),
        ({"C": -1.0}, "C must be a number of at least 1e-12 and at most 1e15, not -1.0"),
        ({"lam": "much"}, "lam must be a number of at least 0 and at most 1e6, not 'much'"),
        ({"projections": 1.5}, "projections must be None or a count of at least 1, not 1.5"),
        ({"projections": 5}, "projections must be from 1 to 4, the number of labels, not 5"),
        ({"classifiers": None}, "classifiers must be True or False, not None"),
        ({"gap": [1]}, r"gap must be None or a number of at least 1e-12 and at most 0.5, not \[1\]"),
        ({"inference": "slow"}, "inference must be auto, mean-field or exact, not 'slow'"),
        ({"candidates": "some"}, "candidates must be all or seen, not 'some'"),
        ({"evidence": "trees"}, "evidence must be auto, or labels, .*, not 'trees'"),
        ({"weights": None}, "weights must be fitted or fixed, not None"),
        ({"regression": "ridge"}, "regression must be .*, not 'ridge'"),
        ({"decide": "recall"}, "decide must be subset, f1, hamming, micro-f1 or macro-f1, not 'recall'"),
        ({"folds": 1}, "folds must be a count from 2 to 1000, not 1"),
        ({"scaling": "max"}, "scaling"),
        ({"missing": "zero"}, "missing"),
        ({"scaling": None}, "scaling must be one of none, standard, auto, not 'None'"),
        ({"estimates": True}, "estimates must be one of auto, always, never, not 'True'"),
        ({"random_state": -1}, "random_state must be from 0"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0, not 0"),
    ],
)
def test_values_that_are_not_allowed_are_refused_by_the_names_of_python(data, changes, message):
    with pytest.raises(ValueError, match=message):
        mmoc.MaxMarginOutputCoding(**changes).fit(*data)


def test_numbers_of_numpy_are_numbers(data):
    own = {"C": np.float32(100), "projections": np.int64(2), "classifiers": np.True_, "gap": np.float64(1e-3)}
    usual = {"C": 100.0, "projections": 2, "classifiers": True, "gap": 1e-3}
    X, Y = data
    models = [mmoc.MaxMarginOutputCoding(**parameters).fit(X, Y) for parameters in (own, usual)]
    assert models[0]._model.to_bytes() == models[1]._model.to_bytes()


def test_threads_are_never_more_than_are_of_use():
    assert threads(1) == 1
    assert threads(3) == 3
    assert threads(10**9) <= max(64, joblib.cpu_count())
    assert threads(-1) == joblib.cpu_count()
    assert threads(-1000) == 1
    for wrong in (0, 1.5, "2"):
        with pytest.raises(ValueError, match="n_jobs must be"):
            threads(wrong)


def test_workers_of_joblib_have_the_threads_that_it_leaves_them(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert threads(None) == joblib.cpu_count()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads(None) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert threads(None) == joblib.cpu_count()
