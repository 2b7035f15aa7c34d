"""Reads the journal of a client's state as docs/spec/client-state.md sections 2, 4 and 5 define it, independently of the SDK."""

import hashlib
import struct
from pathlib import Path

NOTE = 13

HEADER = 8 + 1 + 32 + 16
HEAD = 4 + 8
TAIL = 16 + 16


def read_journal(path: Path) -> dict[bytes, bytes]:
    """Returns the bodies of all records by key, after it has checked every hash of the journal. The journal must be whole."""
    octets = path.read_bytes()
    header = octets[:HEADER]
    assert header[:9] == b"OPTIKSST\x01"
    check = header[-16:]
    assert check == digest(2, header[:-16])[:16]
    records: dict[bytes, bytes] = {}
    at = HEADER
    while at < len(octets):
        length, = struct.unpack(">I", octets[at:at + 4])
        assert octets[at + 4:at + HEAD] == digest(3, check, octets[at:at + 4])[:8]
        changes = octets[at + HEAD:at + HEAD + length]
        before, check = check, octets[at + HEAD + length:at + HEAD + length + 16]
        assert check == digest(4, before, octets[at:at + 4], changes)[:16]
        apply(records, changes)
        at += HEAD + length + TAIL
        assert octets[at - 16:at] == b"\xff" * 16
    meta = records.pop(b"\x01")
    set_hash = 0
    for key, body in records.items():
        set_hash ^= int.from_bytes(digest(1, struct.pack(">H", len(key)), key, body))
    assert meta == b"\x01" + header[9:41] + meta[33:41] + set_hash.to_bytes(32)
    return records


def read_notes(records: dict[bytes, bytes], key: bytes) -> list[dict[str, bytes]]:
    """Returns the openings and notes of a key in the order of their numbers."""
    notes = []
    for name in sorted(name for name in records if name[0] == NOTE and name[1:-8] == key):
        body = records[name]
        length = int.from_bytes(body[33:36])
        assert (body[0], len(body)) == (1, 36 + length + 32)
        notes.append({"opening": body[17:33], "note": body[36:36 + length]})
    return notes


def digest(tag: int, *fields: bytes) -> bytes:
    return hashlib.sha256(bytes([tag]) + b"".join(fields)).digest()


def apply(records: dict[bytes, bytes], changes: bytes) -> None:
    length, = struct.unpack(">I", changes[:4])
    puts, deletes = changes[4:4 + length], changes[4 + length + 3:]
    assert int.from_bytes(changes[4 + length:4 + length + 3]) == len(deletes)
    while puts:
        key, puts = take(puts, 2)
        records[key], puts = take(puts, 3)
    while deletes:
        key, deletes = take(deletes, 2)
        del records[key]


def take(octets: bytes, size: int) -> tuple[bytes, bytes]:
    end = size + int.from_bytes(octets[:size])
    assert end <= len(octets)
    return octets[size:end], octets[end:]
