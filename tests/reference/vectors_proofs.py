"""Makes the vectors in tests/vectors/proofs/: valid and invalid proofs over one tree. Rows have the binary structures of
docs/spec/proofs.md in hex."""

import random
from collections.abc import Callable
from dataclasses import replace

import ecvrf
import facts
import pahd
import proofs
import tree
from codec import AppendProof, LeafNode, Member, NonMember, Path
from proofs import RootState
from refused import Refused
from tree import Leaf, Node, to_octets, to_position


def _verdict(call, *arguments) -> str:
    try:
        call(*arguments)
    except Refused as refused:
        return refused.reason
    return "valid"


class _Trees:
    """A tree over VRF labels of a few keys, and a tree with many labels close to one of these labels, so that paths are long."""

    def __init__(self) -> None:
        self.rng = random.Random(41)
        self.vrf = ecvrf.SecretKey.from_uniform(self.rng.randbytes(64))
        self.stored: dict[int, tuple[bytes, bytes, int]] = {}
        self.proofs: dict[bytes, tuple[int, bytes]] = {}

    def label(self, key: bytes) -> tuple[int, bytes]:
        if key not in self.proofs:
            label, proof = ecvrf.prove(self.vrf, self.alpha(key))
            self.proofs[key] = to_position(label), proof
        return self.proofs[key]

    @staticmethod
    def alpha(key: bytes) -> bytes:
        return pahd.vrf_input(facts.KEYS, key, 1)

    def leaf(self, key: bytes, epoch: int = 1) -> Leaf:
        label, _ = self.label(key)
        if label not in self.stored:
            self.stored[label] = self.rng.randbytes(16), b"value of " + key, epoch
        opening, value, epoch = self.stored[label]
        return Leaf(label, tree.commitment_of(opening, value), epoch)

    def dense(self, keys: list[bytes], around: bytes) -> list[Leaf]:
        """Returns leaves of the keys, and random leaves that share 1..255 bits with the label of one more key."""
        center, _ = self.label(around)
        near = [Leaf(center ^ 1 << self.rng.randrange(256 - i), self.rng.randbytes(32), 2) for i in range(1, 256, 17)]
        unique = {leaf.label: leaf for leaf in near} | {leaf.label: leaf for leaf in map(self.leaf, keys)}
        return list(unique.values())


def _flip(octets: bytes, index: int) -> bytes:
    return octets[:index] + bytes([octets[index] ^ 1]) + octets[index + 1 :]


def _path_changes(path: Path, reason: str) -> list[tuple[str, Path, str]]:
    siblings = path.siblings
    changes = [("extra_sibling", Path(path.mask, [*siblings, bytes(32)]), "path_length")]
    if siblings:
        changes += [
            ("sibling_missing", Path(path.mask, siblings[:-1]), "path_length"),
            ("sibling_changed", Path(path.mask, [_flip(siblings[0], 31), *siblings[1:]]), reason),
            ("mask_bit_cleared", Path(bytes(32), siblings), "path_length"),
            ("path_emptied", Path(bytes(32), []), reason),
        ]
    if len(siblings) > 1:
        changes.append(("siblings_swapped", Path(path.mask, [siblings[1], siblings[0], *siblings[2:]]), reason))
        changes.append(("sibling_repeated", Path(path.mask, [siblings[0], *siblings[:-1]]), reason))
    return changes


def member_rows(t: _Trees, leaves: list[Leaf], keys: list[bytes], changed_key: bytes) -> list[dict]:
    root = tree.build(leaves)
    rows = []

    def row(kind: str, key: bytes, member: Member, reason: str, *, root_hash: bytes = root.hash) -> None:
        structure = pahd.ProvenStructure(0, 0, 0, 0, facts.KEYS, root_hash, len(leaves), t.vrf.public, key)
        found = _verdict(structure.verify_member, 1, member)
        assert found == reason, (kind, found, reason)
        fields = {"kind": kind, "pk": t.vrf.public.encoded, "alpha": t.alpha(key), "root": root_hash}
        rows.append({name: value if isinstance(value, str) else value.hex() for name, value in fields.items()})
        rows[-1] |= {"member": member.encode().hex(), "reason": reason}

    def member(key: bytes, opened: bool) -> Member:
        label, proof = t.label(key)
        leaf, path = proofs.make_member(root, label)
        opening, value, epoch = t.stored[label]
        if opened:
            return Member(proof, epoch, None, opening, value, path)
        return Member(proof, epoch, leaf.commitment, None, None, path)

    for key in keys:
        row("opened", key, member(key, True), "valid")
        row("committed", key, member(key, False), "valid")
    good, bare = member(changed_key, True), member(changed_key, False)
    other = next((key for key in keys if key != changed_key), None)
    row("value_changed", changed_key, replace(good, value=good.value + b"x"), "member_root")
    row("value_emptied", changed_key, replace(good, value=b""), "member_root")
    row("opening_changed", changed_key, replace(good, opening=_flip(good.opening, 0)), "member_root")
    shifted = replace(good, opening=good.opening[1:] + good.value[:1], value=good.value[1:])
    row("opening_and_value_shifted", changed_key, shifted, "member_root")
    row("commitment_changed", changed_key, replace(bare, commitment=_flip(bare.commitment, 5)), "member_root")
    row("epoch_changed", changed_key, replace(good, epoch=good.epoch + 1), "member_root")
    row("epoch_zero", changed_key, replace(good, epoch=0), "member_root")
    row("other_root", changed_key, good, "member_root", root_hash=_flip(root.hash, 31))
    row("empty_root", changed_key, good, "member_root", root_hash=tree.EMPTY)
    if other is not None:
        row("other_keys_proof", changed_key, member(other, True), "vrf_challenge")
        lent = replace(member(other, True), vrf_proof=good.vrf_proof)
        row("other_keys_leaf_under_own_vrf_proof", changed_key, lent, "member_root")
    row("gamma_malformed", changed_key, replace(good, vrf_proof=b"\xff" * 32 + good.vrf_proof[32:]), "vrf_gamma_malformed")
    for kind, path, reason in _path_changes(good.path, "member_root"):
        row(kind, changed_key, replace(good, path=path), reason)
    added = Path(to_octets(to_position(good.path.mask) ^ 1 << 100), good.path.siblings)
    row("mask_bit_toggled", changed_key, replace(good, path=added), "path_length")
    if good.path.siblings:
        moved = Path(to_octets(to_position(good.path.mask) >> 1), good.path.siblings)
        row("mask_shifted", changed_key, replace(good, path=moved), "member_root")
    return rows


def non_member_rows(t: _Trees, leaves: list[Leaf], absent: list[bytes], present: bytes) -> list[dict]:
    root = tree.build(leaves)
    root_hash = tree.root_of(root)
    rows = []

    def row(kind: str, key: bytes, proof: NonMember, reason: str, *, count: int = len(leaves), at: bytes = root_hash) -> None:
        structure = pahd.ProvenStructure(0, 0, 0, 0, facts.KEYS, at, count, t.vrf.public, key)
        found = _verdict(structure.verify_absent, 1, proof)
        assert found == reason, (kind, found, reason)
        rows.append(
            {
                "kind": kind,
                "pk": t.vrf.public.encoded.hex(),
                "alpha": t.alpha(key).hex(),
                "root": at.hex(),
                "count": count,
                "non_member": proof.encode().hex(),
                "reason": reason,
            }
        )

    def non_member(key: bytes) -> NonMember:
        label, proof = t.label(key)
        return NonMember(proof, *proofs.make_non_member(root, label))

    for key in absent:
        row("absent", key, non_member(key), "valid")
    key = absent[0]
    good = non_member(key)
    row("claimed_empty", key, NonMember(good.vrf_proof, None, None), "valid" if root is None else "absent_empty")
    row("empty_root_with_count", key, NonMember(good.vrf_proof, None, None), "absent_empty", count=1, at=tree.EMPTY)
    row("other_root_with_count_0", key, NonMember(good.vrf_proof, None, None), "absent_empty", count=0, at=bytes(32))
    if root is None:
        return rows
    row("vrf_proof_of_another_key", key, replace(good, vrf_proof=t.label(present)[1]), "vrf_challenge")
    here = t.label(present)[1]
    leaf, path = proofs.make_member(root, t.label(present)[0])
    own = LeafNode(to_octets(leaf.label), leaf.commitment, leaf.epoch)
    row("its_own_leaf_opened", present, NonMember(here, own, path), "absent_covers")
    row("empty_tree_claimed_for_present", present, NonMember(here, None, None), "absent_empty")
    passed, _ = tree.ancestors(root, leaf.label)
    for i, node in enumerate(passed):
        # This proof opens an ancestor of a present label, with the ancestor's true path. It is refused because the ancestor's prefix is
        # also a prefix of the label.
        opened = proofs.InteriorNode(node.length, to_octets(node.prefix), node.left.hash, node.right.hash)
        above = proofs.make_path(passed[:i], node.prefix)
        row("ancestor_opened", present, NonMember(here, opened, above), "absent_covers")
        # This proof opens a leaf below the ancestor's other child. It is refused because the ancestor is at the bit where label and leaf
        # differ.
        beside = node.child(1 - tree.bit(leaf.label, node.length))
        while isinstance(beside, tree.Interior):
            beside = beside.left
        _, away = proofs.make_member(root, beside.label)
        neighbour = LeafNode(to_octets(beside.label), beside.commitment, beside.epoch)
        row("neighbour_opened", present, NonMember(here, neighbour, away), "absent_depth")
        if node.length < 255:
            padded = replace(opened, prefix=to_octets(node.prefix | 1))
            row("bits_beyond_the_prefix", present, NonMember(here, padded, above), "absent_padding")
        if node.length:
            # This proof claims a prefix that differs from the label in its last bit. Another ancestor may be at this bit.
            claimed = replace(opened, prefix=to_octets(node.prefix ^ 1 << 256 - node.length))
            at_it = bool(i) and passed[i - 1].length == node.length - 1
            row("claimed_prefix", present, NonMember(here, claimed, above), "absent_depth" if at_it else "absent_root")
    for absent_key in absent:
        proof = non_member(absent_key)
        if isinstance(proof.node, proofs.InteriorNode):
            swapped = replace(proof.node, left=proof.node.right, right=proof.node.left)
            row("children_swapped", absent_key, replace(proof, node=swapped), "absent_root")
            row("child_changed", absent_key, replace(proof, node=replace(proof.node, left=bytes(32))), "absent_root")
        else:
            row("leaf_epoch_changed", absent_key, replace(proof, node=replace(proof.node, epoch=77)), "absent_root")
        for kind, changed, reason in _path_changes(proof.path, "absent_root"):
            row(kind, absent_key, replace(proof, path=changed), reason)
    return rows


def append_rows() -> list[dict]:
    rng = random.Random(43)
    rows = []

    def row(kind: str, a: int, states: list[RootState], proof: AppendProof, reason: str) -> None:
        found = _verdict(proofs.verify_append, a, states[0], states[1:], proof)
        assert found == reason, (kind, found, reason)
        listed = [[state.root.hex(), state.count] for state in states]
        rows.append({"kind": kind, "a": a, "states": listed, "proof": proof.encode().hex(), "reason": reason})

    def leaves(count: int, epoch: int, near: list[Leaf]) -> list[Leaf]:
        made: dict[int, Leaf] = {}
        taken = {leaf.label for leaf in near}
        while len(made) < count:
            label = rng.getrandbits(256)
            if near and rng.random() < 0.5:
                label = rng.choice(near).label ^ 1 << rng.randrange(256)
            if label not in taken:
                made[label] = Leaf(label, rng.randbytes(32), epoch)
        return list(made.values())

    small = ((0, [1]), (0, [0, 3]), (1, [1]), (1, [2, 0, 2]), (5, [0]), (5, [0, 0]))
    for first, sizes in (*small, (12, [3, 1, 4]), (40, [1, 0, 9]), (3, [2] * 9)):
        a = rng.randrange(1, 50)
        old = leaves(first, a, [])
        node: Node | None = tree.build(old)
        states, added = [RootState(tree.root_of(node), first)], []
        for j, size in enumerate(sizes):
            added += leaves(size, a + 1 + j, old + added)
            states.append(RootState(tree.root_of(tree.build(old + added)), first + len(added)))
        proof = proofs.make_append(node, a, added)
        row("valid", a, states, proof, "valid")
        row("opened_extended", a, states, AppendProof(proof.leaves, proof.opened + b"\0"), "append_trailing")
        wrong_last = [*states[:-1], replace(states[-1], root=_flip(states[-1].root, 0))]
        row("last_root_changed", a, wrong_last, proof, "append_new_root")
        if len(sizes) > 1 and sum(sizes):
            middle = [states[0], replace(states[1], root=_flip(states[1].root, 0)), *states[2:]]
            row("middle_root_changed", a, middle, proof, "append_new_root")
        if not added:
            continue
        row("leaf_omitted", a, states, AppendProof(proof.leaves[1:], proof.opened), "append_leaf_count")
        first_leaf = proof.leaves[0]
        changed = [replace(first_leaf, commitment=bytes(32)), *proof.leaves[1:]]
        row("commitment_changed", a, states, AppendProof(changed, proof.opened), "append_new_root")
        row("leaf_twice", a, states, AppendProof([first_leaf, *proof.leaves], proof.opened), "append_leaf_order")
        beyond = [replace(first_leaf, offset=len(sizes)), *proof.leaves[1:]]
        row("leaf_after_the_range", a, states, AppendProof(beyond, proof.opened), "append_leaf_epoch")
        if len(proof.leaves) > 1:
            row("leaves_reversed", a, states, AppendProof(proof.leaves[::-1], proof.opened), "append_leaf_order")
        wrong_old = [replace(states[0], root=_flip(states[0].root, 9)), *states[1:]]
        row("old_root_changed", a, wrong_old, proof, "append_old_root")
        if not proof.opened:
            continue
        row("opened_truncated", a, states, AppendProof(proof.leaves, proof.opened[:-1]), "append_truncated")
        row("opened_emptied", a, states, AppendProof(proof.leaves, b""), "append_truncated")
        row("token_unknown", a, states, AppendProof(proof.leaves, b"\x00" + proof.opened[1:]), "append_token")
        changed_end = AppendProof(proof.leaves, _flip(proof.opened, len(proof.opened) - 1))
        row("last_octet_changed", a, states, changed_end, "append_old_root")
        if old:
            again = proofs.make_append(node, a, [replace(old[0], epoch=a + 1)])
            grown = [states[0], RootState(bytes(32), first + 1)]
            row("listed_before", a, grown, again, "append_exists")
    _position_rows(row)
    return rows


def _position_rows(row: Callable[[str, int, list[RootState], AppendProof, str], None]) -> None:
    """Adds rows about three old leaves, whose tokens are short enough to write by hand."""
    a, b, c = (Leaf(n << 250, bytes([n]) * 32, 1) for n in (0b000000, 0b000001, 0b100000))
    old = tree.build([a, b, c])
    new = [Leaf(0b000011 << 250, bytes(32), 2)]
    states = [RootState(old.hash, 3), RootState(tree.root_of(tree.build([a, b, c, *new])), 4)]
    proof = proofs.make_append(old, 1, new)
    stubs = proof.opened[5:]
    leaf_a, leaf_c = (b"\x02" + to_octets(x.label) + x.commitment + bytes(7) + b"\1" for x in (a, c))
    row("control_positions", 1, states, proof, "valid")
    for kind, tokens, reason in (
        ("padding_set", b"\x01\x00\x01\x05\x01" + stubs, "append_prefix"),
        ("shorter_than_its_place", b"\x01\x00\x01\x00" + stubs, "append_prefix"),
        ("prefix_bit_changed", b"\x01\x00\x01\x05\x80" + stubs, "append_old_root"),
        ("longer_prefix", b"\x01\x00\x01\x06\x00" + stubs, "append_old_root"),
        ("leaf_hung_elsewhere", b"\x01\x00" + leaf_c + stubs[-32:], "append_position"),
        ("wrong_leaf_in_place", b"\x01\x00" + leaf_a + stubs[-32:], "append_old_root"),
        ("ends_inside_a_prefix", b"\x01\x00\x01\x05", "append_truncated"),
        ("ends_before_a_child", b"\x01\x00", "append_truncated"),
        ("ends_after_the_token", b"\x01", "append_truncated"),
    ):
        row(kind, 1, states, AppendProof(proof.leaves, tokens), reason)


def files() -> dict[str, dict]:
    t = _Trees()
    keys = [b"k%d" % i for i in range(6)]
    absent = [b"absent-near", b"absent-1", b"absent-2", b"absent-3"]
    around_absent = t.dense(keys, around=b"absent-near")
    around_present = t.dense(keys, around=b"k0")
    pair = [t.leaf(b"alone"), t.leaf(b"second")]
    single = [t.leaf(b"alone")]
    return {
        "proofs/member.json": {
            "note": "verify_member(pk, alpha, root, member) gives reason",
            "vectors": member_rows(t, around_present, keys, b"k0")
            + member_rows(t, pair, [b"second", b"alone"], b"second")
            + member_rows(t, single, [b"alone"], b"alone"),
        },
        "proofs/non_member.json": {
            "note": "verify_non_member(pk, alpha, root, count, non_member) gives reason",
            "vectors": non_member_rows(t, around_absent, absent, b"k1")
            + non_member_rows(t, around_present, absent[1:], b"k0")
            + non_member_rows(t, single, absent, b"alone")
            + non_member_rows(t, [], absent, b"alone"),
        },
        "proofs/append.json": {
            "note": "verify_append from epoch a over the states [root, count] of epochs a, a+1, ... gives reason",
            "vectors": append_rows(),
        },
    }
