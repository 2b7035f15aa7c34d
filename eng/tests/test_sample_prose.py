"""Tests what the sampler of prose shows before a sentence of a page."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import prose  # noqa: E402
import sample_prose  # noqa: E402

PAGE = """# Title
First sentence. Second sentence.

The list has this:

- one item

| name | meaning |
|---|---|
| a | the first letter |
"""


class ReadBefore(unittest.TestCase):
    def before(self, text):
        found = list(prose.sentences("a.md", PAGE))
        at = next(index for index, sentence in enumerate(found) if sentence.text == text)
        return sample_prose.read_before(PAGE.split("\n"), found[at], found[at - 1] if at > 0 else None)

    def test_a_sentence_has_the_heading_and_the_sentence_before_it_in_its_paragraph(self):
        self.assertEqual("Title", self.before("First sentence."))
        self.assertEqual("Title / First sentence.", self.before("Second sentence."))

    def test_an_item_has_the_sentence_that_introduces_its_list(self):
        self.assertEqual("Title / The list has this:", self.before("one item"))

    def test_a_cell_has_its_column_s_title_and_the_first_cell_of_its_row(self):
        self.assertEqual("Title / meaning / a", self.before("the first letter"))
        self.assertEqual("Title / name", self.before("meaning"))


if __name__ == "__main__":
    unittest.main()
