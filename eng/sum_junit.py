#!/usr/bin/python3
"""Sums JUnit files and prints one closing line, `N passed, N failed, N skipped`.

usage: sum_junit.py [--allow-skip REGEX] FILE...

The caller names every file that it expects. A file that is missing, unreadable or without test cases counts as a failed test. A skipped
test also counts as failed, unless its suite and name match REGEX. The exit code is 0 only if no test failed and at least one test passed.
"""

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree


def verdict(case):
    """Returns the outcome of a test case: passed, failed or skipped. Understands the JUnit dialects of CTest, xunit.v3, pytest and Node."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    status = case.get("status", "run").lower()
    if case.find("skipped") is not None or status in ("notrun", "disabled", "skipped"):
        return "skipped"
    return "failed" if status in ("fail", "failed") else "passed"


def cases(path):
    """Returns the test cases of a JUnit file, or an empty list if the file cannot be read."""
    try:
        return list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return []


def report(files, allow_skip="(?!)"):
    """Prints the failed tests and the closing line. Returns whether no test failed and at least one test passed."""
    allowed = re.compile(allow_skip)
    totals = {"passed": 0, "failed": 0, "skipped": 0}

    def fail(path, what):
        totals["failed"] += 1
        print(f"{path}: {what}")

    for path in files:
        found = cases(path)
        if not found:
            fail(path, "no results, or none that can be read")
        for case in found:
            name = f"{case.get('classname', '')} {case.get('name', '')}".strip()
            result = verdict(case)
            if result == "failed":
                fail(path, f"failed: {name}")
            elif result == "skipped" and not allowed.search(name):
                fail(path, f"skipped, which is not allowed: {name}")
            else:
                totals[result] += 1

    print("{passed} passed, {failed} failed, {skipped} skipped".format(**totals))
    return totals["failed"] == 0 and totals["passed"] > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--allow-skip", default="(?!)", metavar="REGEX")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    return 0 if report(arguments.files, arguments.allow_skip) else 1


if __name__ == "__main__":
    sys.exit(main())
