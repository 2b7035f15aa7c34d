"""Runs the README's commands, unchanged, on a fresh data folder."""

import shlex
import shutil
import tempfile
import unittest
from pathlib import Path

from harness import ROOT, Deployment
from pages import commands_of

PAGE, SECTION = ROOT / "README.md", "Try it"
PROGRAM = "build/bin/optiks"
# test_commands.py runs them.
OF_OTHERS = [["make", "up"], ["make", "down"]]


class ReadmeTest(unittest.TestCase):
    """The tests must run in the README's order, because later tests rely on earlier ones."""

    @classmethod
    def setUpClass(cls):
        lines = [shlex.split(line, comments=True) for _, block in commands_of(PAGE)[SECTION] for line in block.splitlines()]
        cls.others = [line for line in lines if line[0] != PROGRAM]
        cls.commands = [arguments for program, *arguments in lines if program == PROGRAM]
        """The arguments of each command of the program."""
        cls.left = list(cls.commands)
        """The commands that no test has run yet."""
        (_, cls.name, cls.old, *_), (_, _, cls.new, *_) = (arguments for arguments in cls.commands if arguments[0] == "update")
        cls.log = cls.enterClassContext(Deployment())

    def one(self, *arguments: str, code: int = 0) -> dict:
        run = self.log.optiks(*arguments, "--json")
        self.assertEqual(run.code, code, str(run))
        lines = run.lines()
        self.assertEqual(len(lines), 1, str(run))
        self.assertLessEqual({"verdict", "reason", "epoch"}, set(lines[0]))
        return lines[0]

    def of_page(self, *command: str) -> tuple[list[str], dict]:
        """Runs the README's next command, which must begin with these words. Returns the arguments after these words, and the line that the
        command printed."""
        arguments = self.left.pop(0)
        self.assertEqual(arguments[:len(command)], list(command))
        return arguments[len(command):], self.one(*arguments)

    def test_1_register_and_look_up(self):
        asked, accepted = self.of_page("update")
        self.assertEqual(asked, [self.name, self.old, "--wait"])
        self.assertEqual((accepted["verdict"], accepted["published"], accepted["version"]), ("accepted", True, 1))
        asked, found = self.of_page("lookup")
        self.assertEqual(asked, [self.name])
        self.assertEqual((found["verdict"], found["reason"], found["value"]), ("present", "valid", self.old))
        self.assertEqual((found["key"], found["version"], found["published_epoch"]), (self.name, 1, accepted["epoch"]))
        self.assertGreaterEqual(found["epoch"], accepted["epoch"])

    def test_2_absence_is_proven(self):
        (stranger,), absent = self.of_page("lookup")
        self.assertEqual((absent["verdict"], absent["reason"], absent["version"]), ("absent", "valid", 0))
        both = self.log.optiks("lookup", self.name, stranger, "--json")
        self.assertEqual([line["verdict"] for line in both.lines()], ["present", "absent"])

    def test_3_new_key_and_history(self):
        asked, accepted = self.of_page("update")
        self.assertEqual(asked, [self.name, self.new, "--wait"])
        self.assertNotEqual(self.new, self.old)
        self.assertEqual(accepted["version"], 2)
        self.assertEqual(self.one("lookup", self.name)["value"], self.new)
        asked, history = self.of_page("history")
        self.assertEqual(asked, [self.name])
        self.assertEqual((history["verdict"], history["version"]), ("valid", 2))
        shown = [(version["version"], version["value"]) for version in history["versions"]]
        self.assertEqual(shown, [(1, self.old), (2, self.new)])
        self.assertLess(history["versions"][0]["epoch"], history["versions"][1]["epoch"])

    def test_4_audit(self):
        _, audited = self.of_page("audit")
        self.assertEqual((audited["verdict"], audited["first_epoch"]), ("valid", 0))
        self.assertGreaterEqual(audited["epoch"], 2)
        # The second audit continues where the first audit stopped.
        self.assertLess(self.one("audit")["verified_epochs"], audited["verified_epochs"])
        _, board = self.of_page("board", "verify")
        self.assertEqual((board["verdict"], board["periods"]), ("valid", 1))
        self.assertGreaterEqual(board["epoch"], audited["epoch"])

    def test_5_for_people(self):
        questions = [arguments for arguments in self.commands if arguments[0] in ("lookup", "history", "audit")]
        _, stranger = questions[1]
        for arguments, expected in zip(questions, (f"{self.name}: present, version 2", f"{stranger}: absent", f"{self.name}: 2 versions", "valid"), strict=True):
            with self.subTest(arguments):
                run = self.log.optiks(*arguments)
                self.assertEqual(run.code, 0, str(run))
                self.assertIn(expected, run.out)

    def test_6_users(self):
        (name, *devices), created = self.of_page("user", "create")
        self.assertEqual((created["verdict"], created["confirmed"]), ("accepted", True))
        values = dict(device.split("=", 1) for option, device in zip(devices, devices[1:], strict=False) if option == "--device")
        asked, found = self.of_page("user", "lookup")
        self.assertEqual(asked, [name])
        self.assertEqual(len(values), 2)
        self.assertEqual([(device["device"], device["value"]) for device in found["devices"]], sorted(values.items()))
        self.assertTrue(self.of_page("user", "add-device")[1]["confirmed"])
        _, monitored = self.of_page("user", "monitor")
        self.assertEqual((monitored["verdict"], monitored["alarms"], len(monitored["new_lists"])), ("valid", [], 2))
        self.assertTrue(self.of_page("user", "remove-device")[1]["confirmed"])
        _, left = self.of_page("user", "decommission")
        self.assertEqual((left["confirmed"], left["decommissioned"]), (True, True))

    def test_7_every_command_was_run(self):
        self.assertEqual((self.left, self.others), ([], OF_OTHERS))

    def test_8_other_exit_codes(self):
        usage = self.log.optiks("lookup")
        self.assertEqual(usage.code, 2, str(usage))
        refused = self.one("update", self.name, "too late", "--expect", "1", "--wait", code=3)
        self.assertEqual((refused["verdict"], refused["reason"]), (None, "expected-version"))
        self.assertEqual(self.one("lookup", self.name)["value"], self.new)
        # A client that has this log's trust anchor refuses another log's answers.
        with Deployment() as other, tempfile.TemporaryDirectory() as fresh:
            anchored = ("--data", fresh, "--trust", str(self.log.data / "trust.json"))
            own = self.log.optiks("lookup", self.name, "--json", *anchored)
            self.assertEqual((own.code, own.lines()[0]["verdict"]), (0, "present"), str(own))
            shutil.rmtree(Path(fresh) / "client")
            foreign = self.log.optiks("lookup", self.name, "--json", *anchored, query=other.query)
            self.assertEqual((foreign.code, foreign.lines()[0]["verdict"], foreign.lines()[0]["reason"]), (1, "invalid", "record_log_id"), str(foreign))
            other.query.kill()
            nobody = self.log.optiks("lookup", self.name, "--json", query=other.query)
            self.assertEqual((nobody.code, nobody.lines()[0]["verdict"]), (3, None), str(nobody))


if __name__ == "__main__":
    unittest.main()
