"""The rows that a fit uses."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ._names import Names
from ._unknown import KnownLabels, Mask, check_each_is_known
from ._weights import Floats, checked_sample_weight

# Fewer rows have nothing to tell apart.
_FEWEST_ROWS = 2

# A label that is not known, in matrices of zeros and ones for estimators of scikit-learn.
UNKNOWN = -1


def _unknown_among(rows: Mask, known: KnownLabels, names: Names | None) -> Mask | None:
    """The unknown labels of some rows, if there are any. An error if a label is unknown in all of them."""
    if known.unknown is None:
        return None
    unknown = known.unknown[rows]
    check_each_is_known(unknown, names)
    return unknown if unknown.any() else None


@dataclass(frozen=True)
class TrainingRows:
    """The rows that count in a fit: those with a positive weight and at least one known label."""

    # Which of the given rows these are. None if all count.
    kept: Mask | None
    # Their weights, if they have any.
    weights: Floats | None
    # Their labels that are not known, n×q, if there are any.
    unknown: Mask | None

    @classmethod
    def of(cls, known: KnownLabels, names: Names | None, sample_weight: Any, rows: int) -> Self:
        """The rows that count among all that were given."""
        weights = checked_sample_weight(sample_weight, rows)
        counts = np.ones(rows, dtype=bool) if weights is None else weights > 0.0
        if known.rows_with_some is not None:
            counts &= known.rows_with_some
        if (found := int(np.count_nonzero(counts))) < _FEWEST_ROWS:
            raise ValueError(
                f"fit needs at least {_FEWEST_ROWS} rows with a positive weight and a known label, and of {rows} rows "
                f"there is {found or 'none'}."
            )
        kept = None if found == rows else counts
        if weights is not None:
            weights = weights[counts]
        return cls(kept, weights, _unknown_among(counts, known, names))

    def among(self, data: Any) -> Any:
        """The rows of the data that count."""
        return data if self.kept is None else data[self.kept]

    def marked(self, label_sets: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Label sets of these rows as integers, n×q, in which unknown labels are marked."""
        labels = label_sets.astype(np.int64)
        return labels if self.unknown is None else np.where(self.unknown, UNKNOWN, labels)
