#!/usr/bin/python3
"""Generates ozks/names/tables.inc, the data of Unicode 15.0.0 that PRECIS usernames need, from the files of Debian's package unicode-data
(`make username-tables`).

usage: make_username_tables.py [--check]

docs/spec/usernames.md says what each table is for. With --check the script writes nothing, and the exit code is 1 if the file is not up to
date. """

import argparse
import os
import sys
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "ozks/names/tables.inc")
UCD = "/usr/share/unicode"
VERSION = "15.0.0"
ALL = range(0x110000)

# The exceptions of RFC 8264 section 9.6.
EXCEPTIONS_VALID = {0x00DF, 0x03C2, 0x06FD, 0x06FE, 0x0F0B, 0x3007}
EXCEPTIONS_CONTEXT = {0x00B7, 0x0375, 0x05F3, 0x05F4, 0x30FB, *range(0x0660, 0x066A), *range(0x06F0, 0x06FA)}
EXCEPTIONS_DISALLOWED = {0x0640, 0x07FA, 0x302E, 0x302F, *range(0x3031, 0x3036), 0x303B}
LETTERS_AND_DIGITS = {"Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"}
VIRAMA = 9
SCRIPTS = {"Greek": "kGreek", "Hebrew": "kHebrew", "Hiragana": "kKana", "Katakana": "kKana", "Han": "kKana"}
JOINING = {"L": "kLeft", "R": "kRight", "D": "kDual", "T": "kTransparent"}


def rows(name):
    """Yields the fields of each line in a file of the Unicode Character Database. In place of the first field, it yields the range of code
    points that the field names."""
    with open(os.path.join(UCD, name), encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.split("#", 1)[0].split(";")]
            if fields[0]:
                first, _, last = fields[0].partition("..")
                yield range(int(first, 16), int(last or first, 16) + 1), *fields[1:]


def property_of(name):
    return {point: value for points, value, *_ in rows(name) for point in points}


def has_property(name, *wanted):
    return {point for points, value, *_ in rows(name) if value in wanted for point in points}


class Characters:
    """Holds the general category, combining class, bidirectional class, decomposition and lower case of all assigned characters."""

    def __init__(self):
        with open(os.path.join(UCD, "DerivedAge.txt"), encoding="utf-8") as file:
            if VERSION not in file.readline():
                raise ValueError(f"{UCD} is not of Unicode {VERSION}")
        self.category, self.combining, self.bidi, self.lower = {}, {}, {}, {}
        self.decomposition = {}  # maps a code point to (tag, parts)
        start = None
        for points, name, category, combining, bidi, decomposition, *rest in rows("UnicodeData.txt"):
            if name.endswith("First>"):
                start = points[0]
                continue
            for point in range(start if name.endswith("Last>") else points[0], points[0] + 1):
                self.category[point], self.combining[point], self.bidi[point] = category, int(combining), bidi
            start = None
            if rest[7]:
                self.lower[points[0]] = (int(rest[7], 16),)
            if decomposition:
                tag, _, parts = decomposition.rpartition("> ") if ">" in decomposition else ("", "", decomposition)
                self.decomposition[points[0]] = (tag.lstrip("<"), tuple(int(part, 16) for part in parts.split()))
        # Mappings with a condition are left out, because they apply only in some languages or at some places in a word.
        for points, lower, *rest in rows("SpecialCasing.txt"):
            if rest[2] == "":
                self.lower[points[0]] = tuple(int(part, 16) for part in lower.split())
        self.lower = {point: lower for point, lower in self.lower.items() if lower != (point,)}
        excluded = has_property("DerivedNormalizationProps.txt", "Full_Composition_Exclusion")
        self.compositions = {
            point: parts for point, (tag, parts) in self.decomposition.items() if not tag and len(parts) == 2 and point not in excluded}
        # The characters that differ from their NFKC form. These are the characters whose decomposition cannot be undone by composition, and
        # the characters that are composed of such characters.
        self.has_compatible = {point for point in self.decomposition if not self._is_composed(point)}
        # Python's own Unicode data is of an older version. For the characters that it contains, both versions must agree.
        for point in self.category:
            if unicodedata.category(chr(point)) != "Cn" and (unicodedata.normalize("NFKC", chr(point)) != chr(point)) != (point in self.has_compatible):
                raise ValueError(f"U+{point:04X}: the decompositions contradict each other")

    def _is_composed(self, point):
        return point not in self.decomposition or (point in self.compositions and all(map(self._is_composed, self.compositions[point])))


def classes(characters):
    """Returns the characters that the IdentifierClass allows, each with its class by RFC 8264 section 8."""
    join_control = has_property("PropList.txt", "Join_Control")
    ignorable = has_property("DerivedCoreProperties.txt", "Default_Ignorable_Code_Point") | has_property("PropList.txt", "Noncharacter_Code_Point")
    old_jamo = has_property("HangulSyllableType.txt", "L", "V", "T")
    found = {}
    for point in ALL:
        if point in EXCEPTIONS_VALID:
            found[point] = "kValid"
        elif point in EXCEPTIONS_CONTEXT:
            found[point] = "kContext"
        elif point in EXCEPTIONS_DISALLOWED or point not in characters.category:
            continue
        elif 0x21 <= point <= 0x7E:
            found[point] = "kValid"
        elif point in join_control:
            found[point] = "kContext"
        elif point in old_jamo or point in ignorable or characters.category[point] == "Cc" or point in characters.has_compatible:
            continue
        elif characters.category[point] in LETTERS_AND_DIGITS:
            found[point] = "kValid"
    return found


def ranges(values):
    """Returns [first, last, value] for each run of consecutive code points with the same value, in their order."""
    found = []
    for point in sorted(values):
        if found and found[-1][1] == point - 1 and found[-1][2] == values[point]:
            found[-1][1] = point
        else:
            found.append([point, point, values[point]])
    return found


def table(declaration, entries):
    lines, line = [], ""
    for entry in entries:
        text = "{" + ", ".join(f"0x{field:X}" if isinstance(field, int) else field for field in entry) + "},"
        if len(line) + len(text) > 118:
            lines.append(line.rstrip())
            line = ""
        line += text + " "
    return f"constexpr {declaration}[] = {{\n" + "\n".join(f"  {one}" for one in [*lines, line.rstrip()]) + "\n};\n"


def render():
    characters = Characters()
    allowed = classes(characters)
    combining = {point: value for point, value in characters.combining.items() if value}
    bidi = {point: f"Bidi::k{characters.bidi[point]}" for point in allowed if characters.bidi[point] != "L"}
    scripts = {point: f"Script::{SCRIPTS[value]}" for point, value in property_of("Scripts.txt").items() if value in SCRIPTS}
    joining = {point: f"Joining::{JOINING[value]}" for point, value in property_of("extracted/DerivedJoiningType.txt").items() if value in JOINING}
    compositions = sorted((*parts, point) for point, parts in characters.compositions.items())
    lower = [(point, *characters.lower[point], *([0] * (2 - len(characters.lower[point])))) for point in sorted(characters.lower) if point in allowed]
    narrow = [(point, *parts) for point, (tag, parts) in sorted(characters.decomposition.items()) if tag in ("wide", "narrow")]
    if any(len(one) != 3 for one in lower) or any(len(one) != 2 for one in narrow):
        raise ValueError("a mapping has more characters than its table")
    by_character = sorted(range(len(compositions)), key=lambda i: compositions[i][2])
    return "\n".join([
        f"// Generated from Unicode {VERSION} by eng/make_username_tables.py: do not edit. docs/spec/usernames.md says what each table is for.",
        "// clang-format off",
        table("Range<Class> kClasses", ranges({point: f"Class::{value}" for point, value in allowed.items()})),
        table("Mapping kNarrow", [(wide, one, 0) for wide, one in narrow]),
        table("Mapping kLower", lower),
        "// In the order of their parts.",
        table("Composition kCompositions", compositions),
        "// Numbers of the compositions in the order of what they make.",
        table("CompositionNumber kByCharacter", [(number,) for number in by_character]),
        table("Range<std::uint8_t> kCombining", ranges(combining)),
        "// All others are of class L.",
        table("Range<Bidi> kBidi", ranges(bidi)),
        table("Range<Joining> kJoining", ranges(joining)),
        table("Range<Script> kScripts", ranges(scripts)),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the file is stale")
    arguments = parser.parse_args()
    made = render()
    try:
        with open(OUT, encoding="utf-8") as file:
            stale = file.read() != made
    except FileNotFoundError:
        stale = True
    if stale and not arguments.check:
        with open(OUT, "w", encoding="utf-8") as file:
            file.write(made)
    if stale:
        print("ozks/names/tables.inc")
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
