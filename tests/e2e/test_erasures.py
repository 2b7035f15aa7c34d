"""A short form of run_erasure_storm.py. It checks that no acknowledged update is lost or doubled, no user is shown another user's values,
and an erased value exists nowhere."""

import os
import random
import unittest

from erasures import ErasureStorm
from storage import OwnPostgreSql, Sqlite

SECONDS = 30


class ErasureStormTest(unittest.TestCase):
    def storm(self, engine: str) -> None:
        with ErasureStorm(engine, int(os.environ.get("OPTIKS_FAULT_SEED", random.SystemRandom().randrange(2**32)))) as storm:
            storm.blow(SECONDS)
            row = storm.judge()
        with self.subTest(**row):
            self.assertEqual((row["lost"], row["doubled"], row["back"]), (0, 0, []))
            self.assertGreater(row["erased"], 0)
            self.assertGreater(row["periods"], 0)

    def test_on_sqlite(self):
        self.storm(Sqlite.name)

    def test_on_postgresql(self):
        self.storm(OwnPostgreSql.name)


if __name__ == "__main__":
    unittest.main()
