"""A log in a storm. It has two processes of each service, and every connection goes through a proxy that stalls, cuts and refuses
connections. Meanwhile processes are killed, paused and told to stop."""

import heapq
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import faults
from harness import FAIL_POINT, ROOT, TASK, UPDATE, Deployment, NotReady, Process, Run
from load import BulkWriter, Reader, Worker, Writer
from oracle import Wrong, require
from proxy import Proxies
from rest import FailoverClient
from trial import READ_KEYS, Row, Trial

EXIT_CODES = ROOT / "docs/operations/exit-codes.md"
# A shell's exit code is this number plus the number of the signal that ended the process.
SIGNALLED = 128
# BETWEEN: seconds between two strikes on processes. RESTART: seconds until a process is started again.
BETWEEN, RESTART = 3.0, 1.0
# The share of the strikes that hit the database server.
SERVER_SHARE = 0.15
STALE = "stale"
# The longest pause of a process in seconds. It is longer than every lease, and longer than the time after which PostgreSQL ends a session
# that is idle in its transaction.
LONGEST_PAUSE = 12.0
LOOK = 0.05
# The time limit for the calm after a storm. It is long enough for a busy machine, on which starting processes may find no database in time
# and start again.
SETTLE_SECONDS = 300
WRITERS, BULK_KEYS, BULK_PAUSE = 2, 20_000, 2.0


def restarted_after() -> dict[str, set[int]]:
    """Returns, for each service, the exit codes after which docs/operations/exit-codes.md lets a supervisor start the service again."""
    rows = re.findall(r"^\| (\d+) \| ([a-z-]+(?:, [a-z-]+)*) \|.*\| start it again \|$", EXIT_CODES.read_text(), re.MULTILINE)
    require(len(rows) > 0, f"{EXIT_CODES} names no exit code after which a service is started again")
    codes = defaultdict(set)
    for code, services in rows:
        for service in services.split(", "):
            codes[service].add(int(code))
    return codes


class Ends:
    """Records how processes ended. They may end only in ways that docs/operations/exit-codes.md lists, or as the test made them end."""

    def __init__(self) -> None:
        self.by_point: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """For each newest fault, the number of ends by service and exit code."""
        self._codes = restarted_after()

    def add(self, service: str, code: int, expected: set[int], point: str, log_end: str) -> None:
        """Records the end of a process. Raises Wrong if neither docs/operations/exit-codes.md nor the caller expects this end."""
        self.by_point[point][f"{service}: {code}"] += 1
        require(code in expected | self._codes[service], f"{service} ended with {code} during {point}, which {EXIT_CODES.name} does not let it:\n{log_end}")


@dataclass(frozen=True)
class StormRow(Row):
    """A row of build/test/storm.json: the row of a fault, with the processes that ended while this fault was the newest fault."""

    ends: dict[str, int] = field(default_factory=dict)
    """The number of ends by service and exit code, including processes that were killed or told to stop."""


class StormLog(Deployment):
    """An update-task and its standby, two update-services and two replicas. Each process has a proxy in front of its database (if the
    database is a server) and a proxy in front of itself."""

    def __init__(self, engine: str, proxies: Proxies):
        self._proxies = proxies
        super().__init__(replicas=2, engine=engine)
        self.updates = [self.update, self.other_update]
        self._update_urls = [self._by_way_of_proxy(process) for process in self.updates]
        self._query_urls = [self._by_way_of_proxy(process) for process in self.queries]

    @property
    def processes(self) -> list[Process]:
        return [self.task, self.standby, *self.updates, *self.queries]

    def _database_port(self, service: str) -> int | None:
        return self.storage.port and self._proxies.add(f"between {service} and database", self.storage.port)

    def _by_way_of_proxy(self, process: Process) -> str:
        return f"http://127.0.0.1:{self._proxies.add(f'before {process.service}', process.port)}"

    def wait_ready(self) -> None:
        """Waits until the processes are ready. Like a supervisor, it starts a process again that found no database in time."""
        codes = restarted_after()
        for process in self.processes:
            while True:
                try:
                    process.wait_ready()
                    break
                except NotReady:
                    if process.running or process.exit_code not in codes[process.service]:
                        raise
                    process.start()

    def callers(self) -> "CallersInStorm":
        return CallersInStorm(self, self._update_urls, self._query_urls)


class CallersInStorm:
    """The way in which users reach the log: through the proxies."""

    def __init__(self, log: StormLog, update_urls: list[str], query_urls: list[str]):
        self.data = log.data
        self._log, self._update_urls, self._query_urls = log, update_urls, query_urls

    def update_client(self, **options) -> FailoverClient:
        return FailoverClient(self._update_urls, self._log.api_key, **options)

    def optiks(self, *arguments: str) -> Run:
        return self._log.optiks_at(self._query_urls, self._update_urls[0], *arguments)


class StormReader(Reader):
    """A reader in a storm. The newest replica may be unreachable while the other replica is behind. Then the reader gets no answer either,
    and the client reports that it already knows a later epoch."""

    @staticmethod
    def is_no_answer(run: Run) -> bool:
        return Reader.is_no_answer(run) or {line["reason"] for line in run.lines()} == {STALE}


class Storm(Trial):
    """A trial whose log is in a storm. Use as a context manager. It judges each process that ends by the exit code and, if
    docs/operations/exit-codes.md says so, starts the process again."""

    def __init__(self, log: StormLog, proxies: Proxies, seed: int):
        super().__init__(log, seed, _writers, log.callers())
        self._proxies = proxies
        proxies.told = self._proxy_begins
        self._ends = Ends()
        self._expected: dict[Process, set[int]] = {}
        """The expected exit codes of processes that were killed or told to stop."""
        self._armed: dict[Process, str] = {}
        """Processes that kill or stop themselves at a fail point, with the fail point."""
        self._paused: set[Process] = set()
        self._down: set[Process] = set()
        """Processes that have ended and will be started again."""
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        self._blowing = False
        self._other_reader: Reader

    def __enter__(self) -> "Storm":
        super().__enter__()
        # This reader looks up other keys than the first reader, and has its own state.
        self._other_reader = self._read(self.writers[1].keys[:READ_KEYS], self.log.logs / "other-reader")
        return self

    def _read(self, keys: list[str], folder: Path) -> Reader:
        return StormReader(self.callers, keys, folder)

    @property
    def _workers(self) -> list[Worker]:
        return [*super()._workers, self._other_reader]

    def blow(self, seconds: float) -> None:
        """Runs one storm and the calm after it. In the calm, it checks that every process runs and is ready, and that all work
        continues."""
        self._proxies.storm()
        self._blowing = True
        end = time.monotonic() + seconds
        strike = time.monotonic() + self.random.uniform(0, BETWEEN)
        while (now := time.monotonic()) < end:
            if now >= strike:
                self._strike()
                strike = now + self.random.uniform(0, 2 * BETWEEN)
            self._do_due(now)
            self._look()
            time.sleep(LOOK)
        self._blowing = False
        self._proxies.calm()
        self._settle()
        self.goes_on()

    def judge(self) -> list[StormRow]:
        """Judges the log as Trial.judge does, and then ends all processes, in order."""
        self._kills.update(self._proxies.faults)
        rows = super().judge()
        require(self._other_reader.verified > 0, "no lookup was verified")
        self.log.stop()
        return [StormRow(**vars(row), ends=dict(self._ends.by_point[row.point])) for row in rows]

    def _settle(self) -> None:
        """Waits until all processes are ready. Meanwhile it starts processes again that end, and restarts processes that would end later at
        a fail point."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while waited_for := [process for process in self.log.processes if not self._is_settled(process)]:
            self._do_due(float("inf"))
            for process in self._free():
                if process in self._armed:
                    self._stop(process)
            self._look()
            if time.monotonic() >= deadline:
                ends = "\n".join(f"{process.service}:\n{process.log_end()}" for process in waited_for)
                raise Wrong(f"not ready {SETTLE_SECONDS} s after the storm: {ends}")
            time.sleep(LOOK)

    def _is_settled(self, process: Process) -> bool:
        return process.running and process not in self._armed and process not in self._expected and process.is_ready()

    def _strike(self) -> None:
        """Kills, pauses or stops one process, or the database server."""
        if self.log.storage.port is not None and self.random.random() < SERVER_SHARE:
            self._kill_server()
        elif free := self._free():
            process = self.random.choice(free)
            self.random.choice((self._kill, self._pause, self._stop))(process)

    def _kill(self, process: Process) -> None:
        self._count(f"kill -9 {process.service}")
        self._expected[process] = {SIGNALLED + signal.SIGKILL}
        process.signal(signal.SIGKILL)

    def _stop(self, process: Process) -> None:
        self._count(f"stop {process.service}")
        self._expected[process] = {0, SIGNALLED + signal.SIGTERM}
        process.signal(signal.SIGTERM)

    def _pause(self, process: Process) -> None:
        self._count(f"pause {process.service}")
        process.signal(signal.SIGSTOP)
        self._go_on_later(process)

    def _go_on_later(self, process: Process) -> None:
        self._paused.add(process)

        def go_on() -> None:
            self._paused.discard(process)
            process.signal(signal.SIGCONT)

        self._later(self.random.uniform(0, LONGEST_PAUSE), go_on)

    def _kill_server(self) -> None:
        server = self.log.storage.server
        if server.running:
            self._count("kill -9 database server")
            server.kill()
            self._later(self.random.uniform(0, RESTART), server.start)

    def _start(self, process: Process) -> None:
        """Starts a process. If the process has fail points, half of its starts in a storm set one of them. The process then kills or stops
        itself there."""
        self._down.discard(process)
        points = {TASK: faults.POINTS, UPDATE: [faults.DRAW, faults.ACCEPT]}.get(process.service)
        if points is None or not self._blowing or self.random.random() < 0.5:
            process.start()
            return
        name = self.random.choice(points)
        times = f"{name}:{self.random.randint(1, 3)}"
        if name != faults.ACCEPT and self.random.random() < 0.5:
            name, times = f"stop at {name}", f"{times}:stop"
        self._armed[process] = name
        process.start(**{FAIL_POINT: times})

    def _look(self) -> None:
        """Records which processes have ended, and how, and which have stopped themselves."""
        for process in self.log.processes:
            if process in self._down:
                continue
            if not process.running:
                self._ended(process)
            elif process in self._armed and process not in self._paused and process.stopped:
                self._count(self._armed.pop(process))
                self._go_on_later(process)

    def _ended(self, process: Process) -> None:
        code = process.exit_code if process.exit_code >= 0 else SIGNALLED - process.exit_code
        expected, armed = self._expected.pop(process, set()), self._armed.pop(process, None)
        if armed is not None and code == SIGNALLED + signal.SIGKILL and code not in expected:
            # The process may already have begun a regular stop when its fail point killed it.
            self._count(armed)
            expected = {code}
        self._ends.add(process.service, code, expected, self.point, process.log_end())
        self._down.add(process)
        self._later(self.random.uniform(0, RESTART), lambda: self._start(process))

    def _free(self) -> list[Process]:
        """Returns the processes that run and that are not under the effect of a strike."""
        return [process for process in self.log.processes
                if process.running and process not in self._paused and process not in self._expected and process not in self._down]

    def _proxy_begins(self, fault: str) -> None:
        """Records that a proxy begins a fault. The proxies call this method on their own thread."""
        self.point = fault

    def _count(self, fault: str) -> None:
        self.point = fault
        self._kills[fault] += 1

    def _later(self, seconds: float, do: Callable[[], None]) -> None:
        heapq.heappush(self._due, (time.monotonic() + seconds, next(self._order), do))

    def _do_due(self, now: float) -> None:
        while self._due and self._due[0][0] <= now:
            heapq.heappop(self._due)[2]()


def _writers(trial: Trial) -> list[Writer]:
    small = [Writer(trial.callers, f"writer{i}", trial.random.randrange(2**32), lambda: trial.point) for i in range(WRITERS)]
    bulk = BulkWriter(trial.callers, "bulk", trial.random.randrange(2**32), lambda: trial.point, BULK_KEYS, BULK_PAUSE)
    return [*small, bulk]
