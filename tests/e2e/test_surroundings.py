"""Tests the effects of a program's environment: arguments and variables that are not UTF-8, and HTTP proxies that variables name."""

import base64
import json
import os
import socket
import subprocess
import threading
import unittest

from harness import OUT, Deployment, clean_environment

USAGE, CONFIGURATION = 2, 78
NAMES = (b"caf\xe9", b"caf\xe8")


class Recorder:
    """An HTTP proxy that accepts connections and records their data, but does not answer. Use as a context manager."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.connections: list[bytes] = []

    def __enter__(self) -> "Recorder":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                link, _ = self._socket.accept()
            except OSError:
                return
            with link:
                link.settimeout(10)
                try:
                    self.connections.append(link.recv(65536))
                except OSError:
                    self.connections.append(b"")


class SurroundingsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.proxy = cls.enterClassContext(Recorder())
        # The services' environment names the proxy as well.
        cls.proxies = {name: cls.proxy.url for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}
        cls.log = cls.enterClassContext(Deployment(cls.proxies))

    def run_program(self, program: str, *arguments, environment: dict | None = None, cwd=None) -> subprocess.CompletedProcess:
        """Runs a program. Octets in its arguments and variables are passed unchanged."""
        base = {os.fsencode(name): os.fsencode(value) for name, value in (clean_environment() | {"OPTIKS_DATA": str(self.log.data), "OPTIKS_QUERY_URL": self.log.query.url,
                                                                                                  "OPTIKS_UPDATE_URL": self.log.update.url}).items()}
        return subprocess.run([OUT / program, *arguments], env=base | (environment or {}), cwd=cwd, capture_output=True, timeout=60, check=False)

    def test_arguments_that_are_not_utf_8_are_refused_before_anything_is_sent(self):
        for name in NAMES:
            for command in (("update", name, b"one", "--wait"), ("update", b"alice", name), ("lookup", name), ("history", name), ("user", "lookup", name), ("lookup", b"alice", "--data", b"/tmp/" + name)):
                with self.subTest(command):
                    done = self.run_program("cli/optiks", *command)
                    self.assertEqual((done.returncode, done.stdout), (USAGE, b""), done)
                    self.assertIn(b"--b64", done.stderr)
        asked = json.loads(self.run_program("cli/optiks", "lookup", NAMES[0], "--json").stdout)
        self.assertEqual((asked["verdict"], asked["reason"]), (None, "usage"))
        self.assertEqual(self.run_program("db/optiks-db", "api-key", "add", NAMES[0]).returncode, USAGE)
        # The log has no key with the name into which .NET would convert these octets.
        self.assertEqual(json.loads(self.run_program("cli/optiks", "lookup", "caf\ufffd", "--json").stdout)["verdict"], "absent")

    def test_octets_are_given_in_base64url_and_stay_apart(self):
        for name in NAMES:
            key, value = (base64.urlsafe_b64encode(octets).decode().rstrip("=") for octets in (name, b"of " + name))
            done = self.run_program("cli/optiks", "update", key, value, "--b64", "--wait")
            self.assertEqual(done.returncode, 0, done)
        found = [json.loads(self.run_program("cli/optiks", "lookup", base64.urlsafe_b64encode(name).decode().rstrip("="), "--b64", "--json").stdout) for name in NAMES]
        self.assertEqual([(base64.urlsafe_b64decode(one["value_b64"] + "=="), one["version"]) for one in found], [(b"of " + name, 1) for name in NAMES])

    def test_variables_and_folders_that_are_not_utf_8_are_refused(self):
        folder = os.fsencode(self.log.logs) + b"/" + NAMES[0]
        os.mkdir(folder)
        damaged = {b"OPTIKS_DATA": folder}
        for program, arguments, code in (("cli/optiks", ("lookup", "alice"), USAGE), ("db/optiks-db", ("status",), USAGE), ("query-service/Optiks.QueryService", (), CONFIGURATION),
                                         ("update-service/Optiks.UpdateService", (), CONFIGURATION), ("update-task/Optiks.UpdateTask", (), CONFIGURATION)):
            with self.subTest(program):
                done = self.run_program(program, *arguments, environment=damaged)
                self.assertEqual(done.returncode, code, done)
                self.assertIn(b"OPTIKS_DATA", done.stderr)
        self.assertEqual(self.run_program("cli/optiks", "lookup", "alice", cwd=folder).returncode, USAGE)
        self.assertEqual(os.listdir(folder), [])
        # The program does not check variables of other programs.
        self.assertEqual(self.run_program("cli/optiks", "lookup", "alice", environment={b"LS_COLORS": NAMES[0]}).returncode, 0)

    def test_a_proxy_sees_no_key_and_no_name(self):
        environment = {name.encode(): url.encode() for name, url in self.proxies.items()}
        for command in (("update", "proxied@example.org", "one", "--wait"), ("lookup", "proxied@example.org"), ("history", "proxied@example.org"), ("audit",), ("board", "verify")):
            done = self.run_program("cli/optiks", *command, environment=environment)
            self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.proxy.connections, [])
        # This is the control: https requests to another machine go through the proxy, encrypted.
        away = self.run_program("cli/optiks", "lookup", "proxied@example.org", "--query-url", "https://log.example.org", environment=environment)
        self.assertEqual(away.returncode, 3, away)
        self.assertTrue(self.proxy.connections)
        self.assertTrue(all(sent.startswith(b"CONNECT log.example.org:443 ") for sent in self.proxy.connections), self.proxy.connections)
        self.proxy.connections.clear()


if __name__ == "__main__":
    unittest.main()
