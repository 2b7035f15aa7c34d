"""Tests /health/live and /health/ready while parts of a log fail and come back. A supervisor and a load balancer get these answers
(docs/operations/health.md). The tests also check which functions continue meanwhile."""

import fcntl
import os
import shutil
import sqlite3
import tempfile
import time
import unittest
from contextlib import closing
from pathlib import Path

from harness import Deployment, Process
from postgres import OWNER
from rest import Client, uuid7
from storage import BUSY_SECONDS, OwnPostgreSql

PATIENCE = 60
F_SETPIPE_SZ = 1031


def flip(path: Path, octets: bytes) -> None:
    """Flips one bit of the last occurrence of these octets. The file is changed in place, because programs have it mapped."""
    with path.open("r+b") as file:
        at = file.read().rindex(octets)
        file.seek(at)
        file.write(bytes([octets[0] ^ 1]))


class HealthTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment({"Optiks__Log__MaxBehind": "00:10:00"}, engine=OwnPostgreSql.name))
        cls.log.publish(("alice", "a1"))

    def ready(self, process: Process) -> tuple[int, str]:
        """Returns the status and the checks' text of /health/ready. Also checks that /health/live succeeds, as it must always do."""
        with Client(process.url, timeout=30) as client:
            self.assertEqual(client.get("/health/live").status, 200)
            answer = client.get("/health/ready")
            self.assertEqual(answer.json()["status"] == "healthy", answer.status == 200)
            return answer.status, "\n".join(check["description"] for check in answer.json()["checks"].values() if "description" in check)

    def wait_for(self, process: Process, status: int, text: str = "") -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            found, description = self.ready(process)
            if found == status and text in description:
                return
            self.assertLess(time.monotonic(), deadline, f"{process.service}: {found} {description}")
            time.sleep(0.1)

    def wait_all_ready(self) -> None:
        for process in self.log.processes:
            self.wait_for(process, 200)

    def lookup(self) -> int:
        with self.log.query_client() as client:
            return client.post_json("/v1/lookup", {"key": "alice"}).status

    def test_database_down(self):
        self.wait_all_ready()
        server = self.log.storage.server
        server.kill()
        try:
            self.wait_for(self.log.task, 503, "The database is unavailable.")
            self.wait_for(self.log.update, 503, "The database cannot be used.")
            self.wait_for(self.log.query, 503, "The database cannot be reached. Serving epoch")
            # The services still serve verified data, and do not accept updates that they cannot store.
            self.assertEqual(self.lookup(), 200)
            with self.log.update_client() as client:
                refused = client.post_json("/v1/updates", {"request_id": uuid7(), "key": "alice", "value": "lost"})
            self.assertEqual((refused.status, refused.json()["type"]), (503, "urn:optiks:problem:unavailable"))
            self.assertGreaterEqual(int(refused.headers["retry-after"]), 1)
            self.assertTrue(all(process.running for process in self.log.processes))
        finally:
            server.start()
        self.wait_all_ready()
        self.log.publish(("alice", "a2"))

    def test_users_whom_the_server_refuses_for_a_while(self):
        """A mistake in pg_hba.conf makes PostgreSQL refuse the services until it is corrected. Services that are already running continue
        to run, and lookups work. A service that is started during the mistake exits with code 78."""
        self.wait_all_ready()
        server = self.log.storage.server
        rules = server.data / "pg_hba.conf"
        before = rules.read_text()
        rules.write_text(f"host all {OWNER} all trust\nhost all all all reject\n")
        try:
            server.sql("SELECT pg_reload_conf()")
            deadline = time.monotonic() + PATIENCE
            while server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND usename <> '{OWNER}'"):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.wait_for(self.log.task, 503, "The database is unavailable.")
            self.wait_for(self.log.update, 503, "The database cannot be used.")
            self.wait_for(self.log.query, 503, "The database cannot be reached. Serving epoch")
            self.assertEqual(self.lookup(), 200)
            with self.log.update_client() as client:
                self.assertEqual(client.post_json("/v1/updates", {"request_id": uuid7(), "key": "alice", "value": "lost"}).status, 503)
                self.assertEqual(client.get(f"/v1/updates/{uuid7()}").status, 503)
            self.assertIn("SQLSTATE 28000", self.log.query.log())
            self.log.other_update.start()
            self.assertEqual(self.log.other_update.wait(PATIENCE), 78)
            self.assertTrue(all(process.running for process in self.log.processes))
        finally:
            rules.write_text(before)
            server.sql("SELECT pg_reload_conf()")
        self.wait_all_ready()
        self.log.publish(("alice", "a4"))

    def test_keys_that_cannot_be_used_when_the_lease_comes_back(self):
        with Deployment() as log:
            log.publish(("alice", "a1"))
            key = log.data / "kek"
            key.chmod(0o644)
            with closing(sqlite3.connect(log.database, timeout=BUSY_SECONDS)) as database, database:
                database.execute("UPDATE head SET fence = fence + 1, holder = 'another', lease_end = 0")
            self.wait_for(log.task, 503, "The last start could not be finished. A key cannot be used.")
            with log.query_client() as client:
                self.assertEqual(client.post_json("/v1/lookup", {"key": "alice"}).status, 200)
            self.assertIn(f"chmod 600 {key}", log.task.log())
            key.chmod(0o600)
            self.wait_for(log.task, 200)
            log.publish(("alice", "a2"))
            # If the task is started while the key file has the wrong mode again, the start must fail.
            self.assertEqual(log.task.stop(), 0)
            key.chmod(0o644)
            log.task.start()
            self.assertEqual(log.task.wait(PATIENCE), 78)

    def test_values_that_the_database_lost(self):
        """A row of values that the database lost is not an erasure, so a replica that must read the row is not ready. A replica that has
        the value in its own files keeps serving, and so does a replica that knows that the value was erased."""
        with Deployment() as log:
            log.publish(("alice", "a1"), ("bob", "b1"))
            last = log.publish(("alice", "a2"))["epoch"]
            with closing(sqlite3.connect(log.database, timeout=BUSY_SECONDS)) as database, database:
                (lost,) = database.execute("SELECT * FROM value WHERE id >> 28 = ?", (last,)).fetchall()
                database.execute("DELETE FROM value WHERE id = ?", lost[:1])
            with log.query_client() as client:
                self.assertEqual(client.post_json("/v1/lookup", {"key": "alice"}).status, 200)
            self.assertEqual(log.query.stop(), 0)
            shutil.rmtree(log.data / "replicas")
            log.query.start()
            log.query.wait_ready("live")
            self.wait_for(log.query, 503, "1 values of period 0 are not in the database, and no epoch erased them.")
            check = log.optiks_db("fsck")
            self.assertEqual(check.code, 1, check)
            self.assertIn("has no value, and no epoch erased it", check.out)
            with closing(sqlite3.connect(log.database, timeout=BUSY_SECONDS)) as database, database:
                database.execute(f"INSERT INTO value VALUES ({', '.join('?' * len(lost))})", lost)
            self.wait_for(log.query, 200)
            with log.query_client() as client:
                self.assertEqual(client.post_json("/v1/lookup", {"key": "alice"}).status, 200)

    def test_damaged_files_are_made_again(self):
        """A bit changes in a file of a replica and in a file of the task while both run. Both recreate their files from the database."""
        with Deployment() as log:
            created = log.optiks("user", "create", "alice", "--device", "telephone-of-alice=first", "--wait")
            self.assertEqual(created.code, 0, created)
            log.publish(("bob", "value-of-bob"))
            (leaves,) = (log.data / "replicas").glob("*/leaves")
            flip(leaves, b"value-of-bob")
            with log.query_client() as client:
                self.assertEqual(client.post_json("/v1/lookup", {"key": "bob"}).status, 503)
                self.assertEqual(client.post_json("/v1/lookup", {"key": "nobody"}).status, 200)
                deadline = time.monotonic() + PATIENCE
                while client.post_json("/v1/lookup", {"key": "bob"}).status != 200:
                    self.assertLess(time.monotonic(), deadline, log.query.log_end())
                    time.sleep(0.1)
            self.wait_for(log.query, 200)
            flip(log.data / "task/leaves", b"telephone-of-alice")
            added = log.optiks("user", "add-device", "alice", "tablet", "second", "--wait")
            self.assertEqual(added.code, 0, f"{added}\n{log.task.log_end()}")
            self.assertIn("the leaf log is damaged", log.task.log())
            self.wait_for(log.task, 200)
            self.assertTrue(all(process.running for process in log.processes))

    def test_board_that_cannot_be_written(self):
        self.wait_all_ready()
        tiles = self.log.data / "board/log/tile"
        elsewhere = tiles.with_name("tile.kept")
        tiles.rename(elsewhere)
        # Simulates a disk that accepts no data: a file in place of the folder makes every write fail, even for root.
        tiles.write_bytes(b"")
        try:
            with self.log.update_client() as client:
                accepted = client.post_json("/v1/updates", {"request_id": uuid7(), "key": "alice", "value": "a3"})
                self.assertEqual(accepted.status, 202)
                self.wait_for(self.log.task, 503, "The board's files cannot be written.")
                # While the board cannot be written, the services accept updates, and lookups work.
                self.assertEqual(self.ready(self.log.update)[0], 200)
                self.assertEqual(self.lookup(), 200)
                path = accepted.json()["status_url"]
                self.assertEqual(client.get(path).json()["status"], "pending")
        finally:
            tiles.unlink()
            elsewhere.rename(tiles)
        self.wait_all_ready()
        with self.log.update_client(timeout=90) as client:
            self.assertEqual(client.get(f"{path}?wait=60").json()["status"], "published")

    def test_a_replica_that_does_not_hear_of_epochs(self):
        """While the task is stopped, the log publishes no heartbeat epochs. The replica is not ready once its epoch is older than the log
        allows, but the log stays readable."""
        with Deployment({"Optiks__Log__Heartbeat": "00:00:01", "Optiks__Log__MaxBehind": "00:00:04"}) as log:
            log.publish(("alice", "a1"))
            self.assertEqual(log.task.stop(), 0)
            self.wait_for(log.query, 503, "4 s are allowed.")
            with log.query_client() as client:
                self.assertEqual(client.post_json("/v1/lookup", {"key": "alice"}).status, 503)
                self.assertEqual(client.get("/v1/epochs/1").status, 200)
            self.assertEqual(self.ready(log.update)[0], 200)
            log.task.start()
            self.wait_for(log.query, 200, "Serving epoch")
            with log.query_client() as client:
                self.assertEqual(client.post_json("/v1/lookup", {"key": "alice"}).status, 200)


class StalledReaderTest(unittest.TestCase):
    """Tests services whose standard output and standard error go to a supervisor or a pager that does not read."""

    LINES = 6000

    def test_nobody_waits_for_the_reader_of_the_log(self):
        pipe = Path(self.enterContext(tempfile.TemporaryDirectory())) / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, reader)
        fcntl.fcntl(reader, F_SETPIPE_SZ, 4096)
        with Deployment() as log:
            log.publish(("alice", "a1"))
            for process in log.processes:
                with self.subTest(process.service):
                    self.assertEqual(process.stop(), 0)
                    process.start("/bin/sh", "-c", 'exec "$@" >"$PIPE" 2>&1', "sh", PIPE=str(pipe), Logging__LogLevel__Default="Trace")
                    process.wait_ready()
                    # Each health check logs its beginning and its end. All these log lines together are more than the pipe and the logger's
                    # queue can hold.
                    with Client(process.url, timeout=PATIENCE) as client:
                        checks = len(client.get("/health/ready").json()["checks"])
                        for _ in range(self.LINES // (2 * checks)):
                            client.get("/health/ready")
                        self.assertEqual(client.get("/health/ready").status, 200)
            log.publish(("alice", "a2"))
            for process in log.processes:
                with self.subTest(process.service, ends=True):
                    self.assertEqual(process.stop(), 0)
            self.assertTrue(os.read(reader, 4096))


if __name__ == "__main__":
    unittest.main()
