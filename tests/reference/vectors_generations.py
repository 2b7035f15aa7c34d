"""Makes tests/vectors/users/generations.json: answers about users of a log that reassigns usernames (docs/spec/recycled-names.md)."""

from dataclasses import replace

import facts
import mutations
import mutations_generations
import mutations_users
import pahd
from codec_users import DeviceList
from directory import STEP_MS
from directory_users import At, UserDirectory
from rows import Rows, WrongVerdict
from users import Asked, Kept, KeptList, UserResult, verify_users
from vectors_users_lies import Liar, drop_leaf
from verify import Verifier

NUMBER, OTHER, GONE, NOBODY = b"+44 20", b"+44 21", b"+44 22", b"+44 23"


def honest_directory(**configuration) -> UserDirectory:
    """Makes epochs 1 to 7. NUMBER leads to the first user until epoch 2, to the second user from epoch 4 until 5, and to the third user
    from epoch 6 on."""
    d = UserDirectory(seed=81, username_reuse=1, **configuration)
    d.create(b"id-first", [NUMBER], {b"f1": b"f1 1"})
    d.create(b"id-other", [OTHER], {b"o1": b"o1 1", b"o2": None})
    d.create(b"id-gone", [GONE], {})
    d.publish_users()
    d.decommission(b"id-first")
    d.publish_users()
    d.decommission(b"id-gone")
    d.publish_users()
    d.create(b"id-second", [NUMBER], {b"s1": b"s1 1"})
    d.publish_users()
    d.decommission(b"id-second")
    d.publish_users()
    d.create(b"id-third", [b"third", NUMBER], {b"t1": b"t1 1"})
    d.publish_users()
    d.publish_users()
    return d


def check_true(d: UserDirectory, asked: Asked, result: UserResult) -> None:
    state = d.state(asked.username, result.epoch)
    if (result.kind, result.user, result.ids) != (state.kind, state.user, list(state.keys)):
        raise WrongVerdict(f"{asked.username}: not the state at epoch {result.epoch}")
    if [one.user for one in result.earlier] != state.earlier:
        raise WrongVerdict(f"{asked.username}: not the users before at epoch {result.epoch}")


class Maker:
    def __init__(self, rows: Rows, d: UserDirectory):
        self.rows, self.d = rows, d
        self.v = Verifier(d.anchor, d.now_ms)

    def row(self, kind: str, asked: Asked, reason: str, answer=None, v: Verifier | None = None, **of) -> None:
        shown = self.d.user_lookup([asked], **of) if answer is None else answer
        results = self.rows.users(kind, v or self.v, [asked], shown.encode(), reason)
        for result in results:
            check_true(self.d, asked, result)

    def kept_at(self, asked: Asked, epoch: int) -> Kept:
        answer = self.d.user_lookup([asked], epoch=epoch, size=epoch + 1).encode()
        v = Verifier(self.v.anchor, self.d.records[epoch].time_ms)
        return verify_users(v, answer, [asked])[0].kept(asked.kept)


def honest_rows(m: Maker) -> None:
    d, e = m.d, m.d.epoch
    for name in (NUMBER, OTHER, GONE, NOBODY, b"third"):
        m.row("honest", Asked(name), "valid")
        for epoch in range(e):
            m.row(f"of_epoch_{epoch}", Asked(name), "valid", epoch=epoch)
        for epoch in (0, 1, 3, 4, 5, e):
            m.row(f"kept_of_epoch_{epoch}", Asked(name, kept=m.kept_at(Asked(name), epoch)), "valid")
    several = [Asked(name) for name in (NOBODY, NUMBER, GONE, b"third", NUMBER, OTHER)]
    m.rows.users("several", m.v, several, d.user_lookup(several).encode(), "valid")
    for device in (b"o2", b"t1"):
        m.row("one_device", Asked(OTHER, device), "valid")
    # The verifier does not use known lists and keys, because they might belong to the previous user of the name.
    known = pahd.Known(0, 1, 1)
    kept = Kept(b"id-first", False, 1, KeptList(known, DeviceList([b"f1"]).encode()), {b"f1": known}, 1)
    m.row("list_and_keys_of_the_first_are_known", Asked(NUMBER, kept=kept), "valid")
    m.row("a_key_of_the_latest_is_known", Asked(NUMBER, kept=Kept(b"id-third", False, 6, None, {b"t1": known}, 3)), "valid")


def kept_rows(m: Maker) -> None:
    d, e = m.d, m.d.epoch
    third = Kept(b"id-third", generation=3)
    m.row("kept_latest", Asked(NUMBER, kept=third), "valid")
    m.row("kept_second", Asked(NUMBER, kept=Kept(b"id-second", True, generation=2)), "valid")
    m.row("kept_second_not_seen_to_leave", Asked(NUMBER, kept=Kept(b"id-second", generation=2)), "valid")
    m.row("kept_another_first", Asked(NUMBER, kept=Kept(b"id-other", generation=1)), "user_changed")
    m.row("kept_another_second", Asked(NUMBER, kept=Kept(b"id-first", generation=2)), "user_changed")
    m.row("kept_another_latest", Asked(NUMBER, kept=Kept(b"id-second", generation=3)), "user_changed")
    m.row("kept_latest_left", Asked(NUMBER, kept=replace(third, has_left=True)), "user_returned")
    m.row("kept_of_nobody", Asked(NOBODY, kept=Kept(b"id-other", generation=1)), "version_regressed")
    for epoch in (2, 3, 5):
        m.row(f"second_hidden_at_epoch_{epoch}", Asked(NUMBER, kept=third), "version_regressed", epoch=epoch)
    m.row("older_than_known", Asked(NUMBER, kept=replace(third, least_epoch=6)), "stale", epoch=5)
    m.row("least_epoch_met", Asked(NUMBER, kept=replace(third, least_epoch=e)), "valid")


def changed_rows(m: Maker) -> None:
    d, e = m.d, m.d.epoch
    whole, none = d.user_lookup([Asked(NUMBER)]), d.user_lookup([Asked(NOBODY)])
    for kind, encoded, reason in (*mutations_generations.generation_changes(whole), *mutations_generations.layout_changes(whole)):
        m.rows.users(kind, m.v, [Asked(NUMBER)], encoded, reason)
    for kind, encoded, reason in (*mutations_generations.none_changes(none), *mutations.whole_changes(none.encode())):
        m.rows.users(kind, m.v, [Asked(NOBODY)], encoded, reason)
    user = whole.users[0]
    shown = user.generations
    # Each of these answers shows an earlier user of the name as the latest user. The part about the earlier user is taken from an answer of
    # epoch 4, or is made from this answer by leaving out the latest user.
    second = d.user_lookup([Asked(NUMBER)], epoch=4).users[0]
    label, _ = d.prove(d.vrf_keys[facts.USERNAMES - 1], NUMBER, 3, facts.USERNAMES)
    own = mutations_users.own_leaf(shown.names.members[2], label)
    absent = {3: own, 4: shown.names.absent[0]}
    names = replace(shown.names, version=2, members=shown.names.members[:2], absent=[absent[i] for i in pahd.next_rungs(2)])
    gone = d.entry(e, facts.DECOMMISSIONED, b"id-second")
    hidden = replace(user, kind=1, decommissioned=gone, devices=None, keys=[], generations=replace(shown, names=names, left=shown.left[:1]))
    m.row("latest_hidden_behind_its_own_leaf", Asked(NUMBER), "absent_covers", replace(whole, users=[hidden]))
    m.row("second_of_its_own_time", Asked(NUMBER), "member_root", replace(whole, users=[second]))
    # In each of these answers, the list of the name's users is right, but the part after this list is about the previous user of the name,
    # or about another user.
    m.row("devices_of_another", Asked(NUMBER), "vrf_challenge",
          replace(whole, users=[replace(user, devices=d.versioned(e, facts.DEVICES, b"id-other"))]))
    m.row("decommissioned_of_the_second", Asked(NUMBER), "user_kind", replace(whole, users=[replace(user, decommissioned=gone)]))
    # A log that reassigns usernames shows a name in one form, and any other log in another form. Each of these answers has the form that
    # its log does not use.
    plain = UserDirectory(seed=82)
    plain.create(b"id-plain", [NUMBER], {b"p1": b"p1"})
    plain.publish_users()
    v, of_plain = Verifier(plain.anchor, plain.now_ms), plain.user_lookup([Asked(NUMBER)])
    m.rows.users("by_generations_where_no_name_is_used_again", v, [Asked(NUMBER)],
                 replace(of_plain, users=[replace(of_plain.users[0], name=None, generations=shown)]).encode(), "user_kind")
    entry = replace(user, name=of_plain.users[0].name, generations=None)
    m.row("as_where_no_name_is_used_again", Asked(NUMBER), "user_kind", replace(whole, users=[entry]))


def part_rows(m: Maker) -> None:
    for kind, name, at, epoch, reason in (
        ("names_later", NUMBER, At(7, 6, 6, 6), 7, "valid"),
        ("names_earlier", NUMBER, At(6, 7, 7, 7), 7, "valid"),
        ("names_at_a_part_of_their_own", NUMBER, At(6, 7, 7, 7), 6, "valid"),
        ("names_of_nobody_earlier", NOBODY, At(3, 3, 3, 3), 7, "valid"),
        ("names_after_the_rest", NUMBER, At(7, 6, 7, 7), 6, "valid"),
        # The proofs of the name's absence are of epoch 1, so e* is 1. But the first user left only at epoch 2.
        ("left_names_before_its_end", NUMBER, At(1, 3, 3, 3), 3, "part_epoch"),
        ("left_names_earlier", NUMBER, At(2, 3, 3, 3), 3, "valid"),
        ("third_before_its_names", NUMBER, At(7, 5, 6, 6), 7, "part_epoch"),
    ):
        m.row(f"parts_{kind}", Asked(name), reason, at=[at], epoch=epoch)


def period_rows(rows: Rows) -> None:
    """Adds rows about periods: generations are counted through all periods, and no period begins with copies of them."""
    d = honest_directory(period_length_ms=2 * STEP_MS)
    d.switch_period(d.records[0].time_ms + 8 * STEP_MS)
    d.decommission(b"id-third")
    d.publish_users()
    d.create(b"id-fourth", [NUMBER], {b"4": b"4"})
    d.publish_users()
    m = Maker(rows, d)
    for epoch in (8, 9, 10):
        for name in (NUMBER, OTHER, NOBODY):
            m.row(f"second_period_epoch_{epoch}", Asked(name), "valid", epoch=epoch)
    m.row("second_period_kept_of_the_first", Asked(NUMBER, kept=m.kept_at(Asked(NUMBER), 7)), "valid")


def liar(epochs: int = 2, **configuration) -> Liar:
    """Returns a log in which NUMBER's first user leaves at epoch `epochs`."""
    d = Liar(seed=83, username_reuse=1, **configuration)
    d.create(b"id-first", [NUMBER], {b"f1": b"f1"})
    d.create(b"id-next", [b"next"], {b"n1": b"n1"})
    d.publish_users()
    while d.epoch < epochs - 1:
        d.publish_users()
    d.decommission(b"id-first")
    d.publish_users()
    return d


def lie_rows(rows: Rows) -> None:
    """Adds rows of answers that break one rule and that the log's operator signs."""

    def show(kind: str, d: Liar, reason: str, kept: Kept = Kept()) -> None:
        asked = Asked(NUMBER, kept=kept)
        rows.users(f"signed_{kind}", Verifier(d.anchor, d.now_ms), [asked], d.user_lookup([asked]).encode(), reason)

    d = liar()
    d.put(facts.USERNAMES, NUMBER, b"id-next")
    show("control", d, "valid")
    # The next user gets the name while the first user has it. The first user leaves afterwards, or in the same epoch.
    for kind, before in (("before_the_first_left", 1), ("in_the_epoch_in_which_the_first_left", 0)):
        d = Liar(seed=84, username_reuse=1)
        d.create(b"id-first", [NUMBER], {b"f1": b"f1"})
        d.create(b"id-next", [b"next"], {b"n1": b"n1"})
        d.publish_users()
        d.users[NUMBER] = b"id-next"
        d.staged[facts.USERNAMES][NUMBER] = b"id-next"
        if before:
            d.publish_users()
        d.decommission(b"id-first")
        d.publish_users()
        show(f"next_{kind}", d, "generation_order")
        show(f"next_{kind}_to_one_who_knows_the_first", d, "generation_order", Kept(b"id-first", False, 1, generation=1))
    # The next user gets the name, but the first user does not leave.
    d = Liar(seed=84, username_reuse=1)
    d.create(b"id-first", [NUMBER], {b"f1": b"f1"})
    d.create(b"id-next", [b"next"], {b"n1": b"n1"})
    d.publish_users()
    d.put(facts.USERNAMES, NUMBER, b"id-next")
    show("next_while_the_first_stays", d, "generation_left")
    # A user who left gets the name again.
    d = liar()
    d.put(facts.USERNAMES, NUMBER, b"id-first")
    show("first_again", d, "user_returned")
    d = liar()
    d.put(facts.USERNAMES, NUMBER, b"id-next")
    d.decommission(b"id-next")
    d.publish_users()
    d.put(facts.USERNAMES, NUMBER, b"id-first")
    show("first_again_after_the_next", d, "user_returned")
    d = liar()
    d.put(facts.USERNAMES, NUMBER, b"id-next")
    left = d.epoch + 1
    d.decommission(b"id-next")
    d.publish_users()
    drop_leaf(d, facts.DECOMMISSIONED, b"id-next")
    d.stored[facts.DECOMMISSIONED - 1].pop(b"id-next")
    d.publish_users()
    show("next_revived_to_a_newcomer", d, "valid")
    show("next_revived_to_one_who_saw_it_leave", d, "user_returned", Kept(b"id-next", True, left, generation=2))
    # The leaf that decommissions an earlier user has an invalid value.
    d = Liar(seed=84, username_reuse=1)
    d.create(b"id-first", [NUMBER], {})
    d.create(b"id-next", [b"next"], {})
    d.publish_users()
    d.put(facts.DECOMMISSIONED, b"id-first", b"\2")
    d.put(facts.USERNAMES, NUMBER, b"id-next")
    show("first_decommissioned_with_another_value", d, "decommission_value")
    # In these answers the log lies: the value of a username is not a user id, or a leaf names another epoch than the epoch that inserted
    # it.
    for kind, user, reason in (("empty", b"", "user_id_length"), ("of_13_octets", b"i" * 13, "user_id_length"), ("too_long", b"i" * 49, "value_too_long")):
        d = liar(max_devices=3, max_key_len=12, max_value_len=48)
        d.put(facts.USERNAMES, NUMBER, user)
        honest = d.user_lookup([Asked(b"next")]).users[0]
        shown = d.generations(NUMBER, At.all(d.epoch), {d.epoch: 0})
        answer = replace(d.user_lookup([Asked(b"next")]), users=[replace(honest, generations=shown)])
        rows.users(f"signed_next_{kind}", Verifier(d.anchor, d.now_ms), [Asked(NUMBER)], answer.encode(), reason)
    for kind, written, reason in (("0", 0, "leaf_epoch_period"), ("of_the_first", 1, "leaf_epoch_order"), ("in_the_future", 9, "leaf_epoch_future"), ("before_the_first_left", 3, "generation_order")):
        d = liar(epochs=4)
        d.put(facts.USERNAMES, NUMBER, b"id-next", written)
        show(f"next_s_leaf_of_epoch_{kind}", d, reason)
    # In a later period usernames have no copies.
    d = Liar(seed=85, username_reuse=1, period_length_ms=2 * STEP_MS)
    d.create(b"id-first", [b"first"], {})
    d.create(b"id-next", [b"next"], {b"n1": b"n1"})
    d.publish_users()
    d.switch_period(d.records[0].time_ms + 2 * STEP_MS)
    d.put(facts.USERNAMES, NUMBER, b"id-next", 0)
    show("copy_of_a_name", d, "leaf_epoch_period")
    d = liar()
    d.erased.add((facts.USERNAMES, NUMBER, 1))
    d.put(facts.USERNAMES, NUMBER, b"id-next")
    show("first_erased", d, "member_kind")


def content() -> dict:
    rows = Rows()
    m = Maker(rows, honest_directory())
    for make in (honest_rows, kept_rows, changed_rows, part_rows):
        make(m)
    period_rows(rows)
    lie_rows(rows)
    return rows.content()
