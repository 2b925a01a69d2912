#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests whether the loops that measure a processor's multiplications still make all that they count.

    ceiling_chains.py OBJDUMP CHAINS OBJECT

A chain whose numbers the compiler can foresee is left out of the loop, and the limit that is
measured lies above the processor's.  So each of the two loops, for float32 and float64, has to hold
CHAINS instructions that multiply.  Prints how many it holds, and exits with 1 if it has fewer.
"""

import re
import subprocess
import sys


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    objdump, chains, compiled = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    listed = subprocess.run([objdump, "-dC", "--no-show-raw-insn", compiled], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    functions = re.split(r"^[0-9a-f]+ <", listed, flags=re.MULTILINE)[1:]
    wrong = False
    for number in ("float", "double"):
        # The template, or the function that it is inlined into.
        texts = [text for text in functions
                 if re.search(f"multiply_adds(<|_){number}", text.split(">:")[0])]
        found = max((loop_products(text) for text in texts), default=0)
        print(f"{number}: {found} of {chains} chains")
        wrong = wrong or found < chains
    sys.exit(1 if wrong else 0)


def loop_products(text):
    """Multiplications of the fullest loop: between a jump back and where it leads."""
    lines = [match.groups() for match in
             re.finditer(r"^\s*([0-9a-f]+):\s+(\S+)\s*(\S*)", text, flags=re.MULTILINE)]
    places = {address: i for i, (address, _, _) in enumerate(lines)}
    most = 0
    for i, (_, name, operand) in enumerate(lines):
        start = places.get(operand, i) if name.startswith("j") else i
        body = [one for _, one, _ in lines[start:i]]
        most = max(most, sum(bool(re.match(r"v?fn?madd|v?mulp", one)) for one in body))
    return most


if __name__ == "__main__":
    main()
