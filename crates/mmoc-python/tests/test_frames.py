"""DataFrames and Arrow tables whose columns are text, categories, booleans and dates."""

import warnings
from datetime import date, timedelta

import mmoc
import numpy as np
import pandas as pd
import pytest

ROWS = 30
COLOURS = ["red", "green", "blue"]


def columns() -> dict[str, list]:
    generator = np.random.default_rng(1)
    return {
        "colour": [None if row == 4 else COLOURS[row % 3] for row in range(ROWS)],
        "size": [float("nan") if row == 7 else float(row) for row in range(ROWS)],
        "shiny": [bool(row % 2) for row in range(ROWS)],
        "count": [int(value) for value in generator.integers(0, 9, ROWS)],
    }


def labels() -> pd.DataFrame:
    rows = np.arange(ROWS)
    return pd.DataFrame({"round": (rows % 3 == 0).astype(int), "flat": (rows % 2).astype(int)})


def pandas_frames() -> dict[str, pd.DataFrame]:
    plain = pd.DataFrame(columns())
    nullable = plain.convert_dtypes()
    category = plain.assign(colour=plain["colour"].astype("category"))
    objects = plain.astype(object)
    return {"plain": plain, "nullable": nullable, "category": category, "objects": objects}


def arrow_tables() -> dict[str, object]:
    tables: dict[str, object] = {}
    data = columns() | {"size": [None if value != value else value for value in columns()["size"]]}
    try:
        import pyarrow as pa

        table = pa.table(data)
        tables["pyarrow"] = table
        place = table.schema.get_field_index("colour")
        tables["dictionary"] = table.set_column(place, "colour", table["colour"].dictionary_encode())
    except ImportError:
        pass
    try:
        import polars as pl

        frame = pl.DataFrame(data)
        tables["polars"] = frame
        tables["categorical"] = frame.with_columns(pl.col("colour").cast(pl.Categorical))
    except ImportError:
        pass
    return tables


def fitted(table: object) -> mmoc.BinaryRelevance:
    return mmoc.BinaryRelevance().fit(table, labels())


@pytest.fixture(scope="module")
def from_csv(tmp_path_factory: pytest.TempPathFactory) -> tuple[mmoc.Dataset, np.ndarray]:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    frame = pd.DataFrame(columns())
    frame["shiny"] = frame["shiny"].astype(int)
    pd.concat([frame, labels()], axis=1).to_csv(path, index=False)
    data = mmoc.read(path, labels=["round", "flat"], missing="mean")
    return data, mmoc.BinaryRelevance().fit(*data).predict_proba(data.X)


@pytest.mark.parametrize("name", [*pandas_frames(), *arrow_tables()])
def test_a_table_is_what_its_file_is(name: str, from_csv: tuple[mmoc.Dataset, np.ndarray]) -> None:
    table = (pandas_frames() | arrow_tables())[name]
    data, expected = from_csv
    model = fitted(table)
    assert list(model.feature_names_in_) == list(columns())
    assert model.n_features_in_ == len(columns())
    assert data.feature_names == ["colour=blue", "colour=green", "colour=red", "size", "shiny", "count"]
    np.testing.assert_array_equal(model.predict_proba(table), expected)


def test_a_file_keeps_the_words(tmp_path, from_csv: tuple[mmoc.Dataset, np.ndarray]) -> None:
    frame = pandas_frames()["plain"]
    fitted(frame).save(tmp_path / "model.mmoc")
    model = mmoc.load(tmp_path / "model.mmoc")
    np.testing.assert_array_equal(model.predict_proba(frame), from_csv[1])
    columns = pd.DataFrame(from_csv[0].X, columns=from_csv[0].feature_names)
    np.testing.assert_array_equal(model.predict_proba(columns), from_csv[1])


def test_unknown_words_count_as_none_of_the_known() -> None:
    frame = pandas_frames()["plain"]
    model = fitted(frame)
    with pytest.warns(UserWarning, match="'colour' has words in .* rows? that did not occur in .*, such as 'mauve'"):
        found = model.predict_proba(frame.assign(colour="mauve"))
    assert found.shape == (ROWS, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame.assign(colour=pd.Series([None] * ROWS, dtype=object)))


def test_columns_are_checked_by_name() -> None:
    frame = pandas_frames()["plain"]
    model = fitted(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"colour": "color"}))
    with pytest.warns(UserWarning, match="valid feature names"), pytest.raises(ValueError, match="features"):
        model.predict(np.zeros((3, 7)))


DAYS = [date(2024, 1, 1) + timedelta(days=row) for row in range(ROWS)]
NAMES = [f"n{row}" for row in range(ROWS)]
REFUSED = {
    "dates": (pd.to_datetime(pd.Series(DAYS)), "column 'odd' of X has dates or times"),
    "durations": (pd.to_timedelta(pd.Series(range(ROWS)), unit="s"), "column 'odd' of X has durations"),
    "date objects": (DAYS, r"column 'odd' of X must have only numbers or only text, but has datetime.date"),
    "mixed": (["a", 1] * (ROWS // 2), "only numbers or only text, but has text and 1. Convert or drop"),
    "lists": ([[1]] * ROWS, r"column 'odd' of X has lists such as \[1\]. Give .*: pandas.DataFrame\(X\['odd'\].tolist"),
    "names": (NAMES, "X: expected words in 'odd' that occur in several rows, found 30 different words in 30 rows"),
    "text dates": ([str(day) for day in DAYS], "expected numbers or words in 'odd', found dates or times such as"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_cannot_be_used_are_named(name: str) -> None:
    column, message = REFUSED[name]
    frame = pandas_frames()["plain"].assign(odd=pd.Series(column))
    with pytest.raises(ValueError, match=message):
        fitted(frame)


def test_cross_validation_and_clones_work_with_words() -> None:
    from sklearn.model_selection import cross_val_score

    scores = cross_val_score(mmoc.BinaryRelevance(), pandas_frames()["category"], labels(), cv=3)
    assert len(scores) == 3


def test_words_as_labels_are_refused() -> None:
    for table in arrow_tables().values():
        with pytest.raises(
            ValueError, match=r"the column 'colour' of y has the text '.*'\. .* or the words yes and no,"
        ):
            mmoc.BinaryRelevance().fit(np.zeros((ROWS, 2)), table)


def test_words_for_zeros_and_ones_are_labels() -> None:
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    numbers = pd.DataFrame({"calm": [1, 0, 0] * (ROWS // 3), "loud": [0, 1] * (ROWS // 2)})
    words = pd.DataFrame({"calm": ["yes", "No", "no"] * (ROWS // 3), "loud": ["FALSE", "true"] * (ROWS // 2)})
    expected = mmoc.BinaryRelevance().fit(X, numbers)
    forms = {"objects": words.astype(object), "categories": words.astype("category"), "array": words.to_numpy(object)}
    forms |= {"one column": numbers.assign(calm=words["calm"])}
    if hasattr(words, "__arrow_c_stream__"):
        pa = pytest.importorskip("pyarrow")
        forms["table"] = pa.table(words.to_dict("list"))
    for name, form in forms.items():
        with pytest.warns(
            UserWarning, match="^true and yes count as 1, false and no as 0 in labels \\(found '"
        ) as told:
            fitted = mmoc.BinaryRelevance().fit(X, form)
        assert [own.filename for own in told] == [__file__], name
        np.testing.assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))
        with pytest.warns(UserWarning, match="^true and yes count") as told:
            assert fitted.score(X, form) == expected.score(X, numbers)
        assert [own.filename for own in told] == [__file__], name
    words.loc[4, "calm"] = "maybe"
    with (
        pytest.warns(UserWarning, match="^true and yes"),
        pytest.raises(ValueError, match="^the column 'calm' of y has the text 'maybe'"),
    ):
        mmoc.BinaryRelevance().fit(X, words)


def test_zeros_and_ones_of_any_type_are_labels() -> None:
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    numbers = pd.DataFrame({"calm": [1, 0, 0] * (ROWS // 3), "loud": [0, 1] * (ROWS // 2)})
    expected = mmoc.BinaryRelevance().fit(X, numbers)
    forms = {
        "categories": numbers.astype("category"),
        "categories of booleans": numbers.astype(bool).astype("category"),
        "objects": numbers.astype(object),
        "array of objects": numbers.to_numpy(object),
    }
    for form in forms.values():
        fitted = mmoc.BinaryRelevance().fit(X, form)
        np.testing.assert_array_equal(fitted.predict(X), expected.predict(X))
        assert fitted.predict(X).dtype == np.int64
        assert fitted.score(X, form) == expected.score(X, form) == expected.score(X, numbers)


def test_words_are_the_classes_of_a_single_column_without_a_name() -> None:
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    y = np.array(["yes", "no"] * (ROWS // 2))
    assert set(mmoc.BinaryRelevance().fit(X, y).predict(X)) <= {"yes", "no"}
