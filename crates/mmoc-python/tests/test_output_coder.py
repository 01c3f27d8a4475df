"""Output codes as transformers."""

import pickle

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from mmoc import OutputCoder
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeCV

CODES = ["pca", "random", "cca", "max-margin"]


@pytest.mark.parametrize("code", CODES)
def test_codewords_are_sums_of_directions(data, code):
    X, Y = data
    coder = OutputCoder(code)
    Z = coder.fit_transform(Y, X)
    np.testing.assert_allclose(Z, Y @ coder.projections_, atol=1e-12)
    np.testing.assert_array_equal(coder.transform(sp.csr_matrix(Y)), Z)
    assert coder.n_features_in_ == 4


@pytest.mark.parametrize(
    ("code", "estimator"),
    [
        ("pca", mmoc.PrincipalLabelSpaceCoding),
        ("random", mmoc.CompressedSensingCoding),
        ("cca", mmoc.CanonicalCorrelationCoding),
        ("max-margin", mmoc.MaxMarginOutputCoding),
    ],
)
def test_codes_are_those_of_the_estimators(data, code, estimator):
    X, Y = data
    # By default the estimator chooses how labels are regressed, and on what.
    given = {"features": "linear"} | ({"regression": "labels"} if code == "max-margin" else {})
    coder, fitted = OutputCoder(code).fit(Y, X), estimator(**given).fit(X, Y)
    np.testing.assert_array_equal(coder.projections_, fitted.projections_)
    np.testing.assert_array_equal(coder.spectrum_, fitted.spectrum_)
    if code == "max-margin":
        np.testing.assert_array_equal(coder.metric_, fitted.metric_)
        assert coder.solver_ == fitted.solver_
    if hasattr(estimator, "noise_"):
        jointly = estimator(weights="fixed", candidates="all").fit(X, Y)
        np.testing.assert_allclose(coder.noise_, jointly.noise_, rtol=1e-12)


# Back-projection needs orthonormal directions, and fewer directions than labels do not determine all label sets.
@pytest.mark.parametrize(
    ("code", "decoder"),
    [("pca", "back-projection")]
    + [(code, decoder) for code in ("pca", "random", "cca") for decoder in ("auto", "cosamp", "l1", "joint")],
)
def test_true_codewords_are_decoded_to_their_label_sets(data, code, decoder):
    X, Y = data
    coder = OutputCoder(code, decoder=decoder, penalty=1e-6, lam=0.0)
    Z = coder.fit_transform(Y, X)
    np.testing.assert_array_equal(coder.decode(Z), Y)
    np.testing.assert_array_equal(coder.inverse_transform(Z), Y)


def test_joint_decoding_is_the_least_energy_of_all_label_sets(data):
    X, Y = data
    coder = OutputCoder("cca", lam=0.7).fit(Y, X)
    rng = np.random.default_rng(3)
    Z = coder.transform(Y) + rng.normal(size=(len(Y), coder.projections_.shape[1]))
    log_odds, noise = rng.normal(size=Y.shape), rng.uniform(0.5, 2.0, size=Z.shape[1])
    sets = (np.arange(16)[:, None] >> np.arange(4) & 1).astype(float)
    distances = (((sets @ coder.projections_)[None] - Z[:, None]) ** 2 / noise).sum(axis=2) / 2
    best = sets[np.argmin(distances - 0.7 * log_odds @ sets.T, axis=1)]
    np.testing.assert_array_equal(coder.decode(Z, noise=noise, log_odds=log_odds), best)


def test_any_regressor_can_sit_in_between(data):
    X, Y = data
    coder = OutputCoder("cca")
    regressor = RidgeCV(alphas=np.logspace(-3, 3, 7)).fit(X, coder.fit_transform(Y, X))
    assert (coder.decode(regressor.predict(X)) == Y).mean() > 0.7


def test_names_and_frames(data):
    X, Y = data
    frame = pd.DataFrame(Y, columns=list("abcd"))
    coder = OutputCoder(projections=2).set_output(transform="pandas")
    Z = coder.fit_transform(frame)
    assert list(Z) == ["pca0", "pca1"]
    assert coder.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(Z.to_numpy(), OutputCoder(projections=2).fit_transform(Y))


def test_coders_are_cloned_and_pickled(data):
    X, Y = data
    coder = OutputCoder("max-margin", projections=2).fit(Y, X)
    assert clone(coder).get_params() == coder.get_params()
    again = pickle.loads(pickle.dumps(coder))
    Z = coder.transform(Y)
    np.testing.assert_array_equal(again.decode(Z), coder.decode(Z))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sparsity": -1}, "sparsity must be None or a count of at least 1, not -1"),
        ({"penalty": "much"}, "penalty must be a number of at least 0, not 'much'"),
        ({"lam": -1}, "lam must be a number of at least 0"),
        ({"inference": None}, "inference must be auto, mean-field or exact, not None"),
    ],
)
def test_values_that_are_not_allowed_are_refused_as_those_of_estimators(data, changes, message):
    coder = OutputCoder(**changes).fit(data[1])
    with pytest.raises(ValueError, match=message):
        coder.decode(coder.transform(data[1]))


def test_nothing_of_another_fit_stays(data):
    X, Y = data
    coder = OutputCoder("max-margin").fit(pd.DataFrame(Y, columns=list("abcd")), X)
    coder.set_params(code="pca").fit(Y)
    assert not any(hasattr(coder, name) for name in ("metric_", "solver_", "feature_names_in_"))


def test_what_cannot_be_coded_is_refused(data):
    X, Y = data
    with pytest.raises(ValueError, match="zeros and ones"):
        OutputCoder().fit(Y * 2)
    with pytest.raises(ValueError, match=r"fit\(Y, X\)"):
        OutputCoder("cca").fit(Y)
    with pytest.raises(ValueError, match="code must be random, pca, cca or max-margin, not 'lda'"):
        OutputCoder("lda").fit(Y)
    with pytest.raises(ValueError, match="inconsistent"):
        OutputCoder("cca").fit(Y, X[:-1])
    with pytest.raises(NotFittedError):
        OutputCoder().transform(Y)
    coder = OutputCoder().fit(Y)
    with pytest.raises(ValueError, match="Z must have 4 columns"):
        coder.decode(Y[:, :2])
    with pytest.raises(ValueError, match="decoder must be"):
        coder.set_params(decoder="best").decode(Y)
    with pytest.raises(ValueError, match="decoder must be"):
        OutputCoder(decoder="best").fit(Y)
    with pytest.raises(ValueError, match="Y must have 4 labels, as in fit, not 3"):
        coder.transform(Y[:, :3])
