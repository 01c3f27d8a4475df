"""All methods, ours and the peers, and how each is made. To add one, or to take other parameters, edit `METHODS`.

`METHODS` has those of the suite and those of the leaderboard, which names its own in `LEADERBOARD`. Packages are
imported when a method is made, because no environment has all of them, and because ours must not wait for others.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain

from suite_parts.learners import (
    Boomer,
    ChainEnsemble,
    LabelPowerset,
    SearchedLogisticRegression,
    SearchedSVC,
    VaryingLabels,
)

# Threads or processes of a run. Repeated runs try both numbers, since two do not pay off on small sets, and continue
# with the faster one, for all sides alike; long runs are not repeated. Methods without a parameter for jobs start with
# one: the number is then that of threads for matrix products alone, and two that wait for each other took up to a
# hundred times as long on a busy machine.
TWO_JOBS = (2, 1)
ONE_JOB = (1, 2)
# The reference of all ratios.
REFERENCE = "max-margin"
OURS = "mmoc"
SEED = 0
# The name of the only decision of methods that have no others.
PLAIN = "predict"
TREES = 500
CHAINS = 10


class Task(NamedTuple):
    """The properties of a data set that parameters of a method may depend on."""

    labels: int
    sparse: bool
    jobs: int


class Method(NamedTuple):
    """A named constructor of an estimator."""

    package: str
    title: str
    make: Callable[[Task], Any]
    jobs: tuple[int, ...] = TWO_JOBS
    by_default: bool = True
    # Which decision is meant for which measure, if a model can decide in several ways.
    decisions: dict[str, str] = {}
    probabilities: bool = True
    # The folder target/…-venv of a package that does not go with the versions of the others.
    environment: str = "benchmark"

    def decision_for(self, measure: str) -> str:
        return self.decisions.get(measure, PLAIN)

    @property
    def all_decisions(self) -> list[str]:
        return list(dict.fromkeys(self.decisions.values())) or [PLAIN]

    @property
    def ours(self) -> bool:
        return self.package == OURS

    @property
    def name(self) -> str:
        return f"{self.package}: {self.title}"


def liblinear() -> LogisticRegression:
    return LogisticRegression(solver="liblinear")


def of_mmoc(estimator: str, **more: Any) -> Method:
    """An estimator of mmoc with its default parameters, those of `mmoc train`."""

    def imported(task: Task) -> Any:
        import mmoc

        return getattr(mmoc, estimator)(n_jobs=task.jobs)

    return Method(OURS, estimator, imported, **more)


def one_vs_rest(title: str, base: Callable[[], Any], **more: Any) -> Method:
    def make(task: Task) -> Any:
        return OneVsRestClassifier(base(), n_jobs=task.jobs)

    return Method("scikit-learn", f"one-vs-rest, {title}", make, **more)


def of_scikit_learn(title: str, make: Callable[[Task], Any], *, jobs: tuple[int, ...] = ONE_JOB, **more: Any) -> Method:
    return Method("scikit-learn", title, make, jobs=jobs, **more)


def forest(task: Task, trees: int = TREES) -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators=trees, n_jobs=task.jobs, random_state=SEED)


def of_boomer(title: str, *, decisions: dict[str, str] | None = None, **parameters: Any) -> Method:
    """Seeds of BOOMER start at one."""
    return Method(
        "BOOMER",
        title,
        lambda task: Boomer(random_state=1 + SEED, **parameters),
        by_default=False,
        decisions=decisions or {},
        environment="boomer",
    )


def of_xgboost(title: str, **parameters: Any) -> Method:
    def imported(task: Task) -> Any:
        from xgboost import XGBClassifier

        model = XGBClassifier(tree_method="hist", n_jobs=task.jobs, random_state=SEED, **parameters)
        return VaryingLabels(model)

    return Method("XGBoost", title, imported, by_default=False)


def of_scikit_multilearn(title: str, make: Callable[[Any, Task], Any]) -> Method:
    """`make` gets the package."""

    def imported(task: Task) -> Any:
        import skmultilearn.adapt
        import skmultilearn.ensemble
        import skmultilearn.problem_transform

        return VaryingLabels(make(skmultilearn, task))

    return Method("scikit-multilearn", title, imported, jobs=ONE_JOB, probabilities=False)


def representation(task: Task) -> list[bool]:
    """Whether base classifiers of scikit-multilearn get dense features and dense labels."""
    return [not task.sparse, True]


METHODS: dict[str, Method] = {
    REFERENCE: of_mmoc(
        "MaxMarginOutputCoding",
        decisions={
            "subset_accuracy": "subset",
            "example_f1": "f1",
            "hamming_loss": "hamming",
            "micro_f1": "micro-f1",
            "macro_f1": "macro-f1",
        },
    ),
    "br": of_mmoc("BinaryRelevance"),
    "cca": of_mmoc("CanonicalCorrelationCoding"),
    "cs": of_mmoc("CompressedSensingCoding", by_default=False),
    "plst": of_mmoc("PrincipalLabelSpaceCoding", by_default=False),
    "redundant-plst": of_mmoc("RedundantPrincipalLabelSpaceCoding", by_default=False),
    "clr": of_mmoc("CalibratedLabelRanking", by_default=False),
    "lead": of_mmoc("Lead", by_default=False),
    "ovr-liblinear": one_vs_rest("logistic, liblinear, C = 1", liblinear),
    "ovr-lbfgs": one_vs_rest("logistic, lbfgs, C = 1", LogisticRegression),
    "ovr-cv": one_vs_rest("logistic, liblinear, C by cross-validation", SearchedLogisticRegression),
    "chain": of_scikit_learn(
        "classifier chain, logistic, liblinear",
        lambda task: VaryingLabels(ClassifierChain(liblinear())),
    ),
    "powerset": of_scikit_learn("label powerset", lambda task: LabelPowerset()),
    "forest": of_scikit_learn(
        "random forest, 100 trees",
        lambda task: forest(task, 100),
        jobs=TWO_JOBS,
    ),
    "ovr-svm": one_vs_rest(
        "RBF SVM, C and width by cross-validation", SearchedSVC, by_default=False, probabilities=False
    ),
    "chains": of_scikit_learn(
        f"{CHAINS} classifier chains, logistic, liblinear, random orders",
        lambda task: VaryingLabels(ChainEnsemble(liblinear(), CHAINS, task.jobs)),
        jobs=TWO_JOBS,
        by_default=False,
    ),
    "forest-500": of_scikit_learn(
        f"random forest, {TREES} trees", lambda task: VaryingLabels(forest(task)), jobs=TWO_JOBS, by_default=False
    ),
    "powerset-lr": of_scikit_learn(
        "label powerset, logistic, lbfgs", lambda task: LabelPowerset(LogisticRegression()), by_default=False
    ),
    "powerset-forest": of_scikit_learn(
        f"label powerset, random forest, {TREES} trees",
        lambda task: LabelPowerset(forest(task)),
        jobs=TWO_JOBS,
        by_default=False,
    ),
    "boomer": of_boomer("defaults"),
    "boomer-joint": of_boomer(
        "non-decomposable logistic loss, complete heads",
        loss="logistic-non-decomposable",
        head_type="complete",
        binary_predictor="example-wise",
        decisions={
            "subset_accuracy": "example-wise",
            "hamming_loss": "example-wise",
            "example_f1": "gfm",
            "micro_f1": "gfm",
            "macro_f1": "gfm",
        },
    ),
    "xgboost": of_xgboost("one tree for each label and round"),
    "xgboost-multi": of_xgboost("one tree of all labels for each round", multi_strategy="multi_output_tree"),
    "skm-br": of_scikit_multilearn(
        "BinaryRelevance, logistic, liblinear",
        lambda skm, task: skm.problem_transform.BinaryRelevance(liblinear(), representation(task)),
    ),
    "skm-chain": of_scikit_multilearn(
        "ClassifierChain, logistic, liblinear",
        lambda skm, task: skm.problem_transform.ClassifierChain(liblinear(), representation(task)),
    ),
    # liblinear supports at most two classes since scikit-learn 1.8.
    "skm-powerset": of_scikit_multilearn(
        "LabelPowerset, logistic, lbfgs",
        lambda skm, task: skm.problem_transform.LabelPowerset(LogisticRegression(), representation(task)),
    ),
    "skm-rakeld": of_scikit_multilearn(
        "RakelD, logistic, lbfgs, sets of 3",
        lambda skm, task: skm.ensemble.RakelD(
            LogisticRegression(), labelset_size=3, base_classifier_require_dense=representation(task)
        ),
    ),
    "skm-rakelo": of_scikit_multilearn(
        "RakelO, logistic, lbfgs, twice as many sets of 3 as labels",
        lambda skm, task: skm.ensemble.RakelO(
            LogisticRegression(),
            model_count=2 * task.labels,
            labelset_size=3,
            base_classifier_require_dense=representation(task),
        ),
    ),
    "skm-mlknn": of_scikit_multilearn("MLkNN, 10 neighbours", lambda skm, task: skm.adapt.MLkNN(k=10)),
    "skm-brknn": of_scikit_multilearn("BRkNNa, 10 neighbours", lambda skm, task: skm.adapt.BRkNNaClassifier(k=10)),
    "skm-mlaram": of_scikit_multilearn("MLARAM", lambda skm, task: skm.adapt.MLARAM()),
    "skm-mltsvm": of_scikit_multilearn("MLTSVM", lambda skm, task: skm.adapt.MLTSVM(c_k=0.5)),
}

# Our default and the peers of the leaderboard.
LEADERBOARD = [
    REFERENCE,
    "ovr-cv",
    "ovr-svm",
    "chains",
    "forest-500",
    "powerset-lr",
    "powerset-forest",
    "boomer",
    "boomer-joint",
    "xgboost",
    "xgboost-multi",
    "skm-rakelo",
]
