"""A model of docs/spec/receipts.md section 6: whatever a client picks of an honest log's answers, it is no evidence; and what is dropped is evidence, if all is shown."""

import random
import unittest
import uuid

import receipts
import vectors_receipts
from codec import VersionsAnswer
from directory import STEP_MS, Directory
from receipts import Receipt
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
            answers = []
            for period in range(d.records[after + 1].period, d.records[by].period + 1):
                last = max(r.epoch for r in d.records if r.period == period)
                answers.append(self._page(d, last, 1, None))
            self.assertEqual(self._verdict(log, after, by, b"dropped", answers), "promise_broken")

    def _directory(self, seed: int, rng: random.Random) -> tuple[Directory, vectors_receipts._Log]:
        d = Directory(seed=seed + 200, period_length_ms=LENGTH_MS)
        # A value that comes back, as a client may set it again.
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
        return self._verdict(log, after, by, value, answers)

    def _verdict(self, log: vectors_receipts._Log, after: int, by: int, value: bytes, answers: list[bytes]) -> str:
        request = uuid.UUID(int=7)
        note = log.receipt(Receipt(request, after, by, vectors_receipts.FROM_MS, (receipts.item_hash(request, 0, KEY, value),)))
        try:
            receipts.judge(log.anchor, log.keys, note, KEY, value, answers)
            return "promise_broken"
        except Refused as refused:
            return refused.reason

    def _page(self, d: Directory, epoch: int, start: int, page: int | None) -> bytes:
        return VersionsAnswer(d.head(epoch), [d.versions_item(epoch, KEY, start, page)]).encode()


if __name__ == "__main__":
    unittest.main()
