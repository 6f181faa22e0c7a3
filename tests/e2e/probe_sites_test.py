#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew probe --sites reports, for each instruction, how a probe there would be reached."""
import re

from lib import clewtest

# Each line of code with its expected tier and reason.
CASES = {
    "straight": [
        ("pushq %rbx", "jump", ""),
        ("movl %edi, %ebx", "jump", ""),
        ("addl $5, %ebx", "jump", ""),
        ("movl %ebx, %eax", "int3", "its function ends"),
        ("popq %rbx", "int3", "its function ends"),
        ("retq", "int3", "its function ends"),
    ],
    "looping": [
        ("xorl %eax, %eax", "int3", "a branch targets"),
        ("1: addl $1, %eax", "jump", ""),
        ("decl %edi", "jump", ""),
        ("jne 1b", "jump", ""),
        ("movl $7, %ecx", "jump", ""),
        ("retq", "jump", ""),
        (".skip 8, 0x90", "", ""),
    ],
    "asking": [
        ("movl $39, %eax", "jump", ""),
        ("syscall", "none", "exposes its own address"),
        ("movl %eax, %ecx", "int3", "a call or a similar"),
        ("movl %eax, %edx", "int3", "a call or a similar"),
        ("int3", "none", "exposes its own address"),
        ("retq", "int3", "its function ends"),
    ],
    "calling": [
        ("pushq %rax", "jump", ""),
        ("callq straight", "jump", ""),
        ("popq %rcx", "int3", "a call or a similar"),
        ("callq *%rax", "int3", "a call or a similar"),
        ("callq *%rdx", "int3", "a call or a similar"),
        ("callq straight", "jump", ""),
        ("retq", "int3", "its function ends"),
    ],
    "computing": [
        ("movl %edi, %eax", "int3", "computed jumps"),
        ("movl $1, %ecx", "jump", ""),
        ("jmp *%rdx", "int3", "computed jumps"),
        ("movl $1, %ecx", "none", "no known control flow"),
        ("retq", "none", "no known control flow"),
    ],
    "marked": [
        ("endbr64", "jump", ""),
        ("movl $1, %eax", "jump", ""),
        ("retq", "int3", "its function ends"),
    ],
    "unclear": [
        ("movl %edi, %eax", "int3", "contains bytes that cannot be"),
        ("movl $1, %ecx", "jump", ""),
        (".byte 0x06", "none", "cannot be decoded"),
    ],
}


def assembly(cases=None):
    lines = [".text"]
    for name, code in (cases or CASES).items():
        lines += [f".globl {name}", f".type {name}, @function", f"{name}:",
                  ".cfi_startproc", *(line for line, *_ in code),
                  ".cfi_endproc", f".size {name}, . - {name}"]
    # A function follows the last one.
    lines += [".globl end", ".type end, @function", "end:", ".cfi_startproc",
              "retq", ".cfi_endproc", ".size end, . - end",
              '.section .note.GNU-stack,"",@progbits', ""]
    return "\n".join(lines)


class Sites(clewtest.Case):
    def setUp(self):
        super().setUp()
        source = self.work / "cases.s"
        source.write_text(assembly(), encoding="utf-8")
        self.library = self.work / "libcases.so"
        done = self.run_program(["gcc", "-shared", "-nostdlib", "-o",
                                 self.library, source], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def sites(self, function):
        """Returns ([(text, tier, reason)], the last line)."""
        done = self.clew("probe", "--sites", function, "-e", self.library)
        self.assertEqual(done.returncode, 0, done.stderr)
        *lines, sums = done.stdout.splitlines()
        found = [re.fullmatch(r" +0x[0-9a-f]+  \+\d+ +(\S.*?)  +"
                              r"(jump|int3|none)(?:  (.*))?", line)
                 for line in lines]
        self.assertNotIn(None, found, done.stdout)
        return [(m[1], m[2], m[3] or "") for m in found], sums

    def test_sites_have_their_reasons(self):
        for name, code in CASES.items():
            with self.subTest(name=name):
                expected = [(tier, reason) for _, tier, reason in code if tier]
                sites, sums = self.sites(name)
                shown = [(tier, reason) for _, tier, reason in
                         sites[:len(expected)]]
                self.assertEqual([tier for tier, _ in shown],
                                 [tier for tier, _ in expected], sites)
                for (_, reason), (_, wanted) in zip(shown, expected):
                    self.assertIn(wanted, reason)
                    self.assertEqual(bool(reason), bool(wanted))
                self.assertEqual(
                    sums, "{} by a jump, {} by a breakpoint, "
                    "{} impossible".format(
                        *([tier for _, tier, _ in sites].count(kind)
                          for kind in ("jump", "int3", "none"))))

    def test_sites_show_their_instructions(self):
        self.assertEqual([text for text, *_ in self.sites("straight")[0]],
                         [line for line, *_ in CASES["straight"]])

    def test_an_address_stands_for_its_function(self):
        by_name = self.sites("looping")
        vaddr = next(int(line.split()[0], 16) for line in self.run_program(
            ["nm", self.library], text=True).stdout.splitlines()
            if line.endswith(" looping"))
        self.assertEqual(self.sites(f"{vaddr + 1:#x}"), by_name)

    def test_sites_of_unknown_functions_are_refused(self):
        for arguments, what in (
                (["--sites", "nothing", "-e", self.library],
                 "has no function nothing"),
                (["--sites", "a+", "-e", self.library],
                 "not a probe location"),
                (["--sites", "end", "-e", __file__], "ELF file")):
            with self.subTest(what=what):
                done = self.clew("probe", *arguments)
                self.assertEqual(done.returncode, 1)
                self.assertIn(what, done.stderr)
        self.assertEqual(self.clew("probe", "-e", self.library).returncode, 64)
        self.assertEqual(self.clew("probe", "--sites", "end").returncode, 64)


if __name__ == "__main__":
    clewtest.main()
