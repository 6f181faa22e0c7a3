#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew a2n` agrees with libdwarf, addr2line and llvm-symbolizer.

All tools look up the same random addresses in .text of real programs.
The answer of `clew a2n` must equal the one that follows from libdwarf's view of
the DWARF. The other two tools may differ from it only for the reasons that
a2n_evidence.py lists. The test checks at each differing address that one of the
reasons applies; a difference without a reason is a failure.
"""
import collections
import os
import pathlib
import random
import re
import subprocess
import unittest

from lib import a2n_evidence, a2n_truth, clewtest
from lib.clewtest import PYTHON_FILE, slow

ADDRESSES = 10000
LINES_AGREED = 0.998
INLINES = clewtest.ROOT / "tests" / "targets" / "inlines.cc"
LIBJVM = "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so"
LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"

TEMPLATES = r"""
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
using Value = std::variant<int, double, std::string, std::vector<int>>;
struct Visit {
	template <typename T> size_t operator()(const T &t) const {
		std::ostringstream out;
		if constexpr (std::is_same_v<T, std::vector<int>>)
			for (auto i : t) out << i;
		else
			out << t;
		return out.str().size();
	}
};
int main(int argc, char **argv) {
	std::map<std::string, std::set<std::string>> words;
	std::unordered_map<int, std::shared_ptr<Value>> values;
	std::regex pattern("([a-z]+)([0-9]*)");
	for (int i = 0; i < argc + 5; i++) {
		std::string word = "word" + std::to_string(i);
		std::smatch match;
		if (std::regex_match(word, match, pattern))
			words[match[1]].insert(match[2]);
		values[i] = std::make_shared<Value>(std::vector<int>{i, i + 1});
	}
	size_t sum = 0;
	for (auto &[key, value] : values) sum += std::visit(Visit(), *value);
	std::function<int(int)> f = [&](int x) { return x + int(sum); };
	std::vector<int> v(100);
	std::iota(v.begin(), v.end(), argc);
	std::stable_sort(v.begin(), v.end(), [&](int a, int b) {
		return f(a) % 17 < f(b) % 17;
	});
	std::cout << words.size() << v[3] << argv[0] << std::endl;
}
"""

RUST = r"""
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
trait Shape { fn area(&self) -> f64; }
struct Square(f64);
struct Circle(f64);
impl Shape for Square { fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Circle { fn area(&self) -> f64 { self.0 * self.0 * 3.14 } }
fn show<T: Display>(items: &[T]) -> String {
    items.iter().map(|i| format!("<{}>", i)).collect::<Vec<_>>().join(",")
}
fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)),
                                           Box::new(Circle(1.0))];
    let mut counts: HashMap<String, usize> = HashMap::new();
    for arg in std::env::args() {
        *counts.entry(arg).or_default() += 1;
    }
    let sorted: BTreeMap<_, _> = counts.iter().collect();
    let total: f64 = shapes.iter().map(|s| s.area()).sum();
    let mut numbers: Vec<i64> = (0..1000).map(|i| i * 7919 % 104729).collect();
    numbers.sort_by(|a, b| b.cmp(a));
    println!("{} {} {:?}", show(&numbers[..5]), total, sorted);
}
"""


def debug_file_of(path):
    """Returns the separate debug file of a system library, or None."""
    out = subprocess.run(["readelf", "-n", path], text=True, check=False,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    match = re.search(r"Build ID: (\w\w)(\w+)", out)
    found = match and pathlib.Path("/usr/lib/debug/.build-id", match[1],
                                   match[2] + ".debug")
    return found if found and found.exists() else None


@unittest.skipUnless(a2n_evidence.TOOL.exists(), "built without libdwarf")
class Agreement(clewtest.Case):
    def random_addresses(self, path):
        start, size, _ = a2n_truth.text_section(path)
        chance = random.Random(1)
        return sorted(start + chance.randrange(size)
                      for _ in range(ADDRESSES))

    def ask(self, path, addresses):
        return a2n_truth.addr2line(path, addresses,
                                   command=(clewtest.CLEW, "a2n"),
                                   env=self.environment)

    def assert_explained(self, evidence, ours, theirs, classes, say):
        """Asserts that a class explains each difference; counts them by
        class."""
        counts, unexplained = collections.Counter(), []
        for one, mine, other in zip(evidence, ours, theirs):
            if a2n_evidence.places(mine) == a2n_evidence.places(other):
                continue
            for explains in classes:
                if explains(one, mine, other, say):
                    counts[explains.__name__] += 1
                    break
            else:
                unexplained.append((hex(one.address), mine, other))
        self.assertEqual(unexplained[:3], [], f"{len(unexplained)} differ")
        return counts

    def assert_as_libdwarf(self, evidence, ours, llvm):
        wrong = [(hex(one.address), mine, sorted(one.answers()))
                 for one, mine, other in zip(evidence, ours, llvm)
                 if not a2n_evidence.is_libdwarfs(one, mine, other)]
        self.assertEqual(wrong[:3], [], f"{len(wrong)} differ")

    def compare(self, path, debug=None):
        addresses = self.random_addresses(path)
        ours = self.ask(path, addresses)
        llvm = a2n_truth.llvm_symbolizer(path, addresses)
        gnu = a2n_truth.addr2line(path, addresses)
        evidence = a2n_evidence.read(debug or path, addresses)
        self.assertEqual({len(ours), len(llvm), len(gnu), len(evidence)},
                         {ADDRESSES})
        self.assert_as_libdwarf(evidence, ours, llvm)
        self.assert_explained(
            evidence, ours, llvm, a2n_evidence.LLVM,
            lambda some: a2n_truth.llvm_symbolizer(path, some))
        self.assert_explained(
            evidence, ours, gnu, a2n_evidence.GNU,
            lambda some: a2n_truth.addr2line(path, some))
        self.assert_figures(ours, llvm, gnu)

    def assert_figures(self, ours, llvm, gnu):
        """Where the other tools agree, the depth is always equal and the file
        and line nearly always."""
        agreed = same = 0
        for mine, one, other in zip(ours, llvm, gnu):
            if len(one) == len(other):
                self.assertEqual(len(mine), len(one))
            for a, b, c in zip(*map(a2n_evidence.places, (mine, one, other))):
                agreed += b == c
                same += a == b == c
        self.assertGreater(agreed, ADDRESSES / 2)
        self.assertGreaterEqual(same, agreed * LINES_AGREED)

    def system_library(self, path):
        debug = os.path.exists(path) and debug_file_of(path)
        if not debug:
            self.skipTest(f"no debug file of {path}")
        self.compare(path, debug)

    @slow
    def test_lines_of_libjvm_agree_with_other_tools(self):
        self.system_library(LIBJVM)

    def test_lines_of_libc_agree_with_other_tools(self):
        self.system_library(LIBC)

    def test_lines_of_python_agree_with_other_tools(self):
        self.system_library(PYTHON_FILE)

    def test_lines_of_templates_agree_with_other_tools(self):
        source = self.work / "templates.cc"
        source.write_text(TEMPLATES)
        path = self.work / "templates"
        done = self.run_program(["g++", "-std=c++17", "-g", "-O2", source,
                                 "-o", path])
        self.assertEqual(done.returncode, 0)
        self.compare(path)

    @clewtest.needs("rustc")
    def test_lines_of_rust_agree_with_other_tools(self):
        source = self.work / "rust.rs"
        source.write_text(RUST)
        path = self.work / "rust"
        done = self.run_program(["rustc", "-g", "-O", source, "-o", path],
                                text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.compare(path)

    @clewtest.needs("clang++", "ld.lld")
    @slow
    def test_liba2n_agrees_with_libdwarf_on_all_compilers(self):
        """Checks all targets of the matrix in the forms that libdwarf reads:
        without split DWARF and without an alternate file."""
        for compiler, linker in (("g++", ()), ("clang++", ("-fuse-ld=lld",))):
            for version in "45":
                for flags in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"],
                              ["-O2", "-flto", *linker]):
                    with self.subTest(compiler=compiler, version=version,
                                      flags=flags):
                        self.check_compiled(compiler, f"-gdwarf-{version}",
                                            *flags)

    def check_compiled(self, *command):
        path = self.work / "compiled"
        done = self.run_program([*command, "-Wl,--build-id", INLINES, "-o",
                                 path], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        start, size, _ = a2n_truth.text_section(path)
        addresses = range(start, start + size, 3)
        ours = self.ask(path, addresses)
        self.assertTrue(any(len(frames) > 2 for frames in ours)
                        or "-O0" in command)
        self.assert_as_libdwarf(a2n_evidence.read(path, addresses), ours,
                                a2n_truth.llvm_symbolizer(path, addresses))


if __name__ == "__main__":
    clewtest.main()
