"""Weights of rows, and weights of the positive rows of each label."""

import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ._names import listed
from ._targets import Targets

Floats = npt.NDArray[np.float64]

# The parameter: a word, or the weights of the positive rows of some labels or of all of them.
ClassWeight = str | Mapping[Any, float] | Sequence[float] | None

_ONE_FOR_EACH_ROW = "sample_weight must have one number for each row"
_CLASS_WEIGHT = (
    "class_weight must be None, 'balanced', a dict of labels and the weights of their positive rows, or a sequence of "
    "one such weight for each label"
)


def checked_sample_weight(sample_weight: Any, rows: int) -> Floats | None:
    """The weight of each row as a float, or None if there are no weights."""
    if sample_weight is None:
        return None
    weights = weights_of_rows(sample_weight, rows)
    if not weights.any():
        raise ValueError("all weights in sample_weight are zero. At least one row must have a positive weight.")
    return weights


def weights_of_rows(sample_weight: Any, rows: int) -> Floats:
    """The weight of each row as a float. All of them may be zero, as in one of several partitions."""
    weights = _as_numbers(sample_weight)
    if weights.ndim != 1:
        raise ValueError(f"{_ONE_FOR_EACH_ROW}, and it has {weights.ndim} dimensions. Use an array of shape ({rows},).")
    if len(weights) != rows:
        raise ValueError(f"{_ONE_FOR_EACH_ROW}, and it has {len(weights)} for {rows} rows.")
    are_wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if are_wrong.any():
        row = int(np.flatnonzero(are_wrong)[0])
        raise ValueError(
            f"row {row} of sample_weight has {weights[row]}. Weights must be finite and not negative. Rows of weight 0 "
            "are left out."
        )
    return weights


def _as_numbers(sample_weight: Any) -> Floats:
    found = np.asarray(sample_weight)
    try:
        if found.dtype.kind not in "biufO":
            raise TypeError
        return found.astype(np.float64)
    except (TypeError, ValueError):
        kind = type(sample_weight).__name__
        raise ValueError(f"{_ONE_FOR_EACH_ROW}, and this {kind} has something else than numbers.") from None


def is_text(class_weight: Any) -> bool:
    """Whether class weights are as the library writes them."""
    return class_weight is None or isinstance(class_weight, str)


def class_weight_text(class_weight: Any, targets: Targets) -> str | None:
    """Class weights as the library writes them."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if not _is_written_by_library(class_weight):
            raise ValueError(f"{_CLASS_WEIGHT}, not {class_weight!r}")
        return class_weight
    # A plus sign is between weights, so there is none in an exponent.
    return "+".join(repr(weight).replace("e+", "e") for weight in _positive_weights(class_weight, targets))


def _is_written_by_library(class_weight: str) -> bool:
    """Whether it is a word, or the weights that an estimator from a model file has."""
    if class_weight == "balanced":
        return True
    return all(re.fullmatch(r"[0-9.]+(e-?[0-9]+)?", weight) for weight in class_weight.split("+"))


def _positive_weights(class_weight: Any, targets: Targets) -> list[float]:
    """The weight of the positive rows of each label."""
    if not isinstance(class_weight, Mapping):
        return _of_sequence(class_weight, targets.count)
    if targets.classes is not None:
        return _of_classes(class_weight, targets.classes)
    weights = [1.0] * targets.count
    for key, weight in class_weight.items():
        weights[_index(key, targets)] = _checked_class_weight(weight, key)
    return weights


def _of_sequence(class_weight: Any, count: int) -> list[float]:
    if isinstance(class_weight, Real) or not hasattr(class_weight, "__len__"):
        raise ValueError(f"{_CLASS_WEIGHT}, not {class_weight!r}")
    if len(class_weight) != count:
        raise ValueError(f"class_weight must have one weight for each of the {count} labels, not {len(class_weight)}.")
    return [_checked_class_weight(weight, label) for label, weight in enumerate(class_weight)]


def _of_classes(class_weight: Mapping[Any, Any], classes: npt.NDArray[Any]) -> list[float]:
    """The weight of rows of the greater class relative to those of the other. Classes that are not named have 1."""
    known = classes.tolist()
    if unknown := [key for key in class_weight if key not in known]:
        raise ValueError(f"class_weight has the class {unknown[0]!r}, and the classes of y are {_shown(known)}.")
    weights = [_checked_class_weight(class_weight.get(own, 1.0), own) for own in known]
    return [weights[-1] / weights[0]]


def _index(key: Any, targets: Targets) -> int:
    """The index of a label that is given by its name or index."""
    names = targets.names
    if isinstance(key, str) and names is not None and key in names:
        return names.index(key)
    if isinstance(key, Integral) and not isinstance(key, bool) and 0 <= int(key) < targets.count:
        return int(key)
    known = f"indices from 0 to {targets.count - 1}" + ("" if names is None else f", or {listed(names)}")
    raise ValueError(f"class_weight has the label {key!r}, which is not in y. Its labels are {known}.")


def _checked_class_weight(weight: Any, label: Any) -> float:
    if not isinstance(weight, (Real, np.number)) or not (np.isfinite(float(weight)) and float(weight) > 0.0):
        raise ValueError(
            f"class_weight has {weight!r} for {label!r}. Weights of positive rows must be positive, finite numbers."
        )
    return float(weight)


def _shown(known: list[Any]) -> str:
    return " and ".join(map(repr, known))
