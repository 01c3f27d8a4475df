"""Formulas: blocks of LaTeX become MathML, which browsers show without a script or a font of ours."""

import re
from html import escape
from typing import Any

from latex2mathml.converter import convert
from pymdownx.superfences import SuperFencesException

# What the converter does not know, it copies.
COPIED = re.compile(r"\\[a-zA-Z]+|&amp;|&#x00026;")


def display(source: str, language: str, css_class: str, *others: Any, **more: Any) -> str:
    """The HTML of a block, as superfences asks for it. Superfences hides all exceptions but its own."""
    # GitHub has `aligned`, the converter only `align*`, which is the same in a block.
    try:
        formula = convert(source.strip().replace("{aligned}", "{align*}"), display="block")
    except Exception as error:
        raise SuperFencesException(f"latex2mathml cannot read the formula {source}") from error
    if copied := COPIED.search(formula):
        raise SuperFencesException(f"latex2mathml does not know {copied[0]} in the formula {source}")
    return f'<div class="{escape(css_class)}">{formula}</div>'
