"""Normalizes usernames as docs/spec/usernames.md says. The data come directly from the files of the Unicode Character Database (Debian's
package unicode-data)."""

import functools
import os

import facts

UCD = "/usr/share/unicode"
NON_JOINER, JOINER = 0x200C, 0x200D
VIRAMA = 9
ARABIC_DIGITS, EXTENDED_DIGITS = range(0x660, 0x66A), range(0x6F0, 0x6FA)
# The exceptions of RFC 8264 section 9.6, by category.
VALID = {0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007}
CONTEXT = {NON_JOINER, JOINER, 0xB7, 0x375, 0x5F3, 0x5F4, 0x30FB, *ARABIC_DIGITS, *EXTENDED_DIGITS}
DISALLOWED = {0x640, 0x7FA, 0x302E, 0x302F, *range(0x3031, 0x3036), 0x303B}


def _lines(name):
    with open(os.path.join(UCD, name), encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if fields[0]:
                yield fields


@functools.cache
def _property(name):
    """Returns {code point: the values in its lines} for a Unicode file with one property."""
    found = {}
    for points, value, *_ in _lines(name):
        first, _, last = points.partition("..")
        for point in range(int(first, 16), int(last or first, 16) + 1):
            found.setdefault(point, set()).add(value)
    return found


@functools.cache
def _data():
    """Returns {code point: fields of UnicodeData.txt}."""
    found, first = {}, 0
    for fields in _lines("UnicodeData.txt"):
        point = int(fields[0], 16)
        if fields[1].endswith(", First>"):
            first = point
        else:
            for one in range(first if fields[1].endswith(", Last>") else point, point + 1):
                found[one] = fields
    return found


@functools.cache
def _full_lower_case():
    return {int(fields[0], 16): [int(part, 16) for part in fields[1].split()] for fields in _lines("SpecialCasing.txt") if fields[4] == ""}


@functools.cache
def _pairs():
    """Returns {two code points: their composition}."""
    excluded = _property("DerivedNormalizationProps.txt")
    pairs = {}
    for point, fields in _data().items():
        parts = fields[5].split()
        if len(parts) == 2 and not parts[0].startswith("<") and "Full_Composition_Exclusion" not in excluded.get(point, ()):
            pairs[int(parts[0], 16), int(parts[1], 16)] = point
    return pairs


def combining_class(point):
    return int(_data()[point][3]) if point in _data() else 0


def decompose(point, compatible=False):
    if 0xAC00 <= point < 0xAC00 + 11172:
        lead, rest = divmod(point - 0xAC00, 588)
        vowel, trail = divmod(rest, 28)
        return [0x1100 + lead, 0x1161 + vowel] + ([0x11A7 + trail] if trail else [])
    parts = _data()[point][5].split() if point in _data() else []
    if parts and parts[0].startswith("<"):
        parts = parts[1:] if compatible else []
    return [one for part in parts for one in decompose(int(part, 16), compatible)] if parts else [point]


def _compose(first, second):
    if 0x1100 <= first < 0x1113 and 0x1161 <= second < 0x1176:
        return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
    if 0xAC00 <= first < 0xAC00 + 11172 and (first - 0xAC00) % 28 == 0 and 0x11A7 < second < 0x11C3:
        return first + second - 0x11A7
    return _pairs().get((first, second))


def normalize(points, compatible=False):
    """Normalizes to form C or, if `compatible` is set, to form KC (The Unicode Standard, section 3.11)."""
    apart = []
    for one in (part for point in points for part in decompose(point, compatible)):
        at = len(apart)
        while at > 0 and combining_class(one) and combining_class(apart[at - 1]) > combining_class(one):
            at -= 1
        apart.insert(at, one)
    done, starter, last = [], None, 0
    for one in apart:
        of = combining_class(one)
        blocked = starter is None or (starter + 1 < len(done) and (last == 0 or last >= of))
        both = None if blocked else _compose(done[starter], one)
        if both is not None:
            done[starter] = both
            continue
        if of == 0:
            starter = len(done)
        last = of
        done.append(one)
    return done


def _is_valid(point):
    """Returns whether a code point belongs to IdentifierClass whatever its context is (RFC 8264 section 8)."""
    if point in VALID:
        return True
    if point in DISALLOWED or point not in _data():
        return False
    if 0x21 <= point <= 0x7E:
        return True
    ignorable = "Default_Ignorable_Code_Point" in _property("DerivedCoreProperties.txt").get(point, ()) or "Noncharacter_Code_Point" in _property("PropList.txt").get(point, ())
    old_jamo = _property("HangulSyllableType.txt").get(point, set()) & {"L", "V", "T"}
    if old_jamo or ignorable or normalize([point], compatible=True) != [point]:
        return False
    return _data()[point][2] in ("Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc")


def _joins(points, step, kinds):
    joining = _property("extracted/DerivedJoiningType.txt")
    for point in points[::step]:
        kind = joining.get(point, {"U"})
        if kind != {"T"}:
            return bool(kind & kinds)
    return False


def _fits(points, at):
    """Returns whether the code point at `at` is valid in its context (RFC 5892 appendix A)."""
    point = points[at]
    before, after = points[at - 1] if at else None, points[at + 1] if at + 1 < len(points) else None
    scripts = _property("Scripts.txt")
    if point in (NON_JOINER, JOINER):
        after_virama = before is not None and combining_class(before) == VIRAMA
        across = _joins(points[:at], -1, {"L", "D"}) and _joins(points[at + 1:], 1, {"R", "D"})
        return after_virama or (point == NON_JOINER and across)
    if point == 0xB7:
        return before == after == ord("l")
    if point == 0x375:
        return "Greek" in scripts.get(after, ())
    if point in (0x5F3, 0x5F4):
        return "Hebrew" in scripts.get(before, ())
    if point == 0x30FB:
        return any(scripts.get(one, set()) & {"Hiragana", "Katakana", "Han"} for one in points)
    return not any(one in (EXTENDED_DIGITS if point in ARABIC_DIGITS else ARABIC_DIGITS) for one in points)


def _keeps_direction(points):
    """Returns whether the points comply with the Bidi rule (RFC 5893 section 2)."""
    kinds = [_data()[point][4] for point in points]
    if not {"R", "AL", "AN"} & set(kinds):
        return True
    while kinds[-1] == "NSM":
        kinds.pop()
    return (
        kinds[0] in ("R", "AL")
        and set(kinds) <= {"R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"}
        and kinds[-1] in ("R", "AL", "EN", "AN")
        and not {"EN", "AN"} <= set(kinds)
    )


def _lower(point):
    if point in _full_lower_case():
        return _full_lower_case()[point]
    return [int(_data()[point][13] or f"{point:X}", 16)]


def _narrow(point):
    tag, *parts = _data()[point][5].split() if point in _data() and _data()[point][5] else [""]
    return int(parts[0], 16) if tag in ("<wide>", "<narrow>") else point


def _rules(points):
    """Applies rules 1 to 5 of docs/spec/usernames.md and returns (fault, points)."""
    points = [_narrow(point) for point in points]
    for at, point in enumerate(points):
        if point in CONTEXT:
            if not _fits(points, at):
                return "context", []
        elif not _is_valid(point):
            return "character", []
    points = normalize([part for point in points for part in _lower(point)])
    return ("valid", points) if _keeps_direction(points) else ("direction", [])


def prepare(name, max_len=facts.MAX_KEY_LEN):
    """Returns (fault, form) for the octets of a name; the fault of a valid name is "valid"."""
    if not 1 <= len(name) <= facts.MAX_KEY_LEN:
        return "length", b""
    try:
        points = [ord(c) for c in name.decode("utf-8")]
    except UnicodeDecodeError:
        return "utf8", b""
    fault, points = _rules(points)
    if fault != "valid":
        return fault, b""
    if _rules(points) != ("valid", points):
        return "unstable", b""
    form = "".join(map(chr, points)).encode()
    return ("valid", form) if len(form) <= max_len else ("length", b"")
