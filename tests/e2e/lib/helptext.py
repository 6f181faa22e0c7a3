# SPDX-License-Identifier: MIT
"""Parses clew's help output: commands and their options."""
import re

OPTION = re.compile(r"--?[\w?][\w-]*(?:\[?=\S*[^\s,])?")
OPTIONS = re.compile(rf"{OPTION.pattern}(?:, {OPTION.pattern})*")


def commands(text):
    """Returns [(name, summary)] from the output of `clew help`."""
    return re.findall(r"^  (\w+) +(\S.*)$", text, re.MULTILINE)


def options(text):
    """Returns {"-o, --output=PATH"} from the output of `clew COMMAND
    --help=all`."""
    lines = re.findall(r"^(?:  |      )(-.*)$", text, re.MULTILINE)
    return {OPTIONS.match(line)[0] for line in lines}


def words(one_options):
    """Returns {"-o", "--output"} from {"-o, --output=PATH"}."""
    return {re.match(r"--?[\w?][\w-]*", word)[0] for one in one_options
            for word in OPTION.findall(one)}
