"""Accuracy on published splits: the default, binary relevance, and the five decisions of the posterior.

Run it with `benchmarks/run posterior [--sets NAME…] [--seeds S…] [--write]`. Models are trained by `mmoc train` on the
training rows and scored by `mmoc score` on the test rows, which decide nothing. `--write` puts the tables into
docs/posterior.md. CAL500 has no published split: its first 351 rows are trained on.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import page

PAGE = page.ROOT / "docs" / "posterior.md"
SETS = ["emotions", "flags", "scene", "yeast", "medical", "cal500", "bibtex", "delicious"]
DECISIONS = ["subset", "f1", "hamming", "micro-f1", "macro-f1"]
MEASURES = {"f1": "example_f1", "micro-f1": "micro_f1", "macro-f1": "macro_f1"}
TRAINED_OF_CAL500 = 351
#: Data sets whose training takes minutes have the first seed alone.
LARGE = ["delicious"]


class Program:
    """The program, with files of its own."""

    def __init__(self, binary: str, data: Path, folder: Path) -> None:
        self.binary, self.data, self.folder = binary, data, folder

    def parts(self, name: str) -> tuple[Path, Path]:
        if name != "cal500":
            return self.data / f"{name}-train.arff", self.data / f"{name}-test.arff"
        paths = self.folder / "cal500-train.arff", self.folder / "cal500-test.arff"
        if not paths[0].exists():
            head, _, body = (self.data / "cal500.arff").read_text().partition("@data\n")
            rows = [line for line in body.splitlines() if line.strip()]
            for path, own in zip(paths, (rows[:TRAINED_OF_CAL500], rows[TRAINED_OF_CAL500:]), strict=True):
                path.write_text("\n".join([head + "@data", *own, ""]))
                path.with_suffix(".xml").write_bytes((self.data / "cal500.xml").read_bytes())
        return paths

    def run(self, *words: Any) -> dict[str, Any]:
        done = subprocess.run([self.binary, *map(str, words), "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
        return json.loads(done.stdout)

    def train(self, name: str, model: Path, seed: int, *more: str) -> tuple[dict[str, Any], float]:
        train, _ = self.parts(name)
        start = time.perf_counter()
        found = self.run("train", train, "-o", model, "--seed", seed, "--estimates", "never", *more)
        return found, time.perf_counter() - start

    def score(self, name: str, model: Path, *more: str) -> dict[str, Any]:
        return self.run("score", model, self.parts(name)[1], *more)


def measured(program: Program, name: str, seed: int) -> dict[str, Any]:
    """The default with all of its decisions."""
    model = program.folder / "model.mmoc"
    trained, seconds = program.train(name, model, seed)
    found: dict[str, Any] = {decision: program.score(name, model, "--decide", decision) for decision in DECISIONS}
    found["seconds"], found["posterior"] = seconds, trained["posterior"]
    return found


def binary_relevance(program: Program, name: str, seed: int) -> dict[str, Any]:
    """Binary relevance, also among the label sets seen in training; tables show it with the first seed."""
    model, found = program.folder / "model.mmoc", {}
    program.train(name, model, seed, "--method", "br")
    found["br"] = program.score(name, model)
    program.train(name, model, seed, "--method", "br", "--set", "candidates=seen")
    found["br, seen sets"] = program.score(name, model)
    return found


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def number(value: float) -> str:
    return f"{value:.4f}".lstrip("0")


def triple(runs: list[dict[str, Any]], key: str) -> str:
    metrics = ("subset_accuracy", "macro_f1", "micro_f1")
    return "/".join(number(mean([run[key]["metrics"][metric] for run in runs])) for metric in metrics)


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def accuracy(results: dict[str, list[dict[str, Any]]]) -> str:
    rows = [
        [name, triple(runs[:1], "subset"), triple(runs, "subset"), triple(runs[:1], "br"), triple(runs[:1], "br, seen sets")]
        for name, runs in results.items()
    ]
    return table(["", "default", "mean of seeds", "BR", "BR, seen sets"], rows)


def decisions(results: dict[str, list[dict[str, Any]]]) -> str:
    def cell(runs: list[dict[str, Any]], measure: str) -> str:
        values = {decision: runs[0][decision]["metrics"][MEASURES[measure]] for decision in DECISIONS}
        best = max(values.values())
        own = number(values[measure])
        other = max((value, decision) for decision, value in values.items() if decision != measure)
        return f"**{own}**" if values[measure] == best else f"{own} ({other[1]} {number(other[0])})"

    rows = [
        [name, number(runs[0]["subset"]["metrics"]["example_f1"]), *(cell(runs, measure) for measure in MEASURES)]
        for name, runs in results.items()
    ]
    return table(["", "example-F1, `subset`", "example-F1, `f1`", "micro-F1, `micro-f1`", "macro-F1, `macro-f1`"], rows)


def probabilities(results: dict[str, list[dict[str, Any]]]) -> str:
    rows = []
    for name, runs in results.items():
        own, alone = runs[0]["subset"], runs[0]["br"]["metrics"]["log_loss"]
        loss = own["metrics"]["log_loss"]
        rows.append([
            name,
            f"{loss:.4f}",
            f"{alone:.4f}",
            number(own["metrics"]["subset_accuracy"]),
            number(own["mean_confidence"]),
            number(own["calibration_error"]),
        ])  # fmt: skip
    return table(["", "log loss", "of BR", "subset accuracy", "mean confidence", "calibration error"], rows)


def terms(results: dict[str, list[dict[str, Any]]]) -> str:
    rows = []
    for name, runs in results.items():
        record = runs[0]["posterior"]
        weights = ", ".join(f"{term['name']} {term['weight']:.2f}" for term in record["terms"])
        rows.append([name, str(record["sets"]), f"{record['unseen_mass']:.3f}", f"{record['independent_share']:.2f}", weights])
    return table(["", "candidates", "u", "v", "weights"], rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    binary = str(Path(args.binary).with_name("mmoc"))
    results: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Program(binary, args.data, Path(folder))
        for name in args.sets:
            seeds = args.seeds[:1] if name in LARGE else args.seeds
            results[name] = [measured(program, name, seed) for seed in seeds]
            results[name][0] |= binary_relevance(program, name, seeds[0])
            print(name, triple(results[name], "subset"), f"{results[name][0]['seconds']:.1f} s", flush=True)
    tables = [accuracy(results), decisions(results), probabilities(results), terms(results)]
    print("\n\n".join(tables))
    if args.write:
        for name, content in zip(("accuracy", "decisions", "probabilities", "terms"), tables, strict=True):
            page.write(PAGE, name, content)


if __name__ == "__main__":
    main()
