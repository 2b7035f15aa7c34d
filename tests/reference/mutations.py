"""Named changes of honest answers, each with the one reason for which a verifier must refuse it.

The changes need no key of the log, so they also work on the answers of a live server (live.py), and not only on the answers of
directory.py. Lies that a server signs are in vectors_lookup.py.
"""

from collections.abc import Iterator
from dataclasses import replace

import board
import facts
import fourq
import tree
from codec import Head, InteriorNode, LeafNode, Lookup, LookupAnswer, Member, NonMember, Path, Versions, VersionsAnswer
from record import EpochRecord

Change = tuple[str, bytes, str]
Answer = LookupAnswer | VersionsAnswer


def flip(octets: bytes, index: int, mask: int = 1) -> bytes:
    index %= len(octets)
    return octets[:index] + bytes([octets[index] ^ mask]) + octets[index + 1 :]


def whole_changes(encoded: bytes) -> Iterator[Change]:
    yield "answer_empty", b"", "malformed_truncated"
    yield "answer_truncated_by_one", encoded[:-1], "malformed_truncated"
    yield "answer_record_truncated", encoded[:facts.RECORD_LEN - 1], "malformed_truncated"
    yield "answer_extended_by_one", encoded + b"\0", "malformed_trailing"
    yield "answer_twice", encoded * 2, "malformed_trailing"


def record_changes(answer: Answer) -> Iterator[Change]:
    r = EpochRecord.parse(answer.head.record)
    size = checkpoint_size(answer.head)
    keys = r.structure(facts.KEYS)

    def changed(name: str, other: EpochRecord, reason: str) -> Change:
        return f"record_{name}", replace(answer, head=replace(answer.head, record=other.encode())).encode(), reason

    yield changed("format_2", replace(r, format=2), "record_format")
    yield changed("of_another_log", replace(r, log_id=flip(r.log_id, 0)), "record_log_id")
    beyond = "inclusion_index" if r.epoch + 1 >= size else "inclusion_proof"
    yield changed("epoch_plus_1", replace(r, epoch=r.epoch + 1), beyond)
    before = "record_period" if r.epoch == r.period_first_epoch else "record_count" if r.epoch == 1 else "inclusion_proof"
    yield changed("epoch_minus_1", replace(r, epoch=r.epoch - 1), before)
    yield changed("epoch_2_64_minus_1", replace(r, epoch=2**64 - 1), "inclusion_index")
    risen = "inclusion_proof" if r.period else "record_period"
    yield changed("period_without_switch", replace(r, period=r.period + 1), risen)
    yield changed("period_first_beyond", replace(r, period_first_epoch=r.epoch + 1), "record_period")
    yield changed("time_plus_1", replace(r, time_ms=r.time_ms + 1), "inclusion_proof")
    yield changed("keys_root", r.with_structure(facts.KEYS, root=flip(keys.root, 31)), "inclusion_proof")
    yield changed("keys_root_empty", r.with_structure(facts.KEYS, root=tree.EMPTY), "record_count")
    yield changed("keys_count_0", r.with_structure(facts.KEYS, count=0), "record_count")
    yield changed("keys_count_plus_1", r.with_structure(facts.KEYS, count=keys.count + 1), "inclusion_proof")
    other_key = r.structure(facts.USERNAMES).vrf_public_key
    yield changed("vrf_key_of_another_structure", r.with_structure(facts.KEYS, vrf_public_key=other_key), "inclusion_proof")
    yield changed("vrf_key_identity", r.with_structure(facts.KEYS, vrf_public_key=b"\1" + bytes(31)), "inclusion_proof")
    filled = "inclusion_proof" if r.structure(facts.USERNAMES).count else "record_count"
    yield changed("usernames_root", r.with_structure(facts.USERNAMES, root=bytes(32)), filled)
    yield changed("previous", replace(r, previous=flip(r.previous, 0)), "inclusion_proof")


def checkpoint_size(head: Head) -> int:
    return int(head.checkpoint.split(b"\n")[1])


def head_changes(answer: Answer) -> Iterator[Change]:
    head = answer.head

    def changed(name: str, reason: str, **fields) -> Change:
        return name, replace(answer, head=replace(head, **fields)).encode(), reason

    if head.inclusion:
        yield changed("inclusion_emptied", "inclusion_proof", inclusion=[])
        yield changed("inclusion_hash_missing", "inclusion_proof", inclusion=head.inclusion[:-1])
        flipped = [flip(head.inclusion[0], 0), *head.inclusion[1:]]
        yield changed("inclusion_hash_changed", "inclusion_proof", inclusion=flipped)
    yield changed("inclusion_hash_added", "inclusion_proof", inclusion=[*head.inclusion, bytes(32)])
    if len(head.inclusion) > 1:
        yield changed("inclusion_reversed", "inclusion_proof", inclusion=head.inclusion[::-1])
    yield changed("consistency_unasked", "checkpoint_consistency", consistency=[bytes(32)])
    yield changed("checkpoint_left_out", "checkpoint_missing", checkpoint=b"")
    encoded = answer.encode()
    length = len(head.inclusion) * 32
    start, rest = encoded[: facts.RECORD_LEN], encoded[facts.RECORD_LEN + 2 :]
    odd = (length + 1).to_bytes(2, "big") + rest[:length] + b"\0" + rest[length:]
    yield "inclusion_odd_length", start + odd, "malformed_length"
    yield "inclusion_too_long", start + (2048).to_bytes(2, "big") + bytes(2048) + rest, "malformed_length"

    text, signatures = head.checkpoint.decode().rsplit("\n\n", 1)
    origin, size, root = text.split("\n")
    own_line = next(line for line in signatures.splitlines(keepends=True) if line.startswith(f"\u2014 {origin} "))

    def note(name: str, reason: str, body: str = text, block: str = signatures) -> Change:
        return changed(f"checkpoint_{name}", reason, checkpoint=f"{body}\n\n{block}".encode())

    yield note("size_plus_1", "checkpoint_signature", f"{origin}\n{int(size) + 1}\n{root}")
    yield note("size_leading_zero", "checkpoint_malformed", f"{origin}\n0{size}\n{root}")
    yield note("size_2_64", "checkpoint_malformed", f"{origin}\n{2**64}\n{root}")
    yield note("of_another_root", "checkpoint_signature", f"{origin}\n{size}\n{'A' * 43}=")
    yield note("root_of_31_octets", "checkpoint_malformed", f"{origin}\n{size}\n{'A' * 42}==")
    yield note("of_another_origin", "checkpoint_origin", f"{origin}x\n{size}\n{root}")
    yield note("extension_line", "checkpoint_malformed", text + "\nmore")
    yield note("cr_lf", "checkpoint_malformed", text.replace("\n", "\r\n"))
    yield note("no_signature", "checkpoint_malformed", block="")
    yield note("no_last_newline", "checkpoint_malformed", block=signatures[:-1])
    yield note("signed_twice", "checkpoint_signature", block=signatures + own_line)
    yield note("other_signer_alone", "checkpoint_signature", block=own_line.replace(origin, origin + "x"))
    raw = board.canonical_base64(own_line.split(" ")[2].rstrip("\n"))
    for name, reason, blob in (
        ("signature_changed", "checkpoint_signature", flip(raw, 40)),
        ("signature_other_key_id", "checkpoint_signature", flip(raw, 0)),
        ("signature_short", "checkpoint_signature", raw[:-1]),
        ("signature_s_plus_l", "checkpoint_signature", _s_plus_l(raw)),
    ):
        yield note(name, reason, block=board.signature_line(origin, blob[:4], blob[4:]))
    yield changed("checkpoint_not_utf8", "checkpoint_malformed", checkpoint=b"\xff" + head.checkpoint)


def _s_plus_l(raw: bytes) -> bytes:
    s = int.from_bytes(raw[36:], "little") + 2**252 + 27742317777372353535851937790883648493
    return raw[:36] + s.to_bytes(32, "little")


def vrf_changes(proof: bytes, other_proof: bytes) -> Iterator[tuple[str, bytes, str]]:
    """Yields changed VRF proofs. `other_proof` is the proof of another key or version under the same VRF key."""
    s = int.from_bytes(proof[48:], "little")

    def with_s(value: int) -> bytes:
        return proof[:48] + value.to_bytes(31, "little")

    order_2 = fourq.encode_element((fourq.P - 1, 0))
    yield "vrf_s_plus_n", with_s(s + fourq.N), "vrf_scalar_range"
    yield "vrf_s_is_n", with_s(fourq.N), "vrf_scalar_range"
    yield "vrf_s_changed", with_s((s + 1) % fourq.N), "vrf_challenge"
    yield "vrf_challenge_changed", flip(proof, 32), "vrf_challenge"
    yield "vrf_gamma_bit_127", flip(proof, 15, 0x80), "vrf_gamma_malformed"
    yield "vrf_gamma_negated", flip(proof, 31, 0x80), "vrf_challenge"
    yield "vrf_gamma_y0_is_p", fourq.P.to_bytes(16, "little") + proof[16:], "vrf_gamma_malformed"
    yield "vrf_gamma_identity", fourq.point_to_string(fourq.IDENTITY) + proof[32:], "vrf_gamma_small_order"
    yield "vrf_gamma_identity_sign", b"\1" + bytes(30) + b"\x80" + proof[32:], "vrf_gamma_malformed"
    yield "vrf_gamma_order_2", order_2 + proof[32:], "vrf_gamma_small_order"
    shifted = fourq.point_add(fourq.string_to_point(proof[:32]), fourq.string_to_point(order_2))
    yield "vrf_gamma_plus_order_2", fourq.point_to_string(shifted) + proof[32:], "vrf_challenge"
    yield "vrf_proof_of_another_input", other_proof, "vrf_challenge"


def path_changes(path: Path, reason: str) -> Iterator[tuple[str, Path, str]]:
    siblings, mask = path.siblings, path.mask
    yield "sibling_added", Path(mask, [*siblings, bytes(32)]), "path_length"
    yield "mask_bit_toggled", Path(flip(mask, -1), siblings), "path_length"
    if siblings:
        yield "sibling_missing", Path(mask, siblings[:-1]), "path_length"
        yield "sibling_changed", Path(mask, [flip(siblings[0], 0), *siblings[1:]]), reason
        yield "path_emptied", Path(bytes(32), []), reason
    if len(siblings) > 1:
        yield "siblings_swapped", Path(mask, [siblings[1], siblings[0], *siblings[2:]]), reason


def member_changes(member: Member, other_vrf_proof: bytes) -> Iterator[tuple[str, Member, str]]:
    """Yields changes of an opened member, which stays opened."""
    for name, proof, reason in vrf_changes(member.vrf_proof, other_vrf_proof):
        yield name, replace(member, vrf_proof=proof), reason
    for name, path, reason in path_changes(member.path, "member_root"):
        yield name, replace(member, path=path), reason
    yield "leaf_epoch_plus_1", replace(member, epoch=member.epoch + 1), "member_root"
    if member.epoch > 0:
        yield "leaf_epoch_0", replace(member, epoch=0), "member_root"
    yield "opening_changed", replace(member, opening=flip(member.opening, 0)), "member_root"
    yield "value_changed", replace(member, value=flip(member.value, 0) if member.value else b"x"), "member_root"
    yield "value_extended", replace(member, value=member.value + b"\0"), "member_root"


def non_member_changes(proof: NonMember, other_vrf_proof: bytes) -> Iterator[tuple[str, NonMember, str]]:
    yield "vrf_proof_of_another_version", replace(proof, vrf_proof=other_vrf_proof), "vrf_challenge"
    yield "claimed_empty", NonMember(proof.vrf_proof, None, None), "absent_empty"
    node = proof.node
    if isinstance(node, InteriorNode):
        yield "children_swapped", replace(proof, node=replace(node, left=node.right, right=node.left)), "absent_root"
        yield "child_changed", replace(proof, node=replace(node, left=flip(node.left, 0))), "absent_root"
        yield "length_0", replace(proof, node=replace(node, length=0, prefix=bytes(32))), "absent_covers"
        if node.length < 255:
            yield "bit_beyond_the_prefix", replace(proof, node=replace(node, prefix=flip(node.prefix, 31))), "absent_padding"
    else:
        yield "leaf_epoch_changed", replace(proof, node=replace(node, epoch=node.epoch + 1)), "absent_root"
        yield "leaf_commitment_changed", replace(proof, node=replace(node, commitment=bytes(32))), "absent_root"
    for name, path, reason in path_changes(proof.path, "absent_root"):
        # A mask bit must come before the bit where label and node differ. The verifier checks this first, and counts the siblings
        # afterwards.
        yield name, replace(proof, path=path), "absent_depth" if name == "mask_bit_toggled" else reason


def lookup_changes(answer: LookupAnswer, other: Lookup) -> Iterator[Change]:
    """Yields changes of an answer with one item, about a key with at least one version. `other` is the honest item of another key in this
    record."""
    item = answer.items[0]
    encoded = answer.encode()
    yield "lookup_item_twice", replace(answer, items=[item, item]).encode(), "answer_count"
    yield "lookup_of_another_key", replace(answer, items=[other]).encode(), "vrf_challenge"
    yield "lookup_no_item", answer.head.encode() + bytes(4), "malformed_length"
    for name, lookup, reason in item_changes(item):
        yield f"lookup_{name}", replace(answer, items=[lookup]).encode(), reason
    kind_at = len(encoded) - len(item.encode()) + 8 + 3 + facts.VRF_PROOF_LEN + 8
    yield "lookup_kind_2", encoded[:kind_at] + b"\2" + encoded[kind_at + 1 :], "malformed_enum"
    node_at = len(encoded) - len(item.absent[-1].encode()) + facts.VRF_PROOF_LEN
    yield "lookup_node_3", encoded[:node_at] + b"\3" + encoded[node_at + 1 :], "malformed_enum"


def item_changes(item: Lookup) -> Iterator[tuple[str, Lookup, str]]:
    """Yields changes of an item that shows at least one version."""
    last = item.members[-1]

    def changed(name: str, reason: str, **fields) -> tuple[str, Lookup, str]:
        return name, replace(item, **fields), reason

    yield changed("version_2_64_minus_1", "version_range", version=2**64 - 1)
    yield changed("version_0", "ladder_count", version=0)
    yield changed("no_members", "ladder_count", members=[])
    yield changed("first_member_missing", "ladder_count", members=item.members[1:])
    yield changed("last_member_missing", "ladder_count", members=item.members[:-1])
    yield changed("member_twice", "ladder_count", members=[*item.members, last])
    yield changed("hidden_as_never_set", "vrf_challenge", version=0, members=[], absent=item.absent[:1])
    yield changed("no_absences", "ladder_count", absent=[])
    yield changed("absence_missing", "ladder_count", absent=item.absent[:-1])
    yield changed("absence_twice", "ladder_count", absent=[*item.absent, item.absent[0]])
    if len(item.absent) > 1:
        yield changed("absences_reversed", "vrf_challenge", absent=item.absent[::-1])
        yield changed("first_absence_only", "ladder_count", absent=item.absent[:1])
        yield changed("first_absence_for_all", "vrf_challenge", absent=item.absent[:1] * len(item.absent))
    bare = replace(last, value=None, opening=None, commitment=tree.commitment_of(last.opening, last.value))
    yield changed("latest_not_opened", "member_kind", members=[*item.members[:-1], bare])
    if len(item.members) > 1:
        yield changed("members_reversed", "member_kind", members=item.members[::-1])
        opened = replace(item.members[0], commitment=None, opening=bytes(16), value=b"")
        yield changed("first_member_opened", "member_kind", members=[opened, *item.members[1:]])
    before = len(item.members) - 1
    for name, member, reason in member_changes(last, item.absent[0].vrf_proof):
        yield changed(f"latest_{name}", reason, members=[*item.members[:before], member])
    for name, proof, reason in non_member_changes(item.absent[-1], last.vrf_proof):
        yield changed(f"absent_{name}", reason, absent=[*item.absent[:-1], proof])


def versions_changes(answer: VersionsAnswer) -> Iterator[Change]:
    """Yields changes of an answer with the whole list of one key with at least two versions, so its first page is also the last page."""
    item = answer.items[0]
    for name, changed, reason in versions_item_changes(item):
        yield f"versions_{name}", replace(answer, items=[changed]).encode(), reason
    yield "versions_item_twice", replace(answer, items=[item, item]).encode(), "answer_count"


def versions_item_changes(item: Versions) -> Iterator[tuple[str, Versions, str]]:
    """Yields changes of an item that is a whole list with at least two versions."""

    def changed(name: str, reason: str, **fields) -> tuple[str, Versions, str]:
        return name, replace(item, **fields), reason

    yield changed("from_2", "history_from", start=2)
    yield changed("from_0", "history_from", start=0)
    yield changed("version_2_64_minus_1", "version_range", version=2**64 - 1)
    yield changed("version_minus_1", "ladder_count", version=item.version - 1)
    yield changed("first_version_missing", "ladder_count", members=item.members[1:])
    yield changed("versions_reversed", "vrf_challenge", members=item.members[::-1])
    yield changed("absence_missing", "ladder_count", absent=item.absent[:-1])
    yield changed("absence_twice", "ladder_count", absent=[*item.absent, item.absent[0]])
    yield changed("page_with_absence", "ladder_count", members=item.members[:-1])
    yield changed("page_without_members", "ladder_count", members=[], absent=[])
    for name, member, reason in member_changes(item.members[0], item.members[1].vrf_proof):
        yield changed(f"first_{name}", reason, members=[member, *item.members[1:]])
    for name, proof, reason in non_member_changes(item.absent[-1], item.members[0].vrf_proof):
        yield changed(f"absent_{name}", reason, absent=[*item.absent[:-1], proof])


def own_leaf_opened(answer: LookupAnswer, label: bytes) -> Change:
    """Turns the lookup of a key at version 1 into the claim that the key was never set: the proof of absence opens the key's own leaf as
    the node at the label's place."""
    item = answer.items[0]
    first = item.members[0]
    commitment = first.commitment or tree.commitment_of(first.opening, first.value)
    proof = NonMember(first.vrf_proof, LeafNode(label, commitment, first.epoch), first.path)
    hidden = Lookup(0, [], [proof])
    return "lookup_own_leaf_opened_as_absent", replace(answer, items=[hidden]).encode(), "absent_covers"

