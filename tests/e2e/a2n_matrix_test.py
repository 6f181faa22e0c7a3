#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Debug information works in every form that compilers and packagers produce.

The truth for one combination of compiler, DWARF version and optimization is the
output of llvm-symbolizer for the plain, unstripped program. All other forms of
that program have identical code, so their answers must equal the truth, frame
for frame. If they do not, clew must print a reason that names the missing part.
"""
import re
import shutil
import subprocess

from lib import a2n_evidence, a2n_truth, clewtest
from lib.clewtest import slow

COMPILERS = {"gcc": "g++", "clang": "clang++"}
SOURCE = clewtest.ROOT / "tests" / "targets" / "inlines.cc"
UNKNOWN = [("??", 0)]
# A second translation unit; functions of the first may be inlined into it.
SECOND = """
namespace shapes { int apply(int x); }
static volatile int kept;
__attribute__((constructor)) static void second() {
	for (int i = 0; i < 3; i++)
		kept = kept + shapes::apply(i);
}
"""
STEP = 5  # bytes from one address to the next


class Matrix(clewtest.Case):
    def setUp(self):
        super().setUp()
        # Indexes are found by build-id, which all forms of a program share, so
        # each form needs a cache of its own.
        self.caches = 0

    def tool(self, *argv, cwd=None):
        done = self.run_program(argv, text=True, cwd=cwd or self.work)
        self.assertEqual(done.returncode, 0, f"{argv}: {done.stderr}")
        return done.stdout

    def compile(self, compiler, name, *flags):
        path = self.work / name
        self.tool(COMPILERS[compiler], "-Wl,--build-id", *flags, SOURCE, "-o",
                  path)
        return path

    def copy(self, path, name):
        """Copies the program to another folder, away from the files beside
        it."""
        folder = self.work / name
        folder.mkdir()
        return shutil.copy(path, folder / path.name)

    def ask(self, path, addresses, *options):
        """Returns the answers and the note on missing parts, with a new
        cache."""
        self.caches += 1
        environment = {**self.environment,
                       "XDG_CACHE_HOME": str(self.work / f"c{self.caches}")}
        done = self.run_program(
            [clewtest.CLEW, "a2n", "-v", "-ifa", "-e", path, *options],
            text=True, env=environment,
            input="".join(f"{a:#x}\n" for a in addresses))
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = a2n_truth.parse_addr2line(done.stdout)
        missing = re.search(r"^missing: (.*)$", done.stderr, re.M)
        return answers, missing[1] if missing else None

    def addresses_of(self, path):
        start, size, _ = a2n_truth.text_section(path)
        return range(start, start + size, STEP)

    def assert_same(self, path, plain, *options):
        """Asserts that `path` yields all that llvm-symbolizer reports for
        `plain`."""
        self.assertEqual(a2n_truth.text_section(path)[2],
                         a2n_truth.text_section(plain)[2],
                         "not the same program")
        addresses = self.addresses_of(plain)
        truth = a2n_truth.llvm_symbolizer(plain, addresses)
        answers, missing = self.ask(path, addresses, *options)
        self.assertIsNone(missing)
        self.assert_equal_chains(plain, addresses, answers, truth)

    def assert_equal_chains(self, plain, addresses, answers, truth):
        self.assertEqual(len(answers), len(truth))
        aliases = a2n_truth.aliases(plain)
        different = []
        for address, ours, theirs in zip(addresses, answers, truth):
            if a2n_truth.chain(ours) != a2n_truth.chain(theirs):
                different.append((address, ours, theirs))
                continue
            # Both tools take the name of the outermost function from the symbol
            # table.
            name = theirs[-1][0]
            self.assertIn(ours[-1][0], aliases.get(name, {name}),
                          f"at {address:#x}")
        self.assert_between_units(plain, different)

    def assert_between_units(self, plain, different):
        """Asserts that each difference is in code between units, where only
        clew has an answer."""
        if not different:
            return
        if not a2n_evidence.TOOL.exists():
            self.skipTest("built without libdwarf, which could explain why "
                          "llvm-symbolizer differs")
        evidence = a2n_evidence.read(plain, [d[0] for d in different])
        for one, (address, ours, theirs) in zip(evidence, different):
            self.assertTrue(
                a2n_evidence.between_units(one, ours, theirs, None),
                f"at {address:#x}: {ours} {theirs}")

    def assert_symbols_only(self, path, plain, reason):
        """Asserts that the names are right, lines are absent, and clew prints
        why."""
        addresses = self.addresses_of(plain)
        truth = a2n_truth.llvm_symbolizer(plain, addresses)
        answers, missing = self.ask(path, addresses)
        self.assertRegex(missing, reason)
        aliases = a2n_truth.aliases(plain)
        for address, ours, theirs in zip(addresses, answers, truth):
            self.assertEqual(a2n_truth.chain(ours), UNKNOWN)
            name = theirs[-1][0]
            self.assertIn(ours[0][0], {"??", *aliases.get(name, {name})},
                          f"at {address:#x}")
        return sum(answer[0][0] != "??" for answer in answers)

    def each_plain(self, *flags, but=()):
        for compiler in COMPILERS:
            for version in (4, 5):
                if (compiler, version) in but:
                    continue
                yield self.compile(compiler, f"{compiler}{version}",
                                   f"-gdwarf-{version}", "-O2", *flags)

    # Forms that compilers produce.

    @slow
    def test_lines_are_right_at_every_optimisation_level(self):
        for compiler in COMPILERS:
            for version in (4, 5):
                for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
                    with self.subTest(compiler=compiler, version=version,
                                      level=level):
                        path = self.compile(
                            compiler, f"{compiler}{version}{level}",
                            f"-gdwarf-{version}", level)
                        self.assert_same(path, path)

    def test_lines_are_right_beside_discarded_sections(self):
        for plain in self.each_plain("-ffunction-sections",
                                           "-Wl,--gc-sections"):
            self.assert_same(plain, plain)

    def test_lines_are_right_at_fixed_addresses(self):
        for plain in self.each_plain("-no-pie", "-fno-pie"):
            self.assert_same(plain, plain)

    def link_time(self, compiler, *flags):
        """Links two units, so that calls can be inlined across them."""
        second = self.work / "second.cc"
        second.write_text(SECOND)
        for version in (4, 5):
            with self.subTest(version=version):
                path = self.compile(compiler, f"lto{version}", *flags, "-O2",
                                    f"-gdwarf-{version}", second)
                self.assert_same(path, path)

    def test_lines_are_right_after_gccs_link_time_optimisation(self):
        self.link_time("gcc", "-flto")

    @clewtest.needs("ld.lld")
    @slow
    def test_lines_are_right_after_lto_by_lld(self):
        self.link_time("clang", "-flto", "-fuse-ld=lld")

    @clewtest.needs("ld.lld")
    @slow
    def test_lines_are_right_after_thin_lto(self):
        self.link_time("clang", "-flto=thin", "-fuse-ld=lld")

    @clewtest.needs("ld.gold")
    @slow
    def test_lines_are_right_after_lto_by_gold(self):
        self.link_time("clang", "-flto", "-fuse-ld=gold")

    def test_64_bit_dwarf_is_read(self):
        path = self.compile("gcc", "wide", "-gdwarf-5", "-gdwarf64", "-O2")
        self.assert_same(path, path)

    def test_line_tables_without_columns_are_read(self):
        path = self.compile("gcc", "plain", "-g", "-gno-column-info", "-O2")
        self.assert_same(path, path)

    # Split DWARF.

    def split(self, compiler, base, name):
        folder = self.work / name
        folder.mkdir()
        self.tool(COMPILERS[compiler], *base, "-gsplit-dwarf", "-c", SOURCE,
                  "-o", folder / "inlines.o", cwd=folder)
        self.tool(COMPILERS[compiler], "-Wl,--build-id", folder / "inlines.o",
                  "-o", folder / "program", cwd=folder)
        return folder / "program"

    def plain_from_object(self, compiler, base, name):
        self.tool(COMPILERS[compiler], *base, "-c", SOURCE, "-o",
                  self.work / f"{name}.o")
        self.tool(COMPILERS[compiler], "-Wl,--build-id",
                  self.work / f"{name}.o", "-o", self.work / name)
        return self.work / name

    def test_split_dwarf_is_read(self):
        for compiler in COMPILERS:
            for version in (4, 5):
                with self.subTest(compiler=compiler, version=version):
                    base = [f"-gdwarf-{version}", "-O2"]
                    name = f"{compiler}{version}"
                    plain = self.plain_from_object(compiler, base, name)
                    self.assert_same(self.split(compiler, base, name + "s"),
                                     plain)

    def package(self, path):
        """Returns whether a .dwp file was written: llvm-dwp 14 hangs on some
        inputs."""
        try:
            done = self.run_program(
                ["llvm-dwp", "-e", path, "-o", f"{path}.dwp"],
                cwd=path.parent, timeout=20)
        except subprocess.TimeoutExpired:
            return False
        self.assertEqual(done.returncode, 0, done.stderr)
        return True

    @clewtest.needs("llvm-dwp")
    @slow
    def test_dwarf_packages_are_read(self):
        made = 0
        for compiler in COMPILERS:
            for version in (4, 5):
                base = [f"-gdwarf-{version}", "-O2"]
                name = f"{compiler}{version}"
                plain = self.plain_from_object(compiler, base, name)
                path = self.split(compiler, base, name + "s")
                if not self.package(path):
                    continue
                made += 1
                for dwo in path.parent.glob("*.dwo"):
                    dwo.unlink()
                self.assert_same(path, plain)
        if made == 0:
            self.skipTest("llvm-dwp did not make a single package")

    def test_missing_split_dwarf_is_reported(self):
        path = self.split("gcc", ["-gdwarf-5", "-O2"], "s")
        dwo = next(path.parent.glob("*.dwo"))
        dwo.unlink()
        answers, missing = self.ask(path, self.addresses_of(path))
        self.assertIn("1 of 1 .dwo files were not found", missing)
        self.assertIn(dwo.name, missing)
        # The skeleton unit still has the lines.
        self.assertTrue(any(a[0][2] > 0 for a in answers))

    def test_split_dwarf_of_another_build_is_not_used(self):
        path = self.split("gcc", ["-gdwarf-5", "-O2"], "s")
        other = self.split("gcc", ["-gdwarf-5", "-O1"], "t")
        shutil.copy(next(other.parent.glob("*.dwo")),
                    next(path.parent.glob("*.dwo")))
        _, missing = self.ask(path, self.addresses_of(path))
        self.assertIn("1 of 1 .dwo files were not found", missing)

    # Compressed sections.

    def compressed(self, way):
        for plain in self.each_plain():
            path = self.work / f"{plain.name}-{way}"
            self.tool("objcopy", f"--compress-debug-sections={way}", plain,
                      path)
            self.assert_same(path, plain)

    @slow
    def test_sections_compressed_by_zlib_are_read(self):
        self.compressed("zlib")

    @slow
    def test_sections_compressed_as_zdebug_are_read(self):
        self.compressed("zlib-gnu")

    def test_sections_compressed_by_zstd_are_read(self):
        self.compressed("zstd")

    def test_unknown_compression_is_reported(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        path = self.work / "odd"
        self.tool("objcopy", "--compress-debug-sections=zlib", plain, path)
        headers = self.tool("readelf", "-SW", path)
        offset = int(re.search(
            r"\.debug_info\s+\w+\s+[0-9a-f]+ ([0-9a-f]+)", headers)[1], 16)
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write((99).to_bytes(4, "little"))  # ch_type
        named = self.assert_symbols_only(path, plain,
                                         "compressed by an unsupported method")
        self.assertGreater(named, 100)

    # Forms that packagers produce.

    # dwz itself does not accept clang's DWARF 5.

    @clewtest.needs("dwz")
    def test_files_of_dwz_are_read(self):
        for plain in self.each_plain(but=[("clang", 5)]):
            path = self.copy(plain, plain.name + "-dwz")
            self.tool("dwz", path)
            self.assert_same(path, plain)

    def dwz_pair(self, plain):
        """Creates two programs whose common parts are in an alternate file."""
        folder = self.work / f"{plain.name}-alt"
        folder.mkdir()
        paths = [folder / "a", folder / "b"]
        for path in paths:
            shutil.copy(plain, path)
        self.tool("dwz", "-m", folder / "common", "-h", *paths, cwd=folder)
        self.assertIn(".gnu_debugaltlink",
                      self.tool("readelf", "-SW", paths[0]))
        return folder, paths[0]

    @clewtest.needs("dwz")
    @slow
    def test_alternate_files_of_dwz_are_read(self):
        for plain in self.each_plain(but=[("clang", 5)]):
            _, path = self.dwz_pair(plain)
            self.assert_same(path, plain)

    @clewtest.needs("dwz")
    def test_missing_alternate_file_of_dwz_is_reported(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        folder, path = self.dwz_pair(plain)
        (folder / "common").unlink()
        addresses = self.addresses_of(plain)
        truth = a2n_truth.llvm_symbolizer(plain, addresses)
        answers, missing = self.ask(path, addresses)
        self.assertIn("alternate debug file", missing)
        self.assertIn("common", missing)
        for ours, theirs in zip(answers, truth):
            self.assertEqual(len(ours), len(theirs))
            for mine, other in zip(ours, theirs):
                self.assertIn(mine[0], (other[0], "??"), "a wrong name")

    def separate(self, plain, link=True):
        folder = self.work / f"{plain.name}-stripped"
        folder.mkdir()
        path, debug = folder / "program", folder / "program.debug"
        self.tool("objcopy", "--only-keep-debug", plain, debug)
        self.tool("objcopy", "--strip-all", plain, path)
        if link:
            self.tool("objcopy", f"--add-gnu-debuglink={debug}", path,
                      cwd=folder)
        return path, debug

    def test_debug_link_leads_to_the_debug_file(self):
        for plain in self.each_plain():
            path, _ = self.separate(plain)
            self.assert_same(path, plain)

    def test_debug_link_leads_into_the_debug_subfolder(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        path, debug = self.separate(plain)
        (path.parent / ".debug").mkdir()
        debug.rename(path.parent / ".debug" / debug.name)
        self.assert_same(path, plain)

    def test_debug_link_without_build_id_is_checked_by_crc(self):
        plain = self.compile("gcc", "plain", "-g", "-O2",
                             "-Wl,--build-id=none")
        path, debug = self.separate(plain)
        self.assert_same(path, plain)
        with open(debug, "ab") as file:
            file.write(b"x")  # equal DWARF in a different file
        _, missing = self.ask(path, [0x1000])
        self.assertIn("no separate debug file", missing)

    def test_debug_file_is_found_by_build_id_in_a_configured_folder(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        path, debug = self.separate(plain, link=False)
        build_id = re.search(r"Build ID: (\w+)",
                             self.tool("readelf", "-n", plain))[1]
        place = self.work / "roots" / ".build-id" / build_id[:2]
        place.mkdir(parents=True)
        debug.rename(place / f"{build_id[2:]}.debug")
        self.assert_same(path, plain, "--debug-root", self.work / "roots")

    def test_debug_file_is_found_below_another_root(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        path, debug = self.separate(plain, link=False)
        build_id = re.search(r"Build ID: (\w+)",
                             self.tool("readelf", "-n", plain))[1]
        root = self.work / "container"
        place = root / "usr/lib/debug/.build-id" / build_id[:2]
        place.mkdir(parents=True)
        (root / "bin").mkdir()
        debug.rename(place / f"{build_id[2:]}.debug")
        path.rename(root / "bin" / "program")
        addresses = self.addresses_of(plain)
        answers, missing = self.ask("/bin/program", addresses, "--root", root)
        self.assertIsNone(missing)
        self.assert_equal_chains(
            plain, addresses, answers, a2n_truth.llvm_symbolizer(plain, addresses))

    def test_debug_file_of_another_build_is_not_used(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        path, debug = self.separate(plain)
        other = self.compile("gcc", "other", "-g", "-O1")
        self.tool("objcopy", "--only-keep-debug", other, debug)
        self.assert_symbols_only(path, plain, "no separate debug file")

    @clewtest.needs("xz")
    def test_minidebuginfo_gives_names(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        path, _ = self.separate(plain, link=False)
        mini = self.work / "mini"
        self.tool("objcopy", "--only-keep-debug", plain, mini)
        self.tool("strip", "--strip-debug", mini)
        self.tool("xz", "-k", mini)
        self.tool("objcopy", f"--add-section=.gnu_debugdata={mini}.xz", path)
        named = self.assert_symbols_only(path, plain, "no debug information")
        self.assertGreater(named, 100)

    def test_missing_debug_information_is_reported(self):
        plain = self.compile("gcc", "plain", "-g", "-O2")
        path, _ = self.separate(plain, link=False)
        self.assert_symbols_only(path, plain, "no debug information: the file "
                                 "contains none, and no separate debug file")


if __name__ == "__main__":
    clewtest.main()
