"""A PostgreSQL server for a single test or benchmark. It runs Debian's programs on a free port, with its data in a private folder and
PostgreSQL's default durability. A test can kill and stop it, and restore it from a copy."""

import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ports import free_port

OWNER = "owner"
START_SECONDS = 60
STOP_SECONDS = 60


class ServerFailed(Exception):
    """A program of PostgreSQL failed; the exception's text has the program's output."""


def programs() -> Path:
    """Returns the folder with the programs of the newest major version, because Debian has a separate folder for each major version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise ServerFailed("/usr/lib/postgresql has no server: run eng/install.sh")
    return found[-1].parent


class PostgreSql:
    """The server. Use as a context manager: entering creates and starts the server; leaving ends and removes it. Methods are not
    thread-safe unless they say so."""

    def __init__(self, settings: dict[str, str] | None = None, environment: dict[str, str] | None = None):
        """`settings` are settings for the server's command line, such as {"shared_buffers": "1GB"}. `environment` has the server's
        environment variables; each start reads it again."""
        self.port = free_port()
        self._settings = settings or {}
        self._environment = environment or {}
        self._programs = programs()
        self._folder = Path(tempfile.mkdtemp(prefix="optiks-pg-"))
        self._process: subprocess.Popen | None = None
        self._user = account()
        if self._user:
            os.chown(self._folder, self._user["user"], self._user["group"])

    @property
    def data(self) -> Path:
        return self._folder / "data"

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> "PostgreSql":
        try:
            self._run("initdb", "-D", self.data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-instructions")
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        if self.running:
            self.kill()
        shutil.rmtree(self._folder)

    def start(self) -> None:
        """Starts the server, and returns when it accepts connections. A server that was killed recovers first."""
        options = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self._folder, "max_connections": 200} | self._settings
        with (self._folder / "log").open("ab") as log:
            # The server runs in a separate session, so that Ctrl-C reaches only the tests.
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, *(part for name, value in options.items() for part in ("-c", f"{name}={value}"))],
                cwd=self._folder, env=os.environ | self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **self._user)
        deadline = time.monotonic() + START_SECONDS
        while True:
            if not self.running or time.monotonic() >= deadline:
                raise ServerFailed(f"PostgreSQL did not start:\n{self.log_end()}")
            ready = subprocess.run([self._programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False)
            if ready.returncode == 0:
                return
            time.sleep(0.05)

    def stop(self, fast: bool = True) -> None:
        """Stops the server. If `fast` is set, the server ends its sessions and writes a checkpoint. Otherwise it stops at once, and
        recovers at the next start."""
        self._process.send_signal(signal.SIGINT if fast else signal.SIGQUIT)
        self._process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """Kills the postmaster with kill -9, and then every remaining process of the server. Returns when all processes have ended."""
        children = children_of(self._process.pid)
        self._process.kill()
        self._process.wait()
        kill_all(children)

    def kill_backend(self, pid: int) -> None:
        """Kills one session's process with kill -9. The postmaster then ends all other sessions and recovers, as after a bug in the
        server."""
        kill(pid)

    @contextmanager
    def paused_backend(self, pid: int) -> Iterator[None]:
        """Sends SIGSTOP to a session's process, and SIGCONT at the end of the context. This simulates a session that hangs in a system
        call."""
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def backends(self, database: str) -> list[int]:
        """Returns the process ids of the programs' sessions in a database, without the session that asks for them."""
        return [int(row) for row in self.sql(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid()", database)]

    def back_up(self, name: str) -> None:
        """Copies the whole server while it works (pg_basebackup), for put_back."""
        self._run("pg_basebackup", "-h", "127.0.0.1", "-p", self.port, "-U", OWNER, "-D", self._folder / name, "-c", "fast", "-X", "stream")

    def put_back(self, name: str) -> None:
        """Replaces the data of the stopped server by a copy. The copy itself stays for later use."""
        if self.running:
            raise ServerFailed("PostgreSQL runs: its data cannot be replaced")
        shutil.rmtree(self.data)
        self._execute(["cp", "-a", self._folder / name, self.data])

    def create_database(self, name: str) -> None:
        self.sql(f"CREATE DATABASE {name}")

    def sql(self, text: str, database: str = "postgres") -> list[str]:
        """Runs SQL and returns rows as psql prints them, with | between columns. Thread-safe."""
        return self._run("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", self.port, "-U", OWNER, "-d", database, "-c", text).splitlines()

    def connection_string(self, database: str, user: str = OWNER, port: int | None = None) -> str:
        """Returns a connection string in Npgsql's form. `port` is the port of a proxy in front of the server. With this string, services
        soon notice that the server is gone. The owner's tools wait longer than services, because the machine may be busy."""
        timeout = 60 if user == OWNER else 5
        return f"Host=127.0.0.1;Port={port or self.port};Database={database};Username={user};Timeout={timeout}"

    def log_end(self) -> str:
        return "\n".join((self._folder / "log").read_text(errors="replace").splitlines()[-15:])

    def _run(self, program: str, *arguments) -> str:
        return self._execute([self._programs / program, *map(str, arguments)])

    def _execute(self, command: Iterable) -> str:
        done = subprocess.run(list(command), cwd=self._folder, capture_output=True, text=True, check=False, **self._user)
        if done.returncode != 0:
            raise ServerFailed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def kill(pid: int) -> None:
    """Sends SIGKILL to a process. The process may have ended already, because the postmaster's death ends its children too."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def kill_all(pids: list[int]) -> None:
    """Kills all these processes, and returns when none of them runs. They are not children of this process, so this function cannot wait
    for them and checks repeatedly whether they still exist."""
    for pid in pids:
        kill(pid)
    deadline = time.monotonic() + STOP_SECONDS
    while any(_runs(pid) for pid in pids):
        if time.monotonic() >= deadline:
            raise ServerFailed(f"processes of PostgreSQL survive: {pids}")
        time.sleep(0.01)


def account() -> dict[str, object]:
    """Returns the account under which PostgreSQL runs, as arguments for subprocess. PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _runs(pid: int) -> bool:
    try:
        state = re.search(r"^State:\s+(\w)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return False
    return state is not None and state[1] not in "ZX"
