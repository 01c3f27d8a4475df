"""Every code block of the documentation does what its page says. `pages.py` explains the marks of blocks."""

import pages
import pytest

# Those that need other programs are tested in `integration`, and the page about Python by `test_documentation.py`,
# which also runs with older releases.
PAGES = [page for page in pages.PAGES if not pages.needs_integration(page) and page.stem != "python"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_do_what_the_page_says(page, tmp_path, monkeypatch, program):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    pages.run_page(page, tmp_path, program)


def run(tmp_path, program, *lines):
    """Runs a page with these lines."""
    page, folder = tmp_path / "page.md", tmp_path / "folder"
    page.write_text("\n".join([*lines, ""]), encoding="utf-8")
    folder.mkdir(exist_ok=True)
    pages.run_page(page, folder, program)


def fenced(language, *lines):
    return [f"```{language}", *lines, "```"]


FAULTS = {
    "other output": [*fenced("python", "print(1)"), "", *fenced("text", "2")],
    "a failing command": fenced("sh", "false"),
    "a failing command of a pipe": fenced("sh", "false | cat"),
    "an exception": fenced("python", "1 / 0"),
    "other output of a command": fenced("console", "$ echo 1", "2"),
    "a console without a command": fenced("console", "1"),
    "output of nothing": fenced("text", "1"),
    "text between a block and its output": [*fenced("python", "print(1)"), "", "Then", "", *fenced("text", "1")],
    "an unknown language": fenced("yaml", "a: 1"),
    "no language": fenced("", "a: 1"),
    "an indented block": ["Text", "", "    code"],
    "no reason": ["<!-- not run: -->", *fenced("sh", "false")],
    "code that is nowhere": fenced("rust", "let nothing_is_called_like_this = 0;"),
    "a server that ends": ["<!-- background -->", *fenced("sh", "echo on; exit 1"), "", *fenced("sh", "sleep 0.5")],
}


@pytest.mark.parametrize("lines", FAULTS.values(), ids=FAULTS)
def test_faults_are_found(lines, tmp_path, program):
    with pytest.raises(pages.BlockError, match=r"^page\.md:\d+: "):
        run(tmp_path, program, *lines)


def test_blocks_share_files_names_and_servers(tmp_path, program):
    read = "from pathlib import Path; text = Path('a.txt').read_text()"
    serve = "python -u -m http.server 0 --bind 127.0.0.1 2>&1 | tee log.txt"
    parts = [
        ["<!-- file: a.txt -->", *fenced("csv", "1,2")],
        fenced("python", read),
        [*fenced("python", "print(text, end='')"), "", *fenced("text", "1,…")],
        ["<!-- background -->", *fenced("sh", serve)],
        [*fenced("sh", "grep -c port log.txt"), "", *fenced("text", "1")],
        ["- An item", "", "      of two lines"],
        ["<!-- not run: no need -->", *fenced("yaml", "a: 1")],
        fenced("console", "$ mmoc inspect", "error: …", "$ echo 1", "1"),
        fenced("math", "x^2"),
    ]
    run(tmp_path, program, *(line for part in parts for line in [*part, ""]))
