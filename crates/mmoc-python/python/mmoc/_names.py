"""Names of features and labels, and labels in the order of a fitted model."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._label_words import numbers_of, without_words
from ._refusals import refuse_no_data
from ._sparse import check_sparse
from ._tables import TableWithWords, is_table, read_table, refuse_repeated_names
from ._tags import tag_rows

Names = tuple[str, ...]

# Names that an error message lists before it stops.
_MOST_SHOWN = 5


def split_names(data: Any) -> tuple[Any, Names | None]:
    """The data, and the names of its columns if it has any. An Arrow table becomes an array."""
    if is_table(data):
        values, names = read_table(data)
        if isinstance(values, TableWithWords):
            with_words = next(name for name, cells in values.columns if isinstance(cells, list))
            raise ValueError(f"column {with_words!r} must have numbers or booleans, not text")
        return values, names
    columns = getattr(data, "columns", None)
    if columns is not None:
        return data, tuple(str(name) for name in columns)
    name = getattr(data, "name", None)
    return data, (str(name),) if name is not None and getattr(data, "ndim", 0) == 1 else None


def split_label_names(y: Any, what: str = "y", missing_labels: Any = None) -> tuple[Any, Names | None]:
    """Labels, and their names if they have any. The labels of an Arrow table become integers, and so do tags."""
    refuse_no_data(y, what)
    refuse_repeated_names(y, what)
    tags = tag_rows(y, what)
    if tags is not None and (known := tags.names()):
        tags.refuse_unknown_rows(missing_labels)
        return tags.matrix(known), known
    labels, names = _label_columns(y, what)
    return with_integers(labels) if is_table(y) else labels, names


def _label_columns(y: Any, what: str) -> tuple[Any, Names | None]:
    """Labels as numbers, if they are numbers or words for these, and the names of their columns."""
    if not is_table(y):
        return split_names(without_words(y))
    values, names = read_table(y)
    return numbers_of(values, what) if isinstance(values, TableWithWords) else values, names


def with_integers(labels: Any) -> Any:
    """Zeros and ones as integers. Anything else unchanged."""
    return labels.astype(np.int64) if np.isin(labels, (0, 1)).all() else labels


def in_order(y: Any, expected: Sequence[str] | None, what: str = "y") -> Any:
    """The same labels with their columns in the expected order.

    Columns and tags are matched by name. Without names on either side, columns are matched by position.

    Raises
    ------
    ValueError
        If a label is missing, unknown, or there more than once, or if a sparse matrix is damaged.
    """
    check_sparse(y, what)
    tags = None if expected is None else tag_rows(y, what)
    if expected is not None and tags is not None:
        tags.refuse_numbers_as_text(expected)
        if unknown := tags.unknown(expected):
            raise ValueError(f"{what} has tags that are no labels of the fit: {listed(unknown)}")
        tags.refuse_unknown_rows(None)
        return tags.matrix(expected)
    if expected is None:
        refuse_repeated_names(y, what)
    y, names = _label_columns(y, what)
    if expected is None or names is None or getattr(y, "ndim", 2) == 1 or names == tuple(expected):
        return y
    if sorted(names) == sorted(expected):
        order = [names.index(name) for name in expected]
        return y.iloc[:, order] if hasattr(y, "iloc") else y[:, order]
    if names == tuple(map(str, range(len(expected)))):
        # The column numbers that pandas gives to a table without names.
        return y
    raise ValueError(f"the columns of {what} do not match the labels; {_differences(names, expected)}")


def check_feature_names(names: Names, expected: Sequence[str]) -> None:
    """Fails unless the columns of X have the expected names in the expected order."""
    if names != tuple(expected):
        differences = _differences(names, expected) or "they are in another order"
        raise ValueError(f"The feature names should match those that were passed during fit; {differences}")


def _differences(names: Names, expected: Sequence[str]) -> str:
    known, found = set(expected), set(names)
    differences = {
        "missing": [name for name in expected if name not in found],
        "unknown": [name for name in names if name not in known],
        "more than once": sorted({name for name in names if names.count(name) > 1}),
    }
    return "; ".join(f"{what}: {listed(which)}" for what, which in differences.items() if which)


def listed(names: Sequence[str]) -> str:
    """The first few names."""
    return ", ".join(names[:_MOST_SHOWN]) + (", …" if len(names) > _MOST_SHOWN else "")
