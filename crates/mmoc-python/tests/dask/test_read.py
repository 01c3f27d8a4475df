"""Partitions have the rows of `mmoc.read` of all files, to the bit and with the same names."""

import subprocess
import warnings
from dataclasses import replace

import dask
import mmoc
import mmoc.dask
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from dask.utils import key_split

LABELS = ["calm", "happy", "sad"]
ROWS = 400


@pytest.fixture(autouse=True)
def on_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def frame(seed=0, rows=ROWS):
    """Numbers that are hard to read, words, and labels."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=rows) * 10.0 ** rng.integers(-300, 300, size=rows)
    table = {
        "tempo": numbers,
        "loud": rng.integers(-5, 5, size=rows) * -0.0,
        "year": rng.integers(1900, 2100, size=rows),
        # Words that are rare are not in all partitions.
        "colour": rng.choice(["red", "green", "blue, dark", 'a "b"'], p=[0.9, 0.05, 0.04, 0.01], size=rows),
        "live": rng.choice([True, False], p=[0.02, 0.98], size=rows),
        "language": ["en"] * rows,
    }
    labels = {name: rng.integers(0, 2, size=rows) for name in LABELS}
    return pd.DataFrame(table | labels)


def missing(table, seed=0):
    """The same table with some cells missing, the first ones among them."""
    holes = np.random.default_rng(seed).uniform(size=table.shape) < 0.1
    holes[:3, :] = True
    holes[:, -len(LABELS) :] = False
    return table.astype({"year": float, "live": object}).mask(holes)


def write_csv(table, folder):
    """Three files, one after the other, the second without rows."""
    files = [folder / f"part-{number}.csv" for number in range(3)]
    first = len(table) // 4
    for file, part in zip(files, (table[:first], table[:0], table[first:]), strict=True):
        part.to_csv(file, index=False)
    return files


def computed(dataset):
    """The rows of all partitions."""
    X, Y = dataset.X.compute(), dataset.Y.compute()
    weights = None if dataset.weights is None else dataset.weights.compute().to_numpy()
    return (X.to_numpy() if isinstance(X, pd.DataFrame) else X), Y.to_numpy(), weights


def check_same(found, expected):
    """The rows, names and weights are the same to the bit."""
    X, Y, weights = computed(found)
    assert (found.feature_names, found.label_names) == (expected.feature_names, expected.label_names)
    assert found.name == expected.name
    assert sp.issparse(X) == sp.issparse(expected.X)
    if sp.issparse(X):
        assert X.has_canonical_format
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(X, part), getattr(expected.X, part))
        assert X.shape == expected.X.shape
    else:
        assert X.dtype == expected.X.dtype
        np.testing.assert_array_equal(X.view(np.uint64), np.asarray(expected.X).view(np.uint64))
    assert Y.dtype == expected.Y.dtype
    np.testing.assert_array_equal(Y, expected.Y)
    assert (weights is None) == (expected.weights is None)
    if weights is not None:
        np.testing.assert_array_equal(weights, expected.weights)


def whole(files, *arguments, **options):
    """What `mmoc.read` finds in all files with rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        files = [file for file in files if file.read_bytes().count(b"\n") > 1]
        return mmoc.read(files, *arguments, **options)


@pytest.mark.parametrize("blocksize", [None, "1 GiB", "2 kiB", 150])
@pytest.mark.parametrize("with_holes", [False, True])
def test_tables_of_numbers_and_words(tmp_path, blocksize, with_holes):
    # Fewer rows for the ranges of less than a line, of which there are so many.
    table = frame(rows=ROWS if blocksize != 150 else 100)
    files = write_csv(missing(table) if with_holes else table, tmp_path)
    options = {"labels": LABELS, "missing": "mean" if with_holes else "refuse"}
    found = mmoc.dask.read(tmp_path / "part-*.csv", blocksize=blocksize, **options)
    expected = whole(files, **options)
    check_same(found, expected)
    assert "colour=blue, dark" in found.feature_names
    assert "live=True" in found.feature_names
    assert list(found.X.columns) == found.feature_names
    assert list(found.Y.columns) == LABELS
    X, Y = found
    assert X is found.X
    assert Y is found.Y
    sizes = [len(part) for part in dask.compute(*Y.to_delayed())]
    assert sum(sizes) == len(table)
    if blocksize == 150:
        assert 0 in sizes, "some ranges have no line of their own"
    assert f"{Y.npartitions} partitions, {len(found.feature_names)} features, 3 labels" in repr(found)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace(",", " , "),
    ],
    ids=["Windows", "a mark", "no end", "empty lines", "blanks"],
)
def test_lines_may_have_any_form(tmp_path, change):
    text = frame()[["tempo", "year", *LABELS]].to_csv(index=False)
    for number in range(2):
        (tmp_path / f"{number}.csv").write_bytes(change(text).encode())
    files = [tmp_path / "0.csv", tmp_path / "1.csv"]
    check_same(mmoc.dask.read(files, -3, blocksize=700), mmoc.read(files, -3))


@pytest.mark.parametrize(("separator", "suffix"), [(";", "csv"), ("\t", "csv"), ("\t", "tsv")])
def test_separators(tmp_path, separator, suffix):
    path = tmp_path / f"songs.{suffix}"
    frame().to_csv(path, sep=separator, index=False)
    check_same(mmoc.dask.read(path, "-3", blocksize=3000), mmoc.read(path, "-3"))


def test_an_index_of_pandas_is_no_feature(tmp_path):
    path = tmp_path / "songs.csv"
    frame().to_csv(path)
    check_same(mmoc.dask.read(path, LABELS, blocksize=3000), mmoc.read(path, LABELS))


@pytest.mark.parametrize("suffix", ["csv.gz", "csv.bz2"])
def test_compressed_files_are_partitions(tmp_path, suffix):
    for number in range(2):
        frame(number).to_csv(tmp_path / f"{number}.{suffix}", index=False)
    found = mmoc.dask.read(str(tmp_path / f"*.{suffix}"), LABELS, blocksize=1000)
    assert found.Y.npartitions == 2
    check_same(found, mmoc.read([tmp_path / f"{number}.{suffix}" for number in range(2)], LABELS))


def test_patterns_are_sorted_by_number_and_folders_are_read(tmp_path):
    for number in range(12):
        frame(number, rows=5).to_csv(tmp_path / f"part-{number}.csv", index=False)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-0.csv.crc").touch()
    expected = mmoc.read([tmp_path / f"part-{number}.csv" for number in range(12)], LABELS)
    for paths in (tmp_path / "part-*.csv", str(tmp_path), [tmp_path / "part-?.csv", tmp_path / "part-1?.csv"]):
        check_same(mmoc.dask.read(paths, LABELS), expected)


@pytest.mark.parametrize("options", [{"weight": "count"}, {"weight": "count", "ignore": "tempo,li*", "id": "loud"}])
def test_columns_of_other_purposes(tmp_path, options):
    table = frame()
    table["count"] = np.arange(len(table)) % 3 / 2
    files = write_csv(table, tmp_path)
    found = mmoc.dask.read(files, LABELS, blocksize=900, **options)
    check_same(found, whole(files, LABELS, **options))
    assert len(computed(found)[2]) < ROWS, "rows of weight 0 are left out"


def test_tags_are_those_of_all_partitions(tmp_path):
    rng = np.random.default_rng(0)
    tags = [";".join(rng.choice(["food", "wine", "music"], size=2, replace=False)) for _ in range(ROWS)]
    tags[7], tags[90], tags[-1] = "", " rare ;food", "last"
    table = frame()[["tempo", "colour"]].assign(tags=tags)
    files = write_csv(table, tmp_path)
    found = mmoc.dask.read(files, tags="tags", blocksize=400)
    check_same(found, whole(files, tags="tags"))
    assert found.label_names == ["food", "last", "music", "rare", "wine"]


def test_times_become_numbers(tmp_path):
    table = frame().assign(
        day=pd.date_range("1969-12-01", periods=ROWS).strftime("%Y-%m-%d"),
        at=pd.date_range("2024-01-01", periods=ROWS, freq="17min").strftime("%H:%M:%S"),
    )
    files = write_csv(table, tmp_path)
    check_same(mmoc.dask.read(files, LABELS, times="numbers", blocksize=999), whole(files, LABELS, times="numbers"))
    with pytest.raises(ValueError, match=r"part-0\.csv:1:.*found dates or times .*times=\"numbers\""):
        mmoc.dask.read(files, LABELS)


def libsvm(tmp_path, rows, name="data"):
    """Files of rows, given as texts."""
    half = len(rows) // 2
    for number, part in enumerate((rows[:half], rows[half:])):
        (tmp_path / f"{name}-{number}.svm").write_text("".join(f"{row}\n" for row in part))
    return [tmp_path / f"{name}-{number}.svm" for number in range(2)]


def sparse_rows(first, share, rows=ROWS):
    rng = np.random.default_rng(0)
    for row in range(rows):
        columns = np.flatnonzero(rng.uniform(size=12) < share) + first
        labels = rng.choice([4, 30, 7], size=rng.integers(1, 3), replace=False) if row % 5 else []
        pairs = " ".join(f"{column}:{rng.normal()!r}" for column in columns)
        yield f"{','.join(map(str, labels))} {pairs} # row {row}"


@pytest.mark.parametrize("blocksize", [None, 5000, 90])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("share", [0.2, 0.8])
def test_vectors(tmp_path, blocksize, first, share):
    rows = list(sparse_rows(first, share, rows=ROWS if blocksize != 90 else 60))
    # What is rare: an index and a label in the last row, rows without labels or values, and what is written as zero.
    rows[3:6] = [f"{first}:0", "7", f"4 {first + 1}:0 {first}:-0"]
    rows[-1] = f"1000 {first + 12}:1"
    files = libsvm(tmp_path, rows)
    found = mmoc.dask.read(files, blocksize=blocksize)
    check_same(found, mmoc.read(files))
    assert found.label_names == ["4", "7", "30", "1000"]
    assert sp.issparse(found.X._meta) == (share < 0.5)


def test_vectors_of_known_extent_are_not_looked_through(tmp_path):
    files = libsvm(tmp_path, list(sparse_rows(1, 0.8)))
    with dask.config.set(scheduler=refuse_to_compute):
        found = mmoc.dask.read(files, labels=["30", "4", "7"], n_features=15, blocksize=2000)
    X, Y, _ = computed(found)
    expected = mmoc.read(files)
    assert sp.issparse(X)
    assert X.shape == (ROWS, 15)
    np.testing.assert_array_equal(X.toarray()[:, :12], expected.X)
    np.testing.assert_array_equal(Y, expected.Y)
    for options, message in [
        ({"labels": "4,30,7", "n_features": 11}, r"data-.\.svm: found the feature 'x12', which is not among the 11"),
        ({"labels": "4,7", "n_features": 12}, r"data-.\.svm: found the label '30', which is not among the 2 labels"),
    ]:
        with pytest.raises(ValueError, match=message):
            mmoc.dask.read(files, **options).Y.compute()


def refuse_to_compute(*arguments, **options):
    raise AssertionError("nothing was to be computed")


def arrow_table(rows=ROWS):
    table = frame(rows=rows)
    columns = {name: pa.array(table[name]) for name in table}
    return pa.table(
        columns
        | {
            "colour": columns["colour"].cast(pa.string()).dictionary_encode(),
            "language": columns["language"].cast(pa.large_string()),
            "year": columns["year"].cast(pa.int16()),
            "price": pa.array(range(rows)).cast(pa.decimal128(21, 2)),
            "bpm": pa.array([None if row % 7 == 0 else row / 3 for row in range(rows)], pa.float32()),
            "happy": columns["happy"].cast(pa.bool_()),
        }
    )


@pytest.mark.parametrize("blocksize", [None, 4000, 1])
def test_tables_of_columns_with_types(tmp_path, blocksize):
    table = arrow_table()
    files = [tmp_path / f"part.{number}.parquet" for number in range(3)]
    for file, part in zip(files, (table.slice(0, 150), table.slice(150, 0), table.slice(150)), strict=True):
        pq.write_table(part, file, row_group_size=40)
    found = mmoc.dask.read(tmp_path, labels=LABELS, missing="mean", blocksize=blocksize)
    expected = mmoc.read([file for file in files if pq.read_metadata(file).num_rows], labels=LABELS, missing="mean")
    check_same(found, expected)
    assert found.Y.npartitions == {None: 3, 4000: found.Y.npartitions, 1: 4 + 1 + 7}[blocksize]


def test_parquet_of_other_purposes(tmp_path):
    table = arrow_table().append_column("count", pa.array(np.arange(ROWS) % 4 / 2))
    tags = pa.array([["food", "wine"][: row % 3] for row in range(ROWS)])
    when = pa.array(range(ROWS)).cast(pa.timestamp("ms"))
    path = tmp_path / "songs.parquet"
    pq.write_table(table.append_column("when", when), path, row_group_size=50)
    options = {"labels": LABELS, "weight": "count", "ignore": "price", "times": "numbers", "missing": "mean"}
    check_same(mmoc.dask.read(path, blocksize=1, **options), whole([path], **options))
    table = table.select(["tempo", "colour"]).append_column("tags", tags)
    pq.write_table(table, path, row_group_size=50)
    check_same(mmoc.dask.read(path, tags="tags", blocksize=1), replace(mmoc.read(table, tags="tags"), name="songs"))


def test_parquet_files_of_ours_name_their_labels(tmp_path, program):
    frame()[["tempo", "colour", *LABELS]].to_csv(tmp_path / "songs.csv", index=False)
    path = tmp_path / "songs.parquet"
    subprocess.run([program, "convert", tmp_path / "songs.csv", path, "--labels", "-3"], check=True)
    check_same(mmoc.dask.read(path), mmoc.read(path))
    check_same(mmoc.dask.read(path, ["happy"]), whole([path], ["happy"]))


@pytest.mark.parametrize("blocksize", [None, 2500])
def test_errors_name_the_file_and_the_line(tmp_path, blocksize):
    table = frame()
    for column, text, expected in [
        ("tempo", "fast", r"songs\.csv:302:1: expected .*found 'fast'"),
        ("calm", "maybe", r"songs\.csv:302:\d+: expected 0 or 1 for the label 'calm', found 'maybe'"),
        ("tempo", "", r"songs\.csv:302:1: expected a value of 'tempo' .*missing=\"mean\""),
    ]:
        wrong = table.astype({column: object})
        wrong.loc[300, column] = text
        wrong.to_csv(tmp_path / "songs.csv", index=False)
        with pytest.raises(ValueError, match=expected) as error:
            mmoc.dask.read(tmp_path / "songs.csv", LABELS, blocksize=blocksize).X.compute()
        assert str(error.value).startswith(str(tmp_path)), "temporary files are not named"
    files = libsvm(tmp_path, ["4 1:1"] * 250 + ["4 1:x"] + ["4 1:1"] * 149)
    with pytest.raises(ValueError, match=r"data-1\.svm:51:5: expected a finite number, found 'x'"):
        mmoc.dask.read(files, blocksize=blocksize)
    with pytest.raises(ValueError, match=r"data-1\.svm:51:5: expected a finite number, found 'x'"):
        mmoc.dask.read(files, labels="4", n_features=1, blocksize=blocksize).X.compute()
    price = pa.array([float(row) if row != 333 else np.inf for row in range(ROWS)])
    path = tmp_path / "songs.parquet"
    pq.write_table(arrow_table().append_column("high", price), path, row_group_size=50)
    with pytest.raises(ValueError) as whole:  # noqa: PT011
        mmoc.read(path, LABELS, missing="mean")
    with pytest.raises(ValueError, match=r"songs\.parquet: row 334 of 'high'") as parts:
        mmoc.dask.read(path, LABELS, missing="mean", blocksize=1).X.compute()
    assert str(parts.value) == str(whole.value)


def test_files_of_other_columns_are_refused(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    table = frame()
    table.to_csv(one, index=False)
    for changed, message in [
        (
            table.rename(columns={"year": "age"}),
            "other.csv:1: expected the column 'year', found the column 'age', as in",
        ),
        (table.assign(more=1), "other.csv:1: expected no more columns, found the column 'more', as in"),
        (table.drop(columns="sad"), "other.csv:1: expected the column 'sad', found no more columns, as in"),
        (table.iloc[:, ::-1], "other.csv:1: expected the column 'tempo', found the column 'sad', as in"),
    ]:
        changed.to_csv(other, index=False)
        with pytest.raises(ValueError, match=message):
            mmoc.dask.read([one, other], LABELS).X.compute()
    other.write_text("")
    with pytest.raises(ValueError, match="other.csv:1: expected a line with the names of the columns, found none"):
        mmoc.dask.read([one, other], LABELS).X.compute()
    pq.write_table(arrow_table(), tmp_path / "one.parquet")
    for changed, message in [
        (arrow_table().drop_columns("year"), "other.parquet: found no column 'year', and .*one.parquet has it"),
        (arrow_table().append_column("more", pa.array(range(ROWS))), "found the column 'more', and .* has none"),
    ]:
        pq.write_table(changed, tmp_path / "other.parquet")
        with pytest.raises(ValueError, match=message):
            mmoc.dask.read(tmp_path / "*.parquet", LABELS, missing="mean").X.compute()


def test_a_column_may_not_be_numbers_here_and_words_there(tmp_path):
    for number, year in enumerate(["1999", "old"]):
        frame(rows=30).assign(year=year).to_csv(tmp_path / f"{number}.csv", index=False)
    found = mmoc.dask.read(tmp_path / "*.csv", LABELS)
    with pytest.raises(ValueError, match=r"1\.csv:2:\d+: expected a finite number.*found 'old'"):
        found.X.compute()


def test_cells_with_line_ends_are_not_divided(tmp_path):
    table = frame().assign(colour=["red\nish" if row % 2 else "blue" for row in range(ROWS)])
    path = tmp_path / "songs.csv"
    table.to_csv(path, index=False)
    check_same(mmoc.dask.read(path, LABELS, blocksize=None), mmoc.read(path, LABELS))
    with pytest.raises(ValueError, match=r"songs\.csv:\d+:.*inside quotes, blocksize=None reads each file as one part"):
        mmoc.dask.read(path, LABELS, blocksize=777)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": None}, "the parameter labels selects the label columns"),
        ({"tags": "colour"}, "^read takes labels or tags, not both: labels says which columns"),
        ({"missing": "median"}, '^missing must be "refuse" or "mean", not'),
        ({"blocksize": 0}, "^blocksize must be a number of bytes of at least 1, or None, not 0$"),
        ({"format": "arff"}, "^format must be one of 'csv', 'tsv', 'libsvm', 'parquet', not 'arff'. .*mmoc convert"),
        ({"n_features": 3}, "^n_features is for libsvm files, and these are csv$"),
        ({"paths": []}, "^paths must name at least one file$"),
        ({"paths": "songs.arff"}, "the name does not say the format. .*mmoc convert"),
        ({"paths": ["songs.csv", "songs.svm"]}, "songs.svm is a libsvm file, and .*songs.csv is a csv file"),
        ({"paths": "songs.svm", "labels": "4"}, "for libsvm files give labels and n_features, or neither"),
        ({"paths": "songs.svm", "labels": "a", "n_features": 3}, "must be whole numbers from 0 on, not 'a'"),
        ({"paths": "songs.svm", "labels": "4", "n_features": 0}, "^n_features must be at least 1, not 0$"),
        ({"paths": "mac.csv"}, "mac.csv:1: expected the names of the columns in one line, which ends with a line feed"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    frame(rows=30).to_csv("songs.csv", index=False)
    frame(rows=30).to_csv("mac.csv", index=False, lineterminator="\r")
    for name in ("songs.arff", "songs.svm"):
        (tmp_path / name).write_text("4 1:1\n")
    with pytest.raises(ValueError, match=message):
        mmoc.dask.read(**({"paths": "songs.csv", "labels": LABELS} | options))


def test_files_that_are_not_there(tmp_path):
    for path in ("none.csv", "none-*.csv"):
        with pytest.raises(FileNotFoundError, match="there is no file .*none"):
            mmoc.dask.read(tmp_path / path, -1)


def test_no_file_is_read_whole_by_the_calling_process(tmp_path, monkeypatch):
    from mmoc.dask import _read_files, _read_tables

    files = write_csv(frame()[["tempo", *LABELS]], tmp_path)
    monkeypatch.setattr(_read_tables, "_HEAD", 1000)
    read = []
    monkeypatch.setattr(_read_files.Block, "read", lambda block: read.append(block) or b"")
    with dask.config.set(scheduler=refuse_to_compute):
        found = mmoc.dask.read(files, LABELS, blocksize=2000)
    assert not read
    assert found.Y.npartitions > 3


def test_rows_of_a_file_that_has_changed_are_not_taken_for_its_own(tmp_path):
    path = tmp_path / "songs.csv"

    def keys():
        """Those of the tasks that read."""
        return {key for key in map(str, mmoc.dask.read(path, LABELS).Y.dask) if key.startswith("read-csv")}

    frame(0).to_csv(path, index=False)
    before = keys()
    assert keys() == before
    frame(1, rows=ROWS + 1).to_csv(path, index=False)
    assert not keys() & before


def test_tasks_have_readable_names(tmp_path):
    frame().to_csv(tmp_path / "songs.csv", index=False)
    X, Y = mmoc.dask.read(tmp_path / "songs.csv", LABELS, blocksize=5000)
    names = {key_split(key) for collection in (X, Y) for part in collection.to_delayed() for key in part.dask}
    assert {"read-csv", "read-schema", "features", "labels"} <= names


def test_each_partition_is_read_once_for_features_and_labels(tmp_path, monkeypatch):
    from mmoc.dask import _read_files

    frame()[["tempo", *LABELS]].to_csv(tmp_path / "songs.csv", index=False)
    X, Y = mmoc.dask.read(tmp_path / "songs.csv", LABELS, blocksize=5000)
    read, original = [], _read_files.Block.read
    monkeypatch.setattr(_read_files.Block, "read", lambda block: read.append(block) or original(block))
    dask.compute(X.to_delayed(), Y.to_delayed())
    assert len(read) == Y.npartitions > 2


def test_notes_are_given_once(tmp_path):
    table = frame()[["tempo", *LABELS]].replace({"calm": {0: "no", 1: "yes"}})
    files = write_csv(table, tmp_path)
    with pytest.warns(UserWarning, match="true and yes count as 1") as heard:
        computed(mmoc.dask.read(files, LABELS, blocksize=1000))
    assert len(heard) == 1
    assert heard[0].filename == __file__


def test_workers_read(tmp_path, client):
    files = write_csv(frame(), tmp_path)
    found = mmoc.dask.read(files, LABELS, blocksize=3000, client=client)
    X, Y = client.gather(client.compute([found.X, found.Y]))
    expected = whole(files, LABELS)
    np.testing.assert_array_equal(X.to_numpy(), expected.X)
    np.testing.assert_array_equal(Y.to_numpy(), expected.Y)
    vectors = libsvm(tmp_path, list(sparse_rows(1, 0.2)))
    found = mmoc.dask.read(vectors, blocksize=3000, client=client)
    np.testing.assert_array_equal(client.compute(found.X).result().toarray(), mmoc.read(vectors).X.toarray())
    files[-1].write_text(files[-1].read_text() + "1,2,3\n")
    with pytest.raises(ValueError, match=r"part-2\.csv:\d+:\d+: expected 9 fields as in the header"):
        mmoc.dask.read(files, LABELS, client=client)


def test_estimators_take_what_was_read(tmp_path, data):
    X, Y = data
    table = pd.DataFrame(X).add_prefix("x").join(pd.DataFrame(Y).add_prefix("label "))
    table.to_csv(tmp_path / "songs.csv", index=False)
    x, y = mmoc.dask.read(tmp_path / "songs.csv", "label *", blocksize=4000)
    model = mmoc.dask.BinaryRelevance(penalty=0.01).fit(x, y)
    assert list(model.label_names_) == [f"label {k}" for k in range(Y.shape[1])]
    assert list(model.feature_names_in_) == list(table)[: X.shape[1]]
    predicted = model.predict(x).compute()
    expected = mmoc.BinaryRelevance(penalty=0.01).fit(table.iloc[:, : X.shape[1]], table.iloc[:, X.shape[1] :])
    assert np.mean(predicted == expected.predict(table.iloc[:, : X.shape[1]])) > 0.99
