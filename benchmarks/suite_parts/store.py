"""The file of all results, and where and with what they were measured."""

import json
import os
import platform
from contextlib import suppress
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import page

RESULTS = page.ROOT / "benchmarks" / "results"
PACKAGES = [
    "mmoc",
    "scikit-learn",
    "scikit-multilearn",
    "xgboost-cpu",
    "mlrl-boomer",
    "numpy",
    "scipy",
    "joblib",
]

Result = dict[str, Any]


def versions() -> dict[str, str]:
    """Of Python and of the packages that this environment has."""
    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


class Store:
    """The file of all results, always complete on disk."""

    def __init__(self, file: Path) -> None:
        self.file = file
        old = json.loads(file.read_text()) if file.exists() else {}
        self.circumstances = {"date": date.today().isoformat(), "machine": page.machine(), "versions": versions()}
        self.document = {"sets": {}, "results": {}} | old | self.circumstances

    def results(self, name: str) -> dict[str, Result]:
        return self.document["results"].setdefault(name, {})

    def keep(self, name: str, key: str, result: Result) -> None:
        """Every result has its own date, machine and versions, since a file may hold results of several days.

        Versions are those of the process that was measured, if it has come so far.
        """
        self.results(name)[key] = self.circumstances | {"load": os.getloadavg()[0]} | result
        self.save()

    def save(self) -> None:
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.document, indent=1) + "\n")
        new.replace(self.file)
