import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sum_junit.py")


class SumJUnit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, *cases):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
        return path

    def total(self, *arguments):
        done = subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()[-1]

    def test_passes_are_summed_over_files(self):
        a = self.file("a.xml", '<testcase name="1"/>', '<testcase name="2" status="run"/>')
        b = self.file("b.xml", '<testcase name="3"><system-out>x</system-out></testcase>')
        self.assertEqual((0, "3 passed, 0 failed, 0 skipped"), self.total(a, b))

    def test_failures_and_errors_count(self):
        a = self.file("a.xml", '<testcase name="1"/>', '<testcase name="2"><failure/></testcase>',
                      '<testcase name="3"><error/></testcase>', '<testcase name="4" status="fail"/>')
        self.assertEqual((1, "1 passed, 3 failed, 0 skipped"), self.total(a))

    def test_a_missing_broken_or_empty_file_is_a_failure(self):
        good = self.file("good.xml", '<testcase name="1"/>')
        broken = self.file("broken.xml", "<testcase")
        empty = self.file("empty.xml")
        missing = os.path.join(self.folder, "missing.xml")
        self.assertEqual((0, "1 passed, 0 failed, 0 skipped"), self.total(good))
        for bad in (broken, empty, missing):
            self.assertEqual((1, "1 passed, 1 failed, 0 skipped"), self.total(good, bad))

    def test_only_named_skips_are_allowed(self):
        a = self.file("a.xml", '<testcase name="1"/>', '<testcase classname="SqlServer" name="2"><skipped/></testcase>')
        b = self.file("b.xml", '<testcase classname="Sqlite" name="3" status="notrun"/>')
        self.assertEqual((0, "1 passed, 0 failed, 1 skipped"), self.total("--allow-skip", "SqlServer", a))
        self.assertEqual((1, "1 passed, 1 failed, 1 skipped"), self.total("--allow-skip", "SqlServer", a, b))
        self.assertEqual((1, "1 passed, 1 failed, 0 skipped"), self.total(a))

    def test_nothing_passed_is_not_success(self):
        a = self.file("a.xml", '<testcase classname="SqlServer" name="2"><skipped/></testcase>')
        self.assertEqual((1, "0 passed, 0 failed, 1 skipped"), self.total("--allow-skip", "SqlServer", a))


if __name__ == "__main__":
    unittest.main()
