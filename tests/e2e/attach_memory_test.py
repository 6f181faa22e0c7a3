#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Measures how much memory `clew attach` adds to a process during and after a
session."""
import pathlib
import re
import signal
import sys

from lib import clewtest, isolation
from lib.attached import FORKS, PATIENCE_S, Attached, changed_code, private_kb
from lib.clewtest import needs, slow, target

# Growth that may remain after any number of sessions, relative to the first
# one.
GROWTH_KB = 512
GROWTH_MAPPINGS = 24

OPTIONS = [
    ["--time=cpu"], ["--time=exact"], ["--time=none"], ["--rate=500"],
    ["--no-cache"], ["--time=wall"], ["--budget=5%"], ["-f", "^a"],
    ["--max-contexts=500", "--java=off"], ["-F", "e"],
]


def mappings(pid):
    return len(pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines())


class Memory(Attached):
    def session(self, pid, *options):
        done = self.clew("attach", "--for", "20ms", "-o", self.recording_path,
                         *options, str(pid))
        self.assertEqual(done.returncode, 0, (options, done.stderr))

    def sessions(self, process, count, options):
        """Returns (kB, mappings) after each session."""
        measured = []
        for i in range(count):
            self.session(process.pid, *options[i % len(options)])
            self.assert_as_before(process)
            measured.append((private_kb(process.pid), mappings(process.pid)))
        return measured

    def assert_flat(self, measured, growth_kb):
        """Asserts that nothing grows after the second session; the first
        session's tables persist."""
        kb, count = measured[1]
        for later_kb, later_count in measured[2:]:
            self.assertLess(later_kb, kb + growth_kb, measured)
            self.assertLess(later_count, count + GROWTH_MAPPINGS, measured)

    def busy(self, name="busy"):
        process, _ = self.shared(name, [target("busy")])
        return process

    @needs("redis-server")
    def test_the_added_and_the_remaining_memory_are_printed(self):
        server, _ = self.redis()
        before_kb = private_kb(server.pid)
        controller = self.attach(server)
        added = self.printed("added", controller.stderr.readline())
        attached_kb = private_kb(server.pid)
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        remaining = self.printed("remain", said)
        self.assertAlmostEqual(added, (attached_kb - before_kb) * 1024 / 1e6,
                               delta=1.5)
        self.assertLess(remaining, 2)

    def printed(self, what, said):
        """Returns the printed number of megabytes."""
        found = re.search(rf"memory: ([0-9.]+) MB {what} in 1 process", said)
        self.assertTrue(found, said)
        return float(found[1])

    @staticmethod
    def stubs(pid):
        """Returns {(file, inode)} of stubs that other processes may share."""
        lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
        return {(line.split()[5], line.split()[4]) for line in lines
                if "/content-" in line and " r-xp " in line}

    @staticmethod
    def mapped_bytes(pid):
        """Returns the mapped bytes of these stubs: a page stays if a function
        may return into it."""
        lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
        ranges = [line.split()[0].split("-") for line in lines
                  if "/content-" in line]
        return sum(int(end, 16) - int(start, 16) for start, end in ranges)

    def test_processes_of_one_session_share_stubs(self):
        one, two = self.busy("one"), self.busy("two")
        controller = self.attach(one, str(two.pid))
        files = self.stubs(one.pid)
        self.assertTrue(files)
        self.assertEqual(self.stubs(two.pid), files)
        for path, _ in files:
            self.assertEqual(pathlib.Path(path).stat().st_mode & 0o777, 0o400)
        self.detach(controller)
        for process in (one, two):
            self.assert_as_before(process)
            self.assertLess(self.mapped_bytes(process.pid), 0x8000)
        left = [path.name for path in self.recording_path.iterdir()
                if path.name.startswith("content-")]
        self.assertEqual(left, [])
        self.assertGreater(self.calls()["busy_leaf"], 0)

    @staticmethod
    def tables(pid):
        """Returns {inode} of tables that other processes may share."""
        lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
        return {line.split()[4] for line in lines
                if "/content-" in line and " -w-p " in line}

    def test_a_process_shares_tables_with_its_child(self):
        said = self.work / "said"
        parent = self.start([sys.executable, "-c", FORKS, said])
        self.assertTrue(clewtest.until(
            lambda: said.exists() and said.read_text().endswith("\n")))
        child = int(said.read_text())
        for _ in range(2):
            controller = self.attach(parent, "--children")
            shared = self.tables(parent.pid)
            self.assertGreater(len(shared), 1)
            self.assertEqual(self.tables(child), shared)
            self.detach(controller)
            self.assert_as_before(parent)
            self.assertEqual(changed_code(child), [])
            for pid in (parent.pid, child):
                self.assertEqual(self.tables(pid), set())

    def test_a_session_shares_the_stubs_of_no_other(self):
        """Each session has a folder of its own, and removes its files at its
        end."""
        process = self.busy("one")
        seen = set()
        for _ in range(3):
            controller = self.attach(process)
            files = self.stubs(process.pid)
            self.assertTrue(files - seen)
            seen |= files
            self.detach(controller)

    def test_sessions_with_other_options_take_no_more_memory(self):
        self.assert_flat(self.sessions(self.busy(), len(OPTIONS), OPTIONS),
                         GROWTH_KB)

    def test_sessions_with_equal_options_take_no_more_memory(self):
        self.assert_flat(self.sessions(self.busy(), 6, OPTIONS[:1]),
                         GROWTH_KB)

    def test_sessions_with_a_probe_now_and_then_take_no_more_memory(self):
        options = [["--probe", "busy_leaf"], ["--time=none"]]
        self.assert_flat(self.sessions(self.busy(), 6, options), GROWTH_KB)

    @needs("redis-server")
    def test_redis_has_its_memory_back(self):
        """Stubs, code and tables of 26,767 functions are in mapped files, which
        are unmapped."""
        server, _ = self.redis()
        before_kb, before = private_kb(server.pid), mappings(server.pid)
        controller = self.attach(server)
        attached_kb = private_kb(server.pid)
        self.detach(controller)
        self.assertLess(attached_kb, before_kb + 3072)
        self.assertLess(private_kb(server.pid), before_kb + 1536)
        self.assertLess(mappings(server.pid), before + 100)

    @needs("redis-server")
    def test_sessions_in_turns_take_no_more_memory_of_redis(self):
        server, _ = self.redis()
        self.assert_flat(self.sessions(server, 4, OPTIONS[:2]), 1024)

    @slow
    @needs("redis-server")
    def test_twenty_sessions_on_redis_need_no_more_memory(self):
        server, _ = self.redis()
        measured = self.sessions(server, 20, OPTIONS)
        self.assert_flat(measured, 1024)
        self.assertLess(measured[-1][0], measured[0][0] + 8192)

    @slow
    @needs("redis-server")
    def test_a_process_of_another_user_beside_it_makes_no_difference(self):
        """Caches are then in another folder, which the configuration names."""
        user, _ = isolation.make_users(self)
        self.work.chmod(0o755)
        server, _ = self.redis()
        other = self.start(["sleep", "1000"], **user.as_user)
        measured = []
        for i in range(6):
            also = [str(other.pid)] if i % 2 else []
            self.session(server.pid, *also)
            measured.append((private_kb(server.pid), mappings(server.pid)))
        self.assert_flat(measured, GROWTH_KB)


if __name__ == "__main__":
    clewtest.main()
