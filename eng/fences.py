"""Reads the fenced blocks of Markdown pages."""

import re
from typing import NamedTuple


class Fence(NamedTuple):
    """A fenced block, without the indentation of its lines. `language` is empty if the page names no language."""

    language: str
    text: str
    is_next: bool
    """Whether only blank lines are between the fence before and this fence."""


def fences_of(text: str) -> list[Fence]:
    """Returns all fenced blocks of a text, including blocks in lists."""
    found, end = [], 0
    for fence in re.finditer(r"^( *)```([^\n`]*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        found.append(Fence(fence[2], re.sub(f"^{fence[1]}", "", fence[3], flags=re.MULTILINE), not text[end:fence.start()].strip()))
        end = fence.end()
    return found
