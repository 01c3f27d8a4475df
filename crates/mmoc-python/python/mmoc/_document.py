"""The parameters of estimators as the registry describes them, for ``help``."""

import inspect
import textwrap

from . import _native

_OF_TRAINING = {
    "scaling": "How features are scaled by what the training rows say: none, standard, or auto, which leaves features "
    "within [-1, 1] as they are and standardises others.",
    "estimates": "Whether ``estimates_`` are made from rows held out: always, never, or auto, which makes them unless "
    "penalties are given and folds would be fitted for the estimates alone. The model does not depend on it.",
    "random_state": "Where random choices come from: a whole number is the seed, the one of ``mmoc train --seed``; "
    "None and a RandomState draw one.",
    "n_jobs": "Threads: None takes all cores, or those that joblib leaves to its workers; -1 takes all. Results do not "
    "depend on it.",
}


def documented(cls: type, method: str, base: tuple[str, ...]) -> str:
    """The docstring of an estimator with a section about its parameters."""
    registry = _native.methods()[method]
    shared = _native.base_parameters()
    entries = []
    for name, parameter in inspect.signature(cls).parameters.items():
        if name in _OF_TRAINING:
            entries.append((name, parameter.default, _OF_TRAINING[name]))
        else:
            about = shared[name] if name in base else registry[name]
            entries.append((name, parameter.default, _sentence(about)))
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
    """What there is after fit beside ``classes_``, ``n_features_in_`` and ``feature_names_in_``."""
    found = inspect.getmembers(cls, lambda member: isinstance(member, property))
    return [(name, inspect.getdoc(own) or "") for name, own in found if name.endswith("_") and not name.startswith("_")]


def _sentence(about: tuple[object, str, str, str | None]) -> str:
    _, summary, allowed, absent = about
    if absent is not None:
        allowed = allowed.replace(absent, f"None ({absent})", 1)
    return f"{summary[0].upper()}{summary[1:]}: {allowed}."
