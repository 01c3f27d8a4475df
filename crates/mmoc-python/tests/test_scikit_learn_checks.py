"""Scikit-learn's own checks of estimators.

`OutputCoder` is not among them: scikit-learn cannot check transformers of label sets, its own `MultiLabelBinarizer`
included. It has its tests in `test_output_coder.py`.
"""

import pytest
from mmoc._load import ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks([estimator() for estimator in ESTIMATORS])
@pytest.mark.filterwarnings("default")
def test_check(estimator, check):
    check(estimator)
