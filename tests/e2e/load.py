"""Writers that never give up (own request ids, retried until answered, so that what was answered 202 is known exactly), and readers that verify."""

import http.client
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from harness import Deployment
from rest import Client, uuid7

ANSWER_SECONDS = 120
UNREACHABLE = 3


@dataclass(frozen=True)
class Accepted:
    """One update that was answered 202."""

    request_id: str
    item: int
    key: str
    value: str


class Worker:
    """A thread that works until told to stop."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run_and_keep)
        self._thread.start()

    def finish(self) -> None:
        """Ends after what it is at. Raises what ended the thread early."""
        self._stop.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _run_and_keep(self) -> None:
        try:
            self._run()
        except BaseException as failure:
            self._failure = failure

    def _run(self) -> None:
        raise NotImplementedError


class Reader(Worker):
    """Looks keys up with one client that remembers: while a service is dead there may be no answer, but never an invalid or an older one."""

    def __init__(self, log: Deployment, keys: list[str], folder: Path):
        self.verified = 0
        self._log, self._keys = log, keys
        self._options = ("--data", str(folder), "--trust", str(log.data / "trust.json"))
        super().__init__()

    def _run(self) -> None:
        while not self._stop.is_set():
            run = self._log.optiks("lookup", *self._keys, "--json", *self._options)
            if run.code not in (0, UNREACHABLE):
                raise AssertionError(f"lookup: {run}")
            self.verified += run.code == 0
            time.sleep(0.1)


class Writer(Worker):
    """It has keys of its own, and sends single updates, lists and atomic requests."""

    def __init__(self, log: Deployment, name: str, seed: int):
        self.accepted: list[Accepted] = []
        """In the order in which the service took them."""
        self.retries = 0
        self._log, self._name, self._random = log, name, random.Random(seed)
        self.keys = [f"{name}-{key}" for key in range(12)]
        super().__init__()

    def _run(self) -> None:
        with self._log.update_client(timeout=10) as client:
            number = 0
            while not self._stop.is_set():
                number += 1
                self._send(client, number)
                time.sleep(0.02)

    def _send(self, client: Client, number: int) -> None:
        kind = self._random.choice(("single", "list", "atomic"))
        count = 1 if kind == "single" else self._random.randint(2, 8)
        keys = self._random.sample(self.keys, count)
        items = [{"key": key, "value": f"{self._name} {number}.{i}"} for i, key in enumerate(keys)]
        if kind == "atomic":
            requests = [{"request_id": uuid7(), "items": items}]
        else:
            requests = [{"request_id": uuid7()} | item for item in items]
        self._until_answered(client, requests if kind == "list" else requests[0])
        for request in requests:
            for i, item in enumerate(request.get("items", [request])):
                self.accepted.append(Accepted(request["request_id"], i, item["key"], item["value"]))

    def _until_answered(self, client: Client, document) -> None:
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                answer = client.post_json("/v1/updates", document)
                if answer.status == 202:
                    return
                # 429: too many of the key are pending; 503: the service says so itself.
                if answer.status not in (429, 503):
                    raise AssertionError(f"HTTP {answer.status} {answer.body!r}")
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() >= deadline:
                raise AssertionError(f"no answer in {ANSWER_SECONDS} s")
            self.retries += 1
            time.sleep(0.1)
