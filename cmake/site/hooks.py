# SPDX-License-Identifier: MIT
"""Makes pages that read well on a Git host ones of the site, as MkDocs reads them.

- A link that leaves docs/ leads to the repository where mkdocs.yml has its address (`repo_url`), else to a copy: of a
  file its text as a page, in which Markdown and notebooks are set as such, of a folder the list of its files.
- A link whose text is the name of its file, as in [rules.md](rules.md), has the name of the page in the navigation.
- Files that pages load, site.css and iframe-worker.js, are added: the site takes nothing from elsewhere.
- The pages of Doxygen, in build/site-cpp if scripts/site has made them, are part of the site, and so is the compiled
  module of Python if a build has left its interface file, _gaia.pyi.
- What Python-Markdown reads otherwise than Git hosts (names of code blocks, text in <details>, bars in code within
  tables) is rewritten.
"""

import html
import json
import pathlib
import posixpath
import re
import subprocess

import markdown as python_markdown
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOXYGEN = ROOT / "build" / "site-cpp"
STUB = ROOT / "build" / "site-python" / "gaia" / "_gaia.pyi"
COPIES = "repository"
ADDED = ("site.css", "iframe-worker.js")

FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"(!?\[)((?:[^\[\]]|\[[^\[\]]*\])*)(\]\()([^()\s]+)(\))")
CODE_WITH_BAR = re.compile(r"`([^`]*\\\|[^`]*)`")
NAMED_FENCE = re.compile(r"^(\s*```)(\w+) ([\w.]+)$")
COPY_STYLE = ("body { font-family: sans-serif; line-height: 1.5; max-width: 60rem; margin: auto; padding: 1rem } "
              "pre { line-height: 1.3; overflow-x: auto } img { max-width: 100% } "
              "td, th { padding: 0 1rem 0 0; text-align: left } .headerlink { display: none }")
CPP_PAGES = """- [Classes](CPP/annotated.html)
- [Headers](CPP/files.html)
- [Functions](CPP/namespacemembers_func.html)
- [All names](CPP/namespacemembers.html)
"""

_copied = {}  # path within the repository: address of its copy on the site


def tracked(folder):
    """Names of the files and folders of a folder of the repository, as git has them, else as they lie there."""
    done = subprocess.run(["git", "ls-files", "-z", "--", folder], cwd=ROOT, capture_output=True, text=True)
    paths = [path for path in done.stdout.split("\0") if path] if done.returncode == 0 else []
    within = [posixpath.relpath(path, folder) for path in paths]
    names = within or [path.name + ("/x" if path.is_dir() else "") for path in (ROOT / folder).iterdir()]
    return sorted({name.split("/")[0] + ("/" if "/" in name else "") for name in names})


def page_of(title, body, address):
    """A page of a copy, which leads back to the site."""
    home = posixpath.relpath("index.html", posixpath.dirname(address))
    heading = "" if "<h1" in body else f"<h1>{html.escape(title)}</h1>\n"
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><title>{html.escape(title)}</title>'
            '<meta name="viewport" content="width=device-width"/><meta name="color-scheme" content="light dark"/>\n'
            f"<style>{COPY_STYLE}</style></head>\n"
            f'<body><p><a href="{home}">Overview</a></p>\n{heading}{body}\n</body></html>\n')


def of_notebook(text):
    """The cells of a notebook as Markdown."""
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) if cell["cell_type"] == "markdown" else
                       "```python\n" + "".join(cell["source"]) + "\n```" for cell in cells)


def copy(path, config, files):
    """The address on the site of a copy of a file or folder of the repository."""
    if path in _copied:
        return _copied[path]
    place = ROOT / path
    if place.is_dir():
        _copied[path] = address = f"{COPIES}/{path}/index.html"
        rows = []
        for name in tracked(path):
            inner = f"{path}/{name}"
            if name.endswith("/"):
                rows.append(f"<li>{html.escape(name)}</li>")
            else:
                to = posixpath.relpath(copy(inner, config, files), posixpath.dirname(address))
                rows.append(f'<li><a href="{html.escape(to)}">{html.escape(name)}</a></li>')
        content = page_of(path, "<ul>\n" + "\n".join(rows) + "\n</ul>", address)
    else:
        try:
            text = place.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            _copied[path] = address = f"{COPIES}/{path}"
            files.append(File.generated(config, address, content=place.read_bytes()))
            return address
        _copied[path] = address = f"{COPIES}/{path}.html"
        if path.endswith((".md", ".ipynb")):
            text = of_notebook(text) if path.endswith(".ipynb") else text
            text = rewritten(text, path, lambda to: where_of_copy(to, path, config, files), files)
            # Extensions with a name are those of mkdocs.yml, others are of plugins, which serve pages of docs/ alone.
            extensions = [one for one in config.markdown_extensions if isinstance(one, str)]
            body = python_markdown.markdown(text, extensions=extensions, extension_configs=config.mdx_configs)
        else:
            body = f"<pre>{html.escape(text)}</pre>"
        content = page_of(path, body, address)
    files.append(File.generated(config, address, content=content))
    return address


def where(target, page, config, files):
    """Where a link leads on the site; the link itself where it stays within docs/."""
    path, mark, part = target.partition("#")
    if not path or re.match(r"[a-z]+:|/", path):
        return target
    within = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
    if within.startswith("docs/") and not within.endswith(".ipynb"):
        return target
    if not (ROOT / within).exists():
        return target  # which MkDocs complains of
    if config.repo_url:
        kind = "tree" if (ROOT / within).is_dir() else "blob"
        return f"{config.repo_url.rstrip('/')}/{kind}/HEAD/{within}{mark}{part}"
    address = posixpath.relpath(copy(within, config, files), posixpath.dirname(page) or ".")
    return address + mark + part if within.endswith(".md") else address


def where_of_copy(target, path, config, files):
    """Where a link of a copied page leads on the site."""
    name, mark, part = target.partition("#")
    if not name or re.match(r"[a-z]+:|/", name):
        return target
    within = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    if not (ROOT / within).exists():
        return target  # which cmake/site/links.py complains of
    file = files.get_file_from_path(posixpath.relpath(within, "docs"))
    address = file.url if file else copy(within, config, files)
    return posixpath.relpath(address, posixpath.join(COPIES, posixpath.dirname(path))) + mark + part


def name_of(text, target, path, files):
    """The text of a link: where it is the name of a page's file, the page's name in the navigation."""
    name = target.partition("#")[0]
    if not text.endswith(".md") or text not in (name, posixpath.basename(name)):
        return text
    within = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    file = files.get_file_from_path(posixpath.relpath(within, "docs"))
    return file.page.title or text if file and file.page else text


def rewritten(text, path, lead, files):
    """The Markdown of a file of the repository as the site reads it; lead(target) says where its links lead."""
    lines, in_code = [], False
    for line in text.splitlines():
        if FENCE.match(line):
            in_code = not in_code
            line = NAMED_FENCE.sub(r'\1\2 title="\3"', line)
        elif not in_code:
            line = LINK.sub(lambda one: one[1] + name_of(one[2], one[4], path, files) + one[3] + lead(one[4]) + one[5],
                            line)
            line = line.replace("<details>", '<details markdown="1">')
            if line.lstrip().startswith("|"):
                line = CODE_WITH_BAR.sub(code_with_bar, line)
        lines.append(line)
    return "\n".join(lines)


def code_with_bar(match):
    return f"<code>{html.escape(match[1].replace(chr(92) + '|', '|')).replace('|', '&#124;')}</code>"


def on_config(config):
    _copied.clear()
    return config


def on_files(files, config):
    for path in sorted(DOXYGEN.rglob("*")) if (DOXYGEN / "index.html").is_file() else []:
        if path.is_file():
            files.append(File.generated(config, f"cpp/{path.relative_to(DOXYGEN).as_posix()}",
                                        abs_src_path=str(path)))
    for name in ADDED:
        files.append(File.generated(config, f"assets/{name}", abs_src_path=str(ROOT / "cmake" / "site" / name)))
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        files.remove(file)
    return files


def on_page_markdown(markdown, page, config, files):
    source = page.file.src_uri
    text = rewritten(markdown, f"docs/{source}", lambda to: where(to, source, config, files), files)
    if page.file.src_uri == "api/cpp.md":
        there = (DOXYGEN / "index.html").is_file()
        text = text.replace("<!-- the pages of Doxygen -->", CPP_PAGES.replace("CPP", "../cpp") if there else
                            "(This site was built without Doxygen.)")
    if page.file.src_uri == "api/python/compiled.md":
        text = text.replace("<!-- the compiled module -->", "::: gaia._gaia" if STUB.is_file() else
                            "(This site was built without the compiled module.)")
    return text
