"""optiks-stress on a running log: what it finds right, what it finds wrong, and what its reports say."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import OUT, Deployment, Run

INVALID, UNREACHABLE = 1, 3
MIX = "hit=40,absent=5,versions=5,history=3,monitor=3,audit=4,update=35,batch:20=5"


class Stress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Two replicas: they must show one log.
        cls.log = cls.enterClassContext(Deployment(replicas=2))
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def stress(self, *arguments: str, query_url: str | None = None) -> Run:
        urls = ["--query-url", query_url or ",".join(query.url for query in self.log.queries), "--update-url", self.log.update.url]
        return Run(subprocess.run([OUT / "stress/optiks-stress", *arguments, *urls, "--data", self.log.data], env=self.log.environment,
                                  capture_output=True, text=True, timeout=120, check=False))

    def test_a_sound_log_passes_and_the_reports_say_what_was_done(self):
        prepared = self.stress("prepare", "200", "--many-count", "4", "--versions", "3")
        self.assertEqual(0, prepared.code, prepared)
        self.assertIn("212 updates were needed", prepared.out)
        self.assertIn("; 0 updates were needed", self.stress("prepare", "200", "--many-count", "4", "--versions", "3").out)

        figures, page = self.folder / "figures.json", self.folder / "page.html"
        run = self.stress("run", "--mix", MIX, "--key-count", "200", "--many-count", "4", "--rate", "60", "--duration", "6", "--ramp", "1.5", "--stage", "3",
                          "--limit-p99", "10000", "--limit-errors", "1", "--warm-up", "1", "--json", str(figures), "--report", str(page))
        self.assertEqual(0, run.code, run)
        report = json.loads(figures.read_text())
        updates, verification = report["updates"], report["verification"]
        self.assertGreater(updates["accepted"], 50)
        self.assertEqual([updates["accepted"]] * 2 + [0, 0], [updates[name] for name in ("followed", "published", "lost", "doubled")])
        self.assertEqual(updates["updated_keys"], updates["checked_keys"])
        # Everybody's updates are this run's here: the records must count as many.
        self.assertEqual(updates["accepted"], report["epochs"][-1]["versions"] - report["versions_before"])
        self.assertEqual(verification["answers"], verification["verified"])
        self.assertEqual([60, 90], [stage["rate"] for stage in report["stages"]])
        kinds = {row["name"].partition("/")[0] for row in report["results"]}
        self.assertLessEqual({"hit", "absent", "versions", "history", "monitor", "audit", "update", "batch:20", "published"}, kinds)
        text = page.read_text()
        self.assertEqual(3, text.count("<svg"))
        self.assertIsNone(re.search(r"https?://|<script|<link", text), "the page needs something from elsewhere")

    def test_answers_that_are_not_what_was_written_are_found(self):
        run = self.stress("run", "--prefix", "never-prepared-", "--mix", "hit=1", "--rate", "20", "--duration", "1", "--warm-up", "0")
        self.assertEqual(INVALID, run.code, run)
        self.assertIn("was it prepared?", run.out)
        control = self.stress("run", "--prefix", "never-prepared-", "--mix", "absent=1", "--rate", "20", "--duration", "1", "--warm-up", "0")
        self.assertEqual(0, control.code, control)

    def test_a_service_that_is_not_there_is_said(self):
        run = self.stress("run", "--mix", "absent=1", "--rate", "20", "--duration", "1", query_url="http://127.0.0.1:1")
        self.assertEqual(UNREACHABLE, run.code, run)


if __name__ == "__main__":
    unittest.main()
