"""Any regressor between encoding and decoding.

The methods of the package regress codewords linearly. An OutputCoder is the code by itself: it turns label sets into
codewords, and predicted codewords into label sets. What predicts them is anyone's choice.

Places lie in one of five rings around the centre of a town, and carry a sixth label from the third ring on. Linear
models see nothing of rings. A forest that classifies sees them, but neighbouring rings blur: often no ring is likelier
than one half, and it names none.

- TransformedTargetRegressor encodes and decodes around any regressor. Its check_inverse must be off, as a code need not
  be invertible. All entries of a codeword count the same, which gains little.
- By hand, decoding also learns how far each entry can be trusted: from the errors of the forest on rows that its trees
  did not see. That there is one ring is then an entry that is almost always right, and many sets without one get it.
"""

import numpy as np
from mmoc import BinaryRelevance, OutputCoder
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import accuracy_score
from sklearn.neighbors import KNeighborsRegressor

FOREST = {"n_estimators": 100, "min_samples_leaf": 5, "random_state": 0}


def places(rows, seed):
    """Coordinates, and the rings they are in; one label in fifty is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    ring = np.digitize(np.hypot(*X.T) + 0.25 * rng.normal(size=rows), [0.6, 1.0, 1.4, 1.9])
    labels = np.column_stack([np.eye(5)[ring] == 1, ring >= 2])
    return X, (labels ^ (rng.random(labels.shape) < 0.02)).astype(int)


def wrapped(regressor):
    """A regressor of principal components of the labels that predicts label sets."""
    return TransformedTargetRegressor(regressor, transformer=OutputCoder("pca"), check_inverse=False)


def decoded_with_noise(X, Y, X_new):
    """Label sets from a forest of principal components, weighted by its out-of-bag errors."""
    coder = OutputCoder("pca", decoder="joint")
    codewords = coder.fit_transform(Y)
    forest = RandomForestRegressor(oob_score=True, **FOREST).fit(X, codewords)
    noise = np.mean((forest.oob_prediction_ - codewords) ** 2, axis=0)
    return coder.decode(forest.predict(X_new), noise=noise)


def main():
    X, Y = places(600, seed=0)
    X_test, Y_test = places(1000, seed=1)

    def report(name, predicted):
        ringless = np.mean(predicted[:, :5].sum(axis=1) == 0)
        print(f"  {name:37} {accuracy_score(Y_test, predicted):.3f} {ringless:.3f}")

    print("share of whole sets right, and of sets without a ring")
    report("binary relevance, linear", BinaryRelevance().fit(X, Y).predict(X_test))
    report("a forest that classifies", RandomForestClassifier(**FOREST).fit(X, Y).predict(X_test))
    report("a code by nearest neighbours", wrapped(KNeighborsRegressor(15)).fit(X, Y).predict(X_test))
    report("a code by a forest", wrapped(RandomForestRegressor(**FOREST)).fit(X, Y).predict(X_test))
    report("the same, decoded with its noise", decoded_with_noise(X, Y, X_test))


if __name__ == "__main__":
    main()
