"""Tests the computations of the benchmark programs in bench/, with reports that the tests make."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench"))

import figures
import measure_lookups
import measure_trees
import raw_database
from figures import Figure, bad_share, database_share, load_of, paired


def report(epochs, accepted=9000, errors=()):
    """Returns a report with 2 s of warm-up and 10 s of load. `epochs` has pairs (second, number of versions published by then)."""
    return {
        "warm_up_s": 2, "measured_s": 10, "versions_before": 100, "updates": {"accepted": accepted, "settled_s": 1.5}, "errors": list(errors),
        "results": [{"name": "batch:10/answered", "value": 90}, {"name": "published/p99", "value": 1.25}],
        # The rate of accepted updates is 100 a second in the warm-up, and then 900 a second. The last element has the answers that came
        # after the load.
        "seconds": [{"updates": 100}] * 2 + [{"updates": 900}] * 10 + [{"updates": 5000}],
        "epochs": [{"at_s": at, "versions": versions} for at, versions in epochs]}


class Loads(unittest.TestCase):
    def test_published_is_what_the_log_gained_from_the_standing_epoch_to_the_last(self):
        load = load_of(report([(1, 500), (2.5, 1500), (7, 4500), (11.5, 8700), (12.6, 9050), (13.8, 9100)]))
        self.assertEqual((8700 - 500) / (11.5 - 1), load.published_rate)
        self.assertEqual(900, load.accepted_rate)
        self.assertEqual(4200, load.largest_epoch)

    def test_the_backlog_is_what_the_epoch_under_way_at_the_end_left(self):
        self.assertEqual(50, load_of(report([(3, 100), (11.5, 8700), (12.6, 9050), (13.8, 9100)])).backlog)
        self.assertEqual(0, load_of(report([(3, 100), (11.5, 8700), (12.6, 9100)])).backlog)
        self.assertEqual(0, load_of(report([(3, 100), (11.5, 9100)])).backlog)

    def test_one_epoch_says_nothing_about_a_rate(self):
        with self.assertRaises(ValueError):
            load_of(report([(0.5, 300), (1, 500), (12.5, 9100)]))
        with self.assertRaises(ValueError):
            load_of(report([(3, 1500), (12.5, 9100)]))
        self.assertEqual(500, load_of(report([(1, 500), (3, 1500), (12.5, 9100)])).published_rate)

    def test_failed_and_unsent_are_bad(self):
        self.assertEqual(0, bad_share(report([])))
        self.assertEqual(0.1, bad_share(report([], errors=[{"operation": "batch:10", "error": "timeout", "count": 60}, {"operation": "batch:10", "error": "x", "count": 40}])))

    def test_a_value_is_found_by_its_name(self):
        self.assertEqual(1.25, figures.value_of(report([]), "published/p99"))
        with self.assertRaises(StopIteration):
            figures.value_of(report([]), "published/p50")


class DatabaseShares(unittest.TestCase):
    @staticmethod
    def line(event, updates, database, steps):
        return json.dumps({"EventId": event, "State": {"Updates": updates, "DatabaseMilliseconds": database, "StepMilliseconds": steps}}, separators=(",", ":"))

    def test_it_is_of_all_epochs_with_updates_together(self):
        lines = [self.line(3030, 10, 30, 40), self.line(3030, 10, 10, 160), self.line(3030, 0, 50, 50), self.line(3031, 10, 50, 50), "not JSON"]
        self.assertEqual(0.2, database_share(lines))

    def test_a_log_without_epochs_has_none(self):
        with self.assertRaises(ValueError):
            database_share([self.line(3030, 0, 50, 50)])


class Baselines(unittest.TestCase):
    def test_the_raw_database_gets_the_newest_epochs_that_fit(self):
        most = raw_database.MOST_UPDATES
        self.assertEqual([3, 5], raw_database.newest([(1, most), (2, 0), (3, most - 10), (4, 0), (5, 10)]))
        self.assertEqual([2], raw_database.newest([(1, 1), (2, most + 1)]))
        self.assertEqual([], raw_database.newest([(0, 0)]))

    def test_the_copies_on_SQL_Server_are_made_as_migrations_make_the_tables(self):
        copies = raw_database.sql_server_copies()
        self.assertEqual({"Leaf", "Value"}, set(copies))
        for table, definition in copies.items():
            self.assertTrue(definition.startswith(f"CREATE TABLE optiks.{table}Copy ( Epoch bigint NOT NULL"))
            self.assertNotIn("\n", definition)
            self.assertIn(f"CONSTRAINT PK_{table}Copy PRIMARY KEY CLUSTERED (Epoch, Ordinal)", definition)
            # The names of constraints are also changed, because they belong to the schema and not to the table.
            self.assertNotRegex(definition, r"CONSTRAINT \w+(?<!Copy)\b")

    def test_wrk_counts_only_when_all_was_answered(self):
        text = "Running 3s test\n     90%    1.00ms\n     99%    {}\n  12345 requests in 3.00s, 20.00MB read\n{}Requests/sec:   4115.00\nTransfer/sec:      6.66MB\n"
        for said, milliseconds in (("512.00us", 0.512), ("2.50ms", 2.5), ("1.25s", 1250)):
            self.assertEqual(measure_lookups.WrkRun(4115.0, 12345, milliseconds), measure_lookups.WrkRun.parse(text.format(said, "")))
        for bad in ("  Non-2xx or 3xx responses: 1\n", "  Socket errors: connect 0, read 1, write 0, timeout 0\n"):
            with self.assertRaises(measure_lookups.BenchFailed):
                measure_lookups.WrkRun.parse(text.format("2.50ms", bad))
        with self.assertRaises(measure_lookups.BenchFailed):
            measure_lookups.WrkRun.parse("unable to connect")


class Files(unittest.TestCase):
    def test_pairs_give_medians_and_their_ratio(self):
        figure = paired("cached", "/s", [10, 30, 20], [100, 40, 50])
        self.assertEqual((20, 50, 0.4, [10, 30, 20]), (figure.value, figure.baseline, figure.ratio, figure.samples))
        with self.assertRaises(ValueError):
            paired("cached", "/s", [1], [])

    def test_a_file_has_what_outside_scripts_rely_on(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new/updates.json"
            figures.write(path, [Figure("sqlite/raw-copy", "rows/s", 5.0), Figure("x", "/s", 6.0, 3.0, [5.0, 6.0, 7.0])])
            document = json.loads(path.read_text())
        self.assertLessEqual({"cpu", "cores", "commit", "results"}, set(document))
        self.assertEqual({"name": "sqlite/raw-copy", "unit": "rows/s", "value": 5.0, "baseline": None, "ratio": None, "samples": [5.0]}, document["results"][0])
        self.assertEqual((2.0, [5.0, 6.0, 7.0]), (document["results"][1]["ratio"], document["results"][1]["samples"]))

    def test_a_table_has_a_line_a_figure(self):
        lines = figures.table([Figure("sqlite/raw-copy", "rows/s", 123456.7), Figure("x", "s", 1.23456, 2.46912)]).splitlines()
        self.assertIn("123,457", lines[1])
        self.assertEqual(["x", "1.235", "2.469", "0.50", "s"], lines[2].split())


class Trees(unittest.TestCase):
    def test_rows_of_all_programs_stand_in_one_file(self):
        def document(*names):
            return {"context": {"first": names[0] if names else ""}, "benchmarks": [{"name": name} for name in names]}

        both = measure_trees.joined([document("Prove/linked", "Verify"), document("Prove/stored")])
        self.assertEqual({"context": {"first": "Prove/linked"}, "benchmarks": [{"name": "Prove/linked"}, {"name": "Verify"}, {"name": "Prove/stored"}]}, both)
        with self.assertRaisesRegex(ValueError, "Verify"):
            measure_trees.joined([document("Verify"), document("Verify")])
        with self.assertRaisesRegex(ValueError, "nothing"):
            measure_trees.joined([document("Verify"), document()])


if __name__ == "__main__":
    unittest.main()
