"""What all estimators on Dask have in common: the constructor, training, and the way to the local estimator."""

import copy
import math
from typing import Any, ClassVar, Self
from uuid import uuid4

import distributed
import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._document import documented
from .._estimator import MultiLabelClassifier, warn_of_limits
from .._seed import seed
from .._threads import threads
from .._verbose import reporter
from ._blocks import is_on_dask
from ._client import check_client, used_client
from ._computed import computed
from ._constructor import OF_DASK, constructor
from ._lazy import lazily
from ._partitions import Partitions
from ._predicted import correct, model_task
from ._refusals import check_can_fit
from ._shape import Shape
from ._training import rows_of


class OnDask(MultiLabelClassifier):
    """An estimator that is fitted to the rows of Dask collections.

    It comes before the local estimator among the bases of a class, so that it has the parameters and attributes of the
    local one.

    Attributes
    ----------
    client_ : distributed.Client or None
        The client that ``fit`` used. None if it used Dask's local scheduler.
    """

    # The estimator for rows in memory.
    _local: ClassVar[type[MultiLabelClassifier]]

    _for_many_rows: ClassVar[str] = "They may be more than fit into memory, in partitions."

    client: distributed.Client | None
    client_: distributed.Client | None
    sample_rows: int | None

    def __init__(
        self, *, client: distributed.Client | None = None, sample_rows: int | None = None, **parameters: Any
    ) -> None:
        super().__init__(**parameters)
        self.client = client
        self.sample_rows = sample_rows

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        local = next((base for base in cls.__mro__ if "_method" in vars(base)), None)
        if local is not None:
            cls._local = local
            cls.__init__ = constructor(OnDask.__init__, local)  # type: ignore[method-assign]
            cls.__doc__ = documented(cls, cls._method, cls._base_parameters, cls._accepts_also, OF_DASK)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Fits the model to the rows of Dask collections.

        The process that calls it runs the solvers. Partitions compute their shares of sums over rows, on the cluster or
        on Dask's local scheduler. The result depends neither on the number of workers nor on where partitions lie.

        Parameters
        ----------
        X : Dask array, Dask DataFrame, or list of delayed objects or futures, n×p in all
            Features. Chunks of arrays and elements of lists may be arrays or CSR matrices, those of lists also
            DataFrames. Chunk sizes may be unknown, and partitions may be empty. NaN is a missing value and is replaced
            as ``missing`` says.
        y : the same, n×q in all
            Zeros and ones, partitioned like ``X`` by rows. Arrays of known chunk sizes are rechunked to match ``X``.
        sample_weight : Dask array or Series, or list of delayed objects or futures, optional
            The weight of each row, partitioned like ``X``: finite, not negative, and not all zero. Rows of weight 0 are
            left out.

        Returns
        -------
        self
        """
        with self._unchanged_by_failures():
            return self._fit_partitions(X, y, sample_weight)

    def _fit_partitions(self, X: Any, y: Any, sample_weight: Any) -> Self:
        drawn = seed(getattr(self, "random_state", 0))
        self._check_parameters(drawn)
        partitions = Partitions.of(X, y, sample_weight)
        with used_client(self.client) as client, rows_of(client, partitions) as rows:
            found = rows.about()
            shape = Shape.of(found)
            parameters, base = self._parameters_for(shape.targets)
            names = shape.feature_names
            model = _native.fit_partitions(
                self._method,
                parameters,
                base,
                scaling=str(self.scaling),
                missing=str(self.missing),
                estimates=str(self.estimates),
                seed=drawn,
                threads=threads(self.n_jobs),
                rows=rows.among([number for number, about in enumerate(found) if about.rows]),
                columns=shape.columns,
                labels=shape.targets.count,
                is_sparse=shape.is_sparse,
                feature_names=None if names is None else list(names),
                label_names=None if shape.targets.names is None else list(shape.targets.names),
                sample_rows=None if self.sample_rows is None else int(self.sample_rows),
                report=reporter(self.verbose, type(self).__name__),
            )
        self.client_ = client
        self._take_columns(shape)
        self._keep(model, shape.targets)
        warn_of_limits(model, stacklevel=4)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None, decide: str | None = None) -> float:
        """The subset accuracy: the share of rows whose whole label set is predicted correctly.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`, or rows in memory.
        decide : str, optional
            As in :meth:`predict`. The score is the subset accuracy in any case.
        """
        if not is_on_dask(X):
            return super().score(X, y, sample_weight, decide)
        partitions, model = Partitions.of(X, y, sample_weight), model_task(self._for_tasks())
        tasks = partitions.each(correct, "mmoc-score", uuid4().hex, model, decide)
        with used_client(self.client) as client:
            found = computed(client, tasks)
        right, weight = (math.fsum(numbers) for numbers in zip(*found, strict=True))
        if weight == 0.0:
            raise ValueError("score needs at least one row with a positive weight, and there is none.")
        return right / weight

    def to_local(self) -> MultiLabelClassifier:
        """The fitted estimator of :mod:`mmoc` for rows in memory, with the same parameters and the same model."""
        check_is_fitted(self)
        given = self.get_params(deep=False)
        local = self._local(**{name: value for name, value in given.items() if name not in OF_DASK})
        fitted = {name: value for name, value in vars(self).items() if name not in given and name != "client_"}
        local.__dict__.update(fitted)
        return local

    def _for_tasks(self) -> MultiLabelClassifier:
        """The local estimator for tasks, which run as many at a time as a worker has threads."""
        local = self.to_local()
        local.n_jobs = 1
        return local

    def _lazily(self, X: Any, method: str, **options: Any) -> Any:
        return lazily(self._for_tasks(), X, method, options)

    def _check_parameters(self, drawn: int) -> None:
        """Refuses parameters before any rows are loaded."""
        check_client(self.client)
        check_can_fit(self, f"mmoc.{self._local.__name__}")
        reporter(self.verbose, "")
        threads(self.n_jobs)
        _native.check_partitions(
            self._method,
            *self._parameters(),
            scaling=str(self.scaling),
            missing=str(self.missing),
            estimates=str(self.estimates),
            seed=drawn,
        )

    def _take_columns(self, shape: Shape) -> None:
        self.n_features_in_ = shape.columns
        if shape.feature_names is not None:
            self.feature_names_in_ = np.array(shape.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _parameters(self) -> tuple[dict[str, Any], dict[str, Any]]:
        own, base = super()._parameters()
        return {name: value for name, value in own.items() if name not in OF_DASK}, base

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        if is_on_dask(X):
            raise TypeError(
                "this method takes rows in memory, not a Dask collection. Call compute() on the few rows that you want."
            )
        return super()._checked(X)

    def __sklearn_clone__(self) -> Self:
        # A client is a connection, which cannot be copied.
        given = self.get_params(deep=False)
        copied = {name: clone(value, safe=False) for name, value in given.items() if name != "client"}
        cloned = type(self)(client=self.client, **copied)
        if hasattr(self, "_metadata_request"):
            # What routing of metadata was asked for, which scikit-learn copies too.
            cloned._metadata_request = copy.deepcopy(self._metadata_request)
        return cloned

    def __getstate__(self) -> dict[str, Any]:
        # Neither can it be saved.
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "client_"} | {"client": None}
