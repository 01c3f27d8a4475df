"""The checks of the documentation site find what they are for."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[3] / "docs" / "site" / "check_site.py"
OTHER = '<h1 id="there">Other</h1>'
FAULTS = {
    '<a href="nowhere.html">': "nowhere.html does not exist",
    '<a href="other.html#nowhere">': "other.html#nowhere has no such anchor",
    '<a href="#nowhere">': "#nowhere has no such anchor",
    '<img src="nowhere.png">': "nowhere.png does not exist",
    '<script src="https://example.org/a.js"></script>': "loads https://example.org/a.js",
    '<link rel="stylesheet" href="//example.org/a.css">': "loads //example.org/a.css",
    "<style>@import url(https://example.org/a.css)</style>": "loads https://example.org/a.css",
    '<p style="background: url(https://example.org/a.png)">': "loads https://example.org/a.png",
}


def check(folder, page):
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "other.html").write_text(OTHER, encoding="utf-8")
    return subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("page", "fault"), FAULTS.items())
def test_faults_are_found(page, fault, tmp_path):
    done = check(tmp_path, page)
    assert (done.returncode, done.stdout) == (1, f"index.html: {fault}\n")


def test_styles_load_nothing(tmp_path):
    (tmp_path / "a.css").write_text("p { background: url(https://example.org/a.png) }", encoding="utf-8")
    assert check(tmp_path, "").stdout == "a.css: loads https://example.org/a.png\n"


def test_links_elsewhere_and_to_anchors_are_allowed(tmp_path):
    page = '<p id="a"><a href="#a">, <a href="other.html#there">, <a href="https://example.org">, <a href="other.html">'
    assert check(tmp_path, page).returncode == 0


def test_a_folder_without_pages_is_a_fault(tmp_path):
    assert subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, check=False).returncode == 1
