"""What the tests share: data whose labels depend on each other, and the command-line program."""

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
    """Features, and labels of which the last one excludes the first."""
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
    """The command-line program, which `./test` builds before these tests run."""
    asked = os.environ.get("MMOC_PROGRAM")
    found = Path(asked) if asked else ROOT / "target" / "debug" / "mmoc"
    if not shutil.which(found):
        pytest.fail(f"{found} is not there: run cargo build, or set MMOC_PROGRAM")
    return found


@pytest.fixture(scope="session")
def real_data():
    """The folder of real data sets."""
    folder = Path(os.environ.get("MMOC_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data sets were not found (set MMOC_DATA)")
    return folder
