"""Tests users on the command line, with real services. Users are created, looked up, changed and decommissioned, and each step is
verified."""

import json
import tempfile
import unittest
from pathlib import Path

from harness import Deployment, Run
from rest import b64
from tokens import AUDIENCE, Signer

UNREACHABLE_OR_REFUSED = 3


class UsersTest(unittest.TestCase):
    """The tests must run in this order, because later tests rely on earlier ones."""

    @classmethod
    def setUpClass(cls):
        cls.signer = Signer("signer-1")
        cls.log = cls.enterClassContext(Deployment(before_start=cls.signer.trust))
        # The data folder of another client of the same log, which knows nothing about the first client's changes.
        cls.other = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def one(self, *arguments: str, code: int = 0) -> dict:
        run = self.log.optiks(*arguments, "--json")
        self.assertEqual(run.code, code, str(run))
        lines = run.lines()
        self.assertEqual(len(lines), 1, str(run))
        self.assertLessEqual({"verdict", "reason", "epoch"}, set(lines[0]))
        return lines[0]

    def stranger(self, *arguments: str) -> Run:
        return self.log.optiks(*arguments, "--data", str(self.other), "--trust", str(self.log.data / "trust.json"))

    @staticmethod
    def devices(shown: dict) -> dict[str, str]:
        return {device["device"]: device["value"] for device in shown["devices"]}

    def test_1_create_and_look_up(self):
        laptop = self.log.logs / "laptop.value"
        laptop.write_bytes(b"the laptop's key")
        created = self.one("user", "create", "alice", "--device", "phone=the phone's key", "--device", f"laptop=@{laptop}", "--wait")
        self.assertEqual((created["verdict"], created["reason"], created["confirmed"]), ("accepted", "valid", True))
        self.assertEqual(self.devices(created), {"phone": "the phone's key", "laptop": "the laptop's key"})
        found = self.one("user", "lookup", "alice")
        self.assertEqual((found["verdict"], found["decommissioned"], found["user_b64"]), ("present", False, created["user_b64"]))
        # The devices are in the order of the device list. The client has known them since it verified the result of its own request.
        self.assertEqual([(device["device"], device["unchanged"]) for device in found["devices"]], [("laptop", True), ("phone", True)])
        absent = self.one("user", "lookup", "bob")
        self.assertEqual((absent["verdict"], absent["reason"]), ("absent", "valid"))
        self.assertNotIn("user_b64", absent)

    def test_2_one_device(self):
        self.assertEqual(self.devices(self.one("user", "lookup", "alice", "--device", "phone")), {"phone": "the phone's key"})
        missing = self.one("user", "lookup", "alice", "--device", "tablet")
        self.assertEqual((missing["verdict"], missing["devices"]), ("present", []))
        # A device's key can be looked up like any other key.
        self.assertEqual(self.one("lookup", "phone")["value"], "the phone's key")

    def test_3_changes(self):
        for arguments, devices in (
                (("add-device", "alice", "tablet", "the tablet's key"), {"phone": "the phone's key", "laptop": "the laptop's key", "tablet": "the tablet's key"}),
                (("set-device", "alice", "phone", "the phone's new key", "--expect", "1"), {"phone": "the phone's new key", "laptop": "the laptop's key", "tablet": "the tablet's key"}),
                (("remove-device", "alice", "laptop"), {"phone": "the phone's new key", "tablet": "the tablet's key"}),
                (("add-username", "alice", "alice@example.org"), {"phone": "the phone's new key", "tablet": "the tablet's key"})):
            with self.subTest(arguments[0]):
                changed = self.one("user", *arguments, "--wait")
                self.assertEqual((changed["verdict"], changed["confirmed"]), ("accepted", True))
                self.assertEqual(self.devices(changed), devices)
        alice, same = (self.one("user", "lookup", name) for name in ("alice", "alice@example.org"))
        self.assertEqual((alice["user_b64"], alice["devices"]), (same["user_b64"], same["devices"]))

    def test_4_refusals(self):
        for arguments, reason in (
                (("create", "alice"), "username-taken"),
                (("create", "carol", "--device", "phone=stolen"), "device-taken"),
                (("add-device", "alice", "laptop", "again"), "device-taken"),
                (("set-device", "alice", "laptop", "again"), "device-unknown"),
                (("set-device", "alice", "phone", "late", "--expect", "1"), "expected-version"),
                (("remove-device", "alice", "laptop"), "device-unknown"),
                (("add-device", "nobody", "watch", "x"), "user-unknown")):
            with self.subTest(arguments):
                self.assertEqual(self.one("user", *arguments, "--wait", code=UNREACHABLE_OR_REFUSED)["reason"], reason)
        self.assertEqual(set(self.devices(self.one("user", "lookup", "alice"))), {"phone", "tablet"})
        self.assertEqual(self.one("user", "lookup", "carol")["verdict"], "absent")

    def test_5_a_token_of_the_user(self):
        user = self.one("user", "lookup", "alice")["user_b64"]
        key_file = self.log.logs / "signer.pem"
        key_file.write_text(self.signer.pem())
        key_file.chmod(0o600)

        def token(of: str) -> Path:
            path = self.log.logs / f"{of}.token"
            done = self.log.optiks("token", "create", "--user-b64", of, "--key-file", str(key_file), "--kid", "signer-1", "--audience", AUDIENCE, "--scope", "update", "--out", str(path))
            self.assertEqual(done.code, 0, str(done))
            return path

        own, foreign = token(user), token(b64(b"somebody else"))
        self.assertTrue(self.one("user", "set-device", "alice", "tablet", "by token", "--wait", "--token-file", str(own))["confirmed"])
        for credential, arguments in ((own, ("add-username", "alice", "al")), (foreign, ("remove-device", "alice", "tablet"))):
            refused = self.log.optiks("user", *arguments, "--token-file", str(credential), "--json")
            self.assertEqual((refused.code, json.loads(refused.out)["reason"]), (UNREACHABLE_OR_REFUSED, "forbidden"), str(refused))

    def test_6_monitor(self):
        """The client that made the changes sees them without an alarm. Another client of the same owner, which made none of these changes,
        gets alarms about all changes until it accepts them."""
        seen = self.one("user", "monitor", "alice")
        self.assertEqual((seen["verdict"], seen["reason"], seen["alarms"], seen["pending"], seen["list_version"]), ("valid", "valid", [], 0, 3))
        self.assertEqual([sorted(device["device"] for device in new["devices"]) for new in seen["new_lists"]],
                         [["laptop", "phone"], ["laptop", "phone", "tablet"], ["phone", "tablet"]])
        values = {device["device"]: [version["value"] for version in device["versions"]] for device in seen["new_versions"]}
        self.assertEqual(values, {"laptop": ["the laptop's key"], "phone": ["the phone's key", "the phone's new key"], "tablet": ["the tablet's key", "by token"]})
        self.assertEqual(self.one("user", "monitor")["new_versions"], [])
        history = self.one("user", "history", "alice@example.org")
        self.assertEqual({device["device"]: [version["value"] for version in device["versions"]] for device in history["devices"]}, values)
        other = self.stranger("user", "monitor", "alice", "--json", "--api-key", self.log.api_key)
        self.assertEqual((other.code, other.lines()[0]["reason"], len(other.lines()[0]["alarms"])), (1, "unexpected_version", 8), str(other))
        accepted = self.stranger("user", "monitor", "alice", "--accept", "--json", "--api-key", self.log.api_key)
        self.assertEqual((accepted.code, accepted.lines()[0]["alarms"], len(accepted.lines()[0]["accepted"])), (0, [], 8), str(accepted))
        # Somebody other than the owner adds a device.
        added = self.stranger("user", "add-device", "alice", "watch", "a ghost's key", "--wait", "--json", "--api-key", self.log.api_key)
        self.assertTrue(added.lines()[0]["confirmed"], str(added))
        self.assertEqual(self.one("user", "decommission", "alice", code=1)["reason"], "unexpected_version")
        alarm = self.one("user", "monitor", "alice", code=1)
        self.assertEqual([(one["about"], one.get("device"), one["version"]) for one in alarm["alarms"]], [("list", None, 4), ("device", "watch", 1)])
        accepted = self.one("user", "monitor", "alice", "--accept")
        self.assertEqual([one.get("value") for one in accepted["accepted"]], [None, "a ghost's key"])
        # The service refuses a caller without the scope, and the refusal changes nothing in the client's state.
        self.assertEqual(self.one("user", "history", "alice", "--api-key", "optiks_" + "A" * 43, code=UNREACHABLE_OR_REFUSED)["reason"], "unauthorized")

    def test_7_decommission(self):
        self.assertEqual(self.stranger("user", "lookup", "alice", "--json").lines()[0]["decommissioned"], False)
        left = self.one("user", "decommission", "alice")
        self.assertEqual((left["verdict"], left["confirmed"], left["decommissioned"], left["devices"]), ("accepted", True, True, []))
        self.assertLess(left["looked_epoch"], left["epoch"])
        monitored = self.one("user", "monitor", "alice")
        self.assertEqual((monitored["verdict"], monitored["decommissioned"], monitored["alarms"], monitored["pending"]), ("valid", True, [], 0))
        # The other client did not request this change.
        other = self.stranger("user", "lookup", "alice", "--json")
        self.assertEqual((other.code, other.lines()[0]["reason"]), (1, "unexpected_leave"), str(other))
        for name in ("alice", "alice@example.org"):
            found = self.one("user", "lookup", name)
            self.assertEqual((found["verdict"], found["decommissioned"], found["devices"]), ("present", True, []))
        self.assertEqual(other.lines()[0]["decommissioned"], True)
        self.assertEqual(self.one("user", "add-device", "alice", "watch", "x", "--wait", code=UNREACHABLE_OR_REFUSED)["reason"], "user-left")
        # No other user can take over the name.
        self.assertEqual(self.one("user", "create", "alice", "--wait", code=UNREACHABLE_OR_REFUSED)["reason"], "username-taken")

    def test_8_erasing(self):
        """Erases old values of a key, and then everything of a user who has left."""
        for value in ("first", "second"):
            self.one("update", "old", value, "--wait")
        gone = self.one("erase", "old", "--from", "1", "--to", "1", "--wait")
        self.assertEqual((gone["verdict"], gone["reason"]), ("accepted", "values_erased"))
        self.assertEqual([(one["structure"], one["version"]) for one in gone["erased"]], [("keys", 1)])
        self.assertGreater(gone["served_until_ms"], 0)
        history = self.one("history", "old")["versions"]
        self.assertEqual([(version.get("not_shown", False), version.get("value")) for version in history], [(True, None), (False, "second")])
        self.assertEqual(self.one("erase", "old", "--from", "2", "--to", "2", "--wait", code=UNREACHABLE_OR_REFUSED)["reason"], "latest-version")
        self.one("user", "create", "dave", "--device", "watch-2=x", "--wait")
        self.assertEqual(self.one("user", "erase", "dave", "--wait", code=UNREACHABLE_OR_REFUSED)["reason"], "user-not-left")
        all_of_alice = self.one("user", "erase", "alice", "--wait")
        self.assertEqual({one["structure"] for one in all_of_alice["erased"]}, {"devices", "keys"})
        # A client that saw the value before the erasure still has it.
        with tempfile.TemporaryDirectory() as fresh:
            nobody = self.log.optiks("lookup", "phone", "--json", "--data", fresh, "--trust", str(self.log.data / "trust.json"))
            self.assertEqual((nobody.code, nobody.lines()[0]["reason"]), (UNREACHABLE_OR_REFUSED, "erased"), str(nobody))
        # A second erasure finds no value to erase.
        self.assertEqual(self.one("user", "erase", "alice", "--wait")["erased"], [])
        self.assertEqual(self.one("user", "lookup", "alice")["decommissioned"], True)

    def test_9_for_people(self):
        for arguments, expected in ((("user", "lookup", "alice"), "alice: present, has left for good"), (("user", "lookup", "bob"), "bob: absent")):
            with self.subTest(arguments):
                run = self.log.optiks(*arguments)
                self.assertEqual(run.code, 0, str(run))
                self.assertIn(expected, run.out)
        self.assertEqual(self.one("audit")["verdict"], "valid")
