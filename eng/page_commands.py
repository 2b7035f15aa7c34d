#!/usr/bin/python3
"""Checks eng/page_commands.toml, which names for each command of README.md, docs/tutorial.md and docs/operations the test that runs the
command, or the reason why no test runs it.

usage: page_commands.py prints new rows for the commands that have no row

A command is a line in a block of `sh`, `bash` or `console`, or a target of make in a sentence. If a page gets a new command, eng/check.py
fails until the table has a row for it. The author of the command must then decide which test runs the command. """

import os
import re
import sys
import tomllib

from fences import fences_of

TABLE = "eng/page_commands.toml"
SINGLE_PAGES = ("README.md", "docs/tutorial.md")
SHELLS = ("sh", "bash", "console")
PROGRAMS = ("optiks", "sudo ", "systemctl ", "curl ", "make ", "apt", "openssl ", "kubectl ", "podman", "nginx ", "sed ", "umask ", "docker ", "$ ")
NOT_RUN = "not run, because "


def is_page(path):
    return path in SINGLE_PAGES or (path.startswith("docs/operations/") and path.endswith(".md"))


def commands_of(text):
    """Returns each command of a page once, in the order of the page. Comments are left out, and a line that continues on the next lines is
    one command."""
    found = []
    for fence in fences_of(text):
        if fence.language in SHELLS:
            joined = re.sub(r"\s*\\\n\s*>?\s*", " ", fence.text)
            found += [re.sub(r"\s+#\s.*$", "", line).strip().removeprefix("$ ").removeprefix("> ").strip() for line in joined.splitlines() if not line.strip().startswith("#")]
    prose = re.sub(r"^( *)```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found += re.findall(r"`(make [a-z-]+)`", prose)
    return list(dict.fromkeys(command for command in found if command))


def unlabelled(text):
    """Returns the commands in fenced blocks that are not marked as blocks of a shell."""
    return [line for fence in fences_of(text) if not fence.language for line in fence.text.splitlines() if line.strip().startswith(PROGRAMS)]


def load(path=TABLE):
    """Returns the rows of the table by page. Each row has a command, and the file that tests it or the reason why no test does."""
    with open(path, "rb") as file:
        rows = tomllib.load(file)
    return {page: {command: run_by for run_by, commands in runs.items() for command in commands} for page, runs in rows.items()}


def complaints(pages, table, exists=os.path.exists):
    """Yields the complaints about the table and the given pages, which are a dictionary from path to text."""
    for page, text in pages.items():
        for command in unlabelled(text):
            yield f"{page}: {command!r} stands in a block without a language: make it one of sh, bash or console"
        commands, rows = commands_of(text), table.get(page, {})
        for command in commands:
            if command not in rows:
                yield f"{page}: {command!r} has no row in {TABLE}: run it in a test, or say why none does ({NOT_RUN}...)"
        for command in rows:
            if command not in commands:
                yield f"{TABLE}: {page} has no command {command!r} any more"
    for page, rows in table.items():
        if page not in pages:
            yield f"{TABLE}: there is no page {page}"
        for run_by in dict.fromkeys(rows.values()):
            if not run_by.startswith(NOT_RUN) and not exists(run_by.split(" ")[0]):
                yield f"{TABLE}: {page}: {run_by!r} is neither a file with a test nor '{NOT_RUN}...'"
            if run_by.startswith(NOT_RUN) and len(run_by) < len(NOT_RUN) + 10:
                yield f"{TABLE}: {page}: {run_by!r} gives no reason"


def page_commands(files):
    """Yields a complaint for each command of the pages that has no row in the table."""
    pages = {}
    for path in filter(is_page, files):
        with open(path, encoding="utf-8") as file:
            pages[path] = file.read()
    yield from complaints(pages, load())


def main():
    table = load() if os.path.exists(TABLE) else {}
    listed = sorted(path for path in [*SINGLE_PAGES, *(f"docs/operations/{name}" for name in os.listdir("docs/operations"))] if is_page(path))
    for page in listed:
        with open(page, encoding="utf-8") as file:
            missing = [command for command in commands_of(file.read()) if command not in table.get(page, {})]
        if missing:
            print(f'["{page}"]\n"{NOT_RUN}" = [')
            for command in missing:
                print("    " + (f"'{command}'" if "'" not in command else '"' + command.replace("\\", "\\\\").replace('"', '\\"') + '"') + ",")
            print("]\n")


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.exit(main())
