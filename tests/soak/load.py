# SPDX-License-Identifier: MIT
"""Runs one program's load twice: natively, and under `clew record --libc`.

A load is a function that takes a Load and uses it as a user of the program
would: the function writes input files, runs commands, starts servers and
connects to them. The test calls the function for a native run and for a
recorded run. Both runs have the same environment and start in an empty
directory with the same path, so clew is the cause of any difference in:

    steps    the output of each command on either stream, and its status
    files    the files in the directory at the end, byte by byte

A command that does not end as its load expects fails the test already in the
native run, because two equal failures prove nothing.
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
# The time stamp of all input files, because archives contain it.
EPOCH_S = 1_000_000_000
UNRECORDED = 125  # clew's exit status if a program ran, but unrecorded

Step = collections.namedtuple("Step", "command status stdout stderr")


class Failed(Exception):
    """A load failed; the text names the step and the failure."""


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Load:
    """The run of a load, as its function sees it. `recorder` is None in the native run."""

    def __init__(self, home, port, recorder=None):
        self.home = home
        self.port = port  # a free port for a server
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

    # Input files.

    def file(self, name, content, mode=0o644):
        """Writes an input file, with the same name, bytes and times in each run."""
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
        """Excludes files that contain a time, a pid or the like, by globs."""
        self.unread += patterns

    # Commands.

    def run(self, *argv, stdin=b"", status=0, user=None, masks=(), env=None):
        """Runs a command, recorded if this is the recorded run. Returns its stdout.

        `masks` are pairs (regular expression, replacement) for output that differs from
        run to run, also natively; each needs a comment with the reason. `status` is
        None if any status is right that is the same in both runs. If the caller is
        root, the command runs as `user`.
        """
        return self._step(argv, self._recorded(argv, user), stdin, status,
                          user, masks, env)

    def run_unrecorded(self, *argv, why, stdin=b"", masks=()):
        """Runs a command that cannot be recorded, for which clew must print the reason."""
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
        """Gives the files to a user, who can then work here as in /tmp."""
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

        The server is ready when ready() is true. `stop` is the signal that ends the
        server, or a function that does.
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
        """Returns the pid of the server; a recorded server is a child of clew."""
        if not recorded or self.recorder is None:
            return process.pid
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}"
                                "/children").read_text(encoding="ascii")
        (child,) = children.split()
        return int(child)

    # Results.

    def files(self):
        """Returns {name: content} of all files that exist now."""
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
    """Puts `clew record` before commands, with a separate recording for each."""

    def __init__(self, clew, directory, cache):
        self.clew = clew
        self.directory = directory
        self.cache = cache
        self.recordings = []
        directory.mkdir()
        directory.chmod(0o1777)  # The target may run as another user.

    def wrap(self, argv, user=None):
        path = self.directory / str(len(self.recordings))
        self.recordings.append(path)
        rules = path.with_suffix(".rules")
        rules.write_text("libc\nverify-period 500\nrate 10000\n"
                         f"cache {self._cache_of(user)}\n", encoding="utf-8")
        return [self.clew, "record", "--rules", rules, "-o", path, "--",
                *argv]

    def _cache_of(self, user):
        """Returns the user's own cache, since clew does not trust another user's analyses."""
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
    """Polls a condition that has no event, such as a server's open port."""
    end = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"nothing happened in {timeout_s} s")
        time.sleep(0.02)


def is_root():
    return os.geteuid() == 0


def answers(address):
    """Returns whether a server listens on this path or port."""
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
