#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that objects compiled for newer processors define nothing that others could be linked to.

    vector_symbols.py NM NAMESPACE OBJECT...

An inline function of a library that both they and the rest of the program use is kept once, and it
may be the copy with instructions that an older processor does not have.  So every symbol that an
object shares (weak or unique, in nm's letters W, V and u) has to carry the namespace of its
instruction set.  Prints those that do not, and exits with 1 if there is one.
"""

import subprocess
import sys


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    nm, namespace, objects = sys.argv[1], sys.argv[2], sys.argv[3:]
    listed = subprocess.run([nm, "-C", "--defined-only", *objects], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    symbols = [line.split(maxsplit=2)[1:] for line in listed.splitlines() if len(line.split()) > 2]
    shared = [name for letter, name in symbols if letter in "WVu"]
    foreign = [name for name in shared if namespace not in name]
    print(f"{len(shared)} shared symbols in {len(objects)} objects, {len(foreign)} without "
          f"{namespace}")
    print("\n".join(name[:200] for name in foreign))
    sys.exit(1 if foreign or not shared else 0)


if __name__ == "__main__":
    main()
