"""The constructors of estimators on Dask: the parameters of the local estimators, and two more."""

import inspect
from collections.abc import Callable
from typing import Any

# The parameters beside those of the local estimator, with what the documentation says of them.
OF_DASK = {
    "client": "The cluster to use, a ``distributed.Client``. None uses the current client if there is one, otherwise "
    "Dask's local scheduler, which loads partitions for each pass over the rows instead of keeping them in memory.",
    "sample_rows": "The most rows that the code and the posterior are learnt from; classifiers and regressions are "
    "fitted to all rows. None is the default of the library.",
}


def constructor(common: Callable[..., None], local: type) -> Callable[..., None]:
    """The common constructor with a signature of its own, from which scikit-learn takes the parameters."""
    own = inspect.signature(local.__init__)  # type: ignore[misc]
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in OF_DASK]

    def __init__(self: Any, **parameters: Any) -> None:
        common(self, **parameters)

    __init__.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    return __init__
