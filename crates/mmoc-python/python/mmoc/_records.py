"""How things were solved."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Round:
    """A metric on the way to the solution.

    Attributes
    ----------
    objective : float
        F at this metric.
    lower_bound : float
        The best lower bound of the least value so far.
    constraints : int or None
        Constraints in the working sets of all rows; ``None`` for Newton's method, which has no such sets.
    """

    objective: float
    lower_bound: float
    constraints: int | None


@dataclass(frozen=True)
class SolverRecord:
    """How a max-margin problem was solved, and what is certain about the result.

    Attributes
    ----------
    algorithm : str
        The algorithm that ran: newton, newton-cg, primal-dual or cutting-plane.
    objective : float
        F at the metric found, an upper bound of the least value.
    lower_bound : float
        A value that F certainly does not fall below.
    relative_gap : float
        (objective − lower_bound) / objective: the certificate.
    iterations : int
        Newton steps, rounds of the cutting-plane method, or rounds of 20 primal-dual steps.
    oracle_calls : int
        Separation problems solved, one per row and pass.
    rank : int
        Eigenvalues of the metric that are not numerical noise.
    termination : str
        converged, iteration_limit or stalled.
    rounds : tuple of Round
        The metrics along the way.
    """

    algorithm: str
    objective: float
    lower_bound: float
    relative_gap: float
    iterations: int
    oracle_calls: int
    rank: int
    termination: str
    rounds: tuple[Round, ...]

    @property
    def converged(self) -> bool:
        """Whether the gap is as small as was asked for."""
        return self.termination == "converged"

    @classmethod
    def from_json(cls, record: str | dict[str, Any]) -> "SolverRecord":
        """The record that the library wrote."""
        parts = json.loads(record) if isinstance(record, str) else dict(record)
        rounds = tuple(Round(**round_) for round_ in parts.pop("rounds"))
        return cls(rounds=rounds, **parts)
