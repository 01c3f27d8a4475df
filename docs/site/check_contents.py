"""Checks that a built site is whole: the reference has everything that is public, and the search needs no server.

Usage: python check_contents.py FOLDER
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import api
from check_site import parsed


def missing_in_reference(folder: Path) -> Iterator[str]:
    """Public names of the Python package, and published libraries in Rust, that the reference does not have."""
    described = parsed(folder / "api/python.html").anchors
    names = [f"{module}.{name}" for module in api.public_modules() for name in api.public_names(module)]
    yield from (f"api/python.html: {name} is missing" for name in names if name not in described)
    for path in sorted(api.ROOT.glob("crates/*/src/lib.rs")):
        package = tomllib.loads((path.parents[1] / "Cargo.toml").read_text(encoding="utf-8"))["package"]
        if package.get("publish") is not False and package["name"].replace("-", "_") not in api.CRATES:
            yield f"api/rust.html: {package['name']} is missing"


def missing_for_search(folder: Path) -> Iterator[str]:
    """What the search needs where pages are opened from a folder: its index as a script, and no worker."""
    index = folder / "search/search_index.js"
    if not index.is_file() or not index.read_text(encoding="utf-8").startswith("var __index = {"):
        yield "search/search_index.js: the index of the search is missing"
    if not any(address.endswith("site/iframe-worker.js") for address in parsed(folder / "index.html").loaded):
        yield "index.html: does not load site/iframe-worker.js"


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    found = [*missing_in_reference(folder), *missing_for_search(folder)]
    print("\n".join(found) or "the reference is whole, and the search needs no server")
    sys.exit(len(found) > 0)


if __name__ == "__main__":
    main()
