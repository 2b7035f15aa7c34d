"""Checks rules on the text of the sources that no compiler or formatter checks. Each rule is a function that takes the list of the
repository's files and yields one line for each breach."""

import json
import os
import posixpath
import re
import xml.etree.ElementTree as ElementTree

import prose

SOURCE = (".h", ".cc", ".c", ".cs", ".py", ".sh", ".ts", ".js", ".sql", ".csproj", ".props", ".targets", ".slnx", ".cmake", ".yml", ".yaml")
MOST_LINES = 500
MOST_COLUMNS = 140
# Matches the first line of a generated file, with the comment marks of any language.
GENERATED = re.compile(r"^\W*Generated (?:from|by) ")

# For each C++ module, the modules whose headers its files may include as "optiks/<module>/...".
CPP_MODULES = {"base": {"base"}, "vrf": {"base", "vrf"}, "ozks": {"base", "vrf", "ozks"}, "client": {"base", "ozks", "client"}}

# The folders of ozks (docs/architecture.md section 3) and the headers of ozks/include, in rows. An entry may include the entries of earlier
# rows; entries of the same row must not include each other. The folders in OZKS_USERS may include everything.
OZKS_FOLDERS = (("types.h", "verify", "util"), ("leaves", "names"), ("trie",), ("linked", "stored"), ("directory",), ("pahd", "snapshot", "verdicts.h"), ("optiks.h",), ("capi",))
OZKS_USERS = ("tests", "bench", "fuzz")
# The entries that the client core may include, because they need no storage, threads, exceptions or system calls.
OZKS_FOR_CLIENTS = ("types.h", "verify", "names")

# The project references that the architecture forbids: for each folder, the folders that its projects must not reference, directly or
# through others.
FORBIDDEN_REFERENCES = {
    "client": ("sql", "query-service", "update-service", "update-task", "bench", "tests"),
    "common": ("sql", "client", "query-service", "update-service", "update-task", "bench", "tests"),
    "sql": ("client", "query-service", "update-service", "update-task", "bench", "tests"),
    "query-service": ("client", "update-service", "update-task", "bench", "tests"),
    "update-service": ("client", "query-service", "update-task", "bench", "tests"),
    "update-task": ("client", "query-service", "update-service", "bench", "tests"),
}


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _lines(path):
    return _text(path).split("\n")


def _sources(files):
    return [f for f in files if f.endswith(SOURCE) or os.path.basename(f) in ("Makefile", "CMakeLists.txt")]


def no_markers(files):
    """Refuses markers of unfinished work in the code, because such work belongs in a ticket."""
    marker = re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b")
    for path in _sources(files):
        for number, line in enumerate(_lines(path), 1):
            if marker.search(line):
                yield f"{path}:{number}: {line.strip()}"


def clean_text(files):
    """Requires LF line ends, no trailing blanks, and one newline at the end."""
    for path in _sources(files):
        with open(path, "rb") as file:
            data = file.read()
        if b"\r" in data:
            yield f"{path}: carriage return"
        if data and not data.endswith(b"\n"):
            yield f"{path}: no newline at the end"
        for number, line in enumerate(data.split(b"\n"), 1):
            if line != line.rstrip():
                yield f"{path}:{number}: trailing blanks"


INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def cpp_includes(files):
    """Requires that C++ modules include only public headers of other modules, and only in the direction that the design allows."""
    for path in files:
        module = path.split("/", 1)[0]
        if module not in CPP_MODULES or not path.endswith((".h", ".cc", ".c")):
            continue
        for number, line in enumerate(_lines(path), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            target = found.group(1)
            parts = target.split("/")
            if ".." in parts or re.search(r"(^|/)(base|vrf|ozks)/(src|tests)/", target):
                yield f"{path}:{number}: includes a private file: {target}"
            elif parts[0] == "optiks" and len(parts) > 2 and parts[1] not in CPP_MODULES[module]:
                yield f"{path}:{number}: {module} must not depend on {parts[1]}: {target}"
            elif "/include/" in path and parts[0] != "optiks":
                yield f"{path}:{number}: a public header includes a private one: {target}"


def _ozks_folder(path):
    """Returns the entry of OZKS_FOLDERS to which a file belongs, from the file's path in the repository or in an include. Returns None for
    files outside ozks."""
    parts = path.split("/")
    if parts[:3] == ["ozks", "include", "optiks"] or (parts[0] == "optiks" and len(parts) == 2):
        return parts[-1]
    if parts[:3] == ["optiks", "ozks", "verify"]:
        return "verify"
    return parts[1 if parts[0] == "ozks" else 0] if len(parts) > 1 and parts[0] != "optiks" else None


def ozks_folders(files):
    """Requires that the folders of ozks include each other only in the order of OZKS_FOLDERS."""
    rank = {folder: number for number, row in enumerate(OZKS_FOLDERS) for folder in row}
    for path in files:
        if path.split("/", 1)[0] not in CPP_MODULES or not path.endswith((".h", ".cc", ".c")) or set(path.split("/")) & set(OZKS_USERS):
            continue
        user = _ozks_folder(path) if path.startswith("ozks/") else None
        if path.startswith("ozks/") and user not in rank:
            yield f"{path}: {user} has no place in the order of ozks' folders"
            continue
        for number, line in enumerate(_lines(path), 1):
            found = INCLUDE.match(line)
            used = _ozks_folder(found.group(1)) if found else None
            if used is None or used == user or path.startswith("client/") and used in OZKS_FOR_CLIENTS:
                continue
            if user is None and used in rank or user is not None and rank.get(used, len(rank)) >= rank[user]:
                yield f"{path}:{number}: {user or path.split('/', 1)[0]} must not use {used}: {found.group(1)}"


CO_AWAIT = re.compile(r"\bco_(?:await|yield)\b")
# The only form of `co_await`: its operand is a variable, and its value is assigned or returned.
CO_AWAIT_ALONE = re.compile(r"(?:[^=!<>+\-*/%&|^]=|\bco_return)\s+co_await \w+;")
CO_BODY = re.compile(r"\bco_(?:await|return|yield)\b")
LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?[\w\s:>*&<,-]*\{")
TASK_FUNCTION = re.compile(r"^([^\n\S]*)(?:[\w:]+ )*(?:[\w:]+::)?Task<[^;{}()=]*> ([\w:~]+)\(([^{};]*)\)[^{};()]*\{", re.M)


def _block(code, start):
    """Returns the text from an opening brace to the brace that closes it."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == "{") - (code[at] == "}")
        if depth == 0:
            return code[start:at + 1]
    return code[start:]


def coroutines(files):
    """Keeps the coroutines of the client core away from what GCC 12 compiles incorrectly (client/core/include/optiks/client/task.h):
    `co_await` has a variable as its operand and stands alone on the right of `=` or of `co_return`. Coroutines are free functions, not
    members or lambdas, and no parameter is a reference that may refer to a temporary object."""
    for path in files:
        if not path.startswith("client/core/") or not path.endswith((".h", ".cc")):
            continue
        code = prose.C_TOKEN.sub(lambda token: re.sub(r"[^\n]", " ", token.group()), _text(path))
        alone = {match.start() + match.group().rindex("co_await") for match in CO_AWAIT_ALONE.finditer(code)}
        found = [(at.start(), "co_await must have a variable as its operand, and be assigned or returned")
                 for at in CO_AWAIT.finditer(code) if at.start() not in alone]
        found += [(at.start(), "a lambda must not be a coroutine") for at in LAMBDA.finditer(code) if CO_BODY.search(_block(code, at.end() - 1))]
        for function in TASK_FUNCTION.finditer(code):
            indent, name, parameters = function.groups()
            if not CO_BODY.search(_block(code, function.end() - 1)):
                continue
            if indent or "::" in name:
                found.append((function.start(2), f"the coroutine {name} must be a free function"))
            if "&&" in parameters or re.search(r"\bconst\b[^,]*&", parameters):
                found.append((function.start(2), f"a parameter of the coroutine {name} may refer to a temporary object"))
        for at, what in sorted(found):
            yield f"{path}:{code.count(chr(10), 0, at) + 1}: {what}"


def _references(project):
    for node in ElementTree.parse(project).iter():
        if node.tag.split("}")[-1] == "ProjectReference" and node.get("Include"):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(project), node.get("Include").replace("\\", "/")))


def project_references(files):
    """Requires that no project references, directly or through others, a folder that FORBIDDEN_REFERENCES forbids to it. The folders of
    storage engines, which have migrations, must not reference each other, and the folder that engines share must not reference an engine.
    Test projects may reference everything that they need."""
    graph = {f: list(_references(f)) for f in files if f.endswith(".csproj")}
    engines = {match[1] for match in (re.match(r"(sql/\w+)/src/migrations/", f) for f in files) if match}
    forbidden_from = [*FORBIDDEN_REFERENCES.items(), *((folder, engines - {folder}) for folder in ("sql/storage", *engines))]
    for project in graph:
        forbidden = tuple(f"{other}/" for folder, others in forbidden_from if project.startswith(f"{folder}/") for other in others)
        if not forbidden or project.endswith(".Tests.csproj"):
            continue
        reached, waiting = set(), [project]
        while waiting:
            current = waiting.pop()
            if current not in reached:
                reached.add(current)
                waiting += graph.get(current, [])
        for other in sorted(reached):
            if other.startswith(forbidden):
                yield f"{project} depends on {other}"


def solution_lists_all(files):
    """Requires that Optiks.slnx, from which `make test` takes its test projects, names exactly the existing projects."""
    listed = {node.get("Path") for node in ElementTree.parse("Optiks.slnx").iter("Project")}
    projects = {f for f in files if f.endswith(".csproj")}
    for path in sorted(projects - listed):
        yield f"{path} is not in Optiks.slnx"
    for path in sorted(listed - projects):
        yield f"Optiks.slnx names {path}, which is not in the repository"


LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")


def _links(path):
    """Yields (line number, target) for each link of a page to a file of the repository. The target is a path from the repository's root."""
    code = False
    for number, line in enumerate(_lines(path), 1):
        code ^= line.lstrip().startswith("```")
        if not code:
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if not re.match(r"[a-z]+:", target):
                    yield number, posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def links_resolve(files):
    """Requires that the targets of links in Markdown pages exist, if they are in the repository."""
    there = set(files)
    for path in files:
        there.update(path[:at] for at, letter in enumerate(path) if letter == "/")
    for path in files:
        if path.endswith(".md"):
            for number, target in _links(path):
                if target not in there:
                    yield f"{path}:{number}: leads to {target}, which is not in the repository"


COMMENT = re.compile(r'(?://|/\*|^\s*\*|#|<!--|""").*')
CITATION = re.compile(r"(?<![\w./<-])(?:[\w.-]+/)*[\w-]+\.md\b")


def citations_resolve(files):
    """Requires that the pages that comments cite exist. A page is cited by its path from the repository's root or from the file's
    folder."""
    there = set(files)
    for path in _sources(files):
        if path.startswith("eng/tests/"):
            continue
        for number, line in enumerate(_lines(path), 1):
            comment = COMMENT.search(line)
            for target in CITATION.findall(comment.group()) if comment else ():
                if not there & {target, posixpath.normpath(posixpath.join(posixpath.dirname(path), target))}:
                    yield f"{path}:{number}: cites {target}, which is not in the repository"


VECTORS, SPEC = "tests/vectors/", "docs/spec/"


def vectors_are_described(files):
    """Requires that the specification's page about a file of test vectors has a link to the file, and that README.md describes all fields
    of the file's rows. The C2SP vectors have their own page."""
    linked = {target for page in files if page.startswith(SPEC) for _, target in _links(page)}
    described = "\n".join("\n".join(_lines(path)) for path in files if path == f"{VECTORS}README.md")
    for path in files:
        if not path.startswith(VECTORS) or not path.endswith(".json") or path.startswith(f"{VECTORS}tlog/"):
            continue
        if path not in linked:
            yield f"{path} is linked by no page of {SPEC}"
        if f"`{posixpath.basename(path)}`" not in described:
            yield f"{VECTORS}README.md does not describe {path}"
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        rows = content["vectors"] if isinstance(content, dict) else content
        for field in sorted(set().union(*(row for row in rows if isinstance(row, dict))) - set(re.findall(r"`(\w+)`", described))):
            yield f"{VECTORS}README.md does not describe the field {field} of {path}"


def short_files(files):
    """Requires that source files have at most MOST_LINES lines. Generated files, whose first line says that they are generated, may be
    longer."""
    for path in _sources(files):
        lines = _lines(path)
        length = len(lines) - (lines[-1] == "")
        if length > MOST_LINES and not GENERATED.match(lines[0]):
            yield f"{path}: {length} lines, more than {MOST_LINES}: divide it by what it does"


PARTIAL = re.compile(r"^(?:\w+ )*partial (?:ref )?(?:class|struct|interface|record(?: class| struct)?) (\w+)", re.M)
NAMESPACE = re.compile(r"^namespace ([\w.]+)", re.M)
# Names the partial types that may be longer. `OptiksClient` has all calls of the SDK in one class. The next issue replaces this class.
LONG_TYPES = ("OptiksClient",)


def short_types(files):
    """Requires that all files of a partial C# type in one project have at most MOST_LINES lines together, so that a division of a type into
    several files does not evade the bound of short_files. Nested types, which are indented, count with their outer type. Generated files do
    not count."""
    projects = {posixpath.dirname(path) for path in files if path.endswith(".csproj")}
    types = {}
    for path in files:
        text = _text(path) if path.endswith(".cs") else ""
        if not text or GENERATED.match(text):
            continue
        folder = posixpath.dirname(path)
        while folder and folder not in projects:
            folder = posixpath.dirname(folder)
        namespace = NAMESPACE.search(text)
        for name in set(PARTIAL.findall(text)) - set(LONG_TYPES):
            types.setdefault((folder, namespace and namespace[1], name), []).append((path, text.count("\n")))
    for (_, _, name), parts in sorted(types.items(), key=lambda item: item[1]):
        length = sum(lines for _, lines in parts)
        if len(parts) > 1 and length > MOST_LINES:
            yield f"{parts[0][0]}: the {len(parts)} files of {name} have {length} lines, more than {MOST_LINES}: divide it by what it does"


def _in_literal(text):
    """Returns, for each character of a C# source, whether it is inside a string literal."""
    inside = bytearray(len(text))
    for token in prose.C_TOKEN.finditer(text):
        if token["line"] is None and token["block"] is None:
            inside[token.start():token.end()] = b"\1" * (token.end() - token.start())
    return inside


def short_lines(files):
    """Allows at most MOST_COLUMNS columns in a line of C#, unless a string literal reaches beyond them. Interpolated strings are not parsed:
    the rest of a line after the beginning of one counts as a literal."""
    for path in files:
        text = _text(path) if path.endswith(".cs") else ""
        if not text or GENERATED.match(text):
            continue
        inside, start = None, 0
        for number, line in enumerate(text.split("\n"), 1):
            # The punctuation that ends a line after a literal does not count.
            if len(line.rstrip('"(),.;[]{}')) > MOST_COLUMNS:
                inside = inside or _in_literal(text)
                if not inside[start + MOST_COLUMNS] and not re.search(r'[$]+"', line[:MOST_COLUMNS]):
                    yield f"{path}:{number}: {len(line)} columns, more than {MOST_COLUMNS}"
            start += len(line) + 1


def secret_marks(files):
    """Allows marks for Valgrind only in the sources that vrf_ct_test compiles with them (vrf/CMakeLists.txt). In other sources of the
    library they would have no effect."""
    marked = ("base/include/optiks/base/secret.h", "vrf/src/secret_key.cc")
    for path in files:
        if path.endswith((".cc", ".h")) and "/tests/" not in path and path not in marked:
            for number, line in enumerate(_lines(path), 1):
                if re.search(r"\bOPTIKS_(SECRET|DECLASSIFY)\b", line):
                    yield f"{path}:{number}: {line.strip()}"


def plain_english(files):
    """Refuses the forms in pages and comments that eng/prose.py lists (CONTRIBUTING.md, section English)."""
    for path in files:
        # CONTRIBUTING.md is left out, because it quotes the refused forms.
        if path.endswith(prose.READABLE) and path != "CONTRIBUTING.md":
            yield from prose.breaches(path, _text(path))


RULES = (no_markers, clean_text, cpp_includes, secret_marks, ozks_folders, coroutines, project_references, solution_lists_all, links_resolve, citations_resolve, vectors_are_described, short_files, short_types, short_lines, plain_english)
