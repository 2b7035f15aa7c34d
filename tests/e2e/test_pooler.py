"""Tests the services behind Debian's PgBouncer, configured as docs/operations/postgresql.md says, and in the mode that the page warns
against."""

import re
import subprocess
import time
import unittest
from pathlib import Path

from harness import Deployment, NotReady
from ports import free_port
from postgres import OWNER, account
from storage import DATABASE, USERS, OwnPostgreSql

PAGE = Path(__file__).parents[2] / "docs/operations/postgresql.md"
PATIENCE = 60


class Pooled(OwnPostgreSql):
    """A PostgreSQL server that services reach through PgBouncer, while the database's owner connects to the server itself."""

    def __init__(self, data: Path, copies: Path):
        super().__init__(data, copies)
        self.pooler_port = free_port()
        self.pooler: subprocess.Popen | None = None
        # The pooler does not run as root, so its folder is outside the server's data folder, which is closed to other users.
        self.folder = Path(self.server.data.parent) / "pooler"
        block, = re.findall(r"```ini\n(\[pgbouncer\].*?)```", PAGE.read_text(), re.DOTALL)
        self.block = block

    def settings(self, service: str | None, port: int | None = None) -> dict[str, str]:
        return super().settings(service, port or (self.pooler_port if service else None))

    def prepare(self) -> None:
        super().prepare()
        self.start_pooler()

    def start_pooler(self, mode: str | None = None) -> None:
        self.folder.mkdir(exist_ok=True)
        users = self.folder / "users"
        users.write_text("".join(f'"{user}" ""\n' for user in sorted({OWNER, *USERS.values()})))
        settings = self.folder / "pgbouncer.ini"
        block = self.block if mode is None else self.block.replace("pool_mode = session", f"pool_mode = {mode}")
        settings.write_text(f"[databases]\n{DATABASE} = host=127.0.0.1 port={self.server.port}\n{block}\nlisten_addr = 127.0.0.1\nlisten_port = {self.pooler_port}\n"
                            f"unix_socket_dir =\nauth_type = trust\nauth_file = {users}\n")
        for path in (self.folder, users, settings):
            path.chmod(0o755)
        with (self.folder / "log").open("ab") as log:
            self.pooler = subprocess.Popen(["/usr/sbin/pgbouncer", settings], stdout=log, stderr=log, start_new_session=True, **account())

    def stop_pooler(self) -> None:
        if self.pooler is not None:
            self.pooler.kill()
            self.pooler.wait()
            self.pooler = None

    def close(self) -> None:
        self.stop_pooler()
        super().close()


class PoolerTest(unittest.TestCase):
    def test_a_log_behind_the_pages_pooler(self):
        with Deployment(engine=Pooled) as log:
            for i in range(3):
                log.publish(("alice", f"a{i}"), (f"key {i}", "its"))
            self.assertEqual(log.optiks("lookup", "alice").code, 0)
            sessions = log.storage.server.sql("SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'optiks-%'")
            self.assertLessEqual({"task", "update", "query"}, set(sessions))

            # The pooler restarts here, and the services retry the operations that were in progress.
            log.storage.stop_pooler()
            log.query.wait_unready("The database cannot be reached.")
            self.assertEqual(log.optiks("lookup", "alice").code, 0)
            log.storage.start_pooler()
            log.wait_ready()
            log.publish(("alice", "later"))
            self.assertTrue(all(process.running for process in log.processes))

            # In transaction mode, the start of each program must refuse the pooler.
            log.stop()
            log.storage.stop_pooler()
            log.storage.start_pooler("transaction")
            for process in log.processes:
                with self.subTest(process.service):
                    self.assertEqual(self.end(process), 78)
                    self.assertIn("pool_mode = session", process.log_end())

    def end(self, process) -> int:
        """Starts a process whose start must be refused, and returns its exit code. If the pooler does not listen yet, repeats the start."""
        deadline = time.monotonic() + PATIENCE
        while True:
            process.start()
            try:
                code = process.wait(PATIENCE)
            except NotReady:
                process.kill()
                raise
            if code != 3 or time.monotonic() >= deadline:
                return code


if __name__ == "__main__":
    unittest.main()
