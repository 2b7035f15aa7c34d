#!/usr/bin/python3
"""Draws random comments and sentences of pages, for a reader who marks each as clear or unclear at first reading.

usage: sample_prose.py --seed N [--comments N] [--sentences N]

A comment is drawn as a whole and printed with its file and line, because a reader of the code sees it there. Before a sentence of a page,
brackets have what a reader of the page has just read: the heading, and the sentence before it in its paragraph; for a table cell, the
column's title and the first cell of the row; for an item of a list, the sentence that introduces the list. The same seed draws the same
rows from the same commit. """

import argparse
import os
import random
import re
import sys
from itertools import groupby
from pathlib import Path

import prose
from check import ROOT, list_files

# The least number of words in a drawn text. Shorter texts are headings, names or labels.
LEAST_WORDS = 4


def read_before(lines: list[str], sentence: prose.Sentence, previous: prose.Sentence | None) -> str:
    """Returns what a reader of a page has just read before the sentence. `previous` is the sentence before it in the page."""
    at = sentence.line - 1
    headings = [line.lstrip("# ") for line in lines[:at] if re.match(r"#+ ", line)]
    before = headings[-1:]
    if lines[at].lstrip().startswith("|"):
        top = at
        while top > 0 and lines[top - 1].lstrip().startswith("|"):
            top -= 1
        row = prose.cells(lines[at])
        column = next((index for index, cell in enumerate(row) if sentence.text in " ".join(cell.split())), 0)
        if top != at:
            before += [title for title in prose.cells(lines[top])[column:column + 1] if title]
        before += row[:1] if column > 0 else []
    elif previous is not None and previous.line == sentence.line:
        before.append(previous.text)
    elif prose.LIST_ITEM.match(lines[at].strip()):
        introduction = [line.strip() for line in lines[:at] if line.rstrip().endswith(":") and not prose.LIST_ITEM.match(line.strip())]
        before += introduction[-1:]
    return " / ".join(before)


def texts(is_page: bool) -> list[str]:
    """Returns every sentence of the pages, or every comment of the sources, as `path:line: text`."""
    rows = []
    for path in list_files():
        if path.endswith(".md") != is_page or not path.endswith(prose.READABLE):
            continue
        content = Path(path).read_text(encoding="utf-8")
        lines, found = content.split("\n"), prose.sentences(path, content)
        parts = ([one] for one in found) if is_page else (list(group) for _, group in groupby(found, key=lambda sentence: sentence.line))
        previous = None
        for part in parts:
            text = " ".join(sentence.text for sentence in part)
            if len(text.split()) >= LEAST_WORDS:
                before = f"[{read_before(lines, part[0], previous)}] " if is_page else ""
                rows.append(f"{path}:{part[0].line}: {before}{text}")
            previous = part[-1]
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True, help="of the draw")
    parser.add_argument("--comments", type=int, default=100, help="how many comments (default: 100)")
    parser.add_argument("--sentences", type=int, default=60, help="how many sentences of pages (default: 60)")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    draw = random.Random(arguments.seed)
    for is_page, count in ((False, arguments.comments), (True, arguments.sentences)):
        rows = texts(is_page)
        for row in draw.sample(rows, min(count, len(rows))):
            print(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
