#!/usr/bin/python3
"""The long auditor suite: kills at every step with older copies of the state restored, and then measures the cost of catching up.

Prints a line per round, and writes one JSON object to FILE at the end. Exit code 1: the auditor signed something that it must not sign.
"""

import argparse
import base64
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from auditors import KILLED, OPTIKS, Auditor, kill_rounds
from harness import FAIL_POINT, Deployment
from oracle import require

# With these settings each epoch begins as soon as the previous epoch is published, with or without updates, so the test makes a long log in
# minutes.
MANY_EPOCHS = {"Optiks__UpdateTask__EpochInterval": "00:00:00.010", "Optiks__Log__Heartbeat": "00:00:00.010"}
BATCH = 250
LEAST_KILLS = 3
STANDSTILL_SECONDS = 60
KEYS_A_LOOK = 20


def measured(auditor: Auditor, fail_point: str | None = None) -> dict:
    """Runs the auditor once and measures seconds, processor seconds, peak memory and octets of proofs."""
    environment = auditor.logs[0].environment | ({FAIL_POINT: fail_point} if fail_point else {})
    read, write = os.pipe()
    started = time.monotonic()
    pid = os.posix_spawn(OPTIKS, [str(OPTIKS), "auditor", "--once", "--json", "--config", str(auditor.config)], environment,
                         file_actions=[(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_CLOSE, read)])
    os.close(write)
    with os.fdopen(read) as output:
        said = output.read()
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    require(code == (KILLED if fail_point else 0), f"exit code {code}: {said}")
    last = json.loads(said.splitlines()[0]) if said else {}
    return {"seconds": round(time.monotonic() - started, 2), "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2), "peak_mb": round(usage.ru_maxrss / 1024),
            "epoch": last.get("epoch"), "proof_octets": last.get("proof_octets")}


def verified(auditor: Auditor) -> int:
    file = auditor.folder_of() / "state.json"
    if not file.exists():
        return 0
    record = json.loads(file.read_text())["head"]["record"]
    return int.from_bytes(base64.b64decode(record)[34:42], "big")


def insertions(folder: Path, count: int) -> dict:
    """Measures what an auditor needs for one or a few epochs that add this number of new keys, in a log of ten times as many keys."""
    with Deployment({"Optiks__UpdateTask__EpochInterval": "00:00:01"}) as log:
        publish_keys(log, "before", 10 * count)
        auditor = Auditor(folder, log)
        measured(auditor)
        empty = measured(auditor)
        publish_keys(log, "new", count)
        return {"insertions": count, "start_alone": empty} | measured(auditor)


def publish_keys(log: Deployment, prefix: str, count: int) -> None:
    with log.update_client(timeout=90) as client:
        last = ""
        for first in range(0, count, BATCH):
            items = [{"key": f"{prefix}-{number}", "value": "v"} for number in range(first, min(count, first + BATCH))]
            accepted = client.post_json("/v1/updates", {"items": items})
            require(accepted.status == 202, f"{accepted.status} {accepted.body!r}")
            last = accepted.json()["status_url"]
        status = client.get(f"{last}?wait=60").json()
        require(status["status"] == "published", str(status))
    log.wait_served(status["epoch"])


def write_epochs(log: Deployment, epochs: int) -> int:
    """Publishes new keys one by one until the log has this number of epochs, and returns the number of keys."""
    count = latest = 0
    moved = time.monotonic()
    with log.query_client() as reader, log.update_client() as writer:
        while latest < epochs:
            for _ in range(KEYS_A_LOOK):
                accepted = writer.post_json("/v1/updates", {"key": f"key-{count}", "value": "v"})
                require(accepted.status == 202, f"{accepted.status} {accepted.body!r}")
                count += 1
            now = reader.get("/v1/epochs/latest", "application/json").json()["record_fields"]["epoch"]
            if now > latest:
                latest, moved = now, time.monotonic()
            require(time.monotonic() - moved < STANDSTILL_SECONDS, f"the log stands still at epoch {latest}: {log.task.log_end()}")
    return count


def catching_up(folder: Path, epochs: int) -> dict:
    """Measures an auditor that catches up with this number of epochs in one run, and an auditor that is killed on the way and resumes."""
    with Deployment(MANY_EPOCHS) as log:
        keys = write_epochs(log, epochs)
        require(log.task.stop() == 0, log.task.log_end())
        whole = measured(Auditor(folder / "whole", log))
        killed = Auditor(folder / "killed", log)
        kills, peak = 0, 0
        while kills < LEAST_KILLS:
            peak = max(peak, measured(killed, "auditor-range:12")["peak_mb"])
            kills += 1
            print(f"killed at epoch {verified(killed)}", flush=True)
        resumed = measured(killed)
        killed.look_at_signed()
        require(resumed["epoch"] == whole["epoch"], "what was killed ended elsewhere")
        return {"epochs": whole["epoch"], "keys": keys, "whole": whole, "kills": kills, "peak_mb_killed": peak, "resumed": resumed}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--epochs", type=int, default=10_000)
    parser.add_argument("--insertions", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    report: dict = {"seed": options.seed}
    with tempfile.TemporaryDirectory(prefix="optiks-auditor-") as name:
        folder = Path(name)
        if options.rounds:
            with Deployment() as log:
                log.publish(("alice", "a1"))
                auditor = Auditor(folder / "rounds", log)
                kills: Counter[str] = Counter()
                for point in kill_rounds(auditor, options.rounds, options.seed):
                    kills[point] += 1
                    print(f"{sum(kills.values())}: {point}, signed up to {auditor.newest[0]} entries", flush=True)
                report["kills"] = kills
        if options.insertions:
            report["insertions"] = insertions(folder / "insertions", options.insertions)
            print(json.dumps(report["insertions"]), flush=True)
        if options.epochs:
            (folder / "epochs").mkdir()
            report["catching_up"] = catching_up(folder / "epochs", options.epochs)
    options.file.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
