"""Tests a log with three auditors and three witnesses. One of each kind is dead, one is slow and one lies. Lookups still work, and a client
learns what the slow cosigners, which are the only working ones, cover.

The Python reference also judges what the query-service serves.
"""

import json
import shutil
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from auditors import Auditor
from harness import ROOT, Deployment, Run
from lying import LyingProxy
from rest import Answer, Client
from witness import Witness

sys.path.insert(0, str(ROOT / "tests/reference"))
import board  # noqa: E402
import cosigners  # noqa: E402
from verify import TrustAnchor  # noqa: E402

PATIENCE = 60
SLOW_SECONDS = 1.5


def slowly(_: str, said: Answer) -> Answer:
    time.sleep(SLOW_SECONDS)
    return said


def falsely(_: str, said: Answer) -> Answer:
    """Changes one octet of a signed answer."""
    at = len(said.body) - 20
    return replace(said, body=said.body[:at] + (b"B" if said.body[at : at + 1] == b"A" else b"A") + said.body[at + 1 :]) if said.status == 200 and at > 0 else said


class CosignersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-cosigners-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.witnesses = [Witness(f"{name}.example/w") for name in ("dead", "slow", "false")]
        for witness in cls.witnesses:
            cls.addClassCleanup(witness.close)
        addresses = [witness.url for witness in cls.witnesses[:1]] + [cls.proxy(witness.url, change) for witness, change in zip(cls.witnesses[1:], (slowly, falsely), strict=True)]
        lines = [f"witness w{i} {witness.vkey} {url}\n" for i, (witness, url) in enumerate(zip(cls.witnesses, addresses, strict=True))]
        (cls.folder / "witnesses").write_text("".join(lines) + "quorum none\n")
        # The heartbeat interval is long, so that the epoch in question stays the newest epoch.
        settings = {"Optiks__Witnesses__PolicyFile": str(cls.folder / "witnesses"), "Optiks__Witnesses__RetryAfter": "00:00:00.500", "Optiks__Log__Heartbeat": "00:01:00"}
        cls.log = cls.enterClassContext(Deployment(settings))
        cls.anchor = json.loads((cls.log.data / "trust.json").read_text())
        for witness in cls.witnesses[1:]:
            witness.know(cls.anchor["log_key"])
            witness.start()
        cls.auditors = [Auditor(cls.folder / name, cls.log) for name in ("dead", "slow", "false")]
        cls.slow = cls.enterClassContext(cls.auditors[1].start())
        cls.enterClassContext(cls.auditors[2].start())
        addresses = [cls.auditors[0].url] + [cls.proxy(auditor.url, change) for auditor, change in zip(cls.auditors[1:], (slowly, falsely), strict=True)]
        lines += [f"witness a{i} {auditor.vkey} {url}\n" for i, (auditor, url) in enumerate(zip(cls.auditors, addresses, strict=True))]
        (cls.folder / "cosigners").write_text("".join(lines) + "quorum none\n")
        cls.log.query.stop()
        cls.log.query.start(Optiks__QueryService__CosignersFile=str(cls.folder / "cosigners"), Optiks__QueryService__CosignersInterval="00:00:00.300")
        cls.log.query.wait_ready()

    @classmethod
    def proxy(cls, url: str, change: Callable[[str, Answer], Answer]) -> str:
        return cls.enterClassContext(LyingProxy(url, change)).url

    def trust(self, name: str, required: int = 1, quorum: int = 1, max_lag_ms: int = 3_600_000) -> str:
        """Writes a trust anchor that lists all auditors and witnesses. It requires `required` of the auditors and `quorum` of the
        witnesses."""
        keys = [{"key": auditor.vkey, "first_epoch": 0} for auditor in self.auditors]
        witnesses = [f"witness w{i} {witness.vkey}" for i, witness in enumerate(self.witnesses)] + [f"group q {quorum} w0 w1 w2", "quorum q"]
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(self.anchor | {"auditors": {"required": required, "max_lag_ms": max_lag_ms, "keys": keys}, "witnesses": witnesses}))
        return str(path)

    def lookup(self, name: str, trust: str, key: str = "alice") -> Run:
        """Looks a key up with the client of this name, which remembers its earlier lookups."""
        return self.log.optiks("lookup", key, "--json", "--trust", trust, "--data", str(self.folder / f"client-{name}"))

    def wait_shown(self, name: str, trust: str, key: str, epoch: int, audited: str, *codes: int) -> dict:
        """Waits until a lookup shows this epoch or a later epoch. Until witnesses have cosigned this epoch, lookups show earlier epochs.
        Each lookup must end with one of these exit codes."""
        deadline = time.monotonic() + PATIENCE
        while True:
            run = self.lookup(name, trust, key)
            self.assertIn(run.code, codes, run)
            said, = run.lines()
            self.assertEqual(said["reason"], "valid")
            if said["epoch"] >= epoch and said["audited"] == audited:
                self.assertEqual(said["verdict"], "present")
                return said
            self.assertLess(time.monotonic(), deadline, f"{run}{self.log.query.log_end()}{self.slow.log_end()}")
            time.sleep(0.2)

    def test_answers_are_audited_by_who_works(self):
        epoch = self.log.publish(("alice", "a1"))["epoch"]
        said = self.wait_shown("one", self.trust("one"), "alice", epoch, "valid", 0)
        # The Python reference checks the cosignatures that the query-service serves, and its board.
        with self.log.query_client() as client:
            answer = client.get("/v1/cosignatures")
            note = client.get("/log/checkpoint").body
            fetch = lambda path: tile.body if (tile := client.get(f"/log/{path}")).status == 200 else None  # noqa: E731
            anchor = TrustAnchor.parse((self.folder / "one.json").read_text())
            head = board.verify_checkpoint(note, anchor.log_key.name, anchor.log_key)
            entries = board.read_entries(fetch, head.size)
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "application/json"))
        vouched = cosigners.take(anchor.policy, anchor.log_key, anchor.configuration.max_ahead_ms, head, entries, answer.body, time.time_ns() // 1_000_000)
        self.assertEqual(set(vouched.sizes), {self.witnesses[1].vkey, self.auditors[1].vkey})
        cosigners.check_witnessed(anchor.policy, vouched, said["epoch"])
        self.assertTrue(cosigners.is_audited(anchor.policy, vouched, said["epoch"], said["epoch"]))

        # These policies require two auditors or two witnesses, but only one of each kind works.
        two = self.lookup("two", self.trust("two", required=2))
        self.assertEqual((two.code, two.lines()[0]["verdict"], two.lines()[0]["audited"]), (0, "present", "not-yet"))
        quorum = self.lookup("quorum", self.trust("quorum", quorum=2))
        self.assertEqual((quorum.code, quorum.lines()[0]["verdict"], quorum.lines()[0]["reason"]), (1, "invalid", "witness_quorum"), quorum)
        # A client whose trust anchor lists no cosigner requests no cosignatures.
        plain = self.log.optiks("lookup", "alice", "--json").lines()[0]
        self.assertEqual((plain["verdict"], plain["audited"]), ("present", "not-yet"))

    def test_what_no_auditor_covers_in_time_is_an_alarm(self):
        epoch = self.log.publish(("carol", "c1"))["epoch"]
        self.wait_shown("late", self.trust("late"), "carol", epoch, "valid", 0)
        trust = self.trust("late", max_lag_ms=1)
        self.slow.stop()
        try:
            epoch = self.log.publish(("carol", "c2"))["epoch"]
            # With this trust anchor, the audit of this lookup's answer is overdue at once.
            self.assertEqual(self.wait_shown("late", trust, "carol", epoch, "not-yet", 0, 1)["value"], "c2")
            late = self.lookup("late", trust, "carol")
            self.assertEqual((late.code, late.lines()[0]["verdict"]), (1, "present"), late)
            self.assertIn(epoch, [one["epoch"] for one in late.lines()[0]["overdue"]])
            self.assertIn("ALARM", late.error)
        finally:
            type(self).slow = type(self).enterClassContext(self.auditors[1].start())
        deadline = time.monotonic() + PATIENCE
        while (run := self.lookup("late", trust, "carol")).code != 0:
            self.assertLess(time.monotonic(), deadline, run)
            time.sleep(0.2)
        self.assertNotIn("overdue", run.lines()[0])


if __name__ == "__main__":
    unittest.main()
