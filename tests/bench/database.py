# SPDX-License-Identifier: MIT
"""Measures transactions per second of postgres under pgbench (select only).

A server with clew and a server without clew take turns.
"""
import glob
import os
import pathlib
import pwd
import re
import shutil
import statistics
import subprocess
import tempfile

from measure import CLEW_TOOL, NATIVE, table

SECONDS = int(os.environ.get("CLEW_BENCH_SECONDS", "10"))


def folder_of_programs():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return pathlib.Path(found[-1]).parent if found else None


class Database:
    """A postgres server; runs as user postgres if the caller is root, because postgres
    refuses root.
    """

    def __init__(self, tool, programs, folder):
        self.programs, self.folder = programs, folder
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(folder, account.pw_uid, account.pw_gid)
        self.run("initdb", "-D", "data", "-A", "trust", "--no-sync")
        self.process = self.start(tool.wrap(
            [programs / "postgres", "-D", "data", "-k", folder, "-c",
             "listen_addresses=", "-c", "fsync=off"], folder))
        self.run("pg_isready", "-h", folder, "-t", "30", "-q", tries=300)
        self.run("pgbench", "-h", folder, "-i", "-q", "-s", "5", "postgres")

    def start(self, command, **options):
        user = {"user": "postgres", "group": "postgres",
                "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.Popen([str(a) for a in command], cwd=self.folder,
                                stdin=subprocess.DEVNULL,
                                stdout=options.get("stdout",
                                                   subprocess.DEVNULL),
                                stderr=subprocess.DEVNULL, text=True, **user)

    def run(self, program, *arguments, tries=1):
        for _ in range(tries):
            process = self.start([self.programs / program, *arguments],
                                 stdout=subprocess.PIPE)
            said = process.communicate()[0]
            if not process.returncode:
                return said
        raise RuntimeError(f"{program} ended with {process.returncode}")

    def load(self):
        said = self.run("pgbench", "-h", self.folder, "-S", "-n", "-c", "2",
                        "-T", str(SECONDS), "postgres")
        return float(re.search(r"tps = ([\d.]+)", said)[1])

    def stop(self):
        self.run("pg_ctl", "-D", "data", "-m", "fast", "stop")
        self.process.wait()


def bench(rounds):
    programs = folder_of_programs()
    if not programs or not shutil.which("pgbench"):
        return "(no postgres here)"
    found = {NATIVE: [], CLEW_TOOL: []}
    for _ in range(rounds):
        for tool, results in found.items():
            with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
                database = Database(tool, programs, pathlib.Path(folder))
                results.append(database.load())
                database.stop()
    rates = [statistics.median(found[tool]) for tool in (NATIVE, CLEW_TOOL)]
    return table(["postgres under pgbench -S", "native", "clew",
                  "clew / native"],
                 [["transactions per second",
                   *(f"{rate:,.0f}" for rate in rates),
                   f"{100 * rates[1] / rates[0]:.0f} %"]])
