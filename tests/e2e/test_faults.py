"""kill -9, an older database put back, a deleted database: nothing that was answered 202 is lost or applied twice, and there is one history.

OPTIKS_FAULT_ROUNDS: kills of each process (default 3). OPTIKS_FAULT_SEED: of the moments (default: random, printed on failure).
OPTIKS_FAULT_REPORT: a file that gets one row a killed process.
"""

import http.client
import json
import os
import random
import sys
import time
import unittest
from collections import Counter
from pathlib import Path

from harness import READY_SECONDS, ROOT, Deployment, Process
from load import Accepted, Reader, Writer

sys.path.insert(0, str(ROOT / "tests/reference"))

import board
from verify import TrustAnchor

ROUNDS = int(os.environ.get("OPTIKS_FAULT_ROUNDS", "3"))
SEED = int(os.environ.get("OPTIKS_FAULT_SEED", random.SystemRandom().randrange(2**32)))
WRITERS = 2
ROLLBACK, CONFIGURATION = 4, 78
FILES = ("", "-wal", "-shm")


def entries(log: Deployment) -> list[bytes]:
    """The board's entries from tiles alone, under its signed checkpoint."""
    folder = log.data / "board/log"
    anchor = TrustAnchor.parse((log.data / "trust.json").read_text())
    note = (folder / "checkpoint").read_bytes()
    checkpoint = board.verify_checkpoint(note, anchor.configuration.origin.decode(), anchor.log_key)

    def fetch(path: str) -> bytes | None:
        file = folder / path
        return file.read_bytes() if file.exists() else None

    return board.verify_tiles(fetch, checkpoint)


def lost_and_doubled(accepted: list[Accepted], histories: dict[str, list[str]]) -> tuple[int, int]:
    """Values are unique among accepted updates."""
    shown = Counter((key, value) for key, values in histories.items() for value in values)
    lost = sum(shown[one.key, one.value] == 0 for one in accepted)
    return lost, shown.total() - (len(accepted) - lost)


class CountTest(unittest.TestCase):
    def test_lost_and_doubled(self):
        accepted = [Accepted("", 0, key, value) for key, value in (("k", "a"), ("k", "b"), ("l", "c"))]
        for histories, expected in (({"k": ["a", "b"], "l": ["c"]}, (0, 0)), ({"k": ["a"], "l": ["c"]}, (1, 0)),
                                    ({"k": ["a", "b", "b"], "l": ["c"]}, (0, 1)), ({"k": ["a", "b", "c"], "l": []}, (1, 1))):
            self.assertEqual(lost_and_doubled(accepted, histories), expected)


class KillTest(unittest.TestCase):
    """One log lives through all kills; each test kills one process."""

    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())
        cls.random = random.Random(SEED)
        cls.accepted: list[Accepted] = []
        cls.entries: list[bytes] = []
        cls.rows: list[dict] = []

    @classmethod
    def tearDownClass(cls):
        if report := os.environ.get("OPTIKS_FAULT_REPORT"):
            Path(report).write_text(json.dumps(cls.rows, indent=1) + "\n")

    def test_update_task(self):
        self.kill_under_load(self.log.task)

    def test_update_service(self):
        self.kill_under_load(self.log.update)

    def test_query_service(self):
        self.kill_under_load(self.log.query)

    def kill_under_load(self, process: Process) -> None:
        writers = [Writer(self.log, f"{process.service}-{i}", self.random.randrange(2**32)) for i in range(WRITERS)]
        reader = Reader(self.log, writers[0].keys, self.log.data / "reader")
        try:
            for _ in range(ROUNDS):
                time.sleep(self.random.uniform(0.3, 1.5))
                process.kill()
                self.assertFalse(process.running)
                self.extends()
                process.start()
                process.wait_ready()
        finally:
            for worker in (*writers, reader):
                worker.finish()
        self.assertGreater(reader.verified, 0, f"seed {SEED}")
        accepted = [one for writer in writers for one in writer.accepted]
        self.assertGreater(len(accepted), ROUNDS, f"seed {SEED}: too little load")
        if process is self.log.update:
            self.assertGreater(sum(writer.retries for writer in writers), 0, f"seed {SEED}: no request met a killed service")
        published = self.published(accepted)
        lost, doubled = self.compare(accepted, published)
        self.extends()
        self.audit()
        self.rows.append({"engine": "sqlite", "point": f"kill -9 {process.service}", "kills": ROUNDS, "accepted": len(accepted),
                          "lost": lost, "doubled": doubled, "histories": 1})
        self.assertEqual((lost, doubled), (0, 0), f"seed {SEED}")

    def extends(self) -> None:
        """The board has what it had, and more."""
        found = entries(self.log)
        self.assertEqual(found[:len(self.entries)], self.entries, f"seed {SEED}: the log has two histories")
        type(self).entries = found

    def published(self, accepted: list[Accepted]) -> dict[tuple[str, int], tuple[int, int]]:
        """(request id, item) -> (epoch, version), as the update-service says."""
        found, newest = {}, 0
        with self.log.update_client(timeout=90) as client:
            for request_id in dict.fromkeys(one.request_id for one in accepted):
                status = client.get(f"/v1/updates/{request_id}?wait=60").json()
                self.assertEqual(status["status"], "published", f"seed {SEED}: {status}")
                newest = max(newest, status["epoch"])
                for item in status["items"]:
                    found[request_id, item["item"]] = (status["epoch"], item["version"])
        self.log.wait_served(newest)
        return found

    def compare(self, accepted: list[Accepted], published: dict) -> tuple[int, int]:
        """How many accepted updates verified histories do not have, and how many versions too many they have."""
        by_key: dict[str, list[Accepted]] = {}
        for one in accepted:
            by_key.setdefault(one.key, []).append(one)
        run = self.log.optiks("history", *by_key, "--json")
        self.assertEqual(run.code, 0, f"seed {SEED}: {run}")
        histories = {line["key"]: line["versions"] for line in run.lines()}
        counts = lost_and_doubled(accepted, {key: [version["value"] for version in versions] for key, versions in histories.items()})
        if counts == (0, 0):
            for key, versions in histories.items():
                # Each writer has its own keys and waits for each answer, so its order is the order of versions.
                shown = [(version["value"], version["epoch"], version["version"]) for version in versions]
                expected = [(one.value, *published[one.request_id, one.item]) for one in by_key[key]]
                self.assertEqual(shown, expected, f"seed {SEED}: {key}")
        return counts

    def audit(self) -> None:
        """Twice: the auditor that has followed from the start, and a new one from epoch 0."""
        fresh = str(self.log.data / f"auditor-{len(self.rows)}")
        for more in ((), ("--data", fresh, "--trust", str(self.log.data / "trust.json"))):
            run = self.log.optiks("audit", "--json", *more)
            self.assertEqual(run.code, 0, f"seed {SEED}: {run}")
            line = run.lines()[0]
            self.assertEqual((line["verdict"], line["first_epoch"]), ("valid", 0))
            self.assertGreaterEqual(line["epoch"], len(self.entries) - 1)


class DatabaseTest(unittest.TestCase):
    def setUp(self):
        self.log = self.enterContext(Deployment())
        self.aside = self.log.logs / "database"
        self.aside.mkdir()

    def test_an_older_copy_is_refused(self):
        self.log.publish(("alice", "before"))
        self.stop_all()
        self.copy(self.log.data, self.aside)
        self.start_all()
        newest = self.log.publish(("alice", "after"))["epoch"]
        self.stop_all()
        newer = self.log.logs / "newer"
        newer.mkdir()
        self.copy(self.log.data, newer)
        history = entries(self.log)

        self.copy(self.aside, self.log.data)
        self.log.task.start()
        self.assertEqual(self.log.task.wait(READY_SECONDS), ROLLBACK, self.log.task.log_end())
        said = [line for line in self.log.task.log().splitlines() if line.startswith("optiks:")][-1]
        self.assertIn("older copy of the database", said)
        self.assertEqual(entries(self.log), history)
        # What is accepted now would be lost with this copy.
        self.log.update.start()
        try:
            self.log.update.wait_ready("live")
            with self.log.update_client() as client:
                self.assertEqual(client.post_json("/v1/updates", {"key": "alice", "value": "lost"}).status, 503)
        finally:
            self.log.update.kill()

        # The control: with the right copy everything goes on.
        self.copy(newer, self.log.data)
        self.start_all()
        self.assertGreater(self.log.publish(("alice", "again"))["epoch"], newest)
        self.assertEqual(entries(self.log)[:len(history)], history)

    def test_a_deleted_database_is_said(self):
        self.log.publish(("alice", "a"))
        for suffix in FILES:
            file = Path(f"{self.log.database}{suffix}")
            if file.exists():
                os.link(file, self.aside / file.name)
                file.unlink()
        with self.log.update_client() as client:
            try:
                self.assertEqual(client.post_json("/v1/updates", {"key": "alice", "value": "b"}).status, 503)
            except (OSError, http.client.HTTPException):
                # It may have noticed by itself, and ended.
                pass
        for process in self.log.processes:
            self.assertEqual(process.wait(30), CONFIGURATION, process.log_end())
            said = [line for line in process.log().splitlines() if line.startswith("optiks:")]
            self.assertEqual(len(said), 1, process.log_end())
            self.assertIn(f"{self.log.database} was deleted", said[0])
        self.assertFalse(self.log.database.exists())

        # The control: the same files put back, everything goes on.
        for file in self.aside.iterdir():
            os.link(file, self.log.data / file.name)
        self.start_all()
        self.log.publish(("alice", "c"))
        history = self.log.optiks("history", "alice", "--json")
        self.assertEqual([version["value"] for version in history.lines()[0]["versions"]], ["a", "c"], str(history))

    def stop_all(self) -> None:
        for process in reversed(self.log.processes):
            self.assertEqual(process.stop(), 0, process.log_end())

    def start_all(self) -> None:
        for process in self.log.processes:
            process.start()
        for process in self.log.processes:
            process.wait_ready()

    def copy(self, source: Path, target: Path) -> None:
        for suffix in FILES:
            name = f"{self.log.database.name}{suffix}"
            (target / name).unlink(missing_ok=True)
            if (source / name).exists():
                (target / name).write_bytes((source / name).read_bytes())
                (target / name).chmod(0o600)


if __name__ == "__main__":
    unittest.main()
