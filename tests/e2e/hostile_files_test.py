#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Unexpected files in recordings, beside outputs and in names are harmless.

clew does not hang, does not open files with side effects on opening, and shows
no data to users without access.
"""
import ctypes
import os
import pathlib
import pty
import stat
import subprocess

from lib import clewtest, exports
from lib.clewtest import needs, target
from lib.isolation import make_users

LIBC = ctypes.CDLL(None, use_errno=True)
IN_OPEN = 0x20
BIDI = "\u202eevil\u2066\u061c"


class Opens:
    """Detects whether an existing file is opened from now on."""

    def __init__(self, case, path):
        self.fd = LIBC.inotify_init1(os.O_NONBLOCK)
        case.addCleanup(os.close, self.fd)
        case.assertGreaterEqual(
            LIBC.inotify_add_watch(self.fd, os.fsencode(path), IN_OPEN), 0)

    def happened(self):
        try:
            return bool(os.read(self.fd, 4096))
        except BlockingIOError:
            return False


class Recordings(exports.Export):
    COMMANDS = (["report"], ["tree"], ["html", "-o", "-"], ["dump"],
                ["export", "-F", "folded"])

    def test_a_fifo_in_a_recording_is_not_waited_for(self):
        done = self.record([target("abi")], ["--trace"])
        self.assertEqual(done.returncode, 0, done.stderr)
        part, = self.recording_path.glob("*.part")
        taken = part.with_suffix(".taken")
        taken.unlink(missing_ok=True)
        os.mkfifo(taken)
        for argv in self.COMMANDS:
            with self.subTest(argv):
                self.clew(*argv, self.recording_path, timeout=60)
        (self.recording_path / "config").unlink()
        os.mkfifo(self.recording_path / "config")
        pid = part.name.split(".", maxsplit=1)[0]
        self.clew("snapshot", pid, "-o", self.work / "copy", timeout=60)

    def test_a_device_that_a_recording_names_is_not_opened(self):
        leader, follower = pty.openpty()
        device = os.ttyname(follower)
        self.addCleanup(os.close, leader)
        self.addCleanup(os.close, follower)
        made = self.synthetic(contexts=50, module=device)
        opens = Opens(self, device)
        for argv in self.COMMANDS:
            self.clew(*argv, made.path)
        self.assertFalse(opens.happened())
        os.close(os.open(device, os.O_RDONLY | os.O_NOCTTY))
        self.assertTrue(opens.happened(), "such opens are seen")

    @needs("gcc")
    def test_a_device_that_a_program_needs_is_not_opened(self):
        leader, follower = pty.openpty()
        folder, name = os.path.split(os.ttyname(follower))
        self.addCleanup(os.close, leader)
        self.addCleanup(os.close, follower)
        (self.work / "main.c").write_text("int main(void) { return 0; }")
        for argv in (["-shared", "-o", "library.so", f"-Wl,-soname,{name}"],
                     ["-o", "program", "main.c", "library.so",
                      "-Wl,--no-as-needed", f"-Wl,-rpath,{folder}"]):
            done = self.run_program(["gcc", "-Wl,--no-as-needed", *argv])
            self.assertEqual(done.returncode, 0, done.stderr)
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        opens = Opens(self, f"{folder}/{name}")
        done = self.clew("cache", "warm", "--no-indexes", "./program")
        self.assertIn(f"does not find {name}", done.stderr)
        self.clew("a2n", "-e", f"{folder}/{name}", "0x1")
        self.clew("list", f"{folder}/{name}")
        self.assertFalse(opens.happened())

    def test_bidirectional_names_are_escaped(self):
        made = self.synthetic(contexts=50, module=f"/lib/{BIDI}")
        for argv in self.COMMANDS:
            if argv[0] == "html":
                # names are compressed in this export, and come from one catalog
                continue
            shown = self.clew(*argv, made.path).stdout
            self.assertTrue("evil" in shown, argv)
            for character in BIDI.replace("evil", ""):
                self.assertFalse(character in shown, argv)


class Outputs(exports.Export):
    def setUp(self):
        super().setUp()
        self.made = self.synthetic(contexts=50)

    def write_all(self):
        """Yields each kind of output and the mode of its file."""
        for name, argv in (("page", ["html"]), ("csv", ["export", "-F", "csv"]),
                           ("db", ["export", "-F", "sqlite"]),
                           ("diff", ["diff", "--html=diff", self.made.path])):
            output = [] if name == "diff" else ["-o", name]
            done = self.clew(*argv, *output, self.made.path,
                             preexec_fn=lambda: os.umask(0o022))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            yield name, stat.S_IMODE((self.work / name).stat().st_mode)

    def test_outputs_are_no_more_readable_than_the_recording(self):
        part, = self.made.path.glob("*.part")
        for folder, file, expected in ((0o755, 0o644, 0o644),
                                       (0o700, 0o644, 0o600),
                                       (0o755, 0o600, 0o600),
                                       (0o750, 0o640, 0o640)):
            self.made.path.chmod(folder)
            part.chmod(file)
            for name, mode in self.write_all():
                with self.subTest(name=name, folder=oct(folder)):
                    self.assertEqual(oct(mode), oct(expected))

    def test_a_recording_of_clew_record_gives_private_outputs(self):
        self.assertEqual(self.record([target("abi")]).returncode, 0)
        self.clew("html", self.recording_path,
                  preexec_fn=lambda: os.umask(0))
        mode = (self.work / "clew.html").stat().st_mode
        self.assertEqual(oct(stat.S_IMODE(mode)), "0o600")

    def in_folder_of(self, user):
        folder = self.work / "theirs"
        folder.mkdir()
        os.chown(folder, user.uid, user.gid)
        return folder

    def test_a_link_of_another_user_is_replaced(self):
        user, = make_users(self, 1)
        folder = self.in_folder_of(user)
        precious = self.work / "precious"
        precious.write_text("precious")
        (folder / "clew.html").symlink_to(precious)
        os.chown(folder / "clew.html", user.uid, user.gid,
                 follow_symlinks=False)
        done = self.clew("html", self.made.path, cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(precious.read_text(), "precious")
        self.assertFalse((folder / "clew.html").is_symlink())

    def test_a_fifo_of_another_user_gets_nothing(self):
        user, = make_users(self, 1)
        folder = self.in_folder_of(user)
        os.mkfifo(folder / "clew.html")
        os.chown(folder / "clew.html", user.uid, user.gid)
        done = self.clew("html", self.made.path, cwd=folder, timeout=60)
        self.assert_one_line_error(done, "is a FIFO of another user")


class Names(clewtest.Case):
    """File names on the command line."""

    def test_escapes_in_arguments_do_not_reach_the_terminal(self):
        evil = "\33[31mred\u202e"
        for argv in (["report", evil], ["html", evil], ["record", "--", evil],
                     ["report", "--sort", evil], ["a2n", "-e", evil, "0x1"],
                     ["cache", "warm", evil], ["merge", "-o", "m", evil, evil],
                     ["attach", evil], ["top", "-d", evil], [evil],
                     ["diff", evil, evil], ["export", "-F", evil],
                     ["record", "--rules", evil, "--", "true"]):
            with self.subTest(argv):
                done = self.clew(*argv)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("[31mred", done.stderr)
                self.assertNotIn("\33", done.stderr)
                self.assertNotIn("\u202e", done.stderr)

    def test_escapes_in_names_of_warmed_programs_are_not_printed(self):
        program = self.work / "\33[31mred"
        program.write_bytes(pathlib.Path(target("deep")).read_bytes())
        program.chmod(0o755)
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        done = self.clew("cache", "warm", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = done.stdout + self.clew("cache", "ls").stdout
        self.assertEqual(said.count("[31mred"), 2)
        self.assertNotIn("\33", said)


class PerfMap(clewtest.Case):
    """`clew a2n -p PID` reads only the map that the process itself writes."""

    def setUp(self):
        super().setUp()
        self.process = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.map = pathlib.Path(f"/tmp/perf-{self.process.pid}.map")
        self.addCleanup(lambda: self.map.unlink(missing_ok=True))

    def name(self):
        done = self.clew("a2n", "-f", "-p", self.process.pid, "0x10")
        return done.stdout.split("\n", maxsplit=1)[0], done.stderr

    def test_own_perf_map_is_read(self):
        self.map.write_text("10 10 mine\n")
        self.assertEqual(self.name(), ("mine", ""))

    def test_a_map_behind_a_link_is_not_read(self):
        (self.work / "map").write_text("10 10 other\n")
        self.map.symlink_to(self.work / "map")
        name, said = self.name()
        self.assertEqual(name, "??")
        self.assertIn("not a regular file", said)

    def test_a_map_of_another_user_is_not_read(self):
        user, = make_users(self, 1)
        self.map.write_text("10 10 other\n")
        os.chown(self.map, user.uid, user.gid)
        name, said = self.name()
        self.assertEqual(name, "??")
        self.assertIn("belongs to another user", said)


if __name__ == "__main__":
    clewtest.main()
