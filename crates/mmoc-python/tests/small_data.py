"""Small data files with the names that pages of the documentation use."""

from pathlib import Path

import numpy as np


def write(folder: Path) -> None:
    """Writes all files. The same bytes every time."""
    rng = np.random.default_rng(0)
    songs, new_songs = table(rng, 60, 4, 3), table(rng, 20, 4, 3)
    files = {"songs.csv": csv(songs), "new-songs.csv": csv(new_songs), "visits.csv": visits(rng, 40)}
    files["new-visits.csv"] = visits(rng, 5)
    files["broken.csv"] = "tempo,loud,mood_calm\n90,0.2,1\n140,0.9,maybe\n"
    files["songs.jsonl"] = json_lines(new_songs)
    for name, rows in (("emotions", 310), ("flags", 90)):
        files |= mulan(name, {name: table(rng, rows, 3, 2)})
    train, test = table(rng, 80, 5, 3), table(rng, 30, 5, 3)
    files |= mulan("scene", {"scene-train": train, "scene-test": test})
    files["theirs.csv"] = csv((test[0][5:], test[1][:, 5:]))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def table(rng: np.random.Generator, rows: int, features: int, labels: int) -> tuple[list[str], np.ndarray]:
    """Names and cells: features, then labels of 0 and 1 that depend on them."""
    X = rng.normal(size=(rows, features)).round(2)
    Y = X[:, :labels] - X[:, 1 : labels + 1] + 0.7 * rng.normal(size=(rows, labels)) > 0.3
    names = [f"x{k + 1}" for k in range(features)] + [f"mood_{k + 1}" for k in range(labels)]
    return names, np.hstack([X, Y])


def lines(cells: np.ndarray) -> list[str]:
    return [",".join(f"{number:g}" for number in row) for row in cells]


def csv(data: tuple[list[str], np.ndarray]) -> str:
    return "\n".join([",".join(data[0]), *lines(data[1]), ""])


def json_lines(data: tuple[list[str], np.ndarray]) -> str:
    names, cells = data
    rows = (", ".join(f'"{name}": {number:g}' for name, number in zip(names, row, strict=True)) for row in cells)
    return "".join(f"{{{row}}}\n" for row in rows)


def mulan(name: str, parts: dict[str, tuple[list[str], np.ndarray]]) -> dict[str, str]:
    """ARFF files, and the label file that they share."""
    names = next(iter(parts.values()))[0]
    labels = "".join(f'<label name="{label}"/>' for label in names if label.startswith("mood_"))
    files = {f"{name}.xml": f'<labels xmlns="http://mulan.sourceforge.net/labels">{labels}</labels>\n'}
    kinds = ["{0,1}" if label.startswith("mood_") else "numeric" for label in names]
    header = [f"@attribute {column} {kind}" for column, kind in zip(names, kinds, strict=True)]
    for part, (_, cells) in parts.items():
        files[f"{part}.arff"] = "\n".join(["@relation small", *header, "@data", *lines(cells), ""])
    return files


def visits(rng: np.random.Generator, rows: int) -> str:
    """A table with everything that needs an option: names of rows, dates, words, missing cells, tags."""
    found = ["visit,when,ward,age,tags"]
    for row in range(1, rows + 1):
        age, cold = int(rng.integers(20, 90)), rng.random() < 0.5
        tags = ";".join(tag for tag, has in (("flu", age > 50), ("cold", cold)) if has)
        shown = "NA" if row % 10 == 2 else age
        found.append(f"v{row:03},2024-03-{row % 28 + 1:02},{'east' if cold else 'west'},{shown},{tags}")
    return "\n".join([*found, ""])
