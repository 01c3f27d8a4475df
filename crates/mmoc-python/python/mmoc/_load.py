"""Estimators from model files."""

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
    """The estimator in a file that ``mmoc train`` or :meth:`MultiLabelClassifier.save` wrote, of whatever method.

    Files are checked to the last byte, and loading one runs no code that is in it.
    """
    model = _native.Model.load(path)
    (estimator,) = (cls for cls in ESTIMATORS if cls._method == model.method)
    return estimator._of(model, str(path))
