"""The files that partitions are read from, and the reader of the library that they are given to."""

import bz2
import gzip
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple, Self

import dask
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from dask.utils import natural_sort_key
from fsspec.core import url_to_fs
from fsspec.utils import read_block

from .. import _native
from .._features import label_array

_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".svm": "libsvm",
    ".libsvm": "libsvm",
    ".parquet": "parquet",
    ".pq": "parquet",
}
# Of the parts of a data set, in the names of files.
_MARKS = ("-train", "-test", "-sparse", "-dense")
_DECOMPRESS: dict[str, Callable[[Any], Any]] = {".gz": gzip.open, ".bz2": bz2.open}
# So many bytes of lines are looked through at a time.
_CHUNK = 1 << 20


class Rows(NamedTuple):
    """Rows as the library read them."""

    x: Any
    y: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None
    feature_names: list[str]
    label_names: list[str]
    notes: list[str]

    def after(self, count: int) -> Self:
        """The rows after the first few."""
        weights = None if self.weights is None else self.weights[count:]
        return self._replace(x=self.x[count:], y=self.y[count:], weights=weights)


@dataclass(frozen=True)
class Choice:
    """What columns are read as: the arguments of ``mmoc.read``."""

    labels: str | None
    label_names: list[str] | None
    tags: tuple[str, str] | None
    ignore: list[str]
    id: str | None
    weight: str | None
    format: str
    missing: str
    times: str

    def read(self, origin: Any) -> Rows:
        """Reads a file, or a table in memory, on the calling thread: Dask runs as many tasks as there are threads."""
        x, pattern, _, weights, feature_names, label_names, _, notes = _native.read(
            [origin] if isinstance(origin, str) else origin,
            labels=self.labels,
            label_names=self.label_names,
            tags=self.tags,
            ignore=self.ignore,
            id=self.id,
            weight=self.weight,
            labels_as_features=False,
            format=self.format if isinstance(origin, str) else None,
            missing=self.missing,
            missing_labels="refuse",
            times=self.times,
            top_labels=None,
            drop_empty_rows=False,
            threads=1,
        )
        y = label_array(pattern, len(label_names), np.int64)
        if isinstance(x, tuple):
            x = sp.csr_matrix(x, shape=(len(y), len(feature_names)))
        return Rows(x, y, weights, feature_names, label_names, notes)

    def with_labels(self, names: list[str]) -> Self:
        """The same with labels by their names, unless tags are the labels."""
        return self if self.tags is not None else replace(self, labels=None, label_names=names)

    def with_all_labels(self) -> Self:
        """The same with all labels that files have."""
        return replace(self, labels=None, label_names=None)

    def ignoring(self, names: list[str]) -> Self:
        """The same without some columns more."""
        return replace(self, ignore=[*self.ignore, *names])


@dataclass(frozen=True)
class Files:
    """Files of one format, in the order of their rows."""

    system: Any
    paths: tuple[str, ...]
    format: str
    blocksize: int | None

    @classmethod
    def of(cls, paths: Any, format: str | None, storage_options: dict[str, Any], blocksize: int | None) -> Self:
        """The files that paths, patterns and folders stand for."""
        asked = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        if not asked:
            raise ValueError("paths must name at least one file")
        if blocksize is not None and blocksize < 1:
            raise ValueError(f"blocksize must be a number of bytes of at least 1, or None, not {blocksize}")
        system, _ = url_to_fs(os.fspath(asked[0]), **storage_options)
        found = [path for one in asked for path in _expanded(system, os.fspath(one))]
        return cls(system, tuple(found), _checked_format(found, format), blocksize)

    @property
    def name(self) -> str:
        """What the data set is called: the first file's name, without what marks a part or a form of a data set."""
        name = _without_compression(self.paths[0])
        stem = name.stem if name.suffix in _FORMATS else name.name
        while (mark := next((own for own in _MARKS if stem.endswith(own) and stem != own), None)) is not None:
            stem = stem.removesuffix(mark)
        return stem

    def version(self, path: str) -> str:
        """What changes with the file, so that rows of an older version are not taken for its own."""
        return str(self.system.ukey(path))

    def blocks(self) -> list["Block"]:
        """The byte ranges of all files."""
        return [block for path in self.paths for block in self._blocks_of(path)]

    def _blocks_of(self, path: str) -> list["Block"]:
        if self.blocksize is None or is_compressed(path):
            return [Block(self.system, path, 0, None)]
        size = self.system.size(path)
        count = max(1, -(-size // self.blocksize))
        length = max(1, -(-size // count))
        return [Block(self.system, path, index * length, length) for index in range(count)]


def _expanded(system: Any, path: str) -> list[str]:
    """The files of a pattern or folder, sorted, or the file of this name."""
    path = system._strip_protocol(path)
    if any(mark in path for mark in "*?[") and not system.exists(path):
        found = [own for own in system.glob(path) if system.isfile(own)]
    elif system.isdir(path):
        # Programs that write tables in parts put files about them beside the parts.
        names = (own for own in system.ls(path, detail=False) if not PurePosixPath(own).name.startswith(("_", ".")))
        found = [own for own in names if _format_of(own) is not None]
    else:
        found = [path] if system.exists(path) else []
    if not found:
        raise FileNotFoundError(f"there is no file {path}")
    return sorted(found, key=natural_sort_key)


def is_compressed(path: str) -> bool:
    """Whether a file is decompressed as it is read."""
    return PurePosixPath(path).suffix in _DECOMPRESS


def _without_compression(path: str) -> PurePosixPath:
    name = PurePosixPath(path)
    return name.with_suffix("") if name.suffix in _DECOMPRESS else name


def _format_of(path: str) -> str | None:
    return _FORMATS.get(_without_compression(path).suffix)


def _checked_format(paths: list[str], given: str | None) -> str:
    """The format of all files."""
    if given is not None:
        if given not in _FORMATS.values():
            raise ValueError(f"format must be one of {_listed_formats()}, not {given!r}. {_REMEDY}")
        return given
    formats = {path: _format_of(path) for path in paths}
    first = formats[paths[0]]
    for path, found in formats.items():
        if found is None:
            raise ValueError(
                f"{path}: the name does not say the format. Give format: one of {_listed_formats()}. {_REMEDY}"
            )
        if found != first:
            raise ValueError(f"{path} is a {found} file, and {paths[0]} is a {first} file. All must have one format.")
    return str(first)


_REMEDY = "Files of other formats can be converted: mmoc convert IN OUT.parquet"


def _listed_formats() -> str:
    return ", ".join(repr(name) for name in dict.fromkeys(_FORMATS.values()))


@dataclass(frozen=True)
class Block:
    """Some lines of a file: those that begin in a range of its bytes, or all if it has no length."""

    system: Any
    path: str
    start: int
    length: int | None

    def read(self) -> bytes:
        """The lines."""
        with self.open() as file:
            whole: bytes = file.read() if self.length is None else read_block(file, self.start, self.length, b"\n")
        return whole

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The file, decompressed."""
        with self.system.open(self.path, "rb") as file:
            decompress = _DECOMPRESS.get(PurePosixPath(self.path).suffix)
            if decompress is None:
                yield file
            else:
                with decompress(file) as text:
                    yield text

    def lines_before(self) -> int:
        """The number of lines of the file before these. The file is read up to there, which only errors need."""
        if self.start == 0:
            return 0
        with self.open() as file:
            # A line that begins right at the range belongs to the one before, as `read_block` has it.
            return _line_ends(file, self.start) + bool(file.readline())


def _line_ends(file: IO[bytes], count: int) -> int:
    """The line ends among so many bytes."""
    found = 0
    while count > 0 and (chunk := file.read(min(count, _CHUNK))):
        found += chunk.count(b"\n")
        count -= len(chunk)
    return found


@contextmanager
def written(path: str, parts: Sequence[bytes], line: Callable[[int], int | None]) -> Iterator[str]:
    """A temporary file of this content, as the library reads files only. It has the name of the file at ``path``.

    Errors name that file, and for a line of the temporary file the line that it was there.
    """
    # The content is not compressed any more.
    name = _without_compression(path).name
    with tempfile.TemporaryDirectory(prefix="mmoc-", dir=dask.config.get("temporary-directory", None)) as folder:
        temporary = os.path.join(folder, name)
        with open(temporary, "wb") as file:
            file.writelines(parts)
        try:
            yield temporary
        except ValueError as error:
            raise ValueError(_placed(str(error), temporary, path, line)) from None


def _placed(message: str, temporary: str, path: str, line: Callable[[int], int | None]) -> str:
    """A message about a temporary file as one about the file that its lines are from."""

    def place(match: re.Match[str]) -> str:
        number = None if match[1] is None else line(int(match[1]))
        if number is not None:
            return f"{path}:{number}{match[2]}"
        return path if match[1] is None else f"{path}:"

    return re.sub(re.escape(temporary) + r"(?::(\d+)(:\d+:))?", place, message)
