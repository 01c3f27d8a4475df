"""What all partitions have in common. An error names the first partition that differs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._names import Names
from .._targets import Targets
from ._parts import About

# As in local estimators: fewer rows have nothing to tell apart.
_FEWEST_ROWS = 2


@dataclass(frozen=True)
class Shape:
    """The columns of features and labels."""

    columns: int
    is_sparse: bool
    feature_names: Names | None
    targets: Targets

    @classmethod
    def of(cls, partitions: list[About]) -> Self:
        """What partitions have in common. Those without rows say nothing."""
        found = [(number, about) for number, about in enumerate(partitions) if about.rows]
        _check_rows(partitions)
        _check_equal(found, lambda about: about.columns, "{} columns of X")
        _check_equal(found, lambda about: about.labels, "{} columns of y")
        _check_equal(found, lambda about: "sparse" if about.is_sparse else "dense", "{} features")
        _check_equal(found, lambda about: about.feature_names, "the features {}")
        _check_equal(found, lambda about: about.label_names, "the labels {}")
        first = found[0][1]
        dtype = np.result_type(*(about.label_dtype for _, about in found))
        targets = Targets(first.labels, first.label_names, dtype, first.label_form, None)
        return cls(first.columns, first.is_sparse, first.feature_names, targets)


def _check_rows(partitions: list[About]) -> None:
    given, rows = (sum(about.given_rows for about in partitions), sum(about.rows for about in partitions))
    if rows >= _FEWEST_ROWS:
        return
    if given == 0:
        raise ValueError("X has no rows: all of its partitions are empty.")
    raise ValueError(
        f"fit needs at least {_FEWEST_ROWS} rows with a positive weight, and of {given} rows there is {rows or 'none'}."
    )


def _check_equal(partitions: list[tuple[int, About]], of: Callable[[About], Any], words: str) -> None:
    first_number, first = partitions[0]
    for number, about in partitions:
        if of(about) != of(first):
            expected, found = words.format(_shown(of(first))), words.format(_shown(of(about)))
            raise ValueError(
                f"partition {first_number} has {expected}, and partition {number} has {found}. "
                "All partitions must have the same columns."
            )


def _shown(value: Any) -> Any:
    """Names as text, of which a message shows the first few."""
    if value is None:
        return "without names"
    if not isinstance(value, tuple):
        return value
    return ", ".join(value[:5]) + (", …" if len(value) > 5 else "")
