#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks the text that people read: documents, man pages, messages and comments.

    scripts/prose.py            check everything, print what exceeds a limit
    scripts/prose.py --list     print every fault
    scripts/prose.py --count    print the faults of each file, and of each folder's comments
    scripts/prose.py FILE...    check these files only

A fault is a sentence that opens with a pronoun or a relative clause, uses a
phrase that CONTRIBUTING.md's rules of language replace, or has more than 40
words. The limits are 40 faults per 1,000 sentences in total and 80 in a file.
One fault in a file is always allowed, as short files have few sentences. Comments of a
folder have at most 40 faults per 1,000 sentences. Lines of Markdown have at most 100 columns, except tables, links and code. codespell
checks the spelling, where it is installed.

Exits with 1 if a limit is exceeded.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOTAL_LIMIT = 40
FILE_LIMIT = 80
COMMENT_LIMIT = 40
COLUMNS = 100
WORDS_IN_SENTENCE = 40

TOP = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ("*.md", "docs/**/*.md")
MANUAL = ("man/*.1", "man/*.3", "man/*.5", "man/*.man")
CODE = ("agent", "alloc", "arch", "base", "cgroup", "classfile", "cli",
        "digest", "disasm", "expression", "image", "jvm", "locks", "match",
        "preload", "report", "symbolizer", "wire")

COMMENTED = (".c", ".h", ".inc", ".S", ".js")

# Words that codespell takes for mistakes, in lower case.
CORRECT_WORDS = ("bu", "statics")

OPENERS = re.compile(
    r"^(who(se|m|ever)?|what(ever)?|those|that which|such|so|of|by|nor|"
    r"likewise|the same|as ever|in (that|this|these|those)[,: ]|"
    r"where (it|they|that|those|there) |it|its|they|their|one that|some of|"
    r"others?|nobody|somebody)\b", re.IGNORECASE)
# A message in lower case continues after the name of its process or file.
CONTINUED = re.compile(r"^(it|its|they|their)\b")
PHRASES = re.compile(
    r"\b(the own|such as come|(it|was|are|were) (said|told)|is (said|told)|"
    r"ha(s|ve) come|is there\b(?! a)|(who|what) has|what is|those who|he who|"
    r"who does|of theirs|of its own accord|nothing of|all that is|goes on|"
    r"stands? (below|at|beside|in)|some ten|so many|as many as|as ever|"
    r"likewise|and of those|which is to|in place of|takes? back|what goes|"
    r"that runs already|machine of java|nobody|somebody|whoever)\b",
    re.IGNORECASE)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
PIECE = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def without_code(text):
    """Yields (line number, line), where lines of fenced blocks are empty."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r" {0,3}(```+|~~~+)", line)
        is_fence = found and (fence is None or line.strip().startswith(fence))
        if is_fence:
            fence = None if fence else found[1]
        yield number, "" if is_fence or fence else line


def paragraphs_of_markdown(text):
    """Yields (line number, paragraph) for prose outside of code and tables."""
    block, start = [], 0
    for number, line in without_code(text + "\n\n"):
        is_prose = line.strip() and not line.startswith(
            ("    ", "#", "|", "<"))
        is_item = is_prose and re.match(r"\s*([-*]|\d+\.)\s+", line)
        if block and (not is_prose or is_item):
            yield start, " ".join(block)
            block = []
        if is_prose:
            start = start if block else number
            block.append(re.sub(r"^\s*([-*]|\d+\.)\s+", "", line).strip())


def paragraphs_of_manual(text):
    """Yields (line number, paragraph) for the text of a man page."""
    block, start = [], 0
    is_example = False
    for number, line in enumerate(text.splitlines() + [".PP"], 1):
        macro = re.match(r"\.(\S+)\s*(.*)", line)
        if macro and macro[1] in ("nf", "EX"):
            is_example = True
        elif macro and macro[1] in ("fi", "EE"):
            is_example = False
        if is_example or line.startswith(('.\\"', "'\\\"")):
            continue
        if macro and macro[1] in ("B", "I", "BR", "IR", "RB", "RI", "BI", "IB"):
            line = macro[2].replace('"', "")
        elif macro:
            if block:
                yield start, " ".join(block)
            block = []
            continue
        start = start if block else number
        block.append(re.sub(r"\\f[BIRP]", "", line).replace("\\-", "-"))


def paragraphs_of_code(text):
    """Yields (line number, text) for string literals that are sentences."""
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for found in LITERAL.finditer(text):
        literal = "".join(PIECE.findall(found[0]))
        literal = re.sub(r"%[-+ #0-9.*lhzj]*[a-zA-Z]", "N", literal)
        for piece in re.split(r"\\n|\\v", literal):
            if len(re.findall(r"[A-Za-z]{2,}", piece)) >= 5:
                yield text.count("\n", 0, found.start()) + 1, piece.strip()


def paragraphs_of_comments(text):
    """Yields (line number, paragraph) for comments without their tables and drawings."""
    for found in COMMENT.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        lines = [re.sub(r"^\s*(/?\*+/?|//) ?", "", line)
                 for line in found[0].removesuffix("*/").splitlines()]
        kept = [line if line.strip() and not line.startswith(("\t", "   "))
                and not line.startswith("SPDX") else "" for line in lines]
        for block in "\n".join(kept).split("\n\n"):
            yield number, " ".join(block.split())


def comment_files(folder):
    return sorted(str(path.relative_to(TOP))
                  for path in TOP.glob(f"{folder}/**/*")
                  if path.suffix in COMMENTED and "node_modules" not in path.parts)


def check_comments(options):
    """Returns whether the comments of some folder have too many faults."""
    total, bad = collections.Counter(), collections.Counter()
    for name in (name for folder in CODE for name in comment_files(folder)):
        folder = os.path.dirname(name)
        text = pathlib.Path(name).read_text(encoding="utf-8")
        for number, paragraph in paragraphs_of_comments(text):
            for sentence in sentences(paragraph):
                reasons = list(faults_of(sentence, is_message=False))
                # "of the call": a phrase that continues the name of a field
                if sentence[0].islower():
                    reasons = [r for r in reasons if not r.startswith("opens")]
                total[folder] += 1
                bad[folder] += bool(reasons)
                if reasons and options.list:
                    print(f"{name}:{number}: {', '.join(reasons)}: "
                          f"{sentence[:120]}")
    is_wrong = False
    for folder in sorted(total):
        rate = 1000 * bad[folder] / total[folder]
        is_over = rate > COMMENT_LIMIT and bad[folder] > 1
        is_wrong |= is_over
        if is_over or options.count:
            print(f"{rate:6.0f} of 1,000  {total[folder]:5} sentences  "
                  f"comments of {folder}"
                  + ("  over the limit" if is_over else ""))
    return is_wrong


def sentences(paragraph):
    plain = re.sub(r"`[^`]*`", "X", paragraph)
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`'\"(*]|clew\b)|(?<=:)\s+(?=[A-Z])", plain)
    return [part.strip(" *") for part in parts if len(part.split()) >= 4]


def faults_of(sentence, is_message):
    found = OPENERS.match(sentence)
    if found and not (is_message and CONTINUED.match(sentence)):
        yield f"opens with '{found[0].strip()}'"
    found = PHRASES.search(sentence)
    if found:
        yield f"'{found[0]}'"
    count = len(sentence.split())
    if count > WORDS_IN_SENTENCE:
        yield f"{count} words"


def files_to_check():
    patterns = [*DOCUMENTS, *MANUAL,
                *(f"{folder}/**/*.[ch]" for folder in CODE)]
    return sorted({str(path.relative_to(TOP))
                   for pattern in patterns for path in TOP.glob(pattern)})


def paragraphs_of(name):
    text = pathlib.Path(name).read_text(encoding="utf-8", errors="replace")
    if name.endswith(".md"):
        return paragraphs_of_markdown(text)
    if name.endswith((".c", ".h")):
        return paragraphs_of_code(text)
    return paragraphs_of_manual(text)


def long_lines(name):
    """Yields numbers of lines that an author could have broken."""
    text = pathlib.Path(name).read_text(encoding="utf-8")
    for number, line in without_code(text):
        if (len(line) > COLUMNS and not line.startswith(("|", "    ", "["))
                and " " in line.strip(" -*")[:COLUMNS]
                and not re.fullmatch(r"\s*[-*]?\s*!?\[.*\]\(.*\)[.,]?", line)):
            yield number


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true",
                        help="print every fault")
    parser.add_argument("--count", action="store_true",
                        help="print the faults of each file")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()

    total, bad = collections.Counter(), collections.Counter()
    is_wrong = False
    if not options.files:
        os.chdir(TOP)
    names = options.files or files_to_check()
    for name in names:
        for number, paragraph in paragraphs_of(name):
            for sentence in sentences(paragraph):
                total[name] += 1
                reasons = list(faults_of(sentence,
                                         name.endswith((".c", ".h"))))
                bad[name] += bool(reasons)
                if reasons and options.list:
                    print(f"{name}:{number}: {', '.join(reasons)}: "
                          f"{sentence[:120]}")
        if name.endswith(".md"):
            for number in long_lines(name):
                print(f"{name}:{number}: more than {COLUMNS} columns")
                is_wrong = True

    for name in names:
        rate = 1000 * bad[name] / max(1, total[name])
        is_over = rate > FILE_LIMIT and bad[name] > 1
        if is_over or options.count and total[name]:
            print(f"{rate:6.0f} of 1,000  {total[name]:5} sentences  {name}"
                  + ("  over the limit: see --list" if is_over else ""))
        is_wrong |= is_over
    rate = 1000 * sum(bad.values()) / max(1, sum(total.values()))
    if rate > TOTAL_LIMIT or options.count:
        print(f"{rate:6.0f} of 1,000  {sum(total.values()):5} sentences  in all")
    is_wrong |= rate > TOTAL_LIMIT
    if not options.files:
        is_wrong |= check_comments(options)

    prose = [n for n in names if not n.endswith((".c", ".h"))]
    if not shutil.which("codespell"):
        print("prose.py: codespell is not installed: spelling unchecked",
              file=sys.stderr)
    elif prose:
        is_wrong |= subprocess.run(
            ["codespell", "-L", ",".join(CORRECT_WORDS), "--", *prose],
            check=False).returncode != 0
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
