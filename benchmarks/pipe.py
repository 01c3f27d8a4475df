"""Rows through a pipe: how long an answer takes when rows come one by one, and rows per second in each format of lines.

Run it with `benchmarks/run pipe`, or with any build: `python3 benchmarks/pipe.py target/debug/mmoc`.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROWS = 100_000
FEATURES = 20
ASKED = 20
PAUSE = 1.0
ROUNDS = 3


def numbers(draws, rows):
    return [[round(draws.gauss(0, 1), 4) for _ in range(FEATURES)] for _ in range(rows)]


def names():
    return [f"x{column}" for column in range(1, FEATURES + 1)]


def as_lines(form, rows):
    """The header, which may be empty, and a line for each row."""
    if form in ("csv", "tsv"):
        mark = "," if form == "csv" else "\t"
        return mark.join(names()) + "\n", [mark.join(map(str, row)) + "\n" for row in rows]
    if form == "jsonl":
        return "", [json.dumps(dict(zip(names(), row))) + "\n" for row in rows]
    pairs = (" ".join(f"{place}:{value}" for place, value in enumerate(row, 1)) for row in rows)
    return "", [f" {line}\n" for line in pairs]


def train(program, folder, draws):
    rows = numbers(draws, 400)
    table = folder / "train.csv"
    labels = [f"l{label}" for label in range(5)]
    with open(table, "w") as out:
        print(",".join(names() + labels), file=out)
        for row in rows:
            flags = [int(row[label] + 0.3 * draws.gauss(0, 1) > 0) for label in range(5)]
            print(",".join(map(str, row + flags)), file=out)
    model = folder / "m.mmoc"
    command = [program, "train", table, "--labels", "l*", "--method", "br", "-o", model, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return model


def predict(program, model, form):
    command = [program, "predict", model, "-", "--from", form, "--format", "csv", "--quiet"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def latencies(program, model, form, rows):
    """Milliseconds from sending a row to having its answer, a row each PAUSE seconds."""
    header, lines = as_lines(form, rows)
    process = predict(program, model, form)
    taken = []
    for index, line in enumerate(lines):
        start = time.perf_counter()
        process.stdin.write(((header if index == 0 else "") + line).encode())
        process.stdin.flush()
        if index == 0:
            process.stdout.readline()
        process.stdout.readline()
        taken.append(1e3 * (time.perf_counter() - start))
        time.sleep(PAUSE)
    process.stdin.close()
    process.wait()
    # The first answer waits for the program to start.
    return taken[1:]


def rate(program, model, form, rows):
    """Rows per second of all rows at once, the best of some rounds."""
    header, lines = as_lines(form, rows)
    text = (header + "".join(lines)).encode()
    best = 0.0
    for _ in range(ROUNDS):
        start = time.perf_counter()
        process = predict(program, model, form)

        def send():
            process.stdin.write(text)
            process.stdin.close()

        sender = threading.Thread(target=send)
        sender.start()
        answers = sum(1 for _ in process.stdout) - 1
        sender.join()
        assert process.wait() == 0 and answers == len(rows)
        best = max(best, len(rows) / (time.perf_counter() - start))
    return best


def main():
    program = str(Path(sys.argv[1]).with_name("mmoc").resolve())
    draws = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        model = train(program, Path(folder), draws)
        rows = numbers(draws, ROWS)
        rates = {form: rate(program, model, form, rows) for form in ("csv", "tsv", "libsvm", "jsonl")}
        print("| format | answer, median ms | answer, longest ms | rows per second | of csv |")
        print("|---|---:|---:|---:|---:|")
        for form, found in rates.items():
            taken = latencies(program, model, form, rows[:ASKED])
            middle, longest = statistics.median(taken), max(taken)
            print(f"| {form} | {middle:.1f} | {longest:.1f} | {found:,.0f} | {found / rates['csv']:.2f} |")


if __name__ == "__main__":
    main()
