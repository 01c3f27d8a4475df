"""What cannot be fitted on Dask. It is refused before any rows are loaded."""

from typing import Any

from .._estimator import check_count

# Terms of the posterior that compare rows of different partitions.
_NOT_LINEAR = ("neighbours", "forest")


def check_can_fit(estimator: Any, local: str) -> None:
    """Fails if the parameters of an estimator ask for what only the local estimator has."""
    given = estimator.get_params(deep=False)
    _refuse_callables(given)
    _check_evidence(given.get("evidence"), local)
    if given.get("features") == "rbf":
        raise ValueError(
            f'features="rbf" is not supported on Dask. Use features="linear", or fit {local} to a sample of the rows.'
        )
    if given["missing"] == "median":
        raise ValueError(
            'missing="median" is not supported on Dask: a median is no sum over rows. Use missing="mean" or '
            f'missing="indicator", or fit {local}.'
        )
    _check_missing_labels(given["missing_labels"], local)
    if given["sample_rows"] is not None:
        check_count("sample_rows", given["sample_rows"])


def _refuse_callables(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if callable(value):
            raise TypeError(f"{name} is a function or a class, {value!r}. It must be a number, a text or None.")


def _check_evidence(evidence: Any, local: str) -> None:
    if isinstance(evidence, list):
        raise ValueError(
            "evidence must be a text on Dask, not a list: estimators of scikit-learn cannot be terms. Use "
            f'evidence="labels+code", or fit {local}.'
        )
    asked = str(evidence).split("+")
    if unsupported := [name for name in _NOT_LINEAR if name in asked]:
        raise ValueError(
            f"evidence={evidence!r} is not supported on Dask: {' and '.join(unsupported)} would compare all rows with "
            f'each other. Use evidence="labels+code", or fit {local} to a sample of the rows.'
        )


def _check_missing_labels(policy: Any, local: str) -> None:
    if policy == "ignore":
        raise ValueError(
            'missing_labels="ignore" is not supported on Dask. Drop the rows with missing labels, fill these with 0 or '
            f"1, or fit {local}."
        )
    if policy != "refuse":
        raise ValueError(f"missing_labels must be refuse on Dask, not {policy!r}")
