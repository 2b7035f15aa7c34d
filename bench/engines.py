"""The option for the database engines that a benchmark measures."""

import argparse
import sys

from figures import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))

from sqlserver import VARIABLE
from storage import ENGINES, OwnPostgreSql, OwnSqlServer, Sqlite

# The engines that are available on every machine, because the benchmark starts them itself.
OWN = (OwnPostgreSql.name, Sqlite.name)


def add_engines(parser: argparse.ArgumentParser) -> None:
    """Adds the option --engines, whose value chosen() returns."""
    parser.add_argument("--engines", default=",".join(OWN), help=f"of {', '.join((*OWN, OwnSqlServer.name))} (default %(default)s)")


def chosen(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> list[str]:
    """Returns the engines that --engines names. Ends the program if one of them is not available on this machine."""
    engines = arguments.engines.split(",")
    if not set(engines) <= set(ENGINES):
        parser.error(f"--engines are of {', '.join(ENGINES)}" + ("" if OwnSqlServer.name in ENGINES else
                     f"; {OwnSqlServer.name} with a server: {VARIABLE}='Server=...;User ID=...;Password=...' of a login that may create databases"))
    return engines
