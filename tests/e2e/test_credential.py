"""Runs each command of docs/operations/keys.md for a key-encryption key that systemd passes to services, on a running log. Two programs of
the test replace systemd's programs: one does what LoadCredential= does, the other restarts services."""

import os
import shutil
import subprocess
import tempfile
import unittest
from itertools import count
from pathlib import Path

from harness import OUT, ROOT, Deployment
from pages import commands_of

PAGE = ROOT / "docs/operations/keys.md"
SECTION = "Rotating a credential of systemd"
CREDENTIAL = "optiks.kek"
# This program replaces systemd-run. The command that it runs gets a copy of the credential's current file, and the path of the copy's
# folder.
SYSTEMD_RUN = """#!/bin/bash
set -eu
while [[ $1 == --* ]]; do
    case $1 in
        --property=LoadCredential=*) credential=${1#--property=LoadCredential=} ;;
        --setenv=*) export "${1#--setenv=}" ;;
        --quiet | --pipe | --wait | --uid=optiks) ;;
        *) exit 2 ;;
    esac
    shift
done
export CREDENTIALS_DIRECTORY=$(mktemp -d)
trap 'rm -r "$CREDENTIALS_DIRECTORY"' EXIT
install -m 0400 "${credential#*:}" "$CREDENTIALS_DIRECTORY/${credential%%:*}"
"$@"
"""
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$0.calls"
"""


class CredentialTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-credential-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.store, self.root, self.programs = (self.folder / name for name in ("credstore", "root", "programs"))
        for folder in (self.store, self.root, self.programs):
            folder.mkdir(mode=0o700)
        for name, text in (("systemd-run", SYSTEMD_RUN), ("systemctl", SYSTEMCTL)):
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(0o700)
        self.commands = [text for _, text in commands_of(PAGE)[SECTION]]
        self.starts = count()

    @property
    def kek(self) -> Path:
        return self.store / CREDENTIAL

    def handed(self) -> str:
        """Makes and returns a credentials folder as systemd makes it for a service that starts now."""
        folder = self.folder / f"handed-{next(self.starts)}"
        folder.mkdir(mode=0o700)
        shutil.copy(self.kek, folder)
        return str(folder)

    def run_block(self, block: str, code: int = 0) -> str:
        """Runs lines of the page, in a shell that has run the section's first lines, and returns their output."""
        text = self.told + block
        for theirs, ours in (("/etc/credstore", self.store), ("/var/lib/optiks", self.log.data)):
            text = text.replace(theirs, str(ours))
        environment = os.environ | {"PATH": f"{self.programs}:{OUT / 'db'}:{os.environ['PATH']}"}
        done = subprocess.run(["/bin/sh", "-euc", text], env=environment, cwd=self.root, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, f"{block}\n{done.stdout}{done.stderr}")
        self.restart()
        return done.stdout if code == 0 else done.stderr

    def restart(self) -> None:
        """Restarts the services that the commands told systemd to restart."""
        calls = self.programs / "systemctl.calls"
        if not calls.exists():
            return
        services = {"restart optiks-query-service@8301": self.log.query, "restart optiks-update-task": self.log.task}
        for call in calls.read_text().splitlines():
            process = services.pop(call)
            self.assertEqual(process.stop(), 0)
            process.start(CREDENTIALS_DIRECTORY=self.handed())
            process.wait_ready()
        self.assertEqual(services, {})
        calls.unlink()

    def ids(self) -> list[str]:
        """Returns the ids of the keys in the current credential."""
        return [line.split()[0] for line in self.run_block("with_key /etc/credstore/optiks.kek kek list").splitlines()]

    def test_the_key_is_rotated(self):
        # The file has no newline at the end, which is the hardest case.
        self.kek.write_text(subprocess.run("openssl rand 32 | basenc --base64url | tr -d '=\\n'", shell=True, capture_output=True, text=True, check=True).stdout)
        self.kek.chmod(0o600)
        told, make, add, restart, rotate, look, remove = self.commands
        self.told = told.replace("database='--provider postgresql --connection Host=/var/run/postgresql;Database=optiks;Username=optiks_owner'", "database=")
        self.assertNotEqual(self.told, told)
        with Deployment({"CREDENTIALS_DIRECTORY": self.handed()}) as self.log:
            self.log.publish(("alice", "a1"))
            self.assertFalse((self.log.data / "kek").exists())
            before = self.kek.read_bytes()
            (first,) = self.ids()
            second = self.run_block(make).strip()

            # The commands run twice, because a second run must change nothing.
            for _ in range(2):
                listed = self.run_block(add)
                self.assertEqual([line.split()[0] for line in listed.splitlines()], [first, second])
                self.assertEqual((self.root / "first.key").read_bytes(), before)
            self.assertEqual(self.kek.stat().st_mode & 0o777, 0o600)
            self.run_block(restart)
            self.log.publish(("alice", "a2"))

            # It is too early to drop the old key, because all services still need it. So these commands must change nothing.
            both = self.kek.read_bytes()
            self.assertIn(f"is wrapped by the key-encryption key {first}", self.run_block(remove, code=78))
            self.assertEqual(self.kek.read_bytes(), both)

            self.assertIn(f"rewrapped with {second}: the secrets of 1 period, and the log's key", self.run_block(rotate))
            said = self.run_block(look)
            self.assertIn(f"{first}  wraps nothing", said)
            self.assertIn(f"{second}  wraps period 0, log key", said)
            self.run_block(remove)
            self.assertEqual(self.ids(), [second])
            self.assertEqual(self.kek.read_bytes(), (self.root / "second.key").read_bytes())
            self.log.publish(("alice", "a3"))
            lookup = self.log.optiks("lookup", "alice", "--json")
            self.assertEqual((lookup.code, lookup.lines()[0].get("value")), (0, "a3"), lookup)
            self.assertFalse((self.log.data / "kek").exists())


if __name__ == "__main__":
    unittest.main()
