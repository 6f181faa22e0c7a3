# SPDX-License-Identifier: MIT
"""The table of programs: filled by the modules named in TABLES."""
import dataclasses
import importlib
import shutil
import typing

TABLES = ("interpreters", "runtimes", "compilers", "databases", "archives",
          "editors", "media", "typesetting", "servers", "tools")
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

    def missing(self):
        return ", ".join(c for c in self.commands if not shutil.which(
            c, path="/usr/sbin:/usr/bin:/sbin:/bin"))


def program(name, what, packages, commands=None, *, ci=False,
            least_calls=10_000, excused=()):
    """Makes the decorated load function a program of the soak.

    `commands`, by default the name, are looked for to tell whether the
    packages are installed. `ci` puts it in every run of scripts/test.
    """
    def add(function):
        PROGRAMS[name] = Program(
            name, what, function, tuple(packages.split()),
            tuple((commands or name).split()), ci, least_calls, excused)
        return function
    return add


def load_tables():
    for table in TABLES:
        importlib.import_module(table)
