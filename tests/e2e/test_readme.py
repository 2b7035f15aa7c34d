"""The README's commands, on a fresh data folder."""

import shutil
import tempfile
import unittest
from pathlib import Path

from harness import Deployment


class ReadmeTest(unittest.TestCase):
    """The tests run in the README's order: later tests rely on earlier ones."""

    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())

    def one(self, *arguments: str, code: int = 0) -> dict:
        run = self.log.optiks(*arguments, "--json")
        self.assertEqual(run.code, code, str(run))
        lines = run.lines()
        self.assertEqual(len(lines), 1, str(run))
        self.assertLessEqual({"verdict", "reason", "epoch"}, set(lines[0]))
        return lines[0]

    def test_1_register_and_look_up(self):
        accepted = self.one("update", "alice", "alice's public key", "--wait")
        self.assertEqual((accepted["verdict"], accepted["published"], accepted["version"]), ("accepted", True, 1))
        found = self.one("lookup", "alice")
        self.assertEqual((found["verdict"], found["reason"], found["value"]), ("present", "valid", "alice's public key"))
        self.assertEqual((found["key"], found["version"], found["published_epoch"]), ("alice", 1, accepted["epoch"]))
        self.assertGreaterEqual(found["epoch"], accepted["epoch"])

    def test_2_absence_is_proven(self):
        absent = self.one("lookup", "bob")
        self.assertEqual((absent["verdict"], absent["reason"], absent["version"]), ("absent", "valid", 0))
        both = self.log.optiks("lookup", "alice", "bob", "--json")
        self.assertEqual([line["verdict"] for line in both.lines()], ["present", "absent"])

    def test_3_new_key_and_history(self):
        accepted = self.one("update", "alice", "alice's new key", "--wait")
        self.assertEqual(accepted["version"], 2)
        self.assertEqual(self.one("lookup", "alice")["value"], "alice's new key")
        history = self.one("history", "alice")
        self.assertEqual((history["verdict"], history["version"]), ("valid", 2))
        shown = [(version["version"], version["value"]) for version in history["versions"]]
        self.assertEqual(shown, [(1, "alice's public key"), (2, "alice's new key")])
        self.assertLess(history["versions"][0]["epoch"], history["versions"][1]["epoch"])

    def test_4_audit(self):
        audited = self.one("audit")
        self.assertEqual((audited["verdict"], audited["first_epoch"]), ("valid", 0))
        self.assertGreaterEqual(audited["epoch"], 2)
        # It continues where it stopped.
        self.assertLess(self.one("audit")["verified_epochs"], audited["verified_epochs"])
        board = self.one("board", "verify")
        self.assertEqual((board["verdict"], board["periods"]), ("valid", 1))
        self.assertGreaterEqual(board["epoch"], audited["epoch"])

    def test_5_for_people(self):
        for arguments, expected in ((("lookup", "alice"), "alice: present, version 2"), (("lookup", "bob"), "bob: absent"),
                                    (("history", "alice"), "alice: 2 versions"), (("audit",), "valid")):
            with self.subTest(arguments):
                run = self.log.optiks(*arguments)
                self.assertEqual(run.code, 0, str(run))
                self.assertIn(expected, run.out)

    def test_6_users(self):
        created = self.one("user", "create", "carol", "--device", "phone=the phone's key", "--device", "laptop=the laptop's key", "--wait")
        self.assertEqual((created["verdict"], created["confirmed"]), ("accepted", True))
        self.assertEqual([device["device"] for device in self.one("user", "lookup", "carol")["devices"]], ["laptop", "phone"])
        self.assertTrue(self.one("user", "add-device", "carol", "tablet", "the tablet's key", "--wait")["confirmed"])
        monitored = self.one("user", "monitor", "carol")
        self.assertEqual((monitored["verdict"], monitored["alarms"], len(monitored["new_lists"])), ("valid", [], 2))
        self.assertTrue(self.one("user", "remove-device", "carol", "laptop", "--wait")["confirmed"])
        left = self.one("user", "decommission", "carol")
        self.assertEqual((left["confirmed"], left["decommissioned"]), (True, True))

    def test_7_other_exit_codes(self):
        usage = self.log.optiks("lookup")
        self.assertEqual(usage.code, 2, str(usage))
        refused = self.one("update", "alice", "too late", "--expect", "1", "--wait", code=3)
        self.assertEqual((refused["verdict"], refused["reason"]), (None, "expected-version"))
        self.assertEqual(self.one("lookup", "alice")["value"], "alice's new key")
        # A client whose trust anchor is this log's refuses another log's answers.
        with Deployment() as other, tempfile.TemporaryDirectory() as fresh:
            anchored = ("--data", fresh, "--trust", str(self.log.data / "trust.json"))
            own = self.log.optiks("lookup", "alice", "--json", *anchored)
            self.assertEqual((own.code, own.lines()[0]["verdict"]), (0, "present"), str(own))
            shutil.rmtree(Path(fresh) / "client")
            foreign = self.log.optiks("lookup", "alice", "--json", *anchored, query=other.query)
            self.assertEqual((foreign.code, foreign.lines()[0]["verdict"], foreign.lines()[0]["reason"]), (1, "invalid", "record_log_id"), str(foreign))
            other.query.kill()
            nobody = self.log.optiks("lookup", "alice", "--json", query=other.query)
            self.assertEqual((nobody.code, nobody.lines()[0]["verdict"]), (3, None), str(nobody))


if __name__ == "__main__":
    unittest.main()
