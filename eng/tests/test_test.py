"""Tests the runner of suites with small suites that the tests make."""

import contextlib
import io
import os
import re
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import test as runner

# The attribute of a C# test that only `deep` runs.
DEEP_TRAIT = '[Trait("Level", "Deep")]'
PASSED = '<testsuite><testcase name="one" time="1.5"/></testsuite>'


class Suites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patched = mock.patch.object(runner, "RESULTS", Path(folder.name))
        patched.start()
        self.addCleanup(patched.stop)

    def suite(self, name, ending="", **options):
        """Returns a suite that writes its results and then executes the Python code `ending`."""
        program = f"import pathlib, sys, time; pathlib.Path({runner.results_of(name)!r}).write_text({PASSED!r}); print('said', {name!r}); {ending}"
        return runner.Suite(name, [[sys.executable, "-c", program]], **options)

    def run_all(self, *suites):
        """Runs the suites, and returns the run and its output."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            run = runner.Run(list(suites))
            run.run(lanes=2)
        return run, output.getvalue()

    def test_a_suite_that_ends_with_an_error_fails_although_its_results_are_fine(self):
        run, _ = self.run_all(self.suite("good"), self.suite("crashes", "sys.exit(3)"))
        self.assertEqual(["crashes (exit code 3)"], run.broken)

    def test_a_suite_that_hangs_is_ended_and_fails(self):
        with mock.patch.object(runner, "SUITE_SECONDS", 1):
            run, _ = self.run_all(self.suite("hangs", "time.sleep(600)"))
        self.assertEqual(["hangs (exit code 124)"], run.broken)

    def test_commands_after_one_that_failed_do_not_run(self):
        good = self.suite("build-fails")
        run, output = self.run_all(runner.Suite(good.name, [[sys.executable, "-c", "import sys; sys.exit(2)"], *good.commands]))
        self.assertEqual(["build-fails (exit code 2)"], run.broken)
        self.assertNotIn("said", output)

    def test_each_suite_is_printed_whole(self):
        run, output = self.run_all(*[self.suite(f"s{i}", f"time.sleep(0.1); print('end of s{i}')") for i in range(4)])
        self.assertEqual([], run.broken)
        for i in range(4):
            self.assertIn(f"said s{i}\nend of s{i}\n== s{i}: ", output)

    def test_nothing_runs_beside_one_that_is_alone(self):
        mark = runner.RESULTS / "mark"
        look = f"sys.exit(pathlib.Path({str(mark)!r}).exists())"
        alone = self.suite("alone", f"p = pathlib.Path({str(mark)!r}); p.touch(); time.sleep(0.5); p.unlink()", is_alone=True)
        run, _ = self.run_all(self.suite("beside", look), alone)
        self.assertEqual([], run.broken)
        # As a control, the test also runs a suite that is not alone: the other suite then sees its mark.
        run, _ = self.run_all(self.suite("long", f"p = pathlib.Path({str(mark)!r}); p.touch(); time.sleep(3); p.unlink()"), self.suite("beside", f"time.sleep(1); {look}"))
        self.assertEqual(["beside (exit code 1)"], run.broken)

    def test_those_that_take_longest_begin_first(self):
        names = [suite.name for suite in runner.suites_of(["quick", "deep"]) if not suite.is_alone]
        self.assertEqual(list(runner.LONGEST), names[:len(runner.LONGEST)])
        self.assertEqual(len(names), len(set(names)))

    def test_files_of_tests_stand_in_a_folder_of_the_run_that_is_gone_afterwards(self):
        told = runner.RESULTS / "told"
        run, _ = self.run_all(self.suite("told", f"import tempfile; pathlib.Path({str(told)!r}).write_text(tempfile.mkdtemp())"))
        self.assertEqual([], run.broken)
        folder = Path(told.read_text()).parent
        self.assertTrue(folder.name.startswith("optiks-tests-"), folder)
        self.assertFalse(folder.exists())

    def test_files_of_tests_are_in_memory_only_where_there_is_room(self):
        with mock.patch.object(runner, "memory_octets", return_value=runner.SCRATCH_OCTETS):
            self.assertEqual(runner.MEMORY_FOLDER, runner.scratch_parent())
        with mock.patch.object(runner, "memory_octets", return_value=runner.SCRATCH_OCTETS - 1):
            self.assertIsNone(runner.scratch_parent())
        with mock.patch.object(runner, "MEMORY_FOLDER", "/no/such/folder"):
            self.assertEqual(0, runner.memory_octets())

    def test_the_slowest_suites_and_tests_are_listed(self):
        suites = [self.suite("a"), self.suite("b")]
        run, _ = self.run_all(*suites)
        table = runner.slowest(suites, {"a": 1.0, "b": 30.0}, {"a": 2.0, "b": 17.0})
        self.assertLess(table.index("30.0 s    17.0 s  b"), table.index("1.0 s     2.0 s  a"))
        self.assertIn("all suites took 19 s of processors", table)
        self.assertIn("1.5 s  a: one", table)

    def test_what_a_suite_and_its_children_take_of_processors_is_known(self):
        burn = "t = time.process_time()\nwhile time.process_time() - t < 0.5: pass"
        run, output = self.run_all(self.suite("burns", f"import subprocess; subprocess.run([sys.executable, '-c', {'import time; ' + burn!r}], check=True)"), self.suite("rests", "time.sleep(0.5)"))
        self.assertEqual([], run.broken)
        self.assertGreater(run.busy_seconds["burns"], 0.5)
        self.assertLess(run.busy_seconds["rests"], 0.5)
        self.assertIn("== burns: ", output)

    def test_deep_is_told_to_the_suites_of_it_alone(self):
        told = f"sys.exit(os.environ.get({runner.DEEP_VARIABLE!r}) == '1')"
        with mock.patch.dict(os.environ, {runner.DEEP_VARIABLE: "1"}):
            run, _ = self.run_all(self.suite("short", f"import os; {told}"), self.suite("long", f"import os; {told}", is_deep=True))
        self.assertEqual(["long (exit code 1)"], run.broken)

    def test_each_suite_runs_once_and_with_deep_in_its_long_form(self):
        self.assertFalse(any(suite.is_deep for suite in runner.suites_of(["quick"])))
        for names in (["deep"], ["quick", "deep"]):
            suites = runner.suites_of(names)
            self.assertEqual(len(suites), len({suite.name for suite in suites}))
            self.assertEqual({suite.name for suite in suites if suite.is_deep}, set(runner.DEEPER))
        self.assertEqual({suite.name for suite in suites}, {suite.name for one in ("quick", "deep") for suite in runner.suites_of([one])})

    def test_the_suites_that_have_more_rounds_are_known(self):
        """Tests that DEEPER has exactly the suites whose tests use tests/reference/rounds.py or common/tests/Shared/Rounds.cs, or of which
        only `deep` runs some tests."""
        asking = {"cpp-release"}
        for name, folder in runner.PYTHON_FOLDERS.items():
            asking |= {f"python-{name}-{file.stem.removeprefix('test_')}" for file in (runner.ROOT / folder).glob("test_*.py") if re.search("^from rounds import", file.read_text(), re.MULTILINE)}
        for project in runner.ROOT.glob("*/**/tests/*.Tests.csproj"):
            if "Rounds.cs" in project.read_text() or any(DEEP_TRAIT in file.read_text() for file in project.parent.rglob("*.cs")):
                asking.add(project.stem)
        self.assertEqual(asking, set(runner.DEEPER))

    def test_tests_for_deep_are_left_out_of_quick(self):
        for is_deep, broken in ((False, []), (True, ["some (exit code 1)"])):
            whole = self.suite("some", "sys.exit(1)", is_deep=is_deep)
            run, _ = self.run_all(replace(whole, quick_last=self.suite("some").commands[0]))
            self.assertEqual(broken, run.broken)

    def test_every_test_project_is_a_suite(self):
        names = [suite.name for suite in runner.suites_of(["quick", "deep"])]
        self.assertEqual(len(names), len(set(names)))
        for name in ("checks", "checks-deep", "cpp-release", "cpp-asan", "cpp-ct", "python-e2e-faults", "Optiks.Common.Tests", "Optiks.Storage.SqlServer.Tests"):
            self.assertIn(name, names)

    def test_every_file_of_python_tests_is_a_suite(self):
        files = {command[3] for suite in runner.suites_of(["quick", "deep"]) for command in suite.commands if command[1:3] == ["-m", "pytest"]}
        found = {str(file.relative_to(runner.ROOT)) for folder in re.findall(r"testpaths = (.*)", (runner.ROOT / "pytest.ini").read_text())[0].split() for file in (runner.ROOT / folder).rglob("test_*.py")}
        own = {f"tests/e2e/test_{name.removeprefix('python-e2e-')}.py" for name in runner.OWN_TARGET}
        self.assertEqual(found, files | own)
        self.assertFalse(files & own)


if __name__ == "__main__":
    unittest.main()
