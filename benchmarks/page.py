"""What benchmarks that write into a page of the documentation share."""

import os
import platform
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "docs" / "benchmarks.md"


def machine() -> dict[str, Any]:
    """Without its name."""
    model = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = (line.partition(":") for line in cpuinfo.read_text().splitlines())
        model = next((value.strip() for name, _, value in lines if name.strip() == "model name"), model)
    return {"cores": os.cpu_count(), "cpu": model}


def around(page: Path, name: str) -> tuple[str, str]:
    """What the page has up to the marker of the name and from the closing one on; without them the program ends."""
    text = page.read_text()
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        sys.exit(f"docs/{page.name}: expected one line {begin} and after it one line {end}")
    return text[: text.index(begin) + len(begin)], text[text.index(end) :]


def write(page: Path, name: str, content: str) -> None:
    """Puts the content between the markers of the name."""
    before, after = around(page, name)
    page.write_text(f"{before}\n\n{content.strip()}\n\n{after}")
