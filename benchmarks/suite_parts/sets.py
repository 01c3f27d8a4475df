"""The data sets: training and test rows as all sides get them."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from suite_parts.folds import stratified_folds

SETS = ["flags", "emotions", "scene", "yeast", "medical", "cal500", "bibtex", "delicious"]
# Sets of MEKA, whose files have other names.
MEKA = {"music": "music-meka.arff", "imdb": "imdb-meka.arff.bz2"}
# The suite splits sets without a published split at random, two thirds for training; the leaderboard takes folds.
SEED = 0
TRAINING_SHARE = 2 / 3
FOLDS = 5
# Rows, features and labels of the small set that every method is fitted to before the measurement.
DRAWN = (80, 8, 6)


class Split(NamedTuple):
    """Training rows and test rows. Features are arrays, or CSR matrices; labels are zeros and ones."""

    x_train: Any
    y_train: np.ndarray
    x_test: Any
    y_test: np.ndarray

    @property
    def sparse(self) -> bool:
        return sp.issparse(self.x_train)

    def training_rows(self, most: int) -> "Split":
        return self._replace(x_train=self.x_train[:most], y_train=self.y_train[:most])

    def standardised(self) -> "Split":
        """Standardises dense features on the training rows; sparse ones are not changed."""
        if self.sparse:
            return self
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler().fit(self.x_train)
        return self._replace(x_train=scaler.transform(self.x_train), x_test=scaler.transform(self.x_test))

    def about(self) -> dict[str, Any]:
        return {
            "training_rows": len(self.y_train),
            "test_rows": len(self.y_test),
            "features": self.x_train.shape[1],
            "labels": self.y_train.shape[1],
            "sparse": self.sparse,
            "distinct_label_sets": len(np.unique(self.y_train, axis=0)),
            "labels_that_vary": int((self.y_train != self.y_train[0]).any(axis=0).sum()),
        }


def read(folder: Path, name: str, rows: int | None) -> tuple[Split, str]:
    """A set, and how it was split."""
    split = published_split(folder, name)
    how = "as published"
    if split is None:
        split, how = random_split(*whole(folder, name)), f"at random, seed {SEED}"
    if rows is not None:
        split = split.training_rows(rows)
    return split.standardised(), how


def read_folds(folder: Path, name: str) -> tuple[list[Split], str]:
    """The published split, else stratified folds, in each of which other rows are tested; and how it was split."""
    split = published_split(folder, name)
    if split is not None:
        return [split.standardised()], "as published"
    x, y = whole(folder, name)
    fold_of = stratified_folds(y, FOLDS)
    parts = [(fold_of != fold, fold_of == fold) for fold in range(FOLDS)]
    return [Split(x[train], y[train], x[test], y[test]).standardised() for train, test in parts], f"{FOLDS} folds"


def published_split(folder: Path, name: str) -> Split | None:
    import mmoc

    parts = [folder / f"{name}-{part}.arff" for part in ("train", "test")]
    if not all(part.exists() for part in parts):
        return None
    return Split(*mmoc.read(parts[0]), *mmoc.read(parts[1]))


def whole(folder: Path, name: str) -> tuple[Any, np.ndarray]:
    import mmoc

    x, y = mmoc.read(folder / MEKA.get(name, f"{name}.arff"))
    return x, y


def random_split(x: Any, y: np.ndarray) -> Split:
    order = np.random.default_rng(SEED).permutation(len(y))
    train, test = np.split(order, [round(TRAINING_SHARE * len(y))])
    return Split(x[train], y[train], x[test], y[test])


def drawn(*, sparse: bool) -> Split:
    """A small set in which all labels vary."""
    rows, features, labels = DRAWN
    random = np.random.default_rng(SEED)
    x = random.standard_normal((rows, features))
    y = (x @ random.standard_normal((features, labels)) > 0).astype(np.int64)
    if sparse:
        x = sp.csr_matrix(np.where(x > 0, x, 0))
    return Split(x, y, x, y)


def save(split: Split, file: Path) -> None:
    arrays = {"y_train": split.y_train, "y_test": split.y_test}
    for name, x in (("x_train", split.x_train), ("x_test", split.x_test)):
        if split.sparse:
            arrays |= {f"{name}_{part}": getattr(x, part) for part in ("data", "indices", "indptr", "shape")}
        else:
            arrays[name] = x
    np.savez(file, **arrays)


def load(file: Path) -> Split:
    with np.load(file) as stored:
        arrays = dict(stored)

    def features(name: str) -> Any:
        if name in arrays:
            return arrays[name]
        data, indices, indptr, shape = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr", "shape"))
        return sp.csr_matrix((data, indices, indptr), shape=tuple(shape))

    return Split(features("x_train"), arrays["y_train"], features("x_test"), arrays["y_test"])
