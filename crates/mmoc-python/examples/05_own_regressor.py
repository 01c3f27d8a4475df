"""Any regressor between encoding and decoding.

The methods of the package predict codewords by linear regression. An OutputCoder is only the code: it encodes label
sets as codewords and decodes predicted codewords. Any regressor can predict them.

Places lie in one of five rings around the centre of a town. From the third ring on they have a sixth label. Linear
models cannot separate rings. A random forest classifier can, but neighbouring rings overlap. Often no ring has a
probability above one half, and the forest predicts none.

- TransformedTargetRegressor encodes and decodes around any regressor. A code need not be invertible, so check_inverse
  must be False. All entries of a codeword have the same weight, which improves little.
- Called directly, decode also takes the noise of each entry, here from the out-of-bag errors of the forest. The entry
  for "exactly one ring" has little noise, so most label sets get a ring.
"""

import numpy as np
from mmoc import BinaryRelevance, OutputCoder
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import accuracy_score
from sklearn.neighbors import KNeighborsRegressor

FOREST = {"n_estimators": 100, "min_samples_leaf": 5, "random_state": 0}


def places(rows, seed):
    """Coordinates, and the rings they are in. One in fifty labels is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    ring = np.digitize(np.hypot(*X.T) + 0.25 * rng.normal(size=rows), [0.6, 1.0, 1.4, 1.9])
    labels = np.column_stack([np.eye(5)[ring] == 1, ring >= 2])
    return X, (labels ^ (rng.random(labels.shape) < 0.02)).astype(int)


def wrapped(regressor):
    """A regressor of the principal components of the labels, which predicts label sets."""
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

    print("subset accuracy, and share of label sets without a ring")
    report("binary relevance, linear", BinaryRelevance().fit(X, Y).predict(X_test))
    report("random forest classifier", RandomForestClassifier(**FOREST).fit(X, Y).predict(X_test))
    report("code with nearest neighbours", wrapped(KNeighborsRegressor(15)).fit(X, Y).predict(X_test))
    report("code with a random forest", wrapped(RandomForestRegressor(**FOREST)).fit(X, Y).predict(X_test))
    report("the same, decoded with noise", decoded_with_noise(X, Y, X_test))


if __name__ == "__main__":
    main()
