#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Programs can be compiled and linked against the installed files."""

from lib import clewtest
from lib.clewtest import BUILD, needs

USES_CLEW = """
#include <clew.h>
#include <stdio.h>

int main(void)
{
	int is_counted = clew_context().flags & CLEW_IS_COUNTED;

	puts(!is_counted ? "alone" : clew_unhook() ? "refused" : "unhooked");
	return 0;
}
"""
USES_CLEW_CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(program LANGUAGES C)
find_package(clew REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE clew::clew)
file(WRITE ${CMAKE_BINARY_DIR}/found "${clew_COMMAND}\\n${clew_PRELOAD}")
"""


class Installed(clewtest.Case):
    def ask(self, *argv):
        done = self.run_program(argv, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def setUp(self):
        super().setUp()
        self.root = self.work / "root"
        self.environment["DESTDIR"] = str(self.root)
        self.ask("cmake", "--install", BUILD)
        del self.environment["DESTDIR"]
        self.header, = self.root.rglob("clew.h")
        self.prefix = self.header.parent.parent
        self.environment["CC"] = "cc"

    def built_by_cmake(self, sources):
        self.ask("cmake", "-S", sources, "-B", self.work / "built",
                 f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.ask("cmake", "--build", self.work / "built")
        return self.work / "built"

    def pkg_config(self, *arguments):
        folder, = self.root.rglob("pkgconfig")
        self.environment.update(PKG_CONFIG_LIBDIR=str(folder),
                                PKG_CONFIG_SYSROOT_DIR=str(self.root),
                                PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1",
                                PKG_CONFIG_ALLOW_SYSTEM_LIBS="1")
        return self.ask("pkg-config", *arguments).split()

    def assert_prints_its_callers(self, program):
        lines = self.ask(program).splitlines()
        for line, words in zip(lines, (r"print_callers at {}", r"look at {},"
                                       " inlined into", r"main at {}")):
            words = words.format(r"\S+/backtrace\.c:\d+")
            self.assertRegex(line, rf"^0x[0-9a-f]+ {words}$")
        self.assertGreater(len(lines), 3)

    @needs("cmake", "cc")
    def test_example_of_liba2n_is_built_by_cmake(self):
        sources, = self.root.rglob("liba2n-dev/examples")
        self.assert_prints_its_callers(
            self.built_by_cmake(sources) / "backtrace")

    @needs("cmake", "cc", "pkg-config")
    def test_example_of_liba2n_is_built_with_pkg_config(self):
        source, = self.root.rglob("liba2n-dev/examples/backtrace.c")
        flags = self.pkg_config("--cflags", "--libs", "liba2n")
        self.ask("cc", "-Wall", "-Wextra", "-Werror", "-g", "-O2", "-o",
                 self.work / "backtrace", source, *flags)
        library, = self.root.rglob("liba2n.so")
        self.environment["LD_LIBRARY_PATH"] = str(library.parent)
        self.assert_prints_its_callers(self.work / "backtrace")

    def assert_asks(self, program, command):
        library, = self.root.rglob("libclew-agent.so")
        self.environment["LD_LIBRARY_PATH"] = str(library.parent)
        self.assertEqual(self.ask(program), "alone\n")
        self.assertEqual(self.ask(command, "record", "--", program),
                         "unhooked\n")

    @needs("cmake", "cc")
    def test_program_that_asks_clew_is_built_by_cmake(self):
        (self.work / "program.c").write_text(USES_CLEW)
        (self.work / "CMakeLists.txt").write_text(USES_CLEW_CMAKE)
        built = self.built_by_cmake(self.work)
        command, library = (built / "found").read_text().split()
        self.environment["CLEW_LIBRARY"] = library
        self.assert_asks(built / "program", command)

    @needs("cmake", "cc", "pkg-config")
    def test_program_that_asks_clew_is_built_with_pkg_config(self):
        (self.work / "program.c").write_text(USES_CLEW)
        self.ask("cc", "-o", "program", "program.c",
                 *self.pkg_config("--cflags", "--libs", "clew"))
        found = {name: str(self.root) + path.removeprefix(str(self.root))
                 for name in ("command", "preload")
                 for path in self.pkg_config(f"--variable={name}", "clew")}
        self.environment["CLEW_LIBRARY"] = found["preload"]
        self.assert_asks(self.work / "program", found["command"])


if __name__ == "__main__":
    clewtest.main()
