"""ONNX: a converter for skl2onnx, so that pipelines with estimators of this package are exported whole.

Estimators by themselves need nothing but :meth:`mmoc.MultiLabelClassifier.to_onnx`. Pipelines need the packages onnx
and skl2onnx, which ``pip install mmoc[onnx]`` installs::

    mmoc.onnx.register()
    skl2onnx.to_onnx(pipeline, X[:1])
"""

from typing import Any

from ._estimator import MultiLabelClassifier
from ._load import ESTIMATORS

__all__ = ["register"]

# The operator set that the graphs are written in. Later ones have the same operators in the same form.
_OPERATOR_SET = 13


def register() -> None:
    """Registers a converter for every estimator of this package with skl2onnx.

    After that, ``skl2onnx.to_onnx`` and ``skl2onnx.convert_sklearn`` export pipelines that end in one of them. The last
    outputs are ``labels``, ``probabilities`` or ``scores``, and ``confidence``, as far as the estimator has them.
    """
    from skl2onnx import update_registered_converter

    for estimator in ESTIMATORS:
        alias = f"Mmoc{estimator.__name__}"
        update_registered_converter(estimator, alias, _check_shapes, _convert, parser=_parse)


def _graph_of(estimator: MultiLabelClassifier) -> Any:
    """The graph of an estimator by itself."""
    from onnx import load_from_string

    words = estimator._fitted().features_with_words
    if words is not None:
        raise ValueError(
            "the estimator was fitted with columns of words, which a pipeline of numbers cannot have. Encode them "
            "before the estimator, for example by a ColumnTransformer with OneHotEncoder, or use to_onnx of the "
            "estimator."
        )
    return load_from_string(estimator.to_onnx()).graph


def _parse(scope: Any, estimator: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declares the outputs of an estimator."""
    from onnx import TensorProto
    from skl2onnx import get_model_alias
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType

    types = {TensorProto.INT64: Int64TensorType, TensorProto.DOUBLE: DoubleTensorType}
    operator = scope.declare_local_operator(get_model_alias(type(estimator)), estimator)
    operator.inputs = inputs
    for output in _graph_of(estimator).output:
        tensor = output.type.tensor_type
        columns = [dimension.dim_value for dimension in tensor.shape.dim[1:]]
        shape = types[tensor.elem_type]([None, *columns])
        operator.outputs.append(scope.declare_local_variable(output.name, shape))
    return operator.outputs


def _check_shapes(operator: Any) -> None:
    """Fails unless the estimator gets as many columns as it was fitted with. Its outputs are declared already."""
    expected = operator.raw_operator.n_features_in_
    columns = [variable.type.shape[-1] for variable in operator.inputs]
    if all(isinstance(count, int) for count in columns) and sum(columns) != expected:
        name = type(operator.raw_operator).__name__
        raise ValueError(f"{name} was fitted with {expected} columns and gets {sum(columns)} in this pipeline")


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Adds the graph of an estimator to that of a pipeline."""
    from onnx.helper import get_attribute_value

    graph = _graph_of(operator.raw_operator)
    outputs = [variable.full_name for variable in operator.outputs]
    names: dict[str, str] = dict(zip([output.name for output in graph.output], outputs, strict=True))
    names[graph.input[0].name] = _features(scope, operator, container)

    def renamed(name: str) -> str:
        if name not in names:
            names[name] = scope.get_unique_variable_name(f"mmoc_{name}")
        return names[name]

    for constant in graph.initializer:
        container.add_initializer(renamed(constant.name), constant.data_type, list(constant.dims), constant)
    for node in graph.node:
        container.add_node(
            node.op_type,
            [renamed(name) for name in node.input],
            [renamed(name) for name in node.output],
            op_version=_OPERATOR_SET,
            name=scope.get_unique_operator_name(f"mmoc_{node.name}"),
            **{attribute.name: get_attribute_value(attribute) for attribute in node.attribute},
        )


def _features(scope: Any, operator: Any, container: Any) -> str:
    """The name of all inputs of an estimator in double precision, side by side."""
    from onnx import TensorProto

    numbers = []
    for variable in operator.inputs:
        numbers.append(scope.get_unique_variable_name("mmoc_numbers"))
        node = scope.get_unique_operator_name("mmoc_Cast")
        source, target = [variable.full_name], numbers[-1:]
        container.add_node("Cast", source, target, op_version=_OPERATOR_SET, name=node, to=TensorProto.DOUBLE)
    if len(numbers) == 1:
        return str(numbers[0])
    features = scope.get_unique_variable_name("mmoc_features")
    node = scope.get_unique_operator_name("mmoc_Concat")
    container.add_node("Concat", numbers, [features], op_version=_OPERATOR_SET, name=node, axis=1)
    return str(features)
