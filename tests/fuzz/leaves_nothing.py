#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""That a fuzzer leaves nothing behind in the folder for temporary files.

    leaves_nothing.py FUZZER CORPUS-FILE...
"""
import os
import subprocess
import sys
import tempfile


def main():
    with tempfile.TemporaryDirectory(prefix="clew-test-") as folder:
        done = subprocess.run([sys.argv[1], "1", *sys.argv[2:]], check=False,
                              env={**os.environ, "TMPDIR": folder})
        left = os.listdir(folder)
    if left:
        sys.exit(f"left behind: {', '.join(left)}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
