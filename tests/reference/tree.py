"""Builds the tree of docs/spec/tree.md from its set of leaves, in the simplest way. Labels and prefixes are 256-bit integers here."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import facts

BITS = 8 * facts.VRF_LABEL_LEN


def H(tag: int, *fields: bytes) -> bytes:
    return blake2b(bytes([tag]) + b"".join(fields), digest_size=32).digest()


EMPTY = H(facts.TAG_EMPTY)


def to_octets(position: int) -> bytes:
    return position.to_bytes(32, "big")


def to_position(octets: bytes) -> int:
    return int.from_bytes(octets, "big")


def bit(position: int, index: int) -> int:
    return position >> BITS - 1 - index & 1


def prefix_of(position: int, length: int) -> int:
    return position >> BITS - length << BITS - length


def common_prefix_length(a: int, b: int) -> int:
    return BITS - (a ^ b).bit_length()


def commitment_of(opening: bytes, value: bytes) -> bytes:
    return H(facts.TAG_COMMITMENT, opening, value)


def leaf_hash(label: int, commitment: bytes, epoch: int) -> bytes:
    return H(facts.TAG_LEAF, to_octets(label), commitment, epoch.to_bytes(8, "big"))


def interior_hash(length: int, prefix: int, left: bytes, right: bytes) -> bytes:
    return H(facts.TAG_INTERIOR, bytes([length]), to_octets(prefix), left, right)


@dataclass(frozen=True)
class Leaf:
    label: int
    commitment: bytes
    epoch: int

    @cached_property
    def hash(self) -> bytes:
        return leaf_hash(self.label, self.commitment, self.epoch)


@dataclass(frozen=True)
class Stub:
    """A subtree of which only the hash is known."""

    hash: bytes


@dataclass(frozen=True)
class Interior:
    length: int
    prefix: int
    left: "Node"
    right: "Node"

    @cached_property
    def hash(self) -> bytes:
        return interior_hash(self.length, self.prefix, self.left.hash, self.right.hash)

    def child(self, side: int) -> "Node":
        return self.right if side else self.left


Node = Leaf | Stub | Interior


def build(leaves: list[Leaf]) -> Node | None:
    """Returns the tree over leaves with distinct labels in any order, or None if there are no leaves."""
    if len(leaves) < 2:
        return leaves[0] if leaves else None
    labels = [leaf.label for leaf in leaves]
    length = common_prefix_length(min(labels), max(labels))
    sides = [[leaf for leaf in leaves if bit(leaf.label, length) == side] for side in (0, 1)]
    return Interior(length, prefix_of(labels[0], length), build(sides[0]), build(sides[1]))


def root_of(node: Node | None) -> bytes:
    return EMPTY if node is None else node.hash


def ancestors(node: Node | None, label: int) -> tuple[list[Interior], Node | None]:
    """Walks towards `label`. Returns the interior nodes whose prefix is a prefix of the label, and the node at which the walk ends."""
    passed = []
    while isinstance(node, Interior) and common_prefix_length(node.prefix, label) >= node.length:
        passed.append(node)
        node = node.child(bit(label, node.length))
    return passed, node
