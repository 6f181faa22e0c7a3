#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Under limits of memory and of mappings, no program ends because clew exhausts them."""
import json
import pathlib
import re
import resource
import subprocess

from lib import attached, clewtest, isolation, wire
from lib.clewtest import needs, target

MIB = 1 << 20


class Recorded(clewtest.Case):
    """clew record in a control group folds contexts before memory reaches the limit."""

    PROGRAM = [target("contexts"), "10", "6", "1"]  # 1,111,110 contexts
    CALLS = 1111110

    def check(self, limit, *options):
        group = isolation.memory_group(self, limit)
        self.before_exec = group.join
        native = self.run_program(self.PROGRAM)
        self.assertEqual(native.returncode, 0)
        recorded = self.record(self.PROGRAM, ["--fold-recursion=never",
                                              *options])
        self.assertEqual((recorded.returncode, recorded.stdout),
                         (0, native.stdout), recorded.stderr)
        self.before_exec = None
        part, = self.recording().parts
        self.assert_nothing_lost(part)
        return part

    def check_folds(self, limit, *options):
        part = self.check(limit, "-m", "contexts", *options)
        folds = part.folds()
        self.assertGreater(folds[wire.FOLD_GROUP], 0)
        self.assertEqual(sum(folds), folds[wire.FOLD_GROUP])
        self.assertGreaterEqual(sum(part.counts().values()), self.CALLS)

    def test_many_contexts_fold_and_the_report_says_why(self):
        self.check_folds(100 * MIB)
        report = self.details(self.recording_path)
        self.assertIn("the limit of its control group", report)

    def test_contexts_with_exact_times_fold_as_well(self):
        self.check_folds(100 * MIB, "--time=exact")

    def test_a_smaller_group_folds_more(self):
        self.check_folds(40 * MIB)

    def test_requested_tables_leave_a_reserve(self):
        self.check_folds(40 * MIB, "--max-contexts", "2M")

    def trace_with_workers(self, limit):
        """Returns the report of a trace whose calls clew record counts."""
        group = isolation.memory_group(self, limit)
        self.before_exec = group.join
        recorded = self.record(self.PROGRAM, [
            "-m", "contexts", "--trace=16M", "--on-overflow=wait",
            "--workers=2"])
        self.assertEqual((recorded.returncode, recorded.stderr), (0, b""))
        self.before_exec = None
        report = self.clew("report", "--json", self.recording_path).stdout
        functions = json.loads(report)["functions"]
        self.assertEqual(sum(row["calls"] for row in functions
                             if row["calls"]), self.CALLS + 2)
        return self.details(self.recording_path)

    def test_workers_that_lack_memory_leave_counting_to_the_program(self):
        """clew record's tables need 130 MB, and the limit must not kill it."""
        report = self.trace_with_workers(60 * MIB)
        self.assertIn("clew record had too little memory", report)

    def test_workers_with_memory_count_until_the_end(self):
        report = self.trace_with_workers(2048 * MIB)
        self.assertNotIn("too little memory", report)

    @needs("redis-server")
    def test_large_modules_are_left_alone_in_a_small_group(self):
        """All stubs would need 27 MB, so hooking every module would kill the server."""
        group = isolation.memory_group(self, 24 * MIB)
        self.before_exec = group.join
        done = self.record(["redis-server", "--version"], ["--no-prelinking"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.before_exec = None
        report = self.details(self.recording_path)
        self.assertIn("too little memory, address space or mappings", report)

    def test_a_group_with_room_folds_nothing(self):
        part = self.check(2048 * MIB, "-m", "contexts")
        self.assertEqual(sum(part.folds()), 0)


class Attached(attached.Attached):
    """clew attach refuses, before it changes anything, if it lacks resources."""

    def refuse(self, process, *numbers, options=()):
        maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
        done = self.clew("attach", "--for", "10ms", "-o", self.recording_path,
                         *options, process.pid)
        self.assertEqual(done.returncode, 1, done.stderr)
        for number in numbers:
            self.assertRegex(done.stderr, number)
        self.assert_as_before(process)
        self.assertNotIn("libclew", maps)
        self.assertEqual(
            pathlib.Path(f"/proc/{process.pid}/maps").read_text(), maps)
        self.assertFalse(self.recording_path.exists())
        return done.stderr

    def sleeper(self, **options):
        """Starts sleep(1), and returns its process once it sleeps."""
        process = self.start(["sleep", "1000"], **options)
        status = pathlib.Path(f"/proc/{process.pid}/status")
        self.assertTrue(clewtest.until(
            lambda: "Name:\tsleep" in status.read_text() and
            "State:\tS" in status.read_text()))
        return process

    def record_briefly(self, process, *options):
        done = self.clew("attach", "--for", "10ms", "-o", self.recording_path,
                         *options, process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(process)

    def redis_with(self, limit):
        """Starts redis-server in a control group with this limit. Returns its process
        and the group.
        """
        group = isolation.memory_group(self, limit)
        server, _ = self.redis()
        group.join(server.pid)
        return server, group

    @needs("redis-server")
    def test_a_server_without_room_is_refused_and_goes_on(self):
        server, group = self.redis_with(24 * MIB)
        said = self.refuse(server, r"needs about \d+ MB",
                           r"has \d+ MB left of 24 MB")
        self.assertIn(f"cgroup {self.path_in(group)} ", said)
        self.assertIn("-m MODULE, -f REGEX: about", said)

    def path_in(self, group):
        parts = pathlib.Path(group.folder).parts
        return "/" + parts[-1]

    @needs("redis-server")
    def test_server_without_room_for_all_functions_attaches_with_fewer(self):
        server, _ = self.redis_with(24 * MIB)
        self.record_briefly(server, "-f", "^EVP_")

    @needs("redis-server")
    def test_a_group_with_room_is_no_obstacle(self):
        server, group = self.redis_with(64 * MIB)
        for options in ["--time=cpu"], ["--time=none"]:
            self.record_briefly(server, *options)
        self.assertIsNone(server.poll())
        del group

    def test_a_group_above_counts_as_well(self):
        group = isolation.memory_group(self, 3 * MIB)
        inner = isolation.Cgroup(group.folder / "inner")
        inner.folder.mkdir()
        self.addCleanup(inner.remove)
        process = self.sleeper()
        inner.join(process.pid)
        self.refuse(process, "left of 3 MB")

    def test_little_address_space_is_refused(self):
        """With so little space, clew could attach but not detach."""
        for limit, option in ((resource.RLIMIT_AS, "-v"),
                              (resource.RLIMIT_DATA, "-d")):
            process = self.sleeper(
                preexec_fn=lambda limit=limit:
                resource.setrlimit(limit, (150 * MIB, 150 * MIB)))
            with self.subTest(option):
                self.refuse(process, "needs about 22. MB of address space",
                            f"left of 150 MB .ulimit {option}.")

    def many_mappings(self, left):
        return self.start([target("many_mappings"), str(left)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True)

    def failures(self, process):
        process.stdin.write("\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    def close(self, process):
        process.stdin.close()
        process.stdout.close()

    def test_process_near_its_limit_of_mappings_is_refused(self):
        process = self.many_mappings(150)
        self.addCleanup(self.close, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertEqual(self.failures(process), 0)
        said = self.refuse(process, r"needs about \d+ mappings",
                           r"has 1\d\d left of [\d,]+ \(vm.max_map_count")
        self.assertIn("for the program", said)
        self.assertEqual(self.failures(process), 0)

    def test_process_with_enough_mappings_can_map_while_attached(self):
        process = self.many_mappings(3000)
        self.addCleanup(self.close, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.record_briefly(process)
        self.assertEqual(self.failures(process), 0)


class Estimated(attached.Attached):
    """The estimate is not below the memory that clew uses, nor far above it."""

    @needs("redis-server")
    def test_memory_of_a_server_is_near_the_estimate(self):
        group = isolation.memory_group(self, 1024 * MIB)
        self.before = None
        server, _ = self.redis()
        group.join(server.pid)
        name = "memory.max_usage_in_bytes"
        if not (group.folder / name).exists():
            self.skipTest("no peak of memory here")
        group.write(name, 0)
        before = int(group.read(name))
        controller = self.attach(server)
        used = (int(group.read(name)) - before) / MIB
        self.detach(controller)
        group.write("memory.limit_in_bytes", 8 * MIB)
        said = self.clew("attach", "-o", self.recording_path,
                         server.pid).stderr
        estimate = int(re.search(r"needs about (\d+) MB", said)[1])
        self.assertLess(used, estimate + 1, said)
        self.assertGreater(used, estimate / 2, said)


if __name__ == "__main__":
    clewtest.main()
