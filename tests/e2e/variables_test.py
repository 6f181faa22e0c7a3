#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Actions of probes can use the program's variables and types."""
import itertools
import os
import re
import subprocess

from lib import clewtest
from lib.clewtest import ROOT

HERE = ROOT / "tests" / "e2e"
SOURCES = [HERE / "variables.c", HERE / "variables_other.c"]
WEIGH = "_ZNK5depot4Item5weighERKS0_i"


def line_of(text):
    """Returns the place of the line in variables.c that contains this text."""
    lines = SOURCES[0].read_text(encoding="utf-8").splitlines()
    [number] = [i for i, line in enumerate(lines, 1) if text in line]
    return f"variables.c:{number}"


def told(text):
    """Returns {place: [{expression: value}]}, with an entry for each call."""
    places = {}
    for line in text.splitlines():
        place, *pairs = line.split("|")
        # Expressions may contain "=", and values do not.
        if pairs:
            places.setdefault(place, []).append(
                dict(pair.rsplit("=", 1) for pair in pairs))
    return places


class Case(clewtest.Case):
    def build(self, compiler, *options, sources=None):
        program = self.work / "variables"
        done = self.run_program([compiler, *options, "-o", program,
                                 *(sources or SOURCES)], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def probed(self, program, *options):
        """Records with probes. Returns {first word of the probe: [values]}."""
        native = self.run_program([program])
        done = self.record([program], ["--time=none", *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_behaviour(native, done)
        report = self.clew_json("report", "--json", "--events",
                                self.recording_path)
        events = {}
        for event in report["events"]:
            name = event["name"].split(" ")[0]
            if "values" in event:
                events.setdefault(name, []).append(event["values"])
        return events, native.stdout.decode()

    def refused(self, program, place, action, *words):
        done = self.clew("record", "-o", self.recording_path, "--probe", place,
                         "--action", action, "--", program)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        for word in words:
            self.assertIn(word, done.stderr)

    def vars(self, program, place):
        """Returns {variable: the rest of its line}."""
        done = self.clew("probe", "--vars", place, program)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = (re.split(r"\s{2,}", line.strip())
                for line in done.stdout.splitlines()[1:])
        return {name: rest for name, *rest in rows}


class Values(Case):
    """The recorded values are those that the program prints."""

    def check(self, program):
        truth = told(self.run_program([program]).stdout.decode())
        for place, calls in truth.items():
            words = [*calls[0]]
            for first in range(0, len(words), 16):
                some = words[first:first + 16]
                events, _ = self.probed(
                    program, "--probe",
                    line_of("the middle") if place == "middle" else place,
                    "--action", "record " + ", ".join(some))
                [values] = events.values()
                self.assertEqual(
                    [{w: str(v) for w, v in one.items()} for one in values],
                    [{w: call[w] for w in some} for call in calls], place)

    def check_all(self, compiler):
        clewtest.needs(compiler)
        for level, version in itertools.product("02", "45"):
            with self.subTest(level=level, version=version):
                self.check(self.build(compiler, f"-O{level}", "-g",
                                      f"-gdwarf-{version}"))

    def test_variables_of_gcc_programs_are_read(self):
        self.check_all("gcc")

    def test_variables_of_clang_programs_are_read(self):
        self.check_all("clang")

    def test_variables_at_fixed_addresses_are_read(self):
        self.check(self.build("gcc", "-O2", "-g", "-no-pie"))

    def test_variables_with_type_units_are_read(self):
        for compiler, version in itertools.product(("gcc", "clang"), "45"):
            clewtest.needs(compiler)
            with self.subTest(compiler=compiler, version=version):
                program = self.build(compiler, "-O2", "-g",
                                     f"-gdwarf-{version}",
                                     "-fdebug-types-section")
                self.check(program)
                self.check_elsewhere(program)

    def check_elsewhere(self, program):
        events, _ = self.probed(
            program, "--probe=handle", "--action",
            "record req->other->number, req->other->self->self->number")
        [[*values]] = events.values()
        self.assertEqual(values, 3 * [
            {"req->other->number": 4242,
             "req->other->self->self->number": 4242}])

    def test_variables_of_another_unit_are_read(self):
        self.check_elsewhere(self.build("gcc", "-O2", "-g"))

    def test_variables_of_a_separate_debug_file_are_read(self):
        clewtest.needs("objcopy")
        for link in (False, True):
            with self.subTest(link=link):
                program = self.build("gcc", "-O2", "-g", "-gz=zlib")
                debug = self.work / "variables.debug"
                for command in (
                        ["objcopy", "--only-keep-debug", program, debug],
                        ["objcopy", "--strip-debug", program],
                        ["objcopy", f"--add-gnu-debuglink={debug}", program]):
                    done = self.run_program(command)
                    self.assertEqual(done.returncode, 0)
                self.check(program)
                debug.unlink()
                self.refused(program, "handle", "record req->uri",
                             "it has no debug information")

    def test_conditions_and_regions_use_variables(self):
        program = self.build("gcc", "-O2", "-g")
        events, _ = self.probed(
            program, "--probe=handle",
            "--action=if req->tree->left->key == 11 && length >= 0 && "
            'word == "a word"',
            "--action=record length/x, req->tree->text/s3, req->uri + 1/s",
            "--action=begin handling req->length",
            "--probe=handle%return", "--action=end handling")
        [*values] = events["p1:"]
        self.assertEqual(values, [
            {"length": i, "req->tree->text": "ins", "req->uri + 1": "index"}
            for i in range(2)])
        report = self.clew_json("report", "--json", self.recording_path)
        [first, _] = report["probes"]
        self.assertEqual(first["actions"][0],
                         "if req->tree->left->key == 11 && length >= 0 && "
                         'word == "a word"')
        self.assertEqual(first["actions"][2], "begin handling req->length")
        self.assertEqual(first["hits"], 2)


class Cxx(Case):
    def check(self, compiler, level, version):
        program = self.build(compiler, f"-O{level}", "-g",
                             f"-gdwarf-{version}",
                             sources=[HERE / "variables_cxx.cc"])
        words = {"number_": 1, "this->number_": 1, "other.number_": 20,
                 "arg2->number_": 20, "other.label": "second",
                 "this->next_->label": "second", "next_->second": 60,
                 "tag": 2, "second": 3, "kind_": 3, "factor": 7, "stock": 41,
                 "&other == next_": 1, "arg3": 7}
        events, _ = self.probed(program, "--probe", WEIGH, "--action",
                                "record " + ", ".join(words))
        self.assertEqual([*events.values()], [[words]])

    def test_own_and_inherited_members_are_read(self):
        for compiler in ("g++", "clang++"):
            clewtest.needs(compiler)
            for level, version in itertools.product("02", "45"):
                with self.subTest(compiler=compiler, level=level,
                                  version=version):
                    self.check(compiler, level, version)


class Refusals(Case):
    def test_refused_variables_have_a_reason(self):
        program = self.build("gcc", "-O2", "-g")
        for action, *words in (
                ("record req->nothing", "has no such member", '"nothing"'),
                ("record nobody", "no variable of that name"),
                ("record length->x", "not a pointer to a struct"),
                ("record req->tree->weight", "floating-point values"),
                ("record *req", "struct request is a struct"),
                ("record req.uri", "is not a struct"),
                ("record &length", "the value has no address"),
                ("record req->uri +", "a value is missing"),
                ("if req->uri == 'ab", "closing quote is missing")):
            with self.subTest(action=action):
                self.refused(program, "handle", action, action, *words)
        self.refused(program, "middle", "record next->name",
                     "it is optimized out at this address")
        self.refused(program, "many", "record scale", "it is in a register that is not")
        self.refused(program, "/no/library.so:handle", "record req->uri",
                     "give the path")

    def test_variables_without_debug_information_are_refused(self):
        program = self.build("gcc", "-O2")
        self.refused(program, "handle", "record req->uri",
                     "this name is unknown here",
                     "it has no debug information")
        events, _ = self.probed(program, "--probe=handle", "--action",
                                "record *(char **)arg1, (int)arg2")
        self.assertEqual(events["p1:"][0],
                         {"*(char **)arg1": "/index", "(int)arg2": -1})

    def test_variables_in_split_dwarf_are_refused(self):
        for version in "45":
            program = self.build("gcc", "-O2", "-g", "-gsplit-dwarf",
                                 f"-gdwarf-{version}")
            self.refused(program, "handle", "record req->uri", "in a .dwo file")

    def test_variables_in_dwz_files_are_read_or_refused(self):
        """Either the values are recorded, or the message names the file that is not read."""
        clewtest.needs("dwz")
        program = self.build("gcc", "-O2", "-g", "-gdwarf-4")
        other = self.work / "other"
        alternate = self.work / "alternate"
        other.write_bytes(program.read_bytes())
        done = self.run_program(["dwz", "-m", alternate, program, other],
                                text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        if not alternate.exists():
            self.skipTest("dwz has made no alternate file")
        self.refused(program, "handle", "record req->other->number",
                     "(dwz), which clew does not read")

    def test_variables_before_the_frame_is_ready_are_refused(self):
        clewtest.needs("clang")
        for compiler in "gcc", "clang":
            program = self.build(compiler, "-O0", "-g")
            # This address is after the push, before the arguments are stored.
            self.refused(program, "handle+1", "record req->uri",
                         "it is not yet at its final location"
                         if compiler == "gcc" else "")

    def test_variables_at_differing_exits_are_refused(self):
        source = self.work / "exits.c"
        source.write_text("""
int exits(int a, int *b) {
    if (a == 1) return 1;
    int sum = 0;
    for (int i = 0; i < a; i++) sum += b[i] ^ a;
    return sum;
}
int main(int c, char **v) { int b[9] = { c }; return exits(c + 2, b) & 0; }
""")
        program = self.build("gcc", "-O0", "-g", sources=[source])
        events, _ = self.probed(program, "--probe=exits%return",
                                "--action=record ret, sum, a")
        self.assertEqual(events["p1:"], [{"ret": 8, "sum": 8, "a": 3}])


CRASHES = """
#include <stdlib.h>
int dwarf_object_init_b(void)
{
    char *volatile twice = malloc(8);
    free(twice);
    free(twice); /* libc prints a message of its own, and aborts */
    return 0;
}
"""


class Crashes(Case):
    """libdwarf frees memory twice for some damaged files."""

    def setUp(self):
        super().setUp()
        self.program = self.build("gcc", "-O2", "-g")
        self.record([self.program])
        library = self.work / "crashes.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o",
                        library], input=CRASHES, text=True, check=True)
        self.environment["LD_PRELOAD"] = str(library)

    def assert_one_line(self, done, status=1):
        self.assertEqual((done.returncode, done.stdout), (status, ""),
                         done.stderr)
        [line] = done.stderr.splitlines()
        self.assertIn("debug information: the worker process crashed (Aborted)", line)

    @clewtest.unless_sanitized
    def test_crash_of_libdwarf_prints_one_line(self):
        before = sorted(self.recording_path.glob("*.part"))
        self.assert_one_line(self.clew("probe", "--vars", "main", self.program))
        self.assert_one_line(self.clew(
            "record", "-o", self.recording_path, "--args=main", "--",
            self.program))
        self.assertEqual(sorted(self.recording_path.glob("*.part")), before)

    @clewtest.unless_sanitized
    def test_a_running_program_is_recorded_without_the_values(self):
        source = self.work / "waits.c"
        source.write_text("#include <stdio.h>\n"
                          "int main(void) { return getchar(); }\n")
        program = self.build("gcc", "-g", sources=[source])
        process = subprocess.Popen([program], stdin=subprocess.PIPE)
        self.addCleanup(process.communicate)
        done = self.clew("attach", "-q", "--for", "1ms", "-o",
                         self.work / "other", "--args=main", process.pid)
        self.assert_one_line(done, status=2)
        self.assertIsNone(process.poll())
        self.assertEqual(len(list((self.work / "other").glob("*.part"))), 1)


class Listing(Case):
    def test_types_and_locations_of_variables_are_listed(self):
        program = self.build("gcc", "-O2", "-g")
        self.assertEqual(self.vars(program, "handle"), {
            "req": ["const request_t *", "$rdi", "(arg1)"],
            "length": ["int", "$rsi", "(arg2)"],
            "flag": ["unsigned char", "$rdx", "(arg3)"],
            "word": ["const char *", "$rcx", "(arg4)"]})
        many = self.vars(program, "many")
        self.assertEqual(many["c"], ["long int", "$rsi", "(arg2)"])
        self.assertEqual(many["seventh"], ["int", "at ($rsp+8)"])
        self.assertIn("none: ", many["scale"][1])
        self.assertEqual(self.vars(program, line_of("the middle"))["list"][0],
                         "int[4]")

    def test_listing_of_an_unknown_location_is_refused(self):
        program = self.build("gcc", "-O2", "-g")
        done = self.clew("probe", "--vars", "nowhere", program)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no function nowhere", done.stderr)
        for word in (["--vars=handle", "--sites=handle", program],
                     [program]):
            self.assertEqual(self.clew("probe", *word).returncode, 64)


class Debugger(Case):
    def test_variables_are_where_gdb_finds_them(self):
        clewtest.needs("gdb")
        for compiler, level in itertools.product(("gcc", "clang"), "02"):
            clewtest.needs(compiler)
            with self.subTest(compiler=compiler, level=level):
                self.check(self.build(compiler, f"-O{level}", "-g"))

    def check(self, program):
        words = ["doubled", "list[0]", "node->key", "next->key",
                 "node->left->left->grid[2][1]", "node->bits3",
                 "node->signed5", "node->wide", "global_count",
                 "nodes[1]->key"]
        place = line_of("the middle")
        prints = [o for w in words for o in ("-ex", f"print/d {w}")]
        done = subprocess.run(
            ["gdb", "-nx", "-batch", "-ex", f"break {place}", "-ex", "run",
             *prints, program], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240,
            env={**os.environ, "DEBUGINFOD_URLS": ""}, check=False)
        values = re.findall(r"^\$\d+ = (-?\d+)$", done.stdout, re.M)
        if len(values) != len(words):
            self.skipTest("gdb cannot say: " + done.stderr[-200:])
        events, _ = self.probed(program, "--probe", place, "--action",
                                "record " + ", ".join(words))
        [calls] = events.values()
        self.assertEqual([str(calls[0][w]) for w in words], values)


if __name__ == "__main__":
    clewtest.main()
