"""The measured methods, ours and the peer, and their colours."""

from collections.abc import Callable
from typing import Any

import mmoc
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

JOBS = 2

OURS: dict[str, Callable[[], Any]] = {
    "binary relevance": lambda: mmoc.BinaryRelevance(n_jobs=JOBS),
    "canonical correlation": lambda: mmoc.CanonicalCorrelationCoding(n_jobs=JOBS),
    "max-margin": lambda: mmoc.MaxMarginOutputCoding(n_jobs=JOBS),
}
PEERS: dict[str, Callable[[], Any]] = {
    "scikit-learn": lambda: OneVsRestClassifier(LogisticRegression(solver="liblinear", C=1.0), n_jobs=JOBS),
}
SOLVER = "max-margin problem"
COLOURS_OF_OURS = ["first", "second", "third", "fourth"]


def colour_of(method: str) -> str:
    if method in PEERS:
        return "peer"
    if method == SOLVER:
        return "fourth"
    return COLOURS_OF_OURS[list(OURS).index(method) % len(COLOURS_OF_OURS)]
