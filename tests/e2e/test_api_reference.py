"""Tests the page /docs of each service, which shows the service's interface, in a real browser."""

import os
import re
import subprocess
import tempfile
import unittest

from harness import Deployment, Process
from rest import Client

BROWSER = "/usr/bin/chromium"
SETTING = "Optiks__ApiReference__Enabled"


class ApiReferenceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())

    def rendered(self, url: str) -> str:
        """Returns the text of a page after the page's scripts ran."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={folder}", "--virtual-time-budget=20000", "--dump-dom", url],
                                  capture_output=True, text=True, timeout=120, env=os.environ | {"HOME": folder}, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return re.sub(r"<[^>]+>", " ", done.stdout)

    def restart(self, process: Process, **environment: str) -> None:
        process.stop()
        process.start(**environment)
        process.wait_ready()

    def test_both_services_show_their_interface(self):
        for process in (self.log.query, self.log.update):
            with self.subTest(process.service):
                text = self.rendered(f"{process.url}/docs")
                with Client(process.url) as client:
                    document = client.get("/openapi/v1.json").json()
                self.assertIn(document["info"]["title"], text)
                summaries = [operation["summary"].rstrip(".") for path in document["paths"].values() for operation in path.values()]
                # The page puts a space between a hyphen and the word before the hyphen.
                missing = [summary for summary in summaries if summary.replace("-", "") not in text.replace(" -", "").replace("-", "")]
                self.assertEqual(missing, [], "the page lacks operations")

    def test_the_page_may_load_nothing_from_elsewhere(self):
        """Checks only the security policy in the answer with the page. The browser enforces this policy, and the other test shows that the
        page works under the policy."""
        with Client(self.log.query.url) as client:
            answer = client.get("/docs/")
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, "text/html"))
            self.assertIn("default-src 'none'", answer.headers["content-security-policy"])
            self.assertEqual(client.get("/docs/?a=1").status, 400)

    def test_an_operator_turns_it_off(self):
        for process in (self.log.query, self.log.update):
            with self.subTest(process.service):
                self.restart(process, **{SETTING: "false"})
                self.addCleanup(self.restart, process)
                with Client(process.url) as client:
                    self.assertEqual([client.get(path).status for path in ("/docs", "/docs/", "/docs/scalar.js", "/openapi/v1.json")], [404, 404, 404, 200])


if __name__ == "__main__":
    unittest.main()
