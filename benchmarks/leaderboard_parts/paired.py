"""Paired tests of two methods on the same test rows."""

import numpy as np
from scipy.stats import binomtest, wilcoxon

from leaderboard_parts.results import EXAMPLE_F1, SUBSET_ACCURACY, Board, Measure


def p_value(board: Board, name: str, one: str, other: str, measure: Measure) -> float | None:
    """McNemar's exact test of subset accuracy, Wilcoxon's signed ranks of the F1 of rows; none of other measures."""
    if measure not in (SUBSET_ACCURACY, EXAMPLE_F1):
        return None
    ours, theirs = (board.row_f1(name, key, measure) for key in (one, other))
    return mcnemar(ours == 1, theirs == 1) if measure is SUBSET_ACCURACY else signed_ranks(ours, theirs)


def mcnemar(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Two-sided, over the rows that only one of both has right."""
    only_ours, only_theirs = int(np.sum(ours & ~theirs)), int(np.sum(theirs & ~ours))
    if only_ours + only_theirs == 0:
        return 1.0
    return float(binomtest(only_ours, only_ours + only_theirs).pvalue)


def signed_ranks(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Two-sided; rows without a difference are left out."""
    if np.array_equal(ours, theirs):
        return 1.0
    return float(wilcoxon(ours, theirs).pvalue)
