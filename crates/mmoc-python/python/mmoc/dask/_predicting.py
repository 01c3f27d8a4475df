"""Methods that predict lazily for Dask collections, and for rows in memory as the local estimators do."""

from typing import Any

from .._estimator import HasDecisions, HasPosterior, HasProbabilities
from ._blocks import is_on_dask
from ._on_dask import OnDask


class PredictsOnDask(OnDask):
    """An estimator on Dask that predicts label sets."""

    def predict(self, X: Any, decide: str | None = None) -> Any:
        """Predicts the label set of each row.

        Parameters
        ----------
        X : Dask array, Dask DataFrame, or list of delayed objects or futures; or rows in memory
            Features.
        decide : str, optional
            As in the local estimator.

        Returns
        -------
        Dask array, Dask DataFrame, or list of delayed objects
            Zeros and ones, n×q, of the same kind as ``X`` and with its partitions. A DataFrame has a column for each
            label. Chunks are CSR matrices if ``y`` was sparse, also for DataFrames. Nothing is computed yet. For rows
            in memory, what the local estimator returns.
        """
        return self._lazily(X, "predict", decide=decide) if is_on_dask(X) else super().predict(X, decide)

    def predict_tags(self, X: Any, decide: str | None = None) -> Any:
        """Predicts the names of the labels of each row.

        Parameters
        ----------
        X, decide
            As in :meth:`predict`.

        Returns
        -------
        list of delayed objects
            One for each partition: a list with a tuple of names for each row. For rows in memory, such a list.
        """
        return self._lazily(X, "predict_tags", decide=decide) if is_on_dask(X) else super().predict_tags(X, decide)


class ProbabilitiesOnDask(PredictsOnDask, HasProbabilities):
    """An estimator on Dask with a probability for each label."""

    def predict_proba(self, X: Any) -> Any:
        """Predicts the probability of each label in each row.

        Parameters
        ----------
        X
            As in :meth:`predict`.

        Returns
        -------
        Dask array, Dask DataFrame, or list of delayed objects
            Of shape (n, q). For rows in memory, what the local estimator returns.
        """
        return self._lazily(X, "predict_proba") if is_on_dask(X) else super().predict_proba(X)

    def predict_top_k(self, X: Any, k: int = 3) -> Any:
        """Predicts the k labels of highest probability in each row, with their probabilities.

        Parameters
        ----------
        X
            As in :meth:`predict`.
        k : int, default=3
            The number of labels.

        Returns
        -------
        labels, probabilities : Dask arrays of shape (n, k)
            As the local estimator returns them, as well for DataFrames. For a list, a list of delayed pairs.
        """
        return self._lazily(X, "predict_top_k", k=k) if is_on_dask(X) else super().predict_top_k(X, k)


class DecisionsOnDask(PredictsOnDask, HasDecisions):
    """An estimator on Dask that decides each label separately by a score."""

    def decision_function(self, X: Any) -> Any:
        """The score of each label in each row.

        Parameters
        ----------
        X
            As in :meth:`predict`.

        Returns
        -------
        Dask array, Dask DataFrame, or list of delayed objects
            Of shape (n, q). For rows in memory, what the local estimator returns.
        """
        return self._lazily(X, "decision_function") if is_on_dask(X) else super().decision_function(X)


class PosteriorOnDask(PredictsOnDask, HasPosterior):
    """An estimator on Dask that may have a posterior."""

    def predict_sets(self, X: Any, k: int = 1) -> Any:
        """Predicts the k likeliest label sets of each row, with their probabilities.

        Parameters
        ----------
        X
            As in :meth:`predict`.
        k : int, default=1
            The number of label sets.

        Returns
        -------
        sets, probabilities : Dask arrays of shape (n, k, q) and (n, k)
            As the local estimator returns them, as well for DataFrames. For a list, a list of delayed pairs.
        """
        return self._lazily(X, "predict_sets", k=k) if is_on_dask(X) else super().predict_sets(X, k)

    def predict_confidence(self, X: Any, decide: str | None = None) -> Any:
        """Predicts how likely it is that the whole predicted label set of each row is right.

        This is recalibrated after training, so it may differ from the probability of the set in :meth:`predict_sets`,
        which is that of the posterior before.

        Parameters
        ----------
        X, decide
            As in :meth:`predict`.

        Returns
        -------
        Dask array or Series of n numbers, or list of delayed objects
            For rows in memory, what the local estimator returns.
        """
        if not is_on_dask(X):
            return super().predict_confidence(X, decide)
        return self._lazily(X, "predict_confidence", decide=decide)


class JointDecodingOnDask(ProbabilitiesOnDask, PosteriorOnDask):
    """An estimator on Dask whose code and classifiers are decoded together."""
