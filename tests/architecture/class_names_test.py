# SPDX-License-Identifier: MIT
"""Tests that every class of the library has a name of its own.

    class_names_test.py SOURCE_DIR

Two classes of one name are one for the linker: a program gets the destructor of either.
"""

import collections
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
FOLDERS = ("src", "cpu", "cuda", "mpi")
NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w: ]+\w))? ?\{")
CLASS = re.compile(r"(?:template <.*>\s*)?(?:class|struct|union|enum(?: class)?)\s+"
                   r"(?:GAIA_\w+ |alignas\([^)]*\) )?(\w+)(?: final)?\s*(?::[^:]|\{|$)")


def defined_in(text):
    """Full names of the classes that a file defines, but for those in unnamed namespaces."""
    spaces = []
    for line in text.splitlines():
        if found := NAMESPACE.match(line):
            spaces.append(found.group(1) or "")
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif (found := CLASS.match(line)) and "" not in spaces:
            yield "::".join([*spaces, found.group(1)])


def shared_names(files):
    """Names that more than one file defines, with the files."""
    places = collections.defaultdict(set)
    for path, text in files.items():
        for name in defined_in(text):
            places[name].add(path)
    return {name: sorted(paths) for name, paths in places.items() if len(paths) > 1}


class ClassNames(unittest.TestCase):
    def test_no_two_files_define_a_class_of_the_same_name(self):
        files = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
                 for folder in FOLDERS for path in (ROOT / folder).rglob("*")
                 if path.suffix in (".h", ".cpp", ".cu", ".cuh")}
        self.assertGreater(sum(len(list(defined_in(text))) for text in files.values()), 300)
        self.assertEqual(shared_names(files), {})

    def test_what_is_planted_is_found(self):
        first = "namespace gaia {\n\nclass Sweep {\n};\n\nstruct Other : Sweep {\n};\n\n}  // namespace gaia\n"
        unnamed = "namespace gaia {\nnamespace {\nclass Other final {\n};\n}  // namespace\n}  // namespace gaia\n"
        second = "namespace gaia {\nclass Other;\nclass Sweep final : public Other {\n};\n}  // namespace gaia\n"
        self.assertEqual(shared_names({"a.h": first, "b.h": second, "c.cpp": unnamed}),
                         {"gaia::Sweep": ["a.h", "b.h"]})
        nested = second.replace("namespace gaia", "namespace gaia::cpu")
        self.assertEqual(shared_names({"a.h": first, "b.h": nested}), {})


if __name__ == "__main__":
    unittest.main()
