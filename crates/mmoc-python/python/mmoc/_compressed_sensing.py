"""Compressed sensing of label sets."""

from typing import ClassVar

from ._estimator import HasCode, HasDecisions
from ._seed import RandomState


class CompressedSensingCoding(HasDecisions, HasCode):
    """Compressed sensing of label sets (CodingCS, section 2.2 of the paper).

    Ridge regressions predict random projections of the labels. Sparse recovery reconstructs the label vector. Labels
    with an entry above one half are predicted. There are no probabilities.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import CompressedSensingCoding
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> CompressedSensingCoding(projections=20).fit(X, Y).projections_.shape
    (5, 20)
    """

    _method: ClassVar[str] = "coding-cs"
    _base_parameters: ClassVar[tuple[str, ...]] = ("ridge_penalty", "ridge_solver", "features", "landmarks")
    _threshold: ClassVar[float] = 0.5

    def __init__(
        self,
        *,
        projections: int = 100,
        distribution: str = "gaussian",
        recovery: str = "cosamp",
        sparsity: int | None = None,
        penalty: float = 0.1,
        ridge_penalty: float | None = None,
        ridge_solver: str = "auto",
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
        self.projections = projections
        self.distribution = distribution
        self.recovery = recovery
        self.sparsity = sparsity
        self.penalty = penalty
        self.ridge_penalty = ridge_penalty
        self.ridge_solver = ridge_solver
        self.features = features
        self.landmarks = landmarks
        self.missing_labels = missing_labels
        self.scaling = scaling
        self.missing = missing
        self.estimates = estimates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
