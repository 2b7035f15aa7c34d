"""Writes the seed corpus of fuzz_append_merge from tests/vectors: make_seeds.py <folder>. One file for each run of steps."""

import hashlib
import json
import pathlib
import sys

HISTORIES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "vectors" / "tree" / "histories.json"
MAX_STEPS = 8
EMPTY = bytes(8)


def seeds():
    for history in json.loads(HISTORIES.read_text(encoding="utf-8"))["vectors"]:
        count, steps = 0, []
        for epoch in history["epochs"]:
            # The history is structure 1's; the others stay empty.
            steps.append((count, bytes.fromhex(epoch["append"]) + 3 * EMPTY))
            count += len(epoch["leaves"])
        for first in range(0, len(steps), MAX_STEPS):
            run = steps[first : first + MAX_STEPS]
            if max(before for before, _ in run) < 256 and max(len(proof) for _, proof in run) < 2**16:
                heads = b"".join(bytes([before, 0, 0, 0]) + len(proof).to_bytes(2, "big") for before, proof in run)
                yield bytes([len(run) - 1]) + heads + b"".join(proof for _, proof in run)


def main() -> None:
    folder = pathlib.Path(sys.argv[1]) / "fuzz_append_merge"
    folder.mkdir(parents=True, exist_ok=True)
    for octets in seeds():
        (folder / hashlib.sha256(octets).hexdigest()[:16]).write_bytes(octets)


main()
