"""Maximum margin output coding for multi-label classification (Zhang & Schneider, ICML 2012).

Scikit-learn estimators with a core in Rust. The package has the paper's method and all methods it was compared with,
output codes as transformers, and a solver of the max-margin problem with a certified gap.

>>> from sklearn.datasets import make_multilabel_classification
>>> import mmoc
>>> X, Y = make_multilabel_classification(n_samples=100, n_classes=6, random_state=0)
>>> model = mmoc.MaxMarginOutputCoding().fit(X[:80], Y[:80])
>>> model.predict(X[80:]).shape
(20, 6)
"""

from importlib.metadata import version

from ._binary_relevance import BinaryRelevance
from ._calibrated_ranking import CalibratedLabelRanking
from ._canonical_correlation import CanonicalCorrelationCoding
from ._comparison import ComparisonResult, compare
from ._compressed_sensing import CompressedSensingCoding
from ._data import Dataset, read
from ._estimator import MultiLabelClassifier
from ._explanation import Contribution, Explanation, LabelExplanation
from ._lead import Lead
from ._load import load
from ._max_margin import MaxMarginOutputCoding
from ._metric import MetricSolution, solve_metric
from ._output_coder import OutputCoder
from ._plots import plot_code, plot_convergence, plot_spectrum
from ._principal_label_space import PrincipalLabelSpaceCoding, RedundantPrincipalLabelSpaceCoding
from ._records import Round, SolverRecord

__version__ = version("mmoc")

__all__ = [
    "BinaryRelevance",
    "CalibratedLabelRanking",
    "CanonicalCorrelationCoding",
    "ComparisonResult",
    "CompressedSensingCoding",
    "Contribution",
    "Dataset",
    "Explanation",
    "LabelExplanation",
    "Lead",
    "MaxMarginOutputCoding",
    "MetricSolution",
    "MultiLabelClassifier",
    "OutputCoder",
    "PrincipalLabelSpaceCoding",
    "RedundantPrincipalLabelSpaceCoding",
    "Round",
    "SolverRecord",
    "compare",
    "load",
    "plot_code",
    "plot_convergence",
    "plot_spectrum",
    "read",
    "solve_metric",
]
