#!/usr/bin/env python3
"""Checks the object code of a batch kernel for instructions whose timing or addresses could depend on a secret.

usage: check_disassembly.py OBJECT [--expect-breach]

A kernel keeps secrets in vector registers and in memory. The exception is the digits of a scalar that all lanes share:
mul_same reads these one by one, and copies each into all lanes of a vector. A breach is
  - a gather or a scatter, because it uses an address for each lane;
  - a masked load or store, because the mask may decide whether it accesses memory;
  - a vector or mask register whose contents reach a general register or the flags, in a function that has secrets;
  - a conditional jump, move or set after anything but a comparison of whole general registers or of words on the
    stack (counters, sizes, the stack's guard), in a function that has secrets;
  - a weak symbol that does not belong to the kernel, because the linker could use it for the rest of the program, on
    processors without these instructions.
Functions for decoding and verification handle no secrets. Their names match PUBLIC.

With --expect-breach the script fails unless breaches of every kind occur. This option serves for the positive control.
"""

import re
import subprocess
import sys

PUBLIC = re.compile(r"decode|6verify|subgroup_minus_any|generator_minus")
GATHER = re.compile(r"^v?p?(gather|scatter)")
MASK = re.compile(r"\{%k[1-7]\}")
MASKED_MOVE = re.compile(r"^v?p?maskmov")
KERNEL = re.compile(r"Ifma|Avx2")
TO_GENERAL = re.compile(r"^(v?pmovmskb|v?movmskp[sd]|v?ptest|vtestp[sd]|kortest[bwdq]|ktest[bwdq])$")
MOVE_TO_GENERAL = re.compile(r"^(v?movq|v?movd|kmov[bwdq]|v?pextr[bwdq])$")
GENERAL = re.compile(r"%(r|e)([a-ds][xip]|[0-9]+|bp|sp|di|si)[dwb]?$")
COMPARISON = re.compile(r"^(cmp|test|add|sub|dec|inc|and)[lq]?$")
NARROW = re.compile(r"%([a-d][lh]|sil|dil|r[0-9]+b|[a-d]x|r[0-9]+w)\b")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions(path):
    """Yields (name, [(mnemonic, operands)]) for every function of the object."""
    name, body = None, []
    for line in run("objdump", "-d", "--no-show-raw-insn", path).splitlines():
        header = re.match(r"^[0-9a-f]+ <(.+)>:$", line)
        if header:
            if name:
                yield name, body
            name, body = header.group(1), []
        elif name and "\t" in line:
            words = line.split("\t")[1].split("#")[0].split("<")[0].split(None, 1)
            if words:
                body.append((words[0], words[1].strip() if len(words) > 1 else ""))
    if name:
        yield name, body


def depends_on_vectors(mnemonic, operands):
    if TO_GENERAL.match(mnemonic):
        return True
    return bool(MOVE_TO_GENERAL.match(mnemonic) and GENERAL.search(operands) and re.match(r"(\$\S+,)?%([xyz]mm|k)[0-9]", operands))


def bad_condition(flags):
    """Returns whether the instruction that set the flags compares anything other than counters."""
    mnemonic, operands = flags
    elsewhere = "(" in operands.replace("(%rsp)", "").replace("(%rbp)", "")
    return not COMPARISON.match(mnemonic) or elsewhere or bool(NARROW.search(operands))


def breaches(path):
    """Yields (kind, text) for every breach in the object."""
    for name, body in functions(path):
        is_public = bool(PUBLIC.search(name))
        flags = ("", "")
        for mnemonic, operands in body:
            code = f"{name[:80]}: {mnemonic} {operands}"
            if GATHER.match(mnemonic):
                yield "gather", code
            elif MASKED_MOVE.match(mnemonic) or (MASK.search(operands) and "(" in operands):
                yield "masked", code
            if not is_public:
                if depends_on_vectors(mnemonic, operands):
                    yield "vector", code
                if re.match(r"^(j(?!mp)|cmov|set)[a-z]+$", mnemonic) and bad_condition(flags):
                    yield "condition", f"{code} after {flags[0]} {flags[1]}"
            if not mnemonic.startswith(("v", "mov", "lea", "j", "k", "set", "nop", "push", "pop", "cs", "data16", "xchg", "call")):
                flags = (mnemonic, operands)
    for line in run("nm", "--defined-only", path).splitlines():
        kind, symbol = line.split()[-2:]
        if kind in "WVu" and not KERNEL.search(symbol):
            yield "weak", symbol


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[1:] not in ([], ["--expect-breach"]):
        sys.exit(__doc__)
    found = list(breaches(arguments[0]))
    for kind, text in found[:40]:
        print(f"{kind}: {text}")
    count = sum(1 for _ in functions(arguments[0]))
    print(f"{count} functions, {len(found)} breaches")
    if count == 0:
        sys.exit("no code found")
    if arguments[1:]:
        missing = {"gather", "masked", "vector", "condition", "weak"} - {kind for kind, _ in found}
        sys.exit(f"not found: {', '.join(sorted(missing))}" if missing else 0)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
