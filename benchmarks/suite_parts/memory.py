"""Memory of this process and its descendants, from /proc."""

import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

KB = 1024
PROC = Path("/proc")


def status(process: int | str = "self") -> dict[str, int]:
    """The sizes in /proc/…/status, in bytes; empty if the process has ended, or without /proc."""
    sizes = {}
    with suppress(OSError):
        for line in (PROC / str(process) / "status").read_text().splitlines():
            name, _, value = line.partition(":")
            if value.endswith(" kB"):
                sizes[name] = KB * int(value.split()[0])
    return sizes


def descendants(process: int | str = "self") -> Iterator[int]:
    """All descendants of the process."""
    # A thread that has ended has no children.
    with suppress(OSError):
        for thread in list((PROC / str(process) / "task").iterdir()):
            with suppress(OSError):
                for child in map(int, (thread / "children").read_text().split()):
                    yield child
                    yield from descendants(child)


def resident(process: int) -> int:
    """The current memory of the process and its descendants."""
    return sum(status(each).get("VmRSS", 0) for each in (process, *descendants(process)))


class Peak:
    """The peak memory of this process above that at the start, and the peak memory of its descendants."""

    def __init__(self) -> None:
        self.resets = True
        try:
            # Resets VmHWM to the current memory.
            (PROC / "self/clear_refs").write_text("5")
        except OSError:
            self.resets = False
        self.start = status()["VmRSS"] if self.resets else highest_ever()

    def own(self) -> int:
        return (status()["VmHWM"] if self.resets else highest_ever()) - self.start

    @staticmethod
    def of_descendants() -> int:
        """The sum of the peaks of all descendants, without mapped files, which are shared."""
        held = (status(child) for child in descendants())
        return sum(sizes.get("VmHWM", 0) - sizes.get("RssFile", 0) - sizes.get("RssShmem", 0) for sizes in held)


def highest_ever() -> int:
    return KB * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def available() -> int:
    """The available memory of the machine."""
    for line in (PROC / "meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return KB * int(line.split()[1])
    raise RuntimeError("/proc/meminfo lacks MemAvailable")
