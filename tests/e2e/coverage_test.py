#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reports name code that is not covered, with its size."""
import shutil

from lib import truth, wire

from lib import clewtest
from lib.clewtest import target


class Unknown(clewtest.Case):
    """Code without unwind information and without a symbol."""

    def test_code_of_no_function_is_named(self):
        native = self.run_program([target("uncovered")], text=True)
        done = self.record([target("uncovered")], ["-v"], text=True)
        self.assertEqual(done.stdout, native.stdout)
        report = self.clew_json("report", "--json", self.recording().path)
        (gap,) = report["not_covered"]
        self.assertEqual(gap, {"module": "uncovered", "state": "hooked",
                               "unknown_code_bytes": 10})
        said = "10 bytes of code in uncovered belong to no known function"
        self.assertIn(said, done.stderr)
        self.assertIn("not covered: " + said,
                      self.details(self.recording().path))
        self.assertIn("\nmissing: 10 bytes of unknown code\n",
                      self.clew("report", self.recording().path).stdout)

    def test_unknown_function_is_listed_with_its_address(self):
        texts = {name: text for name, _, text in wire.JSON_VERDICTS}
        listing = self.clew_json("list", "--json", "--all",
                                 target("uncovered"))
        (module,) = listing["modules"]
        self.assertEqual(module["coverage"]["unknown_code_bytes"], 10)
        self.assertEqual(len([f for f in module["functions"]
                              if f["verdict"] == texts["BARE"]]), 1)

    def test_programs_without_unwind_information_are_covered(self):
        """Counts.test_recursion checks that each call is counted."""
        for name, flavour in ("recursion", "bare0"), ("callbacks", "bare0"):
            with self.subTest(name, flavour=flavour):
                (module,) = self.clew_json(
                    "list", "--json", target(name, flavour))["modules"]
                coverage = module["coverage"]
                self.assertEqual(coverage["unknown_code_bytes"], 0)
                self.assertEqual(coverage["refused"], 0)
                self.assertGreater(coverage["hooked"], 5)

    def test_function_reached_by_data_words_is_reported(self):
        """In a program at a fixed address, any number may look like a
        pointer."""
        argv = [target("leaves_by_table", "bare_nopie")]
        native = self.run_program(argv)
        self.environment["TRUTH_DIR"] = str(self.truths)
        self.assert_same_behaviour(native, self.record(argv))
        (one,) = truth.read_all(self.truths)
        recording = self.recording()
        differences = truth.Comparison(one, recording.parts[0]).differences()
        self.assertGreater(len(differences), 0)
        for line in differences:
            self.assertRegex(line, r"^main;through_table;\w+: .* 0 recorded$")
        (gap,) = self.clew_json("report", "--json",
                                recording.path)["not_covered"]
        self.assertGreater(gap["unknown_code_bytes"], 100)

    def test_complete_programs_have_no_unknown_code(self):
        """Code that the compiler links into every program is ignored."""
        for name, flavour in ("recursion", "O2"), ("recursion", "nopie"), \
                             ("exceptions", "O2"):
            with self.subTest(name, flavour=flavour):
                (module,) = self.clew_json(
                    "list", "--json", target(name, flavour))["modules"]
                self.assertEqual(module["coverage"]["unknown_code_bytes"], 0)



@clewtest.needs("gcc")
class Runtimes(clewtest.Case):
    """clew skips libraries in certain languages, which it detects by their
    symbols."""

    SYMBOLS = {"runtime.goexit": "Go code", "caml_program": "OCaml code",
               "stg_upd_frame_info": "Haskell code",
               "mono_aot_file_info": "compiled ahead of time",
               "__morestack": "-fsplit-stack"}

    def compile(self, name, text, *flags):
        (self.work / f"{name}.c").write_text(text, encoding="ascii")
        done = self.run_program(["gcc", "-O2", f"{name}.c", "-o", name, *flags])
        self.assertEqual(done.returncode, 0, done.stderr)

    def build(self, symbols):
        for number, symbol in enumerate(symbols):
            self.compile(f"lib{number}.so", f"""
                __asm__(".globl {symbol}\\n{symbol}: ret\\n");
                int answer{number}(void) {{ return {number}; }}
            """, "-shared", "-fPIC")
        calls = "".join(f"answer{i}() + " for i in range(len(symbols)))
        self.compile("program", f"int main(void) {{ return {calls} 0; }}",
                     "-Wno-implicit-function-declaration",
                     *(f"./lib{i}.so" for i in range(len(symbols))))

    def test_library_of_another_runtime_is_reported(self):
        for symbol, reason in self.SYMBOLS.items():
            with self.subTest(symbol):
                self.build([symbol])
                self.assertIn(f"lib0.so: not hooked: {reason}",
                              self.clew("list", "lib0.so").stdout)
                (module,) = self.clew_json("list", "--json",
                                           "lib0.so")["modules"]
                self.assertFalse(module["hooked"])
                self.assertNotIn("functions", module)
                done = self.record(["./program"], ["-v"], text=True)
                self.assertIn(f"clew: not hooked: lib0.so ({reason}",
                              done.stderr)
                self.assertRegex(
                    self.clew("report", self.recording_path).stdout,
                    rf"\nmissing: lib0\.so \({reason}")
                self.assertIn(f"not covered: lib0.so: {reason}",
                              self.details(self.recording_path))
                (gap,) = [gap for gap in self.clew_json(
                    "report", "--json", self.recording_path)["not_covered"]
                    if gap["state"] != "hooked"]
                self.assertEqual(gap["module"], "lib0.so")
                self.assertIn(reason, gap["state"])

    def test_modules_of_other_runtimes_are_counted(self):
        self.build(["runtime.goexit"] * 3)
        self.record(["./program"])
        self.assertRegex(self.clew("report", "--wide",
                                   self.recording_path).stdout,
                         r"\nmissing: lib\d\.so and 2 more modules \(Go code")
        self.build(["runtime.goexit", "caml_program"])
        self.record(["./program"])
        self.assertRegex(self.clew("report", "--wide",
                                   self.recording_path).stdout,
                         r"\nmissing: lib\d\.so and 1 more module;")

    def test_files_that_are_never_hooked_are_not_forecast(self):
        for name, reason in (("ld-linux-x86-64.so.2", "the dynamic loader"),
                             ("libgcc_s.so.1", "the unwinder")):
            shutil.copy(target("uncovered"), self.work / name)
            self.assertIn(f"{name}: not hooked: {reason}",
                          self.clew("list", name).stdout)


if __name__ == "__main__":
    clewtest.main()
