"""Requests a second and latencies of `mmoc serve` on one core, beside FastAPI services of the same models.

    benchmarks/serve.py [--binary PATH] [--python PATH] [--seconds 10] [--requests 1000000]

Needs wrk, and a Python with fastapi, uvicorn, scikit-learn and mmoc, such as target/python/integration/bin/python of the
tests. Services are pinned to core 0 and wrk to core 1. Each request has one row of scene's test rows as JSON, and each
answer has labels and their probabilities. There are two pairs of services:

- the default model, by `mmoc serve` and by FastAPI with the same model as a scikit-learn estimator;
- one logistic regression for each label, by `mmoc serve` and by FastAPI with scikit-learn's own.

`--requests N` sends N requests and prints the resident memory of the server before and after; meanwhile the file of the
model is replaced every second by one of two models.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = """wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies, next = {}, 0
for line in io.lines("bodies.jsonl") do bodies[#bodies + 1] = line end
request = function()
  next = next % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[next])
end
"""
PEER = """import numpy as np
from fastapi import FastAPI
from pydantic import BaseModel
MODEL
names = open("train.csv").readline().strip().replace('"', "").split(",")
columns, labels = names[:-6], names[-6:]
app = FastAPI()

class Request(BaseModel):
    rows: list[dict[str, float]]

@app.post("/predict")
def predict(request: Request):
    x = np.array([[row[name] for name in columns] for row in request.rows])
    sets, p = model.predict(x), model.predict_proba(x)
    named = [[label for label, one in zip(labels, row) if one] for row in sets]
    return {"predictions": [{"labels": s, "probabilities": dict(zip(labels, map(float, row)))} for s, row in zip(named, p)]}
"""
SAME = """import warnings
import mmoc
warnings.simplefilter("ignore")  # Arrays have no names of columns, which would be printed for each request.
model = mmoc.load("scene.mmoc").set_params(n_jobs=1)
"""
LOGISTIC = """from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
data = np.loadtxt("train.csv", delimiter=",", skiprows=1)
model = make_pipeline(StandardScaler(), OneVsRestClassifier(LogisticRegression(C=0.01)))
model.fit(data[:, :-6], data[:, -6:])
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--binary", type=Path, default=ROOT / "target" / "release" / "mmoc"
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument(
        "--python",
        type=Path,
        default=Path(sys.executable),
        help="a Python that has the other service's packages",
    )
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=0)
    return parser.parse_args()


def prepare(folder: Path, options: argparse.Namespace) -> None:
    """Models, the training rows as a table, and a request for each of some test rows."""
    for part in ("train", "test"):
        source = options.data / f"scene-{part}.arff"
        subprocess.run(
            [options.binary, "convert", source, f"{part}.csv", "-q"],
            cwd=folder,
            check=True,
        )
    for name, method, seed in (("scene", "max-margin", 1), ("other", "max-margin", 2), ("br", "br", 1)):
        command = [options.binary, "train", options.data / "scene-train.arff", "-q"]
        command += ["--method", method, "--seed", str(seed)]
        subprocess.run(
            [*command, "-o", f"{name}.mmoc"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    lines = (folder / "test.csv").read_text().splitlines()
    names = lines[0].replace('"', "").split(",")[:-6]
    bodies = []
    for line in lines[1:201]:
        cells = [float(cell) for cell in line.split(",")]
        row = dict(zip(names, cells, strict=False))
        bodies.append(json.dumps({"rows": [row], "probabilities": True}))
    (folder / "bodies.jsonl").write_text("\n".join(bodies) + "\n")
    (folder / "wrk.lua").write_text(SCRIPT)
    for name, model in (("same", SAME), ("logistic", LOGISTIC)):
        (folder / f"{name}.py").write_text(PEER.replace("MODEL", model))


def wrk(folder: Path, url: str, seconds: int, connections: int) -> dict[str, float]:
    command = [
        "taskset",
        "-c",
        "1",
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--latency",
        "-s",
        "wrk.lua",
        url,
    ]
    text = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout

    def found(pattern: str) -> re.Match[str]:
        match = re.search(pattern, text)
        assert match, text
        return match

    def milliseconds(share: str) -> float:
        number, unit = found(share + r"%\s+([\d.]+)(us|ms|s)").groups()
        return float(number) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]

    errors = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    sockets = re.search(r"Socket errors: (.*)", text)
    return {
        "requests/s": float(found(r"Requests/sec:\s+([\d.]+)").group(1)),
        "p50 ms": milliseconds("50"),
        "p99 ms": milliseconds("99"),
        "requests": float(found(r"(\d+) requests in").group(1)),
        "errors": float(errors.group(1) if errors else 0) + (1 if sockets else 0),
    }


def resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    match = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert match
    return int(match.group(1)) / 1024


def wait_for(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=1).read()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(url)


def show(name: str, result: dict[str, float]) -> None:
    print(
        f"{name:<34}"
        + "".join(f"{key} {value:>10.2f}   " for key, value in result.items()),
        flush=True,
    )


def ours(folder: Path, options: argparse.Namespace, model: str, requests: int) -> float:
    """The most requests a second for a model, after which many more may follow."""
    command = ["taskset", "-c", "0", options.binary, "serve", f"{model}.mmoc", "--threads", "1"]
    with (folder / "requests.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:8091"], cwd=folder, stdout=subprocess.DEVNULL, stderr=log
        )
        try:
            wait_for("http://127.0.0.1:8091/v2/health/ready")
            url = f"http://127.0.0.1:8091/v1/models/{model}/predict"
            best = most(folder, options, f"mmoc serve, {model}", url)
            if requests:
                many(folder, requests, url, process.pid)
        finally:
            process.terminate()
            print("exit code after SIGTERM:", process.wait(60))
    return best


def most(folder: Path, options: argparse.Namespace, name: str, url: str) -> float:
    """The most requests a second of all numbers of connections."""
    wrk(folder, url, 2, 4)
    best = 0.0
    for connections in (1, 4, 8):
        result = wrk(folder, url, options.seconds, connections)
        show(f"{name}, {connections}", result)
        best = max(best, result["requests/s"])
    return best


def many(folder: Path, requests: int, url: str, pid: int) -> None:
    """Many requests, while the model is replaced every second."""
    done = threading.Event()
    reloads = 0

    def replace() -> None:
        nonlocal reloads
        shutil.copy(folder / "scene.mmoc", folder / "first.mmoc")
        while not done.wait(1):
            reloads += 1
            shutil.copy(
                folder / ("other.mmoc" if reloads % 2 else "first.mmoc"),
                folder / "next",
            )
            (folder / "next").rename(folder / "scene.mmoc")

    replacing = threading.Thread(target=replace)
    replacing.start()
    total, errors, before = 0.0, 0.0, 0.0
    while total < requests:
        result = wrk(folder, url, 20, 8)
        total, errors = total + result["requests"], errors + result["errors"]
        before = before or resident(pid)
        print(
            f"{total:12.0f} requests, {errors:.0f} errors, {reloads} files, {resident(pid):.1f} MiB",
            flush=True,
        )
    done.set()
    replacing.join()
    print(
        f"resident memory: {before:.1f} MiB after the first 20 s, {resident(pid):.1f} MiB at the end"
    )


def peer(folder: Path, options: argparse.Namespace, name: str) -> float:
    command = ["taskset", "-c", "0", options.python, "-m", "uvicorn", f"{name}:app", "--port", "8092"]
    process = subprocess.Popen([*command, "--log-level", "error"], cwd=folder)
    try:
        wait_for("http://127.0.0.1:8092/openapi.json")
        return most(folder, options, f"FastAPI, {name}", "http://127.0.0.1:8092/predict")
    finally:
        process.terminate()
        process.wait(60)


def main() -> None:
    options = arguments()
    options.binary = options.binary.resolve()
    options.data = options.data.resolve()
    # The Python of an environment is a link, which says where its packages are.
    options.python = options.python.absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, options)
        for other, model, requests in (("logistic", "br", 0), ("same", "scene", options.requests)):
            ratio = 1 / peer(folder, options, other)
            ratio *= ours(folder, options, model, requests)
            print(f"ratio of requests/s, {model}: {ratio:.1f}", flush=True)


if __name__ == "__main__":
    main()
