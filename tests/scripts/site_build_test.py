#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/site builds the site without a warning or a link that leads nowhere, and cmake/site/hooks.py leads links
that leave docs/ to the repository or to copies.  Exits with 77 where scripts/site has not created its environment.

    site_build_test.py SOURCE_DIR WORK_DIR
"""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

source, work = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
MKDOCS = source / "build" / "site-env" / "bin" / "mkdocs"
SETTINGS = """site_name: small
repo_url: "{address}"
use_directory_urls: false
hooks: [cmake/site/hooks.py]
nav: [One: index.md, The second: deep/two.md]
markdown_extensions: [md_in_html, pymdownx.superfences]
validation: {{nav: {{omitted_files: warn}}, links: {{anchors: warn, not_found: warn}}}}
"""
PAGE = """# One

[code](../src/a.h), [folder](../src), [two](deep/two.md#head) and [elsewhere](https://example.org).
[two.md](deep/two.md#head), [NOTES.md](../NOTES.md#more), [book](book.ipynb).

```yaml one.yaml
x: [link](../src/a.h)
```

<details><summary>Answer</summary>

*yes*

</details>
"""


class Site(unittest.TestCase):
    def small(self, address="", page=PAGE):
        """The site of a small tree: what mkdocs says, and page one of it."""
        shutil.rmtree(work, ignore_errors=True)
        for name in ("docs/deep", "src/inner", "cmake"):
            (work / name).mkdir(parents=True)
        shutil.copytree(source / "cmake" / "site", work / "cmake" / "site")
        (work / "src" / "a.h").write_text("int a<b>;\n")
        (work / "src" / "inner" / "b.h").write_text("int b;\n")
        (work / "docs" / "index.md").write_text(page)
        (work / "docs" / "deep" / "two.md").write_text("# Two\n\n## Head\n\n[code](../../src/a.h)\n")
        (work / "NOTES.md").write_text("# Notes\n\n## More\n\n*well* [two.md](docs/deep/two.md#head) [b](src/inner/b.h)\n")
        (work / "docs" / "book.ipynb").write_text(json.dumps({"cells": [
            {"cell_type": "markdown", "source": ["*first*"]}, {"cell_type": "code", "source": ["x = 1\n", "y = 2"]}]}))
        (work / "mkdocs.yml").write_text(SETTINGS.format(address=address))
        done = subprocess.run([MKDOCS, "build", "--strict"], cwd=work, capture_output=True, text=True)
        told = work / "site" / "index.html"
        return done, told.read_text() if told.is_file() else ""

    def test_links_that_leave_docs_lead_to_copies(self):
        done, page = self.small()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('href="repository/src/a.h.html"', page)
        self.assertIn('href="repository/src/index.html"', page)
        self.assertIn('href="deep/two.html#head"', page)
        self.assertIn("int a&lt;b&gt;;", (work / "site/repository/src/a.h.html").read_text())
        folder = (work / "site/repository/src/index.html").read_text()
        self.assertIn('<a href="a.h.html">a.h</a>', folder)
        self.assertIn("<li>inner/</li>", folder)
        self.assertIn('href="../repository/src/a.h.html"', (work / "site/deep/two.html").read_text())
        self.assertIn("(../src/a.h)</span>", page)
        self.assertIn(">one.yaml<", page)
        self.assertIn("<em>yes</em>", page)

    def test_a_link_by_a_files_name_has_the_name_of_the_page(self):
        _, page = self.small()
        self.assertIn('<a href="deep/two.html#head">The second</a>', page)

    def test_copies_of_markdown_and_notebooks_are_set_and_lead_back(self):
        done, page = self.small()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('href="repository/NOTES.md.html#more"', page)
        notes = (work / "site/repository/NOTES.md.html").read_text()
        self.assertIn('<em>well</em> <a href="../deep/two.html#head">The second</a> <a href="src/inner/b.h.html">b</a>', notes)
        self.assertIn('<a href="../index.html">Overview</a>', notes)
        book = (work / "site/repository/docs/book.ipynb.html").read_text()
        self.assertIn("<em>first</em>", book)
        self.assertNotIn("cell_type", book)

    def test_with_an_address_they_lead_to_the_repository(self):
        done, page = self.small("https://example.org/me/gaia")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('href="https://example.org/me/gaia/blob/HEAD/src/a.h"', page)
        self.assertIn('href="https://example.org/me/gaia/tree/HEAD/src"', page)
        self.assertFalse((work / "site" / "repository").exists())

    def test_a_link_that_leads_nowhere_ends_the_build(self):
        for link in ("../src/gone.h", "gone.md", "deep/two.md#gone"):
            done, _ = self.small(page=f"# One\n\n[x]({link})\n")
            self.assertNotEqual(done.returncode, 0, link)
            self.assertIn(link.rpartition("/")[2].rpartition("#")[2], done.stderr)

    def test_the_site_is_built_and_no_link_leads_nowhere(self):
        done = subprocess.run([source / "scripts" / "site"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("; 0 lead nowhere", done.stdout)
        for name in ("tutorials/1_one_neuron", "rules", "experiments", "hierarchy", "api/cpp", "api/python/nn"):
            self.assertTrue((source / "build" / "site" / f"{name}.html").is_file(), name)
        # The search works on pages that are opened from the disk.
        self.assertTrue((source / "build/site/search/search_index.js").is_file())
        self.assertIn('src="assets/iframe-worker.js"', (source / "build/site/index.html").read_text())
        # Headers have the names by which programs include them.
        page = source / "build/site/cpp/classgaia_1_1Optimiser.html"
        if (source / "build/site/cpp").is_dir():
            self.assertIn("#include &lt;gaia/learning/optimisers.h&gt;", page.read_text())
        # An example whose docstring has no line without an indentation is code.
        self.assertNotIn("<p>net = ", (source / "build/site/api/python/nn.html").read_text())
        self.assertIn("HebbianTransformer", (source / "build/site/api/python/sklearn.html").read_text())


if __name__ == "__main__":
    ready = subprocess.run([source / "scripts" / "site", "--ready"], capture_output=True, text=True)
    if ready.returncode != 0:
        print("skipped:", ready.stderr.strip())
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
