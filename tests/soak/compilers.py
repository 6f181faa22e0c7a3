# SPDX-License-Identifier: MIT
"""Compilers, linkers, assemblers, build tools and debuggers."""
from program import program

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *l, *r; int k; };
static struct node *insert(struct node *t, int k)
{
	if (!t) { t = calloc(1, sizeof(*t)); t->k = k; return t; }
	if (k < t->k) t->l = insert(t->l, k);
	else if (k > t->k) t->r = insert(t->r, k);
	return t;
}
static long sum(const struct node *t)
{
	return t ? t->k + sum(t->l) + sum(t->r) : 0;
}
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int argc, char **argv)
{
	struct node *t = NULL;
	for (unsigned i = 1, x = 1; i < 2000; i++, x = x * 69069 + 1)
		t = insert(t, x >> 8);
	printf("%ld %d %s\n", sum(t), fib(15 + argc), strrchr(argv[0], '/'));
	return 3;
}
"""

CXX = r"""
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
template <int N> struct fib { static const int v = fib<N-1>::v + fib<N-2>::v; };
template <> struct fib<0> { static const int v = 0; };
template <> struct fib<1> { static const int v = 1; };
struct noisy { ~noisy() { std::cout << "~"; } };
int deep(int n) { noisy x; if (!n) throw std::runtime_error("deep");
  return 1 + deep(n - 1); }
int main()
{
	std::map<std::string, std::vector<int>> m;
	for (int i = 0; i < 2000; i++) m[std::to_string(i % 37)].push_back(i);
	auto p = std::make_unique<std::string>("moved");
	try { deep(9); } catch (const std::exception &e) {
		std::cout << e.what() << *p << m.size() << fib<20>::v << "\n"; }
	return 4;
}
"""


@program("gcc", "C to a program at -O2, cc1, as and ld", "gcc", ci=True)
def gcc(load):
    load.file("load.c", C)
    load.run("gcc", "-O2", "-Wall", "-o", "load", "load.c")
    load.run("./load", status=3)
    load.run("gcc", "-c", "load.c", "-Dargc=(", status=1)


@program("g++", "templates, containers, exceptions at -O1", "g++")
def gxx(load):
    load.file("load.cc", CXX)
    load.run("g++", "-O1", "-o", "load", "load.cc")
    load.run("./load", status=4)


@program("clang", "C to a program and to LLVM assembly", "clang")
def clang(load):
    load.file("load.c", C)
    load.run("clang", "-O2", "-Wall", "-o", "load", "load.c")
    load.run("./load", status=3)
    load.run("clang", "-S", "-emit-llvm", "-O1", "-o", "load.ll", "load.c")
    load.run("clang", "-c", "load.c", "-Dargc=(", status=1)


@program("rustc", "a Rust program, and the program itself", "rustc gcc",
         "rustc gcc")
def rustc(load):
    load.file("load.rs", r"""
use std::collections::BTreeMap;
use std::{panic, process, thread};
fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
fn main() {
    let all: Vec<_> = (10..16).map(|n| thread::spawn(move || fib(n))).collect();
    for one in all { print!("{} ", one.join().unwrap()); }
    let mut seen = BTreeMap::new();
    for i in 0..5000 { *seen.entry(format!("w{}", i * 7919 % 503)).or_insert(0)
        += 1; }
    println!("{} {:?}", seen.len(), seen.iter().next());
    panic::set_hook(Box::new(|_| println!("panicked")));
    println!("{}", panic::catch_unwind(|| { if fib(10) > 1 { panic!("x") } })
        .is_err());
    process::exit(5);
}
""")
    load.run("rustc", "-O", "load.rs")
    load.run("./load", status=5)


@program("as-ld", "binutils: assemble, link, dump, strip, archive",
         "binutils gcc", "as ld objdump readelf nm strip ar gcc")
def binutils(load):
    load.file("load.c", C)
    load.client("gcc", "-S", "-O2", "load.c")
    load.run("as", "-o", "load.o", "load.s")
    load.run("ld", "-r", "-o", "linked.o", "load.o")
    load.run("objdump", "-dr", "linked.o")
    load.run("readelf", "-aW", "linked.o")
    load.run("nm", "-n", "linked.o")
    load.run("ar", "rcsD", "load.a", "load.o", "linked.o")
    load.run("strip", "-o", "stripped.o", "load.o")


@program("nasm", "macros into an object file", "nasm", least_calls=2_000)
def nasm(load):
    load.file("load.asm", """
%macro entry 1
f%1: mov eax, %1
     imul eax, eax
     ret
%endmacro
section .text
%assign i 0
%rep 200
entry i
%assign i i+1
%endrep
""")
    load.run("nasm", "-f", "elf64", "-l", "load.lst", "load.asm")


@program("cmake", "configures and builds a project with ninja",
         "cmake ninja-build gcc", "cmake ninja gcc")
def cmake(load):
    load.file("load.c", C)
    load.file("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\n"
              "project(load C)\nadd_executable(load load.c)\n")
    load.run("cmake", "-G", "Ninja", "-B", "build", "-S", ".",
             # "Configuring done (0.3s)" since cmake 3.26
             masks=[(r"done \([\d.]+s\)", "done")])
    load.run("ninja", "-C", "build", "-j", "1")
    load.run("build/load", status=3)
    # Files of CMake and ninja contain times, and logs of them.
    load.ignore("build/CMakeFiles/*", "build/.ninja_*")


@program("make", "a parallel make of shell recipes", "make")
def make(load):
    load.file("Makefile", "all: $(addprefix out/,$(shell seq 1 15))\n"
              "\t@cat $(sort $^)\nout/%: | out\n"
              "\t@echo $* squared is $$(($* * $*)) >$@\n"
              "out:\n\t@mkdir out\nfail:\n\t@exit 3\n")
    load.run("make", "-j4")
    load.run("make", "-s", "fail", status=2)


@program("cargo", "builds and runs a crate without dependencies",
         "cargo rustc gcc", "cargo rustc gcc")
def cargo(load):
    load.file("Cargo.toml", '[package]\nname = "load"\nversion = "0.1.0"\n'
              'edition = "2021"\n')
    load.file("src/main.rs", 'fn main() { println!("{}", (1..100u64).map('
              "|n| n * n).sum::<u64>()); std::process::exit(6) }\n")
    load.run("cargo", "run", "--offline", status=6,
             # "Finished dev [...] target(s) in 0.35s"
             masks=[(r"in (?:\d+m )?[\d.]+s", "in a time")])
    load.ignore("target/*", ".cargo/*")


@program("gdb", "breakpoints, backtraces, Python, in a program", "gdb gcc",
         "gdb gcc")
def gdb(load):
    load.file("load.c", C)
    load.client("gcc", "-g", "-O0", "-o", "load", "load.c")
    # clew would also be preloaded into the debugged program, whose stack would
    # differ only in addresses.
    load.run("gdb", "-batch", "-nx", "-ex", "set disable-randomization on",
             "-ex", "info line fib", "-ex", "list sum",
             "-ex", "disassemble /s fib", "-ex", "ptype struct node",
             "-ex", "python print(sum(i*i for i in range(1000)))",
             "-ex", "print sizeof(struct node)", "./load")


@program("valgrind", "memcheck finds a leak", "valgrind gcc",
         "valgrind gcc", least_calls=0)
def valgrind(load):
    load.file("load.c", C)
    load.client("gcc", "-g", "-O0", "-o", "load", "load.c")
    load.run("valgrind", "--leak-check=full", "./load", status=3,
             # Every line contains the pid.
             masks=[(r"==\d+==", "==PID==")])


@program("strace", "traces what cat does", "strace", least_calls=1_000)
def strace(load):
    load.file("text", "one line\n")
    load.run("strace", "-o", "trace", "-E", "LD_PRELOAD", "-e",
             "trace=write", "cat", "text")


@program("bison", "a grammar to a C parser", "bison m4", "bison m4")
def bison(load):
    load.file("load.y", """
%{
#include <stdio.h>
int yylex(void); void yyerror(const char *s);
%}
%token NUMBER
%left '+' '-'
%left '*' '/'
%%
lines: %empty | lines e '\\n' { printf("%d\\n", $2); };
e: NUMBER | e '+' e { $$ = $1 + $3; } | e '*' e { $$ = $1 * $3; }
 | '(' e ')' { $$ = $2; } | '-' e { $$ = -$2; };
%%
""")
    load.run("bison", "-Wall", "--header", "-v", "load.y")
