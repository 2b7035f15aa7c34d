"""Two query-services of one log give the same answers."""

import time
import unittest

from harness import Deployment

LOOKUP = "application/vnd.optiks.lookup"
# With these settings, only an update makes a new epoch during the test.
QUIET = {"Optiks__Log__Heartbeat": "00:10:00", "Optiks__Log__MaxBehind": "00:30:00"}


class ReplicaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(QUIET, replicas=2))
        cls.log.publish(("bob", "b"), ("carol", "c"))
        for version in range(3):
            cls.last = cls.log.publish(("alice", f"a{version}"))["epoch"]

    def both(self, path: str, document=None, accept: str | None = None) -> bytes:
        bodies = []
        for replica in range(2):
            with self.log.query_client(replica) as client:
                answer = client.get(path, accept) if document is None else client.post_json(path, document, accept)
                self.assertEqual(answer.status, 200, answer.body)
                bodies.append(answer.body)
        self.assertEqual(bodies[0], bodies[1], path)
        return bodies[0]

    def test_same_lookups(self):
        seen = set()
        for accept in (LOOKUP, "application/json"):
            for queries in ({"key": "alice"}, {"key": "nobody"}, [{"key": "alice", "known": {"period": 0, "version": 1}}, {"key": "bob"}]):
                # The second request gets its proofs from the replicas' caches.
                first = self.both("/v1/lookup", queries, accept)
                self.assertEqual(self.both("/v1/lookup", queries, accept), first)
                seen.add(first)
        # This is the control: the equal answers are neither empty nor always the same.
        self.assertEqual(len(seen), 6)

    def test_same_versions_and_epochs(self):
        for path in ("/v1/history", "/v1/monitor"):
            self.both(path, {"key": "alice"}, f"application/vnd.optiks.{path.rpartition('/')[2]}")
        self.both("/v1/epochs/latest", None, "application/vnd.optiks.head")
        self.both(f"/v1/epochs/0-{self.last}/audit-proof")
        for epoch in range(self.last + 1):
            self.both(f"/v1/epochs/{epoch}")

    def test_same_board(self):
        folder = self.log.data / "board/log"
        files = [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.startswith(".")]
        self.assertGreater(len(files), 3)
        for file in files:
            self.assertEqual(self.both(f"/log/{file.relative_to(folder)}"), file.read_bytes())

    def test_what_is_published_is_waited_for(self):
        """Follows the links in the status of an update, at replicas that may be behind."""
        with self.log.update_client(timeout=90) as updates:
            accepted = updates.post_json("/v1/updates", {"key": "dave", "value": "d"}).json()
            proof = updates.get(f"{accepted['status_url']}?wait=60").json()["proof"]
        for replica in range(2):
            with self.log.query_client(replica) as client:
                deadline = time.monotonic() + 60
                while (answer := client.post_json(proof["href"], {"key": "dave"})).status != 200:
                    self.assertEqual((answer.status, answer.json()["type"]), (503, "urn:optiks:problem:not-caught-up"))
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.02)
                self.assertEqual(answer.json()["lookups"][0]["version"], 1)
                self.assertEqual(client.get(proof["epoch"]).status, 200)
                # The replica has every epoch to which the checkpoint that it serves commits.
                size = int(client.get("/log/checkpoint").body.split(b"\n")[1])
                self.assertEqual(client.get(f"/v1/epochs/{size - 1}").status, 200)

    def test_one_is_enough(self):
        """Checks that the command line falls back to the other replica when one is dead."""
        dead, alive = self.log.queries
        dead.kill()
        try:
            found = self.log.optiks("lookup", "alice", "--json", "--query-url", alive.url, query=dead)
            self.assertEqual((found.code, found.lines()[0]["verdict"]), (0, "present"), str(found))
        finally:
            dead.start()
            dead.wait_ready()
        self.both("/v1/lookup", {"key": "alice"}, LOOKUP)


if __name__ == "__main__":
    unittest.main()
