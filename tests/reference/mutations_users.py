"""Named changes of honest answers about users (docs/spec/users.md), each with the one reason for which a verifier must refuse it.

As in mutations.py, the changes need no key of the log.
"""

from collections.abc import Iterator
from dataclasses import replace

import facts
import tree
from codec import LeafNode, Member, NonMember
from codec_users import CURRENT, HAS_LEFT, NO_SUCH_USER, Entry, PartRecord, UserLookup, UserLookupAnswer, VersionedEntry
from mutations import Change, flip, item_changes, member_changes, non_member_changes
from record import EpochRecord


def committed(member: Member) -> Member:
    return replace(member, value=None, opening=None, commitment=tree.commitment_of(member.opening, member.value))


def own_leaf(member: Member, label: int) -> NonMember:
    """Returns a proof of absence that opens the label's own leaf as the node at the label's place."""
    commitment = tree.commitment_of(member.opening, member.value)
    return NonMember(member.vrf_proof, LeafNode(tree.to_octets(label), commitment, member.epoch), member.path)


def with_user(answer: UserLookupAnswer, user: UserLookup) -> bytes:
    return replace(answer, users=[user]).encode()


def layout_changes(answer: UserLookupAnswer) -> Iterator[Change]:
    """Yields changes of the layout of an answer about one current user with one device. The answer has the name's entry and at least one
    part."""
    encoded, user = answer.encode(), answer.users[0]
    parts_at = len(answer.head.encode())
    users_at = parts_at + 2 + sum(len(part.encode()) for part in answer.parts)
    kind_at = users_at + 4
    name_at = kind_at + 2
    left_at = name_at + len(user.name.encode())
    devices_at = left_at + len(user.decommissioned.encode())
    keys_at = devices_at + len(user.devices.encode())

    def octet(at: int, value: int) -> bytes:
        return encoded[:at] + bytes([value]) + encoded[at + 1 :]

    def length(at: int, width: int, by: int) -> bytes:
        changed = int.from_bytes(encoded[at : at + width], "big") + by
        return encoded[:at] + changed.to_bytes(width, "big") + encoded[at + width :]

    yield "user_kind_3", octet(kind_at, 3), "malformed_enum"
    yield "user_name_2", octet(kind_at + 1, 2), "malformed_enum"
    yield "user_name_entry_kind_2", octet(name_at + 1, 2), "malformed_enum"
    yield "user_name_member_kind_2", octet(name_at + 2 + facts.VRF_PROOF_LEN + 8, 2), "malformed_enum"
    yield "user_decommissioned_entry_kind_2", octet(left_at + 1, 2), "malformed_enum"
    yield "user_decommissioned_node_3", octet(left_at + 2 + facts.VRF_PROOF_LEN, 3), "malformed_enum"
    yield "user_devices_member_kind_2", octet(devices_at + 1 + 8 + 3 + facts.VRF_PROOF_LEN + 8, 2), "malformed_enum"
    yield "user_keys_member_kind_2", octet(keys_at + 4 + 1 + 8 + 3 + facts.VRF_PROOF_LEN + 8, 2), "malformed_enum"
    yield "user_without_users", encoded[:users_at] + bytes(4), "malformed_length"
    yield "user_users_too_short", length(users_at, 4, -1), "malformed_truncated"
    yield "user_users_beyond_the_end", length(users_at, 4, 1), "malformed_truncated"
    yield "user_keys_too_short", length(keys_at, 4, -1), "malformed_truncated"
    yield "user_keys_beyond_the_end", length(keys_at, 4, 1), "malformed_truncated"
    yield "user_part_too_short", length(parts_at, 2, -1), "malformed_truncated"
    inclusion_at = parts_at + 2 + facts.RECORD_LEN
    yield "user_part_inclusion_odd_length", length(inclusion_at, 2, 1), "malformed_length"
    yield "user_part_inclusion_too_long", encoded[:inclusion_at] + b"\xff\xff" + encoded[inclusion_at + 2 :], "malformed_length"
    for name, at in (
        ("before_the_parts", parts_at),
        ("in_a_part", parts_at + 2 + facts.RECORD_LEN - 1),
        ("before_the_users", users_at),
        ("after_the_parts_record", inclusion_at + 1),
        ("before_the_user", kind_at),
        ("before_the_name", name_at),
        ("in_the_name", left_at - 1),
        ("before_the_decommission", left_at),
        ("before_the_devices", devices_at),
        ("before_the_keys", keys_at),
        ("in_the_keys", keys_at + 40),
    ):
        yield f"user_truncated_{name}", encoded[:at], "malformed_truncated"


def part_changes(answer: UserLookupAnswer) -> Iterator[Change]:
    """Yields copies of an answer in which the records, the proofs or the list of its parts were changed. The answer must have at least two
    parts, all of epochs before the head's epoch."""
    parts, head = answer.parts, EpochRecord.parse(answer.head.record)
    second = EpochRecord.parse(parts[1].record)

    def changed(name: str, reason: str, part: PartRecord) -> Change:
        return f"part_{name}", replace(answer, parts=[parts[0], part, *parts[2:]]).encode(), reason

    def of_record(name: str, reason: str, r: EpochRecord) -> Change:
        return changed(name, reason, replace(parts[1], record=r.encode()))

    yield of_record("format_2", "record_format", replace(second, format=2))
    yield of_record("of_another_log", "record_log_id", replace(second, log_id=flip(second.log_id, 0)))
    yield of_record("period_first_beyond", "record_period", replace(second, period_first_epoch=second.epoch + 1))
    yield of_record("period_1_from_0", "record_period", replace(second, period=second.period + 1))
    yield of_record("keys_count_0", "record_count", second.with_structure(facts.KEYS, count=0))
    yield of_record("of_the_head_s_epoch", "part_order", replace(second, epoch=head.epoch))
    first = EpochRecord.parse(parts[0].record).epoch
    yield of_record("of_the_first_s_epoch", "part_order", replace(second, epoch=first))
    yield of_record("of_another_period", "part_period", replace(second, period=1, period_first_epoch=1))
    yield of_record("epoch_2_64_minus_1", "inclusion_index", replace(second, epoch=2**64 - 1))
    yield of_record("time_plus_1", "inclusion_proof", replace(second, time_ms=second.time_ms + 1))
    for number, name in enumerate(("usernames", "devices", "keys", "decommissioned"), 1):
        state = second.structure(number)
        yield of_record(f"{name}_root", "inclusion_proof", second.with_structure(number, root=flip(state.root, 0)))
        yield of_record(f"{name}_count", "inclusion_proof", second.with_structure(number, count=state.count + 1))
        other = head.structure(number % 4 + 1).vrf_public_key
        yield of_record(f"{name}_vrf_key", "inclusion_proof", second.with_structure(number, vrf_public_key=other))
    yield of_record("previous", "inclusion_proof", replace(second, previous=flip(second.previous, 0)))
    hashes = parts[1].inclusion
    yield changed("inclusion_emptied", "inclusion_proof", replace(parts[1], inclusion=[]))
    yield changed("inclusion_hash_missing", "inclusion_proof", replace(parts[1], inclusion=hashes[:-1]))
    yield changed("inclusion_hash_added", "inclusion_proof", replace(parts[1], inclusion=[*hashes, bytes(32)]))
    flipped = [flip(hashes[0], 0), *hashes[1:]]
    yield changed("inclusion_hash_changed", "inclusion_proof", replace(parts[1], inclusion=flipped))
    yield changed("inclusion_of_the_first", "inclusion_proof", replace(parts[1], inclusion=parts[0].inclusion))
    yield "parts_exchanged", replace(answer, parts=[parts[1], parts[0], *parts[2:]]).encode(), "part_order"
    yield "part_twice", replace(answer, parts=[parts[0], parts[0], *parts[1:]]).encode(), "part_order"
    yield "part_twice_at_the_end", replace(answer, parts=[*parts, parts[-1]]).encode(), "part_order"
    as_part = PartRecord(answer.head.record, answer.head.inclusion)
    ordered = sorted([*parts, as_part], key=lambda part: EpochRecord.parse(part.record).epoch)
    yield "part_is_the_head", replace(answer, parts=ordered).encode(), "part_order"


def user_changes(answer: UserLookupAnswer) -> Iterator[Change]:
    """Yields changes of an answer without parts about one current user with one device. The answer has the name's entry; some users have
    left."""
    user = answer.users[0]
    name, left, devices, key = user.name, user.decommissioned, user.devices, user.keys[0]

    def changed(what: str, reason: str, **fields) -> Change:
        return f"user_{what}", with_user(answer, replace(user, **fields)), reason

    yield "user_twice", replace(answer, users=[user, user]).encode(), "answer_count"
    for what, field in (("name", name), ("decommissioned", left), ("devices", devices)):
        for number in (1, 255):
            yield changed(f"{what}_of_part_{number}", "part_unknown", **{what: replace(field, record=number)})
    yield changed("key_of_part_1", "part_unknown", keys=[replace(key, record=1)])
    yield changed("name_left_out", "user_name_missing", name=None)
    yield changed("as_left", "user_kind", kind=HAS_LEFT)
    yield changed("as_no_such_user", "user_kind", kind=NO_SUCH_USER)
    yield changed("as_no_such_user_without_a_name", "user_name_missing", kind=NO_SUCH_USER, name=None)
    yield changed("name_absent", "user_kind", name=replace(name, proof=left.proof))
    yield changed("decommissioned_present", "user_kind", decommissioned=replace(left, proof=name.proof))
    as_left = UserLookup(HAS_LEFT, name, replace(left, proof=name.proof), None, [])
    yield "user_left_by_its_name", with_user(answer, as_left), "vrf_challenge"
    none = UserLookup(NO_SUCH_USER, replace(name, proof=left.proof), None, None, [])
    yield "user_none_by_its_decommission", with_user(answer, none), "vrf_challenge"
    as_entry = Entry(0, devices.lookup.members[-1])
    yield changed("name_by_its_devices", "vrf_challenge", name=as_entry)
    yield changed("devices_by_its_key", "vrf_challenge", devices=key)
    yield changed("key_by_its_devices", "vrf_challenge", keys=[devices])
    yield changed("key_missing", "device_count", keys=[])
    yield changed("key_twice", "device_count", keys=[key, key])
    yield changed("name_committed", "member_kind", name=replace(name, proof=committed(name.proof)))
    for what, proof, reason in member_changes(name.proof, left.proof.vrf_proof):
        yield changed(f"name_{what}", reason, name=replace(name, proof=proof))
    for what, proof, reason in non_member_changes(left.proof, name.proof.vrf_proof):
        yield changed(f"decommissioned_{what}", reason, decommissioned=replace(left, proof=proof))
    yield from versioned_changes(answer, "devices", devices)
    yield from versioned_changes(answer, "keys", key)


def versioned_changes(answer: UserLookupAnswer, field: str, entry: VersionedEntry) -> Iterator[Change]:
    """Yields changes of `entry`, which is the only entry in the answer's field `devices` or `keys`; `field` says which."""
    for what, lookup, reason in item_changes(entry.lookup):
        changed = replace(entry, lookup=lookup)
        user = replace(answer.users[0], **{field: [changed] if field == "keys" else changed})
        yield f"user_{field}_{what}", with_user(answer, user), reason


def none_changes(answer: UserLookupAnswer) -> Iterator[Change]:
    """Yields changes of an answer about a username that leads to no user."""
    user = answer.users[0]
    assert user.kind == NO_SUCH_USER
    yield "none_name_left_out", with_user(answer, replace(user, name=None)), "user_name_missing"
    yield "none_of_part_1", with_user(answer, replace(user, name=replace(user.name, record=1))), "part_unknown"
    for what, proof, reason in non_member_changes(user.name.proof, b"\0" * facts.VRF_PROOF_LEN):
        if what != "vrf_proof_of_another_version":
            yield f"none_{what}", with_user(answer, replace(user, name=replace(user.name, proof=proof))), reason


def left_changes(answer: UserLookupAnswer, current: UserLookup) -> Iterator[Change]:
    """Yields changes of an answer about a user who has left, with the name's entry. `current` is the item of another user, who is
    current."""
    user = answer.users[0]
    assert user.kind == HAS_LEFT
    left = user.decommissioned

    def changed(what: str, reason: str, proof: Member | NonMember, name: Entry | None = user.name) -> Change:
        item = replace(user, name=name, decommissioned=replace(left, proof=proof))
        return f"left_{what}", with_user(answer, item), reason

    yield changed("committed", "member_kind", committed(left.proof))
    yield changed("absent", "user_kind", current.decommissioned.proof)
    yield changed("name_left_out", "user_name_missing", left.proof, None)
    for what, member, reason in member_changes(left.proof, user.name.proof.vrf_proof):
        yield changed(what, reason, member)
    as_current = replace(current, name=user.name, decommissioned=left)
    yield "left_as_current", with_user(answer, as_current), "user_kind"
    assert current.kind == CURRENT
    of_another = replace(current, name=user.name)
    yield "left_with_the_rest_of_another", with_user(answer, of_another), "vrf_challenge"
