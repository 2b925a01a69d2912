# SPDX-License-Identifier: MIT
"""Docstrings of gaia as Markdown: a block whose lines are set in columns becomes code, so that its columns stay, one
that is indented is code of Python where Python reads it, and what looks like a link, as kernel[blocks](x) or w[0][1], is
none."""

import ast
import re
import textwrap

import griffe

COLUMNS = re.compile(r"^ *\S[^:.]{0,40}? {2,}\S")


def as_written(docstring):
    """The text with the indentation that it has beyond its closing quotes, which griffe takes away where all lines behind
    the first have it."""
    lines = ast.literal_eval(docstring.source).split("\n") if docstring.source else []
    if len(lines) < 2 or lines[-1].strip():
        return docstring.value  # whose quotes close behind its text, so that they have no indentation of their own
    margin = len(lines[-1])
    return "\n".join([lines[0].strip()] + [line[margin:].rstrip() for line in lines[1:]]).strip("\n")


def is_python(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def as_markdown(text):
    blocks = []
    for block in re.split(r"\n{2,}", text):
        lines = block.splitlines()
        in_columns = any(COLUMNS.match(line) for line in lines)
        if in_columns and not all(line.startswith("    ") for line in lines):
            # A sentence that leads to the columns stays one.
            lead = next((i for i, line in enumerate(lines) if COLUMNS.match(line)), 0)
            if lead:
                blocks.append("\n".join(lines[:lead]))
            block = "```text\n" + "\n".join(lines[lead:]) + "\n```"
        elif lines[0].startswith("    "):
            code = textwrap.dedent(block)
            block = f"```{'python' if is_python(code) else 'text'}\n{code}\n```"
        else:
            block = "".join(part if part.startswith("`") else re.sub(r"\](?=[(\[])", r"]\\", part)
                            for part in re.split(r"(`[^`]*`)", block))
        blocks.append(block)
    return "\n\n".join(blocks)


class Columns(griffe.Extension):
    def on_instance(self, *, obj, **_):
        if not obj.is_alias and obj.docstring:
            obj.docstring.value = as_markdown(as_written(obj.docstring))
