"""A short form of the storms of run_faults.py --storm. Also tests the two things on which storms rely: the proxies, and the page of exit
codes.

OPTIKS_FAULT_SEED: the seed of the times (default: random; a failure names it).
"""

import json
import os
import random
import re
import socket
import subprocess
import threading
import unittest

from harness import ROOT, Run
from oracle import Wrong
from proxy import HOST, Proxies
from storage import OwnPostgreSql
from storm import Ends, Storm, StormLog, StormReader, restarted_after

SEED = int(os.environ.get("OPTIKS_FAULT_SEED", random.SystemRandom().randrange(2**32)))
SHORT_STORM = 4
# Names of common/src/ExitCodes.cs.
ONLY_OF_COMMANDS = {"Invalid", "Usage", "Fork"}
# The length in seconds of each fault in the tests of proxies. It is longer than any test, so a fault lasts until the test ends it.
LONG = 600


class StormTest(unittest.TestCase):
    def test_what_was_answered_is_there_and_all_go_on(self):
        # The engine is PostgreSQL, because its connections can be cut.
        try:
            with Proxies(SEED) as proxies, StormLog(OwnPostgreSql.name, proxies) as log, Storm(log, proxies, SEED) as storm:
                storm.blow(SHORT_STORM)
                rows = storm.judge()
        except Exception as failure:
            failure.add_note(f"OPTIKS_FAULT_SEED={SEED}")
            raise
        self.assertGreater(sum(row.kills for row in rows), 0, "nothing was done")
        self.assertGreater(sum(row.accepted for row in rows), 0)
        self.assertEqual([row for row in rows if (row.lost, row.doubled, row.histories) != (0, 0, 1)], [])


class ExitCodesTest(unittest.TestCase):
    def test_the_page_has_every_code(self):
        page = (ROOT / "docs/operations/exit-codes.md").read_text()
        code = dict(re.findall(r"public const int (\w+) = (\d+);", (ROOT / "common/src/ExitCodes.cs").read_text()))
        of_services = {number for name, number in code.items() if name not in ONLY_OF_COMMANDS}
        self.assertEqual(set(re.findall(r"^\| (\d+) \|", page, re.MULTILINE)), of_services | {"137", "143"})
        self.assertEqual(restarted_after(), {"update-service": {3}, "update-task": {3, 137}})

    def test_an_end_that_no_page_names_is_found(self):
        ends = Ends()
        for service, code, expected in (("update-service", 3, set()), ("update-task", 137, set()), ("query-service", 137, {137}), ("query-service", 0, {0, 143})):
            ends.add(service, code, expected, "cut", "")
        self.assertEqual(sum(ends.by_point["cut"].values()), 4)
        for service, code, expected in (("query-service", 3, set()), ("query-service", 137, set()), ("update-task", 134, {0, 143}), ("update-task", 78, set())):
            with self.assertRaisesRegex(Wrong, f"{service} ended with {code} during cut"):
                ends.add(service, code, expected, "cut", "")


class StormReaderTest(unittest.TestCase):
    def test_only_stale_is_no_answer(self):
        for code, reasons, is_none in ((3, ["unreachable"], True), (1, ["stale", "stale"], True), (1, ["stale", "member_root"], False), (1, ["fork"], False), (5, ["fork"], False)):
            run = Run(subprocess.CompletedProcess([], code, "".join(json.dumps({"reason": reason}) + "\n" for reason in reasons), ""))
            self.assertEqual(StormReader.is_no_answer(run), is_none, reasons)


class ProxyTest(unittest.TestCase):
    """Tests proxies in front of an echo server."""

    def setUp(self):
        self.listener = self.enterContext(socket.create_server((HOST, 0)))
        self.listener.settimeout(0.1)
        self.stop = threading.Event()
        thread = threading.Thread(target=self.echo)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.stop.set)
        self.proxies = self.enterContext(Proxies(SEED))
        self.port = self.proxies.add("here", self.listener.getsockname()[1])

    def echo(self) -> None:
        served = []
        while not self.stop.is_set():
            try:
                served.append(self.listener.accept()[0])
            except TimeoutError:
                continue
            threading.Thread(target=self.answer, args=[served[-1]]).start()
        for connection in served:
            connection.close()

    @staticmethod
    def answer(connection: socket.socket) -> None:
        try:
            while octets := connection.recv(1000):
                connection.sendall(octets)
        except OSError:
            pass

    def connect(self) -> socket.socket:
        return self.enterContext(socket.create_connection((HOST, self.port), timeout=5))

    def exchange(self, connection: socket.socket) -> None:
        connection.sendall(b"asked")
        self.assertEqual(connection.recv(1000), b"asked")

    def test_calm(self):
        self.exchange(self.connect())

    def test_what_stalls_arrives_afterwards(self):
        for fault in ("stall", "hold_answers"):
            with self.subTest(fault):
                connection = self.connect()
                self.exchange(connection)
                self.proxies.put(fault, LONG)
                connection.sendall(b"late")
                connection.settimeout(0.3)
                with self.assertRaises(TimeoutError):
                    connection.recv(1000)
                self.proxies.calm()
                connection.settimeout(5)
                self.assertEqual(connection.recv(1000), b"late")

    def test_a_cut_is_felt_and_the_next_connection_is_not(self):
        for fault in ("cut", "lose_answers"):
            with self.subTest(fault):
                connection = self.connect()
                self.exchange(connection)
                self.proxies.put(fault, 0.1)
                with self.assertRaises(ConnectionResetError):
                    connection.sendall(b"lost")
                    connection.recv(1000)
                self.proxies.calm()
                self.exchange(self.connect())

    def test_who_is_refused_is_told_so(self):
        connection = self.connect()
        self.exchange(connection)
        self.proxies.put("refuse", LONG)
        with self.assertRaises(ConnectionRefusedError):
            self.connect()
        self.exchange(connection)
        self.proxies.calm()
        self.exchange(self.connect())


if __name__ == "__main__":
    unittest.main()
