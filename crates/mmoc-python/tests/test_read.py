"""Reading data files of all formats."""

import subprocess

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

TABLE = """tempo,loud,mood_calm,mood_happy
60,1.5,1,0
64,,1,0
120,5,0,1
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text(TABLE.replace(",,", ",2,"))
    return path


@pytest.mark.parametrize("labels", [-2, ["mood_calm", "mood_happy"], "mood_*", "mood_calm,mood_happy", np.int64(-2)])
def test_labels_are_chosen_as_on_the_command_line(table, labels):
    songs = mmoc.read(table, labels)
    assert songs.label_names == ["mood_calm", "mood_happy"]
    assert songs.feature_names == ["tempo", "loud"]
    assert songs.name == "songs"
    X, Y = songs
    np.testing.assert_array_equal(X, [[60, 1.5], [64, 2], [120, 5]])
    np.testing.assert_array_equal(Y, [[1, 0], [1, 0], [0, 1]])
    assert repr(songs) == "Dataset('songs': 3 rows, 2 features, 2 labels, 1.00 labels per row)"


def test_frames_have_names(table):
    X, Y = mmoc.read(str(table), -2, as_frame=True)
    assert list(X) == ["tempo", "loud"]
    assert list(Y) == ["mood_calm", "mood_happy"]
    mmoc.BinaryRelevance(folds=2).fit(X, Y)


def test_missing_cells(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text(TABLE)
    message = r"songs\.csv:3:4: expected a value of 'loud' .*, found an empty cell \(missing=\"mean\" replaces"
    with pytest.raises(ValueError, match=message):
        mmoc.read(path, -2)
    X, _ = mmoc.read(path, -2, missing="mean")
    assert np.isnan(X[1, 1])
    with pytest.raises(ValueError, match='missing must be "refuse" or "mean", not'):
        mmoc.read(path, -2, missing="drop")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "arff", "svm", "parquet", "arrow", "csv.gz", "arff.bz2"])
def test_all_formats_give_the_same_rows(table, program, tmp_path, suffix):
    path = tmp_path / f"copy.{suffix}"
    plain = tmp_path / f"copy.{suffix.split('.')[0]}"
    if plain != table:
        subprocess.run([program, "convert", table, plain, "--labels", "-2"], check=True, capture_output=True)
    if suffix.endswith("gz"):
        subprocess.run(["gzip", "-kf", plain], check=True)
    if suffix.endswith("bz2"):
        subprocess.run(["bzip2", "-kf", plain], check=True)
    says_labels = suffix.startswith(("arff", "svm"))
    found = mmoc.read(path, None if says_labels else -2)
    X, Y = mmoc.read(table, -2)
    dense = found.X.toarray() if sp.issparse(found.X) else found.X
    np.testing.assert_array_equal(dense, X)
    np.testing.assert_array_equal(found.Y, Y)


def test_several_files_are_read_one_after_the_other(table):
    X, Y = mmoc.read([table, table], -2)
    assert X.shape == (6, 2)
    assert Y.shape == (6, 2)


def test_what_files_say_of_themselves_is_a_warning(real_data):
    with pytest.warns(UserWarning, match="not those of '-C 45' in the relation's name"):
        mmoc.read(real_data / "medical-train.arff")


@pytest.mark.filterwarnings("ignore:.*the labels are those of")
def test_sparse_files_give_sparse_rows(real_data):
    medical = mmoc.read(real_data / "medical-train.arff")
    assert sp.issparse(medical.X)
    assert medical.X.has_canonical_format
    assert medical.Y.shape == (333, 45)
    frames = mmoc.read(real_data / "medical-train.arff", as_frame=True)
    assert isinstance(frames.X, pd.DataFrame)
    np.testing.assert_array_equal(frames.X.sparse.to_coo().toarray(), medical.X.toarray())


def test_files_that_cannot_be_read_are_refused(tmp_path, table):
    with pytest.raises(FileNotFoundError):
        mmoc.read(tmp_path / "none.csv", -1)
    with pytest.raises(ValueError, match=r"\(the parameter labels selects the label columns: a list of names"):
        mmoc.read(table)
    with pytest.raises(ValueError, match="format"):
        mmoc.read(table, -2, format="xlsx")
    with pytest.raises(ValueError, match="^read takes labels or tags, not both: labels says which"):
        mmoc.read(table, -2, tags="tags")
    with pytest.raises(ValueError, match="found 2: the column of weights, the column of what rows are called"):
        mmoc.read(table, -2, id="tempo", weight="tempo")
    with pytest.raises(ValueError, match="at least one file"):
        mmoc.read([])


PEOPLE = (
    "who,when,visit,age,calm,loud\na,2024-01-01,1,20,yes,no\nb,2024-01-02,2,30,No,FALSE\nc,2024-01-03,3,40,no,True\n"
)


def test_columns_and_rows_are_left_out(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    with pytest.warns(UserWarning, match="true and yes count as 1, false and no as 0 in labels"):
        found = mmoc.read(path, "calm,loud", ignore="when,visit", id="who")
    assert found.feature_names == ["age"]
    assert found.Y.tolist() == [[1, 0], [0, 0], [0, 1]]
    with pytest.warns(UserWarning, match="true and yes"):
        kept = mmoc.read(path, "calm,loud", ignore=["when", "visit"], id="who", drop_empty_rows=True, top_labels=1)
    assert (kept.label_names, kept.X.tolist(), kept.Y.tolist()) == (["calm"], [[20]], [[1]])
    for top in (0, 3, -1):
        with pytest.raises(ValueError, match="labels to keep must be from 1 to 2, not"):
            mmoc.read(path, "calm,loud", ignore="when,visit", id="who", top_labels=top)
    with pytest.raises(ValueError, match="^top_labels must be a whole number, not 1.5$"):
        mmoc.read(path, "calm,loud", top_labels=1.5)


def test_rows_without_a_known_label_among_the_most_frequent_are_left_out(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text("tempo,calm,loud\n1,1,0\n2,1,1\n3,?,1\n4,1,0\n")
    with pytest.warns(UserWarning, match="1 row"):
        found = mmoc.read(path, -2, missing_labels="ignore", top_labels=1)
    assert found.X.ravel().tolist() == [1, 2, 4]


def test_no_row_may_be_left(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text("tempo,calm\n1,0\n2,0\n")
    with pytest.raises(ValueError, match="^drop_empty_rows leaves no row: none has a label$"):
        mmoc.read(path, -1, drop_empty_rows=True)


def test_other_fillings_are_those_of_estimators(table):
    message = "^missing must be .* not 'median'. With \"mean\" missing values become NaN, .* says: missing='median'.$"
    with pytest.raises(ValueError, match=message):
        mmoc.read(table, -2, missing="median")
