#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/troubleshooting.md and docs/known-limits*.md quote existing messages and options.

Each message in the first column of a table is a text that clew prints. Each option
belongs to the command with which it is shown.
"""
import re
import unittest

from lib.clewtest import ROOT

FOLDERS = ("alloc", "base", "cli", "image", "jvm", "locks", "preload",
           "report", "symbolizer", "wire")
PAGES = ("troubleshooting", "known-limits", "known-limits-java",
         "known-limits-options", "requirements")
PIECE = r'"((?:[^"\\\n]|\\.)*)"'
LITERAL = re.compile(rf"{PIECE}(?:\s*(?:PRI\w+\s*)?{PIECE})*")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def printed():
    """Yields each string in clew's sources, with adjacent literals joined."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.[ch]"):
            text = COMMENT.sub(" ", path.read_text(encoding="utf-8"))
            for found in LITERAL.finditer(text.replace("\\\n", " ")):
                literal = "".join(re.findall(PIECE, found[0]))
                yield literal.replace('\\"', '"').replace("%%", "%")


def messages():
    """Yields each quotation of three words or more in the first column of a table."""
    for line in page("troubleshooting").splitlines():
        first, _, _ = line.lstrip("| ").partition(" | ")
        for quoted in re.findall(r"`([^`]+)`", first):
            if line.startswith("|") and len(quoted.split()) >= 3:
                yield quoted


def commands(text):
    """Yields (command, its arguments) for all clew commands that a page shows."""
    spans = re.findall(r"`([^`\n]+)`", text)
    spans += re.findall(r"(?m)^ {4}([^#\n]+)", text)
    for span in set(spans).difference(messages()):
        found = re.match(r"(?:sudo (?:-u \S+ )?)?clew (\w+)([^;|]*)", span)
        if found:
            yield found[1], found[2].split(" -- ")[0]


def manual(name):
    """Returns the source of a manual page, with included files."""
    text = (ROOT / "man" / name).read_text(encoding="utf-8")
    for included in re.findall(r"(?m)^\.so (?:man/)?(\S+)", text):
        text += manual(included)
    return text.replace("\\-", "-")


class Symptoms(unittest.TestCase):
    maxDiff = None

    def test_each_message_in_the_documents_is_printed(self):
        texts = "\0".join(printed())
        all_messages = list(messages())
        self.assertGreater(len(all_messages), 60)
        missing = [message for message in all_messages
                   for part in message.split("...")
                   if part.strip(" ,") and part.strip(" ,") not in texts]
        self.assertEqual(missing, [])

    def test_each_option_in_the_documents_belongs_to_its_command(self):
        missing, count = [], 0
        for name in PAGES:
            for command, words in commands(page(name)):
                options = OPTION.findall(words)
                text = manual(f"clew-{command}.1")
                count += len(options)
                missing += [f"{name}: clew {command} {option}"
                            for option in options
                            if not re.search(rf"{option}(?![\w-])", text)]
        self.assertGreater(count, 40)
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
