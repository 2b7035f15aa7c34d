"""Runs each command of docs/operations/recovery.md that backs up or restores, on a running log: a restore to a time before the high-water
mark, a lost board, a lost host, and SQLite's copy."""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from faults import ROLLBACK
from harness import OUT, ROOT, Deployment
from oracle import Oracle
from pages import commands_of
from postgres import OWNER, PostgreSql, account
from storage import DATABASE, SERVER_SETTINGS, OwnPostgreSql

PAGE = ROOT / "docs/operations/recovery.md"
BACK_UP, SECRETS, RESTORE, OLDER_COPY = "PostgreSQL: back up", "Secrets: back up", "PostgreSQL: restore to a point in time", "An older copy of the database"
LOST_BOARD, LOST_MARK, LOST_HOST, SQLITE = "A lost or older board", "A lost high-water mark", "A lost host of the update-task", "SQLite: back up and restore"
LONG_SECONDS = 90


class Archived(OwnPostgreSql):
    """A PostgreSQL server that pgBackRest backs up, as in deploy/pgbackrest."""

    def __init__(self, data: Path, copies: Path):
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-pgbackrest-"))
        file = self.folder / "pgbackrest.conf"
        self.environment = {"PGBACKREST_CONFIG": str(file), "PGBACKREST_REPO1_CIPHER_PASS": "secret", "PGBACKREST_LOG_PATH": str(self.folder), "PGBACKREST_LOCK_PATH": str(self.folder / "lock")}
        page = PAGE.read_text()
        archive = {name: re.search(rf"^\| `{name}` \| `([^`]+)`", page, re.MULTILINE)[1] for name in ("archive_mode", "archive_command", "archive_timeout")}
        self.server = PostgreSql(SERVER_SETTINGS | archive, self.environment)
        self.port = self.server.port
        self.environment |= {"PGBACKREST_PG1_PORT": str(self.port), "PGBACKREST_PG1_USER": OWNER}
        text = (ROOT / "deploy/pgbackrest/pgbackrest.conf").read_text()
        for old, new in (("/var/lib/pgbackrest", self.folder / "repository"), ("/var/spool/pgbackrest", self.folder / "spool"), ("/var/lib/postgresql/15/optiks", self.server.data),
                         ("/var/run/postgresql", self.server.data.parent)):
            assert old in text, old
            text = text.replace(old, str(new))
        file.write_text(text)
        user = account()
        for path in (self.folder, file):
            if user:
                os.chown(path, user["user"], user["group"])

    def wait_promoted(self) -> None:
        """Waits until the restored server accepts writes."""
        deadline = time.monotonic() + LONG_SECONDS
        while self.server.sql("SELECT pg_is_in_recovery()") != ["f"]:
            assert time.monotonic() < deadline, self.server.log_end()
            time.sleep(0.1)

    def run(self, script: str, **variables: str) -> str:
        """Runs a script as the user under which PostgreSQL runs."""
        return shell("sh", script, self.environment | variables, account(), self.folder)

    def close(self) -> None:
        super().close()
        shutil.rmtree(self.folder)


def shell(program: str, script: str, environment: dict[str, str], user: dict[str, object], folder: Path) -> str:
    # The umask is a shell's default, because the page's commands must set the modes of files themselves.
    done = subprocess.run([program, "-eu"], input=script, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=300, check=False, umask=0o022, **user)
    if done.returncode != 0:
        raise AssertionError(f"{script}ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Backups(unittest.TestCase):
    """The parts that the tests on both engines have in common."""

    def setUp(self):
        # On the page, blocks of `sh` are for the host of the database, and blocks of `bash` are for the host of the update-task.
        self.page = commands_of(PAGE)
        self.backup = Path(tempfile.mkdtemp(prefix="optiks-e2e-backup-"))
        self.addCleanup(shutil.rmtree, self.backup)
        self.elsewhere = Path(tempfile.mkdtemp(prefix="optiks-e2e-code-"))
        self.addCleanup(shutil.rmtree, self.elsewhere)

    def follow(self, log: Deployment, section: str, blocks: int = 1, **variables: str) -> str:
        """Runs the next blocks of a section of the page, and returns the output of the last block."""
        said = ""
        for _ in range(blocks):
            program, script = self.page[section].pop(0)
            if program == "sh":
                said = log.storage.run(script, **variables)
            else:
                path = f"{OUT / 'db'}:{os.environ['PATH']}"
                said = shell("bash", script, log.environment | log.storage.settings(None) | {"PATH": path, "BACKUP": str(self.backup), "CODE": str(self.elsewhere / "code")} | variables, {}, self.backup)
        return said

    def assert_followed(self, *sections: str) -> None:
        for section in sections:
            self.assertEqual(self.page[section], [], section)

    def assert_kept(self, log: Deployment, *names: str) -> None:
        """Checks that the backup has these files, that no other user can read them, and that the backup has no key that opens the
        database."""
        files = {path.name: path for path in self.backup.iterdir()}
        self.assertEqual(set(files), set(names))
        kek = (log.data / "kek").read_bytes().strip()
        for name, path in files.items():
            with self.subTest(name=name):
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)
                self.assertNotIn(kek, path.read_bytes())

    def history(self, log: Deployment, key: str) -> list[str]:
        run = log.optiks("history", key, "--json")
        self.assertEqual(run.code, 0, str(run))
        return [version["value"] for version in run.lines()[0]["versions"]]

    def assert_refused(self, log: Deployment) -> None:
        log.task.start()
        self.assertEqual(log.task.wait(LONG_SECONDS), ROLLBACK, log.task.log_end())

    def assert_goes_on(self, log: Deployment, expected: list[str]) -> None:
        """Checks that services run, that every published value exists once and in order, and that the log has one history."""
        log.start()
        log.wait_ready()
        log.publish(("alice", "afterwards"))
        self.assertEqual(self.history(log, "alice"), [*expected, "afterwards"])
        self.oracle.histories.look()
        self.oracle.histories.roots()
        self.assertEqual(self.oracle.histories.count, 1)


class PostgreSqlTest(Backups):
    def test_a_moment_before_the_mark_a_lost_board_and_a_lost_host(self):
        with Deployment(engine=Archived) as log:
            self.oracle = Oracle(log, 0)
            self.follow(log, BACK_UP)
            log.publish(("alice", "before the backup"))
            self.assertIn("full backup", self.follow(log, BACK_UP))
            self.follow(log, SECRETS)
            self.assert_kept(log, "keys.backup", "api-keys.json")
            # pgBackRest records the end of a backup only to the second, so the test waits longer than a second.
            time.sleep(1.1)
            log.publish(("alice", "before the moment"))
            moment = log.storage.server.sql("SELECT clock_timestamp()", DATABASE)[0]
            log.publish(("alice", "after the moment"))
            self.oracle.histories.look()
            self.go_back(log, moment)
            expected = ["before the backup", "before the moment", "after the moment"]
            self.assert_goes_on(log, expected)
            expected.append("afterwards")

            checkpoint = (log.data / "board/log/checkpoint").read_bytes()
            self.assertEqual(log.task.stop(), 0)
            self.follow(log, LOST_BOARD)
            log.task.start()
            log.task.wait_ready()
            self.assertTrue((log.data / "board/log/checkpoint").read_bytes().startswith(checkpoint[:20]))
            self.oracle.histories.look()
            self.lose_mark(log, expected)
            expected.append("afterwards")
            self.lose_host(log, expected)
        self.assert_followed(BACK_UP, SECRETS, RESTORE, OLDER_COPY, LOST_BOARD, LOST_MARK, LOST_HOST)

    def go_back(self, log: Deployment, moment: str) -> None:
        self.follow(log, RESTORE)
        log.stop()
        log.storage.server.stop()
        self.follow(log, RESTORE, MOMENT=moment)
        log.storage.server.start()
        log.storage.wait_promoted()
        self.assert_refused(log)
        self.assertIn("clean", self.follow(log, OLDER_COPY))

    def lose_mark(self, log: Deployment, expected: list[str]) -> None:
        checkpoints = self.backup / "checkpoints"
        checkpoints.mkdir()
        with log.query_client() as client:
            (checkpoints / "query-service").write_bytes(client.get("/log/checkpoint").body)
        log.stop()
        self.assertIn("the high-water mark is at epoch", self.follow(log, LOST_MARK))
        self.assert_goes_on(log, expected)

    def lose_host(self, log: Deployment, expected: list[str]) -> None:
        """Removes everything in the data folder except the board."""
        log.stop()
        kept = self.backup / "storage"
        shutil.move(log.data / "board", kept)
        api_key = log.api_key
        shutil.rmtree(log.data)
        self.follow(log, LOST_HOST)
        (log.data / "board").symlink_to(kept)
        # The test itself restores the clients' API key, because the page does not: no host of the log needs it.
        (log.data / "api-key").write_text(api_key)
        (log.data / "api-key").chmod(0o600)
        self.assert_goes_on(log, expected)


class SqliteTest(Backups):
    def test_a_copy_that_was_made_while_services_ran(self):
        with Deployment() as log:
            self.oracle = Oracle(log, 0)
            log.publish(("alice", "before the copy"))
            self.follow(log, SQLITE)
            self.assert_kept(log, "optiks.db")
            log.publish(("alice", "after the copy"))
            log.publish(("bob", "b"))
            self.oracle.histories.look()
            log.stop()
            database = log.database
            database.rename(self.backup / "newest")
            shutil.copy(self.backup / "optiks.db", database)
            for suffix in ("-wal", "-shm"):
                Path(f"{database}{suffix}").unlink(missing_ok=True)
            self.assert_refused(log)
            self.assertIn("clean", self.follow(log, SQLITE))
            self.assert_goes_on(log, ["before the copy", "after the copy"])
            self.assertEqual(self.history(log, "bob"), ["b"])
        self.assert_followed(SQLITE)


if __name__ == "__main__":
    unittest.main()
