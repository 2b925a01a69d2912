#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Walks the pages of a site and says which links lead nowhere.

    links.py SITE

Reads every .html file below SITE.  A link, picture, script or style sheet within the site has to be a file there, and the
part behind # an id or name of that page.  Addresses elsewhere are counted, not visited; what a page loads by itself must not
come from there, so that the site can be read without a network.  Prints each fault as PAGE: LINK: WHY, and exits with 1 if
there is one.
"""

import html.parser
import pathlib
import sys
import urllib.parse

ATTRIBUTES = {"a": "href", "area": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}
LOADED = ("img", "script", "source", "iframe")
LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "manifest"}  # words of the rel of a <link>


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.loaded, self.names = [], set(), set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.update(values[key] for key in ("id", "name") if values.get(key))
        link = values.get(ATTRIBUTES.get(tag, ""))
        if link is not None and values.get("rel") not in ("canonical", "preconnect"):
            self.links.append(link)
            if tag in LOADED or (tag == "link" and LOADED_LINKS & set((values.get("rel") or "").split())):
                self.loaded.add(link)


def wrong_links(site):
    """(page, link, why) of all that lead nowhere, and how many links there are within and out of the site."""
    pages = {path: Page(path.read_text(encoding="utf-8", errors="replace")) for path in sorted(site.rglob("*.html"))}
    wrong, within, out = [], 0, 0
    for path, page in pages.items():
        # The page of what is not found is served at any address, so its links begin at the root.
        base = site if path == site / "404.html" else path.parent
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                out += 1
                if link in page.loaded and parts.netloc:
                    wrong.append((path, link, "loaded from elsewhere"))
                continue
            within += 1
            name = urllib.parse.unquote(parts.path)
            if name.startswith("/"):
                target = site / name.lstrip("/")
            else:
                target = base / name if name else path
            target = target.resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or not target.is_relative_to(site):
                wrong.append((path, link, "no such file"))
            elif parts.fragment and target in pages and not is_place(pages[target], parts.fragment):
                wrong.append((path, link, "no such place on that page"))
    return wrong, len(pages), within, out


def is_place(page, fragment):
    """Places are also Material's own marks, and what Doxygen names where all nested classes of a class are private."""
    return urllib.parse.unquote(fragment) in page.names or fragment.startswith("__") or fragment == "nested-classes"


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    site = pathlib.Path(sys.argv[1]).resolve()
    if not (site / "index.html").is_file():
        sys.exit(f"{site}: no index.html; scripts/site builds one")
    wrong, pages, within, out = wrong_links(site)
    for path, link, why in wrong:
        print(f"{path.relative_to(site)}: {link}: {why}")
    print(f"{pages} pages, {within} links within the site and {out} to elsewhere; {len(wrong)} lead nowhere")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
