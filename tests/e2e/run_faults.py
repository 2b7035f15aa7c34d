#!/usr/bin/python3
"""The long fault suite: every fault on every engine, repeated until the time is over; random kills; or storms.

Random kills continue until the given number of updates was accepted. Prints a line for each fault, and at the end one row for each engine
and fault point. Exit code 1: a promise is broken.
"""

import argparse
import dataclasses
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import faults
from harness import Deployment
from load import LIST, BulkWriter, Writer
from proxy import Proxies
from storage import ENGINES, OwnPostgreSql, Sqlite
from storm import Storm, StormLog
from trial import Row, Trial

# The part of an engine's time, in seconds, that is reserved for judging the log.
JUDGE_SECONDS = 25
BULK_WRITERS, VERSIONS = 2, 5
# This interval is the default of operators' logs. With a shorter interval, the number of epochs and not the rate of the load would decide
# how often a process is killed.
BULK = {"Optiks__UpdateTask__EpochInterval": "00:00:01"}
# The length of a storm. It is long enough for several faults of every proxy, and short enough for many calm phases, in which all work must
# continue.
STORM_SECONDS = 25
# The engines of storms. A database server that belongs to others is not among them, because it has no proxy in front of it and may not be
# killed.
STORM_ENGINES = [Sqlite.name, OwnPostgreSql.name]


class Suite:
    """The suite's state: the rows so far, and the function that reports progress."""

    def __init__(self, seed: int):
        self.rows: list[Row] = []
        self._seed = seed
        self._started = time.monotonic()

    def run(self, engine: str, seconds: float) -> None:
        """Runs all faults in a random order, repeatedly, until the time is over."""
        deadline = time.monotonic() + seconds - JUDGE_SECONDS
        self._say(f"{engine}, seed {self._seed}")
        with Deployment(before_start=faults.kill_at_genesis, engine=engine) as log, Trial(log, self._seed) as trial:
            faults.after_genesis(trial)
            left, again = _shuffled(trial), False
            while time.monotonic() < deadline:
                if not left:
                    left, again = _shuffled(trial), True
                fault = left.pop()
                self._put(trial, fault)
            if left and not again:
                self._say(f"{engine}: no time was left for: {', '.join(fault.name for fault in left)}")
            self._judge(trial)

    def run_until(self, engine: str, updates: int) -> None:
        """Runs random kills, pauses and restarts until this many updates, which are sent in lists, are accepted."""

        def writers(trial: Trial) -> list[Writer]:
            keys = max(updates // VERSIONS // BULK_WRITERS, LIST)
            return [BulkWriter(trial.log, f"bulk{i}", trial.random.randrange(2**32), lambda: trial.point, keys) for i in range(BULK_WRITERS)]

        self._say(f"{engine}, seed {self._seed}, until {updates} updates are accepted")
        with Deployment(BULK, engine=engine) as log, Trial(log, self._seed, writers) as trial:
            while trial.count < updates:
                self._put(trial, trial.random.choice(faults.random_ones(engine)))
            self._judge(trial)

    def storm(self, engine: str, seconds: float) -> None:
        """Runs storms, each with a calm after it, until the time is over."""
        self._say(f"{engine}, storms, seed {self._seed}")
        with Proxies(self._seed) as proxies, StormLog(engine, proxies) as log, Storm(log, proxies, self._seed) as storm:
            left = seconds
            while left > 0:
                started, strength = time.monotonic(), min(left, STORM_SECONDS)
                storm.blow(strength)
                left -= strength
                self._say(f"{engine}: {strength:.0f} s of storm, {time.monotonic() - started - strength:.1f} s until all went on; {storm.count} updates accepted")
            self._judge(storm)

    def _put(self, trial: Trial, fault: faults.Fault) -> None:
        started = time.monotonic()
        fault.put(trial)
        self._say(f"{trial.engine}: {fault.name}: {time.monotonic() - started:.1f} s; {trial.count} updates accepted")

    def _judge(self, trial: Trial) -> None:
        self._say(f"{trial.engine}: judging")
        rows = trial.judge()
        self.rows += rows
        self._say(f"{trial.engine}: {sum(row.kills for row in rows)} faults, {sum(row.accepted for row in rows)} updates accepted, "
                  f"{sum(row.lost for row in rows)} lost, {sum(row.doubled for row in rows)} doubled, {max(row.histories for row in rows)} history")

    def _say(self, text: str) -> None:
        print(f"{time.monotonic() - self._started:7.1f} s  {text}", flush=True)


def _shuffled(trial: Trial) -> list[faults.Fault]:
    every = faults.every(trial.engine)
    trial.random.shuffle(every)
    return every


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("report", type=Path, help="JSON file to write")
    bound = parser.add_mutually_exclusive_group(required=True)
    bound.add_argument("--minutes", type=float, help="shared by the engines")
    bound.add_argument("--updates", type=int, help="of each engine")
    bound.add_argument("--storm", type=float, metavar="MINUTES", help="of each engine: two of each service behind connections that stall, are cut and refused")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    # If this program is ended early, it must leave no server behind.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    if os.geteuid() != 0:
        print("not root: the full disk is left out, as nothing can be mounted")
    suite = Suite(options.seed)
    try:
        for engine in options.engines:
            if options.storm is not None:
                if engine not in STORM_ENGINES:
                    print(f"{engine}: no storm, as its server is not the test's own")
                    continue
                suite.storm(engine, options.storm * 60)
            elif options.updates is not None:
                suite.run_until(engine, options.updates)
            else:
                suite.run(engine, options.minutes * 60 / len(options.engines))
    finally:
        options.report.write_text(json.dumps([dataclasses.asdict(row) for row in suite.rows], indent=1) + "\n")
    return 0 if suite.rows and all((row.lost, row.doubled, row.histories) == (0, 0, 1) for row in suite.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
