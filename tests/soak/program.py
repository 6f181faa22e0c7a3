# SPDX-License-Identifier: MIT
"""The table of programs, which the modules named in TABLES fill."""
import dataclasses
import importlib
import os
import shutil
import typing

TABLES = ("interpreters", "runtimes", "compilers", "databases", "archives",
          "editors", "media", "typesetting", "servers", "tools", "stressors",
          "regression")
PROGRAMS = {}


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    what: str  # the load, in a few words
    function: typing.Callable
    packages: tuple
    commands: tuple  # commands that the load needs
    ci: bool
    least_calls: int
    excused: tuple  # words in complaints with a known cause that remains
    # The row of the table for several programs, or the program's name.
    suite: str

    def missing(self):
        return ", ".join(c for c in self.commands if not shutil.which(
            c, path="/usr/sbin:/usr/bin:/sbin:/bin", mode=os.F_OK))


def program(name, what, packages, commands=None, *, ci=False,
            least_calls=10_000, excused=(), suite=None):
    """Registers the decorated load function as a program of the soak test.

    The packages are installed if all `commands` exist; the default is the name, and a
    path of any file is possible. With `ci`, every run of scripts/test includes the
    program. Programs of a `suite` are called SUITE.NAME.
    """
    def add(function):
        PROGRAMS[name] = Program(
            name, what, function, tuple(packages.split()),
            tuple((commands or name).split()), ci, least_calls, excused,
            suite or name)
        return function
    return add


def load_tables():
    for table in TABLES:
        importlib.import_module(table)
