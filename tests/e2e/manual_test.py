#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The manual describes exactly what the commands print."""
import re
import shlex
import shutil
import struct
import subprocess

from lib import clewtest, helptext, wire
from lib.clewtest import BUILD, ROOT, needs

MANUAL = BUILD / "man"
# Offsets in struct wire_header.
VERIFIED_STACKS, ASKED_STACKS, BUDGET = 576, 616, 740
# This offset is behind the header of the file and that of the first chunk.
TRACE_WAITS = 4096 + 64 + 16184
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT",
            "EXIT STATUS", "EXAMPLES", "SEE ALSO"]


# The runtime gives no number below 4096 to a function.
JAVA_STACK, JAVA_METHOD = 1, 2
METHOD_TEXTS = (b"LA;\0", b"f\0", b"(I)V\0")


def padded(record):
    return record.ljust(-(-len(record) // 8) * 8, b"\0")


def text_sizes(texts):
    """Returns a struct wire_method_texts."""
    return struct.pack("<HHHH", *map(len, texts), 0)


def numbered(number, rest):
    """Returns a record that begins with a struct wire_numbered."""
    return padded(struct.pack("<II", number, 8 + len(rest)) + rest)


def method_of(number):
    return numbered(number, text_sizes(METHOD_TEXTS) +
                    struct.pack("<II", 0, 0) + b"".join(METHOD_TEXTS))


def stack_of(number, method, bytecode):
    return numbered(number, struct.pack("<IIIH", 1, 0, method, bytecode))


def source_of(method):
    return numbered(method, struct.pack("<IIHH", 1, 7, 0, 7) + b"A.java\0")


def binding_of(pc):
    return padded(struct.pack("<QQ8sII", pc, 0, text_sizes(METHOD_TEXTS), 0,
                              0) + b"".join(METHOD_TEXTS))


def plain(line):
    """Returns a line of a page's source as a reader sees it."""
    macro, _, rest = line.partition(" ")
    if re.fullmatch(r"\.[BIR]{1,2}", macro):
        between = " " if len(macro) == 2 else ""
        line = between.join(shlex.split(rest.replace("\\", "\\\\"), posix=True))
    return re.sub(r"\\f[BIR]", "", line).replace("\\-", "-")


def tags(source):
    """Returns the tags of a page's tagged paragraphs."""
    lines = source.splitlines()
    return [plain(lines[i + 1]) for i, line in enumerate(lines)
            if line.split(" ")[0] in (".TP", ".TQ")]


class Manual(clewtest.Case):
    def commands(self):
        found = helptext.commands(self.clew("help").stdout)
        self.assertGreater(len(found), 8)
        return found

    def pages(self):
        found = {page.name: page.read_text()
                 for page in MANUAL.glob("*.[1-8]")}
        self.assertGreater(len(found), 8)
        return found

    def test_each_option_is_in_the_manual_and_no_other(self):
        for command, _ in self.commands():
            with self.subTest(command=command):
                told = helptext.options(
                    self.clew(command, "--help=all").stdout)
                source = (MANUAL / f"clew-{command}.1").read_text()
                written = [tag for tag in tags(source) if tag[0] == "-"]
                self.assertEqual(set(written), told)
                self.assertEqual(len(written), len(set(written)))

    def test_the_table_of_options_is_what_the_commands_print(self):
        done = self.run_program([ROOT / "scripts/options.py", BUILD])
        self.assertEqual(done.stdout.decode(),
                         (ROOT / "docs/options.md").read_text())

    def test_each_command_is_in_the_overview_and_the_readme(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        overview = (MANUAL / "clew.1").read_text()
        listed = [re.match(r"clew-(\w+)\(1\)$", tag)
                  for tag in tags(overview)]
        self.assertEqual([match[1] for match in listed if match],
                         [name for name, _ in self.commands()])
        rows = re.findall(r"^\| `clew (\w+)", readme, re.MULTILINE)
        self.assertEqual(sorted(rows),
                         sorted(name for name, _ in self.commands()))

    def test_summaries_of_pages_and_overview_agree(self):
        overview = (MANUAL / "clew.1").read_text()
        for name, summary in self.commands():
            with self.subTest(command=name):
                self.assertIn(f".BR clew\\-{name} (1)\n"
                              f"{summary.capitalize()}.\n", overview)

    def test_pages_have_the_same_order_of_sections(self):
        for command, _ in self.commands():
            with self.subTest(command=command):
                source = (MANUAL / f"clew-{command}.1").read_text()
                found = re.findall(r"^\.SH (.*)$", source, re.MULTILINE)
                self.assertEqual([s for s in found if s in SECTIONS], SECTIONS)

    def test_pages_named_by_pages_exist(self):
        """Shared sections are included in the pages, and all pages that they name exist."""
        pages = self.pages()
        for name, source in pages.items():
            with self.subTest(page=name):
                self.assertNotIn("\n.so ", source)
                self.assertNotRegex(source, r"@\w+@")
                named = re.findall(r"((?:clew|liba2n|libclew)[\w\\-]*) \((\d)\)",
                                   source)
                for page, section in named:
                    self.assertIn(page.replace("\\", "") + "." + section,
                                  pages)

    @needs("man", "groff")
    def test_pages_give_no_warning_of_groff(self):
        self.environment.update(LC_ALL="C.UTF-8", MANWIDTH="80")
        for name in self.pages():
            with self.subTest(page=name):
                done = self.run_program(["man", "--warnings", "-E", "UTF-8",
                                         "-l", MANUAL / name], text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("NAME", done.stdout)


class Records(clewtest.Case):
    """clew-dump(1) describes each kind of line, and each key, that dumps have."""

    # These keys are the last ones of a line, and their values may contain
    # spaces.
    TEXTS = ("file", "path", "text", "why")

    def keys(self, line):
        """Returns the kind of a line of a dump, and the set of its keys."""
        kind, *words = line.split(" ")
        found = set()
        for word in words:
            key = word.partition("=")[0]
            if not key.isdigit():  # A number is a bin of a histogram.
                found.add(key)
            if key in self.TEXTS or kind == "thread" and key == "name":
                break
        return kind, found

    def dumped(self):
        """Returns {kind: set of keys} of self.recording_path."""
        done = self.clew("dump", "-v", self.recording_path)
        found = {}
        for line in done.stdout.splitlines():
            kind, keys = self.keys(line)
            found.setdefault(kind, set()).update(keys)
        return found

    def change_header(self, path):
        """Changes the header to that of a recording with one loss of each kind."""
        fields = list(wire.HEADER.unpack_from(path.read_bytes()))
        fields[4] = wire.DISABLED
        fields[17], fields[25], fields[26] = 1, 1, b"for a test"
        fields[34] = fields[41] = fields[42] = fields[43] = 1
        with path.open("r+b") as part:
            part.write(wire.HEADER.pack(*fields))
            part.seek(ASKED_STACKS)
            part.write(struct.pack("<Q", 1))

    @staticmethod
    def values_of(context):
        """Returns the record of a value that an agent counts."""
        return struct.pack("<II24sIIQIIq", 1, 1, b"bytes", 1, 0, context, 1, 0,
                           7)

    @staticmethod
    def marks_of(context):
        """Returns the records of a mark without a duration and of its name, and of one
        lost mark.
        """
        return (struct.pack("<IIQQQIHH", 1, 1, 4096, context, 2, 3, 1, 1),
                struct.pack("<QQQQIIII56s", 1, 0, 0, 0, 1, 0, 2, 0, b"mark"))

    def add_records(self, path):
        """Adds records that a runtime with generated code would create."""
        fields = list(wire.HEADER.unpack_from(path.read_bytes()))
        records = b"".join(
            wire.CHUNK.pack(kind, 0, wire.CHUNK.size + 576,
                            len(payload)) + payload.ljust(576, b"\0")
            for kind, payload in (
                (wire.RANGES, struct.pack("<IIII", 4096, 4096, 1, 0)),
                (wire.NAMES, numbered(4096, b"f()V")),
                (wire.METHODS, method_of(4096)),
                (wire.CALLERS, numbered(4096, struct.pack("<QQ", 4096, 1))),
                (wire.BINDINGS, binding_of(4096)),
                (wire.CODES, struct.pack("<QQIIII8s8s", 4096, 1, 16, 1, 0, 0,
                                         struct.pack("<HHHH", 0, 5, 0, 0),
                                         b"stub\0")),
                (wire.SOURCES, source_of(4096)),
                (wire.CODE_LINES, struct.pack("<QQIIIBBBBB7x", 4096, 1, 9, 1,
                                              4096, 16, 1, 0, 1, 0)),
                (wire.STACKS, stack_of(4096, 4096, 5)),
                (wire.MAKERS, struct.pack("<QQQQQII", 4096, 8192, 1, 0, 4096,
                                          0, 0)),
                (wire.MAPPED_CODE, struct.pack("<QQQQQQQQ", 4096, 1, 1, 1, 0,
                                               4096, 0, 0)),
                (wire.HISTOGRAMS, wire.HISTOGRAM.pack(1, 2,
                                                      *[1] * wire.BINS)),
                (wire.LEFT_OUT, struct.pack("<IIQQQQQ", 4096, 1, 1, 0, 1, 1,
                                            1)),
                (wire.VALUES, self.values_of(0)),
                *zip((wire.MARKS, wire.MARK_NAMES), self.marks_of(0)),
                (wire.JITDUMP, b"/tmp/jit-1.dump\0")))
        fields[48] = 1  # the state of Java
        with path.open("r+b") as part:
            part.seek(fields[3])
            part.write(records)
            fields[3] = part.tell()
            part.truncate()
            part.seek(0)
            part.write(wire.HEADER.pack(*fields))
            part.seek(BUDGET)
            part.write(struct.pack("<I", 50))

    def record_a_wait(self):
        """Records a program that waits until a dump shows its wait."""
        command = self.record_command(["cat"], ["--time=wall"])
        with subprocess.Popen(command, env=self.environment, cwd=self.work,
                              stdin=subprocess.PIPE) as process:
            while " wait=" not in self.clew("dump", self.recording_path).stdout:
                self.assertIsNone(process.poll(), "ended without a sample")
            process.stdin.close()
        self.assertEqual(process.returncode, 0)

    def import_stacks(self, stacks):
        """Adds an imported part to the recording."""
        stacks.write_text("a;b 1\n")
        imported = self.work / "imported"
        done = self.clew("import", "-o", imported, stacks)
        self.assertEqual(done.returncode, 0, done.stderr)
        stacks.unlink()
        (part,) = imported.glob("*.part")
        part.rename(self.recording_path / part.name)

    def all_dumped(self):
        self.record_a_wait()
        found = self.dumped()
        for options in ["--time=cpu", "--fold-recursion"], ["--time=exact"]:
            self.record([clewtest.PYTHON, "-c",
                         "for i in range(300000): str(i)"],
                        (*options, "-m", "python*",
                         "--probe=Py_BytesMain", "--action=record tid",
                         "--action=limit 5"))
            for kind, keys in self.dumped().items():
                found.setdefault(kind, set()).update(keys)
        part = self.recording().parts[0].path
        self.import_stacks(self.work / "imported.folded")
        self.change_header(part)
        self.add_records(part)
        with part.open("r+b") as file:
            file.truncate(part.stat().st_size - 1)
        for kind, keys in self.dumped().items():
            found.setdefault(kind, set()).update(keys)
        return found

    def told(self):
        """Returns {kind: words in bold in its paragraph} of the page."""
        source = (MANUAL / "clew-dump.1").read_text()
        section = source.split(".SH RECORDS\n")[1].split("\n.SH ")[0]
        found = {}
        for paragraph in section.split(".TP\n")[1:]:
            tag, text = paragraph.split("\n", maxsplit=1)
            found[plain(tag)] = set(re.findall(r"\\fB(\w+)\\fR", text))
        return found

    def test_each_record_and_key_is_in_the_manual(self):
        told, found = self.told(), self.all_dumped()
        self.assertEqual(set(told), set(found))
        for kind, keys in found.items():
            with self.subTest(kind=kind):
                self.assertEqual(keys - told[kind], set())
                self.assertEqual(told[kind] - keys, set())


class Members(clewtest.Case):
    """clew-json(5) describes each member that commands print, and no other member."""

    # Members of these objects are names of data, which the page does not list.
    DATA = ("lost", "marks_lost", "verdicts")
    EVERY = ("Every report", "Functions")  # These sections apply to all commands.
    OF_JAVA = {"java_methods", "counted", "standing_by", "left", "methods"}

    def members(self, value):
        if isinstance(value, list):
            return set().union(*map(self.members, value))
        if not isinstance(value, dict):
            return set()
        return set(value).union(*(self.members(value[key]) for key in value
                                  if key not in self.DATA))

    def sections(self):
        """Returns {subject: (all words of its section, the words in bold)}."""
        source = (MANUAL / "clew-json.5").read_text()
        source = source.split(".SH DESCRIPTION\n")[1].split("\n.SH ")[0]
        found = {}
        for section in source.split("\n.SS ")[1:]:
            subject, text = section.split("\n", maxsplit=1)
            words = re.sub(r"\\f[BIR]", "", text)
            found[plain(subject)] = (set(re.findall(r"\w+", words)),
                                     set(re.findall(r"\\fB(\w+)\\fR", text)))
        return found

    @staticmethod
    def chunk_of(kind, owner, payload):
        """Returns a chunk of a recording, padded to a multiple of 64 bytes."""
        room = payload.ljust(-(-len(payload) // 64) * 64, b"\0")
        return wire.CHUNK.pack(kind, owner, wire.CHUNK.size + len(room),
                               len(payload)) + room

    def pretend_stack(self):
        """Returns records of a Java method, and of a stack of this method."""
        return b"".join(
            self.chunk_of(kind, 0, payload) for kind, payload in (
                (wire.RANGES, struct.pack("<IIIIIIII", JAVA_STACK, 1, 4, 0,
                                          JAVA_METHOD, 1, 1, 0)),
                (wire.METHODS, method_of(JAVA_METHOD)),
                (wire.STACKS, stack_of(JAVA_STACK, JAVA_METHOD, 0)),
                (wire.SOURCES, source_of(JAVA_METHOD))))

    def pretend_calls(self, part, native, inner):
        """Counts one call of a Java method and one of a native method below it.

        Returns the id of a context in which the native method calls the function
        `inner`, and the record of the three contexts.
        """
        number, tally = next(iter(part.tallies.items()))
        at, entries = tally.table & ~63, 1 << (tally.table & 63)
        free = [slot for slot in range(at, at + entries * wire.COUNT.size,
                                       wire.COUNT.size)
                if not any(part.data[slot:slot + wire.COUNT.size])]
        contexts, callee = b"", 0
        with part.path.open("r+b") as file:
            for depth, function in enumerate((JAVA_STACK, native, inner), 1):
                callee = wire.id_push(callee, function)
                contexts += wire.CONTEXT.pack(callee, 0, function, depth)
                if function != inner:
                    file.seek(free[depth])
                    file.write(wire.COUNT.pack(callee, 1))
        return callee, self.chunk_of(wire.CONTEXTS, number, contexts)

    def pretend_java(self, recording):
        """Changes a recording so that it seems to contain Java.

        Called functions become native methods, and a Java method calls one of them.
        The recording then also has verified stacks, notes of JNI, and a sample in
        code that belongs to no module.
        """
        part, = wire.Recording(recording).parts
        contexts = part.contexts()
        called = {context.function for context in contexts.values()}
        native, inner, *_ = called
        below, entered = self.pretend_calls(part, native, inner)
        bindings = b"".join(
            binding_of(module.base + function.vaddr)
            for module in part.modules
            for function in module.functions if function.number in called)
        notes = b"".join(
            struct.pack("<QQIIIIQQQQ", below, 0, 0, what, 0, 0, 9, 8, 7, 0)
            for what in range(5))
        left_out = b"".join(
            struct.pack("<IIQQQQQ", function, 1, 1, 0, 1, 1, 1)
            for function in called)
        timed = wire.HISTOGRAM.pack(native, JAVA_STACK, *[1] * 9,
                                    *[0] * (wire.BINS - 9))
        tally = next(iter(part.tallies))
        records = b"".join(self.chunk_of(*chunk) for chunk in (
            (wire.BINDINGS, 0, bindings),
            (wire.JNI_NOTES, 0, notes),
            (wire.HISTOGRAMS, tally, timed),
            (wire.SAMPLES, tally,
             struct.pack("<QQQQ", 1, 0, 4096, 1 << 48 | 1000)),
            (wire.LEFT_OUT, 0, left_out),
            (wire.VALUES, 0, Records.values_of(below)),
            *((kind, 0, marks) for kind, marks in
              zip((wire.MARKS, wire.MARK_NAMES), Records.marks_of(below)))))
        fields = list(wire.HEADER.unpack_from(part.path.read_bytes()))
        with part.path.open("r+b") as file:
            file.seek(fields[3])
            file.write(entered + records + self.pretend_stack())
            fields[3] = file.tell()
            file.truncate()
            file.seek(0)
            file.write(wire.HEADER.pack(*fields))
            file.seek(VERIFIED_STACKS)
            file.write(struct.pack("<Q", 1))
            file.seek(BUDGET)
            file.write(struct.pack("<I", 50))
            file.seek(ASKED_STACKS)
            file.write(struct.pack("<QQI", 1, 1000, 1))
        report = self.clew_json("report", "--json", recording)
        self.assertEqual(report["problems"], [])

    def pretend_waits(self, recording):
        """Changes a trace so that one thread seems to have waited for a worker once."""
        (trace,) = recording.glob("*.trace")
        with trace.open("r+b") as file:
            file.seek(TRACE_WAITS)
            file.write(struct.pack("<QQ", 1, 1000))

    def commands(self):
        """Returns [(sections that describe the output, the output)]."""
        program = self.work / "program"
        self.run_program(["g++", "-g", "-O2",
                          ROOT / "tests" / "targets" / "inlines.cc", "-o",
                          program])
        self.record([clewtest.PYTHON, "-c", "for i in range(30000): str(i)"],
                    ("--time=exact",))
        exact = self.work / "exact"
        self.recording_path.rename(exact)
        self.record([clewtest.PYTHON, "-c", "for i in range(1000000): str(i)"],
                    ("--clock=tick",))  # The report mentions this clock.
        coarse = self.work / "coarse"
        self.recording_path.rename(coarse)
        java = self.work / "java"
        shutil.copytree(coarse, java)
        self.pretend_java(java)
        exact_java = self.work / "exact_java"
        shutil.copytree(exact, exact_java)
        self.pretend_java(exact_java)
        self.record([program], ["--trace"])
        waited = self.work / "waited"
        self.recording_path.rename(waited)
        self.pretend_waits(waited)
        self.record([program], ["--probe=main", "--action=record tid",
                              "--probe=not_there", "--fold-recursion"])
        imported = self.work / "imported"
        stacks = self.work / "imported.folded"
        stacks.write_text("a;b 1\n")
        self.assertEqual(self.clew("import", "-o", imported,
                                   stacks).returncode, 0)
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        report, diff, tree = "clew report", "clew diff", "clew tree"
        for sections, *arguments in [
                ([report], "report", "--json"),
                ([report], "report", "--json", "--by=module"),
                ([report], "report", "--json", "--events"),
                ([report], "report", "--json", exact),
                ([report], "report", "--json", coarse),
                ([report], "report", "--json", waited),
                ([report], "report", "--json", "--to=3600", waited),
                ([report], "report", "--json", "--top=0", java),
                ([report], "report", "--json", "--jni", exact_java),
                ([report], "report", "--json", "--value=bytes", java),
                ([report], "report", "--json", imported),
                ([tree], "tree", "--json", "--value=bytes", java),
                ([report, f"{report} --butterfly"], "report", "--json",
                 "--butterfly=Py_BytesMain", exact),
                ([tree], "tree", "--json", "-i"),
                ([tree], "tree", "--json", java),
                ([tree], "export", "--format=json"),
                ([diff], "diff", "--json", exact, self.recording_path),
                ([diff], "diff", "--json", "--fail-if=calls>1000000000", exact,
                 self.recording_path),
                ([diff, tree], "diff", "--json", "--tree", exact,
                 self.recording_path),
                (["clew list"], "list", "--json", "-v"),
                (["clew list"], "list", "--json", program),
                (["clew cache ls"], "cache", "ls", "--json")]:
            if arguments[0] == "cache":
                entry = max(self.work.glob("cache/**/*.a2n"))
                entry.write_bytes(entry.read_bytes()[:100])
            yield sections, self.clew_json(*arguments)
        for written in self.annotated():
            yield ["clew annotate"], written
        yield ["clew status"], self.status_of_attached()

    def annotated(self):
        """Yields the output of clew annotate, also for a module that was removed."""
        program = self.work / "annotate"
        subprocess.run(["gcc", "-O2", "-g", "-o", program,
                        ROOT / "tests" / "e2e" / "annotate.c"], check=True)
        self.record([program, "100"])
        for function in "main", "hot":
            yield self.clew_json("annotate", "--json", function,
                                 self.recording_path)
        program.unlink()
        yield self.clew_json("annotate", "--json", "hot", self.recording_path)

    def status_of_attached(self):
        """Returns the output of clew status while clew is attached to a process that waits."""
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdin.write(b"!")
            process.stdin.flush()
            process.stdout.read(1)  # This byte shows that the loader is done.
            with subprocess.Popen(
                    [clewtest.CLEW, "attach", "-o", self.work / "attached",
                     str(process.pid)], stderr=subprocess.PIPE,
                    env=self.environment, text=True) as controller:
                self.assertIn("attached to", controller.stderr.readline())
                status = self.clew_json("status", "--json", process.pid)
                process.stdin.close()
                controller.stderr.read()
        return status

    @needs("g++")
    def test_each_member_is_in_the_manual(self):
        told, seen = self.sections(), set()
        for sections, written in self.commands():
            found = self.members(written)
            words = set().union(*(told[subject][0] for subject in
                                  (*self.EVERY, *sections)))
            with self.subTest(sections=sections):
                self.assertEqual(found - words, set())
            seen |= found
        bold = set().union(*(bold for _, bold in told.values()))
        if bold - seen - self.OF_JAVA == {"other_names", "other_name_count"}:
            self.skipTest("no recorded function has two names")
        self.assertEqual(bold - seen, self.OF_JAVA)


if __name__ == "__main__":
    clewtest.main()
