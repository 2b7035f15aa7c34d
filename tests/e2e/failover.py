"""Measures failovers of a log on the cluster of patroni.py, under constant load: how long no update is accepted, how long no epoch is
published, and whether an update is lost."""

import itertools
import json
import time
from dataclasses import dataclass

from harness import Deployment, NotReady, Process
from load import UNREACHABLE, BulkWriter, Writer
from oracle import require
from patroni import OnPatroni, Patroni
from rest import uuid7
from trial import Trial

WRITERS = 2
# The rate of each writer. It is high enough that the figures show when the services stopped and resumed accepting updates.
LISTS_PER_SECOND = 4
TAKEOVER_SECONDS = 90
# The least and the greatest number of seconds for which the load runs undisturbed before each kill; each time is random.
CALM_SECONDS = (2, 5)
# The services' default settings. Without these lines, the harness would set shorter times.
DEFAULTS = {"Optiks__UpdateTask__EpochInterval": "00:00:01", "Optiks__UpdateTask__LeasePollInterval": "00:00:01", "Optiks__UpdateTask__BoardLockTimeout": "00:00:10"}
# The number of times that a supervisor starts a service whose first connection took too long (docs/operations/exit-codes.md). On a busy
# machine, a TLS connection to a cluster may take too long.
STARTS = 12
PRIMARY, TASK = "kill -9 of the primary", "kill -9 of the active update-task"


@dataclass(frozen=True)
class Outage:
    """The outage that one kill caused: its kind and lengths."""

    point: str
    without_accepting: float
    without_epoch: float


class SteadyWriter(BulkWriter):
    """Sends lists of updates at a steady rate, whether or not earlier lists are published. After an outage it continues at this rate. It
    does not make up for the lists that it did not send during the outage."""

    def __init__(self, log, name, seed, point, rate: float, keys: int):
        """`rate` is the number of updates a second."""
        self.moments: list[float] = []
        """The times at which lists were accepted."""
        self._list = round(rate / LISTS_PER_SECOND)
        self._due = time.monotonic()
        super().__init__(log, name, seed, point, keys)

    def _work(self) -> None:
        time.sleep(max(0, self._due - time.monotonic()))
        self._due = max(self._due, time.monotonic() - 1 / LISTS_PER_SECOND) + 1 / LISTS_PER_SECOND
        Writer._work(self)
        self.moments.append(time.monotonic())

    def _document(self):
        keys = [self.keys[(self._next + i) % len(self.keys)] for i in range(self._list)]
        self._next += self._list
        return [{"request_id": uuid7(), "key": key, "value": f"{self._name} {self._number}.{i}"} for i, key in enumerate(keys)]


class Supervised(Deployment):
    """A log with a supervisor. If a service ends because the database is unreachable, the supervisor starts the service again."""

    def wait_ready(self) -> None:
        for process in self.processes:
            for left in reversed(range(STARTS)):
                try:
                    process.wait_ready()
                    break
                except NotReady:
                    if process.running or process.exit_code != UNREACHABLE or left == 0:
                        raise
                    process.start()


class Drill:
    """A log with two update-tasks, one of which is on standby, and with the load. Use as a context manager."""

    def __init__(self, seed: int, rate: float, keys: int):
        """`rate` is the number of updates a second. `keys` is the number of keys, which are changed in turn."""
        self._log = Supervised(DEFAULTS, engine=OnPatroni)

        def writers(trial: Trial) -> list[Writer]:
            return [SteadyWriter(trial.log, f"steady{i}", trial.random.randrange(2**32), lambda: trial.point, rate / WRITERS, keys // WRITERS) for i in range(WRITERS)]

        self._seed, self._writers = seed, writers
        self.trial: Trial

    def __enter__(self) -> "Drill":
        self._log.__enter__()
        try:
            self._log.standby.start()
            self._log.standby.wait_ready()
            self.trial = Trial(self._log, self._seed, self._writers)
            self.trial.__enter__()
        except BaseException:
            self._log.__exit__()
            raise
        return self

    def __exit__(self, *failure) -> None:
        self.trial.__exit__(*failure)
        self._log.__exit__()

    @property
    def cluster(self) -> Patroni:
        return self._log.storage.cluster

    def kill_primary(self) -> Outage:
        """Kills PostgreSQL and Patroni on the primary's host. When the cluster works again, starts them again, and the host follows the new
        primary."""
        self.cluster.wait_whole()
        self._calm()
        killed = self.cluster.leader()
        with self.trial.fault(PRIMARY):
            since = time.monotonic()
            killed.kill()
            self.cluster.wait_leader(killed)
            self._goes_on(since)
            self.cluster.start(killed)
            self.cluster.wait_whole()
        return self._outage(PRIMARY, since)

    def kill_task(self) -> Outage:
        """Kills the update-task that holds the lease. The log has two update-tasks."""
        self._calm()
        killed, successor = self._leading()
        with self.trial.fault(TASK):
            since = time.monotonic()
            killed.kill()
            self._goes_on(since)
            self._log.task, self._log.standby = successor, killed
            killed.start()
            killed.wait_ready()
        return self._outage(TASK, since)

    def _calm(self) -> None:
        self._wait_load(time.monotonic())
        time.sleep(self.trial.random.uniform(*CALM_SECONDS))

    def _leading(self) -> tuple[Process, Process]:
        """Returns the update-task that holds the lease, and the other update-task."""
        deadline = time.monotonic() + TAKEOVER_SECONDS
        while True:
            holder = self.trial.oracle.status()["lease_holder"]
            for one, other in itertools.permutations((self._log.task, self._log.standby)):
                if f"/{one.pid}/" in holder:
                    return one, other
            require(time.monotonic() < deadline, f"no task leads: {json.dumps(holder)}")
            time.sleep(0.1)

    def _goes_on(self, since: float) -> None:
        """Waits until an update sent after the kill is accepted, published and served."""
        self._wait_load(since)
        self.trial.publish("after a kill")

    def _wait_load(self, since: float) -> None:
        """Waits until updates are accepted and epochs are made again."""
        deadline = time.monotonic() + TAKEOVER_SECONDS
        while not self._is_later(since, self._accepted()) or not self._is_later(since, self.trial.watcher.moments):
            require(time.monotonic() < deadline, f"it does not go on: {self._log.update.log_end()}\n{self._log.task.log_end()}\n{self._log.standby.log_end()}\n{self.cluster.log_end()}")
            time.sleep(0.1)

    @staticmethod
    def _is_later(since: float, moments: list[float]) -> bool:
        # Two events after the kill are needed, because the first event may have been under way at the kill.
        return sum(moment > since + 0.5 for moment in moments[-3:]) >= 2

    def _accepted(self) -> list[float]:
        return sorted(moment for writer in self.trial.writers for moment in writer.moments)

    def _outage(self, point: str, since: float) -> Outage:
        return Outage(point, *(round(longest(moments, since), 2) for moments in (self._accepted(), sorted(self.trial.watcher.moments))))


def longest(moments: list[float], since: float) -> float:
    """Returns the longest time between two successive moments, of which the second is after `since`."""
    return max((after - before for before, after in itertools.pairwise(moments) if after > since), default=0)
