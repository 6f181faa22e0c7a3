# SPDX-License-Identifier: MIT
"""What report/html/html.c put into a page."""
import base64
import collections
import json
import re
import struct
import zlib


class Numbers:
    """A column of unsigned LEB128 numbers."""

    def __init__(self, raw):
        self.values, value, shift = [], 0, 0
        for byte in raw:
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                self.values.append(value)
                value = shift = 0

    def rows(self, width):
        return zip(*[iter(self.values)] * width)


class Page:
    """report/html/html_stream.h and report/html/src/data.js, once more."""

    def __init__(self, text):
        self.text = text
        (raw,) = re.findall(r'id="clew-data">([A-Za-z0-9+/=]*)</script>', text)
        raw = zlib.decompress(base64.b64decode(raw, validate=True))
        self.sections, at = {}, 0
        while at < len(raw):
            name, size = struct.unpack_from("<8sQ", raw, at)
            self.sections[name.decode().strip()] = raw[at + 16:at + 16 + size]
            at += 16 + size
        self.meta = json.loads(self.sections["meta"])
        self.up, self.function, self.calls = (
            Numbers(self.sections[key]).values
            for key in ("up", "function", "calls"))
        self.names = self.meta["functions"]["name"]

    def paths(self):
        """{names from the outermost function: calls}"""
        path, found = [()], collections.Counter()
        for i in range(1, len(self.up)):
            path.append(path[i - self.up[i]] + (self.names[self.function[i]],))
            found[path[i]] += self.calls[i]
        return found

    def total(self):
        return sum(self.calls)

    def groups(self, has_time=None):
        """[(name, is_process, {context: calls})]"""
        width = 4 if has_time or self.meta["taken"] else 2
        rows = Numbers(self.sections.get("groups", b"")).rows(width)
        found = []
        for group in self.meta["groups"]:
            at, calls = 0, {}
            for _ in range(group["contexts"]):
                step, number, *_ = next(rows)
                at += step
                calls[at] = number
            found.append((group["name"], group["is_process"], calls))
        return found
