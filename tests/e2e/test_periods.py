"""Tests a log that switches to its next periods on its own. Replicas, clients and auditors follow, and both verifiers agree on where the
log's periods began and ended."""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

import harness
from auditors import Auditor
from harness import ROOT, Deployment
from native import NativeVerifier
from native_periods import NativePeriods
from native_users import NativeUsers

PERIODS = {"Optiks__Log__PeriodLength": "00:00:02"}
JSON = "application/json"


class PeriodTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(PERIODS))
        cls.log.publish(("alice", "a1"), ("bob", "b1"))
        cls.log.publish(("alice", "a2"), ("carol", "c1"))
        cls.user("create", "dora", "--device", "dora's phone=1", "--device", "dora's tablet=1")
        # This client keeps the state that it saw in the first periods.
        cls.before = cls.log.optiks("lookup", "alice", "--json")
        cls.kept = cls.before.lines()[0]["period"]
        cls.wait_for_period(cls.kept + 2)
        cls.log.publish(("alice", "a3"), ("dave", "d1"))
        cls.user("set-device", "dora", "dora's phone", "2")
        # The task is stopped, so from here on all answers are about the same epoch.
        if cls.log.task.stop() != 0:
            raise AssertionError(cls.log.task.log_end())
        cls.bounds = cls.ask_bounds(0)

    @classmethod
    def user(cls, *arguments: str) -> None:
        run = cls.log.optiks("user", *arguments, "--wait")
        if run.code != 0:
            raise AssertionError(f"user {arguments}: {run}")

    @classmethod
    def ask_bounds(cls, first: int) -> list[dict]:
        with cls.log.query_client() as client:
            answer = client.get(f"/v1/periods?from={first}", JSON)
        if answer.status != 200:
            raise AssertionError(f"periods: HTTP {answer.status} {answer.body!r}")
        return [bound["record_fields"] for bound in answer.json()["bounds"]]

    @classmethod
    def wait_for_period(cls, period: int) -> None:
        deadline = time.monotonic() + 120
        while cls.ask_bounds(0)[-1]["period"] < period:
            if time.monotonic() >= deadline:
                raise AssertionError(f"no period {period}: {cls.log.task.log_end()}")
            time.sleep(0.2)

    def test_bounds_are_of_successive_periods(self):
        self.assertEqual((self.bounds[0]["epoch"], self.bounds[0]["period"]), (0, 0))
        self.assertGreaterEqual(self.bounds[-1]["period"], self.kept + 2)
        for first, second in zip(self.bounds, self.bounds[1:], strict=False):
            if first["period"] != second["period"]:
                self.assertEqual((second["period"], second["period_first_epoch"]), (first["period"] + 1, first["epoch"] + 1))
                self.assertEqual(second["epoch"], second["period_first_epoch"])
        self.assertEqual([bound["epoch"] for bound in self.ask_bounds(1)], [bound["epoch"] for bound in self.bounds if bound["period"] >= 1])

    def test_a_client_goes_over_with_what_it_keeps(self):
        self.assertEqual((self.before.code, self.before.lines()[0]["value"]), (0, "a2"), str(self.before))
        after = self.log.optiks("lookup", "alice", "bob", "nobody", "--json")
        self.assertEqual(after.code, 0, str(after))
        found = {line["key"]: line for line in after.lines()}
        self.assertEqual([found[key]["verdict"] for key in ("alice", "bob", "nobody")], ["present", "present", "absent"])
        self.assertEqual([found[key].get("value") for key in ("alice", "bob", "nobody")], ["a3", "b1", None])
        self.assertEqual((found["bob"]["version"], found["bob"]["published_epoch"]), (1, None))
        self.assertEqual(found["alice"]["period"], self.bounds[-1]["period"])
        again = self.log.optiks("lookup", "alice", "--json")
        self.assertTrue(again.lines()[0]["unchanged"], str(again))

    def test_an_auditor_follows_and_names_the_switches(self):
        audit = self.log.optiks("audit", "--from", "0", "--json")
        self.assertEqual(audit.code, 0, str(audit))
        switches = sorted({bound["period_first_epoch"] for bound in self.bounds} - {0})
        self.assertEqual(audit.lines()[-1]["switches"], switches)
        # An auditor that signs also follows the periods, and reports which epochs its signature covers.
        with tempfile.TemporaryDirectory(prefix="optiks-auditor-") as folder:
            auditor = Auditor(Path(folder), self.log)
            signed = auditor.once()
            self.assertEqual(signed.code, 0, str(signed))
            auditor.look_at_signed()
            self.assertEqual(json.loads((auditor.folder_of() / "signed.json").read_text())["switches"], switches)

    def test_a_stranger_s_update_is_read_as_a_copy(self):
        history = self.log.optiks("history", "bob", "--json").lines()[0]
        self.assertEqual([(version["version"], version["epoch"], version["value"]) for version in history["versions"]], [(1, 0, "b1")])

    def test_both_verifiers_agree(self):
        export = self.log.data / "live.json"
        live = subprocess.run(
            [sys.executable, ROOT / "tests/reference/live.py", "--query-url", self.log.query.url, "--trust", self.log.data / "trust.json",
             "--key", "alice", "--key", "bob", "--absent", "nobody", "--handed-over", "dora", "--periods", "--api-key", self.log.api_key, "--at-least", "60", "--export", export],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(live.returncode, 0, live.stdout[-3000:] + live.stderr[-3000:])
        self.assertIn(f"verified the bounds of {self.bounds[-1]['period'] + 1} periods", live.stdout)
        # The live checks read ended periods that are still served, as an owner would.
        self.assertIn(f"verified hand-over of 3 keys to period {self.bounds[-1]['period']}", live.stdout)
        self.assertIn(f"verified hand-over of user b'dora' to period {self.bounds[-1]['period']}", live.stdout)
        content = json.loads(export.read_text())
        verifier = NativeVerifier(harness.OUT / harness.QUERY / "liboptiks.so")
        forms = {"periods": NativePeriods(verifier).verdict, "history": verifier.verdict, "monitor": verifier.verdict, "user-monitor": NativeUsers(verifier).monitor}
        judged = Counter()
        for row in content["vectors"]:
            if row["form"] in forms:
                with self.subTest(form=row["form"], kind=row["kind"]):
                    reason, shown = forms[row["form"]](content["anchors"], row)
                    self.assertEqual(reason, row["reason"])
                    judged[row["form"]] += 1
                    judged[row["form"], reason] += 1
                    if reason == "valid":
                        self.compare(row, shown)
        self.assertGreater(judged["periods"], 30)
        self.assertEqual({form for form in forms if judged[form]}, set(forms))
        # Each of these rows changes the owner's end states by one kind of fault of a hand-over.
        faults = [("monitor", "handover_missing"), *((form, f"handover_{fault}") for form in ("monitor", "user-monitor") for fault in ("period", "value", "unset"))]
        self.assertEqual([fault for fault in faults if not judged[fault]], [])

    def compare(self, row: dict, shown: list | dict) -> None:
        """Compares the contents that both verifiers read in a valid answer."""
        if row["form"] == "periods":
            self.assertEqual(shown, row["results"])
            return
        own = row.get("result")
        expected = row["results"] if own is None else [own["devices"], *own["keys"]]
        found = shown if own is None else [shown["devices"], *shown["keys"]]
        self.assertEqual(found, [{name: one[name] for name in ("version", "values", "complete")} for one in expected])


if __name__ == "__main__":
    unittest.main()
