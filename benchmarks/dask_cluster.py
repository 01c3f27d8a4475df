"""Training on Dask beside training in one process: equality, overhead, growth, memory, peers, killed workers.

Usage: benchmarks/run dask_cluster WHAT [OPTION…]

WHAT is one of equality, overhead, growth, memory, peers and kills. Each prints a table; with --write it goes into
docs/cluster.md. `benchmarks/run dask_cluster WHAT --help` lists the options. Python is set up with
benchmarks/requirements-dask.txt. Where the packages are already, `python benchmarks/dask_cluster.py - DATA WHAT` does
the same, with the folder of the data sets.

Clusters are processes of this machine, each with a memory limit and its own threads.
"""

import argparse
from pathlib import Path
from types import ModuleType

import page
from dask_parts import equality, growth, kills, memory, overhead, peers

PAGE = page.ROOT / "docs" / "cluster.md"
PARTS: dict[str, ModuleType] = {
    "equality": equality,
    "overhead": overhead,
    "growth": growth,
    "memory": memory,
    "peers": peers,
    "kills": kills,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("binary", help="ignored: benchmarks/run gives the binary of other benchmarks here")
    parser.add_argument("data", type=Path, help="the folder of the data sets")
    parts = parser.add_subparsers(dest="part", required=True, metavar="WHAT")
    for name, module in PARTS.items():
        own = parts.add_parser(name, help=(module.__doc__ or "").split("\n", 1)[0])
        own.add_argument("--write", action="store_true", help="put the table into docs/cluster.md")
        module.add_arguments(own)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    if options.write:
        # The page is looked at before the measurement, which may take hours.
        page.around(PAGE, options.part)
    table = PARTS[options.part].run(options)
    print(table)
    if options.write:
        page.write(PAGE, options.part, table)


if __name__ == "__main__":
    main()
