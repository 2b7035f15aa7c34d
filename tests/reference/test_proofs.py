"""Compares the verdicts on proofs over one tree with the whole tree, for every label and every append, and tests changes that must be
refused."""

import random
import unittest
from dataclasses import replace

import proofs
import tree
from codec import AppendProof, Path
from proofs import RootState
from refused import Refused
from tree import Leaf, to_octets, to_position


def random_leaves(rng: random.Random, count: int, epoch: int = 1, close: bool = False) -> list[Leaf]:
    """Returns random leaves. If `close` is set, their labels share long prefixes, so that paths are deep and prefixes have unusual
    lengths."""
    labels: set[int] = set()
    while len(labels) < count:
        label = rng.getrandbits(256)
        if close and labels and rng.random() < 0.8:
            label = rng.choice(sorted(labels)) ^ 1 << rng.randrange(256)
        labels.add(label)
    return [Leaf(label, rng.randbytes(32), epoch) for label in sorted(labels)]


class TreeTest(unittest.TestCase):
    def test_growing_equals_building(self):
        rng = random.Random(1)
        for _ in range(40):
            leaves = random_leaves(rng, rng.randrange(1, 40), close=rng.random() < 0.5)
            rng.shuffle(leaves)
            cut = rng.randrange(len(leaves) + 1)
            grown = proofs.grow(tree.build(leaves[:cut]), leaves[cut:])
            self.assertEqual(tree.root_of(grown), tree.root_of(tree.build(leaves)))

    def test_small_roots(self):
        self.assertEqual(tree.root_of(tree.build([])), tree.H(3))
        leaf = Leaf(5, bytes(32), 7)
        self.assertEqual(tree.root_of(tree.build([leaf])), tree.H(1, to_octets(5), bytes(32), bytes(7) + b"\7"))
        # These labels differ only in the last bit, so the tree has one node of length 255.
        pair = [Leaf(4, bytes(32), 1), Leaf(5, bytes(32), 1)]
        expected = tree.H(2, b"\xff", to_octets(4), pair[0].hash, pair[1].hash)
        self.assertEqual(tree.root_of(tree.build(pair[::-1])), expected)


class MembershipTest(unittest.TestCase):
    def setUp(self):
        rng = random.Random(2)
        self.leaves = random_leaves(rng, 60, close=True)
        self.root = tree.build(self.leaves)
        others = random_leaves(rng, 60) + [Leaf(leaf.label ^ 1 << rng.randrange(256), b"", 0) for leaf in self.leaves]
        present = {leaf.label for leaf in self.leaves}
        self.absent = [leaf.label for leaf in others if leaf.label not in present]

    def verdict(self, check, *arguments) -> str:
        try:
            check(*arguments)
        except Refused as refused:
            return refused.reason
        return "valid"

    def member(self, label: int, leaf: Leaf, path: Path) -> str:
        check = proofs.verify_member_label
        return self.verdict(check, label, self.root.hash, leaf.commitment, leaf.epoch, path)

    def non_member(self, label: int, node, path) -> str:
        return self.verdict(proofs.verify_non_member_label, label, self.root.hash, len(self.leaves), node, path)

    def test_every_label_has_its_outcome(self):
        for leaf in self.leaves:
            found, path = proofs.make_member(self.root, leaf.label)
            self.assertEqual(self.member(leaf.label, found, path), "valid")
            for other in self.absent[:5]:
                self.assertEqual(self.member(other, found, path), "member_root")
        for label in self.absent:
            node, path = proofs.make_non_member(self.root, label)
            self.assertEqual(self.non_member(label, node, path), "valid")

    def test_member_changes(self):
        leaf = max(self.leaves, key=lambda one: len(tree.ancestors(self.root, one.label)[0]))
        found, path = proofs.make_member(self.root, leaf.label)
        self.assertGreater(len(path.siblings), 3)
        self.assertEqual(self.member(leaf.label, replace(found, epoch=2), path), "member_root")
        self.assertEqual(self.member(leaf.label, replace(found, commitment=bytes(32)), path), "member_root")
        for siblings in (path.siblings[:-1], path.siblings + [bytes(32)], []):
            self.assertEqual(self.member(leaf.label, found, Path(path.mask, siblings)), "path_length")
        self.assertEqual(self.member(leaf.label, found, Path(path.mask, path.siblings[::-1])), "member_root")
        self.assertEqual(self.member(leaf.label, found, Path(bytes(32), [])), "member_root")

    def test_non_member_changes(self):
        reasons = set()
        for label in self.absent:
            node, path = proofs.make_non_member(self.root, label)
            present = self.leaves[0].label
            reasons.add(self.non_member(present, node, path))
            self.assertNotEqual(self.non_member(present, node, path), "valid")
            self.assertEqual(self.non_member(label, None, None), "absent_empty")
            if hasattr(node, "length"):
                self.assertEqual(self.non_member(label, replace(node, left=node.right, right=node.left), path), "absent_root")
                if node.length < 255:
                    padded = replace(node, prefix=to_octets(to_position(node.prefix) | 1))
                    self.assertEqual(self.non_member(label, padded, path), "absent_padding")
            else:
                self.assertEqual(self.non_member(label, replace(node, epoch=9), path), "absent_root")
            self.assertEqual(self.non_member(label, node, Path(path.mask, path.siblings + [bytes(32)])), "path_length")
        # The proof claims that a present label is absent: it opens an ancestor of the label in place of the node where the walk ends.
        leaf = max(self.leaves, key=lambda one: len(tree.ancestors(self.root, one.label)[0]))
        passed, _ = tree.ancestors(self.root, leaf.label)
        top, path = passed[0], Path(bytes(32), [])
        opened = proofs.InteriorNode(top.length, to_octets(top.prefix), top.left.hash, top.right.hash)
        self.assertEqual(self.non_member(leaf.label, opened, path), "absent_covers")
        self.assertIn("absent_covers", reasons)

    def test_sibling_leaf_does_not_hide_a_label(self):
        # The proof claims that a present label is absent: it opens the leaf next to the label, with this leaf's true path. An ancestor in
        # this path is at or beyond the bit where label and leaf differ.
        leaf = max(self.leaves, key=lambda one: len(tree.ancestors(self.root, one.label)[0]))
        passed, _ = tree.ancestors(self.root, leaf.label)
        sibling = passed[-1].child(1 - tree.bit(leaf.label, passed[-1].length))
        while isinstance(sibling, tree.Interior):
            sibling = sibling.left
        _, path = proofs.make_member(self.root, sibling.label)
        node = proofs.LeafNode(to_octets(sibling.label), sibling.commitment, sibling.epoch)
        self.assertEqual(self.non_member(leaf.label, node, path), "absent_depth")


class AppendTest(unittest.TestCase):
    def history(self, rng: random.Random, first: int, *sizes: int) -> tuple[list[Leaf], list[Leaf], list[RootState]]:
        """Returns (old leaves, added leaves, states from epoch 1 on)."""
        total = random_leaves(rng, first + sum(sizes), close=rng.random() < 0.5)
        rng.shuffle(total)
        old, added, states, node = total[:first], [], [], tree.build(total[:first])
        states.append(RootState(tree.root_of(node), first))
        at = first
        for j, size in enumerate(sizes):
            new = [replace(leaf, epoch=2 + j) for leaf in total[at : at + size]]
            at += size
            added += new
            states.append(RootState(tree.root_of(tree.build(old + added)), at))
        return old, added, states

    def verdict(self, states: list[RootState], proof: AppendProof) -> str:
        try:
            proofs.verify_append(1, states[0], states[1:], proof)
        except Refused as refused:
            return refused.reason
        return "valid"

    def test_random_histories(self):
        rng = random.Random(3)
        for _ in range(60):
            sizes = [rng.randrange(0, 6) for _ in range(rng.randrange(1, 6))]
            old, added, states = self.history(rng, rng.choice((0, 0, 1, 2, 30)), *sizes)
            proof = proofs.make_append(tree.build(old), 1, added)
            self.assertEqual(self.verdict(states, proof), "valid")
            if added:
                missing = AppendProof(proof.leaves[1:], proof.opened)
                self.assertEqual(self.verdict(states, missing), "append_leaf_count")
            self.assertEqual(self.verdict(states, AppendProof(proof.leaves, proof.opened + b"\0")), "append_trailing")
            if proof.opened:
                self.assertEqual(self.verdict(states, AppendProof(proof.leaves, proof.opened[:-1])), "append_truncated")

    def test_each_reason(self):
        rng = random.Random(4)
        old, added, states = self.history(rng, 20, 3, 2)
        proof = proofs.make_append(tree.build(old), 1, added)
        leaves = proof.leaves
        self.assertEqual(self.verdict(states, proof), "valid")
        for reason, changed in {
            "append_leaf_order": AppendProof(leaves[::-1], proof.opened),
            "append_leaf_epoch": AppendProof([replace(leaves[0], offset=2), *leaves[1:]], proof.opened),
            "append_leaf_count": AppendProof([replace(leaves[0], offset=1 - leaves[0].offset), *leaves[1:]], proof.opened),
            "append_token": AppendProof(leaves, b"\x03" + proof.opened[1:]),
            "append_truncated": AppendProof(leaves, proof.opened[:40]),
            "append_trailing": AppendProof(leaves, proof.opened + bytes(32)),
            "append_old_root": AppendProof(leaves, proof.opened[:-1] + bytes([proof.opened[-1] ^ 1])),
            "append_new_root": AppendProof([replace(leaves[0], commitment=bytes(32)), *leaves[1:]], proof.opened),
        }.items():
            self.assertEqual(self.verdict(states, changed), reason)
        twice = AppendProof([leaves[0], leaves[0], *leaves[1:]], proof.opened)
        self.assertEqual(self.verdict(states, twice), "append_leaf_order")

    def test_position_and_prefix(self):
        a, b, c = (Leaf(n << 250, bytes(32), 1) for n in (0b000000, 0b000001, 0b100000))
        old = tree.build([a, b, c])
        new = [Leaf(0b000011 << 250, bytes(32), 2)]
        states = [RootState(old.hash, 3), RootState(tree.root_of(tree.build([a, b, c, *new])), 4)]
        proof = proofs.make_append(old, 1, new)
        self.assertEqual(self.verdict(states, proof), "valid")
        # Tokens: the root (length 0), its left child (length 5, four bits beyond the parent's: 0000), two stubs, and one more stub.
        self.assertEqual(proof.opened[:5], b"\x01\x00\x01\x05\x00")
        self.assertEqual(len(proof.opened), 5 + 3 * 32)
        for spoiled in (b"\x01\x00\x01\x05\x01", b"\x01\x00\x01\x00"):
            self.assertEqual(self.verdict(states, AppendProof(proof.leaves, spoiled + proof.opened[5:])), "append_prefix")
        # This opened leaf cannot be at the position where the tokens claim it.
        away = b"\x02" + c.label.to_bytes(32, "big") + bytes(32) + (1).to_bytes(8, "big")
        hung = AppendProof(proof.leaves, b"\x01\x00" + away + proof.opened[-32:])
        self.assertEqual(self.verdict(states, hung), "append_position")
        # The listed label is already in the old tree.
        again = [Leaf(a.label, b"\1" * 32, 2)]
        rewritten = tree.build([again[0], b, c])
        states[1] = RootState(rewritten.hash, 4)
        self.assertEqual(self.verdict(states, proofs.make_append(old, 1, again)), "append_exists")

    def test_fake_taken_back(self):
        # Epoch 2 publishes the fake leaf, and epoch 3 replaces it by another leaf. An audit of only the first and the last tree would
        # accept this as an honest history of one leaf.
        rng = random.Random(5)
        old = random_leaves(rng, 5)
        fake, honest = random_leaves(rng, 1, 2)[0], random_leaves(rng, 1, 3)[0]
        node = tree.build(old)
        shown, kept = tree.build([*old, fake]), tree.build([*old, honest])
        states = [RootState(node.hash, 5), RootState(shown.hash, 6), RootState(kept.hash, 6)]
        self.assertEqual(self.verdict(states, proofs.make_append(node, 1, [honest])), "append_leaf_count")
        states[2] = RootState(states[2].root, 7)
        self.assertEqual(self.verdict(states, proofs.make_append(node, 1, [fake, honest])), "append_new_root")
        states[2] = RootState(tree.build([*old, fake, honest]).hash, 7)
        self.assertEqual(self.verdict(states, proofs.make_append(node, 1, [fake, honest])), "valid")

    def test_no_leaves(self):
        old = random_leaves(random.Random(6), 4)
        root = tree.build(old).hash
        same = [RootState(root, 4)] * 3
        self.assertEqual(self.verdict(same, AppendProof([], b"")), "valid")
        self.assertEqual(self.verdict(same, AppendProof([], root)), "append_trailing")
        self.assertEqual(self.verdict([*same, RootState(bytes(32), 4)], AppendProof([], b"")), "append_new_root")
        self.assertEqual(self.verdict([RootState(root, 0)] * 2, AppendProof([], b"")), "append_old_root")
        self.assertEqual(self.verdict([RootState(tree.EMPTY, 0)] * 2, AppendProof([], b"")), "valid")


if __name__ == "__main__":
    unittest.main()
