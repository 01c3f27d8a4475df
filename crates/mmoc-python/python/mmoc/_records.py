"""Records of the max-margin solver."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Round:
    """One iteration of the max-margin solver.

    Attributes
    ----------
    objective : float
        The objective F at the metric of this iteration.
    lower_bound : float
        The best lower bound on the optimum so far.
    constraints : int or None
        The number of constraints in the working sets of all rows. ``None`` for Newton's method, which has no working
        sets.
    """

    objective: float
    lower_bound: float
    constraints: int | None


@dataclass(frozen=True)
class SolverRecord:
    """The record of a max-margin solve, with a certified gap.

    Attributes
    ----------
    algorithm : str
        The algorithm: newton, newton-cg, primal-dual or cutting-plane.
    objective : float
        F at the returned metric, which is an upper bound on the optimum.
    lower_bound : float
        A proven lower bound on the optimum.
    relative_gap : float
        (objective − lower_bound) / objective.
    iterations : int
        The number of Newton steps, of cutting-plane rounds, or of rounds of 20 primal-dual steps.
    oracle_calls : int
        The number of separation problems solved, one per row and pass.
    rank : int
        The number of eigenvalues of the metric above the rank tolerance.
    termination : str
        converged, iteration_limit or stalled.
    rounds : tuple of Round
        The iterations.
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
        """Whether the requested gap was reached."""
        return self.termination == "converged"

    @classmethod
    def from_json(cls, record: str | dict[str, Any]) -> "SolverRecord":
        """The record from the library's JSON."""
        parts = json.loads(record) if isinstance(record, str) else dict(record)
        rounds = tuple(Round(**round_) for round_ in parts.pop("rounds"))
        return cls(rounds=rounds, **parts)
