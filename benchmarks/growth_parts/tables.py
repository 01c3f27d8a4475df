"""Points as tables in Markdown."""

import math
from typing import Any

from growth_parts.axes import Axis, by_group
from growth_parts.series import Growth, series_of


def digits(value: float | None) -> str:
    """Three digits, and no exponents."""
    if value is None:
        return ""
    if value <= 0:
        return "0"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def slopes(growth: Growth | None) -> list[str]:
    if growth is None:
        return ["", "", ""]
    error = "" if growth.error is None else f" ± {growth.error:.2f}"
    steepest = "" if growth.steepest is None else f"{growth.steepest:.2f}"
    return [f"{growth.slope:.2f}{error}", f"{growth.last:.2f}", steepest]


def table(rows: list[list[str]]) -> str:
    heading, *rest = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([heading, "|---" * len(rows[0]) + "|", *rest])


def span(first: str, last: str) -> str:
    return f"{first} to {last}"


def table_of_times(points: list[dict[str, Any]], axis: Axis) -> str:
    rows = [["method", "step", "seconds", "exponent", "last doubling", "steepest"]]
    for step in ("fit", "predict"):
        for series in series_of(points, axis, step, "seconds"):
            ends = span(digits(series.pairs[0][1]), digits(series.pairs[-1][1]))
            rows.append([series.method, step, ends, *slopes(series.growth)])
    return table(rows)


def table_of_memory(points: list[dict[str, Any]], axes: list[Axis]) -> str:
    rows = [["data", "method", "grows", "fit, MiB", "exponent (last doubling)", "predict at the end, MiB"]]
    for axis in axes:
        predict = {series.method: series for series in series_of(points, axis, "predict", "mebibytes")}
        for fit in series_of(points, axis, "fit", "mebibytes"):
            sizes, values = zip(fit.pairs[0], fit.pairs[-1], strict=True)
            last = digits(predict[fit.method].pairs[-1][1]) if fit.method in predict else ""
            slope, doubling, _ = slopes(fit.growth)
            grows = f"{axis.grows} = {span(*map(str, sizes))}"
            rows.append([axis.key, fit.method, grows, span(*map(digits, values)), f"{slope} ({doubling})", last])
    return table(rows)


def remarks(points: list[dict[str, Any]]) -> list[str]:
    """Where a series ended early, and what was warned of."""
    found = []
    for point in points:
        where = f"{point['axis']}, {point['method']} at {point['size']}"
        if "over" in point:
            found.append(f"- {where}: {point['over']}, the end of its series")
        found += [f"- {where}: {warning}" for warning in point.get("warnings", [])]
    return found


def document(results: dict[str, Any], axes: list[Axis], images: str) -> str:
    """All tables with their plots."""
    points = results["points"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    parts = [f"Measured on {results['machine']['cores']} cores ({results['machine']['cpu']}), {versions}."]
    for group, own in by_group(axes):
        parts.append(f"![Seconds against {group}, both logarithmic]({images}/growth-{group}.svg)")
        for axis in own:
            grows = f"{axis.grows} from {span(str(axis.sizes[0]), str(axis.sizes[-1]))}"
            parts += [f"**{axis.title}**, {grows}", table_of_times(points, axis)]
    parts += [f"![Peak memory, both logarithmic]({images}/growth-memory.svg)", table_of_memory(points, axes)]
    said = remarks(points)
    return "\n\n".join(parts + (["\n".join(said)] if said else []))
