#!/usr/bin/python3
"""Checks that liboptiks exports exactly the functions that the header declares.

usage: check_symbols.py LIBRARY HEADER
"""

import re
import subprocess
import sys


def main() -> int:
    library, header = sys.argv[1:]
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    with open(header, encoding="utf-8") as file:
        declared = set(re.findall(r"OPTIKS_EXPORT\s+[\w\s]+?\b(optiks_\w+)\(", file.read()))
    if not declared:
        print(f"{header} declares no functions")
    for symbol in sorted(exported - declared):
        print(f"{symbol} is in the library but not in the header")
    for symbol in sorted(declared - exported):
        print(f"{symbol} is in the header but not in the library")
    return 0 if declared and exported == declared else 1


if __name__ == "__main__":
    sys.exit(main())
