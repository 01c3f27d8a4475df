"""Folds with equal shares of every label, by iterative stratification, without any random choice.

Sechidis, Tsoumakas & Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD 2011, with sizes that differ by
at most one. Rows with equal label sets are assigned one after the other, so that they spread over the folds.
"""

import numpy as np


def stratified_folds(labels: np.ndarray, count: int) -> np.ndarray:
    """The fold of each row."""
    labels = labels.astype(bool)
    rows = len(labels)
    room = np.array([rows // count + (fold < rows % count) for fold in range(count)])
    wanted = np.tile(labels.sum(axis=0) / count, (count, 1))
    folds = np.full(rows, -1)

    def assign(row: int, demand: np.ndarray) -> None:
        """To the fold of the largest demand, then to the one with the most room, then to the first."""
        fold = max(np.flatnonzero(room), key=lambda fold: (demand[fold], room[fold]))
        folds[row] = fold
        room[fold] -= 1
        wanted[fold] -= labels[row]

    order = largest_sets_first(labels)
    while (left := labels[folds < 0].sum(axis=0)).any():
        label = np.argmin(np.where(left > 0, left, rows + 1))
        for row in order[labels[order, label] & (folds[order] < 0)]:
            assign(row, wanted[:, label])
    for row in order[folds[order] < 0]:
        assign(row, room)
    return folds


def largest_sets_first(labels: np.ndarray) -> np.ndarray:
    """The rows in the order of their label sets, equal ones together."""
    sizes = labels.sum(axis=1)
    return np.array(sorted(range(len(labels)), key=lambda row: (-sizes[row], labels[row].tobytes())))
