"""Checks that all packages have the version of Cargo.toml and the names that others expect.

python3 packaging/check.py               what must hold at any time
python3 packaging/check.py version       prints the version
python3 packaging/check.py release TAG REPOSITORY
                                         what must hold for a release: its tag, and the address of the repository
"""

import re
import sys
from collections.abc import Iterator

from project import Project, manifest

PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "crates/mmoc-python/README.md")
# Names of packages with a version: mmoc==1.2.3, mmoc-1.2.3-x86_64…, mmoc:1.2.3.
PACKAGE_WITH_VERSION = re.compile(r"\bmmoc(?:==|-|:|:v)(\d+\.\d+\.\d+)\b")


def citation(project: Project) -> Iterator[str]:
    text = (project.root / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {project.version}\n" not in text:
        yield f"CITATION.cff: the version is not {project.version}"


def pages(project: Project) -> Iterator[str]:
    for page in (page for pattern in PAGES for page in project.root.glob(pattern)):
        for found in PACKAGE_WITH_VERSION.findall(page.read_text(encoding="utf-8")):
            if found != project.version:
                yield f"{page.relative_to(project.root)}: names a package of version {found}, not {project.version}"


def crates(project: Project) -> Iterator[str]:
    """Published crates have the version of the workspace and say what crates.io asks for."""
    for member in project.published:
        package = project.package(member)
        if package.get("version") != {"workspace": True}:
            yield f"{member}: the version is not that of the workspace"
        for key in ("description", "license", "rust-version", "repository"):
            if key not in package and not (key == "repository" and project.repository is None):
                yield f"{member}: {key} is missing"
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            if not (project.root / member / name).is_file():
                yield f"{member}: {name} is missing"


def dependencies(project: Project) -> Iterator[str]:
    for name, wanted in project.workspace["dependencies"].items():
        if isinstance(wanted, dict) and "path" in wanted and wanted.get("version") != project.version:
            yield f"Cargo.toml: the dependency {name} is not of version {project.version}"


def python_package(project: Project) -> Iterator[str]:
    about = manifest(project.root / "crates/mmoc-python/pyproject.toml")["project"]
    if "version" in about or "version" not in about["dynamic"]:
        yield "pyproject.toml: the version must be that of the crate (dynamic)"


def targets(project: Project) -> list[str]:
    """The targets of the release that programs are packed for."""
    text = (project.root / ".github/workflows/release.yml").read_text(encoding="utf-8")
    return re.findall(r"program-target: (\S+)", text)


def archives(project: Project) -> Iterator[str]:
    """Linux, macOS and Windows on both processors, each with an archive that cargo binstall finds."""
    found = targets(project)
    wanted = {(arch, system) for arch in ("x86_64", "aarch64") for system in ("linux", "darwin", "windows")}
    missing = {(arch, system) for arch, system in wanted if not any(arch in one and system in one for one in found)}
    yield from (f"release.yml: no program for {system} on {arch}" for arch, system in sorted(missing))
    for target in found:
        archive = project.archive(target)
        if not archive.name.startswith(f"mmoc-{project.version}-{target}."):
            yield f"crates/mmoc-cli/Cargo.toml: the archive of {target} is called {archive.name}"
        if f"/releases/download/v{project.version}/" not in archive.url:
            yield f"crates/mmoc-cli/Cargo.toml: {archive.url} is no address of a release"


def image(project: Project) -> Iterator[str]:
    text = (project.root / "Dockerfile").read_text(encoding="utf-8")
    default = re.search(r"^ARG BINARY=target/([^/]+)/release/mmoc$", text, re.MULTILINE)
    if default is None or default[1] not in targets(project):
        yield "Dockerfile: the program of the image is not one of the release"


CHECKS = (citation, pages, crates, dependencies, python_package, archives, image)


def faults(project: Project) -> list[str]:
    return [fault for check in CHECKS for fault in check(project)]


def release_faults(project: Project, tag: str, repository: str) -> list[str]:
    found = faults(project)
    if tag != f"v{project.version}":
        found.append(f"the tag is {tag}, and the version of Cargo.toml is {project.version}")
    if project.repository != repository:
        found.append(f"Cargo.toml: repository is {project.repository}, and the release is made in {repository}")
    return found


def main(arguments: list[str]) -> None:
    project = Project()
    match arguments:
        case ["version"]:
            print(project.version)
        case []:
            sys.exit("\n".join(faults(project)) or 0)
        case ["release", tag, repository]:
            sys.exit("\n".join(release_faults(project, tag, repository)) or 0)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
