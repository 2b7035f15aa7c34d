#!/usr/bin/python3
"""Measures the disk space of a log: the database, the board's public and private files, the leaf logs and the snapshots.

Prints how many octets each key, each later version of a key, each copy of a key in the next period, and each epoch needs. `optiks-db plan`
calculates with these figures. Writes build/bench/sizes.json. usage: measure_sizes.py [--engines E,..] [--keys N]"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from engines import add_engines, chosen
from figures import ROOT, Figure, table, write
from measure_periods import SETTINGS
from stress_tester import StressTester

sys.path.insert(0, str(ROOT / "tests/e2e"))

from harness import Deployment

SWITCH_SECONDS = 600
EPOCHS = 300
SETTLED_SECONDS = 3
# One of every SHARE keys gets a second version. The updates are sent at RATE updates a second.
SHARE, RATE = 2, 2_000


@dataclass(frozen=True)
class Sizes:
    """The disk space that the parts of a log take, in octets."""

    database: int
    board: int
    private: int
    trees: int
    """The leaf logs and snapshots of the task and of one replica."""

    @classmethod
    def of(cls, log: Deployment) -> "Sizes":
        log.storage.settle()
        board = log.data / "board"
        return cls(log.storage.octets, octets(board / "log"), octets(board / "state"), octets(log.data / "task") + octets(log.data / "replicas"))

    def __sub__(self, other: "Sizes") -> "Sizes":
        return Sizes(*(one - another for one, another in zip(self.all, other.all, strict=True)))

    @property
    def all(self) -> tuple[int, ...]:
        return self.database, self.board, self.private, self.trees


def octets(folder: Path) -> int:
    """Returns the total size, in octets, of the disk blocks of all files in the folder."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


class SizesBench:
    """Measures the disk space of a log on one database engine."""

    def __init__(self, log: Deployment, keys: int):
        self._log, self._keys = log, keys
        self._tester = StressTester(log, alone=False)

    def run(self) -> list[Figure]:
        empty = Sizes.of(self._log)
        self._tester.prepare(self._keys, "--many-count", "0")
        loaded = self._settled()
        figures = self._figures("key", loaded - empty, self._keys)
        started, epoch = time.monotonic(), self._epoch
        while self._epoch - epoch < EPOCHS:
            if time.monotonic() - started > SWITCH_SECONDS:
                raise SystemExit(f"{EPOCHS} epochs were not made in {SWITCH_SECONDS} s")
            self._log.publish((f"sizes-{self._epoch % 8}", "1"))
        made = self._epoch - epoch
        alone = self._settled()
        figures += self._figures("epoch", alone - loaded, made)
        report = self._tester.run("update=1", RATE, self._keys / SHARE / RATE, "--keys", "uniform", "--key-count", str(self._keys), "--check-keys", "0")
        versions = self._settled()
        figures += self._figures("version", versions - alone, report["updates"]["accepted"])
        self._switch()
        figures += self._figures("copy", self._settled() - versions, self._keys)
        return figures

    @property
    def _epoch(self) -> int:
        return self._record["epoch"]

    @property
    def _record(self) -> dict:
        with self._log.query_client() as client:
            return client.get("/v1/epochs/latest", "application/json").json()["record_fields"]

    def _settled(self) -> Sizes:
        """Waits until the sizes no longer change, because snapshots and delayed writes are done, and returns the sizes."""
        sizes, since = Sizes.of(self._log), time.monotonic()
        while time.monotonic() - since < SETTLED_SECONDS:
            time.sleep(1)
            now = Sizes.of(self._log)
            if now != sizes:
                sizes, since = now, time.monotonic()
        return sizes

    def _switch(self) -> None:
        done = self._log.optiks_db("period", "switch")
        if done.code != 0:
            raise SystemExit(f"optiks-db period switch: {done}")
        deadline = time.monotonic() + SWITCH_SECONDS
        while self._record["period"] == 0:
            if time.monotonic() > deadline:
                raise SystemExit(f"no switch in {SWITCH_SECONDS} s:\n{self._log.task.log_end()}")
            time.sleep(0.5)

    def _figures(self, of: str, sizes: Sizes, count: int) -> list[Figure]:
        engine = self._log.storage.name
        names = ("database", "board", "private", "trees")
        return [Figure(f"{engine}/{name}/{of}", "octets", amount / count, counters={"count": count}) for name, amount in zip(names, sizes.all, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_engines(parser)
    parser.add_argument("--keys", type=int, default=1 << 16, help="keys of the log (default 2^16)")
    arguments = parser.parse_args()
    engines = chosen(parser, arguments)
    tempfile.tempdir = "/var/tmp"
    figures = []
    for engine in engines:
        with Deployment(SETTINGS | {"Optiks__Log__Heartbeat": "01:00:00", "Optiks__Log__MaxBehind": "03:00:00"}, engine=engine) as log:
            figures += SizesBench(log, arguments.keys).run()
    write(ROOT / "build/bench/sizes.json", figures)
    print(f"\n{table(figures)}")


if __name__ == "__main__":
    main()
