"""Runs the Python examples for the gallery, each in a folder of its own that gets its output and its pictures.

Usage: python run_examples.py FOLDER

An example whose output is newer than itself is not run again: the tests of the package have run it already.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "crates" / "mmoc-python" / "examples"


def is_current(example: Path, output: Path) -> bool:
    return output.exists() and output.stat().st_mtime > example.stat().st_mtime


def run(example: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"MPLBACKEND": "module://png_backend", "PYTHONPATH": str(HERE), "TMPDIR": "."}
    with (folder / "new-output.txt").open("w", encoding="utf-8") as output:
        subprocess.run([sys.executable, example], cwd=folder, env=environment, stdout=output, check=True)
    (folder / "new-output.txt").replace(folder / "output.txt")


def main() -> None:
    for example in sorted(EXAMPLES.glob("*.py")):
        folder = Path(sys.argv[1]) / example.stem
        if not is_current(example, folder / "output.txt"):
            run(example, folder)


if __name__ == "__main__":
    main()
