# SPDX-License-Identifier: MIT
"""One program's load, run twice: as it is, and under `clew record --libc`.

A load is a function that takes a Load and does with it, in order, what a
user of the program would: writes input files, runs commands, starts servers
and talks to them. It is called once for a native run and once for a recorded
one, each time in an empty directory of the same path and with the same
environment, so that whatever differs afterwards is clew's doing:

    steps    what each command printed on either stream, and how it ended
    files    what is in the directory at the end, byte by byte

A command that does not end as its load expects fails the test in the native
run already: two equal failures prove nothing.
"""
import collections
import contextlib
import fnmatch
import hashlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time

STEP_TIMEOUT_S = 240
EPOCH_S = 1_000_000_000  # of all input files: archives hold these times
UNRECORDED = 125  # clew's status where a program ran, but unrecorded

Step = collections.namedtuple("Step", "command status stdout stderr")


class Failed(Exception):
    """A load did not do what it should; the text says which step and how."""


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Load:
    """What a load function sees. `recorder` is None for the native run."""

    def __init__(self, home, port, recorder=None):
        self.home = home
        self.port = port  # free for a server to listen at
        self.recorder = recorder
        self.steps = []
        self.servers = 0
        self.unread = []  # patterns of files that are not compared
        home.mkdir()
        self.environment = {
            "HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8",
            "TZ": "UTC", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "SOURCE_DATE_EPOCH": str(EPOCH_S), "TERM": "dumb",
        }

    # Before: input.

    def file(self, name, content, mode=0o644):
        """Writes an input file; the same name, bytes and times each run."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        path.chmod(mode)
        for changed in path, *path.parents:
            os.utime(changed, (EPOCH_S, EPOCH_S))
            if changed == self.home:
                break
        return path

    def ignore(self, *patterns):
        """Files that hold a time, a pid or the like, by globs."""
        self.unread += patterns

    # Commands.

    def run(self, *argv, stdin=b"", status=0, user=None, masks=(), env=None):
        """Runs a command, recorded if this is the recorded run.

        `masks` are (regular expression, replacement) pairs for what differs
        from run to run natively, too; each wants a reason beside it. Where
        any status will do, if it is the same in both runs, `status` is None.
        Returns stdout. As root, `user` runs the command in that user's name.
        """
        return self._step(argv, self._recorded(argv, user), stdin, status,
                          user, masks, env)

    def run_unrecorded(self, *argv, why, stdin=b"", masks=()):
        """Runs a command that cannot be recorded; clew has to say why."""
        if self.recorder is None:
            return self._step(argv, argv, stdin, 0, None, masks, None)
        said = (r"clew record: [^\n]*" + why + r"[^\n]*\n", "")
        done = self._step(argv, self.recorder.wrap(argv), stdin, UNRECORDED,
                          None, (*masks, said), None)
        self.steps[-1] = self.steps[-1]._replace(status=0)
        self.recorder.recordings.pop()
        return done

    def client(self, *argv, stdin=b"", status=0, user=None, masks=(),
               keep=True):
        """Runs a command natively in both runs."""
        return self._step(argv, argv, stdin, status, user, masks, None, keep)

    def _recorded(self, argv, user=None):
        if self.recorder is None:
            return argv
        return self.recorder.wrap(argv, user)

    def _options(self, user, env=None):
        options = {"cwd": self.home, "env": {**self.environment,
                                             **(env or {})}}
        if user and is_root():
            entry = pwd.getpwnam(user)
            options.update(user=entry.pw_uid, group=entry.pw_gid,
                           extra_groups=[])
            self._give(entry)
        return options

    def _give(self, entry):
        """Lets a user work here: that is what /tmp is like for him."""
        for path in self.home, *self.home.rglob("*"):
            os.chown(path, entry.pw_uid, entry.pw_gid,
                     follow_symlinks=False)

    def _step(self, argv, command, stdin, status, user, masks, env,
              keep=True):
        if isinstance(stdin, str):
            stdin = stdin.encode()
        try:
            done = subprocess.run(
                [str(a) for a in command], input=stdin, capture_output=True,
                timeout=STEP_TIMEOUT_S, check=False,
                **self._options(user, env))
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{argv}: still running after {late.timeout} s\n"
                         f"{late.stdout}\n{late.stderr}") from late
        if status is not None and done.returncode != status:
            raise Failed(f"{argv}: status {done.returncode}, not {status}\n"
                         f"{tail(done.stdout)}\n{tail(done.stderr)}")
        if keep:
            self.steps.append(Step([str(a) for a in argv], done.returncode,
                                   masked(done.stdout, masks),
                                   masked(done.stderr, masks)))
        return done.stdout

    # Servers.

    @contextlib.contextmanager
    def server(self, *argv, ready, stop=signal.SIGTERM, status=0, user=None,
               masks=(), recorded=True):
        """Runs a server while the block runs, recorded if this run is.

        It is ready when ready() is true, and is asked to end by a signal, or
        by the function that `stop` is.
        """
        command = self._recorded(argv, user) if recorded else argv
        self.servers += 1
        log = self.home.parent / f"server{self.servers}.log"
        with open(log, "wb") as output:
            process = subprocess.Popen(
                [str(a) for a in command], stdout=output,
                stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                start_new_session=True, **self._options(user))
        try:
            wait_until(lambda: process.poll() is not None or ready())
            if process.poll() is not None:
                raise Failed(f"{argv}: it ended at once, with status "
                             f"{process.returncode}\n"
                             f"{tail(log.read_bytes())}")
            yield process
            if callable(stop):
                stop()
            else:
                os.kill(self._target(process, recorded), stop)
            ended = process.wait(STEP_TIMEOUT_S)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{argv}: it does not end\n"
                         f"{tail(log.read_bytes())}") from late
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        said = masked(log.read_bytes(), masks)
        if ended != status:
            raise Failed(f"{argv}: status {ended}, not {status}\n"
                         f"{tail(said)}")
        self.steps.append(Step([str(a) for a in argv], ended, said, b""))

    def _target(self, process, recorded):
        """The pid of the server, whose parent clew is if it is recorded."""
        if not recorded or self.recorder is None:
            return process.pid
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}"
                                "/children").read_text(encoding="ascii")
        (child,) = children.split()
        return int(child)

    # Afterwards.

    def files(self):
        """{name: what is in it} of all files that are there now."""
        found = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if any(fnmatch.fnmatch(name, p) for p in self.unread):
                continue
            if path.is_symlink():
                found[name] = "-> " + os.readlink(path)
            elif path.is_file():
                found[name] = digest(path.read_bytes())
            elif path.is_dir():
                found[name] = "directory"
        return found


class Recorder:
    """Puts `clew record` before commands; a recording of its own for each."""

    def __init__(self, clew, directory, cache):
        self.clew = clew
        self.directory = directory
        self.cache = cache
        self.recordings = []
        directory.mkdir()
        directory.chmod(0o1777)  # the target may run in another's name

    def wrap(self, argv, user=None):
        path = self.directory / str(len(self.recordings))
        self.recordings.append(path)
        rules = path.with_suffix(".rules")
        rules.write_text("libc\nverify-period 500\nrate 10000\n"
                         f"cache {self._cache_of(user)}\n", encoding="utf-8")
        return [self.clew, "record", "--rules", rules, "-o", path, "--",
                *argv]

    def _cache_of(self, user):
        """Nobody believes what another user analysed."""
        cache = self.cache / (user if user and is_root() else "own")
        cache.mkdir(parents=True, exist_ok=True)
        if user and is_root():
            shutil.chown(cache, user)
        return cache


def tail(data, lines=30):
    return b"\n".join(data.splitlines()[-lines:]).decode(errors="replace")


def masked(data, masks):
    for pattern, replacement in masks:
        data = re.sub(pattern.encode(), replacement.encode(), data)
    return data


def wait_until(condition, timeout_s=STEP_TIMEOUT_S):
    """For what no event tells of: a server's port being open."""
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"nothing happened in {timeout_s} s")
        time.sleep(0.02)


def is_root():
    return os.geteuid() == 0


def answers(address):
    """Does somebody listen at this path or port?"""
    family = socket.AF_INET if isinstance(address, int) else socket.AF_UNIX
    where = ("127.0.0.1", address) if isinstance(address, int) \
        else str(address)
    with socket.socket(family) as caller:
        return caller.connect_ex(where) == 0


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def run_load(function, home, port, recorder=None):
    """Runs a load in an empty directory. Returns (steps, files)."""
    if home.exists():
        shutil.rmtree(home)
    load = Load(pathlib.Path(home), port, recorder)
    try:
        function(load)
    except Failed as failure:
        raise Failed(f"{'with clew' if recorder else 'natively'}: "
                     f"{failure}") from failure
    return load.steps, load.files()
