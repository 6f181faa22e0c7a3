#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packages are complete, work where they are unpacked, and are reproducible."""
import fcntl
import gzip
import pathlib
import re
import shutil

from lib import clewtest, helptext
from lib.clewtest import BUILD, ROOT, needs, target

TRIPLET = "x86_64-linux-gnu"
VERSION = re.search(r"^project\(clew VERSION (\S+)",
                    (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
DATE = "1700000000"  # 2023-11-14 22:13:20 UTC
PACKAGES = ("clew", "liba2n0", "liba2n-dev", "libclew-agent0",
            "libclew-agent-dev", "libclew-java")
# The first run builds this folder, and later runs update it.
PLACE = BUILD / "package-test"
USES_A2N = """
#include <clew/a2n.h>
#include <stdio.h>

int main(void)
{
	struct a2n *a2n;

	return printf("%d", a2n_create(NULL, &a2n)) != 1;
}
"""


BUILD_TOOLS = ("cmake", "make", "sh", "cc", "as", "ld", "ar", "ranlib", "nm",
               "objcopy", "protoc-c")


class Build(clewtest.Case):
    @needs(*BUILD_TOOLS)
    def test_build_needs_no_tool_that_only_tests_need(self):
        tools = self.work / "tools"
        tools.mkdir()
        for tool in BUILD_TOOLS:
            (tools / tool).symlink_to(f"/usr/bin/{tool}")
        self.environment["PATH"] = str(tools)
        built = self.work / "built"
        for argv in (["cmake", "-S", ROOT, "-B", built, "-DCMOCKA_LIBRARY="],
                     ["cmake", "--build", built, "--parallel", "2"]):
            done = self.run_program(argv, text=True, timeout=1500)
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        recorded = self.run_program([built / "cli/clew", "record", "--",
                                     target("abi")])
        self.assertEqual(recorded.returncode, 0, recorded.stderr)


@needs("dpkg-deb", "dpkg-shlibdeps", "file", "cmake", "ninja")
class Package(clewtest.Case):
    def setUp(self):
        super().setUp()
        self.environment["SOURCE_DATE_EPOCH"] = DATE
        self.root = self.work / "root"
        self.debs = {}
        # The lock is for other tests that build the packages at the same time.
        with open(PLACE.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for name, path in self.build(PLACE).items():
                self.debs[name] = pathlib.Path(shutil.copy(path, self.work))

    def build(self, directory):
        self.environment["BUILD_DIR"] = str(directory)
        done = self.run_program([ROOT / "scripts" / "package"], text=True,
                                timeout=1500)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr)
        found = {path.name.split("_")[0]: path
                 for path in directory.glob("*.deb")}
        self.assertEqual(set(found), set(PACKAGES))
        return found

    def ask(self, *argv):
        done = self.run_program(argv, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def unpack(self, *packages):
        for package in packages:
            self.ask("dpkg-deb", "-x", self.debs[package], self.root)
        return self.root / "usr"

    def files(self, package):
        """Returns {path: (mode, owner, date)}."""
        self.environment["TZ"] = "UTC"
        lines = self.ask("dpkg-deb", "-c", self.debs[package]).splitlines()
        fields = [line.split(maxsplit=5) for line in lines]
        return {path.partition(" ->")[0].removeprefix("./usr/"):
                (mode, owner, f"{day} {time}")
                for mode, owner, _, day, time, path in fields}

    def test_package_has_exactly_the_expected_files(self):
        commands = [name for name, _ in
                    helptext.commands(self.clew("help").stdout)]
        documents = {package: {f"share/doc/{package}/copyright",
                               f"share/doc/{package}/changelog.gz"}
                     for package in PACKAGES}
        wanted = {
            "clew": {"bin/clew", "bin/clew-alloc", "bin/clew-locks",
                     "bin/clew-preload",
                     f"lib/{TRIPLET}/clew/libclew.so",
                     f"lib/{TRIPLET}/clew/in-blocks/libclew.so",
                     f"lib/{TRIPLET}/clew/libclew-alloc.so",
                     f"lib/{TRIPLET}/clew/libclew-locks.so",
                     f"lib/{TRIPLET}/clew/libclew-deputy.so",
                     "share/man/man1/clew-alloc.1.gz",
                     "share/man/man1/clew-locks.1.gz",
                     "share/bash-completion/completions/clew",
                     "share/zsh/vendor-completions/_clew",
                     "share/man/man1/clew.1.gz",
                     "share/man/man1/clew-preload.1.gz",
                     "share/man/man5/clew-json.5.gz",
                     *(f"share/man/man1/clew-{name}.1.gz"
                       for name in commands)},
            "liba2n0": {f"lib/{TRIPLET}/liba2n.so.0",
                        f"lib/{TRIPLET}/liba2n.so.{VERSION}"},
            "liba2n-dev": {f"lib/{TRIPLET}/liba2n.so",
                           f"lib/{TRIPLET}/pkgconfig/liba2n.pc",
                           *(f"lib/{TRIPLET}/cmake/a2n/a2nConfig{part}.cmake"
                             for part in ("", "Version", "-relwithdebinfo")),
                           *(f"share/doc/liba2n-dev/examples/{name}"
                             for name in ("backtrace.c",
                                          "CMakeLists.txt")),
                           "include/clew/a2n.h",
                           "share/man/man3/liba2n.3.gz"},
            "libclew-agent0": {f"lib/{TRIPLET}/libclew-agent.so.0",
                               f"lib/{TRIPLET}/libclew-agent.so.{VERSION}"},
            "libclew-agent-dev": {
                "include/clew.h", "include/clew_handler.h",
                f"lib/{TRIPLET}/libclew-agent.so",
                f"lib/{TRIPLET}/pkgconfig/clew.pc",
                f"lib/{TRIPLET}/cmake/clew/clewConfig.cmake",
                f"lib/{TRIPLET}/cmake/clew/clewConfigVersion.cmake",
                "share/man/man3/libclew-agent.3.gz",
                "share/man/man3/libclew-handler.3.gz"},
            "libclew-java": {"share/java/clew.jar"},
        }
        for package in PACKAGES:
            with self.subTest(package=package):
                files = self.files(package)
                self.assertEqual({path for path in files if path[-1:] != "/"
                                  and path}, wanted[package]
                                 | documents[package])
                for path, (mode, owner, date) in files.items():
                    self.assertEqual((owner, date),
                                     ("root/root", "2023-11-14 22:13"), path)
                    self.assertIn(mode, ("lrwxrwxrwx", "-rwxr-xr-x"
                                         if path.startswith("bin/") or
                                         path.endswith("/") else "-rw-r--r--",
                                         "drwxr-xr-x"), path)

    def packages_of(self, program):
        """Returns the packages that contain the libraries of the program."""
        dynamic = self.ask("readelf", "-dW", program)
        libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        lines = self.ask("dpkg", "-S", *(f"*/{TRIPLET}/{library}"
                                         for library in libraries))
        return {line.split(":")[0] for line in lines.splitlines()
                if line.endswith(tuple(libraries))}

    def test_package_has_a_description_and_dependencies(self):
        def field(package, name):
            return self.ask("dpkg-deb", "-f", self.debs[package], name).strip()

        self.assertEqual(field("clew", "Section"), "devel")
        self.assertEqual(field("clew", "Architecture"), "amd64")
        self.assertRegex(field("clew", "Maintainer"),
                         r"^clew .*@[\w.]*example\.org>$")
        self.assertEqual(field("liba2n-dev", "Depends"),
                         f"liba2n0 (= {field('liba2n0', 'Version')})")
        self.assertIn(field("clew", "Version"), self.clew("--version").stdout)
        depends = {one.split()[0]
                   for one in field("clew", "Depends").split(",")}
        self.assertEqual(depends, self.packages_of(
            self.unpack("clew") / "bin/clew"))
        # Its versions of Debian 12 and 13 differ in all but the package's name.
        self.assertNotIn("libdwarf1", depends)
        copyright_file = self.root / "usr/share/doc/clew/copyright"
        self.assertIn("MIT License", copyright_file.read_text())

    def test_unpacked_package_records_and_reports(self):
        usr = self.unpack("clew")
        if (ROOT / ".git").exists():
            commit = self.ask("git", "-C", ROOT, "rev-parse", "--short=12",
                              "HEAD").strip()
            self.assertIn(commit, self.ask(usr / "bin/clew", "--version"))
        native = self.run_program([target("abi")], text=True)
        for argv in ([usr / "bin/clew", "record", "--", target("abi")],
                     [usr / "bin/clew-preload", target("abi")]):
            with self.subTest(argv=argv):
                self.assert_same_behaviour(
                    native, self.run_program(argv, text=True))
                report = self.ask(usr / "bin/clew", "report")
                self.assertRegex(report, r"total: [1-9][\d,]* calls")
        self.assertEqual(native.returncode, 0)

    @needs("bash")
    def test_unpacked_package_completes_commands(self):
        usr = self.unpack("clew")
        self.environment["PATH"] = f"{usr / 'bin'}:/usr/bin:/bin"
        offered = self.ask("bash", ROOT / "tests/e2e/complete.bash",
                           usr / "share/bash-completion/completions/clew",
                           "clew", "rec")
        self.assertEqual(offered.split(), ["record"])

    @needs("man", "groff")
    def test_unpacked_package_has_its_manual_pages(self):
        manual = self.unpack("clew", "liba2n-dev") / "share/man"
        self.environment.update(MANPATH=str(manual), MANWIDTH="80")
        for name, words in (("clew", "CLEW(1)"), ("clew-json", "JSON"),
                            ("clew-preload", "clew-preload"),
                            ("liba2n", "LIBA2N(3)")):
            with self.subTest(name=name):
                self.assertIn(words, self.ask("man", name))
        page = gzip.decompress((manual / "man1/clew.1.gz").read_bytes())
        self.assertEqual(page, (BUILD / "man/clew.1").read_bytes())

    @needs("cc", "pkg-config")
    def test_liba2n_of_the_package_can_be_linked(self):
        usr = self.unpack("liba2n0", "liba2n-dev")
        self.environment.update(
            PKG_CONFIG_PATH=str(usr / f"lib/{TRIPLET}/pkgconfig"),
            PKG_CONFIG_SYSROOT_DIR=str(self.root),
            PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1",
            PKG_CONFIG_ALLOW_SYSTEM_LIBS="1",
            LD_LIBRARY_PATH=str(usr / "lib" / TRIPLET))
        flags = self.ask("pkg-config", "--cflags", "--libs", "liba2n").split()
        source = self.work / "program.c"
        source.write_text(USES_A2N, encoding="utf-8")
        self.ask("cc", "-o", self.work / "program", source, *flags)
        self.assertEqual(self.ask(self.work / "program"), "0")

    def test_packages_are_reproducible(self):
        again = self.build(self.work / "elsewhere")
        for package in PACKAGES:
            with self.subTest(package=package):
                self.assertTrue(self.debs[package].read_bytes() ==
                                again[package].read_bytes(), "they differ")

    @needs("lintian")
    def test_lintian_warns_of_nothing(self):
        done = self.run_program(["lintian", "--fail-on", "error,warning",
                                 *self.debs.values()], text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"}
LINKED = ("capstone", "dwarf", "elf", "iberty", "jansson", "lzma", "ncurses",
          "protobuf-c", "sqlite3", "unwind", "zstd", "zlib1g")


@needs("cmake", "ninja", "rpmbuild", "rpm2archive")
class Portable(clewtest.Case):
    """The tarball and the rpm need only glibc."""
    PLACE = BUILD / "portable-test"

    def setUp(self):
        super().setUp()
        self.environment.update(SOURCE_DATE_EPOCH=DATE,
                                BUILD_DIR=str(self.PLACE))

    def package(self, kind):
        """Builds a package, and returns a copy."""
        with open(self.PLACE.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.run_program([ROOT / "scripts" / "package", kind],
                                    text=True, timeout=1500)
            self.assertEqual(done.returncode, 0,
                             done.stdout[-4000:] + done.stderr)
            path = pathlib.Path(done.stdout.splitlines()[-1])
            return pathlib.Path(shutil.copy(path, self.work))

    def ask(self, *argv):
        done = self.run_program(argv, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def unpack(self, path):
        """Returns the folder that contains bin/clew."""
        if path.suffix == ".rpm":
            self.ask("rpm2archive", path)
            path = path.with_name(f"{path.name}.tgz")
        folder = self.work / "unpacked"
        folder.mkdir()
        self.ask("tar", "xzf", path, "-C", folder)
        program, = folder.glob("*/bin/clew")
        return program.parent.parent

    def assert_records(self, folder):
        native = self.run_program([target("abi")], text=True)
        done = self.run_program([folder / "bin/clew", "record", "-o", "out",
                                 "--", target("abi")], text=True)
        self.assert_same_behaviour(native, done)
        self.assertRegex(self.ask(folder / "bin/clew", "report", "out"),
                         r"total: [1-9][\d,]* calls")

    def needed(self, path):
        return set(re.findall(r"\(NEEDED\).*\[(.*)\]",
                              self.ask("readelf", "-dW", path)))

    def test_tarball_works_where_it_is_unpacked(self):
        path = self.package("tarball")
        self.assertEqual(path.name, f"clew-{VERSION}-linux-x86_64.tar.gz")
        folder = self.unpack(path)
        self.assert_records(folder)
        for file in [folder / "bin/clew", *folder.rglob("*.so")]:
            with self.subTest(file.name):
                self.assertLessEqual(self.needed(file), GLIBC)
        self.assertTrue((folder / "share/man/man1/clew-record.1.gz").exists())

    @needs("cc", "pkg-config")
    def test_agent_library_of_the_tarball_can_be_linked(self):
        folder = self.unpack(self.package("tarball"))
        self.environment.update(PKG_CONFIG_PATH=str(folder / "lib/pkgconfig"),
                                LD_LIBRARY_PATH=str(folder / "lib"))
        flags = self.ask("pkg-config", "--cflags", "--libs", "clew").split()
        source = self.work / "program.c"
        source.write_text("#include <clew.h>\nint main(void) "
                          "{ return clew_context().flags != 0; }\n")
        self.ask("cc", "-o", self.work / "program", source, *flags)
        self.ask(self.work / "program")

    def test_tarball_has_all_licences(self):
        folder = self.unpack(self.package("tarball"))
        text = (folder / "share/doc/clew/copyright").read_text()
        self.assertIn("MIT License", text)
        for library in LINKED:
            with self.subTest(library):
                self.assertRegex(text,
                                 rf"Parts are of (lib)?{library}-dev \d.*:\n")

    def test_rpm_works_and_requires_only_glibc(self):
        path = self.package("rpm")
        requirements = self.ask("rpm", "-qp", "--requires", path).splitlines()
        for line in requirements:
            with self.subTest(line):
                self.assertTrue(
                    line.startswith(("/bin/sh", "rpmlib(", "rtld(")) or
                    line.partition("(")[0] in GLIBC)
        self.assertIn("libc.so.6(GLIBC_2.17)(64bit)", requirements)
        self.assert_records(self.unpack(path))

    def test_packages_are_reproducible(self):
        for kind in "tarball", "rpm":
            with self.subTest(kind):
                first = self.package(kind).read_bytes()
                self.assertTrue(first == self.package(kind).read_bytes(),
                                "they differ")


if __name__ == "__main__":
    clewtest.main()
