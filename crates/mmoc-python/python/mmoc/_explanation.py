"""Why labels were predicted: contributions of features, of other labels, and of terms that are not linear."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._linear import Floats

# Whether a label is predicted, its score, and kind, name, value and contribution of each part of the score.
ExplainedLabel = tuple[bool, float, list[tuple[str, str, float, float]]]
# Rows that the text shows.
_MOST_ROWS = 3


@dataclass(frozen=True)
class Contribution:
    """A part of the score of a label.

    Attributes
    ----------
    kind : {"baseline", "feature", "other features", "label", "other labels", "term"}
        What it comes from.
    name : str
        The name of the feature, of the label that pulls, or of the term.
    value : float
        The value of the feature in the row. NaN if it is missing, and for everything that is not a feature. It is 1
        for an indicator of a missing value, whose name is ``NAME is missing``.
    contribution : float
        What it adds to the score.
    """

    kind: str
    name: str
    value: float
    contribution: float


@dataclass(frozen=True)
class LabelExplanation:
    """The score of a label in a row, and its parts, which add up to it.

    Attributes
    ----------
    row : int
        The row.
    label : str
        The name of the label.
    predicted : bool
        Whether the label is predicted.
    score : float
        The score of the label if the other predicted labels hold.
    parts : tuple of Contribution
        The parts of the score: the baseline, the largest contributions of features, and of the labels that pull most.
    """

    row: int
    label: str
    predicted: bool
    score: float
    parts: tuple[Contribution, ...]


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why labels were predicted. Iterating gives a :class:`LabelExplanation` for each row and label.

    The score of label j in a row with the predicted set ŷ is the difference that j makes to the score of the set:

        b_j(x) − ½A_jj − Σ_{k in ŷ, k ≠ j} A_jk

    with b the evidence for labels and A the coupling of pairs of labels by the code. A label k with a positive
    contribution −A_jk pulls j in, one with a negative contribution pushes it out. Terms about whole label sets
    (``left_out``) have no part of a single label and are not included.

    Attributes
    ----------
    scores : ndarray of shape (n, q)
        The score of each label if the other predicted labels of the row hold. It is in units of log-odds, and for
        ``PrincipalLabelSpaceCoding`` it is the ``decision_function``.
    predicted : ndarray of bool of shape (n, q)
        The predicted label sets.
    baseline : ndarray of shape (q,)
        The score of each label in a row of average features, none of them missing, without other labels. For models of
        sparse rows it is that of a row of zeros.
    left_out : tuple of str
        The terms of the posterior about whole label sets, which may have decided otherwise.
    label_names : list of str
        The names of the labels.
    """

    scores: Floats
    predicted: npt.NDArray[np.bool_]
    baseline: Floats
    left_out: tuple[str, ...]
    label_names: list[str]
    _explained: list[list[LabelExplanation]] = field(repr=False)

    def __iter__(self) -> Iterator[LabelExplanation]:
        return (of_label for of_row in self._explained for of_label in of_row)

    def __len__(self) -> int:
        return sum(map(len, self._explained))

    def row(self, row: int) -> list[LabelExplanation]:
        """The explanations of the labels of a row, in the order of the labels."""
        return self._explained[row]

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row for each contribution.

        The columns are row, label, predicted, score, kind, name, value and contribution.
        """
        import pandas as pd

        names = ("row", "label", "predicted", "score", "kind", "name", "value", "contribution")
        rows = [
            (own.row, own.label, own.predicted, own.score, part.kind, part.name, part.value, part.contribution)
            for own in self
            for part in own.parts
        ]
        return pd.DataFrame(rows, columns=list(names))

    def __repr__(self) -> str:
        lines = [line for of_row in self._explained[:_MOST_ROWS] for line in _text_of_row(of_row)]
        if len(self._explained) > _MOST_ROWS:
            lines.append(f"… {len(self._explained) - _MOST_ROWS} more rows")
        if self.left_out:
            lines.append(f"not included, as they are about whole label sets: {', '.join(self.left_out)}")
        return "\n".join(lines)


def _text_of_row(of_row: list[LabelExplanation]) -> Iterator[str]:
    """The predicted labels of a row, or the one of highest score."""
    shown = [own for own in of_row if own.predicted]
    names = ", ".join(own.label for own in shown) or "no label"
    yield f"row {of_row[0].row}: {names}"
    for own in shown or [max(of_row, key=lambda own: own.score)]:
        yield f"  {own.label}: score {own.score:+.3f}"
        parts = [(_text_of_part(part), part.contribution) for part in own.parts]
        width = max(len(text) for text, _ in parts)
        yield from (f"    {text:<{width}} {contribution:+.3f}" for text, contribution in parts)


def _text_of_part(part: Contribution) -> str:
    if part.kind == "feature":
        return f"{part.name} = {part.value:.4g}"
    return part.kind if part.kind == part.name else f"{part.kind} {part.name}"


def explanation_of(rows: list[list[ExplainedLabel]], label_names: list[str], left_out: tuple[str, ...]) -> Explanation:
    """The explanation of label sets that the model has explained."""
    of_rows = [
        [
            LabelExplanation(row, name, predicted, score, tuple(Contribution(*part) for part in parts))
            for name, (predicted, score, parts) in zip(label_names, of_row, strict=True)
        ]
        for row, of_row in enumerate(rows)
    ]
    return Explanation(
        scores=np.array([[own.score for own in of_row] for of_row in of_rows]),
        predicted=np.array([[own.predicted for own in of_row] for of_row in of_rows]),
        baseline=np.array([own.parts[0].contribution for own in of_rows[0]]),
        left_out=left_out,
        label_names=label_names,
        _explained=of_rows,
    )
