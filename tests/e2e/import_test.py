#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew import` writes recordings that contain the profiles of other tools."""
import collections
import csv
import io
import json
import re
import resource
import subprocess

from lib import exports
from lib.clewtest import main, needs
from lib.html_page import Page

PERF = """# a comment
my prog 1 4711/4712 [001] 68807.388432:    1001001 cpu-clock:ppp: 
\t            e3aa _dl_start+0x78a (/usr/lib/ld-linux-x86-64.so.2)
\t           1a34f main+0x7f (/tmp/a (b)/prog (deleted))

my prog 1 4711/4713 [000] 68808.388432:    2000000 cpu-clock:ppp: 
\t            e3b0 _dl_start+0x790 (/usr/lib/ld-linux-x86-64.so.2)
\t           1a34f main+0x7f (/tmp/a (b)/prog (deleted))

other 9 68808.4:      5000 cpu-clock:ppp: 
\tffffffff81000000 do_idle ([kernel.kallsyms])
\tffffffffc0000000 nft_do_chain ([nf_tables])
\t           1de39 operator()(int)+0x1e (inlined)
\t           1de39 main+0x7f (/bin/other)

other 9 68808.5: cpu-clock:ppp:      163967 memcmp+0x27 (/usr/lib/libc.so.6)
"""

CALLGRIND = """# callgrind format
version: 1
cmd: ./prog
positions: line
events: Ir Dr

ob=(1) /usr/bin/prog
fn=(1) main
3 100 20
cob=(2) /lib/libc.so.6
cfn=(2) malloc
calls=3 20
3 300 9
cfn=(3) work
calls=2 9
4 400 1

fn=(3)
fi=(3) inline.h
9 250
fe=(1)
+1 50
cob=(2)
cfn=(2)
calls=1 20
9 100

ob=(2)
fn=(2)
20 400 9
"""


class Imported(exports.Export):
    def imported(self, text, *options, name="input", status=0):
        """Imports a text, and returns the command's output."""
        path = self.work / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(data)
        done = self.clew("import", "-o", self.recording_path, *options, path)
        self.assertEqual(done.returncode, status, done.stderr)
        if status == 0:
            self.assertEqual((done.stdout, done.stderr), ("", ""))
        return done

    def report(self, *options):
        return self.clew_json("report", "--json", "-n", "0", *options,
                              self.recording_path)

    def own(self, *options):
        return {row["name"]: row["self_value"]
                for row in self.report(*options)["functions"]
                if row["self_value"]}

    def stacks(self):
        return exports.unfold(self.export("folded", self.recording_path))


class Folded(Imported):
    def test_imported_stacks_are_those_of_the_file(self):
        made = self.synthetic()
        exported = self.export("folded", made.path, "--metric=calls")
        self.imported(exported)
        self.assertEqual(self.stacks(), made.stacks("calls"))

    def test_suffixes_of_names_become_kinds(self):
        self.imported("a;b_[k] 1\na;c_[j] 2\na;d_[i] 3\na;e_[0] 4\n\n"
                      "# comment\na;f[g] 5\n")
        kinds = {row["name"]: row.get("kind") for row in
                 self.report()["functions"]}
        self.assertEqual(kinds, {"a": None, "b": "kernel", "c": "java",
                                 "d": "inlined", "e": "java", "f[g]": None})
        self.assertEqual(self.own(), {"b": 1, "c": 2, "d": 3, "e": 4,
                                      "f[g]": 5})

    def test_lines_of_the_same_stack_add_up(self):
        self.imported("a;b 1\na;b 2\na 4\n")
        self.assertEqual(self.stacks(), {("a", "b"): 3, ("a",): 4})

    def test_imported_numbers_can_have_a_name_and_a_unit(self):
        self.imported("a;b 4096\n", "--value=allocated", "--unit=bytes")
        self.assertEqual(self.report()["value"], {
            "name": "allocated", "unit": "bytes", "total": 4096,
            "contexts": 1})
        said = self.clew("report", self.recording_path).stdout
        self.assertIn("imported from folded stacks: calls are unknown", said)
        self.assertNotIn("samples", said)

    def test_stacks_are_imported_from_standard_input(self):
        done = self.clew("import", "-o", self.recording_path, "-",
                         input="a;b 7\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.stacks(), {("a", "b"): 7})


class Perf(Imported):
    def test_samples_and_periods_of_perf_are_imported(self):
        self.imported(PERF)
        report = self.report()
        self.assertEqual([(one["name"], one["unit"], one["total"])
                          for one in report["values"]],
                         [("samples", "", 4), ("cpu-clock:ppp", "ns", 3006001)])
        self.assertEqual(report["total"]["processes"], 2)
        self.assertEqual(self.own(),
                         {"_dl_start": 2, "do_idle": 1, "memcmp": 1})
        self.assertEqual(self.own("--value=cpu-clock:ppp"),
                         {"_dl_start": 3001001, "do_idle": 5000})

    def test_one_event_of_perf_is_imported(self):
        text = ("prog 1 1.0: 5 cycles:u: \n\t12 f (x)\n\t13 main (x)\n\n"
                "prog 1 2.0: 7 faults: \n\t12 g (x)\n\t13 main (x)\n\n"
                "prog 1 3.0: 9 faults:  14 h (x)\n"
                "prog 1 4.0: 6 cycles:u: \n\t12 f (x)\n")
        path = self.work / "several"
        path.write_text(text)
        for options, own, value in (
                ([], {"f": 2}, ("cycles:u", 11)),
                (["--event=cycles"], {"f": 2}, ("cycles:u", 11)),
                (["--event=faults"], {"g": 1, "h": 1}, ("faults", 16))):
            with self.subTest(options):
                done = self.clew("import", "-o", self.recording_path, *options,
                                 path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.splitlines(), [] if options else [
                    "clew import: 2 samples of other events than cycles:u "
                    "(faults) were skipped; --event=NAME imports another "
                    "event"])
                self.assertEqual(self.own(), own)
                self.assertEqual([(one["name"], one["total"])
                                  for one in self.report()["values"]],
                                 [("samples", 2), value])
        done = self.clew("import", "-o", self.recording_path, "--event=misses",
                         path)
        self.assert_one_line_error(done, "no sample of event misses; it has "
                                   "cycles:u, faults")

    def test_stacks_of_perf_begin_with_the_outermost_function(self):
        self.imported(PERF)
        self.assertEqual(self.stacks(), {
            ("main", "_dl_start"): 2, ("memcmp",): 1,
            ("main", "operator()(int)", "nft_do_chain", "do_idle"): 1})

    def test_functions_of_perf_have_modules_and_kinds(self):
        self.imported(PERF)
        found = {(row["name"], row.get("module"), row.get("kind"))
                 for row in self.report()["functions"]}
        self.assertEqual(found, {
            ("_dl_start", "/usr/lib/ld-linux-x86-64.so.2", None),
            ("main", "/tmp/a (b)/prog", None), ("main", "/bin/other", None),
            ("do_idle", "kernel", "kernel"),
            ("nft_do_chain", "nf_tables", "kernel"),
            ("operator()(int)", None, "inlined"),
            ("memcmp", "/usr/lib/libc.so.6", None)})

    def test_frames_without_modules_are_read(self):
        self.imported("prog 4 1.0: 5 cycles: \n"
                      "\t    e3aa operator()(int)+0x1e\n"
                      "\t    e3ab (anonymous namespace)::work(int)\n"
                      "\t000000000000e3ac\tinsn: 55 48\n"
                      "\t    e3ad main\n"
                      "  main.c:12\n\n"
                      "   other 5 cycles:  e3b0 work\n")
        self.assertEqual(self.stacks(), {
            ("main", "(anonymous namespace)::work(int)", "operator()(int)"): 1,
            ("work",): 1})

    def test_threads_named_like_addresses_begin_samples(self):
        self.imported("".join(
            f"              dd  {pid} 1.5: 5 cycles:  e3b0 {name} (/bin/dd)\n"
            for pid, name in [(7, "read"), (8, "write")]))
        self.assertEqual(self.own("--process=7"), {"read": 1})
        self.assertEqual(self.own("--process=8"), {"write": 1})

    def test_records_of_perf_that_are_no_samples_are_skipped(self):
        records = """\
swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xf(0x1) @ 0xf]: x [k]_text
perf-exec     0/0         0.000000: PERF_RECORD_COMM: perf-exec:15309/15309
my prog 15309 [001] 20851.785959: PERF_RECORD_COMM exec: forks:15309/15309
forks 15309 PERF_RECORD_FORK(15320:15320):(15309:15309)
"""
        self.imported(records + PERF + records)
        self.assertEqual(self.own(),
                         {"_dl_start": 2, "do_idle": 1, "memcmp": 1})
        self.assertEqual(self.report()["total"]["processes"], 2)

    def test_lost_records_of_perf_are_mentioned(self):
        path = self.work / "input"
        path.write_text("prog 7 1.5: PERF_RECORD_LOST lost 1200\n" + PERF +
                        "prog 7 9.5: PERF_RECORD_LOST_SAMPLES lost 34\n")
        done = self.clew("import", "-o", self.recording_path, path)
        self.assertEqual((done.returncode, done.stderr), (
            0, "clew import: warning: perf lost 1,234 records, so samples are "
               "missing\n"))

    def test_imported_processes_can_be_selected(self):
        self.imported(PERF)
        self.assertEqual(self.own("--process=9"),
                         {"do_idle": 1, "memcmp": 1})


class Callgrind(Imported):
    def test_calls_and_costs_of_callgrind_are_imported(self):
        self.imported(CALLGRIND)
        rows = {row["name"]: (row["calls"], row["self_value"],
                              row["total_value"])
                for row in self.report()["functions"]}
        self.assertEqual(rows, {"main": (0, 100, 800), "work": (2, 300, 400),
                                "malloc": (4, 400, 400)})
        self.assertEqual(self.own("--value=Dr"), {"main": 20, "malloc": 9})

    def pairs(self):
        """Returns {(caller, callee): calls} of the recording's contexts."""
        text = self.export("csv-contexts", self.recording_path).decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        names = {row["context"]: row["function"] for row in rows}
        found = collections.Counter()
        for row in rows:
            found[names.get(row["parent"]), row["function"]] += \
                int(row["calls"])
        return +found

    def test_calls_of_each_pair_are_imported(self):
        self.imported(CALLGRIND)
        self.assertEqual(self.pairs(), {
            ("main", "malloc"): 3, ("main", "work"): 2, ("work", "malloc"): 1})

    @needs("valgrind")
    def test_an_import_of_valgrind_has_the_same_sums(self):
        """Compares with a second parser: sums of functions and pairs."""
        path = self.work / "callgrind.out"
        subprocess.run(["valgrind", "--tool=callgrind",
                        f"--callgrind-out-file={path}", "--compress-strings=no",
                        "/bin/ls", "/"], check=True, capture_output=True)
        own, calls, costs_line = collections.Counter(), \
            collections.Counter(), None
        function = callee = None
        for line in path.read_text().splitlines():
            if line.startswith("fn="):
                function = line[3:]
            elif line.startswith("cfn="):
                callee = line[4:]
            elif line.startswith("calls="):
                calls[callee] += int(line[6:].split()[0])
                costs_line = True
            elif re.match(r"[\d+*-]", line):
                if not costs_line:
                    own[function] += int((line.split() + ["0"])[1])
                costs_line = False
        self.imported(path.read_bytes())
        found = collections.Counter(), collections.Counter()
        for row in self.report()["functions"]:
            found[0][row["name"]] += row["self_value"]
            found[1][row["name"]] += row["calls"]
        self.assertEqual(+found[0], +own)
        self.assertEqual(+found[1], +calls)

    def test_the_callgrind_export_of_clew_can_be_imported(self):
        made = self.synthetic(samples=0)
        path = self.export_file("callgrind", made.path)
        self.imported(path.read_bytes())
        found = {row["name"]: row["calls"] for row in
                 self.report()["functions"] if row["calls"]}
        found.pop("(all)", None)
        wanted = made.own("calls")
        self.assertEqual(found, wanted)

    def test_a_round_trip_adds_no_calls_to_the_kernel(self):
        """Time of code without calls, as of the kernel, has no calls."""
        self.imported("events: Ir\nfn=main\n1 5\ncfn=(kernel)\n# no calls\n"
                      "calls=1 0\n1 9\ncfn=work\ncalls=3 1\n1 7\nfn=(kernel)\n"
                      "1 9\nfn=work\n1 7\n")
        rows = {row["name"]: (row["calls"], row["self_value"])
                for row in self.report()["functions"]}
        self.assertEqual(rows, {"main": (0, 5), "(kernel)": (0, 9),
                                "work": (3, 7)})
        path = self.export_file("callgrind", self.recording_path)
        self.assertIn("# no calls\ncalls=1 0\n", path.read_text())
        self.recording_path = self.work / "again.out"
        self.imported(path.read_bytes())
        found = {row["name"]: row["calls"]
                 for row in self.report()["functions"]}
        found.pop("(all)", None)
        self.assertEqual(found, {"main": 0, "(kernel)": 0, "work": 3})

    def test_inclusive_costs_follow_the_file(self):
        """Numbers of calls do not matter if the file has costs."""
        self.imported("events: Ir\nfn=main\ncfn=a\ncalls=1 1\n1 101\ncfn=b\n"
                      "calls=1 1\n1 101\nfn=a\n1 50\ncfn=leaf\n"
                      "calls=50000 1\n1 51\nfn=b\n1 50\ncfn=leaf\ncalls=1 1\n"
                      "1 51\nfn=leaf\n1 102\n")
        totals = {row["name"]: row["total_value"]
                  for row in self.report()["functions"]}
        self.assertEqual(totals, {"main": 202, "a": 101, "b": 101,
                                  "leaf": 102})

    def test_files_of_cachegrind_have_no_calls(self):
        self.imported("desc: I1 cache: 32768 B, 64 B, 8-way associative\n"
                      "cmd: ./prog\nevents: Ir I1mr\nfl=a.c\nfn=main\n"
                      "1 10 1\n2 20 0\nfn=work\n5 300 2\nsummary: 330 3\n")
        self.assertEqual(self.own(), {"main": 30, "work": 300})
        self.assertFalse(self.report()["imported"]["calls"])

    def test_parts_of_one_file_are_added(self):
        header = "events: Ir\nthread: 1\npart: 1\n\n"
        self.imported(f"version: 1\n{header}fn=(1) main\n1 10\n"
                      "cfn=(2) work\ncalls=1 5\n1 7\nfn=(2)\n5 7\n"
                      f"totals: 17\n\n{header}fn=(1)\n1 5\n"
                      "cfn=(2)\ncalls=2 5\n1 9\nfn=(2)\n+1 9\n")
        rows = {row["name"]: (row["calls"], row["self_value"])
                for row in self.report()["functions"]}
        self.assertEqual(rows, {"main": (0, 15), "work": (3, 16)})

    def test_recursive_calls_keep_their_sums(self):
        self.imported("events: Ir\nfn=a\n1 10\ncfn=b\ncalls=5 1\n1 90\n"
                      "fn=b\n1 20\ncfn=a\ncalls=4 1\n1 70\ncfn=b\n"
                      "calls=7 1\n1 60\n")
        rows = {row["name"]: (row["calls"], row["self_value"])
                for row in self.report()["functions"]}
        self.assertEqual(rows, {"a": (4, 10), "b": (12, 20)})


class Views(Imported):
    SAYS = "the numbers are samples; calls are unknown"

    def test_each_view_names_the_imported_numbers(self):
        self.imported(PERF)
        for command in ["report"], ["tree"]:
            said = self.clew(*command, self.recording_path).stdout
            self.assertIn(f"imported from perf script: {self.SAYS}\n", said)
            self.assertNotIn("checked against the stack", said)
        report = self.report()
        self.assertEqual(report["imported"], {
            "from": "perf script", "calls": False, "samples": True,
            "estimated_contexts": False})
        self.assertEqual(report["problems"], [
            f"imported from perf script ({self.work / 'input'}): {self.SAYS}"])
        part = next(self.recording_path.glob("4711.*.part"))
        said = self.clew("dump", part).stdout
        self.assertRegex(said, r"(?m)^import format=0 calls=0 estimated=0 "
                               r"samples=1 file=.*input$")
        self.assertRegex(said, r"(?m)^imported_name number=\d+ kind=0 "
                               r"module_bytes=15 text=/tmp/a \(b\)/progmain$")

    def test_callers_and_callees_have_the_imported_numbers(self):
        self.imported("a;b;c 1000\na;b 24\n", "--format=folded")
        said = self.clew("report", "-B", "b", self.recording_path).stdout
        self.assertEqual(said.partition("\n\n")[0].split("\n"), [
            "          total   share           calls  callers, the function, "
            "callees",
            "          1,024 100.00%               -      a",
            "          1,024 100.00%               -  b  (self: 24)",
            "          1,000  97.66%               -      c"])
        wings = self.clew_json("report", "--json", "-B", "b",
                               self.recording_path)
        self.assertEqual((wings["self"]["value"], wings["total_value"]),
                         (24, 1024))
        self.assertEqual([(row["name"], row["value"])
                          for row in wings["callers"] + wings["callees"]],
                         [("a", 1024), ("c", 1000)])
        self.assertNotIn("ns", wings["self"])

    def test_the_list_says_that_nothing_was_hooked(self):
        self.imported(PERF)
        said = self.clew("list", self.recording_path).stdout
        self.assertIn("kernel: not hooked: imported from another tool\n", said)
        self.assertIn(f"imported from perf script ({self.work / 'input'}): "
                      f"{self.SAYS}\n", said)
        self.assertNotIn("not analysed", said)

    def test_the_report_names_the_exact_numbers_of_callgrind(self):
        self.imported(CALLGRIND)
        said = " ".join(self.clew("report",
                                  self.recording_path).stdout.split())
        self.assertIn("6 calls in", said)
        self.assertIn("calls and own costs are exact for each function, and "
                      "calls for each pair of caller and callee; longer "
                      "contexts are estimated", said)

    def test_the_page_names_the_imported_numbers(self):
        self.imported(PERF)
        page = self.work / "page.html"
        done = self.clew("html", "-o", page, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        meta = Page(page.read_text(encoding="utf-8")).meta
        self.assertEqual(meta["imported"]["from"], "perf script")
        (note,) = meta["expected"]
        self.assertIn(self.SAYS, note)

    def test_two_imports_can_be_compared(self):
        self.imported("a;b 10\na;c 5\n")
        before = self.recording_path
        self.recording_path = self.work / "after.out"
        self.imported("a;b 30\na;c 5\n")
        rows = self.clew_json("diff", "--json", before,
                              self.recording_path)["functions"]
        (row,) = (one for one in rows if one["name"] == "b")
        self.assertEqual((row["before"]["self_value"],
                          row["after"]["self_value"]), (10, 30))

    def test_different_measures_are_not_compared(self):
        self.imported("a;b 10\n")
        before = self.recording_path
        self.recording_path = self.work / "after.out"
        self.imported(CALLGRIND)
        done = self.clew("diff", before, self.recording_path)
        self.assert_one_line_error(done)
        self.assertIn("has samples, and", done.stderr)

    def test_two_imports_can_be_merged(self):
        self.imported("a;b 10\n")
        first = self.recording_path
        self.recording_path = self.work / "second.out"
        self.imported("a;b 1\na 2\n")
        whole = self.work / "whole.out"
        done = self.clew("merge", "-o", whole, first, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.recording_path = whole
        self.assertEqual(self.stacks(), {("a", "b"): 11, ("a",): 2})

    def test_a_merge_with_a_recording_keeps_time_apart(self):
        made = self.synthetic(contexts=50)
        self.imported("a;b 10\n")
        whole = self.work / "whole.out"
        done = self.clew("merge", "-o", whole, made.path, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.recording_path = whole
        self.assertNotIn("value", self.report())
        self.assertEqual(self.report()["total"]["time_ns"], made.total("ns"))
        self.assertEqual(self.own("--value=samples"), {"b": 10})

    def test_formats_without_values_are_refused(self):
        self.imported("a;b 10\n")
        for name in "perfetto", "baseline":
            done = self.clew("export", "-F", name, "-o", self.work / "x",
                             self.recording_path)
            self.assert_one_line_error(done)
            self.assertIn(f"--format={name} cannot contain samples",
                          done.stderr)


class Judged(Imported):
    """`clew diff --fail-if` of two imports."""

    def import_both(self, *texts):
        paths = []
        for i, text in enumerate(texts):
            self.recording_path = self.work / f"{i}.out"
            self.imported(text)
            paths.append(self.recording_path)
        return paths

    def judge(self, condition, paths, *options):
        return self.clew("diff", f"--fail-if={condition}", *options, *paths)

    def assert_refused(self, done, condition, why):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr,
                         f"clew diff: --fail-if='{condition}': {why}\n")

    def sampled(self, before, after):
        """Imports profiles with this number of samples of work()."""
        return self.import_both(*(
            "".join(f"prog 1 {i + 1}.5: 1000 cpu-clock: \n"
                    "\t12 work (/bin/prog)\n\t34 main (/bin/prog)\n\n"
                    for i in range(samples)) for samples in (before, after)))

    def test_unknown_calls_are_not_judged(self):
        paths = self.sampled(2, 5)
        for condition in "calls(work)>0", "calls(*)>0", "calls>0":
            self.assert_refused(
                self.judge(condition, paths), condition,
                "calls are unknown in the first recording, because it was "
                "imported; use self or total")

    def test_calls_of_callgrind_are_judged(self):
        paths = self.import_both(CALLGRIND, CALLGRIND.replace(
            "calls=2 9", "calls=3 9"))
        done = self.judge("calls(work)>0", paths)
        self.assertEqual((done.returncode, done.stdout),
                         (2, "failed: calls(work)>0: 2 before, 3 after "
                             "(+50.0%)\n"))

    def test_few_imported_samples_decide_nothing(self):
        paths = self.sampled(2, 5)
        for options in [], ["--value=cpu-clock"]:
            done = self.judge("self(work)>0%", paths, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"\Aundecided: self\(work\)>0%: ")
            rows = self.clew_json("diff", "--json", *options,
                                  *paths)["functions"]
            self.assertEqual({row["significant"] for row in rows}, {False})
        said = self.clew("diff", *paths).stdout
        self.assertIn("may be random, because values are sampled", said)

    def test_many_imported_samples_decide(self):
        paths = self.sampled(20, 80)
        for options in [], ["--value=cpu-clock"]:
            for condition, status in ("self(work)>0%", 2), ("total<0", 0):
                done = self.judge(condition, paths, *options)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertNotIn("undecided", done.stdout)

    def test_costs_of_callgrind_are_exact(self):
        paths = self.import_both(CALLGRIND, CALLGRIND.replace("9 250",
                                                              "9 251"))
        done = self.judge("self(work)>0", paths)
        self.assertEqual((done.returncode, done.stdout),
                         (2, "failed: self(work)>0: 300 before, 301 after "
                             "(+0.3%)\n"))
        self.assertEqual(self.judge("self(work)!=1", paths).returncode, 0)

    def test_limits_have_the_unit_of_the_value(self):
        paths = self.sampled(20, 80)
        self.assertEqual(self.judge("self(work)>5", paths).returncode, 2)
        self.assert_refused(
            self.judge("self(work)>5ns", paths), "self(work)>5ns",
            "samples is no time; use a number without a unit")
        self.assertEqual(self.judge("self(work)>5us", paths,
                                    "--value=cpu-clock").returncode, 2)
        self.assert_refused(
            self.judge("self(work)!=5", paths), "self(work)!=5",
            "times and samples are never equal; use > or <")

    def test_unknown_calls_are_null_in_comparisons(self):
        self.imported("a;b 10\n")
        before = self.recording_path
        self.recording_path = self.work / "after.out"
        self.imported("a;b 12\n")
        done = self.clew("diff", "--json", before, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in json.loads(done.stdout)["functions"]}
        for side, value in ("before", 10), ("after", 12):
            self.assertIsNone(rows["b"][side]["calls"])
            self.assertEqual(rows["b"][side]["self_value"], value)

    def test_comparisons_say_that_calls_are_unknown(self):
        paths = self.sampled(2, 5)
        said = self.clew("diff", *paths).stdout
        self.assertIn("\ntotal: calls are unknown; samples: 2 before, 5 after"
                      "\n", said)
        said = self.clew("diff", "--markdown", *paths).stdout
        self.assertIn("| <code>work</code> | <code>prog</code> | 2 | 5 | "
                      "+150.0% | may be chance | - | - |\n", said)


class Refused(Imported):
    def refused(self, text, *options):
        done = self.imported(text, *options, status=1)
        self.assert_one_line_error(done)
        self.assertFalse(self.recording_path.exists())
        return done.stderr

    def test_malformed_files_are_refused_with_their_line(self):
        for text, reason in (
                ("", "line 1: is of no known format"),
                ("# only\n", "line 2: is of no known format"),
                ("nonsense\n", "line 1: is of no known format"),
                ("a;b 1\nc\n", "line 2: is no folded stack"),
                ("a;b 3.5\n", "line 1: has a fraction"),
                ("a;b 1\nc .5\n", "multiply all numbers"),
                (b"a;b 1\n\0\n", "line 2: has a NUL byte"),
                ("prog 1 2.5: cycles: \n\t12 f (x)\n\nnonsense here\n",
                 "line 4: is no sample of perf script"),
                ("events: Ir\nfn=a\n1 x\n", "line 3: has a malformed cost"),
                ("events: Ir\nfn=a\n1 1.5\n",
                 "line 3: has a malformed cost"),
                ("events: Ir\nfn=a\ncfn=b\ncalls=1 2\n1 1.5\n",
                 "line 5: has a malformed cost"),
                ("events: Ir\nfn=a\ncfn=b\ncalls=1.5 2\n",
                 "line 4: has a malformed number of calls"),
                ("events: Ir\n1 2\n", "line 2: has a cost before the first"),
                ("version: 1\nfn=a\n1 2\n",
                 "line 3: has a cost before events:"),
                ("events: Ir\nfn=(3)\n",
                 "line 2: uses a name that was not defined"),
                ("events: Ir\nfn=a\ncalls=1 2\n", "line 3: has calls= before"),
                ("events: Ir\nnonsense\n",
                 "line 2: is no line of callgrind.out"),
                ("events: Ir\n", "no stack or cost in the file"),
                ("events: " + " ".join(f"e{i}" for i in range(33)) + "\n",
                 "line 1: has more than 32 events")):
            with self.subTest(text=text):
                self.assertIn(reason, self.refused(text))

    def test_an_endless_line_is_refused(self):
        self.assertIn("line 1: is longer than 16777216 bytes",
                      self.refused(b"a" * (1 << 24) + b"b 1\n"))

    def test_sums_beyond_63_bits_are_refused(self):
        for text in ("a 9223372036854775807\n",
                     "a 99999999999999999999999\n",
                     "".join(f"f{i} {1 << 61}\n" for i in range(4))):
            self.assertIn("the sum of 'samples' is too large",
                          self.refused(text))

    def test_a_line_of_brackets_is_refused(self):
        self.assertIn("line 1: is of no known format",
                      self.refused("a" + " 1 [" * (1 << 21) + "\n"))

    def test_too_many_processes_are_refused(self):
        self.assertIn("line 16385: has too many frames, contexts or processes",
                      self.refused("".join(
                          f"prog {pid} 1.0: 5 cycles:  12 f (/bin/prog)\n"
                          for pid in range(1, 1 << 15))))

    def test_an_endless_stack_is_refused(self):
        self.assertIn("line 1: has too many frames",
                      self.refused("a;" * 70000 + "b 1\n"))

    def test_a_wrong_format_is_refused(self):
        self.assertIn("line 1: is no sample of perf script",
                      self.refused("a;b 1\n", "--format=perf"))

    def test_wrong_options_of_import_are_refused(self):
        for options, reason in (
                ([], "no file is given"), (["a", "b"], "one file is imported"),
                (["--format=gprof", "a"], "gprof"),
                (["--unit=bytes", "a"], "--unit needs --value"),
                (["--value=x", "--format=perf", "a"],
                 "--value needs --format=folded")):
            done = self.clew("import", *options)
            self.assertEqual(done.returncode, 64)
            self.assertIn(reason, done.stderr)
        self.assertIn("--value is for folded stacks only",
                      self.refused(PERF, "--value=x"))
        done = self.clew("import", self.work / "missing")
        self.assert_one_line_error(done)
        self.assertIn("missing: No such file", done.stderr)

    def test_a_full_disk_keeps_the_earlier_recording(self):
        self.imported("a;b 10\n")
        path = self.work / "large"
        path.write_text("".join(f"a;f{i} 1\n" for i in range(5000)))
        done = self.clew("import", "-o", self.recording_path, path,
                         preexec_fn=lambda: resource.setrlimit(
                             resource.RLIMIT_FSIZE, (65536, 65536)))
        self.assert_one_line_error(done)
        self.assertEqual(self.stacks(), {("a", "b"): 10})


if __name__ == "__main__":
    main()
