"""The labels of highest probability."""

import mmoc
import numpy as np
import pandas as pd
import pytest

NAMES = ["rain", "snow", "wind", "sun"]


def test_top_labels_are_those_of_highest_probability(estimator, data):
    X, Y = data
    if not hasattr(estimator, "predict_proba"):
        assert not hasattr(estimator, "predict_top_k")
        return
    fitted = estimator().fit(X, Y)
    expected = fitted.predict_proba(X)
    labels, probabilities = fitted.predict_top_k(X, 2)
    assert labels.shape == probabilities.shape == (len(X), 2)
    np.testing.assert_array_equal(np.take_along_axis(expected, labels, axis=1), probabilities)
    np.testing.assert_array_equal(probabilities, -np.sort(-expected, axis=1)[:, :2])


def test_top_labels_have_names_if_labels_have(data):
    X, Y = data
    indices, probabilities = mmoc.BinaryRelevance().fit(X, Y).predict_top_k(X)
    assert indices.shape == (len(X), 3)
    named = mmoc.BinaryRelevance().fit(X, pd.DataFrame(Y, columns=NAMES)).predict_top_k(X)
    np.testing.assert_array_equal(named[0], np.array(NAMES)[indices])
    np.testing.assert_array_equal(named[1], probabilities)


def test_of_equally_likely_labels_the_first_comes_first(data):
    X, Y = data
    never = np.zeros((len(Y), 3), dtype=int)
    labels, probabilities = mmoc.BinaryRelevance().fit(X, never).predict_top_k(X)
    assert (probabilities == probabilities[:, :1]).all()
    assert (labels == [0, 1, 2]).all()


def test_there_are_at_most_as_many_top_labels_as_labels(data):
    X, Y = data
    labels, probabilities = mmoc.BinaryRelevance().fit(X, Y).predict_top_k(X, 100)
    assert labels.shape == probabilities.shape == (len(X), 4)


def test_top_classes_of_one_label(data):
    X, Y = data
    y = np.where(Y[:, 0] == 1, "yes", "no")
    fitted = mmoc.BinaryRelevance().fit(X, y)
    classes, probabilities = fitted.predict_top_k(X, 1)
    assert classes.shape == (len(X), 1)
    np.testing.assert_array_equal(classes[:, 0], fitted.predict(X))
    assert (probabilities >= 0.5).all()


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", None])
def test_a_count_is_a_whole_number(data, k):
    fitted = mmoc.BinaryRelevance().fit(*data)
    for method in (fitted.predict_top_k, fitted.explain):
        with pytest.raises(ValueError, match=f"^k must be a whole number of at least 1, not {k!r}$"):
            method(data[0], k)
