#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""corpus.py BUILD FOLDER: makes the inputs that the fuzzers start from.

A recording's part and a cached analysis, as this build writes them; of the
latter the checksum at the end is left out, as its fuzzer wants it.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main(build, folder):
    build, folder = pathlib.Path(build).resolve(), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = build / "tests" / "targets" / "O2" / "tail"
    shutil.copy(target, folder / "elf")
    shutil.copy(target.parent / "exceptions", folder / "elf_exceptions")
    shutil.copy(build / "tests" / "golden" / "libverdicts_relr.so",
                folder / "elf_tables")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run(
            [build / "cli" / "clew", "record", "-m", "*tail*", "-o",
             work / "out", "--", target], check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
        (part,) = (work / "out").glob("*.part")
        shutil.copy(part, folder / "part")
        cached = min((path for path in (work / "cache").rglob("*")
                      if path.is_file()), key=lambda path: path.stat().st_size)
        (folder / "cache").write_bytes(cached.read_bytes()[:-8])


if __name__ == "__main__":
    main(*sys.argv[1:])
