"""The rows of one partition, as workers make them from what Dask loaded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from dask.sizeof import sizeof
from sklearn.utils import check_array

from .. import _native
from .._features import ACCEPTED, canonical, indicator, is_sparse
from .._names import Names
from .._refusals import explained
from .._sparse import check_sparse
from .._tables import TableWithWords, is_table, read_table
from .._tags import tag_rows
from .._targets import check_columns_of_labels, check_zeros_and_ones
from .._weights import weights_of_rows
from ._frames import check_numbers, feature_names, is_frame, label_names, numbers_of
from ._stored import PartRows, placed

_TWO_DIMENSIONS = (
    "y must have two dimensions, rows and labels, also on Dask. Use y.reshape(-1, 1) for one label, or a DataFrame "
    'with one column: y[["label"]].'
)
_NO_TAGS = (
    "y has tags. On Dask labels must be zeros and ones, one column for each: "
    "sklearn.preprocessing.MultiLabelBinarizer(classes=tags).fit_transform makes them of the tags of a partition."
)
_NO_MISSING_LABELS = (
    "Missing labels are not supported on Dask. Fill them with 0 or 1, drop their rows, or fit a local estimator with "
    'missing_labels="ignore".'
)


@dataclass(frozen=True)
class About:
    """What the process that fits needs to know of a partition."""

    # Rows that count, and those with a weight of zero that were left out.
    rows: int
    columns: int
    labels: int
    is_sparse: bool
    feature_names: Names | None
    label_names: Names | None
    # The type and form of labels, which predictions have too.
    label_dtype: np.dtype[Any]
    label_form: type | None
    # Which of the given rows count. None if all do.
    kept: npt.NDArray[np.bool_] | None

    @property
    def given_rows(self) -> int:
        """The number of rows with those that were left out."""
        return self.rows if self.kept is None else len(self.kept)


class Part:
    """The rows of one partition, and what is known of them. Immutable, so Dask may copy it and make it again."""

    # Dask looks into dataclasses for collections. In this class it does not.
    __slots__ = ("about", "rows")

    def __init__(self, about: About, rows: PartRows | None) -> None:
        self.about = about
        # None if there are none.
        self.rows = rows

    def __getstate__(self) -> tuple[About, PartRows | None]:
        return self.about, self.rows

    def __setstate__(self, state: tuple[About, PartRows | None]) -> None:
        self.about, self.rows = state


@sizeof.register(Part)  # type: ignore[untyped-decorator]
def _size_of_part(part: Part) -> int:
    """The bytes of a partition in memory, by which Dask decides where to compute and what to move to disk."""
    return 0 if part.rows is None else part.rows.nbytes


def prepared(number: int, x_blocks: int, y_blocks: int, *blocks: Any) -> Part:
    """The rows of a partition. Features and labels come as blocks of columns, which are mostly one, then weights."""
    with naming_partition(number):
        given, labels, weights = joined(x_blocks, y_blocks, blocks)
        x, names = _features(given)
        y, known = _labels(labels)
        check_rows(x, y)
        kept, weights = _weights(weights, x.shape[0])
        if kept is not None:
            x, y = x[kept], y[kept]
        # An empty partition says nothing, not even how many columns there are.
        rows = placed(_native.Partition(x, indicator(y), weights)) if x.shape[0] else None
    about = About(
        rows=x.shape[0],
        columns=x.shape[1],
        labels=y.shape[1],
        is_sparse=is_sparse(x),
        feature_names=names,
        label_names=known,
        label_dtype=y.dtype,
        label_form=_form_of(y),
        kept=kept,
    )
    return Part(about, rows)


def joined(x_blocks: int, y_blocks: int, blocks: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """Features, labels and weights of a partition. There may be no weights."""
    x, y, weights = blocks[:x_blocks], blocks[x_blocks : x_blocks + y_blocks], blocks[x_blocks + y_blocks :]
    if any(tag_rows(block) is not None for block in y):
        raise ValueError(_NO_TAGS)
    return side_by_side(x, "X"), side_by_side(y, "y"), weights[0] if weights else None


def check_rows(x: Any, y: Any) -> None:
    """Fails if features and labels of a partition have other numbers of rows."""
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"X has {x.shape[0]} rows and y has {y.shape[0]}. Both must be partitioned alike.")


def about(part: Part) -> About:
    """What is known of a partition."""
    return part.about


def answer(part: Part, request: bytes) -> bytes:
    """The share of these rows in a sum.

    It is computed on the calling thread: Dask runs as many tasks at a time as a worker has threads.
    """
    return _rows(part).answer(request)


def derived(part: Part, request: bytes) -> Part:
    """Other rows made of these."""
    rows = _rows(part).derived(request)
    return Part(replace(part.about, rows=rows.rows, kept=None), placed(rows))


def folds(part: Part, count: int, seed: int) -> npt.NDArray[np.int64]:
    """The fold of each row."""
    if part.rows is None:
        return np.zeros(0, dtype=np.int64)
    return part.rows.folds(count, seed)


def _rows(part: Part) -> PartRows:
    """The rows of a partition that has some. Empty ones are asked for nothing."""
    assert part.rows is not None
    return part.rows


@contextmanager
def naming_partition(number: int) -> Iterator[None]:
    """Says in which partition the data cannot be used."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ValueError(f"partition {number}: {error}") from error


def side_by_side(blocks: Sequence[Any], what: str) -> Any:
    """Blocks of columns side by side."""
    for block in blocks:
        check_sparse(block, what)
    if len(blocks) == 1:
        return blocks[0] if hasattr(blocks[0], "shape") else np.asarray(blocks[0])
    return sp.hstack(blocks, format="csr") if any(is_sparse(block) for block in blocks) else np.hstack(blocks)


def _features(x: Any) -> tuple[Any, Names | None]:
    """Features as the library takes them, n×p, and their names if they have any."""
    x, names = _without_names(x, "X")
    if names is not None:
        names = feature_names(names)
    if np.ndim(x) == 1 and not is_sparse(x):
        raise ValueError("X must have two dimensions, rows and features. Use X.reshape(-1, 1) for one feature.")
    with explained(x, names=names):
        x = check_array(x, input_name="X", ensure_min_samples=0, **ACCEPTED)
    return canonical(x), names


def _labels(y: Any) -> tuple[Any, Names | None]:
    """Labels as zeros and ones, n×q, and their names if they have any."""
    y, names = _without_names(y, "y")
    y = y.tocsr() if is_sparse(y) else np.asarray(y)
    refuse_one_dimension(y)
    check_columns_of_labels(y, "y")
    known = None if names is None else label_names(names)
    _refuse_missing(y, known)
    check_zeros_and_ones(y, known)
    return y, known


def refuse_one_dimension(y: Any) -> None:
    """Fails if labels have one dimension, in which each row would have one of two classes."""
    if y.ndim != 2:
        raise ValueError(_TWO_DIMENSIONS)


def _refuse_missing(y: Any, names: Names | None) -> None:
    stored = y.data if is_sparse(y) else y
    if stored.dtype.kind != "f" or not np.isnan(stored).any():
        return
    if is_sparse(y):
        raise ValueError(f"y has NaN, a missing label. {_NO_MISSING_LABELS}")
    row, column = (int(place) for place in np.argwhere(np.isnan(y))[0])
    place = f"row {row}, column {column if names is None else repr(names[column])}"
    raise ValueError(f"{place} of y has NaN, a missing label. {_NO_MISSING_LABELS}")


def _without_names(data: Any, what: str) -> tuple[Any, tuple[Any, ...] | None]:
    """The numbers of a table and the names of its columns. Other data has no names."""
    if is_frame(data):
        check_numbers(data, what)
        return numbers_of(data), tuple(data.columns)
    if not is_table(data):
        return data, None
    values, names = read_table(data)
    if isinstance(values, TableWithWords):
        with_words = next(name for name, cells in values.columns if isinstance(cells, list))
        raise ValueError(f"the column {with_words!r} of {what} has text. All columns must be numbers or booleans.")
    return values, names


def _weights(weights: Any, rows: int) -> tuple[npt.NDArray[np.bool_] | None, npt.NDArray[np.float64] | None]:
    """Which rows count, unless all do, and the weights of these. In one partition all of them may be zero."""
    if weights is None:
        return None, None
    checked = weights_of_rows(weights, rows)
    counts = checked > 0.0
    return (None, checked) if counts.all() else (counts, checked[counts])


def _form_of(y: Any) -> type | None:
    """The class of sparse labels. None if they are dense."""
    if not is_sparse(y):
        return None
    return sp.csr_array if isinstance(y, sp.sparray) else sp.csr_matrix
