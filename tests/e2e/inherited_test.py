#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A forked child's part refers to its ancestors' parts for shared data."""
import collections
import json
import pathlib
import resource
import shutil
import subprocess

from lib import clewtest, wire
from lib.clewtest import PYTHON, slow, target, until

SAMPLES_BYTES = 16384
SMALL_BYTES = 8192
NOT_SHOWN = 1  # status of an incomplete report


class Case(clewtest.Case):
    def generations(self, *words):
        program = target("generations")
        return [program, pathlib.Path(program).parent, *words]

    def read_counts(self, output):
        """Returns {pid: {(module, vaddr): calls}} and {pid: unloaded
        libraries}."""
        calls, unloaded = collections.defaultdict(dict), {}
        for line in output.decode().splitlines():
            pid, what, *rest = line.split()
            if what == "unloaded":
                unloaded.setdefault(int(pid), set()).add(rest[0])
            else:
                module = "generations" if what == "-" else what
                calls[int(pid)][module, int(rest[0], 0)] = int(rest[1])
        return calls, unloaded

    def shown(self, *options):
        """Returns {(module, vaddr): calls} as the report shows it."""
        report = self.clew_json("report", "--json", "-n", "0", *options)
        self.assertEqual(report["problems"], [])
        return calls_of(report)

    def counted(self, part):
        """Returns the calls as the tests' own reader finds them."""
        calls = collections.Counter()
        counts = part.counts()
        for context in part.contexts().values():
            function = part.functions[context.function]
            calls[function.module.name, function.vaddr] += \
                counts.get(context.id, 0)
        return calls

    def assert_exact(self, output, count=4):
        recording = self.recording()
        calls, unloaded = self.read_counts(output)
        self.assertEqual(len(calls), count)
        for pid, wanted in calls.items():
            part = recording.part(pid)
            self.assert_nothing_lost(part)
            self.assert_callers_are_recorded(part)
            found = self.counted(part)
            shown = self.shown(f"--process={pid}", self.recording_path)
            for name, expected in wanted.items():
                with self.subTest(pid=pid, name=name):
                    self.assertEqual(found[name], expected)
                    self.assertEqual(shown[name], expected)
            # A library that another process has unloaded is still loaded in
            # this one.
            gone = {m.name for m in part.modules if m.unloaded_ns}
            self.assertEqual(gone, unloaded.get(pid, set()))
        return recording, calls


class Generations(Case):
    def test_libraries_loaded_before_and_after_forks_are_counted(self):
        for time in "cpu", "exact", "none":
            with self.subTest(time=time):
                shutil.rmtree(self.recording_path, ignore_errors=True)
                done = self.record(self.generations(), [f"--time={time}"])
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                recording, _ = self.assert_exact(done.stdout)
                first, child, *_ = recording.parts
                self.assertEqual({pid for _, pid, _ in child.inherited},
                                 {first.pid})

    def test_a_grandchild_names_the_part_that_a_chunk_is_in(self):
        self.record([PYTHON, "-S", "-c",
                     "import os\n"
                     "for i in range(3):\n"
                     "    if os.fork(): os.wait(); os._exit(0)\n"])
        first, *others = self.recording().parts
        self.assertEqual(len(others), 3)
        for part in others:
            self.assertEqual({pid for _, pid, _ in part.inherited},
                             {first.pid})
            self.assertEqual([m.path for m in part.modules],
                             [m.path for m in first.modules])
            self.assertEqual(part.arguments, first.arguments)
            self.assertNotIn(wire.MODULE,
                             [kind for kind, _ in part.chunk_sizes()])

    def test_children_outlive_their_parent(self):
        done = self.record(self.generations("orphans"))
        # clew waits for the first process only; the end of the pipe means that
        # all have exited.
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assert_exact(done.stdout)

    def test_generations_are_read_while_all_run(self):
        """Parents' files are long and still grow when a child's part is
        read."""
        process = subprocess.Popen(
            [str(a) for a in self.record_command(self.generations("paused"))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=self.environment, cwd=self.work)
        with process.stdin, process.stdout:
            until(lambda: len(list(self.recording_path.glob("*.part"))) == 4
                  and self.shown(self.recording_path)["libplugin_b.so",
                                                      self.inner()] == 91)
            self.assertEqual(
                self.clew("report", self.recording_path).stderr, "")
            said = process.communicate(b"\n", clewtest.TIMEOUT_S)[0]
        self.assertEqual(process.returncode, 0)
        self.assert_exact(said)

    def inner(self):
        """Returns the address of plugin_inner, from a run without clew."""
        calls, _ = self.read_counts(
            self.run_program(self.generations()).stdout)
        return next(vaddr for counts in calls.values()
                    for module, vaddr in counts if module == "libplugin_b.so")


class CallNothing(Case):
    """Tests children that have called nothing yet, or nothing at all."""

    def child_of(self, how, *options):
        """Returns the child's part and the paths of its contexts in the
        program."""
        done = self.record(self.generations(how), options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        pid, _, vaddr = done.stdout.split()
        part = self.recording().part(int(pid))
        self.outer = int(vaddr, 0)
        self.assert_nothing_lost(part)
        self.assert_callers_are_recorded(part)
        return part

    def path(self, part, name):
        """Returns the addresses of a context's functions, outermost first."""
        contexts, found = part.contexts(), []
        while name:
            found.insert(0, part.functions[contexts[name].function].vaddr)
            name = contexts[name].parent
        return found

    def test_files_of_idle_children_are_small(self):
        for time in "cpu", "none":
            with self.subTest(time=time):
                shutil.rmtree(self.recording_path, ignore_errors=True)
                self.record(self.generations("idle", 3), [f"--time={time}"])
                first, *others = self.recording().parts
                self.assertEqual(len(others), 3)
                for part in others:
                    size = part.path.stat()
                    # The first sample of a child that was slow needs a chunk.
                    most = SMALL_BYTES + (SAMPLES_BYTES if part.samples else 0)
                    self.assertLessEqual(part.end, most)
                    self.assertLessEqual(size.st_size, most)
                    self.assertLessEqual(size.st_blocks * 512, most)
                    self.assertEqual(sum(part.counts().values()), 0)
                    self.assert_nothing_lost(part)
                    self.assertEqual([m.path for m in part.modules],
                                     [m.path for m in first.modules])
                self.assert_no_problem()

    def test_time_of_idle_children_belongs_to_their_callers(self):
        part = self.child_of("burns", "--time=cpu")
        self.assertGreater(len(part.samples), 5)
        for sample in part.samples:
            self.assertEqual(self.path(part, sample.id)[-1], self.outer)
        self.assertGreater(sum(s.weight_ns for s in part.samples), 10**8)
        self.assertEqual(sum(part.counts().values()), 0)

    def test_longjmp_out_of_inherited_calls_is_followed(self):
        for time in "cpu", "none", "exact":
            with self.subTest(time=time):
                shutil.rmtree(self.recording_path, ignore_errors=True)
                part = self.child_of("jumps", f"--time={time}")
                (name, calls), = part.counts().items()
                self.assertEqual(calls, 1)
                path = self.path(part, name)
                self.assertNotIn(self.outer, path)
                self.assertGreaterEqual(len(path), 2)


class Many(Case):
    PROCESSES = 2000

    @slow
    def test_two_thousand_children_are_reported_within_a_second(self):
        """The limit is one second of CPU time; the report takes a tenth of
        that."""
        self.record(self.generations("idle", self.PROCESSES), ["--time=none"])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = self.clew("report", self.recording_path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        self.assertIn(f"{self.PROCESSES + 1:,} processes", report.stdout)
        self.assertLess(after.ru_utime + after.ru_stime -
                        before.ru_utime - before.ru_stime, 1)


class Elsewhere(Case):
    def test_a_snapshot_of_a_child_stands_alone(self):
        self.record([PYTHON, "-S", "-c",
                     "import os, signal\n"
                     "if os.fork(): os.wait(); os._exit(0)\n"
                     "abs(1)\n"
                     "os.kill(os.getpid(), signal.SIGUSR2)\n"],
                    ["--snapshot-on=USR2"])
        taken, = self.recording_path.glob("*.snapshot*")
        _, child = self.recording().parts
        shutil.move(taken, self.work / "alone")
        shutil.rmtree(self.recording_path)
        part, = wire.Recording(self.work / "alone").parts
        self.assertEqual(part.inherited, [])
        self.assertEqual({m.path for m in part.modules},
                         {m.path for m in child.modules})
        self.assertEqual(part.arguments, child.arguments)
        shown = self.shown(self.work / "alone")
        self.assertGreater(sum(shown.values()), 0)
        self.assertLessEqual({module for module, _ in shown},
                             {m.name for m in child.modules})

    def test_merged_children_need_no_earlier_part(self):
        done = self.record(self.generations())
        once = self.shown(self.recording_path)
        merged = self.work / "merged"
        self.assertEqual(self.clew("merge", "-o", merged, self.recording_path,
                                   self.recording_path).returncode, 0)
        shutil.rmtree(self.recording_path)
        self.assertEqual(self.shown(merged),
                         {name: 2 * calls for name, calls in once.items()})
        calls, _ = self.read_counts(done.stdout)
        self.assertEqual(sum(once[name] for name in
                             {name for counts in calls.values()
                              for name in counts}),
                         sum(sum(counts.values())
                             for counts in calls.values()))


class Missing(Case):
    def setUp(self):
        super().setUp()
        self.record(self.generations())
        self.first, self.child, *_ = self.recording().parts

    def check(self, why):
        """Checks that the report shows the remaining calls, without the names
        of their functions."""
        report = self.clew("report", "--json", "-n", "0",
                           f"--process={self.child.pid}", self.recording_path)
        self.assert_one_line(report, "the rest is shown")
        self.assertEqual(report.returncode, NOT_SHOWN)
        self.assertTrue(any(
            problem.startswith(f"{self.child.path.name}: ") and
            problem.endswith(f"{self.first.path.name}, {why}")
            for problem in json.loads(report.stdout)["problems"]),
            report.stdout)
        calls = calls_of(json.loads(report.stdout))
        self.assertEqual(sum(calls.values()),
                         sum(self.child.counts().values()))
        self.assertIn((None, None), calls)

    def test_missing_part_of_a_parent_is_reported(self):
        self.first.path.unlink()
        self.check("does not exist")

    def test_truncated_part_of_a_parent_is_reported(self):
        with self.first.path.open("r+b") as file:
            file.truncate(6000)
        self.check("is truncated or damaged")

    def test_part_of_another_process_is_not_used(self):
        shutil.copy(self.recording().parts[2].path, self.first.path)
        self.check("belongs to another process")

    def test_damaged_chunk_of_a_parent_is_reported(self):
        _, _, offset = next(i for i in self.child.inherited
                            if i[0] == wire.MODULE)
        with self.first.path.open("r+b") as file:
            file.seek(offset)
            file.write(b"\xff" * 64)
        self.check("is truncated or damaged")


def calls_of(report):
    """Returns {(module, vaddr): calls}; unknown functions have (None, None)."""
    calls = collections.Counter()
    for row in report["functions"]:
        module = row.get("module")
        calls[module and module.rsplit("/", 1)[-1],
              module and int(row["vaddr"], 0)] += row["calls"]
    return calls


if __name__ == "__main__":
    clewtest.main()
