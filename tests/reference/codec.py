"""Decodes the structures of docs/spec in TLS presentation language, strictly (docs/spec/encoding.md section 3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from facts import (
    ADDED_LEAF_LEN,
    MAX_LOG_PROOF_LEN,
    MAX_RANGE_EPOCHS,
    MAX_SIBLINGS_LEN,
    OPENING_LEN,
    RECORD_LEN,
    STRUCTURES,
    VRF_PROOF_LEN,
)
from refused import require

T = TypeVar("T")


class Reader:
    """Reads octets from front to back and stops at the first error. A separate Reader reads each vector's contents."""

    def __init__(self, data: bytes):
        self._data = data
        self._pos = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._pos

    def take(self, count: int) -> bytes:
        require(count <= self.left, "malformed_truncated")
        self._pos += count
        return self._data[self._pos - count : self._pos]

    def uint(self, octets: int) -> int:
        return int.from_bytes(self.take(octets), "big")

    def opaque(self, low: int, high: int, unit: int = 1) -> bytes:
        """Returns a vector's contents. `unit` is the size of the vector's elements, if all elements have the same fixed size."""
        length = self.uint(_length_octets(high))
        require(low <= length <= high and length % unit == 0, "malformed_length")
        return self.take(length)

    def elements(self, low: int, high: int, decode: Callable[["Reader"], T]) -> list[T]:
        inner = Reader(self.opaque(low, high))
        found = []
        while inner.left:
            found.append(decode(inner))
        return found

    def hashes(self, low: int, high: int) -> list[bytes]:
        contents = self.opaque(low, high, 32)
        return [contents[i : i + 32] for i in range(0, len(contents), 32)]

    def discriminant(self, count: int) -> int:
        value = self.uint(1)
        require(value < count, "malformed_enum")
        return value

    def finish(self) -> None:
        require(self.left == 0, "malformed_trailing")


def _length_octets(high: int) -> int:
    return next(octets for octets in (1, 2, 3, 4) if high < 1 << 8 * octets)


def uint(value: int, octets: int) -> bytes:
    return value.to_bytes(octets, "big")


def vector(high: int, contents: bytes) -> bytes:
    return uint(len(contents), _length_octets(high)) + contents


def encoded_all(elements: list) -> bytes:
    return b"".join(element.encode() for element in elements)


@dataclass(frozen=True)
class Path:
    mask: bytes
    siblings: list[bytes]

    @classmethod
    def decode(cls, r: Reader) -> "Path":
        return cls(r.take(32), r.hashes(0, MAX_SIBLINGS_LEN))

    def encode(self) -> bytes:
        return self.mask + vector(MAX_SIBLINGS_LEN, b"".join(self.siblings))


@dataclass(frozen=True)
class Member:
    """A leaf that is shown as present. `opening` and `value` are None if the value is only committed (kind 0). `commitment` is None if the
    value is opened (kind 1)."""

    vrf_proof: bytes
    epoch: int
    commitment: bytes | None
    opening: bytes | None
    value: bytes | None
    path: Path

    @property
    def kind(self) -> int:
        return 0 if self.value is None else 1

    @classmethod
    def decode(cls, r: Reader) -> "Member":
        vrf_proof, epoch = r.take(VRF_PROOF_LEN), r.uint(8)
        if r.discriminant(2) == 0:
            return cls(vrf_proof, epoch, r.take(32), None, None, Path.decode(r))
        return cls(vrf_proof, epoch, None, r.take(OPENING_LEN), r.opaque(0, 2**24 - 1), Path.decode(r))

    def encode(self) -> bytes:
        if self.kind == 0:
            body = self.commitment
        else:
            body = self.opening + vector(2**24 - 1, self.value)
        return self.vrf_proof + uint(self.epoch, 8) + uint(self.kind, 1) + body + self.path.encode()


@dataclass(frozen=True)
class InteriorNode:
    length: int
    prefix: bytes
    left: bytes
    right: bytes

    def encode(self) -> bytes:
        return uint(self.length, 1) + self.prefix + self.left + self.right


@dataclass(frozen=True)
class LeafNode:
    label: bytes
    commitment: bytes
    epoch: int

    def encode(self) -> bytes:
        return self.label + self.commitment + uint(self.epoch, 8)


@dataclass(frozen=True)
class NonMember:
    """A label that is shown as absent. `node` and `path` are None for an empty tree."""

    vrf_proof: bytes
    node: InteriorNode | LeafNode | None
    path: Path | None

    @classmethod
    def decode(cls, r: Reader) -> "NonMember":
        vrf_proof, kind = r.take(VRF_PROOF_LEN), r.discriminant(3)
        if kind == 0:
            return cls(vrf_proof, None, None)
        if kind == 1:
            node = InteriorNode(r.uint(1), r.take(32), r.take(32), r.take(32))
        else:
            node = LeafNode(r.take(32), r.take(32), r.uint(8))
        return cls(vrf_proof, node, Path.decode(r))

    def encode(self) -> bytes:
        if self.node is None:
            return self.vrf_proof + b"\x00"
        kind = b"\x01" if isinstance(self.node, InteriorNode) else b"\x02"
        return self.vrf_proof + kind + self.node.encode() + self.path.encode()


@dataclass(frozen=True)
class Lookup:
    version: int
    members: list[Member]
    absent: list[NonMember]

    @classmethod
    def decode(cls, r: Reader) -> "Lookup":
        version = r.uint(8)
        return cls(version, r.elements(0, 2**24 - 1, Member.decode), r.elements(0, 2**24 - 1, NonMember.decode))

    def encode(self) -> bytes:
        members = vector(2**24 - 1, encoded_all(self.members))
        return uint(self.version, 8) + members + vector(2**24 - 1, encoded_all(self.absent))


@dataclass(frozen=True)
class Versions:
    version: int
    start: int  # the specification calls this field `from`
    members: list[Member]
    absent: list[NonMember]

    @classmethod
    def decode(cls, r: Reader) -> "Versions":
        version, start = r.uint(8), r.uint(8)
        return cls(version, start, r.elements(0, 2**32 - 1, Member.decode), r.elements(0, 2**24 - 1, NonMember.decode))

    def encode(self) -> bytes:
        head = uint(self.version, 8) + uint(self.start, 8)
        return head + vector(2**32 - 1, encoded_all(self.members)) + vector(2**24 - 1, encoded_all(self.absent))


@dataclass(frozen=True)
class AddedLeaf:
    label: bytes
    commitment: bytes
    offset: int

    @classmethod
    def decode(cls, r: Reader) -> "AddedLeaf":
        return cls(r.take(32), r.take(32), r.uint(1))

    def encode(self) -> bytes:
        return self.label + self.commitment + uint(self.offset, 1)


@dataclass(frozen=True)
class AppendProof:
    leaves: list[AddedLeaf]
    opened: bytes

    @classmethod
    def decode(cls, r: Reader) -> "AppendProof":
        packed = r.opaque(0, 2**32 - 1, ADDED_LEAF_LEN)
        starts = range(0, len(packed), ADDED_LEAF_LEN)
        leaves = [AddedLeaf.decode(Reader(packed[i : i + ADDED_LEAF_LEN])) for i in starts]
        return cls(leaves, r.opaque(0, 2**32 - 1))

    def encode(self) -> bytes:
        return vector(2**32 - 1, encoded_all(self.leaves)) + vector(2**32 - 1, self.opened)


@dataclass(frozen=True)
class Head:
    record: bytes
    inclusion: list[bytes]
    consistency: list[bytes]
    checkpoint: bytes

    @classmethod
    def decode(cls, r: Reader) -> "Head":
        return cls(r.take(RECORD_LEN), r.hashes(0, MAX_LOG_PROOF_LEN), r.hashes(0, MAX_LOG_PROOF_LEN), r.opaque(0, 2**16 - 1))

    def encode(self) -> bytes:
        proofs = vector(MAX_LOG_PROOF_LEN, b"".join(self.inclusion)) + vector(MAX_LOG_PROOF_LEN, b"".join(self.consistency))
        return self.record + proofs + vector(2**16 - 1, self.checkpoint)


@dataclass(frozen=True)
class LookupAnswer:
    head: Head
    items: list[Lookup]

    @classmethod
    def decode(cls, r: Reader) -> "LookupAnswer":
        return cls(Head.decode(r), r.elements(1, 2**32 - 1, Lookup.decode))

    def encode(self) -> bytes:
        return self.head.encode() + vector(2**32 - 1, encoded_all(self.items))


@dataclass(frozen=True)
class VersionsAnswer:
    """A HistoryAnswer or a MonitorAnswer. Both have the same form in octets; only the media type distinguishes them."""

    head: Head
    items: list[Versions]

    @classmethod
    def decode(cls, r: Reader) -> "VersionsAnswer":
        return cls(Head.decode(r), r.elements(1, 2**32 - 1, Versions.decode))

    def encode(self) -> bytes:
        return self.head.encode() + vector(2**32 - 1, encoded_all(self.items))


@dataclass(frozen=True)
class AuditProof:
    records: list[bytes]
    structures: list[AppendProof]

    @classmethod
    def decode(cls, r: Reader) -> "AuditProof":
        packed = r.opaque(2 * RECORD_LEN, (MAX_RANGE_EPOCHS + 1) * RECORD_LEN, RECORD_LEN)
        records = [packed[i : i + RECORD_LEN] for i in range(0, len(packed), RECORD_LEN)]
        return cls(records, [AppendProof.decode(r) for _ in STRUCTURES])

    def encode(self) -> bytes:
        return vector((MAX_RANGE_EPOCHS + 1) * RECORD_LEN, b"".join(self.records)) + encoded_all(self.structures)


def decode_whole(decode: Callable[[Reader], T], data: bytes) -> T:
    reader = Reader(data)
    value = decode(reader)
    reader.finish()
    assert value.encode() == data
    return value


