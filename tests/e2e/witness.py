"""Runs a witness in a separate process, with its own folder."""

import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from harness import OUT, NotReady, clean_environment
from ports import free_port
from rest import Client

PATIENCE = 90


class Witness:
    """A witness: the process `optiks witness run`, with its own folder."""

    def __init__(self, name: str):
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-witness-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        made = subprocess.run([OUT / "cli/optiks", "witness", "init", name, "--folder", self.folder, "--json"], env=clean_environment(), capture_output=True, text=True, timeout=60, check=True)
        self.vkey = json.loads(made.stdout)["vkey"]
        self._process: subprocess.Popen | None = None

    def line(self, name: str) -> str:
        """Returns the line that names this witness in a policy."""
        return f"witness {name} {self.vkey} {self.url}\n"

    def know(self, vkey: str) -> None:
        """Sets the log whose checkpoints the witness cosigns from its next start on."""
        (self.folder / "logs").write_text(f"log {vkey}\nquorum none\n")

    def start(self, environment: dict[str, str] | None = None, *more_urls: str, prefix: tuple[str, ...] = ()) -> None:
        """Starts the witness, and returns when it is ready. `more_urls` are additional URLs on which the witness listens. `prefix` is a
        command that runs the witness, such as setpriv."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*prefix, OUT / "cli/optiks", "witness", "run", "--folder", self.folder, "--urls", ";".join((self.url, *more_urls))], env=clean_environment() | (environment or {}), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + PATIENCE
        with Client(self.url, timeout=5) as client:
            while True:
                try:
                    if client.get("/health/ready").status == 200:
                        return
                except OSError:
                    pass
                if self._process.poll() is not None or time.monotonic() >= deadline:
                    raise NotReady(self.log())
                time.sleep(0.05)

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        self._process.terminate()
        return self._process.wait(30)

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder)
