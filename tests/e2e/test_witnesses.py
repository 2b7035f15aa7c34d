"""Tests the witnesses of a running log: two real witnesses, and one that is unreachable. Only the Python reference verifies the
cosignatures."""

import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from hashlib import sha256
from pathlib import Path

from harness import FAIL_POINT, OUT, ROOT, Deployment
from rest import Client
from witness import Witness

sys.path.insert(0, str(ROOT / "tests/reference"))
import board  # noqa: E402

PATIENCE = 90


class WitnessesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.witnesses = [Witness("one.example/w"), Witness("two.example/w")]
        for witness in cls.witnesses:
            cls.addClassCleanup(witness.close)
        dead = Witness("dead.example/w")
        cls.addClassCleanup(dead.close)
        one, two = cls.witnesses
        text = f"{one.line('one')}{two.line('two')}{dead.line('dead')}group most 2 one two dead\nquorum most\n"
        cls.policy = Path(tempfile.mkdtemp(prefix="optiks-e2e-policy-"))
        cls.addClassCleanup(shutil.rmtree, cls.policy)
        (cls.policy / "policy").write_text(text)
        settings = {"Optiks__Witnesses__PolicyFile": str(cls.policy / "policy"), "Optiks__Witnesses__RetryAfter": "00:00:00.200",
                    "Optiks__UpdateTask__EpochInterval": "00:00:01", "Optiks__Log__Heartbeat": "00:00:05"}
        cls.log = cls.enterClassContext(Deployment(settings))
        cls.vkey = json.loads((cls.log.data / "trust.json").read_text())["log_key"]
        cls.key = board.LogKey.parse(cls.vkey)
        cls.keys = [board.LogKey.parse(witness.vkey, board.KEY_TYPE_COSIGNER) for witness in cls.witnesses]
        for witness in cls.witnesses:
            witness.know(cls.vkey)
            witness.start()

    def cosigned(self, least_size: int) -> tuple[board.Checkpoint, bytes]:
        """Waits until the board's checkpoint has at least this size and both witnesses have cosigned it. Returns the checkpoint and its
        note."""
        deadline = time.monotonic() + PATIENCE
        while True:
            note = (self.log.data / "board/log/checkpoint").read_bytes()
            checkpoint = board.verify_checkpoint(note, self.key.name, self.key)
            times = board.verify_cosignatures(note, self.keys)
            if checkpoint.size >= least_size and len(times) == 2:
                self.assertTrue(all(abs(seconds - time.time()) < PATIENCE for seconds in times.values()))
                return checkpoint, note
            self.assertLess(time.monotonic(), deadline, note.decode() + self.log.task.log_end())
            time.sleep(0.02)

    def test_checkpoints_are_cosigned_through_the_death_of_a_witness_and_of_the_task(self):
        epoch = self.log.publish(("alice", "a1"))["epoch"]
        checkpoint, note = self.cosigned(epoch + 1)
        # The log's own line is first, and only lines of known witnesses follow, so an operator can serve the file from a web server
        # unchanged.
        names = re.findall("^\u2014 (.*) ", note.decode(), re.MULTILINE)
        self.assertEqual((names[0], sorted(names[1:])), (self.key.name, ["one.example/w", "two.example/w"]))

        self.witnesses[0].kill()
        self.log.publish(("alice", "a2"))
        self.witnesses[0].start()
        # The other witness has cosigned newer checkpoints meanwhile. The restarted witness continues from the last checkpoint that it
        # cosigned itself.
        later, _ = self.cosigned(checkpoint.size + 1)

        self.log.task.kill()
        self.log.task.start()
        self.log.task.wait_ready()
        epoch = self.log.publish(("alice", "a3"))["epoch"]
        newest, _ = self.cosigned(max(epoch + 1, later.size + 1))
        self.assertEqual(self.log.optiks("lookup", "alice").code, 0)
        self.assertEqual(self.log.optiks("audit").code, 0)
        self.assertEqual(self.log.optiks_db("fsck", "--board", str(self.log.data / "board")).code, 0)

        # The checkpoints that monitors read from a witness are checkpoints of this log.
        for witness, key in zip(self.witnesses, self.keys, strict=True):
            with Client(witness.url, timeout=30) as client:
                monitored = client.get(f"/{sha256(self.key.name.encode()).hexdigest()}/checkpoint").body
            self.assertEqual(list(board.verify_cosignatures(monitored, [key])), [key.name])
            self.assertGreaterEqual(board.verify_checkpoint(monitored, self.key.name, self.key).size, newest.size)
        with Client(self.log.task.url, timeout=30) as client:
            checks = client.get("/health/ready").json()["checks"]
        self.assertEqual(checks["witnesses"]["status"], "healthy")
        self.assertIn("witnesses cosign", checks["witnesses"]["description"])

    def test_required_witnesses_hold_back_what_is_served(self):
        self.log.task.stop()
        require = {"Optiks__Witnesses__Require": "true", "Optiks__Witnesses__QuorumGrace": "00:00:01"}
        self.log.task.start(**require)
        self.log.task.wait_ready()
        self.log.publish(("bob", "b1"))

        self.witnesses[0].kill()
        with self.log.update_client(timeout=30) as client:
            status_url = client.post_json("/v1/updates", {"key": "bob", "value": "b2"}).json()["status_url"]
        self.log.task.wait_unready("The quorum of witnesses has been missing")
        held = (self.log.data / "board/log/checkpoint").read_bytes()
        size = board.verify_checkpoint(held, self.key.name, self.key).size
        self.assertEqual(len(board.verify_cosignatures(held, self.keys)), 2)
        # The task continues to make epochs. They are durable, but services neither serve them nor say that they are published.
        self.assertGreaterEqual(self.head(), size)
        self.assertEqual(self.status(status_url), "pending")
        said = self.log.optiks("lookup", "bob")
        self.assertEqual((said.code, "b1" in said.out), (0, True), said)
        with self.log.query_client() as client:
            self.assertIn("wait for their checkpoint", client.get("/health/ready").body.decode())
            self.assertEqual(client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["epoch"], size - 1)
        self.assertEqual(self.log.optiks_db("fsck", "--board", str(self.log.data / "board")).code, 0)

        # The task is killed while only its memory has the quorum's cosignatures. So it has published nothing, and it asks the witnesses
        # again at the next start.
        self.log.task.kill()
        self.log.task.start(**require, **{FAIL_POINT: "quorum"})
        self.witnesses[0].start()
        self.assertEqual(self.log.task.wait(PATIENCE), -signal.SIGKILL)
        self.assertEqual((self.log.data / "board/log/checkpoint").read_bytes(), held)

        # The task is killed as soon as the checkpoint is published.
        self.log.task.start(**require, **{FAIL_POINT: "release"})
        self.assertEqual(self.log.task.wait(PATIENCE), -signal.SIGKILL)
        released = (self.log.data / "board/log/checkpoint").read_bytes()
        self.assertGreater(board.verify_checkpoint(released, self.key.name, self.key).size, size)
        self.assertEqual(len(board.verify_cosignatures(released, self.keys)), 2)
        newest = self.head()
        self.log.task.start(**require)
        self.log.task.wait_ready()
        self.cosigned(newest + 1)
        self.log.wait_served(newest)
        self.assertEqual(self.status(f"{status_url}?wait=60"), "published")
        said = self.log.optiks("lookup", "bob")
        self.assertEqual((said.code, "b2" in said.out), (0, True), said)
        self.assertEqual(self.log.optiks("audit").code, 0)

        self.log.task.stop()
        self.log.task.start()
        self.log.task.wait_ready()

    def head(self) -> int:
        """Returns the newest epoch that is published according to the database."""
        with sqlite3.connect(f"file:{self.log.database}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT published_epoch FROM head").fetchone()[0]

    def status(self, url: str) -> str:
        with self.log.update_client(timeout=90) as client:
            return client.get(url).json()["status"]

    def test_stops_in_order(self):
        witness = Witness("three.example/w")
        self.addCleanup(witness.close)
        witness.know(self.vkey)
        witness.start()
        again = subprocess.run([OUT / "cli/optiks", "witness", "run", "--folder", witness.folder, "--urls", "http://127.0.0.1:0"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(again.returncode, 78)
        self.assertIn("Another witness", again.stderr)
        self.assertEqual(witness.stop(), 0)


if __name__ == "__main__":
    unittest.main()
