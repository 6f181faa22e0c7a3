# SPDX-License-Identifier: MIT
"""What clew says about itself: its commands, and their options."""
import re

OPTION = re.compile(r"--?[\w?][\w-]*(?:\[?=\S*[^\s,])?")
OPTIONS = re.compile(rf"{OPTION.pattern}(?:, {OPTION.pattern})*")


def commands(text):
    """[(name, summary)] of what `clew help` prints."""
    return re.findall(r"^  (\w+) +(\S.*)$", text, re.MULTILINE)


def options(text):
    """Of what `clew COMMAND --help=all` prints: {"-o, --output=PATH"}."""
    lines = re.findall(r"^(?:  |      )(-.*)$", text, re.MULTILINE)
    return {OPTIONS.match(line)[0] for line in lines}


def words(one_options):
    """{"-o", "--output"} of {"-o, --output=PATH"}."""
    return {re.match(r"--?[\w?][\w-]*", word)[0] for one in one_options
            for word in OPTION.findall(one)}
