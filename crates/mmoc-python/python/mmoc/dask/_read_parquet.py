"""Reading Parquet files in groups of rows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ._read_files import Choice, Files, Rows
from ._read_schema import NamedColumns, Prototype, is_all_zero

# So many rows say what columns there are. Their types say the rest.
_HEAD = 1000
# What the library calls a table in memory, and the number of a row in its messages.
_PLACE = re.compile(r"\btable\b(?:: row (\d+) of)?")


@dataclass(frozen=True)
class Groups:
    """Some groups of rows of a file."""

    path: str
    numbers: tuple[int, ...]
    # The number of rows of the file before these.
    before: int


class ParquetReader(NamedColumns):
    """Reads tables whose columns have types."""

    def __init__(self, files: Files, choice: Choice) -> None:
        super().__init__(files, choice)
        # The first row of all, without words and the like, from which rows of our own are made.
        self.first: Any = None

    @property
    def token(self) -> tuple[Any, ...]:
        return *super().token, str(self.first.schema), self.first.to_pylist()

    def pieces(self) -> list[Groups]:
        return [piece for path in self.files.paths for piece in self._pieces_of(path)]

    def _pieces_of(self, path: str) -> Iterator[Groups]:
        """As many groups of rows as fit into a partition, but one at least."""
        with self._open(path) as file:
            metadata = file.metadata
        chosen: list[int] = []
        size = before = rows = 0
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            if chosen and self.files.blocksize is not None and size + group.total_byte_size > self.files.blocksize:
                yield Groups(path, tuple(chosen), before)
                chosen, size, before = [], 0, rows
            chosen.append(number)
            size, rows = size + group.total_byte_size, rows + group.num_rows
        yield Groups(path, tuple(chosen), before)

    def head(self) -> tuple[Rows, list[str]]:
        path, table = self._first_rows()
        with _naming(path, 0):
            rows = self.choice.read(table)
        places = {name: place for place, name in enumerate(rows.feature_names)}
        texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
        self.first = table.slice(0, 1)
        return rows, [name for name in texts if _is_of_words(name, rows, places)]

    def _first_rows(self) -> tuple[str, Any]:
        """The first rows of the first file that has any."""
        for path in self.files.paths:
            with self._open(path) as file:
                for batch in file.iter_batches(_HEAD):
                    if batch.num_rows:
                        return path, _with_plain_text(pa.Table.from_batches([batch]))
        count = len(self.files.paths)
        raise ValueError(f"{self.files.paths[0]}: expected at least one row, found none in {count} files")

    def read(self, piece: Groups, prototype: Prototype) -> Rows:
        with self._open(piece.path) as file:
            table = _with_plain_text(file.read_row_groups(list(piece.numbers)))
        table = self._in_order(piece.path, table)
        own = self._rows_of(prototype)
        try:
            own = own.cast(table.schema)
        except pa.ArrowException as error:
            said = f"{piece.path}: the types of its columns are not those of {self.files.paths[0]}"
            raise ValueError(f"{said} ({error})") from None
        with _naming(piece.path, piece.before - prototype.rows):
            return self.choice.read(self._together([own, table])).after(prototype.rows)

    def read_prototype(self, prototype: Prototype) -> Rows:
        with _naming(self.files.paths[0], 0):
            return self.choice.read(self._together([self._rows_of(prototype)]))

    def _together(self, tables: list[Any]) -> Any:
        """One table, with what the first file says of its labels."""
        return pa.concat_tables(tables).replace_schema_metadata(self.first.schema.metadata)

    def _in_order(self, path: str, table: Any) -> Any:
        """The columns in the order of the first file."""
        expected, found = self.first.column_names, table.column_names
        if set(found) != set(expected):
            lacking = sorted(set(expected) - set(found))
            said = f"no column {lacking[0]!r}" if lacking else f"the column {min(set(found) - set(expected))!r}"
            raise ValueError(f"{path}: found {said}, and {self.files.paths[0]} has {'it' if lacking else 'none'}")
        return table.select(expected)

    def _rows_of(self, prototype: Prototype) -> Any:
        """Rows of our own: the first row with other words, weight and tags."""
        cells: dict[str, Any] = dict(prototype.words)
        if self.choice.weight is not None:
            cells[self.choice.weight] = (1,)
        table = pa.concat_tables([self.first] * prototype.rows)
        if self.choice.tags is not None:
            column, separator = self.choice.tags
            is_text = pa.types.is_string(table.schema.field(column).type)
            cells[column] = (separator.join(prototype.tags),) if is_text else (list(prototype.tags),)
        for name, values in cells.items():
            place = table.schema.get_field_index(name)
            field = table.schema.field(place)
            repeated = list(islice(cycle(values), prototype.rows))
            table = table.set_column(place, field, pa.array(repeated, field.type))
        return table

    @contextmanager
    def _open(self, path: str) -> Iterator[Any]:
        with self.files.system.open(path, "rb") as raw:
            try:
                yield pq.ParquetFile(raw)
            except pa.ArrowInvalid as error:
                raise ValueError(f"{path}: expected a Parquet file: {error}") from None


def _with_plain_text(table: Any) -> Any:
    """The same table with text of one type, which may be categories or have long offsets in the file."""
    for place, field in enumerate(table.schema):
        if _is_text(field.type) and not pa.types.is_string(field.type):
            plain = pa.field(field.name, pa.string(), metadata=field.metadata)
            table = table.set_column(place, plain, table.column(place).cast(pa.string()))
    return table


def _is_text(data: Any) -> bool:
    value = data.value_type if pa.types.is_dictionary(data) else data
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value))


def _is_of_words(name: str, rows: Rows, places: dict[str, int]) -> bool:
    """Whether a column of text is a feature of words. Text of dates has numbers."""
    if name in places:
        return is_all_zero(rows.x[:, places[name]])
    return any(feature.startswith(f"{name}=") for feature in rows.feature_names)


@contextmanager
def _naming(path: str, before: int) -> Iterator[None]:
    """Errors name the file and its row."""

    def place(match: re.Match[str]) -> str:
        return path if match[1] is None else f"{path}: row {int(match[1]) + before} of"

    try:
        yield
    except ValueError as error:
        raise ValueError(_PLACE.sub(place, str(error), count=1)) from None
