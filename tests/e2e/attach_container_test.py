#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach` works on processes with mounts, a root or ids of their own."""
import os
import pathlib
import shutil
import signal
import subprocess

from lib import clewtest
from lib.attached import PATIENCE_S, children
from lib.clewtest import CLEW, PYTHON, kill_with_guardian, target, until
from lib.container import OWN_IDS, OWN_MOUNTS, Contained, ContainerCase


class Container(ContainerCase):
    def test_process_with_its_own_mounts_is_recorded(self):
        self.is_recorded(self.begin(OWN_MOUNTS))

    def test_process_with_its_own_root_is_recorded(self):
        """The process's files have other names outside its root."""
        self.assert_as_before = lambda process: None
        root = self.work / "root"
        root.mkdir()
        self.is_recorded(self.begin(
            [*OWN_MOUNTS, "sh", "-c",
             'mount --rbind / "$0" && exec chroot "$0" "$@"', root]))

    def test_process_with_its_own_pid_namespace_is_recorded(self):
        """Attaches twice, once with a thread of clew's in the process."""
        process = self.begin(OWN_IDS, has_ids=True)
        for time in ("wall", "none"):
            self.is_recorded(process, "--time", time)

    def test_a_budget_works_in_a_container(self):
        process = self.begin(OWN_IDS, has_ids=True)
        out = self.word(4)
        controller = self.attach(process, "-f", "^busy_", "--budget", "50%")
        self.assertTrue(until(lambda: self.word(4) > out))
        self.detach(controller)
        self.assert_as_before(process)
        self.assertEqual(self.word(1), 0, "wrong answers")

    def test_process_in_a_container_survives_a_killed_controller(self):
        process = self.begin(OWN_IDS, has_ids=True)
        controller = self.attach(process, "--time", "none")
        kill_with_guardian(controller)
        self.go_on()
        done = self.clew("detach", process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_as_before(process)

    def test_process_that_cannot_see_the_library_is_recorded(self):
        """The process gets a copy of the library, which is removed once it is
        loaded."""
        hidden = self.work / "hidden"
        hidden.mkdir()
        shutil.copy(self.library(), hidden)
        process = self.begin(self.hiding(hidden))
        self.environment["CLEW_LIBRARY"] = str(hidden / "libclew.so")
        self.is_recorded(process)

    def test_process_that_cannot_see_the_recording_is_recorded(self):
        hidden = self.work / "hidden"
        hidden.mkdir()
        self.recording_path = hidden / "out"
        self.is_recorded(self.begin(self.hiding(hidden)))

    def test_process_with_proc_of_other_pids_is_refused(self):
        process = self.begin([w for w in OWN_IDS if w != "--mount-proc"],
                             has_ids=True)
        self.assert_refused(process, "/proc")


FILES = """
set -e
mkdir -p "$1/proc" "$1/tmp"
chmod 1777 "$1/tmp"
cp "$0" "$1/program"
for file in $(ldd "$0" | grep -o '/[^ ]*'); do
    mkdir -p "$1$(dirname "$file")"
    cp -L "$file" "$1$file"
done
"""

# Often libc is not below the process's root, since it was mapped before
# chroot().
LEAVES = """
import ctypes, os, sys, time
os.chroot(sys.argv[1])
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
assert not ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
print("ready", flush=True)
time.sleep(1000)
"""


class Chrooted(Container):
    """Unprivileged processes with mounts of their own and another root
    directory."""
    NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}

    def setUp(self):
        super().setUp()
        if os.geteuid() or self.run_program(
                ["test", "-x", CLEW], **self.NOBODY).returncode:
            self.skipTest("wants to be root, and clew where all can come")
        self.root = self.work / "root"
        made = self.run_program(["sh", "-c", FILES, target("busy"), self.root])
        self.assertEqual(made.returncode, 0, made.stderr)
        self.work.chmod(0o755)
        self.recording_path = self.root / "tmp" / "out"

    def begin_below(self, script):
        """Starts targets/busy and waits until it counts."""
        process = self.start(
            [*OWN_MOUNTS, "sh", "-c", script + ' exec chroot '
             '--userspec=65534:65534 "$0" /program /tmp/busy', self.root])
        self.memory = self.root / "tmp" / "busy"
        self.assertTrue(until(lambda: self.memory.exists() and
                              self.memory.stat().st_size == 4096))
        self.go_on()
        return process

    def clew(self, *arguments, **options):
        return super().clew(*arguments, cwd="/", **self.NOBODY, **options)

    def test_process_in_another_root_is_recorded(self):
        process = self.begin_below('mount -t proc none "$0/proc" &&')
        done = self.clew("attach", "--calls", "10000", "-o",
                         self.recording_path, process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertGreaterEqual(report["total"]["calls"], 10000)
        self.go_on()
        self.assertEqual(self.word(1), 0, "wrong answers")

    def test_process_without_proc_is_recorded(self):
        process = self.begin_below("")
        self.assert_refused(process, "has no /proc", "mount one")

    def test_library_outside_of_the_root_is_reported(self):
        """The error message says what to do."""
        process = self.start(
            [*OWN_MOUNTS, "sh", "-c", 'mount -t proc none "$0/proc" && '
             'exec "$@"', self.root, PYTHON, "-c", LEAVES, self.root],
            stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        (self.root / "lib/x86_64-linux-gnu/libc.so.6").unlink()
        self.memory = None
        self.go_on = lambda: None
        self.assert_refused(process, "libc.so.6", "cannot be opened",
                            "CAP_CHECKPOINT_RESTORE")


ENTER = """
set -e
mount -t tmpfs none "$0"
mkdir -p "$0/proc" "$0/old" "$0/tmp"
: >"$0/shared"
cp "$1" "$0/program"
for file in $(ldd "$1" | grep -o '/[^ ]*'); do
    mkdir -p "$0$(dirname "$file")"
    cp -L "$file" "$0$file"
done
mount -t proc none "$0/proc"
if [ "$DECOY" ]; then
    mkdir "$0/memfd:clew"
    echo "not to be written" >"$0/memfd:clew/libclew.so (deleted)"
    exec 9<>"$0/memfd:clew/libclew.so (deleted)"
fi
if [ "$READ_ONLY" ]; then
    mount --rbind "$0" "$0"
    cd "$0"
    for file in shared tmp; do
        mount --rbind "$file" "$file"
    done
    mount -o "remount,bind,$READ_ONLY" tmp
    mount -o remount,bind,ro .
fi
cd "$0"
pivot_root . old
PATH=$PATH:/old/bin:/old/sbin
LD_LIBRARY_PATH=$LIBRARIES umount -l old
shift
exec /program "$@"
"""


class Shut(Container):
    """A process that sees none of clew's files: the controller reaches its
    folders through /proc only."""

    def setUp(self):
        super().setUp()
        if not shutil.which("pivot_root"):
            self.skipTest("no pivot_root")
        # The report cannot open the program file, so it finds names by the
        # build-id.
        done = self.clew("cache", "warm", "--no-libraries", target("busy"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def begin(self, within=(), has_ids=True, tmp="", has_decoy=False):
        """With `tmp`, the root directory is read-only, and /tmp has this mount
        option. With has_decoy, the process has a file open whose name is that
        of the library in memory."""
        (self.work / "root").mkdir()
        starter = self.start(
            [*OWN_IDS[:3], *OWN_IDS[4:], *OWN_MOUNTS[1:], "sh", "-c", ENTER,
             self.work / "root", target("busy"), "/shared"],
            stderr=subprocess.DEVNULL, env={
                **self.environment, "READ_ONLY": tmp,
                "DECOY": "1" if has_decoy else "",
                "LIBRARIES": ":".join(
                    f"/old{folder}/x86_64-linux-gnu"
                    for folder in ("/lib", "/usr/lib"))})
        found = []

        def is_there():
            found[:] = [pid for pid in children(starter.pid)
                        if self.inside(pid, "shared").exists()]
            return found
        self.assertTrue(until(is_there))
        self.memory = self.inside(found[0], "shared")
        self.assertTrue(until(
            lambda: self.memory.stat().st_size == 4096 and self.word(0)))
        self.go_on()
        return Contained(found[0])

    @staticmethod
    def inside(pid, path):
        return pathlib.Path(f"/proc/{pid}/root", path)

    def assert_as_before(self, process):
        """Asserts that none of clew's files remain and that all code equals its
        files."""
        self.assertEqual(list(self.inside(process.pid, "tmp").iterdir()), [])
        with open(f"/proc/{process.pid}/mem", "rb", 0) as memory, \
                open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
            for line in maps:
                fields = line.split()
                if len(fields) != 6 or "x" not in fields[1] or \
                        not fields[5].startswith("/"):
                    continue
                start, end = (int(n, 16) for n in fields[0].split("-"))
                path = self.inside(process.pid, fields[5][1:])
                with path.open("rb") as file:
                    file.seek(int(fields[2], 16))
                    expected = file.read(end - start)
                memory.seek(start)
                self.assertEqual(memory.read(end - start)[:len(expected)],
                                 expected, path)

    def folder(self, process):
        (folder,) = self.inside(process.pid, "tmp").iterdir()
        return folder

    def assert_home(self):
        """Asserts that the recording is complete and in its intended folder."""
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual([problem for problem in report["problems"]
                          if "appear at the top" not in problem], [])
        rows = {row["name"]: row["calls"] for row in report["functions"]}
        self.assertGreater(rows["busy_leaf"], 1000)
        return report

    def test_process_that_sees_no_file_of_ours_is_recorded(self):
        """The second session uses the analyses and stubs of the first."""
        process = self.begin()
        files = sorted(pathlib.Path(f"/proc/{process.pid}/fd").iterdir())
        for _ in range(2):
            self.is_recorded(process)
        self.assertEqual(
            sorted(pathlib.Path(f"/proc/{process.pid}/fd").iterdir()), files)

    def test_shut_in_process_is_recorded_for_a_number_of_calls(self):
        process = self.begin()
        done = self.clew("attach", "--calls", 100000, "-o",
                         self.recording_path, process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_home()

    def test_status_and_top_show_a_shut_in_process(self):
        process = self.begin()
        controller = self.attach(process, "--time", "none")
        (row,) = self.clew_json("status", "--json",
                                process.pid)["processes"]
        self.assertEqual(row["pid"], process.pid)
        copy = self.work / "snapshot"
        done = self.clew("snapshot", "-o", copy, process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(self.clew_json("report", "--json",
                                          copy)["total"]["calls"], 0)
        done = self.clew("top", "--batch", "-n", 1, process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("busy_leaf", done.stdout)
        self.detach(controller)
        self.assert_as_before(process)

    def test_recording_of_a_killed_controller_is_named_and_moved(self):
        """The report names the recording's location; `clew detach` moves it to
        its intended folder."""
        process = self.begin()
        controller = self.attach(process, "--time", "none")
        kill_with_guardian(controller)
        self.go_on()
        done = self.clew("report", self.recording_path)
        self.assertIn(f"process {process.pid}: it is recorded in "
                      f"/tmp/{self.folder(process).name} below its root directory",
                      done.stderr)
        done = self.clew("detach", process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(str(self.recording_path), done.stderr)
        self.assert_home()
        self.assert_as_before(process)
        self.go_on()
        self.assertEqual(self.word(1), 0, "wrong answers")

    def test_attach_works_after_a_killed_attach(self):
        """Both recordings are moved to their intended folders."""
        process = self.begin()
        first = self.recording_path
        controller = self.attach(process, "--time", "none")
        kill_with_guardian(controller)
        self.go_on()
        self.recording_path = self.work / "second"
        controller = self.attach(process, "--time", "none")
        self.go_on()
        self.detach(controller)
        self.assert_as_before(process)
        for self.recording_path in first, self.recording_path:
            self.assert_home()

    def test_recording_of_an_ended_process_is_complete(self):
        """The recording has all its files, since the controller has them
        open."""
        process = self.begin()
        controller = self.attach(process, "--time", "none")
        self.go_on()
        os.kill(process.pid, signal.SIGKILL)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assert_home()

    def test_parts_of_a_removed_recording_are_named(self):
        """The recorded files stay below the process's root, and the message
        names them."""
        process = self.begin()
        controller = self.attach(process, "--time", "none")
        self.go_on()
        shutil.rmtree(self.recording_path)
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 1, said)
        folder = self.folder(process)
        self.assertIn(f"/tmp/{folder.name} below its root directory", said)
        self.assertGreater(self.clew_json(
            "report", "--json", folder)["total"]["calls"], 0)

    def test_processes_with_equal_ids_get_parts_each(self):
        """Each process has process id 1 in its own namespace, and gets a part
        of its own."""
        first = self.begin()
        (self.work / "root").rename(self.work / "other")
        second = self.begin()
        controller = self.attach(first, str(second.pid), "--time", "none")
        self.go_on()
        # children have a part each, with calls in it
        for process in first, second:
            folder = self.folder(process)
            self.assertTrue(until(lambda: len(list(
                folder.glob("[!1]*.part"))) > 1))
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        parts = {path.name for path in self.recording_path.glob("*.part")}
        self.assertLessEqual({"1.0.part", "1.1.part"}, parts)
        self.assert_home()
        for process in first, second:
            self.assert_as_before(process)

    def test_process_without_writable_folder_is_refused(self):
        """The error message gives the reason for each folder; the process
        continues."""
        process = self.begin(tmp="ro")
        self.assert_refused(process, "/tmp: Read-only file system",
                            "/: Read-only file system")

    def test_process_without_executable_folder_is_recorded(self):
        """The library is loaded from a file in memory, whose descriptor is
        closed. A decoy is not written."""
        process = self.begin(tmp="noexec", has_decoy=True)
        files = sorted(pathlib.Path(f"/proc/{process.pid}/fd").iterdir())
        for _ in range(2):
            self.is_recorded(process)
        self.assertEqual(
            sorted(pathlib.Path(f"/proc/{process.pid}/fd").iterdir()), files)
        self.assertEqual(
            self.inside(process.pid, "memfd:clew/libclew.so (deleted)")
            .read_text(encoding="utf-8"), "not to be written\n")

    def test_agent_library_is_loaded_from_memory(self):
        """In the second session, libclew.so is loaded already."""
        process = self.begin(tmp="noexec")
        files = sorted(pathlib.Path(f"/proc/{process.pid}/fd").iterdir())
        rooms = self.library().parent.parent
        loaded = []
        for agent in (), ("alloc",), ("locks",):
            done = self.clew(
                "attach", "--calls", 1000, "-o", self.recording_path,
                *(f"--agent={rooms / name / f'libclew-{name}.so'}"
                  for name in agent), process.pid)
            self.assertEqual(done.returncode, 0, done.stderr)
            loaded += [f"memfd:clew/libclew{''.join('-' + name for name in agent)}.so"]
            maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text(
                encoding="utf-8")
            for name in loaded:
                self.assertIn(name, maps)
            self.go_on()
            self.assert_as_before(process)
        self.assertEqual(
            sorted(pathlib.Path(f"/proc/{process.pid}/fd").iterdir()), files)
        self.assertEqual(self.word(1), 0, "wrong answers")

    def test_file_in_memory_of_a_killed_attach_is_used_again(self):
        process = self.begin(tmp="noexec")
        files = len(list(pathlib.Path(f"/proc/{process.pid}/fd").iterdir()))
        for delay_s in .01, .02, .03, .04, .05, .06:
            controller = self.start(
                [CLEW, "attach", "--for", "0s", "-o", self.recording_path,
                 process.pid], stderr=subprocess.DEVNULL)
            try:
                controller.wait(delay_s)
            except subprocess.TimeoutExpired:
                kill_with_guardian(controller)
            self.go_on()
            self.clew("detach", process.pid)
        done = self.clew("attach", "--calls", 1000, "-o",
                         self.work / "last", process.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(
            len(list(pathlib.Path(f"/proc/{process.pid}/fd").iterdir())), files)


if __name__ == "__main__":
    clewtest.main()
