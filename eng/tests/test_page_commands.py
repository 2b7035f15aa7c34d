"""Tests that the check finds the commands of a page in every notation, and that it complains about a command without a row."""

import subprocess
import sys
import unittest
from pathlib import Path

ENG = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ENG))

from page_commands import commands_of, complaints, load

PAGE = """# A page

Then try `make load-keyring`, or read `make it so`.

```sh
optiks lookup alice    # a comment
# Another comment
optiks update alice \\
    one --wait
```

1. In a list:

   ```console
   $ optiks-db status
   ```

```json
{"optiks": 1}
```
"""
COMMANDS = ["optiks lookup alice", "optiks update alice one --wait", "optiks-db status", "make load-keyring"]


class PageCommandsTest(unittest.TestCase):
    def complaints(self, page: str, rows: dict[str, str]) -> list[str]:
        return list(complaints({"README.md": page}, {"README.md": rows}, exists=lambda path: path == "tests/there.py"))

    def test_commands_are_found(self):
        self.assertEqual(commands_of(PAGE), COMMANDS)

    def test_each_has_a_row(self):
        page = PAGE.replace("`make it so`", "it")
        rows = dict.fromkeys(COMMANDS, "tests/there.py")
        self.assertEqual(self.complaints(page, rows), [])
        self.assertEqual(self.complaints(page, rows | {COMMANDS[0]: "not run, because there is no such thing"}), [])
        for command in COMMANDS:
            [complaint] = self.complaints(page, {name: by for name, by in rows.items() if name != command})
            self.assertIn(f"{command!r} has no row", complaint)
        for name, by, expected in (("optiks gone", "tests/there.py", "no command 'optiks gone'"), (COMMANDS[0], "tests/gone.py", "neither a file"), (COMMANDS[0], "not run, because no", "no reason")):
            [complaint] = self.complaints(page, rows | {name: by})
            self.assertIn(expected, complaint)
        [complaint] = self.complaints(page + "\n```\nsystemctl restart it\n```\n", rows)
        self.assertIn("without a language", complaint)
        self.assertEqual(list(complaints({}, {"gone.md": {}})), ["eng/page_commands.toml: there is no page gone.md"])

    def test_the_table_is_read_and_make_help_lists_the_targets_of_the_readme(self):
        targets = [command.removeprefix("make ") for command in load(str(ENG / "page_commands.toml"))["README.md"] if command.startswith("make ")]
        listed = subprocess.run(["make", "--no-print-directory", "help"], cwd=ENG.parent, capture_output=True, text=True, check=True).stdout
        self.assertIn("load-keyring", targets)
        for target in targets:
            self.assertIn(f"make {target}", listed)


if __name__ == "__main__":
    unittest.main()
