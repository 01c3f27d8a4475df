"""Multi-label learning by exploiting label dependency (LEAD)."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ._estimator import HasClassifiers, HasDecisions, HasProbabilities
from ._linear import label_term
from ._seed import RandomState
from ._weights import ClassWeight


class Lead(HasProbabilities, HasDecisions, HasClassifiers):
    """LEAD: a Bayesian network of label dependencies (Zhang & Zhang 2010).

    The network is learnt from the errors of binary relevance. Each label is then predicted from the features and from
    its parents in the network.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import Lead
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> len(Lead(max_parents=1).fit(X, Y).parents_)
    5
    """

    _method: ClassVar[str] = "lead"
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
    _threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        *,
        max_parents: int = 3,
        evidence: str = "labels",
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
        self.max_parents = max_parents
        self.evidence = evidence
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
    def parents_(self) -> list[list[int]]:
        """The parents of each label in the network, ascending."""
        return [[label for label, _ in own] for own in self._network()]

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """The coefficients of the classifier of each label for unscaled features, q×p. ``X @ coef_.T + intercept_`` are
        log-odds but for what the parents of a label add."""
        return label_term(self._fitted()).coef

    @property
    def parent_coef_(self) -> list[npt.NDArray[np.float64]]:
        """The coefficients of the parents of each label, in the order of ``parents_``: what a parent that is predicted
        adds to the log-odds, or one of probability 1 with ``evidence="probabilities"``."""
        return [np.array([coefficient for _, coefficient in own]) for own in self._network()]

    def _network(self) -> list[list[tuple[int, float]]]:
        parents = self._fitted().parents
        assert parents is not None, "every model of this method has a network"
        return parents
