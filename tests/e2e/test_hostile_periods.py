"""Tests the command line and the Python reference against logs that lie about periods and sign the lies. The lies are about hand-overs, a
switch back, and erased values."""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import harness
from harness import ROOT, Run, clean_environment
from hostile_log import HostileLog, young_log

sys.path.insert(0, str(ROOT / "tests/reference"))

import facts
from codec import uint, vector
from codec_users import DeviceList
from live_users import monitor_query, user_queries
from record import EpochRecord
from refused import Refused
from user_monitor import Own, verify_user_monitor
from users import Asked, Kept, verify_users
from vectors_user_handover import LENGTH_MS, Forger
from verify import Verifier

VALID, INVALID = 0, 1
KEY, NEW, NAME, USER = b"plain", b"new", b"alice", b"id-alice"
# The id of a device on Alice's list that has no key.
UNSET = b"tablet"
# This API key has the right form. The test's log does not check it.
API_KEY = "optiks_" + "A" * 43
Lie = Callable[["Forger"], None]


def first_period() -> Forger:
    """Returns a log in period 0. It has a key that belongs to no user, and the user Alice with a laptop and a phone."""
    d = young_log(Forger, period_length_ms=LENGTH_MS)
    d.create(USER, [NAME], {b"laptop": b"laptop 1", b"phone": b"phone 1"})
    d.set_device(KEY, b"plain 1")
    d.publish_users()
    return d


def switched(d: Forger) -> Forger:
    """Switches to the next period, and publishes one more epoch in it."""
    d.switch()
    d.publish_users()
    return d


class HostilePeriodsTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def optiks(self, log: HostileLog, client: str, *arguments: str) -> tuple[int, dict]:
        """Runs the command line as the client with this name, which has its own state."""
        command = [harness.OUT / "cli/optiks", *arguments, "--query-url", log.url, "--data", str(self.folder / client), "--trust", str(log.trust(self.folder)), "--api-key", API_KEY, "--json"]
        run = Run(subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=60, check=False))
        lines = run.lines()
        self.assertEqual(len(lines), 1, str(run))
        return run.code, lines[0]

    def owner(self, log: HostileLog, client: str, *command: str) -> None:
        """Makes the owner accept all versions that exist now as its own."""
        code, said = self.optiks(log, client, *command)
        if said["reason"] == "unexpected_version":
            code, said = self.optiks(log, client, *command, "--accept")
        self.assertEqual((code, said["reason"]), (VALID, "valid"), said)

    # These methods return the verdicts that the Python reference gives for an owner that saw the end of period 0.

    @staticmethod
    def judge(log: HostileLog, key: bytes) -> str:
        return verdict(lambda v: replace(v, ends={key: log.d.end_state(key, 0)}).verify_versions(log.post("/v1/monitor", question(key, 1))[1], [key]), log)

    @staticmethod
    def judge_user(log: HostileLog) -> str:
        keys = log.d.lists[USER]
        ends = {(structure, key): log.d.end_state(key, 0, structure) for structure, key in ((facts.DEVICES, USER), *((facts.KEYS, one) for one in keys))}
        own = Own(USER, keys=dict.fromkeys(keys), ends=ends)
        return verdict(lambda v: verify_user_monitor(v, log.post("/v1/users/monitor", monitor_query(own))[1], own), log)

    def test_a_key_is_handed_over(self):
        def honest(d: Forger) -> None:
            """Changes nothing."""

        lies: list[tuple[str, bytes, Lie]] = [
            ("valid", KEY, honest),
            ("valid", NEW, honest),
            ("handover_value", KEY, lambda d: d.forge(facts.KEYS, KEY, b"mallory's")),
            ("handover_missing", KEY, lambda d: setattr(d, "left_out", ((facts.KEYS, KEY),))),
            ("handover_unset", NEW, lambda d: d.forge(facts.KEYS, NEW, b"mallory's")),
        ]
        for number, (reason, key, lie) in enumerate(lies):
            with self.subTest(reason, key=key), HostileLog(first_period()) as log:
                command = ("monitor", key.decode())
                self.owner(log, str(number), *command)
                lie(log.d)
                switched(log.d)
                self.compare(log, str(number), reason, command)
                self.assertEqual(self.judge(log, key), reason)

    def test_a_user_is_handed_over(self):
        def nothing(d: Forger) -> None:
            """Makes no change to the log."""

        same_list = DeviceList([b"laptop", b"phone", UNSET]).encode()
        # For each lie: the reason, the subject of the alarm, the change before the switch, and the change after it.
        lies: list[tuple[str, str, Lie, Lie]] = [
            ("valid", "", nothing, nothing),
            ("handover_value", "list", lambda d: d.forge(facts.DEVICES, USER, DeviceList([b"laptop", b"mallory's", b"phone", UNSET]).encode()), nothing),
            ("handover_missing", "list", lambda d: setattr(d, "left_out", ((facts.DEVICES, USER),)), lambda d: d.put(facts.DEVICES, USER, same_list)),
            ("handover_value", "device", lambda d: d.forge(facts.KEYS, b"phone", b"mallory's"), nothing),
            ("handover_missing", "device", lambda d: setattr(d, "left_out", ((facts.KEYS, b"phone"),)), nothing),
            ("handover_unset", "device", lambda d: d.forge(facts.KEYS, UNSET, b"mallory's"), nothing),
        ]
        for number, (reason, about, before, after) in enumerate(lies):
            d = first_period()
            d.add_device(USER, UNSET, None)
            d.publish_users()
            with self.subTest(reason, about=about), HostileLog(d) as log:
                command = ("user", "monitor", NAME.decode())
                self.owner(log, str(number), *command)
                before(log.d)
                switched(log.d)
                after(log.d)
                alarms = self.compare(log, str(number), reason, command)
                # If the list is missing at the switch and published later, there is a second alarm, about this version that the owner did
                # not make.
                self.assertEqual([alarm["about"] for alarm in alarms], [about] * (0 if reason == "valid" else 2 if (reason, about) == ("handover_missing", "list") else 1))
                self.assertEqual(self.judge_user(log), reason)

    def compare(self, log: HostileLog, client: str, reason: str, command: tuple[str, ...]) -> list[dict]:
        """Runs the owner's command, checks that it reports the hand-over with this reason, and returns the alarms."""
        code, said = self.optiks(log, client, *command)
        if reason == "valid":
            self.assertEqual((code, said["reason"], said["handed_over"], said["alarms"]), (VALID, "valid", [0], []), said)
            return []
        self.assertEqual((code, [alarm["handover"] for alarm in said["alarms"] if "handover" in alarm]), (INVALID, [reason]), said)
        self.assertEqual({alarm["period"] for alarm in said["alarms"]}, {1}, said)
        # At the next monitoring the alarms stay, but the hand-over of the period is not reported again.
        code, again = self.optiks(log, client, *command)
        self.assertEqual((code, again["alarms"], again["handed_over"]), (INVALID, said["alarms"], []), again)
        return said["alarms"]

    def test_a_period_that_begins_without_what_was_looked_up(self):
        """A client that owns nothing looks up a user and a separate key, whose copies the next period lacks. The client refuses the answer
        about the user, who is current, and reports the missing copy of the separate key."""
        one, two = (facts.KEYS, b"phone"), (facts.DEVICES, USER)
        for number, (reason, left_out, after) in enumerate((
                ("valid", (), lambda d: None),
                ("handover_missing", (one,), lambda d: None),
                ("handover_missing", (one,), lambda d: d.set_device(b"phone", b"phone 1")),
                ("handover_missing", (two,), lambda d: d.add_device(USER, b"tablet", b"tablet 1")))):
            with self.subTest(number), HostileLog(first_period()) as log:
                asked = Asked(NAME)
                client, command = str(number), ("user", "lookup", NAME.decode())
                self.assertEqual(self.optiks(log, client, *command)[0], VALID)
                kept = verify_users(verifier(log), log.of([asked], 0), [asked])[0].kept(Kept())
                log.d.left_out = left_out
                log.d.switch()
                after(log.d)
                log.d.publish_users()
                self.assertEqual(self.optiks(log, client, *command)[1]["reason"], reason)
                known = Asked(NAME, kept=kept)
                self.assertEqual(verdict(lambda v, known=known, log=log: verify_users(v, log.of([known], 0), [known]), log), reason)
                # A client that knows nothing cannot see the lie.
                self.assertEqual(self.optiks(log, f"{client} new", *command)[1]["reason"], "valid")
        with HostileLog(first_period()) as log:
            self.assertEqual(self.optiks(log, "plain", "lookup", KEY.decode())[1]["not_copied"], False)
            log.d.left_out = ((facts.KEYS, KEY),)
            switched(log.d)
            for client, code in (("plain", INVALID), ("plain", INVALID), ("plain new", VALID)):
                told, said = self.optiks(log, client, "lookup", KEY.decode())
                self.assertEqual((told, said["verdict"], said["not_copied"]), (code, "absent", code == INVALID), said)

    def test_a_version_between_the_last_look_and_the_switch(self):
        """After the owner's last look, the log publishes a false version. Before the switch, a later version with the true value supersedes
        the false version. So the copy is honest again. The test does this for a separate key and for a user's device."""
        commands = {"owner": ("monitor", KEY.decode()), "user": ("user", "monitor", NAME.decode())}
        with HostileLog(first_period()) as log:
            for client, command in commands.items():
                self.owner(log, client, *command)
            # From here on, the reference's client has the knowledge of this look.
            known = verifier(log).verify_versions(log.post("/v1/monitor", question(KEY, 1))[1], [KEY])[0].known
            own = Own(USER)
            own = verify_user_monitor(verifier(log), log.post("/v1/users/monitor", monitor_query(own))[1], own).brought_next(own, log.d.anchor.configuration)
            looked = log.d.epoch
            for phone, plain in ((b"mallory's", b"mallory's"), (b"phone 1", b"plain 1")):
                log.d.set_device(KEY, plain)
                log.d.set_device(b"phone", phone)
                log.d.publish_users()
            switched(log.d)
            # The comparison at the hand-over does not reveal the false version, because the copy has the true value.
            self.assertEqual((self.judge(log, KEY), self.judge_user(log)), ("valid", "valid"))

            ended = replace(verifier(log), ended_record=log.d.records[log.d.last_epoch(0)], known={KEY: known})
            self.assertEqual(ended.verify_versions(self.end_of_key(log), [KEY])[0].values, {2: b"mallory's", 3: b"plain 1"})
            shown = verify_user_monitor(ended, self.end_of_user(log, own), own)
            self.assertEqual({device: found.values for device, found in shown.keys.items()}, {b"laptop": {}, b"phone": {2: b"mallory's", 3: b"phone 1"}})

            # The server claims that the state at the owner's last look is the state at the period's end. That state does not have the false
            # version, so the clients must refuse the answer.
            log.epoch_of = lambda query: looked if "period" in query else log.d.epoch
            for client, command in commands.items():
                code, said = self.optiks(log, client, *command)
                self.assertEqual((code, said["reason"]), (INVALID, "record_epoch"), said)
            self.assertEqual(verdict(lambda _: ended.verify_versions(self.end_of_key(log), [KEY]), log), "record_epoch")
            self.assertEqual(verdict(lambda _: verify_user_monitor(ended, self.end_of_user(log, own), own), log), "record_epoch")
            del log.epoch_of

            for client, command in commands.items():
                code, said = self.optiks(log, client, *command)
                self.assertEqual((code, [(alarm["period"], alarm["version"]) for alarm in said["alarms"]]), (INVALID, [(0, 2), (0, 3)]), said)
            self.assertEqual([(alarm["about"], alarm["device"]) for alarm in said["alarms"]], [("device", "phone")] * 2, said)

    @staticmethod
    def end_of_key(log: HostileLog) -> bytes:
        """Returns the answer about the key's end in the ended period, for a client that knows version 1."""
        return log.post("/v1/monitor?period=0", question(KEY, 2))[1]

    @staticmethod
    def end_of_user(log: HostileLog, own: Own) -> bytes:
        return log.post("/v1/users/monitor?period=0", monitor_query(own))[1]

    def test_an_early_switch(self):
        """Shows a switch that is one millisecond too early to clients that looked at the log earlier. They refuse this switch, and accept
        the same switch a millisecond later."""
        for early in (False, True):
            reason = "record_period" if early else "valid"
            d = first_period()
            begun, kept = d.records[0].time_ms, d.records[-1]
            with self.subTest(early=early), HostileLog(d) as log:
                if early:
                    self.look(log, "valid")
                d.switch_period(begun + LENGTH_MS - (1 if early else 0))
                self.assertEqual([self.judge_lookup(log, kept), *self.judge_kept(log, kept)], [reason] * 3)
                if early:
                    # These clients refuse the switch even once the newest epoch is late enough, because the bounds of the periods show that
                    # the switch was early.
                    d.publish_users()
                    self.assertEqual(self.judge_lookup(log, kept), "valid")
                    self.look(log, reason)

    @staticmethod
    def judge_kept(log: HostileLog, kept: EpochRecord) -> list[str]:
        """Returns the verdicts on a lookup of the user and on monitoring of the user. The clients keep this record, and the first record of
        the record's period."""
        asked, own, start = Asked(NAME), Own(USER), log.d.records[kept.period_first_epoch]
        return [verdict(lambda v: verify_users(replace(v, record=kept, period_record=start), log.post("/v1/users/lookup", user_queries([asked]))[1], [asked]), log),
                verdict(lambda v: verify_user_monitor(replace(v, record=kept, period_record=start), log.post("/v1/users/monitor", monitor_query(own))[1], own), log)]

    def test_a_switch_back(self):
        """The log returns to the trees of the ended period in a later epoch, and shows this epoch to clients that saw the next period."""
        with HostileLog(first_period()) as log:
            before = log.d.current()
            switched(log.d)
            self.look(log, "valid")
            kept = log.d.records[-1]
            log.d.go_back(before)
            log.d.publish_users()
            self.look(log, "record_period")
            self.assertEqual(self.judge_lookup(log, kept), "record_period")
            self.assertEqual(self.optiks(log, "knows nothing", "lookup", KEY.decode())[0], VALID)

    def test_a_vrf_key_changed_for_one_epoch(self):
        """For one epoch, the log uses trees under another VRF key. The clients looked before this epoch, and look again during it."""
        with HostileLog(first_period()) as log:
            self.look(log, "valid")
            before, kept = log.d.current(), log.d.records[-1]
            log.d.stored[facts.KEYS - 1][KEY][-1] = replace(log.d.stored[facts.KEYS - 1][KEY][-1], value=b"mallory's")
            for structure in facts.PER_PERIOD:
                log.d.change_vrf_key(structure)
            log.d.publish_users()
            self.look(log, "record_vrf_key")
            self.assertEqual(self.judge_lookup(log, kept), "record_vrf_key")
            # A client that knows nothing about the log must rely on auditors (test_malicious.py).
            self.assertEqual(self.optiks(log, "knows nothing", "lookup", KEY.decode())[1]["value"], "mallory's")
            log.d.go_back(before)
            log.d.publish_users()
            self.look(log, "valid")
            self.assertEqual(self.optiks(log, "knows nothing", "lookup", KEY.decode())[1]["reason"], "record_vrf_key")

    def look(self, log: HostileLog, reason: str) -> None:
        """Sends the requests of a client that looks up a key, of a client that looks up a user, and of the owners of both."""
        code = VALID if reason == "valid" else INVALID
        for client, *command in (("key", "lookup", KEY.decode()), ("user", "user", "lookup", NAME.decode()),
                                 ("owner", "monitor", KEY.decode()), ("user's owner", "user", "monitor", NAME.decode())):
            with self.subTest(command):
                if "monitor" in command and reason == "valid":
                    self.owner(log, client, *command)
                else:
                    self.assertEqual([(told, said["reason"]) for told, said in [self.optiks(log, client, *command)]], [(code, reason)])

    @staticmethod
    def judge_lookup(log: HostileLog, kept: EpochRecord) -> str:
        start = log.d.records[kept.period_first_epoch]
        return verdict(lambda v: replace(v, record=kept, period_record=start).verify_lookup(log.post("/v1/lookup", question(KEY, 0))[1], [KEY]), log)

    def test_an_erased_value_served_again(self):
        """A server that kept the opening of an erased value can still show the value. Clients accept it because it is the true value, and
        refuse any other value in its place."""
        d = first_period()
        d.set_device(KEY, b"plain 2")
        d.publish_users()
        with HostileLog(d) as log:
            self.owner(log, "owner", "monitor", KEY.decode())
            d.erased.add((facts.KEYS, KEY, 1))
            d.publish_users()
            history = ("history", KEY.decode())

            def shown() -> list[str | None]:
                code, said = self.optiks(log, "owner", *history)
                self.assertEqual((code, said["reason"]), (VALID, "valid"), said)
                return [version.get("value") for version in said["versions"]]

            self.assertEqual(shown(), [None, "plain 2"])
            d.erased.clear()
            self.assertEqual(shown(), ["plain 1", "plain 2"])
            at = d.stored_at[-1][facts.KEYS - 1][KEY]
            at[0] = replace(at[0], value=b"mallory's")
            code, said = self.optiks(log, "owner", *history)
            self.assertEqual((code, said["reason"]), (INVALID, "member_root"), said)
            self.assertEqual(verdict(lambda v: v.verify_versions(log.post("/v1/history", question(KEY, 1))[1], [KEY]), log), "member_root")


def question(key: bytes, version: int) -> bytes:
    """Returns a QueryList (docs/spec/rest.md section 4) about one key, with the version that the client knows or requests."""
    return vector(2**24 - 1, vector(255, key) + uint(0, 8) + uint(version, 8))


def verifier(log: HostileLog) -> Verifier:
    return Verifier(log.d.anchor, time.time_ns() // 1_000_000)


def verdict(judged: Callable[[Verifier], object], log: HostileLog) -> str:
    try:
        judged(verifier(log))
    except Refused as refused:
        return refused.reason
    return "valid"


if __name__ == "__main__":
    unittest.main()
