#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew a2n` queries debuginfod only if the user enables it, and with a time
limit.

The tests use the real server once, and otherwise servers of their own that are
dead, silent or slow, or that send wrong data.
"""
import re
import select
import shutil
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from lib import a2n_truth, clewtest, debuginfod

SOURCE = clewtest.ROOT / "tests" / "targets" / "inlines.cc"
A2N = clewtest.BUILD / "symbolizer" / "liba2n.so"
LIMIT_S = 60  # far above the time that any answer takes here

# Usage: liba2n LIBRARY FILE. Prints the note on missing parts that an open with
# a limit of two seconds yields.
OPEN_FOR_TWO_SECONDS = """
import ctypes, sys
class Options(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint32), ("seconds", ctypes.c_uint32),
                ("bytes", ctypes.c_uint64), ("paths", ctypes.c_void_p * 3)]
class Info(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("build_id", ctypes.c_uint32 * 9),
                ("symbols_from", ctypes.c_char_p),
                ("debug_from", ctypes.c_char_p), ("reason", ctypes.c_char_p),
                ("rest", ctypes.c_uint64 * 8)]
library = ctypes.CDLL(sys.argv[1])
a2n, module, info = ctypes.c_void_p(), ctypes.c_void_p(), Info()
assert not library.a2n_create(ctypes.byref(Options(flags=1, seconds=2)),
                              ctypes.byref(a2n))
assert not library.a2n_module_open(a2n, sys.argv[2].encode(), None,
                                   ctypes.byref(module))
library.a2n_module_info(module, ctypes.byref(info))
print(info.reason.decode())
"""


@unittest.skipIf(debuginfod.NO_LIBRARY, f"no {debuginfod.LIBRARY} here")
class Debuginfod(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.environment.pop("DEBUGINFOD_URLS", None)
        self.environment["XDG_CACHE_HOME"] = str(self.work / "cache")
        self.environment["DEBUGINFOD_CACHE_PATH"] = str(self.work / "client")
        self.plain = self.work / "plain"
        self.tool("g++", "-gdwarf-5", "-O2", "-Wl,--build-id", SOURCE, "-o",
                  self.plain)
        self.served = self.work / "served"
        self.served.mkdir()
        self.debug = self.served / "program.debug"
        self.tool("objcopy", "--only-keep-debug", self.plain, self.debug)
        self.path = self.work / "program"
        self.tool("objcopy", "--strip-all", self.plain, self.path)
        self.build_id = re.search(r"Build ID: (\w+)",
                                  self.tool("readelf", "-n", self.plain))[1]

    def tool(self, *argv, cwd=None):
        done = self.run_program(argv, text=True, cwd=cwd or self.work)
        self.assertEqual(done.returncode, 0, f"{argv}: {done.stderr}")
        return done.stdout

    def serve(self, answer):
        server = debuginfod.Server(answer)
        self.addCleanup(server.close)
        self.environment["DEBUGINFOD_URLS"] = server.url
        return server

    def ask(self, path=None, before=()):
        """Returns the frames of addresses all over .text, and the note on
        missing parts."""
        start, size, _ = a2n_truth.text_section(self.plain)
        self.addresses = range(start, start + size, 7)
        done = self.run_program(
            [*before, clewtest.CLEW, "a2n", "-v", "-ifa", "-e",
             path or self.path], text=True, timeout=LIMIT_S,
            input="".join(f"{a:#x}\n" for a in self.addresses))
        self.assertEqual(done.returncode, 0, done.stderr)
        missing = re.search(r"^missing: (.*)$", done.stderr, re.M)
        return (a2n_truth.parse_addr2line(done.stdout),
                missing[1] if missing else None, done.stderr)

    def assert_all_known(self, path=None):
        answers, missing, said = self.ask(path)
        self.assertIsNone(missing)
        truth = a2n_truth.llvm_symbolizer(self.plain, self.addresses)
        self.assertTrue(any(len(frames) > 2 for frames in truth))
        for address, ours, theirs in zip(self.addresses, answers, truth):
            self.assertEqual(a2n_truth.chain(ours), a2n_truth.chain(theirs),
                             hex(address))
            self.assertEqual(ours[-1][0], theirs[-1][0], hex(address))
        return said

    def assert_unknown(self, why):
        answers, missing, _ = self.ask()
        self.assertRegex(missing, "^no debug information: the file contains none, "
                         "and no separate debug file of this build was found"
                         + why)
        for frames in answers:
            self.assertEqual(a2n_truth.chain(frames), [("??", 0)])

    # Tests with the real server.

    def start_real_server(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen(
            ["debuginfod", "-F", "-p", str(port), "-d", ":memory:",
             self.served], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, f"http://127.0.0.1:{port}"

    def wait_until_it_has(self, server, url):
        """Waits until the server returns the file: its scan of the folder is
        then complete."""
        end = time.monotonic() + LIMIT_S
        while True:
            self.assertIsNone(server.poll(), "the server ended")
            self.assertLess(time.monotonic(), end, "the server has nothing")
            try:
                with urllib.request.urlopen(
                        f"{url}/buildid/{self.build_id}/debuginfo",
                        timeout=LIMIT_S) as answer:
                    return len(answer.read())
            except (urllib.error.URLError, ConnectionError):
                select.select([], [], [], .05)

    @clewtest.needs("debuginfod")
    def test_a_real_server_is_asked(self):
        server, url = self.start_real_server()
        self.assertEqual(self.wait_until_it_has(server, url),
                         self.debug.stat().st_size)
        self.assert_unknown("$")
        self.environment["DEBUGINFOD_URLS"] = url
        said = self.assert_all_known()
        self.assertIn(str(self.work / "client"), said)
        # The index answers a second time, without a server.
        server.kill()
        self.assertIn(", cached", self.assert_all_known())

    # Requests are sent only if the user enables them.

    def test_only_the_right_file_is_used(self):
        server = self.serve(lambda to: to.send(200, self.debug.read_bytes()))
        self.assert_all_known()
        self.assertEqual(server.asked,
                         [f"/buildid/{self.build_id}/debuginfo"])

    @clewtest.needs("strace")
    def test_without_the_variable_nothing_is_loaded_or_asked(self):
        server = self.serve(lambda to: to.send(200, self.debug.read_bytes()))
        trace = self.work / "trace"
        strace = ("strace", "-f", "-o", trace, "-e",
                  "trace=open,openat,socket,connect")
        # LeakSanitizer cannot run below strace.
        self.environment["ASAN_OPTIONS"] += ":detect_leaks=0"
        self.ask(before=strace)
        # proves that the trace records files
        self.assertIn(debuginfod.LIBRARY, trace.read_text())
        self.assertIn("connect(", trace.read_text())
        self.assertEqual(len(server.asked), 1)
        shutil.rmtree(self.work / "cache")
        shutil.rmtree(self.work / "client")
        for urls in (None, ""):
            with self.subTest(urls=urls):
                self.environment.pop("DEBUGINFOD_URLS", None)
                if urls is not None:
                    self.environment["DEBUGINFOD_URLS"] = urls
                _, missing, _ = self.ask(before=strace)
                self.assertIn("no separate debug file", missing)
                self.assertNotIn("debuginfod", trace.read_text())
                self.assertNotIn("socket(", trace.read_text())
        self.assertEqual(len(server.asked), 1)
        self.assertFalse((self.work / "client").exists())

    def test_local_debug_files_are_not_downloaded(self):
        server = self.serve(lambda to: to.send(404))
        self.assert_all_known(self.plain)
        self.assertEqual(server.asked, [])

    @clewtest.needs("dwz")
    def test_an_alternate_file_is_loaded(self):
        for name in "ab":
            shutil.copy(self.plain, self.work / name)
        self.tool("dwz", "-m", "common", "a", "b")
        common = self.work / "common"
        build_id = re.search(r"Build ID: (\w+)",
                             self.tool("readelf", "-n", common))[1]
        data = common.read_bytes()
        common.unlink()
        for urls in (None, "http://127.0.0.1:1"):
            if urls:
                self.environment["DEBUGINFOD_URLS"] = urls
            _, missing, _ = self.ask(self.work / "a")
            self.assertIn("alternate debug file", missing)
        server = self.serve(lambda to: to.send(200, data))
        self.assert_all_known(self.work / "a")
        self.assertEqual(server.asked, [f"/buildid/{build_id}/debuginfo"])

    # Servers that send nothing useful.

    def test_missing_file_is_requested_once(self):
        server = self.serve(lambda to: to.send(404))
        self.assert_unknown("; debuginfod: the server does not have it$")
        self.assert_unknown("; debuginfod: the server does not have it$")
        self.assertEqual(len(server.asked), 1)

    def test_garbage_from_debuginfod_is_ignored(self):
        other = self.work / "other"
        self.tool("g++", "-g", "-O1", "-Wl,--build-id", SOURCE, "-o", other)
        whole = self.debug.read_bytes()
        for name, data in (("no ELF file", b"<html>Welcome!</html>" * 999),
                           ("cut", whole[:50]),
                           ("of another build", other.read_bytes())):
            with self.subTest(name):
                shutil.rmtree(self.work / "client", ignore_errors=True)
                self.serve(lambda to, data=data: to.send(200, data))
                self.assert_unknown("; debuginfod: the downloaded file belongs "
                                    "to another build$")

    def test_dead_server_is_asked_again(self):
        server = self.serve(lambda to: to.send(200, self.debug.read_bytes()))
        self.environment["DEBUGINFOD_URLS"] = "http://127.0.0.1:1"
        self.assert_unknown("; debuginfod: ")
        self.environment["DEBUGINFOD_URLS"] = server.url
        self.assert_all_known()

    def test_a_silent_server_is_given_up(self):
        """The server accepts the connection and never answers."""
        server = self.serve(lambda to: to.server.ended.wait())
        self.environment["DEBUGINFOD_TIMEOUT"] = "1"
        self.assert_unknown("; debuginfod: the download timed out$")
        self.assertGreaterEqual(len(server.asked), 1)

    @unittest.skipIf(b"__asan_init" in A2N.read_bytes(),
                     "liba2n is sanitized, and Python is not")
    def test_endless_answer_ends_with_our_limit(self):
        """The client's own limit only applies to servers that stop sending."""
        self.serve(debuginfod.Handler.drip)

        done = self.run_program([clewtest.PYTHON, "-c", OPEN_FOR_TWO_SECONDS,
                                 A2N, self.path], text=True, timeout=LIMIT_S)
        self.assertRegex(done.stdout, "; debuginfod: the download timed out$",
                         done.stderr)


if __name__ == "__main__":
    clewtest.main()
