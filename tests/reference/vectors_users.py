"""Makes the vectors in tests/vectors/users/: answers about users with the verifier's state and the verdict.

The rows have honest answers, and the changes of mutations_users.py. Lies that a server signs are in vectors_users_lies.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import board
import facts
import mutations
import mutations_users
import pahd
import vectors_generations
import vectors_monitor
import vectors_users_lies
from board import Checkpoint
from codec_users import NO_SUCH_USER, DeviceList, UserLookup, UserLookupAnswer
from directory import STEP_MS
from directory_users import At, UserDirectory
from rows import Rows, WrongVerdict
from users import Asked, Kept, KeptList, UserResult, verify_users
from vectors_user_handover import Forger
from verify import Verifier

ALICE, AT_WORK, BOB, CAROL, DAVE, ERIN, FRANK = b"alice", b"alice@work", b"bob", b"carol", b"dave", b"erin", b"frank"
NOBODY = b"nobody"


def honest_directory(**configuration) -> UserDirectory:
    """Makes epochs 1 to 9. Alice has three devices, one of which is removed at epoch 7. Bob and Frank have one device each, and Carol has
    no device.

    One of Dave's two devices has no key. Erin leaves at epoch 5.
    """
    d = UserDirectory(seed=71, **configuration)
    d.create(b"id-alice", [ALICE], {b"a1": b"a1 1", b"a2": b"a2 1"})
    d.create(b"id-bob", [BOB], {b"b1": b"b1 1"})
    d.create(b"id-carol", [CAROL], {})
    d.create(b"id-dave", [DAVE], {b"d1": None, b"d2": b"d2 1"})
    d.create(b"id-frank", [FRANK], {b"f1": b"f1 1"})
    d.publish_users()
    d.set_device(b"a1", b"a1 2")
    d.create(b"id-left", [b"left"], {b"l1": b"l1 1"})
    d.create(b"id-gone", [b"gone"], {})
    d.publish_users()
    d.add_device(b"id-alice", b"a3", b"a3 1")
    d.decommission(b"id-left")
    d.decommission(b"id-gone")
    d.publish_users()
    d.set_device(b"a1", b"a1 3")
    d.create(b"id-erin", [ERIN], {b"e1": b"e1 1"})
    d.publish_users()
    d.decommission(b"id-erin")
    d.add_username(b"id-alice", AT_WORK)
    d.publish_users()
    d.set_device(b"b1", b"b1 2")
    d.publish_users()
    d.remove_device(b"id-alice", b"a2")
    d.publish_users()
    d.set_device(b"d2", b"d2 2")
    d.publish_users()
    d.publish_users()
    return d


@dataclass(frozen=True)
class Maker:
    """Adds rows about one honest directory, and compares the content of each valid answer with the truth at the answer's e*."""

    rows: Rows
    d: UserDirectory
    v: Verifier

    def row(self, kind: str, asked: list[Asked], answer: UserLookupAnswer, reason: str, **brought) -> list[UserResult]:
        results = self.rows.users(kind, replace(self.v, **brought), asked, answer.encode(), reason)
        for one, result in zip(asked, results, strict=False):
            check_true(self.d, one, result)
        return results

    def honest(self, kind: str, *asked: Asked, **answer) -> list[UserResult]:
        return self.row(kind, list(asked), self.d.user_lookup(list(asked), **answer), "valid")

    def kept_at(self, asked: Asked, epoch: int) -> Kept:
        """Returns the state that a client keeps after it saw the user at this epoch."""
        answer = self.d.user_lookup([asked], epoch=epoch, size=epoch + 1).encode()
        v = Verifier(self.v.anchor, self.d.records[epoch].time_ms)
        return verify_users(v, answer, [asked])[0].kept(asked.kept)


def check_true(d: UserDirectory, asked: Asked, result: UserResult) -> None:
    """Checks that a valid answer shows the state at its e*."""
    state = d.state(asked.username, result.epoch)
    keys = {one: shown for one, shown in state.keys.items() if asked.device in (None, one)}
    versions = {one: found.version for one, found in result.keys.items()}
    right = (result.kind, result.user, result.ids) == (state.kind, state.user, list(state.keys))
    right = right and versions == {one: version for one, (version, _) in keys.items()}
    values = {one: found.value for one, found in result.keys.items() if found.value is not None}
    if not right or any(keys[one][1] != value for one, value in values.items()):
        raise WrongVerdict(f"{asked.username}: not the state at epoch {result.epoch}")


def honest_rows(m: Maker) -> None:
    d = m.d
    for name in (ALICE, AT_WORK, BOB, CAROL, DAVE, ERIN, FRANK, NOBODY):
        m.honest("honest", Asked(name))
    m.honest("honest_several", *map(Asked, (NOBODY, DAVE, ERIN, BOB, CAROL, ALICE)))
    m.honest("honest_two_names_of_one_user", Asked(ALICE), Asked(AT_WORK))
    m.honest("honest_one_name_twice", Asked(BOB), Asked(BOB))
    for kind, name, device in (
        ("first", ALICE, b"a1"),
        ("last", ALICE, b"a3"),
        ("removed", ALICE, b"a2"),
        ("of_another_user", ALICE, b"b1"),
        ("without_a_key", DAVE, b"d1"),
        ("of_a_user_without_devices", CAROL, b"a1"),
        ("of_a_user_who_left", ERIN, b"e1"),
        ("of_nobody", NOBODY, b"a1"),
    ):
        m.honest(f"one_device_{kind}", Asked(name, device))
    for epoch in (0, 1, 2, 3, 6):
        m.honest("earlier_epoch", Asked(ALICE), epoch=epoch)
    three = [Asked(BOB), Asked(ALICE), Asked(ERIN)]
    answer = d.user_lookup(three)
    m.row("users_exchanged", three[::-1], answer, "vrf_challenge")
    m.row("a_user_more", [*three, Asked(NOBODY)], answer, "answer_count")
    m.row("a_user_less", three[:2], answer, "answer_count")
    whole, one = d.user_lookup([Asked(ALICE)]), d.user_lookup([Asked(ALICE, b"a3")])
    m.row("whole_list_where_one_device_was_asked", [Asked(ALICE, b"a3")], whole, "device_count")
    m.row("one_device_where_all_were_asked", [Asked(ALICE)], one, "device_count")
    m.row("another_device_than_asked", [Asked(ALICE, b"a1")], one, "vrf_challenge")
    m.row("a_device_that_the_list_has_not", [Asked(ALICE, b"a2")], one, "device_count")
    user = whole.users[0]
    exchanged = replace(whole, users=[replace(user, keys=user.keys[::-1])])
    m.row("keys_exchanged", [Asked(ALICE)], exchanged, "vrf_challenge")
    other = d.versioned(d.epoch, facts.KEYS, b"a2")
    more = replace(whole, users=[replace(user, keys=[user.keys[0], other, user.keys[1]])])
    m.row("key_of_a_removed_device", [Asked(ALICE)], more, "device_count")
    instead = replace(whole, users=[replace(user, keys=[user.keys[0], other])])
    m.row("key_of_a_removed_device_instead", [Asked(ALICE)], instead, "vrf_challenge")
    m.row("key_less", [Asked(ALICE)], replace(whole, users=[replace(user, keys=user.keys[:1])]), "device_count")


def changed_rows(m: Maker) -> None:
    d = m.d
    frank, dave = d.user_lookup([Asked(FRANK)]), d.user_lookup([Asked(DAVE, b"d2")])
    left, none = d.user_lookup([Asked(ERIN)]), d.user_lookup([Asked(NOBODY)])
    parts = d.user_lookup([Asked(FRANK)], [At(6, 8, 7, 6)], epoch=9, size=10)
    m.row("of_three_parts", [Asked(FRANK)], parts, "valid")
    groups = [
        (Asked(NOBODY), mutations.whole_changes(none.encode())),
        (Asked(NOBODY), mutations.record_changes(none)),
        (Asked(NOBODY), mutations.head_changes(none)),
        (Asked(NOBODY), mutations_users.none_changes(none)),
        (Asked(FRANK), mutations_users.layout_changes(parts)),
        (Asked(FRANK), mutations_users.part_changes(parts)),
        (Asked(FRANK), mutations_users.user_changes(frank)),
        (Asked(DAVE, b"d2"), mutations_users.versioned_changes(dave, "keys", dave.users[0].keys[0])),
        (Asked(ERIN), mutations_users.left_changes(left, frank.users[0])),
    ]
    seen = set()
    for asked, group in groups:
        for kind, encoded, reason in group:
            # Each kind of change gets only one row. A key with two versions adds those kinds that are impossible for a key with one
            # version.
            if kind not in seen:
                m.rows.users(kind, m.v, [asked], encoded, reason)
            seen.add(kind)
    user = frank.users[0]
    label, _ = d.prove(d.vrf_keys[facts.USERNAMES - 1], FRANK, 0, facts.USERNAMES)
    own = mutations_users.own_leaf(user.name.proof, label)
    for kind, proof, reason in (
        ("its_own_leaf", own, "absent_covers"),
        ("an_absence_in_devices", d.absent(d.epoch, FRANK, 0, facts.DEVICES), "vrf_challenge"),
    ):
        item = UserLookup(NO_SUCH_USER, replace(user.name, proof=proof), None, None, [])
        m.row(f"hidden_as_no_such_user_behind_{kind}", [Asked(FRANK)], replace(frank, users=[item]), reason)
    gone = left.users[0]
    label, _ = d.prove(d.vrf_keys[facts.DECOMMISSIONED - 1], b"id-erin", 0, facts.DECOMMISSIONED)
    own = mutations_users.own_leaf(gone.decommissioned.proof, label)
    item = replace(user, name=gone.name, decommissioned=replace(gone.decommissioned, proof=own))
    m.row("left_hidden_behind_its_own_leaf", [Asked(ERIN)], replace(left, users=[item]), "absent_covers")
    for field, entry, structure, key in (
        ("devices", user.devices, facts.DEVICES, b"id-frank"),
        ("keys", user.keys[0], facts.KEYS, b"f1"),
    ):
        absent = d.absent(d.epoch, key, 9, structure)
        nothing = replace(entry, lookup=replace(entry.lookup, version=0, members=[], absent=[absent]))
        item = replace(user, **{field: [nothing] if field == "keys" else nothing})
        m.row(f"{field}_hidden_behind_another_absence", [Asked(FRANK)], replace(frank, users=[item]), "vrf_challenge")


def kept_rows(m: Maker) -> None:
    d, e = m.d, m.d.epoch
    for name in (ALICE, CAROL, DAVE, ERIN, NOBODY):
        for epoch in (1, 4, e):
            asked = Asked(name)
            seen = Asked(name, kept=m.kept_at(asked, epoch))
            m.honest(f"kept_of_epoch_{epoch}", seen)
            if seen.kept.user is not None and epoch in (4, e):
                short = [replace(At.all(e), name=None)]
                m.honest(f"kept_of_epoch_{epoch}_name_left_out", seen, at=short)
    kept = m.kept_at(Asked(ALICE), e)
    seen, short = Asked(ALICE, kept=kept), [replace(At.all(e), name=None)]
    m.honest("nothing_changed_one_device", replace(seen, device=b"a3"), at=short)
    m.honest("kept_of_another_device_only", replace(seen, kept=replace(kept, keys={b"a1": kept.keys[b"a1"]})))
    m.honest("kept_user_alone", Asked(ALICE, kept=Kept(b"id-alice", least_epoch=3)), at=short)
    m.honest("kept_list_without_its_keys", replace(seen, kept=replace(kept, keys={})))
    m.honest("kept_name_of_two", Asked(AT_WORK, kept=replace(kept, least_epoch=5)))
    whole, brief = d.user_lookup([Asked(ALICE)]), d.user_lookup([seen])
    m.row("known_list_but_sent_whole", [seen], whole, "ladder_count")
    m.row("list_left_out_without_a_known_one", [Asked(ALICE)], brief, "ladder_count")
    m.row("key_left_out_without_a_known_one", [replace(seen, kept=replace(kept, keys={}))], brief, "ladder_count")
    m.row("name_left_out_without_a_known_user", [Asked(ALICE)], d.user_lookup([seen], short), "user_name_missing")
    left_out = replace(m.kept_at(Asked(ERIN), e), user=None, has_left=False)
    known = Asked(ERIN, kept=m.kept_at(Asked(ERIN), e))
    m.row("left_name_left_out_without_a_known_user", [replace(known, kept=left_out)], d.user_lookup([known], short),
          "user_name_missing")

    for kind, asked, answer, reason in (
        ("least_epoch_met", Asked(ALICE, kept=Kept(least_epoch=e)), whole, "valid"),
        ("below_the_least_epoch", Asked(ALICE, kept=Kept(least_epoch=e + 1)), whole, "stale"),
        ("below_the_least_epoch_of_nobody", Asked(NOBODY, kept=Kept(least_epoch=e + 1)), d.user_lookup([Asked(NOBODY)]), "stale"),
        ("kept_user", Asked(ALICE, kept=Kept(b"id-alice")), whole, "valid"),
        ("another_user_kept", Asked(ALICE, kept=Kept(b"id-bob")), whole, "user_changed"),
        ("a_longer_user_kept", Asked(ALICE, kept=Kept(b"id-alice2")), whole, "user_changed"),
        ("another_user_kept_of_one_who_left", Asked(ERIN, kept=Kept(b"id-bob")), d.user_lookup([Asked(ERIN)]), "user_changed"),
        ("user_kept_of_nobody", Asked(NOBODY, kept=Kept(b"id-bob")), d.user_lookup([Asked(NOBODY)]), "user_changed"),
        ("known_to_have_left", Asked(ERIN, kept=Kept(b"id-erin", True, 5)), d.user_lookup([Asked(ERIN)]), "valid"),
        ("known_to_have_left_and_returned", Asked(ALICE, kept=Kept(b"id-alice", True)), whole, "user_returned"),
    ):
        m.row(kind, [asked], answer, reason)
    replaced = replace(kept, devices=KeptList(replace(kept.devices.known, version=4), kept.devices.devices))
    m.row("list_regressed", [replace(seen, kept=replaced)], brief, "version_regressed")
    for absent_at, reason in ((2, "valid"), (3, "leaf_epoch_order")):
        known = KeptList(pahd.Known(0, 1, absent_at), kept.devices.devices)
        asked = Asked(ALICE, kept=Kept(b"id-alice", devices=known))
        m.row(f"list_known_absent_at_{absent_at}", [asked], d.user_lookup([asked]), reason)
    for absent_at, reason in ((3, "valid"), (4, "leaf_epoch_order")):
        asked = Asked(ALICE, kept=Kept(b"id-alice", keys={b"a1": pahd.Known(0, 2, absent_at)}))
        m.row(f"key_known_absent_at_{absent_at}", [asked], d.user_lookup([asked]), reason)
    asked = Asked(ALICE, kept=Kept(b"id-alice", keys={b"a1": pahd.Known(0, 4, e)}))
    m.row("key_regressed", [asked], d.user_lookup([asked]), "version_regressed")
    other_period = KeptList(pahd.Known(3, 1, 20), kept.devices.devices)
    asked = Asked(ALICE, kept=Kept(b"id-alice", devices=other_period, keys={b"a1": pahd.Known(3, 9, 20)}))
    m.row("known_of_another_period", [asked], whole, "valid")


def verifier_rows(m: Maker) -> None:
    """Adds rows about the verifier's state of the log, and its clock."""
    d, asked, size = m.d, [Asked(FRANK)], len(m.d.records)
    at = [At(6, 8, 7, 6)]
    for kept_size in (3, size):
        kept = Checkpoint(kept_size, board.root_of(d.entries(kept_size)))
        m.row("kept_checkpoint", asked, d.user_lookup(asked, at, epoch=9, kept_size=kept_size), "valid", checkpoint=kept)
    answer = d.user_lookup(asked, at, epoch=9)
    m.row("no_consistency_proof", asked, answer, "checkpoint_consistency", checkpoint=Checkpoint(3, bytes(32)))
    for epoch in (0, 4, 7, 9):
        m.row("kept_record", asked, answer, "valid", record=d.records[epoch])
    for kind, epoch, reason, changes in (
        ("of_a_part_differs", 7, "fork", {"time_ms": d.records[7].time_ms + 1}),
        ("of_the_head_differs", 9, "fork", {"time_ms": d.records[9].time_ms + 1}),
        ("of_the_first_part_differs", 6, "fork", {"time_ms": d.records[6].time_ms - 1}),
        ("between_parts", 7, "record_previous", {"previous": bytes(32)}),
        ("too_late_for_a_part", 4, "record_time", {"time_ms": d.records[6].time_ms - 1}),
        ("as_late_as_a_part_allows", 4, "valid", {"time_ms": d.records[6].time_ms - 2}),
    ):
        used = d.user_lookup(asked, [At(6, 6, 6, 6)], epoch=9) if kind == "between_parts" else answer
        m.row(f"kept_record_{kind}", asked, used, reason, record=replace(d.records[epoch], **changes))
    start = d.records[0]
    m.row("kept_period_record", asked, answer, "valid", record=d.records[4], period_record=start)
    m.row("kept_period_record_of_another_epoch", asked, answer, "record_period", record=d.records[4], period_record=d.records[1])
    behind, ahead = d.configuration.max_behind_ms, d.configuration.max_ahead_ms
    old_head = d.user_lookup(asked, [At.all(9)], epoch=2)
    new_head = d.user_lookup(asked, [At.all(6)], epoch=9)
    left = d.user_lookup([Asked(ERIN)], [At(5, 7, 7, 7)], epoch=9)
    left_back = d.user_lookup([Asked(ERIN)], [At(7, 5, 5, 5)], epoch=9)
    for kind, of, given, oldest, newest in (
        ("at_the_head", asked, d.user_lookup(asked), 9, 9),
        ("before_a_fresh_head", asked, new_head, 6, 9),
        ("after_an_old_head", asked, old_head, 9, 9),
        ("between", asked, answer, 6, 9),
        ("of_a_user_who_left", [Asked(ERIN)], left, 7, 9),
        ("of_a_user_who_left_before_its_name_s", [Asked(ERIN)], left_back, 7, 9),
    ):
        late, early = d.records[oldest].time_ms + behind, d.records[newest].time_ms - ahead
        m.row(f"state_{kind}_as_late_as_allowed", of, given, "valid", now_ms=late)
        m.row(f"state_{kind}_too_old", of, given, "record_too_old", now_ms=late + 1)
        m.row(f"state_{kind}_as_early_as_allowed", of, given, "valid", now_ms=early)
        m.row(f"state_{kind}_from_the_future", of, given, "record_from_future", now_ms=early - 1)
    two = [Asked(FRANK), Asked(ALICE)]
    given = d.user_lookup(two, [At.all(9), At.all(7)], epoch=9)
    late = d.records[7].time_ms + behind
    m.row("second_user_s_state_as_late_as_allowed", two, given, "valid", now_ms=late)
    m.row("second_user_s_state_too_old", two, given, "record_too_old", now_ms=late + 1)
    other = honest_directory(heartbeat_ms=59_999)
    m.row("another_configuration", asked, answer, "record_log_id", anchor=other.anchor)


def part_rows(m: Maker) -> None:
    d = m.d
    for kind, name, at, epoch in (
        ("name_later", BOB, At(9, 6, 6, 6), 9),
        ("name_earlier", BOB, At(1, 9, 9, 9), 9),
        ("name_before_and_head_between", BOB, At(1, 8, 8, 8), 4),
        ("decommissioned_earlier", ALICE, At(9, 7, 8, 8), 9),
        ("decommissioned_later", ALICE, At(7, 9, 7, 7), 7),
        ("devices_earlier", ALICE, At(9, 9, 7, 8), 9),
        ("devices_later", ALICE, At(8, 7, 9, 7), 7),
        ("keys_earlier", ALICE, At(9, 9, 9, 7), 9),
        ("keys_later", ALICE, At(7, 7, 7, 9), 7),
        ("each_its_own", ALICE, At(5, 7, 9, 8), 4),
        ("head_used_by_nothing", ALICE, At.all(8), 9),
        ("head_before_everything", ALICE, At(9, 8, 7, 8), 0),
        ("key_s_record_later_with_an_older_leaf", ALICE, At(4, 4, 4, 6), 6),
        ("device_without_a_key", DAVE, At(9, 7, 7, 6), 8),
        ("without_devices", CAROL, At(9, 3, 5, 5), 8),
        ("nobody_in_a_part", NOBODY, At.all(5), 9),
        ("left_name_earlier", ERIN, At(4, 9, 9, 9), 9),
        ("left_name_later", ERIN, At(9, 5, 5, 5), 7),
        ("left_both_before_the_head", ERIN, At(5, 6, 6, 6), 9),
        ("not_left_yet", ERIN, At(9, 4, 8, 9), 9),
    ):
        m.honest(f"parts_{kind}", Asked(name), at=[at], epoch=epoch)
    several = [Asked(ALICE), Asked(NOBODY), Asked(BOB), Asked(ERIN)]
    m.honest("parts_of_several_users", *several, at=[At.all(8), At.all(6), At(7, 9, 7, 7), At(9, 8, 8, 8)], epoch=9)
    m.honest("one_user_by_two_names_at_falling_epochs", Asked(AT_WORK), Asked(ALICE), at=[At.all(8), At.all(6)], epoch=9)
    at = [replace(At.all(8), name=None, keys=7)]
    m.honest("parts_name_left_out", Asked(ALICE, kept=m.kept_at(Asked(ALICE), 7)), at=at, epoch=9)
    for kind, name, at, epoch in (
        ("of_the_name", AT_WORK, At(5, 4, 4, 4), 9),
        ("of_the_name_at_the_head", AT_WORK, At(9, 4, 4, 4), 9),
        ("of_the_list", ALICE, At(6, 6, 7, 7), 9),
        ("of_the_list_at_the_head", ALICE, At(9, 6, 9, 9), 9),
        ("of_the_list_by_the_keys_record", ALICE, At(9, 9, 9, 6), 9),
        ("of_a_device_added_between", ALICE, At(9, 2, 3, 3), 9),
        ("of_a_key_set_between", ALICE, At(9, 3, 3, 4), 9),
        ("of_a_later_key_of_the_same_list", BOB, At(9, 5, 5, 6), 9),
        ("of_a_first_key_set_later", DAVE, At(9, 7, 7, 8), 9),
    ):
        m.row(f"leaf_beyond_{kind}", [Asked(name)], d.user_lookup([Asked(name)], [at], epoch=epoch), "part_epoch")
    known = m.kept_at(Asked(ALICE), 6)
    asked = Asked(ALICE, kept=known)
    for kind, at in (("and_known_ones", At(9, 6, 7, 7)), ("name_left_out", At(None, 6, 7, 7))):
        m.row(f"leaf_beyond_{kind}", [asked], d.user_lookup([asked], [at], epoch=9), "part_epoch")
    m.row("stale_by_one_part", [asked], d.user_lookup([asked], [At(9, 5, 9, 9)], epoch=9), "stale")
    two = [Asked(BOB), Asked(ALICE)]
    answer = d.user_lookup(two, [At.all(9), At(9, 6, 7, 7)], epoch=9)
    m.row("leaf_beyond_of_the_second_user", two, answer, "part_epoch")

    plain = d.user_lookup([Asked(BOB)], epoch=9)
    unused = replace(plain, parts=[d.part(7, len(d.records))])
    m.row("part_unused", [Asked(BOB)], unused, "part_unused")
    answer = d.user_lookup([Asked(BOB)], [At.all(7)], epoch=9)
    m.row("part_unused_of_two", [Asked(BOB)], replace(answer, parts=[*answer.parts, d.part(8, 10)]), "part_unused")
    user = answer.users[0]
    for number in (2, 255):
        beyond = replace(answer, users=[replace(user, devices=replace(user.devices, record=number))])
        m.row(f"part_{number}_of_one", [Asked(BOB)], beyond, "part_unknown")
    wrong = replace(answer, users=[replace(user, keys=[replace(user.keys[0], record=0)])])
    m.row("key_of_another_record_than_its_own", [Asked(BOB)], wrong, "member_root")
    answer = d.user_lookup([Asked(BOB)], [At.all(4)], epoch=9)
    user = answer.users[0]
    wrong = replace(answer, users=[replace(user, name=replace(user.name, record=0))])
    m.row("name_of_another_record_than_its_own", [Asked(BOB)], wrong, "member_root")
    within = replace(d.user_lookup([Asked(BOB)], epoch=6, size=8), parts=[d.part(8, 9)])
    m.row("part_beyond_the_checkpoint", [Asked(BOB)], within, "inclusion_index")
    last = d.user_lookup([Asked(BOB)], [At.all(7)], epoch=6, size=8)
    m.row("part_is_the_checkpoint_s_last", [Asked(BOB)], last, "valid")
    # An entry whose proofs of absence were removed still counts for e*, and makes e* too old here.
    old = d.user_lookup([Asked(BOB)], [At(9, 9, 6, 9)], epoch=9)
    user, late = old.users[0], d.records[6].time_ms + d.configuration.max_behind_ms
    bare = replace(user.devices, lookup=replace(user.devices.lookup, absent=[]))
    emptied = replace(old, users=[replace(user, devices=bare)])
    m.row("list_without_absences", [Asked(BOB)], emptied, "ladder_count", now_ms=late)
    m.row("list_without_absences_too_old", [Asked(BOB)], emptied, "record_too_old", now_ms=late + 1)


def period_rows(rows: Rows) -> None:
    """Adds rows about two periods: parts of both periods, and knowledge from the first period."""
    d = UserDirectory(seed=72, period_length_ms=5 * STEP_MS)
    d.create(b"id-alice", [ALICE], {b"a1": b"a1 1", b"a2": b"a2 1"})
    d.create(b"id-erin", [ERIN], {b"e1": b"e1 1"})
    d.publish_users()
    d.set_device(b"a1", b"a1 2")
    d.decommission(b"id-erin")
    d.publish_users()
    d.switch_period(d.records[0].time_ms + 5 * STEP_MS)
    d.add_device(b"id-alice", b"a3", b"a3 1")
    d.publish_users()
    d.set_device(b"a1", b"a1 3")
    d.publish_users()
    m = Maker(rows, d, Verifier(d.anchor, d.now_ms))
    first, kept = d.records[0], m.kept_at(Asked(ALICE), 2)
    for epoch in (2, 3, 5):
        m.honest("second_period" if epoch > 2 else "first_period", Asked(ALICE), Asked(ERIN), Asked(NOBODY), epoch=epoch)
    m.honest("second_period_of_parts", Asked(ALICE), at=[At(5, 4, 4, 4)], epoch=3)
    m.honest("second_period_of_copies", Asked(ALICE), at=[At(5, 5, 3, 3)], epoch=3)
    m.honest("second_period_known_of_the_first", Asked(ALICE, kept=kept))
    m.honest("second_period_name_left_out", Asked(ALICE, kept=kept), at=[replace(At.all(5), name=None)])
    now = m.kept_at(Asked(ALICE), 3)
    m.honest("second_period_known_copies", Asked(ALICE, kept=now))
    asked = [Asked(ALICE)]
    across = d.user_lookup(asked, [At(2, 5, 5, 5)], epoch=5)
    m.row("part_of_the_period_before", asked, across, "part_period")
    across = d.user_lookup(asked, [At(4, 2, 2, 2)], epoch=2)
    m.row("part_of_the_period_after", asked, across, "part_period")
    left = [Asked(ERIN)]
    m.row("left_in_the_period_before", left, d.user_lookup(left, [At(5, 2, 2, 2)], epoch=5), "part_period")
    plain = d.user_lookup(asked, [At(5, 4, 4, 4)], epoch=3)
    m.row("kept_record_of_the_period_before", asked, plain, "valid", record=d.records[2], period_record=first)
    m.row("kept_record_of_the_period_before_alone", asked, plain, "record_period", record=d.records[2])
    old = d.user_lookup(asked, epoch=2)
    brought = {"record": d.records[4], "period_record": d.records[3]}
    m.row("first_period_kept_later_record", asked, old, "record_period", **brought)
    m.row("first_period_replayed", [Asked(ALICE, kept=now)], old, "stale")
    later = replace(d.records[4], period_first_epoch=4)
    parts = [replace(plain.parts[0], record=later.encode()), *plain.parts[1:]]
    m.row("part_of_another_first_epoch", asked, replace(plain, parts=parts), "inclusion_proof")


def lost_rows(rows: Rows) -> None:
    """Adds rows of logs whose next period begins without a required copy. The client looked the user up in the previous period."""
    one, two = (facts.KEYS, b"a1"), (facts.DEVICES, b"id-alice")

    def lie(kind: str, reason: str, *left_out: tuple[int, bytes], after: Callable[[Forger], None] = lambda d: None, bring: Callable[[Kept], Kept] = lambda kept: kept, device: bytes | None = None) -> None:
        d = Forger(seed=74, period_length_ms=5 * STEP_MS)
        d.create(b"id-alice", [ALICE], {b"a1": b"a1 1", b"a2": b"a2 1", b"a4": None})
        d.publish_users()
        kept = Maker(rows, d, Verifier(d.anchor, d.now_ms)).kept_at(Asked(ALICE), d.epoch)
        d.left_out = left_out
        d.switch()
        d.left_out = ()
        after(d)
        d.publish_users()
        asked = [Asked(ALICE, device, bring(kept))]
        rows.users(f"lost_{kind}", Verifier(d.anchor, d.now_ms), asked, d.user_lookup(asked).encode(), reason)

    def set_again(d: Forger) -> None:
        d.set_device(b"a1", b"a1 1")

    def list_again(d: Forger) -> None:
        d.add_device(b"id-alice", b"a5", b"a5 1")

    def one_period_more(d: Forger) -> None:
        set_again(d)
        d.publish_users()
        d.switch()

    def key_lost_one_period_later(d: Forger) -> None:
        d.publish_users()
        d.left_out = (one,)
        d.switch()
        d.left_out = ()

    def list_of_the_period_between(kept: Kept) -> Kept:
        return replace(kept, devices=replace(kept.devices, known=replace(kept.devices.known, period=1)))

    lie("control", "valid")
    lie("key", "handover_missing", one)
    lie("key_set_again", "handover_missing", one, after=set_again)
    lie("key_of_one_device", "handover_missing", one, device=b"a1")
    lie("key_that_is_not_asked", "valid", one, device=b"a2")
    lie("list", "devices_missing", two)
    lie("list_set_again", "handover_missing", two, after=list_again)
    lie("list_and_key", "handover_missing", one, two, after=list_again)
    lie("first_key_after_the_switch", "valid", after=lambda d: d.set_device(b"a4", b"a4 1"))
    lie("to_a_newcomer", "valid", one, bring=lambda kept: Kept())
    # The client knows no list that had the device. So the device may have belonged to another user at the switch, and that user may have
    # left since.
    lie("key_that_was_on_no_known_list", "valid", one, bring=lambda kept: replace(kept, devices=None))
    lie("key_that_was_not_on_the_known_list", "valid", one, bring=lambda kept: replace(kept, devices=replace(kept.devices, devices=DeviceList([b"a2"]).encode())))
    # The client does not notice that the skipped period began without the copy. The key was set again in the skipped period, and the
    # answer's period has a copy of the new value.
    lie("key_of_a_period_between", "valid", one, after=one_period_more)
    lie("key_one_period_later", "handover_missing", after=key_lost_one_period_later)
    # A known list says to which user a device belonged in the period of the list. It says nothing about other periods.
    lie("key_of_another_period_than_the_list", "valid", after=key_lost_one_period_later, bring=list_of_the_period_between)


def files() -> dict[str, dict]:
    rows = Rows()
    d = honest_directory()
    m = Maker(rows, d, Verifier(d.anchor, d.now_ms))
    for make in (honest_rows, changed_rows, kept_rows, verifier_rows, part_rows):
        make(m)
    period_rows(rows)
    lost_rows(rows)
    vectors_users_lies.lie_rows(rows)
    monitor, notes = vectors_monitor.monitor_content(), vectors_monitor.notes_content()
    return {
        "users/lookup.json": rows.content(),
        "users/generations.json": vectors_generations.content(),
        "users/monitor.json": monitor,
        "users/notes.json": notes,
    }
