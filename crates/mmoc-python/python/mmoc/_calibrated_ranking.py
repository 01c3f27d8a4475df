"""Calibrated label ranking."""

from typing import ClassVar

from ._estimator import HasClassifiers, HasProbabilities
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
