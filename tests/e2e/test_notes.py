"""Tests owner's notes on the command line, with real services. Only the owner can read the notes, the services never receive them, and the
notes' numbers continue from period to period."""

import base64
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import ROOT, Deployment, Run
from lying import LyingProxy
from state_journal import read_journal, read_notes

sys.path.insert(0, str(ROOT / "tests/reference"))

from codec_users import OwnerNote
from notes import read_note

PERIODS = {"Optiks__Log__PeriodLength": "00:00:01", "Optiks__Periods__Automatic": "false", "Optiks__Periods__Preparation": "00:00:00.5"}
WORDS = ("the tablet on the sofa", "fell off the sofa")


class NotesTest(unittest.TestCase):
    """The tests must run in this order, because the log switches to its next period."""

    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(PERIODS))
        cls.folders = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def client(self, name: str, *arguments: str, url: str | None = None) -> Run:
        """Runs the command line as the client with this name, which has its own state."""
        kept = ("--data", str(self.folders / name), "--trust", str(self.log.data / "trust.json"), "--api-key", self.log.api_key)
        run = self.log.optiks_at([url or self.log.query.url], self.log.update.url, *arguments, *kept)
        self.assertEqual(run.code, 0, str(run))
        return run

    def one(self, name: str, *arguments: str) -> dict:
        lines = self.client(name, *arguments, "--json").lines()
        self.assertEqual(len(lines), 1)
        return lines[0]

    @staticmethod
    def versions(shown: dict, member: str, device: str) -> list[dict]:
        return [version for one in shown[member] if one["device"] == device for version in one["versions"]]

    @staticmethod
    def notes(versions: list[dict]) -> list[tuple[int, str]]:
        return [(version["note"]["sequence"], version["note"]["text"]) for version in versions]

    def period(self) -> int:
        with self.log.query_client() as client:
            return client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["period"]

    def test_1_the_owner_reads_the_note_of_a_device_that_it_added(self):
        self.one("owner", "user", "create", "alice", "--device", "phone=phone 1", "--wait")
        self.one("owner", "user", "add-device", "alice", "tablet", "tablet 1", "--note", WORDS[0], "--wait")
        monitored = self.one("owner", "user", "monitor", "alice")
        self.assertEqual((monitored["reason"], self.notes(self.versions(monitored, "new_versions", "tablet"))), ("valid", [(1, WORDS[0])]))
        history = self.one("owner", "user", "history", "alice")
        self.assertEqual(self.notes(self.versions(history, "devices", "tablet")), [(1, WORDS[0])])
        self.assertEqual([("note" in version, "payload" in version) for version in self.versions(history, "devices", "phone")], [(False, False)])
        self.assertIn(f"note 1: {WORDS[0]}", self.client("owner", "user", "history", "alice").out)

    def test_2_others_see_the_payload_alone(self):
        shown = self.one("other", "user", "lookup", "alice")
        self.assertEqual({device["device"]: device.get("payload", device.get("value")) for device in shown["devices"]}, {"phone": "phone 1", "tablet": "tablet 1"})
        # A caller that may read the history gets the whole values, but no note.
        history = self.one("other", "user", "history", "alice")
        self.assertEqual([(version["payload"], "note" in version) for version in self.versions(history, "devices", "tablet")], [("tablet 1", False)])
        self.assertIn("with a note that is not kept here", self.client("other", "user", "history", "alice").out)

    def test_3_the_number_goes_on_in_the_next_period(self):
        wanted = self.period() + 1
        self.assertEqual(self.log.optiks_db("period", "switch").code, 0)
        deadline = time.monotonic() + 60
        while self.period() < wanted:
            self.assertLess(time.monotonic(), deadline, self.log.task.log_end())
            time.sleep(0.1)
        self.assertEqual(self.one("owner", "user", "monitor", "alice")["reason"], "valid")
        self.one("owner", "user", "set-device", "alice", "tablet", "tablet 2", "--note", WORDS[1], "--wait")
        monitored = self.one("owner", "user", "monitor", "alice")
        self.assertEqual((monitored["reason"], self.notes(self.versions(monitored, "new_versions", "tablet"))), ("valid", [(2, WORDS[1])]))
        # The new period has the copy and one later version.
        history = self.versions(self.one("owner", "user", "history", "alice"), "devices", "tablet")
        self.assertEqual([(version["period"], version["version"], version["epoch"] == 0) for version in history], [(wanted, 1, True), (wanted, 2, False)])
        self.assertEqual(self.notes(history), [(1, WORDS[0]), (2, WORDS[1])])

    def test_4_two_commands_at_once_have_numbers_of_their_own(self):
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(self.one, "owner", "update", "key", f"value {i}", "--note", f"note {i}") for i in range(4)]:
                self.assertEqual(done.result()["verdict"], "accepted")
        # The updates of a key are published in order. So once the last update is published, all earlier updates are published, too.
        self.one("owner", "update", "key", "last", "--note", "last", "--wait")
        versions = self.one("owner", "history", "key")["versions"]
        self.assertEqual(sorted(self.notes(versions)[:4]), sorted((version["note"]["sequence"], version["payload"].replace("value", "note")) for version in versions[:4]))
        self.assertEqual(sorted(version["note"]["sequence"] for version in versions), [1, 2, 3, 4, 5])

    def test_5_no_answer_has_the_words(self):
        answers = []

        def kept(_, said):
            answers.append(said.body)
            return said

        with LyingProxy(self.log.query.url, kept) as watched:
            for name, arguments in (("owner", ("user", "monitor", "alice")), ("owner", ("user", "history", "alice")), ("new", ("lookup", "tablet")),
                                    ("new", ("user", "lookup", "alice")), ("new", ("history", "tablet")), ("new", ("user", "history", "alice"))):
                run = self.client(name, *arguments, "--json", url=watched.url)
                self.assertEqual(name == "owner" and "history" in arguments, WORDS[0] in run.out, str(run))
        self.assertTrue(any(b"tablet 2" in answer for answer in answers))
        # The services' data folders must not contain the notes either.
        answers += [path.read_bytes() for path in self.log.data.rglob("*") if path.is_file()]
        for words in WORDS:
            self.assertFalse([answer for answer in answers if words.encode() in answer])

    def test_6_the_reference_reads_what_the_client_keeps_in_the_value_that_the_log_serves(self):
        path, = (self.folders / "owner").rglob("state.journal")
        kept = read_notes(read_journal(path), b"tablet")
        with self.log.query_client() as client:
            served = client.post_json("/v1/history", {"key": "tablet"}).json()["versions"][0]["members"]
        values = [base64.urlsafe_b64decode(member["value_b64"] + "==") for member in served]
        self.assertEqual(len(values), 2)
        for number, (one, value) in enumerate(zip(kept, values, strict=True), start=1):
            self.assertEqual(read_note(value, **one), OwnerNote(number, WORDS[number - 1].encode()))
            changed = bytes([one["opening"][0] ^ 1]) + one["opening"][1:]
            self.assertIsNone(read_note(value, **one | {"opening": changed}))
        # A note matches only the value that commits to it.
        self.assertIsNone(read_note(values[0], **kept[1]))
        self.assertIsNone(read_note(b"phone 1", **kept[0]))


if __name__ == "__main__":
    unittest.main()
