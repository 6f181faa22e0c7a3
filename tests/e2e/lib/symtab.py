# SPDX-License-Identifier: MIT
"""Adds a symbol table of the test's choice to a stripped ELF file.

valgrind takes functions' boundaries from symbols, and stripped programs have
next to none. This module appends .symtab, .strtab and a longer .shstrtab to the
file; the loaded segments stay unchanged.
"""
import struct

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
SHT_SYMTAB, SHT_STRTAB = 2, 3
GLOBAL_FUNCTION = 1 << 4 | 2
ABSOLUTE = 0xfff1


def _append(data, addition):
    """Appends data at an aligned offset; returns the offset."""
    data += bytes(-len(data) % 16)
    at = len(data)
    data += addition
    return at


def _section_of(sections, vaddr):
    """Returns the index of the section that contains vaddr, which valgrind
    requires."""
    for index, (_, _, _, start, _, size, *_) in enumerate(sections):
        if start and start <= vaddr < start + size:
            return index
    return ABSOLUTE


def _table(sections, functions):
    """Returns (.symtab, .strtab) for [(name, vaddr, size)]."""
    symbols, names = bytearray(SYMBOL.size), bytearray(1)
    for name, vaddr, size in functions:
        symbols += SYMBOL.pack(len(names), GLOBAL_FUNCTION, 0,
                               _section_of(sections, vaddr), vaddr, size)
        names += name.encode() + b"\0"
    return bytes(symbols), bytes(names)


def add(path, functions):
    """Adds [(name, vaddr, size)] to the file; returns False if it has a symbol
    table."""
    data = bytearray(path.read_bytes())
    (at,) = struct.unpack_from("<Q", data, 40)
    count, names_index = struct.unpack_from("<HH", data, 60)
    sections = [list(SECTION.unpack_from(data, at + i * SECTION.size))
                for i in range(count)]
    if any(section[1] == SHT_SYMTAB for section in sections):
        return False
    symbols, names = _table(sections, functions)
    _, _, _, _, old, size, *_ = sections[names_index]
    section_names = bytes(data[old:old + size])
    sections[names_index][4] = _append(
        data, section_names + b".symtab\0.strtab\0")
    sections[names_index][5] = len(section_names) + 16
    sections.append([len(section_names), SHT_SYMTAB, 0, 0,
                     _append(data, symbols), len(symbols), count + 1, 1, 8,
                     SYMBOL.size])
    sections.append([len(section_names) + 8, SHT_STRTAB, 0, 0,
                     _append(data, names), len(names), 0, 0, 1, 0])
    at = _append(data, b"".join(SECTION.pack(*s) for s in sections))
    struct.pack_into("<Q", data, 40, at)
    struct.pack_into("<H", data, 60, count + 2)
    path.write_bytes(data)
    return True
