"""The private extension module of mmoc."""

import os
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Model",
    "address",
    "base_parameters",
    "check_evidence",
    "decode",
    "fit",
    "fit_code",
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

# Default, summary, allowed values and the word for "no value".
_Parameter = tuple[Any, str, str, str | None]

def methods() -> dict[str, dict[str, _Parameter]]: ...
def base_parameters() -> dict[str, _Parameter]: ...
def preset(name: str, method: str) -> dict[str, Any]: ...
def address(x: Any) -> int: ...
def table(x: Any) -> tuple[_Floats, list[str]]: ...
def fit(
    method: str,
    parameters: dict[str, Any],
    base: dict[str, Any],
    *,
    scaling: str,
    estimates: str,
    seed: int,
    threads: int,
    x: Any,
    y: Any,
    feature_names: list[str] | None,
    label_names: list[str] | None,
    evidence: list[_NamedNumbers],
) -> Model: ...
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
    paths: list[str | os.PathLike[str]],
    *,
    labels: str | None,
    label_names: list[str] | None,
    format: str | None,
    missing: str,
    times: str,
    threads: int,
) -> tuple[Any, _Pattern, list[str], list[str], str, list[str]]: ...

@final
class Model:
    def label_sets(self, x: Any, evidence: list[_NamedNumbers], threads: int) -> _Pattern: ...
    def numbers(self, x: Any, evidence: list[_NamedNumbers], threads: int) -> tuple[_Floats | None, _Floats | None]: ...
    def confidence(self, x: Any, evidence: list[_NamedNumbers], threads: int) -> _Floats | None: ...
    def likeliest_sets(
        self, x: Any, evidence: list[_NamedNumbers], threads: int, k: int
    ) -> tuple[_Pattern, _Floats]: ...
    def with_decision(self, decide: str) -> Model: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
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
    def seed(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def feature_names(self) -> list[str] | None: ...
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
    def metric(self) -> _Floats | None: ...
    @property
    def coefficients(self) -> tuple[_Floats, _Floats]: ...
    @property
    def parents(self) -> list[list[int]] | None: ...
