"""A table with an id, a date, categories, missing cells, tags and weights, without preparation."""

import subprocess
from datetime import date, timedelta
from pathlib import Path

import mmoc
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

ROWS = 120
WARDS = ["east", "west", "north"]


def columns() -> dict[str, list]:
    draws = np.random.default_rng(5)
    age = draws.integers(20, 90, ROWS)
    ward = draws.integers(0, 3, ROWS)
    tags = [
        ";".join(tag for tag, holds in (("flu", a > 55), ("cold", w == 0), ("asthma", (a + w) % 3 == 0)) if holds)
        for a, w in zip(age, ward, strict=True)
    ]
    return {
        "visit": [f"v{row:03}" for row in range(ROWS)],
        "when": [date(2024, 3, 1) + timedelta(days=int(days)) for days in draws.integers(0, 60, ROWS)],
        "ward": [None if row == 7 else WARDS[place] for row, place in enumerate(ward)],
        "age": [None if row % 11 == 0 else float(years) for row, years in enumerate(age)],
        "smoker": [bool(drawn) for drawn in draws.integers(0, 2, ROWS)],
        "tags": tags,
        "weight": [float(weight) for weight in draws.uniform(0.5, 1.5, ROWS).round(3)],
    }


def in_categories(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(ward=frame["ward"].astype("category"), age=frame["age"].astype("Float64"))


TABLES = {
    "pandas": lambda data: pd.DataFrame(data),
    "pandas with categories": lambda data: in_categories(pd.DataFrame(data)),
    "polars": lambda data: pl.DataFrame(data),
    "polars with categories": lambda data: pl.DataFrame(data).with_columns(pl.col("ward").cast(pl.Categorical)),
    "pyarrow": lambda data: pa.table(data),
}

OPTIONS = {"tags": "tags", "ignore": "visit", "weight": "weight", "missing": "mean", "times": "numbers"}


def trained(data: mmoc.Dataset) -> mmoc.MaxMarginOutputCoding:
    return mmoc.MaxMarginOutputCoding().fit(data.X, data.Y, sample_weight=data.weights)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    frame = pd.DataFrame(columns())
    frame.assign(smoker=frame["smoker"].astype(int)).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def of_file(file: Path) -> tuple[mmoc.Dataset, np.ndarray]:
    data = mmoc.read(file, **OPTIONS)
    return data, trained(data).predict_proba(data.X)


def test_one_command_trains_on_the_file(file: Path, of_file: tuple[mmoc.Dataset, np.ndarray], program: str) -> None:
    command = "train visits.csv --tags tags --id visit --times numbers --missing mean --weight weight -o visits.mmoc"
    subprocess.run([program, *command.split()], cwd=file.parent, check=True, capture_output=True)
    data, probabilities = of_file
    model = mmoc.load(file.parent / "visits.mmoc")
    features = pd.DataFrame(data.X, columns=data.feature_names)
    assert_array_equal(model.predict_proba(features), probabilities)
    command = "predict visits.mmoc visits.csv --id visit --times numbers --missing mean --proba"
    run = subprocess.run([program, *command.split()], cwd=file.parent, check=True, capture_output=True, text=True)
    header, first, *_ = run.stdout.splitlines()
    assert header.startswith('"visit",')
    assert first.split(",")[0].strip('"') == "v000"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_gives_the_model_of_its_file_to_the_last_bit(
    name: str, of_file: tuple[mmoc.Dataset, np.ndarray]
) -> None:
    expected, probabilities = of_file
    found = mmoc.read(TABLES[name](columns()), **OPTIONS)
    assert found.feature_names == expected.feature_names
    assert found.label_names == expected.label_names == ["asthma", "cold", "flu"]
    assert found.weights is not None
    assert expected.weights is not None
    assert_array_equal(found.weights, expected.weights)
    assert_array_equal(found.X, expected.X)
    assert_array_equal(found.Y, expected.Y)
    assert_array_equal(trained(found).predict_proba(found.X), probabilities)


def test_errors_name_the_column_of_a_table() -> None:
    with pytest.raises(ValueError, match=r"'when'.*times=\"numbers\""):
        mmoc.read(pa.table(columns()), tags="tags", ignore="visit", missing="mean")
    with pytest.raises(ValueError, match="visit"):
        mmoc.read(pa.table(columns()), tags="tags", missing="mean", times="numbers")


def test_what_is_neither_a_path_nor_a_table_is_refused() -> None:
    for wrong in (3, [3.5], {"a": 1}):
        with pytest.raises((TypeError, ValueError, OSError)):
            mmoc.read(wrong, labels=1)
