"""Writes the seed corpora of the fuzz targets from tests/vectors: make_seeds.py <folder>. Each distinct input is one file."""

import base64
import hashlib
import json
import pathlib
import sys

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "tests" / "vectors"


def vectors(path: str) -> dict:
    return json.loads((VECTORS / path).read_text(encoding="utf-8"))


def seeds():
    """Yields (target, octets)."""
    for name in ("lookup", "versions", "periods_and_audit"):
        document = vectors(f"lookup/{name}.json")
        for anchor in document["anchors"]:
            yield "fuzz_configuration", bytes.fromhex(anchor["configuration"])
        for row in document["vectors"]:
            answer = bytes.fromhex(row["answer"])
            if row["form"] == "lookup":
                yield "fuzz_lookup", answer
            elif row["form"] == "audit":
                yield "fuzz_audit", answer
            else:
                yield "fuzz_versions", bytes(1) + answer
    for name in ("lookup", "generations"):
        for row in vectors(f"users/{name}.json")["vectors"]:
            yield "fuzz_users", bytes.fromhex(row["answer"])
    for row in vectors("users/monitor.json")["vectors"]:
        yield "fuzz_user_monitor", bytes.fromhex(row["answer"])

    for row in vectors("periods/bounds.json")["vectors"]:
        yield "fuzz_periods", bytes.fromhex(row["answer"])
    for row in vectors("leaves/statements.json")["vectors"]:
        first, second = bytes.fromhex(row["first"]), bytes.fromhex(row["second"])
        yield "fuzz_leaves", len(first).to_bytes(4, "big") + first + second
    for row in vectors("proofs/append.json")["vectors"]:
        yield "fuzz_append", bytes([len(row["states"]) - 2 & 0xFF]) + bytes.fromhex(row["proof"])
    for row in vectors("tlog/notes.json")["vectors"]:
        # Replaces the vector's origin by the origin in the fuzz targets' configuration.
        yield "fuzz_note", base64.b64decode(row["note_base64"]).replace(b"optiks.example/log", b"example.com/optiks")


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    for target, octets in seeds():
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(octets).hexdigest()[:16]).write_bytes(octets)


main()
