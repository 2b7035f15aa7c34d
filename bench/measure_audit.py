#!/usr/bin/python3
"""Measures an auditor that follows a log from the log's first epoch. Each epoch of the log has one new key.

Runs `optiks auditor --once` against a real query-service, once without interruption, and once with three kills. After each kill, a new
process resumes the audit. The baseline is `optiks board verify`, which reads and checks the same records without their trees. Writes
build/bench/audit.json.
usage: measure_audit.py [--epochs N,..] [--folder DIR]"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import ROOT, Figure, table, write
from measure_starts import cpu_seconds

sys.path.insert(0, str(ROOT / "tests/e2e"))

from auditors import Auditor
from harness import OUT, Deployment, NotReady
from run_auditor import measured, verified

EPOCHS = f"10000,100000,{1 << 20}"
RANGE_EPOCHS = 256
KILLS = 3
# The highest number of epochs of a log that is checked with optiks-db fsck before the measurement.
MOST_CHECKED = 10_000
READY_SECONDS = 600
# The disk space in bytes that each epoch needs, and that a log needs in addition, for board, database and one replica. Each epoch also
# needs one file.
DISK_PER_EPOCH, DISK_ALONE = 8_000, 100 << 20


class QuietLog(Deployment):
    """A log that gets no further epochs: optiks-epochs makes all epochs before the start, and a query-service serves them."""

    def __init__(self, epochs: int):
        super().__init__(before_start=lambda log: log.make(epochs))

    def make(self, epochs: int) -> None:
        began = time.monotonic()
        subprocess.run([OUT / "epochs/optiks-epochs", str(epochs)], env=self.environment, check=True)
        print(f"  {epochs:,} epochs made in {time.monotonic() - began:.0f} s", flush=True)
        if epochs <= MOST_CHECKED and (checked := self.optiks_db("fsck", "--trust", str(self.data / "trust.json"), "--board", str(self.data / "board"))).code != 0:
            raise SystemExit(f"what was made is no log: {checked}")

    @property
    def processes(self) -> list:
        return self.queries

    def wait_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self.query.is_ready():
            if not self.query.running or time.monotonic() > deadline:
                raise NotReady(self.query.log_end())
            time.sleep(0.1)


def board_seconds(log: Deployment) -> float:
    began = time.monotonic()
    run = log.optiks("board", "verify")
    if run.code != 0:
        raise SystemExit(f"optiks board verify: {run}")
    return time.monotonic() - began


def board_octets(log: Deployment) -> int:
    """Returns the number of octets of the tiles and entry bundles, which an auditor reads in addition to the proofs. Partial tiles and
    bundles are not counted."""
    return sum(file.stat().st_size for file in (log.data / "board/log/tile").rglob("*") if file.is_file() and not file.parent.name.endswith(".p"))


def measure(log: Deployment, epochs: int, folder: Path) -> list[Figure]:
    """Measures a new auditor without interruption, and another auditor that is killed KILLS times and then resumed."""
    board = board_seconds(log)
    served = cpu_seconds(log.query.pid)
    whole = measured(Auditor(folder / "whole", log))
    served = cpu_seconds(log.query.pid) - served
    print(f"  in one go: {whole}; the query-service took {served:.1f} s of processor time", flush=True)
    killed = Auditor(folder / "killed", log)
    peak = 0
    for _ in range(KILLS):
        peak = max(peak, measured(killed, f"auditor-range:{max(1, epochs // RANGE_EPOCHS // (KILLS + 1))}")["peak_mb"])
        print(f"  killed at epoch {verified(killed):,}", flush=True)
    resumed = measured(killed)
    print(f"  resumed: {resumed}", flush=True)
    killed.look_at_signed()
    if not whole["epoch"] == resumed["epoch"] == epochs:
        raise SystemExit(f"of {epochs} epochs {whole['epoch']} and {resumed['epoch']} are verified")
    # Each run is a new process. The number of octets of proofs that the process reads shows that it does not verify all earlier epochs
    # again.
    counters = {"cpu_s": whole["cpu_seconds"], "server_cpu_s": served, "proof_octets": whole["proof_octets"], "board_octets": board_octets(log), "peak_mb": whole["peak_mb"]}
    after_kills = {"cpu_s": resumed["cpu_seconds"], "proof_octets": resumed["proof_octets"], "peak_mb": max(peak, resumed["peak_mb"])}
    return [Figure(f"audit/epochs:{epochs}", "s", whole["seconds"], board, counters=counters), Figure(f"resumed/epochs:{epochs}", "s", resumed["seconds"], counters=after_kills)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", default=EPOCHS, help="of each log (default %(default)s)")
    # The default folder is not in /tmp, because /tmp may be in memory.
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="for the logs' files (default %(default)s)")
    arguments = parser.parse_args()
    tempfile.tempdir = str(arguments.folder)
    figures = []
    for epochs in map(int, arguments.epochs.split(",")):
        space = os.statvfs(arguments.folder)
        if space.f_bavail * space.f_frsize < epochs * DISK_PER_EPOCH + DISK_ALONE or 0 < space.f_files and space.f_favail < 2 * epochs:
            raise SystemExit(f"{epochs:,} epochs need {epochs * DISK_PER_EPOCH / 1e9:.0f} GB and as many files in {arguments.folder}: choose --epochs or --folder")
        print(f"== {epochs:,} epochs of one new key", flush=True)
        with QuietLog(epochs) as log, tempfile.TemporaryDirectory(prefix="optiks-auditors-") as name:
            figures += measure(log, epochs, Path(name))
            # The results are written after each size, so that they survive a failure at the next size. They are written before the log is
            # removed, because removing a million files takes minutes.
            write(ROOT / "build/bench/audit.json", figures)
    print(f"\n{table(figures)}")


if __name__ == "__main__":
    main()
