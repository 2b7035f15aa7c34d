"""The faults to which a trial exposes a log. After each fault, the trial checks that every process runs again, and that an update is
published and served."""

import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness import FAIL_POINT, ROOT, Deployment, Process
from oracle import require
from storage import OwnPostgreSql, Sqlite
from trial import Trial

KILLED, ROLLBACK = -signal.SIGKILL, 4
# The time limit, in seconds, for actions that take a few seconds on an idle machine.
LONG_SECONDS = 90
# Nobody wakes a frozen update-service, so the other services must continue without it. PostgreSQL ends the transaction of the frozen
# service's large group within ten seconds.
FROZEN_SECONDS = 60
GENESIS, DRAW, ACCEPT = "genesis-key", "draw", "accept"


def fail_points() -> list[str]:
    """Returns the services' fail points that docs/operations/fail-points.md lists, in the page's order."""
    page = (ROOT / "docs/operations/fail-points.md").read_text()
    return re.findall(r"^\| `([a-z-]+)` \| update-", page, re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    name: str
    put: Callable[[Trial], None]
    """Causes the fault, and returns when all services work again."""


def one(point: str, put: Callable[[Trial], None]) -> Fault:
    """Makes a fault that has one row in the report."""

    def put_and_go_on(trial: Trial) -> None:
        with trial.fault(point):
            put(trial)
        trial.goes_on()

    return Fault(point, put_and_go_on)


def kill_at_genesis(log: Deployment) -> None:
    """Kills the update-task while it makes the genesis record of a new log."""
    log.task.start(**{FAIL_POINT: GENESIS})
    require(log.task.wait(LONG_SECONDS) == KILLED, f"{GENESIS} did not kill: {log.task.log_end()}")


def after_genesis(trial: Trial) -> None:
    with trial.fault(GENESIS):
        trial.goes_on()


def killed_at_some(name: str, points: list[str], count: int | None = None) -> Fault:
    """Makes a fault in which the update-task kills itself with SIGKILL at this many fail points in turn, by default at each. After each
    kill, the next process gets the next fail point."""

    def put(trial: Trial) -> None:
        task = trial.log.task
        require(task.stop() == 0, task.log_end())
        for name in trial.random.sample(points, count or len(points)):
            with trial.fault(name):
                trial.accept(f"before {name}")
                _start_to_be_killed(trial, task, name)
        task.start()
        task.wait_ready()
        trial.goes_on()

    return Fault(name, put)


def killed_at(name: str) -> Fault:
    """Makes a fault in which the update-service kills itself with SIGKILL at a fail point."""

    def put(trial: Trial) -> None:
        update = trial.log.update
        require(update.stop() == 0, update.log_end())
        _start_to_be_killed(trial, update, name)
        update.start()
        update.wait_ready()

    return one(name, put)


def frozen_at_draw(trial: Trial) -> None:
    """Stops an update-service with SIGSTOP in the middle of its transaction. Another update-service must continue to accept updates."""
    frozen, other = trial.log.update, trial.log.other_update
    other.start()
    other.wait_ready()
    trial.restart(frozen, **{FAIL_POINT: f"{DRAW}:{trial.random.randint(1, 3)}:stop"})
    frozen.wait_stopped(LONG_SECONDS)
    started = time.monotonic()
    for i in range(3):
        trial.accept(f"beside a frozen service, {i}", other)
    waited = time.monotonic() - started
    frozen.signal(signal.SIGCONT)
    frozen.wait_ready()
    require(waited < FROZEN_SECONDS, f"others waited {waited:.0f} s for a frozen update-service")
    require(other.stop() == 0, other.log_end())


def _start_to_be_killed(trial: Trial, process: Process, name: str) -> None:
    process.start(**{FAIL_POINT: f"{name}:{trial.random.randint(1, 2)}"})
    require(process.wait(LONG_SECONDS) == KILLED, f"{name} did not kill: {process.log_end()}")


def killed(name: str, choose: Callable[[Trial], Process]) -> Fault:
    """Makes a fault that sends SIGKILL to the chosen process at a random time, and starts the process again after a random time."""

    def put(trial: Trial) -> None:
        process = choose(trial)
        trial.moment()
        process.kill()
        trial.moment()
        process.start()
        process.wait_ready()

    return one(f"kill -9 {name}", put)


def paused(name: str, choose: Callable[[Trial], Process]) -> Fault:
    """Makes a fault that sends SIGSTOP to the chosen process, and SIGCONT after a random time of at most one and a half leases. With a
    lease of two seconds these are three seconds."""

    def put(trial: Trial) -> None:
        process = choose(trial)
        trial.moment()
        process.signal(signal.SIGSTOP)
        trial.moment(1.5 * trial.log.storage.lease_seconds)
        process.signal(signal.SIGCONT)
        process.wait_ready()

    return one(f"pause {name}", put)


def server_killed(trial: Trial) -> None:
    trial.moment()
    trial.log.storage.server.kill()
    trial.moment(2)
    trial.log.storage.server.start()
    trial.log.wait_ready()


def server_restarted(trial: Trial) -> None:
    trial.moment()
    trial.log.storage.server.stop()
    trial.moment(2)
    trial.log.storage.server.start()
    trial.log.wait_ready()


def session_killed(trial: Trial) -> None:
    """Kills one session of PostgreSQL. The postmaster then ends all other sessions too, and recovers."""
    trial.moment()
    trial.log.storage.kill_session(trial.random)
    trial.log.wait_ready()


def session_paused(trial: Trial) -> None:
    trial.moment()
    with trial.log.storage.paused_session(trial.random):
        trial.moment(3)
    trial.log.wait_ready()


def overtaken_at(name: str) -> Fault:
    """Makes a fault in which a task stops at the fail point until its lease has ended and another task has taken over. Then the old task
    wakes up."""

    def put(trial: Trial) -> None:
        old, successor = trial.log.task, trial.log.standby
        trial.restart(old, **{FAIL_POINT: f"{name}:{trial.random.randint(1, 3)}:stop"})
        old.wait_stopped(LONG_SECONDS)
        fence = trial.oracle.status()["fence"]
        told, told_by_successor = len(old.log()), len(successor.log())
        successor.start()
        successor.wait_ready()
        # At first the successor is a standby: it is ready, but it does not yet hold the lease.
        deadline = time.monotonic() + LONG_SECONDS
        while "Holding the lease" not in successor.log()[told_by_successor:]:
            require(time.monotonic() < deadline, f"nobody took over: {successor.log_end()}")
            time.sleep(0.1)
        trial.log.task, trial.log.standby = successor, old
        trial.publish(f"by the successor of {name}")
        # The successor may have killed the old task, because the old task still held the board's lock.
        if old.running:
            old.signal(signal.SIGCONT)
            while "No longer the writer" not in old.log()[told:]:
                require(old.running, f"the old task ended: {old.log_end()}")
                require(time.monotonic() < deadline, f"the old task still takes itself for the writer: {old.log_end()}")
                time.sleep(0.1)
            require(trial.oracle.status()["fence"] == fence + 1, "the old task took the lease back from a living one")
            require(old.stop() == 0, old.log_end())
        else:
            require(old.wait(0) == KILLED, old.log_end())

    return one(f"overtaken at {name}", put)


def _accepts_without_publishing(trial: Trial) -> None:
    size = trial.oracle.histories.look()
    trial.accept("meanwhile")
    trial.moment(2)
    require(trial.oracle.histories.look() == size, "an epoch was published meanwhile")


def _faketime() -> Path:
    """Returns the path of Debian's library faketime, in the folder of this machine's architecture."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    require(len(found) > 0, "libfaketime is missing: run eng/install.sh faketime")
    return found[0]


def clock_jumped(seconds: int) -> Fault:
    """Makes a fault in which the clock of the update-task, and no other clock, jumps while the task runs."""

    def put(trial: Trial) -> None:
        clock = trial.log.logs / "clock"
        clock.write_text("+0\n")
        task = trial.log.task
        # The monotonic clock and the waits that use it stay unchanged. With faketime's "fix" for this clock, such waits would end at
        # random.
        trial.restart(task, LD_PRELOAD=str(_faketime()), FAKETIME_TIMESTAMP_FILE=str(clock), FAKETIME_NO_CACHE="1",
                      FAKETIME_DONT_FAKE_MONOTONIC="1", FAKETIME_FORCE_MONOTONIC_FIX="0")
        task.wait_ready()
        trial.publish("with the clock right")
        clock.write_text(f"{seconds:+}\n")
        task.wait_unready("The clocks disagree")
        _accepts_without_publishing(trial)
        clock.write_text("+0\n")
        task.wait_ready()
        trial.publish("with the clock right again")
        trial.restart(task)
        task.wait_ready()

    return one(f"clock {seconds:+} s", put)


def rolled_back(running: bool) -> Fault:
    """Makes a fault that restores an older copy of the database under stopped or running services, and brings the database up to date from
    the board's bundles."""

    def put(trial: Trial) -> None:
        log = trial.log
        copy = log.storage.back_up(f"copy-{time.monotonic_ns()}")
        trial.publish("that the copy lacks")
        trial.moment(2)
        with trial.quiet():
            size = trial.oracle.histories.look()
            if not running:
                log.stop()
            log.storage.put_back(copy)
            if not running:
                log.start()
            require(log.task.wait(LONG_SECONDS) == ROLLBACK, log.task.log_end())
            require("older copy of the database" in log.task.log(), log.task.log_end())
            log.update.wait_ready("live")
            log.update.wait_unready("do not agree")
            with log.update_client() as client:
                status = client.post_json("/v1/updates", {"key": "trial", "value": "must not be taken"}).status
                require(status == 503, f"an older copy took an update: {status}")
            require(trial.oracle.histories.look() == size, "the board changed")
            run = log.optiks_db("import-bundles", log.data / "board/state/bundles")
            require(run.code == 0, f"import-bundles: {run}")
            log.task.start()
            log.wait_ready()

    return one(f"older copy beneath {'running' if running else 'stopped'} services", put)


def board_full(trial: Trial) -> None:
    """Fills the board's disk. Epochs then wait, while the update-service continues to accept updates."""
    disk = trial.board_disk()
    with disk.full():
        trial.log.task.wait_unready("cannot be written")
        _accepts_without_publishing(trial)
    trial.log.task.wait_ready()


def task(trial: Trial) -> Process:
    return trial.log.task


def update(trial: Trial) -> Process:
    return trial.log.update


def query(trial: Trial) -> Process:
    return trial.log.query


# A log that does not switch periods never reaches these fail points, and a log that serves all of its periods never reaches the fail points
# of destroying.
OF_PERIODS, DESTROYING = "period-", "period-destroying"
# The logs of this suite have no witnesses and no bucket, so they never reach these fail points. test_witnesses.py and BucketTests kill the
# task there.
ELSEWHERE = ("quorum", "release", "bucket-mark", "bucket-object", "bucket-objects", "bucket-checkpoint")
POINTS = [name for name in fail_points() if name not in (GENESIS, DRAW, ACCEPT, *ELSEWHERE) and not name.startswith(OF_PERIODS)]
PERIOD_POINTS = [name for name in fail_points() if name.startswith(OF_PERIODS) and name != DESTROYING]
AT_POINTS = killed_at_some("fail points of the update-task", POINTS)
AT_DRAW, AT_ACCEPT = killed_at(DRAW), killed_at(ACCEPT)
FROZEN_AT_DRAW = one("frozen at draw beside another update-service", frozen_at_draw)
KILLS = [killed("update-task", task), killed("update-service", update), killed("query-service", query)]
PAUSES = [paused("update-task", task), paused("update-service", update), paused("query-service", query)]
AT_PERIOD_POINTS = killed_at_some("fail points of periods", PERIOD_POINTS)
OVERTAKEN = {name: overtaken_at(name) for name in [*POINTS, *PERIOD_POINTS]}
SERVER_KILLED = one("kill -9 of the database server", server_killed)
SERVER = [SERVER_KILLED, one("restart of the database server", server_restarted),
          one("kill -9 of a database session", session_killed), one("pause of a database session", session_paused)]
CLOCKS = [clock_jumped(3600), clock_jumped(-3600)]
BENEATH_STOPPED, BENEATH_RUNNING = rolled_back(running=False), rolled_back(running=True)
BOARD_FULL = one("full disk beneath the board", board_full)


def random_ones(engine: str) -> list[Fault]:
    """Returns faults that kill or pause each process that may die or hang."""
    return KILLS + PAUSES + (SERVER if engine == OwnPostgreSql.name else [])


def every(engine: str) -> list[Fault]:
    """Returns every fault that the test's user can cause on an engine. No fault kills a database server that belongs to others, or restores
    it from a copy."""
    copies = [BENEATH_STOPPED, BENEATH_RUNNING] if engine in (Sqlite.name, OwnPostgreSql.name) else []
    # SQLite has one writer, so a process that stops inside its transaction stops all other writers.
    several = [] if engine == Sqlite.name else [FROZEN_AT_DRAW]
    return [AT_POINTS, AT_DRAW, AT_ACCEPT, *several, *random_ones(engine), *(OVERTAKEN[name] for name in POINTS), *CLOCKS, *copies, *([BOARD_FULL] if os.geteuid() == 0 else [])]
