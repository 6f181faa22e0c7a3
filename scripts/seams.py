#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that code for one architecture is only in arch/, and for one libc in libc/.

Comments may mention an architecture or a C library; code may not. The script searches for names of
an architecture (EM_*, R_*, AUDIT_ARCH_*, registers, intrinsics, headers and system
calls), assembly other than compiler barriers, machine code, and sizes of address
spaces and pages.
Exits with 1 and one line per offence.
"""
import re
import sys

import layers

# Folders whose code writes or reads instructions.
TARGET = ("disasm", "image", "jvm", "match", "preload")

REGISTERS = r"[er](?:ax|bx|cx|dx|si|di|bp|sp|ip)|r(?:8|9|1[0-5])d?|[xyz]mm\d+"

# System calls that newer architectures do not have.
OLD_CALLS = ("open|creat|access|stat|lstat|link|symlink|readlink|unlink|rename|"
             "mkdir|rmdir|chmod|chown|pipe|dup2|poll|select|epoll_create|"
             "epoll_wait|eventfd|signalfd|inotify_init|getdents|alarm|pause|"
             "time|utime|fork|vfork|getpgrp|getrlimit")

ANYWHERE = {
    "a machine's name": r"\w*(?:x86|X86|amd64|i[36]86|aarch64|AARCH64|arm64|"
                        r"riscv|RISCV)\w*",
    "a machine's headers": r"<(?:asm/\w+|cpuid|sys/io|\w*intrin|emmintrin)\.h>",
    "a machine's system call": r"\b(?:SYS_)?arch_prctl\b|"
                               r"\bARCH_(?:SET|GET|SHSTK|CET)_\w+|"
                               rf"\bSYS_(?:{OLD_CALLS})\b",
    "a register": rf"(?:%|\b)(?:{REGISTERS})\b|\bgregs\b|"
                  r"\bREG_(?:R[A-Z0-9]{1,2}|EFL|CSGSFS)\b|"
                  r"\b[fg]s_base\b|\bPTRACE_[GS]ETREGS\b",
    "assembly": r"(?<!\")\b(?:__asm__|__asm|asm)\b(?!\s*(?:__volatile__|volatile)?"
                r"\s*\(\s*\"\")",
    "bits of an address (ADDRESS_BITS, ADDRESS_END)":
        r"(?<![\w.])(?:47|0x7f{3,}\w*|0x0*8000\s*0000\s*0000)(?![\w.])",
    "a place in the address space": r"\b0x[0-9a-f]{12}\b",
}
IN_TARGET = {
    "a page's size (PAGE_BYTES)":
        r"\b(?:UINT64_C\()?4095\b|\b0xf{3}\b|#define \w*PAGE\w*\s+\(?(?:UINT64_C\()?4096\b|"
        r"\b_SC_PAGESIZE\b",
    "machine code": r"\\x[0-9a-f]{2}|\b0x(?:e8|e9|eb|c3|cc)\b|"
                    r"\{\s*0x[0-9a-f]{2},\s*0x[0-9a-f]{2}\s*[,}]",
}

# In folders whose code is loaded into programs.
LOADED = (*TARGET, "agent", "alloc", "loaded", "locks")
OF_LIBC = {
    "a part of one C library":
        r"\b(?:_r_debug|_dl_debug_addr|\w*pthread_atfork|__register_atfork|"
        r"gnu_get_libc_version|__jmpbuf|__mask_was_saved|__saved_mask)\b",
}

COMMENT = re.compile(r'''"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|'''
                     r'''//[^\n]*|/\*.*?\*/''', re.S)


def code_of(text):
    """The text with comments blank, line by line as it was."""
    return COMMENT.sub(lambda match: match[0] if match[0][0] in "\"'" else
                       re.sub(r"[^\n]", " ", match[0]), text)


def offences(path, text):
    rules = dict(ANYWHERE)
    if path.parts[0] in TARGET:
        rules.update(IN_TARGET)
    if path.parts[0] in LOADED:
        rules.update(OF_LIBC)
    code = code_of(text)
    for what, pattern in rules.items():
        for match in re.finditer(pattern, code):
            yield code.count("\n", 0, match.start()) + 1, match[0], what


def main():
    found = 0
    for path in layers.sources():
        if path.parts[0] == "arch":
            continue
        text = (layers.ROOT / path).read_text(encoding="utf-8")
        for line, word, what in offences(path, text):
            place = "libc/" if what in OF_LIBC else "arch/"
            print(f"{path}:{line}: {word}: {what}, outside of {place}")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
