"""Lists and sets of tags as labels."""

import mmoc
import numpy as np
import pandas as pd
import pytest
from mmoc import OutputCoder, solve_metric
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# In the order of a matrix with these columns, not sorted.
NAMES = np.array(["wine", "food", "music", "art"])
SORTED = sorted(NAMES)


@pytest.fixture
def matrix(data):
    X, Y = data
    return X, pd.DataFrame(Y, columns=NAMES)[SORTED]


def tags_of(Y):
    return [set(Y.columns[row == 1]) for row in Y.to_numpy()]


def polars_column(tags):
    polars = pytest.importorskip("polars")
    return polars.Series("tags", list(map(sorted, tags)))


def arrow_column(tags):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.chunked_array([list(map(sorted, tags))])


def arrow_series(tags):
    pyarrow = pytest.importorskip("pyarrow")
    return pd.Series(list(map(sorted, tags)), dtype=pd.ArrowDtype(pyarrow.list_(pyarrow.string())))


def objects(tags):
    column = np.empty(len(tags), dtype=object)
    column[:] = tags
    return column


FORMS = {
    "sets": list,
    "frozen sets": lambda tags: tuple(map(frozenset, tags)),
    "lists": lambda tags: list(map(list, tags)),
    "tuples with repetitions": lambda tags: [(*own, *own) for own in tags],
    "sets and lists": lambda tags: [own if len(own) % 2 else list(own) for own in tags],
    "array of objects": objects,
    "series": lambda tags: pd.Series(list(map(list, tags)), index=range(5, 5 + len(tags))),
    "series of Arrow lists": arrow_series,
    "Polars": polars_column,
    "PyArrow": arrow_column,
    "text of NumPy": lambda tags: [np.array(sorted(own), dtype=str) for own in tags],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_tags_of_any_form_are_the_matrix_with_their_names(matrix, form):
    X, Y = matrix
    tags = form(tags_of(Y))
    expected, fitted = (mmoc.BinaryRelevance().fit(X, y) for y in (Y, tags))
    assert fitted._model.to_bytes() == expected._model.to_bytes()
    assert fitted.label_names_.tolist() == SORTED
    found = fitted.predict(X)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, expected.predict(X))
    assert fitted.score(X, tags) == expected.score(X, Y) == fitted.score(X, Y)


def test_every_estimator_takes_tags_and_predicts_them(estimator, matrix, tmp_path):
    X, Y = matrix
    tags = tags_of(Y)
    fitted, of_matrix = estimator().fit(X, tags), estimator().fit(X, Y)
    found = fitted.predict_tags(X)
    assert found == of_matrix.predict_tags(X)
    assert all(isinstance(own, tuple) and all(type(tag) is str for tag in own) for own in found)
    np.testing.assert_array_equal([[name in own for name in SORTED] for own in found], fitted.predict(X) == 1)
    assert fitted.score(X, tags) == np.mean([set(own) == true for own, true in zip(found, tags, strict=True)])
    fitted.save(tmp_path / "model.mmoc")
    loaded = mmoc.load(tmp_path / "model.mmoc")
    assert loaded.predict_tags(X) == found
    assert loaded.score(X, tags) == fitted.score(X, tags)


def test_tags_are_predicted_for_any_decision(matrix):
    X, Y = matrix
    fitted = mmoc.MaxMarginOutputCoding(evidence="labels+code", features="linear").fit(X, Y)
    for decide in ("f1", "hamming"):
        sets = [tuple(fitted.label_names_[row == 1]) for row in fitted.predict(X, decide=decide)]
        assert fitted.predict_tags(X, decide=decide) == sets


def test_labels_without_names_are_predicted_by_generated_names(data):
    X, Y = data
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    assert set().union(*fitted.predict_tags(X)) <= {"label1", "label2", "label3", "label4"}
    with pytest.raises(ValueError, match="^y has tags, and the labels of the model have no names to match them with"):
        fitted.score(X, [["label1"]] * len(X))


def test_classes_are_not_tags(data):
    X, Y = data
    fitted = mmoc.BinaryRelevance().fit(X, np.where(Y[:, 0] == 1, "yes", "no"))
    with pytest.raises(ValueError, match="^predict_tags needs a y with label sets, and y had one class for each row"):
        fitted.predict_tags(X)
    with pytest.raises(ValueError, match="no names to match them with"):
        fitted.score(X, [["sun"]] * len(X))


def test_lists_of_zeros_and_ones_are_a_matrix(data):
    X, Y = data
    fitted = mmoc.BinaryRelevance().fit(X, Y.tolist())
    assert fitted._model.to_bytes() == mmoc.BinaryRelevance().fit(X, Y)._model.to_bytes()
    assert fitted.score(X, Y.tolist()) == fitted.score(X, Y)


def test_rows_with_unknown_tags_count_as_wrong(matrix):
    X, Y = matrix
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    found = fitted.predict_tags(X)
    assert fitted.score(X, found) == 1.0
    strange = [(*own, "opera", "zoo") if row < 30 else own for row, own in enumerate(found)]
    message = "^y has tags that were not in fit; rows with them count as wrong: opera, zoo$"
    with pytest.warns(UserWarning, match=message) as heard:
        assert fitted.score(X, strange) == 1.0 - 30 / len(X)
    assert heard[0].filename == __file__
    weights = np.where(np.arange(len(X)) < 30, 3.0, 1.0)
    with pytest.warns(UserWarning, match=message):
        assert fitted.score(X, strange, sample_weight=weights) == pytest.approx(0.5)


def test_rows_without_tags_are_scored(matrix):
    X, Y = matrix
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    nothing = (fitted.predict(X) == 0).all(axis=1)
    assert fitted.score(X, [[] for _ in X]) == nothing.mean()


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ([["a"], "b"], r"row 1 of y is the text 'b', and other rows are lists or sets of tags\. .*: \['b'\]\.$"),
        (
            [["a"], None],
            r"row 1 of y is None, .* No tags are \[\]\. With missing_labels=\"ignore\" all labels of such a row are",
        ),
        ([["a"], 3], r"row 1 of y is 3, and other rows"),
        ([{1, 2}, {3}], r"tags must be text, and row 0 of y has 1, of type int\. Convert tags to text, or use Multi"),
        ([["a"], ["b", 2.5]], r"tags must be text, and row 1 of y has 2\.5, of type float"),
        ([["a"], [None]], r"tags must be text, and row 1 of y has None, of type NoneType"),
        ([[b"a"], [b"b"]], r"tags must be text, and row 0 of y has b'a', of type bytes"),
        ([["a"], [" "]], r"tags must not be blank, and row 1 of y has ' '$"),
        ([["0", "1"], ["1", "1"]], r"y has the texts '0' and '1' in lists, .* np\.array\(y, dtype=int\)\.$"),
        ([[], []], "y must have at least one column of zeros and ones"),
        ([[0, 1], [1]], r"row 0 of y has 2 values and row 1 has 1 value\. .* lists of tags: \[\['food', 'wine'\]"),
    ],
)
def test_what_is_not_tags_is_refused(tags, message):
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(ValueError, match=message):
        mmoc.BinaryRelevance().fit(X, tags * 2)


def test_coders_and_the_max_margin_problem_take_tags(matrix):
    X, Y = matrix
    tags = tags_of(Y)
    coder = OutputCoder("cca").fit(tags, X)
    np.testing.assert_array_equal(coder.transform(tags), OutputCoder("cca").fit(Y, X).transform(Y))
    assert coder.feature_names_in_.tolist() == SORTED
    with pytest.raises(ValueError, match="^Y has tags that are no labels of the fit: zoo$"):
        coder.transform([["zoo"]])
    predictions = 0.2 + 0.6 * Y.to_numpy()
    found, expected = (solve_metric(predictions, labels, C=100).metric for labels in (tags, Y))
    np.testing.assert_array_equal(found, expected)


def test_tools_that_pass_labels_through_take_tags(matrix):
    X, Y = matrix
    tags = tags_of(Y)
    pipeline = make_pipeline(StandardScaler(), mmoc.BinaryRelevance())
    assert pipeline.fit(X, tags).score(X, tags) == pipeline.fit(X, Y).score(X, Y)
    # Each fold has all tags.
    folds = KFold(3)
    expected = cross_val_score(mmoc.BinaryRelevance(), X, Y, cv=folds)
    for form in (tags, list(map(sorted, tags)), pd.Series(tags)):
        np.testing.assert_array_equal(cross_val_score(mmoc.BinaryRelevance(), X, form, cv=folds), expected)
        search = GridSearchCV(mmoc.BinaryRelevance(), {"penalty": [1e-3, 1e3]}, cv=folds)
        assert search.fit(X, form).best_score_ == search.fit(X, Y).best_score_
    np.testing.assert_array_equal(cross_val_score(mmoc.BinaryRelevance(), X, tags, cv=3), expected)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda X, tags: cross_val_score(mmoc.BinaryRelevance(), X, tags, cv=3), "the MultiLabelBinarizer transformer"),
        (
            lambda X, tags: GridSearchCV(mmoc.BinaryRelevance(), {"penalty": [1e-3]}, cv=3).fit(X, tags),
            "the MultiLabelBinarizer transformer",
        ),
        (
            lambda X, tags: cross_val_score(
                mmoc.BinaryRelevance(), X, tags, cv=KFold(3), scoring="accuracy", error_score="raise"
            ),
            "the MultiLabelBinarizer transformer",
        ),
        (lambda X, tags: CalibratedClassifierCV(mmoc.BinaryRelevance()).fit(X, tags), "MultiLabelBinarizer"),
        (lambda X, tags: BaggingClassifier(mmoc.BinaryRelevance()).fit(X, tags), "inhomogeneous shape"),
    ],
    ids=["integer folds", "search with integer folds", "other scorers", "calibration", "bagging"],
)
def test_tools_that_look_at_lists_of_tags_refuse_them(matrix, use, message):
    X, Y = matrix
    with pytest.raises(ValueError, match=message):
        use(X, list(map(sorted, tags_of(Y))))


@pytest.mark.parametrize("none", [None, np.nan], ids=["None", "NaN"])
def test_tags_of_a_row_may_be_unknown(data, none):
    X, Y = data
    names = np.array(["calm", "happy", "loud", "sad"])
    tags, holes = [list(names[row == 1]) for row in Y], Y.astype(float)
    for row in (0, 7, 30):
        tags[row], holes[row] = none, np.nan
    for own in (mmoc.BinaryRelevance, mmoc.MaxMarginOutputCoding):
        expected = own(missing_labels="ignore").fit(X, pd.DataFrame(holes, columns=names))
        for given in (tags, pd.Series(tags)):
            fitted = own(missing_labels="ignore").fit(X, given)
            assert fitted.label_names_.tolist() == names.tolist()
            np.testing.assert_array_equal(fitted.predict(X), expected.predict(X))
            assert fitted.score(X, given) == expected.score(X, holes)
    refusal = (
        r"^row 0 of y is None, .* No tags are \[\]\. With missing_labels=\"ignore\" all labels of such a row are unk"
    )
    with pytest.raises(ValueError, match=refusal):
        mmoc.BinaryRelevance().fit(X, tags)
    with pytest.raises(ValueError, match=refusal):
        fitted.set_params(missing_labels="refuse").score(X, tags)
    with pytest.raises(ValueError, match=r"^row 0 of Y is None, .* No tags are \[\]\.$"):
        mmoc.OutputCoder().fit(tags)
