"""Output coding by canonical correlation analysis."""

from typing import ClassVar

from ._estimator import HasJointDecoding
from ._evidence import Evidence
from ._seed import RandomState
from ._weights import ClassWeight


class CanonicalCorrelationCoding(HasJointDecoding):
    """Output coding by canonical correlation analysis (CodingCCA, section 2.4 of the paper).

    The codeword consists of the labels and their canonical directions, which are decoded together. Canonical directions
    are the directions of label space that the features predict best. ``spectrum_`` has their correlations.

    By default, predicted codewords give a probability to each label set of the training rows.
    ``CanonicalCorrelationCoding.from_preset("paper")`` decodes as published (eq. 15).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import CanonicalCorrelationCoding
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> CanonicalCorrelationCoding(projections=2).fit(X, Y).spectrum_.shape
    (2,)
    """

    _method: ClassVar[str] = "coding-cca"
    _base_parameters: ClassVar[tuple[str, ...]] = (
        "criterion",
        "penalty",
        "class_weight",
        "ridge_penalty",
        "ridge_solver",
        "folds",
        "features",
        "landmarks",
    )

    def __init__(
        self,
        *,
        projections: int | None = None,
        ridge: float = 1e-3,
        candidates: str = "seen",
        evidence: Evidence = "auto",
        trees: int = 500,
        weights: str = "fitted",
        lam: float = 1.0,
        inference: str = "auto",
        decide: str = "subset",
        criterion: str = "log-loss",
        penalty: float | None = None,
        class_weight: ClassWeight = None,
        ridge_penalty: float | None = None,
        ridge_solver: str = "auto",
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
        self.projections = projections
        self.ridge = ridge
        self.candidates = candidates
        self.evidence = evidence
        self.trees = trees
        self.weights = weights
        self.lam = lam
        self.inference = inference
        self.decide = decide
        self.criterion = criterion
        self.penalty = penalty
        self.class_weight = class_weight
        self.ridge_penalty = ridge_penalty
        self.ridge_solver = ridge_solver
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
