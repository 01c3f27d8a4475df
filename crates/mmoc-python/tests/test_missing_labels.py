"""Labels that are not known."""

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier

NAMES = ["rain", "snow", "wind", "sun"]
REMEDY = 'Fill it with 0 or 1, or use missing_labels="ignore".'


def with_holes(Y, share=0.3, seed=0):
    holes = Y.astype(float)
    holes[np.random.default_rng(seed).random(Y.shape) < share] = np.nan
    return holes


def as_objects(Y, value):
    return np.where(np.isnan(Y), value, Y.astype(object))


def polars(Y):
    pl = pytest.importorskip("polars")
    return pl.DataFrame(
        {name: [None if np.isnan(cell) else int(cell) for cell in own] for name, own in zip(NAMES, Y.T, strict=True)}
    )


def arrow(Y):
    pa = pytest.importorskip("pyarrow")
    return pa.table({name: pa.array(own, pa.float64(), from_pandas=True) for name, own in zip(NAMES, Y.T, strict=True)})


def nullable(Y, kind):
    columns = {
        name: pd.array([pd.NA if np.isnan(cell) else cell for cell in own], dtype="Float64").astype(kind)
        for name, own in zip(NAMES, Y.T, strict=True)
    }
    return pd.DataFrame(columns)


FORMS = {
    "floats": lambda Y: Y,
    "single precision": lambda Y: Y.astype(np.float32),
    "objects": lambda Y: as_objects(Y, None),
    "pandas.NA in an array": lambda Y: as_objects(Y, pd.NA),
    "lists with NaN": lambda Y: Y.tolist(),
    "lists with None": lambda Y: as_objects(Y, None).tolist(),
    "DataFrame": lambda Y: pd.DataFrame(Y, columns=NAMES),
    "DataFrame of objects": lambda Y: pd.DataFrame(as_objects(Y, None), columns=NAMES),
    "nullable booleans": lambda Y: nullable(Y, "boolean"),
    "nullable integers": lambda Y: nullable(Y, "Int8"),
    "nullable floats": lambda Y: nullable(Y, "Float32"),
    "Polars": polars,
    "Arrow": arrow,
}


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def form(request):
    return request.param


def test_missing_labels_are_refused_with_the_place(data, form):
    X, Y = data
    holes = Y.astype(float)
    holes[5, 2] = np.nan
    labels = form(holes)
    column = "'wind'" if hasattr(labels, "columns") else "2"
    with pytest.raises(ValueError) as error:  # noqa: PT011
        mmoc.BinaryRelevance().fit(X, labels)
    assert str(error.value).startswith(f"row 5, column {column} of y has ")
    assert str(error.value).endswith(f", a missing label. {REMEDY}")
    fitted = mmoc.BinaryRelevance().fit(X, Y)
    with pytest.raises(ValueError, match="row 5, column .* of y has .*, a missing label"):
        fitted.score(X, labels)


def test_all_forms_give_the_same_model(data, form):
    X, Y = data
    holes = with_holes(Y)
    expected = mmoc.BinaryRelevance(missing_labels="ignore").fit(X, pd.DataFrame(holes, columns=NAMES))
    labels = form(holes)
    found = mmoc.BinaryRelevance(missing_labels="ignore").fit(X, labels)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert found.predict(X).dtype.kind in "if"
    assert found.score(X, labels) == expected.score(X, holes)


def test_a_label_is_fitted_to_the_rows_where_it_is_known(data):
    X, Y = data
    holes = Y.astype(float)
    unknown = np.arange(len(X)) % 3 == 1
    holes[unknown, 1] = np.nan
    found = mmoc.BinaryRelevance(missing_labels="ignore", penalty=0.01, scaling="none").fit(X, holes)
    complete = mmoc.BinaryRelevance(penalty=0.01, scaling="none").fit(X, Y)
    np.testing.assert_allclose(found.coef_[[0, 2, 3]], complete.coef_[[0, 2, 3]], rtol=1e-6)
    # A penalty is a share of the scatter of all rows, so one label alone is only nearly the same.
    alone = mmoc.BinaryRelevance(penalty=0.01, scaling="none").fit(X[~unknown], Y[~unknown])
    assert np.corrcoef(found.coef_[1], alone.coef_[1])[0, 1] > 0.95
    assert np.abs(found.coef_[1] - complete.coef_[1]).max() > 1e-4


def test_complete_labels_give_the_same_model(estimator, data):
    X, Y = data
    ignoring, usual = estimator(missing_labels="ignore").fit(X, Y), estimator().fit(X, Y)
    assert ignoring._model.to_bytes() == usual._model.to_bytes()


def test_every_estimator_accepts_unknown_labels(estimator, data):
    X, Y = data
    fitted = estimator(missing_labels="ignore").fit(X, with_holes(Y, 0.1))
    assert np.isin(fitted.predict(X), (0, 1)).all()
    complete = estimator().fit(X, Y)
    assert np.mean(fitted.predict(X) == complete.predict(X)) > 0.85


def test_rows_without_any_known_label_are_left_out(estimator, data):
    X, Y = data
    holes = with_holes(Y, 0.1)
    nothing = np.arange(len(X)) % 5 == 0
    holes[nothing] = np.nan
    kept = ~np.isnan(holes).all(axis=1)
    weights = np.arange(1.0, len(X) + 1.0) / 7.0
    found = estimator(missing_labels="ignore").fit(X, holes, sample_weight=weights)
    expected = estimator(missing_labels="ignore").fit(X[kept], holes[kept], sample_weight=weights[kept])
    assert found._model.to_bytes() == expected._model.to_bytes()


def test_rows_of_weight_zero_do_not_make_a_label_known(data):
    X, Y = data
    holes = Y.astype(float)
    holes[10:, 3] = np.nan
    mmoc.BinaryRelevance(missing_labels="ignore").fit(X, holes)
    message = "the label 'sun' is unknown in all rows that count. Drop its column from y."
    with pytest.raises(ValueError, match=message):
        mmoc.BinaryRelevance(missing_labels="ignore").fit(
            X, pd.DataFrame(holes, columns=NAMES), sample_weight=np.arange(len(X)) >= 10
        )
    holes[:, 3] = np.nan
    with pytest.raises(ValueError, match="the label 3 is unknown in all rows that count"):
        mmoc.BinaryRelevance(missing_labels="ignore").fit(X, holes)
    with pytest.raises(ValueError, match="y has no known label"):
        mmoc.BinaryRelevance(missing_labels="ignore").fit(X, np.full(Y.shape, np.nan))


@pytest.mark.parametrize("value", [None, np.nan])
def test_rows_without_a_class_are_left_out(data, value):
    X, Y = data
    classes = np.where(Y[:, 0] == 1, "yes", "no").astype(object)
    classes[3::4] = value
    kept = np.arange(len(X)) % 4 != 3
    with pytest.raises(ValueError, match=f"row 3 of y has {value}, a missing label. Fill it"):
        mmoc.BinaryRelevance().fit(X, classes)
    found = mmoc.BinaryRelevance(missing_labels="ignore").fit(X, classes)
    expected = mmoc.BinaryRelevance().fit(X[kept], classes[kept])
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
    assert found.classes_.tolist() == ["no", "yes"]
    assert found.score(X, classes) == expected.score(X[kept], classes[kept])


def test_known_labels_are_scored(data):
    X, Y = data
    holes = with_holes(Y, 0.5)
    holes[:10] = np.nan
    fitted = mmoc.BinaryRelevance(missing_labels="ignore").fit(X, Y)
    known = ~np.isnan(holes)
    right = ((fitted.predict(X) == Y) | ~known).all(axis=1)
    kept, weights = known.any(axis=1), np.arange(len(X)) + 1.0
    assert fitted.score(X, holes) == pytest.approx(right[kept].mean())
    expected = np.average(right[kept], weights=weights[kept])
    assert fitted.score(X, holes, sample_weight=weights) == pytest.approx(expected)
    assert fitted.score(X, holes) > fitted.score(X, Y)
    with pytest.raises(ValueError, match="y has no known label"):
        fitted.score(X[:10], holes[:10])


def test_sparse_labels_are_all_known(data):
    X, Y = data
    holes = sp.csr_matrix(with_holes(Y))
    with pytest.raises(ValueError, match="NaN"):
        mmoc.BinaryRelevance(missing_labels="ignore").fit(X, holes)


def test_other_values_are_still_refused(data):
    X, Y = data
    holes = with_holes(Y)
    holes[7, 1] = 3
    with pytest.raises(ValueError, match="row 7, column 1 has 3"):
        mmoc.BinaryRelevance(missing_labels="ignore").fit(X, holes)
    words = pd.DataFrame({"calm": [None, "maybe"] * 60})
    with pytest.raises(ValueError, match="the column 'calm' of y has the text 'maybe'"):
        mmoc.BinaryRelevance(missing_labels="ignore").fit(X, words)
    with pytest.raises(ValueError, match="missing_labels must be refuse or ignore, not 'drop'"):
        mmoc.BinaryRelevance(missing_labels="drop").fit(X, Y)


def test_evidence_is_fitted_to_known_labels(data):
    X, Y = data
    holes = with_holes(Y)
    for own in (LogisticRegression(), KNeighborsClassifier()):
        estimator = mmoc.MaxMarginOutputCoding(missing_labels="ignore", evidence=["labels", ("own", own)])
        (term,) = estimator.fit(X, holes)._outside
        for label in range(Y.shape[1]):
            known = ~np.isnan(holes[:, label])
            expected = own.fit(X[known], Y[known, label]).predict_proba(X)
            np.testing.assert_array_equal(term.model.models_[label].predict_proba(X), expected)
    chain = mmoc.MaxMarginOutputCoding(
        missing_labels="ignore", evidence=["labels", ("chain", ClassifierChain(LogisticRegression()))]
    )
    with pytest.raises(ValueError, match="the term 'chain' of evidence is a ClassifierChain, which needs several"):
        chain.fit(X, holes)


@pytest.mark.parametrize("seed", range(3))
def test_a_third_of_the_labels_may_be_missing_on_yeast(real_data, seed):
    train, test = (mmoc.read(real_data / f"yeast-{part}.arff") for part in ("train", "test"))
    complete = mmoc.MaxMarginOutputCoding().fit(*train).predict(test.X)
    holes = with_holes(train.Y, 0.3, seed)
    found = mmoc.MaxMarginOutputCoding(missing_labels="ignore").fit(train.X, holes).predict(test.X)
    for average in ("macro", "micro"):
        scores = [f1_score(test.Y, own, average=average, zero_division=0) for own in (found, complete)]
        assert scores[0] == pytest.approx(scores[1], abs=0.02), average


TABLE = """tempo,count,mood_calm,mood_sad
60,1,1,0
64,3,1,
120,0.5,0,1
"""


def test_files_may_have_weights_and_missing_labels(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text(TABLE)
    with pytest.raises(ValueError, match="missing_labels"):
        mmoc.read(path, "mood_*")
    songs = mmoc.read(path, "mood_*", weight="count", missing_labels="ignore")
    assert songs.feature_names == ["tempo"]
    np.testing.assert_array_equal(songs.weights, [1, 3, 0.5])
    np.testing.assert_array_equal(songs.Y, [[1, 0], [1, np.nan], [0, 1]])
    assert repr(songs) == "Dataset('songs': 3 rows, 1 feature, 2 labels, 1.00 labels per row)"
    some = songs[[2, 0]]
    np.testing.assert_array_equal(some.weights, [0.5, 1])
    fitted = mmoc.BinaryRelevance(folds=2, missing_labels="ignore").fit(*songs, sample_weight=songs.weights)
    assert fitted.predict(songs.X).shape == (3, 2)
    _, Y = mmoc.read(path, "mood_*", weight="count", missing_labels="ignore", as_frame=True)
    assert Y["mood_sad"].isna().tolist() == [False, True, False]


def test_files_without_weights_and_missing_labels_are_as_before(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text(TABLE.replace("1,\n", "1,1\n"))
    songs = mmoc.read(path, "mood_*", missing_labels="ignore")
    assert songs.weights is None
    assert songs[1:].weights is None
    assert songs.Y.dtype == np.int64
    assert songs.feature_names == ["tempo", "count"]
