"""What the file of results says: the value of a measure for a method on a set, and who is best."""

from typing import Any, NamedTuple

import numpy as np
from suite_parts.methods import LEADERBOARD, METHODS, OURS, REFERENCE
from suite_parts.scores import unpacked
from suite_parts.sets import MEKA, SETS
from suite_parts.store import Result

SHOWN_SETS = [*SETS, *MEKA]
# music is emotions in other units and without one column: it would count the same rows twice.
NOT_RANKED = ["music"]


def shown(key: str) -> str:
    """The name of a method on the page."""
    return OURS if key == REFERENCE else key


class Measure(NamedTuple):
    """A measure of predicted label sets or of probabilities."""

    key: str
    title: str
    higher_is_better: bool = True

    def better(self, one: float, other: float) -> bool:
        return one > other if self.higher_is_better else one < other


SUBSET_ACCURACY = Measure("subset_accuracy", "subset accuracy")
EXAMPLE_F1 = Measure("example_f1", "example-F1")
LOG_LOSS = Measure("log_loss", "log loss", higher_is_better=False)
MAIN_MEASURES = [SUBSET_ACCURACY, EXAMPLE_F1]
OTHER_MEASURES = [
    Measure("micro_f1", "micro-F1"),
    Measure("macro_f1", "macro-F1"),
    Measure("hamming_loss", "Hamming loss", higher_is_better=False),
    LOG_LOSS,
]


class Board:
    """All results, of the sets and methods that the leaderboard lists."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.about = document["sets"]
        measured = document["results"]
        self.results: dict[str, dict[str, Result]] = {
            name: {key: measured[name][key] for key in LEADERBOARD if key in measured[name]}
            for name in SHOWN_SETS
            if measured.get(name)
        }

    @property
    def sets(self) -> list[str]:
        return list(self.results)

    @property
    def methods(self) -> list[str]:
        return [key for key in LEADERBOARD if any(key in results for results in self.results.values())]

    def result(self, name: str, key: str) -> Result | None:
        return self.results[name].get(key)

    def value(self, name: str, key: str, measure: Measure) -> float | None:
        """With the decision that the method has for this measure."""
        result = self.results[name].get(key, {})
        if measure is LOG_LOSS:
            return result.get(measure.key) if "decisions" in result else None
        decided = result.get("decisions", {}).get(METHODS[key].decision_for(measure.key))
        return None if decided is None else decided[measure.key]

    def values(self, name: str, measure: Measure) -> dict[str, float]:
        found = {key: self.value(name, key, measure) for key in self.results[name]}
        return {key: value for key, value in found.items() if value is not None}

    def best(self, name: str, measure: Measure) -> float | None:
        values = self.values(name, measure).values()
        return (max if measure.higher_is_better else min)(values, default=None)

    def best_peer(self, name: str, measure: Measure) -> tuple[str, float] | None:
        """The first of equal ones."""
        peers = {key: value for key, value in self.values(name, measure).items() if key != REFERENCE}
        if not peers:
            return None
        best = (max if measure.higher_is_better else min)(peers, key=peers.__getitem__)
        return best, peers[best]

    def row_f1(self, name: str, key: str, measure: Measure) -> np.ndarray:
        """The F1 of each test row."""
        decided = self.results[name][key]["decisions"][METHODS[key].decision_for(measure.key)]
        return unpacked(decided["rows"])

    def ranked_sets(self) -> list[str]:
        """Those on which all methods were run, with or without success."""
        methods = self.methods
        return [name for name in self.sets if name not in NOT_RANKED and len(self.results[name]) == len(methods)]
