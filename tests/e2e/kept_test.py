#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Recordings of older versions of clew are still read correctly
(tests/kept/)."""
import json
import lzma
import re

from lib import clewtest

KEPT = clewtest.ROOT / "tests" / "kept"


def unpacked(path):
    return lzma.decompress(path.read_bytes())


def versions():
    """Returns (the oldest readable version, the newest one)."""
    text = (clewtest.ROOT / "wire" / "recording.h").read_text("utf-8")
    return tuple(int(re.search(rf"^#define {name} +(\d+)$", text, re.M)[1])
                 for name in ("WIRE_VERSION_OLDEST", "WIRE_VERSION_PACKED"))


class Kept(clewtest.Case):
    def each(self):
        """Yields the unpacked path and the name of each stored recording."""
        for packed in sorted(KEPT.glob("*.part.xz")):
            name = packed.name.removesuffix(".part.xz")
            with self.subTest(name):
                folder = self.work / name
                folder.mkdir()
                (folder / "1.0.part").write_bytes(unpacked(packed))
                yield folder, name

    def test_stored_recordings_cover_each_version(self):
        oldest, present = versions()
        kept = {int(path.name.split("-")[0]) for path in KEPT.glob("*.xz")}
        self.assertEqual(kept, set(range(oldest, present + 1)))

    def test_dumps_of_stored_recordings_are_the_same(self):
        for folder, name in self.each():
            done = self.clew("dump", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout,
                             unpacked(KEPT / f"{name}.dump.xz").decode())

    def test_trees_of_stored_recordings_are_the_same(self):
        for folder, name in self.each():
            found = self.clew_json("tree", "--json", folder)
            wanted = json.loads(unpacked(KEPT / f"{name}.tree.xz"))
            for tree in found, wanted:
                del tree["clew"]  # its version
            self.assertEqual(found, wanted)
            self.assertEqual(found["problems"], [])


if __name__ == "__main__":
    clewtest.main()
