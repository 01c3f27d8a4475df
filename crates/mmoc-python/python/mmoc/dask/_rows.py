"""Rows in partitions, as the library asks for sums over them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from dask.delayed import Delayed

from ._parts import About
from ._requests import Keys, about_tasks, added, answer_tasks, fold_tasks, partial_sums

# From partitions to tasks.
Tasks = Callable[[list[Any]], list[Delayed]]


class Rows(ABC):
    """The rows of a data set. Rust calls `sum`, `collect`, `derive` and `release` on the thread that called `fit`."""

    def sum(self, name: str, request: bytes) -> bytes:
        """The answers of all partitions, added in their order."""
        return added(*self._computed(lambda parts: self._partial_sums(parts, request, Keys.of(name))))

    def collect(self, name: str, request: bytes) -> list[bytes]:
        """The answers of all partitions, in their order."""
        return self._computed(lambda parts: self._answers(parts, request, Keys.of(name)))

    def about(self) -> list[About]:
        """What is known of each partition."""
        return self._computed(about_tasks)

    def folds(self, count: int, seed: int) -> npt.NDArray[np.int64]:
        """The fold of each row."""
        return np.concatenate(self._computed(lambda parts: fold_tasks(parts, count, seed)))

    def _partial_sums(self, parts: list[Any], request: bytes, keys: Keys) -> list[Delayed]:
        return partial_sums(self._answers(parts, request, keys), keys)

    def _answers(self, parts: list[Any], request: bytes, keys: Keys) -> list[Delayed]:
        return answer_tasks(parts, self._given(request, keys), keys)

    def _given(self, request: bytes, keys: Keys) -> bytes | Delayed:
        """The request as tasks get it."""
        return request

    @abstractmethod
    def derive(self, name: str, request: bytes) -> "Rows":
        """Other rows, made of these."""

    @abstractmethod
    def release(self) -> None:
        """Lets partitions be forgotten that are not asked any more."""

    @abstractmethod
    def among(self, numbers: list[int]) -> Self:
        """The rows of some of the partitions."""

    @abstractmethod
    def stop(self) -> None:
        """Ends the work on these rows and on those derived from them."""

    @abstractmethod
    def _computed(self, tasks: Tasks) -> list[Any]:
        """The results of tasks on the partitions."""
