"""Named changes of honest audit proofs, each with the one reason for which an auditor must refuse it."""

from collections.abc import Iterator
from dataclasses import replace

import facts
import proofs
import tree
from codec import AddedLeaf, AppendProof, AuditProof
from mutations import Change, flip
from record import EpochRecord
from tree import Interior, Leaf, Node, Stub, to_octets, to_position

KEYS = facts.KEYS - 1


def audit_changes(answer: AuditProof) -> Iterator[Change]:
    """Yields changes of an answer that covers at least two steps. For the structure `keys` the answer lists at least two leaves, and the
    old tree has at least two leaves."""
    encoded = answer.encode()
    records = [EpochRecord.parse(octets) for octets in answer.records]
    yield "audit_truncated", encoded[:-1], "malformed_truncated"
    yield "audit_extended", encoded + b"\0", "malformed_trailing"
    yield "audit_one_record", facts.RECORD_LEN.to_bytes(3, "big") + encoded[3:], "malformed_length"
    yield "audit_odd_records", (len(answer.records) * facts.RECORD_LEN - 1).to_bytes(3, "big") + encoded[3:], "malformed_length"

    def with_record(name: str, index: int, changed: EpochRecord, reason: str) -> Change:
        listed = [r.encode() for r in records]
        listed[index] = changed.encode()
        return f"audit_record_{name}", replace(answer, records=listed).encode(), reason

    first, second = records[:2]
    yield with_record("start_time_changed", 0, replace(first, time_ms=first.time_ms + 1), "audit_start")
    yield "audit_record_start_skipped", replace(answer, records=answer.records[1:]).encode(), "audit_start"
    yield "audit_record_skipped", replace(answer, records=[answer.records[0], *answer.records[2:]]).encode(), "record_epoch"
    yield "audit_record_twice", replace(answer, records=[*answer.records[:2], *answer.records[1:]]).encode(), "record_epoch"
    last_twice = replace(answer, records=[*answer.records, answer.records[-1]])
    yield "audit_record_last_twice", last_twice.encode(), "record_epoch"
    yield with_record("format", 1, replace(second, format=0), "record_format")
    yield with_record("log_id", 1, replace(second, log_id=bytes(32)), "record_log_id")
    yield with_record("previous", 1, replace(second, previous=flip(second.previous, 0)), "record_previous")
    yield with_record("time_back", 1, replace(second, time_ms=first.time_ms), "record_time")
    yield with_record("time_in_the_future", 1, replace(second, time_ms=2**63), "record_from_future")
    yield with_record("time_plus_1", 1, replace(second, time_ms=second.time_ms + 1), "record_previous")
    yield with_record("period", 1, replace(second, period=second.period + 1), "record_period")
    for number, state in enumerate(second.structures, start=1):
        other = second.structures[number % 4].vrf_public_key
        yield with_record(f"vrf_key_{number}", 1, second.with_structure(number, vrf_public_key=other), "record_vrf_key")
        if state.count == 0:
            yield with_record(f"count_{number}", 1, second.with_structure(number, count=1), "record_count")
            yield with_record(f"root_{number}", 1, second.with_structure(number, root=bytes(32)), "record_count")
    keys = first.structure(facts.KEYS)
    fewer = second.with_structure(facts.KEYS, count=keys.count - 1)
    yield with_record("count_decreases", 1, fewer, "record_count")
    last = records[-1]
    state = last.structure(facts.KEYS)
    yield with_record("last_keys_root", -1, last.with_structure(facts.KEYS, root=flip(state.root, 0)), "append_new_root")
    yield with_record("last_keys_count", -1, last.with_structure(facts.KEYS, count=state.count + 1), "append_leaf_count")
    for name, proof, reason in append_changes(answer.structures[KEYS], len(records) - 1):
        structures = list(answer.structures)
        structures[KEYS] = proof
        yield f"audit_append_{name}", replace(answer, structures=structures).encode(), reason
    moved = [answer.structures[KEYS], *answer.structures[1:KEYS], answer.structures[0], answer.structures[3]]
    yield "audit_append_of_another_structure", replace(answer, structures=moved).encode(), "append_leaf_count"


def append_changes(proof: AppendProof, steps: int) -> Iterator[tuple[str, AppendProof, str]]:
    leaves, opened = proof.leaves, proof.opened
    first = leaves[0]

    def listed(name: str, changed: list[AddedLeaf], reason: str) -> tuple[str, AppendProof, str]:
        return name, AppendProof(changed, opened), reason

    yield listed("leaf_missing", leaves[1:], "append_leaf_count")
    yield listed("leaves_missing", [], "append_leaf_count")
    yield listed("leaf_twice", [first, *leaves], "append_leaf_order")
    yield listed("leaves_reversed", leaves[::-1], "append_leaf_order")
    yield listed("leaf_commitment", [replace(first, commitment=flip(first.commitment, 0)), *leaves[1:]], "append_new_root")
    yield listed("leaf_beyond_the_range", [replace(first, offset=steps), *leaves[1:]], "append_leaf_epoch")
    yield listed("leaf_unlisted_label", [*leaves, _after(leaves[-1])], "append_leaf_count")
    yield "opened_emptied", AppendProof(leaves, b""), "append_truncated"
    yield "opened_truncated", AppendProof(leaves, opened[:-1]), "append_truncated"
    yield "opened_extended", AppendProof(leaves, opened + b"\0"), "append_trailing"
    yield "opened_token_0", AppendProof(leaves, b"\0" + opened[1:]), "append_token"
    yield "opened_token_3", AppendProof(leaves, b"\3" + opened[1:]), "append_token"
    # The last octet of the opened tokens belongs to a stub's hash, or to the epoch of an opened leaf.
    yield "opened_last_octet", AppendProof(leaves, flip(opened, -1)), "append_old_root"

    labels = [to_position(leaf.label) for leaf in leaves]
    old = proofs.OldTree(opened).read(0, 0, labels)
    for name, changed, reason in _tree_changes(old, labels):
        yield name, AppendProof(leaves, changed), reason


def _after(leaf: AddedLeaf) -> AddedLeaf:
    """Returns a leaf with the next label. If `leaf` is the last listed leaf, the next label is not listed."""
    return replace(leaf, label=to_octets(min(to_position(leaf.label) + 1, 2**256 - 1)))


def _opened(node: Node, length: int = 0) -> Iterator[tuple[Node, int]]:
    """Yields every opened node with the length of the position that it must extend, in preorder."""
    if isinstance(node, Stub):
        return
    yield node, length
    if isinstance(node, Interior):
        for child in (node.left, node.right):
            yield from _opened(child, node.length + 1)


def _exchanged(node: Node, old: Node, new: Node) -> Node:
    if node is old:
        return new
    if isinstance(node, Interior):
        return replace(node, left=_exchanged(node.left, old, new), right=_exchanged(node.right, old, new))
    return node


def _tree_changes(old: Node, labels: list[int]) -> Iterator[tuple[str, bytes, str]]:
    """Yields encodings of the opened tokens in which one node is changed or moved. All other tokens are those that an honest prover would
    write for the changed node."""

    def changed(name: str, node: Node, other: Node, reason: str) -> tuple[str, bytes, str]:
        return name, proofs.tokens_of(_exchanged(old, node, other), 0, labels), reason

    interior = [(node, length) for node, length in _opened(old) if isinstance(node, Interior)]
    leaves = [(node, length) for node, length in _opened(old) if isinstance(node, Leaf)]
    for name, nodes in (("root", interior[:1]), ("deepest", interior[1:][-1:])):
        for node, _ in nodes:
            # The proof claims the node at a position that no new label reaches. If the verifier believed this, no lookup would reach the
            # node's leaves.
            reached = next(x for x in labels if _reaches(old, node, x))
            away = Interior(255, (reached | 1) ^ 3, Stub(node.left.hash), Stub(node.right.hash))
            yield changed(f"{name}_moved_out_of_reach", node, away, "append_old_root")
    for node, _ in interior:
        if isinstance(node.left, Stub) and isinstance(node.right, Stub):
            swapped = replace(node, left=node.right, right=node.left)
            yield changed("stubs_swapped", node, swapped, "append_old_root")
            break
    for node, length in leaves[:1]:
        yield changed("old_leaf_epoch", node, replace(node, epoch=node.epoch + 1), "append_old_root")
        yield changed("old_leaf_commitment", node, replace(node, commitment=bytes(32)), "append_old_root")
        listed = next(x for x in labels if _reaches(old, node, x))
        yield changed("old_leaf_is_the_listed_one", node, replace(node, label=listed), "append_exists")
        if length:
            elsewhere = replace(node, label=node.label ^ 1 << 256 - length)
            yield changed("old_leaf_hung_elsewhere", node, elsewhere, "append_position")


def _reaches(root: Node, target: Node, label: int) -> bool:
    node = root
    while node is not target:
        if not isinstance(node, Interior) or not proofs.extends(label, node.prefix, node.length):
            return False
        node = node.child(tree.bit(label, node.length))
    return True
