#!/usr/bin/python3
"""Measures a switch of the period while lookups and updates run: the seconds from the operator's request, which begins the making of the next period's trees, to the first
epoch of that period, the task's and the replica's memory, and the p99 of requests meanwhile beside that of before. No request may fail. Writes build/bench/period.json.
usage: measure_periods.py [--engines E,..] [--keys N] [--rate N] [--window S]"""

import argparse
import statistics
import sys
import tempfile
import threading
import time

from figures import ROOT, Figure, bad_share, table, value_of, write

sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import Deployment, Process
from stress_tester import StressTester
from storage import ENGINES, OwnPostgreSql, Sqlite

# Those that every machine has.
OWN_ENGINES = (OwnPostgreSql.name, Sqlite.name)
# A switch may come as soon as it is prepared.
SETTINGS = {"OPTIKS_TRY_PERIODS": "1", "Optiks__UpdateTask__EpochInterval": "00:00:01", "Optiks__UpdateTask__LeaseDuration": "00:00:10", "Optiks__Log__PeriodLength": "00:00:01"}
MIX, OPERATIONS = "hit=9,update=1", ("hit", "update")
BEFORE = 5
MOST_WINDOWS = 360


class BenchFailed(Exception):
    """What was to be measured did not happen."""


class SwitchWatch(threading.Thread):
    """Looks for the first epoch of a later period, and at the memory of processes, until it is stopped."""

    def __init__(self, log: Deployment, processes: list[Process]):
        super().__init__(daemon=True)
        self._log, self._processes = log, processes
        self._stop = threading.Event()
        self.switched_at: float | None = None
        """By time.monotonic()."""
        self.most_bytes = dict.fromkeys((process.service for process in processes), 0)

    def run(self) -> None:
        with self._log.query_client() as client:
            while not self._stop.is_set():
                if self.switched_at is None and client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["period"] > 0:
                    self.switched_at = time.monotonic()
                for process in self._processes:
                    self.most_bytes[process.service] = max(self.most_bytes[process.service], process.anonymous_bytes)
                self._stop.wait(0.1)

    def stop(self) -> None:
        self._stop.set()
        self.join()


class SwitchBench:
    """One engine's switch."""

    def __init__(self, engine: str, log: Deployment, keys: int, rate: float, window: float):
        self._engine, self._log, self._keys, self._rate, self._window = engine, log, keys, rate, window
        # Versions of a later period begin at 1 again, so that records do not count what was accepted.
        self._tester = StressTester(log, alone=False)

    def run(self) -> list[Figure]:
        self._say(f"loading {self._keys:,} keys")
        self._tester.prepare(self._keys)
        processes = [self._log.task, self._log.query]
        resting = {process.service: process.anonymous_bytes for process in processes}
        self._say(f"{BEFORE} windows before")
        before = [self._load() for _ in range(BEFORE)]
        self._say("the switch")
        watch = SwitchWatch(self._log, processes)
        watch.start()
        try:
            asked = time.monotonic()
            done = self._log.optiks_db("period", "switch")
            if done.code != 0:
                raise BenchFailed(f"optiks-db period switch: {done}")
            meanwhile = []
            while watch.switched_at is None:
                if len(meanwhile) == MOST_WINDOWS:
                    raise BenchFailed(f"no switch in {MOST_WINDOWS} windows:\n{self._log.task.log_end()}")
                meanwhile.append(self._load())
            # What readers of the new period wait for while they have nothing of it in their caches.
            meanwhile.append(self._load())
        finally:
            watch.stop()
        figures = [Figure(self._name(f"switch/keys:{self._keys}"), "s", watch.switched_at - asked, counters={"windows": len(meanwhile), "rate_s": self._rate})]
        for operation in OPERATIONS:
            worst, usual = max(window[operation] for window in meanwhile), statistics.median(window[operation] for window in before)
            figures.append(Figure(self._name("p99-ratio", operation), "ms, worst window", worst, usual, [window[operation] for window in meanwhile],
                                  {"worst_before_ms": max(window[operation] for window in before)}))
        figures += [Figure(self._name("memory", service), "bytes, anonymous", most, resting[service]) for service, most in watch.most_bytes.items()]
        return figures

    def _load(self) -> dict[str, float]:
        """p99 of a window in milliseconds, by operation."""
        report = self._tester.run(MIX, self._rate, self._window, "--warm-up", "1", "--key-count", str(self._keys), "--keys", "uniform", "--follow", "0", "--check-keys", "0")
        if bad := bad_share(report):
            raise BenchFailed(f"{bad:.2%} of the requests failed or were not sent: {report['errors']}")
        return {operation: value_of(report, f"{operation}/p99") for operation in OPERATIONS}

    def _name(self, *parts: str) -> str:
        return "/".join((*parts, self._engine))

    def _say(self, line: str) -> None:
        print(f"\n== {self._engine}: {line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", default=",".join(OWN_ENGINES), help=f"of {', '.join(OWN_ENGINES)} (default %(default)s)")
    parser.add_argument("--keys", type=int, default=1 << 20, help="keys of the log (default 2^20)")
    parser.add_argument("--rate", type=float, default=300, help="requests a second (default %(default)s)")
    parser.add_argument("--window", type=float, default=10, help="seconds that a p99 is of (default %(default)s)")
    arguments = parser.parse_args()
    engines = arguments.engines.split(",")
    if not set(engines) <= set(ENGINES):
        parser.error(f"--engines are of {', '.join(ENGINES)}")
    # /tmp may be memory, where durability costs nothing.
    tempfile.tempdir = "/var/tmp"
    figures = []
    for engine in engines:
        with Deployment(SETTINGS, engine=engine) as log:
            figures += SwitchBench(engine, log, arguments.keys, arguments.rate, arguments.window).run()
    write(ROOT / "build/bench/period.json", figures)
    print(f"\n{table(figures)}")


if __name__ == "__main__":
    main()
