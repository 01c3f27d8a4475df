"""The axes: the size that grows, and the fixed sizes."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from growth_parts.methods import OURS, PEERS, SOLVER

Sizes = dict[str, int]

NAMES = {"n": "Rows, n", "p": "Columns, p", "s": "Nonzeros per row, s", "q": "Labels, q"}
QUICK = {"n": 100, "p": 50, "s": 5, "q": 4}


def doubling(first: int, last: int) -> tuple[int, ...]:
    return tuple(first * 2**k for k in range(int(math.log2(last / first)) + 1))


@dataclass(frozen=True)
class Axis:
    """The size that grows, and the fixed sizes."""

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
        """The same axis with small sizes."""
        sizes = doubling(QUICK[self.grows], 4 * QUICK[self.grows])
        fixed = {name: min(value, 2 * QUICK[name]) for name, value in self.fixed.items()}
        return Axis(self.group, self.data, self.grows, sizes, fixed)


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


def by_group(axes: list[Axis]) -> Iterator[tuple[str, list[Axis]]]:
    for group in GROUPS:
        own = [axis for axis in axes if axis.group == group]
        if own:
            yield group, own
