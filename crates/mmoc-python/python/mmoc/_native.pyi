"""The private extension module of mmoc."""

import os
from collections.abc import Callable
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Comparison",
    "Model",
    "Partition",
    "add_answers",
    "address",
    "base_parameters",
    "check_evidence",
    "check_partitions",
    "decode",
    "encode",
    "fit",
    "fit_code",
    "fit_partitions",
    "methods",
    "preset",
    "read",
    "solve_metric",
    "table",
]

_Floats = npt.NDArray[np.float64]
_Pattern = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]

# The name of evidence from outside of the model, what its numbers are, and the numbers, n×q.
_NamedNumbers = tuple[str, str, _Floats]

# Name, weight, number of outputs, and the directions of pairs of labels of a term of the posterior.
_Term = tuple[str, float, int, _Floats | None]

# Features, labels, the label cells that are not known, weights, a name, and the names of features and labels.
_DatasetOf = tuple[Any, Any, Any | None, _Floats | None, str, list[str] | None, list[str] | None]

# Label sets, scores, probabilities, confidence, and the seconds of the fit and of the prediction.
_RunOf = tuple[Any, _Floats | None, _Floats | None, _Floats | None, float, float]

# Default, summary, allowed values and the word for "no value".
_Parameter = tuple[Any, str, str, str | None]

# Rows in partitions, which the library asks for sums over them.
class _Rows(Protocol):
    def sum(self, name: str, request: bytes) -> bytes: ...
    def collect(self, name: str, request: bytes) -> list[bytes]: ...
    def derive(self, name: str, request: bytes) -> _Rows: ...
    def release(self) -> None: ...

def methods() -> dict[str, dict[str, _Parameter]]: ...
def base_parameters() -> dict[str, _Parameter]: ...
def preset(name: str, method: str) -> dict[str, Any]: ...
def address(x: Any) -> int: ...
def table(x: Any) -> tuple[Any, list[str]]: ...
def encode(columns: list[tuple[str, Any]]) -> tuple[Any, str]: ...
def fit(
    method: str,
    parameters: dict[str, Any],
    base: dict[str, Any],
    *,
    scaling: str,
    missing: str,
    estimates: str,
    seed: int,
    threads: int,
    x: Any,
    y: Any,
    weights: _Floats | None,
    unknown: Any | None,
    feature_names: list[str] | None,
    attributes: str | None,
    label_names: list[str] | None,
    evidence: list[_NamedNumbers],
    folds: npt.NDArray[np.int64] | None = None,
    report: Callable[[str, float], None] | None,
) -> Model: ...
def add_answers(answers: list[bytes]) -> bytes: ...
def fit_partitions(
    method: str,
    parameters: dict[str, Any],
    base: dict[str, Any],
    *,
    scaling: str,
    missing: str,
    estimates: str,
    seed: int,
    threads: int,
    rows: _Rows,
    columns: int,
    labels: int,
    is_sparse: bool,
    feature_names: list[str] | None,
    label_names: list[str] | None,
    sample_rows: int | None,
    report: Callable[[str, float], None] | None,
) -> Model: ...
def check_partitions(
    method: str,
    parameters: dict[str, Any],
    base: dict[str, Any],
    *,
    scaling: str,
    missing: str,
    estimates: str,
    seed: int,
) -> None: ...
def check_evidence(method: str, parameters: dict[str, Any], base: dict[str, Any], names: list[str]) -> None: ...
def solve_metric(
    predictions: _Floats,
    y: Any,
    log_odds: _Floats | None,
    *,
    c: float,
    gap: float | None,
    solver: str,
    separation: str,
    max_iterations: int,
    threads: int,
) -> tuple[_Floats, str, str | None]: ...
def fit_code(
    code: str,
    parameters: dict[str, Any],
    *,
    y: Any,
    x: Any | None,
    scaling: str,
    missing: str,
    seed: int,
    threads: int,
) -> tuple[_Floats, _Floats, _Floats | None, _Floats, _Floats | None, str]: ...
def decode(
    decoder: str,
    codewords: _Floats,
    projections: _Floats,
    *,
    sparse: dict[str, Any],
    joint: dict[str, Any],
    origin: _Floats,
    noise: _Floats,
    log_odds: _Floats,
    most_labels: int,
    threads: int,
) -> _Pattern: ...
def read(
    origin: list[str | os.PathLike[str]] | Any,
    *,
    labels: str | None,
    label_names: list[str] | None,
    tags: tuple[str, str] | None,
    ignore: list[str],
    id: str | None,
    weight: str | None,
    labels_as_features: bool,
    format: str | None,
    missing: str,
    missing_labels: str,
    times: str,
    top_labels: int | None,
    drop_empty_rows: bool,
    threads: int,
) -> tuple[Any, _Pattern, _Pattern | None, _Floats | None, list[str], list[str], str, list[str]]: ...

@final
class Comparison:
    def __new__(
        cls,
        datasets: list[_DatasetOf],
        methods: list[tuple[str, str]],
        *,
        folds: int,
        repeats: int,
        runs: int,
        train_size: int | None,
        train_share: float | None,
        seed: int,
        reference: str | None,
        metrics: list[str] | None,
        out: str | os.PathLike[str] | None,
    ) -> Comparison: ...
    @property
    def kept(self) -> list[str]: ...
    def splits(self, dataset: int) -> list[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]]: ...
    def has(self, dataset: int, run: int, method: int) -> bool: ...
    def add(self, dataset: int, run: int, method: int, predicted: _RunOf) -> None: ...
    def finish(self) -> tuple[str, str, list[str], list[tuple[str, str]]]: ...
    def close(self) -> None: ...

@final
class Partition:
    def __new__(cls, x: Any, y: Any, weights: _Floats | None = None) -> Partition: ...
    @property
    def rows(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def answer(self, request: bytes) -> bytes: ...
    def derived(self, request: bytes) -> Partition: ...
    def folds(self, count: int, seed: int) -> npt.NDArray[np.int64]: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Partition: ...
    def __reduce__(self) -> Any: ...

@final
class Model:
    def label_sets(self, x: Any, evidence: list[_NamedNumbers], threads: int) -> _Pattern: ...
    def numbers(self, x: Any, evidence: list[_NamedNumbers], threads: int) -> tuple[_Floats | None, _Floats | None]: ...
    def confidence(self, x: Any, evidence: list[_NamedNumbers], threads: int) -> _Floats | None: ...
    def likeliest_sets(
        self, x: Any, evidence: list[_NamedNumbers], threads: int, k: int
    ) -> tuple[_Pattern, _Floats]: ...
    def explain(
        self, x: Any, evidence: list[_NamedNumbers], threads: int, k: int
    ) -> list[list[tuple[bool, float, list[tuple[str, str, float, float]]]]]: ...
    def with_decision(self, decide: str) -> Model: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model: ...
    @property
    def method(self) -> str: ...
    @property
    def parameters(self) -> dict[str, Any]: ...
    @property
    def base_parameters(self) -> dict[str, Any]: ...
    @property
    def evidence(self) -> list[str]: ...
    @property
    def has_posterior(self) -> bool: ...
    @property
    def decision(self) -> str | None: ...
    @property
    def scaling(self) -> str: ...
    @property
    def missing(self) -> str: ...
    @property
    def indicators(self) -> list[int]: ...
    @property
    def seed(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def feature_names(self) -> list[str] | None: ...
    @property
    def features_with_words(self) -> list[str] | None: ...
    @property
    def columns_of_words(self) -> list[str]: ...
    def encode(self, columns: list[tuple[str, Any]]) -> tuple[Any, list[str]]: ...
    @property
    def may_have_numbered_columns(self) -> bool: ...
    @property
    def has_label_names(self) -> bool: ...
    @property
    def label_names(self) -> list[str]: ...
    @property
    def record(self) -> str: ...
    @property
    def not_converged(self) -> list[str]: ...
    @property
    def projections(self) -> _Floats | None: ...
    @property
    def decoding_projections(self) -> _Floats | None: ...
    @property
    def noise(self) -> _Floats | None: ...
    @property
    def decoding_weights(self) -> _Floats | None: ...
    @property
    def fixed_log_odds(self) -> _Floats | None: ...
    @property
    def decoder(self) -> str: ...
    @property
    def terms(self) -> list[_Term] | None: ...
    @property
    def forest_column_shares(self) -> _Floats | None: ...
    @property
    def origin(self) -> _Floats | None: ...
    @property
    def columns_of_training(self) -> tuple[_Floats, _Floats]: ...
    @property
    def metric(self) -> _Floats | None: ...
    @property
    def coefficients(self) -> tuple[_Floats, _Floats]: ...
    @property
    def parents(self) -> list[list[tuple[int, float]]] | None: ...
