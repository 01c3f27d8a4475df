"""Shared fixtures: data with dependent labels, real data sets, and the command-line program."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from mmoc._load import ESTIMATORS

ROOT = Path(__file__).parents[3]


@pytest.fixture(params=ESTIMATORS, ids=lambda estimator: estimator.__name__)
def estimator(request):
    """Each of the estimators."""
    return request.param


@pytest.fixture
def data():
    """Features and labels. The first label excludes the last."""
    return dependent_data(rows=120, features=8, labels=4)


def dependent_data(rows, features, labels, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    scores = X @ rng.normal(size=(features, labels)) + rng.normal(size=(rows, labels))
    Y = (scores > 0.5).astype(np.int64)
    Y[:, -1] = np.where(Y[:, 0] == 1, 0, Y[:, -1])
    return X, Y


@pytest.fixture(scope="session")
def program():
    """The command-line program, which `./test` builds first."""
    asked = os.environ.get("MMOC_PROGRAM")
    found = Path(asked) if asked else ROOT / "target" / "debug" / "mmoc"
    if not shutil.which(found):
        pytest.fail(f"{found} not found: run cargo build, or set MMOC_PROGRAM")
    return found


@pytest.fixture(scope="session")
def real_data():
    """The folder of real data sets."""
    folder = Path(os.environ.get("MMOC_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("real data sets not found (set MMOC_DATA)")
    return folder
