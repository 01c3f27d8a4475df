"""Reading LIBSVM files in byte ranges."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from dask.base import tokenize
from dask.delayed import delayed

from .._features import is_sparse
from ._read_files import Block, Choice, Files, Rows, written
from ._read_schema import Reader, Run, Schema

# A label that no file has: the largest that the library takes.
_OWN_LABEL = 2**64 - 1


@dataclass(frozen=True)
class Extent:
    """The indices and labels of some lines, and how many cells are not zero."""

    first: int
    last: int
    labels: tuple[int, ...]
    rows: int
    stored: int

    def is_sparse(self) -> bool:
        """Whether features are stored sparse, by the rule of the library."""
        return self.stored <= self.rows * (self.last - self.first + 1) // 2

    def line(self) -> bytes:
        """A row with all labels, and with the first and the last index."""
        pairs = f"{self.first}:1" + (f" {self.last}:1" if self.last > self.first else "")
        return f"{','.join(map(str, self.labels))} {pairs}\n".encode()


class VectorReader(Reader):
    """Reads rows of indices and values. Labels and indices are those that occur in any file, unless they are given."""

    def __init__(self, files: Files, choice: Choice, n_features: int | None) -> None:
        given = _numbers(choice)
        if (given is None) != (n_features is None):
            raise ValueError("for libsvm files give labels and n_features, or neither of them to look for both")
        if n_features is not None and n_features < 1:
            raise ValueError(f"n_features must be at least 1, not {n_features}")
        super().__init__(files, choice.with_all_labels())
        # Without counting, features are taken to be mostly zero.
        self.given = None if given is None else Extent(1, n_features or 1, given, rows=0, stored=0)

    def pieces(self) -> list[Block]:
        return self.files.blocks()

    def schema(self, run: Run) -> Schema:
        extent = self.given or self._look(run)
        own = self._read_lines(self.files.paths[0], [extent.line()], lambda line: None)
        return Schema(self, extent, own.feature_names, own.label_names, False, extent.is_sparse())

    def _look(self, run: Run) -> Extent:
        """Indices and labels of all files, each range of which is a task."""
        shared = delayed(self, name=f"look-for-labels-in-{tokenize(self.files, self.choice)}", traverse=False)
        look = delayed(_look_at, pure=False)
        pieces = self.pieces()
        keys = [f"labels-{tokenize(piece, shared.key)}" for piece in pieces]
        found = run([look(shared, piece, dask_key_name=key) for piece, key in zip(pieces, keys, strict=True)])
        extents = [extent for extent in found if extent is not None]
        labels = tuple(sorted({label for extent in extents for label in extent.labels}))
        if not labels:
            count = len(self.files.paths)
            raise ValueError(f"{self.files.paths[0]}: expected at least one label, found none in {count} files")
        return Extent(
            first=min(extent.first for extent in extents),
            last=max(extent.last for extent in extents),
            labels=labels,
            rows=sum(extent.rows for extent in extents),
            stored=sum(extent.stored for extent in extents),
        )

    def read(self, piece: Block, prototype: Extent) -> Rows:
        def line(number: int) -> int | None:
            return piece.lines_before() + number - 1 if number > 1 else None

        return self._read_lines(piece.path, [prototype.line(), piece.read()], line).after(1)

    def _read_lines(self, path: str, lines: Sequence[bytes], line: Callable[[int], int | None]) -> Rows:
        with written(path, lines, line) as temporary:
            return self.choice.read(temporary)


def _look_at(reader: VectorReader, piece: Block) -> Extent | None:
    """Indices and labels of a piece. None if it has no row."""
    rows = reader.read(piece, Extent(1, 1, (_OWN_LABEL,), rows=0, stored=0))
    if not len(rows.y):
        return None
    stored = rows.x.nnz if is_sparse(rows.x) else np.count_nonzero(rows.x)
    labels = (int(name) for name in rows.label_names)
    return Extent(
        first=int(rows.feature_names[0].removeprefix("x")),
        last=int(rows.feature_names[-1].removeprefix("x")),
        labels=tuple(label for label in labels if label != _OWN_LABEL),
        rows=len(rows.y),
        stored=int(stored),
    )


def _numbers(choice: Choice) -> tuple[int, ...] | None:
    """The labels that were given, by their numbers."""
    given = choice.label_names
    if given is None and choice.labels is None:
        return None
    if given is None:
        given = [name.strip() for name in str(choice.labels).split(",")]
    wrong = [name for name in given if not name.isdecimal()]
    if wrong or not given:
        found = repr(wrong[0]) if wrong else "nothing"
        raise ValueError(f"the labels of libsvm files must be whole numbers from 0 on, not {found}")
    return tuple(sorted({int(name) for name in given}))
