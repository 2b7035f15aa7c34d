#!/usr/bin/python3
"""Measures a switch of the period during a constant load of lookups and updates.

Measures the seconds from the operator's request for the switch until a replica shows the first epoch of the next period. Compares the p99
of requests during this time with the p99 before the switch. No request may fail, no answer may be wrong, and no update may
be lost or doubled. Writes build/bench/period.json.
usage: measure_periods.py [--engines E,..] [--keys N] [--rate N] [--window S] [--before N]"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from engines import add_engines, chosen
from figures import ROOT, Figure, table, write

sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import Deployment, Process
from stress_tester import StressTester
from windows import BenchFailed, Moments, compare, windows_of

# The period length is the shortest possible, so that the log can switch as soon as the update-task has prepared the next period.
SETTINGS = {"Optiks__UpdateTask__EpochInterval": "00:00:01", "Optiks__UpdateTask__LeaseDuration": "00:00:10", "Optiks__Log__PeriodLength": "00:00:01", "Optiks__Periods__Automatic": "false"}
MIX, OPERATIONS = "hit=9,update=1", ("hit", "update")
# The load chooses keys uniformly, so that lookups are about both changed and unchanged keys.
LOAD = ("--warm-up", "2", "--keys", "uniform", "--check-keys", "2000", "--settle", "600")
SWITCH_SECONDS = 3600
STAGED_EVENT = 3041


class SwitchWatch(threading.Thread):
    """A thread that waits for the first epoch of the next period and records the memory of processes, until it is told to end."""

    def __init__(self, log: Deployment, processes: list[Process]):
        super().__init__(daemon=True)
        self._log, self._processes = log, processes
        self._ending = threading.Event()
        self.moments = Moments()
        self.begun = threading.Event()
        self.load: list[float] = []
        """The one-minute load averages: the number of processes that wanted a core."""
        self.stolen_share = 0.0
        """The share of the processors' time, until the next period began, that a hypervisor gave to others. Figures of a run
        with a large share are void."""
        self.most_bytes = dict.fromkeys((process.service for process in processes), 0)
        """For each service, the maximum memory until the next period began."""

    def run(self) -> None:
        stolen, spent = processor_time()
        with self._log.query_client() as client:
            while not self._ending.wait(0.05) and not self.begun.is_set():
                if not self.moments.complete and f'"EventId":{STAGED_EVENT},' in self._log.task.log():
                    self.moments.complete = time.time()
                if client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["period"] > 0:
                    self.moments.begun = time.time()
                    self.begun.set()
                self.load.append(os.getloadavg()[0])
                for process in self._processes:
                    self.most_bytes[process.service] = max(self.most_bytes[process.service], process.anonymous_bytes)
        stolen_now, spent_now = processor_time()
        self.stolen_share = (stolen_now - stolen) / (spent_now - spent)

    def end(self) -> None:
        self._ending.set()
        self.join()


def processor_time() -> tuple[int, int]:
    """Returns the stolen time and the total time of all processors (proc_stat(5))."""
    ticks = [int(figure) for figure in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    return ticks[7], sum(ticks)


class SwitchBench:
    """Measures the switch with one database engine."""

    def __init__(self, engine: str, log: Deployment, arguments: argparse.Namespace):
        self._engine, self._log, self._keys = engine, log, arguments.keys
        self._rate, self._window, self._before, self._reports = arguments.rate, arguments.window, arguments.before, arguments.reports
        # With `alone=False` StressTester does not compare accepted updates with the counts in records, because versions begin at 1 again in
        # a later period.
        self._tester = StressTester(log, alone=False)

    def run(self) -> list[Figure]:
        self._say(f"loading {self._keys:,} keys")
        self._tester.prepare(self._keys, "--many-count", "0")
        # The storage first finishes the work that the loading caused. Otherwise the windows before the switch would not measure normal
        # operation.
        self._log.storage.settle()
        processes = [self._log.task, self._log.query]
        resting = {process.service: process.anonymous_bytes for process in processes}
        load_before = os.getloadavg()[0]
        watch = SwitchWatch(self._log, processes)
        self._say(f"{self._before} windows of {self._window:g} s without a switch, {self._rate:g} requests/s")
        with self._tester.running(MIX, self._rate, "--window", f"{self._window:g}", "--key-count", str(self._keys), *LOAD) as running:
            # The wait is one window longer than needed, because optiks-stress takes some time to start.
            running.wait((self._before + 1) * self._window)
            watch.start()
            try:
                self._switch(watch, running)
                # In these windows after the switch, readers wait longer than before the switch, because the caches of the new period are
                # empty.
                running.wait(3 * self._window)
            finally:
                watch.end()
            report = running.end()
        if self._reports is not None:
            self._reports.mkdir(parents=True, exist_ok=True)
            (self._reports / f"{self._engine}.json").write_text(json.dumps(report | {"asked": watch.moments.asked, "complete": watch.moments.complete, "begun": watch.moments.begun}))
        return self._figures(report, watch, resting, load_before)

    def _switch(self, watch: SwitchWatch, running) -> None:
        self._say("the switch")
        watch.moments.asked = time.time()
        done = self._log.optiks_db("period", "switch")
        if done.code != 0:
            raise BenchFailed(f"optiks-db period switch: {done}")
        deadline = time.monotonic() + SWITCH_SECONDS
        while not watch.begun.is_set():
            running.wait(0.5)
            if time.monotonic() > deadline:
                raise BenchFailed(f"no switch in {SWITCH_SECONDS} s:\n{self._log.task.log_end()}")
        self._say(f"begun after {watch.moments.begun - watch.moments.asked:.1f} s")

    def _figures(self, report: dict, watch: SwitchWatch, resting: dict[str, int], load_before: float) -> list[Figure]:
        moments = watch.moments
        comparison = compare(windows_of(report, self._window), moments, self._window, self._before)
        copies = int(re.search(rf'"EventId":{STAGED_EVENT},.*?"Copies":"?(\d+)', self._log.task.log())[1])
        failed = sum(error["count"] for error in report["errors"])
        took, making = moments.begun - moments.asked, moments.complete - moments.asked
        figures = [
            Figure(self._name(f"switch/keys:{self._keys}"), "s", took,
                   counters={"failed": failed, "requests_s": self._rate, "accepted_updates": report["updates"]["accepted"], "copies": copies, "windows": len(comparison.meanwhile),
                             "load_before": load_before, "load_median": statistics.median(watch.load), "stolen_share": watch.stolen_share}),
            Figure(self._name("copies"), "copies/s made ahead", copies / making, counters={"seconds": making})]
        ratios = []
        for operation in OPERATIONS:
            noticed = comparison.figures(self._name("p99", operation), operation)
            figures += noticed
            ratios.append(noticed[0].ratio)
        # The value is a ratio of latencies. The baseline 1 means that requests during the switch are as fast as before the switch.
        figures.append(Figure(self._name("p99-ratio"), "times that before, of lookups or updates", max(ratios), 1, ratios))
        figures += [Figure(self._name("memory", service), "MB, anonymous", most / 1e6, resting[service] / 1e6) for service, most in watch.most_bytes.items()]
        return figures

    def _name(self, *parts: str) -> str:
        return "/".join((self._engine, *parts))

    def _say(self, line: str) -> None:
        print(f"\n== {self._engine}: {line}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_engines(parser)
    parser.add_argument("--keys", type=int, default=1 << 20, help="keys of the log (default 2^20)")
    parser.add_argument("--rate", type=float, default=300, help="requests a second, a tenth of them updates (default %(default)s)")
    parser.add_argument("--window", type=float, default=10, help="seconds that a p99 is of (default %(default)s)")
    parser.add_argument("--reports", type=Path, metavar="FOLDER", help="keep optiks-stress' reports there, with figures of each second")
    parser.add_argument("--before", type=int, default=5, help="windows before the switch (default %(default)s)")
    arguments = parser.parse_args()
    engines = chosen(parser, arguments)
    # The folders are not in /tmp, because /tmp may be in memory, where syncing data takes no time.
    tempfile.tempdir = "/var/tmp"
    figures = []
    for engine in engines:
        with Deployment(SETTINGS, engine=engine) as log:
            figures += SwitchBench(engine, log, arguments).run()
    failed = sum(figure.counters.get("failed", 0) for figure in figures)
    # The rows whose names contain no engine are copies of the rows of the worst engine.
    for name in (f"switch/keys:{arguments.keys}", "p99-ratio"):
        of_engines = [figure for figure in figures if figure.name in [f"{engine}/{name}" for engine in engines]]
        figures.append(replace(max(of_engines, key=lambda one: one.value), name=name))
    write(ROOT / "build/bench/period.json", figures)
    print(f"\n{table(figures)}")
    if failed:
        sys.exit(f"{failed} requests failed or were not sent")


if __name__ == "__main__":
    main()
