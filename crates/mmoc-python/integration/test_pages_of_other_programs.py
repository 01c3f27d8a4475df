"""Every code block of pages about other programs does what its page says. `pages.py` explains the marks of blocks."""

import pages
import pytest

ROOT = pages.ROOT
PAGES = [page for page in pages.PAGES if pages.needs_integration(page)]


# Other programs warn about themselves.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_do_what_the_page_says(page, tmp_path):
    pages.run_page(page, tmp_path, ROOT / "target" / "debug" / "mmoc")
