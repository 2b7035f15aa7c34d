"""A short form of run_faults.py, with each kind of fault. Tests that no accepted update (status 202) is lost or applied twice, and that all
callers see one history.

OPTIKS_FAULT_SEED: the seed of the times (default: random; a failure names it).
"""

import http.client
import os
import random
import unittest
import uuid
from pathlib import Path

import faults
from export import Facts
from harness import Deployment
from load import KEYS, Accepted
from oracle import Histories, Wrong, check_order, lost_and_doubled
from rounds import rounds
from sqlserver import VARIABLE
from storage import ENGINES, OwnPostgreSql, OwnSqlServer, Sqlite
from trial import Trial

SEED = int(os.environ.get("OPTIKS_FAULT_SEED", random.SystemRandom().randrange(2**32)))
ROLLBACK, CONFIGURATION = 4, 78
# FailPointTests (update-task/tests) kills the task at every fail point, on SQLite. Each run of this test draws some of the fail points at
# random: four in the quick form, and a third of all in the deep form.
AT_POINTS = faults.killed_at_some("fail points of the update-task", faults.POINTS, rounds(quick=4, deep=len(faults.POINTS) // 3))
FILES = ("", "-wal", "-shm")
# With this setting, the log reassigns the names of users who have left.
REUSED = {"Optiks__Log__UsernameReuse": "true"}


class FaultTest(unittest.TestCase):
    def test_sqlite(self):
        self.put(Sqlite.name, [*faults.KILLS, faults.BENEATH_RUNNING])

    def test_postgresql(self):
        self.put(OwnPostgreSql.name, [AT_POINTS, faults.AT_DRAW, faults.AT_ACCEPT, faults.FROZEN_AT_DRAW, faults.SERVER_KILLED, faults.OVERTAKEN["commit"], faults.BENEATH_STOPPED])

    @unittest.skipUnless(OwnSqlServer.name in ENGINES, f"{VARIABLE} is not set")
    def test_SqlServer(self):
        # Do not rename this test: eng/test.py lists it by name as the only test that may be skipped.
        self.put(OwnSqlServer.name, [AT_POINTS, faults.AT_DRAW, faults.AT_ACCEPT, faults.FROZEN_AT_DRAW, faults.OVERTAKEN["commit"]])

    def put(self, engine: str, chosen: list[faults.Fault]) -> None:
        try:
            with Deployment(REUSED, before_start=faults.kill_at_genesis, engine=engine) as log, Trial(log, SEED) as trial:
                faults.after_genesis(trial)
                for fault in chosen:
                    fault.put(trial)
                rows = trial.judge()
                self.assertGreater(sum(writer.retries for writer in trial.writers), 0, "no request met a killed service")
                print(engine, "names that got another user:", trial.writers[-1].reused)
                self.assertGreaterEqual(trial.writers[-1].reused, rounds(quick=0, deep=1), "no name got another user")
        except Exception as failure:
            failure.add_note(f"OPTIKS_FAULT_SEED={SEED}")
            raise
        for row in rows:
            with self.subTest(row=row):
                self.assertGreater(row.accepted, 0)
                self.assertEqual((row.lost, row.doubled, row.histories), (0, 0, 1))


class OracleTest(unittest.TestCase):
    """Tests that the oracle finds the faults that it looks for."""

    def setUp(self):
        self.accepted = [Accepted(str(uuid.UUID(int=number)), 0, key.encode(), value.encode(), point)
                         for number, (key, value, point) in enumerate((("k", "a", "p"), ("k", "b", "p"), ("l", "c", "q")))]

    def facts(self, **versions: str) -> Facts:
        """Returns facts in which each given key has the given letters as values, in this order of versions and epochs. Each value has the
        id of the request under which it was accepted."""
        ids = {one.value: uuid.UUID(one.request_id).bytes for one in self.accepted}
        return Facts(versions={(KEYS, key.encode()): [(i + 1, i + 1, ids.get(value.encode(), bytes(16)), 0, value.encode()) for i, value in enumerate(values)]
                               for key, values in versions.items()})

    def test_lost_and_doubled(self):
        for versions, lost, doubled in (({"k": "ab", "l": "c"}, {}, {}), ({"k": "a", "l": "c"}, {"p": 1}, {}), ({"k": "ab"}, {"q": 1}, {}),
                                        ({"k": "abb", "l": "c"}, {}, {"p": 1}), ({"k": "abx", "l": ""}, {"q": 1}, {"p": 1}),
                                        ({"k": "ab", "l": "c", "m": "x"}, {}, {"unknown": 1})):
            found = lost_and_doubled(self.accepted, self.facts(**versions))
            self.assertEqual(tuple({point: count for point, count in counter.items() if count} for counter in found), (lost, doubled), versions)

    def test_order(self):
        check_order(self.accepted, self.facts(k="ab", l="c"))
        facts = self.facts(k="ba", l="c")
        with self.assertRaisesRegex(Wrong, "order"):
            check_order(self.accepted, facts)
        facts = self.facts(k="ab", l="c")
        (_, *first), second = facts.versions[KEYS, b"k"]
        facts.versions[KEYS, b"k"] = [(3, *first), second]
        with self.assertRaisesRegex(Wrong, "missing"):
            check_order(self.accepted, facts)

    def test_histories(self):
        with Deployment() as log:
            log.publish(("alice", "a"))
            histories = Histories(log)
            size = histories.look()
            histories.notes([(log.data / "board/log/checkpoint").read_bytes()])
            histories.roots()
            self.assertEqual(histories.count, 1)
            histories.records([(size - 1, b"another record")])
            self.assertEqual(histories.count, 2)


class DatabaseTest(unittest.TestCase):
    def setUp(self):
        self.log = self.enterContext(Deployment())

    def test_the_newest_copy_ends_a_rollback(self):
        older = self.log.storage.back_up("older")
        newest = self.log.publish(("alice", "a"))["epoch"]
        newer = self.log.storage.back_up("newer")
        self.log.stop()
        self.log.storage.put_back(older)
        self.log.task.start()
        self.assertEqual(self.log.task.wait(faults.LONG_SECONDS), ROLLBACK, self.log.task.log_end())
        self.log.storage.put_back(newer)
        self.log.start()
        self.log.wait_ready()
        self.assertGreater(self.log.publish(("alice", "b"))["epoch"], newest)

    def test_a_deleted_database_is_said(self):
        aside = self.log.logs / "database"
        aside.mkdir()
        self.log.publish(("alice", "a"))
        for suffix in FILES:
            file = Path(f"{self.log.database}{suffix}")
            if file.exists():
                os.link(file, aside / file.name)
                file.unlink()
        with self.log.update_client() as client:
            try:
                self.assertEqual(client.post_json("/v1/updates", {"key": "alice", "value": "b"}).status, 503)
            except (OSError, http.client.HTTPException):
                # The service may already have noticed the fault and ended.
                pass
        for process in self.log.processes:
            self.assertEqual(process.wait(30), CONFIGURATION, process.log_end())
            said = [line for line in process.log().splitlines() if line.startswith("optiks:")]
            self.assertEqual(len(said), 1, process.log_end())
            self.assertIn(f"{self.log.database} was deleted", said[0])
        self.assertFalse(self.log.database.exists())

        # This is the control: once the same files are restored, the log continues.
        for file in aside.iterdir():
            os.link(file, self.log.data / file.name)
        self.log.start()
        self.log.wait_ready()
        self.log.publish(("alice", "c"))
        history = self.log.optiks("history", "alice", "--json")
        self.assertEqual([version["value"] for version in history.lines()[0]["versions"]], ["a", "c"], str(history))


if __name__ == "__main__":
    unittest.main()
