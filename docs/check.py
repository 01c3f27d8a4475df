"""Checks the pages of the documentation: links, file names, line lengths and table widths.

Usage: python3 docs/check.py

Every relative link must lead to a file of the repository, and to a heading if it names one. Every path in backticks
that begins with crates/, benchmarks/, docs/, fuzz/ or packaging/ must exist, and so must every other name of a .rs or
.py file.
Lines have at most 120 characters, tables aside; tables have at most six columns.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "crates/mmoc-python/README.md")
PAGES = [*(ROOT / name for name in NAMES), *sorted(ROOT.glob("docs/*.md"))]
LONGEST_LINE = 120
MOST_COLUMNS = 6


def repository_files() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path, text: str) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if target.startswith("https://"):
            continue
        if not file.exists():
            yield f"link to {target}, which does not exist"
        elif anchor and anchor not in anchors(file):
            yield f"link to {target}, which has no such heading"


def unknown_files(text: str, files: list[str]) -> Iterator[str]:
    for code in re.findall(r"`([^`\n]+)`", text):
        word = code.split()[0].rstrip("/,") if code.split() else ""
        if re.match(r"(crates|benchmarks|docs|fuzz|packaging)/", word) and not re.search(r"[*<…]", word):
            if not (ROOT / word).exists():
                yield f"`{word}` does not exist"
        elif re.fullmatch(r"[\w/]+\.(rs|py)", word) and not any(f"/{file}".endswith(f"/{word}") for file in files):
            yield f"no file is called `{word}`"


def wide_parts(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("|---") and line.count("|") - 1 > MOST_COLUMNS:
            yield f"line {number}: a table of {line.count('|') - 1} columns"
        elif len(line) > LONGEST_LINE and not line.startswith("|"):
            yield f"line {number}: {len(line)} characters"


def main() -> None:
    files = repository_files()
    found = 0
    for page in PAGES:
        text = page.read_text()
        for fault in (*broken_links(page, text), *unknown_files(text, files), *wide_parts(text)):
            print(f"{page.relative_to(ROOT)}: {fault}")
            found += 1
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
