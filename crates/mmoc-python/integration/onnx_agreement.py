"""How closely onnxruntime and this package agree. As a program, prints the table of docs/onnx.md."""

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import mmoc
import numpy as np
import onnx
import onnxruntime
from sklearn.exceptions import ConvergenceWarning

DATA = Path(os.environ.get("MMOC_DATA", Path(__file__).parents[4] / "shared" / "data"))
DATA_SETS = ("flags", "emotions", "scene", "yeast", "medical")
DECISIONS = ("subset", "f1", "hamming", "micro-f1", "macro-f1")
TERMS = "labels+code+frequency"


def split(name):
    """Training rows with their labels, and test rows, of a published split."""
    X, Y = mmoc.read(DATA / f"{name}-train.arff")
    test, _ = mmoc.read(DATA / f"{name}-test.arff")
    return X, Y, dense(test)


def dense(X):
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def run(graph, X):
    """What onnxruntime makes of rows, by the names of the outputs. The graph is checked first."""
    model = graph if isinstance(graph, onnx.ModelProto) else onnx.load_from_string(graph)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    (features,) = session.get_inputs()
    return dict(zip(names, session.run(None, {features.name: X}), strict=True))


@dataclass
class Agreement:
    """Rows with another label set, and the largest differences of probabilities and confidence."""

    sets: int
    probabilities: float = 0.0
    scores: float = 0.0
    confidence: float = 0.0

    @property
    def largest(self):
        return max(self.probabilities, self.scores, self.confidence)


def agreement(estimator, X, found=None):
    """Compares what onnxruntime found, by default for the graph of the estimator itself, with its own predictions."""
    found = run(estimator.to_onnx(), dense(X)) if found is None else found
    expected = estimator.predict(X)
    expected = expected.toarray() if hasattr(expected, "toarray") else expected
    assert found["labels"].dtype == np.int64
    assert found["labels"].shape == expected.shape
    agreed = Agreement(int((found["labels"] != expected).any(axis=1).sum()))
    if "probabilities" in found:
        agreed.probabilities = largest_difference(found["probabilities"], estimator.predict_proba(X))
    if "scores" in found:
        # Labels are predicted above ½, and in scikit-learn above zero.
        agreed.scores = largest_difference(found["scores"], estimator.decision_function(X) + 0.5)
    if "confidence" in found:
        agreed.confidence = largest_difference(found["confidence"], estimator.predict_confidence(X))
    return agreed


def largest_difference(found, expected):
    if isinstance(expected, list):
        # For one or two labels scikit-learn wants the probabilities of both classes of each.
        expected = np.stack([own[:, 1] for own in expected], axis=1)
    assert found.dtype == np.float64
    assert found.shape == expected.shape
    return float(np.max(np.abs(found - expected), initial=0.0))


def rows_of_table():
    for name in DATA_SETS:
        X, Y, test = split(name)
        for features in ("linear", "rbf"):
            if features == "rbf" and name == "medical":
                continue
            model = mmoc.MaxMarginOutputCoding(evidence=TERMS, features=features).fit(X, Y)
            found = [agreement(model.set_params(decide=decide), test) for decide in DECISIONS]
            sets = sum(own.sets for own in found)
            probabilities = max(own.probabilities for own in found)
            confidence = max(own.confidence for own in found)
            yield f"| {name}, {features} | {len(test)} | {sets} | {probabilities:.0e} | {confidence:.0e} |"


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", ".*the labels are those of")
    DATA_SETS = tuple(sys.argv[1:]) or DATA_SETS
    print("| data set, features | test rows | sets that differ | probabilities | confidence |")
    print("|---|---|---|---|---|")
    for row in rows_of_table():
        print(row, flush=True)
