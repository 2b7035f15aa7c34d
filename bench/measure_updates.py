#!/usr/bin/python3
"""Measures how updates get from acceptance to publication: the rates of acceptance and publication, the latency of epochs, and the
database's share of the time. All programs run on this machine.

The baseline of the rates is the rate of the raw database. Writes build/bench/updates.json. SQL Server is measured if OPTIKS_TEST_SQLSERVER
has the connection string of a server. usage: measure_updates.py [--engines E,..] [--seconds S]"""

import argparse
import sys
import tempfile

from engines import add_engines, chosen
from figures import ROOT, Figure, Load, bad_share, database_share, load_of, table, updates_rate, value_of, write

sys.path.insert(0, str(ROOT / "tests/e2e"))

import raw_database
from harness import Deployment
from stress_tester import StressTester

LIST = 1000
# The number of keys. It is so high that an epoch rarely has two updates of the same key, as with real users.
KEYS = ("--key-count", "1000000")
# The share of the updates that are followed one by one. All updates are checked by the counts in records.
SAMPLED = ("--verify", "0", "--follow", "0.01", "--check-keys", "1000", "--settle", "600")
SETTINGS = {"Optiks__UpdateTask__EpochInterval": "00:00:01", "Optiks__UpdateTask__LeaseDuration": "00:00:10"}
# These rates of requests are higher than any engine accepts. The number of accepted updates shows the capacity; further updates are not
# sent, because they would be late.
SINGLE_OVERLOAD, LIST_OVERLOAD = 25_000, 200
SINGLE_CALLERS, LIST_CALLERS = 256, 16
# The services sustain a rate if three conditions hold: at most the share SUSTAINED_BAD_SHARE of the requests fails or is not sent in time,
# publication takes at most SUSTAINED_DELAY seconds (p99), and one more epoch publishes all updates that are left at the end.
SUSTAINED_BAD_SHARE, SUSTAINED_DELAY = 0.001, 5
# Short runs find the rate approximately. If the services do not sustain that rate in the long run, the program repeats the long run at a
# slightly lower rate.
STEP_UP, STEP_DOWN, HOLD_DOWN, MOST_RUNS = 1.2, 0.87, 0.94, 8


class UpdateBench:
    """Measures one database engine. Each phase of the measurement uses the log that the earlier phases filled."""

    def __init__(self, engine: str, log: Deployment, seconds: float):
        self._engine, self._log, self._seconds = engine, log, seconds
        self._tester = StressTester(log)
        self._figures: list[Figure] = []

    def run(self) -> list[Figure]:
        self._say("warming up")
        self._run("batch:1000=1", 5, max(3, self._seconds / 6), LIST_CALLERS)
        self._say("lists of 1,000: accepting")
        burst = self._run("batch:1000=1", LIST_OVERLOAD, max(3, self._seconds / 6), LIST_CALLERS)
        drained = burst["updates"]["accepted"] / (burst["warm_up_s"] + burst["measured_s"] + burst["updates"]["settled_s"])
        self._say("lists of 1,000: publishing")
        marks = len(self._log.task.log())
        load = self._sustain("batch:1000=1", drained / LIST, self._seconds, LIST_CALLERS)
        share = database_share(self._log.task.log()[marks:].splitlines())
        self._say("the raw database")
        raw = raw_database.rate(self._log.storage)
        self._add("raw-copy", "rows/s", 2 * raw)
        self._add("accepted-batch", "updates/s", updates_rate(burst), raw)
        self._add("published-batch", "updates/s", load.published_rate, raw)
        self._add("backlog-batch", "updates left, of the largest epoch", load.backlog, load.largest_epoch)
        self._add("database-share", "of an epoch's steps", share)
        self._say("latency of epochs at half of that load")
        half = self._run("batch:1000=1", load.published_rate / 2 / LIST, self._seconds / 2, LIST_CALLERS)
        self._add("epoch-p50", "s from acceptance until it is shown", value_of(half, "published/p50"))
        self._add("epoch-p99", "s from acceptance until it is shown", value_of(half, "published/p99"))
        self._say("single updates: accepting")
        flood = self._run("update=1", SINGLE_OVERLOAD, max(3, self._seconds / 6), SINGLE_CALLERS)
        self._say("single updates: publishing")
        load = self._sustain("update=1", updates_rate(flood), self._seconds / 2, SINGLE_CALLERS)
        self._add("accepted-single", "updates/s", load.accepted_rate, raw)
        self._add("published-single", "updates/s", load.published_rate, raw)
        self._add("backlog-single", "updates left, of the largest epoch", load.backlog, load.largest_epoch)
        return self._figures

    def _sustain(self, mix: str, rate: float, seconds: float, callers: int) -> Load:
        """Returns the figures of a run at about the highest rate that the services sustain. Short runs find this rate: they begin with a
        first guess, and raise or lower the rate. Then one run holds the found rate for the whole time."""
        short = max(6, seconds / 6)
        sustained = self._sustained(mix, rate, short, callers) is not None
        step = STEP_UP if sustained else STEP_DOWN
        for _ in range(MOST_RUNS):
            if (self._sustained(mix, rate * step, short, callers) is not None) != sustained:
                break
            rate *= step
        if not sustained:
            rate *= STEP_DOWN
        for _ in range(MOST_RUNS):
            load = self._sustained(mix, rate, seconds, callers)
            if load is not None:
                return load
            rate *= HOLD_DOWN
        raise RuntimeError(f"{self._engine}: no rate of {mix} was sustained, down to {rate:.0f}/s")

    def _sustained(self, mix: str, rate: float, seconds: float, callers: int) -> Load | None:
        report = self._run(mix, rate, seconds, callers)
        load, bad, delay = load_of(report), bad_share(report), value_of(report, "published/p99")
        good = bad <= SUSTAINED_BAD_SHARE and delay <= SUSTAINED_DELAY and load.backlog <= load.largest_epoch
        self._say(f"{'sustained' if good else 'not sustained'}: {load.accepted_rate:,.0f}/s accepted, {load.published_rate:,.0f}/s published, {bad:.2%} failed or unsent, published after "
                  f"{delay:.1f} s (p99), {load.backlog:,} left at the end, largest epoch {load.largest_epoch:,}")
        return load if good else None

    def _run(self, mix: str, rate: float, seconds: float, callers: int) -> dict:
        return self._tester.run(mix, rate, seconds, "--arrivals", "constant", "--warm-up", "2", "--max-in-flight", str(callers), *KEYS, *SAMPLED)

    def _add(self, name: str, unit: str, value: float, baseline: float | None = None) -> None:
        self._figures.append(Figure(f"{self._engine}/{name}", unit, value, baseline))

    def _say(self, line: str) -> None:
        print(f"\n== {self._engine}: {line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_engines(parser)
    parser.add_argument("--seconds", type=float, default=60, help="of the long phases; others take a part of it (default 60)")
    arguments = parser.parse_args()
    engines = chosen(parser, arguments)
    # The folders are not in /tmp, because /tmp may be in memory, where syncing data takes no time.
    tempfile.tempdir = "/var/tmp"
    figures = []
    for engine in engines:
        with Deployment(SETTINGS, engine=engine) as log:
            figures += UpdateBench(engine, log, arguments.seconds).run()
    write(ROOT / "build/bench/updates.json", figures)
    print(f"\n{table(figures)}")


if __name__ == "__main__":
    main()
