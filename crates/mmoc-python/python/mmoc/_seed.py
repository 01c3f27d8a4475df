"""From ``random_state`` to the seed of the library."""

import numbers
from typing import TypeAlias

import numpy as np
from sklearn.utils import check_random_state

RandomState: TypeAlias = int | np.random.RandomState | None


def seed(random_state: RandomState) -> int:
    """An integer is the seed itself, as on the command line. Otherwise the seed is drawn."""
    if isinstance(random_state, numbers.Integral):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state must be from 0 to 2⁶⁴ − 1, not {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
