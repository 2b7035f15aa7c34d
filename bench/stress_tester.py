"""Runs optiks-stress against a log that the modules in tests/e2e have started."""

import json
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from edge import Edge
from harness import OUT
from rest import Client

PUBLISH_SECONDS = 300


class StressFailed(Exception):
    """Raised if a run of optiks-stress failed or its answers were wrong. The text says what happened."""


LONGEST_RUN_SECONDS = 86_400
END_SECONDS = 900
"""The time within which the accepted updates of a run must be settled."""


class RunningStress:
    """A run of optiks-stress that continues until it is told to end."""

    def __init__(self, command: list, environment: dict[str, str], report: Path):
        self._process = subprocess.Popen(command, env=environment)
        self._report = report

    def wait(self, seconds: float) -> None:
        """Lets the run continue for the given number of seconds. Raises StressFailed when the run ends earlier."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        raise StressFailed(f"optiks-stress ended with {code} while it was to run")

    def end(self) -> dict:
        """Ends the run and returns its JSON report. Raises StressFailed if an answer was wrong, or if an update was lost or doubled."""
        # The signal is SIGTERM and not SIGINT, because a shell's background job and its children ignore SIGINT.
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(END_SECONDS)
        if code != 0:
            raise StressFailed(f"optiks-stress run ended with {code}")
        return json.loads(self._report.read_text())

    def kill(self) -> None:
        """Kills the process and waits for its end. Does nothing if it has ended."""
        self._process.kill()
        self._process.wait()


class At(Protocol):
    """The address for updates, which is a service or a proxy in front of it."""

    url: str


class Loaded(Protocol):
    """A log with the members that optiks-stress needs: a Deployment, or a log on other hosts."""

    data: Path
    """The folder with trust.json and api-key."""

    @property
    def environment(self) -> dict[str, str]: ...

    @property
    def update(self) -> At: ...

    def query_client(self) -> Client: ...


class StressTester:
    """Runs optiks-stress against one log. It is the log's only writer, so it compares the sum of its accepted updates with the counts in
    the log's records.

    If `alone` is False, other programs write as well, and it makes no such comparison. `edge` is the proxy in front of the
    query-services."""

    def __init__(self, log: Loaded, alone: bool = True, edge: Edge | None = None):
        self._log = log
        self._edge = edge
        self._alone = alone
        self._accepted = 0
        self._runs = 0

    def prepare(self, keys: int, *options: str) -> None:
        """Fills the key space, so that later runs find their keys."""
        before = self.published()
        self._execute("prepare", str(keys), *options)
        self._accepted += self.published() - before

    def run(self, mix: str, rate: float, seconds: float, *options: str) -> dict:
        """Makes a run and returns its JSON report. Raises StressFailed unless all answers were right and the counts in records show that
        all updates are published. optiks-stress also checks the updates that it followed against their statuses and histories."""
        self._runs += 1
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            self._execute("run", "--mix", mix, "--rate", f"{rate:.3f}", "--duration", f"{seconds:g}", "--json", str(report), "--seed", str(self._runs), *options)
            result = json.loads(report.read_text())
        if result["updates"] is not None:
            self._accepted += result["updates"]["accepted"]
            if self._alone:
                self._wait_published()
        return result

    def published(self) -> int:
        """Returns the number of versions of keys that the newest record counts."""
        with self._log.query_client() as client:
            return client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["structures"][2]["count"]

    def _wait_published(self) -> None:
        deadline = time.monotonic() + PUBLISH_SECONDS
        while (published := self.published()) < self._accepted:
            if time.monotonic() > deadline:
                raise StressFailed(f"{self._accepted} updates were accepted, {published} are published after {PUBLISH_SECONDS} s")
            time.sleep(0.1)
        if published > self._accepted:
            raise StressFailed(f"{self._accepted} updates were accepted, {published} are published")

    @contextmanager
    def running(self, mix: str, rate: float, *options: str) -> Iterator[RunningStress]:
        """Starts a run in the background, so that other actions can be done meanwhile. Leaving the context kills the run. The run's
        accepted updates are not compared with the counts in records."""
        self._runs += 1
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            running = RunningStress(
                self._command("run", "--mix", mix, "--rate", f"{rate:.3f}", "--duration", str(LONGEST_RUN_SECONDS), "--json", str(report), "--seed", str(self._runs), *options),
                self._environment, report)
            try:
                yield running
            finally:
                running.kill()

    def _execute(self, *arguments: str) -> None:
        done = subprocess.run(self._command(*arguments), env=self._environment, check=False)
        if done.returncode != 0:
            raise StressFailed(f"optiks-stress {' '.join(arguments)} ended with {done.returncode}")

    @property
    def _environment(self) -> dict[str, str]:
        return self._log.environment | (self._edge.environment if self._edge is not None else {})

    def _command(self, *arguments: str) -> list:
        query_urls = [self._edge.url] if self._edge is not None else [query.url for query in self._log.queries if query.running]
        return [OUT / "stress/optiks-stress", *arguments, "--data", self._log.data, "--update-url", self._log.update.url, "--query-url", ",".join(query_urls)]
