#!/usr/bin/python3
"""The long failover drill: kills a cluster's primary and the active update-task repeatedly under load, and measures the outages.

Prints a line for each kill, and at the end one row for each kind of kill. Exit code 1: a promise is broken.
"""

import argparse
import dataclasses
import json
import random
import signal
import sys
import time
from pathlib import Path

from failover import PRIMARY, TASK, Drill, Outage
from trial import Row


def run(drill: Drill, kills: int, say) -> list[Outage]:
    """Kills the primary and the active update-task this number of times each, in a random order."""
    order = [drill.kill_primary, drill.kill_task] * kills
    drill.trial.random.shuffle(order)
    outages = []
    for number, put in enumerate(order, 1):
        outage = put()
        outages.append(outage)
        say(f"{number}: {outage.point}: {outage.without_accepting} s without accepting, {outage.without_epoch} s without an epoch; {drill.trial.count} updates accepted")
    return outages


def report(rows: list[Row], outages: list[Outage], rate: float, seconds: float, accepted: int) -> dict:
    """Returns the report as JSON."""
    document: dict = {"offered_updates_per_second": rate, "seconds": round(seconds), "accepted": accepted, "kinds": []}
    for row in rows:
        costs = [outage for outage in outages if outage.point == row.point]
        worst = {name: max((getattr(cost, name) for cost in costs), default=0) for name in ("without_accepting", "without_epoch")}
        document["kinds"].append(dataclasses.asdict(row) | {f"longest_{name}_s": value for name, value in worst.items()} | {"outages": [dataclasses.asdict(cost) for cost in costs]})
    return document


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("report", type=Path, help="JSON file to write")
    parser.add_argument("--kills", type=int, default=10, help="of each kind")
    parser.add_argument("--rate", type=float, default=2000, help="updates a second")
    parser.add_argument("--keys", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    # If this program is ended early, it must leave no server behind.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - started:7.1f} s  {text}", flush=True)

    say(f"seed {options.seed}, {options.rate:.0f} updates/s")
    with Drill(options.seed, options.rate, options.keys) as drill:
        say("the cluster is whole, the services are ready")
        loaded = time.monotonic()
        outages = run(drill, options.kills, say)
        seconds = time.monotonic() - loaded
        say("judging")
        rows = drill.trial.judge()
        accepted = drill.trial.count
    document = report(rows, outages, options.rate, seconds, accepted)
    options.report.parent.mkdir(parents=True, exist_ok=True)
    options.report.write_text(json.dumps(document, indent=1) + "\n")
    for kind in document["kinds"]:
        say(f"{kind['point']}: {kind['kills']} kills, {kind['accepted']} updates accepted, {kind['lost']} lost, {kind['doubled']} doubled, {kind['histories']} history; "
            f"at most {kind['longest_without_accepting_s']} s without accepting, {kind['longest_without_epoch_s']} s without an epoch")
    is_sound = {kind["point"] for kind in document["kinds"]} == {PRIMARY, TASK} and all((row.lost, row.doubled, row.histories) == (0, 0, 1) for row in rows)
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
