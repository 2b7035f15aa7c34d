"""Makes the vectors in tests/vectors/lookup/: whole answers with the verifier's state and the verdict. The rows have honest answers, the
changes of mutations.py, and lies that the server signs.
"""

import random
from collections.abc import Callable
from dataclasses import replace

import board
import ecvrf
import facts
import fourq
import mutations
import mutations_audit
import pahd
import proofs
import tree
from board import Checkpoint
from codec import AuditProof, LeafNode, Lookup, LookupAnswer, Member, NonMember, Versions, VersionsAnswer
from directory import STEP_MS, Directory, Stored
from record import EpochRecord
from rows import Rows
from tree import Leaf
from verify import Verifier


NAMES = [b"key-%d" % i for i in range(8)]


def honest_directory(**configuration) -> Directory:
    d = Directory(seed=51, **configuration)
    d.publish({name: b"value of " + name for name in NAMES})
    for i in range(1, 8):
        d.publish({b"alice": b"alice %d" % i} | ({NAMES[i]: b"again"} if i % 3 == 0 else {}))
    d.publish({})
    return d


def lookup_rows(rows: Rows) -> None:
    d = honest_directory()
    v = Verifier(d.anchor, d.now_ms)

    def row(kind: str, keys: list[bytes], answer: LookupAnswer, reason: str, **kept) -> None:
        rows.answer("lookup", kind, replace(v, **kept), keys, answer.encode(), reason)

    for key in (b"alice", NAMES[3], NAMES[1], b"nobody"):
        row("honest", [key], d.lookup([key]), "valid")
    several = [b"alice", b"nobody", NAMES[6]]
    row("honest_several", several, d.lookup(several), "valid")
    row("keys_exchanged", several[::-1], d.lookup(several), "vrf_challenge")
    row("a_key_more", [*several, b"x"], d.lookup(several), "answer_count")
    for key in (b"alice", NAMES[3], NAMES[1]):
        answer, other = d.lookup([key]), d.lookup_item(d.epoch, NAMES[5])
        label, _ = d.prove(d.vrf_keys[facts.KEYS - 1], key, 1)
        groups = [mutations.lookup_changes(answer, other), [mutations.own_leaf_opened(answer, tree.to_octets(label))]]
        if key == NAMES[1]:
            groups += [mutations.whole_changes(answer.encode()), mutations.record_changes(answer)]
            groups.append(mutations.head_changes(answer))
        for group in groups:
            for kind, encoded, reason in group:
                rows.answer("lookup", kind, v, [key], encoded, reason)
    _kept_rows(d, v, row)
    _known_rows(d, row)


def _kept_rows(d: Directory, v: Verifier, row: Callable) -> None:
    key, size = NAMES[1], len(d.records)
    plain = d.lookup([key])
    for kept_size in (1, 2, 5, 8, size - 1):
        kept = Checkpoint(kept_size, board.root_of(d.entries(kept_size)))
        answer = d.lookup([key], kept_size=kept_size)
        row("kept_checkpoint", [key], answer, "valid", checkpoint=kept)
        wrong = replace(kept, root=bytes(32))
        row("kept_checkpoint_of_another_root", [key], answer, "checkpoint_consistency", checkpoint=wrong)
        row("no_consistency_proof", [key], plain, "checkpoint_consistency", checkpoint=kept)
        extended = replace(answer, head=replace(answer.head, consistency=[*answer.head.consistency, bytes(32)]))
        row("consistency_proof_extended", [key], extended, "checkpoint_consistency", checkpoint=kept)
    current = Checkpoint(size, board.root_of(d.entries(size)))
    without = d.lookup([key], kept_size=size)
    row("current_checkpoint_kept", [key], without, "valid", checkpoint=current)
    row("current_checkpoint_sent_again", [key], plain, "valid", checkpoint=current)
    row("no_checkpoint_at_all", [key], without, "checkpoint_missing")
    row("fork_of_equal_size", [key], plain, "fork", checkpoint=replace(current, root=bytes(32)))
    row("smaller_than_kept", [key], plain, "stale", checkpoint=replace(current, size=size + 1))
    proof = replace(without, head=replace(without.head, consistency=[bytes(32)]))
    row("consistency_with_the_kept_checkpoint", [key], proof, "checkpoint_consistency", checkpoint=current)
    row("beyond_the_kept_checkpoint", [key], replace(plain, head=replace(plain.head, checkpoint=b"")), "inclusion_index",
        checkpoint=Checkpoint(d.epoch, bytes(32)))
    for epoch in (2, d.epoch - 1, d.epoch):
        row("kept_record", [key], d.lookup([key], epoch=d.epoch - 1), "valid", record=d.records[epoch])
    held = d.records[d.epoch]
    row("kept_record_differs", [key], plain, "fork", record=replace(held, time_ms=held.time_ms + 1))
    before = d.records[d.epoch - 1]
    for kind, changed, reason in (
        ("time", replace(before, time_ms=held.time_ms), "record_previous"),
        ("vrf_key", before.with_structure(facts.KEYS, vrf_public_key=bytes(32)), "record_previous"),
    ):
        row(f"kept_record_before_{kind}", [key], plain, reason, record=changed)
    old = d.records[2]
    for kind, changed, reason in (
        ("time", replace(old, time_ms=held.time_ms), "record_time"),
        ("time_between", replace(old, time_ms=held.time_ms - (held.epoch - 2)), "valid"),
        ("time_too_close", replace(old, time_ms=held.time_ms - (held.epoch - 2) + 1), "record_time"),
        ("vrf_key", old.with_structure(facts.KEYS, vrf_public_key=bytes(32)), "record_vrf_key"),
        ("usernames_vrf_key", old.with_structure(facts.USERNAMES, vrf_public_key=bytes(32)), "record_vrf_key"),
        ("count", old.with_structure(facts.KEYS, count=1000), "record_count"),
        ("period", replace(old, period=1, period_first_epoch=1), "record_period"),
    ):
        row(f"kept_older_record_{kind}", [key], plain, reason, record=changed)
    for kind, start, reason in (
        ("of_the_first_epoch", d.records[0], "valid"),
        ("of_another_epoch", d.records[1], "record_period"),
        ("of_another_log", replace(d.records[0], log_id=bytes(32)), "record_log_id"),
        ("after_it", replace(d.records[0], time_ms=old.time_ms), "record_time"),
        ("of_another_vrf_key", d.records[0].with_structure(facts.KEYS, vrf_public_key=bytes(32)), "record_vrf_key"),
    ):
        row(f"kept_period_record_{kind}", [key], plain, reason, record=old, period_record=start)
    limits = d.configuration
    row("as_late_as_allowed", [key], plain, "valid", now_ms=d.now_ms + limits.max_behind_ms)
    row("too_old", [key], plain, "record_too_old", now_ms=d.now_ms + limits.max_behind_ms + 1)
    row("as_early_as_allowed", [key], plain, "valid", now_ms=d.now_ms - limits.max_ahead_ms)
    row("from_the_future", [key], plain, "record_from_future", now_ms=d.now_ms - limits.max_ahead_ms - 1)
    row("least_epoch_met", [key], plain, "valid", least_epoch={key: d.epoch})
    row("below_the_least_epoch", [key], plain, "stale", least_epoch={key: d.epoch + 1})
    other_log = Directory(seed=51, heartbeat_ms=59_999)
    row("another_configuration", [key], plain, "record_log_id", anchor=other_log.anchor)
    stranger = Directory(seed=52)
    row("another_log_key", [key], plain, "record_log_id", anchor=replace(d.anchor, log_key=stranger.log_key))


def _known_rows(d: Directory, row: Callable) -> None:
    key, e = b"alice", d.epoch

    def with_known(kind: str, known: pahd.Known, reason: str, left_out: int | None = None, asked: bytes = key) -> None:
        item = d.lookup_item(e, asked, known.version if left_out is None else left_out)
        row(kind, [asked], LookupAnswer(d.head(e), [item]), reason, known={asked: known})

    for epoch in range(2, e + 1):
        with_known("known_version", pahd.Known(0, d.latest(epoch, key), epoch), "valid")
    with_known("known_absent", pahd.Known(0, 0, 1), "valid")
    with_known("known_absent_too_late", pahd.Known(0, 0, 2), "leaf_epoch_order")
    with_known("known_absent_too_late_of_never_set", pahd.Known(0, 0, e), "valid", asked=b"nobody")
    with_known("known_of_another_period", pahd.Known(3, 5, 6), "valid", left_out=0)
    with_known("known_of_another_period_left_out", pahd.Known(3, 5, 6), "ladder_count", left_out=5)
    with_known("known_but_sent_whole", pahd.Known(0, 5, 6), "ladder_count", left_out=0)
    with_known("known_later_than_the_next_version", pahd.Known(0, 5, 7), "leaf_epoch_order")
    with_known("regressed", pahd.Known(0, 8, 8), "version_regressed", left_out=7)
    with_known("regressed_to_nothing", pahd.Known(0, 1, 8), "version_regressed", asked=b"nobody")


def signed_lie_rows(rows: Rows) -> None:
    """Adds rows of lies that the log's operator signs. Each answer passes all checks before the check of the rule that the lie breaks."""
    key = b"victim"

    def record_lie(kind: str, reason: str, change: Callable[[EpochRecord], EpochRecord], **kept) -> None:
        d = honest_directory()
        d.records[-1] = change(d.records[-1])
        v = Verifier(d.anchor, d.now_ms, **{name: value(d) for name, value in kept.items()})
        rows.answer("lookup", f"signed_{kind}", v, [NAMES[1]], d.lookup([NAMES[1]]).encode(), reason)

    def keys_state(**changes) -> Callable[[EpochRecord], EpochRecord]:
        return lambda r: r.with_structure(facts.KEYS, **changes)

    def before(d: Directory) -> EpochRecord:
        return d.records[-2]

    def first(d: Directory) -> EpochRecord:
        return d.records[0]

    other = ecvrf.SecretKey.from_uniform(random.Random(53).randbytes(64))
    record_lie("control", "valid", lambda r: r, record=before)
    record_lie("vrf_key_swapped_first_contact", "vrf_challenge", keys_state(vrf_public_key=other.public.encoded))
    record_lie("vrf_key_swapped", "record_vrf_key", keys_state(vrf_public_key=other.public.encoded), record=before)
    record_lie("vrf_key_identity", "vrf_key_invalid", keys_state(vrf_public_key=fourq.encode_element(fourq.ONE)))
    record_lie("vrf_key_order_2", "vrf_key_invalid", keys_state(vrf_public_key=fourq.encode_element((fourq.P - 1, 0))))
    record_lie("vrf_key_malformed", "vrf_key_invalid", keys_state(vrf_public_key=b"\xff" * 32))
    torsion = fourq.string_to_point(fourq.encode_element((fourq.P - 1, 0)))

    def mixed(r: EpochRecord) -> EpochRecord:
        honest = fourq.string_to_point(r.structure(facts.KEYS).vrf_public_key)
        return r.with_structure(facts.KEYS, vrf_public_key=fourq.point_to_string(fourq.point_add(honest, torsion)))

    record_lie("vrf_key_plus_torsion", "vrf_key_invalid", mixed)
    record_lie("format", "record_format", lambda r: replace(r, format=3))
    record_lie("log_id", "record_log_id", lambda r: replace(r, log_id=bytes(32)))
    record_lie("period_1_from_0", "record_period", lambda r: replace(r, period=1))
    record_lie("period_0_from_1", "record_period", lambda r: replace(r, period_first_epoch=1))

    def switched(r: EpochRecord) -> EpochRecord:
        return replace(r, period=1, period_first_epoch=r.epoch)

    def switched_later(r: EpochRecord) -> EpochRecord:
        return replace(switched(r), time_ms=r.time_ms + honest.configuration.period_length_ms)

    honest = honest_directory()
    record_lie("switch_that_keeps_the_vrf_keys", "record_vrf_key", switched_later, record=before, period_record=first)
    record_lie("switch_of_unknown_start", "record_period", switched_later, record=before)
    record_lie("switch_too_early", "record_period", switched, record=first)
    record_lie("switch_now_first_contact", "leaf_epoch_period", lambda r: replace(r, period=1, period_first_epoch=r.epoch - 2))
    record_lie("count_0", "record_count", keys_state(count=0))
    record_lie("empty_root", "record_count", keys_state(root=tree.EMPTY))
    record_lie("previous", "record_previous", lambda r: replace(r, previous=bytes(32)), record=before)
    record_lie("time_stands", "record_time", lambda r: replace(r, time_ms=r.time_ms - STEP_MS), record=before)
    record_lie("count_decreases", "record_count", keys_state(count=8), record=before)
    record_lie("other_epoch_at_this_index", "inclusion_proof", lambda r: replace(r, epoch=r.epoch - 1))
    record_lie("other_root", "member_root", keys_state(root=bytes(32)))

    def leaf_lie(kind: str, reason: str, leaves: list[tuple[int, int, int]], known: pahd.Known | None = None) -> None:
        """Adds a row of a lookup in a directory of 9 epochs. `leaves` has (version, epoch written in the leaf, epoch that inserts it)."""
        d = Directory(seed=54)
        stored = {version: Stored(written, d.rng.randbytes(16), b"forged %d" % version) for version, written, _ in leaves}
        d.versions[key] = [stored.get(i + 1, Stored(0, b"", b"")) for i in range(max(stored))]
        for epoch in range(1, 10):
            # In the rows below, no ladder contains a version without a leaf.
            added = [d.leaf(key, version, stored[version]) for version, _, inserted in leaves if inserted == epoch]
            d.publish({b"other": b"x"} if epoch == 1 else {}, others={facts.KEYS: added})
        v = Verifier(d.anchor, d.now_ms, known={key: known} if known else {})
        answer = LookupAnswer(d.head(d.epoch), [d.lookup_item(d.epoch, key, known.version if known else 0)])
        rows.answer("lookup", f"signed_{kind}", v, [key], answer.encode(), reason)

    leaf_lie("versions_one_an_epoch", "valid", [(1, 1, 1), (2, 2, 2), (3, 3, 3)])
    leaf_lie("leaf_from_the_future", "leaf_epoch_future", [(1, 10, 9)])
    leaf_lie("leaf_of_epoch_0", "leaf_epoch_period", [(1, 0, 1)])
    leaf_lie("second_version_of_epoch_0", "leaf_epoch_period", [(1, 1, 1), (2, 0, 2)])
    leaf_lie("two_versions_in_one_epoch", "leaf_epoch_order", [(1, 4, 4), (2, 4, 4)])
    leaf_lie("versions_backwards", "leaf_epoch_order", [(1, 5, 5), (2, 4, 4)])
    leaf_lie("rungs_too_close", "leaf_epoch_order", [(1, 1, 1), (2, 4, 4), (4, 5, 5)])
    leaf_lie("rungs_as_close_as_allowed", "valid", [(1, 1, 1), (2, 4, 4), (4, 6, 6)])
    leaf_lie("more_versions_than_epochs", "version_range", [(1, 1, 1), (2, 2, 2), (4, 4, 4), (8, 8, 8), (10, 9, 9)])
    leaf_lie("behind_the_known_absence", "leaf_epoch_order", [(1, 1, 1), (2, 2, 2), (4, 4, 4)], known=pahd.Known(0, 2, 3))
    leaf_lie("after_the_known_absence", "valid", [(1, 1, 1), (2, 2, 2), (3, 4, 4)], known=pahd.Known(0, 2, 3))

    _jump_rows(rows)
    small = honest_directory(max_value_len=8)
    v = Verifier(small.anchor, small.now_ms)
    rows.answer("lookup", "signed_value_too_long", v, [NAMES[1]], small.lookup([NAMES[1]]).encode(), "value_too_long")
    rows.answer("lookup", "signed_value_of_8_octets", v, [b"alice"], small.lookup([b"alice"]).encode(), "valid")
    _torsion_rows(rows)


def _jump_rows(rows: Rows) -> None:
    """Adds rows of a server that inserts version 4 without version 3. The server would show version 2 to one client and version 4 to
    another under one record."""
    d, key = Directory(seed=60), b"victim"
    d.versions[key] = [Stored(i, d.rng.randbytes(16), b"version %d" % i) for i in (1, 2, 3, 4)]
    for epoch in (1, 2, 3, 4):
        d.publish({}, others={facts.KEYS: [d.leaf(key, epoch, d.versions[key][epoch - 1])] if epoch != 3 else []})
    v, e = Verifier(d.anchor, d.now_ms), d.epoch
    absent = {i: d.absent(e, key, i) for i in (3, 5, 6, 8)}
    rungs = {i: d.member(e, key, i, False) for i in (1, 2, 4)}
    fourth = d.member(e, key, 4, True)
    label, vrf_proof = d.prove(d.vrf_keys[facts.KEYS - 1], key, 4)
    own_leaf = NonMember(vrf_proof, LeafNode(tree.to_octets(label), rungs[4].commitment, 4), rungs[4].path)
    as_four = Lookup(4, [rungs[1], rungs[2], fourth], [absent[i] for i in (5, 6, 8)])
    as_two = Lookup(2, [rungs[1], d.member(e, key, 2, True)], [absent[3], own_leaf])
    for kind, item, reason in (
        ("as_4", as_four, "valid"),
        ("as_2", as_two, "absent_covers"),
        ("as_2_by_the_next_alone", replace(as_two, absent=[absent[3]]), "ladder_count"),
        ("as_2_by_the_next_twice", replace(as_two, absent=[absent[3]] * 2), "vrf_challenge"),
        ("as_2_by_other_absences", replace(as_two, absent=[absent[3], absent[5]]), "vrf_challenge"),
    ):
        answer = LookupAnswer(d.head(e), [item]).encode()
        rows.answer("lookup", f"signed_jump_shown_{kind}", v, [key], answer, reason)


def _torsion_rows(rows: Rows) -> None:
    """Adds rows of a server that adds a point of order 2 to Gamma. The label stays the same, so the server would gain nothing if the answer
    were valid."""
    d = honest_directory()
    v, key = Verifier(d.anchor, d.now_ms), NAMES[1]
    answer = d.lookup([key])
    vrf, alpha = d.vrf_keys[facts.KEYS - 1], pahd.vrf_input(facts.KEYS, key, 1)
    h = ecvrf.encode_to_curve(vrf.public.encoded, alpha)
    shifted = fourq.point_add(fourq.scalar_mul(vrf.x, h), fourq.string_to_point(fourq.encode_element((fourq.P - 1, 0))))
    seen: set[bool] = set()
    for k in range(1, 100):
        proof = ecvrf.prove_with(vrf, h, shifted, k)
        even = proof[32] % 2 == 0
        if even not in seen:
            seen.add(even)
            item = answer.items[0]
            changed = replace(item, members=[replace(item.members[0], vrf_proof=proof)])
            kind = f"signed_gamma_plus_order_2_{'even' if even else 'odd'}_challenge"
            encoded = replace(answer, items=[changed]).encode()
            rows.answer("lookup", kind, v, [key], encoded, "valid" if even else "vrf_challenge")
    assert len(seen) == 2


def period_rows(rows: Rows) -> None:
    d = Directory(seed=55, period_length_ms=5 * STEP_MS)
    d.publish({b"alice": b"1", b"bob": b"b"})
    d.publish({b"alice": b"2"})
    d.switch_period(d.records[0].time_ms + 5 * STEP_MS)
    d.publish({b"alice": b"3"})
    d.publish({b"carol": b"c"})
    v = Verifier(d.anchor, d.now_ms)
    keys = [b"alice", b"bob", b"carol", b"nobody"]
    answer = d.lookup(keys).encode()
    rows.answer("lookup", "second_period", v, keys, answer, "valid")
    first = d.records[0]
    for kind, kept, start, reason in (
        ("kept_first_record", first, None, "valid"),
        ("kept_record", d.records[2], first, "valid"),
        ("kept_record_alone", d.records[2], None, "record_period"),
        ("kept_later_record", d.records[5], None, "valid"),
        ("kept_later_record_and_its_start", d.records[5], d.records[3], "valid"),
        ("kept_later_record_and_an_earlier_start", d.records[5], first, "record_period"),
    ):
        brought = replace(v, record=kept, period_record=start)
        rows.answer("lookup", f"second_period_{kind}", brought, keys, answer, reason)
    older = d.lookup([b"alice"], epoch=2).encode()
    after = replace(v, record=d.records[4], period_record=d.records[3])
    rows.answer("lookup", "first_period_kept_later_record", after, [b"alice"], older, "record_period")
    known = {b"alice": pahd.Known(0, 2, 2), b"carol": pahd.Known(1, 0, 4)}
    rows.answer("lookup", "second_period_known_of_the_first", replace(v, known=known), keys, answer, "valid")
    absent = {b"bob": pahd.Known(1, 0, 3)}
    rows.answer("lookup", "copy_after_its_absence", replace(v, known=absent), keys, answer, "leaf_epoch_order")
    history = d.versions_answer(keys).encode()
    rows.answer("history", "second_period", v, keys, history, "valid")
    same_key = replace(d.records[2].with_structure(facts.KEYS, vrf_public_key=d.vrf_keys[2].public.encoded))
    other_start = first.with_structure(facts.KEYS, vrf_public_key=d.vrf_keys[2].public.encoded)
    same = replace(v, record=same_key, period_record=other_start)
    rows.answer("lookup", "same_vrf_key_after_a_switch", same, keys, answer, "record_vrf_key")
    rows.audit("before_a_switch", v, first, first, d.audit(0, 2).encode(), "valid")
    rows.audit("a_switch", v, d.records[2], first, d.audit(2, 3).encode(), "valid")
    rows.audit("after_a_switch", v, d.records[3], d.records[3], d.audit(3, 5).encode(), "valid")
    rows.audit("in_the_second_period", v, d.records[4], d.records[3], d.audit(4, 5).encode(), "valid")
    rows.audit("across_a_switch", v, d.records[1], first, d.audit(1, 3).encode(), "audit_crosses_switch")
    for kind, start, reason in (
        ("of_another_epoch", d.records[1], "record_period"),
        ("that_is_the_stored_one", d.records[2], "record_period"),
        ("of_the_next_period", d.records[3], "record_period"),
        ("not_before_the_stored_one", replace(first, time_ms=d.records[2].time_ms), "record_time"),
        ("of_another_log", replace(first, log_id=bytes(32)), "record_log_id"),
        ("of_another_format", replace(first, format=2), "record_format"),
        ("of_another_vrf_key", other_start, "record_vrf_key"),
    ):
        rows.audit(f"period_record_{kind}", v, d.records[2], start, d.audit(2, 3).encode(), reason)
    forged = replace(first, time_ms=first.time_ms + 1)
    rows.audit("period_record_unlike_the_stored_one", v, first, forged, d.audit(0, 1).encode(), "fork")
    _early_switches(rows)
    listed = d.audit(2, 3)
    structures = list(listed.structures)
    copies = [replace(leaf, epoch=3) for leaf in d.added[3][facts.KEYS - 1]]
    structures[facts.KEYS - 1] = proofs.make_append(None, 2, copies)
    encoded = replace(listed, structures=structures).encode()
    rows.audit("switch_with_listed_copies", v, d.records[2], first, encoded, "audit_crosses_switch")


def _early_switches(rows: Rows) -> None:
    """Adds rows about two switches, the second of which may be one millisecond too early. The auditor knows the time of the first
    switch."""
    for early, reason in ((0, "valid"), (1, "record_period")):
        d = Directory(seed=57, period_length_ms=5 * STEP_MS)
        d.publish({b"alice": b"1"})
        first = d.switch_period(d.records[0].time_ms + 7 * STEP_MS)
        before = d.publish({b"alice": b"2"})
        d.switch_period(first.time_ms + 5 * STEP_MS - early)
        v = Verifier(d.anchor, d.now_ms)
        kind = "second_switch_too_early" if early else "second_switch"
        rows.audit(kind, v, before, first, d.audit(3, 4).encode(), reason)
        # The time since epoch 0 would be long enough, but epoch 0 is not in the period that ends here.
        rows.audit(f"{kind}_and_epoch_0", v, before, d.records[0], d.audit(3, 4).encode(), "record_period")
        # A client that kept a record from before the first switch can check only the total length of two periods.
        for kept, start in ((d.records[1], d.records[0]), (d.records[0], None)):
            brought = replace(v, record=kept, period_record=start)
            answer = d.lookup([b"alice"]).encode()
            rows.answer("lookup", f"{kind}_kept_record_before_both", brought, [b"alice"], answer, "valid")
    d = Directory(seed=58, period_length_ms=5 * STEP_MS)
    d.publish({b"alice": b"1"})
    d.switch_period(d.records[0].time_ms + 5 * STEP_MS)
    d.switch_period(d.records[0].time_ms + 10 * STEP_MS - 1)
    v = Verifier(d.anchor, d.now_ms, record=d.records[1], period_record=d.records[0])
    answer = d.lookup([b"alice"]).encode()
    rows.answer("lookup", "two_switches_in_less_than_two_periods", v, [b"alice"], answer, "record_period")


def versions_rows(rows: Rows) -> None:
    d = honest_directory()
    v = Verifier(d.anchor, d.now_ms)
    for key in (b"alice", NAMES[3], b"nobody"):
        # A history answer and a monitoring answer have the same octets and get the same verdict.
        for form in ("history", "monitor"):
            rows.answer(form, "honest", v, [key], d.versions_answer([key]).encode(), "valid")
    for key in (b"alice", NAMES[3]):
        for kind, encoded, reason in mutations.versions_changes(d.versions_answer([key])):
            rows.answer("history", kind, v, [key], encoded, reason)
    two = d.versions_answer([NAMES[3]])
    for kind, absent in (("next_version_only", two.items[0].absent[:1]), ("later_rung_only", two.items[0].absent[1:])):
        encoded = replace(two, items=[replace(two.items[0], absent=absent)]).encode()
        rows.answer("history", f"absence_of_the_{kind}", v, [NAMES[3]], encoded, "ladder_count")
    known: pahd.Known | None = None
    for start in (1, 4, 7):
        page = VersionsAnswer(d.head(d.epoch), [d.versions_item(d.epoch, b"alice", start, page=3)]).encode()
        with_known = replace(v, known={b"alice": known} if known else {})
        rows.answer("history", "page", with_known, [b"alice"], page, "valid")
        if known:
            close = replace(known, page_time=known.page_time + 1)
            rows.answer("history", "page_too_close", replace(v, known={b"alice": close}), [b"alice"], page, "leaf_epoch_order")
            rows.answer("history", "page_not_asked_for", v, [b"alice"], page, "history_from")
        known = with_known.verify_versions(page, [b"alice"])[0].known
    since = VersionsAnswer(d.head(d.epoch), [d.versions_item(d.epoch, b"alice", 6)]).encode()
    for absent_at, reason in ((6, "valid"), (7, "leaf_epoch_order")):
        kept = {b"alice": pahd.Known(0, 5, absent_at)}
        kind = f"since_version_5_absent_at_{absent_at}"
        rows.answer("history", kind, replace(v, known=kept), [b"alice"], since, reason)
    answer = d.versions_answer([b"alice"])
    members = answer.items[0].members
    erased = [_erased(member) for member in members]
    for kind, shown, reason in (
        ("erased_superseded", erased[:-1] + members[-1:], "valid"),
        ("erased_latest", erased, "member_kind"),
    ):
        changed = replace(answer, items=[replace(answer.items[0], members=shown)]).encode()
        rows.answer("history", kind, v, [b"alice"], changed, reason)


def shrinking_rows(rows: Rows) -> None:
    """Adds rows of pages that claim different latest versions. If a later page claims an earlier latest version, the value of the last
    shown version is never opened. In other rows, the latest version grows from page to page."""
    d = Directory(seed=59)
    for i in range(1, 5):
        d.publish({b"alice": b"alice %d" % i} | ({b"bob": b"bob %d" % i} if i <= 2 else {}))
    v, e = Verifier(d.anchor, d.now_ms), d.epoch

    def page(kind: str, key: bytes, item: Versions, known: pahd.Known | None, reason: str) -> pahd.Known | None:
        encoded = VersionsAnswer(d.head(e), [item]).encode()
        results = rows.answer("history", kind, replace(v, known={key: known} if known else {}), [key], encoded, reason)
        return results[0].known if results else None

    whole = d.versions_item(e, b"bob", 1)
    hidden = [_erased(member) for member in whole.members]
    claimed = page("page_of_4_claimed", b"bob", Versions(4, 1, hidden, []), None, "valid")
    ending = replace(whole, start=3, members=[])
    page("ends_below_the_page_before", b"bob", ending, claimed, "version_regressed")
    page("ends_where_it_was_known", b"bob", ending, pahd.Known(0, 2, e), "valid")
    page("ends_at_once_with_an_erased_one", b"bob", replace(whole, members=hidden), None, "member_kind")
    first = page("first_of_two_pages", b"alice", d.versions_item(e, b"alice", 1, page=2), None, "valid")
    second = d.versions_item(e, b"alice", 3)
    page("second_of_two_pages", b"alice", second, first, "valid")
    page("second_of_two_pages_shrunk", b"alice", replace(second, version=3, members=second.members[:1], absent=second.absent[:1]),
         first, "version_regressed")
    page("page_shrunk_but_not_ended", b"alice", Versions(4, 3, second.members[:1], []), replace(first, page_version=5),
         "version_regressed")
    page("second_page_has_grown", b"alice", second, replace(first, page_version=3), "valid")
    page("second_page_erased", b"alice", replace(second, members=[_erased(m) for m in second.members]), first, "member_kind")


def _erased(member: Member) -> Member:
    return replace(member, value=None, opening=None, commitment=tree.commitment_of(member.opening, member.value))


def audit_rows(rows: Rows) -> None:
    d = honest_directory()
    v = Verifier(d.anchor, d.now_ms)
    for a, b in ((0, 1), (0, 9), (1, 2), (3, 8), (8, 9)):
        rows.audit("honest", v, d.records[a], d.records[0], d.audit(a, b).encode(), "valid")
    rows.audit("of_another_start", v, d.records[2], d.records[0], d.audit(1, 3).encode(), "audit_start")
    for kind, encoded, reason in mutations_audit.audit_changes(d.audit(2, 7)):
        rows.audit(kind, v, d.records[2], d.records[0], encoded, reason)
    # A fake leaf is published at one epoch and removed at the next epoch. The records are signed, and the first and last states are honest.
    d = honest_directory()
    fake = Leaf(random.Random(56).getrandbits(256), bytes(32), d.epoch + 1)
    before, count = d.trees[facts.KEYS - 1], d.counts[facts.KEYS - 1]
    d.publish({}, others={facts.KEYS: [fake]})
    d.trees[facts.KEYS - 1], d.counts[facts.KEYS - 1] = before, count
    d.publish({})
    e = d.epoch
    structures = [proofs.make_append(root, e - 2, []) for root in d.trees_at[e - 2]]
    records = [r.encode() for r in d.records[e - 2 :]]
    v, start = replace(v, now_ms=d.now_ms), d.records[e - 2]
    rows.audit("signed_fake_taken_back", v, start, d.records[0], AuditProof(records, structures).encode(), "record_count")
    d.records[-1] = d.records[-1].with_structure(facts.KEYS, count=count + 1)
    records[-1] = d.records[-1].encode()
    structures[facts.KEYS - 1] = proofs.make_append(before, e - 2, [fake])
    encoded = AuditProof(records, structures).encode()
    rows.audit("signed_fake_listed_and_taken_back", v, start, d.records[0], encoded, "append_new_root")


def files() -> dict[str, dict]:
    content = {}
    for name, makers in (
        ("lookup", (lookup_rows, signed_lie_rows)),
        ("versions", (versions_rows, shrinking_rows)),
        ("periods_and_audit", (period_rows, audit_rows)),
    ):
        rows = Rows()
        for make in makers:
            make(rows)
        content[f"lookup/{name}.json"] = rows.content()
    return content
