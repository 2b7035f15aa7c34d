"""The engines that a deployment may stand on: what its programs are told, and what only an operator of that engine could do."""

import shutil
from pathlib import Path

from postgres import PostgreSql

DATABASE = "optiks"
# Who may write what is enforced by the database: each service has a user of its own, in the role that migrations make for it.
USERS = {"update-task": "task", "update-service": "update", "query-service": "query"}
FILES = ("", "-wal", "-shm")


class Sqlite:
    """A file in the data folder."""

    name = "sqlite"

    def __init__(self, data: Path):
        self.database = data / "optiks.db"

    def settings(self, service: str | None) -> dict[str, str]:
        """What a service is told; None: the operator's tools."""
        return {}

    def prepare(self) -> None:
        """Before migrations."""

    def migrated(self) -> None:
        """After the first migration."""

    def keep(self, folder: Path) -> None:
        """A copy for put_back. No service runs."""
        folder.mkdir()
        self._copy(self.database.parent, folder)

    def put_back(self, folder: Path) -> None:
        """The database as it was. No service runs."""
        self._copy(folder, self.database.parent)

    def close(self) -> None:
        """After the services have ended."""

    def _copy(self, source: Path, target: Path) -> None:
        for suffix in FILES:
            name = self.database.name + suffix
            (target / name).unlink(missing_ok=True)
            if (source / name).exists():
                shutil.copy2(source / name, target / name)


class OwnPostgreSql:
    """A server of the deployment's own, which may be killed."""

    name = "postgresql"

    def __init__(self) -> None:
        self.server = PostgreSql()

    def settings(self, service: str | None) -> dict[str, str]:
        user = {} if service is None else {"user": USERS[service]}
        return {"Optiks__Storage__Provider": self.name, "Optiks__Storage__ConnectionString": self.server.connection_string(DATABASE, **user)}

    def prepare(self) -> None:
        self.server.__enter__()
        self.server.create_database(DATABASE)

    def migrated(self) -> None:
        for user in USERS.values():
            self.server.sql(f'CREATE USER "{user}" IN ROLE optiks_{user}')

    def keep(self, folder: Path) -> None:
        """A base backup, as of a server that works."""
        self.server.back_up(folder.name)

    def put_back(self, folder: Path) -> None:
        """Beneath whoever is connected: the server is killed, its data replaced, started again."""
        self.server.kill()
        self.server.put_back(folder.name)
        self.server.start()

    def close(self) -> None:
        self.server.__exit__()


ENGINES = {engine.name: engine for engine in (Sqlite, OwnPostgreSql)}
