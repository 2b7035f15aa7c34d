"""A small key directory that answers as docs/spec says, for vectors, tests and malicious servers.

Everything is kept in memory and derived from one seed. The directory's parts are public on purpose, so that a test can change one fact and
leave the rest honest.
"""

import copy
import random
from dataclasses import dataclass

import board
import ecvrf
import ed25519
import facts
import pahd
import proofs
import tree
from board import LogKey
from codec import AppendProof, AuditProof, Head, Lookup, LookupAnswer, Member, NonMember, Versions, VersionsAnswer
from handover import EndState
from record import Configuration, EpochRecord, StructureState
from tree import Leaf, Node
from verify import TrustAnchor

START_MS = 1_750_000_000_000
STEP_MS = 1_000


@dataclass(frozen=True)
class Stored:
    """The content of one version of a key, to which the version's leaf commits."""

    epoch: int
    opening: bytes
    value: bytes


class Directory:
    def __init__(self, seed: int = 1, start_ms: int = START_MS, **configuration):
        self.rng = random.Random(seed)
        self.log_seed = self.rng.randbytes(32)
        origin = configuration.pop("origin", b"example.com/optiks")
        self.configuration = Configuration(origin, **configuration).check()
        self.log_key = LogKey(origin.decode(), ed25519.public_key(self.log_seed))
        self.anchor = TrustAnchor(self.configuration, self.log_key)
        self.vrf_keys = [self._new_vrf_key() for _ in facts.STRUCTURES]
        self.trees: list[Node | None] = [None for _ in facts.STRUCTURES]
        self.counts = [0 for _ in facts.STRUCTURES]
        # For each structure, the content of each key's leaves. Keys of the structures `usernames` and `decommissioned` have one leaf each.
        self.stored: list[dict[bytes, list[Stored]]] = [{} for _ in facts.STRUCTURES]
        # The erased values, as (structure, key, version): their openings no longer exist.
        self.erased: set[tuple[int, bytes, int]] = set()
        self.period = self.period_first_epoch = 0
        self.records: list[EpochRecord] = []
        # For each epoch and structure: the VRF key, and the contents of the tree.
        self.vrf_keys_at: list[list[ecvrf.SecretKey]] = []
        self.stored_at: list[list[dict[bytes, list[Stored]]]] = []
        # For each epoch and structure, the leaves that the epoch added. At a period switch these are only the copies.
        self.added: list[list[list[Leaf]]] = []
        self.trees_at: list[list[Node | None]] = []
        self._proofs: dict[tuple[bytes, bytes], tuple[bytes, bytes]] = {}
        self._close([[] for _ in facts.STRUCTURES], start_ms)

    def _new_vrf_key(self) -> ecvrf.SecretKey:
        return ecvrf.SecretKey.from_uniform(self.rng.randbytes(64))

    @property
    def epoch(self) -> int:
        return len(self.records) - 1

    @property
    def now_ms(self) -> int:
        return self.records[-1].time_ms

    @property
    def versions(self) -> dict[bytes, list[Stored]]:
        return self.stored[facts.KEYS - 1]

    def prove(self, vrf: ecvrf.SecretKey, key: bytes, version: int, structure: int = facts.KEYS) -> tuple[int, bytes]:
        """Returns the label of a key's version, as a position in the tree, and its VRF proof."""
        alpha = pahd.vrf_input(structure, key, version)
        name = (vrf.encoded, alpha)
        if name not in self._proofs:
            self._proofs[name] = ecvrf.prove(vrf, alpha)
        label, proof = self._proofs[name]
        return tree.to_position(label), proof

    def leaf(self, key: bytes, version: int, stored: Stored, structure: int = facts.KEYS) -> Leaf:
        label, _ = self.prove(self.vrf_keys[structure - 1], key, version, structure)
        return Leaf(label, tree.commitment_of(stored.opening, stored.value), stored.epoch)

    def publish(
        self, updates: dict[bytes, bytes], others: dict[int, list[Leaf]] | None = None, time_ms: int | None = None
    ) -> EpochRecord:
        """Publishes one epoch with the next version of each key. `others` has, for each structure, leaves that are added unchanged."""
        return self.publish_in({facts.KEYS: updates}, others, time_ms)

    def publish_in(
        self,
        updates: dict[int, dict[bytes, bytes]],
        others: dict[int, list[Leaf]] | None = None,
        time_ms: int | None = None,
    ) -> EpochRecord:
        """Publishes one epoch like publish(), but with updates of any structure. `updates` has the updates of each structure, by the
        structure's number."""
        added: list[list[Leaf]] = [list((others or {}).get(number, [])) for number in facts.STRUCTURES]
        for number, of_keys in updates.items():
            for key, value in of_keys.items():
                stored = Stored(self.epoch + 1, self.rng.randbytes(16), value)
                mine = self.stored[number - 1].setdefault(key, [])
                mine.append(stored)
                version = len(mine) if self.has_versions(number) else 0
                added[number - 1].append(self.leaf(key, version, stored, number))
        return self._close(added, self.now_ms + STEP_MS if time_ms is None else time_ms)

    def has_versions(self, structure: int) -> bool:
        """Returns whether keys of the structure have versions. In other structures a key has one leaf, of version 0."""
        return structure in facts.PER_PERIOD or (structure == facts.USERNAMES and self.configuration.username_reuse == 1)

    def last_epoch(self, period: int) -> int:
        return max(r.epoch for r in self.records if r.period == period)

    def copied(self, structure: int, key: bytes) -> bool:
        """Returns whether the next period begins with a copy of the key. A subclass may return False for some keys, so that their copies
        are missing."""
        return True

    def switch_period(self, time_ms: int) -> EpochRecord:
        """Publishes the epoch that starts the next period, with fresh VRF keys, and with copies of the latest versions in leaves of epoch
        0."""
        for number in facts.PER_PERIOD:
            self.vrf_keys[number - 1] = self._new_vrf_key()
            self.trees[number - 1], self.counts[number - 1] = None, 0
        self.period += 1
        self.period_first_epoch = self.epoch + 1
        copies: list[list[Leaf]] = [[] for _ in facts.STRUCTURES]
        for number in facts.PER_PERIOD:
            latest = {key: mine[-1] for key, mine in self.stored[number - 1].items() if self.copied(number, key)}
            self.stored[number - 1].clear()
            for key, stored in latest.items():
                copy = Stored(0, self.rng.randbytes(16), stored.value)
                self.stored[number - 1][key] = [copy]
                copies[number - 1].append(self.leaf(key, 1, copy, number))
        return self._close(copies, time_ms)

    def current(self) -> dict:
        """Returns a copy of the current state, to which the next epoch adds. A server that later returns to this state passes the copy to
        go_back()."""
        return copy.deepcopy({name: getattr(self, name) for name in ("vrf_keys", "trees", "counts", "stored", "period", "period_first_epoch")})

    def go_back(self, current: dict) -> None:
        """Restores a state that current() returned, so that the next epoch adds to it."""
        self.__dict__.update(copy.deepcopy(current))

    def leaves(self, structure: int = facts.KEYS) -> list[Leaf]:
        """Returns the stored leaves of a structure whose keys have versions."""
        return [self.leaf(key, version, stored, structure) for key, mine in self.stored[structure - 1].items() for version, stored in enumerate(mine, 1)]

    def regrow(self, structure: int = facts.KEYS) -> None:
        """Rebuilds the structure's tree from the stored leaves, for a server that changed the stored leaves."""
        leaves = self.leaves(structure)
        self.trees[structure - 1], self.counts[structure - 1] = proofs.grow(None, leaves), len(leaves)

    def change_vrf_key(self, structure: int = facts.KEYS) -> None:
        """Stores all leaves under another VRF key, within a period."""
        self.vrf_keys[structure - 1] = self._new_vrf_key()
        self.regrow(structure)

    def _close(self, added: list[list[Leaf]], time_ms: int) -> EpochRecord:
        self.trees = [proofs.grow(root, leaves) for root, leaves in zip(self.trees, added, strict=True)]
        self.counts = [count + len(leaves) for count, leaves in zip(self.counts, added, strict=True)]
        states = tuple(
            StructureState(tree.root_of(root), count, vrf.public.encoded)
            for root, count, vrf in zip(self.trees, self.counts, self.vrf_keys, strict=True)
        )
        previous = self.records[-1].hash if self.records else bytes(32)
        made = EpochRecord(
            self.anchor.log_id, len(self.records), self.period, self.period_first_epoch, time_ms, states, previous
        )
        self.records.append(made)
        self.added.append(added)
        self.trees_at.append(list(self.trees))
        self.vrf_keys_at.append(list(self.vrf_keys))
        self.stored_at.append([{key: list(mine) for key, mine in held.items()} for held in self.stored])
        return made

    # Answers.

    def member(self, epoch: int, key: bytes, version: int, opened: bool, structure: int = facts.KEYS) -> Member:
        stored = self.stored_at[epoch][structure - 1][key][max(version, 1) - 1]
        label, vrf_proof = self.prove(self.vrf_keys_at[epoch][structure - 1], key, version, structure)
        leaf, path = proofs.make_member(self.trees_at[epoch][structure - 1], label)
        if opened:
            return Member(vrf_proof, leaf.epoch, None, stored.opening, stored.value, path)
        return Member(vrf_proof, leaf.epoch, leaf.commitment, None, None, path)

    def absent(self, epoch: int, key: bytes, version: int, structure: int = facts.KEYS) -> NonMember:
        label, vrf_proof = self.prove(self.vrf_keys_at[epoch][structure - 1], key, version, structure)
        return NonMember(vrf_proof, *proofs.make_non_member(self.trees_at[epoch][structure - 1], label))

    def latest(self, epoch: int, key: bytes, structure: int = facts.KEYS) -> int:
        return len(self.stored_at[epoch][structure - 1].get(key, []))

    def lookup_item(self, epoch: int, key: bytes, known: int = 0, structure: int = facts.KEYS) -> Lookup:
        a = self.latest(epoch, key, structure)
        members = [self.member(epoch, key, i, i == a, structure) for i in pahd.ladder(a) if i > known]
        return Lookup(a, members, [self.absent(epoch, key, i, structure) for i in pahd.next_rungs(a)])

    def versions_item(
        self, epoch: int, key: bytes, start: int, page: int | None = None, structure: int = facts.KEYS
    ) -> Versions:
        """Returns the key's versions from `start` on. `page` is the maximum number of members. For a version in `erased`, the answer shows
        only the commitment."""
        a = self.latest(epoch, key, structure)
        last = a if page is None else min(a, start + page - 1)
        listed = range(start, last + 1)
        members = [self.member(epoch, key, i, (structure, key, i) not in self.erased, structure) for i in listed]
        absent = pahd.next_rungs(a) if last == a else []
        return Versions(a, start, members, [self.absent(epoch, key, i, structure) for i in absent])

    def end_state(self, key: bytes, period: int, structure: int = facts.KEYS) -> EndState:
        """Returns the key's end state that an owner knows after it saw the end of this period."""
        last = self.last_epoch(period)
        a = self.latest(last, key, structure)
        return EndState(period, last, a, self.stored_at[last][structure - 1][key][-1].value if a else None)

    def entries(self, size: int) -> list[bytes]:
        return [board.leaf_hash(r.encode()) for r in self.records[:size]]

    def checkpoint(self, size: int) -> bytes:
        return board.make_checkpoint(self.log_key, self.log_seed, size, board.root_of(self.entries(size)))

    def head(self, epoch: int, size: int | None = None, kept_size: int = 0) -> Head:
        size = len(self.records) if size is None else size
        hashes = self.entries(size)
        inclusion = board.make_inclusion(hashes, epoch)
        if size == kept_size:
            return Head(self.records[epoch].encode(), inclusion, [], b"")
        consistency = board.make_consistency(hashes, kept_size) if kept_size else []
        return Head(self.records[epoch].encode(), inclusion, consistency, self.checkpoint(size))

    def lookup(self, keys: list[bytes], epoch: int | None = None, **head) -> LookupAnswer:
        epoch = self.epoch if epoch is None else epoch
        return LookupAnswer(self.head(epoch, **head), [self.lookup_item(epoch, key) for key in keys])

    def versions_answer(self, keys: list[bytes], epoch: int | None = None, **head) -> VersionsAnswer:
        epoch = self.epoch if epoch is None else epoch
        return VersionsAnswer(self.head(epoch, **head), [self.versions_item(epoch, key, 1) for key in keys])

    def audit(self, a: int, b: int) -> AuditProof:
        records = [self.records[e].encode() for e in range(a, b + 1)]
        switch = self.records[a].period != self.records[b].period
        structures = []
        for number in facts.STRUCTURES:
            if switch and number in facts.PER_PERIOD:
                structures.append(AppendProof([], b""))
                continue
            added = [leaf for e in range(a + 1, b + 1) for leaf in self.added[e][number - 1]]
            structures.append(proofs.make_append(self.trees_at[a][number - 1], a, added))
        return AuditProof(records, structures)
