"""Makes the vectors in tests/vectors/periods/: bounds of periods, answers about ended periods, and hand-overs, with the verifier's state
and the verdict."""

from collections.abc import Callable
from dataclasses import replace

import board
import facts
import mutations
import pahd
from board import Checkpoint
from codec import VersionsAnswer
from codec_periods import PeriodsAnswer
from codec_users import PartRecord
from directory import STEP_MS, Directory, Stored
from handover import EndState
from record import EpochRecord
from rows import Rows
from vectors_user_handover import user_handover_rows
from verify import Verifier

LENGTH_MS = 5 * STEP_MS
# Alice changes her key in every period, and Bob sets his key only once. Carol's key is new in the second period, and Dave's key in the
# third. NOBODY never has a key.
ALICE, BOB, CAROL, DAVE, NOBODY = KEYS = b"alice", b"bob", b"carol", b"dave", b"nobody"


def first_period(d: Directory) -> Directory:
    """Makes epochs 0 to 3 of period 0."""
    d.publish({ALICE: b"alice 1", BOB: b"bob 1"})
    d.publish({ALICE: b"alice 2"})
    d.publish({ALICE: b"alice 3"})
    return d


def honest_directory(seed: int = 91) -> Directory:
    """Makes period 0 (epochs 0 to 3), period 1 (epochs 4 to 6) and period 2 (epochs 7 and 8)."""
    d = first_period(Directory(seed=seed, period_length_ms=LENGTH_MS))
    switch(d)
    d.publish({CAROL: b"carol 1"})
    d.publish({ALICE: b"alice 4", CAROL: b"carol 2"})
    switch(d)
    d.publish({DAVE: b"dave 1", ALICE: b"alice 5"})
    return d


def switch(d: Directory, early_ms: int = 0) -> EpochRecord:
    return d.switch_period(d.records[d.period_first_epoch].time_ms + LENGTH_MS - early_ms)


def bounds_of(d: Directory, period: int, until: int) -> list[int]:
    """Returns the epochs of the bounds for an answer of epoch `until`."""
    current = d.records[until].period
    epochs = {r.period_first_epoch for r in d.records[: until + 1] if r.period >= period}
    return sorted(epochs | {d.last_epoch(one) for one in range(period, current)})


def periods_answer(d: Directory, epochs: list[int], epoch: int | None = None, **head) -> PeriodsAnswer:
    size = head.get("size") or len(d.records)
    hashes = d.entries(size)
    parts = [PartRecord(d.records[e].encode(), board.make_inclusion(hashes, e)) for e in epochs]
    return PeriodsAnswer(d.head(d.epoch if epoch is None else epoch, **head), parts)


def bounds_rows(rows: Rows) -> None:
    d = honest_directory()
    v, e = Verifier(d.anchor, d.now_ms), d.epoch

    def row(kind: str, period: int, answer: PeriodsAnswer, reason: str, **kept) -> None:
        rows.periods(kind, replace(v, **kept), period, answer.encode(), reason)

    for period in range(3):
        row("honest", period, periods_answer(d, bounds_of(d, period, e)), "valid")
    row("honest_in_the_first_period", 0, periods_answer(d, [0], epoch=3), "valid")
    row("honest_in_the_first_epoch", 0, periods_answer(d, [0], epoch=0), "valid")
    row("honest_at_a_switch", 0, periods_answer(d, [0, 3, 4], epoch=4), "valid")
    whole = periods_answer(d, [0, 3, 4, 6, 7])
    for kind, period, epochs in (
        ("no_bounds", 0, []),
        ("another_period_than_asked", 1, [0, 3, 4, 6, 7]),
        ("earlier_period_left_out", 0, [4, 6, 7]),
        ("first_epoch_left_out", 0, [3, 4, 6, 7]),
        ("last_epoch_left_out", 0, [0, 4, 6, 7]),
        ("an_earlier_epoch_as_the_last", 0, [0, 2, 4, 6, 7]),
        ("period_left_out", 0, [0, 3, 7]),
        ("first_epoch_of_a_period_left_out", 0, [0, 3, 6, 7]),
        ("a_later_epoch_as_the_first", 0, [0, 3, 5, 6, 7]),
        ("current_period_left_out", 0, [0, 3, 4, 6]),
        ("more_than_the_current_period", 0, [0, 3, 4, 6, 7, 8]),
        ("two_epochs_before_the_last", 0, [0, 2, 3, 4, 6, 7]),
        ("a_bound_twice", 0, [0, 0, 3, 4, 6, 7]),
        ("another_bound_twice", 0, [0, 3, 3, 4, 6, 7]),
        ("reversed", 0, [7, 6, 4, 3, 0]),
    ):
        row(kind, period, periods_answer(d, epochs), "period_bounds")
    row("switch_not_told", 0, periods_answer(d, [0, 3, 4, 6, 7], epoch=5), "period_bounds")
    encoded = whole.encode()
    for kind, changed, reason in mutations.whole_changes(encoded):
        rows.periods(kind, v, 0, changed, reason)
    at = len(whole.head.encode())
    short = (int.from_bytes(encoded[at : at + 3], "big") - 1).to_bytes(3, "big")
    rows.periods("bounds_too_short", v, 0, encoded[:at] + short + encoded[at + 3 :], "malformed_truncated")
    rows.periods("bounds_cut", v, 0, encoded[:-40], "malformed_truncated")

    def with_bound(i: int, change: Callable[[EpochRecord], EpochRecord]) -> PeriodsAnswer:
        bounds = list(whole.bounds)
        bounds[i] = replace(bounds[i], record=change(EpochRecord.parse(bounds[i].record)).encode())
        return replace(whole, bounds=bounds)

    for kind, change, reason in (
        ("format", lambda r: replace(r, format=2), "record_format"),
        ("log_id", lambda r: replace(r, log_id=bytes(32)), "record_log_id"),
        ("epoch_beyond", lambda r: replace(r, epoch=len(d.records)), "inclusion_index"),
        ("time", lambda r: replace(r, time_ms=r.time_ms + 1), "inclusion_proof"),
        ("period", lambda r: replace(r, period=r.period + 1), "inclusion_proof"),
    ):
        row(f"bound_of_another_{kind}", 0, with_bound(2, change), reason)
    moved = replace(whole, bounds=[replace(whole.bounds[0], inclusion=whole.bounds[1].inclusion), *whole.bounds[1:]])
    row("inclusion_of_another_bound", 0, moved, "inclusion_proof")
    no_head_proof = replace(whole, head=replace(whole.head, inclusion=[]))
    row("head_not_included", 0, no_head_proof, "inclusion_proof")
    limits = d.configuration
    row("too_old", 0, whole, "record_too_old", now_ms=d.now_ms + limits.max_behind_ms + 1)
    row("from_the_future", 0, whole, "record_from_future", now_ms=d.now_ms - limits.max_ahead_ms - 1)
    _kept_rows(d, whole, row)
    _lying_rows(rows)


def _kept_rows(d: Directory, whole: PeriodsAnswer, row: Callable) -> None:
    for epoch in range(d.epoch + 1):
        row(f"kept_record_{epoch}", 0, whole, "valid", record=d.records[epoch])
    # The replica is behind the client: the client's kept record is of a later epoch, or of a later period.
    for epoch in (2, 4, 5, 6):
        behind = periods_answer(d, bounds_of(d, 0, epoch) if epoch > 3 else [0], epoch=epoch)
        row("kept_later_record", 0, behind, "valid", record=d.records[8])
    later = periods_answer(d, bounds_of(d, 1, d.epoch))
    row("kept_record_of_a_period_before", 1, later, "record_period", record=d.records[2])
    row("kept_record_of_a_first_epoch_before", 1, later, "valid", record=d.records[0])
    def changed(kind: str, epoch: int, reason: str, change: Callable[[EpochRecord], EpochRecord]) -> None:
        row(f"kept_record_{epoch}_of_another_{kind}", 0, whole, reason, record=change(d.records[epoch]))

    changed("time", 1, "valid", lambda r: replace(r, time_ms=r.time_ms + 1))
    changed("count", 1, "record_count", lambda r: r.with_structure(facts.KEYS, count=99))
    changed("vrf_key", 1, "record_vrf_key", lambda r: r.with_structure(facts.KEYS, vrf_public_key=bytes(32)))
    changed("time", 2, "record_previous", lambda r: replace(r, time_ms=r.time_ms + 1))
    for epoch in (3, 4, 8):
        changed("time", epoch, "fork", lambda r: replace(r, time_ms=r.time_ms + 1))
    changed("period", 5, "record_vrf_key", lambda r: replace(r, period=0, period_first_epoch=0))
    size = len(d.records)
    kept = Checkpoint(4, board.root_of(d.entries(4)))
    consistent = periods_answer(d, [0, 3, 4, 6, 7], kept_size=4)
    row("kept_checkpoint", 0, consistent, "valid", checkpoint=kept)
    row("kept_checkpoint_of_another_root", 0, consistent, "checkpoint_consistency", checkpoint=replace(kept, root=bytes(32)))
    row("smaller_than_the_kept_checkpoint", 0, whole, "stale", checkpoint=Checkpoint(size + 1, bytes(32)))


def _lying_rows(rows: Rows) -> None:
    """Adds rows of lies that the log's operator signs."""

    def row(kind: str, d: Directory, epochs: list[int], reason: str) -> None:
        v = Verifier(d.anchor, d.now_ms)
        rows.periods(f"signed_{kind}", v, 0, periods_answer(d, epochs).encode(), reason)

    for kind, early_ms, reason in (("switch_in_time", 0, "valid"), ("switch_too_early", 1, "record_period")):
        d = first_period(Directory(seed=92, period_length_ms=LENGTH_MS))
        switch(d, early_ms)
        row(kind, d, [0, 3, 4], reason)
        d.publish({})
        row(f"{kind}_and_then_an_epoch", d, [0, 3, 4], reason)
    d = Directory(seed=93, period_length_ms=LENGTH_MS)
    for _ in range(3):
        switch(d)
    row("periods_of_one_epoch", d, [0, 1, 2, 3], "valid")
    d.records[2] = replace(d.records[2], previous=bytes(32))
    row("previous", d, [0, 1, 2, 3], "record_previous")
    d = Directory(seed=96, period_length_ms=LENGTH_MS)
    for _ in range(facts.MAX_PERIOD_BOUNDS - 1):
        switch(d)
    row("as_many_periods_as_allowed", d, list(range(facts.MAX_PERIOD_BOUNDS)), "valid")
    switch(d)
    row("one_period_more", d, list(range(facts.MAX_PERIOD_BOUNDS + 1)), "period_bounds")

    def changed_last(kind: str, reason: str, change: Callable[[Directory, EpochRecord], EpochRecord]) -> None:
        d = first_period(Directory(seed=94, period_length_ms=LENGTH_MS))
        switch(d)
        d.records[-1] = change(d, d.records[-1])
        row(kind, d, [0, 3, 4], reason)

    changed_last("control", "valid", lambda d, r: r)
    before = facts.USERNAMES, facts.KEYS
    changed_last("switch_that_keeps_a_vrf_key", "record_vrf_key", lambda d, r: r.with_structure(
        facts.DEVICES, vrf_public_key=d.records[0].structure(facts.DEVICES).vrf_public_key))
    changed_last("switch_that_changes_another_vrf_key", "record_vrf_key", lambda d, r: r.with_structure(
        before[0], vrf_public_key=d.records[0].structure(before[1]).vrf_public_key))
    changed_last("switch_of_two_periods", "period_bounds", lambda d, r: replace(r, period=2))


def handover_rows(rows: Rows) -> None:
    d = honest_directory()
    v = Verifier(d.anchor, d.now_ms)

    def answer(keys: list[bytes], epoch: int | None = None, start: int = 1, page: int | None = None) -> bytes:
        at = d.epoch if epoch is None else epoch
        return VersionsAnswer(d.head(at), [d.versions_item(at, key, start, page) for key in keys]).encode()

    def row(kind: str, keys: list[bytes], encoded: bytes, reason: str, form: str = "monitor", **kept) -> None:
        rows.answer(form, kind, replace(v, **kept), keys, encoded, reason)

    # In answers about ended periods, an old record is not an error, but any record other than the requested record is.
    late = v.now_ms + d.configuration.max_behind_ms + 1
    for period in (0, 1):
        last = d.last_epoch(period)
        for form in ("history", "monitor"):
            row(f"ended_period_{period}", list(KEYS), answer(list(KEYS), last), "valid", form, ended_record=d.records[last])
        row(f"ended_period_{period}_long_ago", [ALICE], answer([ALICE], last), "valid", ended_record=d.records[last], now_ms=late)
        row(f"ended_period_{period}_at_an_earlier_epoch", [ALICE], answer([ALICE], last - 1), "record_epoch", ended_record=d.records[last])
        row(f"ended_period_{period}_at_a_later_epoch", [ALICE], answer([ALICE], last + 1), "record_epoch", ended_record=d.records[last])
        row(f"ended_period_{period}_kept_later_record", [ALICE], answer([ALICE], last), "valid", ended_record=d.records[last],
            record=d.records[8])
    row("ended_period_not_told", [ALICE], answer([ALICE], 3), "record_too_old", now_ms=late)
    other = replace(d.records[3], time_ms=d.records[3].time_ms + 1)
    row("ended_period_of_another_record", [ALICE], answer([ALICE], 3), "record_epoch", ended_record=other)
    since = {ALICE: pahd.Known(0, 2, 2)}
    row("ended_period_since_version_2", [ALICE], answer([ALICE], 3, 3), "valid", ended_record=d.records[3], known=since)
    row("ended_period_since_another_period", [ALICE], answer([ALICE], 6, 3), "history_from", ended_record=d.records[6], known=since)
    row("ended_period_before_the_least_epoch", [ALICE], answer([ALICE], 3), "stale", ended_record=d.records[3], least_epoch={ALICE: 4})

    # Hand-overs.
    ends = [{key: d.end_state(key, period) for key in KEYS} for period in (0, 1)]
    row("handover", list(KEYS), answer(list(KEYS)), "valid", ends=ends[1])
    row("handover_of_an_ended_period", list(KEYS), answer(list(KEYS), 6), "valid", ends=ends[0], ended_record=d.records[6])
    row("handover_of_some", [ALICE, DAVE], answer([ALICE, DAVE]), "valid", ends={ALICE: ends[1][ALICE]})
    for kind, key, change, reason in (
        ("of_another_period", ALICE, {"period": 0}, "handover_period"),
        ("of_a_later_period", ALICE, {"period": 2}, "handover_period"),
        ("of_an_earlier_epoch", ALICE, {"last_epoch": 5}, "handover_period"),
        ("of_a_later_epoch", ALICE, {"last_epoch": 7}, "handover_period"),
        ("of_another_period_without_a_version", NOBODY, {"period": 0}, "handover_period"),
        ("of_another_value", ALICE, {"value": b"alice 3"}, "handover_value"),
        ("of_a_longer_value", ALICE, {"value": b"alice 4\0"}, "handover_value"),
        ("of_an_empty_value", ALICE, {"value": b""}, "handover_value"),
        ("of_nothing", BOB, {"version": 0, "value": None}, "handover_unset"),
        ("of_a_key_that_is_new", DAVE, {"version": 1, "value": b"dave 1"}, "handover_missing"),
        ("of_a_key_that_is_none", NOBODY, {"version": 1, "value": b"x"}, "handover_missing"),
        ("of_another_version", ALICE, {"version": 9}, "valid"),
    ):
        changed = {key: replace(ends[1][key], **change)}
        row(f"handover_{kind}", [key], answer([key]), reason, ends=changed)
    row("handover_in_a_first_page", [ALICE], answer([ALICE], page=1), "valid", ends=ends[1])
    forged = {ALICE: replace(ends[1][ALICE], value=b"x")}
    row("handover_of_another_value_in_a_first_page", [ALICE], answer([ALICE], page=1), "handover_value", ends=forged)
    page = {ALICE: pahd.Known(2, 1, None, 7, 2)}
    row("handover_in_a_second_page", [ALICE], answer([ALICE], start=2), "valid", ends=forged, known=page)
    erased = answer_with_erased_copy(d)
    row("erased_copy", [ALICE], erased, "valid")
    row("handover_of_an_erased_copy", [ALICE], erased, "handover_value", ends=ends[1])
    broken = replace(d.versions_answer([ALICE]), items=[replace(d.versions_item(d.epoch, ALICE, 1), absent=[])])
    row("handover_after_the_proofs", [ALICE], broken.encode(), "ladder_count", ends=forged)
    two = d.versions_answer([ALICE, BOB])
    cut = replace(two, items=[two.items[0], replace(two.items[1], absent=[])])
    row("handover_after_the_proofs_of_all", [ALICE, BOB], cut.encode(), "ladder_count", ends=forged)
    row("handover_of_one_of_two", [ALICE, BOB], two.encode(), "handover_value", ends=forged)
    _lying_handover_rows(rows)


def answer_with_erased_copy(d: Directory) -> bytes:
    item = d.versions_item(d.epoch, ALICE, 1)
    members = [d.member(d.epoch, ALICE, 1, False), *item.members[1:]]
    return VersionsAnswer(d.head(d.epoch), [replace(item, members=members)]).encode()


class ForgingDirectory(Directory):
    """A directory that does not copy the keys of `left_out` at the switch."""

    left_out: tuple[bytes, ...] = ()

    def copied(self, structure: int, key: bytes) -> bool:
        return key not in self.left_out


def _lying_handover_rows(rows: Rows) -> None:
    """Adds rows of lies about a switch, which the log's operator signs. The owners' end states are true."""

    def lie(kind: str, key: bytes, reason: str, before: Callable = lambda d: None, after: Callable = lambda d: None,
            end: EndState | None = None) -> None:
        d = ForgingDirectory(seed=95, period_length_ms=LENGTH_MS)
        first_period(d)
        own = end or d.end_state(key, 0)
        before(d)
        switch(d)
        after(d)
        d.publish({})
        v = Verifier(d.anchor, d.now_ms, ends={key: own})
        rows.answer("monitor", f"signed_{kind}", v, [key], d.versions_answer([key]).encode(), reason)

    def forged(value: bytes) -> Stored:
        return Stored(3, bytes(16), value)

    def leave_out(key: bytes) -> Callable[[Directory], None]:
        return lambda d: setattr(d, "left_out", (key,))

    lie("control", ALICE, "valid")
    lie("control_without_a_version", NOBODY, "valid")
    lie("copy_of_another_value", ALICE, "handover_value", lambda d: d.versions[ALICE].append(forged(b"mallory's")))
    lie("copy_of_an_older_value", ALICE, "handover_value", lambda d: d.versions[ALICE].append(forged(b"alice 2")))
    lie("copy_left_out", ALICE, "handover_missing", leave_out(ALICE))
    lie("copy_comes_later", ALICE, "handover_missing", leave_out(ALICE), lambda d: d.publish({ALICE: b"alice 3"}))
    lie("copy_of_what_was_never_set", NOBODY, "handover_unset", lambda d: d.versions.update({NOBODY: [forged(b"soon")]}))
    lie("first_version_after_the_switch", NOBODY, "valid", after=lambda d: d.publish({NOBODY: b"own"}))
    lie("version_between_the_end_shown_and_the_true_one", BOB, "handover_period", end=EndState(0, 2, 1, b"bob 1"))


def files() -> dict[str, dict]:
    content = {}
    for name, maker in (("bounds", bounds_rows), ("handover", handover_rows), ("user_handover", user_handover_rows)):
        rows = Rows()
        maker(rows)
        content[f"periods/{name}.json"] = rows.content()
    return content
