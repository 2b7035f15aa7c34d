"""Decodes the structures of docs/spec/users.md, docs/spec/recycled-names.md and docs/spec/user-monitor.md, strictly."""

from dataclasses import dataclass

from codec import Head, Lookup, Member, NonMember, Reader, Versions, encoded_all, uint, vector
from facts import HASH_LEN, MAX_LOG_PROOF_LEN, RECORD_LEN
from refused import require

NO_SUCH_USER, HAS_LEFT, CURRENT = KINDS = range(3)
# This number is added to a user's kind if the answer shows the user's name with all of the name's generations.
BY_GENERATIONS = 4


@dataclass(frozen=True)
class DeviceList:
    ids: list[bytes]

    @classmethod
    def decode(cls, r: Reader) -> "DeviceList":
        return cls(r.elements(0, 2**24 - 1, lambda inner: inner.opaque(1, 255)))

    def encode(self) -> bytes:
        return vector(2**24 - 1, b"".join(vector(255, one) for one in self.ids))


@dataclass(frozen=True)
class PartRecord:
    record: bytes
    inclusion: list[bytes]

    @classmethod
    def decode(cls, r: Reader) -> "PartRecord":
        return cls(r.take(RECORD_LEN), r.hashes(0, MAX_LOG_PROOF_LEN))

    def encode(self) -> bytes:
        return self.record + vector(MAX_LOG_PROOF_LEN, b"".join(self.inclusion))


@dataclass(frozen=True)
class Entry:
    """A key of the structure `usernames` or `decommissioned`, shown as present (a Member) or absent (a NonMember) at one of the answer's
    records."""

    record: int
    proof: Member | NonMember

    @property
    def present(self) -> bool:
        return isinstance(self.proof, Member)

    @classmethod
    def decode(cls, r: Reader) -> "Entry":
        record, kind = r.uint(1), r.discriminant(2)
        return cls(record, Member.decode(r) if kind else NonMember.decode(r))

    def encode(self) -> bytes:
        return uint(self.record, 1) + uint(self.present, 1) + self.proof.encode()


@dataclass(frozen=True)
class VersionedEntry:
    record: int
    lookup: Lookup

    @classmethod
    def decode(cls, r: Reader) -> "VersionedEntry":
        return cls(r.uint(1), Lookup.decode(r))

    def encode(self) -> bytes:
        return uint(self.record, 1) + self.lookup.encode()


@dataclass(frozen=True)
class Generations:
    """All users to whom a name led, and the proofs that all users before the last user have left."""

    record: int
    names: Versions
    left: list[Entry]

    @classmethod
    def decode(cls, r: Reader) -> "Generations":
        return cls(r.uint(1), Versions.decode(r), r.elements(0, 2**24 - 1, Entry.decode))

    def encode(self) -> bytes:
        return uint(self.record, 1) + self.names.encode() + vector(2**24 - 1, encoded_all(self.left))


@dataclass(frozen=True)
class UserLookup:
    """One user of an answer. `decommissioned` is None for kind 0. For kinds other than 2, `devices` is None and `keys` is empty.

    `generations` is None in a log that does not reassign usernames. `name` is None in a log that may reassign usernames.
    """

    kind: int
    name: Entry | None
    decommissioned: Entry | None
    devices: VersionedEntry | None
    keys: list[VersionedEntry]
    generations: Generations | None = None

    @property
    def entries(self) -> list[Entry | VersionedEntry | Generations]:
        names = [self.name] if self.generations is None else [self.generations, *self.generations.left]
        return [entry for entry in (*names, self.decommissioned, self.devices, *self.keys) if entry is not None]

    @classmethod
    def decode(cls, r: Reader) -> "UserLookup":
        kind, name, generations = r.discriminant(BY_GENERATIONS + len(KINDS)), None, None
        require(kind % BY_GENERATIONS < len(KINDS), "malformed_enum")
        if kind >= BY_GENERATIONS:
            kind, generations = kind - BY_GENERATIONS, Generations.decode(r)
        elif r.discriminant(2):
            name = Entry.decode(r)
        decommissioned, devices, keys = None, None, []
        if kind != NO_SUCH_USER:
            decommissioned = Entry.decode(r)
        if kind == CURRENT:
            devices = VersionedEntry.decode(r)
            keys = r.elements(0, 2**32 - 1, VersionedEntry.decode)
        return cls(kind, name, decommissioned, devices, keys, generations)

    def encode(self) -> bytes:
        if self.generations is None:
            octets = uint(self.kind, 1) + (b"\0" if self.name is None else b"\1" + self.name.encode())
        else:
            octets = uint(BY_GENERATIONS + self.kind, 1) + self.generations.encode()
        if self.kind != NO_SUCH_USER:
            octets += self.decommissioned.encode()
        if self.kind == CURRENT:
            octets += self.devices.encode() + vector(2**32 - 1, encoded_all(self.keys))
        return octets


@dataclass(frozen=True)
class UserLookupAnswer:
    head: Head
    parts: list[PartRecord]
    users: list[UserLookup]

    @classmethod
    def decode(cls, r: Reader) -> "UserLookupAnswer":
        head, parts = Head.decode(r), r.elements(0, 2**16 - 1, PartRecord.decode)
        return cls(head, parts, r.elements(1, 2**32 - 1, UserLookup.decode))

    def encode(self) -> bytes:
        parts = vector(2**16 - 1, encoded_all(self.parts))
        return self.head.encode() + parts + vector(2**32 - 1, encoded_all(self.users))


@dataclass(frozen=True)
class UserMonitorAnswer:
    """An answer about the owner's own user. For a user who has left, `devices` is None and `keys` is empty."""

    head: Head
    names: list[Entry]
    decommissioned: Entry
    devices: Versions | None
    keys: list[Versions]

    @classmethod
    def decode(cls, r: Reader) -> "UserMonitorAnswer":
        head, names = Head.decode(r), r.elements(0, 2**24 - 1, Entry.decode)
        decommissioned = Entry.decode(r)
        if decommissioned.present:
            return cls(head, names, decommissioned, None, [])
        return cls(head, names, decommissioned, Versions.decode(r), r.elements(0, 2**32 - 1, Versions.decode))

    def encode(self) -> bytes:
        octets = self.head.encode() + vector(2**24 - 1, encoded_all(self.names)) + self.decommissioned.encode()
        if not self.decommissioned.present:
            octets += self.devices.encode() + vector(2**32 - 1, encoded_all(self.keys))
        return octets


@dataclass(frozen=True)
class NotedValue:
    payload: bytes
    note: bytes

    @classmethod
    def decode(cls, r: Reader) -> "NotedValue":
        return cls(r.opaque(0, 2**24 - 1), r.take(HASH_LEN))

    def encode(self) -> bytes:
        return vector(2**24 - 1, self.payload) + self.note


@dataclass(frozen=True)
class OwnerNote:
    sequence: int
    text: bytes

    @classmethod
    def decode(cls, r: Reader) -> "OwnerNote":
        sequence = r.uint(8)
        require(sequence >= 1, "malformed_enum")
        return cls(sequence, r.opaque(0, 2**16 - 1))

    def encode(self) -> bytes:
        return self.sequence.to_bytes(8, "big") + vector(2**16 - 1, self.text)
