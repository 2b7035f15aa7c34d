#!/usr/bin/python3
"""Measures one large directory in linked mode and in stored mode: building, updates, queries, saving and restoring. Writes
build/bench/scale.json.
usage: measure_scale.py [--keys N,..] [--folder DIR]"""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from figures import ROOT, Figure, table, write

PROGRAM = ROOT / "build/cmake/release/ozks/scale_bench"
KEYS = f"{1 << 20},{1 << 22},{1 << 24},{1 << 26}"
# The number of bytes that each key needs on disk (leaf log, snapshot, node store, and temporary files of building) and in memory. Both
# numbers leave room for the operating system.
DISK_PER_KEY, MEMORY_PER_KEY = 660, 170


def measure(keys: int, folder: Path) -> list[Figure]:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        process = subprocess.Popen([PROGRAM, str(keys), scratch], stdout=subprocess.PIPE, text=True)
        figures = []
        for line in process.stdout:
            row = json.loads(line)
            figures.append(Figure(row.pop("name"), row.pop("unit"), row.pop("value"), counters=row))
        if process.wait() != 0:
            raise SystemExit(f"{PROGRAM.name} ended with {process.returncode}")
    return figures


def available_memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("/proc/meminfo does not say how much memory is available")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", default=KEYS, help="sizes, each a power of two of 2^16 or more (default %(default)s)")
    # The default folder is not in /tmp, because /tmp may be in memory.
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp"), help="for the directory's files (default %(default)s)")
    arguments = parser.parse_args()
    figures = []
    for keys in map(int, arguments.keys.split(",")):
        disk, memory = shutil.disk_usage(arguments.folder).free, available_memory()
        if disk < keys * DISK_PER_KEY or memory < keys * MEMORY_PER_KEY:
            raise SystemExit(f"{keys:,} keys need {keys * DISK_PER_KEY / 1e9:.0f} GB in {arguments.folder} ({disk / 1e9:.0f} are free) and {keys * MEMORY_PER_KEY / 1e9:.0f} GB of memory "
                             f"({memory / 1e9:.0f} are available): choose --keys or --folder")
        figures += measure(keys, arguments.folder)
        # The results are written after each size, so that they survive a failure at the next size.
        write(ROOT / "build/bench/scale.json", figures)
    print(f"\n{table(figures)}")


if __name__ == "__main__":
    main()
