"""Drawn data: features and label sets, and max-margin problems."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.fft import dct

SEED = 2012
TOPICS = 20
TOPIC_SHARE = 0.05  # of the columns
TOPIC_BOOST = 8.0  # factor on the probability of its columns
COLUMNS_A_LABEL = 10
FACTORS = 10
LABELS_A_ROW = 3.0
# bibtex's most frequent label is 25 times as frequent as its rarest.
LABEL_SKEW = 25.0
LEAST_ROWS_A_LABEL = 4

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer[Any]]
Labels = npt.NDArray[np.uint8]


def frequencies(q: int) -> Floats:
    """The frequency of each label: decreasing, at most one half, three labels per row if possible."""
    shape = 1 / (np.arange(q) + q / (LABEL_SKEW - 1))
    wanted = min(LABELS_A_ROW, q / 4)
    shares = shape / shape.sum() * wanted
    for _ in range(50):
        shares = np.minimum(shares * wanted / shares.sum(), 0.5)
    return shares


def label_sets(scores: Floats) -> Labels:
    """Gives each label to the highest-scoring rows, as many as its frequency."""
    n, q = scores.shape
    labels = np.zeros((n, q), dtype=np.uint8)
    for label, share in enumerate(frequencies(q)):
        count = min(max(round(share * n), LEAST_ROWS_A_LABEL), n // 2)
        labels[np.argpartition(-scores[:, label], count)[:count], label] = 1
    return labels


def standardised(scores: Floats) -> Floats:
    return (scores - scores.mean(axis=0)) / (scores.std(axis=0) + 1e-12)


def rows_of_words(draws: np.random.Generator, log_weights: Floats, topics: Integers, s: int) -> Integers:
    """Draws s distinct columns for each row by weight: the s largest weights with Gumbel noise."""
    p = log_weights.shape[1]
    rows_at_once = max(1, 2_000_000 // p)
    blocks = []
    for start in range(0, len(topics), rows_at_once):
        keys = log_weights[topics[start : start + rows_at_once]]
        keys = keys + draws.gumbel(size=keys.shape)
        blocks.append(np.sort(np.argpartition(-keys, s - 1, axis=1)[:, :s], axis=1).astype(np.int32))
    return np.concatenate(blocks)


def draw_sparse(n: int, p: int, s: int, q: int) -> tuple[Any, Labels]:
    draws = np.random.default_rng(SEED)
    of_topic = draws.random((TOPICS, p)) < TOPIC_SHARE
    log_weights = math.log(TOPIC_BOOST) * of_topic - np.log(1.0 + np.arange(p))
    topics = draws.integers(TOPICS, size=n)
    columns = rows_of_words(draws, log_weights, topics, min(s, p))
    offsets = np.arange(n + 1, dtype=np.int32) * columns.shape[1]
    x = sp.csr_matrix((np.ones(columns.size), columns.ravel(), offsets), shape=(n, p))
    # A label depends on columns of its topic, or on any others if these are too few.
    topic_of_label = draws.integers(TOPICS, size=q)
    weights = np.zeros((p, q))
    for label, topic in enumerate(topic_of_label):
        chances = 0.01 + of_topic[topic]
        some = draws.choice(p, size=min(COLUMNS_A_LABEL, p), replace=False, p=chances / chances.sum())
        weights[some, label] = 0.5 + draws.random(len(some))
    scores = standardised(x @ weights) + (topics[:, None] == topic_of_label) + draws.normal(size=(n, q))
    return x, label_sets(scores)


def draw_dense(n: int, p: int, q: int) -> tuple[Floats, Labels]:
    draws = np.random.default_rng(SEED)
    axes = draws.normal(size=(n, p)) / np.sqrt(1 + np.arange(p))
    # A cosine transform is a rotation; random signs before it mix the axes.
    x = dct(axes * draws.choice([-1.0, 1.0], size=p), norm="ortho", axis=1)
    x = np.ascontiguousarray(x * math.sqrt(p / np.sum(1 / (1 + np.arange(p)))))
    factors = standardised(axes[:, :FACTORS])
    scores = standardised(factors @ draws.normal(size=(factors.shape[1], q))) + draws.normal(size=(n, q))
    return x, label_sets(scores)


def draw_metric(n: int, q: int) -> tuple[Floats, Labels, Floats]:
    """Regressed labels, labels and log-odds, with noise.

    Labels come in groups. The groups of a row are easy to predict, the label within a group is not: sums over groups
    are what a metric of the labels can exploit.
    """
    draws = np.random.default_rng(SEED)
    groups = min(TOPICS, q // 2)
    of_label = np.arange(q) % groups
    takes_part = logistic(3 * draws.normal(size=(n, groups)) + 2 * math.log(LABELS_A_ROW / groups))
    chances = np.exp(draws.normal(size=(n, q))) / (1 + np.arange(q) // groups)
    labels = np.zeros((n, q), dtype=np.uint8)
    for group in range(groups):
        own = of_label == group
        chances[:, own] /= chances[:, own].sum(axis=1, keepdims=True)
        below = draws.random((n, 1)) < np.cumsum(chances[:, own], axis=1)
        active = draws.random(n) < takes_part[:, group]
        labels[np.flatnonzero(active), np.flatnonzero(own)[below[active].argmax(axis=1)]] = 1
    means = np.clip(takes_part[:, of_label] * chances, 1e-4, 1 - 1e-4)
    overall = labels.mean(axis=0)
    noise = 0.1 * np.sqrt(overall * (1 - overall)) * draws.normal(size=(n, q))
    regressed = 0.8 * means + 0.2 * overall + noise
    log_odds = np.log(means / (1 - means)) + draws.normal(size=(n, q))
    return regressed, labels, log_odds


def logistic(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-values))
