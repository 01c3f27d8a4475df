"""What models compute that is linear in the features, in units of unscaled features.

A label set y has the score b(x)ᵀy − ½yᵀAy, beside what terms about whole label sets add. b is a sum over terms, of
which the classifiers and the regressions of a code may be linear in x.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ._native import Model

Floats = npt.NDArray[np.float64]

_RADIAL = (
    "they are functions of radial basis functions, which have no coefficients of features. features='linear' fits "
    "linear ones."
)
_NO_IMPORTANCES = (
    "neither linear classifiers or regressions nor a forest are in it. features='linear' fits linear models."
)
# Why label sets are not found by scores of labels and pairs of labels, by the name of the decoder.
_WITHOUT_SCORES = {
    "cosamp": "labels are recovered from codewords by sparse recovery, which is not linear",
    "l1": "labels are recovered from codewords by sparse recovery, which is not linear",
    "votes": "labels are ranked by the votes of a classifier for each pair of labels",
    "network": "the classifier of a label depends on other labels as well",
}


@dataclass(frozen=True)
class LinearTerm:
    """Linear functions of the features, and what each of them adds to the labels."""

    name: str
    # m×p and m; p includes the indicators of missing values.
    coef: Floats
    intercept: Floats
    # The weight of the term.
    weight: float
    # From outputs to labels, q×m, or None if each output is one of a label.
    to_labels: Floats | None

    @property
    def label_coef(self) -> Floats:
        """Its part of b as a function of the features, q×p."""
        return self.weight * (self.coef if self.to_labels is None else self.to_labels @ self.coef)

    @property
    def label_intercept(self) -> Floats:
        """What it adds to b in any row."""
        return self.weight * (self.intercept if self.to_labels is None else self.to_labels @ self.intercept)


@dataclass(frozen=True)
class Scores:
    """The scores of labels."""

    terms: tuple[LinearTerm, ...]
    # Added to b in any row.
    shift: Floats
    # Terms of labels that are not linear in the features.
    other_terms: tuple[str, ...]

    @cached_property
    def coef(self) -> Floats:
        """The linear part of b, q×p; without columns if there is none."""
        parts = [term.label_coef for term in self.terms]
        return np.sum(parts, axis=0) if parts else np.zeros((len(self.shift), 0))

    @cached_property
    def intercept(self) -> Floats:
        """The part of b that is the same in any row."""
        found: Floats = self.shift + sum(term.label_intercept for term in self.terms)
        return found


def scores_of(model: Model) -> Scores:
    """The scores of a model. An AttributeError with the reason if it has none."""
    decoder = model.decoder
    if reason := _WITHOUT_SCORES.get(decoder):
        raise AttributeError(f"the model has no linear scores of labels: {reason}")
    if decoder == "posterior":
        return _of_posterior(model)
    if decoder == "joint":
        return _of_joint(model)
    return _of_back_projection(model) if decoder == "back-projection" else _of_log_odds(model)


def label_term(model: Model) -> LinearTerm:
    """The scores of labels one by one: log-odds of the classifiers, or regressions of labels through a code."""
    if model.decoder in ("votes", "network"):
        coef, intercept = _linear_outputs(model, "the classifiers have no coefficients")
        labels = len(model.label_names)
        return LinearTerm("labels", coef[:labels], intercept[:labels], 1.0, None)
    scores = scores_of(model)
    if model.decoder == "back-projection":
        _linear_outputs(model, "the regressions of the code have no coefficients")
        return LinearTerm("labels", scores.coef, scores.intercept, 1.0, None)
    return _named(scores, "labels", "the classifiers have no coefficients")


def code_term(model: Model) -> LinearTerm:
    """The regressions that predict codewords."""
    if model.decoder in ("cosamp", "l1"):
        coef, intercept = _linear_outputs(model, "the regressions of the code have no coefficients")
        return LinearTerm("code", coef, intercept, 1.0, None)
    return _named(scores_of(model), "code", "the regressions of the code have no coefficients")


def pair_term(model: Model) -> LinearTerm:
    """The log-odds of the classifiers of pairs of labels, which follow those of labels."""
    coef, intercept = _linear_outputs(model, "the classifiers have no coefficients")
    labels = len(model.label_names)
    return LinearTerm("pairs", coef[labels:], intercept[labels:], 1.0, None)


def importances(model: Model) -> Floats:
    """How much each feature counts, in sum one."""
    if model.decoder in ("cosamp", "l1", "votes", "network"):
        # Every output counts, whatever it is decoded to.
        coef, _ = _outputs(model)
    else:
        coef = scores_of(model).coef
    if not coef.size:
        shares = model.forest_column_shares
        if shares is None:
            raise AttributeError(f"the model has no feature importances: {_NO_IMPORTANCES}")
        return _with_indicators(model, shares)
    _, scales = model.columns_of_training
    scales = np.concatenate([scales, np.ones(len(model.indicators))])
    lengths = _with_indicators(model, np.sqrt(np.sum((coef * scales) ** 2, axis=0)))
    total = lengths.sum()
    return lengths / total if total > 0.0 else lengths


def _with_indicators(model: Model, of_columns: Floats) -> Floats:
    """How much each feature counts together with its indicator of missing values."""
    of_features = of_columns[: model.columns].copy()
    of_features[model.indicators] += of_columns[model.columns :]
    return of_features


def _named(scores: Scores, name: str, what: str) -> LinearTerm:
    found = next((term for term in scores.terms if term.name == name), None)
    if found is not None:
        return found
    if f"{name}-rbf" in scores.other_terms:
        raise AttributeError(f"{what}: {_RADIAL}")
    raise AttributeError(f"the model has no {what.split(' have ')[0].removeprefix('the ')}: {name!r} is no term of it")


def _outputs(model: Model) -> tuple[Floats, Floats]:
    """Coefficients and intercepts of all linear outputs, m×p and m."""
    coefficients, intercepts = model.coefficients
    return np.ascontiguousarray(coefficients.T), intercepts


def _linear_outputs(model: Model, what: str) -> tuple[Floats, Floats]:
    """The same. An AttributeError if outputs are functions of radial basis functions."""
    coef, intercept = _outputs(model)
    if not len(coef):
        raise AttributeError(f"{what}: {_RADIAL}")
    return coef, intercept


def _of_log_odds(model: Model) -> Scores:
    coef, intercept = _outputs(model)
    labels = len(model.label_names)
    linear = (LinearTerm("labels", coef, intercept, 1.0, None),) if len(coef) else ()
    return Scores(linear, np.zeros(labels), () if len(coef) else ("labels-rbf",))


def _of_back_projection(model: Model) -> Scores:
    """y = μ + V(ẑ − Vᵀμ), and labels above one half are predicted."""
    projections, origin = model.projections, model.origin
    assert projections is not None, "back-projection has a code"
    assert origin is not None, "every code has an origin"
    coef, intercept = _outputs(model)
    linear = (LinearTerm("code", coef, intercept, 1.0, projections),) if len(coef) else ()
    shift = origin - projections @ (projections.T @ origin) - 0.5
    return Scores(linear, shift, () if len(coef) else ("code-rbf",))


def _of_joint(model: Model) -> Scores:
    """b = V·diag(1/σ̂²)·ẑ + λl (eq. 15)."""
    projections, weights = model.decoding_projections, model.decoding_weights
    assert projections is not None, "joint decoding has projections"
    assert weights is not None, "joint decoding weighs its projections"
    (coef, intercept), (labels, directions) = _outputs(model), projections.shape
    lam, odds = float(model.parameters["lam"]), model.fixed_log_odds
    shift = np.zeros(labels) if odds is None else lam * odds
    if not len(coef):
        return Scores((), shift, ("code-rbf",) + (("labels-rbf",) if odds is None else ()))
    terms = [LinearTerm("code", coef[:directions], intercept[:directions], 1.0, weights)]
    if odds is None:
        terms.append(LinearTerm("labels", coef[directions:], intercept[directions:], lam, None))
    return Scores(tuple(terms), shift, ())


def _of_posterior(model: Model) -> Scores:
    """Σ_k w_k·f_k(x, y): classifiers add w·l(x), a code w·(Bẑ(x) − ½BBᵀy)."""
    (coef, intercept), labels = _outputs(model), len(model.label_names)
    terms, others = [], []
    first = 0
    for name, weight, outputs, directions in model.terms or []:
        own = slice(first, first + outputs)
        first += outputs
        if name in ("labels", "code", "rest"):
            terms.append(LinearTerm(name, coef[own], intercept[own], weight, directions))
        elif outputs > 0:
            others.append(name)
    return Scores(tuple(terms), np.zeros(labels), tuple(others))
