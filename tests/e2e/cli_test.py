#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew record` is transparent to the command; invalid input is refused."""
import os
import pathlib
import re
import shutil
import signal
import stat
import struct
import subprocess
import unittest

from lib import clewtest, terminal, wire
from lib.clewtest import LIBRARY, PYTHON, target


class PassesThrough(clewtest.Case):
    def assert_same_under_clew(self, argv, **options):
        native = self.run_program(argv, **options)
        self.assert_same_behaviour(native, self.record(argv, **options))
        return native

    def test_exit_status_is_passed_through(self):
        for status in 0, 1, 42, 127, 255:
            with self.subTest(status=status):
                done = self.assert_same_under_clew(
                    ["/bin/sh", "-c", f"exit {status}"])
                self.assertEqual(done.returncode, status)

    def test_killing_signal_is_passed_through(self):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT,
                       signal.SIGPIPE):
            with self.subTest(signal=number.name):
                done = self.record(["/bin/sh", "-c", f"kill -{number:d} $$"])
                self.assertIn(done.returncode, (-number, 128 + number))
                # clew ends by the signal, so a surrounding shell sees it.
                self.assertEqual(done.returncode, -number)

    def test_crashes_are_passed_through(self):
        self.assert_same_under_clew(
            [PYTHON, "-c", "import os; os.kill(os.getpid(), 11)"])

    def test_abort_is_passed_through(self):
        self.assert_same_under_clew([PYTHON, "-c", "import os; os.abort()"])

    def test_standard_streams_are_passed_through(self):
        text = os.urandom(100000)
        self.assert_same_under_clew(
            [PYTHON, "-c", "import sys\n"
             "sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])\n"
             "sys.stderr.write('on the side')"], input=text)

    def test_descriptors_are_passed_through(self):
        self.assert_same_under_clew(["/bin/sh", "-c", "ls /proc/self/fd"])

    def test_arguments_and_working_directory_are_passed_through(self):
        self.assert_same_under_clew(
            [PYTHON, "-c", "import os, sys; print(sys.argv, os.getcwd())",
             "", "a b", "--", "-o", "\\"])

    def test_environment_is_passed_through(self):
        argv = ["/usr/bin/env"]
        clean = {"PATH": os.environ["PATH"], "STRANGE": "a\nb"}
        native = set(self.run_program(argv, env=clean).stdout.split(b"\n"))
        recorded = set(self.record(argv, env=clean).stdout.split(b"\n"))
        added = {line.split(b"=")[0] for line in recorded - native}
        self.assertLessEqual(native, recorded)
        self.assertLessEqual({name for name in added
                              if not name.startswith(b"CLEW_")},
                             {b"LD_PRELOAD"})

    def test_libraries_preloaded_by_the_user_are_loaded(self):
        library = self.work / "mine.so"
        source = self.work / "mine.c"
        source.write_text("#include <unistd.h>\n__attribute__((constructor))"
                          'static void f(void){write(1, "mine\\n", 5);}',
                          encoding="utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source],
                       check=True, stderr=subprocess.DEVNULL)
        self.environment["LD_PRELOAD"] = str(library)
        done = self.record([target("abi")])
        self.assertIn(b"mine\n", done.stdout)

    def test_program_keeps_its_terminal(self):
        said, _ = terminal.look(self, self.record_command(
            [PYTHON, "-c", "import os; print([os.isatty(n) "
             "for n in range(3)])"]), columns=0)
        lines = said.splitlines()
        self.assertEqual(lines[0], "[True, True, True]")
        self.assertRegex("\n".join(lines[1:]),
                         r"\Aclew: [\d,]+ calls in [\d,]+ contexts -> "
                         f"{self.recording_path}; next: clew report "
                         rf"{self.recording_path}\Z")

    def test_signal_to_clew_alone_ends_the_command(self):
        process = subprocess.Popen(
            [str(a) for a in self.record_command([target("acknowledge")])],
            stdout=subprocess.PIPE, env=self.environment, cwd=self.work)
        process.stdout.read(16)  # the program runs
        process.terminate()
        with process.stdout:
            while process.stdout.read(1 << 16):
                pass  # until the writer has closed it
        self.assertEqual(process.wait(clewtest.TIMEOUT_S), -signal.SIGTERM)


class Summary(clewtest.Case):
    """The summary line of `clew record -v` equals the report."""

    BUSY = [clewtest.PYTHON, "-c", "for i in range(1000000): str(i)"]

    def said(self, *options):
        """Returns the last line as {"call": 1234, ...}, and the report."""
        done = self.record(self.BUSY, ("-v", *options), text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = done.stderr.splitlines()[-1]
        self.assertTrue(line.endswith(f" -> {self.recording_path}"), line)
        found = {word: int(number.replace(",", "")) for number, word in
                 re.findall(r"([\d,]+) (call|context|process|sample)", line)}
        return found, self.clew_json("report", "--json", self.recording_path)

    def expected(self, report):
        total = report["total"]
        return {"call": total["calls"], "context": total["contexts"],
                "process": total["processes"]}

    def test_summary_has_the_number_of_samples(self):
        for time in "cpu", "wall":
            found, report = self.said(f"--time={time}")
            taken = report["total"]["samples"] + report["self_cost"]["samples"]
            self.assertGreater(taken, 5)
            self.assertEqual(found, {**self.expected(report),
                                     "sample": taken})

    def test_summary_of_an_unsampled_recording_names_no_samples(self):
        for time in "none", "exact":
            found, report = self.said(f"--time={time}")
            self.assertEqual(found, self.expected(report))


class Output(clewtest.Case):
    def test_default_output_is_clew_out(self):
        done = self.clew("record", "--", target("abi"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.work / "clew.out").is_dir())

    def test_previous_recording_is_kept_as_old(self):
        for status in 1, 2, 3:
            self.clew("record", "--", "/bin/sh", "-c", f"exit {status}")
        for name, status in ("clew.out", "3"), ("clew.out.old", "2"):
            part = wire.Recording(self.work / name).parts[0]
            self.assertEqual(part.arguments[-1], f"exit {status}")
        self.assertEqual(len(list(self.work.glob("clew.out*"))), 2)

    def test_foreign_directory_is_not_moved_aside(self):
        precious = self.recording_path / "precious"
        precious.parent.mkdir()
        precious.touch()
        self.assert_runs_unrecorded([target("abi")], "not a recording")
        self.assertTrue(precious.exists())

    def test_foreign_directory_named_old_is_not_removed(self):
        precious = self.work / "clew.out.old" / "precious"
        precious.parent.mkdir()
        precious.touch()
        self.record([target("abi")])
        self.assert_runs_unrecorded([target("abi")], "not a recording")
        self.assertTrue(precious.exists())

    def test_empty_directory_is_used(self):
        self.recording_path.mkdir()
        self.record([target("abi")])
        self.recording()
        self.assertFalse((self.work / "clew.out.old").exists())

    def test_unwritable_output_is_an_error(self):
        for path in "/proc/nowhere/out", "/dev/null/out", "/proc/out":
            with self.subTest(path=path):
                self.recording_path = path
                self.assert_runs_unrecorded([target("abi")], path)


class BadInput(clewtest.Case):
    def test_a_missing_command_is_an_error(self):
        for arguments in ["record"], ["record", "--"], ["record", "-o", "x"]:
            with self.subTest(arguments=arguments):
                self.assert_usage_error(self.clew(*arguments), "record")

    def test_missing_program_is_an_error(self):
        done = self.clew("record", "--", "no-such-command-here")
        self.assert_one_line_error(done, "no-such-command-here")
        self.assertEqual(done.returncode, 127)

    def test_program_that_cannot_be_executed_is_an_error(self):
        plain = self.work / "plain"
        plain.write_text("no", encoding="utf-8")
        done = self.clew("record", "--", plain)
        self.assert_one_line_error(done, "plain")
        self.assertEqual(done.returncode, 126)

    def test_a_program_that_cannot_run_leaves_no_recording(self):
        self.clew("record", "--", "/bin/echo", "first")
        self.clew("record", "--", "no-such-command-here")
        part = wire.Recording(self.work / "clew.out").parts[0]
        self.assertEqual(part.arguments[-1], "first")

    def test_a_missing_subcommand_is_an_error(self):
        done = self.clew()
        self.assertEqual(done.returncode, 64)
        self.assertIn("record", done.stderr)

    def test_unknown_subcommand_gets_a_suggestion(self):
        done = self.clew("recrod", "--", "/bin/true")
        self.assert_usage_error(done, "recrod",
                                "did you mean `clew record`?")

    def test_a_program_instead_of_a_subcommand_is_an_error(self):
        done = self.clew("/bin/echo", "ran")
        self.assert_usage_error(done, "clew record -- /bin/echo ran")

    def test_an_option_instead_of_a_subcommand_is_an_error(self):
        for option in "-V", "--version", "-?", "--help":
            self.assertEqual(self.clew(option).returncode, 0)
        for option in "-x", "--frobnicate":
            self.assert_usage_error(self.clew(option), option,
                                    "clew --help")

    def test_version_names_the_commit(self):
        done = self.clew("--version")
        commit = r" \([0-9a-f]{12}(-dirty)?\)"
        self.assertRegex(done.stdout, rf"^clew [\d.]+({commit})?\n$")
        self.assertEqual(self.clew("report", "--version").stdout, done.stdout)

    def test_help_on_an_unknown_subcommand_fails(self):
        self.assert_usage_error(self.clew("help", "recrod"), "recrod")

    def test_unknown_options_are_errors(self):
        done = self.clew("record", "--frobnicate", "--", "/bin/true")
        self.assert_usage_error(done, "frobnicate")

    def test_limits_must_be_numbers(self):
        for option in ("--max-contexts", "--max-memory", "--verify-period",
                       "--rate"):
            for value in "x", "-1", "1x", "99999999999999999999":
                with self.subTest(option=option, value=value):
                    done = self.clew("record", f"{option}={value}", "--",
                                     "/bin/true")
                    self.assert_usage_error(done, value)

    def test_static_program_runs_unrecorded(self):
        program = self.work / "static"
        source = self.work / "static.c"
        source.write_text("int main(void) { return 7; }", encoding="utf-8")
        built = self.run_program(["cc", "-static", "-o", program, source])
        if built.returncode:
            self.skipTest("no static C library here")
        self.assert_runs_unrecorded([program], "static")

    def test_program_started_by_the_loader_runs_unrecorded(self):
        program = self.work / "seven"
        program.write_text("exit 7")
        self.assert_runs_unrecorded(
            ["/lib64/ld-linux-x86-64.so.2", "/bin/sh", program],
            "the dynamic loader")

    def test_json_is_a_format_of_exports(self):
        done = self.clew("export", "--json", "-F", "folded")
        self.assert_usage_error(done, "--format json")

    def write_elf32(self):
        """Writes an i386 program that exits with 7."""
        code = b"\xb8\x01\0\0\0\xbb\x07\0\0\0\xcd\x80"
        base, entry = 0x8048000, 0x8048054
        header = struct.pack("<16sHHIIIIIHHHHHH",
                             b"\x7fELF\x01\x01\x01" + bytes(9), 2, 3, 1, entry,
                             52, 0, 0, 52, 32, 1, 0, 0, 0)
        size = 84 + len(code)
        segment = struct.pack("<IIIIIIII", 1, 0, base, base, size, size, 5,
                              4096)
        program = self.work / "thirtytwo"
        program.write_bytes(header + segment + code)
        program.chmod(0o755)
        return program

    def test_32_bit_program_runs_unrecorded(self):
        program = self.write_elf32()
        try:
            self.run_program([program])
        except OSError:  # this kernel has no 32-bit programs
            done = self.record([program], text=True)
            self.assertEqual(done.returncode, 126)
            self.assertIn("32-bit", done.stderr)
        else:
            self.assert_runs_unrecorded([program], "32-bit")

    def test_setuid_program_runs_unrecorded(self):
        program = self.work / "setuid"
        shutil.copy(target("abi"), program)
        self.work.chmod(0o755)
        if os.geteuid() == 0:
            os.chown(program, 65534, 65534)
        program.chmod(0o4755)
        if not program.stat().st_mode & stat.S_ISUID:
            self.skipTest("the set-user-id bit does not stick here")
        if os.geteuid() != 0:
            self.skipTest("nobody to give the program away")
        self.assert_runs_unrecorded([program], "setuid")

    def test_script_is_recorded_as_its_interpreter(self):
        script = self.work / "script"
        script.write_text("#!/bin/sh\nexit 4\n", encoding="utf-8")
        script.chmod(0o755)
        done = self.record([script], text=True)
        self.assertEqual((done.returncode, done.stderr), (4, ""))
        self.recording()


class Disabled(clewtest.Case):
    """If the runtime cannot start, the program runs as if it were absent."""

    def assert_undisturbed(self, **environment):
        native = self.run_program([target("abi")])
        self.environment.update(environment, LD_PRELOAD=str(LIBRARY))
        self.assert_same_behaviour(native, self.run_program([target("abi")]))

    def test_runtime_is_absent_without_a_directory(self):
        self.assert_undisturbed()

    def test_runtime_is_absent_with_a_missing_directory(self):
        self.assert_undisturbed(CLEW_DIR="/nowhere/at/all")

    def test_runtime_is_absent_with_a_relative_directory(self):
        self.assert_undisturbed(CLEW_DIR="clew.out")

    def test_runtime_is_absent_with_a_bad_configuration(self):
        self.recording_path.mkdir()
        (self.recording_path / "config").write_bytes(
            b"frobnicate 7\nfunction (((\n\xff\0\xff\n")
        self.assert_undisturbed(CLEW_DIR=str(self.recording_path))
        parts = wire.Recording(self.recording_path).parts
        self.assertEqual([p.state for p in parts], [wire.DISABLED])
        self.assertIn("frobnicate", parts[0].why)

    def assert_recorded_or_said(self, limit):
        """Asserts that under such a limit the program's output is the one
        without clew."""
        argv = ["/bin/sh", "-c", f"ulimit {limit} && "
                f"exec {target('recursion')}"]
        native = self.run_program(argv, text=True)
        self.assertEqual(native.returncode, 0, "the program itself can do so")
        done = self.record(argv, text=True)
        self.assertEqual(done.stdout, native.stdout)
        if done.returncode:
            self.assertEqual(done.returncode, clewtest.UNRECORDED)
            self.assert_one_line(done, "not recorded")
        else:
            part = wire.Recording(self.recording_path).parts[-1]
            self.assertIn(part.state, (wire.RUNNING, wire.ENDED))

    def test_runtime_is_absent_with_little_address_space(self):
        self.assert_recorded_or_said("-v 2000000")

    def test_runtime_is_absent_with_few_descriptors(self):
        self.assert_recorded_or_said("-n 4")

    def test_runtime_is_absent_with_a_small_file_limit(self):
        self.assert_recorded_or_said("-f 64")


class WriteXorExecute(clewtest.Case):
    def test_no_mapping_of_a_running_program_is_writable_and_executable(self):
        process = subprocess.Popen(
            [str(a) for a in self.record_command([target("acknowledge")])],
            stdout=subprocess.PIPE, env=self.environment, cwd=self.work)
        with process.stdout:
            process.stdout.read(16)
            self.assertTrue(self.executable_modes(process.pid))
            process.kill()
        process.wait(clewtest.TIMEOUT_S)

    def executable_modes(self, clew_pid):
        """Returns the modes of executable mappings in the process that maps
        libclew.so: clew itself, or its child."""
        tasks = pathlib.Path(f"/proc/{clew_pid}/task")
        children = [int(pid) for task in tasks.iterdir()
                    for pid in (task / "children").read_text().split()]
        for pid in [clew_pid, *children]:
            lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
            if not any("libclew.so" in line for line in lines):
                continue
            for line in lines:
                mode = line.split()[1]
                self.assertFalse("w" in mode and "x" in mode, line)
            if pid != clew_pid:
                self.addCleanup(self.end, pid)
            return [line for line in lines if "x" in line.split()[1]]
        return []

    @staticmethod
    def end(pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def test_no_memory_is_writable_and_executable_while_patching(self):
        """strace sees every mprotect and mmap from the start."""
        if not shutil.which("strace"):
            raise unittest.SkipTest("no strace here")
        log = self.work / "strace"
        self.run_program(["strace", "-f", "-o", log, "-e",
                          "trace=mmap,mprotect,pkey_mprotect",
                          *self.record_command([target("recursion")])])
        calls = log.read_text().splitlines()
        self.assertTrue(any("libclew" in c or "mprotect" in c for c in calls))
        self.assertEqual([c for c in calls
                          if "PROT_WRITE" in c and "PROT_EXEC" in c], [])


if __name__ == "__main__":
    clewtest.main()
