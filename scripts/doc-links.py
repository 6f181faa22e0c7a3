#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that the links of Markdown files lead somewhere.

    scripts/doc-links.py FILE...

A relative link must name a file or a folder below the folder in which this is
run, and its anchor a heading of that file, in GitHub's spelling. Links to other
hosts are not checked. Exits with 1 and one line per offence.
"""
import os
import pathlib
import re
import sys
import urllib.parse

FENCE = re.compile(r" {0,3}(```+|~~~+)")
HEADING = re.compile(r" {0,3}#{1,6} +(.*?)(?: +#+)? *$")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# [text](target "title"), ![text](target), [name]: target
INLINE = re.compile(r"\]\(\s*<?([^)\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?")
TEXT_OF_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
HOST = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def prose(path):
    """Yields the lines of a file outside of code, with their numbers."""
    fence = None
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line)
        if fence:
            if found and line.strip().startswith(fence):
                fence = None
        elif found:
            fence = found[1]
        else:
            yield number, line


def anchors(path):
    """Returns the anchors that GitHub generates for the headings of a file."""
    found = set()
    for _, line in prose(path):
        heading = HEADING.match(line)
        if not heading:
            continue
        words = TEXT_OF_LINK.sub(r"\1", heading[1]).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        same = [name] + [f"{name}-{i}" for i in range(1, len(found) + 1)]
        found.add(next(one for one in same if one not in found))
    return found


def offence(path, target):
    """Returns why a link of a file is wrong, or None."""
    if HOST.match(target):
        return None
    name, _, anchor = urllib.parse.unquote(target).partition("#")
    if not target or name.startswith("/"):
        return "is not relative"
    there = path.parent / name if name else path
    if os.path.normpath(there).split(os.sep)[0] == os.pardir:
        return "leads out of the tree"
    if not there.exists():
        return "leads nowhere"
    if anchor and (there.suffix != ".md" or anchor not in anchors(there)):
        return "has an anchor that is not there"
    return None


def main():
    offences = 0
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        for number, line in prose(path):
            line = CODE.sub("", line)
            for target in INLINE.findall(line) + DEFINITION.findall(line):
                why = offence(path, target)
                if why:
                    print(f"{name}:{number}: {target} {why}")
                    offences += 1
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
