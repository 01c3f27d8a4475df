"""Comparisons of estimators of this package and of scikit-learn."""

import json
import pickle
import re
import subprocess

import mmoc
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
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

    with pytest.raises(ValueError, match=r"^method 'w': it must predict a matrix .* \(40, 4\), and .* shape \(40, 2\)"):
        mmoc.compare(X, Y, {"w": Wrong()}, cv=3)
    with pytest.raises(RuntimeError, match="^method 'f': no$"):
        mmoc.compare(X, Y, {"f": Failing()}, cv=3)
    message = r"^method 'a': y should be a 1d array.*\. {} decides one label: MultiOutputClassifier and ClassifierChain"
    for single in (LinearSVC(), LogisticRegression()):
        with pytest.raises(ValueError, match=message.format(type(single).__name__)):
            mmoc.compare(X, Y, {"a": single}, cv=3)
    with pytest.raises(ValueError, match=r"^method 'r': it must predict zeros and ones, and it predicted .*\. Use a"):
        mmoc.compare(X, Y, {"r": Ridge()}, cv=3)
    with pytest.raises(ValueError, match="^two methods are called '1': names are compared as text"):
        mmoc.compare(X, Y, {1: DummyClassifier(), "1": DummyClassifier()})
    with pytest.raises(TypeError, match="^Y is None. compare needs the label sets of all rows"):
        mmoc.compare(X, methods={"none": DummyClassifier()})
    with pytest.raises(TypeError, match="^Y is a dict, and methods is None. compare needs the label sets of all rows"):
        mmoc.compare(X, {"none": DummyClassifier()})


def test_errors_with_more_than_a_message_have_a_note(data):
    X, Y = data

    class Failing(KNeighborsClassifier):
        def fit(self, X, y):
            raise FileNotFoundError(2, "no such file", "weights.bin")

    with pytest.raises(FileNotFoundError, match="weights.bin") as error:
        mmoc.compare(X, Y, {"f": Failing()}, cv=3)
    assert error.value.__notes__ == ["This happened in the method 'f'."]


def test_tables_are_of_the_metrics_that_are_asked_for(data, tmp_path):
    X, Y = data
    methods = {"near": KNeighborsClassifier(3), "br": mmoc.BinaryRelevance(penalty=0.01)}
    found = mmoc.compare(X, Y, methods, cv=3, metrics=["hamming_loss", "jaccard", "hamming_loss"])
    assert "Hamming loss on data" in found.text
    assert "Micro" not in found.text
    expected = [f"{metric}.{form}" for metric in ("hamming-loss", "jaccard") for form in ("tex", "md", "csv")]
    assert list(found.tables) == expected
    files = found.write_tables(tmp_path / "new" / "tables")
    assert [file.name for file in files] == expected
    assert all(file.read_bytes().decode() == found.tables[file.name] for file in files)
    assert f"{mean(found, 'near', 'jaccard'):.4f}" in found.tables["jaccard.md"]
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(ValueError, match="the metric must be one of .*hamming_loss.*, not 'hamming'"):
        mmoc.compare(X, Y, methods, metrics=["hamming"])
    with pytest.raises(ValueError, match="^metrics must name at least one metric$"):
        mmoc.compare(X, Y, methods, metrics=[])


def test_the_folder_is_read_by_the_command_line(data, program, tmp_path):
    X, Y = data
    methods = {"near": KNeighborsClassifier(3), "br": mmoc.BinaryRelevance(penalty=0.01)}
    folder = tmp_path / "out"
    found = mmoc.compare(X, Y, methods, cv=3, out=folder)
    command = [program, "report", folder, "--json", "--tables", tmp_path / "tables"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    assert json.loads(run.stdout) == found.summary
    written = {file.name: file.read_bytes().decode() for file in (tmp_path / "tables").iterdir()}
    assert written == found.tables
    assert "KNeighborsClassifier(n_neighbors=3)" in (folder / "report.html").read_text(encoding="utf-8")

    more = mmoc.compare(X, Y, {"one": KNeighborsClassifier(1)} | methods, cv=3, repeats=2, out=folder)
    assert list(methods_of(more)) == ["one", "near", "br"]
    assert len((folder / "results.jsonl").read_text(encoding="utf-8").splitlines()) == 18


class FittedOnce(KNeighborsClassifier):
    """Like other estimators, it is known by its repr."""

    fits = 0

    def fit(self, X, y):
        FittedOnce.fits += 1
        return super().fit(X, y)


def test_methods_are_added_to_a_folder_without_those_that_it_has(data, tmp_path):
    X, Y = data
    near, one = {"near": FittedOnce(3)}, {"one": KNeighborsClassifier(1)}
    FittedOnce.fits = 0
    mmoc.compare(X, Y, near, cv=3, out=tmp_path)
    added = mmoc.compare(X, Y, one, cv=3, out=tmp_path)
    assert list(methods_of(added)) == ["near", "one"]
    assert len((tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()) == 6
    both = mmoc.compare(X, Y, near | one, cv=3)
    for method in ("near", "one"):
        assert mean(added, method) == mean(both, method)
    assert FittedOnce.fits == 6
    again = mmoc.compare(X, Y, near | one, cv=3, out=tmp_path)
    assert again.summary == added.summary, "with the times of the first calls"
    with pytest.raises(ValueError, match="^the folder has results of 'near', but not of all runs: give its estimator"):
        mmoc.compare(X, Y, one, cv=3, repeats=2, out=tmp_path)
    more = mmoc.compare(X, Y, near | one, cv=3, repeats=2, out=tmp_path)
    assert FittedOnce.fits == 9
    assert len((tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()) == 12
    assert list(methods_of(more)) == ["near", "one"]


def test_progress_is_written_if_asked_for(data, capfd):
    X, Y = data
    methods = {"near": KNeighborsClassifier(3), "none": DummyClassifier()}
    quiet = mmoc.compare(X, Y, methods, cv=2)
    assert capfd.readouterr() == ("", "")
    verbose = mmoc.compare(X, Y, methods, cv=2, verbose=1)
    assert mean(verbose, "near") == mean(quiet, "near")
    out, err = capfd.readouterr()
    assert out == ""
    assert [re.sub(r"^\[compare +\d+\.\d s\] ", "", line) for line in err.splitlines()] == [
        "near on data, run 1 of 2 (fit 1 of 4)",
        "near on data, run 2 of 2 (fit 2 of 4)",
        "none on data, run 1 of 2 (fit 3 of 4)",
        "none on data, run 2 of 2 (fit 4 of 4)",
    ]
    with pytest.raises(ValueError, match="^verbose must be 0 or 1, not -1$"):
        mmoc.compare(X, Y, methods, cv=2, verbose=-1)


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"methods": {"near": KNeighborsClassifier(5)}}, "methods"),
        ({"cv": 4}, "protocol"),
        ({"random_state": 1}, "seed"),
        ({"name": "other"}, "datasets"),
    ],
)
def test_a_folder_of_another_comparison_is_refused_before_any_fit(data, tmp_path, changes, difference):
    X, Y = data
    arguments = {"methods": {"near": KNeighborsClassifier(3)}, "cv": 3, "out": tmp_path}
    mmoc.compare(X, Y, **arguments)

    class Unfitted(KNeighborsClassifier):
        def fit(self, X, y):
            raise AssertionError("the folder was not checked")

    changed = arguments | changes
    changed["methods"] = changed["methods"] | {"other": Unfitted()}
    with pytest.raises(ValueError, match=f"holds another experiment, which differs in {difference}$"):
        mmoc.compare(X, Y, **changed)


def test_how_rows_are_split(data):
    X, Y = data
    methods = {"near": KNeighborsClassifier(3)}
    by_share = mmoc.compare(X, Y, methods, train_size=0.7)
    assert by_share.summary["protocol"] == {"kind": "random_shares", "runs": 30, "train_share": 0.7}
    by_number = mmoc.compare(X, Y, methods, train_size=84, runs=2)
    assert by_number.summary["protocol"] == {"kind": "random_splits", "runs": 2, "train_size": 84}
    halves = mmoc.compare(X, Y, methods, runs=2)
    assert halves.summary["protocol"] == {"kind": "random_shares", "runs": 2, "train_share": 0.5}
    message = "^cv and repeats are of cross-validation, and runs and train_size are of random splits. Give one or the"
    for of_folds in ({"cv": 3}, {"repeats": 2}):
        for of_splits in ({"runs": 2}, {"train_size": 0.7}):
            with pytest.raises(ValueError, match=message):
                mmoc.compare(X, Y, methods, **of_folds, **of_splits)


def test_a_data_set_has_labels_and_weights(data, tmp_path):
    X, Y = data
    table = pd.DataFrame(X, columns=[f"f{k}" for k in range(8)]).join(pd.DataFrame(Y, columns=NAMES))
    table["count"] = np.arange(len(Y)) % 3 + 1
    table.to_csv(tmp_path / "weather.csv", index=False)
    dataset = mmoc.read(tmp_path / "weather.csv", labels=NAMES, weight="count")
    methods = {"br": mmoc.BinaryRelevance(penalty=0.01)}
    found = mmoc.compare(dataset, methods=methods, cv=3)
    assert "weather: 120 rows, 8 features, 4 labels" in found.text
    expected = mmoc.compare(X, Y, methods, cv=3, sample_weight=table["count"])
    assert mean(found, "br") == mean(expected, "br")
    assert mean(found, "br") != mean(mmoc.compare(X, Y, methods, cv=3), "br")
    with pytest.raises(TypeError, match="^Y must not be given beside a Dataset, which has labels"):
        mmoc.compare(dataset, Y, methods)


def test_several_data_sets_have_a_table_each(data, tmp_path):
    X, Y = data
    songs = mmoc.Dataset(X, Y, [], [], "songs")
    scenes = mmoc.Dataset(X[:80], Y[:80, :3], [], [], "scenes", np.arange(80) % 3 + 1.0)
    methods = {"br": mmoc.BinaryRelevance(penalty=0.01), "dummy": DummyClassifier()}
    both = mmoc.compare([songs, scenes], methods=methods, cv=3, out=tmp_path)
    assert [own["name"] for own in both.summary["datasets"]] == ["songs", "scenes"]
    for number, dataset in enumerate([songs, scenes]):
        alone = mmoc.compare(dataset, methods=methods, cv=3).summary["datasets"][0]["methods"]
        found = both.summary["datasets"][number]["methods"]
        assert [own["metrics"] for own in found] == [own["metrics"] for own in alone]
    assert len((tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()) == 12
    with pytest.raises(TypeError, match="^Y, sample_weight and name must not be given beside several Datasets"):
        mmoc.compare([songs, scenes], Y, methods)
    with pytest.raises(ValueError, match="^two data sets are called 'songs'$"):
        mmoc.compare([songs, songs], methods=methods)


def test_weights_are_those_of_fit_and_of_metrics(data):
    X, Y = data
    weights = np.random.default_rng(0).uniform(0.1, 2.0, size=len(Y))
    place = {row.tobytes(): k for k, row in enumerate(X)}
    accuracies = []

    class Recorder(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            own = weights[[place[row.tobytes()] for row in X]]
            np.testing.assert_array_equal(sample_weight, own)
            return super().fit(X, y, sample_weight)

        def predict(self, X):
            predicted, rows = super().predict(X), [place[row.tobytes()] for row in X]
            accuracies.append(accuracy_score(Y[rows], predicted, sample_weight=weights[rows]))
            return predicted

    methods = {"alone": Recorder(), "last": make_pipeline(FunctionTransformer(), Recorder())}
    found = mmoc.compare(X, Y, methods, cv=3, sample_weight=weights)
    assert mean(found, "alone") == pytest.approx(np.mean(accuracies[:3]))
    assert mean(found, "last") == pytest.approx(np.mean(accuracies[3:]))
    with pytest.raises(ValueError, match=r"^method 'near': its fit has no sample_weight\. Compare it without weights"):
        mmoc.compare(X, Y, methods | {"near": KNeighborsClassifier()}, sample_weight=weights)


def test_unknown_labels_are_left_out(data):
    X, Y = data
    holes = Y.astype(float)
    holes[np.random.default_rng(0).uniform(size=Y.shape) < 0.2] = np.nan
    place = {row.tobytes(): k for k, row in enumerate(X)}
    losses = []

    class Recorder(mmoc.BinaryRelevance):
        def predict(self, X, decide=None):
            predicted, truth = super().predict(X, decide), holes[[place[row.tobytes()] for row in X]]
            known = ~np.isnan(truth)
            losses.append(np.mean(predicted[known] != truth[known]))
            return predicted

    methods = {"br": Recorder(missing_labels="ignore", penalty=0.01)}
    found = mmoc.compare(X, holes, methods, cv=3)
    assert mean(found, "br", "hamming_loss") == pytest.approx(np.mean(losses))
    piped = {"piped": make_pipeline(StandardScaler(), mmoc.BinaryRelevance(missing_labels="ignore"))}
    assert 0 < mean(mmoc.compare(X, pd.DataFrame(holes, columns=NAMES), piped, cv=3), "piped") < 1
    for other in (KNeighborsClassifier(), mmoc.BinaryRelevance()):
        message = "^method 'other': Y has unknown labels, .* missing_labels=\"ignore\", or fill unknown labels with 0"
        with pytest.raises(ValueError, match=message):
            mmoc.compare(X, holes, methods | {"other": other})
