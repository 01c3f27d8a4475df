"""The pages of the gallery: a page for each example with its story, pictures, output and source."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON_EXAMPLES = ROOT / "crates" / "mmoc-python" / "examples"
RUST_EXAMPLES = ROOT / "crates" / "mmoc" / "examples"
# What docs/site/run_examples.py, or the tests of the package, have run.
RESULTS = ROOT / "target" / "gallery"


@dataclass(frozen=True)
class Example:
    file: Path
    language: str
    story: str
    source: str

    @property
    def name(self) -> str:
        """Of the page: without the number that orders Python examples."""
        return re.sub(r"^\d+_", "", self.file.stem).replace("_", "-")

    @property
    def heading(self) -> str:
        title = re.sub(r"^\d+_", "", self.file.stem).replace("_", " ")
        return (title[0].upper() + title[1:]).replace("max margin", "max-margin")

    @property
    def summary(self) -> str:
        return self.story.split("\n\n")[0].replace("\n", " ")

    @property
    def results(self) -> Path:
        return RESULTS / self.file.stem

    @property
    def pictures(self) -> list[Path]:
        return sorted(self.results.rglob("*.png"))

    def picture_uri(self, picture: Path) -> str:
        return f"gallery/{self.name}-{picture.name}"


def python_examples() -> list[Example]:
    return [_python(file) for file in sorted(PYTHON_EXAMPLES.glob("*.py"))]


def rust_examples() -> list[Example]:
    return [_rust(file) for file in sorted(RUST_EXAMPLES.glob("*.rs"))]


def _python(file: Path) -> Example:
    text = file.read_text(encoding="utf-8")
    module = ast.parse(text)
    lines = text.splitlines()[module.body[0].end_lineno :]
    return Example(file, "python", ast.get_docstring(module) or "", "\n".join(lines).strip())


def _rust(file: Path) -> Example:
    lines = file.read_text(encoding="utf-8").splitlines()
    story = [line.removeprefix("//!").removeprefix(" ") for line in lines if line.startswith("//!")]
    code = "\n".join(line for line in lines if not line.startswith("//!")).split("\n#[test]")[0]
    return Example(file, "rust", "\n".join(story), code.strip())


def page(example: Example) -> str:
    """The page of an example as Markdown."""
    command = f"`{example.file.relative_to(ROOT)}`"
    parts = [f"# {example.heading}", example.story]
    parts += [_picture(f"{example.heading}: picture {k}", f"{example.name}-{p.name}") for k, p in _numbered(example)]
    if example.language == "python":
        output = (example.results / "output.txt").read_text(encoding="utf-8")
        parts += ["## Output", f"```text\n{output}```"]
    parts += ["## Source", command, f"```{example.language}\n{example.source}\n```"]
    return "\n\n".join(parts) + "\n"


def _numbered(example: Example) -> Iterator[tuple[int, Path]]:
    return enumerate(example.pictures, 1)


def _picture(alternative: str, file: str) -> str:
    """A picture that leads to itself, so that it can be seen larger."""
    return f"[![{alternative}]({file})]({file})"


def overview() -> str:
    """The first page of the gallery."""
    introduction = (
        "Complete programs that make their own data. The tests run each of them. The pages of Python examples show what "
        "they print and draw."
    )
    parts = ["# Gallery", introduction, "## Python", *_cards(python_examples()), "## Rust", *_cards(rust_examples())]
    return "\n\n".join(parts) + "\n"


def _cards(examples: list[Example]) -> list[str]:
    return ['<div class="grid cards" markdown>', "\n".join(_card(example) for example in examples), "</div>"]


def _card(example: Example) -> str:
    link = f"-   **[{example.heading}]({example.name}.md)**"
    pictures = [f"    ![]({example.name}-{picture.name})" for picture in example.pictures[:1]]
    return "\n\n".join([link, f"    {example.summary}", *pictures]) + "\n"
