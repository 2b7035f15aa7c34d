"""Tests the command line and the Python reference against logs that lie about users and sign the lies. Both refuse a lie for the same
reason, and accept true answers."""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path

import harness
from harness import ROOT, Run, clean_environment
from hostile_log import AGE_STEPS, HostileLog, WritingLog, known_alone, young_log

sys.path.insert(0, str(ROOT / "tests/reference"))

import facts
from codec_users import CURRENT, DeviceList, UserLookup, UserLookupAnswer
from directory import STEP_MS
from directory_users import At
from refused import Refused
from users import Asked, Kept, verify_users
from vectors_users_lies import Liar, drop_leaf
from verify import Verifier

NAME, USER = b"alice", b"id-alice"
INVALID = 1


def two_users(**configuration) -> Liar:
    """Returns a log whose epoch 1 creates Alice, who has a phone, and Bob."""
    d = young_log(**configuration)
    d.create(USER, [NAME], {b"phone": b"phone 1"})
    d.create(b"id-bob", [b"bob"], {b"bob's": b"bob's 1"})
    d.publish_users()
    return d


class HostileUsersTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def lookup(self, log: HostileLog, client: str, *arguments: str) -> Run:
        command = [harness.OUT / "cli/optiks", "user", "lookup", *arguments, "--query-url", log.url, "--data", str(self.folder / client), "--trust", str(log.trust(self.folder)), "--json"]
        return Run(subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False))

    def taken(self, log: HostileLog, client: str, *arguments: str) -> dict:
        """Looks Alice up with a client that must accept the answer, and returns the answer's content. Used for true answers, as the
        control."""
        run = self.lookup(log, client, *(arguments or (NAME.decode(),)))
        self.assertEqual(run.code, 0, str(run))
        return json.loads(run.out)

    def refused(self, log: HostileLog, client: str, reason: str, *arguments: str, kept: Kept = Kept()) -> None:
        """Requires that the command line refuses the answer, and that the reference with the same kept state of the user does too."""
        run = self.lookup(log, client, *(arguments or (NAME.decode(),)))
        self.assertEqual((run.code, json.loads(run.out)["reason"]), (INVALID, reason), str(run))
        asked = [replace(one, kept=kept) for one in log.asked]
        with self.assertRaises(Refused) as caught:
            verify_users(Verifier(log.d.anchor, time.time_ns() // 1_000_000), log.answer(known_alone(log.asked), 0), asked)
        self.assertEqual(caught.exception.reason, reason)

    def test_two_user_ids_for_a_name(self):
        """The log exchanges the name's leaf, which no auditor would accept. One client knows the first user id of the name, and the other
        knows the second."""
        d = two_users()
        d.create(b"id-second", [], {b"second's": b"1"})
        d.publish_users()
        with HostileLog(d) as log:
            self.assertEqual(self.taken(log, "knows the first")["devices"][0]["device"], "phone")
            drop_leaf(d, facts.USERNAMES, NAME)
            d.stored[facts.USERNAMES - 1][NAME] = []
            d.put(facts.USERNAMES, NAME, b"id-second")
            # The answer has the name's entry, although a client that knows the user does not need it.
            log.answer = lambda asked, kept_size: log.of(known_alone(asked), kept_size)
            self.refused(log, "knows the first", "user_changed", kept=Kept(USER, False, 2))
            self.assertEqual(self.taken(log, "knows neither")["devices"][0]["device"], "second's")
            # The log then shows the old record with the first leaf again. A client that saw the later record refuses to go back to it.
            log.answer = lambda asked, kept_size: log.of(known_alone(asked), kept_size, epoch=2)
            self.refused(log, "knows neither", "stale", kept=Kept(b"id-second", False, d.epoch))

    def test_a_decommissioned_user_revived(self):
        d = two_users()
        d.decommission(USER)
        d.publish_users()
        with HostileLog(d) as log:
            self.assertTrue(self.taken(log, "saw it leave")["decommissioned"])
            left = d.epoch
            drop_leaf(d, facts.DECOMMISSIONED, USER)
            d.stored[facts.DECOMMISSIONED - 1].pop(USER)
            d.left.discard(USER)
            # Another user leaves, so that the number of leaves does not reveal the lie.
            d.decommission(b"id-bob")
            d.publish_users()
            log.answer = lambda asked, kept_size: log.of(known_alone(asked), kept_size)
            self.refused(log, "saw it leave", "user_returned", kept=Kept(USER, True, left))
            self.assertFalse(self.taken(log, "did not see it")["decommissioned"])

    def test_a_device_added_between_two_answers(self):
        """Answers combine the list of one epoch with the keys of a later epoch, or the reverse. Such a combination was never true at one
        time."""
        d = two_users()
        d.add_device(USER, b"tablet", b"tablet 1")
        d.set_device(b"phone", b"phone 2")
        d.publish_users()
        with HostileLog(d) as log:
            for at in (At(1, 1, 1, 2), At(2, 2, 2, 1), At(1, 1, 2, 1), At(2, 1, 1, 2)):
                with self.subTest(at):
                    client = f"first look {at}"
                    log.answer = lambda asked, kept_size, at=at: log.of(asked, kept_size, at, epoch=2)
                    self.refused(log, client, "part_epoch")
                    # The client must keep nothing of a refused answer, so it accepts an honest answer now.
                    log.answer = log.honest
                    self.assertEqual(len(self.taken(log, client)["devices"]), 2)
            d.publish_users()
            log.answer = lambda asked, kept_size: log.of(asked, kept_size, At(2, 3, 2, 3), epoch=3)
            self.assertEqual(len(self.taken(log, "parts that agree")["devices"]), 2)

    def test_parts_beyond_the_state(self):
        """The answers have a record of a later epoch to which no entry refers, a duplicate record, or an entry of a part that does not
        exist."""
        d = two_users()
        for _ in range(3):
            d.publish_users()
        with HostileLog(d) as log:
            def changed(change):
                def answer(asked, kept_size):
                    whole = d.user_lookup(asked, [At(2, 3, 2, 2) for _ in asked], 3, kept_size=kept_size)
                    return change(whole, len(d.records)).encode()
                return answer

            log.answer = changed(lambda whole, _: whole)
            self.assertEqual(self.taken(log, "control")["verdict"], "present")
            for reason, change in (
                    ("part_unused", lambda whole, size: replace(whole, parts=[*whole.parts, d.part(4, size)])),
                    ("part_order", lambda whole, size: replace(whole, parts=[*whole.parts, *whole.parts])),
                    ("part_unknown", lambda whole, size: replace(whole, users=[replace(user, decommissioned=replace(user.decommissioned, record=9)) for user in whole.users]))):
                with self.subTest(reason):
                    log.answer = changed(change)
                    self.refused(log, reason, reason)

    def test_a_device_list_that_is_none(self):
        for kind, ids in (("not sorted", [b"tablet", b"phone"]), ("an id twice", [b"phone", b"phone"]), ("an id twice apart", [b"phone", b"tablet", b"phone"])):
            with self.subTest(kind):
                d = two_users()
                d.set_device(b"tablet", b"tablet 1")
                d.publish_users()
                d.put(facts.DEVICES, USER, DeviceList(ids).encode())
                d.lists[USER] = ids
                with HostileLog(d) as log:
                    def answer(asked, kept_size, d=d, ids=ids):
                        e = d.epoch
                        user = UserLookup(CURRENT, d.entry(e, facts.USERNAMES, NAME), d.entry(e, facts.DECOMMISSIONED, USER), d.versioned(e, facts.DEVICES, USER),
                                          [d.versioned(e, facts.KEYS, one) for one in ids])
                        return UserLookupAnswer(d.head(e, kept_size=kept_size), [], [user for _ in asked]).encode()

                    log.answer = answer
                    self.refused(log, kind, "device_list")

    def test_an_old_period_replayed(self):
        d = two_users(period_length_ms=STEP_MS)
        d.switch_period(d.records[0].time_ms + 2 * STEP_MS)
        d.set_device(b"phone", b"phone 2")
        d.publish_users()
        with HostileLog(d) as log:
            self.assertEqual(self.taken(log, "knows period 1")["devices"][0]["value"], "phone 2")
            # Here the command line retries for a while, because another replica might be ahead. So the test has only one such case.
            log.answer = lambda asked, kept_size: log.of(known_alone(asked), kept_size, epoch=1)
            self.refused(log, "knows period 1", "stale", kept=Kept(USER, False, 3))
            # A client that knows nothing gets an answer with a part from the ended period.
            log.answer = lambda asked, kept_size: log.of(asked, kept_size, At(1, 3, 3, 3), epoch=3)
            self.refused(log, "knows nothing", "part_period")

    def test_values_that_are_not_there_any_more(self):
        """A server shows a user's erased data again, as if the user had not left. A client that saw the user leave refuses this, whatever
        epoch the answer is of."""
        d = two_users()
        d.decommission(USER)
        d.publish_users()
        with HostileLog(d) as log:
            self.assertEqual(self.taken(log, "saw it leave")["devices"], [])
            # The answer combines the current name with the old list, the old keys and the old entry about decommissioning.
            log.answer = lambda asked, kept_size: log.of(known_alone(asked), kept_size, At(2, 1, 1, 1), epoch=2)
            self.refused(log, "saw it leave", "stale", kept=Kept(USER, True, 2))

    def change(self, log: WritingLog, client: str, *arguments: str) -> Run:
        command = [harness.OUT / "cli/optiks", "user", *arguments, "--wait", "--query-url", log.url, "--update-url", log.url, "--api-key", "optiks_" + 43 * "A",
                   "--data", str(self.folder / client), "--trust", str(log.trust(self.folder)), "--json"]
        return Run(subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False))

    def test_a_device_of_the_logs_in_a_change(self):
        """The log names a list version as the result of a change, but adds another device to this version. Or it publishes a list that
        nobody requested. The command line confirms neither change."""
        changes = {"create": ("create", "carol", "--device", "watch=1"), "add-device": ("add-device", "alice", "tablet", "1"),
                   "remove-device": ("remove-device", "alice", "laptop"), "set-device": ("set-device", "alice", "phone", "phone 2")}
        for operation, arguments in changes.items():
            for names_list in (False, True) if operation == "set-device" else (False,):
                with self.subTest(operation, names_list=names_list):
                    d = two_users()
                    d.add_device(USER, b"laptop", b"laptop 1")
                    d.publish_users()
                    with WritingLog(d) as log:
                        honest = self.change(log, f"{operation} {names_list} honest", *arguments)
                        self.assertEqual((honest.code, json.loads(honest.out)["confirmed"]), (0, True), str(honest))
                        arguments = tuple(argument.replace("carol", "dave").replace("watch", "clock").replace("tablet", "second tablet").replace("laptop", "phone") for argument in arguments)
                        log.beside = lambda user, d=d: d.add_device(user, b"ghost", b"its key")
                        log.names_list = names_list
                        lied = self.change(log, f"{operation} {names_list} lied", *arguments)
                        self.assertEqual((lied.code, json.loads(lied.out)["reason"], json.loads(lied.out)["confirmed"]), (INVALID, "other_value", False), str(lied))

    def test_the_log_is_young_enough(self):
        """Checks that the log's records are fresh. Otherwise clients could have refused every answer above because of the records' age."""
        self.assertLess(AGE_STEPS * STEP_MS, two_users().configuration.max_behind_ms)


if __name__ == "__main__":
    unittest.main()
