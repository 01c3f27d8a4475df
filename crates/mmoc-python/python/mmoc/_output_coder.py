"""Output codes as transformers of label sets."""

import json
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags, check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._features import ACCEPTED, canonical, indicator, label_array
from ._names import in_order, split_label_names, split_names
from ._records import SolverRecord
from ._refusals import explained, refuse_no_data
from ._seed import RandomState, seed
from ._sparse import check_sparse
from ._tables import refuse_repeated_names
from ._targets import checked_labels
from ._threads import threads

# The parameters of each code, and the decoder that the paper uses for it.
_PARAMETERS = {
    "random": ("projections", "distribution"),
    "pca": ("projections", "centre"),
    "cca": ("projections", "ridge"),
    "max-margin": ("projections", "C", "gap"),
}
_DECODERS = {"random": "cosamp", "pca": "back-projection", "cca": "joint", "max-margin": "joint"}
# The paper's number of random projections.
_RANDOM_PROJECTIONS = 100


class OutputCoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encodes label sets as codewords z = Vᵀy, and decodes predicted codewords ẑ to label sets.

    Any regressor can predict the codewords. In a ``TransformedTargetRegressor`` the coder is the transformer.

    Parameters
    ----------
    code : {"pca", "random", "cca", "max-margin"}
        How to find the directions V: principal components of the labels, random directions, canonical correlations
        with the features, or the max-margin problem (31). The last two also need the features: ``fit(Y, X)``.
    projections : int, optional
        The number of directions. ``None`` keeps all of them, and means 100 for random directions.
    centre : bool
        For pca: whether to subtract the mean label vector.
    distribution : {"gaussian", "bernoulli"}
        For random: the distribution of the entries.
    ridge : float
        For cca: the ridge penalty on the features, relative to their scatter.
    C : float
        For max-margin: the weight of the slack variables.
    gap : float, optional
        For max-margin: the certified relative gap to stop at.
    decoder : {"auto", "back-projection", "cosamp", "l1", "joint"}
        How to decode. ``auto`` is back-projection for pca, cosamp for random, and joint (eq. 15) for cca and
        max-margin.
    sparsity : int, optional
        For cosamp: the largest number of labels of a row. ``None`` means the largest number in the training rows.
    penalty : float
        For l1: the weight of the norm of the labels.
    lam : float
        For joint: the weight of the log-odds.
    inference : {"auto", "exact", "mean-field"}
        For joint: the inference algorithm.
    scaling : {"auto", "standard", "none"}
        For cca and max-margin: how the features are scaled.
    missing : {"mean", "median", "indicator"}
        For cca and max-margin: what replaces missing features (NaN), as in the estimators.
    random_state : int, RandomState or None
        The source of randomness. An integer is the seed.
    n_jobs : int, optional
        The number of threads. ``None`` uses all cores.

    Attributes
    ----------
    projections_ : ndarray of shape (q, d)
        V, with one direction per column.
    origin_ : ndarray of shape (q,)
        The reference point of back-projection: the mean label vector for cca and for centred pca, otherwise zero.
    spectrum_ : ndarray
        The singular values, canonical correlations or eigenvalues of the directions, descending. Empty for random
        directions.
    noise_ : ndarray of shape (d,)
        σ̂²: the leave-one-out mean squared errors of ridge regressions of the codewords. Ones if there are no features.
    metric_ : ndarray of shape (q, q)
        Q, only for max-margin.
    solver_ : SolverRecord
        The record of the solver, only for max-margin.

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
        missing: str = "mean",
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
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, Y: Any, X: Any = None) -> Self:
        """Finds the directions of the code.

        Parameters
        ----------
        Y : array, sparse matrix or DataFrame of shape (n, q), or lists of tags
            Label sets: zeros and ones, or the names of the labels of each row.
        X : array, CSR matrix or DataFrame of shape (n, p), optional
            The features of the same rows. Required for cca and max-margin.
        """
        Y, names = split_label_names(Y, "Y")
        Y = checked_labels(Y)
        self._decoder()
        if X is not None:
            refuse_no_data(X, "X")
            refuse_repeated_names(X, "X")
            X, columns = split_names(X)
            check_sparse(X, "X")
            with explained(X, names=columns):
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
            missing=str(self.missing),
            seed=seed(self.random_state),
            threads=threads(self.n_jobs),
        )
        # Remove what only an earlier fit had.
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
        """Fits the code and returns the codewords of the same label sets."""
        return self.fit(Y, X).transform(Y)

    def transform(self, Y: Any) -> Any:
        """The codewords z = Vᵀy of label sets, n×d (eq. 2). The columns of a DataFrame are matched by name."""
        check_is_fitted(self)
        Y = checked_labels(in_order(Y, self._label_names(), "Y"))
        if Y.shape[1] != self.n_features_in_:
            raise ValueError(f"Y must have {self.n_features_in_} labels, as in fit, not {Y.shape[1]}")
        return np.asarray(Y @ self.projections_, dtype=np.float64)

    def decode(self, Z: Any, *, noise: Any = None, log_odds: Any = None) -> npt.NDArray[np.int64]:
        """Decodes predicted codewords to label sets.

        Parameters
        ----------
        Z : array of shape (n, d)
            Predicted codewords.
        noise : array of shape (d,), optional
            For joint decoding: the mean squared error of each entry. By default ``noise_``.
        log_odds : array of shape (n, q), optional
            For joint decoding: the log-odds of classifiers of the labels, weighted by ``lam``. The columns of a
            DataFrame are matched to the labels by name.

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
        log_odds = in_order(log_odds, self._label_names(), "log_odds")
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
        """Decodes predicted codewords to label sets, like :meth:`decode`."""
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

    def _label_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def _decoder(self) -> str:
        names = ("auto", *dict.fromkeys(_DECODERS.values()), "l1")
        if self.decoder not in names:
            raise ValueError(f"decoder must be one of {', '.join(names)}, not {self.decoder!r}")
        return _DECODERS.get(self.code, "") if self.decoder == "auto" else self.decoder
