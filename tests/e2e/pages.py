"""Commands of the operators' pages, which tests run as they stand there."""

import re
from pathlib import Path


def commands_of(page: Path) -> dict[str, list[tuple[str, str]]]:
    """Shell and text of each block of `sh` or `bash`, by its section, those of lists as well; what is before the first section is left out. What the two shells stand for the page says."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for section in re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]:
        blocks = re.findall(r"^( *)```(sh|bash)\n(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
        sections[section.split("\n", 1)[0]] = [(shell, re.sub(f"^{indent}", "", text, flags=re.MULTILINE)) for indent, shell, text in blocks]
    return sections
