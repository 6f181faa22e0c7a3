#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every process image has a part of its own, with its own counts."""
import os
import pathlib
import shutil
import subprocess
import unittest

from lib import clewtest, truth, wire
from lib.clewtest import needs, target

FORK = 1  # enum wire_loss: WIRE_LOSS_FORK
SHARED, HOMELESS = 4, 5  # enum wire_loss: WIRE_LOSS_SHARED, _CHILD


class Children(clewtest.Case):
    def test_forked_children_count_apart(self):
        # The parent has 4 children with 3 generations each.
        recording, truths = self.record_target(
            [target("processes"), "fork"], images=13)
        for one in truths:
            part = recording.part(one.pid)
            self.assert_nothing_lost(part)
            if part.origin == wire.FROM_FORK:
                parent = recording.part(part.parent_pid, part.parent_seq)
                self.assertEqual(parent.pid, part.ppid)
        origins = [part.origin for part in recording.parts]
        self.assertEqual(origins.count(wire.FROM_FORK), 12)
        self.assertEqual(origins.count(wire.FROM_START), 1)

    def check_watched(self, *options):
        recording, _ = self.record_target(
            [target("processes"), "watched"], options, images=5)
        for part in recording.parts:
            self.assert_callers_are_recorded(part)

    def test_atfork_handlers_are_recorded(self):
        self.check_watched()

    def test_children_stand_below_their_parents_callers_in_libc_too(self):
        """Functions of libc enter fork() and return from it in the child."""
        self.check_watched("--libc")
        for option in "--time=exact", "--time=none":
            self.recording_path = self.work / option
            for old in self.truths.iterdir():
                old.unlink()
            self.environment.pop("TRUTH_DIR", None)
            self.check_watched("--libc", option)

    def check_coroutine(self, way, option, flavour, are_known):
        recorded = self.record([target("coroutine_forks", flavour), way],
                               ["--time=none", *option])
        self.assertEqual((recorded.returncode, recorded.stderr), (0, b""))
        paths = clewtest.paths_of(self.clew_json("tree", "--json",
                                                 self.recording_path))
        found = {path: calls for path, calls in paths.items()
                 if path[-1] == "after"}
        for path in found:
            self.assertEqual(path[-3:], ("body", "inner", "after"))
        self.assertEqual(sum(found.values()), 2)
        if are_known:
            self.assertEqual(next(iter(found))[0], "main")
            self.assertEqual(len(found), 1)

    def test_children_of_coroutines_stand_below_their_callers(self):
        """In a trace, the child's calls are at least below the functions on its
        stack."""
        for way in "hand", "libc":
            for flavour in "O0", "O2":
                for option in [], ["--verify-period=1"], ["--fold-recursion"], \
                        ["--trace"], ["--trace=64K", "--on-overflow=wait"]:
                    with self.subTest(way=way, flavour=flavour, option=option):
                        self.check_coroutine(
                            way, option, flavour,
                            not any(o.startswith("--trace") for o in option))

    LOADS_AND_FORKS = """
import os
for name in "zlib", "bz2", "lzma", "ctypes", "json", "ssl", "sqlite3":
    __import__(name)
    sum(map(len, map(str, range(1000))))
for i in range(2):
    if not os.fork():
        import zlib
        zlib.crc32(b"x" * 1000)
        os._exit(0)
    os.wait()
"""

    def test_children_know_all_modules_of_their_parent(self):
        """The child also has the modules whose records lie where a table was
        before."""
        self.record([clewtest.PYTHON, "-c", self.LOADS_AND_FORKS])
        first, *others = self.recording().parts
        self.assertEqual(len(others), 2)
        known = {module.path for module in first.modules}
        self.assertGreater(len(known), 10)
        for part in others:
            self.assertEqual({m.path for m in part.modules}, known)
            for context in part.contexts().values():
                self.assertIn(context.function, part.functions)
            self.assertIn("libz", " ".join(
                part.functions[c.function].module.name
                for c in part.contexts().values()))

    def check_homeless(self, *options):
        argv = [target("processes"), "homeless"]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv, options))
        part, = self.recording().parts
        own, = (one for one in truth.read_all(self.truths)
                if one.pid == part.pid)
        self.assert_equals_truth(own, part)
        theirs = sum(calls for one in truth.read_all(self.truths)
                     if one is not own and one.pid != part.pid
                     for _, _, function, calls in one.nodes.values()
                     if function)
        return part, theirs

    def test_children_that_find_no_recording_are_lost_and_counted(self):
        for option in ("--time=cpu", "--time=wall", "--time=exact",
                       "--time=none", "--trace"):
            with self.subTest(option):
                for old in self.truths.iterdir():
                    old.unlink()
                self.environment.pop("TRUTH_DIR", None)
                part, theirs = self.check_homeless(option)
                self.assertGreater(theirs, 50)
                wanted = [0] * len(part.losses)
                wanted[HOMELESS] = theirs
                self.assertEqual(list(part.losses), wanted)
                report = self.details(self.recording_path)
                self.assertIn(f"lost: {theirs} calls were not counted: in "
                              "children", report)
                self.assertIn(f"\nmissing: {theirs} lost calls", report)

    def test_excluded_children_are_not_reported_as_lost(self):
        part, _ = self.check_homeless("--no-children")
        self.assertEqual(list(part.losses), [0] * len(part.losses))

    def test_fork_beside_a_counting_thread_is_recorded(self):
        self.record_target([target("processes"), "threads"], images=13)

    def test_a_thread_made_by_an_earlier_handler_is_recorded(self):
        argv = [target("handlers")]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"0\n100\n200\n")
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv))
        recording = self.recording()
        for one in truth.read_all(self.truths):
            self.assert_equals_truth(one, recording.part(one.pid))
        lost = [sum(losses) for losses in
                zip(*(part.losses for part in recording.parts))]
        # Lost calls per thread: the function that creates it, its start
        # function, and 100 calls.
        self.assertEqual(lost[FORK], 3 * 102)
        self.assertEqual(sum(lost), lost[FORK])

    def test_fork_then_exec_is_recorded(self):
        recording, _ = self.record_target(
            [target("processes"), "forkexec"], images=9)
        origins = [part.origin for part in recording.parts]
        self.assertEqual(origins.count(wire.FROM_EXEC), 4)

    def test_vfork_then_exec_is_recorded(self):
        self.record_target([target("processes"), "vfork"], images=5)

    def test_posix_spawn_is_recorded(self):
        self.record_target([target("processes"), "spawn"], images=5)

    def test_exec_is_recorded(self):
        recording, _ = self.record_target(
            [target("processes"), "exec"], images=2)
        first, second = recording.parts
        self.assertEqual((first.pid, first.seq), (second.pid, 0))
        self.assertEqual((second.seq, second.origin), (1, wire.FROM_EXEC))
        self.assertEqual(second.arguments[1:], ["work", "33"])

    def test_a_shell_and_its_commands_are_recorded(self):
        argv = ["/bin/sh", "-c", "echo a | cat; (exit 3)"]
        self.assert_same_behaviour(self.run_program(argv), self.record(argv))
        names = {p.arguments[0].rsplit("/", 1)[-1]
                 for p in self.recording().parts}
        self.assertLessEqual({"sh", "cat"}, names)

    def stubs(self):
        return {path.name for path in self.recording_path.glob("*.stubs")}

    def test_stubs_are_kept_as_long_as_their_processes(self):
        """/bin/cat runs when the shell exits, and still waits when clew
        exits."""
        left = self.work / "pid"
        fifos = [self.work / name for name in ("shell", "test")]
        for fifo in fifos:
            os.mkfifo(fifo)
        self.record(["/bin/sh", "-c", "/bin/cat {} {} >/dev/null 2>&1 & "
                     "echo $! >{}; : >{}".format(*fifos, left, fifos[0])])
        with open(fifos[1], "wb"):
            maps = pathlib.Path("/proc", left.read_text().strip(),
                                "maps").read_text()
            file, = self.stubs()
            self.assertIn(str(self.recording_path / file) + "\n", maps)
            self.assertNotIn("(deleted)", maps)

    def test_all_processes_share_one_file_of_stubs(self):
        self.record(["/bin/sh", "-c",
                     "for i in 1 2 3; do (/bin/sleep 0); done; "
                     f"ls {self.recording_path}/*.stubs > {self.work}/seen"])
        seen = (self.work / "seen").read_text().splitlines()
        self.assertEqual(len(seen), 1)
        self.assertGreater(len(self.recording().parts), 7)

    def test_a_recording_is_at_most_twice_its_blocks_on_disk(self):
        self.record(["/bin/sh", "-c", "/bin/true; (/bin/ls / >&2); exit 0"])
        self.assertEqual(self.stubs(), set())
        files = [path.stat() for path in self.recording_path.iterdir()]
        self.assertLess(sum(file.st_size for file in files),
                        2 * sum(file.st_blocks * 512 for file in files))

    def test_child_that_cannot_load_the_library_runs(self):
        """The library is unreadable, as after chroot() or for another user. The
        loader would print an error on stderr."""
        library = shutil.copy(clewtest.LIBRARY, self.work)
        argv = ["/bin/sh", "-c", f"rm -f {library}; env | sort; exec env true"]
        for other in None, "libm.so.6":
            with self.subTest(other):
                if other:
                    self.environment["LD_PRELOAD"] = other
                native = self.run_program(argv)
                self.environment["CLEW_LIBRARY"] = library
                shutil.copy(clewtest.LIBRARY, self.work)
                recorded = self.record(argv)
                del self.environment["CLEW_LIBRARY"]
                recorded.stdout = recorded.stdout.replace(
                    f"CLEW_LIBRARY={library}\n".encode(), b"")
                self.assert_same_behaviour(native, recorded)
                self.recording()

    @unittest.skipUnless(os.path.exists("/lib/ld-linux.so.2"),
                         "32-bit programs do not run here")
    def test_no_loader_of_32_bit_programs_complains(self):
        subprocess.run(
            ["gcc", "-m32", "-nostdlib", "-fpie", "-pie", "-x", "assembler",
             "-", "-o", "small"], text=True, cwd=self.work, check=True,
            input=".globl _start\n_start: mov $1, %eax\n mov $7, %ebx\n"
                  "int $0x80\n.section .note.GNU-stack, \"\", @progbits\n")
        for how in "exec ./small", "./small; exit $?", "echo | xargs ./small":
            argv = ["sh", "-c", how]
            native = self.run_program(argv)
            self.assert_same_behaviour(native, self.record(argv))

    @needs("musl-gcc")
    def test_programs_with_another_loader_run(self):
        """A loader of another C library may end the process, since it cannot
        load libclew.so."""
        loader = self.work / "ld-other.so.1"
        shutil.copy("/lib/ld-musl-x86_64.so.1", loader)
        subprocess.run(["musl-gcc", "-x", "c", "-", "-o", "other",
                        f"-Wl,--dynamic-linker={loader}"], text=True,
                       cwd=self.work, check=True,
                       input="int main(void) { return 7; }")
        other = self.work / "other"
        for name, words in ("script", f"#! {other} -\n"), ("twice",
                                                           "#!./script\n"):
            path = self.work / name
            path.write_text(words)
            path.chmod(0o755)
        self.environment["PATH"] = f":{os.environ['PATH']}"
        runs = "\n".join([
            "def status(how):",
            "    if not (pid := os.fork()): how()",
            "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])",
            "at = os.open('other', os.O_RDONLY)",
            "def spawned(how, name):",
            "    return lambda: os._exit(os.waitstatus_to_exitcode(os.waitpid(",
            "        how(name, [name], os.environ), 0)[1]))",
            "print(status(lambda: os.execv('./other', ['a'])),",
            "      status(lambda: os.execv('./script', ['a'])),",
            "      status(lambda: os.execv('./twice', ['a'])),",
            "      status(lambda: os.execvp('other', ['a'])),",
            "      status(lambda: os.execve(at, ['a'], os.environ)),",
            "      status(spawned(os.posix_spawn, './other')),",
            "      status(spawned(os.posix_spawnp, 'other')),",
            "      status(lambda: os.execv('/bin/true', ['a'])))"])
        for argv in ([clewtest.PYTHON, "-c", "import os\n" + runs],
                     ["/bin/sh", "-c", "./other; echo $?; other; echo $?; "
                      "./twice; echo $?; exec ./other"]):
            with self.subTest(argv[0]):
                native = self.run_program(argv)
                self.assertEqual(native.stdout.count(b"7"), 7 if argv[
                    0] == clewtest.PYTHON else 3)
                self.assert_same_behaviour(native, self.record(argv))
                self.recording()


class RoundLibc(clewtest.Case):
    """Children that are created without calling any atfork handler."""

    def run_clones(self, *how):
        argv = [target("clones"), *how]
        native = self.run_program(argv)
        self.assertEqual((native.stdout, native.returncode), (b"done\n", 0))
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv))
        return self.recording(), truth.read_all(self.truths)

    def check(self, how, images):
        recording, truths = self.run_clones(how)
        self.assertEqual(len(truths), images)
        self.assertEqual(len(recording.parts), images)
        for one in truths:
            part = recording.part(one.pid)
            self.assert_equals_truth(one, part)
            self.assert_nothing_lost(part)

    def test_fork_by_syscall_is_recorded(self):
        self.check("fork", 6)

    def test_clone_by_syscall_is_recorded(self):
        self.check("clone", 6)

    def test_clone3_by_syscall_is_recorded(self):
        self.check("clone3", 6)

    def test_clone_into_a_function_is_recorded(self):
        self.check("process", 6)

    def test_clone_in_shared_memory_is_recorded(self):
        self.check("vfork", 1)

    def test_a_thread_cloned_by_hand_is_recorded(self):
        self.check("thread", 1)

    def test_child_of_a_bare_instruction_exits_alone(self):
        """The child ends itself without ending the parent's recording."""
        self.check("exits", 1)

    def test_calls_of_a_child_of_a_bare_instruction_are_counted(self):
        """Calls of the child before clew notices it are in the parent's
        part."""
        recording, truths = self.run_clones("bare")
        wanted = sum(calls for one in truths
                     for _, _, function, calls in one.nodes.values()
                     if function)
        known = {vaddr for one in truths for _, vaddr in one.names}
        found = 0
        for part in recording.parts:
            self.assert_nothing_lost(part)
            contexts, calls = part.contexts(), part.counts()
            found += sum(calls.get(c.id, 0) for c in contexts.values()
                         if part.functions[c.function].module.name == "clones"
                         and part.functions[c.function].vaddr in known)
        self.assertEqual(found, wanted)

    def test_calls_under_a_shared_thread_pointer_are_not_counted(self):
        """Nothing is counted while two tasks share a thread pointer; afterwards
        everything is."""
        recording, (one,) = self.run_clones("shared")
        part, = recording.parts
        comparison = truth.Comparison(one, part)
        names = {name: function for function, name in one.names.items()}
        lost = sum(one.totals.values()) - sum(comparison.totals.values())
        self.assertGreater(lost, 0)
        # The function that the last child returns into may also be
        # after_sharing().
        self.assertLessEqual(abs(sum(part.losses) - lost), 5 * 7)
        self.assertEqual(sum(part.losses), part.losses[SHARED])
        after = [c.id for c in part.contexts().values()
                 if part.functions[c.function].vaddr ==
                 names["after_sharing"][1]]
        self.assertEqual(sum(part.counts().get(i, 0) for i in after), 11)

    def crowd(self, count):
        """Runs tasks that share a thread pointer, until only two are left.

        Returns how often the next function was counted.
        """
        recording, (one,) = self.run_clones("crowd", count)
        part, = recording.parts
        names = {name: function for function, name in one.names.items()}
        counts, contexts = part.counts(), part.contexts().values()

        def counted(name):
            return sum(counts.get(c.id, 0) for c in contexts
                       if part.functions[c.function].vaddr == names[name][1])
        self.assertEqual(counted("crowd_work"), 0)
        self.assertEqual(one.totals[names["crowd_work"]], 40000)
        # Two tasks add to the losses at once, and no addition may be lost.
        self.assertGreaterEqual(part.losses[SHARED], 40000)
        self.assertEqual(sum(part.losses), part.losses[SHARED])
        return counted("after_sharing")

    def test_six_sharers_of_memory_are_recorded(self):
        self.assertEqual(self.crowd(6), 2)

    def test_sixteen_sharers_of_memory_are_recorded(self):
        self.assertEqual(self.crowd(16), 2)

    def test_too_many_sharers_of_memory_are_not_counted(self):
        """The runtime cannot detect when all of them have exited, so nothing is
        counted."""
        self.assertEqual(self.crowd(20), 0)


class NoChildren(clewtest.Case):
    def check(self, mode):
        argv = [target("processes"), mode]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        recorded = self.record(argv, ["--no-children"])
        self.assert_same_behaviour(native, recorded)
        recording = self.recording()
        self.assertEqual(len(recording.parts), 1)
        part = recording.parts[0]
        self.assertEqual(part.origin, wire.FROM_START)
        one = next(t for t in truth.read_all(self.truths)
                   if t.pid == part.pid and t.image == 0)
        self.assert_equals_truth(one, part)

    def test_forked_children_are_left_out(self):
        self.check("fork")

    def test_executed_children_are_left_out(self):
        self.check("forkexec")

    def test_spawned_children_are_left_out(self):
        self.check("spawn")

    def test_children_get_no_variables_of_clew(self):
        recorded = self.record(
            ["/bin/sh", "-c", "/usr/bin/env | grep -E 'CLEW_|LD_PRELOAD'"],
            ["--no-children"], text=True)
        self.assertEqual(recorded.stdout, "")


if __name__ == "__main__":
    clewtest.main()
