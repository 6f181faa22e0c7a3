#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs that are linked with libclew-agent get answers while clew is
attached."""
import sys

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import BUILD, ROOT, kill_with_guardian

# For each number that it reads, asks clew below that many calls, compares the
# answers with what it has called, and prints whether clew is absent.
PROGRAM = r"""
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "agent/clew.h"

#define PLACE __attribute__((noipa))
#define ROOM 64
#define EXPECT(what) expect(what, #what)

struct site {
	uint64_t row;
	long depth;
};

static const struct clew_value columns[] = { { "asked", CLEW_NUMBER } };
static struct clew_nodes *nodes;
static struct clew_values *values;
static int errors;

static void expect(int is, const char *what)
{
	errors += !is;
	if (!is)
		fprintf(stderr, "%s\n", what);
}

PLACE void asks(long depth);
PLACE void below(long depth, long left)
{
	if (left)
		below(depth, left - 1);
	else
		asks(depth);
	errors += 0; /* no tail call */
}
PLACE void request(long depth)
{
	below(depth, depth);
	errors += 0;
}

static void check_frames(uint64_t id, long depth)
{
	struct clew_frame frames[ROOM];
	const int count = clew_stack(id, frames, ROOM);

	EXPECT(count >= depth + 3 && count < ROOM);
	EXPECT(frames[0].id == id);
	EXPECT(frames[0].function == (const void *)asks);
	for (long i = 1; i <= depth + 1; i++)
		EXPECT(frames[i].function == (const void *)below);
	EXPECT(frames[depth + 2].function == (const void *)request);
	for (int i = 0; i + 1 < count; i++)
		EXPECT(clew_parent(frames[i].id) == frames[i + 1].id);
	EXPECT(clew_depth(id) == (uint32_t)count);
}

static void count(uint64_t id, long depth)
{
	struct site *site = clew_node(nodes, id);

	if (!site) {
		site = calloc(1, sizeof(*site));
		site->depth = depth;
		clew_node_add(nodes, id, site);
	}
	EXPECT(site->depth == depth);
	if (!values)
		values = clew_values_new(columns, 1);
	EXPECT(values != NULL);
	if (!clew_row_is_there(values, site->row))
		site->row = clew_row_new(values, id);
	EXPECT(clew_value_add(values, site->row, 0, 1) > 0);
}

static void expect_absence(void)
{
	struct clew_frame frame;
	struct clew_checks checks;

	EXPECT(!clew_context().id && !clew_id() && !clew_depth(1));
	EXPECT(clew_stack(1, &frame, 1) == -ENODEV);
	EXPECT(clew_confidence(&checks) == -ENODEV);
	EXPECT(!clew_row_is_there(values, UINT64_C(1) << 32 | 1));
	EXPECT(!clew_values_new(columns, 1));
}

PLACE void asks(long depth)
{
	const struct clew_here here = clew_context();
	struct clew_checks checks;

	clew_mark("seen", (uint64_t)depth);
	if (!here.flags) {
		expect_absence();
	} else {
		EXPECT(here.flags == (CLEW_IS_COUNTED | CLEW_IS_RECORDED));
		EXPECT(here.id != 0 && here.id == clew_id());
		EXPECT(here.depth == clew_depth(here.id));
		EXPECT(clew_confidence(&checks) == 0);
		check_frames(here.id, depth);
		count(here.id, depth);
		EXPECT(clew_unhook() == -ENODEV);
	}
	printf("%s, %d errors\n", here.flags ? "present" : "absent", errors);
}

int main(void)
{
	long depth;

	nodes = clew_nodes_new();
	while (printf("ready\n"), fflush(stdout), scanf("%ld", &depth) == 1)
		request(depth);
	return 0;
}
"""


class Agents(Attached):
    DEPTHS = 0, 3, 3, 1, 0, 3

    def setUp(self):
        super().setUp()
        folder = BUILD / "agent"
        done = self.run_program(
            ["cc", "-O1", "-g", f"-I{ROOT}", "-o", "asks", "-x", "c", "-",
             f"-L{folder}", f"-Wl,-rpath,{folder}", "-lclew-agent"],
            input=PROGRAM.encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.start_to_talk(self.work / "asks")
        self.assertEqual(self.process.stdout.readline(), "ready\n")

    def ask(self, answer):
        for depth in self.DEPTHS:
            self.process.stdin.write(f"{depth}\n")
            self.process.stdin.flush()
            said = self.process.stdout.readline()
            self.said.seek(0)
            self.assertEqual(said, f"{answer}, 0 errors\n", self.said.read())
            self.assertEqual(self.process.stdout.readline(), "ready\n")

    def assert_recorded(self):
        report = self.clew_json("report", "--json", "--value=asked",
                                self.recording_path)
        rows = {row["name"]: row for row in report["functions"]}
        self.assertEqual(rows["asks"]["calls"], len(self.DEPTHS))
        self.assertEqual(rows["asks"]["self_value"], len(self.DEPTHS))
        self.assertEqual(rows["below"]["calls"],
                         sum(self.DEPTHS) + len(self.DEPTHS))
        self.assertFalse({name for name in rows if name.startswith("clew_")})
        marks = self.clew_json("report", "--json", "--marks",
                               self.recording_path)["marks"]
        self.assertEqual([(mark["name"], mark["moments"]) for mark in marks],
                         [("seen", len(self.DEPTHS))])

    def test_a_program_is_answered_while_clew_is_attached(self):
        self.ask("absent")
        for options in ((), ("--time=none",), ("--time=exact",), ("--libc",),
                        ("--budget=5%",), ()):
            with self.subTest(options):
                controller = self.attach(self.process, *options)
                self.ask("present")
                self.detach(controller)
                self.assert_as_before(self.process)
                self.ask("absent")
                self.assert_recorded()
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 0)

    def test_a_program_is_answered_after_the_controller_is_killed(self):
        kill_with_guardian(self.attach(self.process))
        self.ask("present")
        done = self.clew("detach", self.process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.ask("absent")
        self.assert_recorded()

    def test_a_library_that_is_loaded_meanwhile_is_answered(self):
        """A program opens libclew-agent after clew has attached to it."""
        self.start_to_talk(sys.executable, "-c", (
            "import ctypes, sys\n"
            "agent = None\n"
            "for line in sys.stdin:\n"
            "    agent = agent or ctypes.CDLL(line.strip())\n"
            "    agent.clew_stack(1, None, 0)\n"
            "    print(agent.clew_stack(1, None, 0), flush=True)\n"))
        controller = self.attach(self.process)
        for answer in "-2\n", "-19\n":  # ENOENT, ENODEV
            self.process.stdin.write(
                f"{BUILD / 'agent' / 'libclew-agent.so.0'}\n")
            self.process.stdin.flush()
            self.assertEqual(self.process.stdout.readline(), answer)
            if answer == "-2\n":
                self.detach(controller)
        self.assert_as_before(self.process)


if __name__ == "__main__":
    clewtest.main()
