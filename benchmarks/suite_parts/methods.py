"""All methods, ours and the peers, and how each is made. To add one, or to take other parameters, edit `METHODS`."""

from collections.abc import Callable
from typing import Any, NamedTuple

import mmoc
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain

from suite_parts.learners import LabelPowerset, SearchedLogisticRegression, VaryingLabels

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

    @property
    def ours(self) -> bool:
        return self.package == OURS

    @property
    def name(self) -> str:
        return f"{self.package}: {self.title}"


def liblinear() -> LogisticRegression:
    return LogisticRegression(solver="liblinear")


def of_mmoc(estimator: type[mmoc.MultiLabelClassifier], *, by_default: bool = True) -> Method:
    """An estimator of mmoc with its default parameters, those of `mmoc train`."""
    return Method(OURS, estimator.__name__, lambda task: estimator(n_jobs=task.jobs), by_default=by_default)


def one_vs_rest(title: str, base: Callable[[], Any]) -> Method:
    return Method("scikit-learn", f"one-vs-rest, {title}", lambda task: OneVsRestClassifier(base(), n_jobs=task.jobs))


def of_scikit_learn(title: str, make: Callable[[Task], Any], *, jobs: tuple[int, ...] = ONE_JOB) -> Method:
    return Method("scikit-learn", title, make, jobs=jobs)


def of_scikit_multilearn(title: str, make: Callable[[Any, Task], Any]) -> Method:
    """`make` gets the package. It is imported here since it may fail, and since ours must not wait for it."""

    def imported(task: Task) -> Any:
        import skmultilearn.adapt
        import skmultilearn.ensemble
        import skmultilearn.problem_transform

        return VaryingLabels(make(skmultilearn, task))

    return Method("scikit-multilearn", title, imported, jobs=ONE_JOB)


def representation(task: Task) -> list[bool]:
    """Whether base classifiers of scikit-multilearn get dense features and dense labels."""
    return [not task.sparse, True]


METHODS: dict[str, Method] = {
    REFERENCE: of_mmoc(mmoc.MaxMarginOutputCoding),
    "br": of_mmoc(mmoc.BinaryRelevance),
    "cca": of_mmoc(mmoc.CanonicalCorrelationCoding),
    "cs": of_mmoc(mmoc.CompressedSensingCoding, by_default=False),
    "plst": of_mmoc(mmoc.PrincipalLabelSpaceCoding, by_default=False),
    "redundant-plst": of_mmoc(mmoc.RedundantPrincipalLabelSpaceCoding, by_default=False),
    "clr": of_mmoc(mmoc.CalibratedLabelRanking, by_default=False),
    "lead": of_mmoc(mmoc.Lead, by_default=False),
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
        lambda task: RandomForestClassifier(n_estimators=100, n_jobs=task.jobs, random_state=SEED),
        jobs=TWO_JOBS,
    ),
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
