"""The documentation is correct: docs/python.md, the README and the docstrings."""

import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import subprocess
from pathlib import Path

import mmoc
import pytest
from mmoc._load import ESTIMATORS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
# A block of Python, and the block with its output if there is one.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
# Modules that need MLflow are tested where it is installed, in `integration`.
WITHOUT_MLFLOW = [found.name for found in pkgutil.iter_modules(mmoc.__path__) if "mlflow" not in found.name]
MODULES = ["mmoc", *(f"mmoc.{name}" for name in WITHOUT_MLFLOW)]


def rows_of_table(heading):
    """The cells of the table in a section of the page, without the header."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_blocks_of_the_page_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == PAGE.count("```python")
    assert sum(shown != "" for _, shown in blocks) == PAGE.count("```text")
    names = {}
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/python.md", "exec"), names)
        assert printed.getvalue() == shown, code


def test_the_block_of_the_readme_runs(real_data, program, tmp_path, monkeypatch):
    for name in ("scene-train.arff", "scene.xml"):
        (tmp_path / name).symlink_to(real_data.resolve() / name)
    monkeypatch.chdir(tmp_path)
    ((code, _),) = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["model"].solver_.relative_gap <= 1e-6
    predict = [program, "predict", "scene.mmoc", "scene-train.arff", "-o", "predicted.csv"]
    subprocess.run(predict, check=True, capture_output=True)


def test_the_table_of_estimators_is_complete():
    def row(estimator):
        numbers = ["yes" if hasattr(estimator, name) else "" for name in ("predict_proba", "decision_function")]
        return [f"`{estimator.__name__}`", f"`{estimator._method}`", *numbers]

    shown = [cells[:2] + cells[3:] for cells in rows_of_table("Estimators")]
    assert shown == [row(estimator) for estimator in ESTIMATORS]


def test_the_table_of_attributes_is_complete(data):
    shown = {name for cells in rows_of_table("Fitted attributes") for name in re.findall(r"`(\w+_)`", cells[0])}
    fitted = [estimator().fit(*data) for estimator in ESTIMATORS]
    found = {name for model in fitted for name in dir(model) if re.fullmatch(r"[a-z]\w*[a-z]_", name)}
    # Arrays have no feature names.
    assert shown == found | {"feature_names_in_"}


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings(module):
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0


def test_estimators_have_examples(estimator):
    assert any(example.examples for example in doctest.DocTestFinder(recurse=False).find(estimator))


def test_documented_parameters_are_the_signature(estimator):
    section = estimator.__doc__.split("Parameters\n----------\n")[1].split("\nAttributes\n")[0]
    documented = re.findall(r"^(\w+) : default=(.*)$", section, re.MULTILINE)
    signature = inspect.signature(estimator).parameters.values()
    assert documented == [(parameter.name, repr(parameter.default)) for parameter in signature]
    described = re.split(r"^\w+ : .*$", section, flags=re.MULTILINE)[1:]
    assert all(text.strip().endswith(".") for text in described)


@pytest.mark.parametrize("function", [mmoc.OutputCoder, mmoc.compare, mmoc.solve_metric, mmoc.read])
def test_parameters_documented_by_hand_are_the_signature(function):
    section = function.__doc__.split("Parameters\n")[1].split("\n\n")[0]
    documented = re.findall(r"^ *(\w+) : ", section, re.MULTILINE)
    assert documented == list(inspect.signature(function).parameters)


def members(thing):
    """The public methods and properties that our classes define."""
    classes = [base for base in getattr(thing, "__mro__", ()) if base.__module__.startswith("mmoc")]
    kinds = (property, classmethod, type(members))
    parts = {key: part for base in classes for key, part in vars(base).items() if isinstance(part, kinds)}
    return {key: part for key, part in parts.items() if not key.startswith("_")}


@pytest.mark.parametrize("name", mmoc.__all__)
def test_public_names_are_documented(name):
    thing = getattr(mmoc, name)
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}("), "a dataclass without a docstring gets its signature for one"
    assert [key for key, part in members(thing).items() if not part.__doc__] == []
