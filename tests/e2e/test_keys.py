"""Runs each command of docs/operations/keys.md in order, except the commands for a credential of systemd, while services run: a new log's
key, a backup, a rotation, a restore. Then it tests other places for the keys."""

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import OUT, ROOT, Deployment
from pages import commands_of

PAGE = ROOT / "docs/operations/keys.md"
# With these settings, the task prepares no period before an operator requests it.
PERIODS = {"Optiks__Log__PeriodLength": "00:00:01", "Optiks__Periods__Automatic": "false"}


class Keys(unittest.TestCase):
    """The tests must run in this order, because later tests rely on earlier ones."""

    @classmethod
    def setUpClass(cls):
        cls.commands = {section: [text for _, text in blocks] for section, blocks in commands_of(PAGE).items() if blocks}
        # This section is left out, because test_credential.py tests it.
        del cls.commands["Rotating a credential of systemd"]
        cls.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-keys-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.log = cls.enterClassContext(Deployment(PERIODS, before_start=lambda log: cls.make_first(log)))
        cls.log.publish(("alice", "a1"))

    @classmethod
    def make_first(cls, log: Deployment) -> None:
        cls.log = log
        (block,) = cls.commands.pop("A new log")
        cls.first = cls.run_block(block).split()[0]

    @classmethod
    def run_block(cls, block: str, code: int = 0, **environment: str) -> str:
        """Runs lines of the page and returns their output."""
        settings = {**cls.log.environment, **cls.log.storage.settings(None), "PATH": f"{OUT / 'db'}:{os.environ['PATH']}", **environment}
        done = subprocess.run(["/bin/sh", "-euc", block], env=settings, cwd=cls.folder, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != code:
            raise AssertionError(f"{block}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def looks_up(self, value: str) -> None:
        said = self.log.optiks("lookup", "alice", "--json")
        self.assertEqual((said.code, said.lines()[0].get("value")), (0, value), said)

    def test_1_the_log_has_the_key_that_was_made_for_it(self):
        self.assertRegex(self.first, "^[0-9a-f]{16}$")
        self.assertIn(f"{self.first}  wraps period 0, log key", self.run_block("optiks-db kek status"))
        self.assertEqual((self.log.data / "kek").stat().st_mode & 0o777, 0o600)

    def test_2_keys_are_backed_up_and_the_backup_is_checked(self):
        backup, check = self.commands.pop("Backing up")
        self.run_block(backup)
        sealed, code = (self.folder / "keys.backup").read_bytes(), (self.folder / "recovery-code").read_text()
        self.assertRegex(code, "^([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}\n$")
        said = self.run_block(check)
        for line, words in zip(said.splitlines(), ("not checked", "its log key is that of the log", "it opens the secrets of 1 periods"), strict=True):
            self.assertIn(words, line)
        for secret in ((self.log.data / "kek").read_text().strip(), code.strip()):
            self.assertNotIn(secret, said)
            self.assertNotIn(secret.encode(), sealed)
        # The first check gets a wrong recovery code, and the second check gets a changed file.
        (self.folder / "other-code").write_text(("0" if code[0] != "0" else "1") + code[1:])
        (self.folder / "other-code").chmod(0o600)
        self.assertIn("does not open", self.run_block("optiks-db key check keys.backup --code other-code", code=78))
        (self.folder / "changed.backup").write_bytes(sealed.replace(b'"made_ms":1', b'"made_ms":2'))
        self.assertIn("does not open", self.run_block("optiks-db key check changed.backup --code recovery-code", code=78))
        # A person who copies the code by hand may write it like this.
        (self.folder / "written-code").write_text(code.lower().replace("-", " "))
        (self.folder / "written-code").chmod(0o600)
        self.run_block("optiks-db key check keys.backup --code written-code")
        self.assertIn("never overwritten", self.run_block(backup, code=2))

    def test_3_the_key_is_rotated_while_services_run(self):
        make, add, rotate, look, remove = self.commands.pop("Rotating the key-encryption key")
        second = self.run_block(make).strip()
        listed = self.run_block(add)
        self.assertIn(self.first, listed)
        self.assertIn(second, listed)
        self.assertIn(f"rewrapped with {second}: the secrets of 1 period, and the log's key", self.run_block(rotate))
        self.assertIn(f"{second}  wraps period 0, log key", self.run_block(look))
        self.run_block(remove, KEK_OLD=self.first)
        self.assertEqual(self.run_block("optiks-db kek list").split()[0], second)
        # The task creates the next period's secrets, and the replica creates its trees, with a key that neither process had at its start.
        pids = [process.pid for process in self.log.processes]
        self.run_block("optiks-db period switch")
        deadline = time.monotonic() + 60
        while "wraps period 0, period 1, log key" not in self.run_block("optiks-db kek status") or '"current":1' not in self.run_block("optiks-db period status --json").replace(" ", ""):
            self.assertLess(time.monotonic(), deadline, self.log.task.log_end())
            time.sleep(0.1)
        self.log.publish(("alice", "a2"))
        self.looks_up("a2")
        self.assertEqual([process.pid for process in self.log.processes if process.running], pids)
        # The check says that the backup is from before the rotation.
        self.assertIn(f"is wrapped by the key-encryption key {second}", self.run_block("optiks-db key check keys.backup --code recovery-code --database", code=78))
        self.run_block("rm keys.backup recovery-code")
        self.run_block("optiks-db key backup keys.backup --code-out recovery-code")

    def test_4_keys_are_restored_on_another_host(self):
        (restore,) = self.commands.pop("Restoring")
        data = self.folder / "restored"
        self.assertIn("recovery.md", self.run_block(restore, OPTIKS_DATA=str(data)))
        for name in ("kek", "log.key", "trust.json"):
            self.assertEqual((data / name).read_bytes(), (self.log.data / name).read_bytes(), name)
        self.assertEqual([(data / name).stat().st_mode & 0o777 for name in ("kek", "log.key")], [0o600, 0o600])
        self.run_block(restore, OPTIKS_DATA=str(data))
        (data / "log.key").write_bytes(b"another")
        self.assertIn("never overwritten", self.run_block(restore, code=2, OPTIKS_DATA=str(data)))
        self.assertEqual((data / "log.key").read_bytes(), b"another")

    def test_5_every_command_of_the_page_was_run(self):
        self.assertEqual(self.commands, {})

    def test_6_a_variable_is_taken_out_and_a_second_place_refused(self):
        key = (self.log.data / "kek").read_text().strip()
        task = self.log.task
        self.assertEqual(task.stop(), 0)
        task.start(OPTIKS_KEK=key)
        self.assertEqual(task.wait(60), 78)
        self.assertIn("given 2 times", task.log_end())
        self.assertNotIn(key, task.log())

        (self.log.data / "kek").rename(self.folder / "kek")
        task.start(OPTIKS_KEK=key)
        task.wait_ready()
        environment = Path(f"/proc/{task.pid}/environ").read_bytes()
        self.assertIn(b"OPTIKS_KEK=", environment)
        self.assertNotIn(key.encode(), environment)
        self.log.publish(("alice", "a3"))
        self.assertEqual(task.stop(), 0)
        # Both programs can read the key from a file that the operator chooses.
        self.assertEqual(self.log.query.stop(), 0)
        for process in (task, self.log.query):
            process.start(Optiks__Kek__File=str(self.folder / "kek"))
            process.wait_ready()
        self.log.publish(("alice", "a4"))
        self.looks_up("a4")


if __name__ == "__main__":
    unittest.main()
