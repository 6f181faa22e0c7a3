#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Damaged recordings and a poisoned cache are handled."""
import os
import random
import resource
import shutil
import subprocess

from lib import clewtest, wire
from lib.clewtest import PYTHON, slow, target

COMMANDS = ["report"], ["tree"], ["list"], ["dump"], ["report", "--json"], \
    ["html", "-o", "-"], \
    ["export", "-F", "callgrind"], ["export", "-F", "speedscope"], \
    ["export", "-F", "firefox"]

LOSSES = 96  # offset of the losses in a header: wire/recording.h


class Damaged(clewtest.Case):
    """A reader prints its result, or one line with the reason for refusal. It
    never crashes."""

    def setUp(self):
        super().setUp()
        self.record([target("tail")], ["-m", "tail*", "-m", "*tail*"])
        (self.part,) = self.recording_path.glob("*.part")
        self.whole = self.part.read_bytes()
        self.header_bytes = wire.Part(self.part).header_bytes

    def assert_survives(self, what):
        for command in COMMANDS:
            done = self.clew(*command, self.recording_path, errors="replace")
            with self.subTest(what, command=command):
                self.assertIn(done.returncode, range(0, 128), done.stderr)
                self.assertNotIn("Sanitizer", done.stderr)
                if done.returncode:
                    self.assertEqual(len(done.stderr.splitlines()), 1,
                                     done.stderr)

    def lengths(self):
        """Returns the lengths to test: each field of the headers and first
        chunks, the byte before each, and then a length per page."""
        end = wire.Part(self.part).end
        fields = [*range(0, 512, 8), *range(4096, 4096 + 512, 8)]
        step = [*fields, *(at - 1 for at in fields[1:]),
                *range(512, 4096, 509), *range(4096, end, 2039), end - 1]
        return sorted(set(step))

    def test_recording_truncated_at_any_length_ends_no_reader(self):
        for length in self.lengths():
            with open(self.part, "r+b") as file:
                file.truncate(length)
            done = self.clew("report", self.recording_path, errors="replace")
            self.assertNotIn("Sanitizer", done.stderr)
            self.assert_one_line_error(done)
            if length >= self.header_bytes:
                self.assertIn("calls in", done.stdout)  # the undamaged rest
            self.part.write_bytes(self.whole)

    def test_impossible_counters_are_reported_and_others_shown(self):
        """Correct figures are shown as usual."""
        wanted = self.details(self.recording_path)
        damaged = bytearray(self.whole)
        damaged[LOSSES:LOSSES + 24] = b"\xff" * 24
        self.part.write_bytes(damaged)
        done = self.clew("report", "--details", "--wide", self.recording_path)
        self.assert_one_line_error(done)
        self.assertIn("3 counters of its header are impossible", done.stderr)
        shown = done.stdout.splitlines()
        self.assertEqual([line for line in shown if "problem:" not in line],
                         [line for line in wanted.splitlines()
                          if not line.startswith("missing: ")])
        dumped = self.clew("dump", self.recording_path)
        self.assertEqual(dumped.returncode, 1)

    def test_random_damage_is_survived(self):
        randomness = random.Random(3)
        end = wire.Part(self.part).end
        for number in range(150):
            damaged = bytearray(self.whole)
            for _ in range(randomness.randrange(1, 20)):
                where = randomness.choice((416, 8192, end))
                at = randomness.randrange(min(where, end))
                damaged[at] = randomness.choice((0, 1, 255, 127, 64))
            self.part.write_bytes(damaged)
            self.assert_survives(f"damage {number}")

    @clewtest.unless_sanitized
    def test_files_larger_than_memory_are_refused(self):
        """The file is a hole of great length. A recording with other parts is
        read without it, and the report says so."""
        huge = bytearray(self.whole)
        huge[16:24] = b"\xff" * 8  # end of the used bytes
        self.part.write_bytes(huge)
        os.truncate(self.part, 1 << 31)

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        for command in *COMMANDS, ["merge", "-o", self.work / "merged"]:
            with self.subTest(command=command):
                done = self.clew(*command, self.recording_path,
                                 preexec_fn=limit)
                self.assert_one_line_error(done, "not enough memory")
        (self.recording_path / "9.0.part").write_bytes(self.whole)
        done = self.clew("report", self.recording_path, preexec_fn=limit)
        self.assert_one_line_error(done, "not enough memory", "the rest is shown")
        self.assertIn("calls in", done.stdout)

    def test_foreign_files_are_refused(self):
        for content in b"", b"\0" * 10000, b"clewrec\n", os.urandom(5000), \
                open("/bin/true", "rb").read():
            self.part.write_bytes(content)
            done = self.clew("report", self.recording_path, errors="replace")
            with self.subTest(content=content[:8]):
                self.assert_one_line_error(done)

    def test_a_newer_version_is_refused(self):
        newer = bytearray(self.whole)
        newer[8] = wire.VERSION_PACKED + 1
        self.part.write_bytes(newer)
        done = self.clew("report", self.recording_path)
        self.assert_one_line_error(done, "version")

    def test_a_missing_recording_is_an_error(self):
        for path in "/nowhere", "/etc/passwd", str(self.truths):
            with self.subTest(path=path):
                self.assert_one_line_error(self.clew("report", path), path)

    def test_unknown_chunks_are_skipped_and_reported(self):
        before = self.details(self.recording_path)
        end = wire.Part(self.part).end
        extra = wire.CHUNK.pack(4711, 0, 4096, 64)
        data = bytearray(self.whole[:end]) + extra + os.urandom(4096)
        data = data[:end + 4096]
        data[16:24] = (end + 4096).to_bytes(8, "little")
        self.part.write_bytes(data)
        self.assertEqual(self.clew("report", self.recording_path).returncode, 0)
        said = (f"problem: {self.part.name}: 1 record of an unknown kind; "
                "use the version of clew that wrote the recording")
        after = self.details(self.recording_path)
        self.assertIn(f"\n{said}; missing: ", after)  # in the footer
        self.assertEqual(after.replace(f"\n{said}; missing: ", "\nmissing: ")
                         .replace(f"{said}\n", ""), before)


KINDS = {
    "trace": (target("tail"), ["-m", "*tail*", "--trace"]),
    "ring": (target("tail"), ["-m", "*tail*", "--trace=ring:64K"]),
    "taken": (target("tail"), ["-m", "*tail*", "--trace=64K",
                               "--on-overflow=process", "--workers=1"]),
    "exact": (target("tail"), ["-m", "*tail*", "--time=exact"]),
    "probes": (target("tail"), ["-m", "*tail*", "--probe=main%return",
                                "--action=record ret, $rsp/s9, tid/x"]),
    "children": ("sh", ["-m", "dash"], "-c", "ls >/dev/null; true; (true)"),
}
MORE_COMMANDS = [
    *COMMANDS, ["trace"], ["trace", "--json"], ["trace", "--latencies"],
    ["report", "--json", "--events"], ["tree", "--json"],
    *(["export", "-F", name, "-o", "-"]
      for name in ("folded", "pprof", "otlp", "chrome", "csv", "jsonl"))]


class DamagedKinds(clewtest.Case):
    """Damages any file of any kind of recording. No command crashes or
    hangs."""

    def damage(self, randomness):
        paths = [path for path in self.recording_path.iterdir()
                 if path.stat().st_size]
        path = randomness.choice(sorted(paths))
        data = bytearray(path.read_bytes())
        for _ in range(randomness.randrange(1, 8)):
            near = randomness.choice((128, 1024, 8192, len(data)))
            at = randomness.randrange(min(near, len(data)))
            odd = randomness.choice((0, 1, 1 << 31, (1 << 32) - 1, 4096,
                                     (1 << 63) - 1, (1 << 64) - 1))
            width = min(1 << randomness.randrange(4), len(data) - at)
            data[at:at + width] = odd.to_bytes(8, "little")[:width]
        if randomness.randrange(6) == 0:
            del data[randomness.randrange(len(data)):]
        path.write_bytes(data)

    def check(self, rounds):
        randomness = random.Random(5)
        for kind, (program, options, *arguments) in KINDS.items():
            self.record([program, *arguments], options)
            whole = self.work / kind
            self.recording_path.rename(whole)
            for number in range(rounds):
                shutil.copytree(whole, self.recording_path)
                self.damage(randomness)
                command = randomness.choice(MORE_COMMANDS)
                with self.subTest(kind, number=number, command=command):
                    done = self.clew(*command, self.recording_path,
                                     errors="replace")
                    self.assertIn(done.returncode, range(0, 128), done.stderr)
                    self.assertNotIn("Sanitizer", done.stderr)
                shutil.rmtree(self.recording_path)

    def test_a_few_damaged_files_of_each_kind_are_survived(self):
        self.check(6)

    @slow
    def test_many_damaged_files_of_each_kind_are_survived(self):
        self.check(300)


class Cache(clewtest.Case):
    """Tests an analysis cache that is missing, shared, hostile or read-only."""

    def setUp(self):
        super().setUp()
        self.cache = self.work / "cache"
        self.environment["XDG_CACHE_HOME"] = str(self.cache)
        self.argv = [PYTHON, "-S", "-E", "-c", "print(sum(range(1000)))"]

    def files(self):
        return sorted(p for p in self.cache.rglob("*") if p.is_file())

    @staticmethod
    def verdict_in_any_layout(function):
        """Maps verdicts to one that does not depend on the layout: punned jumps
        need free memory at certain distances."""
        name = wire.VERDICTS[function.verdict][0]
        return "TRAP" if name in ("JUMP_PUNNED", "NO_TRAP") else name

    def verdicts(self):
        part = self.recording().parts[0]
        return {(m.name, m.state_name): [(f.vaddr, f.size,
                                          self.verdict_in_any_layout(f))
                                         for f in m.functions]
                for m in part.modules}

    def cached_modules(self):
        return sum(m.from_cache for m in self.recording().parts[0].modules)

    def record_cleanly(self):
        done = self.record(self.argv, text=True)
        self.assertEqual((done.stdout, done.stderr, done.returncode),
                         ("499500\n", "", 0))
        return self.verdicts()

    def test_second_start_uses_the_cache_and_records_the_same(self):
        cold = self.record_cleanly()
        self.assertEqual(self.cached_modules(), 0)
        self.assertTrue(self.files())
        warm = self.record_cleanly()
        self.assertGreater(self.cached_modules(), 0)
        self.assertEqual(cold, warm)

    def test_garbage_in_the_cache_is_not_believed(self):
        cold = self.record_cleanly()
        randomness = random.Random(5)
        originals = {path: path.read_bytes() for path in self.files()}
        for name, spoil in {
                "empty": lambda data: b"",
                "zeros": lambda data: bytes(len(data)),
                "noise": lambda data: randomness.randbytes(len(data)),
                "cut": lambda data: data[:len(data) // 2],
                "longer": lambda data: data + data,
                "flipped": self.flip,
                "swapped": lambda data: max(originals.values(), key=len)
        }.items():
            with self.subTest(name):
                for path, data in originals.items():
                    path.unlink(missing_ok=True)
                    path.write_bytes(spoil(data))
                self.assertEqual(self.record_cleanly(), cold)

    @staticmethod
    def flip(data):
        """Flips one bit in the middle; lengths and headers stay right."""
        spoiled = bytearray(data)
        spoiled[len(spoiled) // 2] ^= 4
        return bytes(spoiled)

    @slow
    def test_programs_can_start_at_once_without_a_cache(self):
        for number in range(5):
            shutil.rmtree(self.cache, ignore_errors=True)
            outs = [self.work / f"out{number}.{i}" for i in range(4)]
            running = [subprocess.Popen(
                [clewtest.CLEW, "record", "-o", out, "--", *self.argv],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=self.environment, cwd=self.work) for out in outs]
            for process in running:
                said, complained = process.communicate(
                    timeout=clewtest.TIMEOUT_S)
                self.assertEqual((said, complained), (b"499500\n", b""))
            sums = []
            for out in outs:
                part = wire.Recording(out).parts[0]
                sums.append([(m.name, m.state, m.functions and
                              [self.verdict_in_any_layout(f)
                               for f in m.functions])
                             for m in part.modules])
            self.assertEqual(sums[1:], sums[:-1])

    def test_links_and_directories_instead_of_files_are_ignored(self):
        cold = self.record_cleanly()
        precious = self.work / "precious"
        precious.write_text("mine", encoding="utf-8")
        for number, path in enumerate(self.files()):
            path.unlink()
            if number % 2:
                path.mkdir()
            else:
                path.symlink_to(precious)
        self.assertEqual(self.record_cleanly(), cold)
        self.assertEqual(precious.read_text(encoding="utf-8"), "mine")

    LIBRARY_TEXT = """
        int PREFIX_first(int n) { return n * 3 + 1; }
        int PREFIX_second(int n) { return PREFIX_first(n) ^ CONSTANT; }
        const char text[] = "TEXT";
    """

    def build(self, name, prefix="some", constant=5, text="a text", flags=()):
        """Builds a library without a build-id."""
        source = self.work / "library.c"
        source.write_text(self.LIBRARY_TEXT, encoding="ascii")
        done = self.run_program([
            "cc", "-O1", "-shared", "-fPIC", "-Wl,--build-id=none", *flags,
            f"-DPREFIX_first={prefix}_1", f"-DPREFIX_second={prefix}_2",
            f"-DCONSTANT={constant}", f"-DTEXT={text}", "-o", name, source])
        self.assertEqual(done.returncode, 0, done.stderr)

    def load(self, name):
        """Returns whether the analysis came from the cache, and the hooked
        functions."""
        self.record([PYTHON, "-S", "-E", "-c",
                     f"import ctypes; ctypes.CDLL({str(name)!r})"])
        module, = [m for m in self.recording().parts[0].modules
                   if m.name == name.name]
        self.assertEqual(module.state_name, "HOOKED")
        shutil.rmtree(self.recording_path)
        return module.from_cache, [(f.vaddr, f.size, f.verdict)
                                   for f in module.functions]

    def analysis_of(self, name):
        """Returns the path of the library's analysis in the cache."""
        alone = self.work / "alone"
        self.run_program([clewtest.CLEW, "cache", "warm", "--no-libraries",
                          "--no-indexes", name],
                         env={**self.environment, "XDG_CACHE_HOME": alone})
        kept, = alone.rglob("*.analysis")
        return self.cache / kept.relative_to(alone)

    def test_content_identifies_modules_without_build_id(self):
        name = self.work / "libplain.so"
        self.build(name)
        fresh, first = self.load(name)
        self.assertEqual((fresh, self.load(name)), (0, (1, first)))
        copy = self.work / "libcopy.so"
        shutil.copy(name, copy)
        self.assertEqual(self.load(copy), (1, first))

    def test_changes_are_seen_without_build_id_despite_equal_times(self):
        """The file is changed in place or replaced; its size and times stay
        equal."""
        name, other = self.work / "libplain.so", self.work / "libother.so"
        self.build(name)
        self.load(name)
        old = name.stat()
        # From changes of executed bytes to changes of bytes that are not
        # executed.
        for change in ({"constant": 6}, {"prefix": "none"},
                       {"flags": ["-O0"]}):
            self.build(other, **change)
            for way in "in place", "replaced":
                with self.subTest(change, way=way):
                    shutil.rmtree(self.cache)
                    self.build(name)
                    self.load(name)
                    if way == "in place":
                        name.write_bytes(other.read_bytes())
                    else:
                        shutil.copy(other, self.work / "new")
                        (self.work / "new").rename(name)
                    os.utime(name, ns=(old.st_atime_ns, old.st_mtime_ns))
                    was_kept, found = self.load(name)
                    self.assertEqual(was_kept, 0)
                    self.assertEqual(self.load(other), (1, found))

    def test_garbage_for_modules_without_build_id_is_ignored(self):
        name = self.work / "libplain.so"
        self.build(name)
        _, first = self.load(name)
        kept = self.analysis_of(name)
        data = kept.read_bytes()
        for spoiled in (b"", data[:-1], data + b"\0", self.flip(data),
                        bytes(len(data))):
            kept.write_bytes(spoiled)
            self.assertEqual(self.load(name), (0, first))
            self.assertEqual(self.load(name), (1, first))

    def test_a_missing_cache_folder_is_harmless(self):
        self.environment["XDG_CACHE_HOME"] = "/proc/nowhere"
        self.record_cleanly()

    def test_files_of_another_user_are_ignored(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        cold = self.record_cleanly()
        for path in self.files():
            os.chown(path, 65534, 65534)
        self.assertEqual(self.record_cleanly(), cold)
        self.assertEqual(self.cached_modules(), 0)

    def test_a_rule_moves_the_cache(self):
        elsewhere = self.work / "elsewhere"
        elsewhere.mkdir()
        rules = self.work / "rules"
        rules.write_text(f"cache {elsewhere}\n", encoding="utf-8")
        done = self.record(self.argv, ["--rules", rules], text=True)
        self.assertEqual((done.stdout, done.stderr), ("499500\n", ""))
        self.assertEqual(self.files(), [])
        self.assertTrue(list(elsewhere.iterdir()))

    def test_no_cache_writes_no_file(self):
        done = self.record(self.argv, ["--no-cache"], text=True)
        self.assertEqual((done.stdout, done.stderr), ("499500\n", ""))
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    clewtest.main()
