"""First steps: fit, predict whole label sets, and compare with one classifier per label.

A photo shows one place: a room, a street, a beach or a forest. All places but the room are outdoors. There may be
people. So only a few of the 64 sets of six labels are possible. Whether a photo shows a beach depends on whether it
shows a street. One in a hundred labels is missing.

One classifier per label ignores these dependencies. If it is unsure about the place, no place has a probability above
one half, and it predicts no place at all. Maximum margin output coding learns the dependencies from the labels and
predicts whole label sets. The picture compares its confidence with the share of predictions that are right.
"""

import matplotlib.pyplot as plt
import numpy as np
from mmoc import BinaryRelevance, MaxMarginOutputCoding
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, hamming_loss
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier

LABELS = np.array(["room", "street", "beach", "forest", "outdoors", "people"])
PLACES = slice(0, 4)


def photos(rows, seed=0):
    """Noisy features of photos, and their labels. One in a hundred labels is missing."""
    rng = np.random.default_rng(seed)
    place = rng.integers(4, size=rows)
    people = rng.random(rows) < np.array([0.8, 0.6, 0.4, 0.1])[place]
    shown = np.column_stack([np.eye(4)[place], place > 0, people])
    X = shown @ rng.normal(size=(6, 12)) + 2 * rng.normal(size=(rows, 12))
    return X, (shown * (rng.random(shown.shape) > 0.01)).astype(int)


def draw_confidence(confidence, right):
    """The share of photos that are predicted correctly, for ten groups of increasing confidence."""
    groups = np.array_split(np.argsort(confidence), 10)
    figure, ax = plt.subplots(figsize=(4.5, 4), layout="constrained")
    ax.plot([0, 1], [0, 1], color="grey", linewidth=1)
    ax.plot([confidence[group].mean() for group in groups], [right[group].mean() for group in groups], "o-")
    ax.set(xlabel="confidence in the predicted set", ylabel="share of predictions that are right")


def main():
    X, Y = photos(2300)
    X_train, X_test, Y_train, Y_test = train_test_split(X, Y, train_size=300, random_state=0)

    model = MaxMarginOutputCoding().fit(X_train, Y_train)
    print("the first test photos, and the probability that the whole prediction is right")
    first = zip(Y_test[:5], model.predict(X_test[:5]), model.predict_confidence(X_test[:5]), strict=True)
    for true, predicted, confidence in first:
        names = ", ".join(LABELS[predicted == 1])
        print(f"  true {', '.join(LABELS[true == 1]):25} predicted {names:25} {confidence:.2f}")

    print("\nsubset accuracy, Hamming loss, and share of photos predicted without a place")
    for other in (model, BinaryRelevance(), OneVsRestClassifier(LogisticRegression())):
        predicted = other.fit(X_train, Y_train).predict(X_test)
        nowhere = np.mean(predicted[:, PLACES].sum(axis=1) == 0)
        scores = accuracy_score(Y_test, predicted), hamming_loss(Y_test, predicted), nowhere
        print(f"  {type(other).__name__:22} {scores[0]:.3f} {scores[1]:.3f} {scores[2]:.3f}")

    print("\nestimates from held-out predictions of the training rows")
    for metric in ("subset_accuracy", "hamming_loss"):
        print(f"  {metric:22} {model.estimates_[metric]:.3f}")

    draw_confidence(model.predict_confidence(X_test), (model.predict(X_test) == Y_test).all(axis=1))
    plt.show()


if __name__ == "__main__":
    main()
