"""Makes rows of tests/vectors/users/ with lies about users. The log's operator signs these lies.

Each answer passes all checks before the check of the rule that the lie breaks.
"""

from collections.abc import Callable
from dataclasses import replace

import ecvrf
import facts
import fourq
import mutations_users
import tree
from codec import Member
from codec_users import CURRENT, DeviceList, UserLookup, UserLookupAnswer
from directory import STEP_MS, Stored
from directory_users import At, UserDirectory
from record import EpochRecord
from rows import Rows
from users import Asked, Kept
from verify import Verifier

NAME, USER = b"victim", b"id-victim"
# Small bounds, so that values just beyond them are small.
BOUNDS = {"max_devices": 3, "max_key_len": 12, "max_value_len": 48}


class Liar(UserDirectory):
    """A directory that can write arbitrary leaves."""

    def put(self, structure: int, key: bytes, value: bytes, written: int | None = None) -> None:
        """Publishes the key's next leaf in a separate epoch. The leaf names the epoch `written`, if given, instead of the epoch that
        inserts it."""
        epoch = self.epoch + 1 if written is None else written
        stored = Stored(epoch, self.rng.randbytes(16), value)
        mine = self.stored[structure - 1].setdefault(key, [])
        mine.append(stored)
        version = len(mine) if self.has_versions(structure) else 0
        self.publish_in({}, others={structure: [self.leaf(key, version, stored, structure)]})

    def change_record(self, epoch: int, change: Callable[[EpochRecord], EpochRecord]) -> None:
        """Changes an epoch's record on the board; later records stay as they were."""
        self.records[epoch] = change(self.records[epoch])


def liar(**configuration) -> Liar:
    """Makes epoch 1 with some honest users, one of whom has left."""
    d = Liar(seed=73, **configuration)
    d.create(b"id-honest", [b"honest"], {b"h1": b"honest"})
    d.create(b"id-other", [b"other"], {})
    d.decommission(b"id-other")
    d.publish_users()
    return d


def victim(**configuration) -> Liar:
    """Makes epoch 2 with the victim, who has one device."""
    d = liar(**configuration)
    d.create(USER, [NAME], {b"v1": b"v1"})
    d.publish_users()
    return d


def verifier(d: UserDirectory, **kept) -> Verifier:
    return Verifier(d.anchor, d.now_ms, **kept)


def show(rows: Rows, kind: str, d: UserDirectory, reason: str, asked: Asked = Asked(NAME), **answer) -> None:
    rows.users(f"signed_{kind}", verifier(d), [asked], d.user_lookup([asked], **answer).encode(), reason)


def lie_rows(rows: Rows) -> None:
    d = victim()
    show(rows, "control", d, "valid")
    _name_rows(rows)
    _left_rows(rows)
    _list_rows(rows)
    _leaf_rows(rows)
    _erased_rows(rows)
    _record_rows(rows)
    _key_rows(rows)


def _name_rows(rows: Rows) -> None:
    """Adds rows of names that lead to another user, and of names whose values are not user ids."""
    for kind, user, reason in (
        ("of_12_octets", b"i" * 12, "valid"),
        ("of_13_octets", b"i" * 13, "user_id_length"),
        ("empty", b"", "user_id_length"),
        ("of_49_octets", b"i" * 49, "value_too_long"),
    ):
        d = liar(**BOUNDS)
        d.put(facts.USERNAMES, NAME, user)
        if reason == "valid":
            d.put(facts.DEVICES, user, DeviceList([]).encode())
        else:
            # The rest of the answer is about another user.
            d.lists[user] = []
        honest = d.user_lookup([Asked(b"honest")]).users[0]
        item = replace(honest, name=d.entry(d.epoch, facts.USERNAMES, NAME))
        whole = d.user_lookup([Asked(NAME)]) if reason == "valid" else UserLookupAnswer(d.head(d.epoch), [], [item])
        rows.users(f"signed_user_id_{kind}", verifier(d), [Asked(NAME)], whole.encode(), reason)

    # The log exchanges the name's leaf, so the name has two user ids. A client that remembers the first id notices this.
    d = victim()
    d.create(b"id-second", [], {b"s1": b"s1"})
    d.publish_users()
    replace_name(d, b"id-second")
    for kind, kept, reason in (
        ("to_a_newcomer", Kept(), "valid"),
        ("to_one_who_knows_the_first", Kept(USER, False, 2), "user_changed"),
        ("to_one_who_knows_the_second", Kept(b"id-second", False, d.epoch), "valid"),
    ):
        show(rows, f"second_user_id_{kind}", d, reason, Asked(NAME, kept=kept))
    # The log takes the name back: it removes the name's leaf.
    d = victim()
    d.stored[facts.USERNAMES - 1].pop(NAME)
    drop_leaf(d, facts.USERNAMES, NAME)
    d.publish_users()
    show(rows, "name_taken_back_to_a_newcomer", d, "valid")
    show(rows, "name_taken_back_to_one_who_knows_it", d, "user_changed", Asked(NAME, kept=Kept(USER, False, 2)))


def replace_name(d: Liar, user: bytes) -> None:
    drop_leaf(d, facts.USERNAMES, NAME)
    d.stored[facts.USERNAMES - 1][NAME] = []
    d.put(facts.USERNAMES, NAME, user)


def drop_leaf(d: Liar, structure: int, key: bytes) -> None:
    """Removes the key's leaf from the tree. No auditor would accept this."""
    label, _ = d.prove(d.vrf_keys[structure - 1], key, 0, structure)
    d.trees[structure - 1] = tree.build([leaf for leaf in leaves_of(d.trees[structure - 1]) if leaf.label != label])
    d.counts[structure - 1] -= 1


def leaves_of(node: tree.Node | None) -> list[tree.Leaf]:
    if isinstance(node, tree.Interior):
        return leaves_of(node.left) + leaves_of(node.right)
    return [] if node is None else [node]


def _left_rows(rows: Rows) -> None:
    for kind, value, reason in (
        ("1", b"\1", "valid"),
        ("0", b"\0", "decommission_value"),
        ("2", b"\2", "decommission_value"),
        ("empty", b"", "decommission_value"),
        ("twice", b"\1\1", "decommission_value"),
        ("too_long", b"\1" * 49, "value_too_long"),
    ):
        d = victim(**BOUNDS)
        d.put(facts.DECOMMISSIONED, USER, value)
        show(rows, f"decommission_of_value_{kind}", d, reason)
    d = victim()
    d.decommission(USER)
    d.publish_users()
    left = d.epoch
    # Changes of devices and keys have no effect after a user has left.
    d.set_device(b"v1", b"revived")
    d.publish_users()
    show(rows, "key_set_after_leaving", d, "valid")
    drop_leaf(d, facts.DECOMMISSIONED, USER)
    d.stored[facts.DECOMMISSIONED - 1].pop(USER)
    d.publish_users()
    for kind, kept, reason in (
        ("to_a_newcomer", Kept(), "valid"),
        ("to_one_who_saw_it_leave", Kept(USER, True, left), "user_returned"),
        ("to_one_who_knows_the_user_alone", Kept(USER, False, left), "valid"),
    ):
        show(rows, f"revived_{kind}", d, reason, Asked(NAME, kept=kept))
        short = [replace(At.all(d.epoch), name=None)]
        if kept.user is not None:
            show(rows, f"revived_without_its_name_{kind}", d, reason, Asked(NAME, kept=kept), at=short)
    before = d.user_lookup([Asked(NAME)], epoch=left - 1).encode()
    asked = [Asked(NAME, kept=Kept(USER, True, left))]
    rows.users("signed_before_it_left_to_one_who_saw_it", verifier(d), asked, before, "stale")


def _list_rows(rows: Rows) -> None:
    plain = DeviceList([b"a", b"b"]).encode()
    for kind, octets, reason in (
        ("of_none", DeviceList([]).encode(), "valid"),
        ("of_3", DeviceList([b"a", b"ab", b"b"]).encode(), "valid"),
        ("of_4", DeviceList([b"a", b"b", b"c", b"d"]).encode(), "device_list"),
        ("not_sorted", DeviceList([b"b", b"a"]).encode(), "device_list"),
        ("a_beginning_after", DeviceList([b"ab", b"a"]).encode(), "device_list"),
        ("of_octets_above_127", DeviceList([b"a\x7f", b"a\x80"]).encode(), "valid"),
        ("of_octets_above_127_as_signed", DeviceList([b"a\x80", b"a\x7f"]).encode(), "device_list"),
        ("shorter_first", DeviceList([b"b", b"aa"]).encode(), "device_list"),
        ("id_twice", DeviceList([b"a", b"a"]).encode(), "device_list"),
        ("id_twice_apart", DeviceList([b"a", b"b", b"a"]).encode(), "device_list"),
        ("id_of_12_octets", DeviceList([b"a" * 12]).encode(), "valid"),
        ("id_of_13_octets", DeviceList([b"a" * 13]).encode(), "device_list"),
        ("id_empty", b"\0\0\1\0", "device_list"),
        ("trailing_octet", plain + b"\0", "device_list"),
        ("truncated", plain[:-1], "device_list"),
        ("length_too_short", b"\0\0\3" + plain[3:], "device_list"),
        ("length_too_long", b"\0\0\5" + plain[3:], "device_list"),
        ("last_id_too_long", plain[:5] + b"\2" + plain[6:], "device_list"),
        ("empty_value", b"", "device_list"),
        ("no_list", b"not a list", "device_list"),
        ("of_49_octets", b"\0\0\x2e" + bytes(46), "value_too_long"),
    ):
        d = liar(**BOUNDS)
        d.put(facts.USERNAMES, NAME, USER)
        d.put(facts.DEVICES, USER, octets)
        item = d.user_lookup([Asked(b"honest")]).users[0]
        name, devices = d.entry(d.epoch, facts.USERNAMES, NAME), d.versioned(d.epoch, facts.DEVICES, USER)
        left = d.entry(d.epoch, facts.DECOMMISSIONED, USER)
        asked = d.ids_at(d.epoch, USER) if reason == "valid" else []
        keys = [d.versioned(d.epoch, facts.KEYS, one) for one in asked] if reason == "valid" else item.keys
        answer = UserLookupAnswer(d.head(d.epoch), [], [UserLookup(CURRENT, name, left, devices, keys)])
        rows.users(f"signed_list_{kind}", verifier(d), [Asked(NAME)], answer.encode(), reason)

    # One user has no list, and another user's list is hidden.
    d = liar()
    d.put(facts.USERNAMES, NAME, USER)
    show(rows, "no_list_at_all", d, "devices_missing")
    show(rows, "no_list_at_all_one_device", d, "devices_missing", Asked(NAME, b"v1"))
    d = victim()
    shown = d.user_lookup([Asked(NAME)])
    user = shown.users[0]
    label, vrf_proof = d.prove(d.vrf_keys[facts.DEVICES - 1], USER, 1, facts.DEVICES)
    hidden = mutations_users.own_leaf(user.devices.lookup.members[0], label)
    lookup = replace(user.devices.lookup, version=0, members=[], absent=[hidden])
    answer = replace(shown, users=[replace(user, devices=replace(user.devices, lookup=lookup), keys=[])])
    rows.users("signed_list_hidden_behind_its_own_leaf", verifier(d), [Asked(NAME)], answer.encode(), "absent_covers")
    # A device is on the lists of two users, which is valid, because the verifier judges each list without the other.
    d = victim()
    d.add_device(b"id-honest", b"v1", None)
    d.publish_users()
    for name in (NAME, b"honest"):
        show(rows, "device_of_two_users", d, "valid", Asked(name))


def _leaf_rows(rows: Rows) -> None:
    """Adds rows of leaves that name another epoch than the epoch that inserted them."""
    for kind, written, reason in (("0", 0, "leaf_epoch_period"), ("its_own", 2, "valid"), ("the_next", 3, "leaf_epoch_future")):
        d = liar()
        d.put(facts.USERNAMES, NAME, USER, written)
        d.create(USER, [], {b"v1": b"v1"})
        name_at = d.epoch
        d.publish_users()
        at = [At(name_at, d.epoch, d.epoch, d.epoch)]
        show(rows, f"name_s_leaf_of_epoch_{kind}", d, reason, at=at)
        d = victim()
        d.put(facts.DECOMMISSIONED, USER, b"\1", None if written == 2 else written and 4)
        show(rows, f"decommission_s_leaf_of_epoch_{kind}", d, reason)
        for structure, key, value in ((facts.DEVICES, USER, DeviceList([b"v1"]).encode()), (facts.KEYS, b"v1", b"v1 2")):
            d = victim()
            name = "list" if structure == facts.DEVICES else "key"
            d.put(structure, key, value, None if written == 2 else written and 4)
            show(rows, f"{name}_s_leaf_of_epoch_{kind}", d, reason)


def _erased_rows(rows: Rows) -> None:
    """Adds rows of latest values whose openings are erased."""
    d = victim()
    d.add_device(USER, b"v2", b"v2")
    d.publish_users()
    whole = d.user_lookup([Asked(NAME)])
    user = whole.users[0]

    def erased(kind: str, reason: str, **fields) -> None:
        answer = replace(whole, users=[replace(user, **fields)])
        rows.users(f"signed_erased_{kind}", verifier(d), [Asked(NAME)], answer.encode(), reason)

    def without_value(entry, index: int = -1):
        members: list[Member] = list(entry.lookup.members)
        members[index] = mutations_users.committed(members[index])
        return replace(entry, lookup=replace(entry.lookup, members=members))

    erased("list", "member_kind", devices=without_value(user.devices))
    erased("key", "member_kind", keys=[without_value(user.keys[0]), user.keys[1]])
    erased("second_key", "member_kind", keys=[user.keys[0], without_value(user.keys[1])])
    erased("name", "member_kind", name=replace(user.name, proof=mutations_users.committed(user.name.proof)))
    d.decommission(USER)
    d.publish_users()
    whole = d.user_lookup([Asked(NAME)])
    user = whole.users[0]
    erased("decommission", "member_kind",
           decommissioned=replace(user.decommissioned, proof=mutations_users.committed(user.decommissioned.proof)))


def _record_rows(rows: Rows) -> None:
    """Adds rows of records on the board that contradict each other: the record of a part contradicts the record of the head."""
    other = ecvrf.SecretKey.from_uniform(bytes(range(64))).public.encoded

    def part_lie(kind: str, reason: str, change: Callable[[EpochRecord], EpochRecord], part: int = 4, head: int = 6) -> None:
        d = victim()
        for _ in range(4):
            d.publish_users()
        d.change_record(part, change)
        asked, at = [Asked(NAME)], [At(head, part, part, part)]
        encoded = d.user_lookup(asked, at, epoch=head).encode()
        rows.users(f"signed_part_{kind}", verifier(d), asked, encoded, reason)

    def state(number: int, **changes) -> Callable[[EpochRecord], EpochRecord]:
        return lambda r: r.with_structure(number, **changes)

    part_lie("control", "valid", lambda r: r)
    part_lie("control_after_the_head", "valid", lambda r: r, 6, 4)
    for number, name in enumerate(("usernames", "devices", "keys", "decommissioned"), 1):
        part_lie(f"of_another_vrf_key_{name}", "record_vrf_key", state(number, vrf_public_key=other))
        part_lie(f"of_more_leaves_{name}", "record_count", state(number, count=9))
    part_lie("after_the_head_of_another_vrf_key", "record_vrf_key", state(facts.KEYS, vrf_public_key=other), 6, 4)
    part_lie("after_the_head_of_less_leaves", "record_count", state(facts.USERNAMES, count=1), 6, 4)
    part_lie("as_late_as_the_head_allows", "valid", lambda r: replace(r, time_ms=r.time_ms + 2 * STEP_MS - 2))
    part_lie("too_late_before_the_head", "record_time", lambda r: replace(r, time_ms=r.time_ms + 2 * STEP_MS - 1))
    part_lie("too_early_after_the_head", "record_time", lambda r: replace(r, time_ms=r.time_ms - 2 * STEP_MS + 1), 6, 4)
    part_lie("not_the_one_before_the_head", "record_previous", lambda r: replace(r, time_ms=r.time_ms + 1), 5, 6)
    part_lie("not_the_one_after_the_head", "record_previous", lambda r: replace(r, previous=bytes(32)), 5, 4)
    part_lie("of_another_epoch_in_its_place", "inclusion_proof", lambda r: replace(r, epoch=3))
    part_lie("format", "record_format", lambda r: replace(r, format=2))
    part_lie("log_id", "record_log_id", lambda r: replace(r, log_id=bytes(32)))
    part_lie("empty_root", "record_count", state(facts.USERNAMES, root=tree.EMPTY))
    part_lie("other_root", "member_root", state(facts.DEVICES, root=bytes(32)))
    part_lie("of_a_period_of_its_own", "part_period", lambda r: replace(r, period=1, period_first_epoch=4))
    d = UserDirectory(seed=74, period_length_ms=5 * STEP_MS)
    d.create(USER, [NAME], {b"v1": b"v1"})
    d.publish_users()
    d.switch_period(d.records[0].time_ms + 5 * STEP_MS)
    for _ in range(3):
        d.publish_users()
    d.records[5] = replace(d.records[5], period_first_epoch=3)
    asked = [Asked(NAME)]
    answer = d.user_lookup(asked, [At(5, 4, 4, 4)], epoch=3)
    rows.users("signed_part_of_another_first_epoch", verifier(d), asked, answer.encode(), "record_period")


def _key_rows(rows: Rows) -> None:
    """Adds rows of invalid VRF keys, even of structures that the answer does not use."""
    for number, name in enumerate(("usernames", "devices", "keys", "decommissioned"), 1):
        for kind, octets in (("identity", fourq.encode_element(fourq.ONE)), ("malformed", b"\xff" * 32)):
            d = victim()
            d.change_record(d.epoch, lambda r, n=number, o=octets: r.with_structure(n, vrf_public_key=o))
            show(rows, f"vrf_key_{kind}_of_{name}", d, "vrf_key_invalid", Asked(b"nobody"))
