"""Tests `optiks auditor` with real services. The checkpoints that the auditor serves are signed and true. No kill, older copy of its state
or lost mark makes it sign a second history.

OPTIKS_FAULT_SEED: the seed of the times (default: random; a failure names it).
"""

import base64
import json
import os
import random
import re
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from auditors import Auditor, fail_points, kill_rounds, log_hash
from harness import ROOT, Deployment
from lying import LyingProxy, honest
from otlp import Collector
from rest import Client
from rounds import rounds

SEED = int(os.environ.get("OPTIKS_FAULT_SEED", random.SystemRandom().randrange(2**32)))
SECONDS = 60
ROUNDS = rounds(quick=5, deep=15)
RECORD = "application/vnd.optiks.record"


class AuditorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())
        cls.log.publish(("alice", "a1"), ("bob", "b1"))
        cls.log.publish(("alice", "a2"))

    def auditor(self, *logs: Deployment, first_epoch: int = 0) -> Auditor:
        folder = tempfile.TemporaryDirectory(prefix="optiks-auditor-")
        self.addCleanup(folder.cleanup)
        return Auditor(Path(folder.name), *(logs or (self.log,)), first_epoch=first_epoch)

    def wait(self, reached, what: str) -> None:
        deadline = time.monotonic() + SECONDS
        while not reached():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.1)

    def test_two_logs_are_followed_and_served(self):
        with Deployment({"Optiks__Log__Origin": "other.example/log"}) as other, Collector() as collector:
            other.publish(("carol", "c1"))
            auditor = self.auditor(self.log, other)
            telemetry = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_METRIC_EXPORT_INTERVAL": "500"}
            with auditor.start(**telemetry) as daemon:
                daemon.wait_ready()
                for number, log in enumerate(auditor.logs):
                    self.served(daemon, auditor, number)
                    epoch = log.publish(("alice", f"more {number}"))["epoch"]
                    self.wait(lambda number=number, epoch=epoch: self.served(daemon, auditor, number) > epoch, daemon.log_end())
                with Client(daemon.url) as client:
                    page = client.get("/").body.decode()
                    self.assertTrue(all(origin in page for origin in auditor.origins), page)
                    self.assertEqual(client.get(f"/{log_hash('nobody.example')}/checkpoint").status, 404)
                # A second auditor that uses the same folders must not start.
                self.assertEqual(auditor.once().code, 78)
                self.assertEqual(daemon.stop(), 0, daemon.log_end())
            auditor.look_at_signed()
        documented = dict(re.findall(r"^\| `(optiks\.auditor\.[a-z._]+)` \| `([^`]+)`", (ROOT / "docs/operations/telemetry.md").read_text(), re.MULTILINE))
        sent = {name: metric.unit for (_, name), metric in collector.received.metrics().items() if name.startswith("optiks.auditor.")}
        self.assertEqual(sent, documented)
        self.assertEqual({service for service, _ in collector.received.metrics()}, {"optiks-auditor"})
        self.assertNotIn(auditor.key_file.read_text().strip().split("+", 4)[4], daemon.log())

    def served(self, daemon, auditor: Auditor, number: int) -> int:
        """Returns the size that the auditor signed. Checks that the auditor's checkpoint, coverage and page agree on this size, and that
        the log's own tree of this size has the signed root."""
        base = f"/{log_hash(auditor.origins[number])}"
        with Client(daemon.url) as client:
            coverage = client.get(f"{base}/coverage").json()
            note = client.get(f"{base}/checkpoint")
            page = client.get(f"{base}/").body.decode()
        self.assertEqual((note.status, note.headers["content-type"]), (200, "text/plain; charset=utf-8"))
        one = auditor.judge(note.body, number)
        signed = coverage["signed"]
        self.assertEqual((coverage["auditor"], coverage["first_epoch"], coverage["finding"]), (auditor.vkey, 0, None))
        if signed["size"] == one.size:
            self.assertEqual((signed["epoch"] + 1, signed["root"]), (one.size, one.root))
            self.assertIn("every step was verified", page)
            with auditor.logs[number].query_client() as client:
                self.assertEqual(client.get(f"/v1/epochs/{signed['epoch']}", RECORD).body.hex(), _octets(signed["record"]).hex())
        return one.size

    def test_kills_and_older_copies_have_it_sign_nothing_twice(self):
        auditor = self.auditor()
        points = set(kill_rounds(auditor, ROUNDS, SEED))
        self.assertEqual(points, set(fail_points()) - {"auditor-finding"}, f"OPTIKS_FAULT_SEED={SEED}")

    def test_an_older_state_catches_up_and_a_lost_mark_is_noticed(self):
        auditor = self.auditor(first_epoch=1)
        self.assertEqual(auditor.once().code, 0)
        copy = auditor.folder / "copy"
        shutil.copytree(auditor.state, copy)
        self.log.publish(("alice", "after the copy"))
        newest = auditor.once().lines()[0]["epoch"]
        auditor.look_at_signed()
        shutil.rmtree(auditor.state)
        shutil.copytree(copy, auditor.state)
        again = auditor.once()
        self.assertEqual(again.code, 0, str(again))
        self.assertGreaterEqual(again.lines()[0]["epoch"], newest)
        auditor.look_at_signed()

        auditor.mark_of().unlink()
        refused = auditor.once()
        self.assertEqual(refused.code, 4, str(refused))
        self.assertIn("is missing", refused.error)
        resumed = auditor.resume()
        self.assertEqual((resumed.code, "the mark is made again" in resumed.out), (0, True), str(resumed))
        self.assertEqual(auditor.once().code, 0)
        # The auditor refuses this configuration, because the start of its coverage must never change.
        auditor.write_config(first_epoch=2)
        refused = auditor.once()
        self.assertEqual((refused.code, "never changes" in refused.error), (78, True), str(refused))

    def test_a_server_that_changes_what_it_passes_on_is_found(self):
        for name, change, reason in (("proof", lambda path, body: _flip(body, -1) if path.endswith("/audit-proof") else body, None),
                                     ("board", lambda path, body: _flip(body, 60) if "/tile/entries/" in path else body, "inclusion_proof"),
                                     ("checkpoint", lambda path, body: _flip(body, -20) if path == "/log/checkpoint" else body, "checkpoint")):
            with self.subTest(name), LyingProxy(self.log.query.url) as proxy:
                auditor = self.auditor()
                auditor.write_config(query_urls=[proxy.url])
                self.assertEqual(auditor.once().code, 0)
                signed = auditor.newest_signed()
                self.log.publish(("alice", f"behind the proxy: {name}"))
                proxy.change_bodies(change)
                run = auditor.once()
                if reason == "checkpoint":
                    # A server that is merely behind proves nothing against the log, so the auditor keeps asking.
                    self.assertEqual((run.code, run.lines()[0]["condition"]), (3, "behind"), str(run))
                    proxy.change = honest
                    self.assertEqual(auditor.once().code, 0)
                    self.assertGreater(auditor.newest_signed(), signed)
                    continue
                found = run.lines()[0]
                self.assertEqual((run.code, found["verdict"], found["proven"]), (1, "invalid", False), str(run))
                self.assertTrue(found["reason"] == reason if reason else found["reason"].startswith(("append_", "malformed_")), str(run))
                self.assertIn("README.txt", os.listdir(found["evidence"]))
                if name == "proof":
                    judged = self.log.optiks("evidence", "verify", found["evidence"], "--json")
                    self.assertEqual((judged.code, judged.lines()[0]["kind"], judged.lines()[0]["reason"]), (1, "refused-proof", found["reason"]), str(judged))
                # The server is honest again, but the auditor signs nothing until a person has looked at the finding.
                proxy.change = honest
                for _ in range(2):
                    self.assertEqual(auditor.once().code, 1)
                    self.assertEqual(auditor.newest_signed(), signed)
                resumed = auditor.resume()
                self.assertEqual((resumed.code, "goes on" in resumed.out), (0, True), str(resumed))
                self.assertEqual(auditor.once().code, 0)
                self.assertGreater(auditor.newest_signed(), signed)

    def test_two_histories_of_real_services_are_a_fork(self):
        with Deployment() as first:
            first.publish(("alice", "a1"))
            first.stop()
            # The second log has the same keys, database and board as the first, because the holder of the keys can sign both histories.
            with Deployment(before_start=lambda log: shutil.copytree(first.data, log.data, dirs_exist_ok=True)) as second:
                first.start()
                first.wait_ready()
                with LyingProxy(first.query.url) as proxy:
                    auditor = self.auditor(first)
                    auditor.write_config(query_urls=[proxy.url])
                    first.publish(("alice", "a2"))
                    self.assertEqual(auditor.once().code, 0)
                    signed = auditor.newest_signed()
                    # The second log publishes one epoch more than the first.
                    second.publish(("alice", "mallory's"))
                    second.publish(("bob", "b"))
                    proxy.target = second.query.url
                    with auditor.start() as daemon:
                        daemon.wait_unready("two views that cannot both be true")
                        with Client(daemon.url) as client:
                            base = f"/{log_hash(auditor.origins[0])}"
                            self.assertEqual(auditor.judge(client.get(f"{base}/checkpoint").body).size, signed)
                            coverage = client.get(f"{base}/coverage").json()
                            self.assertEqual((coverage["condition"], coverage["finding"]["reason"], coverage["finding"]["proven"]), ("stopped", "fork", True))
                            self.assertIn("The auditor signs no later checkpoint of this log", client.get(f"{base}/").body.decode())
                        self.assertEqual(daemon.stop(), 5, daemon.log_end())
                    proxy.target = first.query.url
                    again = auditor.once()
                    self.assertEqual(again.code, 5)
                    judged = first.optiks("evidence", "verify", again.lines()[0]["evidence"], "--json")
                    self.assertEqual((judged.code, judged.lines()[0]["breach"]), (0, "fork"), str(judged))
                    self.assertEqual(auditor.newest_signed(), signed)
                    refused = auditor.resume()
                    self.assertEqual((refused.code, "own signature" in refused.error), (5, True), str(refused))

    def test_what_it_is_told_wrongly_is_one_sentence(self):
        auditor = self.auditor()
        good = json.loads(auditor.config.read_text())
        for change, code, says in (({"intervall": 1}, 78, "intervall"), ({"logs": []}, 78, "at least one log"), ({"interval_seconds": 0}, 78, "at least 1 s"),
                                   ({"webhook": "ftp://x"}, 78, "webhook"), ({"key_file": "nowhere"}, 2, "nowhere"), ({"logs": good["logs"] * 2}, 78, "named twice")):
            with self.subTest(str(change)):
                auditor.config.write_text(json.dumps(good | change))
                run = auditor.once()
                self.assertEqual((run.code, run.error.count("\n")), (code, 1), str(run))
                self.assertIn(says, run.error)
        auditor.config.write_text(json.dumps(good))
        auditor.key_file.chmod(0o644)
        self.assertEqual(auditor.once().code, 2)
        auditor.key_file.chmod(0o600)
        run = auditor.once("auditor-nothing")
        self.assertEqual(run.code, 78, str(run))
        self.assertEqual(auditor.once().code, 0)


def _flip(octets: bytes, position: int) -> bytes:
    changed = bytearray(octets)
    changed[position] ^= 1
    return bytes(changed)


def _octets(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
