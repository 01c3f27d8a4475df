"""What the rows of all partitions have in common.

The library infers the columns of a table from its rows: whether they are numbers or words, which words there are, which
labels. Rows of partitions would so get different columns. Each partition is therefore read after a few rows of our own,
which have all words, tags, labels and indices, and which are dropped again.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from dask.base import tokenize
from dask.delayed import delayed

from ._read_files import Choice, Files, Rows

# Computes tasks, and returns what they return.
Run = Callable[[list[Any]], list[Any]]

# The library refuses features of more words.
_MOST_WORDS = 1000
# A column with another word in nine of ten rows is refused. So many rows more of three words make that impossible, as
# there are at most as many words as above.
_ROWS_OF_SURVEY = 150
_OWN_WORDS = ("\ue000a", "\ue000b", "\ue000c")


@dataclass(frozen=True)
class Prototype:
    """Rows of our own: the words of each column of words, the tags, and the number of rows."""

    words: dict[str, tuple[str, ...]]
    tags: tuple[str, ...]
    rows: int = 1


@dataclass(frozen=True)
class Schema:
    """How partitions are read so that all have the same columns."""

    reader: "Reader"
    prototype: Any
    feature_names: list[str]
    label_names: list[str]
    has_weights: bool
    # Whether features are a CSR matrix. None if they are a table.
    is_sparse: bool | None = None

    @property
    def token(self) -> tuple[Any, ...]:
        """What rows depend on beside the files."""
        return *self.reader.token, self.prototype, self.feature_names, self.label_names, self.is_sparse

    def rows(self, piece: Any) -> Rows:
        """The rows of a partition."""
        rows = self.reader.read(piece, self.prototype)
        self._check_same(piece, "feature", rows.feature_names, self.feature_names)
        self._check_same(piece, "label", rows.label_names, self.label_names)
        if self.is_sparse is None or self.is_sparse == sp.issparse(rows.x):
            return rows
        return rows._replace(x=sp.csr_matrix(rows.x) if self.is_sparse else rows.x.toarray())

    def _check_same(self, piece: Any, what: str, found: list[str], expected: list[str]) -> None:
        if found == expected:
            return
        known = set(expected)
        others = [name for name in found if name not in known]
        said = f"the {what} {others[0]!r}, which is not among" if others else f"{len(found)} {what}s, and not"
        raise ValueError(f"{piece.path}: found {said} the {len(expected)} {what}s of all files")


class Reader(ABC):
    """Reads files of one format."""

    def __init__(self, files: Files, choice: Choice) -> None:
        self.files = files
        self.choice = choice

    @property
    def token(self) -> tuple[Any, ...]:
        """What rows depend on beside the files and the prototype."""
        return (self.choice,)

    @abstractmethod
    def schema(self, run: Run) -> Schema:
        """What partitions have in common. Tasks look through all files where that is needed."""

    @abstractmethod
    def pieces(self) -> list[Any]:
        """What partitions are read from. Each has a ``path``."""

    @abstractmethod
    def read(self, piece: Any, prototype: Any) -> Rows:
        """The rows of a piece, with the columns of the prototype and its own."""


class NamedColumns(Reader):
    """Reads tables whose columns have names."""

    @abstractmethod
    def head(self) -> tuple[Rows, list[str]]:
        """The first rows, and which of their columns are words."""

    @abstractmethod
    def read_prototype(self, prototype: Prototype) -> Rows:
        """The rows of our own alone."""

    def ignoring(self, names: list[str]) -> Self:
        """The same without some columns more."""
        other = copy(self)
        other.choice = self.choice.ignoring(names)
        return other

    def schema(self, run: Run) -> Schema:
        rows, words = self.head()
        for note in rows.notes:
            # Of all rows others are left out than of the first.
            if not note.endswith("left out"):
                warnings.warn(note, UserWarning, stacklevel=3)
        self.choice = self.choice.with_labels(rows.label_names)
        prototype = self._prototype(run, rows, words)
        own = self.read_prototype(prototype)
        return Schema(self, prototype, own.feature_names, own.label_names, own.weights is not None)

    def _prototype(self, run: Run, rows: Rows, words: list[str]) -> Prototype:
        if not words and self.choice.tags is None:
            return Prototype({}, ())
        numbers = _numbers(rows.feature_names, words)
        survey = delayed(_survey, pure=False)
        shared = delayed(self, name=f"look-for-words-in-{tokenize(self.files, self.choice)}", traverse=False)
        pieces = self.pieces()
        keys = [f"words-{tokenize(piece, shared.key)}" for piece in pieces]
        own = zip(pieces, keys, strict=True)
        found = run([survey(shared, piece, words, numbers, dask_key_name=key) for piece, key in own])
        lists = {column: _union(own[column] for own, _ in found) for column in words}
        _check_counts(lists)
        # Twice as many rows as words, so that no column has another word in nine of ten rows.
        longest = max((len(own) for own in lists.values()), default=0)
        return Prototype(lists, _union(tags for _, tags in found), max(1, 2 * longest))


def _numbers(feature_names: list[str], words: list[str]) -> list[str]:
    """The features that are no words, which need not be looked at, if there are others."""
    marks = tuple(f"{column}=" for column in words)
    return [name for name in feature_names if name not in words and not name.startswith(marks)] if words else []


def _union(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({word for own in lists for word in own}))


def _check_counts(lists: dict[str, tuple[str, ...]]) -> None:
    for column, words in lists.items():
        if len(words) > _MOST_WORDS:
            raise ValueError(
                f"the column {column!r} has {len(words)} different words, and a feature has at most {_MOST_WORDS}. "
                f"Leave it out: ignore={column!r}."
            )


def _survey(
    reader: NamedColumns, piece: Any, words: list[str], numbers: list[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """The words of each column of words, and the tags, in a piece."""
    own = Prototype(dict.fromkeys(words, _OWN_WORDS), _OWN_WORDS, _ROWS_OF_SURVEY)
    rows = reader.ignoring(numbers).read(piece, own)
    found = {column: _words_of(column, rows.feature_names) for column in words}
    return found, [] if reader.choice.tags is None else _foreign(rows.label_names)


def _words_of(column: str, feature_names: list[str]) -> list[str]:
    """The words of a column, which has three at least, so that each has a feature of its own."""
    mark = f"{column}="
    return _foreign(name.removeprefix(mark) for name in feature_names if name.startswith(mark))


def _foreign(words: Iterable[str]) -> list[str]:
    return [word for word in words if word not in _OWN_WORDS]


def is_all_zero(column: Any) -> bool:
    """Whether a column of the first rows has no number but zero: it may be of words, of which there is one."""
    return not np.nan_to_num(column).any()
