"""Packs the program for a target: python3 packaging/archive.py TARGET PROGRAM FOLDER

The archive holds the program, the licences and the README. It is called as cargo binstall expects. The same files make
the same bytes.
"""

import gzip
import io
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from project import Project

BESIDE = ("README.md", "LICENSE-APACHE", "LICENSE-MIT")


def pack(project: Project, target: str, program: Path, folder: Path) -> Path:
    archive = project.archive(target)
    top = PurePosixPath(archive.binary).parent
    files = {archive.binary: (program.read_bytes(), 0o755)}
    files |= {str(top / name): ((project.root / name).read_bytes(), 0o644) for name in BESIDE}
    folder.mkdir(parents=True, exist_ok=True)
    (write_zip if archive.suffix == ".zip" else write_tar)(folder / archive.name, files)
    return folder / archive.name


def write_tar(path: Path, files: dict[str, tuple[bytes, int]]) -> None:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for name, (data, mode) in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            tar.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(plain.getvalue(), mtime=0))


def write_zip(path: Path, files: dict[str, tuple[bytes, int]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            packed.writestr(entry, data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    target, program, folder = sys.argv[1:]
    print(pack(Project(), target, Path(program), Path(folder)))
