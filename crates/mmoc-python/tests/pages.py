"""Runs the code blocks of a page of the documentation, in a folder with small data files.

A block is run, or a mark on the line before it says what it is:

    ```python    is run. The names of a page are shared by its blocks.
    ```sh        is run by bash, with `mmoc` and `python` in its path. It must succeed.
    ```text      right after one of these is its output. `…` stands for any text.
    ```console   has commands after `$ ` and their output, also that of commands that fail.
    ```rust      is, line for line, in a Rust file of the repository, which cargo compiles.
    ```math      is a formula.

    <!-- file: NAME -->         The block is written to a file, for later blocks.
    <!-- background -->         The shell block is started and runs until the end of the page: a server.
    <!-- not run: REASON -->    The block is an illustration, or the output of something that takes too long.

Pages that import a package of requirements/integration.txt are tested in `integration`, all others in `tests`.
"""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TextIO
from unittest import mock

import small_data

ROOT = Path(__file__).parents[3]
PAGES = [
    *(path for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY") if (path := ROOT / f"{name}.md").exists()),
    *sorted((ROOT / "docs").glob("*.md")),
]
FENCE = re.compile(r"^( *)```(\w*)")
MARK = re.compile(r"<!-- (not run|file|background)(?:: *(.*?))? *-->")
LIST_ITEM = re.compile(r" *([-*+]|\d+\.) ")
SECONDS = 120


class BlockError(AssertionError):
    """A block that does not do what the page says, with its place."""


@dataclass(frozen=True)
class Block:
    place: str
    line: int
    language: str
    code: str
    mark: str
    argument: str
    # Nothing but blank lines since the block before.
    follows: bool

    def fail(self, what: str) -> None:
        raise BlockError(f"{self.place}:{self.line}: {what}\n\n{textwrap.indent(self.code, '    ')}")


def packages(environment: str) -> set[str]:
    """The packages that an environment of the tests is made from."""
    text = (ROOT / "crates" / "mmoc-python" / "requirements" / f"{environment}.txt").read_text(encoding="utf-8")
    return set(re.findall(r"^([\w-]+)", text, re.MULTILINE))


def needs_integration(page: Path) -> bool:
    """Whether a page imports what only the environment of `integration` has."""
    imported = re.findall(r"^ *(?:import|from) +(\w+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return not (packages("integration") - packages("newest")).isdisjoint(imported)


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page. Indented ones are an error, because nothing says what they are."""
    place = str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name
    lines = page.read_text(encoding="utf-8").splitlines()
    found, start, last_text, outer = [], None, "", ""
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if start is None and fence:
            start, indent, language, follows = number, fence[1], fence[2], last_text == "```"
            mark = MARK.fullmatch(last_text.strip())
        elif start is not None and line.strip() == "```":
            code = "".join(f"{part.removeprefix(indent)}\n" for part in lines[start : number - 1])
            kind, argument = (mark[1], mark[2] or "") if mark else ("", "")
            found.append(Block(place, start, language, code, kind, argument, follows))
            start = None
        elif start is None and line.startswith("    ") and not lines[number - 2].strip() and not LIST_ITEM.match(outer):
            raise BlockError(f"{place}:{number}: an indented block. Put it between ```LANGUAGE and ```.")
        if start is None and line.strip():
            last_text = line.strip()
            outer = outer if line.startswith("  ") else line
    return found


def run_page(page: Path, folder: Path, program: Path) -> None:
    """Runs the blocks of a page in a folder. Fails at the first that does not do what the page says."""
    small_data.write(folder)
    runner = Runner(folder, program)
    try:
        with contextlib.chdir(folder), mock.patch.dict(os.environ, runner.environment()):
            for block in blocks(page):
                runner.take(block)
            runner.end()
    finally:
        runner.stop()


@dataclass
class Runner:
    folder: Path
    program: Path
    names: dict[str, object] = field(default_factory=dict)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    servers: list[tuple[Block, subprocess.Popen[bytes]]] = field(default_factory=list)
    # What the last block printed, until a block of text shows it.
    printed: str | None = None

    def take(self, block: Block) -> None:
        if block.mark == "not run":
            if not block.argument:
                block.fail("not run without a reason: <!-- not run: REASON -->")
            self.printed = None
        elif block.mark == "file":
            (self.folder / block.argument).write_text(block.code, encoding="utf-8")
        elif block.mark == "background":
            self.start(block)
        elif block.language == "text":
            self.compare(block)
        else:
            self.printed = self.run(block)

    def run(self, block: Block) -> str | None:
        match block.language:
            case "python":
                return self.run_python(block)
            case "sh" | "bash":
                return self.run_shell(block)
            case "console":
                return self.run_console(block)
            case "rust":
                return find_in_crates(block)
            case "math":
                return None
        block.fail(
            f"a block of {block.language or 'no language'} is not run. Say what it is on the line before it: "
            "<!-- not run: REASON -->, or <!-- file: NAME --> to write it to a file for later blocks."
        )
        return None

    def run_python(self, block: Block) -> str:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * block.line + block.code, block.place, "exec"), self.names)
        except Exception as error:
            raise BlockError(f"{block.place}:{block.line}: {type(error).__name__}: {error}") from error
        return printed.getvalue()

    def run_shell(self, block: Block) -> str:
        with (self.folder / ".stdout").open("w+") as output, (self.folder / ".stderr").open("w+") as messages:
            code = self.shell(block, block.code, output, messages)
            messages.seek(0)
            if code != 0:
                block.fail(f"exit code {code}: {messages.read()}")
            output.seek(0)
            return output.read()

    def run_console(self, block: Block) -> None:
        if not block.code.startswith("$ "):
            block.fail("a block of console begins with a command: $ COMMAND")
        for command in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
            line, _, shown = command.partition("\n")
            with (self.folder / ".stdout").open("w+") as output:
                self.shell(block, line, output, output)
                output.seek(0)
                check_shown(block, shown, output.read())

    def shell(self, block: Block, code: str, output: TextIO, messages: TextIO) -> int:
        """Runs code without waiting for processes that it left in the background."""
        try:
            return self.begin(code, output, messages).wait(SECONDS)
        except subprocess.TimeoutExpired:
            block.fail(f"not done after {SECONDS} s. A server is <!-- background -->.")
            return -1

    def start(self, block: Block) -> None:
        """Starts a block, and waits until it says something."""
        log = self.folder / f".background-{block.line}"
        with log.open("w") as output:
            server = self.begin(block.code, output, output)
        self.servers.append((block, server))
        deadline = time.monotonic() + SECONDS
        while log.stat().st_size == 0 and server.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        if server.poll() is not None:
            block.fail(f"ended at once with exit code {server.returncode}: {log.read_text()}")

    def begin(self, code: str, output: TextIO, messages: TextIO) -> subprocess.Popen[bytes]:
        """Starts a shell in a process group of its own, which ends with the page."""
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", code],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=messages,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def environment(self) -> dict[str, str]:
        programs = [str(self.program.parent), str(Path(sys.executable).parent), os.environ["PATH"]]
        # Nothing that the user has configured or downloaded.
        own = {"MMOC_CACHE": str(self.folder / ".cache"), "HOME": str(self.folder), "NO_COLOR": "1"}
        return {**own, "PATH": os.pathsep.join(programs)}

    def compare(self, block: Block) -> None:
        if not block.follows or self.printed is None:
            block.fail(
                "a block of text is the output of the block right before it, and there is none that is run. "
                "If it is something else, say what on the line before it: <!-- not run: REASON -->"
            )
        check_shown(block, block.code, self.printed)
        self.printed = None

    def end(self) -> None:
        for block, server in self.servers:
            if server.poll() is not None:
                block.fail(f"it ended with exit code {server.returncode} before the end of the page")

    def stop(self) -> None:
        """Ends all processes that blocks have started."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def check_shown(block: Block, shown: str, printed: str) -> None:
    pattern = ".*?".join(re.escape(part) for part in shown.rstrip().split("…"))
    if not re.fullmatch(pattern, printed.rstrip(), re.DOTALL):
        block.fail(f"the page shows other output than what was printed:\n\n{printed}\nThe page has:")


def find_in_crates(block: Block) -> None:
    if code_lines(block.code) not in rust_code():
        block.fail("these lines are in no Rust file of crates/: put them into a test, an example or a doc test.")


@cache
def rust_code() -> str:
    files = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "crates").rglob("*.rs")))
    return "\n".join(map(code_lines, files))


def code_lines(text: str) -> str:
    """Lines without indentation and without the marks of doc comments, each between line ends."""
    lines = (re.sub(r"^//[/!] ?", "", line.strip()).strip() for line in text.splitlines())
    return "\n" + "\n".join(line for line in lines if line) + "\n"
