"""Measures the raw database, which is an upper bound for the rate of updates. Inserts copies of the leaf and value rows of existing epochs,
in one transaction for each epoch, into tables with the same definitions."""

import contextlib
import os
import re
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from figures import ROOT
from postgres import OWNER, PostgreSql, programs
from sqlserver import SqlServer
from storage import DATABASE, OwnPostgreSql, OwnSqlServer, Sqlite

MOST_UPDATES = 400_000
SQL_SERVER_TABLES = ROOT / "sql/sqlserver/src/migrations/0001_create_tables.sql"


def rate(storage: OwnPostgreSql | OwnSqlServer | Sqlite) -> float:
    """Returns the number of updates a second. Each update is one leaf row and one value row."""
    if isinstance(storage, OwnSqlServer):
        return _select(storage.server)
    return _copy(storage.server) if isinstance(storage, OwnPostgreSql) else _insert(storage.database)


def newest(epochs: list[tuple[int, int]]) -> list[int]:
    """Returns as many of the newest epochs with leaves as have at most MOST_UPDATES leaves together, but at least one epoch. `epochs` has
    pairs (epoch, number of leaves), the oldest epoch first."""
    taken, count = [], 0
    for epoch, leaves in reversed(epochs):
        if leaves == 0:
            continue
        if taken and count + leaves > MOST_UPDATES:
            break
        taken.append(epoch)
        count += leaves
    return taken[::-1]


def _copy(server: PostgreSql) -> float:
    """Measures binary COPY, which the update-task uses."""
    rows = [row.split("|") for row in _psql(server, ["SELECT epoch, leaves FROM epoch ORDER BY epoch;"])]
    epochs = newest([(int(epoch), int(leaves)) for epoch, leaves in rows])
    with tempfile.TemporaryDirectory(prefix="optiks-raw-") as folder:
        def copy(table: str, epoch: int, back: bool) -> str:
            file = f"'{folder}/{table}-{epoch}' WITH (FORMAT binary)"
            return f"\\copy {table}_copy FROM {file}" if back else f"\\copy (SELECT * FROM {table} WHERE epoch = {epoch} ORDER BY ordinal) TO {file}"

        _psql(server, [copy(table, epoch, False) for epoch in epochs for table in ("leaf", "value")])
        transactions = [["BEGIN;", copy("leaf", epoch, True), copy("value", epoch, True), "COMMIT;"] for epoch in epochs]
        answers = _psql(server, [
            *(f"CREATE TABLE {table}_copy (LIKE {table} INCLUDING ALL);" for table in ("leaf", "value")),
            "SELECT extract(epoch FROM clock_timestamp());", *(line for transaction in transactions for line in transaction),
            "SELECT extract(epoch FROM clock_timestamp());", "SELECT count(*) FROM leaf_copy;", "DROP TABLE leaf_copy, value_copy;"])
    start, end, copied = map(float, answers)
    return copied / (end - start)


def _psql(server: PostgreSql, lines: list[str]) -> list[str]:
    command = [programs() / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(server.port), "-U", OWNER, "-d", DATABASE]
    environment = os.environ | {"PGOPTIONS": "-c search_path=optiks"}
    done = subprocess.run(command, input="\n".join(lines) + "\n", env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"psql: {done.stderr}")
    return done.stdout.splitlines()


def _select(server: SqlServer) -> float:
    """Measures INSERT ... SELECT, which copies the rows inside the server."""
    epochs = newest([(int(epoch), int(leaves)) for epoch, leaves in server.rows("SELECT Epoch, Leaves FROM optiks.Epoch ORDER BY Epoch")])
    copies = sql_server_copies()
    transactions = [
        " ".join(["BEGIN TRANSACTION;", *(f"INSERT INTO optiks.{table}Copy SELECT * FROM optiks.[{table}] WHERE Epoch = {epoch};" for table in copies), "COMMIT TRANSACTION;"])
        for epoch in epochs]
    measured = server.rows("\n".join([
        *copies.values(), "GO", "DECLARE @start datetime2(6) = SYSUTCDATETIME();", *transactions, "SELECT DATEDIFF(millisecond, @start, SYSUTCDATETIME());", "GO",
        "SELECT COUNT_BIG(*) FROM optiks.LeafCopy;", *(f"DROP TABLE optiks.{table}Copy;" for table in copies)]))
    (milliseconds,), (copied,) = measured
    return int(copied) / int(milliseconds) * 1000


def sql_server_copies() -> dict[str, str]:
    """Returns, for each table, the statement that creates a copy of the table. It is the definition in the migrations, with Copy appended
    to each name. The statement is on one line, because tsql interprets lines that begin with "Version"."""
    tables = re.findall(r"^CREATE TABLE optiks\.\[?(Leaf|Value)\]? (\(.*?\n\));", SQL_SERVER_TABLES.read_text(), re.DOTALL | re.MULTILINE)
    return {table: f"CREATE TABLE optiks.{table}Copy " + re.sub(r"(CONSTRAINT \w+)", r"\1Copy", " ".join(columns.split())) + ";" for table, columns in tables}


def _insert(database: Path) -> float:
    """Measures prepared INSERT statements with the settings that the update-task's driver uses: WAL, synchronous=FULL."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as source, tempfile.TemporaryDirectory(prefix="optiks-raw-") as folder:
        epochs = newest(source.execute("SELECT epoch, leaves FROM epoch ORDER BY epoch").fetchall())
        definitions = [row[0] for row in source.execute("SELECT sql FROM sqlite_master WHERE name IN ('leaf', 'value')")]
        columns = {table: [row[1] for row in source.execute(f"PRAGMA table_info({table})")] for table in ("leaf", "value")}
        rows = {(table, epoch): source.execute(f"SELECT {', '.join(columns[table])} FROM {table} WHERE id >= ? AND id < ? ORDER BY id",
                                               (epoch << 28, epoch + 1 << 28)).fetchall() for table in columns for epoch in epochs}
        with contextlib.closing(sqlite3.connect(Path(folder) / "raw.db", isolation_level=None)) as target:
            for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", *definitions):
                target.execute(statement)
            start = time.perf_counter()
            for epoch in epochs:
                target.execute("BEGIN IMMEDIATE")
                for table, names in columns.items():
                    target.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", rows[table, epoch])
                target.execute("COMMIT")
            seconds = time.perf_counter() - start
        return sum(len(rows["leaf", epoch]) for epoch in epochs) / seconds
