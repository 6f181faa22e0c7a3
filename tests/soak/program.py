# SPDX-License-Identifier: MIT
"""The table of programs: filled by the modules named in TABLES."""
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
    what: str  # its load, in a few words
    function: typing.Callable
    packages: tuple
    commands: tuple  # what must be there for it to run
    ci: bool
    least_calls: int
    excused: tuple  # words of complaints whose cause is known, and stays
    suite: str  # of many programs that are one row of the table, or its name

    def missing(self):
        return ", ".join(c for c in self.commands if not shutil.which(
            c, path="/usr/sbin:/usr/bin:/sbin:/bin", mode=os.F_OK))


def program(name, what, packages, commands=None, *, ci=False,
            least_calls=10_000, excused=(), suite=None):
    """Makes the decorated load function a program of the soak.

    `commands`, by default the name, are looked for to tell whether the
    packages are installed; a path may be that of any file. `ci` puts it in
    every run of scripts/test. Those of a `suite` are called SUITE.NAME.
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
