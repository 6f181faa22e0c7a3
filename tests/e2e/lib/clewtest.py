# SPDX-License-Identifier: MIT
"""Runs programs, records them and compares results; all end-to-end tests use
it.

A test file is a unittest module that ends in clewtest.main(). ctest sets
$CLEW_BUILD to the build directory; by hand:

    CLEW_BUILD=build tests/e2e/cli_test.py -v ClassName.test_claim

Each test runs in a directory of its own, self.work, which is kept if $CLEW_KEEP
is set. $CLEW_TEST_TIME is the --time= option of recordings for which the test
gives none.
"""
import collections
import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from lib import truth, wire
from lib.disturbance import Disturbed

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("CLEW_BUILD", ROOT / "build")).resolve()
CLEW = BUILD / "cli" / "clew"
LIBRARY = BUILD / "preload" / "libclew.so"
TARGETS = BUILD / "tests" / "targets"
PYTHON = "/usr/bin/python3"
# The program that this link leads to, such as python3.11.
PYTHON_FILE = os.path.realpath(PYTHON)
TIMEOUT_S = int(os.environ.get("CLEW_TIMEOUT", "300"))
CLEW_FAILED = range(1, 128)  # exit statuses of clew's own errors
UNRECORDED = 125  # the program ran and succeeded, but was not recorded


def target(name, flavour="O2"):
    return str(TARGETS / flavour / name)


def flavours_of(name):
    """Returns the flavours in which a program was built. Unlike glob(), this
    raises an error if a folder cannot be read."""
    found = sorted(folder.name for folder in TARGETS.iterdir()
                   if (folder / name).exists())
    assert found, f"{name} was not built in {sorted(TARGETS.iterdir())}"
    return found


def interface():
    """Returns the functions of clew.h in libclew-agent; the others are for a
    handler object."""
    said = (ROOT / "agent" / "clew.h").read_text(encoding="utf-8")
    return set(re.findall(r"(?m)^\w.*?\b(clew_\w+)\(", said)) - {
        "clew_context_of", "clew_context_name"}


def until(condition, seconds=60):
    """Waits until `condition()` is true. Returns False if it is not within
    `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(.005)
    return True


def kill_with_guardian(controller):
    """Kills a `clew attach` and its guardian, so that no process detaches the
    target.

    The controller is stopped first, so that it cannot fork a guardian in
    between.
    """
    if controller.poll() is not None:
        return
    controller.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, controller.pid,
              os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    children = pathlib.Path(
        f"/proc/{controller.pid}/task/{controller.pid}/children")
    for child in children.read_text().split():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(child), signal.SIGKILL)
    controller.kill()
    controller.wait()


def slow(test):
    """Marks a test for ctest's label `slow`; must directly precede it
    (CMakeLists.txt)."""
    return test


def needs(*programs):
    """Skips a test, or a whole class, if a program is missing."""
    missing = [p for p in programs if not shutil.which(p)]
    return unittest.skipIf(missing, f"no {', '.join(missing)} here")


def unless_sanitized(test):
    """Skips a test of memory, time or crashes if clew is sanitized, since
    sanitizers use some of both, and report crashes themselves."""
    @functools.wraps(test)
    def skipped_or_not(self):
        if b"__asan_init" in CLEW.read_bytes():
            self.skipTest("sanitizers take time and memory, and report crashes")
        test(self)
    return skipped_or_not


def paths_of(tree):
    """Returns {(name, ...), outermost first: calls} from `clew tree --json`."""
    by_id, found = {0: ()}, collections.Counter()
    for node in tree["contexts"]:
        path = (*by_id[node["parent"]],
                tree["functions"][node["function"]]["name"])
        by_id[node["id"]] = path
        found[path] += node["calls"]
    return found


class Case(unittest.TestCase):
    maxDiff = 4000
    before_exec = None  # called in each child before exec
    nests_tails = True  # a tail call counts below the function that jumps

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="clew-test-"))
        if "CLEW_KEEP" in os.environ:
            print("kept:", self.work, file=sys.stderr)
        else:
            self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.truths = self.work / "truth"
        self.truths.mkdir()
        self.recording_path = self.work / "clew.out"
        cache = BUILD / "tests" / "cache"
        cache.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **{k: v for k, v in os.environ.items()
               if not k.startswith(("CLEW_", "LD_", "SUDO_"))},
            "XDG_CACHE_HOME": str(cache),
            "LC_ALL": "C",
            # AddressSanitizer need not be loaded before other libraries.
            "ASAN_OPTIONS": "verify_asan_link_order=0",
        }

    # Running.

    @contextlib.contextmanager
    def subTest(self, *arguments, **parameters):
        """Lets Disturbed pass, which unittest would report at once, so that
        lib.disturbance.undisturbed() repeats the test."""
        disturbed = None
        with super().subTest(*arguments, **parameters):
            try:
                yield
            except Disturbed as why:
                disturbed = why
        if disturbed:
            raise disturbed

    def run_program(self, argv, *, text=False, stdin=subprocess.DEVNULL,
                    **options):
        options.setdefault("env", self.environment)
        options.setdefault("cwd", self.work)
        options.setdefault("timeout", TIMEOUT_S)
        options.setdefault("preexec_fn", self.before_exec)
        if "input" not in options:
            options["stdin"] = stdin
        return subprocess.run([str(a) for a in argv], text=text,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, **options)

    def clew(self, *arguments, **options):
        """Runs clew itself; the output is text."""
        return self.run_program([CLEW, *arguments],
                                **{"text": True, **options})

    def clew_json(self, *arguments):
        done = self.clew(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def details(self, *arguments):
        """Returns a report with all details, one per line."""
        return self.clew("report", "--details", "--wide", *arguments).stdout

    def record_command(self, argv, options=()):
        if "CLEW_TEST_TIME" in os.environ:
            options = ("--time", os.environ["CLEW_TEST_TIME"], *options)
        return [CLEW, "record", "-o", self.recording_path, *options, "--",
                *argv]

    def record(self, argv, options=(), **run_options):
        """Runs argv under `clew record`; self.recording() then returns the
        recording."""
        return self.run_program(self.record_command(argv, options),
                                **run_options)

    def recording(self):
        recording = wire.Recording(self.recording_path)
        self.assertTrue(recording.parts, "nothing was recorded")
        for part in recording.parts:
            self.assertIn(part.state, (wire.RUNNING, wire.ENDED),
                          f"{part.path.name}: {part.why}")
            self.assertEqual(part.violations, [0, 0], part.path.name)
        return recording

    # Comparing.

    def assert_same_behaviour(self, native, recorded):
        """Compares two subprocess.CompletedProcess."""
        self.assertEqual(native.stdout, recorded.stdout)
        self.assertEqual(native.stderr, recorded.stderr)
        self.assertEqual(native.returncode, recorded.returncode)

    def assert_nothing_lost(self, part):
        self.assertEqual(list(part.losses), [0] * len(part.losses))
        for tally in part.tallies.values():
            self.assertEqual((tally.collisions, tally.diverged), (0, 0))

    def assert_callers_are_recorded(self, part):
        """Asserts that each context's parent is recorded."""
        contexts = part.contexts()
        orphans = [context for context in contexts.values()
                   if context.parent and context.parent not in contexts]
        self.assertEqual(orphans, [], f"{part.path.name}: without a caller")

    def assert_no_problem(self):
        """Asserts that the report finds nothing inconsistent in the
        recording."""
        shown = self.clew_json("report", "--json", self.recording_path)
        self.assertEqual(shown["problems"], [])

    def assert_equals_truth(self, one_truth, part, tid=None):
        """Asserts that this part's counts equal the program's own exactly."""
        differences = truth.Comparison(one_truth, part, tid,
                                       self.nests_tails).differences()
        if differences:
            self.fail(f"{part.path.name}: {len(differences)} differences\n"
                      + "\n".join(differences[:20]))

    def assert_counts(self, recording, images=1):
        """Asserts that every image's truth equals its part of the recording."""
        truths = truth.read_all(self.truths)
        self.assertEqual(len(truths), images, "the program wrote its truth")
        for one in truths:
            part = recording.part(one.pid, one.image)
            self.assert_equals_truth(one, part)
        return truths

    def record_target(self, argv, options=(), images=1):
        """Runs a self-counting program with and without clew, and compares
        everything.

        Returns (recording, truths).
        """
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        recorded = self.record(argv, options)
        self.assert_same_behaviour(native, recorded)
        recording = self.recording()
        self.assert_no_problem()
        return recording, self.assert_counts(recording, images)

    def assert_one_line(self, done, *words):
        """Asserts that stderr is one line from clew that contains these
        words."""
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        for word in ("clew", *words):
            self.assertIn(str(word), lines[0])

    def assert_one_line_error(self, done, *words):
        """Asserts that stderr is one clear line, and that the status is an
        error."""
        self.assert_one_line(done, *words)
        self.assertIn(done.returncode, CLEW_FAILED)

    def assert_usage_error(self, done, *words):
        """Asserts that stderr is one clear line, perhaps with another one on
        where to find help."""
        lines = done.stderr.splitlines()
        self.assertIn(len(lines), (1, 2), done.stderr)
        self.assertTrue(all("--help" in line for line in lines[1:]))
        for word in ("clew", *words):
            self.assertIn(word, lines[0])
        self.assertEqual(done.returncode, 64)
        self.assertEqual(done.stdout, "")

    def assert_runs_unrecorded(self, argv, *words):
        """Asserts that the program runs unrecorded and that one line gives the
        reason.

        The exit status is the program's, or UNRECORDED if the program's is 0.
        """
        native = self.run_program(argv, text=True)
        done = self.record(argv, text=True)
        self.assertEqual(done.stdout, native.stdout)
        self.assertEqual(done.returncode, native.returncode or UNRECORDED)
        self.assert_one_line(done, *words)


def main():
    """Like unittest.main, but exits with 77 if all tests were skipped."""
    for required in (CLEW, LIBRARY):
        if not required.exists():
            sys.exit(f"{required} is not built")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = unittest.main(exit=False)
    result = program.result
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(SKIPPED if len(result.skipped) == result.testsRun else 0)
