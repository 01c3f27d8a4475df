"""The packages that an MLflow model needs."""

from collections.abc import Iterable
from importlib.metadata import version

from ._mlflow_serialization import PICKLE


def default_requirements() -> list[str]:
    """This release of mmoc, which brings NumPy, SciPy and scikit-learn."""
    return [_pinned("mmoc")]


def all_requirements(serialization_format: str, extra: Iterable[str] | str | None) -> list[str]:
    """The default, what is needed to read pickles, and what the user adds: names, or the path of a file with them."""
    # A pickled estimator of scikit-learn can be read by its own release only.
    pickled = [_pinned("scikit-learn"), _pinned("numpy")] if serialization_format == PICKLE else []
    added = [] if extra is None else [f"-r {extra}"] if isinstance(extra, str) else list(extra)
    return [*default_requirements(), *pickled, *added]


def _pinned(package: str) -> str:
    return f"{package}=={version(package)}"
