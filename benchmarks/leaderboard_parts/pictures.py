"""Pictures: critical differences of mean ranks, and accuracy against the time of the fit."""

from collections.abc import Iterator
from pathlib import Path

from suite_parts.methods import REFERENCE
from svg import LinearScale, Scale, line, mark, moved_apart, picture, words

from leaderboard_parts.ranks import Ranks, ranks_of
from leaderboard_parts.results import MAIN_MEASURES, Board, Measure, shown

WIDTH, PANEL_WIDTH, PANEL_HEIGHT, GAP = 760, 372, 232, 16
LEFT, RIGHT, TOP, BOTTOM = 40, 118, 30, 40
LINE_HEIGHT = 15
STYLE = [
    ".fine { fill: none; stroke-width: 0.8; stroke-dasharray: 3 2; }",
    ".axis { fill: none; stroke: #79838d; stroke-width: 1; }",
    ".group { fill: none; stroke: #79838d; stroke-width: 4; }",
]


def colour_of(key: str) -> str:
    return "first" if key == REFERENCE else "peer"


def file_of_ranks(measure: Measure) -> str:
    return f"leaderboard-ranks-{measure.key.replace('_', '-')}.svg"


def file_of_set(name: str) -> str:
    return f"leaderboard-{name}.svg"


# Mean ranks.


def ranks_picture(ranks: Ranks, measure: Measure) -> str:
    """The best on the left. A thick line joins methods that the test does not separate."""
    title = f"Mean ranks by {measure.title} on {len(ranks.sets)} sets"
    said = ", ".join(f"{shown(key)} {ranks.mean[key]:.2f}" for key in ranks.in_order())
    groups = ranks.groups()
    axis = 62.0
    below = axis + 14 + 8 * len(groups)
    half = (len(ranks.mean) + 1) // 2
    across = LinearScale(1, len(ranks.mean), 150, WIDTH - 150)
    shapes = [words(0, 14, title, "heading"), *difference_bar(ranks.critical_difference, across)]
    shapes.append(line([(across.start, axis), (across.end, axis)], "axis"))
    for rank in range(1, len(ranks.mean) + 1):
        shapes.append(line([(across.place(rank), axis - 4), (across.place(rank), axis)], "axis"))
        shapes.append(words(across.place(rank), axis - 8, str(rank), "small", "middle"))
    for index, (first, last) in enumerate(groups):
        height = axis + 10 + 8 * index
        shapes.append(line([(across.place(first) - 3, height), (across.place(last) + 3, height)], "group"))
    for index, key in enumerate(ranks.in_order()):
        left = index < half
        row = index if left else len(ranks.mean) - 1 - index
        shapes += ranked_method(key, ranks.mean[key], across, (axis, below + LINE_HEIGHT * (row + 1)), left)
    return picture(title, f"{title}: {said}.", WIDTH, below + LINE_HEIGHT * (half + 1), shapes, STYLE)


def difference_bar(difference: float, across: LinearScale) -> Iterator[str]:
    """The critical difference as a length, as far as it fits."""
    end = across.place(min(1 + difference, across.high))
    yield line([(across.start, 34), (end, 34)], "curve first-line")
    yield words(end + 6, 38, f"critical difference {difference:.2f}", "small")


def ranked_method(
    key: str, rank: float, across: LinearScale, heights: tuple[float, float], left: bool
) -> Iterator[str]:
    axis, height = heights
    x, edge = across.place(rank), across.start - 6 if left else across.end + 6
    colour = colour_of(key)
    yield line([(x, axis), (x, height), (edge, height)], "grid fine")
    yield mark(x, axis, colour)
    text = f"{shown(key)} {rank:.2f}"
    yield words(edge + (-4 if left else 4), height + 4, text, colour, "end" if left else "start")


# Accuracy against time.


def set_picture(board: Board, name: str) -> str:
    title = f"{name}: scores against seconds of the fit"
    shapes, said = [], []
    for index, measure in enumerate(MAIN_MEASURES):
        points = points_of(board, name, measure)
        shapes += panel_shapes(f"{name}, {measure.title}", points, index * (PANEL_WIDTH + GAP))
        values = ", ".join(f"{shown(key)} {value:.3f} in {seconds:.3g} s" for key, seconds, value in points)
        said.append(f"{measure.title}: {values}.")
    return picture(title, " ".join(said), 2 * PANEL_WIDTH + GAP, PANEL_HEIGHT, shapes, STYLE)


def points_of(board: Board, name: str, measure: Measure) -> list[tuple[str, float, float]]:
    """Method, seconds and score."""
    values = board.values(name, measure)
    return [(key, board.results[name][key]["fit_seconds"], value) for key, value in values.items()]


def panel_shapes(heading: str, points: list[tuple[str, float, float]], left: float) -> Iterator[str]:
    x0, x1, y0, y1 = left + LEFT, left + PANEL_WIDTH - RIGHT, PANEL_HEIGHT - BOTTOM, float(TOP)
    across = Scale.around([seconds for _, seconds, _ in points], x0, x1, 1.3)
    up = LinearScale.around([value for _, _, value in points], y0, y1)
    yield words(left, 14, heading, "heading")
    for value in up.ticks():
        yield line([(x0, up.place(value)), (x1, up.place(value))], "grid")
        yield words(x0 - 6, up.place(value) + 4, f"{value:.3g}".removeprefix("0") or "0", "small", "end")
    for seconds in across.ticks():
        yield words(across.place(seconds), y0 + 15, f"{seconds:g}", "small", "middle")
    yield words((x0 + x1) / 2, y0 + 31, "seconds of the fit", "small", "middle")
    # Names in the order of the scores, each joined to its point.
    by_height = sorted(points, key=lambda point: up.place(point[2]))
    heights = moved_apart([up.place(value) for _, _, value in by_height], LINE_HEIGHT, y0)
    for height, (key, seconds, value) in zip(heights, by_height, strict=True):
        x, y = across.place(seconds), up.place(value)
        yield line([(x, y), (x1 + 4, height)], "grid fine")
        yield words(x1 + 8, height + 4, shown(key), colour_of(key))
    for key, seconds, value in points:
        yield mark(across.place(seconds), up.place(value), colour_of(key))


def write_pictures(board: Board, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for measure in MAIN_MEASURES:
        ranks = ranks_of(board, measure)
        if ranks is not None:
            (folder / file_of_ranks(measure)).write_text(ranks_picture(ranks, measure))
    for name in board.sets:
        if points_of(board, name, MAIN_MEASURES[0]):
            (folder / file_of_set(name)).write_text(set_picture(board, name))
