"""Predictions as MLflow asks for them: rows and parameters in, a DataFrame out."""

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from ._estimator import HasPosterior, HasProbabilities, MultiLabelClassifier, check_count

CONFIDENCE = "confidence"


def expected_columns(model: MultiLabelClassifier) -> list[str] | None:
    """The names of the columns of a table for ``predict``. None if they have no names."""
    fitted = model._fitted()
    return fitted.features_with_words or fitted.feature_names


class Predictor:
    """The flavour ``python_function`` of a fitted estimator."""

    def __init__(self, estimator: MultiLabelClassifier) -> None:
        self.estimator = estimator

    def get_raw_model(self) -> MultiLabelClassifier:
        """The estimator."""
        return self.estimator

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Predicts the labels of each row as a DataFrame with a column for each label.

        Parameters
        ----------
        model_input : DataFrame, array or CSR matrix
            Rows. The columns of a DataFrame are matched by name, in any order; columns that the model does not know are
            left out.
        params : dict, optional
            ``decide``: the measure to decide for, as in ``predict``. ``probabilities``: if true, the columns of labels
            have probabilities. ``confidence``: if true, a column ``confidence`` follows. ``sets``: if k > 0, columns
            ``set_1``, ``probability_1``, …, ``set_k``, ``probability_k`` follow, with the likeliest label sets as lists
            of names.
        """
        asked = params or {}
        X, decide = self._rows(model_input), asked.get("decide") or None
        columns = self._label_columns(X, decide, bool(asked.get("probabilities")))
        if asked.get("confidence"):
            columns.append((CONFIDENCE, self._with_posterior(CONFIDENCE).predict_confidence(X, decide)))
        if asked.get("sets"):
            columns += self._set_columns(X, asked["sets"])
        return _frame(columns, model_input.index if hasattr(model_input, "iloc") else None)

    def _rows(self, rows: Any) -> Any:
        """The columns that the model knows, in its order. Without names on either side, columns are as they come."""
        if not hasattr(rows, "iloc"):
            return rows
        expected = expected_columns(self.estimator)
        if expected is None:
            return rows.to_numpy()
        return rows[expected] if set(expected) <= set(rows.columns) else rows

    def _label_columns(self, X: Any, decide: str | None, probabilities: bool) -> list[tuple[str, Any]]:
        numbers = self._probabilities(X) if probabilities else self._label_sets(X, decide)
        return list(zip(map(str, self.estimator.label_names_), numbers.T, strict=True))

    def _label_sets(self, X: Any, decide: str | None) -> npt.NDArray[np.int64]:
        predicted = self.estimator.predict(X, decide)
        dense = predicted.toarray() if hasattr(predicted, "toarray") else predicted
        return np.asarray(dense, dtype=np.int64)

    def _probabilities(self, X: Any) -> npt.NDArray[np.float64]:
        if not isinstance(self.estimator, HasProbabilities):
            raise ValueError(f"probabilities: {type(self.estimator).__name__} has no probabilities of labels")
        return self.estimator.predict_proba(X)

    def _set_columns(self, X: Any, count: Any) -> list[tuple[str, Any]]:
        check_count("sets", count)
        sets, probabilities = self._with_posterior("sets").predict_sets(X, count)
        names = self.estimator.label_names_
        columns: list[tuple[str, Any]] = []
        for rank in range(probabilities.shape[1]):
            columns.append((f"set_{rank + 1}", [names[labels].tolist() for labels in sets[:, rank]]))
            columns.append((f"probability_{rank + 1}", probabilities[:, rank]))
        return columns

    def _with_posterior(self, asked: str) -> HasPosterior:
        if not isinstance(self.estimator, HasPosterior):
            raise ValueError(f"{asked}: {type(self.estimator).__name__} has no posterior over label sets")
        return self.estimator


def _frame(columns: list[tuple[str, Any]], index: Any) -> Any:
    """A DataFrame of columns, whose names must differ, with the index of the rows."""
    import pandas as pd

    by_name = dict(columns)
    if len(by_name) < len(columns):
        (repeated, _), *_ = Counter(name for name, _ in columns).most_common(1)
        raise ValueError(f"the model has a label {repeated!r}, and two columns cannot have the same name")
    return pd.DataFrame(by_name, index=index)
