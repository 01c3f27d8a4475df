"""Principal label space transformation, plain and redundant."""

from typing import ClassVar

from ._estimator import HasCode, HasDecisions, HasJointDecoding
from ._evidence import Evidence
from ._seed import RandomState
from ._weights import ClassWeight


class PrincipalLabelSpaceCoding(HasDecisions, HasCode):
    """Principal label space transformation (PLST; CodingPCA, section 2.3 of the paper).

    Ridge regressions predict the principal components of the labels, which are projected back to a label vector. Labels
    with an entry above one half are predicted. There are no probabilities. The method is deterministic.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import PrincipalLabelSpaceCoding
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> PrincipalLabelSpaceCoding(projections=3).fit(X, Y).predict(X).shape
    (60, 5)
    """

    _method: ClassVar[str] = "coding-pca"
    _base_parameters: ClassVar[tuple[str, ...]] = ("ridge_penalty", "ridge_solver", "features", "landmarks")
    _threshold: ClassVar[float] = 0.5

    def __init__(
        self,
        *,
        projections: int | None = None,
        centre: bool = False,
        ridge_penalty: float | None = None,
        ridge_solver: str = "auto",
        features: str = "auto",
        landmarks: int = 1000,
        missing_labels: str = "refuse",
        scaling: str = "auto",
        missing: str = "mean",
        estimates: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.projections = projections
        self.centre = centre
        self.ridge_penalty = ridge_penalty
        self.ridge_solver = ridge_solver
        self.features = features
        self.landmarks = landmarks
        self.missing_labels = missing_labels
        self.scaling = scaling
        self.missing = missing
        self.estimates = estimates
        self.n_jobs = n_jobs
        self.verbose = verbose


class RedundantPrincipalLabelSpaceCoding(HasJointDecoding):
    """Principal label space transformation with a redundant codeword (CodingPCA-R).

    The codeword consists of the labels and their principal components, which are decoded together. The classifiers of
    the labels and the regressions of the components correct each other.

    By default, predicted codewords give a probability to each label set of the training rows.
    ``RedundantPrincipalLabelSpaceCoding.from_preset("paper")`` decodes as published (eq. 15).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import RedundantPrincipalLabelSpaceCoding
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> RedundantPrincipalLabelSpaceCoding().fit(X, Y).projections_.shape
    (5, 5)
    """

    _method: ClassVar[str] = "coding-pca-r"
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
        centre: bool = False,
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
        self.centre = centre
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
