"""Every example runs without warnings."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# The backend of the documentation site, which saves figures to the working folder.
PICTURES = {"MPLBACKEND": "module://png_backend", "PYTHONPATH": str(ROOT / "docs" / "site")}
EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
# If warnings are errors, pyparsing enables its own warnings, which the grammars of matplotlib 3.8 trigger. The second
# option disables them.
WARNINGS = ["-Werror", "-Wignore:::pyparsing"]


def run(example, folder, **environment):
    """The output of an example, run in a folder of its own."""
    done = subprocess.run(
        [sys.executable, *WARNINGS, example],
        cwd=folder,
        env=os.environ | PICTURES | {"TMPDIR": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example(example, tmp_path):
    printed = run(example, tmp_path)
    assert len(printed.splitlines()) > 3
    shows = "plt.show()" in example.read_text(encoding="utf-8")
    assert any(tmp_path.glob("picture-*.png")) == shows
    if gallery := os.environ.get("MMOC_GALLERY"):
        keep(printed, tmp_path, Path(gallery) / example.stem)


def keep(printed, folder, kept):
    """Keeps output and pictures for the documentation site."""
    kept.mkdir(parents=True, exist_ok=True)
    for picture in folder.glob("picture-*.png"):
        shutil.copy(picture, kept)
    (kept / "output.txt").write_text(printed, encoding="utf-8")


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
