"""Shapes, colours and scales of the pictures in the documentation."""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

LIGHT = {"ground": "#ffffff", "ink": "#1d2329", "muted": "#5b6570", "line": "#d9dee3"} | {
    "first": "#00735a",
    "second": "#7b3f99",
    "third": "#0067a5",
    "fourth": "#8a6d00",
    "peer": "#b84a00",
}
DARK = {"ground": "#14181c", "ink": "#e7ebee", "muted": "#a3adb6", "line": "#353d45"} | {
    "first": "#4cc9a4",
    "second": "#cf9be8",
    "third": "#63b5ec",
    "fourth": "#d9bc4a",
    "peer": "#f0a050",
}
FONT = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif'
MARKS = {
    "first": "M-3.2,-3.2h6.4v6.4h-6.4z",
    "second": "M0,-4.4L4.4,0L0,4.4L-4.4,0z",
    "third": "M-3.7,0a3.7,3.7 0 1,0 7.4,0a3.7,3.7 0 1,0 -7.4,0z",
    "fourth": "M0,4.4L4.2,-3L-4.2,-3z",
    "peer": "M0,-4.4L4.2,3L-4.2,3z",
}


def style(more: Iterable[str] = ()) -> str:
    """Colours for light and dark backgrounds; the background is drawn too, so that either is legible."""
    dark = "".join(colour_rules(DARK))
    rules = [
        f"text {{ font: 11px {FONT}; }}",
        ".heading { font-size: 12px; font-weight: 600; }",
        ".curve { fill: none; stroke-width: 1.6; }",
        ".curve.peer-line { stroke-dasharray: 5 3; }",
        *more,
        *colour_rules(LIGHT),
        f"@media (prefers-color-scheme: dark) {{ {dark} }}",
    ]
    return "<style>" + " ".join(rules) + "</style>"


def colour_rules(palette: dict[str, str]) -> Iterator[str]:
    yield f".ground {{ fill: {palette['ground']}; }} .heading {{ fill: {palette['ink']}; }}"
    yield f".small {{ fill: {palette['muted']}; }} .grid {{ stroke: {palette['line']}; }}"
    for name in MARKS:
        yield f".{name} {{ fill: {palette[name]}; }} .{name}-line {{ stroke: {palette[name]}; }}"


def words(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def mark(x: float, y: float, colour: str) -> str:
    return f'<path transform="translate({x:.1f},{y:.1f})" d="{MARKS[colour]}" class="{colour}"/>'


def line(points: list[tuple[float, float]], kind: str) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{places}" class="{kind}"/>'


def picture(
    title: str, description: str, width: float, height: float, shapes: Iterable[str], more_style: Iterable[str] = ()
) -> str:
    """All shapes on a ground with a margin all around; the description is read out in place of the picture."""
    box = f'x="-12" y="-8" width="{width + 24}" height="{height + 8}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -8 {width + 24} {height + 8}"'
    size = f'width="{width + 24}" height="{height + 8}" role="img">'
    described = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    ground = f'<rect {box} class="ground"/>'
    return "\n".join([f"{opening} {size}", described, style(more_style), ground, *shapes, "</svg>", ""])


def moved_apart(places: list[float], gap: float, end: float) -> list[float]:
    """Ascending places of labels, each at least a gap after the one before, and none after the end."""
    moved = itertools.accumulate(places, lambda before, own: max(before + gap, own))
    last = len(places) - 1
    return [min(place, end - gap * (last - index)) for index, place in enumerate(moved)]


@dataclass(frozen=True)
class Scale:
    """A logarithmic axis from one place to another."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def around(cls, values: list[float], start: float, end: float, room: float) -> "Scale":
        """Shows all values with so much room beside them, as a factor, and never less than a factor of ten."""
        low, high = min(values) / room, max(values) * room
        wider = math.sqrt(max(1.0, 10 * low / high)) if room > 1.2 else 1.0
        return cls(low / wider, high * wider, start, end)

    def place(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Powers of ten, and twice and five times these if there are few."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for times in ([1], [1, 2, 5]):
            found = [t * 10.0**power for power in powers for t in times if self.low <= t * 10.0**power <= self.high]
            if len(found) >= 3:
                break
        return found


@dataclass(frozen=True)
class LinearScale:
    """A linear axis from one place to another."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def around(cls, values: list[float], start: float, end: float) -> "LinearScale":
        """Shows all values with some room beside them."""
        room = 0.08 * (max(values) - min(values)) or 0.01
        return cls(min(values) - room, max(values) + room, start, end)

    def place(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round numbers, at least three and at most eight."""
        power = 10.0 ** math.floor(math.log10(self.high - self.low))
        for step in (power, power / 2, power / 5):
            first, last = math.ceil(self.low / step), math.floor(self.high / step)
            if last - first >= 2:
                break
        return [index * step for index in range(first, last + 1)]
