"""Load that remembers the answers that it got. It has writers that repeat each request, under its own id, until it is answered; readers
that verify; and a watcher of checkpoints."""

import http.client
import random
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness import ROOT, Deployment, Run
from rest import Answer, Client, uuid7

sys.path.insert(0, str(ROOT / "tests/reference"))

from facts import KEYS
from rounds import rounds

ANSWER_SECONDS = 180
UNREACHABLE = 3
RETRY_SECONDS = 0.1
# The pause between two requests of a writer, in seconds. It is longer in the quick form of the tests, so that fewer requests meet the same
# faults.
WRITER_PAUSE = rounds(quick=0.1, deep=0.02)
LIST = 1000
WINDOW = 16


@dataclass(frozen=True, slots=True)
class Accepted:
    """One version that the update-service accepted (status 202)."""

    request_id: str
    item: int
    key: bytes
    value: bytes
    point: str
    """The fault that was under way when the service answered."""
    structure: int = KEYS


class Callers(Protocol):
    """The members through which users reach a log. A Deployment has them, and so has a proxy around it."""

    data: Path

    def update_client(self, **options) -> Client: ...

    def optiks(self, *arguments: str) -> Run: ...


class Worker:
    """A thread that repeats its turn until it is told to stop."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._turn = threading.Lock()
        self._stop = threading.Event()
        self._abandoned = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def hold(self) -> None:
        """Waits for the end of the current turn. The next turn begins only after a call of go_on. If an exception ended the thread early,
        raises it."""
        self._turn.acquire()
        self._raise()

    def go_on(self) -> None:
        self._turn.release()

    def finish(self) -> None:
        """Ends the thread after the current turn. If an exception ended the thread early, raises it."""
        self._stop.set()
        self._thread.join()
        self._raise()

    def abandon(self) -> None:
        """Ends the thread soon, without finishing the current turn, and reports no exception."""
        self._abandoned = True
        self._stop.set()
        self._thread.join()

    def _raise(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                with self._turn:
                    self._work()
                self._stop.wait(self._pause)
        except BaseException as failure:
            self._failure = failure

    def _work(self) -> None:
        raise NotImplementedError


class Reader(Worker):
    """Looks keys up with one client that keeps its state. While a service is dead, a lookup may get no answer. But the client must never
    get an invalid answer, or an answer that is older than an earlier answer."""

    def __init__(self, log: Callers, keys: list[str], folder: Path):
        self.verified = 0
        self._log, self._keys = log, keys
        self._options = ("--data", str(folder), "--trust", str(log.data / "trust.json"))
        # The pause is long, because each turn starts a program, which takes more processor time than the lookup itself.
        super().__init__(pause=rounds(quick=2, deep=0.5))

    def _work(self) -> None:
        run = self._log.optiks("lookup", *self._keys, "--json", *self._options)
        if run.code != 0 and not self.is_no_answer(run):
            raise AssertionError(f"lookup: {run}")
        self.verified += run.code == 0

    @staticmethod
    def is_no_answer(run: Run) -> bool:
        return run.code == UNREACHABLE


class Watcher(Worker):
    """Collects every checkpoint that the board ever had."""

    def __init__(self, log: Deployment):
        self.notes: set[bytes] = set()
        self.moments: list[float] = []
        """The time at which each checkpoint was seen."""
        self._checkpoint = log.data / "board/log/checkpoint"
        super().__init__(pause=0.02)

    def _work(self) -> None:
        note = self._checkpoint.read_bytes()
        if note not in self.notes:
            self.notes.add(note)
            self.moments.append(time.monotonic())


class Writer(Worker):
    """A writer with its own keys, which sends single updates, lists and atomic requests."""

    def __init__(self, log: Callers, name: str, seed: int, point: Callable[[], str], keys: int = 100, pause: float = WRITER_PAUSE):
        self.accepted: list[Accepted] = []
        """The accepted versions, in the order in which the service accepted them."""
        self.retries = 0
        self.keys = [f"{name}-{key}" for key in range(keys)]
        self._name, self._random, self._point = name, random.Random(seed), point
        self._client = log.update_client(timeout=10)
        self._number = 0
        super().__init__(pause)

    def _run(self) -> None:
        with self._client:
            super()._run()

    def _work(self) -> None:
        self._number += 1
        self._send(self._document())

    def _document(self):
        kind = self._random.choice(("single", "list", "atomic"))
        keys = self._random.sample(self.keys, 1 if kind == "single" else self._random.randint(2, 8))
        items = [{"key": key, "value": f"{self._name} {self._number}.{i}"} for i, key in enumerate(keys)]
        if kind == "atomic":
            return {"request_id": uuid7(), "items": items}
        requests = [{"request_id": uuid7()} | item for item in items]
        return requests if kind == "list" else requests[0]

    def _send(self, document) -> None:
        self._until_answered("/v1/updates", document)
        point = self._point()
        for request in document if isinstance(document, list) else [document]:
            for i, item in enumerate(request.get("items", [request])):
                self.accepted.append(Accepted(request["request_id"], i, item["key"].encode(), item["value"].encode(), point))

    def _until_answered(self, path: str, document) -> Answer:
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                answer = self._client.post_json(path, document)
                if answer.status == 202:
                    return answer
                # The answer 429 means that the key has too many pending updates; 503 means that the service cannot take requests now.
                if answer.status not in (429, 503):
                    raise AssertionError(f"HTTP {answer.status} {answer.body!r}")
            except (OSError, http.client.HTTPException):
                pass
            if self._abandoned or time.monotonic() >= deadline:
                raise AssertionError(f"no answer in {ANSWER_SECONDS} s")
            self.retries += 1
            time.sleep(RETRY_SECONDS)

    def _published(self, request_id: str) -> bool:
        """Waits for a second, and returns whether the update-service then says that the request is published."""
        try:
            answer = self._client.get(f"/v1/updates/{request_id}?wait=1")
        except (OSError, http.client.HTTPException):
            answer = None
        if answer is None or answer.status == 503:
            time.sleep(RETRY_SECONDS)
            return False
        if answer.status != 200 or answer.json()["status"] not in ("pending", "published"):
            raise AssertionError(f"an accepted update: HTTP {answer.status} {answer.body!r}")
        return answer.json()["status"] == "published"


class BulkWriter(Writer):
    """Sends lists of LIST updates, one after the other, over its keys in turn. At most WINDOW lists are unpublished at a time, so that
    faults hit lists at every step from acceptance to publication."""

    def __init__(self, log: Callers, name: str, seed: int, point: Callable[[], str], keys: int, pause: float = 0):
        self._next = 0
        self._unpublished: deque[str] = deque()
        super().__init__(log, name, seed, point, keys, pause)

    def _work(self) -> None:
        if len(self._unpublished) < WINDOW:
            super()._work()
            self._unpublished.append(self.accepted[-1].request_id)
        elif self._published(self._unpublished[0]):
            self._unpublished.popleft()

    def _document(self):
        keys = [self.keys[(self._next + i) % len(self.keys)] for i in range(LIST)]
        self._next += LIST
        return [{"request_id": uuid7(), "key": key, "value": f"{self._name} {self._number}.{i}"} for i, key in enumerate(keys)]
