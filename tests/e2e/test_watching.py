"""A real Prometheus fetches the metrics of all five programs, and a probe checks a certificate.

Every metric that an alert or the dashboard names exists. No alert fires while all is well, and an alert fires when the task ends."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import prometheus
from auditors import Auditor
from bucket import Bucket
from harness import OUT, ROOT, Deployment, clean_environment
from ports import free_port
from rest import Client
from witness import Witness

PATIENCE = 60
ON = {"Optiks__Metrics__Prometheus": "true"}


def promtool(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["promtool", *arguments], cwd=prometheus.RULES.parent, capture_output=True, text=True, timeout=PATIENCE, check=False)


class RulesTest(unittest.TestCase):
    def test_the_configuration_is_one(self):
        with tempfile.TemporaryDirectory() as folder:
            # promtool needs the files that the configuration names.
            for file in (prometheus.CONFIGURATION, prometheus.RULES):
                (Path(folder) / file.name).write_text(file.read_text())
            (Path(folder) / "metrics-key").write_text("key")
            said = promtool("check", "config", f"{folder}/prometheus.yml")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_that_of_kubernetes_is_one(self):
        text = (ROOT / "deploy/kubernetes/monitoring/prometheus.yml").read_text()
        # Debian's Prometheus is built without the discovery of pods, so promtool checks everything except this part.
        known, count = re.subn(r"kubernetes_sd_configs: .*", 'static_configs: [{targets: ["127.0.0.1:1"]}]', text)
        self.assertEqual(count, 3)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "prometheus.yml"
            file.write_text(known)
            said = promtool("check", "config", "--syntax-only", str(file))
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
            file.write_text(known.replace("server_name", "servername"))
            self.assertNotEqual(promtool("check", "config", "--syntax-only", str(file)).returncode, 0)
        # The alerts refer to these names of jobs.
        for job in ("optiks-update-task", "optiks-update-service", "optiks-query-service"):
            self.assertIn(f"job_name: {job}\n", text)

    def test_each_alert_fires_and_is_silent_as_its_tests_say(self):
        said = promtool("test", "rules", prometheus.RULE_TESTS.name)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_a_rule_test_that_is_wrong_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "alerts.yml").write_text(prometheus.RULES.read_text().replace("> 300", "> 3000"))
            (Path(folder) / "t.yml").write_text(prometheus.RULE_TESTS.read_text())
            said = promtool("test", "rules", f"{folder}/t.yml")
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("OptiksPendingAge", said.stdout + said.stderr)


class WatchingTest(unittest.TestCase):
    def test_all_programs_are_watched(self):
        folder = Path(self.enterClassContext(tempfile.TemporaryDirectory(prefix="optiks-e2e-watching-")))
        bucket = self.enterClassContext(Bucket())
        witness = Witness("witness.example/w")
        self.addCleanup(witness.close)
        policy = folder / "policy"
        policy.write_text(f"{witness.line('w')}quorum w\n")
        log = self.enterClassContext(Deployment({**ON, **bucket.settings, "Optiks__Witnesses__PolicyFile": str(policy), "Optiks__Witnesses__RetryAfter": "00:00:00.200",
                                                 "Optiks__Log__Heartbeat": "00:00:05", "Optiks__UpdateTask__EpochInterval": "00:00:01"}))
        witness.know(json.loads((log.data / "trust.json").read_text())["log_key"])
        certificate = self.make_certificate(folder)
        https = f"https://127.0.0.1:{free_port()}"
        witness.start({**ON, **certificate}, https)
        auditor = Auditor(folder / "auditor", log)
        auditor.state.mkdir(mode=0o700)
        keys = {"optiks-update-task": log.data, "optiks-update-service": log.data, "optiks-query-service": log.data, "optiks-auditor": auditor.state, "optiks-witness": witness.folder}
        files = {data: self.make_key(data, folder / f"key-{number}") for number, data in enumerate(dict.fromkeys(keys.values()))}
        targets = {"optiks-update-task": log.task.url, "optiks-update-service": log.update.url, "optiks-query-service": log.query.url, "optiks-auditor": auditor.url, "optiks-witness": witness.url}
        # In this test, only the witness has TLS.
        addresses = {job: url.removeprefix("http://") for job, url in targets.items()} | {prometheus.EDGE: https.removeprefix("https://")}
        with auditor.start(**ON) as daemon:
            daemon.wait_ready()
            for url in targets.values():
                self.refuses_strangers(url, log.api_key)
            server = self.enterClassContext(prometheus.Prometheus(addresses, {job: files[data] for job, data in keys.items()}))
            log.publish(("alice", "a1"))
            with log.query_client() as client:
                for path in ("/v1/lookup", "/v1/history", "/v1/monitor"):
                    self.assertEqual(client.post_json(path, {"key": "alice"}).status, 200)
            named = prometheus.metrics_named()
            self.assertGreater(len(named), 30)
            server.wait(lambda: len(server.get("query", query='up{job=~"optiks-.*"} == 1')["result"] if server.get("query", query="up") else []) == len(addresses), PATIENCE, "all targets up")
            try:
                server.wait(lambda: named <= server.names(), PATIENCE, "all metrics")
            except AssertionError:
                self.fail(f"no program has {sorted(named - server.names())}")
            for expression in prometheus.answerable():
                with self.subTest(expression=expression):
                    server.wait(lambda asked=expression: server.get("query", query=asked)["result"], PATIENCE, "a result")
            # By now enough time has passed for every alert whose `for` is not longer than the `for` of the leadership alert.
            self.assertEqual(set(), server.alerts("firing") - {"OptiksDiskFilling"})
            for end in ("optiks_service_certificate_expiry_seconds", "probe_ssl_earliest_cert_expiry"):
                left = server.get("query", query=f"{end} - time()")["result"]
                self.assertTrue(any(29 * 86400 < float(sample["value"][1]) <= 30 * 86400 for sample in left), left)

            log.task.stop()
            server.wait(lambda: {"OptiksNoLeader", "OptiksEpochAge"} & server.alerts("firing") == {"OptiksNoLeader"}, 120, "OptiksNoLeader")
            log.task.start()
            log.task.wait_ready()
            server.wait(lambda: "OptiksNoLeader" not in server.alerts("firing", "pending"), PATIENCE, "the end of OptiksNoLeader")

    def refuses_strangers(self, url: str, other_key: str) -> None:
        """Checks that callers without a key of that scope are refused."""
        for key, status in ((None, (401,)), (other_key, (401, 403))):
            with Client(url, key) as client:
                self.assertIn(client.get("/metrics").status, status)

    def make_key(self, data: Path, file: Path) -> Path:
        made = subprocess.run([OUT / "db/optiks-db", "api-key", "add", "prometheus", "--scope", "metrics", "--out", file], env=clean_environment() | {"OPTIKS_DATA": str(data)},
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return file

    def make_certificate(self, folder: Path) -> dict[str, str]:
        certificate, key = folder / "certificate.pem", folder / "certificate-key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj", "/CN=localhost",
                        "-keyout", key, "-out", certificate], capture_output=True, timeout=PATIENCE, check=True)
        key.chmod(0o600)
        return {"Kestrel__Certificates__Default__Path": str(certificate), "Kestrel__Certificates__Default__KeyPath": str(key)}


if __name__ == "__main__":
    unittest.main()
