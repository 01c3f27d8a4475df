"""Reading CSV and TSV files in byte ranges."""

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

from ._read_files import Block, Choice, Files, Rows, written
from ._read_schema import NamedColumns, Prototype, is_all_zero

# From so many bytes of a file follows whether its columns are numbers or words.
_HEAD = 1 << 20
_MISSING = ("", "?", "NA", "N/A", "n/a", "<NA>")
_MARK = b"\xef\xbb\xbf"


class TableReader(NamedColumns):
    """Reads tables of text."""

    def __init__(self, files: Files, choice: Choice) -> None:
        super().__init__(files, choice)
        with Block(files.system, files.paths[0], 0, None).open() as file:
            self.columns, self.separator = self._columns(files.paths[0], file.readline())
        # The first cell of each column that is a number or a date.
        self.cells: dict[str, str] = {}

    @property
    def token(self) -> tuple[Any, ...]:
        return *super().token, self.columns, self.cells

    def pieces(self) -> list[Block]:
        return self.files.blocks()

    def head(self) -> tuple[Rows, list[str]]:
        rows, lines = self._first_rows()
        cells = self._first_cells(lines)
        places = {name: place for place, name in enumerate(rows.feature_names)}
        words = [name for name, cell in cells.items() if _is_of_words(name, cell, rows, places)]
        self.cells = {name: cell for name, cell in cells.items() if name in places and name not in words}
        return rows, words

    def _first_rows(self) -> tuple[Rows, bytes]:
        """The first rows of the first file that has any, and their lines."""
        for path in self.files.paths:
            with Block(self.files.system, path, 0, None).open() as file:
                header, lines = file.readline(), file.read(_HEAD)
                lines = _whole_records(lines) if file.read(1) else lines
            if lines.strip() or path == self.files.paths[-1]:
                with written(path, [header, lines], lambda line: line) as temporary:
                    return self.choice.read(temporary), lines
        raise AssertionError("there is a last file")

    def _first_cells(self, lines: bytes) -> dict[str, str]:
        """The first cell of each column that is not missing."""
        found: dict[str, str] = {}
        for record in _records(lines.decode(errors="replace"), self.separator):
            for name, cell in zip(self.columns, record, strict=False):
                if name and not _is_missing(cell):
                    found.setdefault(name, cell)
            if len(found) == len(self.columns):
                break
        return found

    def read(self, piece: Block, prototype: Prototype) -> Rows:
        header, own, text = self._header(piece), self._lines_of(prototype), piece.read()
        # The first range of a file has the header.
        lines = text[len(header) :] if piece.start == 0 else text
        before = 1 + own.count(b"\n")

        def line(number: int) -> int | None:
            return piece.lines_before() + number - before + (piece.start == 0) if number > before else None

        with _with_remedy(piece), written(piece.path, [_ended(header), own, lines], line) as temporary:
            return self.choice.read(temporary).after(prototype.rows)

    def read_prototype(self, prototype: Prototype) -> Rows:
        path = self.files.paths[0]
        header = self._header(Block(self.files.system, path, 0, None))
        with written(path, [_ended(header), self._lines_of(prototype)], lambda line: None) as temporary:
            return self.choice.read(temporary)

    def _header(self, block: Block) -> bytes:
        """The first line of a file, which must name the columns of the first file."""
        with block.open() as file:
            header = file.readline()
        columns, _ = self._columns(block.path, header)
        if columns != self.columns:
            raise ValueError(f"{block.path}:1: {_difference(columns, self.columns)}, as in {self.files.paths[0]}")
        return header

    def _columns(self, path: str, header: bytes) -> tuple[list[str], str]:
        """The names of columns, and what separates them."""
        text = header.removeprefix(_MARK).decode(errors="replace").rstrip("\r\n")
        if not text.strip():
            raise ValueError(f"{path}:1: expected a line with the names of the columns, found none")
        if "\r" in text or text.count('"') % 2:
            raise ValueError(f"{path}:1: expected the names of the columns in one line, which ends with a line feed")
        return _names(text, "\t" if self.files.format == "tsv" else ",")

    def _lines_of(self, prototype: Prototype) -> bytes:
        """Rows of our own, as lines."""
        rows = (self._row_of(prototype, row) for row in range(prototype.rows))
        return "".join(f"{self.separator.join(map(_quoted, cells))}\n" for cells in rows).encode()

    def _row_of(self, prototype: Prototype, row: int) -> list[str]:
        """A row of our own. Labels are 0, and so are columns that are left out."""
        cells = self.cells | {name: words[row % len(words)] for name, words in prototype.words.items()}
        if self.choice.weight is not None:
            cells[self.choice.weight] = "1"
        if self.choice.tags is not None:
            column, separator = self.choice.tags
            cells[column] = separator.join(prototype.tags)
        return [cells.get(name, "0") for name in self.columns]


def _ended(line: bytes) -> bytes:
    """A line with its end, which the last one of a file may lack."""
    return line if line.endswith(b"\n") else line + b"\n"


def _names(header: str, separator: str) -> tuple[list[str], str]:
    """The names of columns, and what separates them: semicolons or tabs if there is no comma."""
    (names,) = _records(header, separator)
    others = [mark for mark in ";\t" if mark in header]
    if separator == "," and len(names) == 1 and others:
        return _names(header, others[0])
    return names, separator


def _records(text: str, separator: str) -> Iterator[list[str]]:
    """The cells of each line, without blanks around them."""
    for record in csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=separator != "\t"):
        yield [cell.strip(" \t") for cell in record]


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _whole_records(lines: bytes) -> bytes:
    """The lines up to the last one that ends outside of quotes."""
    end = lines.rfind(b"\n")
    while end >= 0 and lines.count(b'"', 0, end) % 2:
        end = lines.rfind(b"\n", 0, end)
    return lines[: end + 1]


def _is_missing(cell: str) -> bool:
    return cell in _MISSING or cell.lower() in ("nan", "null")


def _is_of_words(name: str, cell: str, rows: Rows, places: dict[str, int]) -> bool:
    """Whether a column of the first rows is a feature of words. Columns of dates have numbers."""
    if _is_number(cell):
        return False
    if name in places:
        return is_all_zero(rows.x[:, places[name]])
    return any(feature.startswith(f"{name}=") for feature in rows.feature_names)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


@contextmanager
def _with_remedy(piece: Block) -> Iterator[None]:
    """Errors say what to do if a range ends inside quotes. Then they have no closing quote there, or no opening one."""
    try:
        yield
    except ValueError as error:
        if piece.length is None or not re.search("quote|fields as in the header", str(error)):
            raise
        remedy = "if cells have line ends inside quotes, blocksize=None reads each file as one partition"
        raise ValueError(f"{error} ({remedy})") from None


def _difference(found: list[str], expected: list[str]) -> str:
    """How the columns of a file differ from those of the first."""
    for one, other in zip_longest(expected, found):
        if one != other:
            return f"expected {_shown(one)}, found {_shown(other)}"
    raise AssertionError("they differ")


def _shown(column: str | None) -> str:
    return "no more columns" if column is None else f"the column {column!r}"
