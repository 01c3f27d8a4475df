"""Memory of this process, and of those that it started, from /proc."""

import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

KB = 1024
PROC = Path("/proc")


def status(process: int | str = "self") -> dict[str, int]:
    """The fields of /proc/…/status that are sizes, in bytes; none if the process has gone, or without /proc."""
    sizes = {}
    with suppress(OSError):
        for line in (PROC / str(process) / "status").read_text().splitlines():
            name, _, value = line.partition(":")
            if value.endswith(" kB"):
                sizes[name] = KB * int(value.split()[0])
    return sizes


def descendants(process: int | str = "self") -> Iterator[int]:
    """Those that the process started, and those that they started."""
    # A thread that has gone is none.
    with suppress(OSError):
        for thread in list((PROC / str(process) / "task").iterdir()):
            with suppress(OSError):
                for child in map(int, (thread / "children").read_text().split()):
                    yield child
                    yield from descendants(child)


def resident(process: int) -> int:
    """What the process and its descendants hold at present."""
    return sum(status(each).get("VmRSS", 0) for each in (process, *descendants(process)))


class Peak:
    """The most that this process held beyond what it held at the start, and what its descendants held."""

    def __init__(self) -> None:
        self.resets = True
        try:
            # Sets VmHWM back to what is held now.
            (PROC / "self/clear_refs").write_text("5")
        except OSError:
            self.resets = False
        self.start = status()["VmRSS"] if self.resets else highest_ever()

    def own(self) -> int:
        return (status()["VmHWM"] if self.resets else highest_ever()) - self.start

    @staticmethod
    def of_descendants() -> int:
        """The sum of the most that each ever held, but for mapped files, which are there once for all."""
        held = (status(child) for child in descendants())
        return sum(sizes.get("VmHWM", 0) - sizes.get("RssFile", 0) - sizes.get("RssShmem", 0) for sizes in held)


def highest_ever() -> int:
    return KB * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def available() -> int:
    """What the machine has left."""
    for line in (PROC / "meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return KB * int(line.split()[1])
    raise RuntimeError("/proc/meminfo does not say what is available")
