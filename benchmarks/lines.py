"""Counts the lines of the source code without tests, per crate and for groups of files, at one or more revisions.

Usage: python3 benchmarks/lines.py [--write] [--files GROUP] [REVISION ...]

Without arguments it compares 28a07a4, the last commit before the crates were split, with HEAD, as the table in
docs/architecture.md does; `--write` puts the table there. `--files GROUP` lists the files of a group instead.

Counted are the lines of .rs and .py files under crates/*/src and crates/mmoc-python/python, with comments and without
blank lines. Left out are tests/ and examples/ folders, items under #[cfg(test)], and modules declared under it.
"""

import argparse
import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import PurePosixPath

import page

BEFORE = "28a07a4"
CRATES = ["mmoc", "mmoc-io", "mmoc-experiment", "mmoc-cli", "mmoc-python"]
SOURCES = ["crates/*/src/*.rs", "crates/mmoc-python/python/*.py"]

# Files of crates/mmoc/src/data that are not about files.
DATA_TYPES = [
    *("mod.rs", "attribute.rs", "conversions.rs", "csr.rs", "dataset.rs", "features.rs", "frame.rs", "labels.rs"),
    *("matrix.rs", "nominal.rs", "schema.rs", "summary.rs", "preprocessing/*", "split/*", "synthetic/*"),
]

# In each group, patterns for the layout before the split and after it; * also matches /. A leading ! leaves files out.
GROUPS = {
    "reading and writing files": [
        "crates/mmoc/src/data/*",
        *(f"!crates/mmoc/src/data/{name}" for name in DATA_TYPES),
        "crates/mmoc/src/whole_file.rs",
        "crates/mmoc-io/src/*",
        "!crates/mmoc-io/src/synthetic/*",
        "!crates/mmoc-io/src/datasets/*",
        "!crates/mmoc-io/src/catalogue*",
    ],
    "of these, Parquet and Arrow": [
        "crates/mmoc/src/data/parquet/*",
        "crates/mmoc/src/data/write/parquet/*",
        "crates/mmoc-io/src/*parquet*",
        "crates/mmoc-io/src/*arrow*",
    ],
    "decoders with their wrappers": [
        "crates/mmoc/src/decode/*",
        "crates/mmoc/src/method/*decoder*.rs",
        "crates/mmoc/src/method/model.rs",
        "crates/mmoc/src/method/predictor.rs",
        "crates/mmoc/src/method/coded.rs",
        "crates/mmoc/src/method/calibrated_ranking.rs",
        "crates/mmoc/src/method/lead/decoder.rs",
        "crates/mmoc/src/model.rs",
        "crates/mmoc/src/model_file/*",
        "crates/mmoc/src/train/mod.rs",
        "crates/mmoc-python/src/coder.rs",
    ],
    "summaries and manifests": [
        "crates/mmoc-cli/src/summary/*",
        "crates/mmoc-cli/src/experiment/manifest.rs",
        "crates/mmoc-cli/src/experiment/record.rs",
        "crates/mmoc-cli/src/evaluate/*",
        "crates/mmoc-cli/src/evaluate.rs",
        "crates/mmoc-experiment/src/summary/*",
        "crates/mmoc-experiment/src/experiment/manifest.rs",
        "crates/mmoc-experiment/src/experiment/record.rs",
        "crates/mmoc-experiment/src/text/evaluation.rs",
    ],
}


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=page.ROOT, capture_output=True, text=True, check=True).stdout


def sources(revision: str) -> dict[str, str]:
    """The text of each source file of a revision, by path."""
    paths = git("ls-tree", "-r", "--name-only", revision, "crates").splitlines()
    paths = [path for path in paths if any(fnmatch(path, pattern) for pattern in SOURCES)]
    request = "".join(f"{revision}:{path}\n" for path in paths)
    answer = subprocess.run(
        ["git", "cat-file", "--batch"], cwd=page.ROOT, input=request.encode(), capture_output=True, check=True
    ).stdout
    texts = {}
    for path in paths:
        head, _, answer = answer.partition(b"\n")
        size = int(head.split()[-1])
        texts[path], answer = answer[:size].decode(), answer[size + 1 :]
    return texts


def without_tests(lines: list[str]) -> Iterator[str]:
    """The lines outside of items under #[cfg(test)]; an item ends as rustfmt ends it."""
    position = 0
    while position < len(lines):
        if lines[position].strip() != "#[cfg(test)]":
            yield lines[position]
            position += 1
            continue
        end = f"{lines[position][: -len('#[cfg(test)]')]}}}"
        position += 1
        while lines[position].lstrip().startswith("#"):
            position += 1
        if not lines[position].endswith((";", "}")):
            while lines[position] not in (end, f"{end};"):
                position += 1
        position += 1


def test_modules(path: str, text: str) -> Iterator[str]:
    """Patterns of the files of modules that a file declares under #[cfg(test)]."""
    file = PurePosixPath(path)
    folder = file.parent if file.stem in ("mod", "lib", "main") else file.parent / file.stem
    for name in re.findall(r"^#\[cfg\(test\)\]\n(?:#.*\n)*(?:pub.* )?mod (\w+);", text, re.MULTILINE):
        yield f"{folder}/{name}.rs"
        yield f"{folder}/{name}/*"


def counts(revision: str) -> dict[str, int]:
    """The number of lines of each file that is not a test."""
    texts = sources(revision)
    tests = [pattern for path, text in texts.items() for pattern in test_modules(path, text)]
    return {
        path: sum(1 for line in without_tests(text.splitlines()) if line.strip())
        for path, text in texts.items()
        if not any(fnmatch(path, pattern) for pattern in tests)
    }


def in_group(path: str, patterns: list[str]) -> bool:
    chosen = any(fnmatch(path, pattern) for pattern in patterns if not pattern.startswith("!"))
    return chosen and not any(fnmatch(path, pattern[1:]) for pattern in patterns if pattern.startswith("!"))


def table(revisions: list[str]) -> str:
    found = [counts(revision) for revision in revisions]

    def row(name: str, chosen) -> str:
        cells = [sum(lines for path, lines in files.items() if chosen(path)) for files in found]
        return f"| {name} | " + " | ".join(f"{cell:,}" if cell else "" for cell in cells) + " |"

    head = ["| lines without tests | " + " | ".join(f"`{revision}`" for revision in revisions) + " |"]
    head.append("|---" + "|---:" * len(revisions) + "|")
    crates = [row(f"`crates/{crate}`", lambda path: path.startswith(f"crates/{crate}/")) for crate in CRATES]
    groups = [row(name, lambda path: in_group(path, patterns)) for name, patterns in GROUPS.items()]
    return "\n".join([*head, *crates, row("all crates", lambda path: True), *groups])


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts lines of source code without tests.")
    parser.add_argument("revisions", nargs="*", default=[BEFORE, "HEAD"], metavar="REVISION")
    parser.add_argument("--files", choices=GROUPS, metavar="GROUP", help=f"list the files of: {', '.join(GROUPS)}")
    parser.add_argument("--write", action="store_true", help="put the table into docs/architecture.md")
    options = parser.parse_args()
    if options.files is None:
        counted = table(options.revisions)
        print(counted)
        if options.write:
            page.write(page.ROOT / "docs" / "architecture.md", "lines", counted)
        return
    for revision in options.revisions:
        for path, lines in counts(revision).items():
            if in_group(path, GROUPS[options.files]):
                print(f"{revision} {lines:5} {path}")


if __name__ == "__main__":
    main()
