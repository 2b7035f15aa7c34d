#!/usr/bin/python3
"""Checks that the exported symbols of liboptiks, the golden list and the header are the same.

usage: check_symbols.py LIBRARY SYMBOLS_TXT HEADER
"""

import re
import subprocess
import sys


def main() -> int:
    library, golden_path, header_path = sys.argv[1:]
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    with open(golden_path, encoding="utf-8") as file:
        lines = file.read().split()
    with open(header_path, encoding="utf-8") as file:
        declared = set(re.findall(r"OPTIKS_EXPORT\s+[\w\s]+?\b(optiks_\w+)\(", file.read()))
    golden = set(lines)
    failed = False
    if lines != sorted(golden):
        print("the golden list is not sorted, or names something twice")
        failed = True
    for name, found in (("library", exported), ("header", declared)):
        for symbol in sorted(found - golden):
            print(f"{symbol} is in the {name} but not in the golden list")
            failed = True
        for symbol in sorted(golden - found):
            print(f"{symbol} is in the golden list but not in the {name}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
