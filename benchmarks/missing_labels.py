"""Training with missing labels: scores with a share of the training labels removed at random, beside complete labels.

Run it with `benchmarks/run missing_labels`. With `--variants` it compares ways to fill in missing labels instead, on
training rows alone: labels are removed from two thirds of them, and the other third is scored.
"""

import argparse

import mmoc
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

SHARES = (0.1, 0.3, 0.5)


def dense(dataset):
    X, Y = dataset
    return np.asarray(X.todense() if hasattr(X, "todense") else X), np.asarray(Y, dtype=float)


def removed(Y, share, seed):
    known = np.random.default_rng(seed).random(Y.shape) >= share
    return np.where(known, Y, np.nan)


def scores(truth, predicted):
    averages = ("macro", "micro")
    f1 = [f1_score(truth, predicted, average=average, zero_division=0) for average in averages]
    return [accuracy_score(truth, predicted), *f1]


def row(name, values, base=None):
    cells = [f"{value:.4f}" + ("" if base is None else f" ({value - other:+.4f})") for value, other in zip(values, base or values)]
    return f"| {name} | " + " | ".join(cells) + " |"


def published(data, names, seeds):
    for name in names:
        (X, Y), (X_test, Y_test) = (dense(mmoc.read(f"{data}/{name}-{part}.arff")) for part in ("train", "test"))
        complete = scores(Y_test, mmoc.MaxMarginOutputCoding().fit(X, Y).predict(X_test))
        print(f"\n**{name}**\n\n| removed | subset accuracy | macro-F1 | micro-F1 |\n|---|---|---|---|")
        print(row("nothing", complete))
        for share in SHARES:
            found = []
            for seed in seeds:
                model = mmoc.MaxMarginOutputCoding(missing_labels="ignore").fit(X, removed(Y, share, seed))
                found.append(scores(Y_test, model.predict(X_test)))
            print(row(f"{share:.0%}", list(np.mean(found, axis=0)), complete), flush=True)


def out_of_fold(X, Y):
    found = np.zeros(Y.shape)
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        for label in range(Y.shape[1]):
            own = train[~np.isnan(Y[train, label])]
            found[test, label] = Y[own, label].mean()
            if 0 < Y[own, label].mean() < 1:
                model = LogisticRegression(C=0.02, max_iter=200).fit(X[own], Y[own, label])
                found[test, label] = model.predict_proba(X[test])[:, 1]
    return found


def given_other_labels(expected, Y):
    known = ~np.isnan(Y)
    errors = np.where(known, Y - expected, 0.0)
    covariance = errors.T @ errors / np.maximum(known.T.astype(float) @ known, 1)
    covariance += 0.02 * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    values, vectors = np.linalg.eigh(covariance)
    covariance = (vectors * np.maximum(values, 1e-3 * values.max())) @ vectors.T
    found = expected.copy()
    for i, own in enumerate(known):
        if own.any() and not own.all():
            solved = np.linalg.solve(covariance[np.ix_(own, own)], errors[i, own])
            found[i, ~own] += covariance[np.ix_(~own, own)] @ solved
    return found.clip(0, 1)


def above(threshold, expected, Y):
    return np.where(np.isnan(Y), expected > threshold, Y)


def by_frequency(expected, Y):
    filled = Y.copy()
    for label in range(Y.shape[1]):
        rows = np.flatnonzero(np.isnan(Y[:, label]))
        order = rows[np.argsort(-expected[rows, label], kind="stable")]
        filled[rows, label] = 0
        filled[order[: round(expected[rows, label].sum())], label] = 1
    return filled


def variants(data, names, seeds):
    for name in names:
        X, Y = dense(mmoc.read(f"{data}/{name}-train.arff"))
        found = {}
        for seed in seeds:
            order = np.random.default_rng(seed).permutation(len(X))
            train, test = order[: 2 * len(X) // 3], order[2 * len(X) // 3 :]
            scaler = StandardScaler().fit(X[train])
            X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
            holes = removed(Y[train], 0.3, seed)
            alone = out_of_fold(X_train, holes)
            joint = given_other_labels(alone, holes)
            filled = {
                "complete labels": Y[train],
                "missing labels as 0": np.nan_to_num(holes),
                "features alone, above .5": above(0.5, alone, holes),
                "and other labels, above .5": above(0.5, joint, holes),
                "and other labels, above .3": above(0.3, joint, holes),
                "and other labels, as frequent as expected": by_frequency(joint, holes),
            }
            for way, labels in filled.items():
                model = mmoc.MaxMarginOutputCoding().fit(X_train, labels)
                found.setdefault(way, []).append(scores(Y[test], model.predict(X_test)))
        print(f"\n**{name}**\n\n| filled in by | subset accuracy | macro-F1 | micro-F1 |\n|---|---|---|---|")
        for way, values in found.items():
            print(row(way, list(np.mean(values, axis=0))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="not used")
    parser.add_argument("data")
    parser.add_argument("--sets", nargs="+", default=["yeast", "emotions", "scene"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--variants", action="store_true")
    args = parser.parse_args()
    (variants if args.variants else published)(args.data, args.sets, args.seeds)


if __name__ == "__main__":
    main()
