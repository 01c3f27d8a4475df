"""Differences from the local estimator with the same folds, for 1, 2 and 4 workers and three partitionings."""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import mmoc
import mmoc.dask
import numpy as np

from dask_parts import data
from dask_parts.cluster import TERMS, bytes_of, cluster, table

WORKERS = (1, 2, 4)
# Only methods that decode by distances show their leave-one-out errors, as those exactly as published do.
PRESET, LINEAR = "paper", {"features": "linear", "estimates": "never"}
HEAD = ["set, partitions", "regressions", "leave-one-out", "metric", "probabilities", "sets that differ"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", default="scene,bibtex,imdb", help="data sets, with commas between them")


def run(options: argparse.Namespace) -> str:
    rows, gaps = [], []
    for name in options.sets.split(","):
        x, y = data.read(options.data, name)
        for kind in data.PARTITIONINGS:
            row, gap = compared(name, kind, x, y)
            rows.append(row)
            gaps.append(gap)
            print(" | ".join(map(str, row)), flush=True)
        rows.append(reordered(name, x, y))
        print(" | ".join(map(str, rows[-1])), flush=True)
    return table(HEAD, rows, f"The largest certified gap is {max(gaps):.1e}.")


def compared(name: str, kind: str, x: Any, y: np.ndarray) -> tuple[list[Any], float]:
    """The largest differences from the local estimator, and the certified gap. Numbers of workers change no bit."""
    ends, models = data.cuts(len(y), kind), {}
    with tempfile.TemporaryDirectory() as folder:
        parts = data.in_files(x, y, ends, Path(folder))
        for workers in WORKERS:
            with cluster(workers) as (_, client):
                models[workers] = mmoc.dask.MaxMarginOutputCoding(**TERMS, client=client).fit(*parts).to_local()
                if workers == WORKERS[0]:
                    folds = mmoc.dask.folds(*parts)
                    coding = mmoc.dask.CanonicalCorrelationCoding.from_preset(PRESET, client=client, **LINEAR)
                    regressed = coding.fit(*parts).to_local()
    contents = {workers: bytes_of(model) for workers, model in models.items()}
    assert len(set(contents.values())) == 1, f"{name}, {kind}: models of 1, 2 and 4 workers are not the same bytes"
    here, local = fitted(x, y, folds)
    found = models[WORKERS[0]]
    cells = [*differences_of_regressions(regressed, here), *differences(found, local, x)]
    return [f"{name}, {kind}", *cells], found.solver_.relative_gap


def reordered(name: str, x: Any, y: np.ndarray) -> list[Any]:
    """The differences of two local estimators that get the same rows in two orders."""
    folds = np.arange(len(y)) % 5
    order = np.random.default_rng(0).permutation(len(y))
    here, local = fitted(x, y, folds)
    shuffled_here, shuffled = fitted(x[order], y[order], folds[order])
    cells = [*differences_of_regressions(shuffled_here, here), *differences(shuffled, local, x)]
    return [f"{name}, one machine, other order", *cells]


def fitted(x: Any, y: np.ndarray, folds: np.ndarray) -> tuple[Any, Any]:
    """The local estimators that are compared, the one whose regressions are and the default."""
    return (
        mmoc.CanonicalCorrelationCoding.from_preset(PRESET, **LINEAR).fit(x, y, folds=folds),
        mmoc.MaxMarginOutputCoding(**TERMS).fit(x, y, folds=folds),
    )


def differences_of_regressions(found: Any, local: Any) -> list[str]:
    """Relative differences of the regressions of a code and of their leave-one-out errors."""
    regressions, expected = (np.c_[own.code_coef_, own.code_intercept_] for own in (found, local))
    return [f"{relative(regressions, expected):.1e}", f"{relative(found.noise_, local.noise_):.1e}"]


def differences(found: Any, local: Any, x: Any) -> list[str]:
    """The relative difference of metrics, the absolute one of probabilities, and how many label sets differ."""
    ours, theirs = found.predict_proba(x), local.predict_proba(x)
    other = int((found.predict(x) != local.predict(x)).any(axis=1).sum())
    return [
        f"{relative(found.metric_, local.metric_):.1e}",
        f"{np.abs(ours - theirs).max():.1e}",
        f"{other} of {x.shape[0]:,}",
    ]


def relative(found: Any, expected: Any) -> float:
    """The largest difference, relative to the largest number."""
    found, expected = np.asarray(found), np.asarray(expected)
    return float(np.abs(found - expected).max() / np.abs(expected).max())
