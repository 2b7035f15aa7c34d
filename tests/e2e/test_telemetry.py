"""Tests that the services send the documented metrics and spans to a collector, and that neither these nor the services' logs contain keys,
values or secrets."""

import base64
import json
import re
import tempfile
import time
import unittest
from pathlib import Path

from harness import ROOT, Deployment
from otlp import Collector
from rest import Client, b64, uuid7
from tokens import AUDIENCE, Signer, claims
from witness import Witness

QUERY, UPDATE, TASK = "optiks-query-service", "optiks-update-service", "optiks-update-task"
KEY, VALUE, WRONG_KEY = "canary-key-4711@example.org", "canary-value-0815-of-a-user", "optiks_" + "canaryWrongKey" * 3 + "A"
SUBJECT = "canary-subject-2342-of-a-user"
# Metrics that this deployment does not show. Some appear only after faults. The others belong to a bucket, a remote board, receipts or
# certificates, which this deployment lacks.
QUIET = {"optiks.update.overloads", "optiks.update.receipts", "optiks.storage.retries", "optiks.query.proof_queue.refused", "optiks.service.certificate.expiry",
         "optiks.service.board.size", "optiks.service.board.silence", "optiks.service.board.failures",
         "optiks.task.bucket.size", "optiks.task.bucket.alarm", "optiks.task.bucket.failures"}
ROW = re.compile(r"^\| `(optiks\.[a-z_.]+)` \| `([^`]+)` \|([^|]*)\|", re.MULTILINE)


def documented() -> dict[str, tuple[str, set[str]]]:
    """Returns the unit and attributes of each metric of the services, from docs/operations/telemetry.md. The metrics of `optiks auditor`
    are left out, because test_auditor tests them."""
    text = (ROOT / "docs/operations/telemetry.md").read_text()
    return {name: (unit, set(re.findall(r"`(optiks\.[a-z.]+)`", attributes))) for name, unit, attributes in ROW.findall(text) if not name.startswith("optiks.auditor.")}


def forms(octets: bytes) -> list[bytes]:
    """Returns the encodings in which these octets may occur in a payload or a log."""
    found = [octets, octets.hex().encode(), octets.hex().upper().encode(), b64(octets).encode(), base64.b64encode(octets).rstrip(b"=")]
    # Inside a longer text, the base64 form depends on the position where the octets begin. Only the characters that depend on these octets
    # alone are searched for.
    found += [base64.b64encode(bytes(shift) + octets)[4 * (shift > 0):].rstrip(b"=")[:-2] for shift in (1, 2)]
    return found


class TelemetryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.collector = Collector().__enter__()
        cls.addClassCleanup(cls.collector.__exit__, None, None, None)
        witness = Witness("witness.example/w")
        cls.addClassCleanup(witness.close)
        policy = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="optiks-e2e-policy-"))) / "policy"
        policy.write_text(f"{witness.line('w')}quorum w\n")
        telemetry = {"OTEL_EXPORTER_OTLP_ENDPOINT": cls.collector.url, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_METRIC_EXPORT_INTERVAL": "500",
                     "OTEL_BSP_SCHEDULE_DELAY": "200", "OTEL_BLRP_SCHEDULE_DELAY": "200", "Logging__LogLevel__Default": "Debug"}
        settings = telemetry | {"Optiks__RateLimits__Audits__PerSecond": "0.1", "Optiks__Log__Heartbeat": "00:00:01",
                                "Optiks__Witnesses__PolicyFile": str(policy), "Optiks__Witnesses__RetryAfter": "00:00:00.200",
                                "Optiks__QueryService__CosignersFile": str(policy), "Optiks__QueryService__CosignersInterval": "00:00:00.500"}
        cls.signer, stranger = Signer("signer-1"), Signer("signer-1")
        cls.tokens = [cls.signer.token(claims([KEY], sub=SUBJECT)), stranger.token(claims([KEY], sub=SUBJECT))]
        with Deployment(settings, before_start=cls.signer.trust) as log:
            cls.request_id = uuid7()
            cls.secrets = {"API key": log.api_key.encode(), "key encryption key": (log.data / "kek").read_bytes().strip(), "subject": SUBJECT.encode()}
            for name, token in zip(("token", "refused token"), cls.tokens, strict=True):
                cls.secrets |= {f"{name}'s {part}": text.encode() for part, text in zip(("payload", "signature"), token.split(".")[1:], strict=True)}
            cls.secrets["witness's key"] = (witness.folder / "key").read_bytes().split(b"+", 4)[4].strip()
            witness.know(json.loads((log.data / "trust.json").read_text())["log_key"])
            witness.start(telemetry)
            cls.use(log)
            # The processes are stopped with SIGTERM, because they send their remaining data when they stop regularly.
            codes = [process.stop() for process in (*log.processes, witness)]
            cls.logs = [process.log() for process in (*log.processes, witness)]
            assert codes == [0, 0, 0, 0], codes
        cls.received = cls.collector.received

    @classmethod
    def use(cls, log: Deployment) -> None:
        """Sends requests with the marked keys and values to every endpoint, in valid and invalid requests."""
        log.publish((KEY, VALUE))
        with log.update_client() as client:
            def post(document) -> int:
                return client.post_json("/v1/updates", document).status

            assert post({"request_id": cls.request_id, "key": KEY, "value": VALUE}) == 202
            assert post({"request_id": cls.request_id, "key": KEY, "value": VALUE + "!"}) == 409
            assert post({"key": KEY, "value": VALUE, "expected": {"period": 0, "version": 99}}) == 202
            assert post({"key": KEY, "value": VALUE, KEY: VALUE}) == 400
            assert client.request("POST", "/v1/updates", f'{{"key": "{KEY}" "{VALUE}"'.encode(), "application/json").status == 400
            assert client.get(f"/v1/updates/{cls.request_id}?wait=30").status == 200
        with log.query_client() as client:
            for path in ("/v1/lookup", "/v1/history", "/v1/monitor"):
                for _ in range(2):
                    assert client.post_json(path, {"key": KEY}).status == 200
                assert client.post_json(path, {"key": KEY, KEY: VALUE}).status == 400
            assert client.get(f"/v1/lookup?key={KEY}").status == 200
            assert client.get(f"/v1/lookup?key={KEY}&key={KEY}").status == 400
            assert client.get(f"/v1/{KEY}").status == 404
            assert client.get("/v1/epochs/1/audit-proof").status == 200
            assert client.get("/v1/epochs/1/audit-proof").status == 429
        for url, path in ((log.update.url, "/v1/updates"), (log.query.url, "/v1/history")):
            with Client(url, WRONG_KEY) as client:
                assert client.post_json(path, {"key": KEY, "value": VALUE}).status == 401
        for token, status in zip(cls.tokens, (200, 401), strict=True):
            with Client(log.query.url, token) as client:
                assert client.post_json("/v1/history", {"key": KEY}).status == status
            with Client(log.update.url, token) as client:
                assert client.post_json("/v1/updates", {"key": KEY, "value": VALUE}).status == (202 if status == 200 else status)
                assert client.post_json("/v1/updates", {"key": "another", "value": VALUE}).status == (403 if status == 200 else status)
        # The pause gives the services time for some more epochs and exports.
        time.sleep(3)

    def test_forms_are_found_wherever_they_stand(self):
        for before in range(4):
            hidden = bytes(before) + KEY.encode() + b"???"
            for text in (hidden, hidden.hex().encode(), base64.b64encode(hidden), base64.urlsafe_b64encode(hidden)):
                self.assertTrue(any(form in text for form in forms(KEY.encode())), text)

    def test_no_key_value_or_secret_is_told(self):
        canaries = {"key": KEY.encode(), "value": VALUE.encode(), "wrong API key": WRONG_KEY.encode(), "request id": self.request_id.encode(), **self.secrets}
        sources = {f"OTLP {signal}": b"".join(payloads) for signal, payloads in self.received.payloads.items()}
        sources["standard output"] = "".join(self.logs).encode()
        for source, octets in sources.items():
            self.assertGreater(len(octets), 1000, f"{source} is empty: the test did not test")
            # This is the control: the search finds a text that must be there.
            self.assertIn(b"commit updates" if source == "OTLP traces" else b"optiks", octets)
            for name, canary in canaries.items():
                for form in forms(canary):
                    with self.subTest(source=source, canary=name):
                        self.assertNotIn(form, octets)

    def test_every_documented_metric_arrives_and_no_other(self):
        documents = documented()
        self.assertGreater(len(documents), 25)
        arrived = {name: metric for (_, name), metric in self.received.metrics().items() if name.startswith("optiks.")}
        self.assertEqual(set(documents) - QUIET, set(arrived) - QUIET)
        for name, metric in arrived.items():
            with self.subTest(metric=name):
                self.assertEqual(documents[name], (metric.unit, set(metric.attributes)))

    def test_each_service_sends_what_ASP_NET_Core_measures(self):
        for service in (QUERY, UPDATE, TASK):
            self.assertIn((service, "http.server.request.duration"), self.received.metrics())

    def test_spans_of_commits_epochs_and_following(self):
        spans = self.received.spans()
        named = {(span.service, span.name) for span in spans}
        self.assertIn((UPDATE, "commit updates"), named)
        self.assertIn((QUERY, "follow epochs"), named)
        for request in ((QUERY, "POST /v1/lookup"), (QUERY, "GET /v1/lookup"), (QUERY, "HTTP"), (UPDATE, "GET /v1/updates/{request_id}")):
            self.assertIn(request, named)
        self.assertTrue(any(span.name == "commit updates" and span.links > 0 for span in spans), "No commit is linked to its callers.")
        self.assertLessEqual({(TASK, f"epoch {step}") for step in ("tree", "commit", "sign", "tiles", "checkpoint", "publish")}, named)

    def test_logs_arrive_as_on_standard_output(self):
        bodies = [body for service, body in self.received.logs() if service == TASK]
        self.assertTrue(any("Published epoch" in body for body in bodies), bodies[-5:])


if __name__ == "__main__":
    unittest.main()
