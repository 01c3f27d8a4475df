"""Tables from Arrow's C data interface."""

import mmoc
import numpy as np
import pandas as pd
import pytest

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

LABELS = ["rain", "snow", "wind", "sun"]
FEATURES = [f"f{k}" for k in range(8)]


class Stream:
    """A table of which nothing is known but its stream."""

    def __init__(self, table):
        self.schema, self._table = None, table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def in_batches(frame):
    return pa.Table.from_batches(pa.Table.from_pandas(frame).to_batches(max_chunksize=7))


FORMS = {
    "polars": lambda frame: pl.DataFrame({name: frame[name].to_numpy() for name in frame}),
    "pyarrow": pa.Table.from_pandas,
    "pyarrow in batches": in_batches,
    "record batch": pa.RecordBatch.from_pandas,
    "reader": lambda frame: in_batches(frame).to_reader(),
    "any stream": lambda frame: Stream(in_batches(frame)),
}


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def form(request):
    return request.param


@pytest.fixture
def frames(data):
    X, Y = data
    return pd.DataFrame(X, columns=FEATURES), pd.DataFrame(Y, columns=LABELS)


def test_tables_give_the_same_model_as_data_frames(estimator, frames, form):
    X, Y = frames
    expected = estimator().fit(X, Y)
    fitted = estimator().fit(form(X), form(Y))
    assert fitted._model.to_bytes() == expected._model.to_bytes()
    assert fitted.feature_names_in_.tolist() == FEATURES
    assert fitted.label_names_.tolist() == LABELS
    np.testing.assert_array_equal(fitted.predict(form(X)), expected.predict(X))
    assert fitted.predict(form(X)).dtype == np.int64
    for numbers in ("predict_proba", "decision_function"):
        if hasattr(estimator, numbers):
            np.testing.assert_array_equal(getattr(fitted, numbers)(form(X)), getattr(expected, numbers)(X))
    assert fitted.score(form(X), form(Y[LABELS[::-1]])) == expected.score(X, Y)


TYPES = [
    pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
    pa.float16(), pa.float32(), pa.float64(),
]  # fmt: skip


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_numbers_of_every_type_have_their_values(data, kind):
    _, Y = data
    table = pa.table({name: pa.array(column, pa.int8()).cast(kind) for name, column in zip(LABELS, Y.T, strict=True)})
    values, names = mmoc._tables.read_table(table)
    np.testing.assert_array_equal(values, Y)
    assert values.flags.c_contiguous
    assert names == tuple(LABELS)
    fitted = mmoc.BinaryRelevance().fit(Y + 0.5, table)
    np.testing.assert_array_equal(fitted.predict(Y + 0.5), Y)


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 257, 1000])
def test_rows_are_in_their_places(rows):
    rng = np.random.default_rng(rows)
    expected = rng.normal(size=(rows, 3))
    expected[rng.random(expected.shape) < 0.1] = np.nan
    frame = pd.DataFrame(expected, columns=list("abc"))
    # Nulls and NaN are the same for us.
    for table in (pa.Table.from_pandas(frame), pl.DataFrame(expected, schema=list("abc"))):
        np.testing.assert_array_equal(mmoc._tables.read_table(table)[0], expected)
        np.testing.assert_array_equal(mmoc._tables.read_table(table[3:])[0], expected[3:])


def test_nulls_are_missing_values(frames):
    X, Y = frames
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    expected = mmoc.MaxMarginOutputCoding().fit(X, Y)
    table = pa.Table.from_pandas(X)
    assert table.column(0).null_count > 0
    fitted = mmoc.MaxMarginOutputCoding().fit(table, Y)
    np.testing.assert_array_equal(fitted.predict_proba(table), expected.predict_proba(X))
    with pytest.raises(ValueError, match="row .*, column 'f.' of y has nan, a missing label"):
        mmoc.BinaryRelevance().fit(Y, table)


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pa.array([0, 1], pa.date32()), "dates. Convert them to numbers, such as days since a date, or drop the"),
        (pa.array([0, 1], pa.time32("s")), "times of day. Convert them to numbers"),
        (pa.array([0, 1], pa.timestamp("us")), "dates and times. Convert them to numbers"),
        (pa.array([0, 1], pa.duration("s")), "durations. Convert them to numbers"),
        (pa.array([[1], [2]]), "lists or records. Give what they hold columns of their own"),
        (pa.array([{"a": 1}, {"a": 2}]), "lists or records. Give what they hold columns of their own"),
        (pa.array([b"a", b"b"]), "bytes. Convert or drop the column"),
        (pa.nulls(2), "nothing but nulls. Drop the column"),
        (pa.array([1, 2]).cast(pa.decimal128(25, 2)), "decimal numbers. Convert them to 64-bit floats"),
    ],
)
def test_columns_that_are_no_numbers_are_refused_by_name(column, found):
    table = pa.table({"tempo": [1.0, 2.0], "sky": column})
    message = f"column 'sky' must have numbers, booleans or text, and has {found}"
    with pytest.raises(ValueError, match=message):
        mmoc.BinaryRelevance().fit(table, [[0], [1]])
    with pytest.raises(ValueError, match=message):
        mmoc.BinaryRelevance().fit([[0], [1]], table)


def test_feature_names_must_match(frames):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    table = FORMS["polars"](X)
    for other, message in (
        (table.select(FEATURES[::-1]), "they are in another order"),
        (table.rename({"f0": "g0"}), "missing: f0; unknown: g0"),
        (table.drop("f0"), "missing: f0"),
    ):
        with pytest.raises(
            ValueError, match=f"feature names should match those that were passed during fit; {message}"
        ):
            fitted.predict(other)
    unnamed = mmoc.BinaryRelevance().fit(X.to_numpy(), Y)
    with pytest.warns(UserWarning, match="X has feature names, but BinaryRelevance was fitted without") as caught:
        np.testing.assert_array_equal(unnamed.predict(table), fitted.predict(X))
    assert caught[0].filename == __file__
    with (
        pytest.warns(UserWarning, match="X has feature names"),
        pytest.raises(ValueError, match="expecting 8 features"),
    ):
        unnamed.predict(table.drop("f0"))


def test_values_that_cannot_be_used_are_refused(frames):
    X, Y = frames
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    with pytest.raises(ValueError, match="infinity"):
        fitted.predict(FORMS["polars"](X.where(X < 1, np.inf)))
    with pytest.raises(ValueError, match="zeros and ones"):
        mmoc.BinaryRelevance().fit(X, FORMS["polars"](Y * 2))
    with pytest.raises(ValueError, match="^X has no features: the table has no columns$"):
        mmoc.BinaryRelevance().fit(pl.DataFrame(), Y)
    with pytest.raises(TypeError, match=r"^X is a LazyFrame, which has no rows yet\. Call collect\(\) first: X\.coll"):
        mmoc.BinaryRelevance().fit(FORMS["polars"](X).lazy(), Y)
    with pytest.raises(TypeError, match=r"^y is a LazyFrame"):
        mmoc.BinaryRelevance().fit(X, FORMS["polars"](Y).lazy())
    with pytest.raises(TypeError, match=r"^X is a LazyFrame"):
        fitted.predict(FORMS["polars"](X).lazy())


def test_a_column_of_classes_is_one_label(frames):
    X, Y = frames
    classes = np.where(Y["rain"] == 1, "wet", "dry")
    expected = mmoc.BinaryRelevance().fit(X, classes)
    for column in (pl.Series("weather", classes), pa.chunked_array([pa.array(classes)])):
        fitted = mmoc.BinaryRelevance().fit(X, column)
        assert fitted.predict(X).tolist() == expected.predict(X).tolist()


def test_coders_and_the_max_margin_problem_take_tables(frames):
    X, Y = frames
    table = FORMS["pyarrow"]
    coder, expected = mmoc.OutputCoder("cca").fit(table(Y), table(X)), mmoc.OutputCoder("cca").fit(Y, X)
    np.testing.assert_array_equal(coder.transform(table(Y[LABELS[::-1]])), expected.transform(Y))
    predictions = Y + 0.1
    found = mmoc.solve_metric(table(predictions[LABELS[::-1]]), table(Y), C=10)
    np.testing.assert_array_equal(found.metric, mmoc.solve_metric(predictions, Y, C=10).metric)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_files_of_other_libraries_give_the_same_rows(frames, tmp_path, suffix):
    X, Y = frames
    frame, path = pd.concat([X, Y], axis=1), tmp_path / f"table.{suffix}"
    write = {"parquet": "write_parquet", "arrow": "write_ipc", "feather": "write_ipc"}[suffix]
    getattr(FORMS["polars"](frame), write)(path)
    found = mmoc.read(path, LABELS, as_frame=True)
    pd.testing.assert_frame_equal(found.X, X)
    pd.testing.assert_frame_equal(found.Y, Y)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_dates_and_times_are_numbers_only_on_request(tmp_path, suffix):
    path = tmp_path / f"table.{suffix}"
    days = pl.Series("day", [1, 365], dtype=pl.Int32).cast(pl.Date)
    noons = days.cast(pl.Datetime("ms")).dt.offset_by("12h").alias("time")
    table = pl.DataFrame([days, noons, pl.Series("rain", [0, 1])])
    (table.write_parquet if suffix == "parquet" else table.write_ipc)(path)
    with pytest.raises(ValueError, match=r"'day'.*\(times=\"numbers\" turns dates and times into numbers, ignore="):
        mmoc.read(path, ["rain"])
    found = mmoc.read(path, ["rain"], times="numbers")
    np.testing.assert_array_equal(found.X, [[1, 1.5], [365, 365.5]])
    with pytest.raises(ValueError, match="refuse or numbers, not 'drop'"):
        mmoc.read(path, ["rain"], times="drop")


def test_tags_may_be_lists():
    tags = [["food", "wine"], [], ["wine"], ["food"]]
    plain = pa.table({"tempo": [1.0, 2.0, 3.0, 4.0], "about": [";".join(own) for own in tags]})
    expected = mmoc.read(plain, tags="about")
    assert expected.label_names == ["food", "wine"]
    columns = {"tempo": [1.0, 2.0, 3.0, 4.0], "about": tags}
    for table in (pa.table(columns), pl.DataFrame(columns), pd.DataFrame(columns)):
        found = mmoc.read(table, tags="about")
        assert found.label_names == expected.label_names
        np.testing.assert_array_equal(found.Y, expected.Y)
    with pytest.raises(ValueError, match="the tag 'a;b' contains the separator ';'; choose another tag_separator"):
        mmoc.read(pa.table({"tempo": [1.0, 2.0], "about": [["a;b"], ["c"]]}), tags="about")
    missing = pa.table({"tempo": [1.0, 2.0, 3.0], "about": ["food;wine", None, ""]})
    remedy = r'fillna\(""\) in pandas, fill_null\(""\) in Polars; missing_labels="ignore"'
    for table in (missing, missing.to_pandas(), pl.from_arrow(missing)):
        with pytest.raises(ValueError, match=f"row 2 of 'about': expected tags in 'about', found .*{remedy}"):
            mmoc.read(table, tags="about")
    np.testing.assert_array_equal(mmoc.read(missing.to_pandas().fillna(""), tags="about").Y, [[1, 1], [0, 0], [0, 0]])
    with pytest.raises(TypeError, match="^path is a LazyFrame"):
        mmoc.read(pl.DataFrame(columns).lazy(), tags="about")
