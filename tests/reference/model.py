"""A small adversarial model of the proofs: python3 tests/reference/model.py [trees]. test_model.py makes bounded runs of it.

The model tests two statements:

1. In malformed trees over a few short labels, one root gives each label at most one outcome. An accepted append proof neither loses a leaf
   nor adds a leaf that it does not list.
2. If a server puts forged versions into an append-only tree, honest monitoring finds every lookup that shows a forged version.

Each statement is also run with one rule left out, and must then fail: otherwise the model would be too weak to show anything.
"""

import contextlib
import itertools
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pahd
import proofs
import tree
from codec import InteriorNode, LeafNode, Lookup, Member, NonMember, Path, Versions
from proofs import RootState
from refused import Refused, require
from tree import BITS, Interior, Leaf, Node, prefix_of, to_octets

LABEL_BITS = 4
LABELS = [n << BITS - LABEL_BITS for n in range(1 << LABEL_BITS)]
NO_PATH = Path(bytes(32), [])


@contextlib.contextmanager
def without(reason: str) -> Iterator[None]:
    """A context manager. Within it, the verifier works without one rule."""
    proofs.require = lambda condition, name: None if name == reason else require(condition, name)
    try:
        yield
    finally:
        proofs.require = require


def accepts(check, *arguments) -> bool:
    try:
        check(*arguments)
    except Refused:
        return False
    return True


# 1. Malformed trees.


def _leaf(rng: random.Random, epoch: int = 1) -> Leaf:
    return Leaf(rng.choice(LABELS), bytes([rng.randrange(3)]) * 32, epoch)


def malformed_tree(rng: random.Random) -> Node:
    """Returns an honest tree with a few damaged nodes: claimed prefixes and lengths, and exchanged, repeated and misplaced subtrees."""
    leaves = {leaf.label: leaf for leaf in (_leaf(rng) for _ in range(rng.randrange(2, 7)))}
    root = tree.build(list(leaves.values()))
    for _ in range(rng.randrange(4)):
        root = _spoiled(rng, root, root)
    return root


def _spoiled(rng: random.Random, node: Node, root: Node) -> Node:
    if isinstance(node, Leaf):
        return rng.choice((_leaf(rng), root))
    match rng.randrange(6):
        case 0:
            return replace(node, left=_spoiled(rng, node.left, root))
        case 1:
            return replace(node, right=_spoiled(rng, node.right, root))
        case 2:
            return replace(node, left=node.right, right=node.left)
        case 3:
            return replace(node, prefix=prefix_of(rng.choice(LABELS), node.length))
        case 4:
            length = rng.randrange(LABEL_BITS)
            return Interior(length, prefix_of(rng.choice(LABELS), length), node.left, node.right)
        case _:
            length = rng.randrange(LABEL_BITS)
            other = rng.choice((_leaf(rng), node, root))
            pair = [node, other] if rng.random() < 0.5 else [other, node]
            return Interior(length, prefix_of(rng.choice(LABELS), length), *pair)


def _walks(node: Node, lengths: tuple[int, ...] = (), siblings: tuple[bytes, ...] = ()) -> Iterator[tuple[Node, Path]]:
    """Yields every node, with each path from the root to it that a mask can express. No other path can fold to the root."""
    mask = sum(1 << BITS - 1 - length for length in lengths)
    yield node, Path(to_octets(mask), list(reversed(siblings)))
    if isinstance(node, Interior) and (not lengths or node.length > lengths[-1]):
        for side in (0, 1):
            yield from _walks(node.child(side), (*lengths, node.length), (*siblings, node.child(1 - side).hash))


def present(root: Node) -> dict[int, set[tuple[bytes, int]]]:
    """Returns, for each label, the contents that membership proofs against this root can show for the label."""
    shown: dict[int, set[tuple[bytes, int]]] = {}
    for node, path in _walks(root):
        if isinstance(node, Leaf):
            facts = (node.commitment, node.epoch)
            if accepts(proofs.verify_member_label, node.label, root.hash, *facts, path):
                shown.setdefault(node.label, set()).add(facts)
    return shown


def absent(root: Node, count: int = 1) -> set[int]:
    """Returns the labels that some non-membership proof against this root shows as absent."""
    shown = set()
    for node, path in _walks(root):
        if isinstance(node, Leaf):
            opened = LeafNode(to_octets(node.label), node.commitment, node.epoch)
        else:
            opened = InteriorNode(node.length, to_octets(node.prefix), node.left.hash, node.right.hash)
        for label in LABELS:
            if label not in shown and accepts(proofs.verify_non_member_label, label, root.hash, count, opened, path):
                shown.add(label)
    return shown


def contradiction(root: Node) -> bool:
    """Returns whether a label has two outcomes: present and absent, or present with two different contents."""
    members = present(root)
    return any(len(facts) > 1 for facts in members.values()) or not absent(root).isdisjoint(members)


def count_contradictions(trees: int, seed: int) -> tuple[int, int]:
    """Returns (number of contradictions, number of roots that show at least one label as present and one as absent)."""
    rng = random.Random(seed)
    found = useful = 0
    for _ in range(trees):
        root = malformed_tree(rng)
        found += contradiction(root)
        useful += bool(present(root)) and bool(absent(root))
    return found, useful


# Append proofs over malformed trees.


@dataclass(frozen=True)
class Claimed(Interior):
    """An interior node whose prefix is claimed, while its content is not opened. Its hash is the hash of the true node."""

    true_hash: bytes = b""

    @property
    def hash(self) -> bytes:
        return self.true_hash


class ClaimedPrefixes(proofs.OldTree):
    """Reads tokens by a weaker rule, which also allows a token 3: a stub with a claimed prefix that no listed label extends."""

    def read_opened(self, token: int, prefix: int, length: int, labels: list[int]) -> Node:
        if token != 3:
            return super().read_opened(token, prefix, length, labels)
        own_prefix, own_length = self.read_prefix(prefix, length)
        require(not any(proofs.extends(label, own_prefix, own_length) for label in labels), "append_prefix")
        true_hash = self._take(32)
        unknown = tree.Stub(bytes(32))
        return Claimed(own_length, own_prefix, unknown, unknown, true_hash)


def _claim(rng: random.Random, node: Node, prefix: int, length: int, labels: list[int]) -> tuple[Node, bytes]:
    """Returns (tree, tokens) that claim for one interior node another position than its own. The node is one that the walk to the labels
    passes. If the walk chooses no node, the tokens are those that tokens_of returns."""
    if not labels or isinstance(node, Leaf) or length >= LABEL_BITS:
        return node, proofs.tokens_of(node, length, labels)
    if rng.random() < 0.4:
        own_length = rng.randrange(length, LABEL_BITS)
        own_prefix = prefix | prefix_of(rng.choice(LABELS), own_length) & (1 << BITS - length) - 1
        if not any(proofs.extends(label, own_prefix, own_length) for label in labels):
            width = own_length - length
            octets = (width + 7) // 8
            bits = own_prefix >> BITS - own_length & (1 << width) - 1
            token = bytes([3, own_length]) + (bits << 8 * octets - width).to_bytes(octets, "big")
            return Claimed(own_length, own_prefix, node.left, node.right, node.hash), token + node.hash
    start = proofs.tokens_of(node, length, labels)[: 2 + (max(node.length - length, 0) + 7) // 8]
    children, tokens = [], start
    for side in (0, 1):
        below_prefix, below = proofs.child_position(node, side)
        reached = [x for x in labels if proofs.extends(x, below_prefix, below)]
        child, token = _claim(rng, node.child(side), below_prefix, below, reached)
        children.append(child)
        tokens += token
    return replace(node, left=children[0], right=children[1]), tokens


def append_breaks(
    trees: int, seed: int, old_tree: type[proofs.OldTree] = proofs.OldTree, claims: bool = False
) -> tuple[int, int]:
    """Returns (number of accepted appends that lose a leaf or show an unlisted leaf, number of accepted appends)."""
    rng = random.Random(seed)
    broken = accepted = 0
    for _ in range(trees):
        old = malformed_tree(rng)
        chosen = rng.sample(LABELS, rng.randrange(1, 3))
        added = [Leaf(label, b"\x07" * 32, 2) for label in sorted(chosen)]
        proof = proofs.make_append(old, 1, added)
        full = old
        if claims:
            full, tokens = _claim(rng, old, 0, 0, [leaf.label for leaf in added])
            proof = replace(proof, opened=tokens)
        # The server publishes the root that the verifier would compute, because the verifier would refuse any other root.
        try:
            walk = old_tree(proof.opened)
            grown = proofs.grow(walk.read(0, 0, [leaf.label for leaf in added]), added)
            states = [RootState(old.hash, 10), RootState(grown.hash, 10 + len(added))]
            proofs.verify_append(1, states[0], states[1:], proof, old_tree)
        except Refused:
            continue
        accepted += 1
        new = proofs.grow(full, added)
        assert new.hash == grown.hash
        before, after = present(old), present(new)
        listed = {leaf.label: {(leaf.commitment, leaf.epoch)} for leaf in added}
        broken += after != before | listed
    return broken, accepted


# 2. Forged versions.

FORGED = b"forged"


@dataclass
class World:
    """An append-only tree reduced to one key: version -> (leaf epoch, value).

    `own` is the number of versions that the owner set, from version 1 on. In a later period (first_epoch > 0) version 1 may be a copy, with
    leaf epoch 0.
    """

    leaves: dict[int, tuple[int, bytes]]
    own: int
    last_epoch: int
    first_epoch: int = 0
    max_value_len: int = 100
    epoch: int = 0

    @property
    def period(self) -> int:
        return int(self.first_epoch > 0)

    def at(self, epoch: int) -> "World":
        return replace(self, epoch=epoch)

    def holds(self, version: int) -> bool:
        return version in self.leaves and self.leaves[version][0] <= self.epoch

    def member(self, version: int, opened: bool) -> Member:
        epoch, value = self.leaves[version]
        if opened:
            return Member(b"", epoch, None, b"", value, NO_PATH)
        return Member(b"", epoch, value, None, None, NO_PATH)

    def verify_member(self, version: int, member: Member) -> None:
        content = member.commitment if member.kind == 0 else member.value
        require(self.holds(version) and self.leaves[version] == (member.epoch, content), "member_root")

    def verify_absent(self, version: int, proof: NonMember) -> None:
        require(not self.holds(version), "absent_root")

    def lookups(self, known: pahd.Known | None) -> Iterator[pahd.Result]:
        """Yields every result that a verifier with this state accepts at this epoch, whatever version the server claims."""
        for a in range(max(self.leaves, default=0) + 1):
            w = known.version if known else 0
            rungs = [version for version in pahd.ladder(a) if version > w]
            if a < w or not all(map(self.holds, rungs)):
                continue
            absent = [NonMember(b"", None, None)] * len(pahd.next_rungs(a))
            answer = Lookup(a, [self.member(version, version == a) for version in rungs], absent)
            with contextlib.suppress(Refused):
                yield pahd.verify_lookup(self, answer, known)

    def monitored(self, known: pahd.Known | None) -> pahd.Known | None:
        """Makes the owner's check at this epoch. Returns the owner's new knowledge, or None for an alarm."""
        own = sum(1 for version in range(1, self.own + 1) if self.holds(version))
        start = (known.version if known else 0) + 1
        if not all(map(self.holds, range(start, own + 1))):
            return None
        members = [self.member(version, True) for version in range(start, own + 1)]
        answer = Versions(own, start, members, [NonMember(b"", None, None)] * len(pahd.next_rungs(own)))
        try:
            result = pahd.verify_versions(self, answer, known)
        except Refused:
            return None
        return result.known if FORGED not in result.values.values() else None

    def is_true(self, result: pahd.Result) -> bool:
        """Returns whether the result shows the owner's latest version at this epoch."""
        latest = sum(1 for version in range(1, self.own + 1) if self.holds(version))
        return result.version == latest and result.value != FORGED


@dataclass
class Tally:
    worlds: int = 0
    believed: int = 0
    undetected: int = 0
    detected: int = 0
    example: World | None = field(default=None, repr=False)


@contextlib.contextmanager
def only_the_next() -> Iterator[None]:
    """A context manager. Within it, lookups, lists and monitoring require only the absence of a + 1, instead of all of C(a)."""
    whole = pahd.next_rungs
    pahd.next_rungs = lambda a: [a + 1]
    try:
        yield
    finally:
        pahd.next_rungs = whole


def states_before(world: World, epoch: int) -> list[pahd.Known | None]:
    """Returns the possible states of a client that looked the key up at one earlier epoch, or never."""
    states: list[pahd.Known | None] = [None]
    for earlier in range(max(world.first_epoch, 1), epoch):
        states += [result.known for result in world.at(earlier).lookups(None)]
    return states


def judge(world: World, checks: list[int], tally: Tally) -> None:
    """If a lookup in this world shows something untrue, counts the world as detected or undetected. The owner checks its key at the epochs
    `checks`."""
    tally.worlds += 1
    known: pahd.Known | None = None
    alarm = False
    for epoch in checks:
        known = world.at(epoch).monitored(known)
        if known is None:
            alarm = True
            break
    believed = forged = 0
    first = max(world.first_epoch, 1)
    for epoch in range(first, checks[-1] + 1):
        here = world.at(epoch)
        for state in states_before(world, epoch):
            for result in here.lookups(state):
                believed += 1
                forged += not here.is_true(result)
    tally.believed += believed
    if forged and alarm:
        tally.detected += 1
    if forged and not alarm:
        tally.undetected += 1
        tally.example = tally.example or world


def small_worlds(epochs: int, versions: int, copied: bool = False) -> Iterator[World]:
    """Yields every placement of forged versions above the owner's versions, for every history of up to three updates by the owner.

    If `copied` is set, each world is a second period that starts at epoch 1 with a copy of the owner's first version.
    """
    first_epoch = int(copied)
    for updates in range(3 if copied else 4):
        for times in itertools.combinations(range(first_epoch + 1, epochs + 1), updates):
            epochs_of_own = (0, *times) if copied else times
            honest = {i + 1: (time, b"own %d" % (i + 1)) for i, time in enumerate(epochs_of_own)}
            own = len(honest)
            slots = range(own + 1, versions + 1)
            for placed in itertools.product((None, *range(first_epoch, epochs + 1)), repeat=len(slots)):
                forged = {v: (time, FORGED) for v, time in zip(slots, placed, strict=True) if time is not None}
                yield World(honest | forged, own, epochs, first_epoch)


def ladder_worlds(count: int, seed: int) -> Iterator[World]:
    """Yields longer histories, in which the server inserts all versions in R(a') for one target a', in increasing epochs."""
    rng = random.Random(seed)
    for _ in range(count):
        own, epochs = rng.randrange(0, 24), 40
        times = sorted(rng.sample(range(1, epochs), own))
        leaves = {i + 1: (time, b"own %d" % (i + 1)) for i, time in enumerate(times)}
        target = own + rng.randrange(1, 20)
        last = times[-1] if times else 0
        for version in pahd.ladder(target):
            if version > own:
                last = min(last + version - own, epochs)
                leaves[version] = (last, FORGED)
        # Before the owner's next check the server may also show another value for one of the owner's own versions.
        if own and rng.random() < 0.2:
            version = rng.randrange(1, own + 1)
            leaves[version] = (leaves[version][0], FORGED)
        yield World(leaves, own, epochs)


def two_latest(exhaustive_versions: int, ladders: int, seed: int) -> tuple[int, int]:
    """Returns (number of records under which two lookups show different latest versions, number of records with a lookup that shows a
    version). The clients that look up may have any knowledge."""
    contradictions = shown = 0
    for world in itertools.chain(small_worlds(4, exhaustive_versions), ladder_worlds(ladders, seed)):
        for epoch in range(1, world.last_epoch + 1):
            here = world.at(epoch)
            latest = {result.version for state in states_before(world, epoch) for result in here.lookups(state)}
            contradictions += len(latest) > 1
            shown += bool(latest - {0})
    return contradictions, shown


def forged_versions(exhaustive_versions: int, ladders: int, seed: int) -> Tally:
    tally = Tally()
    first_period = small_worlds(4, exhaustive_versions)
    for world in itertools.chain(first_period, small_worlds(4, exhaustive_versions, copied=True)):
        judge(world, [world.last_epoch], tally)
        judge(world, [2, world.last_epoch], tally)
    rng = random.Random(seed)
    for world in ladder_worlds(ladders, seed):
        checks = sorted(rng.sample(range(1, world.last_epoch), 3)) + [world.last_epoch]
        judge(world, checks, tally)
    return tally


def main(trees: int) -> None:
    print("trees, one outcome a label: contradictions, useful roots:", count_contradictions(trees, 1))
    for reason in ("absent_depth", "absent_covers"):
        with without(reason):
            print(f"  without {reason}:", count_contradictions(trees // 10, 1))
    print("appends: broken, accepted:", append_breaks(trees, 2))
    print("  with claimed prefixes:", append_breaks(trees // 10, 2, ClaimedPrefixes, claims=True))
    print("forged versions:", forged_versions(5, trees // 600, 3))
    print("two latest versions under one record: contradictions, records:", two_latest(5, trees // 600, 4))
    with only_the_next():
        print("  with the absence of a + 1 alone:", forged_versions(5, trees // 600, 3), two_latest(5, trees // 600, 4))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60_000)
