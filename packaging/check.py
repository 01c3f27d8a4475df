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
# What crates/mmoc-python/requirements/oldest.txt has wheels for.
PYTHONS_OF_OLDEST = ("3.11", "3.12")


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
    for name, wanted in project.own_dependencies.items():
        if wanted.get("version") != project.version:
            yield f"Cargo.toml: the dependency {name} is not of version {project.version}"


def dev_dependencies(project: Project) -> Iterator[str]:
    """Crates of the workspace that only tests need have no version: the crate could not be published before them."""
    for member in project.published:
        crate = manifest(project.root / member / "Cargo.toml")
        for name, wanted in crate.get("dev-dependencies", {}).items():
            is_for_tests_alone = name in project.own_dependencies and name not in crate["dependencies"]
            if is_for_tests_alone and wanted.keys() & {"version", "workspace"}:
                yield f"{member}: the dev-dependency {name} has a version, and must be a path alone"


def release_steps(project: Project) -> Iterator[str]:
    """The page names all places in which a version must be changed."""
    text = (project.root / "docs/packages.md").read_text(encoding="utf-8")
    step = re.search(r"^1\. Choose the version\..*?(?=^2\.)", text, re.MULTILINE | re.DOTALL)
    for name in project.own_dependencies:
        if step is None or f"`{name}`" not in step[0]:
            yield f"docs/packages.md: the step that changes the version does not name {name}"


def python_of_tests(project: Project) -> Iterator[str]:
    text = (project.root / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    for found in re.findall(r"python-version: \"(.*)\"", text):
        if found not in PYTHONS_OF_OLDEST:
            yield f"ci.yml: the oldest supported releases have no wheels for Python {found}"


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


CHECKS = (
    citation,
    pages,
    crates,
    dependencies,
    dev_dependencies,
    release_steps,
    python_of_tests,
    python_package,
    archives,
    image,
)


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
