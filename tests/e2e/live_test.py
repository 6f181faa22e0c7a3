#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Hooks are removed and restored while the program is busy.

$CLEW_TOGGLES is the number of rounds; `ctest -L soak` runs a thousand.
"""
import os

from lib import clewtest, truth
from lib.clewtest import PYTHON, TARGETS, needs, target

ROUNDS = int(os.environ.get("CLEW_TOGGLES", "8"))
TOGGLER = TARGETS / "libtoggler.so"

PYTHON_LOAD = """
import hashlib
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
for i in range(30):
    print(fib(16), hashlib.sha256(str(i).encode()).hexdigest())
    print(sorted(str(n * 7919 % 1013) for n in range(2000))[:5])
    try: [][i]
    except IndexError as e: print(e)
"""

SQL_LOAD = """
create table t(id integer primary key, name text, v real);
with recursive n(i) as (select 1 union all select i+1 from n where i<60000)
insert into t select i, 'name' || (i * 7919 % 100), i / 7.0 from n;
create index byname on t(name);
select count(*), round(sum(v), 3), min(name), max(name) from t;
select name, count(*) c from t group by name order by c desc, name limit 9;
update t set v = v * 2 where id % 3 = 0;
delete from t where name like '%9';
select count(*), round(sum(v), 3) from t;
"""


class Queued(clewtest.Case):
    def test_signals_that_are_pending_stay_pending(self):
        """Pending signals stay pending, also those with clew's own signal
        number."""
        argv = [target("queued")]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"50 signals\n")
        self.assert_same_behaviour(native, self.record(argv))


class Busy(clewtest.Case):
    """The program checks its own results, and the test checks its counts."""

    def toggle(self, case, flavour="O2", options=(), prefix=()):
        argv = [*prefix, target("toggle", flavour), case, ROUNDS]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        recorded = self.record(argv, ["-m", "toggle", "-m", "libstdc++*",
                                      *options])
        if case != "stubborn":
            self.assert_same_behaviour(native, recorded)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        (self.truth,) = truth.read_all(self.truths)
        # The command that creates a namespace forks a child, which executes the
        # program.
        part = self.recording().part(self.truth.pid,
                                     self.truth.image + bool(prefix))
        self.assert_nothing_lost(part)
        return part

    def assert_counted(self, part, *uncalled):
        """Asserts that each function has some calls, and no more than were
        made."""
        comparison = truth.Comparison(self.truth, part)
        self.assertFalse(+comparison.strangers)
        for function, calls in self.truth.totals.items():
            name = self.truth.names[function]
            with self.subTest(name):
                self.assertLessEqual(comparison.totals[function], calls)
                if name not in uncalled:
                    self.assertGreater(comparison.totals[function], 0)

    def test_all_live_commands_work_at_once(self):
        part = self.toggle("all")
        self.assert_counted(part, "on_tick")
        self.assertGreater(sum(t.verified for t in part.tallies.values()), 0)

    def test_all_live_commands_work_on_unoptimized_code(self):
        self.assert_counted(self.toggle("all", "O0"), "on_tick")

    def test_calls_between_two_switches_are_counted_exactly(self):
        self.assert_equals_truth(self.truth_of("exact"), self.part)

    def test_thread_that_clew_cannot_interrupt_is_counted(self):
        """clew could interrupt the thread if it were sampled: a sample may make
        it sleep."""
        truth_of_it = self.truth_of("stubborn", ["--time=none"])
        self.assert_equals_truth(truth_of_it, self.part)

    def truth_of(self, case, options=()):
        self.part = self.toggle(case, options=options)
        return self.truth

    def test_switching_in_a_signal_handler_works(self):
        self.assert_counted(self.toggle("handler"))

    def test_sleeping_threads_are_not_interrupted(self):
        self.assert_counted(self.toggle("sleepers"))

    def test_threads_that_wait_for_signals_are_counted(self):
        self.assert_counted(self.toggle("waiters"))

    def test_threads_that_block_all_signals_are_shown(self):
        self.assert_counted(self.toggle("blocked"))

    def test_short_threads_are_counted_while_switched(self):
        self.assert_counted(self.toggle("storm"))

    def test_children_are_shown_live(self):
        self.assert_counted(self.toggle("forks"))

    @needs("unshare")
    def test_switching_works_with_proc_of_an_outer_namespace(self):
        inside = ["unshare", "-Urpf"]
        if self.run_program([*inside, "true"]).returncode:
            self.skipTest("no user namespaces here")
        self.assert_counted(self.toggle("sleepers", prefix=inside))


class Programs(clewtest.Case):
    """A further thread in real programs toggles hooks all the time."""

    def toggle(self, argv, **options):
        self.environment["LD_PRELOAD"] = str(TOGGLER)
        native = self.run_program(argv, **options)
        counted = self.work / "toggles"
        self.environment["TOGGLER_FILE"] = str(counted)
        recorded = self.record(argv, **options)
        self.assert_same_behaviour(native, recorded)
        toggles, failure = map(int, counted.read_text().split())
        self.assertGreater(toggles, 0)  # the number depends on the machine
        self.assertEqual(failure, 0)
        part = self.recording().parts[0]
        self.assert_nothing_lost(part)
        self.assertGreater(sum(part.counts().values()), 1000)

    def test_python3_is_shown_live(self):
        self.toggle([PYTHON, "-S", "-E", "-c", PYTHON_LOAD])

    @needs("sqlite3")
    def test_sqlite3_is_shown_live(self):
        self.toggle(["sqlite3", ":memory:"], input=SQL_LOAD.encode())


class Refusals(clewtest.Case):
    """If clew cannot change code, it changes nothing, and the program
    continues."""

    def test_a_process_that_is_not_recorded_is_refused(self):
        done = self.run_program([target("toggle"), "exact", 2])
        self.assertEqual(done.returncode, 0)

    @needs("strace")
    def test_switching_under_a_tracer_is_refused(self):
        argv = ["strace", "-f", "-qqq", "-e", "trace=none",
                target("toggle"), "exact", 2]
        done = self.record(argv, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unhook: Operation not permitted", done.stderr)


if __name__ == "__main__":
    clewtest.main()
