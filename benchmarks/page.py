"""Helpers of the benchmarks that write into documentation pages."""

import os
import platform
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "docs" / "benchmarks.md"


def machine() -> dict[str, Any]:
    """Processor and number of cores, without the host name."""
    model = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = (line.partition(":") for line in cpuinfo.read_text().splitlines())
        model = next((value.strip() for name, _, value in lines if name.strip() == "model name"), model)
    return {"cores": os.cpu_count(), "cpu": model}


def around(page: Path, name: str) -> tuple[str, str]:
    """The page up to the opening marker and from the closing marker on; exits if they are missing."""
    text = page.read_text()
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        sys.exit(f"docs/{page.name}: expected one line {begin} and after it one line {end}")
    return text[: text.index(begin) + len(begin)], text[text.index(end) :]


def write(page: Path, name: str, content: str) -> None:
    """Replaces the text between the markers."""
    before, after = around(page, name)
    page.write_text(f"{before}\n\n{content.strip()}\n\n{after}")
