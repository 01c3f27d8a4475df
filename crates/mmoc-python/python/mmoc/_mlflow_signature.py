"""The signature of an MLflow model: names and types of columns, labels and parameters."""

import numpy as np
from mlflow.models import ModelSignature
from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema, TensorSpec

from ._estimator import MultiLabelClassifier
from ._mlflow_predictor import expected_columns


def signature_of(model: MultiLabelClassifier) -> ModelSignature:
    """The signature of a fitted estimator."""
    return ModelSignature(inputs=_inputs(model), outputs=_outputs(model), params=_params(model))


def _inputs(model: MultiLabelClassifier) -> Schema:
    """A column for each name, or a matrix if columns have no names."""
    names = expected_columns(model)
    if names is None:
        return Schema([TensorSpec(np.dtype(np.float64), (-1, model.n_features_in_))])
    words = set(model._fitted().columns_of_words)
    return Schema([ColSpec(DataType.string if name in words else DataType.double, name) for name in names])


def _outputs(model: MultiLabelClassifier) -> Schema:
    return Schema([ColSpec(DataType.long, str(name)) for name in model.label_names_])


def _params(model: MultiLabelClassifier) -> ParamSchema:
    """All parameters, also those that the model refuses: MLflow ignores parameters that are not in the signature."""
    return ParamSchema(
        [
            ParamSpec("decide", DataType.string, model._deciding(None).decision),
            ParamSpec("probabilities", DataType.boolean, False),
            ParamSpec("confidence", DataType.boolean, False),
            ParamSpec("sets", DataType.long, 0),
        ]
    )
