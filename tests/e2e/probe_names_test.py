#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Probes find functions by the names that users know."""
import re

from lib import clewtest
from lib.clewtest import needs
from lib.probes import Case

SHOP = """
#include <cstdio>
#define KEPT __attribute__((noipa))
namespace shop {
struct Cart {
  int held;
  KEPT Cart(int n) : held(n) {}
  KEPT Cart(int n, int more) : held(n + more) {}
  KEPT ~Cart() { held = 0; }
  KEPT int add(int n) { return held += n; }
  KEPT int add(int n) const { return held + n; }
};
template <typename T> struct Box {
  T held;
  KEPT T get() { return held; }
};
namespace { KEPT int hidden(int n) { return n + 1; } }
KEPT int total(int n) { return n + 2; }
KEPT int total(long n, int times) { return (int)n * times; }
}
KEPT int total(char n) { return n; }
KEPT static int lone(int n) { return n + 3; }
int main()
{
  int sum = 0;
  for (int i = 0; i < 5; i++) {
    shop::Cart cart(i);
    const shop::Cart other(i, 1);
    shop::Box<int> one{ i };
    shop::Box<const char *> two{ "two" };
    sum += cart.add(i) + other.add(1) + one.get() + two.get()[0];
    sum += shop::hidden(i) + shop::total(i) + shop::total(i, 2) + lone(i);
    sum += shop::total(i) + total('a');
  }
  std::printf("%d\\n", sum);
}
"""

# Number of hits, and number of functions.
CALLS = {
    "shop::Cart::add": (10, 2),
    "shop::Cart::Cart": (10, 2),
    "shop::Cart::~Cart": (10, 1),
    "shop::Box::get": (10, 2),
    "shop::hidden": (5, 1),
    "shop::total": (15, 2),
    "total": (5, 1),
    "lone": (5, 1),
    "_ZN4shop5totalEi": (10, 1),
    "named:shop::Cart::add": (10, 2),
    "nam*:total": (5, 1),
}
OF_NOBODY = ["shop::Cart::sub", "shop::Cart", "Cart::add", "add", "hidden"]


class Shown(Case):
    """Probes at names as reports show them."""

    def shown(self, place, program, options):
        """Returns the report's entry for the probe, whose text ends with the
        name."""
        self.done = self.record([program], [*options, "--probe", place])
        [one] = self.clew_json("report", "--json",
                               self.recording_path)["probes"]
        self.assertEqual(one["place"].split(" ", 1)[1], place)
        return one


class Cxx(Shown):
    """The name of a C++ function is that in its source, without parameters."""

    def setUp(self):
        super().setUp()
        source = self.work / "shop.cc"
        source.write_text(SHOP, encoding="utf-8")
        self.program = self.work / "named"
        done = self.run_program(["g++", "-O2", "-g", "-o", self.program,
                                 source], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.native = self.run_program([self.program])

    @needs("g++")
    def test_each_overload_and_instance_is_found(self):
        for place, (hits, functions) in CALLS.items():
            with self.subTest(place):
                [one] = self.probed([place], [self.program], ["--time=none"])
                self.assert_same_behaviour(self.native, self.done)
                self.assertEqual((one["hits"], len(one["places"])),
                                 (hits, functions))

    @needs("g++")
    def test_names_of_reports_are_found(self):
        for place, hits in (("shop::total(int)", 10),
                            ("shop::total(long,int)", 5),
                            ("shop::Box<char const*>::get", 5),
                            ("shop::Box<char const *>::get()", 5),
                            ("shop::Cart::add(int) const", 5),
                            ("shop::(anonymous)::hidden(int)", 5),
                            ("named:shop::total(int)%return", 10),
                            ("lone(int)", 5)):
            with self.subTest(place):
                one = self.shown(place, self.program, ["--time=none"])
                self.assert_same_behaviour(self.native, self.done)
                self.assertEqual(one["hits"], hits)

    @needs("g++")
    def test_names_of_reports_serve_all_options(self):
        done = self.record([self.program], [
            "-m", "named", "--trace", "--args=shop::total(int)",
            "--ret=shop::total(long,int)",
            "--snapshot-when=shop::Box<char const*>::get>1ns",
            "--trace-on=shop::Cart::Cart(int)"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"no function", done.stderr)
        done = self.clew("report", "--details", self.recording_path)
        self.assertNotIn("missing: probe", done.stdout)

    @needs("g++")
    def test_sites_of_names_of_reports_are_listed(self):
        for option in "--sites", "--vars":
            done = self.clew("probe", option, "shop::total(long,int)", "-e",
                             self.program)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\b0x[0-9a-f]+\b")

    @needs("g++")
    def test_name_matches_no_other_function(self):
        found = self.probed(OF_NOBODY, [self.program], ["--time=none"])
        self.assertEqual(self.native.stdout, self.done.stdout)
        self.assertEqual([one["places"] for one in found],
                         [[]] * len(OF_NOBODY))

    @needs("g++")
    def test_name_of_too_many_functions_is_refused(self):
        """Forty files have a static function each of the same name."""
        done = self.run_program(
            ["g++", "-O1", "-S", "-o", "-", "-x", "c++", "-"], text=True,
            input="static __attribute__((noipa)) int same(int n) "
                  "{ return n; } int use_0(int n) { return same(n); }")
        self.assertEqual(done.returncode, 0, done.stderr)
        for i in range(40):
            (self.work / f"{i}.s").write_text(
                done.stdout.replace("use_0", f"use_{i}"), encoding="utf-8")
        for count in 32, 40:
            built = self.run_program(
                ["g++", "-o", "many", "-x", "c++", "-", "-x", "assembler",
                 *(f"{i}.s" for i in range(count))],
                input=b"int main() { return 0; }")
            self.assertEqual(built.returncode, 0, built.stderr)
            done = self.clew("record", "-o", self.recording_path, "--probe",
                             "same(int)", "--", self.work / "many")
            if count == 32:
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_one_line_error(done, "same(int)", "40 functions",
                                   "at most 32 addresses")

    @needs("g++")
    def test_exits_of_a_named_function_are_probed(self):
        [one] = self.probed(["shop::Cart::add%return"], [self.program])
        self.assertEqual(one["hits"], 10)

    @needs("g++")
    def test_probe_by_name_records_variables(self):
        self.done = self.record([self.program], [
            "--probe", "shop::hidden", "--action", "record n"], text=True)
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        shown = self.clew_json("report", "--json", "--events",
                               self.recording_path)
        self.assertEqual([event["values"]["n"] for event in shown["events"]],
                         list(range(5)))

    @needs("g++")
    def test_sites_of_a_named_function_are_listed(self):
        self.assertEqual(self.sites("lone", self.program),
                         self.sites("_ZL4lonei", self.program))


class Stripped(Shown):
    @needs("gcc")
    def test_functions_of_a_stripped_library_are_found_by_address(self):
        (self.work / "library.c").write_text(
            "__attribute__((noipa)) static int inner(int n) { return n + 1; }\n"
            "int outer(int n) { return inner(n) + inner(2); }\n")
        (self.work / "main.c").write_text(
            "int outer(int n); int main() { return outer(1) == 0; }\n")
        for words in (["-shared", "-fpic", "-O1", "-o", "libcut.so",
                       "library.c"],
                      ["-o", "main", "main.c", "./libcut.so"]):
            done = self.run_program(["gcc", *words], text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        text = self.run_program(["nm", "libcut.so"], text=True).stdout
        at = int(re.search(r"(\w+) t inner", text).group(1), 16)
        self.run_program(["strip", "libcut.so"])
        program = self.work / "main"
        options = ["--time=none", "-m", "libcut.so"]
        done = self.record([program], options)
        names = [row["name"] for row in self.clew_json(
            "report", "--json", "-n", "0", self.recording_path)["functions"]]
        self.assertIn(f"libcut.so+{at:#x}", names)
        for suffix in "", "%return":
            one = self.shown(f"libcut.so+{at:#x}{suffix}", program, options)
            self.assertEqual(one["hits"], 2)

    def test_main_is_found_without_its_name(self):
        """The entry code of a program passes the address of main() to libc."""
        for how in "-pie", "-no-pie":
            program = self.compile("probed", "-O2", how)
            names = self.run_program(["nm", program], text=True).stdout
            main = int(re.search(r"(?m)^(\w+) T main$", names)[1], 16)
            stripped = self.work / "stripped"
            self.run_program(["strip", "-o", stripped, program])
            native = self.run_program([stripped])
            [one] = self.probed(["main"], [stripped], ["--time=none"])
            self.assert_same_behaviour(native, self.done)
            self.assertEqual((one["hits"], [place["vaddr"] for place in
                                            one["places"]]), (1, [main]), how)


if __name__ == "__main__":
    clewtest.main()
