#!/usr/bin/python3
"""Generates every statement of a protocol fact from docs/spec/facts.toml: constants of C, C++, C# and Python, and tables of docs/spec.

usage: make_facts.py [--check]

Writes the files that are not up to date, and prints their names. With --check the script only prints the names, and the exit code is 1 if
there are such files. Some files are generated as a whole. In other files only the part between the lines `facts: NAME` and `facts: end` is
generated. """

import argparse
import os
import re
import sys
import tomllib
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = "docs/spec/facts.toml"
NOTICE = f"Generated from {SOURCE} by `make facts`: do not edit."


def load(root):
    """Returns the facts in docs/spec/facts.toml. Raises ValueError if two facts contradict each other."""
    with open(os.path.join(root, SOURCE), "rb") as file:
        facts = tomllib.load(file)
    if [one["id"] for one in facts["structures"]] != list(range(1, len(facts["structures"]) + 1)):
        raise ValueError(f"{SOURCE}: structures are numbered from 1 on, in their order")
    for section in ("hash_tags", "reasons"):
        listed = [number for number, *_ in facts[section].values()]
        if listed != sorted(set(listed)):
            raise ValueError(f"{SOURCE}: the numbers of {section} do not increase")
    if {number for number, _ in facts["reasons"].values()} & {number for number, _ in facts["client_reasons"].values()}:
        raise ValueError(f"{SOURCE}: two reasons have one number")
    if [number for number, _ in facts["abi"]["status"].values()] != [-i for i in range(len(facts["abi"]["status"]))]:
        raise ValueError(f"{SOURCE}: the status codes are not 0, -1, -2, ... in their order")
    return facts


def pascal(name):
    return "".join(word.capitalize() for word in re.split("[_-]", name))


def grouped(number, mark="_"):
    return f"{number:,}".replace(",", mark) if number > 9999 else str(number)


def all_reasons(facts):
    """Returns all reasons in the order of their numbers: the native verifier's reasons, and the reasons that only clients return."""
    return sorted((facts["reasons"] | facts["client_reasons"]).items(), key=lambda one: one[1][0])


def with_flag(facts, flag):
    return [one["name"] for one in facts["structures"] if one[flag]]


def kind_and_life(structure):
    return f"{'PAHD' if structure['versions'] else 'oZKS'}, {'per period' if structure['per_period'] else 'life of the log'}"


def sentence(text):
    """Returns a fact's text as a comment. In the facts, as in pages of the specification, a page is cited by its file name; the comment
    cites it by its path in the repository."""
    text = re.sub(r"(?<![\w/-])([a-z-]+\.md)", r"docs/spec/\1", text)
    return f"{text[0].upper()}{text[1:]}."


# ---- C and C++


def c_abi(facts):
    yield f"enum {{ OPTIKS_ABI_VERSION = {facts['abi']['version']} }};\n\nenum {{"
    for name, (number, text) in facts["abi"]["status"].items():
        yield f"  /* {text} */\n  OPTIKS_{name.upper()} = {number},"
    yield "};"


def c_constants(facts):
    numbers = {one["name"]: one["id"] for one in facts["structures"]} | {"num_structures": len(facts["structures"])}
    numbers["states_len"] = len(facts["structures"]) * facts["lengths"]["structure_state"][0]
    numbers |= {f"vrf_{name}_len": octets for name, (octets, _) in facts["vrf_lengths"].items()}
    numbers |= {f"{name}_len": octets for name, (octets, _) in facts["lengths"].items()}
    yield "enum {"
    yield ",\n".join(f"  OPTIKS_{name.upper()} = {number}" for name, number in numbers.items())
    yield "};"


def c_username_faults(facts):
    yield "enum {"
    for name, (number, when, _) in facts["username_faults"].items():
        yield f"  /* {when} */\n  OPTIKS_NAME_{name.upper()} = {number},"
    yield "};"


def cpp_constants(facts, section, suffix=""):
    for name, (number, text) in facts[section].items():
        yield f"// {sentence(text)}"
        yield f"inline constexpr std::size_t k{pascal(name + suffix)} = {grouped(number, chr(39))};"


def cpp_predicate(name, structures):
    terms = " || ".join(f"structure == k{pascal(one)}" for one in structures)
    return f"[[nodiscard]] constexpr bool {name}(std::uint8_t structure) {{\n  return {terms};\n}}"


def cpp_reasons(facts, declaration, is_one=lambda name: True, prefix=""):
    """Yields the C++ enumeration of reasons, and the table with the names of its members."""
    reasons = {name: number for name, (number, _) in facts["reasons"].items() if is_one(name)}
    # If the declaration has an attribute, clang-format indents the members by four blanks.
    indent = "    " if "[[" in declaration else "  "
    yield declaration
    yield from (f"{indent}k{pascal(name.removeprefix(prefix))} = {number}," for name, number in reasons.items())
    yield "};\n\ninline constexpr std::pair<Reason, const char*> kReasonNames[] = {"
    yield from (f'    {{Reason::k{pascal(name.removeprefix(prefix))}, "{name}"}},' for name in reasons)
    yield "};\n"


def cpp_vrf(facts):
    yield f"// {NOTICE}\n#pragma once\n\n#include <cstddef>\n#include <cstdint>\n#include <utility>\n\nnamespace optiks::vrf {{\n"
    yield from cpp_constants(facts, "vrf_lengths", "_len")
    yield "\n// Reason: why a key or a proof is refused. The first check of docs/spec/vrf.md sections 3 and 7 that fails names it."
    yield from cpp_reasons(facts, "enum class Reason : std::uint8_t {", lambda name: name == "valid" or name.startswith("vrf_"), "vrf_")
    yield "}  // namespace optiks::vrf"


def cpp_verify(facts):
    yield f"// {NOTICE}\n#pragma once\n\n#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <utility>\n"
    yield "namespace optiks::ozks::verify {\n\n// The trees of a log (docs/spec/tree.md)."
    for one in facts["structures"]:
        yield f"inline constexpr std::uint8_t k{pascal(one['name'])} = {one['id']};"
    yield f"inline constexpr std::size_t kNumStructures = {len(facts['structures'])};"
    yield "// kStructures: all structures, in the order of their ids."
    names = ", ".join(f"k{pascal(one['name'])}" for one in facts["structures"])
    yield f"inline constexpr std::array<std::uint8_t, kNumStructures> kStructures = {{{names}}};"
    yield "// structure_index: the zero-based index of a structure in an array with one element for each structure."
    yield "[[nodiscard]] constexpr std::size_t structure_index(std::uint8_t structure) { return structure - std::size_t{1}; }"
    yield "[[nodiscard]] constexpr bool is_structure(std::uint8_t id) { return id >= 1 && id <= kNumStructures; }"
    yield "// has_versions: a key has versions 1, 2, ... there (PAHD); elsewhere it has one leaf, of version 0 (oZKS)."
    yield cpp_predicate("has_versions", with_flag(facts, "versions"))
    yield "// is_per_period: the tree begins anew with each time period."
    yield cpp_predicate("is_per_period", with_flag(facts, "per_period"))
    yield "\n// The first byte of each hash's input (docs/spec/encoding.md section 1)."
    for name, (tag, _, _) in facts["hash_tags"].items():
        yield f"inline constexpr std::uint8_t kTag{pascal(name)} = 0x{tag:02x};"
    yield ""
    yield from cpp_constants(facts, "lengths", "_len")
    yield from cpp_constants(facts, "vector_limits")
    yield from cpp_constants(facts, "limits")
    yield "\n// Reason: 0 is valid, 1..19 malformed, all others invalid (docs/spec/reasons.md)."
    yield from cpp_reasons(facts, "enum class [[nodiscard]] Reason : std::int32_t{")
    yield "}  // namespace optiks::ozks::verify"


# ---- C#


def csharp(summary, declaration, members, namespace="Optiks.Protocol", uses=()):
    yield f"// {NOTICE}"
    yield from (f"using {one};\n" for one in uses)
    yield f"namespace {namespace};\n\n/// <summary>{summary}</summary>\n{declaration}\n{{"
    yield "\n\n".join(f"    {member}" for member in members)
    yield "}"


def csharp_member(text, declaration):
    return f"/// <summary>{escape(sentence(text))}</summary>\n    {declaration}"


def csharp_numbers(kind, facts, len_is="Length"):
    """Yields the members of a C# class with constants, for facts of the form name = [number, text, ...]."""
    for name, (number, text, *_) in facts.items():
        yield csharp_member(text, f"public const {kind} {re.sub('Len$', len_is, pascal(name))} = {grouped(number)};")


def csharp_lengths(facts):
    lengths = {f"vrf_{name}": fact for name, fact in facts["vrf_lengths"].items()} | facts["lengths"] | facts["vector_limits"]
    return csharp("Lengths in bytes.", "public static class Lengths", csharp_numbers("int", lengths, ""))


def csharp_limits(facts):
    limits = facts["limits"] | facts["request_limits"]
    return csharp("The limits of requests and answers (docs/spec/rest.md section 6).",
                  "public static class ProtocolLimits", csharp_numbers("int", limits))


def csharp_abi(facts):
    return csharp("The version of the C ABI that this binding was written for.", "internal static class Abi",
                  [csharp_member("the version that liboptiks must have", f"public const uint Version = {facts['abi']['version']};")], "Optiks.Native")


def csharp_native_status(facts):
    status = facts["abi"]["status"].items()
    return csharp("The status that a function of the C ABI returns.", "public enum NativeStatus",
                  [csharp_member(text, f"{pascal(name.removeprefix('e_'))} = {number},") for name, (number, text) in status], "Optiks.Native")


def csharp_hash_tags(facts):
    return csharp("The first byte of each hash's input (docs/spec/encoding.md section 1).", "public static class HashTags",
                  csharp_numbers("byte", facts["hash_tags"]))


def csharp_structure_id(facts):
    members = ["/// <summary>No structure; never on the wire.</summary>\n    None = 0,"]
    for one in facts["structures"]:
        text = f"key: {one['key']}; value: {one['value']}; {kind_and_life(one)}"
        members.append(csharp_member(text, f"{pascal(one['name'])} = {one['id']},"))
    return csharp("Names one of the structures of a log (docs/spec/tree.md).", "public enum StructureId : byte", members)


def csharp_structures(facts):
    versioned = " or ".join(f"StructureId.{pascal(one)}" for one in with_flag(facts, "versions"))
    per_period = " or ".join(f"StructureId.{pascal(one)}" for one in with_flag(facts, "per_period"))
    names = ", ".join(f'"{one["name"]}"' for one in facts["structures"])
    return csharp("Describes the structures of a log.", "public static class Structures", [
        csharp_member("the number of structures in every record", f"public const int Count = {len(facts['structures'])};"),
        csharp_member("the names of the structures, in the order of their ids", f"public static IReadOnlyList<string> Names {{ get; }} = [{names}];"),
        csharp_member("Tells whether a key has versions 1, 2, ... in this structure; in the others it has one leaf, of version 0",
                      f"public static bool HasVersions(this StructureId structure) => structure is {versioned};"),
        csharp_member("Tells whether the structure's tree begins anew with each time period",
                      f"public static bool IsPerPeriod(this StructureId structure) => structure is {per_period};")])


def csharp_reason(facts):
    return csharp("A verifier's verdict: 0 valid, 1 to 19 malformed, all others invalid (docs/spec/reasons.md).", "public enum Reason",
                  [csharp_member(text, f"{pascal(name)} = {number},") for name, (number, text) in all_reasons(facts)])


def csharp_reason_names(facts):
    arms = "".join(f'        Reason.{pascal(name)} => "{name}",\n' for name, _ in all_reasons(facts))
    return csharp("The names of reasons (docs/spec/reasons.md).", "internal static class ReasonNames", [
        csharp_member("returns the name of a reason; null for a number without one", f"public static string? Find(Reason reason) => reason switch\n    {{\n{arms}        _ => null,\n    }};")])


def csharp_media_types(facts):
    members = ['public const string Json = "application/json";']
    for name, of in facts["media_types"].items():
        members.append(csharp_member(of, f'public const string {pascal(name)} = "application/vnd.optiks.{name}";'))
    return csharp("The media types of bodies and answers (docs/spec/rest.md).", "public static class MediaTypes", members)


def csharp_problem_names(facts):
    members = [csharp_member("the beginning of every problem type; the problem's name follows", 'public const string UrnPrefix = "urn:optiks:problem:";')]
    for name, (_, title, _) in facts["problems"].items():
        members.append(csharp_member(title.rstrip("."), f'public const string {pascal(name)} = "{name}";'))
    listed = "".join(f"        {pascal(name)},\n" for name in facts["problems"])
    members.append(csharp_member("all names, in the order of the specification", f"public static IReadOnlyList<string> All {{ get; }} =\n    [\n{listed}    ];"))
    return csharp("The names of problems (docs/spec/rest.md section 2).", "public static class ProblemNames", members)


def csharp_problem_types(facts):
    problems = {pascal(name): fact for name, fact in facts["problems"].items()}
    members = [
        f'public static ProblemType {name} {{ get; }} = new(ProblemNames.{name}, {status}, "{title}");'
        for name, (status, title, _) in problems.items()]
    listed = "".join(f"        {name},\n" for name in problems)
    members.append(csharp_member("all types, in the order of the specification",
                                 f"public static IReadOnlyList<ProblemType> All {{ get; }} =\n    [\n{listed}    ];"))
    return csharp("The fixed list of problem types (docs/spec/rest.md section 2). Services answer with no others.",
                  "public static class ProblemTypes", members, "Optiks.ServiceDefaults", ["Optiks.Protocol"])


def csharp_token_refusals(facts):
    refusals = {pascal(name.removeprefix("token-")): (name, fact) for name, fact in facts["token_reasons"].items()}
    members = [
        csharp_member(when.replace("`", ""), f'public static TokenRefusal {member} {{ get; }} = new("{name}", "{detail}");')
        for member, (name, (when, detail)) in refusals.items()]
    listed = "".join(f"        {member},\n" for member in refusals)
    members.append(csharp_member("all refusals, in the order of the checks",
                                 f"public static IReadOnlyList<TokenRefusal> All {{ get; }} =\n    [\n{listed}    ];"))
    return csharp("The reasons to refuse a token (docs/spec/tokens.md section 4).", "internal static class TokenRefusals", members,
                  "Optiks.ServiceDefaults")


def csharp_username_fault(facts):
    return csharp("The reasons why a username has no form (docs/spec/usernames.md section 3).", "public enum UsernameFault",
                  [csharp_member(when, f"{pascal(name)} = {number},") for name, (number, when, _) in facts["username_faults"].items()])


def csharp_username_faults(facts):
    arms = "".join(
        f'        UsernameFault.{pascal(name)} => "{text}",\n' for name, (_, _, text) in facts["username_faults"].items() if name != "valid")
    return csharp("Explains the faults of usernames to people.", "public static class UsernameFaults", [
        csharp_member("returns a sentence for the person who gave the username",
                      f"public static string Sentence(this UsernameFault fault) => fault switch\n    {{\n{arms}"
                      '        _ => throw new ArgumentOutOfRangeException(nameof(fault)),\n    };')])


# ---- Python


def python(facts):
    yield f"# {NOTICE}"
    yield '"""The facts of docs/spec that are numbers or lists."""\n'
    names = [one["name"].upper() for one in facts["structures"]]
    yield f"STRUCTURES = {', '.join(names)} = {', '.join(str(one['id']) for one in facts['structures'])}"
    yield f"PER_PERIOD = ({', '.join(name.upper() for name in with_flag(facts, 'per_period'))})\n"
    for name, (tag, _, _) in facts["hash_tags"].items():
        yield f"TAG_{name.upper()} = 0x{tag:02x}"
    yield ""
    for name, (octets, _) in facts["vrf_lengths"].items():
        yield f"VRF_{name.upper()}_LEN = {octets}"
    for name, (octets, _) in facts["lengths"].items():
        yield f"{name.upper()}_LEN = {octets}"
    yield ""
    for section in ("vector_limits", "limits", "request_limits"):
        for name, (bound, _) in facts[section].items():
            yield f"{name.upper()} = {grouped(bound)}"
    yield "\nREASONS = {"
    yield from (f'    "{name}": {number},' for name, (number, _) in all_reasons(facts))
    yield "}\n\nUSERNAME_FAULTS = {"
    yield from (f'    "{name}": {number},' for name, (number, *_) in facts["username_faults"].items())
    yield f"}}\n\nABI_VERSION = {facts['abi']['version']}"
    yield from (f"ABI_{name.upper()} = {number}" for name, (number, _) in facts["abi"]["status"].items())


# ---- docs/spec


def table(columns, rows):
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for row in rows:
        yield re.sub(" +", " ", f"| {' | '.join(str(cell) for cell in row)} |")


def page_structures(facts):
    return table(["id", "structure", "kind, life", "key", "value"], (
        (one["id"], one["name"], kind_and_life(one), one["key"], one["value"]) for one in facts["structures"]))


def page_hash_tags(facts):
    return table(["tag", "input", "page"], ((f"0x{tag:02x}", text, page) for tag, text, page in facts["hash_tags"].values()))


def page_reasons(facts):
    return table(["no.", "name", "meaning"], ((number, f"`{name}`", text) for name, (number, text) in all_reasons(facts)))


def page_problems(facts):
    return table(["name", "status", "when"], ((f"`{name}`", status, when) for name, (status, _, when) in facts["problems"].items()))


def page_token_reasons(facts):
    return table(["reason", "when"], ((f"`{name}`", when) for name, (when, _) in facts["token_reasons"].items()))


def page_username_faults(facts):
    return table(["no.", "name", "when"], ((number, f"`{name}`", when) for name, (number, when, _) in facts["username_faults"].items()))


def page_limits(facts):
    limits = facts["limits"] | facts["request_limits"]
    return table(["limit", "meaning"], ((f"{bound:,}", text) for bound, text in limits.values()))


# ---- files

# Maps the path of each file to the function that yields the file's lines. If people write the file, maps its path to the names of the
# generated parts, each with its function.
MADE = {
    "common/service/src/Problems/ProblemTypes.cs": csharp_problem_types,
    "common/service/src/Tokens/TokenRefusals.cs": csharp_token_refusals,
    "common/src/Native/Abi.cs": csharp_abi,
    "common/src/Native/NativeStatus.cs": csharp_native_status,
    "common/src/Protocol/HashTags.cs": csharp_hash_tags,
    "common/src/Protocol/Lengths.cs": csharp_lengths,
    "common/src/Protocol/MediaTypes.cs": csharp_media_types,
    "common/src/Protocol/ProblemNames.cs": csharp_problem_names,
    "common/src/Protocol/ProtocolLimits.cs": csharp_limits,
    "common/src/Protocol/Reason.cs": csharp_reason,
    "common/src/Protocol/ReasonNames.cs": csharp_reason_names,
    "common/src/Protocol/StructureId.cs": csharp_structure_id,
    "common/src/Protocol/Structures.cs": csharp_structures,
    "common/src/Protocol/UsernameFault.cs": csharp_username_fault,
    "common/src/Protocol/UsernameFaults.cs": csharp_username_faults,
    "docs/spec/encoding.md": {"hash tags": page_hash_tags},
    "docs/spec/reasons.md": {"reasons": page_reasons},
    "docs/spec/rest.md": {"problems": page_problems, "limits": page_limits},
    "docs/spec/tokens.md": {"token reasons": page_token_reasons},
    "docs/spec/tree.md": {"structures": page_structures},
    "docs/spec/usernames.md": {"username faults": page_username_faults},
    "ozks/include/optiks/types.h": {"abi": c_abi, "constants": c_constants, "username faults": c_username_faults},
    "ozks/verify/include/optiks/ozks/verify/facts.h": cpp_verify,
    "tests/reference/facts.py": python,
    "vrf/include/optiks/vrf/facts.h": cpp_vrf,
}


def with_part(path, text, name, lines):
    """Returns the text of a file in which `lines` replace the generated part `name`. Raises ValueError unless the text has exactly one such
    part."""
    lines_before = text.split("\n")
    begins = [i for i, line in enumerate(lines_before) if f"facts: {name}," in line]
    ends = [i for i, line in enumerate(lines_before) if "facts: end" in line and begins and i > begins[0]]
    if len(begins) != 1 or not ends:
        raise ValueError(f"{path}: the lines `facts: {name},` and `facts: end` are not there, or are there twice")
    return "\n".join([*lines_before[:begins[0] + 1], *lines, *lines_before[ends[0]:]])


def stale(root):
    """Yields a pair (path, text that the file should have) for each file that differs from this text or is missing."""
    facts = load(root)
    for path, made in MADE.items():
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            text = ""
        wanted = text
        if callable(made):
            wanted = "\n".join(made(facts)) + "\n"
        else:
            for name, part in made.items():
                wanted = with_part(path, wanted, name, part(facts))
        if wanted != text:
            yield path, wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    found = list(stale(ROOT))
    for path, wanted in found:
        print(f"{path} is not what {SOURCE} says: `make facts` makes it again" if check else f"made {path}")
        if not check:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(wanted)
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())
