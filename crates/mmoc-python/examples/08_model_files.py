"""Model files, pickles, and the command line.

A model file contains numbers and names but no code. Unlike a pickle, it is safe to load from an untrusted source. The
program `mmoc` reads and writes the same files. A model can be trained in Python and used in a shell script, or the
other way round: both have the same default parameters. Pickles and joblib files contain the model file and the
parameters.

The environment variable MMOC_PROGRAM or the PATH gives the program. Without it the last part is skipped.
"""

import os
import pickle
import shutil
import subprocess
import tempfile
from pathlib import Path

import joblib
import mmoc
import numpy as np
import pandas as pd
from sklearn.datasets import make_multilabel_classification


def table(rows):
    """Features and labels with names."""
    X, Y = make_multilabel_classification(rows, n_features=8, n_classes=4, allow_unlabeled=False, random_state=0)
    features, labels = [f"word {k}" for k in range(8)], ["news", "sports", "culture", "weather"]
    return pd.DataFrame(X, columns=features), pd.DataFrame(Y, columns=labels)


def same(one, other):
    """Whether predictions are equal to the last bit."""
    return "identical" if np.array_equal(one, other) else "different"


def exchange(program, model, X, Y, new, folder):
    """Predicts with our model in the program, and with a model of the program here."""
    new.to_csv(folder / "new.csv", index=False)
    command = [program, "predict", folder / "texts.mmoc", folder / "new.csv", "--proba", "-o", folder / "found.csv"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    found = np.loadtxt(folder / "found.csv", delimiter=",", skiprows=1)
    print(f"`mmoc predict` with our model: {same(found, model.predict_proba(new))} probabilities")

    pd.concat([X, Y], axis=1).to_csv(folder / "texts.csv", index=False)
    command = [program, "train", folder / "texts.csv", "--labels", "-4", "--method", "max-margin"]
    command += ["-o", folder / "trained.mmoc"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    trained = mmoc.load(folder / "trained.mmoc")
    print(f"a model of `mmoc train` here:  {same(trained.predict_proba(new), model.predict_proba(new))} probabilities")


def main():
    X, Y = table(400)
    X, Y, new = X[:300], Y[:300], X[300:]
    model = mmoc.MaxMarginOutputCoding().fit(X, Y)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model.save(folder / "texts.mmoc")
        joblib.dump(model, folder / "texts.joblib")
        size = (folder / "texts.mmoc").stat().st_size
        copies = {
            f"a model file of {size} bytes": mmoc.load(folder / "texts.mmoc"),
            "a joblib file": joblib.load(folder / "texts.joblib"),
            "a pickle": pickle.loads(pickle.dumps(model)),
        }
        for what, copy in copies.items():
            print(f"{what:30} {same(copy.predict(new), model.predict(new))} label sets")
        print("labels in the file:           ", ", ".join(mmoc.load(folder / "texts.mmoc").label_names_))

        (folder / "damaged.mmoc").write_bytes((folder / "texts.mmoc").read_bytes()[:-1])
        try:
            mmoc.load(folder / "damaged.mmoc")
        except ValueError as error:
            print("a damaged file is refused:    ", str(error).removeprefix(f"{folder}{os.sep}"))

        program = os.environ.get("MMOC_PROGRAM") or shutil.which("mmoc")
        if program is None:
            print("skipped the exchange with the program: it is neither in MMOC_PROGRAM nor on the PATH")
        else:
            exchange(program, model, X, Y, new, folder)


if __name__ == "__main__":
    main()
