#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Contexts can consist of functions and the call sites in their callers."""
import collections
import pathlib
import subprocess

from lib import clewtest
from lib.clewtest import target

HERE = pathlib.Path(__file__).resolve().parent
FUNCTIONS = ("leaf", "nest", "tail", "down", "thrower", "jumper", "busy")


class Sites(clewtest.Case):
    def build(self, name, *flags):
        path = self.work / name
        subprocess.run(["c++", *flags, "-pthread", "-o", path,
                        HERE / "sites.cc"], check=True)
        return path

    def run_traced(self, program, *options, rounds=3000):
        """Records a trace. Returns the program's own counts, {(function, line): calls}."""
        done = self.record([program, str(rounds)],
                           ["--trace", "--sites", "-m", program.name, "-f",
                            f"^({'|'.join(FUNCTIONS)})$", *options], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {(function, int(line)): int(calls)
                for function, line, calls in
                map(str.split, done.stdout.splitlines())}

    def tree(self, context):
        return self.clew_json("tree", "--json", f"--context={context}",
                              self.recording_path)

    def by_site(self, tree):
        """Returns {(function, site): calls}; the site is NONE if it was not recorded."""
        found = collections.Counter()
        for path, calls in clewtest.paths_of(tree).items():
            function, _, site = path[-1].partition(" @ ")
            found[function, site] += calls
        return +found

    @staticmethod
    def totals(by_site):
        found = collections.Counter()
        for (function, _), calls in by_site.items():
            found[function] += calls
        return found

    def assert_same_functions(self, by_site):
        """The sum of a function's calls does not depend on how contexts separate them."""
        self.assertEqual(self.totals(by_site),
                         self.totals(self.by_site(self.tree("function"))))

    def check(self, program, *options):
        own = self.run_traced(program, *options)
        by_site = self.by_site(self.tree("site"))
        self.assert_same_functions(by_site)
        self.assertEqual(
            {(function, int(site.partition(":")[2])): calls
             for (function, site), calls in by_site.items()}, own)
        self.assertEqual({site.partition(":")[0] for _, site in by_site},
                         {"sites.cc"})

    def test_each_line_has_its_calls(self):
        for flags in ["-O2"], ["-O0"], ["-O2", "-fno-pie", "-no-pie"]:
            program = self.build("sites", "-g", *flags)
            for options in ([], ["--stamps=all"], ["--stamps=packet"],
                            ["--stamps=1"]):
                with self.subTest(flags=flags, options=options):
                    self.check(program, *options)

    def test_signals_lose_no_call_with_sites(self):
        """Signals arrive anywhere, even inside a stub."""
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.record([target("signals")], ["--trace", "--sites"])
        by_site = self.by_site(self.tree("site"))
        self.assertGreater(sum(by_site.values()), 1000)
        self.assertNotIn("", {site for _, site in by_site})
        self.assert_same_functions(by_site)

    def test_calls_below_a_site_are_counted(self):
        """`nest` calls `leaf` in two lines, independent of the call site of `nest`."""
        self.run_traced(self.build("sites", "-g", "-O2"))
        inner = collections.defaultdict(collections.Counter)
        outer = collections.Counter()
        for path, calls in clewtest.paths_of(self.tree("site")).items():
            if len(path) > 1 and path[-2].startswith("nest @ "):
                inner[path[:-1]][path[-1]] += calls
            if path[-1].startswith("nest @ "):
                outer[path] += calls
        self.assertGreater(len({path[-1] for path in outer}), 2)
        for path, calls in outer.items():
            self.assertEqual(list(inner[path].values()), [calls, calls], path)

    def test_sites_without_debug_information_have_addresses(self):
        program = self.build("sites", "-O2", "-g0")
        own = self.run_traced(program)
        by_site = self.by_site(self.tree("site"))
        self.assert_same_functions(by_site)
        for _, site in by_site:
            self.assertRegex(site, r"^.+\+0x[0-9a-f]+$")
        self.assertEqual(self.totals(by_site), self.totals(own))
        self.assertEqual(
            sum(1 for function, site in by_site
                if function == "leaf" and site.startswith("nest+")), 2)

    def test_counted_calls_without_a_site_are_not_lost(self):
        """Calls that were counted before have no site, but are not lost; the recorded
        calls have correct sites.
        """
        program = self.build("sites", "-g", "-O2")
        for options in (["--on-overflow=process"],
                        ["--on-overflow=wait", "--workers=2"]):
            with self.subTest(options):
                own = self.run_traced(program, "--trace=64K", *options,
                                      rounds=30000)
                by_site = self.by_site(self.tree("site"))
                self.assert_same_functions(by_site)
                self.assertTrue([site for _, site in by_site if not site])
                self.assertTrue([site for _, site in by_site if site])
                self.assertEqual(self.totals(by_site), self.totals(own))
                for (function, site), calls in by_site.items():
                    if site:
                        line = int(site.partition(":")[2])
                        self.assertLessEqual(calls, own[function, line])

    def test_calls_in_a_ring_have_sites(self):
        """A ring keeps the latest packets and drops the oldest."""
        program = self.build("sites", "-g", "-O2")
        own = self.run_traced(program, "--trace=ring:128K", rounds=30000)
        by_site = self.by_site(self.tree("site"))
        self.assert_same_functions(by_site)
        self.assertGreater(len(by_site), 10)
        for (function, site), calls in by_site.items():
            self.assertLessEqual(
                calls, own[function, int(site.partition(":")[2])])

    def test_short_calls_at_sites_are_removed_from_traces(self):
        program = self.build("sites", "-g", "-O2")
        own = self.run_traced(program, "--stamps=all", "--min-duration=1s")
        by_site = self.by_site(self.tree("site"))
        self.assertGreater(self.totals(own)["leaf"],
                           self.totals(by_site)["leaf"])
        self.assertGreater(self.totals(by_site)["busy"], 0)
        self.assert_same_functions(by_site)

    def test_recordings_without_sites_are_reported(self):
        for options in [], ["--trace"]:
            self.record(["true"], options)
            done = self.clew("tree", "--context=site", self.recording_path)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn("--trace --sites", done.stderr)

    def test_contradicting_options_are_refused(self):
        done = self.clew("record", "--sites", "true")
        self.assert_usage_error(done, "--sites needs --trace")
        done = self.clew("tree", "--context=site", "--value=x",
                         self.recording_path)
        self.assert_usage_error(done, "--value exclude each other")

    def test_context_objects_receive_sites(self):
        source, path = self.work / "lines.c", self.work / "lines.so"
        source.write_text("""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/clew.h"
uint64_t clew_context_of(uint64_t parent, const struct clew_called *called)
{
    const char *line = called->site ? strchr(called->site, ':') : NULL;
    return line && !strcmp(called->function, "leaf") ? atoi(line + 1) : parent;
}
void clew_context_name(uint64_t context, char *name, size_t room)
{
    snprintf(name, room, "%d", (int)context);
}
""")
        subprocess.run(["cc", "-shared", "-fPIC", "-I", HERE.parents[1], "-o",
                        path, source], check=True)
        own = self.run_traced(self.build("sites", "-g", "-O2"))
        found = collections.Counter()
        for names, calls in clewtest.paths_of(self.tree(path)).items():
            found[names[-1]] += calls
        del found["(no context)"]
        self.assertEqual(found, {str(line): calls for (function, line), calls
                                 in own.items() if function == "leaf"})


if __name__ == "__main__":
    clewtest.main()
