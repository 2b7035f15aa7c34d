#!/usr/bin/python3
"""Measures the effects on callers while a log on three hosts behind nginx is upgraded to today's packages, host by host as in
docs/operations/upgrade.md. The load is verified lookups and updates at a quarter of the saturating rate. The first host is downgraded once,
and upgraded again. Before the upgrade, 10^6 keys are loaded. Exit code 1: a lookup failed, or an accepted update was lost or doubled.
Writes build/bench/upgrade.json. Run this as root, after `make deb`."""

import argparse
import datetime
import itertools
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness import ROOT
from upgrade import DATABASE, ORDER, ROLES, Hosts, clone_of, version

sys.path.insert(0, str(ROOT / "bench"))

from figures import Figure, table, value_of, write
from measure_rolling import LOAD, WARM_UP_SECONDS, saturating
from stress_tester import StressTester
from windows import Moments, compare, windows_of

# The first commit that builds packages.
OLDEST = "11d2b03"
MIX, LOOKUP, UPDATE = "hit=9,update=1", "hit", "update"
# optiks-stress follows every update until it is published. At the end it compares up to 20,000 updated keys with their histories.
CHECKS = ("--follow", "1", "--check-keys", "20000", "--settle", "600")


@dataclass
class Upgrade:
    """The times at which the upgrade's steps took place."""

    moments: Moments = field(default_factory=Moments)
    hosts: list[float] = field(default_factory=list)
    """Seconds that each took."""
    back: float = 0.0
    """Seconds that going back took on one host."""


def put_through(hosts: Hosts, older: Path, running, say) -> Upgrade:
    """Upgrades all hosts in the order of docs/operations/upgrade.md. The first host is upgraded, downgraded, and upgraded again."""
    done = Upgrade()
    done.moments.asked = time.time()
    for role in ORDER:
        try:
            done.hosts.append(hosts.renew(role, ROOT, migrates=role == ORDER[0]))
            say(f"{role.name} has {version(hosts.host(role))} after {done.hosts[-1]:.1f} s")
            if role == ORDER[0]:
                done.back = hosts.renew(role, older, going_back=True)
                say(f"{role.name} is back at {version(hosts.host(role))} after {done.back:.1f} s")
                hosts.renew(role, ROOT)
        except AssertionError:
            print(hosts.journal(role), file=sys.stderr)
            raise
        running.wait(2)
    done.moments.begun = time.time()
    return done


def measure(hosts: Hosts, older: Path, arguments: argparse.Namespace, say) -> list[Figure]:
    tester = StressTester(hosts, alone=False, edge=hosts.edge)
    tester.prepare(arguments.keys, "--many-count", "0")
    hosts.settle()
    say(f"{arguments.keys:,} keys are loaded")
    most = None if arguments.rate else saturating(tester, arguments.keys, MIX)
    rate = arguments.rate or most / 4
    say(f"{rate:,.0f} requests/s, a tenth of them updates")
    with tester.running(MIX, rate, "--window", f"{arguments.window:g}", "--key-count", str(arguments.keys), *LOAD, *CHECKS) as running:
        # The wait is one window longer than the measurement needs, because optiks-stress takes time to start.
        running.wait((arguments.before + 1) * arguments.window + WARM_UP_SECONDS)
        done = put_through(hosts, older, running, say)
        running.wait(3 * arguments.window)
        report = running.end()
    return figures_of(report, done, arguments, most, rate)


def figures_of(report: dict, done: Upgrade, arguments: argparse.Namespace, most: float | None, rate: float) -> list[Figure]:
    comparison = compare(windows_of(report, arguments.window), done.moments, arguments.window, arguments.before)
    updates, failed = report["updates"], {name: failures(report, name) for name in (LOOKUP, UPDATE)}
    answered = round(value_of(report, f"{LOOKUP}/answered") * report["measured_s"])
    figures = [] if most is None else [Figure("saturating", "requests/s", most)]
    figures += [
        Figure("upgrade", "s, of one host", statistics.median(done.hosts), samples=done.hosts, counters={"keys": arguments.keys, "requests_s": rate, "back_s": done.back}),
        Figure("upgrade/failed", "lookups", failed[LOOKUP], counters={"answered": answered, "verified": report["verification"]["verified"]}),
        Figure("upgrade/lost", "accepted updates", updates["lost"], counters={name: updates[name] for name in ("accepted", "published", "doubled", "uncertain", "unsettled", "checked_keys")}),
        Figure("upgrade/unanswered", "updates, which their callers repeat", failed[UPDATE]),
    ]
    for operation in (LOOKUP, UPDATE):
        figures += comparison.figures(f"upgrade/p99/{operation}", operation)
    figures.append(Figure("upgrade/without-epoch", "s, longest", *longest_pauses([epoch["at_s"] for epoch in report["epochs"]], report, done.moments)))
    # The list has the seconds in which updates were accepted. If one second between two of them has no accepted update, this pause counts
    # as two seconds.
    accepting = [second for second, row in enumerate(report["seconds"]) if row["updates"] > 0]
    figures.append(Figure("upgrade/without-accepting", "s, longest, to the second", *longest_pauses(accepting, report, done.moments)))
    return figures


def failures(report: dict, operation: str) -> int:
    """Returns the number of requests that failed, or were not sent in time."""
    return sum(error["count"] for error in report["errors"] if error["operation"] == operation)


def longest_pauses(moments: list[float], report: dict, upgrade: Moments) -> tuple[float, float]:
    """Returns the longest time between two successive moments after the beginning of the upgrade, and the longest such time before the
    beginning of the upgrade. Moments are seconds since the load began; the time after the load, while updates settle, is left out."""
    asked = upgrade.asked - datetime.datetime.fromisoformat(report["started"]).timestamp()
    pauses = [(later, later - earlier) for earlier, later in itertools.pairwise(moments) if later <= report["warm_up_s"] + report["measured_s"]]
    return tuple(max((pause for later, pause in pauses if (later > asked) == is_upgrade), default=0) for is_upgrade in (True, False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="older", default=OLDEST, metavar="COMMIT", help="whose packages are upgraded (default: the first commit that has any)")
    parser.add_argument("--keys", type=int, default=1_000_000, help="keys of the log (default 10^6)")
    parser.add_argument("--rate", type=float, help="requests a second (default: a quarter of what saturates, which is measured first)")
    parser.add_argument("--window", type=float, default=5, help="seconds that a p99 is of (default %(default)s)")
    parser.add_argument("--before", type=int, default=6, help="windows before the upgrade (default %(default)s)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/bench/upgrade.json", help="the file of results (default build/bench/upgrade.json)")
    arguments = parser.parse_args()
    # Temporary folders are not in /tmp, because /tmp may be in memory.
    tempfile.tempdir = "/var/tmp"
    # If this program is ended early, it must leave no container behind.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - started:7.1f} s  {text}", flush=True)

    older = clone_of(arguments.older)
    with Hosts(older) as hosts:
        say(f"{len(ROLES)} hosts and nginx are ready, with {version(hosts.host(DATABASE))}")
        figures = measure(hosts, older, arguments, say)
    write(arguments.out, figures)
    print(f"\n{table(figures)}")
    if failed := next(figure.value for figure in figures if figure.name == "upgrade/failed"):
        sys.exit(f"{failed:.0f} lookups failed or were not sent")


if __name__ == "__main__":
    main()
