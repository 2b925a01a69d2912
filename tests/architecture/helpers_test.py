# SPDX-License-Identifier: MIT
"""Files of tests that are compiled together have no helper of one name: of two functions the compiler would take the
one that fits a call better, be it the other file's, and the test would check something else.

    helpers_test.py BUILD
"""

import pathlib
import re
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))

# What is no code, but for the end of a namespace.
NO_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|//(?! namespace)[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}\s*// namespace$", re.DOTALL | re.MULTILINE)
FUNCTION = re.compile(r"^(?!\s|using |struct |class |enum |namespace |template |return )[\w:<>,&*\[\]\s]*?[\s&*](\w+)\(",
                      re.MULTILINE)


def helpers(text):
    """Names of the functions in the unnamed namespaces of a file."""
    return {name for part in UNNAMED.findall(NO_CODE.sub('""', text))
            for line in part.split("\n") for name in FUNCTION.findall(line)}


def shared(texts):
    """`name: file, file` for each helper that several of the files (by name) have."""
    files = {}
    for file, text in texts.items():
        for name in helpers(text):
            files.setdefault(name, []).append(file)
    return sorted(f"{name}: {', '.join(sorted(of))}" for name, of in files.items() if len(of) > 1)


class Helpers(unittest.TestCase):
    def test_finds_what_is_planted(self):
        first = "namespace {\n\nstd::string error_of(const char* text) {\n  return f(text);\n}\n\n}  // namespace\n"
        second = ("namespace {\n\n// double error_of(int)\nconst double kNone = 0;\n\ntemplate <class T>\n"
                  "T error_of(T x) {\n  return \"}\";\n}\n\nint own() { return 1; }\n\n}  // namespace\n")
        self.assertEqual(shared({"a.cpp": first, "b.cpp": second, "c.cpp": "int error_of(int);\n"}),
                         ["error_of: a.cpp, b.cpp"])
        self.assertEqual(shared({"a.cpp": first}), [])

    def test_helpers_of_files_that_are_compiled_together_differ(self):
        groups = sorted(BUILD.glob("tests/CMakeFiles/*.dir/Unity/*.cxx"))
        if not groups:
            self.skipTest("files are compiled one by one here")
        for group in groups:
            files = re.findall(r'^#include "(.*)"$', group.read_text(), re.MULTILINE)
            texts = {pathlib.Path(file).name: pathlib.Path(file).read_text() for file in files}
            with self.subTest(group=group.name):
                self.assertEqual(shared(texts), [])


if __name__ == "__main__":
    unittest.main()
