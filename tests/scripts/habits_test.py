#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files that tools outside this tree read: workflows, hooks, citation, the Debian package.

    habits_test.py SOURCE_DIR BUILD_DIR
"""
import pathlib
import re
import sys
import unittest

source, build = (pathlib.Path(path) for path in sys.argv[1:3])


def read(path):
    return (source / path).read_text()


def version():
    return re.search(r"project\(gaia VERSION ([0-9.]+)", read("CMakeLists.txt"))[1]


class Habits(unittest.TestCase):
    def test_workflows_and_the_dockerfile_call_scripts_that_exist(self):
        texts = {path: path.read_text() for path in [*(source / ".github/workflows").glob("*.yml"), source / "Dockerfile"]}
        called = {name for text in texts.values() for name in re.findall(r"\./scripts/([\w-]+)", text)}
        self.assertLessEqual({"setup", "test", "wheel", "check_layers", "check_duplicates"}, called)
        for name in called:
            self.assertTrue((source / "scripts" / name).is_file(), name)

    def test_workflows_test_presets_that_exist_and_every_python_that_is_promised(self):
        presets = re.findall(r"preset: \[?(\w+)\]?", read(".github/workflows/tests.yml"))
        self.assertEqual(set(presets), {"release", "debug", "tsan"})
        for preset in presets:
            self.assertIn(f'"name": "{preset}"', read("CMakePresets.json"))
        pythons = re.findall(r'"(3\.\d+)"', read(".github/workflows/wheels.yml"))
        first, last = re.search(r"\(3\.(\d+) to 3\.(\d+), with its headers\)", read("CONTRIBUTING.md")).groups()
        self.assertEqual(pythons, [f"3.{minor}" for minor in range(int(first), int(last) + 1)])
        self.assertIn(f'requires-python = ">=3.{first}"', read("pyproject.toml"))

    def test_every_tool_is_pinned_in_one_place(self):
        pinned = re.findall(r'additional_dependencies: \["([\w-]+)==[\d.]+"\]', read(".pre-commit-config.yaml"))
        self.assertEqual(pinned, ["clang-format", "ruff"])
        for path in (source / ".github/workflows").glob("*.yml"):
            self.assertNotRegex(path.read_text(), "(ruff|clang-format)==")

    def test_ruff_reads_every_script_in_python(self):
        listed = set(re.findall(r'"scripts/([\w-]+)"', read("pyproject.toml").split("[tool.ruff.lint]")[0]))
        written = {path.name for path in (source / "scripts").iterdir()
                   if path.is_file() and "python" in path.read_text().split("\n", 1)[0]}
        self.assertEqual(listed, written)

    def test_the_citation_is_of_this_version_and_licence(self):
        cited = dict(re.findall(r'^(\w[\w-]*): "?([^"\n]+)', read("CITATION.cff"), re.MULTILINE))
        self.assertEqual(cited["version"], version())
        self.assertIn(f'license = "{cited["license"]}"', read("pyproject.toml"))
        holder = re.search(r"Copyright \(c\) \d+ (.+)", read("LICENSE"))[1]
        self.assertIn(f'name: "{holder}"', read("CITATION.cff"))

    def test_editors_and_tools_know_of_the_same_lines(self):
        widths = dict(re.findall(r"^\[\*\.\{(h|py),.*?max_line_length = (\d+)", read(".editorconfig"), re.MULTILINE | re.DOTALL))
        self.assertEqual(widths["h"], re.search(r"ColumnLimit: (\d+)", read(".clang-format"))[1])
        self.assertEqual(widths["py"], re.search(r"line-length = (\d+)", read("pyproject.toml"))[1])

    def test_the_debian_package_says_what_it_is(self):
        path = build / "CPackConfig.cmake"
        if not path.is_file():
            self.skipTest("the build tree is not of gaia alone")
        said = dict(re.findall(r'^set\(CPACK_(\w+) "([^"]*)"\)', path.read_text(), re.MULTILINE))
        self.assertEqual(said["PACKAGE_NAME"], "gaia")
        self.assertEqual(said["PACKAGE_VERSION"], version())
        self.assertEqual(said["DEBIAN_PACKAGE_SHLIBDEPS"], "ON")
        self.assertEqual(said["DEBIAN_PACKAGE_SECTION"], "science")
        self.assertIn(said["DEBIAN_PACKAGE_MAINTAINER"], read("LICENSE"))
        self.assertIn("libopenblas0", said["DEBIAN_PACKAGE_RECOMMENDS"])

    def test_pages_that_the_security_page_names_exist(self):
        for page in re.findall(r"\]\(([^)#:]+)\)", read("SECURITY.md")):
            self.assertTrue((source / page).is_file(), page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
