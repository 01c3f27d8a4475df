"""Loading estimators from model files."""

import os

from . import _native
from ._binary_relevance import BinaryRelevance
from ._calibrated_ranking import CalibratedLabelRanking
from ._canonical_correlation import CanonicalCorrelationCoding
from ._compressed_sensing import CompressedSensingCoding
from ._estimator import MultiLabelClassifier
from ._lead import Lead
from ._max_margin import MaxMarginOutputCoding
from ._principal_label_space import PrincipalLabelSpaceCoding, RedundantPrincipalLabelSpaceCoding

ESTIMATORS: tuple[type[MultiLabelClassifier], ...] = (
    BinaryRelevance,
    CompressedSensingCoding,
    PrincipalLabelSpaceCoding,
    RedundantPrincipalLabelSpaceCoding,
    CanonicalCorrelationCoding,
    CalibratedLabelRanking,
    Lead,
    MaxMarginOutputCoding,
)


def load(path: str | os.PathLike[str]) -> MultiLabelClassifier:
    """Loads a model of any method from a file written by ``mmoc train`` or :meth:`MultiLabelClassifier.save`.

    Every byte of the file is checked. Loading runs no code from the file.
    """
    model = _native.Model.load(path)
    (estimator,) = (cls for cls in ESTIMATORS if cls._method == model.method)
    return estimator._of(model, str(path))
