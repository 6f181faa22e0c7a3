#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The figures of clew-locks equal those of programs that measure their own
locks."""
import os
import signal

from lib import clewtest
from lib.clewtest import BUILD, CLEW, PYTHON, ROOT, needs, target
from lib.redis_client import run_redis

SCRIPT = ROOT / "scripts" / "clew-locks"
COUNTS = ("acquisitions", "contended", "refused", "condition_waits")
TIMES = ("hold", "wait", "condition_wait")
# number of contended acquisitions is unknown
RACY = ("races", "reads", "writes")


class Locks(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.told = self.work / "told"
        self.told.mkdir()
        self.environment.update(
            CLEW=str(CLEW),
            CLEW_LOCKS=str(BUILD / "locks" / "libclew-locks.so"),
            LOCKS_TRUTH=str(self.told))

    def command(self, argv, *options):
        contended = [word for word in options if word == "--contended"]
        return [SCRIPT, *contended, "-o", self.recording_path,
                *(word for word in options if word != "--contended"), "--",
                *argv]

    def own(self, value, *options):
        """Returns {function: its value in the report}."""
        report = self.clew_json("report", "--json", f"--value={value}",
                                *options)
        return {row["name"]: row["self_value"] for row in report["functions"]
                if row["self_value"]}

    def totals(self, *options):
        report = self.clew_json("report", "--json", *options)
        return {one["name"]: one["total"] for one in report["values"]}

    def truth(self, pid):
        """Returns {location: {value: number, or its bounds}}."""
        places = {}
        for line in (self.told / str(pid)).read_text().splitlines():
            name, *numbers = line.split()
            numbers = [int(number) for number in numbers]
            places[name] = {**dict(zip(COUNTS, numbers)),
                            **{time: tuple(numbers[4 + 2 * i:6 + 2 * i])
                               for i, time in enumerate(TIMES)}}
        return places

    def assert_true(self, pid, has_late):
        truth = self.truth(pid)
        figures = {value: self.own(value, f"--process={pid}")
                   for value in (*COUNTS, *TIMES)}
        late = {value: figures[value].pop("late", 0) for value in figures}
        self.assertEqual(late["acquisitions"], has_late)
        for value in COUNTS:
            wanted = {name: place[value] for name, place in truth.items()
                      if place[value]}
            if value == "contended":
                for name in RACY:
                    self.assertLess(figures[value].pop(name, 0),
                                    truth[name]["acquisitions"] + 1)
                    wanted.pop(name, None)
            with self.subTest(value=value):
                self.assertEqual(figures[value], wanted)
        for value in TIMES:
            self.assertLessEqual(set(figures[value]), set(truth))
            for name, place in truth.items():
                least, most = place[value]
                with self.subTest(value=value, name=name):
                    self.assertGreaterEqual(figures[value].get(name, 0),
                                            least)
                    self.assertLessEqual(figures[value].get(name, 0), most)

    def check(self, how, status, *options):
        program = [target("locks"), how]
        native = self.run_program(program)
        self.assertEqual(native.returncode, status)
        for left in self.told.iterdir():
            left.unlink()
        recorded = self.run_program(self.command(program, *options))
        self.assert_same_behaviour(native, recorded)
        parts = self.recording().parts
        self.assertEqual(len(parts), 2)
        self.assertEqual(self.totals()["untracked"], 0)
        return parts

    def test_all_kinds_of_locks_are_counted(self):
        for part in self.check("exit", 0):
            is_child = not self.truth(part.pid)["keeps"]["acquisitions"]
            self.assert_true(part.pid, 0 if is_child else 1)

    def test_locks_are_counted_without_an_exit(self):
        for part in self.check("_exit", 0):
            self.assert_true(part.pid, 0)

    def test_locks_are_counted_despite_a_crash(self):
        for part in self.check("abort", -signal.SIGABRT):
            self.assert_true(part.pid, 0)

    def test_the_longest_waits_are_listed(self):
        self.check("exit", 0)
        for longest, value in (("longest_wait", "wait"),
                               ("longest_hold", "hold")):
            sums = self.own(value)
            for name, most in self.own(longest).items():
                self.assertLessEqual(most, sums[name])
            once = "gives_up" if value == "wait" else "hands_over"
            self.assertEqual(self.own(longest)[once], sums[once])

    def test_contended_locks_alone_can_be_counted(self):
        for part in self.check("exit", 0, "--contended"):
            truth = self.truth(part.pid)
            acquisitions = self.own("acquisitions", f"--process={part.pid}")
            self.assertEqual(acquisitions,
                             self.own("contended", f"--process={part.pid}"))
            self.assertEqual({name for name in acquisitions
                              if name not in RACY}, {"wants"})
            self.assertLessEqual(
                set(self.own("hold", f"--process={part.pid}")),
                {"wants", *RACY, "sleeps", "times_out", "is_cancelled"})
            wait = self.own("wait", f"--process={part.pid}")["wants"]
            self.assertGreaterEqual(wait, truth["wants"]["wait"][0])
            self.assertLessEqual(wait, truth["wants"]["wait"][1])

    def test_locks_of_cplusplus_are_counted(self):
        source = self.work / "source.cc"
        source.write_text("""
            #include <chrono>
            #include <condition_variable>
            #include <mutex>
            #include <shared_mutex>
            #define PLACE extern "C" __attribute__((noinline))
            std::mutex plain; std::shared_mutex shared;
            std::recursive_timed_mutex timed; std::condition_variable never;
            PLACE void guards() {
                for (int i = 0; i < 10; i++)
                    std::lock_guard<std::mutex> guard(plain);
            }
            PLACE void shares() {
                for (int i = 0; i < 20; i++)
                    std::shared_lock<std::shared_mutex> guard(shared);
                std::unique_lock<std::shared_mutex> guard(shared);
            }
            PLACE void times() {
                if (timed.try_lock_for(std::chrono::hours(1)))
                    timed.unlock();
            }
            PLACE void waits() {
                std::unique_lock<std::mutex> guard(plain);
                never.wait_for(guard, std::chrono::milliseconds(1),
                               [] { return false; });
            }
            int main() { guards(); shares(); times(); waits(); }
            """)
        program = self.work / "program"
        made = self.run_program(["c++", "-std=c++17", "-O1", "-g", "-rdynamic",
                                 "-pthread", "-o", program, source])
        self.assertEqual(made.returncode, 0, made.stderr)
        done = self.run_program(self.command([program]))
        self.assertEqual((done.stdout, done.stderr, done.returncode),
                         (b"", b"", 0))
        report = self.clew_json("report", "--json", "--value=acquisitions")
        totals = {row["name"]: row["total_value"]
                  for row in report["functions"] if row["total_value"]}
        self.assertEqual({name: totals[name] for name in
                          ("guards", "shares", "times", "waits", "main")},
                         {"guards": 10, "shares": 21, "times": 1, "waits": 1,
                          "main": 33})
        self.assertGreaterEqual(self.totals()["condition_waits"], 1)

    def test_locks_of_python_are_counted(self):
        """All threads compete for the interpreter's lock until the last one has
        started."""
        program = [PYTHON, "-c", "import hashlib, threading\n"
                   "there = []\n"
                   "def f():\n"
                   "  there.append(1)\n"
                   "  while len(there) < 3: pass\n"
                   "  for i in range(200): hashlib.sha256(b'x' * 9999)\n"
                   "threads = [threading.Thread(target=f) for _ in range(3)]\n"
                   "[t.start() for t in threads]; [t.join() for t in threads]\n"
                   "print('done')"]
        native = self.run_program(program)
        recorded = self.run_program(self.command(program))
        self.assert_same_behaviour(native, recorded)
        totals = self.totals()
        self.assertEqual(totals["untracked"], 0)
        self.assertGreater(totals["acquisitions"], 100)
        self.assertGreater(totals["condition_waits"], 0)

    @needs("redis-server")
    def test_locks_of_redis_are_counted(self):
        path = self.work / "redis"
        run_redis(self, self.command(
            ["redis-server", "--port", "0", "--save", "", "--io-threads", "3",
             "--unixsocket", path]), path)
        totals = self.totals()
        self.assertEqual(totals["untracked"], 0)
        self.assertGreater(totals["acquisitions"], 100)

    def test_library_does_nothing_without_clew(self):
        native = self.run_program([target("locks")])
        self.environment["LD_PRELOAD"] = self.environment["CLEW_LOCKS"]
        self.assert_same_behaviour(native, self.run_program([target("locks")]))

    def test_library_functions_are_in_no_context(self):
        self.run_program(self.command([target("locks")]))
        states = [module.state_name for part in self.recording().parts
                  for module in part.modules
                  if module.name == "libclew-locks.so"]
        self.assertEqual(len(states), 2)
        self.assertNotIn("HOOKED", states)

    def test_usage_errors_are_reported(self):
        for arguments in [], ["--contended", "true"]:
            with self.subTest(arguments=arguments):
                done = self.run_program([SCRIPT, *arguments], text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn("usage: clew-locks", done.stderr)
        self.environment["CLEW_LOCKS"] = os.devnull + "/none"
        done = self.run_program([SCRIPT, "--", "true"], text=True)
        self.assertEqual(done.returncode, 127)
        self.assertIn("libclew-locks.so was not found; set CLEW_LOCKS",
                      done.stderr)


if __name__ == "__main__":
    clewtest.main()
