#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runtimes that read their own stacks run as they do natively."""
import shutil

from lib import clewtest
from lib.clewtest import needs, slow

GARBAGE_JS = """
let kept = [], sum = 0;
for (let i = 0; i < 600000; i++) {
  kept.push({number: i, text: 's' + i % 1000});
  if (kept.length > 50000) kept = kept.slice(25000);
  sum = (sum + kept[kept.length >> 1].number) % 1000003;
}
const map = new Map();
for (let i = 0; i < 100000; i++) map.set('k' + i % 7777, [i, i + 1]);
global.gc();
console.log(sum, map.size, JSON.stringify([...map].slice(0, 3)));
try {
  (function dive(n) { if (n == 0) throw new Error('deep'); dive(n - 1); })(100);
} catch (error) { console.log(error.message); }
new Promise(done => setTimeout(done, 10)).then(() => console.log('later'));
"""

GARBAGE_JAVA = """
import java.util.HashMap;
public class Garbage {
  static int dive(int n) {
    if (n == 0) throw new IllegalStateException("deep");
    return dive(n - 1) + 1;
  }
  public static void main(String[] arguments) throws Exception {
    HashMap<String, Integer> map = new HashMap<>();
    long[] sums = new long[4];
    for (int i = 0; i < 200000; i++) {
      map.put("k" + i % 5000, i);
      sums[0] += map.get("k" + i % 5000);
      if (i % 5000 == 0) System.gc();
    }
    Thread[] threads = new Thread[3];
    for (int t = 0; t < 3; t++) {
      final int own = t + 1;
      (threads[t] = new Thread(() -> {
        for (int i = 0; i < 100000; i++)
          sums[own] += String.valueOf(i).hashCode();
      })).start();
    }
    for (Thread thread : threads) thread.join();
    try { dive(500); }
    catch (IllegalStateException e) { System.out.println(e.getMessage()); }
    for (long sum : sums) System.out.println(sum);
    System.exit(3);
  }
}
"""


class Runtimes(clewtest.Case):
    def check(self, argv, module, functions, options=("--libc",)):
        """The behaviour is native, and at least this many functions of the module are hooked."""
        native = self.run_program(argv)
        self.assertTrue(native.stdout)
        recorded = self.record(argv, options)
        self.assert_same_behaviour(native, recorded)
        part = self.recording().parts[0]
        found = max((m for m in part.modules if m.name.startswith(module)),
                    key=lambda m: m.count)
        self.assertEqual(found.state_name, "HOOKED")
        called = {part.functions[c.function].vaddr
                  for c in part.contexts().values()
                  if c.function in part.functions
                  and part.functions[c.function].module is found}
        self.assertGreater(found.count, functions)
        self.assertGreater(len(called), functions // 20)
        for tally in part.tallies.values():
            self.assertEqual((tally.collisions, tally.diverged), (0, 0))
        return part

    @needs("node")
    @slow
    def test_node_runs_with_every_function_hooked(self):
        (self.work / "garbage.js").write_text(GARBAGE_JS, encoding="ascii")
        node = shutil.which("node")
        # In Debian, node is a shared library.
        shared = self.run_program([node, "-p", "process.config.variables"
                                   ".node_shared"], text=True).stdout.strip()
        self.check([node, "--expose-gc", "garbage.js"],
                   "libnode" if shared == "true" else "node", 40000)

    def java(self, *options):
        source = self.work / "Garbage.java"
        source.write_text(GARBAGE_JAVA, encoding="ascii")
        done = self.run_program(["javac", source])
        self.assertEqual(done.returncode, 0, done.stderr)
        part = self.check(["java", *options, "-cp", self.work, "Garbage"],
                          "libjvm.so", 30000, ("--libc", "--java=vm"))
        # Generated code called the runtime, and stored its own return addresses.
        self.assertGreater(part.losses[2], 100)
        self.assertEqual([part.losses[0], part.losses[1]], [0, 0])

    @needs("java", "javac")
    def test_java_runs_with_all_of_libjvm_hooked(self):
        self.java()

    @needs("java")
    def test_libjvm_is_excluded_by_default_with_a_reason(self):
        """libjvm.so is excluded by default, and a report says why."""
        argv = ["java", "-Xshare:auto", "-version"]
        native = self.run_program(argv)
        for options, state in (((), "JAVA_VM"), (["--java=off"], "JAVA_VM"),
                               (["-m", "libjvm.so"], "HOOKED")):
            with self.subTest(options=options):
                self.assert_same_behaviour(native, self.record(argv, options))
                states = {module.name: module.state_name
                          for module in self.recording().parts[0].modules}
                self.assertEqual(states["libjvm.so"], state)
                self.assertEqual(states["libjava.so"], "DESELECTED"
                                 if state == "HOOKED" else "HOOKED")
        self.record(argv)
        self.assertRegex(self.clew("list", self.recording_path).stdout,
                         r"(?m)^/.*/libjvm\.so: not hooked: .*--java=vm")

    @needs("java", "javac")
    @slow
    def test_interpreted_java_runs_with_libjvm_hooked(self):
        self.java("-Xint")

    @needs("java", "javac")
    @slow
    def test_compiled_java_runs_with_libjvm_hooked(self):
        self.java("-Xcomp", "-XX:TieredStopAtLevel=1", "-XX:+UseParallelGC")

    def check_left_alone(self, argv, state, **options):
        """The behaviour is native, and the program itself is not hooked."""
        native = self.run_program(argv, **options)
        self.assertTrue(native.stdout)
        recorded = self.record(argv, ["--libc"], **options)
        self.assert_same_behaviour(native, recorded)
        program = self.recording().parts[0].modules[0]
        self.assertEqual(program.state_name, state)
        listed = self.clew("list", self.recording_path).stdout
        self.assertRegex(listed, rf"(?m)^/.*{argv[0]}.*: not hooked: ")

    @needs("fzf")
    def test_go_programs_run_unhooked(self):
        self.check_left_alone(["fzf", "--filter", "te"], "GO",
                              input=b"one\ntwo\nthree\n" * 10000)

    @needs("unison-2.52")
    def test_ocaml_runs(self):
        for root in ("here", "there"):
            (self.work / root).mkdir()
        for number in range(100):
            (self.work / "here" / str(number)).write_text(str(number))
        self.environment["UNISON"] = str(self.work / "archives")
        self.check_left_alone(["unison-2.52", "-version"], "OCAML")
        self.record(["unison-2.52", "-batch", "-silent", self.work / "here",
                     self.work / "there"], ["--libc", "-o", "second"])
        self.assertEqual(len(list((self.work / "there").iterdir())), 100)

    @needs("mono", "mcs")
    def test_mono_runs(self):
        """Ahead-of-time compiled code behaves like code that mono compiles at run time."""
        (self.work / "load.cs").write_text("""
            using System; using System.Linq;
            class Load { static int Main() {
                try { throw new Exception("thrown"); }
                catch (Exception e) { Console.WriteLine(e.Message); }
                Console.WriteLine(Enumerable.Range(0, 9).Sum());
                GC.Collect(); return 7; } }""")
        done = self.run_program(["mcs", "load.cs"])
        self.assertEqual(done.returncode, 0, done.stderr)
        argv = ["mono", "load.exe"]
        native = self.run_program(argv)
        self.assertEqual(native.stdout, b"thrown\n36\n")
        self.assert_same_behaviour(native, self.record(argv, ["--libc"]))
        states = {module.name: module.state_name
                  for module in self.recording().parts[0].modules}
        self.assertEqual(states["mscorlib.dll.so"], "AOT")

    @needs("shellcheck")
    def test_haskell_runs(self):
        """The program is stripped: its Haskell code has no symbols, but its runtime in C does."""
        (self.work / "script").write_text(
            "#!/bin/sh\nfor f in $(ls *.txt); do echo $f; done\n")
        argv = ["shellcheck", "script"]
        native = self.run_program(argv)
        self.assertTrue(native.stdout)
        self.assert_same_behaviour(native, self.record(argv, ["--libc"]))


if __name__ == "__main__":
    clewtest.main()
