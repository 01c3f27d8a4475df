"""From points to series, and from series to exponents."""

import itertools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from growth_parts.axes import Axis

# Shorter times say little about growth.
LEAST_SECONDS = 0.02
UNITS = {"seconds": "seconds", "mebibytes": "MiB"}


class Growth(NamedTuple):
    """Slopes in logarithms."""

    slope: float
    error: float | None
    last: float
    steepest: float | None


def growth(pairs: list[tuple[float, float]], least: float = 0.0) -> Growth | None:
    """`None` without two positive values; doublings from below `least` do not count as the steepest."""
    logs = [(math.log(size), math.log(value)) for size, value in pairs if value > 0]
    if len(logs) < 2:
        return None
    local = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(logs)]
    told = [slope for slope, (_, value) in zip(local, logs, strict=False) if least and value >= math.log(least)]
    slope, error = least_squares(logs[-max(3, math.ceil(len(logs) / 2)) :])
    return Growth(slope, error, local[-1], max(told, default=None))


def least_squares(points: list[tuple[float, float]]) -> tuple[float, float | None]:
    """The slope and its standard error, which two points do not have."""
    count = len(points)
    mean_x, mean_y = (sum(values) / count for values in zip(*points, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    if count < 3:
        return slope, None
    left = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    return slope, math.sqrt(left / (count - 2) / spread)


@dataclass(frozen=True)
class Series:
    """One method along one axis: seconds or MiB of fit or predict."""

    method: str
    step: str
    unit: str
    pairs: list[tuple[float, float]]

    @property
    def growth(self) -> Growth | None:
        return growth(self.pairs, LEAST_SECONDS if self.unit == "seconds" else 0.0)


def series_of(points: list[dict[str, Any]], axis: Axis, step: str, unit: str) -> list[Series]:
    found = []
    for method in axis.methods():
        own = [point for point in points if (point["axis"], point["method"]) == (axis.key, method)]
        pairs = sorted((point["size"], point[step][unit]) for point in own if step in point)
        if pairs:
            found.append(Series(method, step, unit, pairs))
    return found


def exponents(points: list[dict[str, Any]], axes: list[Axis]) -> list[dict[str, Any]]:
    found = []
    for axis, step, unit in itertools.product(axes, ("fit", "predict"), UNITS):
        for series in series_of(points, axis, step, unit):
            if series.growth is not None:
                where = {"axis": axis.key, "method": series.method, "step": step, "unit": unit}
                found.append(where | series.growth._asdict())
    return found
