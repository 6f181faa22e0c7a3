#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/clew-preload records with LD_PRELOAD and variables alone."""
import os
import shutil
import stat
import subprocess

from lib import clewtest, wire
from lib.clewtest import BUILD, LIBRARY, ROOT, needs, target
from lib.isolation import make_users

WRAPPER = ROOT / "scripts" / "clew-preload"


class Preload(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.environment["CLEW_LIBRARY"] = str(LIBRARY)

    def test_counts_are_exact(self):
        argv = [target("recursion")]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        recorded = self.run_program([WRAPPER, *argv])
        self.assert_same_behaviour(native, recorded)
        self.assert_counts(self.recording())

    def test_older_recording_is_kept(self):
        for status in 1, 2:
            done = self.run_program([WRAPPER, "/bin/sh", "-c",
                                     f"exit {status}"])
            self.assertEqual(done.returncode, status, done.stderr)
        old = wire.Recording(self.work / "clew.out.old")
        self.assertEqual(old.parts[0].arguments[-1], "exit 1")

    def test_foreign_directory_is_left_alone(self):
        precious = self.recording_path / "precious"
        precious.parent.mkdir()
        precious.touch()
        done = self.run_program([WRAPPER, "/bin/true"], text=True)
        self.assert_one_line_error(done, "clew.out")
        self.assertTrue(precious.exists())

    def refused(self, **variables):
        before = self.everything()
        self.environment |= variables
        done = self.run_program([WRAPPER, "/bin/true"], text=True)
        self.assert_one_line_error(done, "is not a recording")
        self.assertEqual(self.everything(), before)

    def everything(self):
        return sorted(self.work.rglob("*"))

    def test_a_folder_that_is_called_old_is_not_removed(self):
        self.run_program([WRAPPER, "/bin/true"])
        (self.work / "clew.out.old" / "thesis").mkdir(parents=True)
        (self.work / "clew.out.old" / "thesis" / "text").touch()
        self.refused()
        (self.work / "clew.out.old" / "config").touch()
        self.refused()

    def test_a_folder_with_a_configuration_is_not_moved(self):
        """A git repository also has a file named config."""
        git = self.work / ".git"
        git.mkdir()
        for name in "config", "HEAD":
            (git / name).touch()
        self.refused(CLEW_OUT=".git")
        (git / "HEAD").rename(git / ".hidden")
        self.refused(CLEW_OUT=".git")
        (git / ".hidden").unlink()
        (self.work / "link").symlink_to(git)
        self.refused(CLEW_OUT="link")

    def test_a_recording_with_snapshots_is_replaced(self):
        for _ in range(3):
            done = self.run_program([WRAPPER, "/bin/true"])
            self.assertEqual(done.returncode, 0, done.stderr)
            inner = self.recording_path / "1.0.snapshot1"
            inner.mkdir()
            for name in "config", "1.0.part":
                (inner / name).touch()
        self.assertEqual(
            sorted(path.name for path in self.work.glob("clew.out*")),
            ["clew.out", "clew.out.old"])
        self.assertEqual(
            oct(stat.S_IMODE(self.recording_path.stat().st_mode)), "0o700")

    def test_a_recording_in_progress_is_not_moved(self):
        program = subprocess.Popen([WRAPPER, "cat"], cwd=self.work,
                                   env=self.environment,
                                   stdin=subprocess.PIPE)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        part = self.recording_path / f"{program.pid}.0.part"
        self.assertTrue(clewtest.until(
            lambda: part.exists() and part.stat().st_size >= 4096 and
            wire.Part(part).state == wire.RUNNING))
        for argv in ([WRAPPER, "/bin/true"],
                     self.record_command(["/bin/true"])):
            done = self.run_program(argv, text=True)
            self.assert_one_line_error(done,
                                       f"process {program.pid} is being recorded")
            self.assertTrue(part.exists())
        program.stdin.close()
        self.assertEqual(program.wait(60), 0)
        self.assertEqual(self.record(["/bin/true"]).returncode, 0)

    def test_variables_set_output_and_rules(self):
        rules = self.work / "rules"
        rules.write_text("module recursion\n", encoding="utf-8")
        self.environment.update(CLEW_OUT="elsewhere", CLEW_RULES=str(rules))
        done = self.run_program([WRAPPER, target("recursion")])
        self.assertEqual(done.returncode, 0, done.stderr)
        part = wire.Recording(self.work / "elsewhere").parts[0]
        self.assertEqual({m.name for m in part.modules
                          if m.state_name == "HOOKED"}, {"recursion"})

    def test_the_library_may_have_any_name(self):
        """landings calls longjmp(). clew's wrapper of longjmp() is in the renamed
        library, and is not hooked.
        """
        renamed = self.work / "tracer.so"
        renamed.write_bytes(LIBRARY.read_bytes())
        self.environment["CLEW_LIBRARY"] = str(renamed)
        argv = [target("landings")]
        native = self.run_program(argv)
        self.assert_same_behaviour(native, self.run_program([WRAPPER, *argv]))
        states = {m.name: m.state_name
                  for m in self.recording().parts[0].modules}
        self.assertEqual(states["tracer.so"], "SELF")

    def test_the_library_is_found_beside_it(self):
        del self.environment["CLEW_LIBRARY"]
        folder = self.work / "elsewhere"
        folder.mkdir()
        (folder / "clew-preload").write_bytes(WRAPPER.read_bytes())
        (folder / "clew-preload").chmod(0o755)
        (folder / "libclew.so").symlink_to(LIBRARY)
        done = self.run_program([folder / "clew-preload", target("abi")])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.recording()

    def test_missing_commands_and_libraries_are_errors(self):
        done = self.run_program([WRAPPER], text=True)
        self.assert_one_line_error(done, "usage")
        self.environment["CLEW_LIBRARY"] = "/nowhere/libclew.so"
        done = self.run_program([WRAPPER, "/bin/true"], text=True)
        self.assert_one_line_error(done, "CLEW_LIBRARY")


@needs("unshare", "gcc")
class MoreRights(clewtest.Case):
    """If /etc/ld.so.preload names clew's libraries, they do nothing in set-user-id
    programs. The test creates that file in its own mount namespace.
    """

    SOURCE = """
        #include <stdio.h>
        #include <unistd.h>
        __attribute__((noipa)) static int work(int n) { return n + 1; }
        int main(void) { printf("%d %d\\n", work(1), geteuid()); return 0; }
        """
    # /etc is the lower of two layers.
    IN_NAMESPACE = """
        set -e
        mount -t tmpfs none "$1"
        mkdir "$1/upper" "$1/work"
        mount -t overlay none \\
            -o lowerdir=/etc,upperdir="$1/upper",workdir="$1/work" /etc
        shift
        printf '%s\\n' "$1" >/etc/ld.so.preload
        shift
        exec setpriv --reuid "$1" --regid "$1" --clear-groups \\
            env CLEW_DIR="$3" "$2"
        """

    def setUp(self):
        super().setUp()
        self.user, = make_users(self, 1)
        self.libraries = self.work / "libraries"
        self.libraries.mkdir()
        for path in (LIBRARY, *(BUILD / name / f"libclew-{name}.so"
                                for name in ("alloc", "locks"))):
            shutil.copy(path, self.libraries)
        self.recorded = self.work / "recorded"
        self.recorded.mkdir()
        (self.recorded / "config").write_text("", encoding="ascii")
        os.chown(self.recorded, self.user.uid, self.user.gid)
        self.work.chmod(0o755)
        (self.work / "layers").mkdir()
        source = self.work / "program.c"
        source.write_text(self.SOURCE, encoding="ascii")
        self.program = self.work / "program"
        done = self.run_program(["gcc", "-O1", "-o", self.program, source])
        self.assertEqual(done.returncode, 0, done.stderr)
        if self.preloaded("").returncode != 0:
            self.skipTest("no mounts can be made here")

    def preloaded(self, libraries):
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", self.IN_NAMESPACE, "sh",
             self.work / "layers", libraries, str(self.user.uid),
             self.program, self.recorded], cwd="/", env=self.environment, check=False,
            text=True, capture_output=True)

    def parts(self):
        return list(self.recorded.glob("*.part"))

    def test_a_program_with_more_rights_is_not_recorded(self):
        libraries = ":".join(map(str, self.libraries.iterdir()))
        for mode, uid in (0o4755, 0), (0o2755, self.user.uid):
            with self.subTest(oct(mode)):
                self.program.chmod(mode)
                done = self.preloaded(libraries)
                self.assertEqual(done.stdout, f"2 {uid}\n", done.stderr)
                self.assertEqual(self.parts(), [])
        self.program.chmod(0o755)
        done = self.preloaded(libraries)
        self.assertEqual(done.stdout, f"2 {self.user.uid}\n", done.stderr)
        self.assertEqual(len(self.parts()), 1, "the libraries are preloaded")

    @needs("setcap")
    def test_a_program_with_capabilities_is_not_recorded(self):
        done = self.run_program(["setcap", "cap_chown+ep", self.program])
        if done.returncode != 0:
            self.skipTest("this file system has no capabilities")
        done = self.preloaded(str(self.libraries / LIBRARY.name))
        self.assertEqual(done.stdout, f"2 {self.user.uid}\n", done.stderr)
        self.assertEqual(self.parts(), [])


if __name__ == "__main__":
    clewtest.main()
