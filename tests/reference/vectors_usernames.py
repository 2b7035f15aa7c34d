"""Makes tests/vectors/users/usernames.json: usernames and their normalized forms (docs/spec/usernames.md)."""

import hashlib
import random

from usernames import prepare

# The usernames of the rows. Each key says what its username tests.
NAMES = {
    "capitals": "ALICE", "wide": "\uff21lice", "narrow_kana": "\uff76\uff9e", "sharp_s": "Fu\u00dfball", "two_s": "fussball", "pi": "\u03c0", "capital_sigma": "\u03a3",
    "sigma_at_the_end": "\u03a3\u0399\u03a3\u03a5\u03a6\u039f\u03a3", "final_sigma": "\u03c2", "dotted_capital_i": "\u0130stanbul", "at_sign": "Juliet@Example.com",
    "space": "foo bar", "no_break_space": "a\u00a0b", "control": "a\x07", "delete": "a\x7f", "roman_numeral": "henry\u2163", "chess_king": "\u265a", "infinity": "\u221e",
    "ligature": "\ufb01sh", "digraph": "\u01c4", "title_digraph": "\u01c5", "combining": "Cafe\u0301", "composed": "caf\u00e9", "singleton": "\u212b", "composition_exclusion": "\u0958",
    "marks_in_another_order": "a\u0323\u0302", "marks_in_order": "a\u0302\u0323", "hangul": "\uac01", "old_jamo": "\u1100\u1161\u11a8", "half_hangul": "\uffa1\uffc2",
    "soft_hyphen": "a\u00adb", "zero_width_space": "a\u200bb", "noncharacter": "a\ufdd0", "private_use": "\ue000", "unassigned": "\u0378", "new_in_15": "\U00011f02", "new_in_16": "\U00010d40",
    "tatweel": "\u0628\u0640", "middle_dot": "l\u00b7l", "middle_dot_elsewhere": "a\u00b7l", "middle_dot_of_capitals": "L\u00b7L", "keraia": "\u0375\u03b1", "keraia_alone": "\u0375",
    "geresh": "\u05d0\u05f3", "geresh_first": "\u05f3\u05d0", "gershayim": "\u05d0\u05f4\u05d1", "katakana_dot": "\u30ab\u30fb\u30ab", "katakana_dot_alone": "a\u30fb",
    "katakana_dot_and_han": "\u4e00\u30fb", "arabic_digits": "\u0627\u0661", "extended_digits": "\u0627\u06f1", "both_digits": "\u0627\u0661\u06f1", "arabic_digit_first": "\u0661\u0627",
    "non_joiner": "\u0645\u06cc\u200c\u062e\u0648", "non_joiner_over_marks": "\u0628\u064e\u200c\u064e\u0628", "non_joiner_at_the_end": "\u0645\u200c", "non_joiner_latin": "a\u200cb",
    "non_joiner_after_virama": "\u0915\u094d\u200c\u0937", "joiner_after_virama": "\u0915\u094d\u200d\u0937", "joiner_elsewhere": "\u0645\u200d\u0645", "virama_moves_away": "\u0915\u0301\u094d\u200c\u0937", "hebrew": "\u05d0\u05d1",
    "hebrew_and_digit": "\u05d01", "digit_and_hebrew": "1\u05d0", "hebrew_and_latin": "\u05d0a", "latin_and_hebrew": "a\u05d0", "hebrew_marks_at_the_end": "\u05d0\u05b0", "both_numbers": "\u05d0\u06611",
    "mark_alone": "\u0301", "ypogegrammeni": "\u0345", "cherokee": "\u13a0", "small_cherokee": "\uab70", "deseret": "\U00010400", "georgian": "\u1c90", "kelvin": "\u212a",
}
OCTETS = {
    "empty": b"", "longest": b"a" * 255, "too_long": b"a" * 256, "form_too_long": "\u0130".encode() * 127, "form_as_long_as_allowed": "\u0130".encode() * 85,
    "composed_to_a_shorter_form": "e\u0301".encode() * 85, "overlong": b"\xc0\xaf", "surrogate": b"\xed\xa0\x80", "cut": b"a\xc3", "beyond_unicode": b"\xf4\x90\x80\x80",
    "too_long_and_not_utf8": b"\xff" * 256,
}
# The alphabet of random names: letters of several scripts, marks, and characters that a rule mentions.
ALPHABET = [*map(ord, "aAlLzZ019\u00b7\u00df\u00e9\u00c9\u0130\u03a3\u03c2\u03b1\u0375\u05d0\u05f3\u0627\u0628\u062f\u0661\u06f1\u0915\u094d\u200c\u200d\u30ab\u30fb\uff21\uff76\uff9e\u1100\u1161\uac00\uac01\u11a8"),
            0x300, 0x301, 0x302, 0x308, 0x323, 0x327, 0x345, 0x591, 0x5B0, 0x64E, 0x653, 0x93C, 0x3099, 0x1D165, 0x11F42]


def _row(kind: str, name: bytes, max_len: int = 255) -> dict:
    fault, form = prepare(name, max_len)
    return {"kind": kind, "name": name.hex(), "max_len": max_len, "fault": fault} | ({"form": form.hex()} if fault == "valid" else {})


def _digest(points: range) -> str:
    """Returns a hash over the fault and the form of each character in this range, as a whole name. Surrogates are left out."""
    digest = hashlib.sha256()
    for point in points:
        if not 0xD800 <= point < 0xE000:
            fault, form = prepare(chr(point).encode())
            digest.update(fault.encode() + b"\x00" + form + b"\x00")
    return digest.hexdigest()


def files() -> dict:
    rows = [_row(kind, name.encode()) for kind, name in NAMES.items()] + [_row(kind, name) for kind, name in OCTETS.items()]
    rows += [_row("shorter_limit", b"alice", 5), _row("beyond_a_shorter_limit", b"alice", 4), _row("form_within_a_shorter_limit", "e\u0301".encode() * 2, 4)]
    source = random.Random(7564)
    while len(rows) < 600:
        name = "".join(chr(source.choice(ALPHABET)) for _ in range(source.randint(1, 6)))
        rows.append(_row("random", name.encode()))
    planes = [{"first": plane << 16, "last": (plane << 16) + 0xFFFF, "sha256": _digest(range(plane << 16, (plane + 1) << 16))} for plane in (0, 1)]
    note = "a name, the octets that a form may have, the fault and the form; and of all characters alone, for each the fault's name, 0, the form, 0, hashed together"
    return {"users/usernames.json": {"note": note, "characters": planes, "vectors": rows}}
