"""The estimators on Dask: rows on a cluster, or on one machine with more rows than memory.

The rows stay in their partitions. The process that calls ``fit`` runs the solvers and asks the partitions for sums over
their rows. Results do not depend on the number of workers.

>>> import dask.array as da
>>> from sklearn.datasets import make_multilabel_classification
>>> import mmoc.dask
>>> X, Y = make_multilabel_classification(n_samples=200, n_classes=4, random_state=0)
>>> X, Y = da.from_array(X, chunks=(50, -1)), da.from_array(Y, chunks=(50, -1))
>>> model = mmoc.dask.MaxMarginOutputCoding().fit(X, Y)
>>> model.predict(X).shape
(200, 4)
"""

from typing import TYPE_CHECKING, Any

try:
    import dask.array
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(f"mmoc.dask needs Dask ({error}). Install it by: pip install mmoc[dask]") from error

from ._estimators import (
    BinaryRelevance,
    CanonicalCorrelationCoding,
    CompressedSensingCoding,
    MaxMarginOutputCoding,
    PrincipalLabelSpaceCoding,
    RedundantPrincipalLabelSpaceCoding,
)
from ._folds import folds

if TYPE_CHECKING:
    from ._compare import compare
    from ._read import read

__all__ = [
    "BinaryRelevance",
    "CanonicalCorrelationCoding",
    "CompressedSensingCoding",
    "MaxMarginOutputCoding",
    "PrincipalLabelSpaceCoding",
    "RedundantPrincipalLabelSpaceCoding",
    "compare",
    "folds",
    "read",
]


def __getattr__(name: str) -> Any:
    """Reading and comparing are imported when they are used: workers that train need neither."""
    if name == "read":
        from ._read import read

        return read
    if name == "compare":
        from ._compare import compare

        return compare
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
