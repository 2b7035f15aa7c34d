"""Tests receipts of real services. The log first keeps the promises in its receipts. Then it drops accepted updates, and a third party
judges the evidence offline."""

import json
import sqlite3
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

from harness import ROOT, Deployment, Run

sys.path.insert(0, str(ROOT / "tests" / "reference"))

import receipts  # noqa: E402
from refused import Refused  # noqa: E402
from rounds import rounds  # noqa: E402
from verify import TrustAnchor  # noqa: E402

MARGIN = 8
SETTINGS = {"Optiks__Log__Heartbeat": "00:00:00.200"}


class ReceiptsTest(unittest.TestCase):
    """The tests must run in this order, because the log becomes dishonest in the last tests."""

    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(SETTINGS))
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def optiks(self, *arguments: str, code: int = 0) -> dict:
        run = self.log.optiks(*arguments, "--json")
        self.assertEqual(run.code, code, str(run))
        lines = run.lines()
        self.assertEqual(len(lines), 1, str(run))
        return lines[0]

    def optiks_db(self, *arguments) -> Run:
        done = self.log.optiks_db(*arguments)
        self.assertEqual(done.code, 0, str(done))
        return done

    def wait_for(self, epoch: int) -> None:
        deadline = time.monotonic() + 60
        with self.log.query_client() as client:
            while client.get("/v1/epochs/latest", "application/json").json()["record_fields"]["epoch"] < epoch:
                self.assertLess(time.monotonic(), deadline, self.log.task.log_end())
                time.sleep(0.05)

    def judge(self, folder: Path) -> str:
        """Returns the Python reference's verdict on a folder of evidence."""
        def read(name: str) -> bytes:
            return (folder / name).read_bytes()

        answers = [path.read_bytes() for path in sorted(folder.glob("history-*.bin"), key=lambda path: int(path.stem.removeprefix("history-")))]
        try:
            receipts.judge(TrustAnchor.parse(read("trust.json").decode()), read("receipt-keys.txt"), read("receipt.txt"), read("key.bin"), read("value.bin"), read("after.bin"), answers)
            return "promise_broken"
        except Refused as refused:
            return refused.reason

    def receipt(self, answer: dict, item: tuple[str, bytes]) -> receipts.Receipt:
        """Returns the receipt in an answer about one item, as the Python reference reads it."""
        anchor = TrustAnchor.parse((self.log.data / "trust.json").read_text())
        receipt = receipts.verify_receipt(anchor, receipts.verify_keys(anchor, answer["receipt_keys"].encode()), answer["receipt"].encode())
        receipts.check_request(receipt, uuid.UUID(answer["request_id"]), [(item[0].encode(), item[1])])
        return receipt

    def third_party(self, evidence: Path) -> dict:
        """Judges the evidence as a third party that has only the log's trust anchor, without a server or client state."""
        empty = tempfile.mkdtemp(dir=self.folder)
        run = self.log.optiks_at(["http://127.0.0.1:9"], "http://127.0.0.1:9", "evidence", "verify", str(evidence), "--trust", str(self.log.data / "trust.json"), "--data", empty, "--json")
        self.assertEqual(run.code, 0, str(run))
        return run.lines()[0]

    def test_1_the_logs_key_vouches_for_a_receipt_key(self):
        key = self.optiks_db("receipts", "key", "optiks.example/receipts/1", "--out", self.folder / "receipt.key").out.strip()
        self.optiks_db("receipts", "vouch", key, "--out", self.folder / "receipt-keys.txt")
        self.assertEqual(self.log.update.stop(), 0)
        self.log.update.start(Optiks__UpdateService__Receipts__KeyFile=str(self.folder / "receipt.key"),
                              Optiks__UpdateService__Receipts__KeysFile=str(self.folder / "receipt-keys.txt"),
                              Optiks__UpdateService__Receipts__Margin=str(MARGIN))
        self.log.update.wait_ready()

    def test_2_a_promise_is_kept_however_often_it_is_asked_for(self):
        file = self.folder / "kept"
        accepted = self.optiks("update", "alice", "alice 1", "--wait", "--receipt", str(file))
        self.assertEqual((accepted["reason"], accepted["receipt"]), ("valid", "valid"))
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        kept = self.optiks("receipt", "check", str(file))
        self.assertEqual((kept["verdict"], kept["reason"], kept["published_epoch"]), ("valid", "promise_kept", accepted["epoch"]))
        # The same request is sent again. Its receipt now names the epoch in which the update was published.
        with self.log.update_client() as client:
            again = client.post_json("/v1/updates", {"request_id": accepted["request_id"], "key": "alice", "value": "alice 1", "receipt": True}).json()
        receipt = self.receipt(again, ("alice", b"alice 1"))
        self.assertEqual((receipt.after, receipt.by), (accepted["epoch"] - 1, accepted["epoch"]))

    def test_3_a_promise_counts_what_the_update_has_to_wait_for(self):
        # Each of these updates waits for the update before it, and takes an epoch. Together they take many more epochs than the margin of a
        # promise.
        links = rounds(2 * MARGIN, 200)
        chain = [{"items": [{"key": f"link {i}", "value": "v"}, {"key": f"link {i + 1}", "value": "v"}]} for i in range(links)]
        with self.log.update_client(timeout=90) as client:
            accepted = client.post_json("/v1/updates", [*chain, {"key": f"link {links}", "value": "end", "receipt": True}])
            self.assertEqual(accepted.status, 202, accepted.body)
            element = accepted.json()[-1]
            status = {"status": "pending"}
            while status["status"] == "pending":
                status = client.get(f"{element['status_url']}?wait=60").json()
        receipt = self.receipt(element, (f"link {links}", b"end"))
        # The task may publish the first links before the service makes the receipt.
        self.assertGreater(status["epoch"], receipt.after + MARGIN)
        self.assertLessEqual(status["epoch"], receipt.by)

    def test_4_an_update_that_is_dropped_is_evidence_for_a_third_party(self):
        file = self.folder / "dropped"
        self.assertEqual(self.log.task.stop(), 0)
        self.assertEqual(self.optiks("update", "alice", "alice 2", "--receipt", str(file))["receipt"], "valid")
        receipt = self.receipt(json.loads(file.read_text()), ("alice", b"alice 2"))
        self.assertEqual(receipt.by, receipt.after + MARGIN + 1)
        with sqlite3.connect(self.log.database) as connection:
            self.assertEqual(connection.execute("DELETE FROM pending").rowcount, 1)
        self.log.task.start()
        self.wait_for(receipt.by)

        broken = self.optiks("receipt", "check", str(file), code=1)
        self.assertEqual((broken["verdict"], broken["reason"]), ("invalid", "promise_broken"))
        evidence = Path(broken["evidence"])
        self.assertEqual(self.judge(evidence), "promise_broken")
        judged = self.third_party(evidence)
        self.assertEqual((judged["verdict"], judged["kind"], judged["breach"], judged["own_trust_anchor"]), ("valid", "promise", "promise_broken", True))
        self.assertIn("dropped it", judged["proves"])


if __name__ == "__main__":
    unittest.main()
