"""Tests of a log whose tasks share no folder, and whose services read the board at a URL. They fit any storage that supports conditional
writes."""

import json
import shutil
import tempfile
import time
from pathlib import Path

from harness import Deployment
from rest import Client

PATIENCE = 90
# The files that an operator copies to another host. The file with the development key (api-key) is for the clients, not for the task.
SECRETS = ("kek", "log.key", "trust.json", "api-key", "api-keys.json")


class SharedBucketTests:
    """The tests. A subclass provides the bucket, an object with the members `settings` and `url`."""

    def make_log(self) -> Deployment:
        settings = {
            **self.bucket.settings, "Optiks__Bucket__KeepsMark": "true", "Optiks__Bucket__Timeout": "00:00:02", "Optiks__Board__Url": self.bucket.url, "Optiks__Board__PollInterval": "00:00:00.200", "Optiks__UpdateTask__EpochInterval": "00:00:00.500"}
        return Deployment(settings)

    def verify(self, log: Deployment) -> int:
        """Verifies the board in the bucket with only the trust anchor, and returns the board's newest epoch."""
        said = log.optiks("board", "verify", "--board", self.bucket.url, "--trust", str(log.data / "trust.json"), "--json")
        self.assertEqual(said.code, 0, said)
        return json.loads(said.out)["epoch"]

    def test_hosts_come_and_go_and_clients_notice_nothing(self):
        with self.make_log() as log:
            epoch = log.publish(("alice", "a1"))["epoch"]
            self.assertGreaterEqual(self.verify(log), epoch)
            other = Path(tempfile.mkdtemp(prefix="optiks-e2e-other-"))
            try:
                self.take_over(log, other, epoch)
            finally:
                for task in (log.task, log.standby):
                    if task.running:
                        task.kill()
                shutil.rmtree(other)

    def take_over(self, log: Deployment, other: Path, epoch: int) -> None:
        for name in SECRETS:
            shutil.copy(log.data / name, other / name)
        log.standby.start(OPTIKS_DATA=str(other), Optiks__Storage__ConnectionString=f"Data Source={log.database}")
        log.standby.wait_ready()
        # The test kills the task and moves its board away, as if the host and its disk were lost.
        log.task.kill()
        before = (log.data / "board/log/checkpoint").read_bytes()
        shutil.move(log.data / "board", log.data / "board.gone")
        then = log.publish(("alice", "a2"), ("bob", "b1"))["epoch"]
        self.assertGreater(then, epoch)
        self.assertGreaterEqual(self.verify(log), then)
        self.assertNotEqual((other / "board/log/checkpoint").read_bytes(), before)
        # The host comes back with its old data, which is brought up to date when the host's task is active again.
        shutil.move(log.data / "board.gone", log.data / "board")
        log.task.start()
        log.task.wait_ready()
        self.assertEqual(log.standby.stop(), 0)
        last = log.publish(("carol", "c1"))["epoch"]
        self.assertGreater(last, then)
        self.assertGreaterEqual(self.verify(log), last)
        for key, value in (("alice", "a2"), ("bob", "b1"), ("carol", "c1")):
            said = log.optiks("lookup", key, "--json")
            self.assertEqual((said.code, json.loads(said.out)["value"]), (0, value), said)
        self.assertEqual(log.optiks("audit", "--json").code, 0)
        fsck = log.optiks_db("fsck", "--board", str(log.data / "board"))
        self.assertEqual(fsck.code, 0, fsck)
        # While the bucket is unreachable, the task signs nothing, and the services still serve existing data.
        size = self.size(log)
        with self.away(), Client(log.task.url, timeout=30) as client, log.update_client(timeout=30) as update:
            self.assertEqual(update.post_json("/v1/updates", {"key": "dave", "value": "d1"}).status, 202)
            deadline = time.monotonic() + PATIENCE
            while "The bucket neither takes nor returns the high-water mark." not in (said := client.get("/health/ready")).body.decode():
                self.assertLess(time.monotonic(), deadline, said)
                time.sleep(0.05)
            self.assertEqual(said.status, 503)
            self.assertEqual(log.optiks("lookup", "alice").code, 0)
            self.assertEqual(self.size(log), size)
        log.task.wait_ready()
        self.assertGreater(log.publish(("dave", "d2"))["epoch"], last)

    @staticmethod
    def size(log: Deployment) -> int:
        return int((log.data / "board/log/checkpoint").read_bytes().split(b"\n")[1])
