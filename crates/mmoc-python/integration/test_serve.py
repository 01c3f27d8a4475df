"""`mmoc serve`, asked by clients that others wrote: tritonclient, curl and schemathesis."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tritonclient.http import InferenceServerClient, InferInput, InferRequestedOutput
from tritonclient.utils import InferenceServerException

ROOT = Path(__file__).resolve().parents[3]
BINARY = ROOT / "target" / "debug" / "mmoc"
COLUMNS = ["tempo", "loud", "size"]
LABELS = ["calm", "happy"]

pytestmark = pytest.mark.skipif(not BINARY.exists(), reason="target/debug/mmoc is not built")


class Server:
    """A server of one model, `songs`, with further options."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.rows = np.random.default_rng(1).normal(size=(80, len(COLUMNS)))
        self._write(folder / "songs.csv")
        train = [BINARY, "train", "songs.csv", "--labels", "calm,happy", "-q", "-o", "songs.mmoc"]
        subprocess.run(train, cwd=folder, check=True)
        command = [BINARY, "serve", "songs.mmoc", "--listen", "127.0.0.1:0", "--log", "none", *options]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]

    def _write(self, path: Path) -> None:
        calm = self.rows[:, 0] < 0.2
        happy = self.rows[:, 0] + self.rows[:, 1] > 0
        lines = [",".join(COLUMNS + LABELS)]
        for row, labels in zip(self.rows, np.stack([calm, happy], axis=1), strict=True):
            lines.append(",".join([*map(repr, map(float, row)), *map(str, labels.astype(int))]))
        path.write_text("\n".join(lines) + "\n")

    def stop(self) -> None:
        """Stops the server, which must not mind."""
        self.process.terminate()
        with self.process as process:
            assert process.wait(30) == 0

    def predicted(self, *options: str) -> list[dict[str, Any]]:
        """What `mmoc predict` says about the same rows."""
        command = [BINARY, "predict", "songs.mmoc", "songs.csv", "--format", "jsonl", "-q", *options]
        output = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
        return [json.loads(line) for line in output.stdout.splitlines()]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("serve"))
    yield server
    server.stop()


@pytest.fixture
def client(server: Server) -> Iterator[InferenceServerClient]:
    with closing(InferenceServerClient(server.url.removeprefix("http://"))) as client:
        yield client


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("datatype", ["FP64", "FP32"])
def test_tritonclient_predicts_as_the_command_does(
    server: Server, client: InferenceServerClient, binary: bool, datatype: str
) -> None:
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("songs")
    assert client.get_server_metadata()["extensions"] == ["binary_tensor_data"]
    metadata = client.get_model_metadata("songs")
    assert metadata["inputs"][0]["shape"] == [-1, len(COLUMNS)]
    tensor = InferInput("features", list(server.rows.shape), datatype)
    kind = np.float64 if datatype == "FP64" else np.float32
    tensor.set_data_from_numpy(server.rows.astype(kind), binary_data=binary)
    names = ["labels", "probabilities", "confidence", "sets", "set_probabilities"]
    outputs = [InferRequestedOutput(name, binary_data=binary) for name in names]
    answer = client.infer("songs", [tensor], outputs=outputs, parameters={"sets": 2, "decide": "f1"})
    expected = server.predicted("--proba", "--confidence", "--decide", "f1")
    tolerance = 1e-9 if datatype == "FP64" else 1e-4
    found = answer.as_numpy("probabilities")
    wanted = [[row["probabilities"][label] for label in LABELS] for row in expected]
    np.testing.assert_allclose(found, wanted, atol=tolerance)
    np.testing.assert_allclose(answer.as_numpy("confidence"), [row["confidence"] for row in expected], atol=tolerance)
    sets = [[label in row["labels"] for label in LABELS] for row in expected]
    if datatype == "FP64":
        np.testing.assert_array_equal(answer.as_numpy("labels"), sets)
    assert answer.as_numpy("sets").shape == (80, 2, 2)
    assert (np.diff(answer.as_numpy("set_probabilities"), axis=1) <= 0).all()


def test_tritonclient_gets_all_outputs_as_bytes_unless_it_names_some(
    server: Server, client: InferenceServerClient
) -> None:
    tensor = InferInput("features", [2, len(COLUMNS)], "FP64")
    tensor.set_data_from_numpy(server.rows[:2])
    answer = client.infer("songs", [tensor], model_version=client.get_model_metadata("songs")["versions"][0])
    assert answer.as_numpy("labels").shape == (2, 2)
    with pytest.raises(InferenceServerException, match="no such version"):
        client.infer("songs", [tensor], model_version="0")


def test_curl_sends_tables(server: Server) -> None:
    address = f"{server.url}/v1/models/songs/predict?probabilities=true"
    command = ["curl", "-sS", address, "-H", "Content-Type: text/csv", "--data-binary", "@songs.csv"]
    output = subprocess.run(command, cwd=server.folder, check=True, capture_output=True, text=True)
    found = json.loads(output.stdout)["predictions"]
    for row, expected in zip(found, server.predicted("--proba", "--confidence"), strict=True):
        assert row["labels"] == expected["labels"]
        assert row["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-9)


# The description is the same for all models. Rows that it allows may lack columns of the model, which is 422.
SCHEMATHESIS = """[checks.positive_data_acceptance]
expected-statuses = ["2xx", 404, 422]
"""
OF_SONGS = """
[parameters]
"path.name" = "songs"
"""


@pytest.mark.parametrize(
    ("parameters", "paths"),
    [("", []), (OF_SONGS, ["--include-path-regex", "infer|predict"])],
    ids=["all endpoints", "predictions of a model"],
)
def test_schemathesis_finds_no_failure(server: Server, tmp_path: Path, parameters: str, paths: list[str]) -> None:
    config = tmp_path / "schemathesis.toml"
    config.write_text(SCHEMATHESIS + parameters)
    schemathesis = Path(sys.executable).with_name("schemathesis")
    command = [
        *(str(schemathesis), "--config-file", str(config), "run", f"{server.url}/openapi.json"),
        *("--checks", "all", "--phases", "examples,coverage,fuzzing"),
        *("--max-examples", "30", "--seed", "1", "--request-timeout", "20", *paths),
    ]
    outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stdout


def make_certificate(folder: Path) -> None:
    """Writes `key.pem`, and `cert.pem`, which it signs."""
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem"]
    command += ["-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_tls_and_a_token_protect_the_server(tmp_path: Path) -> None:
    token = "a-token-of-enough-characters"
    (tmp_path / "token").write_text(token + "\n")
    make_certificate(tmp_path)
    server = Server(tmp_path, "--token-file", "token", "--tls-cert", "cert.pem", "--tls-key", "key.pem")

    def status(url: str, *options: str) -> str:
        command = ["curl", "-s", "-o", "answer", "-w", "%{http_code}", *options, url + "/v1/models"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout

    try:
        assert server.url.startswith("https://")
        trusted, bearer = ["--cacert", "cert.pem"], f"Authorization: Bearer {token}"
        assert status(server.url, *trusted, "-H", bearer) == "200"
        assert status(server.url, *trusted) == "401"
        assert status(server.url, *trusted, "-H", bearer + "x") == "401"
        # Without the certificate, and without TLS, there is no answer.
        assert status(server.url, "-H", bearer) == "000"
        assert status(server.url.replace("https", "http"), "-H", bearer) == "000"
    finally:
        server.stop()


def test_an_address_that_others_can_reach_is_warned_of(server: Server) -> None:
    command = [BINARY, "serve", "songs.mmoc", "--listen", "0.0.0.0:0"]
    with subprocess.Popen(
        command, cwd=server.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as open_:
        assert open_.stdout is not None
        assert "0.0.0.0" in open_.stdout.readline()
        open_.terminate()
        _, messages = open_.communicate(timeout=30)
    events = [json.loads(line) for line in messages.splitlines()]
    assert [event["detail"] for event in events if event["event"] == "warning"] == [
        "whoever reaches this address can ask the models: --token-file prevents it",
        "requests are not encrypted: --tls-cert and --tls-key change it",
    ]
