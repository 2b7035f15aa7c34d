"""A database for a single test on an existing SQL Server. OPTIKS_TEST_SQLSERVER has the connection string of a login that may create
databases and logins. Queries use Debian's package freetds-bin."""

import os
import re
import secrets
import subprocess

VARIABLE = "OPTIKS_TEST_SQLSERVER"
# A message of this severity, or of a higher severity, means that the statement failed.
ERROR_SEVERITY = 11
DEFAULT_PORT = "1433"


class ServerRefused(Exception):
    """The server refused a command; the exception's text has the server's message."""


class SqlServer:
    """A database on the server. Not thread-safe."""

    def __init__(self, database: str):
        self._parts = _parse(os.environ[VARIABLE])
        self._database = database
        # The password of every user. It contains the kinds of characters that password rules require.
        self._password = f"Aa1-{secrets.token_hex(16)}"
        self._users: list[str] = []
        self._administrators: set[str] = set()

    def create(self) -> None:
        """Creates the database as docs/operations/sqlserver.md says."""
        self._execute("master", f"CREATE DATABASE {self._database}")
        if not self._is_babelfish():
            for setting in ("READ_COMMITTED_SNAPSHOT", "ALLOW_SNAPSHOT_ISOLATION"):
                self._execute("master", f"ALTER DATABASE {self._database} SET {setting} ON")

    def add_user(self, name: str, role: str) -> None:
        """Adds a login whose database user is in the role."""
        login = self._login(name)
        self._execute("master", f"CREATE LOGIN {login} WITH PASSWORD = '{self._password}'")
        self._users.append(name)
        self._execute(self._database, f"CREATE USER {login} FOR LOGIN {login}")
        self._execute(self._database, f"ALTER ROLE {role} ADD MEMBER {login}")

    def let_end_sessions(self, name: str) -> None:
        """Gives a user that add_user() added the right to see and end other users' sessions. On Babelfish only administrators have this
        right, so there the user connects as the administrator."""
        if self._is_babelfish():
            self._administrators.add(name)
        else:
            for right in ("VIEW SERVER STATE", "ALTER ANY CONNECTION"):
                self._execute("master", f"GRANT {right} TO {self._login(name)}")

    def rows(self, sql: str) -> list[list[str]]:
        """Runs SQL statements with the login that OPTIKS_TEST_SQLSERVER names, and returns the rows of all queries among the statements.
        Every cell must be a word or a number. A line with the word GO ends a batch."""
        return [line.split("\t") for line in self._execute(self._database, sql, options="fhq").splitlines() if line]

    def drop(self) -> None:
        """Drops the database, and disconnects anyone who is still connected."""
        if not self._is_babelfish():
            self._execute("master", f"ALTER DATABASE {self._database} SET SINGLE_USER WITH ROLLBACK IMMEDIATE")
        self._execute("master", f"DROP DATABASE {self._database}")
        for name in self._users:
            self._execute("master", f"DROP LOGIN {self._login(name)}")

    def connection_string(self, name: str | None) -> str:
        """Returns the connection string for a user that add_user() added. If `name` is None, returns the connection string for the login
        that OPTIKS_TEST_SQLSERVER names."""
        parts = self._parts | {"Database": self._database}
        if name is not None and name not in self._administrators:
            parts |= {"User ID": self._login(name), "Password": self._password}
        return ";".join(f"{key}={value}" for key, value in parts.items())

    def _login(self, name: str) -> str:
        return f"{self._database}_{name}"

    def _is_babelfish(self) -> bool:
        return "Babelfish" in self._execute("master", "SELECT @@VERSION")

    def _execute(self, database: str, sql: str, options: str = "q") -> str:
        host, _, port = self._parts["Server"].removeprefix("tcp:").partition(",")
        done = subprocess.run(
            ["tsql", "-H", host, "-p", port or DEFAULT_PORT, "-U", self._parts["User ID"], "-P", self._parts["Password"], "-D", database, "-o", options],
            input=f"{sql}\ngo\nexit\n", capture_output=True, text=True, timeout=120, check=False)
        said = done.stdout + done.stderr
        errors = [int(severity) for severity in re.findall(r"\(severity (\d+)", said)]
        if done.returncode != 0 or any(severity >= ERROR_SEVERITY for severity in errors):
            raise ServerRefused(f"{sql.partition(' WITH PASSWORD')[0]}: {said}")
        return done.stdout


def _parse(text: str) -> dict[str, str]:
    parts = dict(part.split("=", 1) for part in text.split(";") if part.strip())
    parts = {name.strip(): value.strip() for name, value in parts.items()}
    for name in ("Server", "User ID", "Password"):
        if name not in parts:
            raise ServerRefused(f"{VARIABLE} has no '{name}'")
    return parts
