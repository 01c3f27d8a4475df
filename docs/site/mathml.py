"""Formulas: blocks of LaTeX become MathML, which browsers show without a script or a font of ours."""

from html import escape
from typing import Any

from latex2mathml.converter import convert


def display(source: str, language: str, css_class: str, *others: Any, **more: Any) -> str:
    """The HTML of a block, as superfences asks for it."""
    return f'<div class="{escape(css_class)}">{convert(source.strip(), display="block")}</div>'
