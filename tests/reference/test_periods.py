"""Tests bounds, ended periods and hand-overs of docs/spec/periods.md beyond their vectors, and makes bounded runs of model_periods.py."""

import unittest
from dataclasses import replace

import model_periods
import vectors_periods
from codec import Reader, VersionsAnswer, decode_whole
from codec_periods import PeriodsAnswer
from periods import verify_periods
from refused import Refused
from rounds import rounds
from vectors_periods import ALICE, KEYS
from verify import Verifier

LOGS = rounds(quick=1_200, deep=6_000)


class PeriodsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.d = vectors_periods.honest_directory()
        cls.whole = vectors_periods.periods_answer(cls.d, [0, 3, 4, 6, 7])

    def test_an_owner_goes_from_the_first_period_to_the_third(self):
        """An owner reads the bounds, and then monitors each period at the period's last epoch, with the knowledge from the previous
        period."""
        d, known, ends = self.d, {}, {}
        v = Verifier(d.anchor, d.now_ms)
        bounds = {r.epoch: r for r in verify_periods(v, self.whole.encode(), 0)}
        self.assertEqual(list(bounds), [0, 3, 4, 6, 7])
        for period, last in ((0, bounds[3]), (1, bounds[6]), (2, None)):
            epoch = last.epoch if last else d.epoch
            answer = VersionsAnswer(d.head(epoch), [d.versions_item(epoch, key, 1) for key in KEYS]).encode()
            brought = replace(v, ended_record=last, known=known, ends=ends)
            results = dict(zip(KEYS, brought.verify_versions(answer, list(KEYS)), strict=True))
            self.assertEqual({result.known.period for result in results.values()}, {period})
            if last:
                ends = {key: d.end_state(key, period) for key in KEYS}
                for key, result in results.items():
                    self.assertEqual((ends[key].version, ends[key].value), (result.version, result.value))

    def test_round_trips(self):
        encoded = self.whole.encode()
        self.assertEqual(decode_whole(PeriodsAnswer.decode, encoded), self.whole)
        for size in range(0, len(encoded), 5):
            with self.assertRaises(Refused) as caught:
                PeriodsAnswer.decode(Reader(encoded[:size]))
            self.assertEqual(caught.exception.reason, "malformed_truncated", size)

    def test_flipped_octets_are_refused(self):
        whole, v = self.whole.encode(), Verifier(self.d.anchor, self.d.now_ms)
        verify_periods(v, whole, 0)
        for i in range(0, len(whole), 7):
            with self.assertRaises(Refused, msg=str(i)):
                verify_periods(v, whole[:i] + bytes([whole[i] ^ 1 << i % 8]) + whole[i + 1 :], 0)

    def test_a_verdict_changes_nothing(self):
        d = self.d
        v = Verifier(d.anchor, d.now_ms, record=d.records[2], ends={ALICE: d.end_state(ALICE, 1)})
        before = replace(v, ends=dict(v.ends))
        verify_periods(v, self.whole.encode(), 0)
        v = replace(v, record=None)
        v.verify_versions(d.versions_answer([ALICE]).encode(), [ALICE])
        self.assertEqual((v.ends, v.ended_record, v.known), (before.ends, None, {}))

    def test_last_epochs(self):
        self.assertEqual([self.d.last_epoch(period) for period in range(3)], [3, 6, 8])


class ModelTest(unittest.TestCase):
    def test_nothing_passes_around_a_switch(self):
        tally = model_periods.play(LOGS, seed=1)
        self.assertEqual(tally.undetected, 0, tally.example)
        self.assertEqual(tally.no_guarantee, 0)
        self.assertGreater(tally.detected, LOGS // 3)
        self.assertGreater(tally.refused, LOGS // 6)

    def test_each_check_is_needed(self):
        for check in model_periods.CHECKS:
            with self.subTest(check):
                tally = model_periods.play(LOGS // 2, seed=1, left_out=check)
                self.assertGreaterEqual(tally.undetected, 5)
                self.assertEqual(tally.found_with_it, tally.undetected)

    def test_whoever_keeps_a_record_finds_what_auditors_find_in_records(self):
        refused, found = model_periods.found_by_records(LOGS, seed=1)
        self.assertEqual(found, refused)
        self.assertGreater(refused, LOGS // 10)

    def test_honest_logs_alarm_nobody(self):
        alarms, handovers = model_periods.false_alarms(500, seed=2)
        self.assertEqual(alarms, 0)
        self.assertGreater(handovers, 500)


if __name__ == "__main__":
    unittest.main()
