"""Writes the seed corpora of fuzz_append_merge, from tests/vectors, and of fuzz_user_queries: make_seeds.py <folder>."""

import hashlib
import json
import pathlib
import sys

HISTORIES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "vectors" / "tree" / "histories.json"
MAX_STEPS = 8
EMPTY = bytes(8)


def opaque(octets: bytes) -> bytes:
    return bytes([len(octets)]) + octets


def key(device: bytes, version: int) -> bytes:
    return opaque(device) + version.to_bytes(8, "big")


def listed(octets: bytes, width: int = 3) -> bytes:
    return len(octets).to_bytes(width, "big") + octets


def user_queries():
    """Yields queries in the form of docs/spec/rest.md section 4. Some are valid; the others break one rule each."""
    for keys in (b"", key(b"a", 1), key(b"a", 1) + key(b"ab", 2), key(b"b", 1) + key(b"a", 1), key(b"a", 0)):
        for device, knows_user, period, devices in ((b"", 0, 0, 0), (b"phone", 1, 0, 3), (b"", 1, 7, 2), (b"", 2, 7, 0)):
            known = bytes([knows_user]) + period.to_bytes(8, "big") + devices.to_bytes(8, "big")
            query = opaque(b"alice") + opaque(device) + known + listed(keys)
            yield listed(query)
            yield listed(query + opaque(b"bob") + opaque(b"") + bytes(17) + listed(b""))
        for names, period, start in ((b"", 0, 1), (opaque(b"alice"), 2, 4), (b"", 0, 0)):
            yield opaque(b"id") + listed(names, 2) + period.to_bytes(8, "big") + start.to_bytes(8, "big") + listed(keys)


def seeds():
    for history in json.loads(HISTORIES.read_text(encoding="utf-8"))["vectors"]:
        count, steps = 0, []
        for epoch in history["epochs"]:
            # The vectors have the history of one tree, used here for structure 1. The other structures stay empty.
            steps.append((count, bytes.fromhex(epoch["append"]) + 3 * EMPTY))
            count += len(epoch["leaves"])
        for first in range(0, len(steps), MAX_STEPS):
            run = steps[first : first + MAX_STEPS]
            if max(before for before, _ in run) < 256 and max(len(proof) for _, proof in run) < 2**16:
                heads = b"".join(bytes([before, 0, 0, 0]) + len(proof).to_bytes(2, "big") for before, proof in run)
                yield bytes([len(run) - 1]) + heads + b"".join(proof for _, proof in run)


def main() -> None:
    for target, inputs in (("fuzz_append_merge", seeds()), ("fuzz_user_queries", user_queries())):
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for octets in inputs:
            (folder / hashlib.sha256(octets).hexdigest()[:16]).write_bytes(octets)


main()
