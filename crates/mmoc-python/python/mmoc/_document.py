"""The parameters of estimators as the registry describes them, for ``help``."""

import inspect
import textwrap

from . import _native

_OF_TRAINING = {
    "scaling": "How features are scaled by what the training rows say: none, standard, or auto, which leaves features "
    "within [-1, 1] as they are and standardises others.",
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
    lines = ["Parameters", "----------"]
    for name, default, text in entries:
        lines.append(f"{name} : default={default!r}")
        lines.append(textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    "))
    return inspect.cleandoc(cls.__doc__ or "") + "\n\n" + "\n".join(lines) + "\n"


def _sentence(about: tuple[object, str, str, str | None]) -> str:
    _, summary, allowed, absent = about
    if absent is not None:
        allowed = allowed.replace(absent, f"None ({absent})", 1)
    return f"{summary[0].upper()}{summary[1:]}: {allowed}."
