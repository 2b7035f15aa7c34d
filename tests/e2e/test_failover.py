"""A short form of run_failover.py. Kills the primary of a cluster as in deploy/patroni, and the active update-task, while the log is under
load.

OPTIKS_FAULT_SEED: the seed of the times (default: random; a failure names it).
"""

import os
import random
import unittest

from failover import PRIMARY, TASK, Drill, longest

SEED = int(os.environ.get("OPTIKS_FAULT_SEED", random.SystemRandom().randrange(2**32)))
RATE, KEYS = 400, 10_000
# These limits in seconds are the times that docs/operations/recovery.md tells operators, with room for a slow machine. Other limits catch a
# cluster that never recovers.
PRIMARY_SECONDS, TASK_SECONDS = 60, 40


class FailoverTest(unittest.TestCase):
    def test_nothing_is_lost_and_there_is_one_history(self):
        try:
            with Drill(SEED, RATE, KEYS) as drill:
                primary, task = drill.kill_primary(), drill.kill_task()
                print(primary, task)
                rows = drill.trial.judge()
        except Exception as failure:
            failure.add_note(f"OPTIKS_FAULT_SEED={SEED}")
            raise
        self.assertEqual([(row.point, row.kills) for row in rows], [(PRIMARY, 1), (TASK, 1)])
        for row in rows:
            with self.subTest(row=row):
                self.assertGreater(row.accepted, 0)
                self.assertEqual((row.lost, row.doubled, row.histories), (0, 0, 1))
        # Without a primary the services can accept no update. Without a task they accept all updates, which then wait.
        self.assertTrue(1 < primary.without_accepting < PRIMARY_SECONDS, primary)
        self.assertTrue(1 < task.without_epoch < TASK_SECONDS, task)

    def test_the_longest_time(self):
        self.assertEqual(longest([0, 5, 6, 9, 10], since=5.5), 3)
        self.assertEqual(longest([0, 5, 6], since=1), 5)
        self.assertEqual(longest([0, 5], since=5), 0)


if __name__ == "__main__":
    unittest.main()
