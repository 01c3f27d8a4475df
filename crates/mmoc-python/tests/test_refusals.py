"""Data that cannot be used is refused with what was found, where, and what to do."""

import datetime
import pathlib

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

ROWS = 6
X = np.arange(2.0 * ROWS).reshape(ROWS, 2) % 5
Y = np.array([[0, 1], [1, 0]] * (ROWS // 2))
DAY = datetime.date(2024, 5, 1)

ENCODE = (
    "Encode it as numbers, for example by a ColumnTransformer with OneHotEncoder, or TfidfVectorizer for sentences."
)
COUNT_TIME = "Convert dates and times to numbers, such as days since a date, or drop them."
BINARY = "Labels must be zeros and ones."
DUMMIES = "pandas.get_dummies makes a 0/1 column for each value."
TAGS = "Several names in a row are lists of tags: [['food', 'wine'], ['wine']]."
SETS = (
    "For several labels y must be a 0/1 matrix with one column per label, or a list or set of tags for each row: "
    "[['food', 'wine'], ['wine']]."
)
FINITE = "Numbers must be finite. Replace infinity by a number, or by NaN, which is a missing value."
FILES = "Files are read by X, Y = mmoc.read(path)."


def with_cell(value, row=3, column=1):
    cells = X.tolist()
    cells[row][column] = value
    return cells


def table(**columns):
    return pd.DataFrame({"size": X[:, 0], **columns})


def stamps(count=ROWS):
    return pd.date_range("2024-05-01", periods=count)


FEATURES = {
    "lists of words": ([["red", "big"]] * ROWS, f"row 0, column 0 of X has the text 'red'. {ENCODE}"),
    "a word among numbers": (with_cell("red"), f"row 3, column 1 of X has the text 'red'. {ENCODE}"),
    "an array of words": (np.array([["red", "big"]] * ROWS), f"row 0, column 0 of X has the text 'red'. {ENCODE}"),
    "an array of objects": (
        np.array(with_cell("red"), dtype=object),
        f"row 3, column 1 of X has the text 'red'. {ENCODE}",
    ),
    "sentences": (
        ["the sun", "the rain"] * (ROWS // 2),
        f"X must have a row of numbers for each example, and it has text such as 'the sun'. {ENCODE}",
    ),
    "bytes": (with_cell(b"red"), f"row 3, column 1 of X has the bytes b'red'. {ENCODE}"),
    "a date": (with_cell(DAY), f"row 3, column 1 of X has the date or time '2024-05-01'. {COUNT_TIME}"),
    "an array of dates": (
        stamps(2 * ROWS).to_numpy().astype("datetime64[D]").reshape(ROWS, 2),
        f"X has dates or times, of type datetime64[D]. {COUNT_TIME}",
    ),
    "differences of dates": (
        (stamps(2 * ROWS) - stamps(1)[0]).to_numpy().astype("timedelta64[s]").reshape(ROWS, 2),
        f"X has dates or times, of type timedelta64[s]. {COUNT_TIME}",
    ),
    "ragged lists": (
        [*X.tolist()[:4], [1.0], [1.0, 2.0]],
        "row 0 of X has 2 values and row 4 has 1 value. All rows must have the same columns.",
    ),
    "a list in a cell": (
        with_cell([1, 2]),
        "row 3, column 1 of X has the list [1, 2]. Each cell must be one number: give what it holds columns of their "
        "own.",
    ),
    "a column of lists": (pd.Series(X.tolist()), "X has lists such as [0.0, 1.0]. np.vstack(X) makes a matrix."),
    "a path": ("data.csv", f"X is the text 'data.csv'. {FILES}"),
    "a path object": (pathlib.PurePosixPath("data.csv"), f"X is the text PurePosixPath('data.csv'). {FILES}"),
    "a dict": ({"a": [1, 2]}, "X is a dict. pandas.DataFrame(X) makes a table of it."),
    "an iterator": (iter(X), "X is an iterator, which has no order or length. list(X) makes a list of it."),
    "infinity": (with_cell(np.inf), f"row 3, column 1 of X has inf. {FINITE}"),
    "infinity in a sparse matrix": (sp.csc_array(with_cell(-np.inf)), f"row 3, column 1 of X has -inf. {FINITE}"),
    "infinity in a column": (
        table(loud=np.where(X[:, 1] > 3, np.inf, 1.0)),
        f"row 4, column 'loud' of X has inf. {FINITE}",
    ),
    "infinity in a column with missing cells": (
        table(loud=pd.array([None, 1, 2, np.inf, 0, 1], dtype="Float64")),
        f"row 3, column 'loud' of X has inf. {FINITE}",
    ),
    "infinity beside words": (
        table(genre=["rock", "pop"] * 3, loud=[0, np.inf, 0, 1, 0, 1]),
        f"row 1, column 'loud' of X has inf. {FINITE}",
    ),
    "several columns of one name": (
        pd.DataFrame(X, columns=["size", "size"]),
        "X has several columns named 'size'. Each column needs a name of its own: rename or drop some.",
    ),
    "a number": (3, "X is 3. It must have a row for each example."),
    "nothing": (None, "X is None. It must have a row of numbers for each example."),
}


@pytest.mark.parametrize(("features", "message"), FEATURES.values(), ids=FEATURES)
def test_features_are_refused_with_the_place(features, message):
    with pytest.raises((TypeError, ValueError)) as error:
        mmoc.BinaryRelevance().fit(features, Y)
    assert str(error.value).split(" (")[0] == message.split(" (")[0]
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    "name",
    [
        "lists of words",
        "a date",
        "an array of dates",
        "ragged lists",
        "infinity",
        "several columns of one name",
        "nothing",
    ],
)
def test_rows_to_predict_are_refused_alike(name):
    features, message = FEATURES[name]
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    for method in (fitted.predict, fitted.predict_proba, fitted.decision_function, fitted.predict_tags):
        with pytest.raises((TypeError, ValueError)) as error:
            method(features)
        assert str(error.value).startswith(message)


LABELS = {
    "words in a column": (
        table(genre=["rock", "pop"] * 3).drop(columns="size").assign(calm=Y[:, 0]),
        f"the column 'genre' of y has the text 'rock'. {BINARY} {DUMMIES} {TAGS}",
    ),
    "categories": (
        pd.DataFrame({"calm": Y[:, 0], "genre": pd.Categorical(["rock", "pop"] * 3)}),
        f"the column 'genre' of y has the text 'rock'. {BINARY} {DUMMIES} {TAGS}",
    ),
    "categories of digits": (
        pd.DataFrame({"calm": Y[:, 0], "loud": pd.Categorical(list("010101"))}),
        f"the column 'loud' of y has the text '0'. {BINARY} y.astype(int) makes numbers of text.",
    ),
    "an array of digits": (
        Y.astype(str),
        f"row 0, column 0 of y has the text '0'. {BINARY} y.astype(int) makes numbers of text.",
    ),
    "dates in a column": (
        pd.DataFrame({"calm": Y[:, 0], "day": stamps()}),
        f"the column 'day' of y has the date or time '2024-05-01 00:00:00'. {BINARY} {DUMMIES}",
    ),
    "objects": (
        pd.DataFrame({"calm": Y[:, 0], "loud": pd.Series([0, 1, None, 1, 0, 1], dtype=object)}),
        "row 2, column 'loud' of y has None, a missing label. Fill it with 0 or 1, or use missing_labels=\"ignore\".",
    ),
    "an array of words": (
        np.array([["rock", "pop"]] * ROWS),
        f"row 0, column 0 of y has the text 'rock'. {BINARY} {DUMMIES} {TAGS}",
    ),
    "other numbers": (2 * Y, f"labels must be zeros and ones, and row 0, column 1 has 2. {SETS}"),
    "other numbers in a sparse matrix": (
        sp.csr_matrix(np.where(np.arange(ROWS)[:, None] == 3, 7 * Y, Y)),
        f"labels must be zeros and ones, and row 3, column 0 has 7. {SETS}",
    ),
    "other numbers in a named column": (
        pd.DataFrame(Y, columns=["calm", "loud"]).assign(loud=[0, 1, 2, 0, 1, 2]),
        f"labels must be zeros and ones, and row 2, column 'loud' has 2. {SETS}",
    ),
    "fractions": (Y / 2, f"labels must be zeros and ones, and row 0, column 1 has 0.5. {SETS}"),
    "infinity": (
        pd.DataFrame({"calm": Y[:, 0], "loud": np.where(Y[:, 1] == 1, np.inf, 0)}),
        f"row 0, column 'loud' of y has inf. {BINARY}",
    ),
    "three dimensions": (
        np.zeros((ROWS, 2, 2)),
        "y has 3 dimensions. It must have a row for each example, and a column for each label.",
    ),
    "several columns of one name": (
        pd.DataFrame(Y, columns=["calm", "calm"]),
        "y has several columns named 'calm'. Each column needs a name of its own: rename or drop some.",
    ),
    "lists of words for zeros and ones": (
        [["yes", "no"], ["no", "No"]] * 3,
        "y has only the words 'No' and 'no' and 'yes' in lists, which look like a matrix of labels and are not names "
        "of labels. Give it as an array, in which yes and true count as 1, and no and false as 0: np.array(y).",
    ),
    "a number": (5, "y is 5. It must have a row for each example."),
    "signs": (2 * Y - 1, "labels must be zeros and ones, and row 0, column 0 has -1. Use y > 0."),
    "text with several names": (
        ["food,wine", "wine", "food", "art,food", "wine", "art"],
        "Only binary classification is supported. The type of the target is multiclass. If 'food,wine' names several "
        "labels, use [text.split(',') for text in y].",
    ),
    "many classes": (
        ["food", "wine", "art"] * 2,
        f"Only binary classification is supported. The type of the target is multiclass. {SETS}",
    ),
    "a column of lists": (
        pd.Series(Y.tolist()),
        "y has lists such as [0, 1]. np.vstack(y) makes a matrix.",
    ),
    "ragged lists": (
        [[0, 1], [1, 0], [1], [0, 1], [1, 0], [0]],
        f"row 0 of y has 2 values and row 2 has 1 value. All rows must have the same columns. {TAGS}",
    ),
    "a path": ("labels.csv", f"y is the text 'labels.csv'. {FILES}"),
    "a dict": ({"a": [1, 2]}, "y is a dict. pandas.DataFrame(y) makes a table of it."),
    "a set": ({"food", "wine"}, "y is a set, which has no order or length. list(y) makes a list of it."),
}


@pytest.mark.parametrize(("labels", "message"), LABELS.values(), ids=LABELS)
def test_labels_are_refused_with_the_place(labels, message):
    with pytest.raises((TypeError, ValueError)) as error:
        mmoc.BinaryRelevance().fit(X, labels)
    assert str(error.value).startswith(message)


SCORED = {
    **LABELS,
    "text with several names": (
        LABELS["text with several names"][0],
        "y has one dimension, and the model has 2 labels. Give score a y of the same form as that of fit: a 0/1 matrix "
        "with one column per label, or a list or set of tags for each row.",
    ),
    "many classes": (LABELS["many classes"][0], "y has one dimension, and the model has 2 labels."),
    "objects": (LABELS["objects"][0], "row 2, column 1 of y has None, a missing label."),
    "another number of labels": (np.hstack([Y, Y]), "y has 4 columns, and the model has 2 labels. Give score"),
    "nothing": (None, "y is None. score needs the true labels of each row."),
}


@pytest.mark.parametrize(("labels", "message"), SCORED.values(), ids=SCORED)
def test_true_labels_are_refused_alike(labels, message):
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    with pytest.raises((TypeError, ValueError)) as error:
        fitted.score(X, labels)
    # The names of columns are not used where the model has none.
    numbered = message.replace("column 'loud' has 2", "column 1 has 2")
    assert str(error.value).startswith(numbered)


def test_true_classes_of_another_type_are_refused():
    fitted = mmoc.BinaryRelevance().fit(X, Y[:, 0])
    assert fitted.score(X, Y[:, :1]) == fitted.score(X, Y[:, 0])
    for labels in (Y, X[:, 0] / 3, ["rock", "pop"] * 3):
        with pytest.raises(ValueError, match=r"^y must have one class for each row, as in fit: 0 and 1\. "):
            fitted.score(X, labels)


def test_an_infinite_cell_of_an_arrow_table_is_named():
    pa = pytest.importorskip("pyarrow")
    tables = [pa.table({"size": list(X[:, 0]), "loud": [0.0, loud, 0.0, 1.0, 0.0, 1.0]}) for loud in (1.0, np.inf)]
    fitted = mmoc.BinaryRelevance().fit(tables[0], Y)
    for use in (lambda table: mmoc.BinaryRelevance().fit(table, Y), fitted.predict):
        with pytest.raises(ValueError, match=f"^row 1, column 'loud' of X has inf. {FINITE}$"):
            use(tables[1])


def test_columns_of_tables_are_named():
    """What a DataFrame cannot have as features is said by name, whatever else may be encoded."""
    days = table(day=stamps())
    with pytest.raises(ValueError, match="'day'"):
        mmoc.BinaryRelevance().fit(days, Y)
    lists = table(both=[[1, 2]] * ROWS)
    with pytest.raises(
        (TypeError, ValueError), match=r"column 'both' of X has lists such as \[1, 2\]. Give what they hold columns of"
    ):
        mmoc.BinaryRelevance().fit(lists, Y)


def test_other_errors_keep_their_words():
    """What is right is not made the reason of a failure that has another."""
    text = np.array(X.tolist(), dtype=object)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mmoc.BinaryRelevance().fit(text[:-1], Y)
    with pytest.raises(ValueError, match="Complex data not supported"):
        mmoc.BinaryRelevance().fit(X + 1j, Y)
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    with pytest.raises(ValueError, match="is expecting 2 features"):
        fitted.predict(X[:, :1])


def test_missing_values_are_no_error():
    fitted = mmoc.BinaryRelevance().fit(with_cell(None), Y)
    np.testing.assert_array_equal(fitted.predict(with_cell(None)), fitted.predict(with_cell(np.nan)))


COMPLEX = {
    "a column": (
        lambda X: pd.DataFrame(X.real, columns=list("abc")).assign(b=X[:, 1]),
        "the column 'b' of X has complex",
    ),
    "beside words": (
        lambda X: pd.DataFrame({"a": ["x", "y"] * 20, "b": X[:, 1]}),
        "the column 'b' of X has complex numbers. Complex data not supported: use real and imaginary parts as two",
    ),
    "objects": (lambda X: pd.DataFrame({"b": X[:, 1].astype(object)}), "the column 'b' of X has complex numbers"),
    "an array": (lambda X: X, r"row 0, column 0 of X has \(.*j\)\. Complex data not supported: use real and imag"),
}


@pytest.mark.parametrize("form", COMPLEX)
def test_complex_numbers_are_refused(form):
    make, message = COMPLEX[form]
    X = np.random.default_rng(0).normal(size=(40, 3)) + 1j
    with pytest.raises(ValueError, match=message):
        mmoc.BinaryRelevance().fit(make(X), [[0, 1], [1, 0]] * 20)


def test_tables_without_columns_and_lists_of_dicts_are_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0] * 5})
    Y = [[0, 1], [1, 0]] * 5
    with pytest.raises(ValueError, match="^X has no features: the table has no columns$"):
        mmoc.BinaryRelevance().fit(frame[[]], Y)
    with pytest.raises(TypeError, match=r"^X is a list of dicts\. pandas\.DataFrame\(X\) makes a table of it\."):
        mmoc.BinaryRelevance().fit(frame.to_dict("records"), Y)
