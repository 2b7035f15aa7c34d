#!/usr/bin/python3
"""Measures what an answer about a user costs the client: the answer's octets, and the time in which liboptiks verifies it.

The users have 1, 3 and 10 devices whose keys have 1, 10 and 1,000 versions each, in a log of N keys. The client looks up each user for the
first time, and again when nothing has changed. It also monitors each user for the first time, and again when nothing has changed, with all
pages of each answer. The services are stopped before the answers are verified. Writes build/bench/users.json.
usage: measure_users.py [--keys N] [--samples N]"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import measure_lookups
from figures import ROOT, Figure, table, write
from measure_lookups import BenchFailed, publish_users

sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/reference")]

import harness
import live
from harness import Deployment
from live_users import monitor_query, user_queries
from native import NativeVerifier
from native_users import NativeUsers
from rows import Rows
from user_monitor import Own
from users import Asked, Kept
from verify import TrustAnchor

DEVICES, VERSIONS = (1, 3, 10), (1, 10, 1000)
# The maximum number of pending updates of one key (docs/spec/rest.md section 3).
PENDING = 16
FIRST = "monitor-later/devices:1/versions:1"
SETTINGS = {"Optiks__UpdateTask__EpochInterval": "00:00:00.010"}


def name_of(devices: int, versions: int) -> str:
    return f"bench-{devices}-{versions}"


def make_users(log: Deployment, created_all: Callable[[], None]) -> None:
    """Makes the users and the versions of their devices' keys. Each request adds one version to every key of a user's devices, and an epoch
    takes only one request of a user. `created_all` is called when all users exist."""
    users = [(devices, versions) for devices in DEVICES for versions in VERSIONS]

    def values(user: tuple[int, int], version: int) -> list[dict]:
        return [{"device": f"{name_of(*user)}/{device}", "value": f"{version:064}"} for device in range(user[0])]

    with log.update_client(timeout=90) as client:
        created = publish_users(log, client, [{"changes": [{"op": "create", "usernames": [name_of(*user)], "devices": values(user, 1)}]} for user in users])
        ids = {user: one["user_b64"] for user, one in zip(users, created, strict=True)}
        created_all()
        for first in range(2, max(VERSIONS) + 1, PENDING):
            publish_users(log, client, [
                {"user_b64": ids[user], "changes": [{"op": "set-device", **value} for value in values(user, version)]}
                for version in range(first, first + PENDING) for user in users if version <= user[1]])


@dataclass
class Asking:
    """One query of a client. It has the answers as rows, one row for each page, and the function that verifies the rows."""

    name: str
    rows: list[dict]
    verify: Callable

    @property
    def octets(self) -> int:
        return sum(len(row["answer"]) // 2 for row in self.rows)


class UserBench:
    """Collects answers of a query-service, and verifies them with the service's native library after the service has stopped."""

    def __init__(self, log: Deployment):
        self._session = live.Session(live.Http(log.query.url, log.api_key), TrustAnchor.parse((log.data / "trust.json").read_text()), Rows(), [], None)
        self._native = NativeUsers(NativeVerifier(harness.OUT / harness.QUERY / "liboptiks.so"))
        self._looks: list[Asking] = []

    def begin(self) -> None:
        """Monitors the user with the fewest devices and versions. end() monitors this user again, after the epochs in which the other users
        got their versions."""
        (shown,) = self._lookup(f"{FIRST}/before", Asked(name_of(1, 1).encode()))
        self._first = self._monitor(f"{FIRST}/begins", Own(shown.user, [name_of(1, 1).encode()]))
        self._epoch = shown.epoch

    def end(self) -> None:
        (shown,) = self._lookup(f"{FIRST}/after", Asked(name_of(1, 1).encode()))
        self._monitor(f"{FIRST}/epochs:{shown.epoch - self._epoch}", self._first)

    def ask(self, devices: int, versions: int) -> None:
        name = name_of(devices, versions).encode()
        of = f"devices:{devices}/versions:{versions}"
        asked = Asked(name)
        (shown,) = self._lookup(f"lookup/{of}", asked)
        self._lookup(f"lookup-again/{of}", Asked(name, kept=shown.kept(Kept())))
        later = self._monitor(f"monitor/{of}", Own(shown.user, [name]))
        self._monitor(f"monitor-again/{of}", later)

    def _lookup(self, name: str, asked: Asked):
        encoded = self._session.post("/v1/users/lookup", "user-lookup", "user-query", user_queries([asked]))
        results = self._session.rows.users(name, self._session.verifier(), [asked], encoded, "valid")
        self._looks.append(Asking(name, self._session.rows.rows[-1:], self._native.lookup))
        return results

    def _monitor(self, name: str, own: Own) -> Own:
        """Monitors a user until the last page of the answer, and returns the state that the owner keeps afterwards."""
        look = Asking(name, [], self._native.monitor)
        self._looks.append(look)
        while True:
            encoded = self._session.post("/v1/users/monitor", "user-monitor", "user-monitor-query", monitor_query(own))
            result = self._session.rows.monitor(name, self._session.verifier(), own, encoded, "valid")
            look.rows.append(self._session.rows.rows[-1])
            own = result.brought_next(own, self._session.anchor.configuration)
            if result.complete:
                return own

    def figures(self, samples: int) -> list[Figure]:
        """Returns the figures. Their times contain only the verification in the native library, without the time of the Python code."""
        anchors = self._session.rows.content()["anchors"]
        made = []
        for look in self._looks:
            seconds = [sum(self._once(look, anchors, row) for row in look.rows) for _ in range(samples)]
            made.append(Figure(look.name, "us", 1e6 * statistics.median(seconds), samples=[1e6 * one for one in seconds], counters={"octets": look.octets, "answers": len(look.rows)}))
        return made

    def _once(self, look: Asking, anchors: list[dict], row: dict) -> float:
        reason, _ = look.verify(anchors, row)
        if reason != "valid":
            raise BenchFailed(f"{look.name}: {reason}")
        return self._native.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=1 << 20, help="keys of the log beside those of the users (default 2^20)")
    parser.add_argument("--samples", type=int, default=31, help="verdicts on each answer (default 31)")
    arguments = parser.parse_args()
    # The folders are not in /tmp, because /tmp may be in memory.
    tempfile.tempdir = "/var/tmp"
    filled = measure_lookups.fill(arguments.keys)
    with Deployment(SETTINGS, before_start=lambda log: measure_lookups.restore(log, filled)) as log:
        print("== making users", flush=True)
        bench = UserBench(log)
        make_users(log, bench.begin)
        bench.end()
        for devices in DEVICES:
            for versions in VERSIONS:
                bench.ask(devices, versions)
                print(f"   asked about {devices} devices of {versions} versions", flush=True)
    figures = bench.figures(arguments.samples)
    write(ROOT / "build/bench/users.json", figures)
    print(f"\n{table(figures)}")
    for figure in figures:
        print(f"  {figure.name}: {figure.counters['octets']:,} octets in {figure.counters['answers']} answers")


if __name__ == "__main__":
    main()
