"""Makes vectors about a verifier's trusted input (configurations and trust anchors, docs/spec/records.md section 1) and about Ed25519
signatures (docs/spec/board.md section 5)."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace

import ed25519
from board import KEY_TYPE_COSIGNER, LogKey
from codec import decode_whole
from record import Configuration
from refused import Refused
from verify import TrustAnchor

SEED = bytes(range(32))
ORIGIN = "example.com/log"
MESSAGE = b"example.com/log\n1\nroot\n"

# Invalid origins. Each differs from a valid origin in one character.
REFUSED_IN_ORIGINS = {
    "tab": "\t",
    "unit_separator": "\x1f",
    "space": " ",
    "plus": "+",
    "delete": "\x7f",
    "control_u0080": "\x80",
    "next_line": "\x85",
    "control_u009f": "\x9f",
    "no_break_space": "\xa0",
    "ogham_space": "\u1680",
    "hair_space": "\u200a",
    "line_separator": "\u2028",
    "paragraph_separator": "\u2029",
    "narrow_no_break_space": "\u202f",
    "mathematical_space": "\u205f",
    "ideographic_space": "\u3000",
}
ALLOWED_IN_ORIGINS = {"exclamation_mark": "!", "tilde": "~", "letter": "\u00e9", "zero_width_space": "\u200b", "above_the_first_plane": "\U0001d11e"}


def _reason(check) -> str:
    try:
        check()
    except Refused as refused:
        return refused.reason
    return "valid"


def _expect(kind: str, found: str, reason: str) -> None:
    assert found == reason, f"{kind}: {found} instead of {reason}"


def configurations() -> dict:
    good = Configuration(ORIGIN.encode())
    rows = []

    def add(kind: str, octets: bytes, reason: str) -> None:
        _expect(kind, _reason(lambda: decode_whole(Configuration.decode, octets).check()), reason)
        rows.append({"kind": kind, "configuration": octets.hex(), "reason": reason})

    add("good", good.encode(), "valid")
    for kind, character in ALLOWED_IN_ORIGINS.items():
        add(f"origin_with_{kind}", replace(good, origin=f"example.com/a{character}b".encode()).encode(), "valid")
    for kind, character in REFUSED_IN_ORIGINS.items():
        add(f"origin_with_{kind}", replace(good, origin=f"example.com/a{character}b".encode()).encode(), "configuration")
    for kind, origin in {
        "not_utf8": b"a\xff", "overlong": b"a\xc0\xaf", "surrogate": b"a\xed\xa0\x80", "beyond_unicode": b"a\xf4\x90\x80\x80", "ends_in_slash": b"example.com/",
    }.items():
        add(f"origin_{kind}", replace(good, origin=origin).encode(), "configuration")
    for field, least, largest, width in (
        ("period_length_ms", 1, 2**53 - 1, 64),
        ("retained_periods", 2, 255, 8),
        ("username_reuse", 0, 1, 8),
        ("max_key_len", 1, 255, 8),
        ("max_value_len", 1, 2**20, 32),
        ("max_devices", 1, 65_535, 16),
        ("heartbeat_ms", 1, 2**32 - 1, 32),
    ):
        for value in (least, largest):
            add(f"{field}_{value}", replace(good, **{field: value}).encode(), "valid")
        if least > 0:
            add(f"{field}_{least - 1}", replace(good, **{field: least - 1}).encode(), "configuration")
        if largest < 2**width - 1:
            add(f"{field}_{largest + 1}", replace(good, **{field: largest + 1}).encode(), "configuration")
    for form, reason in ((0, "valid"), (1, "valid"), (2, "configuration")):
        add(f"username_form_{form}", replace(good, format=2, username_form=form).encode(), reason)
    add("format_2_without_username_form", replace(good, format=2).encode()[:-1], "malformed_truncated")
    for field, value in (("format", 0), ("format", 3), ("suite", 2)):
        add(f"{field}_{value}", replace(good, **{field: value}).encode(), "configuration")
    add("truncated", good.encode()[:-1], "malformed_truncated")
    add("empty_origin", replace(good, origin=b"").encode(), "malformed_length")
    add("trailing", good.encode() + b"\x00", "malformed_trailing")
    return {"note": "a Configuration and its verdict", "vectors": rows}


def _policies(add: Callable, good: dict) -> None:
    """Adds rows about policies (docs/spec/cosigners.md section 2)."""
    one, two, three = (LogKey(f"cosigner-{i}.example", ed25519.public_key(bytes([i]) * 32), KEY_TYPE_COSIGNER).vkey for i in (1, 2, 3))
    log_as_cosigner = LogKey("log.example", ed25519.public_key(SEED), KEY_TYPE_COSIGNER).vkey
    other_log = LogKey("other.example", ed25519.public_key(bytes([4]) * 32)).vkey
    auditors = {"required": 1, "max_lag_ms": 600_000, "keys": [{"key": one, "first_epoch": 0}, {"key": two, "first_epoch": 7}]}
    witnesses = ["# ours", f"witness a {two}", f"witness\tb  {three} https://b.example", "group both all a b", "quorum both"]

    def of_auditors(kind: str, reason: str = "configuration", **changes) -> None:
        add(kind, good | {"auditors": auditors | changes}, reason)

    def of_witnesses(kind: str, lines: list, reason: str = "configuration") -> None:
        add(kind, good | {"witnesses": lines}, reason)

    of_auditors("auditors", "valid")
    of_auditors("all_auditors", "valid", required=2)
    of_auditors("a_lag_of_many_years", "valid", max_lag_ms=1 << 43)
    of_auditors("more_required_than_there_are", required=3)
    of_auditors("none_required", required=0)
    of_auditors("required_as_a_fraction", required=1.0)
    of_auditors("required_as_text", required="1")
    of_auditors("no_lag", max_lag_ms=0)
    of_auditors("a_lag_that_is_too_long", max_lag_ms=(1 << 43) + 1)
    of_auditors("no_auditors", keys=[])
    of_auditors("too_many_auditors", keys=[{"key": one, "first_epoch": 0}] * 33)
    of_auditors("an_auditor_twice", keys=auditors["keys"] + auditors["keys"][:1])
    of_auditors("the_log_as_its_auditor", keys=[{"key": log_as_cosigner, "first_epoch": 0}])
    of_auditors("a_key_for_notes", keys=[{"key": other_log, "first_epoch": 0}])
    of_auditors("no_first_epoch", keys=[{"key": one}])
    of_auditors("negative_first_epoch", keys=[{"key": one, "first_epoch": -1}])
    of_auditors("a_member_more", more=1)
    of_auditors("a_member_more_of_an_auditor", keys=[{"key": one, "first_epoch": 0, "url": "https://a.example"}])
    add("auditors_without_a_member", good | {"auditors": {name: auditors[name] for name in ("required", "keys")}}, "configuration")
    add("auditors_twice", json.dumps(good | {"auditors": auditors})[:-1] + f', "auditors": {json.dumps(auditors)}}}', "configuration")
    of_witnesses("witnesses", witnesses, "valid")
    of_witnesses("no_quorum_demanded", ["quorum none"], "valid")
    of_witnesses("the_log_named", [f"log {good['log_key']}", f"witness a {two}", "quorum a"], "valid")
    of_witnesses("another_log_named", [f"log {other_log}", f"witness a {two}", "quorum a"])
    of_witnesses("no_quorum_line", witnesses[:-1])
    of_witnesses("two_quorum_lines", [*witnesses, "quorum a"])
    of_witnesses("a_quorum_of_nobody_known", ["quorum a"])
    of_witnesses("no_lines", [])
    of_witnesses("a_line_that_is_no_text", [*witnesses, 1])
    of_witnesses("a_newline_in_a_line", [*witnesses[:-1], "quorum both\n"])
    of_witnesses("a_witness_twice", [f"witness a {two}", f"witness b {two}", "quorum a"])
    of_witnesses("a_name_twice", [f"witness a {two}", f"witness a {three}", "quorum a"])
    of_witnesses("a_member_of_two_groups", [f"witness a {two}", "group g any a", "group h any a", "quorum g"])
    of_witnesses("more_than_there_are", [f"witness a {two}", "group g 2 a", "quorum g"])
    of_witnesses("the_log_as_its_witness", [f"witness a {log_as_cosigner}", "quorum a"])
    add("witnesses_as_a_text", good | {"witnesses": "quorum none"}, "configuration")
    add("auditors_and_witnesses", good | {"auditors": auditors | {"keys": auditors["keys"][:1]}, "witnesses": witnesses}, "valid")
    add("an_auditor_that_is_a_witness", good | {"auditors": auditors, "witnesses": witnesses}, "configuration")


def trust_anchors() -> dict:
    configuration = Configuration(ORIGIN.encode())
    key = LogKey(ORIGIN, ed25519.public_key(SEED))
    encoded = base64.urlsafe_b64encode(configuration.encode()).decode().rstrip("=")
    good = {"configuration": encoded, "log_key": key.vkey}
    rows = []

    def add(kind: str, document, reason: str) -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        _expect(kind, _reason(lambda: TrustAnchor.parse(text)), reason)
        log_id = {"log_id": TrustAnchor.parse(text).log_id.hex()} if reason == "valid" else {}
        rows.append({"kind": kind, "text": text, "reason": reason} | log_id)

    add("good", good, "valid")
    add("members_in_another_order", dict(reversed(good.items())), "valid")
    add("white_space", json.dumps(good, indent=1) + "\n", "valid")
    add("escapes", json.dumps(good).replace("log_key", "log\\u005fkey"), "valid")
    add("unknown_member", good | {"more": "x"}, "configuration")
    add("no_log_key", {"configuration": encoded}, "configuration")
    add("no_configuration", {"log_key": key.vkey}, "configuration")
    add("member_twice", json.dumps(good)[:-1] + f', "log_key": "{key.vkey}"}}', "configuration")
    add("not_a_string", good | {"log_key": 1}, "configuration")
    add("array", json.dumps([good]), "configuration")
    add("array_of_pairs", json.dumps(list(map(list, good.items()))), "configuration")
    add("empty", "", "configuration")
    add("trailing", json.dumps(good) + " 1", "configuration")
    add("comment", json.dumps(good) + " // x", "configuration")
    add("lone_surrogate", json.dumps(good).replace(ORIGIN, "\\ud800"), "configuration")
    add("padded", good | {"configuration": encoded + "=" * (-len(encoded) % 4 or 4)}, "configuration")
    add("standard_base64", good | {"configuration": encoded[:-1] + "/"}, "configuration")
    # The base64 of this configuration has unused bits in its last character.
    long_origin = next(Configuration(b"o" * n) for n in (1, 2, 3) if len(Configuration(b"o" * n).encode()) % 3)
    unused = base64.urlsafe_b64encode(long_origin.encode()).decode().rstrip("=")
    long_key = LogKey(long_origin.origin.decode(), key.public)
    add("base64_without_unused_bits", {"configuration": unused, "log_key": long_key.vkey}, "valid")
    add("base64_with_unused_bits", {"configuration": unused[:-1] + chr(ord(unused[-1]) + 1), "log_key": long_key.vkey}, "configuration")
    add("configuration_truncated", good | {"configuration": encoded[:4]}, "malformed_truncated")
    _policies(add, good)
    name, key_id, public = key.vkey.split("+", 2)
    assert key_id != key_id.upper()
    add("key_id_in_upper_case", good | {"log_key": f"{name}+{key_id.upper()}+{public}"}, "configuration")
    add("another_key_id", good | {"log_key": f"{name}+{'0' * 8}+{public}"}, "configuration")
    add("key_of_another_name", good | {"log_key": LogKey("example.com/other", key.public).vkey}, "configuration")
    typed = base64.b64decode(public)
    cosigner = base64.b64encode(b"\x04" + typed[1:]).decode()
    add("key_of_another_type", good | {"log_key": f"{name}+{key_id}+{cosigner}"}, "configuration")
    add("key_too_short", good | {"log_key": f"{name}+{key_id}+{base64.b64encode(typed[:-3]).decode()}"}, "configuration")
    add("space_before_key", good | {"log_key": " " + key.vkey}, "configuration")
    add("newline_after_key", good | {"log_key": key.vkey + "\n"}, "configuration")
    return {"note": "a trust anchor file's text and its verdict; of valid ones the log id", "vectors": rows}


def signatures() -> dict:
    public = ed25519.public_key(SEED)
    good = ed25519.sign(SEED, MESSAGE)
    rows = []

    def add(kind: str, key: bytes, signature: bytes, verifies: bool, message: bytes = MESSAGE) -> None:
        assert ed25519.verify(key, message, signature) == verifies, kind
        rows.append({"kind": kind, "public_key": key.hex(), "message": message.hex(), "signature": signature.hex(), "verifies": verifies})

    add("good", public, good, True)
    add("another_message", public, good, False, MESSAGE + b"x")
    add("another_key", ed25519.public_key(bytes(32)), good, False)
    s = int.from_bytes(good[32:], "little")
    for times in (1, 8):
        add(f"s_plus_{times}_orders", public, good[:32] + (s + times * ed25519.L).to_bytes(32, "little"), False)
    one = ed25519.encode(ed25519.BASE) + (1).to_bytes(32, "little")
    scalar = ed25519.secret_scalar(SEED)
    for i, point in enumerate(ed25519.torsion()):
        small = ed25519.encode(point)
        # This signature has R = B and S = 1. Under a key of small order, this signature is valid for one message in eight, so anyone can
        # sign such a message.
        add(f"key_of_small_order_{i}", small, one, False, _first(lambda m, key=small: ed25519.holds(key, m, one)))
        mixed = ed25519.encode(ed25519.add(ed25519.decode(public), point))
        # This signature has S = k a. The verification equation holds if R is -k times the small-order part of the key. For an honest key it
        # holds only if R is the identity.
        message = _first(lambda m, key=mixed, r=small: ed25519.holds(key, m, ed25519.sign_with_r(scalar, key, m, r)))
        add(f"r_of_small_order_{i}", mixed, ed25519.sign_with_r(scalar, mixed, message, small), False, message)
        if i > 0:
            message = _first(lambda m, key=mixed: ed25519.holds(key, m, ed25519.sign_as(SEED, key, m)))
            add(f"key_of_mixed_order_{i}", mixed, ed25519.sign_as(SEED, mixed, message), True, message)
            message = _first(lambda m, key=mixed: not ed25519.holds(key, m, ed25519.sign_as(SEED, key, m)))
            add(f"only_with_cofactor_{i}", mixed, ed25519.sign_as(SEED, mixed, message), False, message)
    # These are encodings beyond p of the points with y = 0 (order 4) and y = 1. If a verifier reads y modulo p, the equation holds. The
    # other points with encodings beyond p are not tested, because nobody knows their secret keys.
    for y in (0, 1):
        octets = (ed25519.P + y).to_bytes(32, "little")
        add(f"key_p_plus_{y}", octets, one, False, _first(lambda m, key=octets: ed25519.challenge(one[:32], key, m) % 4 == 0))
    add("signature_short", public, good[:-1], False)
    return {"note": "an Ed25519 public key, message, signature, and whether it verifies", "vectors": rows}


def _first(holds) -> bytes:
    """Returns the first message for which `holds` is true."""
    return next(message for message in (b"message %d" % i for i in range(1000)) if holds(message))


def files() -> dict[str, dict]:
    return {"anchor/configurations.json": configurations(), "anchor/trust_anchors.json": trust_anchors(), "anchor/ed25519.json": signatures()}
