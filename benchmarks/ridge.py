"""Ridge regression by factorisation and by iteration: processor seconds and peak memory beyond the data, over some sizes.

Every point is a process of its own, with two threads. Processor seconds of all threads, because machines are busy; drawing the data
counts among them, half a second at most. What would take minutes is not factorised. The last column says which way `auto` takes.

Usage: benchmarks/run ridge [--write]

With --write the table goes to docs/base-learners.md, between <!-- ridge --> and <!-- /ridge -->.
"""

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

SIZES = [
    ("zipf", 2_000, 1_000, 30, 5),
    ("uniform", 5_000, 2_000, 20, 5),
    ("zipf", 5_000, 2_000, 30, 5),
    ("zipf", 5_000, 2_000, 30, 50),
    ("zipf", 10_000, 4_000, 30, 5),
    ("dense", 20_000, 300, 0, 5),
    ("zipf", 20_000, 10_000, 30, 5),
    ("zipf", 50_000, 20_000, 30, 5),
]
LARGEST_FACTORISED = 5_000
PAGE = Path("docs/base-learners.md")
HEAD = """| features | n | p | stored | targets | factorisation, s | MiB | iteration, s | MiB | steps | auto |
|---|---|---|---|---|---|---|---|---|---|---|"""


def run(program: str, way: str, size: tuple) -> dict:
    before = processor_seconds()
    found = subprocess.run([program, way, *map(str, size)], check=True, capture_output=True, text=True)
    return json.loads(found.stdout) | {"seconds": processor_seconds() - before}


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def line(program: str, size: tuple) -> str:
    kind, rows, columns, _, targets = size
    iterated = run(program, "iterative", size)
    both = min(rows, columns) <= LARGEST_FACTORISED
    exact = run(program, "factorisation", size) if both else None
    record = iterated["record"]
    steps = record["steps"] / targets / 6
    cells = [kind, spaced(rows), spaced(columns), spaced(iterated["stored"]), targets]
    cells += [f"{exact['seconds']:.2f}", exact["memory_mib"]] if exact else ["", ""]
    cells += [f"{iterated['seconds']:.2f}", iterated["memory_mib"], f"{steps:.0f}"]
    cells.append(run(program, "auto", size)["way"])
    assert record["converged"] == record["regressions"], record
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    program, arguments = sys.argv[1], sys.argv[3:]
    lines = [HEAD]
    for size in SIZES:
        lines.append(line(program, size))
        print(lines[-1], flush=True)
    if "--write" in arguments:
        between = re.compile("(<!-- ridge -->\n).*(<!-- /ridge -->)", re.DOTALL)
        table = "\n".join(lines)
        PAGE.write_text(between.sub(lambda found: f"{found[1]}{table}\n{found[2]}", PAGE.read_text()))


if __name__ == "__main__":
    main()
