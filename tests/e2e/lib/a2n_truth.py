# SPDX-License-Identifier: MIT
"""Reads the answers of addr2line and llvm-symbolizer for given addresses.

Each answer is a list of frames (function, file, line), innermost first. An
unknown place is ("??", "??", 0) or has line 0.
"""
import os
import re
import subprocess

ADDRESS = re.compile(r"0x[0-9a-f]+$")
PLACE = re.compile(r"(.*):(\d+|\?)(?: \(discriminator \d+\))?$")


def run(argv, addresses, **options):
    done = subprocess.run([str(a) for a in argv], check=True, text=True,
                          errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL,
                          input="".join(f"{a:#x}\n" for a in addresses),
                          **options)
    return done.stdout


def parse_addr2line(text):
    """Parses the output of `addr2line -ifa`."""
    answers = []
    function = None
    for line in text.splitlines():
        if ADDRESS.match(line):
            answers.append([])
            function = None
        elif function is None:
            function = line
        else:
            file, number = PLACE.match(line).groups()
            answers[-1].append((function, file,
                                0 if number == "?" else int(number)))
            function = None
    return answers


def addr2line(path, addresses, command=("addr2line",), options=("-ifa",),
              env=None):
    """Returns the answers of `command`, which must have addr2line's output
    format."""
    return parse_addr2line(run([*command, *options, "-e", path], addresses,
                               env=env))


def llvm_symbolizer(path, addresses):
    answers = []
    for block in run(["llvm-symbolizer", "--no-demangle", "-i", "-f", "-e",
                      path], addresses).rstrip("\n").split("\n\n"):
        lines = block.split("\n")
        frames = []
        for function, place in zip(lines[::2], lines[1::2]):
            file, line, _ = place.rsplit(":", 2)
            frames.append((function, file, int(line)))
        answers.append(frames)
    return answers


def text_section(path):
    """Returns the address, size and bytes of .text."""
    out = subprocess.run(["readelf", "-SW", str(path)], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    match = re.search(r"\] \.text\s+\w+\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)",
                      out)
    address, offset, size = (int(g, 16) for g in match.groups())
    with open(path, "rb") as file:
        file.seek(offset)
        return address, size, file.read(size)


def normal(file):
    return os.path.normpath(file) if file != "??" else file


def chain(frames):
    """Returns files and lines, which must be equal in all tools; names may
    differ.

    llvm-symbolizer, if it finds no line, uses the file name of the symbol
    table, which is not a path.
    """
    return [(normal(file) if line else "??", line)
            for _, file, line in frames]


def aliases(path):
    """Returns {name: all names at its address}; any of them is a right
    answer."""
    out = subprocess.run(["nm", str(path)], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    by_address, by_name = {}, {}
    for line in out.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "TtWwi":
            by_address.setdefault(words[0], set()).add(words[2])
    for names in by_address.values():
        for name in names:
            by_name.setdefault(name, set()).update(names)
    return by_name
