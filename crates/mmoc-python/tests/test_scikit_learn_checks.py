"""Scikit-learn's own checks of estimators.

`OutputCoder` is not included: these checks do not support transformers of label sets, not even scikit-learn's own
`MultiLabelBinarizer`. `test_output_coder.py` tests it.
"""

import pytest
from mmoc._load import ESTIMATORS
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

# It expects labels with a probability above one half to be predicted. Estimators that predict the likeliest label set
# do so if they decide for Hamming loss.
OF_SINGLE_LABELS = "check_classifier_multioutput"

OF_REPEATED_ROWS = "check_sample_weight_equivalence_on"


def decides_on_sets(estimator):
    return getattr(estimator, "candidates", "all") == "seen"


@parametrize_with_checks([estimator() for estimator in ESTIMATORS])
@pytest.mark.filterwarnings("default")
def test_check(estimator, check):
    if check.func.__name__ == OF_SINGLE_LABELS and decides_on_sets(estimator):
        estimator = clone(estimator).set_params(decide="hamming")
    check(estimator)


def test_weights_are_among_the_checks(estimator):
    names = {check.func.__name__ for _, check in estimator_checks_generator(estimator())}
    assert {f"{OF_REPEATED_ROWS}_dense_data", f"{OF_REPEATED_ROWS}_sparse_data", "check_sample_weights_shape"} <= names
    assert ("check_class_weight_classifiers" in names) == hasattr(estimator(), "class_weight")


def test_the_likeliest_set_is_not_that_of_likely_labels(estimator):
    if not decides_on_sets(estimator()):
        return
    X, Y = make_multilabel_classification(n_samples=42, n_labels=5, n_classes=3, random_state=42)
    fitted = estimator(evidence="labels+code", features="linear").fit(X, Y)
    likely = fitted.predict_proba(X) > 0.5
    assert 0 < (fitted.predict(X) != likely).sum() < 5
    assert (fitted.predict(X, decide="hamming") == likely).all()
