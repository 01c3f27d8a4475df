"""Docstrings of estimators with the parameters that the registry describes."""

import inspect
import textwrap
from collections.abc import Mapping
from types import MappingProxyType

from . import _native

_OF_TRAINING = {
    "missing_labels": "Whether NaN, None and nulls in ``y`` are an error (refuse), or unknown labels (ignore), which "
    "``score`` leaves out.",
    "scaling": "How features are scaled: none, standard (zero mean and unit variance over the training rows), or auto "
    "(none if all features are within [-1, 1] and no column is below 1e-6 throughout, otherwise standard).",
    "missing": "What replaces a missing value (NaN): the mean or the median of its column over the training rows, or "
    "indicator, which is the mean and one more feature for each column with missing values in the training rows: 1 "
    "where the value is missing, 0 elsewhere.",
    "estimates": "Whether to compute ``estimates_`` from held-out predictions: always, never, or auto. With auto they "
    "are computed unless penalties are given and only the estimates would need cross-validation. The model is the same "
    "in all cases.",
    "random_state": "The source of randomness. An integer is the seed, as in ``mmoc train --seed``. With None or a "
    "RandomState the seed is drawn.",
    "n_jobs": "The number of threads. None uses all cores, or the share that joblib gives to its workers; -1 uses all "
    "cores. Results do not depend on it.",
    "verbose": "Whether to write the stages of ``fit`` to standard error: 0 or 1.",
}


_NONE: Mapping[str, str] = MappingProxyType({})


def documented(
    cls: type, method: str, base: tuple[str, ...], accepts_also: dict[str, str], others: Mapping[str, str] = _NONE
) -> str:
    """The docstring of an estimator with sections on its parameters and attributes. `others` describes parameters that
    are not of the registry."""
    registry = _native.methods()[method]
    shared = _native.base_parameters()
    described = {**_OF_TRAINING, **others}
    entries = []
    for name, parameter in inspect.signature(cls).parameters.items():
        if name in described:
            entries.append((name, parameter.default, described[name]))
        else:
            about = shared[name] if name in base else registry[name]
            also = [accepts_also[name]] if name in accepts_also else []
            entries.append((name, parameter.default, " ".join([_sentence(about), *also])))
    parameters = _section("Parameters", [(f"{name} : default={default!r}", text) for name, default, text in entries])
    story, examples = inspect.cleandoc(cls.__doc__ or "").split("Examples\n--------\n")
    return f"{story}{parameters}\n{_section('Attributes', _attributes(cls))}\nExamples\n--------\n{examples}\n"


def _section(title: str, entries: list[tuple[str, str]]) -> str:
    lines = [title, "-" * len(title)]
    for name, text in entries:
        lines.append(name)
        lines.append(textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines) + "\n"


def _attributes(cls: type) -> list[tuple[str, str]]:
    """The fitted attributes except ``classes_``, ``n_features_in_`` and ``feature_names_in_``."""
    found = inspect.getmembers(cls, lambda member: isinstance(member, property))
    return [(name, inspect.getdoc(own) or "") for name, own in found if name.endswith("_") and not name.startswith("_")]


def _sentence(about: tuple[object, str, str, str | None]) -> str:
    _, summary, allowed, absent = about
    if absent is not None:
        allowed = allowed.replace(absent, f"None ({absent})", 1)
    return f"{summary[0].upper()}{summary[1:]}: {allowed}."
