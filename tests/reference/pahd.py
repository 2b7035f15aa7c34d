"""Verifies the versions of a key (docs/spec/pahd.md). The class Structure hides the tree that proves a version, so that the model can
replace the tree."""

from dataclasses import dataclass
from typing import Protocol

import ecvrf
import proofs
import tree
from codec import Lookup, Member, NonMember, Versions
from refused import require


def ladder(a: int) -> list[int]:
    """Returns R(a)."""
    powers = {1 << i for i in range(a.bit_length())}
    cleared = {a >> i << i for i in range(a.bit_length())}
    return sorted(powers | cleared - {0})


def next_rungs(a: int) -> list[int]:
    """Returns C(a)."""
    if a == 0:
        return [1]
    rungs = {1 << a.bit_length()}
    return sorted(rungs | {(a >> i) + 1 << i for i in range(a.bit_length()) if not a >> i & 1})


def vrf_input(structure: int, key: bytes, version: int) -> bytes:
    return bytes([structure, len(key)]) + key + version.to_bytes(8, "big")


class Structure(Protocol):
    """The view of one key in one structure at one record."""

    epoch: int
    first_epoch: int
    period: int
    max_value_len: int

    def verify_member(self, version: int, member: Member) -> None: ...

    def verify_absent(self, version: int, proof: NonMember) -> None: ...


@dataclass(frozen=True)
class ProvenStructure:
    epoch: int
    first_epoch: int
    period: int
    max_value_len: int
    number: int
    root: bytes
    count: int
    public_key: ecvrf.PublicKey
    key: bytes

    def _label(self, version: int, vrf_proof: bytes) -> int:
        verdict, label = ecvrf.verify(self.public_key, vrf_input(self.number, self.key, version), vrf_proof)
        require(verdict == "valid", verdict)
        return tree.to_position(label)

    def verify_member(self, version: int, member: Member) -> None:
        label = self._label(version, member.vrf_proof)
        commitment = member.commitment if member.kind == 0 else tree.commitment_of(member.opening, member.value)
        proofs.verify_member_label(label, self.root, commitment, member.epoch, member.path)

    def verify_absent(self, version: int, proof: NonMember) -> None:
        label = self._label(version, proof.vrf_proof)
        proofs.verify_non_member_label(label, self.root, self.count, proof.node, proof.path)


@dataclass(frozen=True)
class Known:
    """A verifier's knowledge of a key in one period: version w, and the epoch n at which w + 1 was last proven absent."""

    period: int = 0
    version: int = 0
    absent_at: int | None = None
    # These are set after a page that did not end its list: T(w), which bounds the times on the next page, and the latest version that the
    # page claimed.
    page_time: int | None = None
    page_version: int = 0


@dataclass(frozen=True)
class Result:
    """An accepted answer's content. `value` is None if the version is 0 or the known version. `complete` is False for a page that is not
    the last page."""

    version: int
    value: bytes | None
    time: int | None
    values: dict[int, bytes | None]
    known: Known
    complete: bool = True


def _known_for(s: Structure, known: Known | None) -> Known:
    return known if known is not None and known.period == s.period else Known(s.period)


def check_version_range(s: Structure, a: int) -> None:
    require(a <= s.epoch - s.first_epoch + (1 if s.period > 0 else 0), "version_range")


def check_member(
    s: Structure, version: int, previous: tuple[int, int] | None, member: Member, known: Known, opened: bool | None
) -> tuple[int, int]:
    """Checks a member (section 4). If `opened` is None, both kinds are allowed. Returns (version, T(version)), which the caller passes as
    `previous` for the next member."""
    require(opened is None or (member.kind == 1) == opened, "member_kind")
    require(member.value is None or len(member.value) <= s.max_value_len, "value_too_long")
    s.verify_member(version, member)
    require(member.epoch <= s.epoch, "leaf_epoch_future")
    is_copy = version == 1 and member.epoch == 0 and s.period > 0
    require(member.epoch > s.first_epoch or is_copy, "leaf_epoch_period")
    time = s.first_epoch if is_copy else member.epoch
    if previous is not None:
        require(time - previous[1] >= version - previous[0], "leaf_epoch_order")
    elif known.absent_at is not None:
        require(time >= known.absent_at + version - known.version, "leaf_epoch_order")
    return version, time


def verify_lookup(s: Structure, answer: Lookup, known: Known | None = None) -> Result:
    """Verifies a lookup (section 5)."""
    known = _known_for(s, known)
    a = answer.version
    check_version_range(s, a)
    require(a >= known.version, "version_regressed")
    rungs = [i for i in ladder(a) if i > known.version]
    absent = next_rungs(a)
    require(len(answer.members) == len(rungs) and len(answer.absent) == len(absent), "ladder_count")
    previous = None
    for version, member in zip(rungs, answer.members, strict=True):
        previous = check_member(s, version, previous, member, known, opened=version == a)
    for version, proof in zip(absent, answer.absent, strict=True):
        s.verify_absent(version, proof)
    value = answer.members[-1].value if rungs else None
    time = previous[1] if previous else None
    return Result(a, value, time, {a: value} if rungs else {}, Known(s.period, a, s.epoch))


def verify_versions(s: Structure, answer: Versions, known: Known | None = None) -> Result:
    """Verifies a list of versions or a page of it (section 6)."""
    known = _known_for(s, known)
    a = answer.version
    check_version_range(s, a)
    require(answer.start == known.version + 1, "history_from")
    require(a >= max(known.version, known.page_version), "version_regressed")
    complete = len(answer.members) == a - known.version
    require(len(answer.members) <= a - known.version, "ladder_count")
    absent = next_rungs(a) if complete else []
    require(complete or len(answer.members) >= 1, "ladder_count")
    require(len(answer.absent) == len(absent), "ladder_count")
    previous = None if known.page_time is None else (known.version, known.page_time)
    values = {}
    for version, member in enumerate(answer.members, start=answer.start):
        previous = check_member(s, version, previous, member, known, opened=True if version == a else None)
        values[version] = member.value
    for version, proof in zip(absent, answer.absent, strict=True):
        s.verify_absent(version, proof)
    last = known.version + len(answer.members)
    time = previous[1] if previous else None
    if complete:
        return Result(a, values.get(a), time, values, Known(s.period, a, s.epoch))
    return Result(a, None, time, values, Known(s.period, last, None, time, a), complete=False)

