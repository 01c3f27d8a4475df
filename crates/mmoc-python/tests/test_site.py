"""The checks of the documentation site find what they are for."""

import subprocess
import sys
from pathlib import Path

import pytest

SITE = Path(__file__).parents[3] / "docs" / "site"
CHECK = SITE / "check_site.py"
CHECK_CONTENTS = SITE / "check_contents.py"
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


def test_what_the_reference_and_the_search_lack_is_found(tmp_path):
    check(tmp_path, "")
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "python.html").write_text('<h2 id="mmoc.compare">', encoding="utf-8")
    done = subprocess.run([sys.executable, CHECK_CONTENTS, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    found = done.stdout.splitlines()
    assert "api/python.html: mmoc.dask.MaxMarginOutputCoding is missing" in found
    assert "search/search_index.js: the index of the search is missing" in found
    assert "index.html: does not load site/iframe-worker.js" in found
    assert not [line for line in found if "mmoc.compare" in line]
