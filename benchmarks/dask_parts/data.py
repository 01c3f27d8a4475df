"""Rows in partitions: data sets in files, and drawn rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from dask.delayed import delayed

SETS = {"scene": "scene-train.arff", "bibtex": "bibtex-train.arff", "imdb": "imdb-meka.arff.bz2"}

# Of drawn rows.
FEATURES, LABELS = 20, 5


class Partitions(NamedTuple):
    """Features and labels, each a list of what Dask can load."""

    x: list[Any]
    y: list[Any]


def read(folder: Path, name: str) -> tuple[Any, np.ndarray]:
    """The features and labels of a data set."""
    import mmoc

    x, y = mmoc.read(folder / SETS[name])
    return x, y


def cuts(rows: int, kind: str) -> list[int]:
    """Where partitions begin and end. Uneven ones double in size, and there is an empty one."""
    if kind == "uneven":
        ends = [rows * (2**part - 1) // 255 for part in range(9)]
        return [*ends[:4], ends[3], *ends[4:]]
    count = {"4 equal": 4, "12 equal": 12, "32 equal": 32}[kind]
    return [rows * part // count for part in range(count + 1)]


PARTITIONINGS = ("4 equal", "12 equal", "uneven")


def pieces(x: Any, y: np.ndarray, ends: Sequence[int]) -> Iterator[tuple[Any, np.ndarray]]:
    """The rows of each partition."""
    for start, end in zip(ends, ends[1:], strict=False):
        yield x[start:end], y[start:end]


def in_files(x: Any, y: np.ndarray, ends: Sequence[int], folder: Path) -> Partitions:
    """Partitions that workers load from files, and load again if one of them dies."""
    paths = []
    for number, (own_x, own_y) in enumerate(pieces(x, y, ends)):
        paths.append(folder / f"{number}.npz")
        np.savez(paths[-1], y=own_y, **_arrays(own_x))
    rows = [delayed(_load, pure=True)(path) for path in paths]
    return Partitions([own[0] for own in rows], [own[1] for own in rows])


def _arrays(x: Any) -> dict[str, Any]:
    if not sp.issparse(x):
        return {"x": x}
    return {"data": x.data, "indices": x.indices, "indptr": x.indptr, "shape": x.shape}


def _load(path: Path) -> tuple[Any, np.ndarray]:
    with np.load(path) as stored:
        if "x" in stored:
            return stored["x"], stored["y"]
        parts = (stored["data"], stored["indices"], stored["indptr"])
        return sp.csr_matrix(parts, shape=tuple(stored["shape"])), stored["y"]


def draw(seed: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Drawn rows. Labels depend on the features and on each other."""
    random = np.random.default_rng(seed)
    of_all = np.random.default_rng(2012)
    weights = of_all.normal(size=(FEATURES, LABELS)) / np.sqrt(FEATURES)
    x = random.normal(size=(rows, FEATURES))
    scores = x @ weights + random.normal(size=(rows, LABELS))
    # Neighbouring labels avoid each other: what a label has too much, the next one lacks.
    scores -= np.roll(np.maximum(scores, 0.0), 1, axis=1)
    return x, (scores > 0.2).astype(np.int8)


def drawn(partitions: int, rows: int, first: int = 0) -> Partitions:
    """Partitions of so many drawn rows each, which workers draw."""
    own = [delayed(draw, pure=True)(first + number, rows) for number in range(partitions)]
    return Partitions([part[0] for part in own], [part[1] for part in own])


def on_workers(client: Any, partitions: Partitions) -> Partitions:
    """The same partitions, loaded into the memory of the workers."""
    import distributed

    x, y = client.compute(partitions.x), client.compute(partitions.y)
    distributed.wait([*x, *y])
    return Partitions(x, y)
