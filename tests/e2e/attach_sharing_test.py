#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Processes of one `clew attach` session share the code that contains its
hooks."""
import ctypes
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess

from lib import clewtest
from lib.attached import (FORKS, PATIENCE_S, Attached, changed_code, children,
                          private_kb)
from lib.clewtest import CLEW, kill_with_guardian, needs, slow, target, until
from lib.servers import PostgresServer

BACKENDS = 10
ATTACHED_KB, DETACHED_KB = 3072, 576
KILLED, KILLED_OF_SLOW = 9, 100
KILLED_OPTIONS = [], ["--time=exact"], ["-m", "libc.so.6", "-m", "libssl.so.3"]

# Code is shared with these options, except the last one, which hooks few
# functions.
OPTIONS = [["--time=none"], ["--probe", "zmalloc"], ["--time=exact"],
           ["-f", "^zmalloc"]]


# Forks after it reads a line, and writes the child's process id.
FORKS_LATER = """
import sys
open(sys.argv[1], "w").close()
sys.stdin.readline()
""" + FORKS

# Unloads a library and loads another one for each input line.
RELOADS = """
import _ctypes, os, sys
library = _ctypes.dlopen(sys.argv[1], os.RTLD_NOW)
print(flush=True)
for line in sys.stdin:
    _ctypes.dlclose(library)
    library = _ctypes.dlopen(line.strip(), os.RTLD_NOW)
    print(flush=True)
"""


def mappings(pid):
    return pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()


def hooked(pid):
    """Returns {(file, inode)} of the mapped copies of modules that contain
    hooks."""
    return {(line.split()[5], line.split()[4]) for line in mappings(pid)
            if ".hooked" in line and " r-xp " in line}


def ahead(pid):
    """Returns the inaccessible mappings of such copies and of modules."""
    return [line for line in mappings(pid)
            if " ---p " in line and "/" in line or ".hooked" in line]


class Postgres(PostgresServer):
    def backends(self):
        """Returns clients that are connected and idle."""
        clients = [self.start(
            [self.folder / "psql", "-h", self.work, "-U", "clew", "-Atq",
             "postgres"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, **self.user) for _ in range(BACKENDS)]
        for client in clients:
            self.addCleanup(client.stdin.close)
            self.addCleanup(client.stdout.close)
            for _ in range(3):
                self.assertEqual(self.ask(client), "1")
        return clients

    @staticmethod
    def ask(client):
        client.stdin.write("select 1;\n")
        client.stdin.flush()
        return client.stdout.readline().strip()

    def added(self, before):
        return {pid: private_kb(pid) - kb
                for pid, kb in before.items()}

    def test_a_backend_has_3_mb_more_while_attached_and_half_a_mb_after(self):
        clients = self.backends()
        pids = [self.server.pid, *children(self.server.pid)]
        self.assertGreater(len(pids), BACKENDS)
        before = {pid: private_kb(pid) for pid in pids}
        controller = self.attach(self.server, "--children")
        attached = self.added(before)
        files = [hooked(pid) for pid in pids]
        for client in clients:
            self.assertEqual(self.ask(client), "1")
        asked = self.added(before)
        self.detach(controller)
        detached = self.added(before)
        self.assertLessEqual(max(attached.values()), ATTACHED_KB, attached)
        self.assertLessEqual(max(asked.values()), ATTACHED_KB, asked)
        self.assertLessEqual(max(detached.values()), DETACHED_KB, detached)
        self.assertIn("postgres.hooked", str(files[0]))
        for others in files[1:]:
            self.assertEqual(others, files[0])
        for pid in pids:
            self.assertEqual(changed_code(pid), [])
            self.assertEqual(ahead(pid), [])
        for client in clients:
            self.assertEqual(self.ask(client), "1")


class Shared(Attached):
    def server(self):
        """Starts redis-server from a copy of its program file."""
        program, socket = self.work / "redis-server", self.work / "socket"
        shutil.copy(shutil.which("redis-server"), program)
        process = self.start(
            [program, "--port", "0", "--unixsocket", socket, "--save", ""],
            stdout=subprocess.DEVNULL)
        self.assertTrue(until(socket.exists))
        return process, program

    def assert_nothing_is_left(self, pid):
        self.assertEqual(changed_code(pid), [])
        self.assertEqual(ahead(pid), [])

    def test_a_child_that_is_forked_meanwhile_is_detached_as_well(self):
        said = self.work / "said"
        parent = self.start([clewtest.PYTHON, "-c", FORKS_LATER, said],
                            stdin=subprocess.PIPE)
        self.addCleanup(parent.stdin.close)
        self.assertTrue(until(said.exists))
        controller = self.attach(parent, "--children")
        self.assertTrue(hooked(parent.pid))
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        self.assertTrue(until(lambda: said.read_text().endswith("\n")))
        child = int(said.read_text())
        self.assertEqual(hooked(child), hooked(parent.pid))
        self.detach(controller)
        self.assert_as_before(parent)
        for pid in parent.pid, child:
            self.assert_nothing_is_left(pid)

    def test_a_program_maps_its_own_text_again_meanwhile(self):
        for flavour in "O2", "nopie":
            program = self.start([target("maps_own_file", flavour), "waits"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True)
            self.addCleanup(program.stdin.close)
            self.addCleanup(program.stdout.close)
            self.assertEqual(program.stdout.readline(), "ready\n")
            controller = self.attach(program)
            program.stdin.write("x")
            program.stdin.flush()
            path, total = program.stdout.readline().split()
            self.assertTrue(path.endswith(".hooked"), path)
            self.assertEqual(total, "5050")
            self.detach(controller)
            self.assert_nothing_is_left(program.pid)
            shutil.rmtree(self.recording_path)

    @needs("redis-server")
    def test_the_file_of_a_module_is_replaced_meanwhile(self):
        for change in "replace", "remove":
            server, program = self.server()
            controller = self.attach(server)
            self.assertIn("redis-server.hooked", str(hooked(server.pid)))
            program.unlink()
            if change == "replace":
                shutil.copy(shutil.which("redis-server"), program)
            self.detach(controller)
            self.assertIsNone(server.poll())
            self.assertEqual(ahead(server.pid), [])
            self.assert_is_file(server.pid, program,
                                shutil.which("redis-server"))
            server.kill()
            server.wait()

    @needs("redis-server")
    def test_a_page_that_something_else_has_written_keeps_its_bytes(self):
        server, _ = self.redis()
        controller = self.attach(server)
        path, _ = next(pair for pair in hooked(server.pid)
                       if "libcrypto" in pair[0])
        end = max(int(line.split()[0].split("-")[1], 16)
                  for line in mappings(server.pid)
                  if path in line and " r-xp " in line)
        with open(f"/proc/{server.pid}/mem", "r+b", 0) as memory:
            memory.seek(end - 1)
            byte = memory.read(1)[0] ^ 0xff
            memory.seek(end - 1)
            memory.write(bytes([byte]))
            self.detach(controller)
            memory.seek(end - 1)
            self.assertEqual(memory.read(1)[0], byte)
            memory.seek(end - 1)
            memory.write(bytes([byte ^ 0xff]))
        library = next(line.split()[5] for line in mappings(server.pid)
                       if line.endswith("/libcrypto.so.3"))
        self.assert_is_file(server.pid, path, library)
        self.assertEqual({file for file, _ in hooked(server.pid)}, {path})
        self.detach(self.attach(server))
        self.assert_as_before(server)
        self.assertEqual(ahead(server.pid), [])

    @staticmethod
    def code_of(pid, path):
        """Returns the addresses where code of a file, or of its copy with
        hooks, is mapped."""
        return [line.split("-")[0] for line in mappings(pid)
                if path.name in line and " r-xp " in line]

    def test_module_at_the_address_of_a_shared_one_is_hooked(self):
        """Loads the same file again, or another one, at the same address."""
        first, second = self.work / "first.so", self.work / "second.so"
        ctypes.CDLL("libm.so.6")
        library = next(line.split()[5] for line in mappings("self")
                       if line.endswith("/libm.so.6"))
        for path in first, second:
            shutil.copy(library, path)
        program = self.start([clewtest.PYTHON, "-c", RELOADS, first],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
        self.addCleanup(program.stdin.close)
        self.addCleanup(program.stdout.close)
        program.stdout.readline()
        loaded = first
        for path in first, second, second, first:
            before = self.code_of(program.pid, loaded)
            controller = self.attach(program)
            self.assertIn(f"{loaded.name}.hooked", str(hooked(program.pid)))
            print(path, file=program.stdin, flush=True)
            program.stdout.readline()
            loaded = path
            self.assertEqual(self.code_of(program.pid, loaded), before)
            self.detach(controller)
            self.assert_as_before(program)
            self.assertEqual(ahead(program.pid), [])

    def assert_is_file(self, pid, path, file):
        """Asserts that all memory mapped from a path equals the file."""
        found = 0
        with open(f"/proc/{pid}/mem", "rb", 0) as memory, \
                open(file, "rb") as expected:
            for line in mappings(pid):
                fields = line.split()
                if len(fields) < 6 or fields[5] != str(path) or \
                        "x" not in fields[1]:
                    continue
                start, end = (int(n, 16) for n in fields[0].split("-"))
                memory.seek(start)
                expected.seek(int(fields[2], 16))
                bytes_there = expected.read(end - start)
                self.assertTrue(
                    memory.read(end - start)[:len(bytes_there)] ==
                    bytes_there, line)
                found += 1
        self.assertTrue(found)

    @needs("redis-server")
    def test_code_of_the_c_library_is_shared_as_well(self):
        """The library's own hooked functions are restored last."""
        server, _ = self.redis()
        for _ in range(2):
            controller = self.attach(server, "-m", "libc.so.6", "-m",
                                     "libcrypto.so.3")
            names = str(hooked(server.pid))
            self.assertIn("libc.so.6.hooked", names)
            self.assertIn("libcrypto.so.3.hooked", names)
            self.detach(controller)
            self.assert_as_before(server)
            self.assertEqual(ahead(server.pid), [])

    @needs("redis-server")
    def test_sessions_with_other_options_take_turns(self):
        server, _ = self.redis()
        for i in range(2):
            for options in OPTIONS:
                controller = self.attach(server, *options)
                self.assertEqual(bool(hooked(server.pid)),
                                 "-f" not in options, (i, options))
                self.detach(controller)
                self.assert_as_before(server)
                self.assertEqual(ahead(server.pid), [])


class NotShared(Attached):
    """Cases in which sharing could harm the program."""

    def check(self, process):
        controller = self.attach(process)
        self.assertEqual(hooked(process.pid), set())
        self.detach(controller)
        self.assert_as_before(process)
        self.assertEqual(ahead(process.pid), [])

    def test_locked_memory_is_unchanged(self):
        process = self.start(
            [clewtest.PYTHON, "-c", "import ctypes, signal, sys\n"
             "if ctypes.CDLL(None).mlockall(1): sys.exit(1)\n"
             "open(sys.argv[1], 'w').close()\nsignal.pause()",
             self.work / "ready"])
        self.assertTrue(until((self.work / "ready").exists))
        self.check(process)

    def test_text_is_not_shared_under_an_address_space_limit(self):
        limit = 2 << 30
        process = self.start(
            ["sleep", "1000"], preexec_fn=lambda:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertTrue(until(lambda: "State:\tS" in pathlib.Path(
            f"/proc/{process.pid}/status").read_text()))
        self.check(process)


class Killed(Attached):
    """Kills the controller at a random moment, with or without its guardian."""

    def lose_none(self, count):
        seed = int.from_bytes(os.urandom(4), "little")
        self.addCleanup(lambda: print("seed", seed))
        moments = random.Random(seed)
        server, socket = self.redis()
        load = self.start(
            ["redis-benchmark", "-s", socket, "-q", "-c", "4", "-n",
             "1000000000", "-t", "set,get"], stdout=subprocess.DEVNULL)
        for i in range(count):
            path = self.work / f"recording{i}"
            controller = subprocess.Popen(
                [CLEW, "attach", "-q", "-o", path, "--for", "100ms",
                 *KILLED_OPTIONS[i % len(KILLED_OPTIONS)], str(server.pid)],
                cwd=self.work, env=self.environment,
                stderr=subprocess.DEVNULL)
            try:
                controller.wait(moments.uniform(.01, 1))
            except subprocess.TimeoutExpired:
                if i % 2:
                    controller.kill()
                else:
                    kill_with_guardian(controller)
            controller.wait(PATIENCE_S)
            self.assertTrue(until(lambda: self.is_detached(server)),
                            (i, self.clew("detach", server.pid).stderr,
                             changed_code(server.pid), ahead(server.pid)))
            self.assertIsNone(load.poll())
            shutil.rmtree(path, ignore_errors=True)
        self.detach(self.attach(server))
        self.assert_as_before(server)
        self.assertEqual(ahead(server.pid), [])
        self.assertIsNone(load.poll())
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(PATIENCE_S), 0)

    def is_detached(self, server):
        """Returns whether no clew is attached; detaches if no guardian does."""
        done = self.clew("detach", server.pid)
        status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
        return "not attached" in done.stderr and \
            "TracerPid:\t0\n" in status and not changed_code(server.pid)

    @needs("redis-server", "redis-benchmark")
    def test_controllers_that_are_killed_leave_no_hook(self):
        self.lose_none(KILLED)

    @slow
    @needs("redis-server", "redis-benchmark")
    def test_100_controllers_that_are_killed_leave_no_hook(self):
        self.lose_none(KILLED_OF_SLOW)


if __name__ == "__main__":
    clewtest.main()
