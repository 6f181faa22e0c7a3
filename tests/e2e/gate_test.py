#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew diff --fail-if` judges changes, also against a committed baseline."""
import subprocess
import sys
import xml.etree.ElementTree as xml

from lib import clewtest
from lib.clewtest import target

PROGRAM = r"""
#define NOINLINE __attribute__((noinline, noclone))
volatile int sink;
PADDING
NOINLINE static int step(int n) { sink++; return n; }
NOINLINE void work(int n) { while (n-- > 0) step(n); sink++; }
NOINLINE void rest(void) { sink++; }
int second(void);
int main(void) { work(CALLS); rest(); second(); return 0; }
"""
# Another static function with the same name.
SECOND = r"""
extern volatile int sink;
__attribute__((noinline, noclone)) static int step(int n) { return sink += n; }
int second(void) { return step(1) + step(2) + step(3); }
"""
FAILED = 2
TIME = 416  # offset of the kind of time in a header: wire/recording.h
BUSY = "print(flush=True)\nwhile True: pass"


class Gate(clewtest.Case):
    def build(self, name, calls, padding="", *flags):
        folder = self.work / name
        folder.mkdir()
        text = PROGRAM.replace("PADDING", padding).replace("CALLS", str(calls))
        (folder / "first.c").write_text(text, encoding="utf-8")
        (folder / "second.c").write_text(SECOND, encoding="utf-8")
        done = self.run_program(
            ["cc", "-O1", *flags, folder / "first.c", folder / "second.c",
             "-o", folder / "program"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder / "program"

    def record_as(self, name, program, *options):
        self.recording_path = self.work / f"{name}.rec"
        done = self.record([program], ["-m", "*program", "--time=none",
                                       *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.recording_path

    def baseline(self, recording, *options):
        path = self.work / f"{recording.stem}.clew"
        done = self.clew("export", "-F", "baseline", "-m", "program", "-o",
                         path, *options, recording)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return path

    def judge(self, conditions, before, after, *options):
        return self.clew("diff", "-m", "program",
                         *(f"--fail-if={text}" for text in conditions),
                         *options, before, after)

    def recordings(self):
        return [self.record_as("before", self.build("a", 100)),
                self.record_as("after", self.build(
                    "b", 150, "void pad(void) { sink += sink * sink; }"))]

    def test_a_failed_condition_has_a_line_and_status_2(self):
        before, after = self.recordings()
        done = self.judge(["calls(*)>0", "calls(work)>0%", "calls(step)>47%"],
                          before, after)
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(
            done.stdout,
            "failed: calls(*)>0: step: 103 before, 153 after (+48.5%)\n"
            "failed: calls(step)>47%: 103 before, 153 after (+48.5%)\n")
        done = self.judge(["calls(*)<0", "calls(step)>50"], before, after)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "passed: 2 conditions\n", ""))

    def test_two_functions_of_one_name_are_one_in_two_builds(self):
        before, after = self.recordings()
        rows = self.clew_json("diff", "--json", "-f", "^step$", before,
                              after)["functions"]
        self.assertEqual([(row["before"]["calls"], row["after"]["calls"])
                          for row in rows], [(103, 153)])

    def test_wrong_syntax_is_refused_before_any_work(self):
        done = self.judge(["calls(f)>>1"], "nowhere", "nowhere")
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertTrue(done.stderr.startswith(
            "clew diff: --fail-if='calls(f)>>1': character 10: expected a "
            "number\n"), done.stderr)

    def test_a_condition_that_cannot_be_judged_has_another_status(self):
        before, after = self.recordings()
        for condition, why in (
                ("calls(wrok)>0", "neither recording has a function wrok; did "
                                  "you mean work?"),
                ("calls(^wor|^ste)>0", "several functions match ^wor|^ste, for "
                                       "example step and work"),
                ("self(work)>5", "a time needs a unit: ns, us, ms, s or %"),
                ("self(work)!=0%", "times and samples are never equal; use > "
                                   "or <"),
                ("self(work)>5%", "the first recording has no time of "
                                  "functions; record with --time=cpu, or "
                                  "compare calls")):
            done = self.judge([condition], before, after)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, "clew diff: --fail-if="
                             f"'{condition}': {why}\n")

    def test_filters_do_not_hide_a_function_from_its_condition(self):
        before, after = self.recordings()
        done = self.judge(["calls(work)>0"], before, after, "--collapse=work")
        self.assertEqual((done.returncode, done.stdout), (
            FAILED, "failed: calls(work)>0: 101 before, 151 after (+49.5%)\n"))
        for options, condition in (
                (["--ignore=^step$"], "calls(step)>0"),
                (["--collapse=main"], "calls(work)>0"),
                (["--focus=second"], "calls(work)>0"),
                (["--fold=module:program"], "calls(work)>0")):
            done = self.judge([condition], before, after, *options)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(
                done.stderr, f"clew diff: --fail-if='{condition}': --focus, "
                "--ignore, --collapse and --fold leave no context of "
                f"{condition[6:10]}\n")
        done = self.judge(["calls(work)>0"], before, after, "--ignore=rest")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_function_without_calls_passes_with_a_filter(self):
        before, after = (self.record_as(name, self.build(
            name, 3, "void unused(void) { sink++; }")) for name in "ab")
        done = self.judge(["calls(unused)>0"], before, after, "--ignore=rest")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_baseline_replaces_a_recording_on_either_side(self):
        before, after = self.recordings()
        stored = [self.baseline(before), self.baseline(after)]
        for first in (before, stored[0]):
            self.assertEqual(
                self.judge(["calls(*)!=0"], first, stored[0]).returncode, 0)
            for second in (after, stored[1]):
                done = self.judge(["calls(*)!=0"], first, second)
                self.assertEqual(done.returncode, FAILED, done.stderr)
                self.assertIn(" step: 103 before, 153 after", done.stdout)
        text = self.clew("diff", "--sort=calls", "-m", "program", stored[0],
                         stored[1]).stdout
        self.assertRegex(text, r"\n +103 +153 +\+50 +\+48\.5%  +step ")

    def test_a_baseline_may_have_line_ends_and_the_mark_of_windows(self):
        before, _ = self.recordings()
        stored = self.baseline(before)
        data = stored.read_bytes().replace(b"\n", b"\r\n")
        for mark in b"", b"\xef\xbb\xbf":
            stored.write_bytes(mark + data)
            done = self.judge(["calls(*)!=0"], stored, before)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, "passed: 1 condition\n", ""))

    def test_a_baseline_is_sorted_and_has_no_address(self):
        before, _ = self.recordings()
        self.assertEqual(
            self.baseline(before).read_text(encoding="utf-8"),
            "clew baseline 1\nmodule\tprogram\n1\tmain\n1\trest\n1\tsecond\n"
            "103\tstep\n1\twork\n")

    def test_overwritten_packets_are_no_number_of_calls(self):
        self.record([target("recursion")], ["--trace=ring:128K"])
        self.assertRegex(self.details(self.recording_path),
                         r"missing: older calls \(([2-9]|\d\d+) packets overwritten")
        done = self.clew("export", "-F", "baseline", self.recording_path)
        self.assertIn("\nmissing\t1\n", done.stdout)

    def test_functions_without_names_match_in_one_build(self):
        program = self.build("a", 100, "", "-s", "-Wl,--build-id")
        stored = self.baseline(self.record_as("before", program))
        lines = stored.read_text(encoding="utf-8").splitlines()
        self.assertRegex(lines[1], r"^module\tprogram\t[0-9a-f]{40}$")
        self.assertRegex(lines[-1], r"^\d+\t\+0x[0-9a-f]+$")
        again = self.record_as("again", program)
        for pair in ((stored, again), (again, stored)):
            self.assertEqual(self.judge(["calls(*)!=0"], *pair).stdout,
                             "passed: 1 condition\n")
        other = self.record_as("other", self.build(
            "b", 101, "int pad;", "-s", "-Wl,--build-id"))
        done = self.judge(["calls(*)>0"], stored, other)
        self.assertEqual(done.returncode, FAILED)

    def test_a_baseline_is_refused_where_contexts_are_needed(self):
        before, _ = self.recordings()
        stored = self.baseline(before)
        for arguments, why in (
                (["diff", "--tree", stored, before],
                 "a baseline has no contexts, which --tree needs; compare "
                 "two recordings"),
                (["diff", "-i", before, stored],
                 "a baseline excludes --inlines, --value, --thread and "
                 "--process"),
                (["report", stored], "a baseline, which only clew diff reads")):
            done = self.clew(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr,
                             f"clew {arguments[0]}: {stored}: {why}\n")

    def test_a_damaged_baseline_is_refused_with_its_line(self):
        before, _ = self.recordings()
        stored = self.baseline(before)
        text = stored.read_text(encoding="utf-8")
        stored.write_text(text.replace("\n1\trest", "\n=======\n1\trest"),
                          encoding="utf-8")
        done = self.clew("diff", stored, before)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"clew diff: {stored}:4: not a valid "
                         "baseline: not a function's numbers\n")

    def test_a_recording_with_an_unknown_kind_of_time_is_survived(self):
        recording = self.record_as("timed", self.build("a", 20000000),
                                   "--time=cpu")
        stored = self.baseline(recording)
        text = stored.read_text(encoding="utf-8")
        self.assertIn("\ntime\tcpu\t", text)
        (part,) = recording.glob("*.part")
        damaged = bytearray(part.read_bytes())
        self.assertEqual(damaged[TIME:TIME + 4], b"\1\0\0\0")
        damaged[TIME:TIME + 4] = b"\0\0\0\x7f"
        part.write_bytes(damaged)
        self.assertEqual(self.baseline(recording).read_text(encoding="utf-8"),
                         text.replace("\tcpu\t", "\tunknown\t"))
        done = self.clew("diff", stored, recording)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"clew diff: {stored}:2: not a valid "
                         "baseline: not a kind of time\n")

    def test_the_junit_report_has_a_case_for_each_condition(self):
        before, after = self.recordings()
        path = self.work / "junit.xml"
        conditions = ["calls(work)>0", "calls(step)>0", "calls(*) < -1"]
        done = self.judge(conditions, before, after, f"--junit={path}")
        self.assertEqual(done.returncode, FAILED, done.stderr)
        (suite,) = xml.parse(path).getroot()
        self.assertEqual(
            {key: suite.get(key) for key in ("tests", "failures", "errors",
                                             "skipped")},
            {"tests": "3", "failures": "1", "errors": "0", "skipped": "0"})
        self.assertEqual([case.get("name") for case in suite], conditions)
        self.assertEqual([[child.tag for child in case] for case in suite],
                         [[], ["failure"], []])
        self.assertEqual(suite[1][0].get("message"),
                         "103 before, 153 after (+48.5%)")
        done = self.clew("diff", f"--junit={path}", before, after)
        self.assertEqual(done.returncode, 64)

    # Elements that the schemas of Jenkins (junit-10.xsd) and of Surefire both
    # accept: children, required attributes, and optional attributes.
    JUNIT = {
        "testsuites": ({"testsuite"}, set(), {"name", "time", "tests",
                                              "failures", "errors"}),
        "testsuite": ({"testcase"}, {"name", "tests", "failures", "errors",
                                     "skipped"}, {"time", "group"}),
        "testcase": ({"failure", "skipped"}, {"name", "time"},
                     {"classname", "group"}),
        "failure": (set(), {"type"}, {"message"}),
        "skipped": (set(), set(), {"message"}),
    }

    def assert_junit(self, node):
        children, required, further = self.JUNIT[node.tag]
        self.assertLessEqual(required, set(node.keys()), node.tag)
        self.assertLessEqual(set(node.keys()), required | further, node.tag)
        self.assertLessEqual({child.tag for child in node}, children)
        self.assertEqual((node.text or "").strip(), "")
        if "time" in node.keys():
            self.assertRegex(node.get("time"), r"\A[0-9]{1,3}(\.[0-9]{0,3})?\Z")
        for key in "tests", "failures", "errors", "skipped":
            if key in node.keys():
                self.assertRegex(node.get(key), r"\A[0-9]+\Z")
        if node.tag == "testsuite":
            self.assertEqual(int(node.get("tests")), len(node))
            for key, tag in (("failures", "failure"), ("skipped", "skipped")):
                self.assertEqual(int(node.get(key)),
                                 len(node.findall(f"testcase/{tag}")))
        for child in node:
            self.assert_junit(child)

    def test_junit_report_obeys_the_schemas_of_jenkins_and_surefire(self):
        before, after = self.recordings()
        path = self.work / "junit.xml"
        for conditions in (["calls(work)>0"], ["calls(step)>0"],
                           ["self(*)>0", "calls(step)>0", "calls(work)>0"]):
            self.judge(conditions, before, after, f"--junit={path}")
            root = xml.parse(path).getroot()
            self.assertEqual(root.tag, "testsuites")
            self.assert_junit(root)

    def test_markdown_makes_no_link_of_a_name(self):
        stored = self.work / "names.clew"
        before, after = self.recordings()
        text = self.baseline(before).read_text(encoding="utf-8")
        self.assertIn("\tstep", text)
        for name, shown in (
                ("https://a.example/step", "https&#58;//a.example/step"),
                ("www.a.example", "www&#46;a.example"),
                ("WwW.a.example", "WwW&#46;a.example"),
                ("shop::Cart::add", "shop::Cart::add")):
            stored.write_text(text.replace("\tstep", "\t" + name),
                              encoding="utf-8")
            done = self.judge(["calls(*)>0"], stored, after, "--markdown")
            self.assertIn(f"<code>{shown}</code>", done.stdout)

    def test_markdown_has_both_tables(self):
        before, after = self.recordings()
        done = self.judge(["calls(step)>0"], before, after, "--markdown")
        self.assertEqual(done.returncode, FAILED)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "**clew: failed: 1 of 1 condition**")
        self.assertIn("| **failed** | <code>calls(step)&#62;0</code> | "
                      "<code>step</code> | 103 | 153 | +48.5% |", lines)
        self.assertIn("| <code>step</code> | <code>program</code> | 103 | 153 "
                      "| +48.5% |", lines)
        rows = [line for line in lines if line.startswith("|")]
        self.assertEqual({line.count("|") for line in rows}, {6, 7})

    def test_verdicts_have_short_names(self):
        source = self.work / "names.cc"
        recordings = []
        for calls in (3, 4):
            program = self.work / str(calls) / "program"
            program.parent.mkdir()
            source.write_text(
                "#include <map>\n#include <string>\nvolatile int sink;\n"
                "template <class T> __attribute__((noinline)) void put(T &map)"
                " { sink = sink + (int)map.size(); }\nint main() {\n"
                "std::map<std::string, std::string> map;\n"
                f"for (int i = 0; i < {calls}; i++) put(map);\n}}\n",
                encoding="utf-8")
            done = self.run_program(["c++", "-O1", source, "-o", program],
                                    text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            recordings.append(self.record_as(f"calls{calls}", program))
        done = self.judge(["calls(*)>0"], *recordings)
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stdout, r"^failed: calls\(\*\)>0: put<[^ ]{1,60}>: "
                                      r"3 before, 4 after \(\+33\.3%\)\n$")
        done = self.judge(["calls(*)>0"], *recordings, "--markdown")
        self.assertLess(max(map(len, done.stdout.splitlines())), 200)
        path = self.work / "junit.xml"
        done = self.judge(["calls(*)>0"], *recordings, "--full-names",
                          f"--junit={path}")
        (suite,) = xml.parse(path).getroot()
        for text in (done.stdout, suite[0][0].get("message")):
            self.assertRegex(text, r"void put<.{70,}>\(.*: 3 before, 4 after ")

    def test_json_has_the_conditions(self):
        before, after = self.recordings()
        done = self.judge(["calls(*)>0", "calls(work)>0"], before, after,
                          "--json")
        self.assertEqual(done.returncode, FAILED)
        found = clewtest.json.loads(done.stdout)["conditions"]
        self.assertEqual([(one["condition"], one["state"]) for one in found],
                         [("calls(*)>0", "failed"),
                          ("calls(work)>0", "passed")])
        self.assertEqual(found[0]["function"]["name"], "step")
        self.assertEqual((found[0]["before"], found[0]["after"]), (103, 153))

    def test_the_verdict_is_the_same_ten_times_under_load(self):
        program, more = self.build("a", 20000), self.build("b", 20001)
        busy = [subprocess.Popen([sys.executable, "-c", BUSY],
                                 stdout=subprocess.PIPE) for _ in range(4)]
        try:
            for process in busy:
                process.stdout.readline()  # It runs.
            stored = self.baseline(self.record_as("before", program))
            texts = set()
            for i in range(10):
                again = self.record_as(f"again{i}", program)
                done = self.judge(["calls(*)!=0"], stored, again)
                self.assertEqual(done.stdout, "passed: 1 condition\n")
                texts.add(self.baseline(again).read_text(encoding="utf-8"))
            self.assertEqual(texts, {stored.read_text(encoding="utf-8")})
            done = self.judge(["calls(*)!=0"], stored,
                              self.record_as("more", more))
            self.assertEqual(done.returncode, FAILED)
            self.assertEqual([process.poll() for process in busy],
                             [None] * len(busy))
        finally:
            for process in busy:
                process.kill()
                process.wait()
                process.stdout.close()


if __name__ == "__main__":
    clewtest.main()
