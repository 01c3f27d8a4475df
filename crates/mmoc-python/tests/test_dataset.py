"""Data sets: length, rows and text."""

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

X = np.arange(12.0).reshape(4, 3)
Y = np.array([[1, 0], [1, 1], [0, 0], [1, 0]])
FORMS = {
    "arrays": (X, Y),
    "sparse": (sp.csr_matrix(X), Y),
    "frames": (pd.DataFrame(X, index=[9, 8, 7, 6]), pd.DataFrame(Y, index=[9, 8, 7, 6])),
}


def dataset(form="arrays"):
    return mmoc.Dataset(*FORMS[form], ["a", "b", "c"], ["yes", "no"], "songs")


def values(part):
    return part.toarray() if sp.issparse(part) else np.asarray(part)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (1, [1]),
        (-1, [3]),
        (np.int32(2), [2]),
        (slice(1, 3), [1, 2]),
        (slice(None, None, -1), [3, 2, 1, 0]),
        (slice(9, 12), []),
        ([3, 0, 0], [3, 0, 0]),
        (np.array([-1, 1]), [3, 1]),
        (np.array([1, 2], dtype=np.uint8), [1, 2]),
        ([], []),
        ([True, False, False, True], [0, 3]),
        (Y[:, 0] == 1, [0, 1, 3]),
        (pd.Series(Y[:, 1] == 1, index=[5, 6, 7, 8]), [1]),
    ],
)
def test_rows_make_a_data_set(form, rows, expected):
    found = dataset(form)[rows]
    assert isinstance(found, mmoc.Dataset)
    assert type(found.X) is type(dataset(form).X)
    assert len(found) == len(expected)
    np.testing.assert_array_equal(values(found.X), X[expected])
    np.testing.assert_array_equal(values(found.Y), Y[expected])
    assert (found.feature_names, found.label_names, found.name) == (["a", "b", "c"], ["yes", "no"], "songs")


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (4, IndexError, "^row 4 is not among the 4 rows$"),
        ([0, -5], IndexError, "^row -5 is not among the 4 rows$"),
        ([True, False], IndexError, "^a mask must have 4 entries, one for each row, not 2$"),
        ("a", TypeError, "^rows must be a row number, a slice, a mask, or an array of row numbers, not 'a'$"),
        (1.5, TypeError, "not 1.5$"),
        (None, TypeError, "not None$"),
        ((0, 1, [2]), (TypeError, ValueError), "."),
        (np.zeros((2, 2), dtype=int), TypeError, "^rows must be"),
    ],
)
def test_other_rows_are_refused(rows, error, message):
    with pytest.raises(error, match=message):
        dataset()[rows]


def test_text_has_the_mean_number_of_labels():
    assert repr(dataset()) == "Dataset('songs': 4 rows, 3 features, 2 labels, 1.00 labels per row)"
    assert repr(dataset("frames")[:2]) == "Dataset('songs': 2 rows, 3 features, 2 labels, 1.50 labels per row)"
    assert repr(dataset()[0]).startswith("Dataset('songs': 1 row, 3 features, 2 labels, ")
    assert repr(dataset("sparse")[[]]) == "Dataset('songs': 0 rows, 3 features, 2 labels)"


def test_features_and_labels_are_unpacked():
    features, labels = dataset()[1:]
    assert features.shape == (3, 3)
    assert labels.shape == (3, 2)
