#!/usr/bin/python3
"""Runs one greedy caller after another next to honest lookups and updates. For each kind of caller and endpoint, the greedy caller sends
the requests that cost the caller least and the service most.

Writes the figures to FILE and prints a table. Exits with 1 when an honest caller was refused, an answer was wrong, an update was lost, or a
service's memory grew beyond its bound. Latency is reported and never fails, because it depends on the machine. The greedy caller, the
tester and the services share this machine's processors.
  usage: run_fairness.py FILE [--seconds S] [--only WORD]"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(Path(__file__).parent)]

from greedy import MANY_DEVICES, Greed, GreedyCaller, of_query_service, of_update_service
from harness import Deployment
from run_slow import MB, Memory, refusals, run_honest
from stress_tester import StressTester
from tokens import Signer, claims

KEYS = 1000
HONEST_LOOKUPS, HONEST_UPDATES = 50, 10
LONG_VALUE = "x" * 65_000
DEVICES, DEVICES_AT_ONCE = 248, 31
SOURCE = "127.0.0.2"
MOST_MB = 512
"""By which a service's memory may grow: the budget of answers and an allowance for what is not collected yet."""
P99_RATIO = 3
# The limits that docs/operations/rate-limits.md recommends.
LIMITS = {
    "Optiks__RateLimits__Lookups__PerSecond": "500", "Optiks__RateLimits__Updates__PerSecond": "100",
    "Optiks__RateLimits__Statuses__PerSecond": "100", "Optiks__RateLimits__Audits__PerSecond": "500",
}
KINDS = {"hit": "lookup", "update": "update", "published": "publication"}


def credentials(log: Deployment, signer: Signer) -> dict[str, str | None]:
    """Returns the credential of each caller. The forged token has the form of a token that this log would accept."""
    found = {"stranger": None, "token": signer.token(claims(["own"], scope="update history")), "forged token": Signer(signer.key_id).token(claims(["own"]))}
    for scope in ("lookup", "history", "update", "erase"):
        file = log.logs / f"key-{scope}"
        made = log.optiks_db("api-key", "add", f"greedy-{scope}", "--scope", scope, "--out", str(file))
        if made.code != 0:
            raise SystemExit(f"optiks-db api-key add: {made}")
        found[f"key {scope}"] = file.read_text().strip()
    return found


def fill(log: Deployment, tester: StressTester) -> int:
    """Publishes keys for lookups, a key with 100 versions, long values, and a user whose devices have long values. Returns the newest
    epoch."""
    tester.prepare(KEYS, "--many-count", "0")
    log.publish(*[(f"long {i}", LONG_VALUE) for i in range(8)])
    user = log.change_user({"op": "create", "usernames": [MANY_DEVICES]})["user_b64"]
    for first in range(0, DEVICES, DEVICES_AT_ONCE):
        log.change_user(*[{"op": "add-device", "device": f"device {i}", "value": LONG_VALUE} for i in range(first, first + DEVICES_AT_ONCE)], user_b64=user)
    epoch = 0
    for version in range(100):
        epoch = log.publish(("often", f"version {version}"), ("own", f"version {version}"))["epoch"]
    return epoch


def measure(log: Deployment, seconds: float, greed: Greed | None) -> dict:
    options = ["--key-count", str(KEYS), "--many-count", "0", "--check-keys", "100"]
    before = {process.service: process.anonymous_bytes / MB for process in (log.query, log.update)}
    with Memory([log.query, log.update, log.task]) as memory:
        if greed is None:
            answers, report = {}, run_honest(log, HONEST_LOOKUPS, HONEST_UPDATES, seconds, options)
        else:
            with GreedyCaller(greed, SOURCE) as caller:
                report = run_honest(log, HONEST_LOOKUPS, HONEST_UPDATES, seconds, options)
            answers = dict(caller.answers)
    p99 = {kind: row["value"] for row in report["results"] for kind in KINDS if row["name"] == f"{kind}/p99"}
    grown = {service: round(memory.most[service] - value, 1) for service, value in before.items()}
    figures = {"p99_s": p99, "grown_mb": grown, "answers": answers, "honest_errors": report["errors"]}
    problems = [f"honest callers were refused: {refusals(figures)}"] if refusals(figures) else []
    problems += [f"{service} grew by {value} MiB, more than {MOST_MB}" for service, value in grown.items() if value > MOST_MB]
    problems += [f"{report['verification']['wrong']} answers were wrong"] if report["verification"]["wrong"] else []
    problems += [f"{report['updates']['lost']} updates were lost"] if report["updates"]["lost"] else []
    return figures | {"problems": problems}


def table_row(name: str, caller: str, figures: dict, alone: dict) -> str:
    ratios = [f"{figures['p99_s'][kind] / alone['p99_s'][kind]:.1f}" for kind in KINDS]
    answers = ", ".join(f"{status}: {count:,}" for status, count in sorted(figures["answers"].items()))
    grown = f"{figures['grown_mb']['query-service']:.0f} / {figures['grown_mb']['update-service']:.0f}"
    return f"| {caller} | {name} | {answers} | {' | '.join(ratios)} | {len(refusals(figures))} | {grown} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=20, help="of each greedy caller (default 20)")
    parser.add_argument("--only", default="", help="run only the greedy callers whose name or kind has this word")
    arguments = parser.parse_args()
    signer = Signer("fairness")
    with Deployment(settings={"Optiks__QueryService__AnswerBytes": str(256 * MB)}, before_start=signer.trust) as log:
        epoch = fill(log, StressTester(log))
        known = credentials(log, signer)
        for process in (log.query, log.update):
            process.stop()
            process.start(**LIMITS)
            process.wait_ready()
        every = [*of_query_service(log.query.url, known, epoch), *of_update_service(log.update.url, known)]
        chosen = [greed for greed in every if arguments.only in f"{greed.caller}: {greed.name}"]
        alone = measure(log, arguments.seconds, None)
        print("alone: p99 of " + ", ".join(f"{KINDS[kind]} {value * 1e3:.0f} ms" for kind, value in alone["p99_s"].items()))
        print("| caller | asks for | its answers | lookup p99, times alone | update | publication | honest refused | query / update-service grew, MiB |\n|---|---|---|---|---|---|---|---|")
        rows = []
        for greed in chosen:
            figures = measure(log, arguments.seconds, greed)
            rows.append({"caller": greed.caller, "asks_for": greed.name} | figures)
            print(table_row(greed.name, greed.caller, figures, alone), flush=True)
    problems = [f"{row['caller']}, {row['asks_for']}: {problem}" for row in rows for problem in row["problems"]]
    slow = [f"{row['caller']}, {row['asks_for']}: {kind} x{row['p99_s'][kind] / alone['p99_s'][kind]:.1f}" for row in rows for kind in KINDS if row["p99_s"][kind] > P99_RATIO * alone["p99_s"][kind]]
    arguments.file.write_text(json.dumps({"seconds": arguments.seconds, "alone": alone, "rows": rows, "problems": problems, "beyond_3_times": slow}, indent=2) + "\n")
    for one in slow:
        print(f"p99 beyond {P99_RATIO} times: {one}")
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
