"""Binary relevance."""

from typing import ClassVar

from ._estimator import HasClassifiers, HasDecisions, HasPosterior, HasProbabilities
from ._seed import RandomState
from ._weights import ClassWeight


class BinaryRelevance(HasProbabilities, HasPosterior, HasDecisions, HasClassifiers):
    """One independent logistic regression per label, with a penalty chosen by cross-validation.

    This is the baseline for all other methods. Its classifiers p̂ (eq. 5) are also their base learners.

    By default, a label is predicted if its probability is above one half. With ``candidates="seen"`` or another
    ``decide``, the classifiers give a probability to each candidate label set. ``decision_function`` then returns the
    log-odds of the probability of each label under all of them, not those of its classifier.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import BinaryRelevance
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> BinaryRelevance().fit(X, Y).predict_proba(X).shape
    (60, 5)
    """

    _method: ClassVar[str] = "br"
    _base_parameters: ClassVar[tuple[str, ...]] = (
        "criterion",
        "penalty",
        "class_weight",
        "folds",
        "features",
        "landmarks",
    )
    _threshold: ClassVar[float] = 0.0

    def __init__(
        self,
        *,
        candidates: str = "all",
        decide: str = "subset",
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
        self.candidates = candidates
        self.decide = decide
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
