"""Makes proofs over one tree (docs/spec/proofs.md) from a whole tree, and verifies them with only the tree's root."""

from dataclasses import dataclass

import tree
from codec import AddedLeaf, AppendProof, InteriorNode, LeafNode, Path
from refused import Refused, require
from tree import BITS, Interior, Leaf, Node, Stub, bit, common_prefix_length, prefix_of, to_octets, to_position


def make_path(passed: list[Interior], position: int) -> Path:
    mask = sum(1 << BITS - 1 - node.length for node in passed)
    siblings = [node.child(1 - bit(position, node.length)).hash for node in reversed(passed)]
    return Path(to_octets(mask), siblings)


def make_member(root: Node, label: int) -> tuple[Leaf, Path]:
    passed, leaf = tree.ancestors(root, label)
    assert isinstance(leaf, Leaf) and leaf.label == label
    return leaf, make_path(passed, label)


def make_non_member(root: Node | None, label: int) -> tuple[InteriorNode | LeafNode | None, Path | None]:
    passed, node = tree.ancestors(root, label)
    if node is None:
        return None, None
    path = make_path(passed, label)
    if isinstance(node, Leaf):
        assert node.label != label
        return LeafNode(to_octets(node.label), node.commitment, node.epoch), path
    return InteriorNode(node.length, to_octets(node.prefix), node.left.hash, node.right.hash), path


def mask_lengths(mask: bytes) -> list[int]:
    """Returns the lengths of the ancestors whose bits are set in the mask, from the longest to the shortest, so the deepest ancestor comes
    first."""
    position, lengths = to_position(mask), []
    while position:
        lowest = position & -position
        lengths.append(BITS - lowest.bit_length())
        position ^= lowest
    return lengths


def check_path_length(path: Path) -> None:
    require(len(mask_lengths(path.mask)) == len(path.siblings), "path_length")


def fold(node_hash: bytes, position: int, path: Path) -> bytes:
    for length, sibling in zip(mask_lengths(path.mask), path.siblings, strict=True):
        pair = (sibling, node_hash) if bit(position, length) else (node_hash, sibling)
        node_hash = tree.interior_hash(length, prefix_of(position, length), *pair)
    return node_hash


def verify_member_label(label: int, root: bytes, commitment: bytes, epoch: int, path: Path) -> None:
    """Verifies a membership proof from step 3 of section 3 on."""
    check_path_length(path)
    require(fold(tree.leaf_hash(label, commitment, epoch), label, path) == root, "member_root")


def verify_non_member_label(
    label: int, root: bytes, count: int, node: InteriorNode | LeafNode | None, path: Path | None
) -> None:
    """Verifies a non-membership proof from step 2 of section 4 on."""
    if node is None:
        require(count == 0 and root == tree.EMPTY, "absent_empty")
        return
    if isinstance(node, InteriorNode):
        position, length = to_position(node.prefix), node.length
        require(prefix_of(position, length) == position, "absent_padding")
        node_hash = tree.interior_hash(length, position, node.left, node.right)
        common = min(length, common_prefix_length(label, position))
    else:
        position, length = to_position(node.label), BITS
        node_hash = tree.leaf_hash(position, node.commitment, node.epoch)
        common = common_prefix_length(label, position)
    require(common < length, "absent_covers")
    require(all(ancestor < common for ancestor in mask_lengths(path.mask)), "absent_depth")
    check_path_length(path)
    require(fold(node_hash, position, path) == root, "absent_root")


# Append proofs (section 5 of docs/spec/proofs.md).


def extends(label: int, prefix: int, length: int) -> bool:
    return prefix_of(label, length) == prefix


def child_position(node: Interior, side: int) -> tuple[int, int]:
    """Returns the (prefix, length) that the node's child on this side must extend."""
    return node.prefix | side << BITS - 1 - node.length, node.length + 1


def make_append(old: Node | None, first_epoch: int, added: list[Leaf]) -> AppendProof:
    """Returns the proof that the tree `old` of epoch `first_epoch` grows only by the leaves `added`. The epoch of each added leaf is
    greater than `first_epoch`."""
    added = sorted(added, key=lambda leaf: leaf.label)
    listed = [AddedLeaf(to_octets(x.label), x.commitment, x.epoch - first_epoch - 1) for x in added]
    if old is None or not added:
        return AppendProof(listed, b"")
    return AppendProof(listed, tokens_of(old, 0, [leaf.label for leaf in added]))


def tokens_of(node: Node, length: int, labels: list[int]) -> bytes:
    """Returns the tokens of a node that must extend a position of this length and that these labels reach."""
    if not labels:
        return node.hash
    if isinstance(node, Leaf):
        return b"\x02" + to_octets(node.label) + node.commitment + node.epoch.to_bytes(8, "big")
    # Only the malformed trees of model.py have a node that is shorter than its position, and no proof over such a node verifies.
    width = max(node.length - length, 0)
    octets = (width + 7) // 8
    bits = node.prefix >> BITS - node.length & (1 << width) - 1
    token = b"\x01" + bytes([node.length]) + (bits << 8 * octets - width).to_bytes(octets, "big")
    for side in (0, 1):
        prefix, below = child_position(node, side)
        token += tokens_of(node.child(side), below, [x for x in labels if extends(x, prefix, below)])
    return token


class OldTree:
    """Reads the opened tokens and returns the part of the old tree that the listed labels reach."""

    def __init__(self, opened: bytes):
        self._opened = opened
        self._pos = 0

    def _take(self, count: int) -> bytes:
        require(self._pos + count <= len(self._opened), "append_truncated")
        self._pos += count
        return self._opened[self._pos - count : self._pos]

    def finish(self) -> None:
        require(self._pos == len(self._opened), "append_trailing")

    def read(self, prefix: int, length: int, labels: list[int]) -> Node:
        """Reads and returns the node at the position (prefix, length), which these labels reach."""
        if not labels:
            return Stub(self._take(32))
        return self.read_opened(self._take(1)[0], prefix, length, labels)

    def read_opened(self, token: int, prefix: int, length: int, labels: list[int]) -> Node:
        if token == 1:
            return self._read_interior(prefix, length, labels)
        if token == 2:
            leaf = Leaf(to_position(self._take(32)), self._take(32), int.from_bytes(self._take(8), "big"))
            require(extends(leaf.label, prefix, length), "append_position")
            require(leaf.label not in labels, "append_exists")
            return leaf
        raise Refused("append_token")

    def read_prefix(self, prefix: int, length: int) -> tuple[int, int]:
        own_length = self._take(1)[0]
        require(own_length >= length, "append_prefix")
        width = own_length - length
        octets = (width + 7) // 8
        padding = 8 * octets - width
        bits = int.from_bytes(self._take(octets), "big")
        require(bits & (1 << padding) - 1 == 0, "append_prefix")
        return prefix | bits >> padding << BITS - own_length, own_length

    def _read_interior(self, prefix: int, length: int, labels: list[int]) -> Node:
        own_prefix, own_length = self.read_prefix(prefix, length)
        children = []
        for side in (0, 1):
            start, below = own_prefix | side << BITS - 1 - own_length, own_length + 1
            children.append(self.read(start, below, [x for x in labels if extends(x, start, below)]))
        return Interior(own_length, own_prefix, *children)


def grow(node: Node | None, added: list[Leaf]) -> Node | None:
    """Returns the tree over the leaves of `node` and the added leaves. No added leaf reaches a stub."""
    if not added:
        return node
    if node is None:
        return tree.build(added)
    if isinstance(node, Leaf):
        return tree.build([node, *added])
    assert isinstance(node, Interior)
    split = min(common_prefix_length(node.prefix, leaf.label) for leaf in added)
    if split >= node.length:
        sides = [[leaf for leaf in added if bit(leaf.label, node.length) == side] for side in (0, 1)]
        return Interior(node.length, node.prefix, grow(node.left, sides[0]), grow(node.right, sides[1]))
    side = bit(node.prefix, split)
    below = grow(node, [leaf for leaf in added if bit(leaf.label, split) == side])
    beside = tree.build([leaf for leaf in added if bit(leaf.label, split) != side])
    children = (beside, below) if side else (below, beside)
    return Interior(split, prefix_of(node.prefix, split), *children)


@dataclass(frozen=True)
class RootState:
    root: bytes
    count: int


def verify_append(
    first_epoch: int, old: RootState, steps: list[RootState], proof: AppendProof, old_tree: type[OldTree] = OldTree
) -> None:
    """Verifies an append proof for (a, b] (section 5). `first_epoch` is a, and `steps` has one entry for each epoch. Only the model's
    controls replace `old_tree`."""
    added: list[Leaf] = []
    for item in proof.leaves:
        label = to_position(item.label)
        require(not added or label > added[-1].label, "append_leaf_order")
        require(item.offset < len(steps), "append_leaf_epoch")
        added.append(Leaf(label, item.commitment, first_epoch + 1 + item.offset))
    counts = [old.count, *(step.count for step in steps)]
    by_epoch = [[leaf for leaf in added if leaf.epoch == first_epoch + 1 + j] for j in range(len(steps))]
    for j, leaves in enumerate(by_epoch):
        require(len(leaves) == counts[j + 1] - counts[j], "append_leaf_count")

    if old.count == 0:
        require(old.root == tree.EMPTY, "append_old_root")
        require(proof.opened == b"", "append_trailing")
        node = None
    elif not added:
        require(proof.opened == b"", "append_trailing")
        node = Stub(old.root)
    else:
        walk = old_tree(proof.opened)
        node = walk.read(0, 0, [leaf.label for leaf in added])
        walk.finish()
        require(node.hash == old.root, "append_old_root")
    for step, leaves in zip(steps, by_epoch, strict=True):
        node = grow(node, leaves)
        require(tree.root_of(node) == step.root, "append_new_root")
