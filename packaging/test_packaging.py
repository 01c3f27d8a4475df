"""Tests of the scripts of this folder: python3 -m unittest discover packaging"""

import re
import shutil
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

from archive import pack
from check import faults, release_faults, targets
from project import ROOT, Project

COPIED = ("Cargo.toml", "CITATION.cff", "Dockerfile", "README.md", "CONTRIBUTING.md", "LICENSE-APACHE", "LICENSE-MIT")
FOLDERS = (".github", "docs")


class Copy(unittest.TestCase):
    """A copy of the repository's metadata, to be damaged."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = Project(Path(folder.name))
        for name in COPIED:
            shutil.copy(ROOT / name, self.project.root / name)
        for name in FOLDERS:
            shutil.copytree(ROOT / name, self.project.root / name)
        for member in Project().members:
            self.copy_manifests(member)

    def copy_manifests(self, member):
        to = self.project.root / member
        to.mkdir(parents=True)
        for name in ("Cargo.toml", "pyproject.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT"):
            if (ROOT / member / name).is_file():
                shutil.copy(ROOT / member / name, to / name)

    def change(self, name, pattern, replacement):
        file = self.project.root / name
        changed, count = re.subn(pattern, replacement, file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        self.assertGreater(count, 0)
        file.write_text(changed, encoding="utf-8")


class Checks(Copy):
    def test_what_is_there_agrees(self):
        self.assertEqual(faults(self.project), [])

    def test_every_damage_is_found(self):
        damages = [
            ("CITATION.cff", r"^version: .*", "version: 9.9.9", "CITATION.cff"),
            ("Cargo.toml", r'(mmoc-io = .*version = ")[^"]*', r"\g<1>9.9.9", "dependency mmoc-io"),
            (
                "crates/mmoc/Cargo.toml",
                r"^mmoc-io = .*",
                "mmoc-io.workspace = true",
                "mmoc: the dev-dependency mmoc-io has a version",
            ),
            (
                "crates/mmoc/Cargo.toml",
                r'^(mmoc-experiment = .*experiment")',
                r'\1, version = "0.1.0"',
                "mmoc: the dev-dependency mmoc-experiment has a version",
            ),
            ("docs/packages.md", r"^(1. Choose .*\n.*)`mmoc-serve`", r"\1it", "does not name mmoc-serve"),
            (".github/workflows/ci.yml", r"python-version: .*", 'python-version: "3.13"', "no wheels for Python 3.13"),
            ("crates/mmoc-io/Cargo.toml", r"^version.workspace = true", 'version = "0.1.0"', "mmoc-io: the version"),
            ("crates/mmoc-io/Cargo.toml", r"^description.*", "", "description is missing"),
            ("crates/mmoc-cli/Cargo.toml", r"/mmoc-\{ version \}", "/mmoc-v{ version }", "is called mmoc-v"),
            ("crates/mmoc-cli/Cargo.toml", r"releases/download/v", "releases/download/", "no address of a release"),
            ("crates/mmoc-python/pyproject.toml", r"^dynamic = .*", 'version = "0.1.0"\ndynamic = []', "dynamic"),
            (".github/workflows/release.yml", r"program-target: aarch64-apple-darwin", "x: y", "darwin on aarch64"),
            ("Dockerfile", r"x86_64-unknown-linux-musl/release", "riscv64-linux/release", "Dockerfile"),
            ("README.md", r"\A", "pip install mmoc==9.9.9\n", "README.md: names a package of version 9.9.9"),
        ]
        for name, pattern, replacement, expected in damages:
            with self.subTest(name=name, expected=expected):
                before = (self.project.root / name).read_text(encoding="utf-8")
                self.change(name, pattern, replacement)
                self.assertTrue([fault for fault in faults(self.project) if expected in fault])
                (self.project.root / name).write_text(before, encoding="utf-8")

    def test_a_release_needs_its_tag_and_its_repository(self):
        tag, address = f"v{self.project.version}", "https://example.org/mmoc"
        self.change("Cargo.toml", r"^(version = .*)", rf'\1\nrepository = "{address}"')
        for member in self.project.published:
            self.assertTrue(any(f"{member}: repository is missing" in found for found in faults(self.project)))
            self.change(f"{member}/Cargo.toml", r"^(license.workspace = true)", r"\1\nrepository.workspace = true")
        self.assertEqual(release_faults(self.project, tag, address), [])
        self.assertEqual(len(release_faults(self.project, "v9.9.9", address)), 1)
        self.assertEqual(len(release_faults(self.project, tag, "https://example.org/fork")), 1)
        self.assertTrue(self.project.archive(targets(self.project)[0]).url.startswith(f"{address}/releases/download/"))


class Archives(unittest.TestCase):
    def test_archives_hold_the_program_where_binstall_looks_for_it(self):
        with tempfile.TemporaryDirectory() as name:
            program = Path(name) / "built"
            program.write_bytes(b"program")
            for target in targets(Project()):
                packed = pack(Project(), target, program, Path(name) / "dist")
                self.assertEqual(packed.name, Project().archive(target).name)
                files = contents(packed)
                self.assertEqual(files.pop(Project().archive(target).binary), (b"program", 0o755))
                self.assertEqual({Path(file).name for file in files}, {"README.md", "LICENSE-APACHE", "LICENSE-MIT"})
                self.assertEqual(packed.read_bytes(), pack(Project(), target, program, Path(name)).read_bytes())


def contents(archive):
    """The bytes and the mode of each file."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            return {one.filename: (packed.read(one), one.external_attr >> 16) for one in packed.infolist()}
    with tarfile.open(archive) as packed:
        return {one.name: (packed.extractfile(one).read(), one.mode) for one in packed.getmembers()}


if __name__ == "__main__":
    unittest.main()
