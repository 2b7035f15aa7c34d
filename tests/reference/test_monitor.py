"""Tests the answers that show an owner its own user, and the alarms that the owner must raise (docs/spec/user-monitor.md)."""

import unittest
from dataclasses import replace

import facts
import model_monitor
from codec import Reader, decode_whole
from codec_users import DeviceList, NotedValue, OwnerNote, UserMonitorAnswer
from directory import STEP_MS
from directory_users import UserDirectory, list_ids
from handover import EndState, check_handover
from owner import Owner
from refused import Refused
from user_monitor import Own, verify_user_monitor
from vectors_monitor import ALICE, ID, honest_directory
from vectors_users_lies import NAME, USER, Liar, liar
from verify import Verifier


class MonitorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.d = honest_directory()

    def reason(self, answer: UserMonitorAnswer | bytes, own: Own, **kept) -> str:
        v = replace(Verifier(self.d.anchor, self.d.now_ms), **kept)
        try:
            verify_user_monitor(v, answer if isinstance(answer, bytes) else answer.encode(), own)
        except Refused as refused:
            return refused.reason
        return "valid"

    def test_all_that_ever_was_is_shown(self):
        own = Own(ID, [ALICE])
        result = verify_user_monitor(Verifier(self.d.anchor, self.d.now_ms), self.d.user_monitor(own).encode(), own)
        lists = [list_ids(value) for value in result.devices.values.values()]
        a, b, c = [b"a1", b"a2"], [b"a1", b"a2", b"a3"], [b"a1", b"a3"]
        self.assertEqual(lists, [a, b, c, [*c, b"a4"], c])
        self.assertEqual(
            {one: list(found.values.values()) for one, found in result.keys.items()},
            {b"a1": [b"a1 1", b"a1 2", b"a1 3"], b"a2": [b"a2 1", b"a2 2"], b"a3": [], b"a4": [b"a4 1", b"a4 2"]},
        )
        self.assertTrue(result.complete)

    def test_a_later_answer_grows_with_the_versions_and_not_with_the_epochs(self):
        d = honest_directory()
        own = Own(ID)
        kept = verify_user_monitor(Verifier(d.anchor, d.now_ms), d.user_monitor(own).encode(), own).brought_next(own, d.configuration)

        def proofs(answer: UserMonitorAnswer) -> int:
            return sum(len(one.members) + len(one.absent) for one in (answer.devices, *answer.keys))

        at_once = proofs(d.user_monitor(kept))
        for _ in range(20):
            d.publish_users()
        self.assertEqual(proofs(d.user_monitor(kept)), at_once)
        self.assertEqual(list(kept.keys), [b"a1", b"a3"])
        self.assertEqual(sum(len(one.members) for one in d.user_monitor(kept).keys), 0)

    def test_round_trips(self):
        for user in (ID, b"id-erin", b"id-carol"):
            answer = self.d.user_monitor(Own(user, [ALICE]))
            self.assertEqual(decode_whole(UserMonitorAnswer.decode, answer.encode()), answer)
        value = NotedValue(b"payload", bytes(32))
        self.assertEqual(decode_whole(NotedValue.decode, value.encode()), value)
        note = OwnerNote(7, "n\u00f6te".encode())
        self.assertEqual(decode_whole(OwnerNote.decode, note.encode()), note)

    def test_every_truncation_is_refused(self):
        whole = self.d.user_monitor(Own(ID, [ALICE]), epoch=3).encode()
        for size in range(0, len(whole), 7):
            with self.assertRaisesRegex(Refused, "malformed_truncated"):
                UserMonitorAnswer.decode(Reader(whole[:size]))

    def test_flipped_octets_are_refused(self):
        own = Own(ID, [ALICE])
        whole, v = self.d.user_monitor(own, epoch=3).encode(), Verifier(self.d.anchor, self.d.now_ms)
        for i in range(0, len(whole), 9):
            with self.assertRaises(Refused, msg=i):
                verify_user_monitor(v, whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :], own)

    def test_order_of_checks(self):
        """Checks that an answer with two faults is refused with the reason of the earlier check."""
        d, own = self.d, Own(ID, [ALICE])
        plain = d.user_monitor(own)
        name, left = plain.names[0], plain.decommissioned
        generations = replace(d.anchor, configuration=replace(d.configuration, username_reuse=1))
        old = {"now_ms": d.now_ms + d.configuration.max_behind_ms + 1}
        no_list = replace(plain.devices, version=0, members=[], absent=[])
        other_name = replace(name, proof=d.member(d.epoch, b"bob", 0, True, facts.USERNAMES))
        broken = replace(plain.devices, start=3)
        self.assertEqual(self.reason(plain, own), "valid")
        for reason, answer, brought, kept in (
            ("malformed_trailing", plain.encode() + b"\0", own, {"anchor": generations}),
            ("configuration", replace(plain, names=[]), own, {"anchor": generations, **old}),
            ("record_too_old", replace(plain, names=[]), own, old),
            ("answer_count", replace(plain, names=[]), replace(own, least_epoch=99), {}),
            ("stale", replace(plain, names=[replace(name, record=1)]), replace(own, least_epoch=99), {}),
            ("part_unknown", replace(plain, names=[replace(name, proof=left.proof)], decommissioned=replace(left, record=1)), own, {}),
            ("vrf_challenge", replace(plain, names=[other_name]), replace(own, has_left=True), {}),
            ("user_returned", replace(plain, devices=broken), replace(own, has_left=True), {}),
            ("history_from", replace(plain, devices=broken, keys=[]), own, {}),
            ("ladder_count", replace(plain, devices=no_list, keys=[]), own, {}),
            ("device_count", replace(plain, keys=[replace(one, start=9) for one in plain.keys[1:]]), own, {}),
            ("history_from", replace(plain, keys=[plain.keys[0], replace(plain.keys[1], start=9), *plain.keys[2:]]), own, {}),
        ):
            with self.subTest(reason):
                self.assertEqual(self.reason(answer, brought, **kept), reason)

    def test_a_verdict_changes_nothing(self):
        own = Own(ID, [ALICE], keys={b"a1": None})
        before = (own, dict(own.keys))
        self.assertEqual(self.reason(self.d.user_monitor(own), own), "valid")
        self.assertEqual((own, own.keys), before)


class ModelTest(unittest.TestCase):
    def test_a_result_shows_all_that_lookups_showed(self):
        tally = model_monitor.hostile_answers(histories=20, answers=120, seed=5)
        self.assertEqual(tally.wrong, 0, tally.example)
        self.assertGreater(tally.results, 300)
        self.assertGreater(tally.accepted - tally.results, 60)
        self.assertGreater(tally.refused, 300)

    def test_each_rule_is_needed(self):
        for rule in ("device_count", "version_regressed"):
            with self.subTest(rule), model_monitor.without(rule):
                self.assertGreater(model_monitor.hostile_answers(histories=8, answers=120, seed=5).wrong, 0)

    def test_each_kind_of_followed_id_is_needed(self):
        for name, ids in (
            ("kept and named ids", lambda named, kept, lists: sorted(set().union(*lists) if lists else kept)),
            ("ids of superseded lists", lambda named, kept, lists: sorted(named.union(kept, *lists[-1:]))),
            ("ids of new lists", lambda named, kept, lists: sorted(named.union(kept))),
        ):
            with self.subTest(name), model_monitor.following(ids):
                self.assertGreater(model_monitor.hostile_answers(histories=8, answers=120, seed=5).wrong, 0)


class AlarmTest(unittest.TestCase):
    """Tests valid answers, some of which must raise an alarm."""

    def begin(self, **configuration) -> tuple[Liar, Owner]:
        """Returns a directory, and the owner of a user in it. The owner has created the user with one device, and has then monitored the
        user once."""
        d = liar(**configuration)
        o = Owner(Own(USER, [NAME]))
        d.create(USER, [NAME], {b"v1": b"one"})
        o.set(facts.DEVICES, USER, DeviceList([b"v1"]).encode())
        o.set(facts.KEYS, b"v1", b"one")
        d.publish_users()
        self.assertEqual(self.look(d, o), [])
        return d, o

    def look(self, d: UserDirectory, o: Owner, page: int | None = None) -> list[str]:
        alarms = None
        while alarms is None:
            answer = d.user_monitor(o.brought, page=page).encode()
            alarms = o.look(verify_user_monitor(Verifier(d.anchor, d.now_ms), answer, o.brought), d.configuration)
        return alarms

    def owner_sets(self, d: UserDirectory, o: Owner, device: bytes, value: bytes) -> None:
        d.set_device(device, value)
        o.set(facts.KEYS, device, value)
        d.publish_users()

    def owner_lists(self, d: UserDirectory, o: Owner, change, *arguments) -> None:
        change(USER, *arguments)
        o.set(facts.DEVICES, USER, DeviceList(d.lists[USER]).encode())
        d.publish_users()

    def test_what_the_owner_did_raises_none(self):
        for page in (None, 1, 2):
            d, o = self.begin()
            self.owner_sets(d, o, b"v1", b"two")
            o.set(facts.KEYS, b"v2", b"second")
            self.owner_lists(d, o, d.add_device, b"v2", b"second")
            self.owner_sets(d, o, b"v2", b"second again")
            self.owner_lists(d, o, d.remove_device, b"v2")
            self.assertEqual(self.look(d, o, page), [])
            self.assertEqual(self.look(d, o, page), [])

    def test_a_device_that_came_and_went(self):
        for page in (None, 1):
            d, o = self.begin()
            d.add_device(USER, b"ghost", b"its key")
            d.publish_users()
            d.remove_device(USER, b"ghost")
            d.publish_users()
            # The three alarms are about two versions of the list, and about the key of the device `ghost`.
            self.assertEqual(self.look(d, o, page), ["not set"] * 3)
            self.assertEqual(self.look(d, o, page), [])

    def test_a_value_that_the_owner_s_next_one_superseded(self):
        d, o = self.begin()
        d.set_device(b"v1", b"forged")
        d.publish_users()
        self.owner_sets(d, o, b"v1", b"two")
        self.assertEqual(self.look(d, o), ["not set"])

    def test_a_value_of_a_device_that_the_owner_then_removed(self):
        for page in (None, 1):
            d, o = self.begin()
            d.set_device(b"v1", b"forged")
            d.publish_users()
            self.owner_lists(d, o, d.remove_device, b"v1")
            self.assertEqual(self.look(d, o, page), ["not set"])

    def test_a_value_of_a_device_that_the_owner_removes_while_it_reads_pages(self):
        d, o = self.begin()
        self.owner_sets(d, o, b"v1", b"two")
        self.owner_sets(d, o, b"v1", b"three")
        answer = d.user_monitor(o.brought, page=1).encode()
        self.assertIsNone(o.look(verify_user_monitor(Verifier(d.anchor, d.now_ms), answer, o.brought), d.configuration))
        d.set_device(b"v1", b"forged")
        d.publish_users()
        self.owner_lists(d, o, d.remove_device, b"v1")
        self.assertEqual(self.look(d, o, 1), ["not set"])

    def test_the_first_version_of_a_device_that_the_owner_is_about_to_add(self):
        d, o = self.begin()
        d.set_device(b"v2", b"forged")
        d.publish_users()
        o.set(facts.KEYS, b"v2", b"second")
        self.owner_lists(d, o, d.add_device, b"v2", b"second")
        self.assertEqual(self.look(d, o), ["not set"])

    def test_requests_are_seen_in_the_order_of_the_owner(self):
        """A lost update raises no alarm about the next update. An update that is published after a later update undoes that later update,
        and raises an alarm."""
        for late, alarms in ((None, []), (b"two", ["not set"]), (b"three", ["not set"])):
            d, o = self.begin()
            o.set(facts.KEYS, b"v1", b"two")
            self.owner_sets(d, o, b"v1", b"three")
            self.assertEqual(self.look(d, o), [])
            self.assertEqual(o.overtaken[facts.KEYS, b"v1"], [b"two"])
            if late:
                d.set_device(b"v1", late)
                d.publish_users()
            self.assertEqual(self.look(d, o), alarms)
            self.assertEqual(o.overtaken[facts.KEYS, b"v1"], [] if late == b"two" else [b"two"])

    def test_a_value_that_is_withheld(self):
        d, o = self.begin()
        d.set_device(b"v1", b"forged")
        d.publish_users()
        self.owner_sets(d, o, b"v1", b"two")
        d.erased = {(facts.KEYS, b"v1", 2)}
        self.assertEqual(self.look(d, o), ["withheld"])

    def test_leaving(self):
        for asked, alarms in ((False, ["left"]), (True, [])):
            d, o = self.begin()
            o.asked_to_leave = asked
            d.decommission(USER)
            d.publish_users()
            self.assertEqual(self.look(d, o), alarms)

    def test_a_period_that_does_not_begin_with_copies(self):
        """Tests the checks of docs/spec/periods.md section 6 for the list and each key in an answer about a user."""
        for forged, reason in ((None, "valid"), (b"forged", "handover_value")):
            d, o = self.begin(period_length_ms=STEP_MS)
            last = d.epoch
            ends = {key: EndState(0, last, d.latest(last, key[1], key[0]), value) for key, value in o.latest.items()}
            if forged:
                d.stored[facts.KEYS - 1][b"v1"][-1] = replace(d.stored[facts.KEYS - 1][b"v1"][-1], value=forged)
            d.switch_period(d.now_ms + STEP_MS)
            answer = d.user_monitor(Own(USER))
            result = verify_user_monitor(Verifier(d.anchor, d.now_ms), answer.encode(), Own(USER))
            shown = {(facts.DEVICES, USER): answer.devices}
            shown |= {(facts.KEYS, one): versions for one, versions in zip(result.keys, answer.keys, strict=True)}
            self.assertEqual(shown.keys(), ends.keys())
            found = "valid"
            for key, versions in shown.items():
                try:
                    check_handover(result.period, last + 1, versions, ends[key])
                except Refused as refused:
                    found = refused.reason
            self.assertEqual(found, reason)
            if forged is None:
                self.assertEqual(self.look(d, o), [])


if __name__ == "__main__":
    unittest.main()
