# SPDX-License-Identifier: MIT
"""scripts/test and the scripts that scripts/check.sh runs."""
import os
import pathlib
import shutil

from lib import clewtest
from lib.clewtest import BUILD, ROOT, needs


class Stages(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.scripts = self.work / "tree" / "scripts"
        self.scripts.mkdir(parents=True)
        shutil.copy(clewtest.ROOT / "scripts" / "test", self.scripts)
        for name in ("setup", "build", "hot-symbols.sh", "links.py",
                     "check.sh"):
            self.write(self.scripts / name, "true")
        self.write(self.work / "bin" / "ctest", "true")
        self.environment["PATH"] = f"{self.work}/bin:{os.environ['PATH']}"

    @staticmethod
    def write(path, command):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{command}\n", encoding="ascii")
        path.chmod(0o755)

    def run_stages(self, *stages):
        return self.run_program([str(self.scripts / "test"), *stages],
                                text=True)

    def test_passed_stages_are_named(self):
        done = self.run_stages("check", "gcc")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^check +passed, \d+ s$")
        self.assertRegex(done.stdout, r"(?m)^gcc +passed, \d+ s$")

    def test_failed_stage_does_not_stop_the_next(self):
        self.write(self.scripts / "check.sh", "false")
        done = self.run_stages("check", "gcc")
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stdout, r"(?m)^check +FAILED, \d+ s$")
        self.assertRegex(done.stdout, r"(?m)^gcc +passed, \d+ s$")
        self.assertIn("failed: check\n", done.stderr)

    def test_a_step_that_fails_ends_its_stage(self):
        self.write(self.scripts / "hot-symbols.sh", "false")
        self.write(self.work / "bin" / "ctest", "echo tests were run")
        done = self.run_stages("gcc")
        self.assertEqual(1, done.returncode)
        self.assertNotIn("tests were run", done.stdout)

    def test_failures_are_repeated_at_the_end(self):
        self.write(self.work / "bin" / "ctest",
                   "echo '7/9 Test #8: unit.id ...***Failed 0.1 sec'\n"
                   "echo 1 is not 2\n"
                   "echo '8/9 Test #9: unit.part ... Passed 0.1 sec'\n"
                   "exit 8")
        done = self.run_stages("gcc", "check")
        self.assertEqual(1, done.returncode)
        _, end = done.stdout.split("== what failed in gcc")
        self.assertIn("unit.id", end)
        self.assertIn("1 is not 2", end)
        self.assertNotIn("unit.part", end)

    def test_check_and_page_run_without_setup(self):
        self.write(self.scripts / "setup", "echo packages were installed")
        self.assertNotIn("installed\n",
                         self.run_stages("check", "page").stdout)
        self.assertIn("installed\n", self.run_stages("check", "gcc").stdout)

    def fail_tests(self, count, again):
        """Writes a ctest with `count` failing tests; `again` replaces a rerun."""
        log = "build/gcc/Testing/Temporary/LastTestsFailed.log"
        self.write(self.work / "bin" / "ctest",
                   'case "$*" in *--tests-regex*) ' + again + ';; esac\n'
                   f"mkdir -p {log.rpartition('/')[0]}\n"
                   "exec 3>build/gcc/Testing/Temporary/LastTest.log\n"
                   f"for i in $(seq {count}); do\n"
                   f"    echo $i:unit.id$i >>{log}\n"
                   "    echo \"7/9 Test #8: unit.id$i ...***Failed 0.1 sec\"\n"
                   "    echo \"$i/9 Testing: unit.id$i\" >&3\n"
                   "    echo \"AssertionError: $i is not 0\" >&3\n"
                   "done\n"
                   "exit 8")

    def test_test_that_passes_alone_is_unsteady(self):
        self.fail_tests(2, "exit 0")
        done = self.run_stages("gcc", "check")
        self.assertEqual(0, done.returncode, done.stderr)
        _, end = done.stdout.split("== what failed in gcc")
        self.assertIn("unit.id2 ...***Failed", end)
        self.assertRegex(end, r"(?m)^gcc +passed, \d+ s\n"
                              r" +unsteady: unit.id1\n"
                              r" +unsteady: unit.id2\n"
                              r"check +passed, \d+ s$")

    def test_each_unsteady_test_has_a_row_and_its_output_in_a_file(self):
        self.fail_tests(2, "exit 0")
        done = self.run_stages("gcc")
        _, rows = done.stdout.split("== rows for tests/unsteady.md")
        rows = rows.strip().splitlines()[1:]
        self.assertEqual(len(rows), 2, done.stdout)
        for i, row in enumerate(rows, 1):
            name, observed, output = row.strip("| ").split(" | ")
            self.assertEqual(name, f"unit.id{i}")
            self.assertRegex(observed, rf"load .*; AssertionError: {i} is not 0")
            kept = self.scripts.parent / output.removeprefix("output: ")
            self.assertEqual(kept.read_text(encoding="ascii"),
                             f"Testing: unit.id{i}\n"
                             f"AssertionError: {i} is not 0\n")

    def test_tests_are_run_again_by_name(self):
        """Their numbers depend on which tests are excluded."""
        self.fail_tests(2, 'echo "$*" >again; exit 0')
        self.run_stages("gcc")
        again = (self.scripts.parent / "again").read_text(encoding="ascii")
        self.assertIn(r"--tests-regex ^(unit\.id1|unit\.id2)$", again)
        self.assertNotIn("--exclude", again)

    def test_test_that_fails_alone_fails_its_stage(self):
        self.fail_tests(1, "exit 8")
        done = self.run_stages("gcc")
        self.assertEqual(1, done.returncode)
        self.assertNotIn("unsteady", done.stdout)

    def test_four_failed_tests_are_not_run_again(self):
        self.fail_tests(4, "exit 0")
        done = self.run_stages("gcc")
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stdout, r"(?m)^gcc +FAILED, \d+ s$")

    def test_an_unknown_stage_is_refused_before_any_runs(self):
        done = self.run_stages("check", "gc")
        self.assertEqual(2, done.returncode)
        self.assertEqual("scripts/test: there is no stage gc\n", done.stderr)


class Links(clewtest.Case):
    """scripts/doc-links.py on small trees with one wrong link each."""

    OTHER = "# A heading\n\n## `code` & [more](a.md), twice\n\n# A heading\n"

    def offences(self, text, name="docs/a.md"):
        tree = self.work / "tree"
        (tree / "docs").mkdir(parents=True, exist_ok=True)
        (tree / "docs" / "b.md").write_text(self.OTHER, encoding="utf-8")
        (tree / name).write_text(text, encoding="utf-8")
        done = self.run_program(
            [clewtest.ROOT / "scripts" / "doc-links.py", name], cwd=tree,
            text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout.splitlines()

    def test_valid_links_are_accepted(self):
        self.assertEqual([], self.offences(
            "# Here\n[b](b.md) [up](../docs) ![](b.md \"title\")\n"
            "[![in](b.md)](b.md#a-heading) [again](b.md#a-heading-1)\n"
            "[code](b.md#code--more-twice) [here](#here)\n"
            "[host](https://example.org/x#y) <mailto:a@b> [r][r]\n\n"
            "[r]: b.md\n"))

    def test_code_contains_no_links(self):
        self.assertEqual([], self.offences(
            "`[a](none)` ``[`](none)``\n\n```\n[a](none)\n```\n"
            "~~~c\n# [a](none)\n```\n~~~\n"))

    def test_broken_links_are_reported(self):
        self.assertEqual(
            ["docs/a.md:1: c.md leads nowhere",
             "docs/a.md:2: ../d leads nowhere",
             "docs/a.md:4: e.md leads nowhere"],
            self.offences("[c](c.md) [b](b.md)\n[![](b.md)](../d)\n\n"
                          "[r]: e.md\n"))

    def test_anchors_are_those_of_headings(self):
        self.assertEqual(
            ["docs/a.md:1: #no has an anchor that is not there",
             "docs/a.md:2: b.md#a-heading-2 has an anchor that is not there",
             "docs/a.md:4: #code has an anchor that is not there"],
            self.offences("[](#no)\n[](b.md#a-heading-2)\n\n[](#code)\n"
                          "```\n# Code\n```\n"))

    def test_links_out_of_the_tree_are_reported(self):
        self.assertEqual(
            ["docs/a.md:1: ../../tree/docs/b.md leads out of the tree",
             "docs/a.md:1: /etc/passwd is not relative"],
            self.offences("[](../../tree/docs/b.md) [](/etc/passwd)\n"))


class Layers(clewtest.Case):
    """scripts/layers.py on a tree of a few headers."""

    def check(self, machine=None, **headers):
        """Takes {header of wire/: included file}. Returns the complaints.

        `machine` is the same for the wire/ of an architecture.
        """
        tree = self.work / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        (tree / "scripts").mkdir(parents=True)
        shutil.copy(clewtest.ROOT / "scripts" / "layers.py", tree / "scripts")
        own = pathlib.PurePath("arch", "m", "wire")
        for folder in "wire", "base", own:
            (tree / folder).mkdir(parents=True)
        (tree / "base" / "memory.h").write_text("", encoding="ascii")
        for folder, these in ("wire", headers), (own, machine or {}):
            for name, included in these.items():
                (tree / folder / f"{name}.h").write_text(
                    f'#include "{included}"\n', encoding="ascii")
        return self.complaints(tree)

    def complaints(self, tree):
        done = self.run_program([str(tree / "scripts" / "layers.py")],
                                text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout.splitlines()

    def declare(self, **texts):
        """Takes {FOLDER_NAME: text} of headers. Returns the complaints."""
        self.check()
        tree = self.work / "tree"
        for name, text in texts.items():
            (tree / f"{name.replace('_', '/')}.h").write_text(
                text, encoding="ascii")
        return self.complaints(tree)

    def test_lower_layers_may_be_included(self):
        self.assertEqual(self.check(a="wire/b.h", b="base.h"),
                         ['wire/b.h:1: "base.h" is not written from the root'])
        self.assertEqual(self.check(a="wire/b.h", b="base/memory.h"),
                         ["wire/b.h:1: wire may not include base"])

    def test_headers_go_in_no_circle(self):
        self.assertEqual(self.check(a="wire/b.h", b="wire/c.h", c="wire/a.h"),
                         ["wire/a.h -> wire/b.h -> wire/c.h -> wire/a.h"])

    def test_a_machine_s_own_headers_are_in_the_same_folders(self):
        self.assertEqual(self.check({"m": "base/memory.h"}, a="wire/m.h"),
                         ["arch/m/wire/m.h:1: wire may not include base"])
        self.assertEqual(self.check({"m": "wire/a.h"}, a="wire/m.h"),
                         ["wire/m.h -> wire/a.h -> wire/m.h"])

    def test_no_two_units_have_one_name(self):
        self.assertEqual(self.declare(wire_memory=""),
                         ["memory: base/memory and wire/memory"])

    def test_a_unit_is_a_header_and_the_sources_of_its_path(self):
        self.check({"m": "wire/a.h"}, a="base/memory.h")
        tree = self.work / "tree"
        for name in "wire/a.h", "wire/a.c", "arch/m/wire/a.S":
            (tree / name).write_text("", encoding="ascii")
        self.assertEqual(self.complaints(tree), [])

    def test_no_two_types_have_one_tag(self):
        self.assertEqual(
            self.declare(wire_a="struct x {\n};\n",
                         base_b="static const struct x\n{\n} all[] = {};\n"),
            ["the tag x: base/b.h and wire/a.h"])
        self.assertEqual(
            self.declare(wire_a="enum x {\n};\n",
                         base_b="struct y {\n\tunion x {\n\t} z;\n};\n"),
            ["the tag x: base/b.h and wire/a.h"])

    def test_uses_of_a_tag_are_no_declarations(self):
        self.assertEqual(
            self.declare(wire_a="struct x {\n};\n",
                         base_b="struct x;\nstruct x *made(void)\n{\n"
                         "\treturn &(struct x){ 0 };\n}\n"
                         "/* one struct x { of another file */\n"),
            [])


class Seams(clewtest.Case):
    """scripts/seams.py on a tree with one file."""

    def check(self, text, path="preload/a.h"):
        """Returns the complaints without the file's name."""
        tree = self.work / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        (tree / "scripts").mkdir(parents=True)
        for name in "layers.py", "seams.py":
            shutil.copy(clewtest.ROOT / "scripts" / name, tree / "scripts")
        (tree / path).parent.mkdir(parents=True)
        (tree / path).write_text(text, encoding="ascii")
        done = self.run_program([str(tree / "scripts" / "seams.py")],
                                text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return [line.removeprefix(f"{path}:").removesuffix(
            ", outside of arch/") for line in done.stdout.splitlines()]

    def test_a_machine_s_words_are_found(self):
        for text, word in (
                ("x = EM_X86_64;", "EM_X86_64: a machine's name"),
                ("#ifdef __aarch64__", "__aarch64__: a machine's name"),
                ("#include <cpuid.h>", "<cpuid.h>: a machine's headers"),
                ("sys_call(SYS_vfork", "SYS_vfork: a machine's system call"),
                ("c.gregs[REG_RIP]", "REG_RIP: a register"),
                ("ptrace(PTRACE_GETREGS", "PTRACE_GETREGS: a register"),
                ("b = r->fs_base;", "fs_base: a register"),
                ('"mov %rax, %rbx"', "%rax: a register"),
                ('__asm__ volatile("hlt");', "__asm__: assembly"),
                ("n = 1UL << 47;",
                 "47: bits of an address (ADDRESS_BITS, ADDRESS_END)"),
                ("at = 0x7c0000000000;",
                 "0x7c0000000000: a place in the address space"),
                ("x & ~4095", "4095: a page's size (PAGE_BYTES)"),
                ("b[] = { 0x0f, 0x05 };", "{ 0x0f, 0x05 }: machine code"),
                ("*at == 0xe9", "0xe9: machine code")):
            with self.subTest(text):
                self.assertIn(f"2: {word}", self.check(f"\n{text}\n"))

    def test_comments_and_barriers_are_accepted(self):
        self.assertEqual(self.check(
            "/* push %rbp: 0x55,\n * e9 */ // 0x7fffffffffff\n"
            '__asm__ volatile("" ::: "memory");\n'
            "#define WIRE_PAGE_BYTES 8192\n"), [])

    def test_lines_are_counted_in_comments(self):
        self.assertEqual(self.check("/*\n\n*/ y = 47;\n"), [
            "3: 47: bits of an address (ADDRESS_BITS, ADDRESS_END)"])

    def test_machine_words_in_arch_are_accepted(self):
        self.assertEqual(self.check("EM_X86_64", "arch/m/wire/a.h"), [])

    def test_bytes_outside_of_code_readers_are_accepted(self):
        self.assertEqual(self.check("b[] = { 0x0f, 0x05 };", "base/a.h"), [])


class Objects(clewtest.Case):
    """scripts/links.py on a build of a few objects."""

    UPCALLS = "preload/hot/upcalls.h"
    STATICS = "docs/internals/invariants.md"
    LEAST = {UPCALLS: "", "preload/hot/a.c": "", "base/least.c": "",
             STATICS: "## Statics\n\n## More\n"}

    def check(self, files):
        """Takes {source file: text}. Returns the complaints."""
        tree = self.work / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        for name in "layers.py", "links.py":
            (tree / "scripts").mkdir(parents=True, exist_ok=True)
            shutil.copy(clewtest.ROOT / "scripts" / name, tree / "scripts")
        for name, text in {**self.LEAST, **files}.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text + "\n", encoding="ascii")
            if name.endswith(".c"):
                self.compile(tree, pathlib.PurePath(name))
        done = self.run_program([str(tree / "scripts" / "links.py"),
                                 str(tree / "build")], text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0,
                         done.stderr)
        return [line.removeprefix("links: ")
                for line in done.stdout.splitlines()]

    def compile(self, tree, source):
        top, within = source.parts[0], pathlib.PurePath(*source.parts[1:])
        library = {"hot": "hot", "record": "warm",
                   "front": "libclew"}.get(within.parts[0], top)
        to = tree / "build" / top / "CMakeFiles" / f"{library}.dir" / within
        to.parent.mkdir(parents=True, exist_ok=True)
        done = self.run_program(["cc", "-c", "-o", f"{to}.o",
                                 str(tree / source)])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_files_of_a_room_may_refer_to_each_other(self):
        self.assertEqual(self.check({
            "report/view/a.c": "void b(void); void a(void) { b(); }",
            "report/view/b.c": "void a(void); void b(void) { a(); }"}), [])

    def test_two_rooms_may_not_refer_to_each_other(self):
        self.assertEqual(self.check({
            "symbolizer/a.c": "void b(void); void a(void) { b(); }",
            "symbolizer/dwarf/b.c": "void a(void); void b(void) { a(); }"}), [
                "symbolizer/dwarf/b.c: a is in symbolizer/a.c, above"])

    def test_lower_layers_may_be_referred_to(self):
        down = {"base/a.c": "void a(void) { }",
                "cli/b.c": "void a(void); void b(void) { a(); }"}
        up = {"base/c.c": "void b(void); void c(void) { b(); }"}
        self.assertEqual(self.check(down), [])
        self.assertEqual(self.check({**down, **up}),
                         ["base/c.c: b is in cli/b.c, above"])

    def test_names_are_those_of_one_product(self):
        """A name that both products define belongs to each of them separately."""
        self.assertEqual(self.check({
            "preload/hot/a.c": "void same(void) { }",
            "base/a.c": "void same(void); void b(void) { same(); }"}), [])

    def test_statics_are_those_of_the_table(self):
        self.assertEqual(self.check({
            "base/a.c": "static int n; int a(void) { return ++n; }",
            "base/b.c": "void b(void) { }",
            "base/c.c": "static int n; int c(void) { return ++n; }",
            "digest/c.c": "static int n; int d(void) { return ++n; }",
            self.STATICS: "## Statics\n| `base` | `b.c`, `c.c` |\n"
                          "## More\n"}), [
                "base/a.c: n: not among the statics in "
                "docs/internals/invariants.md",
                "docs/internals/invariants.md: base/b.c has no statics",
                "digest/c.c: n: not among the statics in "
                "docs/internals/invariants.md"])

    def test_upcalls_are_those_of_the_table(self):
        table = ("/*\n *\thot_up  hot  record/b.c\n"
                 " *\thot_never  hot  record\n */")
        self.assertEqual(self.check({
            self.UPCALLS: table,
            "preload/hot/a.c":
                "void hot_up(void); void up(void);"
                "void a(void) { hot_up(); up(); }",
            "preload/record/b.c": "void hot_up(void) { }",
            "preload/front/c.c": "void up(void) { }"}), [
                "preload/hot/a.c: up is in preload/front/c.c, above",
                "preload/hot/a.c: up is in preload/front/c.c, which is cold",
                "upcalls.h: hot_never is no upcall"])


class GlibcVersions(clewtest.Case):
    def check(self, *arguments):
        return self.run_program([ROOT / "scripts" / "glibc-versions.sh", BUILD,
                                 *arguments], text=True)

    @needs("objdump")
    def test_command_that_needs_a_newer_glibc_fails(self):
        done = self.check("2.2.5")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^glibc-versions: cli/clew needs "
                         r"GLIBC_2\.28 for .*\brenameat2\b")
        self.assertNotIn("libclew.so", done.stdout)
        self.assertEqual(self.check("9.9").returncode, 0)


if __name__ == "__main__":
    clewtest.main()
