"""What the site has beyond the pages of docs/: pages of the repository's root, the gallery, the API, and links between
all of them. Pages stay as they are on GitHub; what must differ here, this file changes while the site is built."""

import re
from pathlib import Path
from typing import Any

import api
import gallery
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Pages of the root, and their names in the site.
ROOT_PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "reporting.md"}
# Where links to what is no page lead.
PLACES = {
    "README.md": "index.md",
    "crates/mmoc-python/examples": "gallery/index.md",
    "crates/mmoc/examples": "gallery/index.md",
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def generated_pages() -> dict[str, str]:
    examples = [*gallery.python_examples(), *gallery.rust_examples()]
    pages = {f"gallery/{example.name}.md": gallery.page(example) for example in examples}
    return pages | {"gallery/index.md": gallery.overview()} | api.pages()


def root_pages() -> dict[str, Path]:
    return {name: ROOT / file for file, name in ROOT_PAGES.items() if (ROOT / file).exists()}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    known = {*generated_pages(), *root_pages(), *(page.name for page in DOCS.glob("*.md"))}
    config.nav = _without_missing(config.nav, known)
    return config


def _without_missing(entries: list[Any], known: set[str]) -> list[Any]:
    kept = []
    for entry in entries:
        ((title, target),) = entry.items()
        if isinstance(target, list):
            kept.append({title: _without_missing(target, known)})
        elif target == "gallery/":
            kept.append({title: _gallery()})
        elif target in known:
            kept.append(entry)
    return kept


def _gallery() -> list[Any]:
    languages = {"Python": gallery.python_examples(), "Rust": gallery.rust_examples()}
    uris = {name: [f"gallery/{example.name}.md" for example in found] for name, found in languages.items()}
    return ["gallery/index.md", *({name: found} for name, found in uris.items())]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for uri, text in generated_pages().items():
        files.append(File.generated(config, uri, content=text))
    for uri, path in root_pages().items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for example in gallery.python_examples():
        for picture in example.pictures:
            files.append(File.generated(config, example.picture_uri(picture), abs_src_path=str(picture)))
    for path in sorted(_linked_files([*DOCS.glob("*.md"), *root_pages().values()])):
        files.append(File.generated(config, f"files/{path.relative_to(ROOT)}", abs_src_path=str(path)))
    return files


def _linked_files(pages: list[Path]) -> set[Path]:
    """Files outside of docs/ that pages link to and that are no pages: the site has copies of them."""
    links = ((page, match[3]) for page in pages for match in LINK.finditer(page.read_text(encoding="utf-8")))
    return {path for page, target in links if (path := _file(page, target)) and _place(path).startswith("files/")}


def _file(page: Path, target: str) -> Path | None:
    """The file or folder that a link of a page leads to."""
    path = target.partition("#")[0]
    found = (page.parent / path).resolve()
    return found if path and ":" not in path and found.exists() and found.is_relative_to(ROOT) else None


def _place(path: Path) -> str:
    """Where a file or folder is in the site; nothing for folders that are not there."""
    if path.is_relative_to(DOCS):
        return str(path.relative_to(DOCS))
    name = str(path.relative_to(ROOT))
    if place := ROOT_PAGES.get(name) or PLACES.get(name):
        return place
    return f"files/{name}" if path.is_file() else ""


def on_page_markdown(markdown: str, page: Page, **others: Any) -> str:
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]
    origin = page.file.abs_src_path
    if not origin or page.file.src_uri.startswith(("gallery/", "api/")):
        return markdown

    def in_site(match: re.Match[str]) -> str:
        mark, text, target = match.groups()
        path = _file(Path(origin), target)
        if path is None:
            return match[0]
        place, anchor = _place(path), target.partition("#")[1:]
        return f"{mark}[{text}]({place}{''.join(anchor)})" if place else text

    return LINK.sub(in_site, markdown)


def on_page_content(html: str, **others: Any) -> str:
    """GitHub takes the backslash before a bar in a cell away; Python-Markdown keeps it in code."""
    return re.sub(r"<td[^>]*>.*?</td>", lambda cell: cell[0].replace(r"\|", "|"), html, flags=re.DOTALL)
