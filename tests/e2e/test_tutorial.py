"""Checks that the commands of docs/tutorial.md, run unchanged and in the page's order, print the output that the page shows."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import FAST, ROOT, clean_environment
from pages import Step, shows, steps_of
from ports import free_port

PAGE = ROOT / "docs/tutorial.md"
# The ports of the page, with the variables from which `make up` reads its ports. The page itself sets the variables of the second log.
PORTS = {"8301": "OPTIKS_QUERY_PORT", "8311": "OPTIKS_UPDATE_PORT", "8321": "OPTIKS_TASK_PORT", "8302": None, "8312": None, "8322": None}
HOME = "/home/you"
LOGS = ("log", "other")
# This `make` runs the Makefile's recipes for `make up` and `make down` without building: the programs are those that `make build` built.
MAKE = '#!/bin/sh\nexec {make} -o programs "$@"\n'
# This text separates the outputs of two blocks.
MARK = "\036\n"
# The exit code with which the shell ends if a command succeeds although the page shows that it fails.
STILL_ALLOWED = 99
TIMEOUT_SECONDS = 300


class TutorialTest(unittest.TestCase):
    def setUp(self):
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="optiks-tutorial-")))
        self.folder = self.home / "optiks-tutorial"
        programs = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="optiks-tutorial-bin-")))
        (programs / "make").write_text(MAKE.format(make=shutil.which("make")))
        (programs / "make").chmod(0o755)
        self.ports = {port: str(free_port()) for port in PORTS}
        own = {variable: self.ports[port] for port, variable in PORTS.items() if variable}
        self.environment = {**clean_environment(), **FAST, **own, "HOME": str(self.home), "PATH": f"{programs}:{os.environ['PATH']}"}
        self.addCleanup(self.stop)

    def stop(self) -> None:
        """Stops the services that a failed run of the page leaves behind."""
        for log in LOGS:
            if (self.folder / log).exists():
                subprocess.run([ROOT / "eng/services.py", "down"], env=self.environment | {"OPTIKS_DATA": str(self.folder / log)}, capture_output=True, timeout=60, check=False)

    def here(self, text: str) -> str:
        """Returns a text of the page in which the ports and the home folder are replaced by those of this run."""
        return re.sub("|".join(rf"\b{port}\b" for port in PORTS), lambda port: self.ports[port[0]], text).replace(HOME, str(self.home))

    def run_page(self, steps: list[Step]) -> tuple[int, list[str]]:
        """Runs all blocks in one shell. Returns the shell's exit code, and the output of each block. The shell ends at the first command
        that fails, unless the page shows the exit code."""
        script = "trap 'code=$?; [ $((allowed--)) -gt 0 ] || exit $code' ERR\n"
        for step in steps:
            failures = len(re.findall("^exit code [1-9]", step.shown or "", re.MULTILINE))
            script += f"allowed={failures}\n{self.here(step.commands)}[ $allowed -eq 0 ] || exit {STILL_ALLOWED}\nprintf '{MARK}'\n"
        done = subprocess.run(["/bin/bash", "-c", script], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=TIMEOUT_SECONDS, check=False)
        return done.returncode, done.stdout.split(MARK)

    def test_each_block_prints_what_the_page_shows(self):
        steps = steps_of(PAGE)
        code, printed = self.run_page(steps)
        self.assertEqual((code, len(printed)), (0, len(steps) + 1), printed[-1])
        for step, output in zip(steps, printed, strict=False):
            with self.subTest(step.commands.splitlines()[0]):
                self.assertTrue(step.shown is None or shows(self.here(step.shown), output), f"the page shows:\n{step.shown}\nprinted was:\n{output}")
        self.assertEqual([list((self.folder / log / "run").iterdir()) for log in LOGS], [[], []], "the page leaves services running")
        self.assertEqual(len(list((self.folder / "bob/client/evidence").iterdir())), 1)

    def test_the_shell_ends_where_the_page_does_not_show_it(self):
        """Checks that the shell ends at a failing command, unless the page shows the command's exit code."""
        for commands, shown, expected, printed in (("false\necho on\n", None, 1, ""), ("false\necho on\n", "on\nexit code 1\n", 0, "on\n"), ("false\n(exit 5)\n", "exit code 1\n", 5, ""),
                                                   ("echo on\n", "on\nexit code 1\n", STILL_ALLOWED, "on\n")):
            with self.subTest(commands=commands, shown=shown):
                code, outputs = self.run_page([Step(commands, shown)])
                self.assertEqual((code, outputs[0]), (expected, printed))


class ShownTest(unittest.TestCase):
    """Tests that the comparison of an output with the page refuses an output whose meaning differs."""

    SHOWN = ("...\nalice: present, version 5, epoch 5, valid\n  value    mallory's key\n  checked  2 epochs (2026-11-28 08:17:25Z), ...\n"
             "...\n  version 5    epoch 5        alice's fourth key\n6\n7P1vXQjogVW2I7IzzeFiRCpnnVdvLyfMm7Os7+/BfEk=\nexit code 5\n")
    PRINTED = SHOWN.replace("...\nalice", "built\nalice").replace(", ...", ", and more").replace("...\n", "one\n\nand another\n")

    def test_what_differs_from_run_to_run(self):
        self.assertTrue(shows(self.SHOWN, self.PRINTED))
        for one, another in (("epoch 5", "epoch 12"), ("2 epochs (2026-11-28 08:17:25Z)", "13 epochs (2027-01-02 03:04:05Z)"), ("epoch 5        a", "epoch 10       a"),
                             ("\n6\n7P1v", "\n17\nABCD"), ("built\n", ""), ("one\n\nand another\n", "")):
            with self.subTest(another):
                self.assertIn(one, self.PRINTED)
                self.assertTrue(shows(self.SHOWN, self.PRINTED.replace(one, another)))

    def test_what_does_not(self):
        for one, another in (("present", "absent"), ("version 5,", "version 4,"), ("mallory's", "alice's"), ("valid", "valid, fork"), ("  value    mallory's key\n", ""),
                             ("exit code 5", "exit code 0"), ("7P1v", "?"), ("alice's fourth key\n", "alice's fourth key\nALARM\n")):
            with self.subTest(another):
                self.assertIn(one, self.PRINTED)
                self.assertFalse(shows(self.SHOWN, self.PRINTED.replace(one, another)))


if __name__ == "__main__":
    unittest.main()
