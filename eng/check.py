#!/usr/bin/python3
"""Runs the style and architecture checks: generated files, clang-format, clang-tidy, dotnet format, shellcheck and source_rules.py.

usage: check.py [--fix] [--junit FILE] [--quick | --slow] [NAME...]

If names are given, only the checks with these names run. With --quick only the checks that take seconds run, and with --slow only the other
checks. With --fix the formatters change the files. Run `make build` first, because the projects must be restored. The exit code is 0 if the
checks found nothing. """

import argparse
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor

import page_commands
import source_rules

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*command):
    """Runs a command and returns its complaints. The result is empty if the command succeeded."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{done.stdout}{done.stderr}" or f"{command[0]}: exit code {done.returncode}"


def list_files():
    """Returns the tracked files and the new files that are not ignored, without files that are deleted but not committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True)
    return sorted({f for f in listed.stdout.split("\0") if f and os.path.isfile(f)})


def clang_format(files, fix):
    sources = [f for f in files if f.endswith((".h", ".cc", ".c"))]
    mode = ["-i"] if fix else ["--dry-run", "--Werror"]
    return run("clang-format-14", "--style=file", *mode, *sources) if sources else ""


def joined_octets(source):
    """Returns the number of octets of a source, or of the sources that it joins."""
    with open(source, encoding="utf-8") as file:
        joined = re.findall(r'^#include "(/[^"]+)"', file.read(), re.MULTILINE)
    return sum(os.path.getsize(path) for path in joined) or os.path.getsize(source)


def clang_tidy(files, fix):
    """Runs clang-tidy on the sources, which also checks the headers that they include. Tests are not checked, because most findings would
    be in the macros that they use. clang-tidy reads the files as one (the preset tidy), because it would need most of its time to read the
    same headers for each file. With --fix it reads the files one by one. """
    preset = ["cmake", "--fresh", "--preset", "tidy", *(["-DCMAKE_UNITY_BUILD=OFF"] if fix else [])]
    if complaint := run(*preset):
        return complaint
    with open("build/cmake/tidy/compile_commands.json", encoding="utf-8") as database:
        sources = [entry["file"] for entry in json.load(database)]
    # These files, which CMake makes, contain nothing but the inclusion of sources.
    mode = ["--fix"] if fix else ["--checks=-bugprone-suspicious-include"]

    def tidy(source):
        return run("clang-tidy-14", "--quiet", "-p", "build/cmake/tidy", *mode, source)

    # The longest files come first, so that no long file is left to run alone at the end.
    with ThreadPoolExecutor(1 if fix else os.cpu_count()) as pool:
        return "".join(pool.map(tidy, sorted(sources, key=joined_octets, reverse=True)))


def dotnet_format(files, fix):
    """Checks white space. The other rules of `dotnet format` count in the build, where warnings are errors. With --fix it corrects
    everything that `dotnet format` can correct."""
    if fix:
        return run("dotnet", "format", "Optiks.slnx", "--no-restore")
    # The argument is a folder and not the solution, because `dotnet format` takes ten times as long to read a solution.
    return run("dotnet", "format", "whitespace", ".", "--folder", "--exclude", "build", "--verify-no-changes")


def shellcheck(files, fix):
    def is_shell(path):
        with open(path, "rb") as file:
            return file.read(32).startswith((b"#!/bin/bash", b"#!/bin/sh", b"#!/usr/bin/env bash"))

    scripts = [f for f in files if f.endswith(".sh") or ("." not in os.path.basename(f) and is_shell(f))]
    return run("shellcheck", *scripts) if scripts else ""


def facts(files, fix):
    return run("eng/make_facts.py", *([] if fix else ["--check"]))


def username_tables(files, fix):
    return run("eng/make_username_tables.py", *([] if fix else ["--check"]))


def rule_check(rule):
    return lambda files, fix: "\n".join(rule(files))


CHECKS = {
    "facts": facts,
    "username-tables": username_tables,
    "clang-format": clang_format,
    "clang-tidy": clang_tidy,
    "dotnet-format": dotnet_format,
    "shellcheck": shellcheck,
    **{rule.__name__.replace("_", "-"): rule_check(rule) for rule in (*source_rules.RULES, page_commands.page_commands)},
}
FIXERS = ("facts", "username-tables", "clang-format", "dotnet-format")
SLOW = ("clang-tidy",)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--junit", metavar="FILE")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true")
    length.add_argument("--slow", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CHECKS))
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(CHECKS)
    if unknown:
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    os.chdir(ROOT)
    files = list_files()
    names = list(arguments.names or (FIXERS if arguments.fix else CHECKS))
    if arguments.quick or arguments.slow:
        names = [name for name in names if (name in SLOW) == arguments.slow]

    def timed(name):
        started = time.monotonic()
        return CHECKS[name](files, arguments.fix).strip(), time.monotonic() - started

    suite = ElementTree.Element("testsuite", name="checks")
    failed = 0
    # The checks run in parallel, because even the longest checks do not use all processors all the time.
    with ThreadPoolExecutor(1 if arguments.fix else len(names)) as pool:
        for name, (complaint, seconds) in zip(names, pool.map(timed, names)):
            case = ElementTree.SubElement(suite, "testcase", classname="check", name=name, time=f"{seconds:.3f}")
            print(f"check {name}: {'FAILED' if complaint else 'ok'} ({seconds:.1f} s)", flush=True)
            if complaint:
                failed += 1
                print(complaint, flush=True)
                ElementTree.SubElement(case, "failure", message=f"see the output of: eng/check.py {name}")
    if arguments.junit:
        ElementTree.ElementTree(suite).write(arguments.junit, encoding="utf-8", xml_declaration=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
