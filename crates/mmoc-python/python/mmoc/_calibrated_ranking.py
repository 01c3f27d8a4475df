"""Calibrated label ranking."""

from itertools import combinations
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ._estimator import HasClassifiers, HasProbabilities
from ._linear import label_term, pair_term
from ._seed import RandomState
from ._weights import ClassWeight


class CalibratedLabelRanking(HasProbabilities, HasClassifiers):
    """Pairwise voting between labels, with a virtual label as the threshold (Fürnkranz et al. 2008).

    One classifier votes between each pair of labels, and one between each label and the virtual label. A label is
    predicted if it gets more votes than the virtual label. There are q(q+1)/2 classifiers.

    ``predict_proba`` is a label's share of the votes of the label and the virtual label together. It is above one half
    for predicted labels, but it is not calibrated.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import CalibratedLabelRanking
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> CalibratedLabelRanking(votes="soft").fit(X, Y).record_["base_models"]
    15
    """

    _method: ClassVar[str] = "clr"
    _base_parameters: ClassVar[tuple[str, ...]] = (
        "criterion",
        "penalty",
        "class_weight",
        "folds",
        "features",
        "landmarks",
    )
    _for_many_rows: ClassVar[str] = (
        "If they do not fit into memory, use fit with a sample of them, or mmoc.dask.BinaryRelevance or "
        "mmoc.dask.MaxMarginOutputCoding with partitions of them."
    )

    def __init__(
        self,
        *,
        votes: str = "hard",
        criterion: str = "log-loss",
        penalty: float | None = None,
        class_weight: ClassWeight = None,
        folds: int = 5,
        features: str = "auto",
        landmarks: int = 1000,
        missing_labels: str = "refuse",
        scaling: str = "auto",
        missing: str = "mean",
        estimates: str = "auto",
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.votes = votes
        self.criterion = criterion
        self.penalty = penalty
        self.class_weight = class_weight
        self.folds = folds
        self.features = features
        self.landmarks = landmarks
        self.missing_labels = missing_labels
        self.scaling = scaling
        self.missing = missing
        self.estimates = estimates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """The coefficients of the classifier of each label against the virtual label for unscaled features, q×p.
        ``X @ coef_.T + intercept_`` are the log-odds by which it votes."""
        return label_term(self._fitted()).coef

    @property
    def pairs_(self) -> list[tuple[int, int]]:
        """The pairs of labels (j, k) with j < k that a classifier votes between, in the order of ``pair_coef_``."""
        return list(combinations(range(len(self._fitted().label_names)), 2))

    @property
    def pair_coef_(self) -> npt.NDArray[np.float64]:
        """The coefficients of the classifiers of pairs for unscaled features, q(q−1)/2×p. With positive log-odds
        ``X @ pair_coef_.T + pair_intercept_`` the vote is for the first label of the pair."""
        return pair_term(self._fitted()).coef

    @property
    def pair_intercept_(self) -> npt.NDArray[np.float64]:
        """The intercepts of the classifiers of pairs for unscaled features."""
        return pair_term(self._fitted()).intercept
