"""Reads the commands of the operators' pages, which tests run unchanged."""

import re
from pathlib import Path


def commands_of(page: Path) -> dict[str, list[tuple[str, str]]]:
    """Returns shell and text of each `sh` or `bash` block, including those in lists, by section; text before the first section is skipped.
    The page says what the two shells mean."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for section in re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]:
        blocks = re.findall(r"^( *)```(sh|bash)\n(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
        sections[section.split("\n", 1)[0]] = [(shell, re.sub(f"^{indent}", "", text, flags=re.MULTILINE)) for indent, shell, text in blocks]
    return sections
