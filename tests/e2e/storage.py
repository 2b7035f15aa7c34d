"""The database engines on which a deployment may run. An engine has the settings for the deployment's programs, and the actions that an
operator of the engine could take."""

import os
import random
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from pages import commands_of
from postgres import PostgreSql
from sqlserver import VARIABLE, SqlServer

STATE_PAGE = Path(__file__).resolve().parents[2] / "docs/operations/state.md"
DATABASE = "optiks"
# Each service connects as its own user, in the role that migrations make for the service. So the database enforces which service may write
# which tables.
USERS = {"update-task": "task", "update-service": "update", "query-service": "query", "query-bench": "query"}
BUSY_SECONDS = 30
# The settings that docs/operations/postgresql.md advises, because PostgreSQL's default settings are for the smallest machines.
SERVER_SETTINGS = {"shared_buffers": "512MB", "autovacuum_naptime": "5s", "max_wal_size": "4GB", "backend_flush_after": "256kB"}
# The length of the task's lease in seconds. It is short, so that a task that replaces a killed task does not wait long for the killed
# task's lease to end.
LEASE_SECONDS = 2


class Sqlite:
    """The database is an SQLite file in the data folder."""

    name = "sqlite"
    lease_seconds = LEASE_SECONDS
    port = None
    """The port to which programs connect, if a proxy can take its place."""

    def __init__(self, data: Path, copies: Path):
        """`copies` is a folder outside the data folder."""
        self.database = data / "optiks.db"
        self._copies = copies

    def settings(self, service: str | None, port: int | None = None) -> dict[str, str]:
        """Returns the settings of a service or, if `service` is None, of the operator's tools. `port` is the port of a proxy in front of
        the server, if there is one."""
        return {}

    def prepare(self) -> None:
        """Runs before migrations."""

    def migrated(self) -> None:
        """Does what the engine needs after the first migration."""

    @property
    def octets(self) -> int:
        """Returns the octets of the pages in use, without the write-ahead log."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            pages, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size

    def settle(self) -> None:
        """Completes the work that the database deferred while rows were loaded."""

    def drop_free_space(self) -> None:
        """Runs the command of docs/operations/state.md that removes old copies of rows. SQLite left these copies in the file when it moved
        the rows."""
        [(shell, command)] = commands_of(STATE_PAGE)["Copies of erased values"]
        subprocess.run([shell, "-euc", command], env=os.environ | {"OPTIKS_DATA": str(self.database.parent)}, check=True, timeout=BUSY_SECONDS)

    @property
    def files_elsewhere(self) -> list[Path]:
        """Returns the files outside the data folder that contain rows."""
        return []

    def back_up(self, name: str) -> Path:
        """Copies the database for put_back. Services may run meanwhile."""
        copy = self._copies / name
        self._copy(self.database, copy)
        return copy

    def put_back(self, copy: Path) -> None:
        """Restores a copy of the database. Services may run meanwhile."""
        self._copy(copy, self.database)

    def close(self) -> None:
        """Releases the engine's resources. Call it after the services have ended."""

    def _copy(self, source: Path, target: Path) -> None:
        with closing(sqlite3.connect(source)) as reading, closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as writing:
            reading.backup(writing)


class OwnPostgreSql:
    """The database is on a PostgreSQL server that belongs to this deployment, so tests may kill the server."""

    name = "postgresql"
    lease_seconds = LEASE_SECONDS

    def __init__(self, data: Path, copies: Path):
        self.server = PostgreSql(SERVER_SETTINGS)
        self.port = self.server.port

    def settings(self, service: str | None, port: int | None = None) -> dict[str, str]:
        user = {} if service is None else {"user": USERS[service]}
        return {"Optiks__Storage__Provider": self.name, "Optiks__Storage__ConnectionString": self.server.connection_string(DATABASE, **user, port=port)}

    def prepare(self) -> None:
        self.server.__enter__()
        self.server.create_database(DATABASE)

    def migrated(self) -> None:
        for user in sorted(set(USERS.values())):
            self.server.sql(f'CREATE USER "{user}" IN ROLE optiks_{user}')

    @property
    def octets(self) -> int:
        """Returns the octets of tables and indexes, without the server's log."""
        return int(self.server.sql("SELECT pg_database_size(current_database())", DATABASE)[0])

    def settle(self) -> None:
        """Completes the work that the database deferred while rows were loaded."""
        self.server.sql("VACUUM ANALYZE", DATABASE)
        self.server.sql("CHECKPOINT")

    def drop_free_space(self) -> None:
        """Removes deleted rows from the disk. The server keeps them until it reuses their space, and the log cannot limit how long this
        takes."""
        self.server.sql("VACUUM FULL", DATABASE)
        self.server.sql("CHECKPOINT")

    @property
    def files_elsewhere(self) -> list[Path]:
        """Returns the files outside the data folder that contain rows."""
        return [path for path in (self.server.data / "base").rglob("*") if path.is_file()]

    def back_up(self, name: str) -> str:
        """Makes a base backup of the server."""
        self.server.back_up(name)
        return name

    def put_back(self, copy: str) -> None:
        """Kills the server, replaces its data, and starts it again."""
        self.server.kill()
        self.server.put_back(copy)
        self.server.start()

    def kill_session(self, moments: random.Random) -> None:
        """Kills the process of one of the services' sessions with kill -9. Returns when the server has recovered."""
        self.server.kill_backend(moments.choice(self.server.backends(DATABASE)))

    @contextmanager
    def paused_session(self, moments: random.Random) -> Iterator[None]:
        """Stops the process of one of the services' sessions with SIGSTOP while the context lasts."""
        with self.server.paused_backend(moments.choice(self.server.backends(DATABASE))):
            yield

    def close(self) -> None:
        self.server.__exit__()


class OwnSqlServer:
    """The database is on an SQL Server that belongs to others, so tests do nothing to the server itself."""

    name = "sqlserver"
    # Each new session of Babelfish takes a second or two for its first statements, and a task may renew its lease in a new session. With a
    # lease of two seconds, the task could then believe that it was overtaken although no other task took over.
    lease_seconds = 8
    port = None

    def __init__(self, data: Path, copies: Path):
        self.server = SqlServer(data.name.replace("-", "_"))

    def settings(self, service: str | None, port: int | None = None) -> dict[str, str]:
        return {"Optiks__Storage__Provider": self.name, "Optiks__Storage__ConnectionString": self.server.connection_string(service and USERS[service])}

    def prepare(self) -> None:
        self.server.create()

    def migrated(self) -> None:
        for user in sorted(set(USERS.values())):
            self.server.add_user(user, f"optiks_{user}")
        self.server.let_end_sessions(USERS["update-task"])

    def settle(self) -> None:
        """Does nothing, because the server itself completes the deferred work."""

    def close(self) -> None:
        self.server.drop()


ENGINES = {engine.name: engine for engine in (Sqlite, OwnPostgreSql, *([OwnSqlServer] if os.environ.get(VARIABLE) else []))}
"""The engines that are available on this machine."""
