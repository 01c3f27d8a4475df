"""Calibrated label ranking."""

from typing import ClassVar

from ._estimator import HasClassifiers, HasProbabilities
from ._seed import RandomState


class CalibratedLabelRanking(HasProbabilities, HasClassifiers):
    """A vote between each pair of labels, and of each with a virtual one that separates predicted labels from others.

    It has q(q+1)/2 classifiers. ``predict_proba`` is the share of the votes that a label and the virtual one have
    together: above one half for the labels predicted, but not a calibrated frequency.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from mmoc import CalibratedLabelRanking
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> CalibratedLabelRanking(votes="soft").fit(X, Y).record_["base_models"]
    15
    """

    _method: ClassVar[str] = "clr"
    _base_parameters: ClassVar[tuple[str, ...]] = ("criterion", "penalty", "folds")

    def __init__(
        self,
        *,
        votes: str = "hard",
        criterion: str = "log-loss",
        penalty: float | None = None,
        folds: int = 5,
        scaling: str = "auto",
        estimates: str = "auto",
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.votes = votes
        self.criterion = criterion
        self.penalty = penalty
        self.folds = folds
        self.scaling = scaling
        self.estimates = estimates
        self.random_state = random_state
        self.n_jobs = n_jobs
