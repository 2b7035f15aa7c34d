"""Makes the vectors in tests/vectors/board/: checkpoints with their verdicts by docs/spec/board.md section 2."""

import base64
import json
from pathlib import Path

import board
import cosigners
import ed25519
from board import KEY_TYPE_COSIGNER, LogKey
from refused import Refused

TLOG = Path(__file__).resolve().parent.parent / "vectors" / "tlog"
# Non-ASCII characters with Unicode's property White_Space: at least both ends of each range. After them come characters that only look like
# white space.
WHITE_SPACE = "\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NOT_WHITE_SPACE = "\u180e\u200b\u200d\u2060\ufeff\u007f\u0080"


def _read(name: str) -> dict:
    return json.loads((TLOG / name).read_text())


def files() -> dict[str, dict]:
    keys, notes, rows = _read("keys.json"), _read("notes.json"), []
    seed = bytes.fromhex(keys["log"]["seed_hex"])
    key = LogKey(keys["log"]["name"], ed25519.public_key(seed))
    stranger = LogKey("stranger.example", ed25519.public_key(bytes(32)), KEY_TYPE_COSIGNER)
    assert key.name == notes["expected_origin"]

    def add(kind: str, note: bytes, expected: str | None = None) -> None:
        try:
            board.verify_checkpoint(note, key.name, key)
            reason = "valid"
        except Refused as refused:
            reason = refused.reason
        assert expected in (None, reason), (kind, reason)
        rows.append({"kind": kind, "note": note.hex(), "reason": reason})

    for row in notes["vectors"]:
        add(f"c2sp {row['id']}", base64.b64decode(row["note_base64"]))
    root = bytes.fromhex(_read("log/roots.json")["root_hex"][600])
    honest = board.make_checkpoint(key, seed, 600, root)
    line = honest.rpartition(b"\n\n")[2]

    def with_name(name: str) -> bytes:
        return honest + board.signature_line(name, b"\0\0\0\0", bytes(64)).encode()

    add("honest", honest, "valid")
    add("cosigned", cosigners.cosign(stranger, bytes(32), honest, 1_790_000_000), "valid")
    add("the_logs_line_twice", honest + line, "checkpoint_signature")
    add("the_logs_line_twice_around_anothers", cosigners.cosign(stranger, bytes(32), honest, 1_790_000_000) + line, "checkpoint_signature")
    add("a_false_second_line_of_the_log", honest + board.signature_line(key.name, key.key_id, bytes(64)).encode(), "checkpoint_signature")
    add("a_line_of_the_log_that_is_too_short", honest.replace(line, board.signature_line(key.name, key.key_id, bytes(63)).encode()), "checkpoint_signature")
    add("a_line_of_the_log_that_is_too_long", honest.replace(line, board.signature_line(key.name, key.key_id, bytes(65)).encode()), "checkpoint_signature")
    add("one_entry", board.make_checkpoint(key, seed, 1, root), "valid")
    add("an_empty_tree", board.make_checkpoint(key, seed, 0, board.root_of([])), "checkpoint_malformed")
    add("an_empty_tree_of_another_root", board.make_checkpoint(key, seed, 0, root), "checkpoint_malformed")
    add("an_anothers_line_of_no_octets_after_the_key_id", honest + board.signature_line("s", b"\0\0\0\0", b"").encode(), "checkpoint_malformed")
    add("an_anothers_line_of_one_octet_after_the_key_id", honest + board.signature_line("s", b"\0\0\0\0", b"\1").encode(), "valid")
    add("as_many_lines_as_there_may_be", honest + board.signature_line("s", b"\0\0\0\0", b"\1").encode() * 63, "valid")
    add("a_line_more_than_there_may_be", honest + board.signature_line("s", b"\0\0\0\0", b"\1").encode() * 64, "checkpoint_malformed")
    for c in WHITE_SPACE:
        add(f"a_name_with_{ord(c):04x}", with_name(f"s{c}s"), "checkpoint_malformed")
    for c in NOT_WHITE_SPACE:
        add(f"a_name_with_{ord(c):04x}", with_name(f"s{c}s"), "valid")
    return {"board/notes.json": {"note": "a checkpoint, under this log's vkey; those called c2sp are the notes of tlog/notes.json", "log_key": key.vkey, "vectors": rows}}
