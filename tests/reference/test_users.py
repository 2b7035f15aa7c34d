"""Tests answers about users: honest answers show the truth, changed answers are refused, and the checks are made in the order of
docs/spec/users.md."""

import unittest
from dataclasses import replace

import facts
import model_users
import vectors_users_lies
from codec import Reader, decode_whole
from codec_users import CURRENT, HAS_LEFT, NO_SUCH_USER, DeviceList, Entry, PartRecord, UserLookup, UserLookupAnswer, VersionedEntry
from directory_users import At, UserDirectory
from record import EpochRecord
from refused import Refused
from rounds import rounds
from users import Asked, Kept, verify_users
from vectors_users import check_true
from verify import Verifier

ANNA = Asked(b"anna")


def small_directory(**configuration) -> UserDirectory:
    """Makes epochs 1 to 5. Anna has two names, and a second device from epoch 3 on; Ben left at epoch 2."""
    d = UserDirectory(seed=81, **configuration)
    d.create(b"A", [b"anna", b"anna@work"], {b"a1": b"one"})
    d.create(b"B", [b"ben"], {b"b1": b"ben's"})
    d.publish_users()
    d.decommission(b"B")
    d.publish_users()
    d.add_device(b"A", b"a2", b"two")
    d.publish_users()
    d.set_device(b"a1", b"one again")
    d.publish_users()
    d.publish_users()
    return d


class UsersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.d = small_directory()

    def reason(self, answer: UserLookupAnswer | bytes, *asked: Asked, d: UserDirectory | None = None, **kept) -> str:
        d = d or self.d
        v = replace(Verifier(d.anchor, d.now_ms), **kept)
        try:
            verify_users(v, answer if isinstance(answer, bytes) else answer.encode(), list(asked or (ANNA,)))
        except Refused as refused:
            return refused.reason
        return "valid"

    def kept(self, name: bytes, epoch: int) -> Kept:
        answer = self.d.user_lookup([Asked(name)], epoch=epoch).encode()
        return verify_users(Verifier(self.d.anchor, self.d.now_ms), answer, [Asked(name)])[0].kept(Kept())

    def test_what_is_true_is_shown(self):
        asked = [Asked(b"anna"), Asked(b"ben"), Asked(b"nobody"), Asked(b"anna@work", b"a2"), Asked(b"anna", b"b1")]
        results = verify_users(Verifier(self.d.anchor, self.d.now_ms), self.d.user_lookup(asked).encode(), asked)
        found = [(r.kind, r.user, r.epoch, r.ids, {one: key.value for one, key in r.keys.items()}) for r in results]
        ids = [b"a1", b"a2"]
        self.assertEqual(found, [
            (CURRENT, b"A", 5, ids, {b"a1": b"one again", b"a2": b"two"}),
            (HAS_LEFT, b"B", 5, [], {}),
            (NO_SUCH_USER, None, 5, [], {}),
            (CURRENT, b"A", 5, ids, {b"a2": b"two"}),
            (CURRENT, b"A", 5, ids, {}),
        ])

    def test_proofs_of_an_answer(self):
        """If the list and each key have one version, an answer has 4 proofs plus 2 for each device: 1 for the name, 1 that the user has not
        left, 2 for the list, and 2 for each key."""
        user = self.d.user_lookup([ANNA], epoch=1).users[0]
        lookups = [user.devices.lookup, *(key.lookup for key in user.keys)]
        self.assertEqual(2 + sum(len(one.members) + len(one.absent) for one in lookups), 6)

    def test_round_trips(self):
        answer = self.d.user_lookup([ANNA, Asked(b"ben"), Asked(b"x")], [At(5, 3, 4, 4), At.all(2), At.all(5)], epoch=4)
        self.assertEqual([EpochRecord.parse(part.record).epoch for part in answer.parts], [2, 3, 5])
        self.assertEqual(decode_whole(UserLookupAnswer.decode, answer.encode()), answer)
        anna, ben, nobody = answer.users
        for kind, values in (
            (UserLookup, (anna, ben, nobody, replace(anna, name=None))),
            (PartRecord, answer.parts),
            (Entry, (anna.name, anna.decommissioned)),
            (VersionedEntry, (anna.devices, *anna.keys)),
            (DeviceList, (DeviceList([]), DeviceList([b"a", b"ab"]), DeviceList([b"\xff" * 255]))),
        ):
            for value in values:
                self.assertEqual(decode_whole(kind.decode, value.encode()), value)
                with self.assertRaisesRegex(Refused, "malformed_trailing"):
                    decode_whole(kind.decode, value.encode() + b"\0")

    def test_every_truncation_is_refused(self):
        whole = self.d.user_lookup([ANNA], [At(5, 3, 4, 4)], epoch=5).encode()
        for size in range(0, len(whole), 3):
            with self.assertRaises(Refused) as caught:
                UserLookupAnswer.decode(Reader(whole[:size]))
            self.assertEqual(caught.exception.reason, "malformed_truncated", size)

    def test_flipped_octets_are_refused_or_change_nothing(self):
        answers = ((self.d.user_lookup([ANNA], [At(5, 3, 5, 5)], epoch=5), ANNA), (self.d.user_lookup([Asked(b"ben")]), Asked(b"ben")))
        for answer, asked in answers:
            whole, v, accepted = answer.encode(), Verifier(self.d.anchor, self.d.now_ms), 0
            chosen = [i for i in range(len(whole)) if i % 9 == 0 or whole[i] == 1]
            for i in chosen:
                changed = whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :]
                try:
                    result = verify_users(v, changed, [asked])[0]
                except Refused:
                    continue
                # This change is accepted because the entry then refers to another record whose tree has the same root.
                check_true(self.d, asked, result)
                accepted += 1
            self.assertLessEqual(accepted, 1)

    def test_order_of_checks(self):
        """Checks that an answer with two faults is refused with the reason of the earlier check."""
        d, plain = self.d, self.d.user_lookup([ANNA], [At(5, 5, 4, 5)], epoch=5)
        user, part = plain.users[0], plain.parts[0]
        self.assertEqual(self.reason(d.user_lookup([ANNA])), "valid")

        def with_user(of: UserLookupAnswer = plain, **fields) -> UserLookupAnswer:
            return replace(of, users=[replace(of.users[0], **fields)])

        def with_part(change, of: UserLookupAnswer = plain) -> UserLookupAnswer:
            return replace(of, parts=[replace(part, record=change(EpochRecord.parse(part.record)).encode())])

        old = {"now_ms": d.records[5].time_ms + d.configuration.max_behind_ms + 1}
        early = {"now_ms": d.records[5].time_ms - d.configuration.max_ahead_ms - 1}
        generations = replace(d.anchor, configuration=replace(d.configuration, username_reuse=1))
        unknown = replace(user.devices, record=2)
        no_key = with_user(keys=[])
        broken_list = replace(user.devices, lookup=replace(user.devices.lookup, members=[]))
        for reason, answer, asked, brought in (
            ("malformed_trailing", plain.encode() + b"\0", (), {"anchor": generations}),
            ("record_log_id", with_part(lambda r: replace(r, log_id=bytes(32), epoch=5)), (), {}),
            ("part_order", with_part(lambda r: replace(r, epoch=5, period=1, period_first_epoch=1)), (), {}),
            ("part_period", with_part(lambda r: replace(r, epoch=99, period=1, period_first_epoch=1)), (), {}),
            ("inclusion_index", replace(with_part(lambda r: replace(r, epoch=99)), users=plain.users * 2), (), {}),
            ("inclusion_proof", with_part(lambda r: replace(r, time_ms=r.time_ms + 1)), (), early),
            ("record_from_future", replace(plain, users=plain.users * 2), (), early),
            ("answer_count", replace(with_user(devices=unknown), users=plain.users * 2), (), {}),
            ("part_unknown", with_user(devices=unknown, name=None), (), old),
            ("stale", with_user(name=None), (replace(ANNA, kept=Kept(least_epoch=5)),), old),
            ("record_too_old", with_user(kind=NO_SUCH_USER), (), old),
            ("user_kind", with_user(kind=HAS_LEFT, name=None), (), {}),
            ("user_name_missing", with_user(name=None, devices=broken_list), (), {}),
            ("user_changed", with_user(devices=broken_list), (replace(ANNA, kept=Kept(b"B", True)),), {}),
            ("user_returned", with_user(devices=broken_list), (replace(ANNA, kept=Kept(b"A", True)),), {}),
            ("ladder_count", with_user(devices=broken_list, keys=[]), (), {}),
            ("device_count", no_key, (), {}),
            ("part_epoch", replace(d.user_lookup([ANNA], [At(5, 3, 4, 4)]), parts=[d.part(2, 6), d.part(3, 6), d.part(4, 6)],
                                   users=moved(d.user_lookup([ANNA], [At(5, 3, 4, 4)]).users, 1)), (), {}),
            ("part_unused", replace(plain, parts=[d.part(3, 6), part], users=moved(plain.users, 1)), (), {}),
        ):
            with self.subTest(reason):
                self.assertEqual(self.reason(answer, *asked, **brought), reason)

    def test_a_later_user_is_checked_after_an_earlier_one(self):
        d = self.d
        two = [ANNA, Asked(b"ben", kept=Kept(least_epoch=9))]
        answer = d.user_lookup(two)
        self.assertEqual(self.reason(answer, *two), "stale")
        broken = replace(answer, users=[replace(answer.users[0], keys=[]), answer.users[1]])
        self.assertEqual(self.reason(broken, *two), "device_count")

    def test_a_verdict_changes_nothing(self):
        kept = self.kept(b"anna", 2)
        before = (kept, dict(kept.keys))
        self.assertEqual(self.reason(self.d.user_lookup([replace(ANNA, kept=kept)]), replace(ANNA, kept=kept)), "valid")
        self.assertEqual((kept, kept.keys), before)

    def test_what_is_kept_shortens_the_next_answer(self):
        asked = Asked(b"anna", kept=self.kept(b"anna", 5))
        short = self.d.user_lookup([asked], [At(None, 5, 5, 5)])
        self.assertEqual(self.reason(short, asked), "valid")
        self.assertLess(len(short.encode()), 0.65 * len(self.d.user_lookup([ANNA]).encode()))

    def test_least_epoch_is_that_of_all_that_is_brought(self):
        """An answer omits versions that the question names as known and that have not changed. If a question about one name had the smaller
        least epoch of another name, the verifier would accept an older answer, as if it showed these versions."""
        by_name = self.kept(b"anna", 5)
        at = [At(2, 2, 5, 5)]
        for least, reason in ((2, "valid"), (5, "stale")):
            asked = Asked(b"anna@work", kept=replace(by_name, least_epoch=least))
            self.assertEqual(self.reason(self.d.user_lookup([asked], at, epoch=5), asked), reason)
        self.assertEqual(list(self.d.state(b"anna@work", 2).keys), [b"a1"])


def moved(users: list[UserLookup], by: int) -> list[UserLookup]:
    """Returns the users with changed record numbers, as if `by` parts had been inserted before the answer's parts."""

    def one(entry):
        return None if entry is None else replace(entry, record=entry.record + by if entry.record else 0)

    return [
        replace(u, name=one(u.name), decommissioned=one(u.decommissioned), devices=one(u.devices), keys=list(map(one, u.keys)))
        for u in users
    ]


class ModelTest(unittest.TestCase):
    def test_accepted_answers_are_the_state_at_one_epoch(self):
        tally = model_users.parted_answers(histories=12, answers=240, seed=5)
        self.assertEqual(tally.wrong, 0, tally.example)
        self.assertGreater(tally.mixed, 300)
        self.assertGreater(tally.refused, 300)

    def test_whatever_is_accepted_is_true_where_names_are_used_again(self):
        tally = model_users.parted_answers(histories=rounds(quick=4, deep=40), answers=240, seed=5, reuse=True)
        self.assertEqual(tally.wrong, 0, tally.example)
        self.assertGreater(tally.mixed, 100)
        self.assertGreater(tally.reused, 10)

    def test_each_rule_is_needed(self):
        for rule, reuse in (("part_epoch", False), ("stale", False), ("device_count", False), ("part_epoch", True)):
            with self.subTest(rule, reuse=reuse), model_users.without(rule):
                self.assertGreater(model_users.parted_answers(histories=4, answers=240, seed=5, reuse=reuse).wrong, 0)

    def test_without_user_returned_one_who_left_is_shown_as_current(self):
        d = vectors_users_lies.victim()
        d.decommission(vectors_users_lies.USER)
        d.publish_users()
        vectors_users_lies.drop_leaf(d, facts.DECOMMISSIONED, vectors_users_lies.USER)
        d.stored[facts.DECOMMISSIONED - 1].pop(vectors_users_lies.USER)
        d.publish_users()
        asked = [Asked(vectors_users_lies.NAME, kept=Kept(vectors_users_lies.USER, True, 3))]
        answer, v = d.user_lookup(asked).encode(), Verifier(d.anchor, d.now_ms)
        with self.assertRaisesRegex(Refused, "user_returned"):
            verify_users(v, answer, asked)
        with model_users.without("user_returned"):
            self.assertEqual(verify_users(v, answer, asked)[0].kind, CURRENT)

    def test_without_devices_missing_a_user_without_a_list_is_shown_as_one_without_devices(self):
        d = vectors_users_lies.liar()
        d.put(facts.USERNAMES, vectors_users_lies.NAME, vectors_users_lies.USER)
        asked = [Asked(vectors_users_lies.NAME)]
        answer, v = d.user_lookup(asked).encode(), Verifier(d.anchor, d.now_ms)
        with self.assertRaisesRegex(Refused, "devices_missing"):
            verify_users(v, answer, asked)
        with model_users.without("devices_missing"):
            self.assertEqual(verify_users(v, answer, asked)[0].ids, [])


if __name__ == "__main__":
    unittest.main()
