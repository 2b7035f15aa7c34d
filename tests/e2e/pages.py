"""Reads the fenced blocks of pages. They hold commands, which tests run unchanged, and the output that the page shows for these
commands."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "eng"))
from fences import fences_of  # noqa: E402

SHELLS = ("sh", "bash")
ANYTHING = "..."
# The parts of an output that differ from run to run. A page shows one example of each.
VARYING = (
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ",
    r"\d{8}T\d{6}Z",
    r"\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}",
    r"(?<![\w+/.])[A-Za-z0-9+/]{43,}={0,2}",
    r"(?<=\bepoch )\d+",
    r"(?<=Epochs 0 to )\d+",
    r"\d+(?= epochs)",
    r"\d+(?= entries)",
    r"(?<=and one of )\d+(?= that)",
    r"^\d+$",
)


class Step(NamedTuple):
    commands: str
    shown: str | None
    """The output that the page shows in a block of `text` right below the commands."""


def commands_of(page: Path) -> dict[str, list[tuple[str, str]]]:
    """Returns the shell and the text of each `sh` or `bash` block, by section, including blocks in lists. Blocks before the first section
    are skipped. Each page says where commands of the two shells run."""
    sections = re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]
    return {section.split("\n", 1)[0]: [(fence.language, fence.text) for fence in fences_of(section) if fence.language in SHELLS] for section in sections}


def steps_of(page: Path) -> list[Step]:
    """Returns the command blocks of a page in the page's order, each with the output that the page shows for it."""
    steps: list[Step] = []
    before = ""
    for fence in fences_of(page.read_text()):
        if fence.language in SHELLS:
            steps.append(Step(fence.text, None))
        elif fence.language == "text" and fence.is_next and before in SHELLS:
            steps[-1] = Step(steps[-1].commands, fence.text)
        before = fence.language
    return steps


def shows(shown: str, printed: str) -> bool:
    """Tells whether a program may have printed the output that a page shows.

    A line `...` stands for any number of lines, and `...` within a line for any text. The two texts may
    differ in the widths of gaps, and in parts that match VARYING. Blank lines are ignored.
    """
    lines = (line.rstrip() for line in shown.splitlines() if line.strip())
    pattern = "".join(r"(?:[^\n]*\n)*?" if line == ANYTHING else _pattern_of(line) + "\n" for line in lines)
    text = "".join(f"{line.rstrip()}\n" for line in printed.splitlines() if line.strip())
    return re.fullmatch(pattern, text, re.MULTILINE) is not None


def _pattern_of(line: str) -> str:
    """Returns a regular expression that matches the outputs for which one shown line stands."""
    pattern, end = "", 0
    for part in re.finditer("|".join([re.escape(ANYTHING), " {2,}", *(f"(?:{varying})" for varying in VARYING)]), line):
        pattern += re.escape(line[end:part.start()])
        if part[0] == ANYTHING:
            pattern += r"[^\n]*"
        elif part[0].isspace():
            pattern += " {2,}"
        else:
            # The text around a part decides which expression of VARYING applies to it, so each expression is searched for in the whole
            # line.
            pattern += next(varying for varying in VARYING if any(found.span() == part.span() for found in re.finditer(varying, line)))
        end = part.end()
    return pattern + re.escape(line[end:])
