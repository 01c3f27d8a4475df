"""Requests to partitions as tasks, and the sums of their answers.

Answers are added by a tree of a fixed fan-in in the order of partitions. It depends on the number of partitions alone.
So sums are the same, bit for bit, wherever partitions lie and whatever adds them.
"""

import re
from dataclasses import dataclass
from typing import Any, Self
from uuid import uuid4

from dask import delayed
from dask.delayed import Delayed

from .. import _native
from ._parts import about, answer, derived, folds

# How many sums one task adds.
FAN_IN = 8


@dataclass(frozen=True)
class Keys:
    """The keys of the tasks of one request. Dask's dashboard shows them without the token."""

    name: str
    token: str

    @classmethod
    def of(cls, name: str) -> Self:
        """Keys for something with a readable name, such as Gram matrix."""
        # Dask takes a name to end before the first word that has something else than letters.
        words = re.sub("[^a-z]+", "-", name.lower()).strip("-")
        return cls(f"mmoc-{words}", uuid4().hex)

    def of_part(self, number: int) -> tuple[str, int]:
        """The key of what is computed of one partition."""
        return f"{self.name}-{self.token}", number

    def of_sum(self, level: int, number: int) -> tuple[str, int, int]:
        """The key of the sum of some answers."""
        return f"{self.name}-sum-{self.token}", level, number

    def of_total(self) -> str:
        """The key of the sum of all answers."""
        return f"{self.name}-sum-{self.token}"

    def of_request(self) -> str:
        """The key of the request itself."""
        return f"{self.name}-request-{self.token}"


def request_task(request: bytes, keys: Keys) -> Delayed:
    """The request as a task that all partitions share. Unlike data sent to a worker, it can be computed again."""
    return _same(request, dask_key_name=keys.of_request())


def about_tasks(parts: list[Any]) -> list[Delayed]:
    """What is known of each partition."""
    return _each(_about, parts, Keys.of("shape"))


def fold_tasks(parts: list[Any], count: int, seed: int) -> list[Delayed]:
    """The fold of each row of each partition."""
    return _each(_folds, parts, Keys.of("folds"), count, seed)


def answer_tasks(parts: list[Any], request: bytes | Delayed, keys: Keys) -> list[Delayed]:
    """The answer of each partition."""
    return _each(_answer, parts, keys, request)


def derived_tasks(parts: list[Any], request: bytes | Delayed, keys: Keys) -> list[Delayed]:
    """Other rows, made of those of each partition."""
    return _each(_derived, parts, keys, request)


def partial_sums(tasks: list[Delayed], keys: Keys) -> list[Delayed]:
    """Sums of tasks in their order, as many as one more addition takes."""
    level = 0
    while len(tasks) > FAN_IN:
        groups = [tasks[start : start + FAN_IN] for start in range(0, len(tasks), FAN_IN)]
        tasks = [_sum(group, keys.of_sum(level, number)) for number, group in enumerate(groups)]
        level += 1
    return tasks


def total(tasks: list[Delayed], keys: Keys) -> Delayed:
    """The sum of tasks in their order, added as `partial_sums` and `added` would."""
    return _sum(partial_sums(tasks, keys), keys.of_total())


def added(*answers: bytes) -> bytes:
    """The sum of answers in their order."""
    return answers[0] if len(answers) == 1 else _native.add_answers(list(answers))


def _sum(tasks: list[Delayed], key: Any) -> Delayed:
    # One answer is its own sum.
    return tasks[0] if len(tasks) == 1 else _added(*tasks, dask_key_name=key)


def _each(task: Any, parts: list[Any], keys: Keys, *arguments: Any) -> list[Delayed]:
    return [task(part, *arguments, dask_key_name=keys.of_part(number)) for number, part in enumerate(parts)]


def _identity(request: bytes) -> bytes:
    return request


_same, _about, _folds = (delayed(function, pure=False) for function in (_identity, about, folds))
_answer, _derived, _added = (delayed(function, pure=False) for function in (answer, derived, added))
