#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` refuses a process that reports wrong numbers, and does nothing
else."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess

from lib import clewtest
from lib.attached import Attached
from lib.clewtest import PYTHON, ROOT, needs

TARGETS = ROOT / "tests" / "targets"
RACES = 10
TRUNCATIONS = 4
NOPS, CPU_SECONDS = 120 << 20, 2

# A statement that replaces a number of the genuine library, and a word of the
# refusal.
OUT_OF_BOUNDS = (
    ("clew_attachment.frame_max = UINT64_MAX", "frame_max"),
    ("clew_attachment.frame_max = (uint64_t)1 << 50", "frame_max"),
    ("clew_attachment.text_count = UINT64_MAX", "text_count"),
    ("clew_attachment.variable_bytes = UINT64_MAX", "variable_bytes"),
    ("clew_attachment.word_count = UINT64_MAX", "word_count"),
    ("clew_attachment.frames = UINT64_MAX - 8", "frames"),
    ("clew_attachment.controller = UINT32_MAX", "controller"),
    ("clew_attachment.state = 1000", "state"),
    ("clew_attachment.runtimes = 1000", "runtimes"),
    ("clew_attachment.result = 1", "result"),
    ("clew_attachment.result = INT32_MIN", "result"),
    ("clew_attachment.text_count = 1; texts[0].bytes = 255", "code"),
    ("clew_attachment.text_count = 1; texts[0].bytes = 10; "
     "texts[0].at = UINT64_MAX - 2", "code"),
)


def stack_readers(controller, target):
    """Returns the controller's children whose only descriptor is the target's
    memory."""
    path = pathlib.Path(f"/proc/{controller}/task/{controller}/children")
    return [int(child) for child in path.read_text().split()
            if files_of(child) == [f"/proc/{target}/mem"]]


def files_of(pid):
    try:
        return [os.readlink(file)
                for file in pathlib.Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return []


@needs("gcc")
class Hostile(Attached):
    def build(self, *arguments):
        subprocess.run(["gcc", "-O1", "-fno-optimize-sibling-calls", "-I", ROOT,
                        *arguments], cwd=self.work, check=True)

    def start_hostile(self, *arguments, name="hostile"):
        """Starts this program and waits until it is ready."""
        program = self.work / name
        if not program.exists():
            self.build("-pthread", "-o", program, TARGETS / f"{name}.c")
        process = self.start([program, *arguments], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def start_fake(self, **statements):
        """Starts a process whose libclew.so contains these statements."""
        folder = self.work / "fake"
        folder.mkdir(exist_ok=True)
        library = folder / "libclew.so"
        library.unlink(missing_ok=True)
        self.build("-shared", "-fPIC", "-o", library,
                   *(f"-D{name.upper()}={statement}"
                     for name, statement in statements.items()),
                   TARGETS / "hostile_library.c")
        return self.start_hostile(library)

    def attach_for_a_moment(self, *arguments):
        return self.clew("attach", "-q", "--for", "1ms", "-o",
                         self.recording_path, *arguments)

    def assert_refused(self, done, process, *words):
        """Asserts that clew itself refuses only this process, in one line."""
        self.assert_one_line_error(done, f"process {process.pid}", *words)
        self.assertIsNone(process.poll())

    def test_a_fake_library_with_sound_numbers_is_attached_to(self):
        done = self.attach_for_a_moment(self.start_fake().pid)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_each_number_out_of_its_bound_is_refused(self):
        for statement, name in OUT_OF_BOUNDS:
            with self.subTest(statement):
                process = self.start_fake(on_prepare=statement)
                done = self.attach_for_a_moment(process.pid)
                self.assert_refused(done, process, name,
                                    "not clew's, or the process overwrote")
                process.kill()

    def test_numbers_out_of_bounds_while_detaching_are_refused(self):
        for statement in ("clew_attachment.word_count = UINT64_MAX",
                          "clew_attachment.variable_bytes = UINT64_MAX"):
            with self.subTest(statement):
                process = self.start_fake(on_leave=statement)
                done = self.attach_for_a_moment(process.pid)
                self.assert_refused(done, process, statement.split(".")[1]
                                    .split()[0])
                process.kill()

    def test_answers_about_probes_that_nobody_asked_for_are_refused(self):
        for statement, words in (
                ("clew_probes.answer_count = UINT32_MAX", "answer_count"),
                ("clew_probes.answer_count = 30", "more answers"),
                ("clew_probes.result = INT32_MIN", "result"),
                ("clew_probes.answer_count = 1; "
                 "clew_probes.answers[0].result = INT32_MIN", "result")):
            with self.subTest(statement):
                process = self.start_fake(on_ask=statement)
                done = self.attach_for_a_moment("--probe", "main", process.pid)
                self.assert_refused(done, process, words)
                process.kill()

    def test_escape_sequences_in_its_messages_are_not_printed(self):
        process = self.start_fake(
            on_prepare="clew_attachment.result = -5; "
            'strcpy(clew_attachment.why, "\\033]0;title\\007\\033[31mred")')
        done = self.attach_for_a_moment(process.pid)
        self.assert_refused(done, process, "red")
        self.assertNotIn("\033", done.stderr)

    def start_endless(self):
        """Starts a process whose unwind information is an endless loop."""
        program = self.work / "endless"
        self.build("-o", program, TARGETS / "endless_unwinding.c")
        process = self.start([program], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def test_endless_unwind_information_does_not_keep_clew_busy(self):
        process = self.start_endless()
        done = self.attach_for_a_moment(process.pid)
        self.assert_refused(done, process)

    def test_a_reader_of_stacks_that_crashes_refuses_the_process(self):
        """The test sends the signal, as no input is known that crashes
        libunwind."""
        process = self.start_endless()
        other, _ = self.shared("shared", [clewtest.target("attached"), 4])
        controller = self.start(
            [clewtest.CLEW, "attach", "-q", "--for", "1ms", "-o",
             self.recording_path, other.pid, process.pid],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        readers = []

        def has_reader():
            readers[:] = stack_readers(controller.pid, process.pid)
            return readers

        self.assertTrue(clewtest.until(has_reader))
        os.kill(readers[0], signal.SIGSEGV)
        output, errors = controller.communicate()
        done = subprocess.CompletedProcess([], controller.returncode, output,
                                           errors)
        self.assertEqual(done.returncode, 2, errors)
        self.assert_refused(done, process, "its stacks cannot be read",
                            "crashed (Segmentation fault)")
        self.assert_as_before(other)

    def test_no_reader_of_stacks_lives_while_the_process_is_recorded(self):
        process, _ = self.shared("shared", [clewtest.target("attached"), 4])
        controller = self.attach(process)
        self.assertEqual(stack_readers(controller.pid, process.pid), [])
        self.detach(controller)

    def test_other_processes_are_recorded_beside_a_hostile_one(self):
        process = self.start_fake(
            on_prepare="clew_attachment.frame_max = UINT64_MAX")
        other, _ = self.shared("shared", [clewtest.target("attached"), 4])
        done = self.attach_for_a_moment(other.pid, process.pid)
        self.assertEqual(done.returncode, 2)
        self.assert_refused(done, process, "frame_max")
        self.assert_as_before(other)

    def test_numbers_that_a_thread_changes_meanwhile_end_nothing(self):
        """clew may or may not notice the change before it attaches."""
        for _ in range(RACES):
            process = self.start_hostile()
            done = self.attach_for_a_moment(process.pid)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertNotIn("Sanitizer", done.stderr)
            if done.returncode:
                self.assert_refused(done, process, "frame_max")
            process.kill()
            process.wait()

    def test_files_that_it_truncates_meanwhile_end_nothing(self):
        """Reading beyond the end of a mapped file raises SIGBUS."""
        other, _ = self.shared("shared", [clewtest.target("attached"), 4])
        for i in range(TRUNCATIONS):
            file = self.work / f"file{i}"
            shutil.copy(clewtest.CLEW, file)
            process = self.start_hostile(file, name="truncates")
            done = self.attach_for_a_moment(other.pid, process.pid)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assert_as_before(other)
            process.kill()
            process.wait()

    def start_long(self):
        """Starts a process with a library whose analysis takes longer than
        CPU_SECONDS."""
        (self.work / "long.s").write_text(
            ".text\n.globl long\n.type long, @function\nlong:\n"
            f".cfi_startproc\n.fill {NOPS}, 1, 0x90\nret\n.cfi_endproc\n"
            ".size long, . - long\n.section .note.GNU-stack\n")
        library = self.work / "long.so"
        self.build("-shared", "-o", library, "long.s")
        process = self.start(
            [PYTHON, "-c", "import ctypes, sys, time; "
             "ctypes.CDLL(sys.argv[1]); print('ready', flush=True); "
             "time.sleep(1000)", library], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def test_a_file_that_takes_its_reader_too_long_refuses_the_process(self):
        """The test sets the time limit; the real limit of clew is much
        higher."""
        process = self.start_long()
        other, _ = self.shared("shared", [clewtest.target("attached"), 4])
        done = self.run_program(
            [clewtest.CLEW, "attach", "-q", "--for", "1ms", "-o",
             self.recording_path, process.pid, other.pid], text=True,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assert_refused(done, process, "cannot be analysed",
                            f"more than {CPU_SECONDS} s of CPU")
        self.assert_as_before(other)


if __name__ == "__main__":
    clewtest.main()
