"""Makes bounded runs of model.py. Tests every statement of the model, and as a control that the statement fails when one rule is left
out."""

import unittest

import model
import pahd
from rounds import rounds

TREES = rounds(quick=3_000, deep=20_000)
# small_worlds places up to this number of versions in every possible way: the owner's versions, and the forged versions above them.
VERSIONS = rounds(quick=3, deep=5)


class LadderTest(unittest.TestCase):
    def test_every_later_version_meets_the_absent_rungs(self):
        ladders = {a: set(pahd.ladder(a)) for a in range(1, 401)}
        for a in range(400):
            rungs = set(pahd.next_rungs(a))
            self.assertIn(a + 1, rungs)
            self.assertEqual(len(pahd.ladder(a)) + len(rungs), max(1, 2 * a.bit_length()))
            for later in range(a + 1, 401):
                self.assertTrue(rungs & ladders[later], (a, later))
            # This is the control: not every ladder of a later version contains a + 1.
            if a == 2:
                self.assertFalse({a + 1} & ladders[4])

    def test_what_was_verified_at_w_need_not_be_sent_again(self):
        for a in range(1, 200):
            for w in range(a + 1):
                below = {i for i in pahd.ladder(a) if i <= w}
                self.assertLessEqual(below, set(pahd.ladder(w)))

    def test_the_table_of_the_specification(self):
        table = {0: "|1", 1: "1|2", 2: "1 2|3 4", 3: "1 2 3|4", 5: "1 2 4 5|6 8", 10: "1 2 4 8 10|11 12 16",
                 100: "1 2 4 8 16 32 64 96 100|101 102 104 112 128"}
        for a, text in table.items():
            rungs, absent = ([int(n) for n in half.split()] for half in text.split("|"))
            self.assertEqual((pahd.ladder(a), pahd.next_rungs(a)), (rungs, absent))


class TreeModelTest(unittest.TestCase):
    def test_one_outcome_a_label(self):
        contradictions, useful = model.count_contradictions(TREES, seed=1)
        self.assertEqual(contradictions, 0)
        self.assertGreater(useful, 0.4 * TREES)

    def test_each_rule_is_needed(self):
        for rule in ("absent_depth", "absent_covers"):
            with self.subTest(rule), model.without(rule):
                self.assertGreater(model.count_contradictions(500, seed=1)[0], 0)

    def test_appends_lose_and_hide_nothing(self):
        broken, accepted = model.append_breaks(TREES, seed=2)
        self.assertEqual(broken, 0)
        self.assertGreater(accepted, 0.4 * TREES)

    def test_claimed_prefixes_would_lose_leaves(self):
        self.assertGreater(model.append_breaks(1_000, 2, model.ClaimedPrefixes, claims=True)[0], 0)


class ForgedVersionsTest(unittest.TestCase):
    def test_monitoring_finds_every_forgery(self):
        tally = model.forged_versions(VERSIONS, ladders=20, seed=3)
        self.assertEqual(tally.undetected, 0, tally.example)
        self.assertGreater(tally.detected, rounds(quick=150, deep=2_000))

    def test_without_the_absent_rungs_it_does_not(self):
        with model.only_the_next():
            tally = model.forged_versions(exhaustive_versions=0, ladders=20, seed=3)
        self.assertGreater(tally.undetected, 0)


class TwoLatestTest(unittest.TestCase):
    def test_one_record_has_one_latest_version(self):
        contradictions, shown = model.two_latest(VERSIONS, ladders=20, seed=4)
        self.assertEqual(contradictions, 0)
        self.assertGreater(shown, rounds(quick=1_000, deep=2_000))

    def test_the_absence_of_the_next_version_alone_lets_two_be_shown(self):
        with model.only_the_next():
            contradictions, _ = model.two_latest(exhaustive_versions=0, ladders=20, seed=4)
        self.assertGreater(contradictions, 0)


if __name__ == "__main__":
    unittest.main()
