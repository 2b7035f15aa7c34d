#!/usr/bin/python3
"""Loads synthetic keys into a running Optiks, and verifies lookups of random keys and of a key with many versions.

    bench/load_synthetic.py [--keys 100000] [--lookups 1000] [--versions 100]

The answer about the key with many versions must prove exactly that the versions in R(a) are present and the versions in C(a) are absent.
The script finds the services and the data folder as `optiks` does. Each run uses new keys, so that runs can be repeated on one log. """

import argparse
import hashlib
import random
import secrets
import sys

from loading import ROOT, LoadFailed, Progress, Service, main

sys.path.insert(0, str(ROOT / "tests/reference"))

import pahd
from codec import LookupAnswer, decode_whole

VALUE_LEN = 100
# The maximum number of pending updates of one key. If a key has this many pending updates, the service refuses further updates of the key
# (docs/spec/rest.md section 6).
MAX_PENDING = 16


def value_of(key: bytes) -> bytes:
    return hashlib.shake_128(key).digest(VALUE_LEN)


def load(keys: int, lookups: int, versions: int) -> None:
    service, run = Service(), secrets.token_hex(4)
    names = [f"synthetic-{run}-{i}@example.org".encode() for i in range(keys)]
    epoch = service.load("accepted", [(name, value_of(name)) for name in names])
    print(f"{keys:,} keys accepted and published, the last in epoch {epoch}")
    chosen = random.sample(names, min(lookups, keys))
    service.verify([(name, value_of(name)) for name in chosen])
    print(f"{len(chosen):,} random lookups verified")

    name = f"synthetic-{run}-many@example.org".encode()
    progress = Progress("versions", versions)
    for first in range(1, versions + 1, MAX_PENDING):
        part = range(first, min(first + MAX_PENDING, versions + 1))
        epoch = service.published(service.accept([(name, b"version %d" % version) for version in part]))
        progress.show(part[-1])
    service.served(epoch)
    service.verify([(name, b"version %d" % versions)])
    item = decode_whole(LookupAnswer.decode, service.lookup_octets(name)).items[0]
    rungs, absent = pahd.ladder(versions), pahd.next_rungs(versions)
    if (item.version, len(item.members), len(item.absent)) != (versions, len(rungs), len(absent)):
        shown = f"{len(item.members)} members and {len(item.absent)} absences"
        raise LoadFailed(f"version {item.version} with {shown}, expected {versions} with {len(rungs)} and {len(absent)}")
    print(f"a key with {versions} versions: its lookup verifies and carries R({versions}) = {rungs} and the absence of {absent}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--lookups", type=int, default=1000)
    parser.add_argument("--versions", type=int, default=100)
    arguments = parser.parse_args()
    sys.exit(main(lambda: load(arguments.keys, arguments.lookups, arguments.versions)))
