"""Beside dask-ml's logistic regression of each label, and XGBoost's Dask interface: seconds and scores."""

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import dask.array as da
import dask_ml
import mmoc.dask
import numpy as np
import xgboost
from dask_ml.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from xgboost import dask as dask_xgboost

from dask_parts import data
from dask_parts.cluster import cluster, seconds_of, table

ROWS_OF_CHUNK = 62_500
TEST_ROWS = 100_000
# Of the generator: test rows are others than the training rows.
TEST_SEED = 10**6
TREES = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000)


def run(options: argparse.Namespace) -> str:
    unseen, truth = data.draw(TEST_SEED, TEST_ROWS)
    rows = []
    with cluster(2) as (_, client):
        x, y = (array.persist() for array in arrays(-(-options.rows // ROWS_OF_CHUNK)))
        y.sum().compute()
        for name, (fit, predict) in sides(client).items():
            seconds, model = seconds_of(lambda fit=fit: fit(x, y))
            predicted = predict(model, unseen)
            rows.append([name, f"{seconds:.1f}", *(f"{score:.4f}" for score in scores(truth, predicted))])
            print(rows[-1], flush=True)
    said = (
        f"{options.rows:,} drawn rows, {data.FEATURES} features, {data.LABELS} labels, scores of "
        f"{TEST_ROWS:,} others, two workers of one thread. dask-ml {dask_ml.__version__}; XGBoost "
        f"{xgboost.__version__} with {TREES} trees of each label."
    )
    return table(["", "seconds", "subset accuracy", "macro-F1", "micro-F1"], rows, said)


def arrays(chunks: int) -> tuple[Any, Any]:
    """The drawn rows as Dask arrays, which all sides take."""
    parts = data.drawn(chunks, ROWS_OF_CHUNK)
    x = [da.from_delayed(part, (ROWS_OF_CHUNK, data.FEATURES), np.float64) for part in parts.x]
    y = [da.from_delayed(part, (ROWS_OF_CHUNK, data.LABELS), np.int8) for part in parts.y]
    return da.concatenate(x), da.concatenate(y)


def sides(client: Any) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
    """How each side fits and predicts."""
    ours = {
        f"`mmoc.dask.{name}`": (
            lambda x, y, name=name: getattr(mmoc.dask, name)(estimates="never", client=client).fit(x, y),
            lambda model, x: model.to_local().predict(x),
        )
        for name in ("MaxMarginOutputCoding", "BinaryRelevance")
    }
    theirs = {
        f"dask-ml, {solver}": (lambda x, y, solver=solver: regressions(x, y, solver), predicted_by_regressions)
        for solver in ("admm", "lbfgs")
    }
    return ours | theirs | {"XGBoost": (lambda x, y: trees(client, x, y), predicted_by_trees)}


def regressions(x: Any, y: Any, solver: str) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [LogisticRegression(C=1.0, solver=solver).fit(x, y[:, label]) for label in range(data.LABELS)]


def predicted_by_regressions(models: list[Any], x: np.ndarray) -> np.ndarray:
    return np.column_stack([x @ model.coef_ + model.intercept_ > 0 for model in models]).astype(int)


def trees(client: Any, x: Any, y: Any) -> Any:
    rows = dask_xgboost.DaskDMatrix(client, x, y)
    parameters = {"objective": "binary:logistic", "tree_method": "hist", "verbosity": 0}
    return dask_xgboost.train(client, parameters, rows, num_boost_round=TREES)["booster"]


def predicted_by_trees(booster: Any, x: np.ndarray) -> np.ndarray:
    return (booster.predict(xgboost.DMatrix(x)) > 0.5).astype(int)


def scores(truth: np.ndarray, predicted: np.ndarray) -> list[float]:
    return [
        accuracy_score(truth, predicted),
        f1_score(truth, predicted, average="macro", zero_division=0),
        f1_score(truth, predicted, average="micro", zero_division=0),
    ]
