"""Tests services at the limits of the system: few file descriptors, full disks, and signals during a start."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import ExitStack
from pathlib import Path

from auditors import Auditor
from disk import BoardDisk
from harness import OUT, PROGRAMS, READY_SECONDS, ROOT, SERVICES, Deployment
from rest import Client
from witness import Witness

sys.path.insert(0, str(ROOT / "tests/reference"))
from rounds import rounds  # noqa: E402

CONFIGURATION = 78
LEAST_DESCRIPTORS = 1024


def wait_until(condition, what: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.05)


class Descriptors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())
        cls.log.publish(("alice", "one"))

    def lookup(self, client: Client):
        return client.post_json("/v1/lookup", {"key": "alice"})

    def test_more_connections_than_descriptors_take_no_service_its_last_one(self):
        """A process that cannot get another file descriptor ends, because the runtime cannot start a thread. So strangers must not be able
        to use up all descriptors."""
        for process, client in ((self.log.query, self.log.query_client), (self.log.update, self.log.update_client)):
            with self.subTest(process.service):
                process.stop()
                process.start("prlimit", f"--nofile={LEAST_DESCRIPTORS}:{LEAST_DESCRIPTORS}")
                process.wait_ready()
                with client() as before, ExitStack() as strangers:
                    self.assertEqual(200, before.get("/health/ready").status)
                    for _ in range(3 * LEAST_DESCRIPTORS // 2):
                        strangers.enter_context(socket.create_connection(("127.0.0.1", process.port), timeout=READY_SECONDS))
                    open_files = Path(f"/proc/{process.pid}/fd")
                    self.assertLess(len(list(open_files.iterdir())), LEAST_DESCRIPTORS)
                    for i in range(20):
                        self.assertEqual(200, before.get("/health/ready").status)
                        if process is self.log.query:
                            self.assertEqual(200, self.lookup(before).status)
                        else:
                            self.assertEqual(202, before.post_json("/v1/updates", {"key": f"bob {i}", "value": "one"}).status)
                process.wait_ready()

    def test_a_crowd_that_comes_at_once_is_not_accepted_faster_than_there_are_descriptors(self):
        """While SIGSTOP stops the process, the kernel queues its connections. When the process continues, they all arrive at once."""
        process = self.log.query
        process.stop()
        process.start("prlimit", f"--nofile={LEAST_DESCRIPTORS}:{LEAST_DESCRIPTORS}")
        process.wait_ready()
        with self.log.query_client() as before:
            self.assertEqual(200, self.lookup(before).status)
            for _ in range(3):
                with ExitStack() as strangers:
                    process.signal(signal.SIGSTOP)
                    process.wait_stopped(READY_SECONDS)
                    for _ in range(1500):
                        stranger = strangers.enter_context(socket.socket())
                        stranger.setblocking(False)
                        stranger.connect_ex(("127.0.0.1", process.port))
                    process.signal(signal.SIGCONT)
                    for _ in range(20):
                        self.assertEqual(200, self.lookup(before).status, process.log_end())
                    self.assertLess(len(list(Path(f"/proc/{process.pid}/fd").iterdir())), LEAST_DESCRIPTORS)
            process.wait_ready()
        self.assertNotIn("failed to accept", process.log())

    def test_too_few_are_refused_at_the_start(self):
        for process in (self.log.query, self.log.update):
            with self.subTest(process.service):
                # This limit is so low that the .NET framework could not even load its files.
                process.stop()
                process.start("prlimit", "--nofile=128:128")
                self.assertEqual(CONFIGURATION, process.wait(READY_SECONDS), process.log_end())
                self.assertIn("ulimit -n", process.log_end())
                process.stop()
                process.start("prlimit", f"--nofile={LEAST_DESCRIPTORS - 1}:{LEAST_DESCRIPTORS - 1}")
                self.assertEqual(CONFIGURATION, process.wait(READY_SECONDS), process.log_end())
                self.assertIn("ulimit -n", process.log_end())
                # The service starts with exactly the required number of descriptors.
                process.start("prlimit", f"--nofile={LEAST_DESCRIPTORS}:{LEAST_DESCRIPTORS}")
                process.wait_ready()


class Threads(unittest.TestCase):
    @unittest.skipUnless(os.geteuid() == 0, "the limit is of a user, and root sets it")
    def test_too_few_are_refused_at_the_start(self):
        """The process runs as a user that runs nothing else, so that the limit counts only the process's own threads."""
        nobody = ("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "prlimit", "--nproc=60:60")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o777)
            for name in SERVICES:
                with self.subTest(name):
                    done = subprocess.run([*nobody, OUT / name / PROGRAMS[name], "--urls", "http://127.0.0.1:0"], capture_output=True, text=True, timeout=READY_SECONDS, check=False,
                                          stdin=subprocess.DEVNULL, cwd=folder, env={**os.environ, "OPTIKS_DATA": folder, "HOME": folder})
                    self.assertEqual(CONFIGURATION, done.returncode, done)
                    self.assertRegex(done.stderr, r"^optiks: The process could start \d+ threads; 64 are needed\. .*ulimit -u.*\n$")


class Disks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment(before_start=cls.mount))

    @classmethod
    def mount(cls, log: Deployment) -> None:
        replicas = log.data / "replicas"
        replicas.mkdir(mode=0o700)
        cls.disk = BoardDisk(replicas, log.logs / "disk")
        log.cleanup.callback(cls.disk.close)

    def test_a_replica_whose_disk_is_full_serves_its_last_epoch_until_there_is_room(self):
        self.log.publish(("alice", "one"))
        with self.disk.full():
            with self.log.update_client(timeout=90) as client:
                accepted = client.post_json("/v1/updates", {"key": "alice", "value": "two"})
                self.assertEqual("published", client.get(f"{accepted.json()['status_url']}?wait=60").json()["status"])
            self.log.query.wait_unready("cannot be read or written")
            with self.log.query_client() as client:
                self.assertEqual("one", client.post_json("/v1/lookup", {"key": "alice"}).json()["lookups"][0]["members"][-1]["value"])
        self.log.query.wait_ready()
        with self.log.query_client() as client:
            wait_until(lambda: client.post_json("/v1/lookup", {"key": "alice"}).json()["lookups"][0]["members"][-1]["value"] == "two", "the replica does not follow")


class Rights(unittest.TestCase):
    # Root may look into processes that forbid it, so as root the programs run without this right. Other users do not have the right.
    ORDINARY = ("setpriv", "--bounding-set=-sys_ptrace") if os.geteuid() == 0 else ()

    def test_a_stopped_task_is_ended_by_its_successor_that_may_not_look_into_it(self):
        with Deployment({"Optiks__UpdateTask__BoardLockTimeout": "00:00:01"}) as log:
            log.task.stop()
            log.task.start(*self.ORDINARY, OPTIKS_FAIL_POINT="tiles:1:stop")
            with log.update_client() as client:
                # Without this update, the task would make its next epoch only at the next heartbeat.
                self.assertEqual(202, client.post_json("/v1/updates", {"key": "alice", "value": "none"}).status)
            log.task.wait_stopped(READY_SECONDS)
            log.standby.start(*self.ORDINARY)
            self.assertEqual(-signal.SIGKILL, log.task.wait(READY_SECONDS), log.standby.log_end())
            log.publish(("alice", "one"))

    def test_nobody_looks_into_a_program_that_holds_keys(self):
        """No program may look into a program that holds keys. PR_SET_DUMPABLE 0 ensures this; with it, the kernel also writes no core
        dump."""
        def may_look_into(pid: int) -> bool:
            return subprocess.run([*self.ORDINARY, "readlink", f"/proc/{pid}/exe"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

        control = subprocess.Popen([*self.ORDINARY, "sleep", "600"])
        self.addCleanup(control.wait)
        self.addCleanup(control.kill)
        witness = Witness("dumps.example/w")
        self.addCleanup(witness.close)
        with Deployment() as log, Auditor(Path(self.enterContext(tempfile.TemporaryDirectory())), log).start(*self.ORDINARY) as auditor:
            for process in log.processes:
                process.stop()
                process.start(*self.ORDINARY)
            witness.know(json.loads((log.data / "trust.json").read_text())["log_key"])
            witness.start(prefix=self.ORDINARY)
            auditor.wait_ready("live")
            log.wait_ready()
            programs = {process.service: process.pid for process in (*log.processes, auditor)} | {"witness": witness.pid}
            self.assertEqual({name: may_look_into(pid) for name, pid in programs.items()}, dict.fromkeys(programs, False))
        self.assertTrue(may_look_into(control.pid))


class Signals(unittest.TestCase):
    def test_a_start_that_is_called_off_ends_in_order(self):
        with Deployment() as log:
            log.query.stop()
            ends = []
            starts = rounds(quick=4, deep=10)
            for i in range(starts):
                log.query.start()
                # The signal comes at a varying point of the start. Before the runtime handles signals, the signal itself ends the process.
                time.sleep(0.6 * i / starts)
                log.query.signal(signal.SIGTERM)
                ends.append(log.query.wait(READY_SECONDS))
            self.assertLessEqual(set(ends), {0, -signal.SIGTERM, 128 + signal.SIGTERM}, log.query.log_end())


if __name__ == "__main__":
    unittest.main()
