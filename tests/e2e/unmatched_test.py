#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Names and filters that match nothing give a message, status 1, and no table."""
import re

from lib import clewtest

SOURCE = """
#include <stdio.h>
#define KEPT __attribute__((noipa))
static volatile int sum;
KEPT void parse_request(int n) { sum += n; }
KEPT void handle_request(int n) { parse_request(n); sum++; }
KEPT void never_called(void) { sum--; }
int main(int argc, char **argv)
{
    for (int i = 0; i < 100; i++)
        handle_request(i);
    if (argc > 100)
        never_called();
    return 0;
}
"""


class Case(clewtest.Case):
    OPTIONS = ("--time=none",)

    def setUp(self):
        super().setUp()
        source = self.work / "server.c"
        source.write_text(SOURCE, encoding="utf-8")
        self.program = self.work / "server"
        done = self.run_program(["cc", "-O1", "-o", self.program, source])
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.record([self.program], self.OPTIONS, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_nothing(self, words, *said):
        """The command, run on this recording, prints one line to stderr and nothing else."""
        done = self.clew(*words, self.recording_path)
        with self.subTest(words=words):
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for text in said:
                self.assertIn(text, done.stderr)


class Counts(Case):
    TABLES = (["report"], ["report", "--json"], ["report", "--by=context"],
              ["tree"], ["tree", "--json"], ["export", "-F", "folded"],
              ["export", "-F", "csv"])

    def test_unmatched_functions_of_tables_are_reported(self):
        for words in self.TABLES:
            self.assert_nothing(
                [*words, "-f", "parse_reqest"], f"clew {words[0]}: ",
                "--function=parse_reqest", "did you mean parse_request?")
            self.assert_nothing([*words, "-f", "^quite other$"],
                                "no function that was called matches\n")

    def test_rules_that_match_nothing_say_that_names_are_mangled(self):
        for name, said in ("^std::", True), ("^nothing$", False):
            done = self.record([self.program], ["-F", name], text=True)
            self.assertIn(f'rule "not-function {name}" matched nothing',
                          done.stderr)
            self.assertEqual("mangled" in done.stderr, said)

    def test_readable_names_in_rules_get_an_expression_that_matches(self):
        for name, mangled in (
                ("app::Index<int>::insert", "_ZN3app5IndexIiE6insertEi"),
                ("^app::ins.*", "_ZN3app6insertEi"),
                ("app::Index::operator==", "_ZNK3app5IndexeqERKS0_"),
                ("std::vector<app::Row>::push_back",
                 "_ZNSt6vectorIN3app3RowEE9push_backERKS1_"),
                ("std::string::compare",
                 "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
                 "7compareEPKc"),
                ("core::fmt::write", "_ZN4core3fmt5write17h0123456789abcdefE")):
            done = self.record([self.program], ["-f", name], text=True)
            (proposed,) = re.findall(r": try '(.*)'$", done.stderr, re.M)
            self.assertRegex(mangled, proposed)
            self.assertNotRegex("_ZN3app5otherEi", proposed)
        done = self.record([self.program], ["-f", "(a|b)::c"], text=True)
        self.assertIn("mangled", done.stderr)
        self.assertNotIn("try", done.stderr)

    def test_uncalled_functions_are_reported(self):
        for words in self.TABLES:
            self.assert_nothing([*words, "-f", "never_called"],
                                "no function that was called matches\n")

    def test_unmatched_modules_are_reported(self):
        for words in self.TABLES:
            self.assert_nothing([*words, "-m", "sevrer"], "--module=sevrer",
                                "did you mean server?")
            self.assert_nothing([*words, "-m", "["], "--by=module")

    def test_unmatched_modules_and_functions_are_reported(self):
        for words in self.TABLES:
            self.assert_nothing([*words, "-m", "server", "-f", "zzz"],
                                "--module=server", "--function=zzz", "both")

    def test_unmatched_processes_and_threads_are_reported(self):
        pid = self.recording().parts[0].pid
        for words in (*self.TABLES, ["html", "-o", "page.html"]):
            self.assert_nothing([*words, "--process=1"],
                                "process 1 was not recorded", f"{pid}")
            self.assert_nothing([*words, "--thread=nobody"],
                                "no thread nobody", "--by=thread")
        self.assertFalse((self.work / "page.html").exists())

    def test_failed_filter_keeps_the_output_file(self):
        path = self.work / "stacks"
        path.write_text("before", encoding="utf-8")
        self.assert_nothing(["export", "-F", "folded", "-o", path, "-f", "zzz"])
        self.assertEqual(path.read_text(encoding="utf-8"), "before")

    def test_diff_reports_unmatched_names(self):
        self.assert_nothing(["diff", "-f", "zzz", self.recording_path],
                            "--function=zzz")
        self.assert_nothing(["diff", "--tree", "-m", "zzz",
                             self.recording_path], "--module=zzz")
        self.assert_nothing(["diff", "--thread=zzz", self.recording_path],
                            "no thread zzz")

    def test_unmatched_named_functions_are_reported(self):
        for words in (["report", "-B", "handle_reqeust"],
                      ["tree", "--callers-of=handle_reqeust"]):
            self.assert_nothing(words, "handle_reqeust: no such function",
                                "did you mean handle_request?")
        self.assert_nothing(["report", "-B", "frobnicate"],
                            "frobnicate: no such function", "--top=0")

    def test_a_named_function_belongs_to_the_chosen_module(self):
        for words in (["report", "-B", "handle_request"],
                      ["tree", "--callers-of=handle_request"]):
            done = self.clew(*words, "-m", "server", self.recording_path)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_nothing(["report", "-m", "lib*", "-B", "handle_request"],
                            "handle_request: no such function")

    def test_filters_that_match_are_no_error(self):
        for words in self.TABLES:
            done = self.clew(*words, "-f", "^parse_request", "-m", "server",
                             self.recording_path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_recording_without_a_trace_is_reported(self):
        self.assert_nothing(["trace"], "clew record --trace -- CMD")


class Traces(Case):
    OPTIONS = ("--trace", "--stamps=all")

    def test_lines_report_unmatched_names(self):
        for words in ["trace"], ["trace", "--json"], ["trace", "-q"]:
            self.assert_nothing([*words, "-f", "parse_reqest"],
                                "did you mean parse_request?")
            self.assert_nothing([*words, "-f", "never_called"],
                                "no function that was called matches")
            self.assert_nothing([*words, "-m", "sevrer"],
                                "did you mean server?")
            self.assert_nothing([*words, "--process=1"],
                                "process 1 was not recorded")
            for option in ("--thread=nobody", "--min-duration=3600",
                           "--from=1000"):
                self.assert_nothing([*words, option],
                                    "no call of the trace matches the filters")

    def test_unmatched_functions_of_traces_are_reported(self):
        for option in "--slowest", "--histogram":
            self.assert_nothing(["trace", f"{option}=handle_reqeust"],
                                "did you mean handle_request?")
            self.assert_nothing(["trace", f"{option}=never_called"],
                                "the trace contains no call of it")
            self.assert_nothing(["trace", f"{option}=handle_request",
                                 "--from=1000"], "matches the filters")

    def test_latencies_report_unmatched_names(self):
        self.assert_nothing(["trace", "--latencies", "-f", "zzz"],
                            "--function=zzz")
        self.assert_nothing(["trace", "--latencies", "--thread=nobody"],
                            "no call of the trace matches the filters")

    def test_exports_report_unmatched_names(self):
        self.assert_nothing(["export", "-F", "chrome", "-f", "zzz"],
                            "--function=zzz")


class Probes(Case):
    def test_similar_functions_are_named_before_the_program_runs(self):
        for option, name in (("--probe", "parse_reqest"),
                             ("--probe", "parse_reqest%return"),
                             ("--ret", "parse_reqest"),
                             ("--snapshot-when", "parse_reqest>5ms"),
                             ("--probe", "printf_")):
            with self.subTest(option=option, name=name):
                done = self.record([self.program], [f"{option}={name}"],
                                   text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                first = done.stderr.splitlines()[0]
                self.assertIn("did you mean "
                              f"{name.split('_')[0]}", first)
                self.assertEqual(done.stderr.count("did you mean"), 1)
                self.assertEqual(done.stderr.count("was not placed"), 1)

    def test_probe_of_a_later_library_gets_no_suggestion(self):
        done = self.record([self.program], ["--probe=quite_another_one"],
                           text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("did you mean", done.stderr)

    def test_unmatched_functions_of_a_file_are_reported(self):
        for words in (["probe", "--sites=parse_reqest", "-e", self.program],
                      ["probe", "--vars=parse_reqest", "-e", self.program],
                      ["record", f"--probe={self.program}:parse_reqest", "--",
                       self.program],
                      ["record", f"--args={self.program}:parse_reqest", "--",
                       self.program]):
            with self.subTest(words=words):
                self.assert_one_line_error(
                    self.clew(*words), "has no function parse_reqest; "
                    "did you mean parse_request?")


class Recordings(clewtest.Case):
    COMMANDS = (["report"], ["tree"], ["html"], ["export", "-F", "csv"],
                ["trace"], ["list"], ["dump"])

    def test_missing_recording_names_the_record_command(self):
        for words in self.COMMANDS:
            with self.subTest(words=words):
                self.assert_one_line_error(
                    self.clew(*words), "clew.out",
                    "record first: clew record -- CMD")

    def test_missing_recording_gets_a_similar_name(self):
        (self.work / "before.out").mkdir()
        for words in ["report"], ["trace"], ["merge", "-o", "all.out"]:
            with self.subTest(words=words):
                self.assert_one_line_error(
                    self.clew(*words, "befroe.out"),
                    "befroe.out: no such recording; did you mean before.out?")
        done = self.clew("trace", "nowhere/*.snapshot1")
        self.assertEqual((done.returncode, done.stderr), (
            1, "clew trace: nowhere/*.snapshot1: no such recording: the "
            "pattern matches no file\n"))
        self.assert_one_line_error(
            self.clew("report", "frobnicate"),
            "record first: clew record -o frobnicate -- CMD")


if __name__ == "__main__":
    clewtest.main()
