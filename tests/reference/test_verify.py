"""Tests that whole answers of the honest directory are accepted, and each forged variation is refused for its own reason."""

import unittest
from dataclasses import replace

import board
import facts
import pahd
import tree
from board import Checkpoint
from codec import decode_whole, LookupAnswer
from directory import Directory
from refused import Refused
from verify import Audited, TrustAnchor, Verifier


def small_directory() -> Directory:
    d = Directory(seed=11)
    names = [b"key-%d" % i for i in range(12)]
    d.publish({name: b"value of " + name for name in names})
    for i in range(1, 11):
        d.publish({b"alice": b"alice %d" % i} | ({names[i]: b"again"} if i % 3 == 0 else {}))
    d.publish({})
    return d


class AnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.d = small_directory()

    def verifier(self, **kept) -> Verifier:
        return Verifier(self.d.anchor, self.d.now_ms, **kept)

    def refused(self, reason: str, call, *arguments, **named):
        with self.assertRaises(Refused) as caught:
            call(*arguments, **named)
        self.assertEqual(caught.exception.reason, reason)

    def test_lookup(self):
        keys = [b"alice", b"key-3", b"nobody"]
        results = self.verifier().verify_lookup(self.d.lookup(keys).encode(), keys)
        self.assertEqual([(r.version, r.value) for r in results], [(10, b"alice 10"), (2, b"again"), (0, None)])
        self.refused("vrf_challenge", self.verifier().verify_lookup, self.d.lookup(keys).encode(), keys[::-1])
        self.refused("answer_count", self.verifier().verify_lookup, self.d.lookup(keys).encode(), keys[:2])

    def test_every_truncation_is_refused(self):
        whole = self.d.lookup([b"key-1"]).encode()
        self.verifier().verify_lookup(whole, [b"key-1"])
        for size in range(0, len(whole), 7):
            with self.assertRaises(Refused) as caught:
                self.verifier().verify_lookup(whole[:size], [b"key-1"])
            self.assertRegex(caught.exception.reason, "malformed_(truncated|length)")
        self.refused("malformed_trailing", self.verifier().verify_lookup, whole + b"\0", [b"key-1"])

    def test_every_flipped_octet_is_refused(self):
        whole = self.d.lookup([b"key-2"]).encode()
        self.verifier().verify_lookup(whole, [b"key-2"])
        for i in range(0, len(whole), 5):
            changed = whole[:i] + bytes([whole[i] ^ 1 << i % 8]) + whole[i + 1 :]
            with self.assertRaises(Refused, msg=str(i)):
                self.verifier().verify_lookup(changed, [b"key-2"])

    def test_known_versions(self):
        d, e = self.d, 6
        first = Verifier(d.anchor, d.records[e].time_ms).verify_lookup(
            d.lookup([b"alice"], epoch=e, size=e + 1).encode(), [b"alice"]
        )[0]
        self.assertEqual((first.version, first.known), (5, pahd.Known(0, 5, 6)))
        item = d.lookup_item(d.epoch, b"alice", known=5)
        self.assertEqual(len(item.members), 2)
        answer = LookupAnswer(d.head(d.epoch), [item]).encode()
        verifier = self.verifier(known={b"alice": first.known}, least_epoch={b"alice": e})
        self.assertEqual(verifier.verify_lookup(answer, [b"alice"])[0].value, b"alice 10")
        self.refused("ladder_count", self.verifier().verify_lookup, answer, [b"alice"])
        later = self.verifier(known={b"alice": pahd.Known(0, 5, 8)})
        self.refused("leaf_epoch_order", later.verify_lookup, answer, [b"alice"])
        higher = self.verifier(known={b"alice": pahd.Known(0, 11, 8)})
        self.refused("version_regressed", higher.verify_lookup, answer, [b"alice"])

    def test_history_and_monitoring(self):
        d = self.d
        whole = d.versions_answer([b"alice", b"nobody"])
        results = self.verifier().verify_versions(whole.encode(), [b"alice", b"nobody"])
        self.assertEqual(results[0].values, {i: b"alice %d" % i for i in range(1, 11)})
        self.assertEqual(results[1].version, 0)
        alone = replace(whole, items=[replace(whole.items[0], absent=whole.items[0].absent[:1])]).encode()
        self.refused("ladder_count", self.verifier().verify_versions, alone, [b"alice"])

    def test_one_version_has_two_proofs_ten_have_eight_and_a_thousand_twenty(self):
        for a, size in ((0, 1), (1, 2), (2, 4), (3, 4), (4, 6), (10, 8), (100, 14), (1_000, 20)):
            self.assertEqual(len(pahd.ladder(a)) + len(pahd.next_rungs(a)), size, a)
        item = self.d.lookup_item(self.d.epoch, b"alice")
        self.assertEqual((len(item.members), len(item.absent)), (5, 3))

    def test_pages(self):
        d, known, seen = self.d, None, {}
        for start in (1, 5, 9):
            item = d.versions_item(d.epoch, b"alice", start, page=4)
            answer = replace(d.versions_answer([b"alice"]), items=[item]).encode()
            result = self.verifier(known={b"alice": known}).verify_versions(answer, [b"alice"])[0]
            known, seen = result.known, seen | result.values
            self.assertEqual(result.complete, start == 9)
        self.assertEqual(seen, {i: b"alice %d" % i for i in range(1, 11)})
        self.refused("history_from", self.verifier().verify_versions, answer, [b"alice"])

    def test_pages_whose_latest_version_shrinks(self):
        d = self.d
        item = d.versions_item(d.epoch, b"key-3", 1)
        self.assertEqual(item.version, 2)
        hidden = [
            replace(m, value=None, opening=None, commitment=tree.commitment_of(m.opening, m.value)) for m in item.members
        ]

        def verify(item, known=None):
            answer = replace(d.versions_answer([b"key-3"]), items=[item]).encode()
            return self.verifier(known={b"key-3": known}).verify_versions(answer, [b"key-3"])[0]

        self.refused("member_kind", verify, replace(item, members=hidden))
        page = verify(replace(item, version=4, members=hidden, absent=[]))
        self.assertFalse(page.complete)
        ending = replace(item, start=3, members=[])
        self.refused("version_regressed", verify, ending, page.known)
        self.assertTrue(verify(ending, pahd.Known(0, 2, d.epoch)).complete)

    def test_head_against_what_is_kept(self):
        d = self.d
        root = board.root_of(d.entries(6))
        kept = Checkpoint(6, root)
        good = d.lookup([b"key-1"], kept_size=6).encode()
        self.verifier(checkpoint=kept).verify_lookup(good, [b"key-1"])
        for changed in (Checkpoint(6, bytes(32)), Checkpoint(5, root)):
            self.refused("checkpoint_consistency", self.verifier(checkpoint=changed).verify_lookup, good, [b"key-1"])
        same = d.lookup([b"key-1"], kept_size=len(d.records)).encode()
        current = Checkpoint(len(d.records), board.root_of(d.entries(len(d.records))))
        self.verifier(checkpoint=current).verify_lookup(same, [b"key-1"])
        self.refused("checkpoint_missing", self.verifier().verify_lookup, same, [b"key-1"])
        full = d.lookup([b"key-1"]).encode()
        self.verifier(checkpoint=current).verify_lookup(full, [b"key-1"])
        forked = replace(current, root=bytes(32))
        self.refused("fork", self.verifier(checkpoint=forked).verify_lookup, full, [b"key-1"])
        bigger = replace(current, size=current.size + 1)
        self.refused("stale", self.verifier(checkpoint=bigger).verify_lookup, full, [b"key-1"])

    def test_kept_record(self):
        d = self.d
        answer = d.lookup([b"key-1"], epoch=5).encode()
        for e in range(len(d.records)):
            self.verifier(record=d.records[e]).verify_lookup(answer, [b"key-1"])
        other = replace(d.records[5], time_ms=d.records[5].time_ms + 1)
        self.refused("fork", self.verifier(record=other).verify_lookup, answer, [b"key-1"])
        changed = d.records[7].with_structure(facts.KEYS, vrf_public_key=d.vrf_keys[0].public.encoded)
        self.refused("record_vrf_key", self.verifier(record=changed).verify_lookup, answer, [b"key-1"])

    def test_clock_and_freshness(self):
        d, answer = self.d, self.d.lookup([b"key-1"]).encode()
        limits = d.configuration
        for now, reason in (
            (d.now_ms + limits.max_behind_ms, None),
            (d.now_ms + limits.max_behind_ms + 1, "record_too_old"),
            (d.now_ms - limits.max_ahead_ms, None),
            (d.now_ms - limits.max_ahead_ms - 1, "record_from_future"),
        ):
            verifier = Verifier(d.anchor, now)
            if reason is None:
                verifier.verify_lookup(answer, [b"key-1"])
            else:
                self.refused(reason, verifier.verify_lookup, answer, [b"key-1"])
        stale = self.verifier(least_epoch={b"key-1": d.epoch + 1})
        self.refused("stale", stale.verify_lookup, answer, [b"key-1"])

    def test_anchor_round_trip(self):
        again = TrustAnchor.parse(self.d.anchor.render())
        self.assertEqual((again.log_id, again.log_key), (self.d.anchor.log_id, self.d.log_key))
        self.refused("configuration", TrustAnchor.parse, self.d.anchor.render().replace("optiks+", "optiks2+"))

    def test_configuration_bounds(self):
        good = self.d.configuration
        good.check()
        for changes in (
            {"format": 3},
            {"format": 2, "username_form": 2},
            {"suite": 0},
            {"origin": b"with space"},
            {"origin": b"with+plus"},
            {"origin": b"slash/"},
            {"origin": b"\xff"},
            {"origin": b"new\nline"},
            {"period_length_ms": 0},
            {"retained_periods": 1},
            {"username_reuse": 2},
            {"max_key_len": 0},
            {"max_value_len": 0},
            {"max_value_len": 2**20 + 1},
            {"max_devices": 0},
            {"heartbeat_ms": 0},
        ):
            self.refused("configuration", replace(good, **changes).check)

    def test_log_of_another_configuration(self):
        other = Directory(seed=11, heartbeat_ms=1)
        verifier = Verifier(other.anchor, self.d.now_ms)
        self.refused("record_log_id", verifier.verify_lookup, self.d.lookup([b"key-1"]).encode(), [b"key-1"])

    def test_decoding_is_canonical(self):
        answer = self.d.lookup([b"alice", b"nobody"])
        self.assertEqual(decode_whole(LookupAnswer.decode, answer.encode()), answer)


class PeriodTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.d = d = Directory(seed=12, period_length_ms=5_000)
        d.publish({b"alice": b"1", b"bob": b"b"})
        d.publish({b"alice": b"2"})
        d.switch_period(d.records[0].time_ms + 5_000)
        d.publish({b"alice": b"3"})
        d.publish({b"carol": b"c"})

    def test_lookup_after_a_switch(self):
        d = self.d
        keys = [b"alice", b"bob", b"carol"]
        verifier = Verifier(d.anchor, d.now_ms, record=d.records[0])
        results = verifier.verify_lookup(d.lookup(keys).encode(), keys)
        self.assertEqual([(r.version, r.value, r.time) for r in results], [(2, b"3", 4), (1, b"b", 3), (1, b"c", 5)])
        # The verifier must ignore known versions of the previous period.
        verifier.known = {b"bob": pahd.Known(0, 1, 2)}
        self.assertEqual(verifier.verify_lookup(d.lookup(keys).encode(), keys)[1].value, b"b")

    def test_audit_over_a_switch(self):
        d = self.d
        verifier = Verifier(d.anchor, d.now_ms)
        first, second = d.records[0], d.records[3]
        audited = verifier.verify_audit(d.audit(0, 2).encode(), first, first)
        self.assertEqual(audited, Audited(d.records[2], [1, 2, 3, 4]))
        audited = verifier.verify_audit(d.audit(2, 3).encode(), audited.record, first)
        self.assertEqual(audited, Audited(second, [1, 4]))
        self.assertEqual(verifier.verify_audit(d.audit(3, 5).encode(), second, second), Audited(d.records[5], [1, 2, 3, 4]))
        with self.assertRaisesRegex(Refused, "audit_crosses_switch"):
            verifier.verify_audit(d.audit(1, 3).encode(), d.records[1], first)

    def test_early_switch_in_the_middle_of_a_period(self):
        for early, reason in ((0, None), (1, "record_period")):
            d = Directory(seed=13, period_length_ms=5_000)
            d.publish({b"alice": b"1"})
            first = d.switch_period(d.records[0].time_ms + 60_000)
            before = d.publish({b"alice": b"2"})
            d.switch_period(first.time_ms + 5_000 - early)
            verifier = Verifier(d.anchor, d.now_ms)
            for stored, start, expected in (
                (before, first, reason),
                (first, first, "audit_crosses_switch" if reason is None else reason),
                (before, d.records[0], "record_period"),
                (before, before, "record_period"),
            ):
                with self.subTest(early=early, stored=stored.epoch, start=start.epoch):
                    audit = d.audit(stored.epoch, 4).encode()
                    if expected is None:
                        verifier.verify_audit(audit, stored, start)
                    else:
                        with self.assertRaisesRegex(Refused, expected):
                            verifier.verify_audit(audit, stored, start)

    def test_kept_record_of_the_period_before(self):
        d = self.d
        answer = d.lookup([b"bob"]).encode()
        Verifier(d.anchor, d.now_ms, record=d.records[2], period_record=d.records[0]).verify_lookup(answer, [b"bob"])
        with self.assertRaisesRegex(Refused, "record_period"):
            Verifier(d.anchor, d.now_ms, record=d.records[2]).verify_lookup(answer, [b"bob"])


if __name__ == "__main__":
    unittest.main()
