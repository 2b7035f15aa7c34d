"""Tests the board in a bucket. A task copies the board there, and the command line verifies it over plain HTTP, even while the bucket fails
and the task is killed."""

import json
import signal
import time
import unittest
from contextlib import contextmanager

from bucket import Bucket
from harness import FAIL_POINT, Deployment
from rest import Client
from shared_bucket import SharedBucketTests

PATIENCE = 60


class BucketTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bucket = cls.enterClassContext(Bucket())
        # No program listens at the address of this HTTP proxy, so the test fails if requests to this machine go through the proxy.
        cls.log = cls.enterClassContext(Deployment({**cls.bucket.settings, "Optiks__UpdateTask__EpochInterval": "00:00:00.500", "http_proxy": "http://127.0.0.1:9"}))

    def size(self) -> int:
        found = self.bucket.objects.get("checkpoint")
        return int(found[0].split(b"\n")[1]) if found else 0

    def wait_size(self, size: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.size() < size:
            self.assertLess(time.monotonic(), deadline, self.log.task.log_end())
            time.sleep(0.05)

    def verify(self) -> int:
        """Verifies the board in the bucket with only the trust anchor, and returns the log's size."""
        said = self.log.optiks("board", "verify", "--board", self.bucket.url, "--trust", str(self.log.data / "trust.json"), "--json")
        self.assertEqual(said.code, 0, said)
        return json.loads(said.out)["epoch"] + 1

    def test_the_command_line_verifies_it(self):
        epoch = self.log.publish(("alice", "a1"))["epoch"]
        self.wait_size(epoch + 1)
        self.assertGreater(self.verify(), epoch)
        self.assertEqual(self.bucket.objects["checkpoint"][1:], ("text/plain; charset=utf-8", "public, max-age=2"))

        # While the bucket fails, updates are still published and served without delay.
        self.bucket.is_down = True
        epoch = self.log.publish(("alice", "a2"))["epoch"]
        deadline = time.monotonic() + PATIENCE
        with Client(self.log.task.url, timeout=30) as client:
            while "answers 503" not in (said := client.get("/health/ready")).body.decode():
                self.assertLess(time.monotonic(), deadline, said)
                time.sleep(0.05)
        self.assertEqual(said.status, 200)
        self.assertLessEqual(self.size(), epoch)
        self.bucket.is_down = False
        self.wait_size(epoch + 1)

        # The task is killed after it wrote the objects of a checkpoint and before it wrote the checkpoint. The bucket stays consistent, and
        # the next start continues.
        self.log.task.stop()
        self.log.task.start(**{FAIL_POINT: "bucket-objects"})
        self.log.update_client(timeout=30).post_json("/v1/updates", {"key": "bob", "value": "b1"})
        self.assertEqual(self.log.task.wait(PATIENCE), -signal.SIGKILL)
        self.assertEqual(self.verify(), self.size())
        self.log.task.start()
        self.log.task.wait_ready()
        epoch = self.log.publish(("alice", "a3"))["epoch"]
        self.wait_size(epoch + 1)
        self.assertGreater(self.verify(), epoch)


class SharedBucketTest(SharedBucketTests, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bucket = cls.enterClassContext(Bucket())

    @contextmanager
    def away(self):
        self.bucket.is_down = True
        try:
            yield
        finally:
            self.bucket.is_down = False


if __name__ == "__main__":
    unittest.main()
