"""Runs an auditor of real logs. The module makes the auditor's key and folders, runs `optiks auditor` as a daemon or once, and checks
everything that the auditor ever signed."""

import base64
import hashlib
import json
import random
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from harness import FAIL_POINT, OUT, ROOT, Deployment, Process, Run
from oracle import require
from ports import free_port

sys.path.insert(0, str(ROOT / "tests/reference"))
import ed25519  # noqa: E402

OPTIKS = OUT / "cli/optiks"
NAME = "auditor.example.org/e2e"
COSIGNATURE = b"\x04"
PROGRAM = "optiks auditor"
KILLED = -9


def fail_points() -> list[str]:
    """Returns the auditor's fail points, which it reads from docs/operations/fail-points.md."""
    page = (ROOT / "docs/operations/fail-points.md").read_text()
    return re.findall(rf"^\| `([a-z-]+)` \| `{PROGRAM}`", page, re.MULTILINE)


def log_hash(origin: str) -> str:
    return hashlib.sha256(origin.encode()).hexdigest()


class Signed:
    """The size, root and time of a note that the auditor signed and the Python reference verified."""

    def __init__(self, note: bytes, vkey: str, log_key: str):
        text, _, lines = note.decode().rpartition("\n\n")
        text += "\n"
        self.origin, size, self.root = text.splitlines()
        self.size = int(size)
        _, _, typed = vkey.split("+", 2)
        key = base64.b64decode(typed)
        require(key[:1] == COSIGNATURE, f"{vkey} is no cosigner's")
        name = vkey.split("+", 1)[0]
        key_id = hashlib.sha256(name.encode() + b"\n" + key).digest()[:4]
        require(lines.count("\n") == 2, f"{lines!r} has other signatures than the log's and the auditor's")
        of_log, of_auditor = lines.splitlines()
        require(of_log.startswith(f"\u2014 {self.origin} ") and of_auditor.startswith(f"\u2014 {name} "), f"{lines!r} is not of the log and the auditor")
        log_signature = base64.b64decode(of_log.rsplit(" ", 1)[1])
        log_public = base64.b64decode(log_key.split("+", 2)[2])[1:]
        require(ed25519.verify(log_public, text.encode(), log_signature[4:]), "the log did not sign it")
        blob = base64.b64decode(of_auditor.rsplit(" ", 1)[1])
        require(blob[:4] == key_id and len(blob) == 4 + 8 + 64, "the auditor's line is not of its key")
        self.time, = struct.unpack(">Q", blob[4:12])
        message = f"cosignature/v1\ntime {self.time}\n{text}".encode()
        require(ed25519.verify(key[1:], message, blob[12:]), "the auditor did not sign it")


class Auditor:
    """An auditor with one key and one state, which audits any number of logs. Each call of `look_at_signed` collects the notes that the
    auditor signed, and judges them."""

    def __init__(self, folder: Path, *logs: Deployment, first_epoch: int = 0):
        self.folder, self.logs = folder, logs
        folder.mkdir(exist_ok=True)
        self.key_file = folder / "auditor.key"
        made = self._run("auditor", "init", "--name", NAME, "--key-file", str(self.key_file))
        require(made.code == 0, str(made))
        self.vkey = made.out.strip()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.state, self.mark = folder / "state", folder / "mark"
        self.config = folder / "auditor.json"
        self._anchors = [json.loads((log.data / "trust.json").read_text()) for log in logs]
        self.origins = [anchor["log_key"].split("+", 1)[0] for anchor in self._anchors]
        self.write_config(first_epoch)
        self._seen: dict[tuple[str, int], str] = {}
        """The root of every note that was ever signed, by log and size."""
        self.newest = [0] * len(logs)

    def write_config(self, first_epoch: int = 0, query_urls: list[str] | None = None, **more) -> None:
        """Writes the auditor's configuration. `query_urls`: URLs for all logs; the default is the URLs of the logs' own query-services."""
        logs = [{"trust": str(log.data / "trust.json"), "query_urls": query_urls or [query.url for query in log.queries], "first_epoch": first_epoch} for log in self.logs]
        self.config.write_text(json.dumps({"key_file": self.key_file.name, "state": "state", "mark": "mark", "urls": self.url, "interval_seconds": 1, "logs": logs} | more))

    def once(self, fail_point: str | None = None) -> Run:
        """Runs the auditor once for every log. If the auditor reaches the fail point, it is killed there."""
        return self._run("auditor", "--once", "--json", "--config", str(self.config), **({FAIL_POINT: fail_point} if fail_point else {}))

    def resume(self) -> Run:
        return self._run("auditor", "resume", "--config", str(self.config))

    def start(self, *prefix: str, **environment: str) -> "Daemon":
        """Starts the daemon. `prefix` is a command that runs the daemon, such as setpriv."""
        return Daemon(self, prefix, environment)

    def folder_of(self, log: int = 0) -> Path:
        return self.state / log_hash(self.origins[log])

    def mark_of(self, log: int = 0) -> Path:
        return self.mark / f"{log_hash(self.origins[log])}.mark"

    def look_at_signed(self) -> None:
        """Checks the notes that are signed on disk now: each note must verify, no size may have a second root, and no note may be for a
        larger size than the auditor's mark or state."""
        for number in range(len(self.logs)):
            file = self.folder_of(number) / "signed.json"
            if not file.exists():
                continue
            signed = json.loads(file.read_text())
            one = self.judge(base64.b64decode(signed["note"]), number)
            mark_size = int(self.mark_of(number).read_text().split("\n")[4])
            require(one.size <= mark_size, f"a checkpoint of {one.size} entries is signed, and the mark is of {mark_size}")
            state = json.loads((self.folder_of(number) / "state.json").read_text())
            require(one.size <= state["head"]["size"], f"a checkpoint of {one.size} entries is signed, and the state is of {state['head']['size']}")

    def newest_signed(self) -> int:
        """Returns the size of the checkpoint that the auditor last signed for the first log."""
        self.look_at_signed()
        return self.newest[0]

    def judge(self, note: bytes, log: int = 0) -> Signed:
        one = Signed(note, self.vkey, self._anchors[log]["log_key"])
        require(one.origin == self.origins[log], f"{one.origin} is not the log's origin")
        require(self._seen.setdefault((one.origin, one.size), one.root) == one.root, f"two roots of {one.size} entries were signed")
        self.newest[log] = max(self.newest[log], one.size)
        return one

    def _run(self, *arguments: str, **environment: str) -> Run:
        command = [OPTIKS, *arguments]
        return Run(subprocess.run(command, env=self.logs[0].environment | environment, capture_output=True, text=True, timeout=300, check=False))


class Daemon(Process):
    """The auditor as a running daemon. Use this class as a context manager."""

    def __init__(self, auditor: Auditor, prefix: tuple[str, ...], environment: dict[str, str]):
        log = auditor.folder / "daemon.log"
        super().__init__("auditor", log, lambda: auditor.logs[0].environment, auditor.port)
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [*prefix, OPTIKS, "auditor", "--config", auditor.config], env=auditor.logs[0].environment | environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def __enter__(self) -> "Daemon":
        return self

    def __exit__(self, *_) -> None:
        if self.running:
            self.kill()


def kill_rounds(auditor: Auditor, rounds: int, seed: int) -> Iterator[str]:
    """Kills the auditor at every fail point in turn while the log continues. Sometimes it restores an older copy of the auditor's state.

    Yields the name of each fail point that killed the auditor. Raises when the auditor has signed a note that it must not sign."""
    moments = random.Random(seed)
    points = [name for name in fail_points() if name != "auditor-finding"]
    log = auditor.logs[0]
    copy = auditor.folder / "copy"
    for number in range(rounds):
        log.publish((f"key-{number % 50}", f"round {number}"))
        point = points[number % len(points)]
        run = auditor.once(point)
        require(run.code == KILLED, f"{point}: {run}")
        auditor.look_at_signed()
        yield point
        if moments.random() < 0.2:
            if copy.exists():
                shutil.rmtree(auditor.state)
                shutil.copytree(copy, auditor.state)
                shutil.rmtree(copy)
            elif auditor.state.exists():
                shutil.copytree(auditor.state, copy)
        if moments.random() < 0.5:
            run = auditor.once()
            require(run.code == 0, str(run))
            auditor.look_at_signed()
    run = auditor.once()
    require(run.code == 0 and run.lines()[0]["epoch"] is not None, str(run))
    auditor.look_at_signed()
