"""Comparisons of estimators of this package and of scikit-learn."""

import json
import subprocess

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

NAMES = ["rain", "snow", "wind", "sun"]


def methods_of(found):
    (dataset,) = found.summary["datasets"]
    return {method["name"]: method for method in dataset["methods"]}


def mean(found, method, metric="subset_accuracy"):
    return methods_of(found)[method]["metrics"][metric]["mean"]


def test_splits_and_scores_are_those_of_the_command_line(data, program, tmp_path):
    X, Y = data
    table = pd.DataFrame(X, columns=[f"f{k}" for k in range(8)]).join(pd.DataFrame(Y, columns=NAMES))
    table.to_csv(tmp_path / "weather.csv", index=False)
    command = [program, "compare", "weather.csv", "--labels", "-4", "--method", "br", "--method", "coding-pca"]
    # Penalties that are chosen depend on folds, whose seeds are those of runs there.
    command += ["--set", "base.penalty=0.01", "--set", "base.ridge-penalty=0.01"]
    command += ["--folds", "3", "--repeats", "2", "--seed", "5", "--out", "out", "--json"]
    run = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    expected = mmoc.ComparisonResult("", json.loads(run.stdout))
    methods = {
        "br": mmoc.BinaryRelevance(penalty=0.01),
        "coding-pca": mmoc.PrincipalLabelSpaceCoding(ridge_penalty=0.01),
    }
    found = mmoc.compare(X, Y, methods, cv=3, repeats=2, random_state=5)
    for method in methods:
        for metric in ("subset_accuracy", "macro_f1", "micro_f1", "hamming_loss"):
            assert mean(found, method, metric) == pytest.approx(mean(expected, method, metric), abs=1e-12)


def test_any_multi_label_estimator_takes_part(data, tmp_path):
    X, Y = data
    methods = {
        "neighbours": KNeighborsClassifier(3),
        "forest": RandomForestClassifier(20, random_state=0),
        "support vectors": MultiOutputClassifier(LinearSVC()),
        "pipeline": make_pipeline(StandardScaler(), MultiOutputClassifier(LogisticRegression())),
        "sparse": mmoc.CompressedSensingCoding(),
        "ours": mmoc.MaxMarginOutputCoding(evidence="labels+code", features="linear"),
    }
    found = mmoc.compare(X, Y, methods, cv=3, reference="neighbours", out=tmp_path / "report")
    assert list(methods_of(found)) == list(methods)
    assert all(name in repr(found) for name in methods)
    assert repr(found) == found.text
    assert "data: 120 rows, 8 features, 4 labels, scaling none" in found.text
    accuracies = {name: own["metrics"]["subset_accuracy"] for name, own in methods_of(found).items()}
    assert [name for name, own in accuracies.items() if "difference" not in own] == ["neighbours"]
    assert 0 <= accuracies["ours"]["difference"]["resampled_t"]["p_value"] <= 1
    report = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert all(name in report for name in methods)
    assert list((tmp_path / "report" / "figures").glob("*.svg"))
    assert not hasattr(methods["neighbours"], "classes_"), "only clones are fitted"


def test_scores_are_those_of_the_test_rows(data):
    X, Y = data
    heard = []

    class Recorder(KNeighborsClassifier):
        def fit(self, X, y):
            heard.append([X])
            return super().fit(X, y)

        def predict(self, X):
            heard[-1] += [X, super().predict(X), super().predict_proba(X)]
            return heard[-1][2]

    found = mmoc.compare(X, Y, {"one": Recorder()}, runs=4, train_size=0.25)
    place = {row.tobytes(): k for k, row in enumerate(X)}
    accuracies, areas = [], []
    for train, test, predicted, probabilities in heard:
        assert train.shape == (30, 8)
        truth = Y[[place[row.tobytes()] for row in test]]
        assert {row.tobytes() for row in train}.isdisjoint(row.tobytes() for row in test)
        accuracies.append(accuracy_score(truth, predicted))
        areas.append(roc_auc_score(truth, np.column_stack([own[:, 1] for own in probabilities])))
    assert len(accuracies) == 4
    assert mean(found, "one") == pytest.approx(np.mean(accuracies))
    assert mean(found, "one", "macro_auc") == pytest.approx(np.mean(areas))


def test_data_may_have_any_form(data):
    X, Y = data
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    methods = {"br": mmoc.BinaryRelevance(penalty=0.01, scaling="none")}
    expected = mean(mmoc.compare(X, Y, methods, cv=3), "br")
    frame = pd.DataFrame(Y, columns=NAMES)
    tags = [set(frame.columns[row == 1]) for row in Y]
    for features, labels in [(sp.csr_array(X), sp.csr_array(Y)), (pd.DataFrame(X).add_prefix("f"), frame)]:
        assert mean(mmoc.compare(features, labels, methods, cv=3), "br") == expected
    # Tags are sorted, and folds are stratified label by label.
    by_name = mean(mmoc.compare(X, frame[sorted(NAMES)], methods, cv=3), "br")
    assert mean(mmoc.compare(X, tags, methods, cv=3), "br") == by_name


def test_classes_that_a_fold_does_not_have(data):
    """The probability of a label that no training row has is zero, not one."""
    X, Y = data
    Y = np.column_stack([Y, np.zeros(len(Y), dtype=int)])
    Y[0, -1] = 1
    found = mmoc.compare(X, Y, {"forest": RandomForestClassifier(10, random_state=0)}, cv=3)
    assert 0 < mean(found, "forest") < 1


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"methods": {}}, TypeError, "^methods must be a dict of names and estimators, not {}$"),
        ({"methods": [mmoc.BinaryRelevance()]}, TypeError, "^methods must be a dict of names and estimators"),
        ({"methods": {"a": mmoc.BinaryRelevance}}, TypeError, "an estimator with fit and predict as 'a'"),
        ({"methods": {"a": DummyClassifier(strategy="constant", constant=[2, 2, 2, 2])}}, ValueError, "constant"),
        ({"reference": "best"}, ValueError, "^unknown method 'best': expected one of a$"),
        ({"cv": 1}, ValueError, "folds"),
        ({"cv": 2.5}, ValueError, "^cv must be a whole number of at least 1, not 2.5$"),
        ({"runs": 0}, ValueError, "^runs must be a whole number of at least 1, not 0$"),
        ({"runs": 2, "train_size": 1.5}, ValueError, "^train_size must be a number of rows, or a share between 0 and"),
        ({"runs": 2, "train_size": 500}, ValueError, "the number of training rows must be .* for 120 rows, not 500"),
        ({"Y": np.zeros((3, 2), dtype=int)}, ValueError, "inconsistent numbers of samples"),
        ({"X": [["red"]] * 120}, ValueError, "^row 0, column 0 of X has the text 'red'"),
    ],
)
def test_what_cannot_be_compared_is_refused(data, changes, error, message):
    X, Y = data
    arguments = {"X": X, "Y": Y, "methods": {"a": mmoc.BinaryRelevance()}} | changes
    with pytest.raises(error, match=message):
        mmoc.compare(**arguments)


def test_other_predictions_are_refused_by_name(data):
    X, Y = data

    class Wrong(KNeighborsClassifier):
        def predict(self, X):
            return super().predict(X)[:, :2]

    class Failing(KNeighborsClassifier):
        def fit(self, X, y):
            raise RuntimeError("no")

    with pytest.raises(ValueError, match=r"^the method 'w' must predict a matrix .* \(40, 4\), and .* shape \(40, 2\)"):
        mmoc.compare(X, Y, {"w": Wrong()}, cv=3)
    with pytest.raises(RuntimeError, match="no") as error:
        mmoc.compare(X, Y, {"f": Failing()}, cv=3)
    assert error.value.__notes__ == ["This happened in the method 'f'."]
