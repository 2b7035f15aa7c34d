"""Makes the vectors in tests/vectors/cosigners/: cosigned checkpoints, each with the verdict on an answer that a client judges by them."""

import json

import board
import cosigners
import ed25519
from board import KEY_TYPE_COSIGNER, Checkpoint, LogKey
from record import Configuration
from refused import Refused
from verify import TrustAnchor

SEED = bytes(range(32))
OTHER_SEED = bytes(range(1, 33))
ORIGIN = "example.com/log"
NOW_MS = 1_790_000_000_000
ENTRIES = [b"entry %d" % i for i in range(12)]
FALSE = [*ENTRIES[:4], *(b"false %d" % i for i in range(4, 12))]
NAMES = ("a", "b", "c", "v", "w", "x")
KEYS = {name: (LogKey(f"{name}.example", ed25519.public_key(bytes([i + 1]) * 32), KEY_TYPE_COSIGNER), bytes([i + 1]) * 32) for i, name in enumerate(NAMES)}


def _note(size: int, entries: list[bytes] = ENTRIES, seed: bytes = SEED, origin: str = ORIGIN) -> bytes:
    key = LogKey(origin, ed25519.public_key(seed))
    return board.make_checkpoint(key, seed, size, board.root_of([board.leaf_hash(entry) for entry in entries[:size]]))


def _empty(root: bytes) -> bytes:
    return board.make_checkpoint(LogKey(ORIGIN, ed25519.public_key(SEED)), SEED, 0, root)


def _signed(size: int, *names: str, note: bytes = b"", time: int = NOW_MS // 1000) -> bytes:
    signed = note or _note(size)
    for name in names:
        signed = cosigners.cosign(*KEYS[name], signed, time)
    return signed


def _flipped(note: bytes) -> bytes:
    """Returns the note with a changed last signature."""
    at = len(note) - 20
    return note[:at] + (b"B" if note[at : at + 1] == b"A" else b"A") + note[at + 1 :]


def _anchor(auditors: dict[str, int], required: int, witnesses: list[str]) -> str:
    document = json.loads(TrustAnchor(Configuration(ORIGIN.encode()), LogKey(ORIGIN, ed25519.public_key(SEED))).render())
    if auditors:
        keys = [{"key": KEYS[name][0].vkey, "first_epoch": first} for name, first in auditors.items()]
        document["auditors"] = {"required": required, "max_lag_ms": 600_000, "keys": keys}
    if witnesses:
        document["witnesses"] = [f"witness {name} {KEYS[name][0].vkey}" for name in NAMES[3:]] + witnesses
    return json.dumps(document)


class _Rows:
    def __init__(self) -> None:
        self.rows: list[dict] = []

    def add(self, kind: str, notes: list[bytes] | bytes, reason: str, audited: bool, auditors: dict[str, int] | None = None, required: int = 2,
            witnesses: tuple[str, ...] = (), head: int = 8, epoch: int = 7, proven: int | None = None) -> None:
        text = _anchor({"a": 0, "b": 0, "c": 3} if auditors is None else auditors, required, list(witnesses))
        answer = notes if isinstance(notes, bytes) else json.dumps({"checkpoints": [note.decode() for note in notes]}).encode()
        proven = epoch if proven is None else proven
        anchor = TrustAnchor.parse(text)
        kept = decode_checkpoint(_note(head), anchor)
        found, is_audited, more = "valid", False, {}
        try:
            vouched = cosigners.take(anchor.policy, anchor.log_key, anchor.configuration.max_ahead_ms, kept, ENTRIES, answer, NOW_MS)
            more = {"may_leave_out": cosigners.may_leave_out(anchor.policy, vouched, proven)}
            cosigners.check_witnessed(anchor.policy, vouched, epoch)
            is_audited = cosigners.is_audited(anchor.policy, vouched, proven, epoch)
        except Refused as refused:
            found = refused.reason
        assert (found, is_audited) == (reason, audited), (kind, found, is_audited)
        brought = {"trust_anchor": text, "head": _note(head).decode(), "answer": answer.decode(), "now_ms": NOW_MS, "from": proven, "epoch": epoch}
        self.rows.append({"kind": kind} | brought | {"reason": reason, "audited": audited} | more)


def decode_checkpoint(note: bytes, anchor: TrustAnchor) -> Checkpoint:
    return board.verify_checkpoint(note, ORIGIN, anchor.log_key)


def files() -> dict[str, dict]:
    rows = _Rows()
    add = rows.add
    both = [_signed(8, "a"), _signed(8, "b")]
    add("two_of_three", both, "valid", True)
    add("two_lines_of_one_note", [_signed(8, "a", "b")], "valid", True)
    add("in_another_order", both[::-1], "valid", True)
    add("larger_than_the_head", [_signed(10, "a"), _signed(12, "b")], "valid", True)
    add("one_of_three", both[:1], "valid", False)
    add("one_twice", [*both[:1], *both[:1]], "valid", False)
    add("one_in_two_notes", [_signed(8, "a"), _signed(9, "a")], "valid", False)
    add("one_before_the_epoch", [_signed(8, "a"), _signed(7, "b")], "valid", False)
    add("both_before_the_epoch", [_signed(7, "a"), _signed(7, "b")], "valid", False)
    add("the_newest_of_each_counts", [_signed(4, "a"), _signed(8, "a"), _signed(8, "b"), _signed(5, "b")], "valid", True)
    add("an_earlier_epoch", [_signed(6, "a"), _signed(7, "b")], "valid", True, epoch=5)
    add("a_later_first_epoch", [_signed(8, "a"), _signed(8, "c")], "valid", True)
    add("proven_before_the_first_epoch", [_signed(8, "a"), _signed(8, "c")], "valid", False, proven=2)
    add("proven_at_the_first_epoch", [_signed(8, "a"), _signed(8, "c")], "valid", True, proven=3)
    add("one_up_to_and_one_from", [_signed(4, "a"), _signed(8, "c")], "valid", False, required=1, proven=2)
    add("one_goes_on_and_one_began_later", [_signed(8, "a"), _signed(9, "c")], "valid", True, required=1, proven=2)
    add("a_stranger", [_signed(8, "a"), _signed(8, "x")], "valid", False)
    add("a_witness_is_no_auditor", [_signed(8, "a"), _signed(8, "v")], "valid", False, witnesses=("quorum none",))
    add("a_false_line", [_signed(8, "a"), _flipped(_signed(8, "b"))], "valid", False)
    add("a_false_line_beside_a_good_one", [_flipped(_signed(8, "a", "b")), _signed(8, "b")], "valid", False)
    add("a_false_line_of_a_stranger", [_flipped(_signed(8, "a", "b", "x"))], "valid", True)
    add("a_note_that_the_log_did_not_sign", [_signed(8, "a"), _signed(8, "b", note=_flipped(_note(8)))], "valid", False)
    add("a_note_of_another_key", [_signed(8, "a"), _signed(8, "b", note=_note(8, seed=OTHER_SEED))], "valid", False)
    add("a_note_of_another_log", [_signed(8, "a"), _signed(8, "b", note=_note(8, origin="example.com/other", seed=OTHER_SEED))], "valid", False)
    add("from_the_future", [_signed(8, "a"), _signed(8, "b", time=NOW_MS // 1000 + 61)], "valid", False)
    add("as_far_ahead_as_is_tolerated", [_signed(8, "a"), _signed(8, "b", time=NOW_MS // 1000 + 60)], "valid", True)
    add("larger_than_there_are_tiles", [_signed(8, "a"), _signed(13, "b", note=_note(13, [*ENTRIES, b"entry 12"]))], "valid", False)
    add("larger_and_not_what_tiles_make_up", [_signed(8, "a"), _signed(9, "b", note=_note(9, FALSE))], "valid", False)
    add("no_notes", [], "valid", False)
    add("no_policy", both, "valid", False, auditors={})
    add("not_json", b"checkpoints", "valid", False)
    add("a_member_more", json.dumps({"checkpoints": [note.decode() for note in both], "more": 1}).encode(), "valid", False)
    add("a_member_twice", (json.dumps({"checkpoints": [note.decode() for note in both]})[:-1] + ', "checkpoints": []}').encode(), "valid", False)
    add("a_note_that_is_no_text", json.dumps({"checkpoints": [*(note.decode() for note in both), 1]}).encode(), "valid", False)
    add("a_smaller_tree_that_is_not_of_the_log", [_signed(6, "a", note=_note(6, FALSE))], "fork", False)
    add("another_tree_of_the_same_size", [_signed(8, "a", note=_note(8, FALSE))], "fork", False)
    add("two_trees_of_one_size_by_one_cosigner", [_signed(6, "a"), _signed(6, "a", note=_note(6, FALSE))], "fork", False)
    add("two_trees_of_one_size_by_two_cosigners", [_signed(6, "a", note=_note(6, FALSE)), _signed(6, "b")], "fork", False)
    add("two_trees_of_one_size_without_tiles", [_signed(13, "a", note=_note(13, [*ENTRIES, b"entry 12"])), _signed(13, "a", note=_note(13, [*FALSE, b"entry 12"]))], "fork", False)
    add("a_smaller_second_tree_beside_a_larger_true_one", [_signed(8, "a"), _signed(6, "a", note=_note(6, FALSE))], "fork", False)
    add("one_tree_of_one_size_twice", [_signed(6, "a"), _signed(6, "a", time=NOW_MS // 1000 - 1), *both], "valid", True)
    add("the_logs_line_twice", [_signed(8, "a"), _signed(8, "b", note=_note(8) + _note(8).rpartition(b"\n\n")[2])], "valid", False)
    add("an_empty_tree", [_signed(8, "a"), _signed(0, "b")], "valid", False)
    add("an_empty_tree_of_another_root", [_signed(8, "a"), _signed(0, "b", note=_empty(b"\1" * 32))], "valid", False)
    add("both_of_one_size_and_one_began_later", [_signed(8, "a"), _signed(8, "b"), _signed(9, "c")], "valid", True, auditors={"a": 5, "b": 0, "c": 3}, proven=3)
    add("a_strangers_second_history_says_nothing", [_signed(8, "x", note=_note(8, FALSE))], "valid", False)
    quorum = ("group q 2 v w x", "quorum q")
    add("a_quorum", [_signed(8, "v"), _signed(9, "w")], "valid", False, witnesses=quorum)
    add("a_quorum_and_auditors", [_signed(8, "v", "w"), *both], "valid", True, witnesses=quorum)
    add("no_quorum", [_signed(8, "v")], "witness_quorum", False, witnesses=quorum)
    add("a_witness_twice", [_signed(8, "v"), _signed(8, "v")], "witness_quorum", False, witnesses=quorum)
    add("a_witness_before_the_epoch", [_signed(8, "v"), _signed(7, "w")], "witness_quorum", False, witnesses=quorum)
    add("an_auditor_is_no_witness", [_signed(8, "v"), *both], "witness_quorum", False, witnesses=quorum)
    add("no_quorum_demanded", [], "valid", False, witnesses=("quorum none",))
    return {"cosigners/judged.json": {"note": "what the answer of a server says, of a log of these entries, to a client with this trust anchor and head", "entries": [entry.hex() for entry in ENTRIES], "vectors": rows.rows}}
