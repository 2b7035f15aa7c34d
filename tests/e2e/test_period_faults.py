"""Tests a log under load whose periods last only seconds, while the update-task is killed and overtaken at each step of a switch. No update
is lost or applied twice, and all callers see one history.

OPTIKS_FAULT_SEED: as for test_faults.py. A client looks up keys throughout, and never gets an invalid answer or an answer older than an
earlier one.
"""

import json
import time
import unittest

import faults
from harness import FAIL_POINT, Deployment
from rounds import rounds
from storage import OwnPostgreSql, Sqlite
from test_faults import REUSED, SEED
from trial import Trial

PERIODS = {"Optiks__Log__PeriodLength": "00:00:02", "Optiks__Periods__CopiesPerChunk": "16"}
# The log keeps every period of the test, because the judge reads the periods' data from the database.
ALL_SERVED = PERIODS | REUSED | {"Optiks__Log__RetainedPeriods": "255"}
# On SQLite, the test kills the task at every fail point of periods. On PostgreSQL, each run of the test draws some of these points at
# random.
AT_POINTS = faults.killed_at_some("fail points of periods", faults.PERIOD_POINTS, rounds(quick=2, deep=len(faults.PERIOD_POINTS) // 3))


def begun(log: Deployment) -> list[int]:
    """Returns the numbers of the periods that the update-task began, from the task's log file."""
    return [json.loads(line)["State"]["Period"] for line in log.task.log().splitlines() if '"EventId":3042' in line]


class PeriodFaultTest(unittest.TestCase):
    def test_sqlite(self):
        self.put(Sqlite.name, [faults.AT_PERIOD_POINTS, faults.KILLS[0]])

    def test_postgresql(self):
        overtaken = ("period-switch", "period-chunk")[:rounds(quick=1, deep=2)]
        self.put(OwnPostgreSql.name, [AT_POINTS, *(faults.OVERTAKEN[name] for name in overtaken), faults.SERVER_KILLED])

    def test_destroying(self):
        for engine in (Sqlite.name, OwnPostgreSql.name):
            with self.subTest(engine=engine), Deployment(PERIODS | {"Optiks__Log__RetainedPeriods": "2"}, engine=engine) as log:
                log.publish(("alice", "destroyed in its turn"))
                self.assertEqual(log.task.stop(), 0, log.task.log_end())
                log.task.start(**{FAIL_POINT: faults.DESTROYING})
                self.assertEqual(log.task.wait(faults.LONG_SECONDS), faults.KILLED, log.task.log_end())
                log.task.start()
                log.task.wait_ready()
                for _ in range(3):
                    self.assertEqual(log.publish(("alice", "goes on"))["status"], "published")
                # The task must complete a half-finished destruction, because fsck would find a remaining secret or value.
                deadline = time.monotonic() + faults.LONG_SECONDS
                while (states := self.states(log))[0] != "destroyed":
                    self.assertLess(time.monotonic(), deadline, states)
                    time.sleep(0.2)
                self.assertEqual(log.optiks_db("fsck", "--board", str(log.data / "board")).code, 0)
                log.publish(("alice", "last"))
                self.assertEqual(log.optiks("lookup", "alice", "--json").lines()[0]["value"], "last")
                audit = log.optiks("audit", "--json").lines()[0]
                self.assertEqual((audit["verdict"], audit["first_epoch"]), ("valid", 0))
                self.assertEqual(log.optiks("history", "alice", "--period", "0", "--json").lines()[-1]["reason"], "period-gone")
                began = begun(log)
                self.assertEqual(began, sorted(set(began)))
                self.assertGreaterEqual(began[-1], 2)

    def states(self, log: Deployment) -> list[str]:
        return [period["state"] for period in json.loads(log.optiks_db("period", "status", "--json").out)["periods"]]

    def put(self, engine: str, chosen: list[faults.Fault]) -> None:
        try:
            with Deployment(ALL_SERVED, engine=engine) as log, Trial(log, SEED) as trial:
                for fault in chosen:
                    fault.put(trial)
                rows = trial.judge(asks=False)
                began = begun(log)
                audit = log.optiks("audit", "--json").lines()[0]
        except Exception as failure:
            failure.add_note(f"OPTIKS_FAULT_SEED={SEED}")
            raise
        self.assertGreaterEqual(max(began), 2)
        self.assertEqual((audit["verdict"], audit["first_epoch"]), ("valid", 0))
        self.assertGreaterEqual(len(audit["switches"]), max(began))
        for row in rows:
            with self.subTest(row=row):
                self.assertGreater(row.accepted, 0)
                self.assertEqual((row.lost, row.doubled, row.histories), (0, 0, 1))


if __name__ == "__main__":
    unittest.main()
