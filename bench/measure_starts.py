#!/usr/bin/python3
"""Measures the time until a new replica is ready, in linked mode and in stored mode. The replica loads its trees from the database
(SQLite), or from another replica's snapshot. No updates are sent during the starts. Writes build/bench/starts.json. usage:
measure_starts.py [--keys N] [--samples N]"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from figures import ROOT, Figure, table, write
from measure_lookups import SETTINGS, fill, restore

sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import Deployment, NotReady, Process

STORED = {"Optiks__QueryService__NodeCacheBytes": str(64 << 20)}
SECONDS = 600


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(process: Process, folder: Path, environment: dict[str, str]) -> dict[str, float]:
    """Starts the replica's process with an empty folder, waits until it is ready, and stops it. Returns the figures of this start."""
    shutil.rmtree(folder, ignore_errors=True)
    began, most = time.monotonic(), 0
    process.start(**environment)
    while not process.is_ready():
        if not process.running or time.monotonic() - began > SECONDS:
            raise NotReady(process.log_end())
        most = max(most, process.anonymous_bytes)
        time.sleep(0.02)
    figures = {"seconds": time.monotonic() - began, "cpu_s": cpu_seconds(process.pid), "most_anonymous_bytes": max(most, process.anonymous_bytes)}
    process.stop()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=1 << 20, help="keys of the log (default 2^20)")
    parser.add_argument("--samples", type=int, default=3, help="starts of each kind, in turn (default 3)")
    arguments = parser.parse_args()
    # The folders are not in /tmp, because /tmp may be in memory.
    tempfile.tempdir = "/var/tmp"
    filled = fill(arguments.keys)
    print("== starting", flush=True)
    with Deployment(SETTINGS, replicas=2, before_start=lambda log: restore(log, filled)) as log:
        peer, process = log.queries
        process.stop()
        key = log.data / "snapshot-key"
        if (added := log.optiks_db("api-key", "add", "replicas", "--scope", "snapshot", "--out", str(key))).code != 0:
            raise NotReady(str(added))
        # By now the other replica has saved its snapshot, and all data that the starts read is in the page cache.
        snapshot = {"Optiks__QueryService__SnapshotPeers__0": peer.url, "Optiks__QueryService__SnapshotPeerKeyFile": str(key)}
        kinds = {"linked-database": {}, "linked-snapshot": snapshot, "stored-database": STORED, "stored-snapshot": STORED | snapshot}
        runs = {name: [] for name in kinds}
        for sample in range(arguments.samples):
            for name, environment in kinds.items():
                runs[name].append(start(process, log.data / "replicas" / str(process.port), environment))
                print(f"  {name} {sample + 1} of {arguments.samples}: {runs[name][-1]}", flush=True)
    figures = [Figure(f"{name}/keys:{arguments.keys}", "s", statistics.median(run["seconds"] for run in samples), samples=[run["seconds"] for run in samples],
                      counters={counter: statistics.median(run[counter] for run in samples) for counter in ("cpu_s", "most_anonymous_bytes")}) for name, samples in runs.items()]
    write(ROOT / "build/bench/starts.json", figures)
    print(f"\n{table(figures)}")


if __name__ == "__main__":
    main()
