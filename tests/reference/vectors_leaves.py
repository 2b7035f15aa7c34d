"""Makes pairs of statements about leaves, with the reason that each pair proves: tests/vectors/leaves/."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import facts
import leaves
import mutations
import proofs
from codec import Member, NonMember
from codec_users import DeviceList
from directory import STEP_MS, Stored
from directory_users import UserDirectory
from leaves import LeafStatement
from refused import Refused
from tree import Leaf

USERNAMES, DEVICES, KEYS, DECOMMISSIONED = facts.STRUCTURES
ALICE, BOB, CAROL, PHONE, LAPTOP = b"alice", b"bob", b"carol", b"phone", b"laptop"
LENGTH_MS = 6 * STEP_MS


class Liar(UserDirectory):
    """A directory that may change leaves that it has published."""

    def rebuild(self) -> None:
        """Publishes an epoch whose trees have the stored leaves, even if the trees of the previous epoch had other leaves."""
        for number in facts.STRUCTURES:
            found = self._leaves(number)
            self.trees[number - 1], self.counts[number - 1] = proofs.grow(None, found), len(found)
        self.publish({})

    def exchange(self, structure: int, key: bytes, version: int, **changes) -> None:
        mine = self.stored[structure - 1][key]
        mine[max(version, 1) - 1] = replace(mine[max(version, 1) - 1], **changes)

    def statement(self, epoch: int, structure: int, key: bytes, version: int, opened: bool = False, size: int | None = None) -> LeafStatement:
        """Returns the true statement about a leaf at an epoch."""
        stored = self.stored_at[epoch][structure - 1].get(key, [])
        if len(stored) >= max(version, 1):
            return LeafStatement(self.head(epoch, size), structure, key, version, self.member(epoch, key, version, opened, structure))
        return LeafStatement(self.head(epoch, size), structure, key, version, self.absent(epoch, key, version, structure))

    def _leaves(self, number: int) -> list[Leaf]:
        found = []
        for key, mine in self.stored[number - 1].items():
            found += [self.leaf(key, i if self.has_versions(number) else 0, stored, number) for i, stored in enumerate(mine, 1)]
        return found


def honest(seed: int, **configuration) -> Liar:
    """Makes six epochs, 0 to 5. Alice's key has versions 1, 2 and 3 at epochs 1, 2 and 4, and Bob's key has version 1 at epoch 1. Carol has
    a name, a phone and, from epoch 3 on, a laptop. Nobody has left."""
    d = Liar(seed=seed, period_length_ms=LENGTH_MS, **configuration)
    d.create(CAROL, [CAROL], {PHONE: b"phone 1"})
    d.staged[KEYS] |= {ALICE: b"alice 1", BOB: b"bob 1"}
    d.publish_users()
    d.publish({ALICE: b"alice 2"})
    d.add_device(CAROL, LAPTOP, b"laptop 1")
    d.publish_users()
    d.publish({ALICE: b"alice 3"})
    d.publish({})
    return d


class _Pairs:
    def __init__(self):
        self.anchors: list = []
        self.rows: list[dict] = []

    def add(self, kind: str, reason: str, d: Liar, first: bytes | LeafStatement, second: bytes | LeafStatement) -> None:
        first, second = (one if isinstance(one, bytes) else one.encode() for one in (first, second))
        try:
            found = leaves.judge(d.anchor, first, second)
        except Refused as refused:
            found = refused.reason
        assert found == reason, f"{kind}: {found} instead of {reason}"
        if d.anchor not in self.anchors:
            self.anchors.append(d.anchor)
        self.rows.append({"kind": kind, "anchor": self.anchors.index(d.anchor), "first": first.hex(), "second": second.hex(), "reason": reason})

    def lie(self, kind: str, about: tuple[int, bytes, int], change: Callable[[Liar], None], kept: int = 5, **configuration) -> None:
        """Adds two statements about the leaf: one at epoch `kept`, and one after the lie."""
        d = honest(171, **configuration)
        change(d)
        self.add(kind, "leaf_contradicts", d, d.statement(kept, *about), d.statement(d.epoch, *about))

    def content(self) -> dict:
        note = "two LeafStatements under an anchor (an index into anchors); the reason is what they prove together, or why nothing"
        anchors = [{"configuration": a.configuration.encode().hex(), "log_key": a.log_key.public.hex(), "trust_anchor": a.render()} for a in self.anchors]
        return {"note": note, "anchors": anchors, "vectors": self.rows}


def _rebuilt(change: Callable[[Liar], object]) -> Callable[[Liar], None]:
    def lie(d: Liar) -> None:
        change(d)
        d.rebuild()

    return lie


def _switch(d: Liar) -> None:
    d.switch_period(d.records[d.period_first_epoch].time_ms + LENGTH_MS)
    d.publish({})


def _after_switch(change: Callable[[Liar], object]) -> Callable[[Liar], None]:
    def lie(d: Liar) -> None:
        _switch(d)
        change(d)
        d.rebuild()

    return lie


def _lies(pairs: _Pairs) -> None:
    latest, old = (KEYS, ALICE, 3), (KEYS, ALICE, 1)
    pairs.lie("another_value", latest, _rebuilt(lambda d: d.exchange(*latest, value=b"mallory's")))
    pairs.lie("the_same_value_with_another_opening", latest, _rebuilt(lambda d: d.exchange(*latest, opening=bytes(16))))
    pairs.lie("another_epoch", latest, _rebuilt(lambda d: d.exchange(*latest, epoch=5)))
    pairs.lie("another_value_of_an_old_version", old, _rebuilt(lambda d: d.exchange(*old, value=b"mallory's")))
    pairs.lie("a_latest_version_dropped", latest, _rebuilt(lambda d: d.stored[KEYS - 1][ALICE].pop()))
    pairs.lie("all_versions_dropped", old, _rebuilt(lambda d: d.stored[KEYS - 1].pop(ALICE)))

    def in_its_place(d: Liar) -> None:
        d.stored[KEYS - 1][b"somebody"] = [replace(d.stored[KEYS - 1].pop(BOB)[0], opening=bytes(16))]

    pairs.lie("another_leaf_in_its_place", (KEYS, BOB, 1), _rebuilt(in_its_place))

    def dated_back(d: Liar) -> None:
        d.stored[KEYS - 1][ALICE].append(Stored(5, bytes(16), b"mallory's"))

    pairs.lie("inserted_and_dated_back", (KEYS, ALICE, 4), _rebuilt(dated_back))
    pairs.lie("another_device_list", (DEVICES, CAROL, 1), _rebuilt(lambda d: d.exchange(DEVICES, CAROL, 1, value=DeviceList([LAPTOP]).encode())))
    pairs.lie("a_device_list_dropped", (DEVICES, CAROL, 2), _rebuilt(lambda d: d.stored[DEVICES - 1][CAROL].pop()))
    pairs.lie("another_user_for_a_name", (USERNAMES, CAROL, 0), _rebuilt(lambda d: d.exchange(USERNAMES, CAROL, 0, value=b"mallory")))
    pairs.lie("a_name_dropped", (USERNAMES, CAROL, 0), _rebuilt(lambda d: d.stored[USERNAMES - 1].pop(CAROL)))

    def returns(d: Liar) -> None:
        d.decommission(CAROL)
        d.publish_users()
        d.publish({})
        del d.stored[DECOMMISSIONED - 1][CAROL]
        d.rebuild()

    pairs.lie("a_user_who_left_is_back", (DECOMMISSIONED, CAROL, 0), returns, kept=6)

    def left_long_ago(d: Liar) -> None:
        d.stored[DECOMMISSIONED - 1][CAROL] = [Stored(3, bytes(16), b"\1")]

    pairs.lie("a_user_who_is_said_to_have_left_long_ago", (DECOMMISSIONED, CAROL, 0), _rebuilt(left_long_ago))
    generation = (USERNAMES, CAROL, 1)
    pairs.lie("another_user_for_a_generation", generation, _rebuilt(lambda d: d.exchange(*generation, value=b"mallory")), username_reuse=1)

    copy = (KEYS, BOB, 1)
    pairs.lie("another_copy", copy, _after_switch(lambda d: d.exchange(*copy, value=b"mallory's")), kept=7)
    pairs.lie("a_copy_dropped", copy, _after_switch(lambda d: d.stored[KEYS - 1].pop(BOB)), kept=7)
    pairs.lie("a_copy_with_an_epoch", copy, _after_switch(lambda d: d.exchange(*copy, epoch=7)), kept=7)

    def late_copy(d: Liar) -> None:
        d.stored[KEYS - 1][b"somebody"] = [Stored(0, bytes(16), b"mallory's")]

    pairs.lie("a_copy_that_comes_late", (KEYS, b"somebody", 1), _after_switch(late_copy), kept=7)

    d = honest(171)
    d.exchange(*latest, value=b"mallory's")
    d.rebuild()
    before, after = d.statement(5, *latest), d.statement(6, *latest)
    pairs.add("the_later_one_first", "leaf_contradicts", d, after, before)
    pairs.add("opened_and_committed", "leaf_contradicts", d, d.statement(5, *latest, opened=True), after)
    pairs.add("both_opened", "leaf_contradicts", d, d.statement(5, *latest, opened=True), d.statement(6, *latest, opened=True))
    pairs.add("under_checkpoints_of_two_sizes", "leaf_contradicts", d, d.statement(5, *latest, size=6), after)
    pairs.add("under_one_checkpoint", "leaf_contradicts", d, d.statement(5, *latest, size=7), d.statement(6, *latest, size=7))

    # The two histories differ from epoch 6 on, and each history is consistent.
    shown, other = honest(171), honest(171)
    shown.publish({BOB: b"bob 2"})
    other.publish({BOB: b"mallory's"})
    other.publish({})
    about = (KEYS, BOB, 2)
    pairs.add("two_histories", "leaf_contradicts", shown, shown.statement(6, *about), other.statement(7, *about))
    other = honest(171)
    other.publish({})
    pairs.add("two_histories_of_one_epoch_one_without_it", "leaf_contradicts", shown, shown.statement(6, *about), other.statement(6, *about))


def _honest(pairs: _Pairs) -> None:
    d = honest(172)
    latest = (KEYS, ALICE, 3)

    def agree(kind: str, first: LeafStatement, second: LeafStatement, reason: str = "leaf_agrees", of: Liar = d) -> None:
        pairs.add(kind, reason, of, first, second)

    agree("the_same_statement", d.statement(5, *latest), d.statement(5, *latest))
    agree("present_at_two_epochs", d.statement(4, *latest), d.statement(5, *latest))
    agree("opened_and_later_committed", d.statement(4, *latest, opened=True), d.statement(5, *latest))
    agree("absent_at_two_epochs", d.statement(2, *latest), d.statement(3, *latest))
    agree("absent_until_it_was_inserted", d.statement(3, *latest), d.statement(4, *latest))
    agree("present_and_then_an_answer_of_a_replica_that_is_behind", d.statement(5, *latest), d.statement(3, *latest))
    agree("absent_in_the_empty_tree", d.statement(0, *latest), d.statement(5, *latest))
    agree("an_old_version", d.statement(1, KEYS, ALICE, 1), d.statement(5, KEYS, ALICE, 1))
    agree("checkpoints_of_two_sizes", d.statement(4, *latest, size=5), d.statement(5, *latest))
    agree("a_device_list", d.statement(1, DEVICES, CAROL, 1), d.statement(4, DEVICES, CAROL, 1))
    agree("a_device_list_before_its_second_version", d.statement(2, DEVICES, CAROL, 2), d.statement(3, DEVICES, CAROL, 2))
    agree("a_name", d.statement(1, USERNAMES, CAROL, 0), d.statement(5, USERNAMES, CAROL, 0))
    agree("a_name_before_it_was_taken", d.statement(0, USERNAMES, CAROL, 0), d.statement(1, USERNAMES, CAROL, 0))
    agree("another_key", d.statement(5, KEYS, ALICE, 1), d.statement(5, KEYS, BOB, 1), "leaf_unrelated")
    agree("another_version", d.statement(5, KEYS, ALICE, 1), d.statement(5, KEYS, ALICE, 2), "leaf_unrelated")
    agree("another_structure", d.statement(5, DEVICES, CAROL, 1), d.statement(5, KEYS, CAROL, 1), "leaf_unrelated")
    agree("a_key_that_begins_like_another", d.statement(5, KEYS, ALICE, 1), d.statement(5, KEYS, b"alic", 1), "leaf_unrelated")
    agree("a_version_that_no_key_has", d.statement(4, KEYS, ALICE, 2**64 - 1), d.statement(5, KEYS, ALICE, 2**64 - 1))

    d.decommission(CAROL)
    d.publish_users()
    _switch(d)
    d.publish({b"dave": b"dave 1"})
    agree("a_user_before_and_after_it_left", d.statement(5, DECOMMISSIONED, CAROL, 0), d.statement(6, DECOMMISSIONED, CAROL, 0))
    agree("a_name_in_two_periods", d.statement(5, USERNAMES, CAROL, 0), d.statement(8, USERNAMES, CAROL, 0))
    agree("a_version_and_the_copy_that_has_its_number", d.statement(6, KEYS, BOB, 1), d.statement(7, KEYS, BOB, 1), "leaf_unrelated")
    agree("a_version_and_its_copy", d.statement(6, KEYS, ALICE, 3), d.statement(7, KEYS, ALICE, 1), "leaf_unrelated")
    agree("a_list_that_is_not_copied_as_its_user_has_left", d.statement(6, DEVICES, CAROL, 1), d.statement(7, DEVICES, CAROL, 1), "leaf_unrelated")
    agree("a_copy_from_its_first_epoch_on", d.statement(7, KEYS, BOB, 1), d.statement(9, KEYS, BOB, 1))
    agree("no_copy_and_then_a_version_of_its_own", d.statement(8, KEYS, b"dave", 1), d.statement(9, KEYS, b"dave", 1))

    d = honest(173, username_reuse=1)
    d.decommission(CAROL)
    d.publish_users()
    d.create(b"carol's successor", [CAROL], {b"tablet": b"tablet 1"})
    d.publish_users()
    agree("a_name_that_is_passed_on", d.statement(6, USERNAMES, CAROL, 1), d.statement(7, USERNAMES, CAROL, 1), of=d)
    agree("the_next_user_of_a_name", d.statement(6, USERNAMES, CAROL, 2), d.statement(7, USERNAMES, CAROL, 2), of=d)
    agree("two_users_of_a_name", d.statement(7, USERNAMES, CAROL, 1), d.statement(7, USERNAMES, CAROL, 2), "leaf_unrelated", of=d)


def _not_signed_so(pairs: _Pairs) -> None:
    """Adds pairs of statements that the log signed. The verifier refuses one of the statements, or the pair proves another fault."""
    about = (KEYS, BOB, 1)

    def lie(kind: str, reason: str, change: Callable[[Liar], object]) -> None:
        d = honest(174)
        change(d)
        d.rebuild()
        pairs.add(kind, reason, d, d.statement(5, *about), d.statement(6, *about))

    lie("a_leaf_of_an_epoch_to_come", "leaf_epoch_future", lambda d: d.exchange(*about, epoch=7))
    lie("a_copy_in_the_first_period", "leaf_epoch_period", lambda d: d.exchange(*about, epoch=0))
    lie("a_value_beyond_the_configuration", "leaf_contradicts", lambda d: d.exchange(*about, value=bytes(65_537)))
    lie("another_vrf_key_within_a_period", "record_vrf_key", lambda d: d.vrf_keys.__setitem__(KEYS - 1, d._new_vrf_key()))
    d = honest(174, max_value_len=5)
    pairs.add("a_value_that_is_too_long", "value_too_long", d, d.statement(5, *about), d.statement(5, KEYS, ALICE, 3, opened=True))
    d = honest(174)
    d.records[-1] = d.records[-1].with_structure(KEYS, vrf_public_key=b"\1" + bytes(31))
    pairs.add("a_vrf_key_that_is_none", "vrf_key_invalid", d, d.statement(4, *about), d.statement(5, *about))
    d = honest(174)
    _switch(d)
    d.exchange(KEYS, BOB, 1, epoch=6)
    d.rebuild()
    pairs.add("a_leaf_of_the_first_epoch_of_a_period", "leaf_epoch_period", d, d.statement(7, *about), d.statement(8, *about))
    d.exchange(KEYS, BOB, 1, epoch=3)
    d.rebuild()
    pairs.add("a_leaf_from_before_the_period", "leaf_epoch_period", d, d.statement(7, *about), d.statement(9, *about))
    d = honest(174)
    d.exchange(USERNAMES, CAROL, 0, epoch=0)
    d.rebuild()
    pairs.add("a_name_of_epoch_0", "leaf_epoch_period", d, d.statement(5, USERNAMES, CAROL, 0), d.statement(6, USERNAMES, CAROL, 0))


def _changes(one: LeafStatement, other: LeafStatement) -> Iterator[mutations.Change]:
    """Yields changes of each field of a statement that comes after the head. `one` is opened or absent; `other` is about another key."""
    encoded = one.encode()
    yield from mutations.whole_changes(encoded)
    about = len(one.head.encode())
    kind_at = about + 2 + len(one.key) + 8

    def octet(at: int, value: int) -> bytes:
        return encoded[:at] + bytes([value]) + encoded[at + 1 :]

    yield "structure_0", octet(about, 0), "malformed_enum"
    yield "structure_5", octet(about, 5), "malformed_enum"
    yield "structure_devices", octet(about, DEVICES), "vrf_challenge"
    yield "key_empty", encoded[: about + 1] + b"\0" + encoded[about + 2 + len(one.key) :], "malformed_length"
    yield "key_of_another", replace(one, key=other.key).encode(), "vrf_challenge"
    yield "version_plus_1", replace(one, version=one.version + 1).encode(), "vrf_challenge"
    yield "version_0", replace(one, version=0).encode(), "vrf_challenge"
    yield "kind_2", octet(kind_at, 2), "malformed_enum"
    yield "proof_of_another", replace(one, proof=other.proof).encode(), "vrf_challenge"
    if isinstance(one.proof, Member):
        for name, member, reason in mutations.member_changes(one.proof, other.proof.vrf_proof):
            yield name, replace(one, proof=member).encode(), reason
        bare = leaves.committed(one.proof)
        yield "commitment_changed", replace(one, proof=replace(bare, commitment=bytes(32))).encode(), "member_root"
        yield "claimed_absent", replace(one, proof=NonMember(bare.vrf_proof, None, None)).encode(), "absent_empty"
    else:
        for name, proof, reason in mutations.non_member_changes(one.proof, other.proof.vrf_proof):
            yield name, replace(one, proof=proof).encode(), reason
        present = Member(one.proof.vrf_proof, 1, bytes(32), None, None, one.proof.path)
        yield "claimed_present", replace(one, proof=present).encode(), "member_root"


def _mutations(pairs: _Pairs) -> None:
    """Adds changes of the evidence of a dropped leaf. The kept statement, the received statement, or both are changed."""
    d = honest(175)
    del d.stored[KEYS - 1][BOB]
    d.rebuild()
    about = (KEYS, BOB, 1)
    kept, received = d.statement(5, *about, opened=True), d.statement(6, *about)
    pairs.add("evidence", "leaf_contradicts", d, kept, received)
    for head_changes in (mutations.record_changes, mutations.head_changes):
        for name, changed, reason in head_changes(kept):
            pairs.add(f"kept_{name}", reason, d, changed, received)
    for name, changed, reason in _changes(kept, d.statement(5, KEYS, ALICE, 2, opened=True)):
        pairs.add(f"kept_{name}", reason, d, changed, received)
    for name, changed, reason in _changes(received, d.statement(6, KEYS, ALICE, 4)):
        pairs.add(f"received_{name}", reason, d, kept, changed)
    for name, changed, reason in list(mutations.head_changes(received))[:5]:
        pairs.add(f"received_{name}", reason, d, kept, changed)
    stranger = honest(176)
    pairs.add("of_another_log", "record_log_id", d, kept, stranger.statement(5, *about))
    pairs.add("twice_the_kept_one", "leaf_agrees", d, kept, kept)
    pairs.add("both_refused", "malformed_truncated", d, b"", received.encode()[:-1])


def files() -> dict[str, dict]:
    pairs = _Pairs()
    for rows in (_lies, _honest, _not_signed_so, _mutations):
        rows(pairs)
    return {"leaves/statements.json": pairs.content()}
