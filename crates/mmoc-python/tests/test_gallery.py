"""Every example runs without warnings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
# If warnings are errors, pyparsing enables its own warnings, which the grammars of matplotlib 3.8 trigger. The second
# option disables them.
WARNINGS = ["-Werror", "-Wignore:::pyparsing"]


def run(example, folder, **environment):
    """The output of an example, run in a folder of its own."""
    done = subprocess.run(
        [sys.executable, *WARNINGS, example],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg", "TMPDIR": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example(example, tmp_path):
    assert len(run(example, tmp_path).splitlines()) > 3


def test_examples_are_numbered_in_their_order_and_begin_with_a_story():
    assert [example.name[:3] for example in EXAMPLES] == [f"{k + 1:02}_" for k in range(len(EXAMPLES))]
    for example in EXAMPLES:
        story = example.read_text(encoding="utf-8").split('"""')[1]
        assert len(story.splitlines()) > 3, example.name


def test_model_files_are_exchanged_with_the_program(program, tmp_path):
    (example,) = (example for example in EXAMPLES if example.stem.endswith("model_files"))
    printed = run(example, tmp_path, MMOC_PROGRAM=str(program))
    assert printed.count("identical label sets") == 3
    assert printed.count("identical probabilities") == 2
