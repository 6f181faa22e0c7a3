# SPDX-License-Identifier: MIT
"""Other tools: Rust programs, and those that cannot be recorded."""
from inputs import mixture, words
from program import program


def tree(load):
    for number in range(40):
        load.file(f"tree/{number % 4}/f{number}.txt", words(300, number))


@program("ripgrep", "Rust: a parallel search of a tree", "ripgrep", "rg")
def ripgrep(load):
    tree(load)
    load.run("rg", "--no-config", "--sort", "path", "-n", r"clew (\w+) of",
             "tree", "-r", "<$1>")
    load.run("rg", "--no-config", "-c", "--sort", "path", "-i", "MINOTAUR",
             "tree")
    load.run("sh", "-c", "rg --no-config -j4 -o 'hero \\w+' tree | sort")
    load.run("rg", "--no-config", "nosuch", "tree", status=1)


@program("fd", "Rust: finds files, runs commands", "fd-find", "fdfind")
def fd(load):
    tree(load)
    load.run("sh", "-c", r"fdfind -j4 '^f1\d' tree | sort")
    load.run("fdfind", "-j1", "f2", "tree", "-x", "wc", "-w", "{}",
             masks=[])
    load.run("fdfind", "-e", "rs", ".", "tree")


@program("bat", "Rust: highlights a source", "bat", "batcat")
def bat(load):
    load.file("in.py", "def f(x):\n    return x + 1  # comment\n" * 40)
    load.run("batcat", "--color=always", "--paging=never", "--style=full",
             "in.py")
    load.run("batcat", "nosuch", status=1)
    load.ignore(".cache", ".cache/*", ".config", ".config/*")


@program("ldconfig", "static: runs unrecorded", "libc-bin", least_calls=0)
def ldconfig(load):
    load.run_unrecorded("ldconfig", "--version", why="static")


@program("xxd-file", "magic numbers of a dozen files", "file", "file")
def magic(load):
    load.file("a.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\3" + mixture(1000))
    load.file("b.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\2")
    load.file("c.py", "#!/usr/bin/python3\nprint(1)\n")
    load.file("d.txt", words(100))
    load.run("file", "a.gz", "b.png", "c.py", "d.txt", "/bin/ls", "nosuch")
