#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""mkdocs.yml names every page of docs/ and no other, links of pages lead to files and headings that are there, and
cmake/site/links.py finds links of a site that lead nowhere and what its pages load from elsewhere.

    site_test.py SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

source = pathlib.Path(sys.argv[1]).resolve()
WALKER = source / "cmake" / "site" / "links.py"
PARTS = ["Tutorials", "How-to", "Reference", "Explanation"]
CODE = re.compile(r"^\s*```.*?^\s*```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")


def navigation():
    """Lines of `nav:`."""
    text = (source / "mkdocs.yml").read_text()
    return text[text.index("\nnav:\n"):].splitlines()[2:]


def pages():
    return [source / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + \
        sorted((source / "docs").rglob("*.md"))


def anchors(path):
    """Names of the headings of a page, as Git hosts and the site make them."""
    found = set()
    for heading in re.findall(r"^#{1,6} (.*)$", CODE.sub("", path.read_text()), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", LINK.sub(lambda one: one[0][1:one[0].index("]")], heading).strip().lower())
        found.add(name.replace(" ", "-"))
    return found


class Pages(unittest.TestCase):
    def test_every_page_is_in_the_navigation_once_and_every_page_named_is_there(self):
        named = [match[1] for line in navigation() if (match := re.search(r": (\S+\.md)$", line))]
        there = [path.relative_to(source / "docs").as_posix() for path in (source / "docs").rglob("*.md")]
        self.assertEqual(sorted(named), sorted(there))

    def test_the_navigation_has_four_parts(self):
        self.assertEqual([match[1] for line in navigation() if (match := re.match(r"  - ([^:]+):$", line))], PARTS)

    def test_links_lead_to_files_and_headings_that_are_there(self):
        wrong = []
        for path in pages():
            for link in LINK.findall(CODE.sub("", path.read_text())):
                name, _, part = link.partition("#")
                if re.match(r"[a-z]+:", link):
                    continue
                target = (path.parent / name).resolve() if name else path
                if not target.exists() or (part and target.suffix == ".md" and part not in anchors(target)):
                    wrong.append(f"{path.relative_to(source)}: {link}")
        self.assertEqual(wrong, [])

    def test_packages_are_pinned(self):
        lines = (source / "cmake" / "site" / "packages.txt").read_text().splitlines()
        for line in lines:
            self.assertRegex(line, r"^#|^[\w-]+==[\d.]+$")


class Walker(unittest.TestCase):
    def walk(self, **pages_of_site):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder)
            (site / "deep").mkdir()
            (site / "picture.svg").write_text("<svg/>")
            for name, body in pages_of_site.items():
                (site / f"{name.replace('__', '/')}.html").write_text(f"<html><body>{body}</body></html>")
            done = subprocess.run([sys.executable, WALKER, folder], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_links_that_lead_somewhere_pass(self):
        code, told, _ = self.walk(index='<h1 id="a&amp;b">x</h1><a href="#a%26b"></a><a href="deep/page.html#there"></a>'
                                        '<img src="picture.svg"><a href="https://elsewhere.example/x#y"></a>',
                                  deep__page='<p id="there"></p><a href="../index.html"></a><a href=".."></a>')
        self.assertEqual(code, 0, told)
        self.assertEqual(told, ["2 pages, 5 links within the site and 1 to elsewhere; 0 lead nowhere"])

    def test_missing_files_places_and_pictures_are_named(self):
        code, told, _ = self.walk(index='<a href="gone.html"></a><a href="deep/page.html#gone"></a><img src="gone.svg">',
                                  deep__page='<a href="../../outside.html"></a>')
        self.assertEqual(code, 1)
        self.assertEqual(told[:4], ["deep/page.html: ../../outside.html: no such file",
                                    "index.html: gone.html: no such file",
                                    "index.html: deep/page.html#gone: no such place on that page",
                                    "index.html: gone.svg: no such file"])

    def test_what_a_page_loads_from_elsewhere_is_named(self):
        code, told, _ = self.walk(index='<link rel="stylesheet" href="https://cdn.example/a.css"><img src="data:image/png,x">'
                                        '<script src="//cdn.example/b.js"></script><a href="https://cdn.example/c"></a>')
        self.assertEqual(code, 1)
        self.assertEqual(told[:2], ["index.html: https://cdn.example/a.css: loaded from elsewhere",
                                    "index.html: //cdn.example/b.js: loaded from elsewhere"])
        self.assertEqual(len(told), 3)

    def test_what_is_no_site_is_an_error(self):
        code, _, told = self.walk(page="")
        self.assertEqual(code, 1)
        self.assertIn("no index.html", told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
