"""Prints the docstrings of the estimators as JSON. Their parameters come from the Rust registry, so that the source of
the package does not have them."""

import json

from mmoc._load import ESTIMATORS

print(json.dumps({f"{estimator.__module__}.{estimator.__name__}": estimator.__doc__ for estimator in ESTIMATORS}))
