"""Progress of long fits on standard error."""

import numbers
import sys
from collections.abc import Callable
from typing import Any

Report = Callable[[str, float], None]


def reporter(verbose: Any, name: str) -> Report | None:
    """What writes each stage of a fit and the seconds after which it began, or None if nothing is to be written."""
    if not isinstance(verbose, numbers.Integral) or verbose < 0:
        raise ValueError(f"verbose must be 0 or 1, not {verbose!r}")
    if not verbose:
        return None

    def report(stage: str, seconds: float) -> None:
        # One write for each line, so that fits in other threads cannot come between.
        sys.stderr.write(f"[{name} {seconds:6.1f} s] {stage}\n")
        sys.stderr.flush()

    return report
