"""Finds the sentences of the repository's pages and comments, with their places, and the sentences with forms that CONTRIBUTING.md
refuses."""

import ast
import io
import json
import re
import tokenize
from dataclasses import dataclass

C_LIKE = (".cs", ".cc", ".h", ".c", ".ts", ".js", ".java")
HASH_LIKE = (".sh", ".yml", ".yaml", ".toml", ".cmake", "Makefile", "CMakeLists.txt")
MARKUP_LIKE = (".csproj", ".props", ".targets", ".slnx")
OPENAPI = ("docs/spec/openapi/query-service.json", "docs/spec/openapi/update-service.json")
# The endings of the names of all files that `sentences` can read.
READABLE = (".md", ".py", ".sql", *OPENAPI, *C_LIKE, *HASH_LIKE, *MARKUP_LIKE)

# Matches a string literal or a comment. Literals must be matched too, so that "//" inside a literal is not taken for a comment.
C_TOKEN = re.compile(r'"""+.*?"""+|@\$?"(?:[^"]|"")*"|\$@"(?:[^"]|"")*"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)', re.DOTALL)
_XML_NAME = re.compile(r'<(?:see|paramref|typeparamref|seealso) (?:cref|name|langword|href)="([^"]*)"\s*/>')
# The mark with which an item of a list begins in a page.
LIST_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+")
# The XML tags at which a new text begins.
_XML_PART = re.compile(r"</?(?:summary|remarks|param|returns|exception|value|para|typeparam|list|item|description|term|example)\b[^>]*>")
_XML_CODE = re.compile(r"</?c>")
_XML_TAG = re.compile(r"</?[a-z]+\b[^>]*>")
_SENTENCE_END = re.compile(r'(?<=[.!?])["\')]?\s+(?=[A-Z`"(\[<*0-9])')
# Abbreviations whose final point does not end a sentence.
_SHORT = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|Sec|Fig|No|pp)\.$")


@dataclass(frozen=True)
class Sentence:
    """A sentence or a table cell of the file `path`. Its paragraph begins at the line `line`."""

    path: str
    line: int
    text: str


def cells(row):
    """Returns the cells of a line of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def _split(path, line, text):
    text = " ".join(text.split())
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if not _SHORT.search(text[start:end.start()]):
            yield Sentence(path, line, text[start:end.start()].strip())
            start = end.end()
    if text[start:].strip():
        yield Sentence(path, line, text[start:].strip())


def _paragraphs_of_c(text):
    """Yields (line, text) of each comment. Comments on consecutive lines count as one comment."""
    block, first, last = [], 0, -1
    for token in C_TOKEN.finditer(text):
        if token["line"] is None and token["block"] is None:
            continue
        number = text.count("\n", 0, token.start()) + 1
        own_line = not text[text.rfind("\n", 0, token.start()) + 1:token.start()].strip()
        if block and (number != last + 1 or not own_line):
            yield first, "\n".join(block)
            block = []
        if not block:
            first = number
        if token["line"] is not None:
            block.append(token["line"].lstrip("/").strip())
            last = number
        else:
            block.append("\n".join(part.strip().lstrip("*").strip() for part in token["block"][2:-2].split("\n")))
            last = number + token["block"].count("\n")
    if block:
        yield first, "\n".join(block)


def _paragraphs_of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            said = ast.get_docstring(node)
            if said:
                yield node.body[0].lineno, said
    block, first, last = [], 0, -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or token.string.startswith("#!"):
            continue
        if block and (token.start[0] != last + 1 or token.line[:token.start[1]].strip()):
            yield first, "\n".join(block)
            block = []
        if not block:
            first = token.start[0]
        block.append(token.string.lstrip("#").strip())
        last = token.start[0]
    if block:
        yield first, "\n".join(block)


def _paragraphs_of_lines(text, mark):
    block, first = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(mark) and not line.startswith("#!"):
            first = first if block else number
            block.append(line.lstrip()[len(mark):].strip())
        elif block:
            yield first, "\n".join(block)
            block = []
    if block:
        yield first, "\n".join(block)


def _paragraphs_of_page(text):
    """Yields (line, text) of each paragraph, list item and table cell outside code. Headings are not sentences."""
    block, first, in_code = [], 0, False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        stripped = line.strip()
        fence = stripped.startswith("```")
        begins = LIST_ITEM.match(stripped) or re.match(r">\s+", stripped)
        if block and (fence or in_code or not stripped or stripped.startswith(("|", "#")) or begins):
            yield first, "\n".join(block)
            block = []
        if fence:
            in_code = not in_code
        elif in_code or not stripped or stripped.startswith("#"):
            continue
        elif stripped.startswith("|"):
            for cell in cells(stripped):
                if re.search(r"[A-Za-z]", cell):
                    yield number, cell
        else:
            first = first if block else number
            block.append(stripped[begins.end():] if begins else stripped)


def _without_tags(text):
    """Returns the text of an XML comment. Names and code keep a mark, as a reader sees them in the source: without one, a parameter `each`
    would read as a word of the sentence."""
    named = _XML_NAME.sub(lambda name: f"`{name[1].split('.')[-1]}`", text)
    return _XML_TAG.sub("", _XML_CODE.sub("`", named)).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def sentences(path, text):
    """Yields the sentences of a page's prose, or of a source file's comments and docstrings."""
    if path.endswith(".md"):
        paragraphs = _paragraphs_of_page(text)
    elif path.endswith(C_LIKE):
        paragraphs = ((line, _without_tags(part)) for line, said in _paragraphs_of_c(text) for part in _XML_PART.split(said))
    elif path.endswith(".py"):
        paragraphs = ((line, part) for line, said in _paragraphs_of_python(text) for part in re.split(r"\n\s*\n", said))
    elif path.endswith(".sql"):
        paragraphs = _paragraphs_of_lines(text, "--")
    elif path.endswith(HASH_LIKE):
        paragraphs = _paragraphs_of_lines(text, "#")
    elif path.endswith(MARKUP_LIKE):
        paragraphs = ((text.count("\n", 0, said.start()) + 1, said[1]) for said in re.finditer(r"<!--(.*?)-->", text, re.DOTALL))
    elif path in OPENAPI:
        paragraphs = ((text.count("\n", 0, said.start()) + 1, json.loads(said[1])) for said in re.finditer(r'"(?:summary|description)": ("(?:\\.|[^"\\])*")', text))
    else:
        return
    for line, paragraph in paragraphs:
        yield from _split(path, line, paragraph)


# The refused forms, as pairs of a description of the fault and an expression. Questions may begin with the words that statements must not
# begin with.
_FORMS = (
    ("begins with a clause that names nobody: say who or what", re.compile(r"^(?:Who|Whoever|Whose|Whom|What|Whatever|That which|Those (?:who|that|which))\b(?!.*\?$)")),
    ("begins with \"Of\": put the actor first", re.compile(r"^Of (?!course\b)")),
    ("has \"none\" as a predicate: say what it lacks, or that it is invalid", re.compile(r"\b(?:is|are|was|were|be|been) none\b")),
    ("has \"of none\", \"to none\"", re.compile(r"\b(?:of|to|by|for) none\b")),
    ("has \"to be had\": say available", re.compile(r"\bto be had\b")),
    ("has \"hand out\": say return, serve or publish", re.compile(r"\b(?:hand|hands|handed|handing) (?:it |them )?out\b")),
    ("has \"a moment\": give the time, or say briefly", re.compile(r"\ba moment\b")),
    ("has \"a good one\": name the thing", re.compile(r"\ba good one\b")),
    ("has \"beside\": say next to, besides, or at the same time", re.compile(r"\b[Bb]eside\b")),
)


def breaches(path, text):
    """Yields a complaint for each sentence that has a refused form."""
    for sentence in sentences(path, text):
        said = re.sub(r"`[^`]*`", "``", sentence.text)
        for wrong, form in _FORMS:
            if form.search(said):
                yield f"{path}:{sentence.line}: {wrong}: {sentence.text[:120]}"
