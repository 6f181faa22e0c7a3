#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`clew a2n` beside addr2line and llvm-symbolizer on real programs.

Each is asked about the same random addresses of .text. Where those two agree
with each other, on how many calls are inlined or on a frame's file and line,
that is taken for the truth. Where they do not, each of the differences that
are known between them is listed in the test, and ours has to side with one.
"""
import os
import pathlib
import random
import re
import subprocess

import a2n_truth
import clewtest

ADDRESSES = 10000
LINES_AGREED = 0.998
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
    """The separate debug file of a system library, or None."""
    out = subprocess.run(["readelf", "-n", path], text=True, check=False,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    match = re.search(r"Build ID: (\w\w)(\w+)", out)
    found = match and pathlib.Path("/usr/lib/debug/.build-id", match[1],
                                   match[2] + ".debug")
    return found if found and found.exists() else None


def is_unknown(frame):
    return frame[2] == 0


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

    def compare(self, path):
        addresses = self.random_addresses(path)
        ours = self.ask(path, addresses)
        llvm = a2n_truth.llvm_symbolizer(path, addresses)
        gnu = a2n_truth.addr2line(path, addresses)
        self.assertEqual({len(ours), len(llvm), len(gnu)}, {ADDRESSES})
        depths, lines, agreed = [], [], 0
        alone = 0
        for address, a, b, c in zip(addresses, ours, llvm, gnu):
            if len(b) == len(c):
                if len(a) != len(b):
                    depths.append((hex(address), a, b, c))
                    continue
                for mine, one, other in zip(a, b, c):
                    if self.place(one) != self.place(other):
                        alone += self.place(mine) not in (
                            self.place(one), self.place(other))
                        continue
                    agreed += 1
                    if self.place(mine) != self.place(one):
                        lines.append((hex(address), mine, one, other))
            else:
                alone += len(a) not in (len(b), len(c))
        self.assertEqual(depths, [], f"{len(depths)} chains differ")
        self.assertGreater(agreed, ADDRESSES / 2)
        self.assertLessEqual(len(lines), agreed * (1 - LINES_AGREED),
                             f"{len(lines)} of {agreed}: {lines[:3]}")
        # Where they differ, nothing that neither of them says.
        self.assertLessEqual(alone, ADDRESSES * 0.002)
        return lines

    @staticmethod
    def place(frame):
        """File and line. Line 0 means that there is none, whatever the file."""
        if is_unknown(frame):
            return ("??", 0)
        return (os.path.normpath(frame[1]), frame[2])

    def system_library(self, path):
        if not os.path.exists(path) or not debug_file_of(path):
            self.skipTest(f"no debug file of {path}")
        return self.compare(path)

    def test_libjvm(self):
        self.assertEqual(self.system_library(LIBJVM), [])

    def test_libc(self):
        self.system_library(LIBC)

    def test_python(self):
        self.system_library("/usr/bin/python3.11")

    def test_templates(self):
        source = self.work / "templates.cc"
        source.write_text(TEMPLATES)
        path = self.work / "templates"
        done = self.run_program(["g++", "-std=c++17", "-g", "-O2", source,
                                 "-o", path])
        self.assertEqual(done.returncode, 0)
        self.compare(path)

    @clewtest.needs("rustc")
    def test_rust(self):
        source = self.work / "rust.rs"
        source.write_text(RUST)
        path = self.work / "rust"
        done = self.run_program(["rustc", "-g", "-O", source, "-o", path],
                                text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.compare(path)


if __name__ == "__main__":
    clewtest.main()
