"""Text: sparse features in, sparse label sets out.

Messages to a shop are about a delivery, a payment or an account. A refund is also about a payment. A changed address is
about a delivery and an account. So there are five possible label sets. The messages are short and contain other words,
so single labels are often uncertain.

TF-IDF turns the messages into a CSR matrix, and MultiLabelBinarizer makes a sparse label matrix. The estimator uses
both without conversion. Its predictions are sparse, like the labels.
"""

import numpy as np
from mmoc import BinaryRelevance, MaxMarginOutputCoding
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MultiLabelBinarizer

WORDS = {
    ("delivery",): "parcel courier late lost depot tracking door",
    ("payment",): "card invoice charged twice bank amount receipt",
    ("account",): "password login email profile locked settings name",
    ("payment", "refund"): "money back return charged amount broken card",
    ("delivery", "account"): "address moved house parcel profile door settings",
}
FILLERS = [
    "hello",
    "please",
    "today",
    "again",
    "help",
    "still",
    "order",
    "week",
    "since",
    "item",
    "shop",
    "online",
    "waiting",
    "thanks",
    "asked",
    "nobody",
]


def messages(count, seed=0):
    """Texts of two telling words, two of any topic and some that say nothing, and their label sets."""
    rng = np.random.default_rng(seed)
    topics, all_words = list(WORDS), " ".join(WORDS.values()).split()
    texts, labels = [], []
    for topic in rng.integers(len(topics), size=count):
        telling = WORDS[topics[topic]].split()
        words = [*rng.choice(telling, 2), *rng.choice(all_words, 2), *rng.choice(FILLERS, 4)]
        texts.append(" ".join(rng.permutation(words)))
        labels.append(topics[topic])
    return texts, labels


def main():
    texts, labels = messages(1600)
    train_texts, test_texts, train_labels, test_labels = train_test_split(texts, labels, train_size=400, random_state=0)
    vectorizer, binarizer = TfidfVectorizer(), MultiLabelBinarizer(sparse_output=True)
    X, Y = vectorizer.fit_transform(train_texts), binarizer.fit_transform(train_labels)
    X_test, Y_test = vectorizer.transform(test_texts), binarizer.transform(test_labels)
    print(f"X is {X.format} {X.shape} with {X.nnz} entries, Y is {Y.format} {Y.shape} with {Y.nnz}")

    model = MaxMarginOutputCoding().fit(X, Y)
    predicted = model.predict(X_test)
    print(f"predictions are {predicted.format} {predicted.shape}\n")
    for text, found in list(zip(test_texts, binarizer.inverse_transform(predicted), strict=True))[:4]:
        print(f"  {text}\n    {', '.join(found)}")

    print("\n                         subset accuracy  micro-F1")
    for other in (model, BinaryRelevance().fit(X, Y)):
        predicted = other.predict(X_test)
        scores = accuracy_score(Y_test, predicted), f1_score(Y_test, predicted, average="micro")
        print(f"  {type(other).__name__:22} {scores[0]:15.3f} {scores[1]:9.3f}")


if __name__ == "__main__":
    main()
