"""Callers that request as much as they can with as little effort as possible, at a fixed number of requests a second."""

import http.client
import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rest import Client, uuid7

CONNECTIONS = 8
REQUESTS_A_SECOND = 100
"""The rate of one greedy caller, over all of its connections."""
MANY_DEVICES = "many devices"
"""The username of a user with hundreds of devices, each with a long value."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: bytes | None = None
    content_type: str | None = None
    accept: str | None = None


def post(path: str, document, accept: str | None = None) -> Request:
    return Request("POST", path, json.dumps(document).encode(), "application/json", accept)


@dataclass(frozen=True)
class Greed:
    """The requests that one greedy caller repeats. If the credential is None, the caller is a stranger."""

    name: str
    caller: str
    url: str
    credential: str | None
    make: Callable[[int], Request]
    """Makes a request from the number of requests that this caller sent before."""


class GreedyCaller:
    """Sends the requests of one Greed from the address `source` over CONNECTIONS connections. Use as a context manager."""

    def __init__(self, greed: Greed, source: str):
        self.answers: Counter[str] = Counter()
        """The number of answers by status; "broken" counts connections that the service ended."""
        self._greed = greed
        self._source = source
        self._stop = threading.Event()
        self._numbers = itertools.count()
        self._counting = threading.Lock()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(CONNECTIONS)]

    def __enter__(self) -> "GreedyCaller":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        pause = CONNECTIONS / REQUESTS_A_SECOND
        with Client(self._greed.url, self._greed.credential, timeout=60, source=self._source) as client:
            while not self._stop.is_set():
                started = time.monotonic()
                with self._counting:
                    number = next(self._numbers)
                request = self._greed.make(number)
                try:
                    status = str(client.request(request.method, request.path, request.body, request.content_type, request.accept).status)
                except (OSError, http.client.HTTPException):
                    status = "broken"
                with self._counting:
                    self.answers[status] += 1
                self._stop.wait(max(0.0, pause - (time.monotonic() - started)))


def of_query_service(url: str, credentials: dict[str, str | None], epoch: int) -> list[Greed]:
    """Returns the greedy callers of a query-service. `credentials` has the credential of each of the callers "stranger", "token", "key
    lookup" and "key history". `epoch` is the newest epoch."""
    binary = "application/vnd.optiks."

    def greed(name: str, caller: str, make: Callable[[int], Request]) -> Greed:
        return Greed(name, caller, url, credentials[caller], make)

    def absent(number: int) -> Request:
        return post("/v1/lookup", [{"key": f"absent {number} {i}"} for i in range(256)], f"{binary}lookup")

    def users(number: int) -> Request:
        return post("/v1/users/lookup", [{"username": f"nobody {number} {i}"} for i in range(256)], f"{binary}user-lookup")

    span = f"/v1/epochs/{max(0, epoch - 256)}-{epoch}/audit-proof"
    wide = [{"key": "long 1"}] * 60
    return [
        greed("lookups of 256 absent keys", "stranger", absent),
        greed("lookups of 256 unknown usernames", "stranger", users),
        greed("the longest values, as JSON", "stranger", lambda _: post("/v1/lookup", wide, "application/json")),
        greed("a user with 248 devices, as JSON", "stranger", lambda _: post("/v1/users/lookup", [{"username": MANY_DEVICES}], "application/json")),
        greed("256 epochs of audit proofs", "stranger", lambda _: Request("GET", span, accept=f"{binary}audit-proof")),
        greed("256 epochs of audit proofs, as JSON", "stranger", lambda _: Request("GET", span, accept="application/json")),
        greed("malformed bodies of 1 MiB", "stranger", lambda _: Request("POST", "/v1/lookup", b"[" * (1 << 20), "application/json")),
        greed("tokens that nobody signed", "forged token", lambda number: post("/v1/history", {"key": f"k{number}"})),
        greed("periods, configuration, newest epoch", "stranger",
              lambda number: Request("GET", ("/v1/periods?from=0", "/v1/configuration", "/v1/epochs/latest")[number % 3], accept="application/json")),
        greed("lookups of 256 absent keys", "key lookup", absent),
        greed("history of 100 versions, as JSON", "key history", lambda _: post("/v1/history", [{"key": "often"}] * 16, "application/json")),
        greed("history of its own key, as JSON", "token", lambda _: post("/v1/history", [{"key": "own"}] * 16, "application/json")),
    ]


def of_update_service(url: str, credentials: dict[str, str | None]) -> list[Greed]:
    """Returns the greedy callers of an update-service. `credentials` has the credential of each of the callers "stranger", "token", "key
    update" and "key erase"."""

    def greed(name: str, caller: str, make: Callable[[int], Request]) -> Greed:
        return Greed(name, caller, url, credentials[caller], make)

    def erasures(number: int) -> Request:
        return post("/v1/erasures", [{"key": f"never {number} {i}", "period": 0, "from": 1, "to": 1024} for i in range(64)])

    return [
        greed("updates without a credential", "stranger", lambda number: post("/v1/updates", {"key": f"k{number}", "value": "v"})),
        greed("statuses of unknown requests", "key update", lambda _: Request("GET", f"/v1/updates/{uuid7()}")),
        greed("1,000 updates a request", "key update", lambda number: post("/v1/updates", [{"key": f"g{number} {i}", "value": "v"} for i in range(1000)])),
        greed("one key again and again", "key update", lambda number: post("/v1/updates", {"key": "same", "value": f"v{number}"})),
        greed("values of 64 KiB", "key update", lambda number: post("/v1/updates", [{"key": f"l{number} {i}", "value": "x" * 65_000} for i in range(16)])),
        greed("erasures of keys that never were", "key erase", erasures),
        greed("updates of its own key", "token", lambda number: post("/v1/updates", {"key": "own", "value": f"v{number}"})),
    ]
