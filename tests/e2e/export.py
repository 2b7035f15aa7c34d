"""Reads the files that `optiks-db export` writes: the facts of a database of any engine. sql/db/src/Transfer/RowWriter.cs defines the form
of the files."""

import mmap
import struct
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

MAGIC = b"optiks export 2\n"
EPOCH, LEAF, PENDING, OUTCOME, HEAD, END = 2, 3, 5, 6, 7, 255
# A row with this reason is not a refusal: its request left a user's device list unchanged.
UNCHANGED = 0
PREFIX = struct.Struct(">BI")
LEAF_START = struct.Struct(">QIBQQ")
LENGTH = struct.Struct(">I")
ORIGIN = struct.Struct(">16sH")


@dataclass
class Facts:
    records: dict[int, bytes] = field(default_factory=dict)
    """The records, by epoch."""
    versions: dict[tuple[int, bytes], list[tuple[int, int, bytes, int, bytes]]] = field(default_factory=dict)
    """For each structure and key, the leaves (version, epoch, request id, item, value), in the order of epochs."""
    periods: dict[int, int] = field(default_factory=dict)
    """The periods of the epochs that have leaves of devices or keys."""
    leaves: int = 0
    pending: int = 0
    refused: int = 0
    epoch: int | None = None
    published_epoch: int | None = None


def read(path: Path) -> Facts:
    """Reads an exported file. Raises ValueError if a part of the file is missing."""
    facts = Facts()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        ended = False
        for kind, start, end in _rows(data):
            if kind == LEAF:
                _leaf(facts, data, start, end)
            elif kind == EPOCH:
                epoch, length = struct.unpack_from(">Q16xI", data, start)
                facts.records[epoch] = data[start + 28 : start + 28 + length]
            elif kind == PENDING:
                facts.pending += 1
            elif kind == OUTCOME:
                refusal = start + 19 + (4 if data[start + 18] else 0)
                facts.refused += data[refusal] != 0 and data[refusal + 1] != UNCHANGED
            elif kind == HEAD:
                facts.epoch, at = _optional_number(data, start)
                at += LENGTH.size + LENGTH.unpack_from(data, at)[0]
                facts.published_epoch, _ = _optional_number(data, at)
            elif kind == END:
                with memoryview(data) as view:
                    ended = sha256(view[: start - PREFIX.size]).digest() == data[start:end] and end == len(data)
        if not ended:
            raise ValueError(f"{path} is damaged")
    return facts


def origins(path: Path) -> Counter[tuple[str, int]]:
    """Returns, for each (request id, item), the number of its leaves, including leaves whose values are erased."""
    found: Counter[tuple[str, int]] = Counter()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for kind, start, _ in _rows(data):
            if kind == LEAF:
                request_id, item = ORIGIN.unpack_from(data, _origin(data, start))
                found[str(uuid.UUID(bytes=request_id)), item] += 1
    return found


def _origin(data: mmap.mmap, start: int) -> int:
    at = start + LEAF_START.size
    for _ in ("label", "commitment", "tag"):
        at += LENGTH.size + LENGTH.unpack_from(data, at)[0]
    return at


def _rows(data: mmap.mmap) -> Iterator[tuple[int, int, int]]:
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("no export")
    at = len(MAGIC)
    while at < len(data):
        kind, length = PREFIX.unpack_from(data, at)
        at += PREFIX.size
        yield kind, at, at + length
        at += length


def _leaf(facts: Facts, data: mmap.mmap, start: int, end: int) -> None:
    epoch, _, structure, period, version = LEAF_START.unpack_from(data, start)
    facts.periods[epoch] = period
    at = _origin(data, start)
    request_id, item = ORIGIN.unpack_from(data, at)
    at += ORIGIN.size
    if data[at] != 1:
        raise ValueError(f"a value of epoch {epoch} is erased")
    at += 1
    at += LENGTH.size + LENGTH.unpack_from(data, at)[0]
    length = LENGTH.unpack_from(data, at)[0]
    at += LENGTH.size
    key = data[at : at + length]
    at += length + LENGTH.size
    facts.leaves += 1
    facts.versions.setdefault((structure, key), []).append((version, epoch, request_id, item, data[at:end]))


def _optional_number(data: mmap.mmap, at: int) -> tuple[int | None, int]:
    return (struct.unpack_from(">Q", data, at + 1)[0], at + 9) if data[at] else (None, at + 1)
