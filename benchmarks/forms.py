"""Which combination of terms is best, and which rule of choosing one: cross-validation on training rows.

Run it with `benchmarks/run forms [--sets NAME…] [--seeds S…] [--write]`. The training rows of a published split are
dealt into five folds. On each, the default is trained, which records the held-out score and likelihood of every form
that it tried, and then each form by itself, which is scored on the rows of the fold. So every rule of choosing among
the forms can be compared on rows that nothing was learnt from. Forms with linear terms and radial basis functions at
once cannot be asked for by themselves and are left out of the rules. `--write` puts the table into docs/posterior.md.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import page

PAGE = page.ROOT / "docs" / "posterior.md"
SETS = ["emotions", "flags", "scene", "yeast", "medical"]
FOLDS = 5

Form = dict[str, Any]

#: Each rule gets the forms, and those whose score is within one standard error of the best.
RULES: dict[str, Callable[[list[Form], list[Form]], Form]] = {
    "simplest good": lambda forms, good: good[0],
    "best score": lambda forms, good: max(forms, key=lambda form: form["score"]),
    "likeliest": lambda forms, good: max(forms, key=lambda form: form["log_likelihood"]),
    "likeliest good": lambda forms, good: max(good, key=lambda form: form["log_likelihood"]),
}


class Folds:
    """The training rows of a data set, as files of each fold."""

    def __init__(self, data: Path, name: str) -> None:
        self.name, self.xml = name, (data / f"{name}.xml").read_bytes()
        text = (data / f"{name}-train.arff").read_text(errors="surrogateescape")
        begin = text.index("\n", text.lower().index("@data")) + 1
        self.head = text[:begin]
        self.rows = [line for line in text[begin:].splitlines() if line.strip() and not line.startswith("%")]

    def write(self, folder: Path, seed: int, fold: int) -> tuple[Path, Path]:
        order = np.random.default_rng(seed).permutation(len(self.rows))
        held_out = np.array_split(order, FOLDS)[fold]
        parts = {"train": np.setdiff1d(order, held_out), "test": np.sort(held_out)}
        (folder / f"{self.name}.xml").write_bytes(self.xml)
        paths = tuple(folder / f"{self.name}-{part}.arff" for part in parts)
        for path, rows in zip(paths, parts.values(), strict=True):
            path.write_text(self.head + "\n".join(self.rows[row] for row in rows) + "\n", errors="surrogateescape")
        return paths[0], paths[1]


def run(binary: str, *words: Any) -> dict[str, Any]:
    done = subprocess.run([binary, *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return json.loads(done.stdout)


def settings(form: Form) -> list[str] | None:
    """What asks for a form by itself; none if linear terms and radial basis functions are together."""
    names = form["terms"]
    mapped = [name.removesuffix("-rbf") for name in names if name.endswith("-rbf")]
    if mapped and "labels" in names:
        return None
    plain = [name.removesuffix("-rbf") for name in names if not name.removesuffix("-rbf") == "rest"]
    return ["--set", f"terms={'+'.join(plain)}", "--set", f"base.features={'rbf' if mapped else 'linear'}"]


def measured(binary: str, train: Path, test: Path, seed: int) -> dict[str, float]:
    """The subset accuracy of the default, of each form and of each rule on a fold."""
    model = train.with_name("model.mmoc")

    def accuracy(*more: str) -> tuple[float, dict[str, Any]]:
        trained = run(binary, "train", train, "-o", model, "--seed", seed, "--estimates", "never", *more)
        return run(binary, "score", model, test)["metrics"]["subset_accuracy"], trained["posterior"]

    default, record = accuracy()
    forms = [form for form in record["forms"] if settings(form)]
    alone = {"+".join(form["terms"]): accuracy(*(settings(form) or []))[0] for form in forms}
    best = max(form["score"] for form in forms)
    good = [form for form in forms if best - form["score"] <= form["stderr"] or form["score"] == best]
    rules = {name: alone["+".join(rule(forms, good)["terms"])] for name, rule in RULES.items()}
    return {"default": default} | rules | alone


def table(found: dict[str, list[dict[str, float]]]) -> str:
    rows = list(dict.fromkeys(row for folds in found.values() for fold in folds for row in fold))
    lines = [["subset accuracy", *found], ["---"] * (len(found) + 1)]
    for row in rows:
        cells = []
        for folds in found.values():
            values = [fold[row] for fold in folds if row in fold]
            # A form that was not tried on every fold is not comparable.
            complete = len(values) == len(folds)
            cells.append(f"{np.mean(values):.4f}".lstrip("0") if complete else "")
        if any(cells):
            lines.append([row, *cells])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    binary = str(Path(args.binary).with_name("mmoc"))
    found: dict[str, list[dict[str, float]]] = {}
    for name in args.sets:
        folds = Folds(args.data, name)
        found[name] = []
        for seed in args.seeds:
            for fold in range(FOLDS):
                with tempfile.TemporaryDirectory() as folder:
                    train, test = folds.write(Path(folder), seed, fold)
                    found[name].append(measured(binary, train, test, seed))
        print(name, {rule: round(float(np.mean([fold[rule] for fold in found[name]])), 4) for rule in RULES}, flush=True)
    print(table(found))
    if args.write:
        page.write(PAGE, "forms", table(found))


if __name__ == "__main__":
    main()
