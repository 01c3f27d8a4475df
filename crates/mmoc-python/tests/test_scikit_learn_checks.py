"""Scikit-learn's own checks of estimators.

`OutputCoder` is not included: these checks do not support transformers of label sets, not even scikit-learn's own
`MultiLabelBinarizer`. `test_output_coder.py` tests it.
"""

import pytest
from mmoc._load import ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks([estimator() for estimator in ESTIMATORS])
@pytest.mark.filterwarnings("default")
def test_check(estimator, check):
    check(estimator)
