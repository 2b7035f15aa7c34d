"""Named changes of honest answers about an owner's own user (docs/spec/user-monitor.md), each with the one reason for which a verifier must
refuse it.

As in mutations.py, the changes need no key of the log.
"""

from collections.abc import Iterator
from dataclasses import replace

import facts
from codec_users import Entry, UserMonitorAnswer
from mutations import Change, member_changes, non_member_changes, versions_item_changes
from mutations_users import committed


def layout_changes(answer: UserMonitorAnswer) -> Iterator[Change]:
    """Yields changes of the layout of an answer about a current user with one name and some devices."""
    encoded = answer.encode()
    names_at = len(answer.head.encode())
    name_at = names_at + 3
    left_at = name_at + len(answer.names[0].encode())
    devices_at = left_at + len(answer.decommissioned.encode())
    keys_at = devices_at + len(answer.devices.encode())

    def octet(at: int, value: int) -> bytes:
        return encoded[:at] + bytes([value]) + encoded[at + 1 :]

    def length(at: int, width: int, by: int) -> bytes:
        changed = int.from_bytes(encoded[at : at + width], "big") + by
        return encoded[:at] + changed.to_bytes(width, "big") + encoded[at + width :]

    yield "name_entry_kind_2", octet(name_at + 1, 2), "malformed_enum"
    yield "decommissioned_entry_kind_2", octet(left_at + 1, 2), "malformed_enum"
    yield "decommissioned_node_3", octet(left_at + 2 + facts.VRF_PROOF_LEN, 3), "malformed_enum"
    yield "list_member_kind_2", octet(devices_at + 8 + 8 + 4 + facts.VRF_PROOF_LEN + 8, 2), "malformed_enum"
    yield "key_member_kind_2", octet(keys_at + 4 + 8 + 8 + 4 + facts.VRF_PROOF_LEN + 8, 2), "malformed_enum"
    yield "names_too_short", length(names_at, 3, -1), "malformed_truncated"
    yield "names_beyond_the_end", encoded[:names_at] + b"\xff\xff\xff" + encoded[names_at + 3 :], "malformed_truncated"
    yield "keys_too_short", length(keys_at, 4, -1), "malformed_truncated"
    yield "keys_beyond_the_end", length(keys_at, 4, 1), "malformed_truncated"
    yield "trailing_octet", encoded + b"\0", "malformed_trailing"
    yield "empty", b"", "malformed_truncated"
    for name, at in (
        ("before_the_names", names_at),
        ("in_the_name", left_at - 1),
        ("before_the_decommission", left_at),
        ("before_the_devices", devices_at),
        ("in_the_devices", keys_at - 1),
        ("before_the_keys", keys_at),
        ("in_the_keys", len(encoded) - 1),
    ):
        yield f"truncated_{name}", encoded[:at], "malformed_truncated"


def entry_changes(answer: UserMonitorAnswer) -> Iterator[Change]:
    """Yields changes of the entries of an answer about a current user with one name."""
    name, left = answer.names[0], answer.decommissioned

    def of_name(what: str, reason: str, *entries: Entry) -> Change:
        return f"name_{what}", replace(answer, names=list(entries)).encode(), reason

    yield of_name("missing", "answer_count")
    yield of_name("twice", "answer_count", name, name)
    for number in (1, 255):
        yield of_name(f"of_part_{number}", "part_unknown", replace(name, record=number))
        of_part = replace(answer, decommissioned=replace(left, record=number))
        yield f"decommissioned_of_part_{number}", of_part.encode(), "part_unknown"
    yield of_name("absent", "user_changed", replace(name, proof=left.proof))
    yield of_name("committed", "member_kind", replace(name, proof=committed(name.proof)))
    for what, member, reason in member_changes(name.proof, left.proof.vrf_proof):
        yield of_name(what, reason, replace(name, proof=member))
    for what, proof, reason in non_member_changes(left.proof, name.proof.vrf_proof):
        changed = replace(answer, decommissioned=replace(left, proof=proof))
        yield f"decommissioned_{what}", changed.encode(), reason
    gone = replace(answer, decommissioned=replace(left, proof=name.proof), devices=None, keys=[])
    yield "left_by_another_s_proof", gone.encode(), "vrf_challenge"


def list_changes(answer: UserMonitorAnswer) -> Iterator[Change]:
    """Yields changes of the user's device list in the answer, which has at least two versions of the list."""
    for what, item, reason in versions_item_changes(answer.devices):
        yield f"list_{what}", replace(answer, devices=item).encode(), reason


def key_changes(answer: UserMonitorAnswer, index: int) -> Iterator[Change]:
    """Yields changes of the key at `index` in the answer. This key has at least two versions, and the answer has at least two keys."""
    keys, item = answer.keys, answer.keys[index]

    def changed(name: str, reason: str, *items) -> Change:
        return f"key_{name}", replace(answer, keys=list(items)).encode(), reason

    for what, one, reason in versions_item_changes(item):
        yield changed(what, reason, *keys[:index], one, *keys[index + 1 :])
    yield changed("missing", "device_count", *keys[:index], *keys[index + 1 :])
    yield changed("first_missing", "device_count", *keys[1:])
    yield changed("last_missing", "device_count", *keys[:-1])
    yield changed("none", "device_count")
    yield changed("twice", "device_count", *keys, item)
    yield changed("exchanged", "vrf_challenge", *keys[::-1])
