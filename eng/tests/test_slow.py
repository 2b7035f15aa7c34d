"""Tests that slow.sh returns the command's exit code and output, and leaves nothing behind."""

import subprocess
import unittest
from pathlib import Path

SLOW = Path(__file__).resolve().parents[1] / "slow.sh"


def slow(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([SLOW, *arguments], capture_output=True, text=True, check=False)


class SlowTest(unittest.TestCase):
    def test_the_command_runs_beside_what_takes_the_processors_and_its_exit_code_is_given(self):
        done = slow("--busy", "2", "bash", "-c", "pgrep --parent $PPID --count; echo out; exit 7")
        self.assertEqual((done.returncode, done.stdout.split()[-1]), (7, "out"), done)
        self.assertIn("2 processes take the processors", done.stderr)

    def test_nothing_runs_on(self):
        done = slow("--busy", "3", "--latency", "0", "bash", "-c", "pgrep --parent $PPID")
        running = [pid for pid in done.stdout.split() if Path(f"/proc/{pid}").exists() and b"slow.sh" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        self.assertGreaterEqual(len(done.stdout.split()), 3, done)
        self.assertEqual(running, [])

    def test_usage(self):
        for arguments in ((), ("--fast", "1", "true"), ("--busy",)):
            self.assertNotEqual(slow(*arguments).returncode, 0)


if __name__ == "__main__":
    unittest.main()
