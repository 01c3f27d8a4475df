"""What griffe cannot read in the source of the package: parameters of estimators, and roles of Sphinx as Markdown."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import griffe

DOCSTRINGS = Path(__file__).resolve().parents[2] / "target" / "docstrings.json"
# The signature has the defaults already.
DEFAULT = re.compile(r"^(\w+) : default=.*$", re.MULTILINE)
ROLE = re.compile(r":\w+:`~?([^`]+)`")


@cache
def docstrings() -> dict[str, str]:
    found: dict[str, str] = json.loads(DOCSTRINGS.read_text(encoding="utf-8"))
    return found


class Docstrings(griffe.Extension):
    def on_class(self, *, cls: griffe.Class, **others: Any) -> None:
        if cls.docstring and (text := docstrings().get(cls.path)):
            cls.docstring.value = DEFAULT.sub(r"\1", text)

    def on_object(self, *, obj: griffe.Object, **others: Any) -> None:
        if obj.docstring:
            obj.docstring.value = ROLE.sub(r"`\1`", obj.docstring.value)
