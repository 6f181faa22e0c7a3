#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares the data in the page of `clew html` with the truth.

tests/page tests how the page displays the data.
"""
import collections
import os
import re
import subprocess

from lib import clewtest
from lib.html_page import FORKS_AND_THREADS, Numbers, Page, Paged


class Html(Paged, clewtest.Case):
    @staticmethod
    def shown_name(function):
        """Returns the name, with those of functions that were merged with
        it."""
        others = function.get("other_names", [])
        if not others:
            return function["name"]
        more = function["other_name_count"] - 1
        return f"{function['name']} (= {others[0]}" + \
            (f", and {more} more)" if more else ")")

    def paths_of_tree(self, *options):
        tree = self.clew_json("tree", "--json", *options, self.recording_path)
        names = [self.shown_name(each) for each in tree["functions"]]
        path, found = {0: ()}, collections.Counter()
        for each in tree["contexts"]:
            path[each["id"]] = path[each["parent"]] + (
                names[each["function"]],)
            found[path[each["id"]]] += each["calls"]
        return found

    def assert_same_paths(self, found, wanted):
        """Compares two counters; prints a few differences instead of a
        million."""
        self.assertEqual(sorted((found - wanted).items())[:9], [])
        self.assertEqual(sorted((wanted - found).items())[:9], [])
        self.assertEqual(found.keys(), wanted.keys())

    def test_the_page_has_every_context_with_its_calls(self):
        self.record([clewtest.target("contexts"), "5", "5", "2"],
                    ["--time=none"])  # samples would add rows
        page = self.page()
        part = self.recording().parts[0]
        self.assertEqual(sum(page.calls), sum(part.counts().values()))
        self.assertEqual(len(page.parent) - 1, len(part.contexts()))
        self.assert_same_paths(page.paths(), self.paths_of_tree())

    def test_contexts_of_the_page_are_in_preorder(self):
        self.record([clewtest.target("contexts"), "5", "5", "2"])
        page = self.page()
        end = list(range(1, len(page.parent) + 1))
        for i in reversed(range(1, len(page.parent))):
            parent = page.parent[i]
            self.assertLess(parent, i)
            end[parent] = max(end[parent], end[i])
        for i in range(1, len(page.parent)):
            parent = page.parent[i]
            self.assertLessEqual(end[i], end[parent])
            # Nodes in between belong to an earlier sibling.
            self.assertTrue(parent == i - 1 or end[i - 1] <= i)

    def test_threads_and_processes_of_the_page_add_up(self):
        self.record([clewtest.PYTHON, "-c", FORKS_AND_THREADS])
        page = self.page()
        for kind, number in (True, 2), (False, 5):
            members = [calls for _, is_process, calls in page.groups()
                       if is_process == kind]
            self.assertGreaterEqual(len(members), number - 1)
            sums = collections.Counter()
            for calls in members:
                sums.update(calls)
            self.assertEqual(
                [sums[i] for i in range(len(page.calls))], page.calls)

    def test_the_page_can_show_one_thread(self):
        self.record([clewtest.PYTHON, "-c", "import threading as t\n"
                     "w = t.Thread(target=lambda: sorted('abc'))\n"
                     "w.start(); w.join()"])
        thread = self.recording().parts[0].threads[0][0]
        page = self.page("--no-inlines", "--thread", str(thread))
        self.assert_same_paths(
            page.paths(), self.paths_of_tree("--thread", str(thread)))

    def test_inlined_functions_of_the_page_equal_those_of_the_tree(self):
        source = self.work / "inlined.c"
        source.write_text("""
            #define INLINE static inline __attribute__((always_inline))
            #define KEPT __attribute__((noipa)) static
            KEPT int leaf(int n) { __asm__ volatile(""); return n; }
            INLINE int inner(int n) { return leaf(n) + 1; }
            INLINE int outer(int n) { return inner(n) + leaf(n + 1); }
            KEPT int work(int n) { return outer(n); }
            int main(void) { return work(-2) != 0; }
            """)
        subprocess.run(["gcc", "-O2", "-g", "-o", self.work / "inlined",
                        source], check=True)
        self.record([self.work / "inlined"])
        page = self.page()
        self.assert_same_paths(page.paths(), self.paths_of_tree("--inlines"))
        kinds = {name: page.meta["kinds"][page.meta["functions"]["kind"][i]]
                 for i, name in enumerate(page.names)}
        self.assertEqual((kinds["outer"], kinds["work"]),
                         ("inlined", "native"))
        self.assertEqual(sum(page.calls), self.page("--no-inlines").total())

    def test_the_page_of_a_diff_has_both_recordings(self):
        before, after = self.work / "before", self.work / "after"
        for path, rounds in (before, "2"), (after, "3"):
            self.recording_path = path
            self.record([clewtest.target("contexts"), "4", "4", rounds])
        done = self.clew("diff", "--html", self.work / "diff.html", before,
                         after)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        page = Page((self.work / "diff.html").read_text(encoding="utf-8"))
        was = Numbers(page.sections["b.calls"]).values
        for path, calls in (before, was), (after, page.calls):
            part = clewtest.wire.Recording(path).parts[0]
            self.assertEqual(sum(calls), sum(part.counts().values()))
        self.assertEqual({3 * a - 2 * b for a, b in zip(was, page.calls)
                          if a != b}, {0})
        self.assertEqual(page.meta["before"][0]["command"][-1], "2")
        self.assertEqual(page.meta["processes"][0]["command"][-1], "3")

    def test_the_page_has_the_coverage_of_the_report(self):
        self.record(["/usr/bin/sqlite3", ":memory:", "select 1"])
        page, report = self.page(), self.clew_json(
            "report", "--json", self.recording_path)
        self.assertEqual(page.meta["total"], report["total"])
        self.assertEqual(page.meta["confidence"], report["confidence"])
        self.assertEqual(page.meta["hooking"]["hooked"],
                         report["coverage"]["hooked"])
        hooked = {module["name"]: module["hooked"]
                  for module in page.meta["modules"]}
        self.assertEqual(hooked["sqlite3"], sum(
            module["coverage"]["hooked"] for module in self.clew_json(
                "list", "--json", self.recording_path)["modules"]
            if module["path"].endswith("/sqlite3")))
        (process,) = page.meta["processes"]
        self.assertEqual(process["command"],
                         ["/usr/bin/sqlite3", ":memory:", "select 1"])

    def test_page_and_report_list_the_same_missing_data(self):
        """Overwritten packets, short calls and folded contexts."""
        for options, kind, wanted in (
                (["--trace=ring:128K"], "calls", r"older calls .* overwritten"),
                (["--trace", "--min-duration=2us"], "calls", "short calls"),
                (["--max-contexts=2"], "contexts", "folded calls")):
            with self.subTest(options):
                self.record([clewtest.target("recursion")], options)
                report = self.clew("report", "--wide", self.recording_path)
                (line,) = [line for line in report.stdout.splitlines()
                           if line.startswith("missing: ")]
                missing = self.page().meta["missing"]
                self.assertEqual("missing: " + "; ".join(
                    each["text"] for each in missing), line)
                self.assertTrue(any(
                    each["kind"] == kind and re.search(wanted, each["text"])
                    for each in missing), missing)

    def test_all_reports_have_the_same_coverage(self):
        done = self.record(["/usr/bin/sqlite3", ":memory:", "select 1"],
                           ["--libc", "-F", "^sqlite3_"])
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.recording_path
        coverage = self.clew_json("report", "--json", path)["coverage"]
        hooking = self.page().meta["hooking"]
        words = (f"{coverage['hooked']:,} of {coverage['eligible']:,} "
                 "functions hooked")
        self.assertEqual(coverage["eligible"],
                         coverage["hooked"] + coverage["refused"])
        self.assertGreater(coverage["left_alone"], 10)
        self.assertEqual(self.clew_json("list", "--json", path)["total"],
                         coverage)
        for key in ("hooked", "refused", "left_alone"):
            self.assertEqual(hooking[key], coverage[key])
        text = self.clew("list", path).stdout
        self.assertIn(words, text)
        self.assertIn(f"{coverage['left_alone']:,} left alone", text)
        left = re.findall(r"(?m)^left alone: ([\d,]+) functions?: ",
                          self.details(path))
        self.assertEqual(sum(int(one.replace(",", "")) for one in left),
                         coverage["left_alone"])

    def test_functions_of_the_page_have_files_and_lines(self):
        source = self.work / "work.c"
        source.write_text(
            "__attribute__((noinline)) static int work(int n)\n"
            '{ __asm__ volatile(""); return n; }\n'
            "\n"
            "int main(void) { return work(0); }\n")
        subprocess.run(["gcc", "-O1", "-g", "-o", self.work / "work", source],
                       check=True)
        self.record([self.work / "work"])
        page = self.page()
        functions, files = page.meta["functions"], page.meta["files"]
        place = {name: (files[functions["file"][i]], functions["line"][i])
                 for i, name in enumerate(page.names)}
        self.assertEqual(place["main"], (str(source), 4))
        self.assertEqual(place["work"], (str(source), 2))

    def test_names_cannot_inject_html_into_the_page(self):
        evil = "</script><img src=x onerror=alert(1)>"
        source = self.work / "evil.c"
        source.write_text(
            f'int evil(void) __asm__("\\"{evil}\\"");\n'
            "__attribute__((noinline)) int evil(void)"
            '{ __asm__ volatile(""); return 0; }\n'
            "int main(void) { return evil(); }\n")
        built = self.run_program(["gcc", "-O1", "-o", self.work / "evil",
                                  source], text=True)
        if "invalid character" in built.stderr:
            self.skipTest("binutils 2.35 does not assemble such names")
        self.record([self.work / "evil", f"--{evil}"])
        page = self.page()
        self.assertIn(evil, page.names)
        self.assertNotIn("<img", page.text)
        self.assertEqual(page.text.count("</script>"), 3)

    def test_the_page_is_complete_and_loads_nothing(self):
        self.record(["/bin/true"])
        text = self.page().text
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        self.assertTrue(text.rstrip().endswith("</html>"))
        self.assertIn("default-src 'none'", text)
        self.assertFalse(re.findall(r'(?:src|href)\s*=\s*"[^"]', text))

    def test_the_same_recording_gives_the_same_page(self):
        self.record([clewtest.target("contexts"), "4", "4", "1"])
        self.assertEqual(self.page().text, self.page().text)
        done = self.clew("html", "-o", "-", self.recording_path)
        self.assertEqual(done.stdout, self.page().text)

    def usage(self, *argv):
        """Returns a command's resource usage; its output is in the file
        "out"."""
        with (self.work / "out").open("wb") as out, subprocess.Popen(
                [clewtest.CLEW, *argv], cwd=self.work, stdout=out,
                env=self.environment) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        return usage

    @clewtest.unless_sanitized
    def test_a_page_of_a_million_contexts_is_cheap_to_write(self):
        """Checks the figures in docs/reports.md: the time is compared with a
        report's in this run."""
        self.record([clewtest.target("contexts"), "10", "6", "1"],
                    ["--fold-recursion=never"])
        report = self.usage("report", "--json", self.recording_path)
        usage = self.usage("html", "-o", "page.html", self.recording_path)
        page = Page((self.work / "page.html").read_text(encoding="utf-8"))
        self.assertGreater(len(page.parent), 1_111_110)
        self.assertEqual(sum(page.calls), sum(
            self.recording().parts[0].counts().values()))
        self.assertLess(usage.ru_maxrss, 1.2 * report.ru_maxrss)
        self.assertLess(usage.ru_utime + usage.ru_stime,
                        3 * (report.ru_utime + report.ru_stime))

    def test_an_unwritable_page_is_reported(self):
        self.record(["/bin/true"])
        self.assert_one_line_error(
            self.clew("html", "-o", "missing/page.html",
                      self.recording_path), "missing/page.html")
        if os.path.exists("/dev/full"):
            done = self.run_program(
                ["/bin/sh", "-c", 'exec "$0" html -o - "$1" >/dev/full',
                 clewtest.CLEW, self.recording_path], text=True)
            self.assert_one_line_error(done, "cannot write")
            self.assert_one_line_error(
                self.clew("html", "-o", "/dev/full", self.recording_path),
                "/dev/full", "No space left")
        self.assert_one_line_error(self.clew("html", "nowhere"), "nowhere")


if __name__ == "__main__":
    clewtest.main()
