# SPDX-License-Identifier: MIT
"""Other tools: Rust programs, and programs that cannot be recorded."""
from inputs import mixture, words
from program import program


def tree(load):
    for number in range(40):
        load.file(f"tree/{number % 4}/f{number}.txt", words(300, number))


@program("ripgrep", "Rust: a parallel search of a tree", "ripgrep", "rg")
def ripgrep(load):
    tree(load)
    load.run("rg", "--no-config", "--sort", "path", "-n", r"clew (\w+) of",
             "tree", "-r", "<$1>")
    load.run("rg", "--no-config", "-c", "--sort", "path", "-i", "MINOTAUR",
             "tree")
    load.run("sh", "-c", "rg --no-config -j4 -o 'hero \\w+' tree | sort")
    load.run("rg", "--no-config", "nosuch", "tree", status=1)


@program("fd", "Rust: finds files, runs commands", "fd-find", "fdfind")
def fd(load):
    tree(load)
    load.run("sh", "-c", r"fdfind -j4 '^f1\d' tree | sort")
    load.run("fdfind", "-j1", "f2", "tree", "-x", "wc", "-w", "{}",
             masks=[])
    load.run("fdfind", "-e", "rs", ".", "tree")


@program("bat", "Rust: highlights a source", "bat", "batcat")
def bat(load):
    load.file("in.py", "def f(x):\n    return x + 1  # comment\n" * 40)
    load.run("batcat", "--color=always", "--paging=never", "--style=full",
             "in.py")
    load.run("batcat", "nosuch", status=1)
    load.ignore(".cache", ".cache/*", ".config", ".config/*")


@program("ldconfig", "static: runs unrecorded", "libc-bin", least_calls=0)
def ldconfig(load):
    load.run_unrecorded("ldconfig", "--version", why="static")


@program("xxd-file", "magic numbers of a dozen files", "file", "file")
def magic(load):
    load.file("a.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\3" + mixture(1000))
    load.file("b.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\2")
    load.file("c.py", "#!/usr/bin/python3\nprint(1)\n")
    load.file("d.txt", words(100))
    load.run("file", "a.gz", "b.png", "c.py", "d.txt", "/bin/ls", "nosuch")


@program("numpy", "linear algebra in OpenBLAS's assembly", "python3-numpy",
         "python3 f2py3")
def numpy(load):
    load.file("load.py", """
import numpy as np
a = np.arange(40000.0).reshape(200, 200) % 17 + np.eye(200) * 3
print(np.linalg.det(a[:20, :20]), (a @ a).sum(), np.sort(a, None)[::999])
print(np.abs(np.fft.fft(a[0])).sum(), np.linalg.eigvalsh(a + a.T)[:3])
print(np.random.default_rng(7).normal(size=3), np.unique(a).size)
""")
    load.run("python3", "-B", "load.py", env={"OPENBLAS_NUM_THREADS": "2"})


@program("z3", "satisfies constraints", "z3")
def z3(load):
    load.file("load.smt2", """
(declare-const x Int) (declare-const y Int) (declare-const z Int)
(assert (and (> x 1) (> y x) (> z y) (= (* x y z) 2431)))
(check-sat) (get-value (x y z)) (assert (> x 11)) (check-sat)
""")
    load.run("z3", "load.smt2")


@program("gfortran", "a Fortran program, and the program itself", "gfortran")
def gfortran(load):
    load.file("load.f90", """
program load
  integer :: i
  real(8) :: s = 0, a(50, 50)
  do i = 1, 100000
    s = s + 1d0 / i
  end do
  call random_init(.true., .true.)
  a = 1d0; a(3, :) = 2d0
  print *, s, sum(matmul(a, a)), maxval(a)
  stop 3
end program
""")
    load.run("gfortran", "-O2", "-o", "load", "load.f90")
    load.run("./load", status=3)
