"""Makes answers about an owner's own user, with the owner's state and the verdict: tests/vectors/users/monitor.json and notes.json."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import facts
import mutations
import mutations_monitor
import mutations_users
import notes
import pahd
from codec_users import DeviceList, OwnerNote, UserMonitorAnswer
from directory import STEP_MS
from directory_users import UserDirectory
from rows import Rows, WrongVerdict
from user_monitor import MonitorResult, Own
from users import KeptList
from vectors_users_lies import BOUNDS, NAME, USER, drop_leaf, liar, replace_name, victim
from verify import Verifier

ALICE, AT_WORK = b"alice", b"alice@work"
ID = b"id-alice"


def honest_directory(**configuration) -> UserDirectory:
    """Makes epochs 1 to 9. Alice's list has versions at epochs 1 (a1 and a2), 3 (adds a3), 5 (removes a2), 7 (adds a4) and 9 (removes
    a4)."""
    d = UserDirectory(seed=91, **configuration)
    d.create(ID, [ALICE, AT_WORK], {b"a1": b"a1 1", b"a2": b"a2 1"})
    d.create(b"id-bob", [b"bob"], {b"b1": b"b1 1"})
    d.create(b"id-erin", [b"erin"], {b"e1": b"e1 1"})
    d.create(b"id-carol", [b"carol"], {})
    d.publish_users()
    d.set_device(b"a1", b"a1 2")
    d.publish_users()
    d.add_device(ID, b"a3", None)
    d.publish_users()
    d.set_device(b"a2", b"a2 2")
    d.decommission(b"id-erin")
    d.publish_users()
    d.remove_device(ID, b"a2")
    d.set_device(b"a1", b"a1 3")
    d.publish_users()
    d.set_device(b"b1", b"b1 2")
    d.publish_users()
    d.add_device(ID, b"a4", b"a4 1")
    d.publish_users()
    d.set_device(b"a4", b"a4 2")
    d.publish_users()
    d.remove_device(ID, b"a4")
    d.publish_users()
    return d


@dataclass(frozen=True)
class Maker:
    """Adds rows about one honest directory, and compares the content of valid answers with the truth."""

    rows: Rows
    d: UserDirectory
    v: Verifier

    def row(self, kind: str, own: Own, answer: UserMonitorAnswer, reason: str, **brought) -> MonitorResult | None:
        result = self.rows.monitor(kind, replace(self.v, **brought), own, answer.encode(), reason)
        if result is not None:
            check_true(self.d, own, result)
        return result

    def honest(self, kind: str, own: Own, **answer) -> MonitorResult:
        return self.row(kind, own, self.d.user_monitor(own, **answer), "valid")

    def kept_at(self, own: Own, epoch: int) -> Own:
        """Returns the state that an owner keeps after it looked at this epoch."""
        result = self.d_result(own, epoch)
        return result.brought_next(own, self.d.configuration)

    def d_result(self, own: Own, epoch: int) -> MonitorResult:
        rows = Rows()
        v = Verifier(self.v.anchor, self.d.records[epoch].time_ms)
        answer = self.d.user_monitor(own, epoch, size=epoch + 1)
        return rows.monitor("kept", v, own, answer.encode(), "valid")


def check_true(d: UserDirectory, own: Own, result: MonitorResult) -> None:
    """Checks that every shown version is the true version, and that a complete list shows the latest version."""
    left = d.value_at(result.epoch, facts.DECOMMISSIONED, own.user) is not None
    right = result.has_left == left
    if not left:
        shown = [(facts.DEVICES, own.user, result.devices), *((facts.KEYS, one, found) for one, found in result.keys.items())]
        for structure, key, found in shown:
            mine = d.stored_at[result.epoch][structure - 1].get(key, [])
            right = right and (not found.complete or found.version == len(mine))
            values = ((version, value) for version, value in found.values.items() if value is not None)
            right = right and all(mine[version - 1].value == value for version, value in values)
    if not right:
        raise WrongVerdict(f"{own.user}: not what is true at epoch {result.epoch}")


def honest_rows(m: Maker) -> None:
    for user, name in ((ID, ALICE), (b"id-bob", b"bob"), (b"id-erin", b"erin"), (b"id-carol", b"carol")):
        m.honest("honest", Own(user))
        m.honest("honest_with_its_name", Own(user, [name]))
    m.honest("honest_two_names", Own(ID, [AT_WORK, ALICE]))
    m.honest("honest_one_name_twice", Own(ID, [ALICE, ALICE]))
    for epoch in (1, 3, 7):
        m.honest("honest_earlier_epoch", Own(ID), epoch=epoch)
    m.honest("named_a_device_of_another", Own(ID, keys={b"b1": None}))
    m.honest("named_a_device_that_is_none", Own(ID, keys={b"zz": None, b"a": None}))
    m.honest("named_one_that_is_on_the_list_too", Own(ID, keys={b"a1": None}))
    m.honest("named_with_a_known_version", Own(ID, keys={b"a1": pahd.Known(0, 2, 3)}))
    d, own = m.d, Own(ID)
    d.erased = {(facts.DEVICES, ID, 1), (facts.KEYS, b"a1", 2), (facts.KEYS, b"a4", 1)}
    m.honest("erased_versions", own)
    d.erased = set()


def changed_rows(m: Maker) -> None:
    d, own = m.d, Own(ID, [ALICE])
    answer, left = d.user_monitor(own), d.user_monitor(Own(b"id-erin"))
    short = Own(b"id-carol")
    brief = d.user_monitor(short)
    for group in (mutations.whole_changes(brief.encode()), mutations.record_changes(brief), mutations.head_changes(brief)):
        for kind, encoded, reason in group:
            m.rows.monitor(kind, m.v, short, encoded, reason)
    groups = [
        mutations_monitor.layout_changes(answer),
        mutations_monitor.entry_changes(answer),
        mutations_monitor.list_changes(answer),
        mutations_monitor.key_changes(answer, 0),
    ]
    for group in groups:
        for kind, encoded, reason in group:
            m.rows.monitor(kind, m.v, own, encoded, reason)
    for what, member, reason in mutations.member_changes(left.decommissioned.proof, answer.names[0].proof.vrf_proof):
        changed = replace(left, decommissioned=replace(left.decommissioned, proof=member))
        m.row(f"left_{what}", Own(b"id-erin"), changed, reason)
    bare = replace(left.decommissioned, proof=mutations_users.committed(left.decommissioned.proof))
    m.row("left_committed", Own(b"id-erin"), replace(left, decommissioned=bare), "member_kind")
    with_bob = d.user_monitor(Own(b"id-bob"))
    m.row("left_as_current_of_another", Own(b"id-erin"), with_bob, "vrf_challenge")
    m.row("answer_about_another_user", own, d.user_monitor(Own(b"id-bob", [b"bob"])), "vrf_challenge")
    m.row("name_of_another_user", Own(ID, [b"bob"]), d.user_monitor(Own(ID, [b"bob"])), "user_changed")
    m.row("name_of_nobody", Own(ID, [b"nobody"]), d.user_monitor(Own(ID, [b"nobody"])), "user_changed")
    two = Own(ID, [ALICE, AT_WORK])
    m.row("names_exchanged", two, d.user_monitor(Own(ID, [AT_WORK, ALICE])), "vrf_challenge")
    m.row("names_more_than_asked", Own(ID), answer, "answer_count")
    m.row("no_such_user", Own(b"id-none"), d.user_monitor(Own(b"id-none")), "devices_missing")
    for kind, named, sent, reason in (
        ("named_id_left_out", {b"a2": None, b"zz": None}, {}, "device_count"),
        ("id_that_was_not_named", {}, {b"zz": None}, "device_count"),
        ("another_id_than_was_named", {b"zz": None}, {b"zy": None}, "vrf_challenge"),
    ):
        m.row(kind, Own(ID, keys=named), d.user_monitor(Own(ID, keys=sent)), reason)
    # The answers have only the keys of the latest list, or of every list but the first. So they lack keys of devices that were added and
    # removed.
    ids = [b"a1", b"a2", b"a3", b"a4"]
    for kind, keep in (("of_removed_devices", [b"a1", b"a3"]), ("of_one_that_came_and_went", [b"a1", b"a2", b"a3"])):
        keys = [one for device, one in zip(ids, answer.keys, strict=True) if device in keep]
        m.row(f"keys_{kind}_left_out", own, replace(answer, keys=keys), "device_count")


def kept_rows(m: Maker) -> None:
    d, e = m.d, m.d.epoch
    for user in (ID, b"id-bob", b"id-carol"):
        for epoch in (1, 4, 8, e):
            m.honest(f"kept_of_epoch_{epoch}", m.kept_at(Own(user), epoch))
    kept = m.kept_at(Own(ID), 4)
    answer = d.user_monitor(kept)
    m.row("kept_and_of_the_new_lists_alone", kept, replace(answer, keys=[answer.keys[0], *answer.keys[2:]]), "device_count")
    unnamed = replace(kept, keys={})
    m.honest("kept_list_whose_ids_are_not_named", unnamed)
    m.row("kept_list_forgotten", unnamed, replace(d.user_monitor(unnamed), keys=d.user_monitor(unnamed).keys[:1]), "device_count")
    erased = replace(d.user_monitor(Own(ID)), keys=answer.keys)
    m.row("whole_history_where_part_was_asked", kept, erased, "history_from")
    m.row("part_of_the_history_where_all_was_asked", Own(ID), answer, "history_from")
    m.row("least_epoch_met", replace(kept, least_epoch=e), answer, "valid")
    m.row("below_the_least_epoch", replace(kept, least_epoch=e + 1), answer, "stale")
    m.row("before_what_was_seen", kept, d.user_monitor(replace(kept, devices=None, keys={}), epoch=3), "stale")
    early = replace(kept, least_epoch=0)
    m.row("list_regressed", early, d.user_monitor(early, epoch=2), "version_regressed")
    m.row("known_to_have_left", Own(b"id-erin", has_left=True, least_epoch=5), d.user_monitor(Own(b"id-erin")), "valid")
    m.row("known_to_have_left_and_returned", Own(ID, has_left=True), d.user_monitor(Own(ID)), "user_returned")
    of_key = {**kept.keys, b"a1": pahd.Known(0, 9, 4)}
    m.row("key_regressed", replace(kept, keys=of_key), answer, "history_from")
    for absent_at, reason in ((4, "valid"), (5, "leaf_epoch_order")):
        of_key = {**kept.keys, b"a1": replace(kept.keys[b"a1"], absent_at=absent_at)}
        m.row(f"key_known_absent_at_{absent_at}", replace(kept, keys=of_key), answer, reason)
        of_list = KeptList(replace(kept.devices.known, absent_at=absent_at), kept.devices.devices)
        m.row(f"list_known_absent_at_{absent_at}", replace(kept, devices=of_list), answer, reason)
    other = replace(kept, devices=KeptList(pahd.Known(3, 1, 20), kept.devices.devices), keys={b"a1": pahd.Known(3, 9, 20)})
    m.row("known_of_another_period", other, d.user_monitor(Own(ID)), "valid")


def paged(m: Maker, own: Own, page: int, epochs: Iterator[int]) -> Iterator[tuple[Own, UserMonitorAnswer]]:
    """Yields all answers of a run, each with the owner's state in the question, and adds rows for them."""
    while True:
        epoch = next(epochs)
        answer = m.d.user_monitor(own, epoch, page)
        result = m.row(f"page_of_{page}", own, answer, "valid")
        yield own, answer
        own = result.brought_next(own, m.d.configuration)
        if result.complete:
            return


def page_rows(m: Maker) -> None:
    d = m.d
    for page, epochs in ((1, iter((5, 5, 6, 7, 9, 9, 9, 9, 9))), (2, iter((9, 9, 9, 9, 9))), (3, iter((9, 9, 9)))):
        steps = list(paged(m, Own(ID, [ALICE]), page, epochs))
        assert len(steps) > 1
    own = Own(ID)
    first = d.user_monitor(own, page=2)
    result = m.row("page_to_go_on_from", own, first, "valid")
    brought = result.brought_next(own, d.configuration)
    second = d.user_monitor(brought, page=2)
    m.row("page_that_claims_less", brought, replace(second, devices=replace(second.devices, version=3)), "version_regressed")
    fewer = replace(second.keys[0], version=2, members=[], absent=d.user_monitor(own, epoch=3).keys[0].absent)
    m.row("key_s_page_that_claims_less", brought, replace(second, keys=[fewer, *second.keys[1:]]), "version_regressed")
    m.row("page_again", brought, first, "history_from")
    m.row("page_left_out", own, second, "history_from")
    at = [i for i, one in enumerate(second.keys)]
    m.row("page_without_the_list_before", brought, replace(second, keys=[second.keys[i] for i in at[:-1]]), "device_count")
    earlier = d.user_monitor(brought, epoch=8, page=2)
    m.row("page_of_an_earlier_epoch", brought, earlier, "stale")
    claims = replace(first, devices=replace(first.devices, version=9))
    m.row("page_that_claims_more", own, claims, "valid")
    d.erased = {(facts.DEVICES, ID, 2), (facts.DEVICES, ID, 3)}
    erased = m.row("page_that_ends_erased", own, d.user_monitor(own, page=2), "valid")
    m.honest("after_a_page_that_ends_erased", erased.brought_next(own, d.configuration))
    d.erased = set()


def period_rows(rows: Rows) -> None:
    """Adds rows about two periods: the verifier does not use knowledge from the first period in the second."""
    d = UserDirectory(seed=92, period_length_ms=5 * STEP_MS)
    d.create(ID, [ALICE], {b"a1": b"a1 1", b"a2": b"a2 1"})
    d.create(b"id-erin", [b"erin"], {b"e1": b"e1 1"})
    d.publish_users()
    d.remove_device(ID, b"a2")
    d.set_device(b"a1", b"a1 2")
    d.decommission(b"id-erin")
    d.publish_users()
    d.switch_period(d.records[0].time_ms + 5 * STEP_MS)
    d.add_device(ID, b"a3", b"a3 1")
    d.publish_users()
    m = Maker(rows, d, Verifier(d.anchor, d.now_ms))
    kept = m.kept_at(Own(ID), 2)
    for epoch in (2, 3, 4):
        m.honest("second_period" if epoch > 2 else "first_period", Own(ID, [ALICE]), epoch=epoch)
        m.honest("left_in_the_first_period", Own(b"id-erin"), epoch=epoch)
    m.honest("second_period_known_of_the_first", kept)
    now = m.kept_at(Own(ID), 3)
    m.honest("second_period_known_copies", now)
    m.row("first_period_replayed", now, d.user_monitor(Own(ID), epoch=2), "stale")
    listed = d.user_monitor(Own(ID))
    m.row("second_period_with_a_list_of_the_first", kept, replace(listed, keys=listed.keys[:1]), "device_count")


def lie_rows(rows: Rows) -> None:
    """Adds lies that the log's operator signs. The verifier refuses each lie, or its result shows the lie to the owner."""

    def show(kind: str, d: UserDirectory, reason: str, own: Own = Own(USER, [NAME]), **answer) -> None:
        rows.monitor(f"signed_{kind}", Verifier(d.anchor, d.now_ms), own, d.user_monitor(own, **answer).encode(), reason)

    show("control", victim(), "valid")
    d = victim()
    replace_name(d, b"id-second")
    show("name_that_leads_elsewhere", d, "user_changed")
    show("name_that_leads_elsewhere_and_is_not_asked", d, "valid", Own(USER))
    d = victim()
    d.decommission(USER)
    d.publish_users()
    left = Own(USER, has_left=True, least_epoch=d.epoch)
    show("left", d, "valid", left)
    drop_leaf(d, facts.DECOMMISSIONED, USER)
    d.stored[facts.DECOMMISSIONED - 1].pop(USER)
    d.publish_users()
    show("returned", d, "user_returned", left)
    show("returned_to_one_who_did_not_see_it", d, "valid", Own(USER))
    for kind, value in (("0", b"\0"), ("of_two_octets", b"\1\1")):
        d = victim()
        d.put(facts.DECOMMISSIONED, USER, value)
        show(f"decommission_{kind}", d, "decommission_value")
    one = DeviceList([b"v1"]).encode()
    for kind, octets in (
        ("not_sorted", DeviceList([b"v1", b"a"]).encode()),
        ("id_twice", DeviceList([b"v1", b"v1"]).encode()),
        ("of_4", DeviceList([b"a", b"b", b"c", b"d"]).encode()),
        ("id_of_13_octets", DeviceList([b"a" * 13]).encode()),
        ("truncated", one[:-1]),
        ("trailing", one + b"\0"),
        ("empty_value", b""),
    ):
        for place in ("latest", "superseded"):
            d = victim(**BOUNDS)
            d.put(facts.DEVICES, USER, octets)
            if place == "superseded":
                d.put(facts.DEVICES, USER, one)
            lists = {version: [b"v1"] for version in (1, 2, 3)}
            answer = _with_lists(d, lists)
            rows.monitor(f"signed_{place}_list_{kind}", Verifier(d.anchor, d.now_ms), Own(USER), answer.encode(), "device_list")
    d = victim(**BOUNDS)
    d.put(facts.DEVICES, USER, DeviceList([b"a", b"b", b"c"]).encode())
    show("list_of_3", d, "valid", Own(USER))
    d = victim()
    d.put(facts.KEYS, b"v1", b"forged", 2)
    show("key_s_leaf_of_the_epoch_before", d, "leaf_epoch_order", Own(USER))
    d = victim()
    d.put(facts.KEYS, b"v1", b"forged", 9)
    show("key_s_leaf_from_the_future", d, "leaf_epoch_future", Own(USER))
    d = victim()
    d.put(facts.DEVICES, USER, one, 0)
    show("list_s_leaf_of_epoch_0", d, "leaf_epoch_period", Own(USER))
    d = victim(username_reuse=1)
    rows.monitor("signed_name_in_a_log_that_uses_them_again", Verifier(d.anchor, d.now_ms), Own(USER, [NAME]),
                 d.user_monitor(Own(USER)).encode(), "configuration")
    show("no_name_in_a_log_that_uses_them_again", d, "valid", Own(USER))
    d = liar()
    d.put(facts.USERNAMES, NAME, USER)
    show("no_list_at_all", d, "devices_missing")


def _with_lists(d: UserDirectory, lists: dict[int, list[bytes]]) -> UserMonitorAnswer:
    """Returns an answer about the victim in a log whose lists are invalid. The answer has the keys of the devices in these lists."""
    devices = d.versions_item(d.epoch, USER, 1, None, facts.DEVICES)
    ids = sorted(set().union(*lists.values()))
    left = d.entry(d.epoch, facts.DECOMMISSIONED, USER)
    return UserMonitorAnswer(d.head(d.epoch), [], left, devices, [d.versions_item(d.epoch, one, 1) for one in ids])


def monitor_content() -> dict:
    rows = Rows()
    d = honest_directory()
    m = Maker(rows, d, Verifier(d.anchor, d.now_ms))
    for make in (honest_rows, changed_rows, kept_rows, page_rows):
        make(m)
    period_rows(rows)
    lie_rows(rows)
    return rows.content()


def notes_content() -> dict:
    """Returns the vectors of notes. `opened` says whether the note belongs to the value; `sequence` and `text` are the members of an opened
    OwnerNote."""
    rows = []
    opening, note = bytes(range(16)), OwnerNote(1, b"added new laptop").encode()
    value = notes.noted_value(b"credential", opening, note)

    def row(kind: str, of: bytes, with_opening: bytes, with_note: bytes) -> None:
        read = notes.read_note(of, with_opening, with_note)
        rows.append(
            {
                "kind": kind,
                "value": of.hex(),
                "opening": with_opening.hex(),
                "note": with_note.hex(),
                "opened": notes.is_note(of, with_opening, with_note),
                "sequence": read.sequence if read else None,
                "text": read.text.hex() if read else None,
            }
        )

    def committed(kind: str, with_note: bytes) -> None:
        row(kind, notes.noted_value(b"credential", opening, with_note), opening, with_note)

    row("honest", value, opening, note)
    row("empty_payload", notes.noted_value(b"", opening, note), opening, note)
    committed("empty_text", OwnerNote(1, b"").encode())
    committed("not_ascii", OwnerNote(2, "neuer Rechner: \u00fc".encode()).encode())
    committed("not_text", OwnerNote(3, b"\xff\0").encode())
    committed("large_sequence", OwnerNote(2**53 - 1, b"added new laptop").encode())
    committed("long_text", OwnerNote(4, b"x" * 300).encode())
    row("another_note", value, opening, OwnerNote(1, b"added old laptop").encode())
    row("another_sequence", value, opening, OwnerNote(2, b"added new laptop").encode())
    row("another_opening", value, mutations.flip(opening, 0), note)
    row("note_shortened", value, opening, note[:-1])
    row("boundary_moved", value, opening[:-1] + note[:1], note[1:])
    row("of_another_payload", notes.noted_value(b"other", opening, note), opening, note)
    row("value_too_short", value[:-1], opening, note)
    row("value_too_long", value + b"\0", opening, note)
    row("value_without_a_note", b"credential", opening, note)
    row("empty_value", b"", opening, note)
    committed("note_empty", b"")
    committed("note_without_text", note[:8])
    committed("note_truncated_length", note[:9])
    committed("note_truncated", note[:-1])
    committed("note_trailing", note + b"\0")
    committed("note_of_words_alone", b"added new laptop")
    committed("note_sequence_zero", bytes(8) + note[8:])
    return {"note": "whether the note with this opening is the one that the value commits to, and what it says", "vectors": rows}
