"""The estimators for rows on Dask."""

from .. import _binary_relevance, _canonical_correlation, _compressed_sensing, _max_margin, _principal_label_space
from ._predicting import DecisionsOnDask, JointDecodingOnDask, PosteriorOnDask, ProbabilitiesOnDask


class BinaryRelevance(ProbabilitiesOnDask, PosteriorOnDask, DecisionsOnDask, _binary_relevance.BinaryRelevance):
    """One independent logistic regression per label, fitted to rows on Dask.

    Its parameters and attributes are those of :class:`mmoc.BinaryRelevance`.

    Examples
    --------
    >>> import dask.array as da
    >>> import mmoc.dask
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> X, Y = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
    >>> mmoc.dask.BinaryRelevance().fit(X, Y).predict_proba(X).shape
    (60, 5)
    """


class CompressedSensingCoding(DecisionsOnDask, _compressed_sensing.CompressedSensingCoding):
    """Compressed sensing of label sets, fitted to rows on Dask.

    Its parameters and attributes are those of :class:`mmoc.CompressedSensingCoding`.

    Examples
    --------
    >>> import dask.array as da
    >>> import mmoc.dask
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> X, Y = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
    >>> mmoc.dask.CompressedSensingCoding(projections=20).fit(X, Y).projections_.shape
    (5, 20)
    """


class PrincipalLabelSpaceCoding(DecisionsOnDask, _principal_label_space.PrincipalLabelSpaceCoding):
    """Principal label space transformation, fitted to rows on Dask.

    Its parameters and attributes are those of :class:`mmoc.PrincipalLabelSpaceCoding`.

    Examples
    --------
    >>> import dask.array as da
    >>> import mmoc.dask
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> X, Y = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
    >>> mmoc.dask.PrincipalLabelSpaceCoding(projections=3).fit(X, Y).predict(X).shape
    (60, 5)
    """


class RedundantPrincipalLabelSpaceCoding(
    JointDecodingOnDask, _principal_label_space.RedundantPrincipalLabelSpaceCoding
):
    """Principal label space transformation with a redundant codeword, fitted to rows on Dask.

    Its parameters and attributes are those of :class:`mmoc.RedundantPrincipalLabelSpaceCoding`.

    Examples
    --------
    >>> import dask.array as da
    >>> import mmoc.dask
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> X, Y = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
    >>> mmoc.dask.RedundantPrincipalLabelSpaceCoding().fit(X, Y).projections_.shape
    (5, 5)
    """


class CanonicalCorrelationCoding(JointDecodingOnDask, _canonical_correlation.CanonicalCorrelationCoding):
    """Output coding by canonical correlation analysis, fitted to rows on Dask.

    Its parameters and attributes are those of :class:`mmoc.CanonicalCorrelationCoding`.

    Examples
    --------
    >>> import dask.array as da
    >>> import mmoc.dask
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> X, Y = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
    >>> mmoc.dask.CanonicalCorrelationCoding(projections=2).fit(X, Y).spectrum_.shape
    (2,)
    """


class MaxMarginOutputCoding(JointDecodingOnDask, _max_margin.MaxMarginOutputCoding):
    """Maximum margin output coding, fitted to rows on Dask.

    Its parameters and attributes are those of :class:`mmoc.MaxMarginOutputCoding`.

    Examples
    --------
    >>> import dask.array as da
    >>> import mmoc.dask
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(n_samples=60, random_state=0)
    >>> X, Y = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
    >>> model = mmoc.dask.MaxMarginOutputCoding().fit(X, Y)
    >>> model.solver_.relative_gap <= 1e-6
    True
    """
