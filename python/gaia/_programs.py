# SPDX-License-Identifier: MIT
"""The programs that come with the package, in addition to its library."""
import os
import pathlib
import sys

from .errors import Error


def path_of(name):
    """The file of a program: in the package, or where a build has it.  Raises Error where it is not."""
    package = pathlib.Path(__file__).parent
    for path in (package / "bin" / name, _of_a_build(name)):
        if path is not None and os.access(path, os.X_OK):
            return str(path)
    raise Error(f"[{name}] the program was not found in {package / 'bin'}; install the package, or build it as a whole "
                "(cmake --build --preset release)")


def _of_a_build(name):
    from . import _gaia
    folder = pathlib.Path(_gaia.__file__).parent  # the build's python/gaia, whose files in Python are links
    return folder.parents[1] / "bin" / name


def start(name, arguments):
    """Puts the program in the place of this process, as a shell's exec does."""
    try:
        path = path_of(name)
    except Error as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execv(path, [path, *arguments])
