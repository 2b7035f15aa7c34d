"""Tests a model of docs/spec/receipts.md section 6. No selection of an honest log's answers is evidence, and a promise that somebody signs
with a stolen old key is not evidence either. A dropped update is evidence if all answers are shown."""

import random
import unittest
import uuid
from unittest import mock

import receipts
import vectors_receipts
from codec import VersionsAnswer
from directory import STEP_MS, Directory
from receipts import Receipt, ReceiptKey
from refused import Refused
from rounds import rounds

KEY = b"k"
LENGTH_MS = 4 * STEP_MS


class PromisesTest(unittest.TestCase):
    def test_no_choice_of_answers_is_evidence_against_a_log_that_publishes(self):
        rng = random.Random(7)
        for seed in range(rounds(2, 12)):
            d, log = self._directory(seed, rng)
            published = [(e, stored.value) for e in range(len(d.records)) for stored in d.stored_at[e][2].get(KEY, []) if stored.epoch == e]
            for _ in range(rounds(12, 60)):
                epoch, value = rng.choice(published)
                after, by = rng.randrange(epoch), rng.randrange(epoch, epoch + 4)
                self.assertNotEqual(self._judge(rng, d, log, after, by, value), "promise_broken")

    def test_a_dropped_value_is_evidence_once_all_is_shown(self):
        rng = random.Random(8)
        for seed in range(rounds(2, 8)):
            d, log = self._directory(seed, rng)
            after = rng.randrange(d.epoch - 1)
            by = rng.randrange(after + 1, d.epoch + 1)
            self.assertEqual(self._verdict(d, log, after, by, b"dropped", self._whole(d, after, by)), "promise_broken")

    def test_a_stolen_key_whose_time_is_over_promises_nothing_from_later_epochs(self):
        rng = random.Random(9)
        convicted, without_the_rule = 0, 0
        for seed in range(rounds(2, 12)):
            d, log = self._directory(seed, rng)
            ahead = d.anchor.configuration.max_ahead_ms
            for _ in range(rounds(20, 60)):
                until = rng.choice([2, d.records[0].time_ms - ahead, rng.choice(d.records).time_ms - ahead + rng.randrange(-2, 3)])
                key = ReceiptKey(vectors_receipts.SIGNERS[0][0], 1, until)
                log.keys = receipts.sign(receipts.keys_text(d.anchor, [key]), log.signer)
                after = rng.randrange(d.epoch)
                by, time = rng.randrange(after + 1, d.epoch + 1), until - 1 - rng.randrange(2) * rng.randrange(until - 1)
                found = self._verdict(d, log, after, by, b"dropped", self._whole(d, after, by), time)
                # True if the key had expired before epoch `after` was made, by more than the allowed difference between clocks.
                is_later = d.records[after].time_ms > until - 1 + ahead
                self.assertFalse(is_later and found == "promise_broken", (until, after, time))
                convicted += found == "promise_broken"
                with mock.patch.object(receipts, "check_time"):
                    without_the_rule += is_later and self._verdict(d, log, after, by, b"dropped", self._whole(d, after, by), time) == "promise_broken"
        # While a receipt key is valid, the log is responsible for what the key signs, so some promises convict the log. Without the rule,
        # promises about epochs after the key's expiry would convict an honest log, too.
        self.assertGreater(convicted, 0)
        self.assertGreater(without_the_rule, 10)

    def _whole(self, d: Directory, after: int, by: int) -> list[bytes]:
        periods = range(d.records[after + 1].period, d.records[by].period + 1)
        return [self._page(d, max(r.epoch for r in d.records if r.period == period), 1, None) for period in periods]

    def _directory(self, seed: int, rng: random.Random) -> tuple[Directory, vectors_receipts._Log]:
        d = Directory(seed=seed + 200, period_length_ms=LENGTH_MS)
        # The owner sets an earlier value again, as a client may.
        for i in range(9):
            if d.now_ms - d.records[d.period_first_epoch].time_ms >= LENGTH_MS and rng.random() < 0.5:
                d.switch_period(d.records[d.period_first_epoch].time_ms + LENGTH_MS + i * STEP_MS)
            else:
                d.publish({KEY: rng.choice([b"a", b"b"])} if i == 0 or rng.random() < 0.6 else {})
        return d, vectors_receipts._Log(d)

    def _judge(self, rng: random.Random, d: Directory, log: vectors_receipts._Log, after: int, by: int, value: bytes) -> str:
        answers = []
        for _ in range(rng.randrange(1, 4)):
            epoch = rng.randrange(len(d.records))
            latest = d.latest(epoch, KEY)
            answers.append(self._page(d, epoch, rng.randrange(1, max(latest, 1) + 1), rng.choice([None, 1, 2])))
        return self._verdict(d, log, after, by, value, answers)

    def _verdict(self, d: Directory, log: vectors_receipts._Log, after: int, by: int, value: bytes, answers: list[bytes], time_ms: int | None = None) -> str:
        request = uuid.UUID(int=7)
        time_ms = d.records[after].time_ms if time_ms is None else time_ms
        note = log.receipt(Receipt(request, after, by, time_ms, (receipts.item_hash(request, 0, KEY, value),)))
        try:
            receipts.judge(log.anchor, log.keys, note, KEY, value, d.head(after).encode(), answers)
            return "promise_broken"
        except Refused as refused:
            return refused.reason

    def _page(self, d: Directory, epoch: int, start: int, page: int | None) -> bytes:
        return VersionsAnswer(d.head(epoch), [d.versions_item(epoch, KEY, start, page)]).encode()


if __name__ == "__main__":
    unittest.main()
