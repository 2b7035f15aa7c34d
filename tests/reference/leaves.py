"""Verifies statements about one leaf, and judges whether two statements prove that a tree changed in another way than by adding leaves
(docs/spec/broken-append.md)."""

from dataclasses import dataclass, replace

import facts
import pahd
import tree
from codec import Head, Member, NonMember, Reader, decode_whole, uint, vector
from refused import require
from verify import TrustAnchor, Verifier, vrf_key


@dataclass(frozen=True)
class LeafStatement:
    """A statement about one leaf (section 1). `proof` is a Member if the leaf is present."""

    head: Head
    structure: int
    key: bytes
    version: int
    proof: Member | NonMember

    @classmethod
    def decode(cls, r: Reader) -> "LeafStatement":
        head, structure = Head.decode(r), r.uint(1)
        require(structure in facts.STRUCTURES, "malformed_enum")
        key, version = r.opaque(1, facts.MAX_KEY_LEN), r.uint(8)
        return cls(head, structure, key, version, Member.decode(r) if r.discriminant(2) else NonMember.decode(r))

    def encode(self) -> bytes:
        about = uint(self.structure, 1) + vector(facts.MAX_KEY_LEN, self.key) + uint(self.version, 8)
        return self.head.encode() + about + uint(isinstance(self.proof, Member), 1) + self.proof.encode()


@dataclass(frozen=True)
class ShownLeaf:
    """The content of a statement. `commitment` is None if the leaf is absent."""

    structure: int
    key: bytes
    version: int
    epoch: int
    period: int
    vrf_public_key: bytes
    commitment: bytes | None = None
    leaf_epoch: int = 0
    time: int = 0


def committed(member: Member) -> Member:
    """Returns a member without its value, which is the form that clients store."""
    if member.kind == 0:
        return member
    return replace(member, commitment=tree.commitment_of(member.opening, member.value), opening=None, value=None)


def verify_statement(anchor: TrustAnchor, octets: bytes) -> ShownLeaf:
    """Verifies a statement and returns its content (section 1)."""
    one = decode_whole(LeafStatement.decode, octets)
    r, _ = Verifier(anchor, 0).verify_head_alone(one.head)
    state, public = r.structure(one.structure), vrf_key(r, one.structure)
    period, first = (r.period, r.period_first_epoch) if one.structure in facts.PER_PERIOD else (0, 0)
    limit = anchor.configuration.max_value_len
    s = pahd.ProvenStructure(r.epoch, first, period, limit, one.structure, state.root, state.count, public, one.key)
    shown = ShownLeaf(one.structure, one.key, one.version, r.epoch, period, state.vrf_public_key)
    if isinstance(one.proof, NonMember):
        s.verify_absent(one.version, one.proof)
        return shown
    _, time = pahd.check_member(s, one.version, None, one.proof, pahd.Known(period), None)
    return replace(shown, commitment=committed(one.proof).commitment, leaf_epoch=one.proof.epoch, time=time)


def judge(anchor: TrustAnchor, first: bytes, second: bytes) -> str:
    """Returns what two statements prove: `leaf_contradicts` or `leaf_agrees` (section 2). Raises Refused when a statement is invalid, or
    the statements are not about one leaf."""
    a, b = verify_statement(anchor, first), verify_statement(anchor, second)
    require((a.structure, a.key, a.version, a.period) == (b.structure, b.key, b.version, b.period), "leaf_unrelated")
    require(a.vrf_public_key == b.vrf_public_key, "record_vrf_key")
    return "leaf_contradicts" if contradict(a, b) else "leaf_agrees"


def contradict(a: ShownLeaf, b: ShownLeaf) -> bool:
    if a.commitment is not None and b.commitment is not None:
        return (a.commitment, a.leaf_epoch) != (b.commitment, b.leaf_epoch)
    if a.commitment is None and b.commitment is None:
        return False
    present, absent = (a, b) if b.commitment is None else (b, a)
    return absent.epoch >= present.time
