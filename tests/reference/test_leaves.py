"""Tests a model of docs/spec/broken-append.md. No two statements of an honest log contradict each other. If a leaf was exchanged, dropped
or backdated, there are two statements that contradict each other."""

import copy
import random
import unittest

import facts
import leaves
from directory import STEP_MS, Stored
from leaves import LeafStatement
from refused import Refused
from rounds import rounds
from vectors_leaves import Liar

KEYS, USERS = [b"a", b"b", b"c"], [b"u", b"v"]
LENGTH_MS = 5 * STEP_MS


def history(rng: random.Random, seed: int, epochs: int = rounds(9, 14)) -> Liar:
    """Makes a random history of keys, users with changing devices, users who leave and whose names are reassigned, erased values, and
    switches."""
    d = Liar(seed=seed, period_length_ms=LENGTH_MS, username_reuse=seed % 2)
    number = 0
    for _ in range(epochs):
        start = d.records[d.period_first_epoch].time_ms
        if d.now_ms - start >= LENGTH_MS - STEP_MS and rng.random() < 0.6:
            d.switch_period(start + LENGTH_MS + STEP_MS * d.epoch)
            continue
        for key in KEYS:
            if rng.random() < 0.5:
                # Sometimes the owner sets an earlier value of the key again.
                d.staged[facts.KEYS][key] = rng.choice([b"1", b"2"])
        for user in USERS:
            number += 1
            device = b"device %d" % number
            if user not in d.lists:
                d.create(user, [b"name of " + user], {device: b"1"})
            elif user in d.left:
                continue
            elif rng.random() < 0.2:
                d.decommission(user)
            elif rng.random() < 0.4:
                d.add_device(user, device, b"1")
        d.publish_users()
        for key, mine in d.versions.items():
            if len(mine) > 1 and rng.random() < 0.3:
                d.erased.add((facts.KEYS, key, rng.randrange(1, len(mine))))
    return d


def subjects(d: Liar) -> list[tuple[int, bytes, int]]:
    """Returns the leaves about which statements are made, as (structure, key, version). Some of them exist from some epoch on, and others
    never exist."""
    found = []
    for number in facts.STRUCTURES:
        keys = {key for stored in d.stored_at for key in stored[number - 1]} | {b"nobody"}
        for key in sorted(keys):
            latest = max(len(stored[number - 1].get(key, [])) for stored in d.stored_at)
            found += [(number, key, version) for version in (range(1, latest + 2) if d.has_versions(number) else [0])]
    return found


class StatementsTest(unittest.TestCase):
    def test_no_two_statements_of_an_honest_log_contradict_each_other(self):
        rng = random.Random(21)
        agreed = 0
        for seed in range(rounds(1, 20)):
            d = history(rng, seed + 300)
            for about in rng.sample(subjects(d), min(rounds(12, 40), len(subjects(d)))):
                first, second = (self._statement(rng, d, about) for _ in range(2))
                verdict = self._verdict(d, first, second)
                self.assertIn(verdict, ("leaf_agrees", "leaf_unrelated"), about)
                agreed += verdict == "leaf_agrees"
        self.assertGreater(agreed, 0)

    def test_parts_of_two_honest_logs_or_statements_are_no_evidence(self):
        rng = random.Random(22)
        d, other = history(rng, 320), history(rng, 321)
        about, another = (facts.KEYS, b"a", 1), (facts.KEYS, b"b", 1)
        one, two = d.statement(d.epoch, *about), d.statement(d.epoch, *another)
        mixed = [
            other.statement(other.epoch, *about),
            LeafStatement(other.head(other.epoch), *about, one.proof),
            LeafStatement(one.head, *about, other.statement(other.epoch, *about).proof),
            LeafStatement(one.head, *about, two.proof),
            LeafStatement(one.head, *another, one.proof),
            LeafStatement(d.head(d.epoch - 1), *about, one.proof),
        ]
        for i, statement in enumerate(mixed):
            self.assertNotEqual(self._verdict(d, one, statement), "leaf_contradicts", i)

    def test_a_leaf_that_was_exchanged_dropped_or_dated_back_is_proven(self):
        rng = random.Random(23)
        for seed in range(rounds(1, 12)):
            d = history(rng, seed + 340)
            d.publish({})
            for name in ("exchanged", "moved", "dropped", "dated back"):
                lied = copy.deepcopy(d)
                about = rng.choice([one for one in subjects(d) if self._stored(d, one)])
                structure, key, version = about
                kept = d.statement(d.epoch, *about)
                if name == "exchanged":
                    lied.exchange(*about, opening=bytes(16))
                elif name == "moved":
                    lied.exchange(*about, epoch=d.epoch)
                elif name == "dropped":
                    del lied.stored[structure - 1][key][max(version, 1) - 1 :]
                else:
                    about = (facts.KEYS, b"nobody", 1)
                    kept = d.statement(d.epoch, *about)
                    lied.stored[facts.KEYS - 1][b"nobody"] = [Stored(d.epoch, bytes(16), b"mallory's")]
                lied.rebuild()
                received = lied.statement(lied.epoch, *about)
                self.assertEqual(self._verdict(d, kept, received), "leaf_contradicts", (name, about))
                self.assertEqual(self._verdict(d, received, kept), "leaf_contradicts", (name, about))

    def _stored(self, d: Liar, about: tuple[int, bytes, int]) -> bool:
        structure, key, version = about
        return len(d.stored[structure - 1].get(key, [])) >= max(version, 1)

    def _statement(self, rng: random.Random, d: Liar, about: tuple[int, bytes, int]) -> LeafStatement:
        epoch = rng.randrange(len(d.records))
        opened = about not in d.erased and rng.random() < 0.5
        return d.statement(epoch, *about, opened=opened, size=rng.randrange(epoch + 1, len(d.records) + 1))

    def _verdict(self, d: Liar, first: LeafStatement, second: LeafStatement) -> str:
        try:
            return leaves.judge(d.anchor, first.encode(), second.encode())
        except Refused as refused:
            return refused.reason


if __name__ == "__main__":
    unittest.main()
