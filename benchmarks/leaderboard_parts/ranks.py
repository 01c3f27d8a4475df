"""Mean ranks of the methods, and which of them differ.

Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 2006: Friedman's test, and Nemenyi's
critical difference at 5 %.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from leaderboard_parts.results import Board, Measure

LEVEL = 0.05


class Ranks(NamedTuple):
    """Mean ranks over sets, the critical difference, and the p-value of Friedman's test, which needs three sets."""

    mean: dict[str, float]
    sets: list[str]
    critical_difference: float
    friedman: float | None

    def in_order(self) -> list[str]:
        return sorted(self.mean, key=self.mean.__getitem__)

    def groups(self) -> list[tuple[float, float]]:
        """The largest groups of methods whose mean ranks differ by less than the critical difference."""
        ranks = sorted(self.mean.values())
        ends = [max(other for other in ranks if other - rank < self.critical_difference) for rank in ranks]
        spans = [(rank, end) for rank, end in zip(ranks, ends, strict=True) if end > rank]
        return [span for index, span in enumerate(spans) if index == 0 or span[1] > spans[index - 1][1]]


def ranks_of(board: Board, measure: Measure) -> Ranks | None:
    """`None` without two sets on which all methods were run."""
    names, methods = board.ranked_sets(), board.methods
    if len(names) < 2 or len(methods) < 3:
        return None
    losses = np.array([[loss(board.value(name, key, measure), measure) for key in methods] for name in names])
    ranks = rankdata(losses, axis=1)
    friedman = float(friedmanchisquare(*ranks.T).pvalue) if len(names) > 2 else None
    mean = dict(zip(methods, map(float, ranks.mean(axis=0)), strict=True))
    return Ranks(mean, names, nemenyi(len(methods), len(names)), friedman)


def loss(value: float | None, measure: Measure) -> float:
    """Failures and time-outs come last together."""
    if value is None:
        return math.inf
    return -value if measure.higher_is_better else value


def nemenyi(methods: int, sets: int) -> float:
    quantile = studentized_range.ppf(1 - LEVEL, methods, math.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(methods * (methods + 1) / (6 * sets)))
