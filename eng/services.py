#!/usr/bin/python3
"""Runs update-task, update-service and query-service on SQLite, to try Optiks out on one machine.

usage: services.py run|up|down

  run    in the foreground until Ctrl-C
  up     in the background; returns when all services are ready
  down   stops the services; succeeds when none of them runs

Environment: OPTIKS_DATA (database, keys, board, logs), OPTIKS_QUERY_PORT, OPTIKS_UPDATE_PORT, OPTIKS_TASK_PORT
(docs/operations/variables.md). Exit code 78: one of these variables has an invalid value.
"""

import contextlib
import errno
import fcntl
import http.client
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
OPTIKS_DB = ROOT / "build/bin/optiks-db"
DEFAULT_DATA = os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "optiks")
READY_SECONDS = 60
STOP_SECONDS = 20
POLL_SECONDS = 0.1
LINES_SHOWN = 20
MISCONFIGURED = 78
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Failure(Exception):
    """Raised to end the script with a message for the user and an exit code."""

    def __init__(self, text: str, code: int = 1):
        super().__init__(text)
        self.code = code


class Stopped(Exception):
    """Raised if a signal asked this script to stop."""


def say(text: str) -> None:
    print(text, flush=True)


def complain(text: str) -> None:
    print(f"optiks: {text}", file=sys.stderr, flush=True)


def start_time(pid: int) -> str | None:
    """Returns the start time of a running process. The same pid may belong to another process later, but the pid and the start time
    together always identify one process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The fields are counted from the last closing parenthesis, which ends the command's name, because the name may contain spaces.
    state, *fields = stat.rpartition(") ")[2].split()
    return None if state == "Z" else fields[18]


@dataclass(frozen=True)
class Service:
    """One of the three services, with its port and its files in the data folder."""

    name: str
    program: str
    variable: str
    default_port: int
    data: Path

    @property
    def port(self) -> str:
        return os.environ.get(self.variable) or str(self.default_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.data / "log" / f"{self.name}.log"

    @property
    def _pid_file(self) -> Path:
        return self.data / "run" / f"{self.name}.pid"

    def pid(self) -> int | None:
        """Returns the pid of the service's process that was started earlier, or None if it no longer runs."""
        try:
            pid, started = self._pid_file.read_text().split()
        except (OSError, ValueError):
            return None
        return int(pid) if start_time(int(pid)) == started else None

    def started_pid(self) -> int:
        """Returns the pid of the service's process that was started earlier, even if the process has ended since."""
        return int(self._pid_file.read_text().split()[0])

    def start(self) -> None:
        folder = ROOT / "build/out" / self.name
        if not (folder / self.program).exists():
            raise Failure(f"{folder / self.program} is missing: run 'make programs' first")
        # Without this check, another program that uses the port could answer the health request in place of the service.
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(self.port))) == 0:
                raise Failure(f"{self.name} cannot start: another program listens on port {self.port}")
        with self.log.open("ab") as log:
            # The process gets its own session, so that Ctrl-C reaches only this script, which then stops the services in their order.
            process = subprocess.Popen([folder / self.program, "--urls", self.url], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self._pid_file.write_text(f"{process.pid} {start_time(process.pid)}\n")

    def wait_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self._is_ready():
            if self.pid() is None:
                raise Failure(f"{self.name} stopped while starting. {self.log_end()}")
            if time.monotonic() >= deadline:
                raise Failure(f"{self.name} is not ready after {READY_SECONDS} s ({self.url}/health/ready). {self.log_end()}")
            time.sleep(POLL_SECONDS)

    def _is_ready(self) -> bool:
        try:
            # The request must not be sent through a proxy that the environment names, because the service is on this machine.
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{self.url}/health/ready", timeout=2) as answer:
                return answer.status == 200
        except (OSError, http.client.HTTPException):
            return False

    def log_end(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-LINES_SHOWN:]
        return "\n".join([f"The end of {self.log}:", *lines])

    def stop(self) -> bool:
        """Stops the service's process. Returns False if the process had to be killed."""
        stopped = True
        if (pid := self.pid()) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            deadline = time.monotonic() + STOP_SECONDS
            while self.pid() is not None:
                if time.monotonic() >= deadline:
                    complain(f"{self.name} did not stop within {STOP_SECONDS} s and is killed (nothing accepted is lost)")
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    stopped = False
                    break
                time.sleep(POLL_SECONDS)
            # Waiting works only if the service's process is a child of this process.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
            say(f"stopped {self.name}")
        self._pid_file.unlink(missing_ok=True)
        return stopped


class Services:
    """The three services on one data folder, in the order in which they are started. The update-task is first, because the query-service is
    not ready before the update-task has published epoch 0."""

    def __init__(self) -> None:
        # The path is absolute, because each service is started in a folder of its own.
        self.data = Path(os.path.abspath(os.environ.get("OPTIKS_DATA") or DEFAULT_DATA))
        os.environ["OPTIKS_DATA"] = str(self.data)
        self.all = [
            Service("update-task", "Optiks.UpdateTask", "OPTIKS_TASK_PORT", 8321, self.data),
            Service("update-service", "Optiks.UpdateService", "OPTIKS_UPDATE_PORT", 8311, self.data),
            Service("query-service", "Optiks.QueryService", "OPTIKS_QUERY_PORT", 8301, self.data),
        ]

    def run(self) -> int:
        for service in self.all:
            if service.pid() is not None:
                raise Failure(f"{service.name} already runs on this data ({self.data}): use 'make down' first")

        def stop(*_) -> NoReturn:
            raise Stopped

        for number in STOPS:
            signal.signal(number, stop)
        try:
            self.start()
            self._print_next_steps()
            say("Ctrl-C stops everything.")
            return self._watch()
        except Stopped:
            say("")
            return 0
        finally:
            for number in STOPS:
                signal.signal(number, signal.SIG_IGN)
            self.stop(self.all)

    def _watch(self) -> int:
        """Waits until one of the services ends, and returns the script's exit code."""
        # A service may already have ended before this call. The loop must find such a service too.
        children = {service.started_pid(): service for service in self.all}
        while (ended := os.wait())[0] not in children:
            pass
        code = os.waitstatus_to_exitcode(ended[1])
        if code in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
            # The service ended because of `make down` or a signal from the user, which is not a failure.
            say("a service was stopped from elsewhere: stopping all")
            return 0
        service = children[ended[0]]
        complain(f"{service.name} stopped with exit code {code}. {service.log_end()}")
        return code if code > 0 else 128 - code

    def up(self) -> int:
        self.start()
        self._print_next_steps()
        own_data = "" if str(self.data) == DEFAULT_DATA else f"OPTIKS_DATA={shlex.quote(str(self.data))} "
        say(f"Running in the background; '{own_data}make down' stops everything.")
        return 0

    def down(self) -> int:
        return self.stop(self.all)

    def start(self) -> None:
        """Starts the services that are not running yet, and waits until all services are ready. If one of them fails, stops the services
        that this call started."""
        started = []
        with self._prepared():
            try:
                for service in self.all:
                    if service.pid() is None:
                        service.start()
                        started.append(service)
                for service in self.all:
                    service.wait_ready()
            except BaseException:
                self.stop(started)
                raise

    @staticmethod
    def stop(services: list[Service]) -> int:
        """Stops the services in the reverse order of their starts, so that the update-task, which writes the epochs, stops last."""
        return 0 if all([service.stop() for service in reversed(services)]) else 1

    @contextlib.contextmanager
    def _prepared(self) -> Iterator[None]:
        """A context in which the data folder exists, its database is migrated, and no other run of this script can start services."""
        self._check_ports()
        if not OPTIKS_DB.exists():
            raise Failure(f"{OPTIKS_DB} is missing: run 'make programs' first")
        self._make_data_folder()
        with contextlib.closing(_Lock(self.data)):
            # Without DOTNET_ROOT, the programs would find the .NET runtime only in its standard folders.
            if not os.environ.get("DOTNET_ROOT") and (dotnet := shutil.which("dotnet")) is not None:
                os.environ["DOTNET_ROOT"] = str(Path(dotnet).resolve().parent)
            # This command creates or migrates the schema, which services never do. It may be repeated. It runs before this script creates
            # files in the folder, because only an empty folder gets development keys.
            if (code := subprocess.run([OPTIKS_DB, "migrate"], check=False).returncode) != 0:
                sys.exit(code)
            for folder in ("run", "log"):
                (self.data / folder).mkdir(mode=0o700, exist_ok=True)
            yield

    def _check_ports(self) -> None:
        taken: dict[str, str] = {}
        for service in self.all:
            if re.fullmatch("[1-9][0-9]{0,4}", service.port) is None or int(service.port) > 65535:
                raise Failure(f"{service.variable} is '{service.port}', not a port from 1 to 65535", MISCONFIGURED)
            if service.port in taken:
                raise Failure(f"{service.variable} and {taken[service.port]} are both {service.port}: give each service a port of its own", MISCONFIGURED)
            taken[service.port] = service.variable

    def _make_data_folder(self) -> None:
        try:
            before = os.umask(0o077)
            try:
                self.data.mkdir(parents=True, exist_ok=True)
            finally:
                os.umask(before)
            if not os.access(self.data, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as why:
            raise Failure(f"OPTIKS_DATA, {self.data}, cannot be made or written ({why.strerror}): set it to a folder that you may write", MISCONFIGURED) from why

    def _print_next_steps(self) -> None:
        task, update, query = self.all
        # The variables that differ from the defaults, quoted for a shell. The user must set them in another terminal to use the services
        # there.
        own = [] if str(self.data) == DEFAULT_DATA else [f"OPTIKS_DATA={shlex.quote(str(self.data))}"]
        own += [f"{service.variable}={service.port}" for service in self.all if service.port != str(service.default_port)]
        export = f"\n  export {' '.join(own)}" if own else ""
        optiks = "build/bin/optiks"
        say(f"""
Optiks is ready. Data, keys and logs: {self.data}

  query-service   {query.url}   (/docs, /log/checkpoint, /health/ready)
  update-service  {update.url}   (/docs, /health/ready)
  update-task     {task.url}   (/health/ready)

Try, in another terminal:
{export}
  {optiks} update alice "alice's public key" --wait
  {optiks} lookup alice
  {optiks} lookup bob
  {optiks} history alice
  {optiks} audit
""")


class _Lock:
    """A lock on a folder, which is held until close(). The services do not inherit the lock."""

    def __init__(self, folder: Path):
        self._descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as why:
            self.close()
            raise Failure(f"another services.py is starting services in {folder}") from why

    def close(self) -> None:
        os.close(self._descriptor)


def main() -> NoReturn:
    if len(sys.argv) != 2 or sys.argv[1] not in ("run", "up", "down"):
        complain("usage: services.py run|up|down")
        sys.exit(2)
    try:
        sys.exit(getattr(Services(), sys.argv[1])())
    except Failure as failure:
        complain(str(failure))
        sys.exit(failure.code)


if __name__ == "__main__":
    main()
