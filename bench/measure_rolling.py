#!/usr/bin/python3
"""Measures lookups while three query-services behind nginx (deploy/nginx) are restarted one after the other.

The rate of requests is half of the rate that saturates the services. No request may fail and no answer may be wrong. Compares the p99 of
requests during the restarts with the p99 before the restarts. Writes build/bench/rolling.json. `make bench-rolling` sets OPTIKS_OUT, so
that the benchmark starts the programs in the Debian packages.
usage: measure_rolling.py [--keys N] [--rate N] [--window S] [--before N] [--rounds N] [--rest S]"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from figures import ROOT, Figure, table, value_of, write

sys.path.insert(0, str(ROOT / "tests/e2e"))

from edge import PROXY_SETTING, UNLIMITED, Edge
from harness import Deployment
from stress_tester import StressTester
from windows import BenchFailed, Moments, compare, windows_of

SETTINGS = {"Optiks__UpdateTask__EpochInterval": "00:00:01", "Optiks__UpdateTask__LeaseDuration": "00:00:10", **PROXY_SETTING}
REPLICAS = 3
MIX, OPERATION = "hit=1", "hit"
WARM_UP_SECONDS = 10
LOAD = ("--keys", "uniform", "--warm-up", str(WARM_UP_SECONDS))
# The ramp begins at a rate that every machine can sustain. It rises in stages until the p99 of a stage is above SATURATED_MS.
FIRST_RATE, RAMP, STAGE_SECONDS, LONGEST_RAMP_SECONDS, SATURATED_MS = 200, 1.25, 5, 120, 100


def saturating(tester: StressTester, keys: int, mix: str = MIX) -> float:
    """Returns the highest rate of requests a second at which the p99 of the latencies was at most SATURATED_MS."""
    report = tester.run(mix, FIRST_RATE, LONGEST_RAMP_SECONDS, *LOAD, "--key-count", str(keys), "--ramp", str(RAMP), "--stage", str(STAGE_SECONDS), "--limit-p99", str(SATURATED_MS))
    if not report["stages"][-1]["saturated"]:
        raise BenchFailed(f"{report['stages'][-1]['rate']:,.0f} requests a second did not saturate: give --rate")
    if (most := value_of(report, "sustained")) == 0:
        raise BenchFailed(f"{FIRST_RATE} requests a second are too many already: is the machine busy with something else?")
    return most


def restart(log: Deployment, rounds: int, rest: float, running) -> list[float]:
    """Restarts each replica once in each round. Returns, for each restart, the number of seconds from SIGTERM until the replica was ready
    again."""
    took = []
    for _ in range(rounds):
        for query in log.queries:
            begun = time.monotonic()
            query.stop()
            query.start()
            query.wait_ready()
            took.append(time.monotonic() - begun)
            running.wait(rest)
    return took


def measure(log: Deployment, arguments: argparse.Namespace) -> list[Figure]:
    StressTester(log).prepare(arguments.keys, "--many-count", "0")
    with Edge(log, *UNLIMITED) as edge:
        tester = StressTester(log, alone=False, edge=edge)
        most = None if arguments.rate else saturating(tester, arguments.keys)
        rate = arguments.rate or most / 2
        print(f"\n== {rate:,.0f} lookups a second", flush=True)
        moments = Moments()
        with tester.running(MIX, rate, "--window", f"{arguments.window:g}", "--key-count", str(arguments.keys), *LOAD) as running:
            # The wait is one window longer than needed, because optiks-stress takes some time to start.
            running.wait((arguments.before + 1) * arguments.window + WARM_UP_SECONDS)
            moments.asked = time.time()
            took = restart(log, arguments.rounds, arguments.rest, running)
            moments.begun = time.time()
            running.wait(3 * arguments.window)
            report = running.end()
    return figures_of(report, moments, took, arguments, most, rate)


def figures_of(report: dict, moments: Moments, took: list[float], arguments: argparse.Namespace, most: float | None, rate: float) -> list[Figure]:
    comparison = compare(windows_of(report, arguments.window), moments, arguments.window, arguments.before)
    failed = sum(error["count"] for error in report["errors"])
    answered = round(value_of(report, f"{OPERATION}/answered") * report["measured_s"])
    rates = [] if most is None else [Figure("saturating", "lookups/s", most)]
    return [
        *rates,
        Figure("restart", "s, of one replica", statistics.median(took), samples=took),
        Figure("rolling/failed", "lookups", failed, counters={"answered": answered, "verified": report["verification"]["verified"], "lookups_s": rate, "restarts": len(took)}),
        *comparison.figures("rolling/p99", OPERATION),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=1 << 16, help="keys of the log (default 2^16)")
    parser.add_argument("--rate", type=float, help="lookups a second (default: half of what saturates, which is measured first)")
    parser.add_argument("--window", type=float, default=5, help="seconds that a p99 is of (default %(default)s)")
    parser.add_argument("--before", type=int, default=6, help="windows before the restarts (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each replica is restarted (default %(default)s)")
    parser.add_argument("--rest", type=float, default=3, help="seconds from when one is ready until the next is stopped (default %(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench/rolling.json", help="the file of results (default build/bench/rolling.json)")
    arguments = parser.parse_args()
    # The folders are not in /tmp, because /tmp may be in memory.
    tempfile.tempdir = "/var/tmp"
    with Deployment(SETTINGS, replicas=REPLICAS) as log:
        figures = measure(log, arguments)
    write(arguments.out, figures)
    print(f"\n{table(figures)}")
    if failed := sum(figure.value for figure in figures if figure.name == "rolling/failed"):
        sys.exit(f"{failed:.0f} lookups failed or were not sent")


if __name__ == "__main__":
    main()
