"""Tests optiks-stress on a running log: which answers it accepts, what it reports as wrong, and the contents of its reports."""

import json
import re
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from harness import OUT, Deployment, Run
from rest import Client

INVALID, UNREACHABLE = 1, 3
# With these settings each period lasts a few seconds, and the log still serves all periods of a run.
PERIODS = {"Optiks__Log__PeriodLength": "00:00:03", "Optiks__Log__RetainedPeriods": "255"}
MIX = "hit=40,absent=5,versions=5,history=3,monitor=3,audit=4,update=35,batch:20=5"


class PeriodLiar(ThreadingHTTPServer):
    """A false update-service whose statuses say that each published update is in the previous period. Use as a context manager."""

    daemon_threads = True

    def __init__(self, log: Deployment):
        super().__init__(("127.0.0.1", 0), PeriodLiarHandler)
        self.target, self.api_key = log.update.url, log.api_key
        self.lies = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "PeriodLiar":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return super().__enter__()

    def __exit__(self, *failure) -> None:
        self.shutdown()
        super().__exit__(*failure)


class PeriodLiarHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        with Client(self.server.target, self.server.api_key) as client:
            answer = client.get(self.path)
        status = answer.json()
        for item in status.get("items", []):
            if item.get("period", 0) > 0:
                item["period"] -= 1
                self.server.lies += 1
        self._answer(answer.status, json.dumps(status).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with Client(self.server.target, self.server.api_key) as client:
            answer = client.post_json(self.path, body)
        self._answer(answer.status, answer.body)

    def log_message(self, *_) -> None:
        """Keeps the server's log lines out of the test's output."""

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def stress_at(log: Deployment, *arguments: str, query_url: str | None = None, update_url: str | None = None) -> Run:
    urls = ["--query-url", query_url or ",".join(query.url for query in log.queries), "--update-url", update_url or log.update.url]
    return Run(subprocess.run([OUT / "stress/optiks-stress", *arguments, *urls, "--data", log.data], env=log.environment,
                              capture_output=True, text=True, timeout=120, check=False))


class Stress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # optiks-stress must see the same log at both replicas.
        cls.log = cls.enterClassContext(Deployment(replicas=2))
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def stress(self, *arguments: str, query_url: str | None = None) -> Run:
        return stress_at(self.log, *arguments, query_url=query_url)

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
        # In this test all updates come from this run, so the records must count exactly as many versions as were accepted.
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


class StressAcrossPeriods(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_at(self, log: Deployment, mix: str, update_url: str | None = None) -> tuple[Run, dict]:
        figures = self.folder / "figures.json"
        run = stress_at(log, "run", "--mix", mix, "--key-count", "50", "--many-count", "4", "--rate", "60", "--duration", "12", "--window", "4", "--warm-up", "1",
                        "--json", str(figures), update_url=update_url)
        return run, json.loads(figures.read_text())

    def test_a_log_that_goes_over_to_its_next_periods_meanwhile_passes(self):
        with Deployment(PERIODS, replicas=2) as log:
            prepared = stress_at(log, "prepare", "50", "--many-count", "4", "--versions", "3")
            self.assertEqual(0, prepared.code, prepared)
            run, report = self.run_at(log, MIX)
            self.assertEqual(0, run.code, run)
            periods = [epoch["period"] for epoch in report["epochs"]]
            self.assertGreaterEqual(periods[-1], periods[0] + 3)
            self.assertEqual([], report["errors"])
            updates = report["updates"]
            self.assertGreater(updates["accepted"], 300)
            self.assertEqual([updates["accepted"]] * 2 + [0, 0, 0], [updates[name] for name in ("followed", "published", "lost", "doubled", "unserved")])
            self.assertEqual(updates["updated_keys"], updates["checked_keys"])
            # The number of versions includes the versions of ended periods.
            self.assertEqual(updates["accepted"], report["epochs"][-1]["versions"] - report["versions_before"])
            self.assertEqual([1, 5, 9], [window["start_s"] for window in report["windows"]])
            # If optiks-stress does not verify answers, it still verifies and follows the heads.
            unverified = stress_at(log, "run", "--mix", "hit=1", "--verify", "0", "--key-count", "50", "--rate", "50", "--duration", "6", "--warm-up", "0")
            self.assertEqual(0, unverified.code, unverified)

    def test_an_update_that_is_not_in_the_period_it_was_told_of_is_found(self):
        with Deployment(PERIODS) as log, PeriodLiar(log) as liar:
            prepared = stress_at(log, "prepare", "50", "--many-count", "0")
            self.assertEqual(0, prepared.code, prepared)
            run, report = self.run_at(log, "update=1", update_url=liar.url)
            self.assertGreater(liar.lies, 100)
            self.assertEqual(INVALID, run.code, run)
            self.assertGreater(report["updates"]["lost"], 0)
            self.assertGreater(report["updates"]["doubled"], 0)
            self.assertRegex(report["updates"]["complaints"][0], "period")

    def test_periods_that_are_served_no_more_are_counted(self):
        with Deployment(PERIODS | {"Optiks__Log__RetainedPeriods": "2"}) as log:
            prepared = stress_at(log, "prepare", "50", "--many-count", "0")
            self.assertEqual(0, prepared.code, prepared)
            run, report = self.run_at(log, "update=1")
            self.assertEqual(0, run.code, run)
            self.assertEqual((0, 0), (report["updates"]["lost"], report["updates"]["doubled"]))
            self.assertGreater(report["updates"]["unserved"], 0)


if __name__ == "__main__":
    unittest.main()
