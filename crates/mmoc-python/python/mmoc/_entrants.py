"""The estimators of a comparison: what they are, what they accept, and what they predict in each run."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import _safe_indexing as rows_of
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ._features import indicator, is_sparse

Floats = npt.NDArray[np.float64]

# Label sets, scores, probabilities, confidence, and the seconds of the fit and of the prediction.
Run = tuple[Any, Floats | None, Floats | None, Floats | None, float, float]

# Of these is one in what scikit-learn says if an estimator of single labels gets several.
_ABOUT_SEVERAL_LABELS = ("1d array", "multilabel", "multi-label", "multioutput", "multi-output")

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Entrant:
    """An estimator with its name in tables."""

    name: str
    estimator: Any
    # The argument of fit that takes the weights of rows.
    weight_argument: str | None

    @property
    def description(self) -> str:
        """What the estimator is, in one line that is the same in every process."""
        return _ADDRESS.sub("", " ".join(repr(self.estimator).split()))

    def run(self, X: Any, Y: npt.NDArray[Any], weights: Floats | None, train: Any, test: Any) -> Run:
        """What a clone of the estimator that is fitted to some rows predicts for others."""
        arguments = {} if weights is None else {str(self.weight_argument): weights[train]}
        start = time.perf_counter()
        try:
            model = clone(self.estimator).fit(rows_of(X, train), Y[train], **arguments)
            fitted = time.perf_counter()
            unseen = rows_of(X, test)
            predicted = model.predict(unseen)
            end = time.perf_counter()
            shape = (len(test), Y.shape[1])
            sets = self._label_sets(predicted, shape)
            probabilities = _probabilities(model, unseen, shape)
            scores = _scores(model, unseen, shape) if probabilities is None else probabilities
            confidence = _confidence(model, unseen)
        except Exception as error:
            _name_method(error, self.name, _remedy(self.estimator, error))
            raise
        return indicator(sets), scores, probabilities, confidence, fitted - start, end - fitted

    def _label_sets(self, predicted: Any, shape: tuple[int, int]) -> npt.NDArray[Any]:
        sets: npt.NDArray[Any] = predicted.toarray() if is_sparse(predicted) else np.asarray(predicted)
        if sets.shape != shape:
            raise ValueError(
                f"it must predict a matrix of zeros and ones of shape {shape}, and it predicted one of shape "
                f"{sets.shape}. MultiOutputClassifier and ClassifierChain make such estimators of others."
            )
        are_wrong = ~np.isin(sets, (0, 1))
        if are_wrong.any():
            raise ValueError(
                f"it must predict zeros and ones, and it predicted {sets[are_wrong][0]!s}. Use a classifier in place "
                "of a regressor, or a TransformedTargetRegressor with an OutputCoder as transformer."
            )
        return sets


def entrants(methods: Any, *, with_weights: bool, with_unknown: bool) -> list[Entrant]:
    """The estimators by name. An error if one of them is none, or does not accept weights or unknown labels."""
    if not isinstance(methods, Mapping) or not methods:
        raise TypeError(f"methods must be a dict of names and estimators, not {methods!r}")
    for name, estimator in methods.items():
        if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise TypeError(f"methods must have an estimator with fit and predict as {name!r}, not {estimator!r}")
        if with_unknown and not _ignores_unknown_labels(estimator):
            raise ValueError(
                f"method {name!r}: Y has unknown labels, which this estimator does not accept. Use estimators of this "
                'package with missing_labels="ignore", or fill unknown labels with 0 or 1.'
            )
    names = [str(name) for name in methods]
    if repeated := [name for place, name in enumerate(names) if name in names[:place]]:
        raise ValueError(f"two methods are called {repeated[0]!r}: names are compared as text. Rename one of them.")
    found = [Entrant(str(name), own, _weight_argument(own)) for name, own in methods.items()]
    if with_weights and (without := next((own.name for own in found if own.weight_argument is None), None)) is not None:
        raise ValueError(
            f"method {without!r}: its fit has no sample_weight. Compare it without weights, or leave it out."
        )
    return found


def _ignores_unknown_labels(estimator: Any) -> bool:
    """Whether an estimator, or one inside of it such as the last step of a pipeline, leaves unknown labels out."""
    parameters = estimator.get_params().items() if hasattr(estimator, "get_params") else ()
    return any(
        name.split("__")[-1] == "missing_labels" and isinstance(value, str) and value == "ignore"
        for name, value in parameters
    )


def _weight_argument(estimator: Any) -> str | None:
    """The argument of fit for the weights of rows: of a pipeline, that of its last step."""
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    steps = getattr(estimator, "steps", None)
    if steps and has_fit_parameter(steps[-1][1], "sample_weight"):
        return f"{steps[-1][0]}__sample_weight"
    return None


def _remedy(estimator: Any, error: Exception) -> str:
    """What can be done about the error, if an estimator of single labels got several."""
    if not any(words in str(error) for words in _ABOUT_SEVERAL_LABELS) or _takes_label_sets(estimator):
        return ""
    kind = type(estimator).__name__
    return f" {kind} decides one label: MultiOutputClassifier and ClassifierChain make it decide several."


def _takes_label_sets(estimator: Any) -> bool:
    """Whether the tags of an estimator say so. Those of other packages may have none."""
    try:
        tags = get_tags(estimator)
    except (AttributeError, TypeError):
        return True
    is_multi_label = tags.classifier_tags is not None and tags.classifier_tags.multi_label
    return bool(is_multi_label or tags.target_tags.multi_output)


def _name_method(error: Exception, name: str, remedy: str) -> None:
    """Puts the name of the method in front of a message, or into a note if the error has more than a message."""
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"method {name!r}: {error.args[0]}{remedy}",)
    else:
        error.add_note(f"This happened in the method {name!r}.")


def _probabilities(model: Any, X: Any, shape: tuple[int, int]) -> Floats | None:
    """The probability of each label, n×q, if the model has them."""
    if not hasattr(model, "predict_proba"):
        return None
    found = model.predict_proba(X)
    if isinstance(found, list):
        found = np.column_stack([_of_ones(own, classes) for own, classes in zip(found, model.classes_, strict=True)])
    return _of_shape(found, shape)


def _of_ones(probabilities: Any, classes: Any) -> Any:
    """The probability of the class 1, which may not have been among the training rows."""
    place = np.flatnonzero(np.asarray(classes) == 1)
    return probabilities[:, place[0]] if len(place) else np.zeros(len(probabilities))


def _scores(model: Any, X: Any, shape: tuple[int, int]) -> Floats | None:
    return _of_shape(model.decision_function(X), shape) if hasattr(model, "decision_function") else None


def _confidence(model: Any, X: Any) -> Floats | None:
    has_posterior = getattr(model, "posterior_", None) is not None and hasattr(model, "predict_confidence")
    return model.predict_confidence(X) if has_posterior else None


def _of_shape(numbers: Any, shape: tuple[int, int]) -> Floats | None:
    """The numbers, unless they are not one for each label."""
    numbers = numbers.toarray() if is_sparse(numbers) else numbers
    found = np.ascontiguousarray(numbers, dtype=np.float64)
    return found if found.shape == shape and np.isfinite(found).all() else None
