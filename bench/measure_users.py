#!/usr/bin/python3
"""Measures what an answer about a user costs its client: octets, and the time that liboptiks verifies. Of users with 1, 3 and 10 devices whose keys have 1, 10 and
1,000 versions each, in a log of N keys: looked up for the first time, looked up again when nothing changed, and monitored likewise. Writes build/bench/users.json.
usage: measure_users.py [--keys N] [--samples N]"""

import argparse
import statistics
import sys
import tempfile
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
# As many updates of one key as may wait (docs/spec/rest.md section 3).
PENDING = 16
SETTINGS = {"Optiks__UpdateTask__EpochInterval": "00:00:00.010"}


def name_of(devices: int, versions: int) -> str:
    return f"bench-{devices}-{versions}"


def make_users(log: Deployment) -> None:
    """Each epoch takes one request of a user, and so gives all keys of its devices one version more."""
    users = [(devices, versions) for devices in DEVICES for versions in VERSIONS]

    def values(user: tuple[int, int], version: int) -> list[dict]:
        return [{"device": f"{name_of(*user)}/{device}", "value": f"{version:064}"} for device in range(user[0])]

    with log.update_client(timeout=90) as client:
        created = publish_users(log, client, [{"changes": [{"op": "create", "usernames": [name_of(*user)], "devices": values(user, 1)}]} for user in users])
        ids = {user: one["user_b64"] for user, one in zip(users, created, strict=True)}
        for first in range(2, max(VERSIONS) + 1, PENDING):
            publish_users(log, client, [
                {"user_b64": ids[user], "changes": [{"op": "set-device", **value} for value in values(user, version)]}
                for version in range(first, first + PENDING) for user in users if version <= user[1]])


class UserBench:
    """Answers of one service, verified by the library that it runs."""

    def __init__(self, log: Deployment, samples: int):
        self._samples = samples
        self._session = live.Session(live.Http(log.query.url, log.api_key), TrustAnchor.parse((log.data / "trust.json").read_text()), Rows(), [], None)
        self._native = NativeUsers(NativeVerifier(harness.OUT / harness.QUERY / "liboptiks.so"))

    def measure(self, devices: int, versions: int) -> list[Figure]:
        name = name_of(devices, versions).encode()
        asked = Asked(name)
        first, (shown,) = self._lookup("lookup", devices, versions, asked)
        known = Asked(name, kept=shown.kept(Kept()))
        again, _ = self._lookup("lookup-again", devices, versions, known)
        own = Own(shown.user, [name])
        looked, result = self._monitor("monitor", devices, versions, own)
        figures = [first, again, looked]
        if result.complete:
            # Otherwise the first was a page, after which another follows.
            later = result.brought_next(own, self._session.anchor.configuration)
            figures.append(self._monitor("monitor-again", devices, versions, later)[0])
        return figures

    def _lookup(self, kind: str, devices: int, versions: int, asked: Asked):
        encoded = self._session.post("/v1/users/lookup", "user-lookup", "user-query", user_queries([asked]))
        results = self._session.rows.users(kind, self._session.verifier(), [asked], encoded, "valid")
        return self._figure(kind, devices, versions, self._native.lookup, len(encoded)), results

    def _monitor(self, kind: str, devices: int, versions: int, own: Own):
        encoded = self._session.post("/v1/users/monitor", "user-monitor", "user-monitor-query", monitor_query(own))
        result = self._session.rows.monitor(kind, self._session.verifier(), own, encoded, "valid")
        return self._figure(kind, devices, versions, self._native.monitor, len(encoded)), result

    def _figure(self, kind: str, devices: int, versions: int, verify, octets: int) -> Figure:
        """Of the row that was made last."""
        content = self._session.rows.content()
        seconds = []
        for _ in range(self._samples):
            reason, _ = verify(content["anchors"], content["vectors"][-1])
            if reason != "valid":
                raise BenchFailed(f"{kind}: {reason}")
            seconds.append(1e6 * self._native.seconds)
        return Figure(f"{kind}/devices:{devices}/versions:{versions}", "us", statistics.median(seconds), samples=seconds, counters={"octets": octets})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=1 << 20, help="keys of the log beside those of the users (default 2^20)")
    parser.add_argument("--samples", type=int, default=51, help="verdicts on each answer (default 51)")
    arguments = parser.parse_args()
    # /tmp may be memory.
    tempfile.tempdir = "/var/tmp"
    filled = measure_lookups.fill(arguments.keys)
    with Deployment(SETTINGS, before_start=lambda log: measure_lookups.restore(log, filled)) as log:
        print("== making users", flush=True)
        make_users(log)
        bench = UserBench(log, arguments.samples)
        figures = [figure for devices in DEVICES for versions in VERSIONS for figure in bench.measure(devices, versions)]
    write(ROOT / "build/bench/users.json", figures)
    print(f"\n{table(figures)}")
    for figure in figures:
        print(f"  {figure.name}: {figure.counters['octets']:,} octets")


if __name__ == "__main__":
    main()
