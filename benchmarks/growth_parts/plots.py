"""Plots with logarithmic axes."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svg import Scale, line, mark, moved_apart, picture, words

from growth_parts.axes import NAMES, Axis, by_group
from growth_parts.methods import colour_of
from growth_parts.series import UNITS, Series, series_of

PANEL_WIDTH, PANEL_HEIGHT, GAP = 372, 236, 16
LEFT, RIGHT, TOP, BOTTOM = 46, 36, 30, 40
LEGEND_HEIGHT = 48
TITLES = {
    "n": "Time against the number of rows",
    "p": "Time against the number of columns",
    "nnz": "Time against the nonzeros per row",
    "q": "Time against the number of labels",
    "solve": "Time of the max-margin problem",
}


@dataclass(frozen=True)
class Panel:
    heading: str
    below: str
    series: list[Series]


def shapes_of(panel: Panel, left: float, top: float) -> Iterator[str]:
    yield words(left, top + 14, panel.heading, "heading")
    pairs = [pair for series in panel.series for pair in series.pairs]
    x0, x1, y0, y1 = left + LEFT, left + PANEL_WIDTH - RIGHT, top + PANEL_HEIGHT - BOTTOM, top + TOP
    sizes = sorted({size for size, _ in pairs})
    across = Scale.around(sizes, x0, x1, 1.08)
    # Zero memory is drawn at the bottom.
    values = [value for _, value in pairs if value > 0] or [1.0]
    up = Scale.around(values, y0, y1, 1.3)
    for value in up.ticks():
        yield line([(x0, up.place(value)), (x1, up.place(value))], "grid")
        yield words(x0 - 6, up.place(value) + 4, f"{value:g}", "small", "end")
    for size in sizes:
        yield words(across.place(size), y0 + 15, f"{size:g}", "small", "middle")
    yield words((x0 + x1) / 2, y0 + 31, panel.below, "small", "middle")
    for series in panel.series:
        colour = colour_of(series.method)
        places = [(across.place(size), up.place(max(value, up.low))) for size, value in series.pairs]
        yield line(places, f"curve {colour}-line")
        yield from (mark(x, y, colour) for x, y in places)
    yield from exponents_beside(panel, across, up)


def exponents_beside(panel: Panel, across: Scale, up: Scale) -> Iterator[str]:
    """Labels at the ends of the curves, moved apart where these are close."""
    ends = []
    for series in panel.series:
        if series.growth is not None:
            size, value = series.pairs[-1]
            place = up.place(max(value, up.low)), across.place(size)
            ends.append((*place, f"{series.growth.slope:.2f}", colour_of(series.method)))
    ends.sort()
    heights = moved_apart([end[0] for end in ends], 12, up.start)
    for height, (_, x, text, colour) in zip(heights, ends, strict=True):
        yield words(x + 7, height + 4, text, colour)


def figure(title: str, panels: list[Panel]) -> str:
    """Panels two by two under a legend of all methods."""
    width = 2 * PANEL_WIDTH + GAP
    height = LEGEND_HEIGHT + math.ceil(len(panels) / 2) * (PANEL_HEIGHT + GAP)
    shapes = [words(0, 14, title, "heading")]
    x = 0.0
    for method in dict.fromkeys(series.method for panel in panels for series in panel.series):
        colour = colour_of(method)
        shapes += [line([(x, 32), (x + 24, 32)], f"curve {colour}-line"), mark(x + 12, 32, colour)]
        shapes.append(words(x + 30, 36, method, "small"))
        x += 52 + 6.0 * len(method)
    for index, panel in enumerate(panels):
        left, top = index % 2 * (PANEL_WIDTH + GAP), LEGEND_HEIGHT + index // 2 * (PANEL_HEIGHT + GAP)
        shapes += shapes_of(panel, left, top)
    return picture(title, finding(panels), width, height, shapes)


def finding(panels: list[Panel]) -> str:
    """A text description of the plot."""
    said = []
    for panel in panels:
        of = [f"{one.method} {one.growth.slope:.2f}" for one in panel.series if one.growth is not None]
        said.append(f"{panel.heading}: exponents {', '.join(of)}.")
    return " ".join(said)


def panel_of(points: list[dict[str, Any]], axis: Axis, step: str, unit: str) -> Panel:
    what = {"metric": "the problem alone"}.get(axis.data, f"{axis.data}, {step}")
    return Panel(f"{what}, {UNITS[unit]}", NAMES[axis.grows], series_of(points, axis, step, unit))


def write_plots(points: list[dict[str, Any]], axes: list[Axis], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    beside = "; exponents beside the curves"
    for group, own in by_group(axes):
        panels = [panel_of(points, axis, step, "seconds") for axis in own for step in ("fit", "predict")]
        drawn = figure(TITLES[group] + beside, [panel for panel in panels if panel.series])
        (folder / f"growth-{group}.svg").write_text(drawn)
    panels = [panel_of(points, axis, "fit", "mebibytes") for axis in axes]
    drawn = figure("Peak memory of training" + beside, [panel for panel in panels if panel.series])
    (folder / "growth-memory.svg").write_text(drawn)
