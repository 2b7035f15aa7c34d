"""Tests free_port, because files of end-to-end tests run in parallel, in processes that know nothing of each other."""

import subprocess
import sys
import unittest
from pathlib import Path

from ports import free_port

# Ports that no other tests request.
AMONG = range(14900, 14940)
TAKE_SOME = f"from ports import free_port; print(*[free_port({AMONG}) for _ in range(5)], flush=True); input()"


class Ports(unittest.TestCase):
    def test_no_port_is_given_to_two_processes(self):
        other = subprocess.Popen([sys.executable, "-c", TAKE_SOME], cwd=Path(__file__).parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            theirs = set(map(int, other.stdout.readline().split()))
            self.assertEqual(5, len(theirs))
            ours = set()
            with self.assertRaisesRegex(RuntimeError, "no free port"):
                while True:
                    ours.add(free_port(AMONG))
            # Other programs may have some of these ports, but neither process may get a port that the other process has.
            self.assertEqual(set(), ours & theirs)
        finally:
            other.communicate("\n")
        # This is the control: the ports of the other process, which has ended, are available now.
        ours = {free_port(AMONG) for _ in range(5)}
        self.assertEqual(theirs, ours)


if __name__ == "__main__":
    unittest.main()
