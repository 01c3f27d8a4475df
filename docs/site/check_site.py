"""Checks a built site: every link leads to a page and an anchor that exist, and nothing is loaded from elsewhere.

Usage: python check_site.py FOLDER

The pages of rustdoc in FOLDER/rust are link targets, but are not checked themselves: rustdoc does that.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements whose addresses a browser loads without being asked, and links that it only follows.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
LOADED_RELATIONS = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
IN_STYLE = re.compile(r"@import\s+(?:url\()?[\"']?([^\"';)]+)|url\(\s*[\"']?([^\"')]+)")


class Page(HTMLParser):
    """The anchors of a page, the addresses that it loads, and those that it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        self.loaded += _in_style(found.get("style", ""))
        if address := found.get(LOADED.get(tag, "")):
            self.loaded.append(address)
        if tag == "link" and set(found.get("rel", "").split()) & LOADED_RELATIONS:
            self.loaded.append(found.get("href", ""))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "style":
            self.loaded += _in_style(data)


def _in_style(text: str) -> list[str]:
    return [first or second for first, second in IN_STYLE.findall(text)]


@cache
def parsed(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def faults(folder: Path, path: Path) -> Iterator[str]:
    page = parsed(path)
    for address in page.loaded:
        if not address.startswith("data:"):
            yield from _fault_of_address(path, address, may_leave=False)
    # The page about what is not found has addresses from the root.
    if path.name != "404.html":
        for address in page.links:
            yield from _fault_of_address(path, address, may_leave=True)


def _fault_of_address(path: Path, address: str, *, may_leave: bool) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        if not may_leave:
            yield f"loads {address}"
        return
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if path.name == "404.html":
        return
    if not target.is_file():
        yield f"{address} does not exist"
    elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in parsed(target).anchors:
        yield f"{address} has no such anchor"


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    pages = [path for path in sorted(folder.rglob("*.html")) if folder / "rust" not in path.parents]
    styles = [path for path in sorted(folder.rglob("*.css")) if folder / "rust" not in path.parents]
    found = [f"{path.relative_to(folder)}: {fault}" for path in pages for fault in faults(folder, path)]
    for path in styles:
        addresses = [address for address in _in_style(path.read_text(encoding="utf-8")) if "//" in address[:8]]
        found += [f"{path.relative_to(folder)}: loads {address}" for address in addresses]
    print("\n".join(found) or f"{len(pages)} pages, no broken link, nothing loaded from elsewhere")
    sys.exit(len(pages) == 0 or len(found) > 0)


if __name__ == "__main__":
    main()
