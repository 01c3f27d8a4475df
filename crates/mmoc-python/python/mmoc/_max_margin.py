"""Maximum margin output coding."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ._estimator import HasJointDecoding
from ._evidence import Evidence
from ._records import SolverRecord
from ._seed import RandomState
from ._weights import ClassWeight


class MaxMarginOutputCoding(HasJointDecoding):
    """Maximum margin output coding (MaxMargin; Zhang & Schneider, ICML 2012).

    The method learns a metric Q = VVᵀ of label space. In this metric the label set of each row is closer to its
    prediction than any other label set, by a margin that grows with the difference between the two sets (eq. 31). The
    codeword consists of the labels and their projections by V. The learning problem is convex. It is solved to a
    certified gap, which ``solver_`` reports.

    By default, predicted codewords give a probability to each label set of the training rows, and ``decide`` is the
    measure that predicted sets are to be best in. ``MaxMarginOutputCoding.from_preset("paper")`` decodes as published
    (eq. 15).

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import MaxMarginOutputCoding
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> model = MaxMarginOutputCoding().fit(X, Y)
    >>> model.predict(X).shape
    (60, 5)
    >>> model.predict(X, decide="f1").shape
    (60, 5)
    >>> model.solver_.relative_gap <= 1e-6
    True
    """

    _method: ClassVar[str] = "max-margin"
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
        C: float = 1e6,
        classifiers: bool = True,
        separation: str = "relaxed",
        penalty_factor: float | None = None,
        regression: str = "auto",
        log_odds: str = "out-of-fold",
        algorithm: str = "auto",
        gap: float | None = None,
        max_iterations: int = 200,
        rank_tolerance: float = 1e-3,
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
        self.C = C
        self.classifiers = classifiers
        self.separation = separation
        self.penalty_factor = penalty_factor
        self.regression = regression
        self.log_odds = log_odds
        self.algorithm = algorithm
        self.gap = gap
        self.max_iterations = max_iterations
        self.rank_tolerance = rank_tolerance
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

    @property
    def metric_(self) -> npt.NDArray[np.float64]:
        """Q, q×q: the learnt metric of label space. It is zero for labels that never vary."""
        return self._of_code(self._fitted().metric)

    @property
    def solver_(self) -> SolverRecord:
        """The record of the max-margin solver, with its certified gap."""
        return SolverRecord.from_json(self._of_code(self.record_.get("code"))["solver"])
