#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew attach --every` saves snapshots, and --push sends what each interval
added."""
import collections
import contextlib
import pathlib
import shutil
import signal
import subprocess
import unittest

from lib import clewtest, otlp, stores
from lib.attached import PATIENCE_S, CountingTarget
from lib.clewtest import until
from lib.otlp import needs_otlp

CALLS = "calls/count"


@unittest.skipIf(b"without libcurl" in clewtest.CLEW.read_bytes(),
                 "clew was built without libcurl")
class Intervals(CountingTarget):
    def setUp(self):
        super().setUp()
        self.environment.pop("CLEW_PUSH_HEADERS", None)
        self.folders = self.recording_path.parent

    def serve(self, *answers):
        server = stores.Server(*answers)
        self.addCleanup(server.close)
        return server

    def begin(self, *options):
        """Attaches while the program makes no calls. Returns the controller."""
        self.hold()
        self.before = self.counted()
        controller = self.attach(self.process, *options)
        self.let_go()
        return controller

    def end(self, controller):
        """Returns (status, standard error)."""
        self.hold()
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        return controller.wait(PATIENCE_S), said

    def made(self):
        """Returns {function: calls} since begin(), as the program counts."""
        return {name: calls - self.before[name]
                for name, calls in self.counted().items()}

    def own(self, request):
        """Returns {function: calls} of a request."""
        sums = collections.Counter()
        for path, calls in request.stacks(CALLS).items():
            sums[path[-1]] += calls
        return sums

    def pushed(self, requests):
        """Returns {function: calls} of all requests together."""
        sums = collections.Counter()
        for request in requests:
            sums.update(self.own(request))
        return {name: sums[name] for name in self.before}

    def snapshots(self):
        return sorted(path.name for path in self.folders.glob(
            self.recording_path.name + ".*"))

    def assert_unharmed(self):
        """The program's results are right, and the recording has all calls."""
        calls = self.calls()
        self.assertEqual({name: calls.get(name) for name in self.before},
                         self.made())
        self.assertEqual(self.word(2), 0, "wrong answers")
        self.assert_as_before(self.process)


@needs_otlp
class Pushes(Intervals):
    def decoded(self, server):
        found = [otlp.Request(one.body) for one in server.requests]
        for request in found:
            self.assertEqual(request.problems(), [])
        return found

    def test_intervals_add_up_to_the_recording(self):
        server = self.serve()
        controller = self.begin("--every=1s", "--push", server.url,
                                "--label=env=test", "--service=counts")
        self.assertTrue(until(lambda: len(server.requests) >= 3))
        status, said = self.end(controller)
        self.assertEqual(status, 0, said)
        requests = self.decoded(server)
        self.assertIn(f"{len(requests)} pushes succeeded", said)
        self.assertEqual(self.pushed(requests), self.made())
        self.assert_unharmed()
        self.assertEqual({tuple(one.resource.items()) for one in requests},
                         {(("service.name", "counts"), ("env", "test"))})
        for one in requests[:3]:
            self.assertGreater(one.total(CALLS), 0)
        # One interval begins where the one before ends.
        periods = [(one.profiles[0].time_unix_nano,
                    one.profiles[0].duration_nano) for one in requests]
        for (start, duration), (after, _) in zip(periods, periods[1:]):
            self.assertGreater(duration, 0)
            self.assertEqual(start + duration, after)

    def test_a_lost_interval_is_counted_and_the_others_are_right(self):
        server = self.serve(stores.status(500, b"disk full"),
                            stores.status(200))
        controller = self.begin("--every=1s", "--push", server.url)
        self.assertTrue(until(lambda: len(server.requests) >= 2))
        status, said = self.end(controller)
        self.assertEqual(status, 3, said)
        self.assertIn("HTTP status 500: disk full", said)
        requests = self.decoded(server)
        self.assertIn(f"1 of {len(requests)} pushes failed", said)
        self.assertEqual(self.pushed(requests), self.made())
        self.assert_unharmed()

    def test_an_unreachable_store_harms_nothing(self):
        controller = self.begin("--every=1s", "--push",
                                stores.unreachable_url(self),
                                "--timeout=100ms")
        self.assertTrue(until(lambda: len(self.snapshots()) == 2))
        status, said = self.end(controller)
        self.assertEqual(status, 3, said)
        self.assertRegex(said, r"(\d+) of \1 pushes failed; "
                               r"the recording has everything")
        self.assert_unharmed()

    def test_a_silent_store_delays_only_the_end(self):
        server = self.serve(stores.wait)
        controller = self.begin("--every=1s", "--push", server.url,
                                "--timeout=1500ms")
        self.assertTrue(until(lambda: len(server.requests) >= 2))
        status, said = self.end(controller)
        self.assertEqual(status, 3, said)
        self.assertIn("timed out", said)
        self.assert_unharmed()

    def test_a_second_signal_ends_the_last_push(self):
        server = self.serve(stores.wait)
        controller = self.begin("--push", server.url, "--timeout=600s")
        self.hold()
        controller.send_signal(signal.SIGINT)
        self.assertTrue(until(lambda: len(server.requests) == 1))
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 3, said)
        self.assertIn("1 of 1 pushes failed", said)
        self.assert_unharmed()

    def test_an_interval_without_calls_is_no_push(self):
        server = self.serve()
        process = subprocess.Popen(["sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        controller = self.attach(process, "--every=1s", "--push",
                                 server.url)
        self.assertTrue(until(lambda: len(self.snapshots()) == 2))
        controller.send_signal(signal.SIGINT)
        said = controller.stderr.read()
        self.assertEqual(controller.wait(PATIENCE_S), 0, said)
        self.assertEqual(server.requests, [])
        self.assertNotIn("succeeded", said)

    def test_without_intervals_all_is_pushed_at_the_end(self):
        server = self.serve()
        controller = self.begin("--push", server.url)
        status, said = self.end(controller)
        self.assertEqual(status, 0, said)
        self.assertIn("1 push succeeded", said)
        request, = self.decoded(server)
        self.assertEqual(self.pushed([request]), self.made())
        self.assertEqual(self.snapshots(), [])

    def test_a_wrong_address_attaches_to_nothing(self):
        for options, word in ((("--push=ftp://a",), "ftp://"),
                              (("--push=http://a:b@c",), "--headers"),
                              (("--push=a", "--headers=none"), "none")):
            done = self.clew("attach", *options, self.process.pid)
            self.assert_one_line_error(done, word)
        self.assertFalse(self.recording_path.exists())
        self.assert_as_before(self.process)


class Headers(Intervals):
    def test_headers_with_secrets_reach_each_push(self):
        """All processes of the command send the headers of the variable."""
        lines = []

        def answer(handler):
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    lines.append(path.read_bytes())
            stores.status(200)(handler)

        server = self.serve(answer)
        self.environment["CLEW_PUSH_HEADERS"] = "Authorization: s3cret"
        controller = self.begin("--every=1s", "--push", server.url,
                                "--header=X-Scope-OrgID: a")
        self.assertTrue(until(lambda: len(server.requests) >= 2))
        status, said = self.end(controller)
        self.assertEqual(status, 0, said)
        for one in server.requests:
            self.assertEqual(one.headers["Authorization"], "s3cret")
            self.assertEqual(one.headers["X-Scope-OrgID"], "a")
        pushes = [line for line in lines if line.startswith(b"clew\0push\0")]
        self.assertTrue(pushes)
        self.assertEqual([line for line in lines if b"s3cret" in line], [])

    def test_secrets_that_no_child_accepts_are_refused(self):
        file = self.work / "headers"
        file.write_text("".join(f"X-Secret-{i}: {'s' * 16000}\n"
                                for i in range(9)), encoding="ascii")
        done = self.clew("attach", "--push=https://localhost:1",
                         f"--headers={file}", self.process.pid)
        self.assert_one_line_error(done, "have 141 KB", "up to 127 KB")
        self.assertFalse(self.recording_path.exists())

    def test_headers_that_are_no_secrets_need_no_https(self):
        """clew cannot know that 0.0.0.0 is this host."""
        server = self.serve()
        controller = self.begin(
            "--push", server.url.replace("127.0.0.1", "0.0.0.0"),
            "--header=X-Scope-OrgID: a")
        status, said = self.end(controller)
        self.assertEqual(status, 0, said)
        self.assertEqual(server.requests[0].headers["X-Scope-OrgID"], "a")


class Snapshots(Intervals):
    def test_the_newest_snapshots_are_kept(self):
        controller = self.begin("--every=1s", "--keep=3")
        self.assertTrue(until(lambda: len(self.snapshots()) == 3))
        newest = self.recording_path.with_name(
            self.recording_path.name + ".1")

        ages = set()

        def is_replaced():
            """Each new snapshot is renamed into the place of the one before:
            for a moment there is none."""
            with contextlib.suppress(FileNotFoundError):
                ages.add(newest.stat().st_mtime_ns)
            return len(ages) > 1

        self.assertTrue(until(is_replaced))
        status, said = self.end(controller)
        self.assertEqual(status, 0, said)
        self.assertNotIn("push", said)
        name = self.recording_path.name
        self.assertEqual(self.snapshots(),
                         [f"{name}.{number}" for number in (1, 2, 3)])
        totals = [self.clew_json("report", "--json", self.folders / one)
                  ["total"]["calls"] for one in self.snapshots()]
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.assertGreater(totals[1], totals[2])
        self.assert_unharmed()

    def test_other_files_are_not_replaced_by_snapshots(self):
        other = self.recording_path.with_name(self.recording_path.name + ".2")
        other.mkdir()
        (other / "precious").write_text("data")
        controller = self.begin("--every=1s")
        said = controller.stderr.readline()
        while "no snapshot" not in said:
            self.assertTrue(said, "no message")
            said = controller.stderr.readline()
        self.assertIn(str(other), said)
        status, said = self.end(controller)
        self.assertEqual(status, 3, said)
        self.assertIn("snapshots were not saved", said)
        self.assertEqual([path.name for path in other.iterdir()],
                         ["precious"])
        self.assertEqual(self.snapshots(), [other.name])
        self.assert_unharmed()
        shutil.rmtree(other)

    def test_incomplete_options_of_intervals_are_refused(self):
        for options, word in ((("--keep=3",), "--every"),
                              (("--every=1s", "--keep=1"), "2 to 1000"),
                              (("--every=1ms",), "from 1s"),
                              (("--label=a=b",), "--push"),
                              (("--timeout=1s",), "--push")):
            self.assert_usage_error(
                self.clew("attach", *options, self.process.pid), word)


if __name__ == "__main__":
    clewtest.main()
