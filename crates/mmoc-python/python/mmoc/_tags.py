"""Tags: the label set of each row as a list or a set of names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._refusals import LABEL_WORDS

_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)

# The beginnings of the names of types whose values are lists, in pandas, Polars and PyArrow.
_LIST_TYPES = ("object", "list", "array", "large_list", "fixed_size_list")


@dataclass(frozen=True)
class TagRows:
    """The tags of each row."""

    rows: list[frozenset[str]]
    # The numbers of rows whose tags are unknown.
    unknown_rows: list[int]
    # What they are called in errors.
    what: str

    def refuse_unknown_rows(self, missing_labels: Any) -> None:
        """Fails if tags of rows are unknown, unless these are ignored. None is for data that cannot have any."""
        if not self.unknown_rows or missing_labels == "ignore":
            return
        found = f"row {self.unknown_rows[0]} of {self.what} is None, and other rows are lists or sets of tags."
        remedy = "" if missing_labels is None else ' With missing_labels="ignore" all labels of such a row are unknown.'
        raise ValueError(f"{found} No tags are [].{remedy}")

    def names(self) -> tuple[str, ...]:
        """All tags, sorted."""
        self.refuse_numbers_as_text()
        return tuple(sorted(frozenset[str]().union(*self.rows)))

    def refuse_numbers_as_text(self, known: Sequence[str] = ()) -> None:
        """Fails if all tags are words for 0 and 1, and none is a known label: it is a matrix whose cells are text."""
        words = sorted(frozenset[str]().union(*self.rows))
        if not words or set(words) & set(known):
            return
        if set(words) <= {"0", "1"}:
            raise ValueError(
                f"{self.what} has the texts '0' and '1' in lists, which look like a matrix of zeros and ones and are "
                f"not names of labels. Convert it to numbers: np.array({self.what}, dtype=int)."
            )
        if all(word.lower() in LABEL_WORDS for word in words):
            raise ValueError(
                f"{self.what} has only the words {' and '.join(map(repr, words))} in lists, which look like a matrix "
                "of labels and are not names of labels. Give it as an array, in which yes and true count as 1, and no "
                f"and false as 0: np.array({self.what})."
            )

    def matrix(self, names: Sequence[str]) -> npt.NDArray[Any]:
        """The tags as zeros and ones, n×q, or NaN if unknown. Tags that are not among the names are left out."""
        places = {name: place for place, name in enumerate(names)}
        labels = np.zeros((len(self.rows), len(names)), dtype=np.int64)
        for row, tags in enumerate(self.rows):
            labels[row, [places[tag] for tag in tags if tag in places]] = 1
        return self.with_unknown_rows(labels)

    def with_unknown_rows(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """The same numbers with NaN in rows whose tags are unknown."""
        if not self.unknown_rows:
            return numbers
        with_nan = numbers.astype(np.float64)
        with_nan[self.unknown_rows] = np.nan
        return with_nan

    def unknown(self, names: Sequence[str]) -> list[str]:
        """The tags that are not among the names, sorted."""
        return sorted(frozenset[str]().union(*self.rows) - set(names))


def tag_rows(y: Any, what: str = "y") -> TagRows | None:
    """The tags of each row, or None if these are not tags.

    Rows are lists or sets of text: in a list, an array of objects, or a column of lists of pandas, Polars or PyArrow.
    Lists of numbers are the rows of a matrix.
    """
    rows = _rows(y)
    if rows is None or not (any(map(_has_tags, rows)) or _are_empty(rows)):
        return None
    unknown = [place for place, row in enumerate(rows) if is_missing(row)]
    known = [[] if is_missing(row) else row for row in rows]
    return TagRows([_tags(row, place, what) for place, row in enumerate(known)], unknown, what)


def _rows(y: Any) -> Sequence[Any] | None:
    """The rows if each may be a list."""
    if isinstance(y, (list, tuple)):
        return y
    is_column = getattr(y, "ndim", 1) == 1 and not hasattr(y, "columns") and hasattr(y, "__len__")
    kind = str(getattr(y, "dtype", getattr(y, "type", ""))).lower()
    if not is_column or not kind.startswith(_LIST_TYPES):
        return None
    listed = next((getattr(y, name) for name in ("to_pylist", "to_list", "tolist") if hasattr(y, name)), None)
    return None if listed is None else list(listed())


def _has_tags(row: Any) -> bool:
    """Whether a row can only be one of tags."""
    if isinstance(row, (set, frozenset)):
        return True
    return isinstance(row, _COLLECTIONS) and any(isinstance(tag, (str, bytes)) for tag in row)


def _are_empty(rows: Sequence[Any]) -> bool:
    """Whether rows are there, and none has anything."""
    return len(rows) > 0 and all(isinstance(row, _COLLECTIONS) and len(row) == 0 for row in rows)


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN or pandas.NA."""
    # pandas need not be installed, so its NA is known by the name of its type.
    return cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, (float, np.floating)) and cell != cell)


def _tags(row: Any, place: int, what: str) -> frozenset[str]:
    if isinstance(row, str):
        raise ValueError(
            f"row {place} of {what} is the text {row!r}, and other rows are lists or sets of tags. A single tag is a "
            f"list too: [{row!r}]."
        )
    if not isinstance(row, _COLLECTIONS):
        raise ValueError(f"row {place} of {what} is {row!r}, and other rows are lists or sets of tags. No tags are [].")
    for tag in row:
        if not isinstance(tag, str):
            raise ValueError(
                f"tags must be text, and row {place} of {what} has {tag!r}, of type {type(tag).__name__}. Convert tags "
                "to text, or use MultiLabelBinarizer, which makes a matrix of zeros and ones from sets of any kind."
            )
        if not tag.strip():
            raise ValueError(f"tags must not be blank, and row {place} of {what} has {tag!r}")
    return frozenset(str(tag) for tag in row)
