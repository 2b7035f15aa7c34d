"""Tests the OpenAPI documents. A linter checks them, and clients that third-party generators make from them call every operation."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import ROOT, Deployment
from rest import Client

sys.path.insert(0, str(ROOT / "tests/reference"))

from facts import RECORD_LEN

SOURCES = ROOT / "tests/openapi"
NPM = ROOT / "build/npm"
"""The packages of eng/npm.sh."""
DOCUMENTS = {name: ROOT / f"docs/spec/openapi/{name}.json" for name in ("query-service", "update-service")}
CSHARP = ROOT / "build/artifacts/bin/Optiks.OpenApi.Client/release/Optiks.OpenApi.Client"


def operations(document: dict) -> set[str]:
    return {operation["operationId"] for path in document["paths"].values() for operation in path.values()}


class LintTest(unittest.TestCase):
    def lint(self, *documents: Path) -> subprocess.CompletedProcess:
        return subprocess.run([NPM / "node_modules/.bin/redocly", "lint", "--config", SOURCES / "redocly.yaml", "--format", "stylish", *documents],
                              env=os.environ | {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"},
                              capture_output=True, text=True, timeout=300, check=False)

    def test_documents(self):
        done = self.lint(*DOCUMENTS.values())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_lint_finds_what_is_missing(self):
        document = json.loads(DOCUMENTS["query-service"].read_text())
        del document["paths"]["/v1/lookup"]["post"]["operationId"]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(document, file)
            file.flush()
            done = self.lint(Path(file.name))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("operation-operationId", done.stdout + done.stderr)


class GeneratedClientsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # With this heartbeat the log has only a few epochs, so all tiles are partial tiles. MaxBehind is long, so no answer is too old.
        cls.log = cls.enterClassContext(Deployment({"Optiks__Log__Heartbeat": "00:00:30", "Optiks__Log__MaxBehind": "00:30:00"}))
        cls.log.publish(("alice", "a"))

    def run_client(self, command: list) -> list[str]:
        environment = self.log.environment | {"QUERY_URL": self.log.query.url, "UPDATE_URL": self.log.update.url, "API_KEY": self.log.api_key,
                                              "RECORD_LEN": str(RECORD_LEN)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_the_services_serve_what_is_committed(self):
        """Checks that the services serve the committed documents, because clients are generated from the committed documents."""
        for name, process in (("query-service", self.log.query), ("update-service", self.log.update)):
            with Client(process.url) as client:
                self.assertEqual(client.get("/openapi/v1.json").body, DOCUMENTS[name].read_bytes())

    def test_typescript(self):
        """Generates and runs the client in TypeScript. The client also checks that each answer matches its description."""
        with tempfile.TemporaryDirectory(dir=NPM) as folder:
            for file in ("client.ts", "tsconfig.json", "package.json"):
                shutil.copy(SOURCES / file, folder)
            tools = NPM / "node_modules/.bin"
            for command in (*([tools / "openapi-typescript", document, "-o", f"{name}.ts"] for name, document in DOCUMENTS.items()), [tools / "tsc"]):
                made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
                self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            called = self.run_client(["node", Path(folder) / "out/client.js"])
        self.assertEqual(set(called), set().union(*(operations(json.loads(document.read_text())) for document in DOCUMENTS.values())))

    def test_csharp(self):
        """The project generates its client when it is built. The program itself reports operations that it did not call."""
        called = self.run_client([CSHARP])
        self.assertLessEqual({"Lookup", "History", "PostUpdates", "AuditProof", "PartialTile"}, set(called))


if __name__ == "__main__":
    unittest.main()
