# SPDX-License-Identifier: MIT
"""Servers and their clients as targets of `clew attach`."""
import glob
import mmap
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

from lib.attached import PATIENCE_S, Attached, changed_code
from lib.clewtest import CLEW, PYTHON, until

CYCLES = int(os.environ.get("CLEW_CYCLES", "10"))
NOBODY = 65534
# Allowed growth in mappings: a server's own, and two for each stub page that a
# function may still return into.
OWN_MAPPINGS = 4 + 2 * 8

# Checks each answer. Exits at the end of its input, with 1 if an answer was
# wrong.
CLIENT = r"""
import hashlib, http.client, mmap, os, socket, sys, threading
path, counts, *pages = sys.argv[1:]
class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)
expected = [page.split("=") for page in pages]
with open(counts, "r+b") as file:
    words = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
ended = threading.Event()
def work(i):
    try:
        while not ended.is_set():
            connection = Connection("clew")
            for k in range(40):
                page, digest = expected[k % len(expected)]
                connection.request("GET", page)
                answer = connection.getresponse()
                body = answer.read()
                if (answer.status != 200 or
                        hashlib.sha256(body).hexdigest() != digest):
                    raise ValueError((page, answer.status, body[:80]))
                words[i] += 1
            connection.close()
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
sys.stdin.read()
ended.set()
for thread in threads:
    thread.join()
"""


def mappings(pid):
    return pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()


def threads(pid):
    return set(os.listdir(f"/proc/{pid}/task"))


def is_ours(mapping):
    """Returns whether a mapping is clew's and has a name: the library, stubs,
    the latest recording or the shadow."""
    name = mapping.split(maxsplit=5)[5] if mapping.count(" ") > 5 else ""
    return re.search(r"(libclew\.so|\.stubs|\.part|/dev/zero)( \(deleted\))?$",
                     name)


class Served(Attached):
    def setUp(self):
        super().setUp()
        self.work.chmod(0o755)

    def start(self, argv, **options):
        """Starts a process in a new session; the processes that it forks are
        killed with it."""
        process = super().start(argv, start_new_session=True, **options)
        self.addCleanup(self.kill_all, process.pid)
        return process

    @staticmethod
    def kill_all(session):
        try:
            os.killpg(session, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def others_can_come(self):
        """Returns whether this is root and the user nobody can execute clew."""
        return not os.geteuid() and not self.run_program(
            ["test", "-x", CLEW], user=NOBODY).returncode

    def left_as_before(self, pids, tasks):
        for pid in pids:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            self.assertIn("TracerPid:\t0\n", status)
            self.assertEqual(changed_code(pid), [], pid)
            self.assertEqual(threads(pid), tasks[pid])

    def cycle(self, pids, *chosen, cycles=CYCLES):
        """Attaches to all chosen processes and detaches repeatedly; checks
        `pids` each time."""
        tasks = {pid: threads(pid) for pid in pids}
        before = {pid: mappings(pid) for pid in pids}
        count = {}
        for i in range(cycles):
            done = self.clew("attach", "--for", "20ms", "-o",
                             self.recording_path, *chosen)
            self.assertEqual(done.returncode, 0, f"{i}: {done.stderr}")
            self.left_as_before(pids, tasks)
            if i == 2:
                count = {pid: len(mappings(pid)) for pid in pids}
        for pid in pids:
            now = mappings(pid)
            if count:
                self.assertLessEqual(len(now), count[pid] + OWN_MAPPINGS,
                                     "\n".join(now))
            files = {line.split(maxsplit=5)[5] for line in before[pid]
                     if line.count("/")}
            for mapping in now:
                if mapping.count("/") and not is_ours(mapping):
                    self.assertIn(mapping.split(maxsplit=5)[5], files)

    def calls_until(self, done, *chosen):
        """Returns the number of calls counted while `done()` runs."""
        controller = subprocess.Popen(
            [str(word) for word in
             (CLEW, "attach", "-o", self.recording_path, *chosen)],
            cwd=self.work, env=self.environment, stderr=subprocess.PIPE,
            text=True)
        self.addCleanup(controller.stderr.close)
        self.addCleanup(controller.wait)
        self.addCleanup(controller.kill)
        said = controller.stderr.readline()
        self.assertIn("attached to", said)
        done()
        controller.send_signal(signal.SIGINT)
        said += controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        report = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(report["lost"], {})
        self.assertEqual(report["confidence"]["diverged"], 0)
        return report["total"]["calls"]

    def client(self, socket, pages):
        """Runs a client until wait_for_client(); `pages` is {path: sha256 of
        its content}."""
        counts = self.work / "counts"
        counts.write_bytes(bytes(4096))
        with counts.open("r+b") as file:
            self.words = mmap.mmap(file.fileno(), 0)
        self.addCleanup(self.words.close)
        client = self.start(
            [PYTHON, "-c", CLIENT, socket, counts,
             *(f"{path}={digest}" for path, digest in pages.items())],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(client.stderr.close)
        self.addCleanup(client.stdin.close)
        self.let_go(client)
        return client

    def requests(self):
        return sum(struct.unpack_from("<4Q", self.words))

    def let_go(self, client):
        """Waits until some more requests are answered."""
        now = self.requests()
        self.assertTrue(until(lambda: self.requests() > now + 200 or
                              client.poll() is not None))
        self.assertIsNone(client.poll(), client.poll() and
                          client.stderr.read())

    def wait_for_client(self, client):
        client.stdin.close()
        said = client.stderr.read()
        self.assertEqual(client.wait(PATIENCE_S), 0, said)
        self.assertEqual(said, b"")

    def end(self, server, by):
        server.send_signal(by)
        self.assertEqual(server.wait(PATIENCE_S), 0)


def postgres_folder():
    """Returns the folder of the newest version; Debian does not put its
    programs into $PATH."""
    found = glob.glob("/usr/lib/postgresql/*/bin/postgres")
    there = max(found, key=lambda path: int(path.split("/")[4]), default=None) \
        or shutil.which("postgres")
    return pathlib.Path(there).resolve().parent if there else None


class PostgresServer(Served):
    def setUp(self):
        super().setUp()
        self.folder = postgres_folder()
        if not self.folder:
            self.skipTest("no postgres here")
        self.user = {}
        if not os.geteuid():
            if not self.others_can_come():
                self.skipTest("clew is where others cannot come, of whom "
                              "postgres must be one")
            self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            shutil.chown(self.work, NOBODY, NOBODY)
        self.run_it("initdb", "-D", "data", "-A", "trust", "--no-sync", "-U",
                    "clew", "--locale=C")
        self.server = self.start(
            [self.folder / "postgres", "-D", "data", "-k", self.work, "-c",
             "listen_addresses=", "-c", "fsync=off", "-c",
             "shared_buffers=16MB"], stderr=subprocess.DEVNULL, **self.user)
        self.assertTrue(until(lambda: self.psql("select 1") == "1"))

    def run_it(self, name, *words):
        done = self.run_program([self.folder / name, *words], **self.user)
        self.assertEqual(done.returncode, 0, done.stderr)

    def psql(self, query):
        return self.run_program(
            [self.folder / "psql", "-h", self.work, "-U", "clew", "-At", "-c",
             query, "postgres"], text=True, **self.user).stdout.strip()
