"""Checks which later versions of a key a caller of the reference directory can recognise (docs/spec/privacy.md section 2)."""

import re
import unittest
from pathlib import Path

import ecvrf
import facts
import pahd
import tree
from directory import Directory

PAGE = Path(__file__).resolve().parents[2] / "docs/spec/privacy.md"
KEY = b"alice"
LAST_VERSION = 16


def table() -> dict[int, list[int]]:
    """Returns the table in section 2 of the page as a dictionary. Its keys are the versions that were the latest when a caller looked the
    key up once. Its values are the later versions whose labels are in the answer to that lookup."""
    rows = re.findall(r"^\| (\d+) \| ([\d, ]+) \| \d+ \|$", PAGE.read_text(), re.MULTILINE)
    return {int(looked): [int(version) for version in later.split(",")] for looked, later in rows}


class RecognitionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = Directory(seed=43)
        for version in range(1, LAST_VERSION + 1):
            cls.directory.publish({KEY: b"value %d" % version, b"other %d" % version: b"noise"})

    def labels_of_absences(self, epoch: int, key: bytes, structure: int = facts.KEYS) -> dict[int, int]:
        """Returns the version for each label that one lookup shows as absent. It reads only the VRF proofs in the lookup's proofs of
        absence."""
        answer = self.directory.lookup_item(epoch, key, structure=structure)
        public = self.directory.vrf_keys_at[epoch][structure - 1].public
        labels = {}
        for version, absent in zip(pahd.next_rungs(answer.version), answer.absent, strict=True):
            verdict, label = ecvrf.verify(public, pahd.vrf_input(structure, key, version), absent.vrf_proof)
            self.assertEqual(verdict, "valid")
            labels[tree.to_position(label)] = version
        return labels

    def recognised(self, labels: dict[int, int], since: int, structure: int = facts.KEYS) -> dict[int, int]:
        """Returns the epoch for each version whose leaf is under one of these labels in the public audit proofs of the epochs after
        `since`."""
        return {
            labels[leaf.label]: epoch
            for epoch in range(since + 1, self.directory.epoch + 1)
            for leaf in self.directory.added[epoch][structure - 1]
            if leaf.label in labels
        }

    def test_one_lookup_recognises_the_later_versions_that_the_page_lists(self):
        rows = table()
        self.assertEqual(sorted(rows), [1, 2, 4, 8])
        for looked, later in rows.items():
            # In this history, epoch v publishes version v.
            seen = self.recognised(self.labels_of_absences(looked, KEY), looked)
            self.assertEqual(seen, {version: version for version in later}, looked)

    def test_a_name_that_is_absent_is_recognised_when_it_registers(self):
        labels = self.labels_of_absences(3, b"other 9")
        self.assertEqual(self.recognised(labels, 3), {1: 9})

    def test_a_new_period_ends_it(self):
        directory = Directory(seed=44, period_length_ms=1_000)
        directory.publish({KEY: b"first"})
        self.directory, whole = directory, self.directory
        try:
            labels = self.labels_of_absences(1, KEY)
            directory.switch_period(directory.now_ms + 1_000)
            directory.publish({KEY: b"second"})
            self.assertEqual(self.recognised(labels, 1), {})
        finally:
            self.directory = whole


if __name__ == "__main__":
    unittest.main()
