"""The file of an MLflow model that holds the estimator: a model file, or a pickle where a model file cannot do."""

import os
import pickle
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ._estimator import MultiLabelClassifier
from ._load import load

PICKLE = "pickle"

# The variable by which users of MLflow forbid pickles.
_ALLOWED = "MLFLOW_ALLOW_PICKLE_DESERIALIZATION"


def check_can_be_served(model: Any) -> None:
    """Fails unless it is a fitted estimator that predicts label sets."""
    if not isinstance(model, MultiLabelClassifier):
        raise TypeError(
            f"expected a fitted estimator of mmoc, found {type(model).__name__}. mlflow.sklearn saves pipelines and "
            "other estimators of scikit-learn."
        )
    check_is_fitted(model)
    if model._targets.classes is not None:
        raise ValueError(
            "y had one class for each row, and the names of classes have no place in a model of label sets. Fit with a "
            "y of one column of zeros and ones, such as y.reshape(-1, 1) == 'yes'."
        )


def write(model: MultiLabelClassifier, folder: Path, serialization_format: str) -> Path:
    """Writes the estimator to a file in the folder."""
    if serialization_format == "mmoc":
        _refuse_python_terms(model)
        model.save(folder / "model.mmoc")
        return folder / "model.mmoc"
    if serialization_format == PICKLE:
        (folder / "model.pickle").write_bytes(pickle.dumps(model))
        return folder / "model.pickle"
    raise ValueError(f"serialization_format must be 'mmoc' or 'pickle', not {serialization_format!r}")


def read(file: Path) -> MultiLabelClassifier:
    """Reads an estimator back."""
    if file.suffix != ".pickle":
        return load(file)
    check_pickles_are_allowed()
    model: MultiLabelClassifier = pickle.loads(file.read_bytes())
    return model


def check_pickles_are_allowed() -> None:
    """Fails where the environment forbids pickles."""
    if os.environ.get(_ALLOWED, "true").lower() in ("false", "0"):
        raise ValueError(f"the model is a pickle, which may run code when it is loaded, and {_ALLOWED} forbids it")


def _refuse_python_terms(model: MultiLabelClassifier) -> None:
    if names := ", ".join(repr(term.name) for term in model._outside):
        raise ValueError(
            f"the model has the term {names} of evidence, a Python object that a model file cannot hold. Nothing was "
            "written. serialization_format='pickle' saves it, and loading it then runs code."
        )
