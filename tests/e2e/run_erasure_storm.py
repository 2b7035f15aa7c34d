#!/usr/bin/python3
"""Runs storms of users, erasures, period switches, tokens, reassigned names and kills on one engine after the other.

Exit code 1: an acknowledged update is lost or doubled, an erased value still exists anywhere, or another promise is broken.
"""

import argparse
import json
import random
import signal
import sys
from pathlib import Path

from erasures import ErasureStorm
from storage import OwnPostgreSql, Sqlite


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("report", type=Path, help="JSON file to write")
    parser.add_argument("--minutes", type=float, required=True, help="of each engine")
    engines = [Sqlite.name, OwnPostgreSql.name]
    parser.add_argument("--engines", nargs="+", choices=engines, default=engines)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    # If this program is ended early, it must leave no server behind.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    rows = []
    try:
        for engine in options.engines:
            print(f"{engine}, seed {options.seed}", flush=True)
            with ErasureStorm(engine, options.seed) as storm:
                storm.blow(options.minutes * 60)
                rows.append(storm.judge())
            print(json.dumps(rows[-1]), flush=True)
    finally:
        options.report.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if rows and all((row["lost"], row["doubled"], row["back"]) == (0, 0, []) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
