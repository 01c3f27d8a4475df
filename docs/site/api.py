"""The pages of the reference that come from code: Python from docstrings, Rust from rustdoc, the command line from its
help."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "crates" / "mmoc-python" / "python" / "mmoc"
PROGRAM = ROOT / "target" / "debug" / "mmoc"
CRATES = {
    "mmoc": "the method: data sets in memory, training, prediction, metrics, model files",
    "mmoc_io": "files: reading, streaming, writing and converting data sets; public data sets",
    "mmoc_experiment": "experiments: protocols, runs, statistics, tables, the report",
    "mmoc_onnx": "models as ONNX graphs",
    "mmoc_serve": "models behind an HTTP server",
}
# The order of the page. Names of the package that are not here follow under Other.
SECTIONS = {
    "Estimators": [
        "MaxMarginOutputCoding",
        "BinaryRelevance",
        "CanonicalCorrelationCoding",
        "RedundantPrincipalLabelSpaceCoding",
        "PrincipalLabelSpaceCoding",
        "CompressedSensingCoding",
        "CalibratedLabelRanking",
        "Lead",
        "MultiLabelClassifier",
    ],
    "Data and model files": ["read", "Dataset", "load"],
    "Comparisons": ["compare", "ComparisonResult"],
    "Explanations": ["Explanation", "LabelExplanation", "Contribution"],
    "Codes and the max-margin problem": ["OutputCoder", "solve_metric", "MetricSolution", "SolverRecord", "Round"],
    "Plots": ["plot_code", "plot_spectrum", "plot_convergence"],
}
# Modules that are imported by themselves, and their guides.
MODULES = {
    "mmoc.dask": "[Training on Dask](../cluster.md)",
    "mmoc.mlflow": "[MLflow](../mlflow.md)",
    "mmoc.onnx": "[ONNX](../onnx.md)",
}


def pages() -> dict[str, str]:
    return {"api/python.md": python(), "api/rust.md": rust(), "api/command-line.md": command_line()}


def command_line() -> str:
    """The help of the program and of each of its commands."""
    general = _help()
    listed = general.split("\nCommands:\n")[1].split("\n\n")[0]
    commands = [name for name in re.findall(r"^  (\w+) ", listed, re.MULTILINE) if name != "help"]
    parts = ["# Command line", "What `mmoc --help` and `mmoc COMMAND --help` print.", f"```text\n{general}```"]
    for command in commands:
        parts += [f"## mmoc {command}", f"```text\n{_help(command)}```"]
    return "\n\n".join(parts) + "\n"


@cache
def _help(*command: str) -> str:
    return subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, check=True).stdout


def public_modules() -> list[str]:
    """The package and its modules, as far as their names are public."""
    found = (path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file())
    return ["mmoc", *sorted(f"mmoc.{path.stem}" for path in found if not path.name.startswith("_"))]


def public_names(module: str) -> list[str]:
    path = PACKAGE.parent.joinpath(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    listed = source.read_text(encoding="utf-8").split("__all__ = ")[1].partition("]")[0]
    return re.findall(r'"(\w+)"', listed)


def python() -> str:
    public = public_names("mmoc")
    listed = {name for names in SECTIONS.values() for name in names}
    sections = SECTIONS | {"Other": [name for name in public if name not in listed]}
    parts = ["# Python", "Everything that `import mmoc` provides. [The Python package](../python.md) is the guide."]
    for title, names in sections.items():
        if names:
            parts += [f"## {title}", *(f"::: mmoc.{name}" for name in names)]
    for module, guide in MODULES.items():
        parts += [f"## {module}", f"`import {module}`. {guide} is the guide."]
        parts += [f"::: {module}.{name}" for name in public_names(module)]
    return "\n\n".join(parts) + "\n"


def rust() -> str:
    # rustdoc's pages are copied beside the site, so these links are not known to mkdocs. check_site.py checks them.
    links = {crate: f'<a href="../rust/{crate}/index.html"><code>{crate}</code></a>' for crate in CRATES}
    rows = [f"| {links[crate]} | {about} |" for crate, about in CRATES.items()]
    text = "The documentation of the crates, built by rustdoc. [The gallery](../gallery/index.md#rust) has examples."
    return "\n".join(["# Rust", "", text, "", "| crate | what it holds |", "|---|---|", *rows, ""])
