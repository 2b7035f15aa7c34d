#!/usr/bin/python3
"""Draws random comments and sentences of pages, for a reader who marks each as clear or unclear at first reading.

usage: sample_prose.py --seed N [--comments N] [--sentences N]

A comment is drawn as a whole and printed with its file and line, because a reader of the code sees it there. A sentence of a page is drawn
without the sentences around it. The same seed draws the same rows from the same commit. """

import argparse
import os
import random
import sys
from itertools import groupby
from pathlib import Path

import prose
from check import ROOT, list_files

# The least number of words in a drawn text. Shorter texts are headings, names or labels.
LEAST_WORDS = 4


def texts(is_page: bool) -> list[str]:
    """Returns every sentence of the pages, or every comment of the sources, as `path:line: text`."""
    rows = []
    for path in list_files():
        if path.endswith(".md") != is_page or not path.endswith(prose.READABLE):
            continue
        found = prose.sentences(path, Path(path).read_text(encoding="utf-8"))
        parts = ([one] for one in found) if is_page else (list(group) for _, group in groupby(found, key=lambda sentence: sentence.line))
        for part in parts:
            text = " ".join(sentence.text for sentence in part)
            if len(text.split()) >= LEAST_WORDS:
                rows.append(f"{path}:{part[0].line}: {text}")
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
