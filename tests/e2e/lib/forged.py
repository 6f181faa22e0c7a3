# SPDX-License-Identifier: MIT
"""Creates files with another file's build-id and size, and different
functions."""
import struct

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")


class Elf:
    """The bytes of an ELF file that can be changed."""

    def __init__(self, data):
        self.data = bytearray(data)
        start, = struct.unpack_from("<Q", data, 0x28)
        count, names = struct.unpack_from("<HH", data, 0x3c)
        headers = [SECTION.unpack_from(data, start + SECTION.size * i)
                   for i in range(count)]
        self.sections = {self.text(headers[names][4] + header[0]): header
                         for header in headers}

    def text(self, offset):
        return self.data[offset:self.data.index(0, offset)].decode()

    def symbol(self, name):
        """Returns the offsets of the symbol with this name and of the name
        itself."""
        table, names = self.sections[".symtab"], self.sections[".strtab"]
        for at in range(table[4], table[4] + table[5], SYMBOL.size):
            text = names[4] + SYMBOL.unpack_from(self.data, at)[0]
            if self.text(text) == name:
                return at, text
        raise KeyError(name)

    def rename(self, name, other):
        """Renames a function; the new name must have an equal length."""
        assert len(name) == len(other)
        _, text = self.symbol(name)
        self.data[text:text + len(name)] = other.encode()

    def move(self, name, shift):
        """Moves a function's start by some bytes in the symbol table and in
        .eh_frame."""
        at, _ = self.symbol(name)
        vaddr, size = struct.unpack_from("<QQ", self.data, at + 8)
        struct.pack_into("<QQ", self.data, at + 8, vaddr + shift,
                         size - shift)
        self._move_frame(vaddr, shift)
        self._move_in_table(vaddr, shift)

    def _move_frame(self, vaddr, shift):
        frames = self.sections[".eh_frame"]
        at = frames[4]
        while at < frames[4] + frames[5]:
            length, kind = struct.unpack_from("<II", self.data, at)
            if not length:
                break
            start, size = struct.unpack_from("<iI", self.data, at + 8)
            if kind and frames[3] + at + 8 - frames[4] + start == vaddr:
                struct.pack_into("<iI", self.data, at + 8, start + shift,
                                 size - shift)
            at += 4 + length

    def _move_in_table(self, vaddr, shift):
        table = self.sections[".eh_frame_hdr"]
        count, = struct.unpack_from("<I", self.data, table[4] + 8)
        for i in range(count):
            at = table[4] + 12 + 8 * i
            start, = struct.unpack_from("<i", self.data, at)
            if table[3] + start == vaddr:
                struct.pack_into("<i", self.data, at, start + shift)
