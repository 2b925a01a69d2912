# SPDX-License-Identifier: MIT
"""Docstrings of gaia as Markdown: a block whose lines are set in columns becomes code, so that its columns stay, and
what looks like a link, as kernel[blocks](x) or w[0][1], is none."""

import re

import griffe

COLUMNS = re.compile(r"^ *\S[^:.]{0,40}? {2,}\S")


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
        elif not lines[0].startswith("    "):
            block = "".join(part if part.startswith("`") else re.sub(r"\](?=[(\[])", r"]\\", part)
                            for part in re.split(r"(`[^`]*`)", block))
        blocks.append(block)
    return "\n\n".join(blocks)


class Columns(griffe.Extension):
    def on_instance(self, *, obj, **_):
        if not obj.is_alias and obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)
