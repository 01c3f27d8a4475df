"""Ridge regression by factorisation and by iteration: processor seconds and peak memory above the data, by size.

Every point is a process of its own with two threads. Processor seconds of all threads, since machines are busy; they
include drawing the data, at most half a second. Factorisations that would take minutes are left out. The last column
is the choice of `auto`.

Usage: benchmarks/run ridge [--write]

With --write the tables go to docs/base-learners.md, between <!-- ridge --> and <!-- /ridge -->.
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
HEAD_OF_SIZES = """| case | features | n | p | stored | targets |
|---|---|---|---|---|---|"""
HEAD_OF_COSTS = """| case | factorisation | iteration | steps | auto |
|---|---|---|---|---|"""


def run(program: str, way: str, size: tuple) -> dict:
    before = processor_seconds()
    found = subprocess.run([program, way, *map(str, size)], check=True, capture_output=True, text=True)
    return json.loads(found.stdout) | {"seconds": processor_seconds() - before}


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def lines(program: str, case: int, size: tuple) -> tuple[str, str]:
    """A row of the table of sizes, and one of the table of costs."""
    kind, rows, columns, _, targets = size
    iterated = run(program, "iterative", size)
    both = min(rows, columns) <= LARGEST_FACTORISED
    exact = run(program, "factorisation", size) if both else None
    record = iterated["record"]
    assert record["converged"] == record["regressions"], record
    sizes = [case, kind, spaced(rows), spaced(columns), spaced(iterated["stored"]), targets]
    steps = record["steps"] / targets / 6
    costs = [case, cost(exact), cost(iterated), f"{steps:.0f}", run(program, "auto", size)["way"]]
    return row(sizes), row(costs)


def cost(found: dict | None) -> str:
    return f"{found['seconds']:.2f} s, {found['memory_mib']} MiB" if found else ""


def row(cells: list) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    program, arguments = sys.argv[1], sys.argv[3:]
    sizes, costs = [HEAD_OF_SIZES], [HEAD_OF_COSTS]
    for case, size in enumerate(SIZES, 1):
        for table, line in zip((sizes, costs), lines(program, case, size), strict=True):
            table.append(line)
            print(line, flush=True)
    if "--write" in arguments:
        between = re.compile("(<!-- ridge -->\n).*(<!-- /ridge -->)", re.DOTALL)
        tables = "\n".join([*sizes, "", *costs])
        PAGE.write_text(between.sub(lambda found: f"{found[1]}{tables}\n{found[2]}", PAGE.read_text()))


if __name__ == "__main__":
    main()
