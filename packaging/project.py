"""What the packages of a release are called. The version comes from Cargo.toml, the names from what cargo binstall
is told in crates/mmoc-cli/Cargo.toml."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = {"tgz": ".tar.gz", "zip": ".zip"}


def manifest(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Project:
    root: Path = ROOT

    @property
    def workspace(self) -> dict[str, Any]:
        return manifest(self.root / "Cargo.toml")["workspace"]

    @property
    def version(self) -> str:
        return self.workspace["package"]["version"]

    @property
    def repository(self) -> str | None:
        return self.workspace["package"].get("repository")

    @property
    def members(self) -> list[str]:
        return self.workspace["members"]

    @property
    def published(self) -> list[str]:
        """The members that are published on crates.io."""
        return [name for name in self.members if self.package(name).get("publish") is not False]

    @property
    def own_dependencies(self) -> dict[str, dict[str, Any]]:
        """The crates of the workspace that others depend on."""
        wanted = self.workspace["dependencies"].items()
        return {name: about for name, about in wanted if isinstance(about, dict) and "path" in about}

    def package(self, member: str) -> dict[str, Any]:
        return manifest(self.root / member / "Cargo.toml")["package"]

    def archive(self, target: str) -> "Archive":
        """The archive of a target."""
        told = self.package("crates/mmoc-cli")["metadata"]["binstall"]
        suffix = SUFFIXES[told.get("overrides", {}).get(target, {}).get("pkg-fmt", told["pkg-fmt"])]
        values = {
            "repo": self.repository or "",
            "version": self.version,
            "target": target,
            "archive-suffix": suffix,
            "bin": "mmoc",
            "binary-ext": ".exe" if "windows" in target else "",
        }
        return Archive(url=filled(told["pkg-url"], values), binary=filled(told["bin-dir"], values), suffix=suffix)


@dataclass(frozen=True)
class Archive:
    """Where cargo binstall looks for an archive, and for the program in it."""

    url: str
    binary: str
    suffix: str

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


def filled(template: str, values: dict[str, str]) -> str:
    """The template with values for `{ name }`."""
    for name, value in values.items():
        template = template.replace(f"{{ {name} }}", value)
    if "{" in template:
        raise ValueError(f"{template}: a name in braces is not known")
    return template
