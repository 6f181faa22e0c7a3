#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints docs/options.md: the options of `clew record` and `clew attach`.

	scripts/options.py BUILD >docs/options.md

The options and their texts come from `--help=lines`, and the reasons from what `clew
attach` prints about an option that it refuses (wire/directive_table.h).
"""
import pathlib
import re
import subprocess
import sys

CLEW = pathlib.Path(sys.argv[1]) / "cli" / "clew"
VALUES = "", "=1", "=USR2" # one of these is a valid value of each refused option
BEGIN = """# Options of record and attach

`scripts/options.py` makes this table from what the commands print.
[clew-record(1)](../man/clew-record.1) and [clew-attach(1)](../man/clew-attach.1) describe each
option.

| option | record | attach | what it does |
|---|:-:|:-:|---|
"""
REASONS = """
## Why attach refuses an option

| option | reason |
|---|---|
"""


def options(command):
    """Returns {long name: description} in the order of --help."""
    printed = subprocess.run([CLEW, command, "--help=lines"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    return dict(re.findall(r"^ +(?:-\w, )?(--[\w-]+)\S*  (.+)$", printed,
                           re.MULTILINE))


def refusal(option):
    """Returns why `clew attach` refuses an option, or None if it says nothing."""
    for value in VALUES:
        said = subprocess.run([CLEW, "attach", option + value, "1"], text=True,
                              stderr=subprocess.PIPE, check=False).stderr
        found = re.match(rf"clew attach: {option[2:]}: (.+)", said)
        if found:
            return found[1]
    return None


def escaped(text):
    return text.replace("|", "\\|")


def main():
    record, attach = options("record"), options("attach")
    print(BEGIN, end="")
    for option in sorted({*record, *attach}):
        print(f"| `{option}` | {'x' if option in record else ''} "
              f"| {'x' if option in attach else ''} "
              f"| {escaped((record | attach)[option])} |")
    print(REASONS, end="")
    for option in sorted(record.keys() - attach.keys()):
        reason = refusal(option)
        if reason:
            print(f"| `{option}` | {escaped(reason)} |")


if __name__ == "__main__":
    main()
