#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew probe add`, `rm` and `ls` work while the program runs: each hit counts
once."""
import os
import re
import subprocess

from lib import clewtest
from lib.live_probes import Case

CHANGES = """
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

extern char changed[];

__asm__(".text\\n.globl changed\\n.type changed, @function\\n"
	"changed: .cfi_startproc\\n"
	"	leaq 3(%rdi,%rdi,2), %rax\\n"
	"	nopl 0(%rax)\\n"
	"	addl $1000000, %eax\\n"
	"	subl $2000000, %ecx\\n"
	"	ret\\n	.cfi_endproc\\n.size changed, . - changed\\n");

int main(void)
{
	char *page = (char *)((uintptr_t)changed & -4096L);
	int c;

	mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	changed[9] = 1;
	mprotect(page, 8192, PROT_READ | PROT_EXEC);
	printf("%d\\n", getpid());
	fflush(stdout);
	while ((c = getchar()) != EOF)
		;
	return 3;
}
"""

CALLS = 1500  # calls of work() in a phase


class Recorded(Case):
    def test_an_added_probe_counts_until_it_is_removed(self):
        self.start("--time=none")
        self.tell("p")
        self.probe("add", "work", "one%return", "phase")
        self.assertEqual(self.rows, {
            "p1": (0, "stub", "work"),
            "p2": (0, "jump", "one%return"),
            "p3": (0, "stub", "phase")})
        self.tell("p")
        self.tell("p")
        self.probe("ls")
        self.assertEqual([row[0] for row in self.rows.values()],
                         [2 * CALLS, 2 * 500, 2])
        self.probe("rm", "p1", "p3")
        self.assertEqual(self.rows["p1"], (2 * CALLS, "removed", "work"))
        self.tell("p")
        self.probe("add", "work")
        self.assertEqual(self.rows, {"p1": (2 * CALLS, "stub", "work")})
        self.tell("p")
        self.probe("rm", "--all")
        self.tell("p")
        self.end()
        self.assertEqual(len(set(self.said)), 1)
        self.assertEqual(self.hits("p1", "p2", "p3"),
                         [3 * CALLS, 4 * 500, 2])
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual([one["removed"] for one in report["probes"]],
                         [True] * 3)
        self.assertEqual({one["name"] for one in report["values"]},
                         {"p1", "p2", "p3"})
        self.assertIn("(1 in a stub), removed; --value=p1",
                      self.details(self.recording_path))
        calls = {row["name"]: row["calls"] for row in self.clew_json(
            "report", "--json", self.recording_path)["functions"]}
        self.assertEqual((calls["work"], calls["one"]), (6 * CALLS, 6 * 500))

    def test_a_live_probe_is_identified_by_location_and_actions(self):
        """A probe is identified by its location and its actions."""
        self.start("--time=none")
        acting = ["one", "--action=if arg1 % 4 == 1", "--action=record arg1"]
        self.tell("p")
        self.probe("add", *acting, "two", "--action=limit 5")
        self.assertEqual(self.rows, {"p1": (0, "stub", "one"),
                                     "p2": (0, "stub", "two")})
        self.assertIn("this probe exists already, as p1",
                      self.probe("add", *acting, status=1))
        self.tell("p")
        self.probe("rm", "p1")
        self.tell("p")
        self.probe("add", "one")
        self.tell("p")
        self.probe("rm", "p3")
        self.probe("add", *acting)
        self.assertEqual(list(self.rows), ["p1"])
        self.tell("p")
        self.assertIn("--action and --handler need add",
                      self.probe("rm", "p1", "--action=limit 1", status=64))
        self.assertIn("no probe precedes",
                      self.probe("add", "--action=limit 1", "one", status=64))
        self.assertIn("this name is unknown here",
                      self.probe("add", "two", "--action=if x", status=1))
        self.end()
        self.assertEqual(len(set(self.said)), 1)
        report = self.clew_json("report", "--json", "--events",
                                self.recording_path)
        probes = {one["name"]: one for one in report["probes"]}
        self.assertEqual([probes[name]["hits"] for name in
                          ("p1", "p2", "p3")], [2 * 250, 5, 500])
        self.assertEqual(probes["p1"]["refused"], 2 * 250)
        self.assertEqual(probes["p2"]["over_limit"], 4 * 500 - 5)
        kept = [event["values"]["arg1"] for event in report["events"]]
        self.assertEqual(sorted(kept), sorted(2 * list(range(1, 1000, 4))))

    def test_a_live_probe_by_a_breakpoint_counts(self):
        self.start("--time=none")
        trap = self.trap()
        for _ in range(3):
            self.probe("add", trap)
            self.assertEqual(self.rows["p1"][1], "int3")
            self.tell("p")
            self.probe("rm", "p1")
            self.tell("p")
        self.end()
        self.assertEqual(self.hits("p1"), [3 * CALLS])

    def test_live_probes_toggle_under_threads_and_signals(self):
        self.start("--time=none")
        native = self.run_program([self.program], text=True, stdin=None,
                                  input="p\n").stdout.splitlines()[1]
        places = ["work", self.trap(), "one%return", "two%return", "on_alarm"]
        self.tell("n")
        for turn in range(12):
            self.probe("add", *places)
            self.tell("p")
            before = self.rows
            self.probe("ls")
            for name, row in self.rows.items():
                self.assertGreaterEqual(row[0], before[name][0])
            self.probe("rm", "--all")
            self.tell("p")
        self.tell("s")
        self.probe("ls")
        removed = self.rows
        self.tell("p")
        self.probe("ls")
        self.assertEqual(self.rows, removed)
        self.end()
        self.assertEqual(set(self.said), {native + "\n"})
        # Counts the hits below phase(), where only the program's main thread
        # runs.
        for name, calls in ("p1", CALLS), ("p2", CALLS), ("p3", 500), (
                "p4", 500):
            folded = self.clew("export", "-F", "folded", f"--value={name}",
                               self.recording_path).stdout
            mine = sum(int(line.split()[-1]) for line in folded.splitlines()
                       if "phase;" in line and "on_alarm" not in line)
            self.assertEqual(mine, 12 * calls, name + "\n" + folded)

    def test_live_probes_count_beside_initial_ones(self):
        self.start("--time=none", "--probe=work", "--probe=one%return")
        self.tell("p")
        self.assertIn("this probe exists already, as p1",
                      self.probe("add", "work", status=1))
        self.assertIn("another probe is at the same address",
                      self.probe("add", "work+0", status=1))
        self.probe("add", "two")
        self.assertEqual(list(self.rows), ["p3"])
        self.tell("p")
        self.probe("rm", "p1", "p2")
        self.tell("p")
        self.probe("add", "work", "one%return")
        self.tell("p")
        self.end()
        self.assertEqual(self.hits("p1", "p2", "p3"),
                         [3 * CALLS, 3 * 500, 3 * 500])

    def test_a_live_probe_counts_in_a_library_that_is_loaded_again(self):
        source = self.work / "part.c"
        source.write_text("long part(long n) { return n * 3 + 5; }\n",
                          encoding="utf-8")
        library = self.compile("libpart.so", "-O2", "-shared", "-fPIC",
                               source=source)
        self.start("--time=none")
        self.assertIn("no hooked module has a function of that name",
                      self.probe("add", "part", status=1))
        self.assertIn("no such module was loaded",
                      self.probe("add", "libpart.so:part", status=1))
        self.tell(f"l {library}")
        self.probe("add", "libpart.so:part")
        self.tell(f"l {library}")
        self.tell("u")
        self.tell("u")
        self.tell(f"l {library}")
        self.probe("rm", "p1")
        self.tell(f"l {library}")
        self.end()
        self.assertEqual(self.said, ["8\n"] * 4)
        self.assertEqual(self.hits("p1"), [2])

    def test_each_refused_live_probe_has_its_reason(self):
        self.start("--time=none", "--probe=two%return")
        for place, why in (
                ("nothing", "has a function of that name"),
                ("told:nothing", "has no function nothing"),
                ("work+1", "in the middle of an instruction"),
                ("work+0x1000", "not inside a function that clew found"),
                ("work+", "not a probe location"),
                ("libc.so.6:malloc", "its module is not hooked"),
                ("two%return", "this probe exists already, as p1")):
            with self.subTest(place=place):
                self.assertIn(why, self.probe("add", place, status=1))
                self.assertEqual(self.rows, {})
        for name, why in (("p2", "there is no such probe"),
                          ("p33", "not the name of a probe"),
                          ("work", "not the name of a probe")):
            with self.subTest(name=name):
                self.assertIn(why, self.probe("rm", name, status=1))
        # This is the second instruction of a hooked function.
        listed = self.clew("probe", "--sites", "one", "-e", self.program)
        second = re.findall(r"\+(\d+) ", listed.stdout)[1]
        self.assertIn("its bytes are displaced",
                      self.probe("add", f"one+{second}", status=1))
        self.tell("p")
        self.end()
        self.assertEqual(self.hits("p1"), [500])

    def test_too_many_live_probes_are_refused(self):
        self.start("--time=none")
        for i in range(32):
            self.probe("add", f"work x{i}" if i else "work")
            self.probe("rm", "--all")
        self.assertIn("at most 32 probes",
                      self.probe("add", "one", status=1))
        self.probe("add", "work")
        self.tell("p")
        self.end()
        self.assertEqual(self.hits("p1"), [CALLS])

    def test_live_probes_need_a_recorded_process(self):
        for pid, why in ((os.getpid(), "it is not being recorded"),
                         (2 ** 22 + 1, "there is no such process")):
            done = self.clew("probe", "add", str(pid), "main")
            self.assert_one_line_error(done, why)

    def test_live_probes_are_refused_while_a_debugger_traces(self):
        self.start("--time=none")
        tracer = self.work / "tracer"
        source = self.work / "tracer.c"
        source.write_text("""
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
int main(int argc, char **argv)
{
	if (ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0))
		return 1;
	puts("traced");
	fflush(stdout);
	return getchar();
}
""", encoding="utf-8")
        self.compile("tracer", source=source)
        with subprocess.Popen([tracer, str(self.pid)], text=True,
                              stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as traces:
            self.assertEqual(traces.stdout.readline(), "traced\n")
            self.assertIn("traces it",
                          self.probe("add", "work", status=1))
            traces.stdin.close()
        self.probe("add", "work")
        self.tell("p")
        self.end()
        self.assertEqual(self.hits("p1"), [CALLS])


class Attached(Case):
    attaches = True

    def test_live_probes_end_when_clew_detaches(self):
        self.start("--time=none", "--probe=one%return")
        self.tell("p")
        self.probe("add", "work")
        self.tell("p")
        self.probe("ls")
        self.assertEqual([row[:2] for row in self.rows.values()],
                         [(2 * 500, "jump"), (CALLS, "stub")])
        self.probe("rm", "p2")
        self.tell("p")
        code = self.code()
        self.detached = self.detach()
        self.assertEqual(self.hits("p1", "p2"), [3 * 500, CALLS])
        self.assertNotEqual(code, self.code())
        self.tell("p")
        self.recording_path = self.work / "second.out"
        self.attach("--time=none", "--probe=work")
        self.tell("p")
        self.end()
        self.assertEqual(len(set(self.said)), 1)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual({one["place"]: one["hits"]
                          for one in report["probes"]}["work"], CALLS)

    def test_live_probes_are_refused_in_changed_code(self):
        """The program overwrites its own code before clew reads it."""
        source = self.work / "changes.c"
        source.write_text(CHANGES, encoding="utf-8")
        self.program = self.compile("changes", "-O2", source=source)
        self.start("--time=none")
        self.assertIn("code in memory differs from the file",
                      self.probe("add", "changed+8", status=1))
        self.probe("add", "changed+13")
        self.assertEqual(self.rows["p1"][1], "jump")
        self.end()

    def test_each_attachment_has_its_own_actions(self):
        acting = ["--probe=one%return", "--action=record $rsp"]
        self.start("--time=none", *acting)
        self.tell("p")
        self.detach()
        self.assert_kept("p1", 500)
        self.tell("p")
        self.recording_path = self.work / "second.out"
        self.attach("--time=none", "--probe=work", *acting)
        self.tell("p")
        self.tell("p")
        self.end()
        self.assert_kept("p2", 2 * 500)

    def assert_kept(self, name, count):
        report = self.clew_json("report", "--json", "--events",
                                self.recording_path)
        self.assertEqual({event["name"] for event in report["events"]},
                         {f"{name}: one%return"})
        self.assertEqual([len(event["values"]) for event in
                          report["events"]], [1] * count)

    def code(self):
        """Returns the current bytes of the program's text."""
        with open(f"/proc/{self.pid}/maps", encoding="utf-8") as maps, \
                open(f"/proc/{self.pid}/mem", "rb") as memory:
            for line in maps:
                if " r-xp " in line and line.rstrip().endswith("/told"):
                    start, end = (int(at, 16) for at in
                                  line.split()[0].split("-"))
                    memory.seek(start)
                    return memory.read(end - start)
        return None

    def test_detaching_restores_the_code_of_probes(self):
        self.attaches = False
        command = [self.program]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.see_to_its_end()
        before = self.code()
        self.attaches = True
        self.attach("--probe=work", "--probe=one%return", "--probe=two")
        self.tell("n")
        self.assertNotEqual(before, self.code())
        self.detach()
        self.assertEqual(before, self.code())
        self.tell("s")
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 3)

    def test_an_impossible_probe_is_reported_when_clew_attaches(self):
        self.start("--probe=work", "--probe=nothing")
        self.assertTrue(any("probe nothing: no hooked module has a function "
                            "of that name" in line
                            for line in self.attached), self.attached)
        self.tell("p")
        self.controller.terminate()
        self.controller.stderr.read()
        # since one process was refused
        self.assertEqual(self.controller.wait(), 2)
        self.assertEqual(self.hits("p1"), [CALLS])


if __name__ == "__main__":
    clewtest.main()
