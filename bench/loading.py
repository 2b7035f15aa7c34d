"""The code that both loaders share. It finds a running Optiks, sends lists of updates, waits for their publication, and verifies
lookups."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/reference")]

from facts import MAX_LIST, MAX_QUERIES
from rest import Answer, Client, b64, uuid7

# The maximum total length of the values in one list. The body of a request has room for such values in base64, and for the rest of its
# JSON.
MAX_LIST_OCTETS = 5 << 20
WAIT_SECONDS = 600
Update = tuple[bytes, bytes]


class LoadFailed(Exception):
    """Raised if a load fails. The text says what is wrong."""


class Progress:
    """A line that shows progress. On a terminal it is redrawn; otherwise it is printed every 5 s."""

    def __init__(self, what: str, total: int, waits: bool = False):
        """If `waits` is true, the line shows work of the services, which may have done a part of it before the first call of show()."""
        self._what, self._total, self._waits = what, total, waits
        self._started, self._at_start = time.monotonic(), 0
        self._drawn = 0.0
        self._redraw = sys.stderr.isatty()

    def show(self, done: int) -> None:
        now = time.monotonic()
        last = done >= self._total
        if self._drawn == 0.0 and self._waits:
            # The shown rate does not count the work that was done before the first call of show().
            self._started, self._at_start = now, done
        if not last and now - self._drawn < (0.1 if self._redraw else 5):
            return
        self._drawn = now
        rate = f", {(done - self._at_start) / (now - self._started):,.0f}/s" if now - self._started > 0.05 else ""
        filled = 30 * done // max(self._total, 1)
        line = f"{self._what} [{'#' * filled}{'.' * (30 - filled)}] {done:,} of {self._total:,}{rate}"
        print(f"\r{line}\x1b[K" if self._redraw else line, end="\n" if last or not self._redraw else "", file=sys.stderr, flush=True)


class Service:
    """The services that the variables of docs/operations/variables.md name. If a variable is not set, the default is the same as in `make
    up`."""

    def __init__(self) -> None:
        data = Path(os.environ.get("OPTIKS_DATA") or Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "optiks")
        query = os.environ.get("OPTIKS_QUERY_URL") or f"http://127.0.0.1:{os.environ.get('OPTIKS_QUERY_PORT') or 8301}"
        update = os.environ.get("OPTIKS_UPDATE_URL") or f"http://127.0.0.1:{os.environ.get('OPTIKS_UPDATE_PORT') or 8311}"
        key = os.environ.get("OPTIKS_API_KEY")
        try:
            key = key or (data / "api-key").read_text().strip()
        except OSError as error:
            raise LoadFailed(f"no API key: {error}; run 'make up' first, or set OPTIKS_API_KEY") from None
        self._query, self._update = Client(query, key, timeout=60, reopens=True), Client(update, key, timeout=90, reopens=True)
        self._optiks = Path(os.environ.get("OPTIKS_OUT") or ROOT / "build/out") / "cli/optiks"
        try:
            self.max_value_len = self._ok(self._query.get("/v1/configuration")).json()["max_value_len"]
        except OSError as error:
            raise LoadFailed(f"{query}: {error}; run 'make up' first") from None

    def count(self) -> tuple[int, int]:
        """Returns the newest epoch, and the number of versions of keys that its record counts."""
        fields = self._ok(self._query.get("/v1/epochs/latest", "application/json")).json()["record_fields"]
        return fields["epoch"], fields["structures"][2]["count"]

    def load(self, what: str, updates: list[Update]) -> int:
        """Sends all updates in order and waits until they are published and served. Returns the epoch of the last update."""
        _, before = self.count()
        progress, sent, last = Progress(what, len(updates)), 0, ""
        for batch in batches(updates):
            last = self.accept(batch)
            sent += len(batch)
            progress.show(sent)
        # It is not enough to wait for the last update, which may be published before other updates of the list. The count of versions
        # covers all updates.
        progress = Progress("published", len(updates), waits=True)
        self._wait(lambda newest, count: progress.show(min(count - before, len(updates))) or count >= before + len(updates))
        epoch = self.published(last)
        self.served(epoch)
        return epoch

    def served(self, epoch: int) -> None:
        """Waits until the query-service answers with this epoch or a later epoch."""
        self._wait(lambda newest, count: newest >= epoch)

    def _wait(self, done) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not done(*self.count()):
            if time.monotonic() > deadline:
                raise LoadFailed(f"not published and served after {WAIT_SECONDS} s")
            time.sleep(0.1)

    def accept(self, batch: list[Update]) -> str:
        """Sends a list of updates, and repeats it with the same request ids until it is accepted. Returns the last request id."""
        elements = [{"request_id": uuid7(), "key_b64": b64(key), "value_b64": b64(value)} for key, value in batch]
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            answer = self._update.post_json("/v1/updates", elements)
            if answer.status == 202:
                return elements[-1]["request_id"]
            if answer.status not in (429, 503) or time.monotonic() > deadline:
                raise LoadFailed(f"updates: HTTP {answer.status} {answer.body.decode(errors='replace')}")
            time.sleep(min(5.0, float(answer.headers.get("retry-after", "1"))))

    def published(self, request_id: str) -> int:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            status = self._ok(self._update.get(f"/v1/updates/{request_id}?wait=60")).json()
            if status["status"] == "published":
                return status["epoch"]
            if status["status"] != "pending" or time.monotonic() > deadline:
                raise LoadFailed(f"update {request_id}: {status}")

    def verify(self, expected: list[Update]) -> None:
        """Looks the keys up with `optiks lookup`, which verifies the answers, and compares the values with the expected values."""
        progress = Progress("verified", len(expected))
        for start in range(0, len(expected), MAX_QUERIES):
            part = expected[start:start + MAX_QUERIES]
            run = subprocess.run([self._optiks, "lookup", "--json", "--b64", "--", *(b64(key) for key, _ in part)],
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise LoadFailed(f"optiks lookup: exit code {run.returncode}\n{run.stderr}")
            lines = [json.loads(line) for line in run.stdout.splitlines()]
            for (key, value), line in zip(part, lines, strict=True):
                if (line["verdict"], line["reason"], line["key_b64"]) != ("present", "valid", b64(key)) or line.get("value_b64") != b64(value):
                    raise LoadFailed(f"{key!r}: expected {len(value)} octets, got {line}")
            progress.show(start + len(part))

    def lookup_octets(self, key: bytes) -> bytes:
        """Returns the encoded LookupAnswer of the key."""
        return self._ok(self._query.post_json("/v1/lookup", {"key_b64": b64(key)}, "application/vnd.optiks.lookup")).body

    @staticmethod
    def _ok(answer: Answer) -> Answer:
        if answer.status != 200:
            raise LoadFailed(f"HTTP {answer.status} {answer.body.decode(errors='replace')}")
        return answer


def batches(updates: Iterable[Update]) -> Iterator[list[Update]]:
    batch, octets = [], 0
    for key, value in updates:
        if batch and (len(batch) == MAX_LIST or octets + len(value) > MAX_LIST_OCTETS):
            yield batch
            batch, octets = [], 0
        batch.append((key, value))
        octets += len(key) + len(value) + 100
    if batch:
        yield batch


def main(load) -> int:
    """Calls `load`, which prints its results or raises LoadFailed, and returns the exit code."""
    try:
        load()
        return 0
    except (LoadFailed, OSError) as failed:
        print(f"failed: {failed}", file=sys.stderr)
        return 1
