"""How time and memory grow with the data: rows n, columns p, nonzeros and labels q, each by itself on drawn data.

Every point is a process of its own: it draws its data, fits a toy problem so that code and threads are there, fits,
and predicts the rows that it was fitted to. Short ones are repeated and the quickest counts. Memory is the peak of the
first fit (or prediction) beyond what the process held just before it. A series ends with the first point above the
limit.

An exponent is the slope of log(time) over log(size) by least squares over the larger half of the sizes (three of them
at least), with its standard error. Beside it stand the slope of the last doubling and the steepest one among those
that begin at 20 ms or more: where a series changes its course, as at p = n, one slope does not tell all.

- sparse rows: s of p columns are 1, common ones by Zipf's law and those of the row's topic; labels by a few columns
  each, the topic and noise, as skewed as those of bibtex, about three in a row;
- dense rows: Gaussian, the variance of the k-th axis falling as 1/k, all axes mixed; labels by ten shared factors;
- the max-margin problem alone: labels in groups, and with them log-odds and regressed labels with noise.

The peer is scikit-learn's one-vs-rest with liblinear at C = 1, in threads (liblinear lets others run), so that all it
holds is in one process. It fits each label once, where ours by default chooses among 13 penalties by five folds:
compare the slopes, not the heights.

Usage: benchmarks/run growth [--axes n,p,nnz,q,solve] [--quick] [--limit SECONDS] [--write]

Points go to target/growth.json as they come; those of axes that are not measured anew are kept, if machine and versions
are the same. Tables are printed and plots written to target/growth, with --write to docs/benchmarks.md (between
<!-- growth --> and <!-- /growth -->) and docs/images. --quick is for trying.
"""

import argparse
import ctypes
import gc
import itertools
import json
import math
import multiprocessing
import os
import platform
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import joblib
import mmoc
import numpy as np
import numpy.typing as npt
import scipy
import scipy.sparse as sp
import sklearn
from scipy.fft import dct
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

JOBS = 2

OURS: dict[str, Callable[[], Any]] = {
    "binary relevance": lambda: mmoc.BinaryRelevance(n_jobs=JOBS),
    "canonical correlation": lambda: mmoc.CanonicalCorrelationCoding(n_jobs=JOBS),
    "max-margin": lambda: mmoc.MaxMarginOutputCoding(n_jobs=JOBS),
}
PEERS: dict[str, Callable[[], Any]] = {
    "scikit-learn": lambda: OneVsRestClassifier(LogisticRegression(solver="liblinear", C=1.0), n_jobs=JOBS),
}
SOLVER = "max-margin problem"

# A process repeats what is short until it took this long in all, or was done so often.
ENOUGH_SECONDS = 2.0
MOST_REPETITIONS = 7
DRAWING_LIMIT = 600.0
# Shorter times say little about growth.
LEAST_SECONDS = 0.02

SEED = 2012
TOPICS = 20
TOPIC_SHARE = 0.05  # of the columns
TOPIC_BOOST = 8.0  # so much likelier are its columns
COLUMNS_A_LABEL = 10
FACTORS = 10
LABELS_A_ROW = 3.0
# bibtex's most frequent label is 25 times as frequent as its rarest.
LABEL_SKEW = 25.0
LEAST_ROWS_A_LABEL = 4

JSON = Path("target/growth.json")
DRAFTS = Path("target/growth")
DOCUMENT = Path("docs/benchmarks.md")
IMAGES = Path("docs/images")
MARKERS = "<!-- growth -->", "<!-- /growth -->"

Sizes = dict[str, int]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer[Any]]
Labels = npt.NDArray[np.uint8]


def doubling(first: int, last: int) -> tuple[int, ...]:
    return tuple(first * 2**k for k in range(int(math.log2(last / first)) + 1))


@dataclass(frozen=True)
class Axis:
    """What grows, and what stays as it is."""

    group: str
    data: str
    grows: str
    sizes: tuple[int, ...]
    fixed: Sizes

    @property
    def key(self) -> str:
        return f"{self.group}, {self.data}" if self.data != "metric" else f"{self.group}, {self.grows}"

    @property
    def title(self) -> str:
        fixed = ", ".join(f"{name} = {value}" for name, value in self.fixed.items())
        what = "max-margin problem alone" if self.data == "metric" else f"{self.data} features"
        return f"{NAMES[self.grows]}; {what}, {fixed}"

    def at(self, size: int) -> Sizes:
        return self.fixed | {self.grows: size}

    def methods(self) -> Iterable[str]:
        return [SOLVER] if self.data == "metric" else [*OURS, *PEERS]

    def quick(self) -> "Axis":
        """The same with sizes that take no time."""
        sizes = doubling(QUICK[self.grows], 4 * QUICK[self.grows])
        fixed = {name: min(value, 2 * QUICK[name]) for name, value in self.fixed.items()}
        return Axis(self.group, self.data, self.grows, sizes, fixed)


NAMES = {"n": "Rows, n", "p": "Columns, p", "s": "Nonzeros a row, s", "q": "Labels, q"}
QUICK = {"n": 100, "p": 50, "s": 5, "q": 4}
TOY = {"n": 50, "p": 20, "s": 5, "q": 4}
AXES = [
    Axis("n", "sparse", "n", doubling(1000, 32000), {"p": 1000, "s": 50, "q": 32}),
    Axis("n", "dense", "n", doubling(1000, 32000), {"p": 100, "q": 16}),
    Axis("p", "sparse", "p", doubling(250, 16000), {"n": 4000, "s": 50, "q": 32}),
    Axis("p", "dense", "p", doubling(50, 3200), {"n": 2000, "q": 16}),
    Axis("nnz", "sparse", "s", doubling(10, 640), {"n": 4000, "p": 2000, "q": 32}),
    Axis("q", "sparse", "q", doubling(16, 1024), {"n": 4000, "p": 1000, "s": 50}),
    Axis("solve", "metric", "n", doubling(1000, 32000), {"q": 32}),
    Axis("solve", "metric", "q", doubling(16, 1024), {"n": 4000}),
]
GROUPS = list(dict.fromkeys(axis.group for axis in AXES))


# Drawn data


def frequencies(q: int) -> Floats:
    """The share of the rows that has each label: falling, none above one half, three in a row if that is possible."""
    shape = 1 / (np.arange(q) + q / (LABEL_SKEW - 1))
    wanted = min(LABELS_A_ROW, q / 4)
    shares = shape / shape.sum() * wanted
    for _ in range(50):
        shares = np.minimum(shares * wanted / shares.sum(), 0.5)
    return shares


def label_sets(scores: Floats) -> Labels:
    """Gives each label to the rows that score highest, as many as its frequency says."""
    n, q = scores.shape
    labels = np.zeros((n, q), dtype=np.uint8)
    for label, share in enumerate(frequencies(q)):
        count = min(max(round(share * n), LEAST_ROWS_A_LABEL), n // 2)
        labels[np.argpartition(-scores[:, label], count)[:count], label] = 1
    return labels


def standardised(scores: Floats) -> Floats:
    return (scores - scores.mean(axis=0)) / (scores.std(axis=0) + 1e-12)


def rows_of_words(draws: np.random.Generator, log_weights: Floats, topics: Integers, s: int) -> Integers:
    """Draws s different columns for each row by their weights: those of the s largest weights after Gumbel noise."""
    p = log_weights.shape[1]
    rows_at_once = max(1, 2_000_000 // p)
    blocks = []
    for start in range(0, len(topics), rows_at_once):
        keys = log_weights[topics[start : start + rows_at_once]]
        keys = keys + draws.gumbel(size=keys.shape)
        blocks.append(np.sort(np.argpartition(-keys, s - 1, axis=1)[:, :s], axis=1).astype(np.int32))
    return np.concatenate(blocks)


def draw_sparse(n: int, p: int, s: int, q: int) -> tuple[Any, Labels]:
    draws = np.random.default_rng(SEED)
    of_topic = draws.random((TOPICS, p)) < TOPIC_SHARE
    log_weights = math.log(TOPIC_BOOST) * of_topic - np.log(1.0 + np.arange(p))
    topics = draws.integers(TOPICS, size=n)
    columns = rows_of_words(draws, log_weights, topics, min(s, p))
    offsets = np.arange(n + 1, dtype=np.int32) * columns.shape[1]
    x = sp.csr_matrix((np.ones(columns.size), columns.ravel(), offsets), shape=(n, p))
    # A label knows columns of its topic, any others if there are not enough.
    topic_of_label = draws.integers(TOPICS, size=q)
    weights = np.zeros((p, q))
    for label, topic in enumerate(topic_of_label):
        chances = 0.01 + of_topic[topic]
        some = draws.choice(p, size=min(COLUMNS_A_LABEL, p), replace=False, p=chances / chances.sum())
        weights[some, label] = 0.5 + draws.random(len(some))
    scores = standardised(x @ weights) + (topics[:, None] == topic_of_label) + draws.normal(size=(n, q))
    return x, label_sets(scores)


def draw_dense(n: int, p: int, q: int) -> tuple[Floats, Labels]:
    draws = np.random.default_rng(SEED)
    axes = draws.normal(size=(n, p)) / np.sqrt(1 + np.arange(p))
    # A cosine transform is a rotation; random signs before it mix the axes.
    x = dct(axes * draws.choice([-1.0, 1.0], size=p), norm="ortho", axis=1)
    x = np.ascontiguousarray(x * math.sqrt(p / np.sum(1 / (1 + np.arange(p)))))
    factors = standardised(axes[:, :FACTORS])
    scores = standardised(factors @ draws.normal(size=(factors.shape[1], q))) + draws.normal(size=(n, q))
    return x, label_sets(scores)


def draw_metric(n: int, q: int) -> tuple[Floats, Labels, Floats]:
    """Regressed labels, labels and log-odds, with noise.

    Labels come in groups. Which groups a row takes part in can be told well, which one of their labels it has cannot:
    sums over groups are what a metric of the labels can make use of.
    """
    draws = np.random.default_rng(SEED)
    groups = min(TOPICS, q // 2)
    of_label = np.arange(q) % groups
    takes_part = logistic(3 * draws.normal(size=(n, groups)) + 2 * math.log(LABELS_A_ROW / groups))
    chances = np.exp(draws.normal(size=(n, q))) / (1 + np.arange(q) // groups)
    labels = np.zeros((n, q), dtype=np.uint8)
    for group in range(groups):
        own = of_label == group
        chances[:, own] /= chances[:, own].sum(axis=1, keepdims=True)
        below = draws.random((n, 1)) < np.cumsum(chances[:, own], axis=1)
        active = draws.random(n) < takes_part[:, group]
        labels[np.flatnonzero(active), np.flatnonzero(own)[below[active].argmax(axis=1)]] = 1
    means = np.clip(takes_part[:, of_label] * chances, 1e-4, 1 - 1e-4)
    overall = labels.mean(axis=0)
    noise = 0.1 * np.sqrt(overall * (1 - overall)) * draws.normal(size=(n, q))
    regressed = 0.8 * means + 0.2 * overall + noise
    log_odds = np.log(means / (1 - means)) + draws.normal(size=(n, q))
    return regressed, labels, log_odds


def logistic(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-values))


# One point, in a process of its own


def held_memory() -> float:
    """Resident memory in MiB after what is free was given back, and the peak is set to it where Linux allows that."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        return status("VmRSS")
    except (OSError, AttributeError):
        return peak_memory()


def peak_memory() -> float:
    """In MiB."""
    try:
        return status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name + ":"))


def measured(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """The result of the first time, the seconds of the quickest, and the peak memory of the first in MiB."""
    before = held_memory()
    start = time.perf_counter()
    result = work()
    seconds = [time.perf_counter() - start]
    memory = peak_memory() - before
    while sum(seconds) < ENOUGH_SECONDS and len(seconds) < MOST_REPETITIONS:
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return result, {"seconds": min(seconds), "mebibytes": max(memory, 0.0), "repetitions": len(seconds)}


def stages(data: str, method: str, sizes: Sizes) -> Iterator[dict[str, Any]]:
    """Draws, then fits, then predicts; says after each what it took."""
    if data == "metric":
        problem = draw_metric(**sizes)
        mmoc.solve_metric(*draw_metric(n=50, q=4), n_jobs=JOBS)
        yield {}
        yield {"fit": measured(lambda: mmoc.solve_metric(*problem, n_jobs=JOBS))[1]}
        return
    make = (OURS | PEERS)[method]
    draw: Callable[..., tuple[Any, Labels]] = draw_sparse if data == "sparse" else draw_dense
    x, y = draw(**sizes)
    toy = draw(**{name: TOY[name] for name in sizes})
    make().fit(*toy).predict(toy[0])
    yield {}
    model, fit = measured(lambda: make().fit(x, y))
    yield {"fit": fit}
    yield {"predict": measured(lambda: model.predict(x))[1]}


def run_point(pipe: Connection, *point: Any) -> None:
    with warnings.catch_warnings(record=True) as caught, joblib.parallel_config("threading"):
        warnings.simplefilter("always")
        for stage in stages(*point):
            # Those before the first stage is done are about the toy problem.
            said = sorted({str(warning.message) for warning in caught}) if stage else []
            pipe.send(stage | ({"warnings": said} if said else {}))
            caught.clear()


def point_of(axis: Axis, method: str, size: int, limit: float) -> dict[str, Any]:
    """What a process found out; `over` says why it is the last of its series."""
    point: dict[str, Any] = {"axis": axis.key, "method": method, "size": size, "sizes": axis.at(size)}
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=run_point, args=(sender, axis.data, method, axis.at(size)))
    process.start()
    sender.close()
    allowed = [DRAWING_LIMIT, limit + ENOUGH_SECONDS, limit + ENOUGH_SECONDS]
    try:
        for seconds in allowed[: 2 if axis.data == "metric" else 3]:
            if not receiver.poll(seconds):
                point["over"] = f"longer than {seconds:.0f} s"
                break
            point |= receiver.recv()
    except EOFError:
        process.join()
        point["over"] = f"the process ended with {process.exitcode}"
    finally:
        process.kill()
        process.join()
    took = max(point.get(step, {}).get("seconds", 0.0) for step in ("fit", "predict"))
    return point | ({"over": f"{digits(took)} s"} if took > limit else {})


# From points to exponents


class Growth(NamedTuple):
    """Slopes in logarithms."""

    slope: float
    error: float | None
    last: float
    steepest: float | None


def growth(pairs: list[tuple[float, float]], least: float = 0.0) -> Growth | None:
    """None if there are not two positive values; doublings from below `least` are not the steepest."""
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


# Tables


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


def table_of_times(points: list[dict[str, Any]], axis: Axis) -> str:
    heading = ["seconds", "", *map(str, axis.sizes), "exponent", "last doubling", "steepest"]
    rows = [heading]
    for step in ("fit", "predict"):
        for series in series_of(points, axis, step, "seconds"):
            values = [digits(dict(series.pairs).get(size)) for size in axis.sizes]
            rows.append([series.method, step, *values, *slopes(series.growth)])
    return table(rows)


def table_of_memory(points: list[dict[str, Any]], axes: list[Axis]) -> str:
    heading = ["what grows", "MiB", "from", "to", "fit, from", "fit, to", "exponent", "last doubling", "predict, to"]
    rows = [heading]
    for axis in axes:
        predict = {series.method: series for series in series_of(points, axis, "predict", "mebibytes")}
        for fit in series_of(points, axis, "fit", "mebibytes"):
            sizes, values = zip(fit.pairs[0], fit.pairs[-1], strict=True)
            last = digits(predict[fit.method].pairs[-1][1]) if fit.method in predict else ""
            ends = [f"{axis.grows} = {sizes[0]}", str(sizes[1]), *map(digits, values)]
            rows.append([axis.key, fit.method, *ends, *slopes(fit.growth)[:2], last])
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
    parts = [f"Measured on {results['machine']['cores']} cores ({results['machine']['processor']}), {versions}."]
    for group, own in by_group(axes):
        parts.append(f"![Seconds against {group}, both logarithmic]({images}/growth-{group}.svg)")
        for axis in own:
            parts += [f"**{axis.title}**", table_of_times(points, axis)]
    parts += [f"![Peak memory, both logarithmic]({images}/growth-memory.svg)", table_of_memory(points, axes)]
    said = remarks(points)
    return "\n\n".join(parts + (["\n".join(said)] if said else []))


def by_group(axes: list[Axis]) -> Iterator[tuple[str, list[Axis]]]:
    for group in GROUPS:
        own = [axis for axis in axes if axis.group == group]
        if own:
            yield group, own


# Plots

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
COLOURS_OF_OURS = ["first", "second", "third", "fourth"]
MARKS = {
    "first": "M-3.2,-3.2h6.4v6.4h-6.4z",
    "second": "M0,-4.4L4.4,0L0,4.4L-4.4,0z",
    "third": "M-3.7,0a3.7,3.7 0 1,0 7.4,0a3.7,3.7 0 1,0 -7.4,0z",
    "fourth": "M0,4.4L4.2,-3L-4.2,-3z",
    "peer": "M0,-4.4L4.2,3L-4.2,3z",
}
PANEL_WIDTH, PANEL_HEIGHT, GAP = 372, 236, 16
LEFT, RIGHT, TOP, BOTTOM = 46, 36, 30, 40
LEGEND_HEIGHT = 48


def style() -> str:
    """Colours, and others for those who prefer a dark ground; the ground is drawn too, so that either is legible."""
    dark = "".join(colour_rules(DARK))
    rules = [
        f"text {{ font: 11px {FONT}; }}",
        ".heading { font-size: 12px; font-weight: 600; }",
        ".curve { fill: none; stroke-width: 1.6; }",
        ".curve.peer-line { stroke-dasharray: 5 3; }",
        *colour_rules(LIGHT),
        f"@media (prefers-color-scheme: dark) {{ {dark} }}",
    ]
    return "<style>" + " ".join(rules) + "</style>"


def colour_rules(palette: dict[str, str]) -> Iterator[str]:
    yield f".ground {{ fill: {palette['ground']}; }} .heading {{ fill: {palette['ink']}; }}"
    yield f".small {{ fill: {palette['muted']}; }} .grid {{ stroke: {palette['line']}; }}"
    for name in MARKS:
        yield f".{name} {{ fill: {palette[name]}; }} .{name}-line {{ stroke: {palette[name]}; }}"


def colour_of(method: str) -> str:
    if method in PEERS:
        return "peer"
    if method == SOLVER:
        return "fourth"
    return COLOURS_OF_OURS[list(OURS).index(method) % len(COLOURS_OF_OURS)]


def words(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def mark(x: float, y: float, colour: str) -> str:
    return f'<path transform="translate({x:.1f},{y:.1f})" d="{MARKS[colour]}" class="{colour}"/>'


def line(points: list[tuple[float, float]], kind: str) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{places}" class="{kind}"/>'


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
    # What took no memory at all stands at the bottom.
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
    """At the end of each curve, moved apart where ends are close."""
    ends = []
    for series in panel.series:
        if series.growth is not None:
            size, value = series.pairs[-1]
            place = up.place(max(value, up.low)), across.place(size)
            ends.append((*place, f"{series.growth.slope:.2f}", colour_of(series.method)))
    ends.sort()
    heights = list(itertools.accumulate((end[0] for end in ends), lambda above, own: max(above + 12, own)))
    excess = max([0.0, *(height - up.start for height in heights[-1:])])
    for height, (_, x, text, colour) in zip(heights, ends, strict=True):
        yield words(x + 7, height + 4 - excess, text, colour)


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
    # A margin all around.
    box = f"-12 -8 {width + 24} {height + 8}"
    ground = f'<rect x="-12" y="-8" width="{width + 24}" height="{height + 8}" class="ground"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width + 24}" height="{height + 8}"'
    described = f"<title>{escape(title)}</title><desc>{escape(finding(panels))}</desc>"
    return "\n".join([f'{opening} role="img">', described, style(), ground, *shapes, "</svg>", ""])


def finding(panels: list[Panel]) -> str:
    """What is to be seen, for those who cannot see it."""
    said = []
    for panel in panels:
        of = [f"{one.method} {one.growth.slope:.2f}" for one in panel.series if one.growth is not None]
        said.append(f"{panel.heading}: exponents {', '.join(of)}.")
    return " ".join(said)


def panel_of(points: list[dict[str, Any]], axis: Axis, step: str, unit: str) -> Panel:
    what = {"metric": "the problem alone"}.get(axis.data, f"{axis.data}, {step}")
    return Panel(f"{what}, {UNITS[unit]}", NAMES[axis.grows], series_of(points, axis, step, unit))


UNITS = {"seconds": "seconds", "mebibytes": "MiB"}
TITLES = {
    "n": "Time against the number of rows",
    "p": "Time against the number of columns",
    "nnz": "Time against the nonzeros of a row",
    "q": "Time against the number of labels",
    "solve": "Time of the max-margin problem",
}


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


# The whole


def machine() -> dict[str, Any]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return {"cores": os.cpu_count(), "processor": names[0] if names else platform.machine()}


def versions() -> dict[str, str]:
    return {
        "mmoc": mmoc.__version__,
        "scikit-learn": sklearn.__version__,
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "Python": platform.python_version(),
    }


def kept_points(path: Path, axes: list[Axis]) -> list[dict[str, Any]]:
    """Those of axes that are not measured now, if all else is the same."""
    try:
        before = json.loads(path.read_text())
    except OSError:
        return []
    if (before["machine"], before["versions"]) != (machine(), versions()):
        return []
    measured_now = {axis.key for axis in axes}
    known = {axis.key for axis in AXES}
    return [point for point in before["points"] if point["axis"] in known - measured_now]


def exponents(points: list[dict[str, Any]], axes: list[Axis]) -> list[dict[str, Any]]:
    found = []
    for axis, step, unit in itertools.product(axes, ("fit", "predict"), UNITS):
        for series in series_of(points, axis, step, unit):
            if series.growth is not None:
                where = {"axis": axis.key, "method": series.method, "step": step, "unit": unit}
                found.append(where | series.growth._asdict())
    return found


def measure(axes: list[Axis], limit: float, results: dict[str, Any], path: Path) -> None:
    """Adds point after point to the results and to the file."""
    for axis in axes:
        for method in axis.methods():
            for size in axis.sizes:
                point = point_of(axis, method, size, limit)
                results["points"].append(point)
                path.parent.mkdir(exist_ok=True)
                path.write_text(json.dumps(results, indent=1) + "\n")
                took = [f"{step} {digits(point[step]['seconds'])} s" for step in ("fit", "predict") if step in point]
                print(f"{axis.key}, {method}, {size}: {', '.join(took)} {point.get('over', '')}", file=sys.stderr)
                if "over" in point:
                    break


def put_between_markers(text: str, new: str) -> str:
    begin, end = MARKERS
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        sys.exit(f"{DOCUMENT} must have {begin} and after it {end}, once each")
    return text[: text.index(begin) + len(begin)] + "\n\n" + new + "\n\n" + text[text.index(end) :]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How time and memory grow with the data.")
    parser.add_argument("binary", help="not used")
    parser.add_argument("data", help="not used")
    parser.add_argument("--axes", default=",".join(GROUPS), help="some of %(default)s")
    parser.add_argument("--quick", action="store_true", help="small sizes, for trying")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a point (%(default)s)")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md and docs/images")
    options = parser.parse_args()
    options.axes = options.axes.split(",")
    unknown = set(options.axes) - set(GROUPS)
    if unknown:
        parser.error(f"no axis {', '.join(sorted(unknown))}: there are {', '.join(GROUPS)}")
    if options.quick and options.write:
        parser.error("--quick is for trying, and is not written")
    return options


def main() -> None:
    options = arguments()
    if options.write:
        put_between_markers(DOCUMENT.read_text(), "")
    path = DRAFTS / "quick.json" if options.quick else JSON
    all_axes = [axis.quick() for axis in AXES] if options.quick else AXES
    now = [axis for axis in all_axes if axis.group in options.axes]
    results: dict[str, Any] = {"machine": machine(), "versions": versions(), "limit": options.limit}
    results["points"] = [] if options.quick else kept_points(path, now)
    measure(now, options.limit, results, path)
    points = results["points"]
    axes = [axis for axis in all_axes if any(point["axis"] == axis.key for point in points)]
    results["exponents"] = exponents(points, axes)
    path.write_text(json.dumps(results, indent=1) + "\n")
    write_plots(points, axes, IMAGES if options.write else DRAFTS)
    text = document(results, axes, "images")
    print(text)
    if options.write:
        DOCUMENT.write_text(put_between_markers(DOCUMENT.read_text(), text))


if __name__ == "__main__":
    main()
