"""What is counted of predicted label sets. Counts of several folds add up, and all scores follow from them."""

import base64
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

SMALLEST_PROBABILITY = float(np.finfo(float).eps)


class Tally(NamedTuple):
    """Counts of each label, and the F1 of each row."""

    hits: np.ndarray
    predicted: np.ndarray
    actual: np.ndarray
    row_f1: np.ndarray

    @classmethod
    def of(cls, truth: np.ndarray, labels: np.ndarray) -> "Tally":
        truth, labels = truth.astype(bool), labels.astype(bool)
        hits = truth & labels
        return cls(hits.sum(axis=0), labels.sum(axis=0), truth.sum(axis=0), row_f1(truth, labels, hits))

    @classmethod
    def sum(cls, tallies: Iterable["Tally"]) -> "Tally":
        """Of all rows together, in the order of the tallies."""
        *counts, rows = zip(*tallies, strict=True)
        return cls(*(np.sum(each, axis=0) for each in counts), np.concatenate(rows))

    def scores(self) -> dict[str, float]:
        wrong = self.predicted + self.actual - 2 * self.hits
        cells = len(self.row_f1) * len(self.hits)
        return {
            # The F1 of a row is one only if the whole label set is right.
            "subset_accuracy": float(np.mean(self.row_f1 == 1)),
            "example_f1": float(np.mean(self.row_f1)),
            "macro_f1": float(np.mean(f1(self.hits, self.predicted + self.actual, empty=0.0))),
            "micro_f1": float(f1(self.hits.sum(), (self.predicted + self.actual).sum(), empty=0.0)),
            "hamming_loss": float(wrong.sum() / cells),
        }

    def to_json(self) -> dict[str, Any]:
        counts = {name: getattr(self, name).tolist() for name in ("hits", "predicted", "actual")}
        return counts | {"rows": packed(self.row_f1)}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Tally":
        counts = (np.array(stored[name]) for name in ("hits", "predicted", "actual"))
        return cls(*counts, unpacked(stored["rows"]))


def row_f1(truth: np.ndarray, labels: np.ndarray, hits: np.ndarray) -> np.ndarray:
    """A row without labels for which none are predicted counts as one."""
    return f1(hits.sum(axis=1), truth.sum(axis=1) + labels.sum(axis=1), empty=1.0)


def f1(hits: Any, sizes: Any, empty: float) -> Any:
    """`empty` if there are no labels, neither true nor predicted."""
    return np.where(sizes > 0, 2 * hits / np.maximum(sizes, 1), empty)


def log_loss(truth: np.ndarray, probabilities: np.ndarray) -> float:
    """The mean over rows and labels, with probabilities clipped as by scikit-learn and by mmoc."""
    given = np.where(truth.astype(bool), probabilities, 1 - probabilities)
    return float(np.mean(-np.log(np.clip(given, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY))))


# One number for each row, of which few are distinct.


def packed(values: np.ndarray) -> dict[str, Any]:
    """The distinct values, and for each row which of them it has, compressed."""
    distinct, which = np.unique(values, return_inverse=True)
    indices = which.astype(np.uint8 if len(distinct) <= 256 else np.uint16)
    return {"distinct": distinct.tolist(), "which": base64.b64encode(zlib.compress(indices.tobytes(), 9)).decode()}


def unpacked(stored: dict[str, Any]) -> np.ndarray:
    distinct = np.array(stored["distinct"])
    indices = zlib.decompress(base64.b64decode(stored["which"]))
    return distinct[np.frombuffer(indices, np.uint8 if len(distinct) <= 256 else np.uint16)]


def scored(result: dict[str, Any]) -> dict[str, Any]:
    """The result of one run, with the scores of its first decision in place of counts."""
    tallies = list(result.get("tallies", {}).values())
    rest = {key: value for key, value in result.items() if key != "tallies"}
    return rest | (Tally.from_json(tallies[0]).scores() if tallies else {})
