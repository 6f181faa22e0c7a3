#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Probes in real libraries are added and removed while threads run through them.

The functions are chosen at random from libcrypto and python3. The test prints its seed,
which is $CLEW_SEED or 1. With $CLEW_SOAK, the test adds 500 probes, and repeats this
10,000 times.
"""
import os
import pathlib
import random
import subprocess

from lib import clewtest
from lib.clewtest import CLEW, PYTHON, slow

SEED = int(os.environ.get("CLEW_SEED", "1"))
AT_ONCE = 32

# A phase always does the same work; noise runs phases in threads.
PROGRAM = """
import hashlib, hmac, json, re, sys, threading
wanted = None
ends = threading.Event()
wrong = []
def phase():
    d = [getattr(hashlib, name)(b'x' * i).hexdigest()
         for name in ('sha256', 'md5', 'sha1', 'sha3_256') for i in range(9)]
    d += [hmac.new(b'k', b'm' * i, 'sha512').hexdigest() for i in range(5)]
    d.append(hashlib.pbkdf2_hmac('sha1', b'p', b's', 50).hex())
    text = json.dumps({'d': d, 'n': sorted(d, key=lambda x: x[3:])})
    return text, re.findall('a.', text), json.loads(text)['n'][7]
def noise():
    while not ends.is_set():
        if phase() != wanted:
            wrong.append(1)
wanted = phase()
threads = []
print('ready', flush=True)
for line in sys.stdin:
    if line == 'noise\\n':
        ends.clear()
        threads = [threading.Thread(target=noise) for i in range(3)]
        for thread in threads:
            thread.start()
    if line == 'silence\\n':
        ends.set()
        for thread in threads:
            thread.join()
    if line == 'phase\\n' and phase() != wanted:
        wrong.append(1)
    print(len(wrong), flush=True)
"""


class Case(clewtest.Case):
    def called(self, part):
        """Returns {vaddr: module} of the functions in a module that the program calls."""
        done = self.record([PYTHON, "-c", PROGRAM], ["--time=none"],
                           text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "ready\n"))
        report = self.clew_json("report", "--json", self.recording_path)
        return {int(row["vaddr"], 16): os.path.basename(row["module"])
                for row in report["functions"]
                if part in os.path.basename(row.get("module", ""))
                and row["calls"]}

    def others(self, part):
        """Returns the functions with a symbol, whether the program calls them or not."""
        maps = self.run_program(
            [PYTHON, "-c", "import _hashlib; "
             "print(open('/proc/self/maps').read())"], text=True).stdout
        path = next((line.split()[-1] for line in maps.splitlines()
                     if part in os.path.basename(line.split()[-1])), None)
        if not path:
            return {}
        done = self.run_program(["nm", "-D", "-S", "--defined-only", path],
                                text=True)
        return {int(line.split()[0], 16): os.path.basename(path)
                for line in done.stdout.splitlines()
                if len(line.split()) == 4 and line.split()[2] in "Tt"}

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.assertEqual(self.process.stdout.readline(), "0\n", line)

    def start(self):
        self.process = subprocess.Popen(
            [CLEW, "record", "-q", "--time=none", "-o", self.recording_path,
             "--", PYTHON, "-c", PROGRAM], text=True, cwd=self.work,
            env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.addCleanup(self.process.stdin.close)
        self.assertEqual(self.process.stdout.readline(), "ready\n")
        folder = pathlib.Path(self.recording_path)
        [part] = folder.glob("*.part")
        self.pid = part.name.split(".")[0]

    def probe(self, *words, statuses=(0,)):
        done = self.clew("probe", words[0], self.pid, *words[1:])
        self.assertIn(done.returncode, statuses, done.stdout + done.stderr)
        return done

    def state(self):
        """Returns ({module:vaddr: calls}, {place: probe}) of a snapshot."""
        path = self.work / "snapshot.out"
        done = self.clew("snapshot", "-q", "-o", path, self.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.clew_json("report", "--json", path)
        calls = {f"{os.path.basename(row['module'])}:{row['vaddr']}":
                 row["calls"] for row in report["functions"]
                 if "vaddr" in row}
        return calls, {one["place"]: one for one in report["probes"]}

    def batch(self, places, turns):
        """Adds and removes probes at these places. Returns how many were added, and how
        many could be compared.
        """
        self.start()
        self.probe("add", *places, statuses=(0, 1))
        self.probe("rm", "--all")
        _, probes = self.state()
        places = list(probes)  # These are the places that were not refused.
        if places:
            self.tell("noise")
            for _ in range(turns):
                self.probe("add", *places)
                self.probe("rm", "--all")
            self.tell("silence")
            compared = self.compare(places)
        self.process.stdin.close()
        self.assertEqual(self.process.wait(), 0)
        return (len(places), compared) if places else (0, 0)

    def compare(self, places):
        """A probe at a hooked function has as many hits as calls, and none while it is removed."""
        compared = 0
        before_calls, before = self.state()
        self.tell("phase")
        calls, removed = self.state()
        for place in places:
            self.assertEqual(removed[place]["hits"], before[place]["hits"])
        before_calls = calls
        self.probe("add", *places)
        self.tell("phase")
        self.probe("rm", "--all")
        calls, after = self.state()
        for place in places:
            ways = [at["way"] for at in after[place]["places"]]
            if "stub" not in ways:
                continue
            self.assertEqual(
                after[place]["hits"] - removed[place]["hits"],
                calls.get(place, 0) - before_calls.get(place, 0), place)
            compared += calls.get(place, 0) > before_calls.get(place, 0)
        return compared

    def check(self, part, count, turns):
        chosen = random.Random(SEED)
        called, others = self.called(part), self.others(part)
        if len(others) < 100:
            self.skipTest(f"{part}: not here, or no symbols")
        wanted = chosen.sample(sorted(called), min(len(called), count * 3 // 4))
        rest = sorted(set(others) - set(wanted))
        wanted += chosen.sample(rest, count - len(wanted))
        chosen.shuffle(wanted)
        names = {**others, **called}
        added = compared = 0
        for first in range(0, count, AT_ONCE):
            more = self.batch([f"{names[vaddr]}:{vaddr:#x}" for vaddr in
                               wanted[first:first + AT_ONCE]], turns)
            added += more[0]
            compared += more[1]
        told = f"seed {SEED}: {added} of {count}, {compared} compared"
        print(told, f"{added * (turns + 2)} times")
        self.assertGreater(added, count * 3 // 4, told)
        self.assertGreater(compared, 0, told)

    def check_python(self, count, turns):
        self.check(os.path.basename(os.path.realpath(PYTHON)), count, turns)


@clewtest.unittest.skipIf("CLEW_SOAK" in os.environ, "the others are run")
class Few(Case):
    @slow
    def test_probes_toggle_in_python(self):
        self.check_python(AT_ONCE // 2, 3)

    def test_probes_toggle_in_libcrypto(self):
        self.check("libcrypto.so", AT_ONCE // 2, 3)


@clewtest.unittest.skipUnless("CLEW_SOAK" in os.environ, "takes minutes")
class Many(Case):
    def test_probes_toggle_in_python(self):
        self.check_python(250, 20)

    def test_probes_toggle_in_libcrypto(self):
        self.check("libcrypto.so", 250, 20)


if __name__ == "__main__":
    clewtest.main()
