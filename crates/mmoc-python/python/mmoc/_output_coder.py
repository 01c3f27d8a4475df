"""Output codes by themselves, with anything between encoding and decoding."""

import json
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags, check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._estimator import label_names
from ._features import ACCEPTED, canonical, indicator, label_array
from ._records import SolverRecord
from ._seed import RandomState, seed
from ._targets import checked_labels
from ._threads import threads

# The parameters of each code, and the decoder that the paper has for it.
_PARAMETERS = {
    "random": ("projections", "distribution"),
    "pca": ("projections", "centre"),
    "cca": ("projections", "ridge"),
    "max-margin": ("projections", "C", "gap"),
}
_DECODERS = {"random": "cosamp", "pca": "back-projection", "cca": "joint", "max-margin": "joint"}
# Random projections are many more than labels: as many as the paper has.
_RANDOM_PROJECTIONS = 100


class OutputCoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Translates label sets to codewords and back: z = Vᵀy, and the label set that fits a predicted ẑ.

    Any regressor can sit in between, by hand or in a ``TransformedTargetRegressor``, whose ``inverse_transform`` is
    :meth:`decode`.

    Parameters
    ----------
    code : {"pca", "random", "cca", "max-margin"}
        Where the directions V come from: principal components of the labels, chance, canonical correlations with the
        features, or the max-margin problem (31). The last two need the features too: ``fit(Y, X)``.
    projections : int, optional
        Directions to keep; ``None`` for all that there are, of random ones 100.
    centre : bool
        For pca: take the mean label vector away first.
    distribution : {"gaussian", "bernoulli"}
        For random: what entries are drawn from.
    ridge : float
        For cca: penalty on the features, as a share of their scatter.
    C : float
        For max-margin: the weight of the slacks.
    gap : float, optional
        For max-margin: the certified relative gap to stop at.
    decoder : {"auto", "back-projection", "cosamp", "l1", "joint"}
        How codewords become label sets; ``auto`` is back-projection for pca, cosamp for random, else joint (eq. 15).
    sparsity : int, optional
        For cosamp: most labels of a row; ``None`` for the most of a row that was fitted.
    penalty : float
        For l1: the weight of the norm.
    lam : float
        For joint: the weight of the log-odds.
    inference : {"auto", "exact", "mean-field"}
        For joint: how label sets are found.
    scaling : {"auto", "standard", "none"}
        How features are scaled, if there are any.
    random_state : int, RandomState or None
        Where random choices come from.
    n_jobs : int, optional
        Threads: ``None`` takes all cores.

    Attributes
    ----------
    projections_ : ndarray of shape (q, d)
        V, one direction per column.
    origin_ : ndarray of shape (q,)
        The point of label space from which the code measures.
    spectrum_ : ndarray
        How much each direction counts, descending; empty for random ones.
    noise_ : ndarray of shape (d,)
        σ̂²: leave-one-out mean squared errors of ridge regressions of the codewords; ones without features.
    metric_ : ndarray of shape (q, q)
        Q, for max-margin alone.
    solver_ : SolverRecord
        How the problem was solved, for max-margin alone.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from mmoc import OutputCoder
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> coder = OutputCoder(projections=3)
    >>> regressor = KNeighborsRegressor().fit(X, coder.fit_transform(Y))
    >>> coder.decode(regressor.predict(X)).shape
    (60, 5)
    """

    def __init__(
        self,
        code: str = "pca",
        *,
        projections: int | None = None,
        centre: bool = False,
        distribution: str = "gaussian",
        ridge: float = 1e-3,
        C: float = 1e6,
        gap: float | None = None,
        decoder: str = "auto",
        sparsity: int | None = None,
        penalty: float = 0.1,
        lam: float = 1.0,
        inference: str = "auto",
        scaling: str = "auto",
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.code = code
        self.projections = projections
        self.centre = centre
        self.distribution = distribution
        self.ridge = ridge
        self.C = C
        self.gap = gap
        self.decoder = decoder
        self.sparsity = sparsity
        self.penalty = penalty
        self.lam = lam
        self.inference = inference
        self.scaling = scaling
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, Y: Any, X: Any = None) -> Self:
        """Finds the directions.

        Parameters
        ----------
        Y : array, sparse matrix or DataFrame of shape (n, q)
            The label sets, zeros and ones.
        X : array, CSR matrix or DataFrame of shape (n, p), optional
            The features of the same rows, for cca and max-margin.
        """
        names = label_names(Y)
        Y = checked_labels(Y)
        self._decoder()
        if X is not None:
            X = canonical(check_array(X, input_name="X", **ACCEPTED))
            check_consistent_length(Y, X)
        parameters = {name: getattr(self, name) for name in _PARAMETERS.get(self.code, ())}
        if self.code == "random" and self.projections is None:
            parameters["projections"] = _RANDOM_PROJECTIONS
        projections, origin, noise, spectrum, metric, record = _native.fit_code(
            str(self.code),
            parameters,
            y=indicator(Y),
            x=X,
            scaling=str(self.scaling),
            seed=seed(self.random_state),
            threads=threads(self.n_jobs),
        )
        # Nothing of another fit stays.
        for name in ("feature_names_in_", "metric_", "solver_"):
            self.__dict__.pop(name, None)
        self.n_features_in_ = Y.shape[1]
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.projections_, self.origin_, self.spectrum_ = projections, origin, spectrum
        self.noise_ = np.ones(projections.shape[1]) if noise is None else noise
        self._most_labels = int(Y.sum(axis=1).max())
        if metric is not None:
            self.metric_ = metric
            self.solver_ = SolverRecord.from_json(json.loads(record)["solver"])
        return self

    def fit_transform(self, Y: Any, X: Any = None) -> Any:
        """The codewords of the label sets that the directions are found from."""
        return self.fit(Y, X).transform(Y)

    def transform(self, Y: Any) -> Any:
        """The codewords z = Vᵀy of some label sets, n×d (eq. 2)."""
        check_is_fitted(self)
        names = label_names(Y)
        if names is not None and hasattr(self, "feature_names_in_") and list(names) != list(self.feature_names_in_):
            raise ValueError(f"the labels must be {', '.join(self.feature_names_in_)}, in this order, as in fit")
        Y = checked_labels(Y)
        if Y.shape[1] != self.n_features_in_:
            raise ValueError(f"Y must have {self.n_features_in_} labels, as in fit, not {Y.shape[1]}")
        return np.asarray(Y @ self.projections_, dtype=np.float64)

    def decode(self, Z: Any, *, noise: Any = None, log_odds: Any = None) -> npt.NDArray[np.int64]:
        """The label sets of predicted codewords.

        Parameters
        ----------
        Z : array of shape (n, d)
            Codewords as they are predicted.
        noise : array of shape (d,), optional
            For joint decoding: the mean squared error of each entry; by default ``noise_``.
        log_odds : array of shape (n, q), optional
            For joint decoding: the log-odds of classifiers of the labels, weighted by ``lam``.

        Returns
        -------
        ndarray of shape (n, q)
            Zeros and ones.
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=np.float64, order="C", input_name="Z")
        labels, directions = self.projections_.shape
        if Z.shape[1] != directions:
            raise ValueError(f"Z must have {directions} columns, one for each direction, not {Z.shape[1]}")
        if log_odds is None:
            log_odds = np.zeros((len(Z), labels))
        log_odds = check_array(log_odds, dtype=np.float64, order="C", input_name="log_odds")
        noise = self.noise_ if noise is None else np.ravel(np.asarray(noise, dtype=np.float64))
        pattern = _native.decode(
            self._decoder(),
            Z,
            self.projections_,
            sparse={"sparsity": self.sparsity, "penalty": self.penalty},
            joint={"lam": self.lam, "inference": self.inference},
            origin=self.origin_,
            noise=noise,
            log_odds=log_odds,
            most_labels=max(1, self._most_labels),
            threads=threads(self.n_jobs),
        )
        return label_array(pattern, labels, np.int64)

    def inverse_transform(self, Z: Any) -> npt.NDArray[np.int64]:
        """The label sets of predicted codewords: :meth:`decode`."""
        return self.decode(Z)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """A name for each entry of a codeword."""
        check_is_fitted(self)
        return np.array([f"{self.code}{k}" for k in range(self.projections_.shape[1])], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = True
        tags.target_tags.two_d_labels = True
        return tags

    def _decoder(self) -> str:
        names = ("auto", *dict.fromkeys(_DECODERS.values()), "l1")
        if self.decoder not in names:
            raise ValueError(f"decoder must be one of {', '.join(names)}, not {self.decoder!r}")
        return _DECODERS.get(self.code, "") if self.decoder == "auto" else self.decoder
