#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`kill -9` at any moment loses no call that was made before."""
import os
import random
import shutil
import signal
import struct
import subprocess

from lib import clewtest, wire
from lib.clewtest import slow, target

ROUNDS = 60
ACKNOWLEDGEMENT = struct.Struct("<QQ")


class Kill(clewtest.Case):
    record_options = ()

    def run_and_kill(self, after_bytes):
        """Kills the whole group; returns all acknowledgements in order."""
        process = subprocess.Popen(
            [str(a) for a in self.record_command([target("acknowledge")],
                                                 self.record_options)],
            stdout=subprocess.PIPE, env=self.environment, cwd=self.work,
            start_new_session=True)
        with process.stdout:
            said = process.stdout.read(after_bytes)
            os.killpg(process.pid, signal.SIGKILL)
            said += process.stdout.read()
        process.wait(clewtest.TIMEOUT_S)
        whole = len(said) // ACKNOWLEDGEMENT.size * ACKNOWLEDGEMENT.size
        return list(ACKNOWLEDGEMENT.iter_unpack(said[:whole]))

    def test_nothing_that_was_acknowledged_is_missing(self):
        randomness = random.Random(9)
        for number in range(ROUNDS):
            # The range is from before the first table grows to well after it.
            after = ACKNOWLEDGEMENT.size * randomness.randrange(1, 3000)
            with self.subTest(round=number, after=after):
                step, step_other = self.run_and_kill(after)[-1]
                part = self.recording().parts[0]
                self.assertEqual(part.state, wire.RUNNING)
                counts = self.calls_by_thread(part)
                self.assertGreaterEqual(counts["main"], step)
                self.assertGreaterEqual(counts.get("thread", 0), step_other)
                self.assertEqual(self.clew("report", self.recording_path)
                                 .returncode, 0)

    def test_recording_of_a_killed_process_packs_small(self):
        """Packs the parts of a killed process and of its relatives with tar."""
        process = subprocess.Popen(
            [str(a) for a in self.record_command(
                ["/bin/sh", "-c", f"{target('acknowledge')} & wait $!; :"])],
            stdout=subprocess.PIPE, env=self.environment, cwd=self.work)
        with process.stdout:
            process.stdout.read(ACKNOWLEDGEMENT.size * 2000)
            killed = max((part for part in self.recording().parts
                          if part.seq), key=lambda part: part.start_ns)
            self.assertGreater(killed.path.stat().st_size, 100 * killed.end)
            os.kill(killed.pid, signal.SIGKILL)
            process.stdout.read()
        process.wait(clewtest.TIMEOUT_S)
        left = self.recording().part(killed.pid, killed.seq)
        self.assertEqual(left.state, wire.RUNNING)
        self.assertEqual(left.path.stat().st_size, left.end)
        packed = self.work / "packed.tar"
        subprocess.run(["tar", "cf", packed, self.recording_path.name],
                       cwd=self.work, check=True)
        on_disk = sum(path.stat().st_blocks * 512
                      for path in self.recording_path.iterdir())
        self.assertLess(packed.stat().st_size, 2 * on_disk)

    def test_uncut_files_are_read_and_merged(self):
        """`clew record` is killed with the program, so the files keep their
        full length."""
        self.record_options = ["--trace=1M"]
        self.run_and_kill(ACKNOWLEDGEMENT.size * 500)
        traces = list(self.recording_path.glob("*.trace"))
        for path in [*traces, *self.recording_path.glob("*.part")]:
            self.assertGreater(path.stat().st_size, 200 << 20)
        merged = self.work / "merged"
        done = self.clew("merge", "-o", merged, self.recording_path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for path in merged.iterdir():
            self.assertLess(path.stat().st_size, 8 << 20, path.name)
        for command in "report", "tree":
            shown = [self.clew(command, path) for path in
                     (self.recording_path, merged)]
            self.assertEqual([one.returncode for one in shown], [0, 0])
            self.assertEqual(*(one.stdout.split("\ntotal")[0]
                               for one in shown))

    def calls_by_thread(self, part):
        """Returns the largest counts in the main thread's tally and the other
        thread's."""
        tallies = {tid: part.tallies[tally]
                   for tid, tally, _ in part.threads}
        return {("main" if tid == part.pid else "thread"):
                max(part.counts([tally]).values(), default=0)
                for tid, tally in tallies.items()}

    @slow
    def test_recording_killed_while_it_starts_is_readable(self):
        """Any recording that exists can be read."""
        for number in range(40):
            shutil.rmtree(self.recording_path, ignore_errors=True)
            process = subprocess.Popen(
                [str(a) for a in self.record_command(["/usr/bin/python3",
                                                      "-c", "pass"])],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=self.environment, cwd=self.work, start_new_session=True)
            # Each round kills at a later moment, chosen by the recording's
            # size.
            self.wait_for_bytes(process, number * 20000)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait(clewtest.TIMEOUT_S)
            done = self.clew("report", self.recording_path)
            with self.subTest(round=number):
                self.assertGreaterEqual(done.returncode, 0, done.stderr)
                if done.returncode:
                    self.assertEqual(len(done.stderr.splitlines()), 1,
                                     done.stderr)

    def test_empty_trace_file_of_a_killed_process_is_no_error(self):
        """The report shows the remaining files without an error."""
        self.record(["/bin/sh", "-c", "/bin/true; (/bin/ls); exit"],
                    ["--trace"])
        first, second, *_ = self.recording_path.glob("*.trace")
        first.write_bytes(b"")
        second.write_bytes(bytes(8192))
        (self.recording_path / "1.0.part").write_bytes(b"")
        for command in "report", "tree", "trace", "list":
            with self.subTest(command):
                done = self.clew(command, self.recording_path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotRegex(done.stdout + done.stderr,
                                    "is not a (recording|trace)")
        left = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual([text.rsplit(": ")[-1]
                          for text in left["problems"]],
                         3 * ["the file is empty (the process was killed, or "
                              "has just started)"])

    def wait_for_bytes(self, process, wanted):
        while process.poll() is None:
            size = sum(path.stat().st_blocks * 512 for path in
                       self.recording_path.glob("*.part"))
            if size >= wanted:
                return

    def test_exit_without_handlers_loses_no_call(self):
        for ending in ("os._exit(3)", "os.kill(os.getpid(), 9)",
                       "os.execl('/bin/true', 'true')"):
            with self.subTest(ending):
                self.record(["/usr/bin/python3", "-c", f"import os; {ending}"])
                part = self.recording().parts[0]
                self.assertEqual(part.state, wire.RUNNING)
                self.assertGreater(sum(part.counts().values()), 10000)
                self.assertEqual(part.path.stat().st_size, part.end,
                                 "nothing is left of what it kept ahead")


if __name__ == "__main__":
    clewtest.main()
