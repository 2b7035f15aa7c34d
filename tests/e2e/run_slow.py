#!/usr/bin/python3
"""Runs 60 slow readers and 60 slow writers next to verified lookups and updates. Measures the memory that the services need and how long
honest callers wait, and checks that no honest caller is refused.

Each figure is taken twice, without the slow clients and with them. Writes the figures to FILE; exits 1 when an honest caller was refused or
memory is not bounded. Latency is reported and never fails, because it depends on the machine.
  usage: run_slow.py FILE [--minutes M] [--lookups N] [--updates N]"""

import argparse
import json
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(Path(__file__).parent)]

from harness import Deployment, Process
from rest import uuid7
from slow import Slow, SlowClients
from stress_tester import StressTester

READERS, WRITERS = 60, 60
KEYS = 1000
# An answer with 60 values of the maximum length is just below the maximum length of an answer.
LONG_KEYS, LONG_VALUE = 60, 65_536
SOURCE = "127.0.0.2"
BUDGET_MB = 256
# The memory that a service may use in addition to its configured budget, for connections, code, and garbage that is not collected yet.
ALLOWANCE_MB = 256
MB = 1 << 20


def post(path: str, length: int, content_type: str, body: bytes, *headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: optiks", f"Content-Type: {content_type}", f"Content-Length: {length}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def get(path: str, accept: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: optiks\r\nAccept: {accept}\r\n\r\n".encode()


def slow_clients(log: Deployment) -> list[Slow]:
    """Returns the slow clients. One third of the readers read long lookups, one third read ranges of audit proofs, and one third read
    histories. Half of the writers send updates, and half send queries."""
    key = f"Authorization: Bearer {log.api_key}"
    keys = json.dumps([{"key": f"long{i}"} for i in range(LONG_KEYS)]).encode()
    with log.query_client() as client:
        epoch = client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["epoch"]
    query, update = log.query.url, log.update.url
    binary = "application/vnd.optiks."
    readers = [
        Slow(query, lambda: post("/v1/lookup", len(keys), "application/json", keys, f"Accept: {binary}lookup")),
        Slow(query, lambda: get(f"/v1/epochs/{max(0, epoch - 256)}-{epoch}/audit-proof", f"{binary}audit-proof")),
        Slow(query, lambda: post("/v1/history", len(keys), "application/json", keys, f"Accept: {binary}history", key)),
    ]
    value = json.dumps({"key": "slow", "value": "x" * 60_000, "request_id": uuid7()}).encode()
    writers = [
        Slow(update, lambda: post("/v1/updates", 8 * MB, "application/json", value[:1000], key), value[1000:]),
        Slow(query, lambda: post("/v1/lookup", MB, "application/json", b"["), b" " * MB),
    ]
    return readers * (READERS // len(readers)) + writers * (WRITERS // len(writers))


class Memory:
    """Samples the anonymous memory of services once a second, in MiB."""

    def __init__(self, services: list[Process]):
        self.most = {service.service: 0.0 for service in services}
        self._services = services
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Memory":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(1):
            for service in self._services:
                self.most[service.service] = max(self.most[service.service], service.anonymous_bytes / MB)


def fill(log: Deployment, tester: StressTester) -> None:
    tester.prepare(KEYS, "--many-count", "0")
    with log.update_client(timeout=90) as client:
        for first in range(0, LONG_KEYS, 20):
            items = [{"key": f"long{i}", "value": "x" * LONG_VALUE} for i in range(first, min(first + 20, LONG_KEYS))]
            accepted = client.post_json("/v1/updates", {"items": items})
            if accepted.status != 202:
                raise SystemExit(f"update: HTTP {accepted.status} {accepted.body!r}")
    with log.query_client() as client:
        while client.post_json("/v1/lookup", {"key": f"long{LONG_KEYS - 1}"}).json()["lookups"][0]["members"] == []:
            time.sleep(0.1)


def measure(log: Deployment, lookups: int, updates: int, seconds: float, clients: list[Slow]) -> dict:
    """Runs honest callers next to the slow clients, and returns the figures of both."""
    services = [log.query, log.update]
    options = ["--key-count", str(KEYS), "--many-count", "0", "--check-keys", "100"]
    with Memory(services) as memory, SlowClients(clients, SOURCE) as slow:
        # With `alone=False`, StressTester does not compare the accepted updates with the counts in records, because the records also count
        # the slow writers' updates.
        report = run_honest(log, lookups, updates, seconds, options)
    p99 = {row["name"].partition("/")[0]: row["value"] for row in report["results"] if row["name"].endswith("/p99")}
    return {
        "seconds": seconds,
        "memory_mb": {name: round(most, 1) for name, most in memory.most.items()},
        "p99_s": {kind: round(value, 6) for kind, value in p99.items()},
        "answers_verified": report["verification"]["verified"],
        "answers_wrong": report["verification"]["wrong"],
        "updates_lost": report["updates"]["lost"],
        "honest_errors": report["errors"],
        "slow": dict(slow.answers),
    }


def run_honest(log: Deployment, lookups: int, updates: int, seconds: float, options: list[str]) -> dict:
    return StressTester(log, alone=False).run(f"hit={lookups},update={updates}", lookups + updates, seconds, *options)


def refusals(figures: dict) -> list[dict]:
    """Returns the errors that honest callers got. The load generator itself reports "not-sent-in-time", so this error is left out."""
    return [error for error in figures["honest_errors"] if error["error"] != "not-sent-in-time"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--lookups", type=int, default=500)
    parser.add_argument("--updates", type=int, default=100)
    arguments = parser.parse_args()
    seconds = arguments.minutes * 60
    with Deployment(settings={"Optiks__QueryService__AnswerBytes": str(BUDGET_MB * MB)}) as log:
        fill(log, StressTester(log))
        # The baseline is measured without slow clients, for a shorter time, which is long enough for it.
        alone = measure(log, arguments.lookups, arguments.updates, max(20, seconds / 4), [])
        before = log.query.anonymous_bytes / MB
        beside = measure(log, arguments.lookups, arguments.updates, seconds, slow_clients(log))
    ratio = {kind: round(beside["p99_s"][kind] / alone["p99_s"][kind], 2) for kind in ("hit", "update")}
    grown = round(beside["memory_mb"]["query-service"] - before, 1)
    bound = BUDGET_MB + ALLOWANCE_MB
    problems = [f"honest callers were refused: {refusals(beside)}"] if refusals(beside) else []
    problems += [f"the query-service grew by {grown} MiB, more than {bound}"] if grown > bound else []
    problems += [f"{beside['answers_wrong']} answers were wrong"] if beside["answers_wrong"] else []
    figures = {"readers": READERS, "writers": WRITERS, "lookups_per_s": arguments.lookups, "updates_per_s": arguments.updates, "alone": alone, "beside": beside,
               "query_service_grew_mb": grown, "bound_mb": bound, "p99_ratio": ratio, "problems": problems}
    arguments.file.write_text(json.dumps(figures, indent=2) + "\n")
    print(f"query-service: {before:.0f} MiB, {beside['memory_mb']['query-service']:.0f} MiB beside slow clients (bound: {bound} more); "
          f"update-service {alone['memory_mb']['update-service']:.0f} and {beside['memory_mb']['update-service']:.0f} MiB")
    print(f"p99 of lookups x{ratio['hit']}, of updates x{ratio['update']}; slow clients met {dict(beside['slow'])}")
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
