"""Exposes one log under load to faults, and judges the log afterwards."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from disk import BoardDisk
from harness import Deployment, Process
from load import ANSWER_SECONDS, Accepted, Callers, Reader, Watcher, Worker, Writer
from oracle import Oracle, require
from rest import uuid7
from user_load import UserWriter

WRITERS = 2
READ_KEYS = 12


@dataclass(frozen=True)
class Row:
    """A row of the report build/test/faults.json."""

    engine: str
    point: str
    kills: int
    accepted: int
    lost: int
    doubled: int
    histories: int


class Trial:
    """A trial of one log. Use as a context manager: entering starts the load on a running deployment, and leaving ends the load. The
    generator `random` decides all times."""

    def __init__(self, log: Deployment, seed: int, make_writers: Callable[["Trial"], list[Writer]] | None = None, callers: Callers | None = None):
        """`callers` says how the load reaches the log; if it is None, the load reaches the log directly."""
        self.log = log
        self.callers = callers or log
        self.random = random.Random(seed)
        self.oracle = Oracle(log, seed)
        self.point = "none"
        self.reader: Reader
        self.watcher: Watcher
        self.writers: list[Writer] = []
        self._make_writers = make_writers or _small_writers
        self._board_disk: BoardDisk | None = None
        self._own: list[Accepted] = []
        self._kills: Counter[str] = Counter()

    def __enter__(self) -> "Trial":
        self.writers = self._make_writers(self)
        self.reader = self._read(self.writers[0].keys[:READ_KEYS], self.log.logs / "reader")
        self.watcher = Watcher(self.log)
        return self

    def __exit__(self, kind, *_) -> None:
        for worker in self._workers:
            if kind is None:
                worker.finish()
            else:
                worker.abandon()

    @property
    def accepted(self) -> list[Accepted]:
        return [one for writer in self.writers for one in writer.accepted] + self._own

    @property
    def count(self) -> int:
        return sum(len(writer.accepted) for writer in self.writers) + len(self._own)

    @property
    def engine(self) -> str:
        return self.log.storage.name

    def _read(self, keys: list[str], folder: Path) -> Reader:
        return Reader(self.callers, keys, folder)

    @property
    def _workers(self) -> list[Worker]:
        return [*self.writers, self.reader, self.watcher]

    @contextmanager
    def fault(self, point: str) -> Iterator[None]:
        """A context manager. The actions within it count as one fault with this name."""
        self.point = point
        yield
        self._kills[point] += 1

    def goes_on(self) -> None:
        """Checks that the board still has its previous contents, and that a new update is published and served."""
        before = self.oracle.histories.look()
        self.publish(f"after {self.point}")
        require(self.oracle.histories.look() > before, "no epoch was made")
        require(self.oracle.histories.count == 1, "the log has two histories")

    def publish(self, value: str) -> None:
        """Publishes one more update, and waits until it is served."""
        one = self.accept(value)
        with self.log.update_client(timeout=90) as client:
            status = client.get(f"/v1/updates/{one.request_id}?wait=60").json()
        require(status["status"] == "published", f"{status}; update-task: {self.log.task.log_end()}")
        self.log.wait_served(status["epoch"])

    def accept(self, value: str, service: Process | None = None) -> Accepted:
        """Sends one more update, of a new key that no limit delays, until it is accepted. `service` is an update-service other than the
        log's first one."""
        one = Accepted(uuid7(), 0, f"trial-{len(self._own)}".encode(), value.encode(), self.point)
        deadline = time.monotonic() + ANSWER_SECONDS
        with self.log.update_client(service) as client:
            while (answer := client.post_json("/v1/updates", {"request_id": one.request_id, "key": one.key.decode(), "value": value})).status == 503:
                require(time.monotonic() < deadline, f"the update-service answers {answer.status} {answer.body!r}")
                time.sleep(0.1)
        require(answer.status == 202, f"update: HTTP {answer.status} {answer.body!r}")
        self._own.append(one)
        return one

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """A context manager. Within it, no update is sent or pending."""
        for writer in self.writers:
            writer.hold()
        try:
            self.oracle.wait_published()
            yield
        finally:
            for writer in self.writers:
                writer.go_on()

    def board_disk(self) -> BoardDisk:
        """Moves the board to a separate disk, unless it is there already, and returns the disk."""
        if self._board_disk is None:
            task = self.log.task
            require(task.stop() == 0, task.log_end())
            self._board_disk = BoardDisk(self.log.data / "board", self.log.logs / "disk")
            self.log.cleanup.callback(self._board_disk.close)
            task.start()
            task.wait_ready()
        return self._board_disk

    def moment(self, longest: float = 1.0) -> None:
        time.sleep(self.random.uniform(0, longest))

    def restart(self, process: Process, **environment: str) -> None:
        """Stops a process with SIGTERM, and starts it again."""
        require(process.stop() == 0, process.log_end())
        process.start(**environment)

    def judge(self, asks: bool = True) -> list[Row]:
        """Ends the load, judges the log, and returns one row for each fault. `asks` has the same meaning as for Oracle.judge."""
        self.__exit__(None)
        accepted = self.accepted
        lost, doubled = self.oracle.judge(accepted, self.watcher.notes, asks)
        require(self.reader.verified > 0, "no lookup was verified")
        points = list(self._kills)
        points += sorted((lost.keys() | doubled.keys()) - set(points))
        counts = Counter(one.point for one in accepted)
        return [Row(self.engine, point, self._kills[point], counts[point], lost[point], doubled[point], self.oracle.histories.count)
                for point in points if self._kills[point] or lost[point] or doubled[point]]


def _small_writers(trial: Trial) -> list[Writer]:
    small = [Writer(trial.callers, f"writer{i}", trial.random.randrange(2**32), lambda: trial.point) for i in range(WRITERS)]
    people = UserWriter(trial.callers, "people", trial.random.randrange(2**32), lambda: trial.point, reuses_names=trial.oracle.reuses_names)
    return [*small, people]
