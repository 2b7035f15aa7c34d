#!/usr/bin/python3
"""Runs the unittest tests of a folder (test_*.py) and writes a JUnit file.

usage: junit_unittest.py FOLDER OUTPUT.xml
"""

import re
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree


class JUnitResult(unittest.TextTestResult):
    """Collects one <testcase> a test, and one more for each subtest that fails."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.suite = ElementTree.Element("testsuite", name="python")
        self._started = time.monotonic()

    def startTest(self, test):
        self._started = time.monotonic()
        super().startTest(test)

    def _case(self, test, tag=None, text=""):
        classname, _, name = test.id().partition(" ")[0].rpartition(".")
        subtest = getattr(test, "_subDescription", None)
        case = ElementTree.SubElement(
            self.suite, "testcase", classname=classname,
            name=f"{name} {subtest()}" if subtest else name, time=f"{time.monotonic() - self._started:.6f}")
        if tag:
            # XML 1.0 cannot hold control characters, not even escaped.
            text = re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)
            ElementTree.SubElement(case, tag, message=text.strip().splitlines()[-1] if text.strip() else "").text = text

    def addSuccess(self, test):
        super().addSuccess(test)
        self._case(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._case(test, "failure", self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self._case(test, "error", self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._case(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._case(test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._case(test, "failure", "expected to fail, but passed")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._case(subtest, "failure", self._exc_info_to_string(err, subtest))


def main():
    folder, output = sys.argv[1:]
    suite = unittest.defaultTestLoader.discover(folder, pattern="test_*.py")
    result = unittest.TextTestRunner(resultclass=JUnitResult, verbosity=1).run(suite)
    ElementTree.ElementTree(result.suite).write(output, encoding="utf-8", xml_declaration=True)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
