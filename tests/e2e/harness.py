"""Starts, kills and queries real processes for end-to-end tests, with their own data folder and on free ports. OPTIKS_OUT names the folder
of the built programs (default: build/out, which `make build` fills). This module does not touch the services that `make up` runs.
"""

import http.client
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from ports import free_port
from rest import Client
from storage import ENGINES, Sqlite

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(os.environ.get("OPTIKS_OUT", ROOT / "build/out"))
TASK, UPDATE, QUERY = "update-task", "update-service", "query-service"
QUERY_BENCH = "query-bench"
"""The query-service with an endpoint that does no work, to measure against."""
# The services in the order of their starts. The task is first, because it publishes the genesis record, without which the query-service is
# not ready.
SERVICES = (TASK, UPDATE, QUERY)
PROGRAMS = {TASK: "Optiks.UpdateTask", UPDATE: "Optiks.UpdateService", QUERY: "Optiks.QueryService", QUERY_BENCH: "Optiks.QueryService.Bench"}
READY_SECONDS = 90
FAIL_POINT = "OPTIKS_FAIL_POINT"
FAST = {"Optiks__UpdateTask__EpochInterval": "00:00:00.200",
        "Optiks__UpdateTask__LeasePollInterval": "00:00:00.200", "Optiks__UpdateTask__BoardLockTimeout": "00:00:02"}


class NotReady(Exception):
    """A service ended or is not ready; the exception's text has the end of the service's log."""


class Process:
    """One service process. It may be started again after it ended."""

    def __init__(self, service: str, log: Path, environment: Callable[[], dict[str, str]], port: int):
        """`environment` is a function that returns the service's environment variables. It is called at each start, because the account
        with which a service connects is known only after the first migration."""
        self.service = service
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._log = log
        self._environment = environment
        self._process: subprocess.Popen | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int:
        """The exit code of a process that has ended; a negative code is the number of the signal that ended the process."""
        return self._process.returncode

    @property
    def stopped(self) -> bool:
        """Whether a SIGSTOP has stopped the process. A stopped process still counts as running."""
        return "State:\tT" in Path(f"/proc/{self._process.pid}/status").read_text()

    @property
    def anonymous_bytes(self) -> int:
        """The process's anonymous memory (memory that belongs to no file), in octets; 0 if the process has ended. The process's other
        memory is mapped from files and belongs to the page cache."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        found = re.search(r"^RssAnon:\s+(\d+) kB", status, re.MULTILINE)
        return int(found[1]) * 1024 if found else 0

    def is_ready(self) -> bool:
        try:
            with Client(self.url, timeout=5) as client:
                return client.get("/health/ready").status == 200
        except (OSError, http.client.HTTPException):
            return False

    def start(self, *prefix: str, **environment: str) -> None:
        """Starts the service. `prefix` is a command that runs the service, such as prlimit."""
        folder = OUT / self.service
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*prefix, folder / PROGRAMS[self.service], "--urls", self.url], cwd=folder, env=self._environment() | environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def wait_ready(self, health: str = "ready") -> None:
        """Waits until the service is ready. If `health` is "live", waits only until the service answers."""
        deadline = time.monotonic() + READY_SECONDS
        with Client(self.url, timeout=5) as client:
            while True:
                try:
                    if client.get(f"/health/{health}").status == 200:
                        return
                except OSError:
                    pass
                if not self.running:
                    raise NotReady(f"{self.service} ended with {self._process.returncode}:\n{self.log_end()}")
                if time.monotonic() >= deadline:
                    raise NotReady(f"{self.service} is not {health} after {READY_SECONDS} s:\n{self.log_end()}")
                time.sleep(0.05)

    def wait_unready(self, reason: str) -> None:
        """Waits until the service is alive but reports that it is not ready, with `reason` in its answer."""
        deadline = time.monotonic() + READY_SECONDS
        with Client(self.url, timeout=5) as client:
            while True:
                try:
                    answer = client.get("/health/ready")
                    said = f"{answer.status} {answer.body!r}"
                    if answer.status == 503 and reason in answer.body.decode():
                        return
                except OSError as failure:
                    said = str(failure)
                if not self.running or time.monotonic() >= deadline:
                    raise NotReady(f"{self.service} does not say that {reason!r} but {said}:\n{self.log_end()}")
                time.sleep(0.05)

    def wait_stopped(self, seconds: float) -> None:
        """Waits until a SIGSTOP has stopped the process."""
        deadline = time.monotonic() + seconds
        while not self.stopped:
            if not self.running or time.monotonic() >= deadline:
                raise NotReady(f"{self.service} did not stop:\n{self.log_end()}")
            time.sleep(0.02)

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        """Sends SIGKILL, so the process cannot run a handler or flush data."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """Sends SIGTERM, and returns the exit code."""
        if self.running:
            self._process.send_signal(signal.SIGTERM)
        return self.wait(30)

    def wait(self, seconds: float) -> int:
        """Waits until the process ends on its own, and returns its exit code."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise NotReady(f"{self.service} still runs after {seconds} s:\n{self.log_end()}") from None

    def log(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def log_end(self) -> str:
        """Returns the last lines of the process's log, or everything from an unhandled exception on."""
        log = self.log()
        unhandled = log.rfind("Unhandled exception.")
        return log[unhandled:] if unhandled >= 0 else "\n".join(log.splitlines()[-15:])


class Run:
    """The output of a command that ended, and its exit code."""

    def __init__(self, done: subprocess.CompletedProcess):
        self.code, self.out, self.error = done.returncode, done.stdout, done.stderr

    def lines(self) -> list[dict]:
        """Returns the JSON objects of the output, one per line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def __str__(self) -> str:
        return f"exit code {self.code}\n{self.out}{self.error}"


class Deployment:
    """One log: a data folder, a database, the three services and any additional replicas. Use it as a context manager, which removes
    everything afterwards."""

    def __init__(self, settings: dict[str, str] | None = None, replicas: int = 1, before_start=None, engine: str | Callable = Sqlite.name, query: str = QUERY):
        """`engine` is the name of one of ENGINES, or a function that makes an object like theirs."""
        self.data = Path(tempfile.mkdtemp(prefix="optiks-e2e-"))
        self.data.chmod(0o700)
        # The first program creates its keys only in an empty folder, so the log files are in a separate folder.
        self.logs = Path(tempfile.mkdtemp(prefix="optiks-e2e-log-"))
        self.storage = (engine if callable(engine) else ENGINES[engine])(self.data, self.logs)
        lease = {"Optiks__UpdateTask__LeaseDuration": f"00:00:{self.storage.lease_seconds:02}"}
        self._environment = {**clean_environment(), "OPTIKS_DATA": str(self.data), **FAST, **lease, **(settings or {})}
        self._before_start = before_start
        self.cleanup = ExitStack()
        """Runs after the last process has ended."""
        self.task, self.standby, self.update = self._process(TASK), self._process(TASK), self._process(UPDATE)
        """Entering the context does not start the standby."""
        self.other_update = self._process(UPDATE)
        """Entering the context does not start this second update-service."""
        self.queries = [self._process(query) for _ in range(replicas)]

    def _process(self, service: str) -> Process:
        port, database_port = free_port(), self._database_port(service)
        return Process(service, self.logs / f"{service}-{port}.log", lambda: self._environment | self.storage.settings(service, database_port), port)

    def _database_port(self, service: str) -> int | None:
        """Returns the port at which one more process of this service finds the database, or None for the database's own port."""
        return None

    @property
    def query(self) -> Process:
        return self.queries[0]

    @property
    def processes(self) -> list[Process]:
        return [self.task, self.update, *self.queries]

    @property
    def database(self) -> Path:
        """Returns SQLite's file."""
        return self.storage.database

    @property
    def environment(self) -> dict[str, str]:
        """Returns the environment in which the log's users run programs."""
        return self._environment

    @property
    def api_key(self) -> str:
        return (self.data / "api-key").read_text().strip()

    def __enter__(self) -> "Deployment":
        try:
            self.storage.prepare()
            self.migrate()
            self.storage.migrated()
            if self._before_start is not None:
                self._before_start(self)
            self.start()
            self.wait_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for process in (*self.processes, self.standby, self.other_update):
            if process.running:
                process.kill()
        self.cleanup.close()
        self.storage.close()
        shutil.rmtree(self.data)
        shutil.rmtree(self.logs)

    def start(self) -> None:
        for process in self.processes:
            process.start()

    def stop(self) -> None:
        """Stops the services in order, query-services first."""
        for process in reversed(self.processes):
            code = process.stop()
            if code != 0:
                raise NotReady(f"{process.service} ended with {code}:\n{process.log_end()}")

    def wait_ready(self) -> None:
        for process in self.processes:
            process.wait_ready()

    def migrate(self) -> None:
        done = self.optiks_db("migrate")
        if done.code != 0:
            raise NotReady(f"optiks-db migrate: {done}")

    def optiks_db(self, *arguments, **variables: str) -> Run:
        """Runs optiks-db as the database's owner, with these environment variables too."""
        return self._run([OUT / "db/optiks-db", *arguments], variables)

    def optiks(self, *arguments: str, query: Process | None = None) -> Run:
        """Runs the command line optiks as a user of this data folder."""
        return self.optiks_at([(query or self.query).url], self.update.url, *arguments)

    def optiks_at(self, query_urls: list[str], update_url: str, *arguments: str) -> Run:
        """Runs the command line like the method `optiks`, but with services at these URLs."""
        urls = [part for url in query_urls for part in ("--query-url", url)]
        return self._run([OUT / "cli/optiks", *arguments, *urls, "--update-url", update_url])

    def _run(self, command: list, variables: dict[str, str] | None = None) -> Run:
        environment = self._environment | self.storage.settings(None) | (variables or {})
        return Run(subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False))

    def update_client(self, service: Process | None = None, **options) -> Client:
        return Client((service or self.update).url, self.api_key, **options)

    def query_client(self, replica: int = 0, **options) -> Client:
        return Client(self.queries[replica].url, self.api_key, **options)

    def publish(self, *updates: tuple[str, str]) -> dict:
        """Sends one atomic request with these updates, waits until it is published, and returns its status."""
        return self._publish("/v1/updates", {"items": [{"key": key, "value": value} for key, value in updates]})

    def change_user(self, *changes: dict, user_b64: str | None = None) -> dict:
        """Sends changes of one user, waits until they are published, and returns the request's status. If `user_b64` is None, they create a
        new user."""
        return self._publish("/v1/users", {"changes": changes} | ({"user_b64": user_b64} if user_b64 else {}))

    def _publish(self, path: str, document: dict) -> dict:
        with self.update_client(timeout=90) as client:
            accepted = client.post_json(path, document)
            if accepted.status != 202:
                raise AssertionError(f"{path}: HTTP {accepted.status} {accepted.body!r}")
            status = client.get(f"{accepted.json()['status_url']}?wait=60").json()
            if status["status"] != "published":
                raise AssertionError(f"{path}: {status}")
            self.wait_served(status["epoch"])
            return accepted.json() | status

    def wait_served(self, epoch: int) -> None:
        """Waits until every replica serves this epoch or a later epoch."""
        deadline = time.monotonic() + 60
        for replica in range(len(self.queries)):
            with self.query_client(replica) as client:
                while (answer := client.get("/v1/epochs/latest", "application/json")).status != 200 or answer.json()["record_fields"]["epoch"] < epoch:
                    if time.monotonic() >= deadline:
                        raise AssertionError(f"replica {replica} does not show epoch {epoch}")
                    time.sleep(0.05)

    def facts(self) -> dict[str, list]:
        """Returns the rows that updates have left in the database. Only for the engine SQLite."""
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as connection:
            return {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
                    for table in ("request", "pending", "outcome", "leaf", "value")}


def clean_environment() -> dict[str, str]:
    """Returns this process's environment, without variables that a developer set for another Optiks log."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(("OPTIKS", "ASPNETCORE_", "XDG_DATA"))}
    if "DOTNET_ROOT" not in kept and (dotnet := shutil.which("dotnet")):
        # Without this variable, the programs find the .NET runtime only in its standard folders.
        kept["DOTNET_ROOT"] = str(Path(dotnet).resolve().parent)
    return kept
