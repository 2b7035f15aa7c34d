"""Tests the board in a bucket of Ceph's gateway, an independently written S3 server with the conditional writes that tasks need."""

import signal
import threading
import unittest
from collections import Counter
from contextlib import contextmanager

from ceph import Ceph
from shared_bucket import SharedBucketTests

WRITERS = 8


class RadosGatewayTest(SharedBucketTests, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bucket = cls.enterClassContext(Ceph())

    @contextmanager
    def away(self):
        """A context manager. Within it, the gateway accepts connections but does not answer."""
        self.bucket.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.bucket.signal(signal.SIGCONT)

    def put(self, key: str, body: bytes, **condition: str) -> int:
        return self.bucket.request("PUT", key, body, **condition)[0]

    def test_it_keeps_the_conditions_of_writes_with_entity_tags_in_its_own_form(self):
        self.assertEqual(self.put("one", b"1", If_None_Match="*"), 200)
        self.assertEqual(self.put("one", b"2", If_None_Match="*"), 412)
        status, headers, body = self.bucket.request("GET", "one")
        self.assertEqual((status, body), (200, b"1"))
        quoted = headers["ETag"]
        self.assertRegex(quoted, '^"[0-9a-f]{32}"$')
        bare = quoted.strip('"')
        for other in (f'"{"0" * 32}"', "0" * 32):
            self.assertEqual(self.put("one", b"3", If_Match=other), 412)
        # The gateway refuses an entity tag in the form of RFC 9110, with quotes. A task notices this, and then sends the tag without
        # quotes.
        self.assertEqual(self.put("one", b"4", If_Match=quoted), 412)
        self.assertEqual(self.put("one", b"5", If_Match=bare), 200)
        self.assertEqual(self.put("one", b"6", If_Match=bare), 412)
        self.assertEqual(self.put("none", b"7", If_Match=bare), 412)
        self.assertEqual(self.bucket.request("GET", "one")[2], b"5")

    def test_of_writers_at_one_moment_one_wins(self):
        for round_ in range(10):
            key = f"race{round_}"
            self.assertEqual(self.race(lambda i, key=key: self.put(key, b"%d" % i, If_None_Match="*"))[200], 1)
            tag = self.bucket.request("GET", key)[1]["ETag"].strip('"')
            # Some writers get a 500, which does not say whether the object was written. A task that gets a 500 reads the object.
            self.assertLessEqual(self.race(lambda i, key=key, tag=tag: self.put(key, b"again %d" % i, If_Match=tag))[200], 1)
            self.assertTrue(self.bucket.request("GET", key)[2].startswith(b"again "))

    @staticmethod
    def race(write) -> Counter:
        results: Counter = Counter()
        threads = [threading.Thread(target=lambda i=i: results.update([write(i)])) for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results


if __name__ == "__main__":
    unittest.main()
