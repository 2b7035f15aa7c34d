"""Tests that `make run` notices each service that ends."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import services  # noqa: E402


class Watch(unittest.TestCase):
    """Tests `make run` with other processes in place of the services."""

    def setUp(self):
        self.data = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.dict(os.environ, {"OPTIKS_DATA": str(self.data)}))
        for folder in ("run", "log"):
            (self.data / folder).mkdir()
        self.services = services.Services()

    def start(self, service, *command):
        process = subprocess.Popen(command)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        service.log.write_text("its log\n")
        (self.data / "run" / f"{service.name}.pid").write_text(f"{process.pid} {services.start_time(process.pid)}\n")
        return process

    def test_a_service_that_has_ended_already_is_found(self):
        *others, first = self.services.all
        for service in others:
            self.start(service, "sleep", "600")
        ended = self.start(first, "sh", "-c", "exit 3")
        while services.start_time(ended.pid) is not None:
            time.sleep(0.01)
        self.assertIsNone(first.pid())
        # If the watch did not find the ended service, it would wait forever, so the alarm ends the test.
        signal.alarm(30)
        self.addCleanup(signal.alarm, 0)
        self.assertEqual(3, self.services._watch())


if __name__ == "__main__":
    unittest.main()
