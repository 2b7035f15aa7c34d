"""Tests that the committed vectors match the reference, and that they show every reason of docs/spec/reasons.md."""

import json
import re
import unittest
from pathlib import Path

import make_vectors

REASONS = Path(__file__).resolve().parents[2] / "docs" / "spec" / "reasons.md"


def reasons_in(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(reasons_in, value))
    if isinstance(value, dict):
        own = {value["reason"]} if "reason" in value else set()
        return own.union(*map(reasons_in, value.values()))
    return set()


class VectorsTest(unittest.TestCase):
    def test_committed_files_are_current_and_show_every_reason(self):
        seen: set[str] = set()
        for area in make_vectors.AREAS:
            for name, text in make_vectors.rendered(area).items():
                with self.subTest(name):
                    self.assertEqual((make_vectors.VECTORS / name).read_text(), text)
                seen |= reasons_in(json.loads(text))
        listed = set(re.findall(r"^\| \d+ \| `(\w+)`", REASONS.read_text(), re.MULTILINE))
        self.assertEqual(seen, listed)


if __name__ == "__main__":
    unittest.main()
