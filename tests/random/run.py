#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs random programs natively and recorded, and compares everything.

    run.py [--seed N] [--count N] [--minutes N] [--features a,b] [--keep DIR]

Both runs must have the same output and status, and every context of every
process must have as many calls as the program itself counted. If a program
differs, run.py shrinks it as long as it still differs, and stores it in DIR
with a script that runs it. The exit status is 1 if any program differed.
"""
import argparse
import dataclasses
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import program  # noqa: E402  pylint: disable=wrong-import-position
from lib import truth  # noqa: E402  pylint: disable=wrong-import-position
from lib import wire  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CLEW_BUILD", ROOT / "build")).resolve()
CLEW = BUILD / "cli" / "clew"
NATIVE_S = 60  # time limit, which allows for other load
TIMEOUT_S = 300  # allows for a verification of each call as well
SHRINK_S = 300
COMPILERS = {"c": ("gcc", "clang"), "c++": ("g++", "clang++")}
LEVELS = "-O0", "-O1", "-O2", "-O3", "-Os"
FLAVOURS = ([], [], ["-fno-plt"], ["-fcf-protection=full"],
            ["-fno-omit-frame-pointer"], ["-fno-pie"], ["-fPIE"])
IN_FORK = 1  # enum wire_loss: made inside fork() itself, with --libc
FOLDINGS = ("--fold-recursion", "--fold-recursion", "--fold-recursion=1",
            "--fold-recursion=100", "--fold-recursion=300")
TIMES = "none", "none", "cpu", "exact", "wall"
STAMPS = "packet", "1", "7", "64", "10us", "all"
KEPT = ["--trace"], ["--trace=64K", "--on-overflow=process"], \
    ["--trace=64K", "--on-overflow=wait"]


@dataclasses.dataclass
class Setting:
    """The options with which a program is built and recorded."""
    compiler: str
    level: str
    flags: list
    options: list
    starts: int = 1  # Later starts find stubs and text in the cache.


def setting_of(one):
    chance = random.Random(one.seed * 7 + 1)
    compilers = [c for c in COMPILERS[one.language] if shutil.which(c)]
    # Code compiled by clang does not survive copies of its stack.
    if "copies" in one.features:
        compilers = compilers[:1]
    period = chance.choice((1, 7, 1000))
    options = [f"--time={chance.choice(TIMES)}"]
    # libc has many calls to verify.
    if chance.random() < .3:
        options.append("--libc")
        period = max(period, 7)
    elif chance.random() < .4 and "--time=exact" not in options \
            and "sees" not in one.features:
        # The program does not know which calls are folded among functions that
        # it does not count.
        options += [chance.choice(FOLDINGS), "-m", "*/play",
                    "-m", "*/lib[lp]*.so"]
    folds = bool(set(FOLDINGS) & set(options))
    if not folds:
        options.append("--fold-recursion=never")
    options.append(f"--verify-period={period}")
    if not folds and chance.random() < .4:
        # A trace records each call.
        options[0] = "--time=none"
        options += [*chance.choice(KEPT), f"--stamps={chance.choice(STAMPS)}"]
        options += ["--sites"] * (chance.random() < .3)
    # Chance decides which of several threads is the first to close a cycle of
    # jumps. The program does not know whether clew counts a function that jumps
    # to sees_last(), and thus not which other jumps close a cycle.
    kinds = {each.tail[0] for each in one.functions if each.tail}
    if "threads" in one.features or chance.random() < .2 or \
            ("see" in kinds and len(kinds) > 1):
        options.append("--no-tail-nesting")
    setting = Setting(chance.choice(compilers), chance.choice(LEVELS),
                      chance.choice(FLAVOURS), options)
    if chance.random() < .2:
        options.append("--no-prelinking")
    elif chance.random() < .3:
        setting.starts = 2
    return setting


class Failed(Exception):
    """The program's counts and the recording differ."""


def build(one, setting, folder):
    paths = program.render(one, folder)
    common = [setting.compiler, setting.level, "-g0", "-w", "-pthread",
              "-I", ROOT, f"-DPLAY_PLUGIN=\"{folder}/libplugin.so\"",
              f"-DPLAY_FOLDER=\"{folder}/sought\"", "-D_GNU_SOURCE",
              *setting.flags]
    if one.language == "c++":
        common.append("-std=gnu++17")
    if setting.level != "-O0":
        common += ["-foptimize-sibling-calls", "-DPLAY_SIBCALLS"]
    pic = [f for f in common if f not in ("-fno-pie", "-fPIE")]
    sought = folder / "sought"  # Only the library searches this folder for libraries.
    for module in ("lib", "plugin"):
        subprocess.run(
            [*pic, "-fPIC", "-shared", "-Wl,-Bsymbolic-functions",
             f"-DTRUTH_MODULE=\"lib{module}.so\"",
             *([f"-Wl,-rpath,{sought}"] if module == "lib" else []),
             paths[module], "-o", folder / f"lib{module}.so"], check=True)
    sought.mkdir()
    if "sees" in one.features:
        subprocess.run([setting.compiler, "-shared", "-xc", "/dev/null", "-o",
                        sought / "libsought.so"], check=True)
    subprocess.run(
        [*common, "-no-pie" if "-fno-pie" in setting.flags else "-pie",
         *([] if "-fno-pie" in setting.flags else ["-fPIE"]),
         "-DTRUTH_MODULE=\"play\"", paths["main"], "-rdynamic", "-o",
         folder / "play", f"-L{folder}", "-llib",
         f"-Wl,-rpath,{folder}"], check=True)


def run(argv, folder, timeout, **environment):
    return subprocess.run(
        [str(a) for a in argv], cwd=folder, timeout=timeout, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C",
                                     **environment})


def differences_of(one, part, setting):
    nests = "--no-tail-nesting" not in setting.options
    if "--fold-recursion=never" in setting.options:
        return truth.Comparison(one, part, nests=nests).differences()
    # The callers outside of the program's own functions are not known, and
    # neither is the time when folding began.
    if one.roots or "--fold-recursion" not in setting.options:
        return truth.Comparison(one, part).sum_differences()
    return truth.Folded(one, part, nests=False).differences()


def compare_counts(folder, truths, setting):
    truths = truth.read_all(truths)
    recording = wire.Recording(folder / "rec")
    for one in truths:
        part = recording.part(one.pid, one.image)
        lines = differences_of(one, part, setting)
        if lines:
            raise Failed(f"{part.path.name}: {len(lines)} differences\n"
                         + "\n".join(lines[:12]))
        losses = [n for i, n in enumerate(part.losses) if i != IN_FORK]
        if any(losses):
            raise Failed(f"{part.path.name}: losses {list(part.losses)}")
        for tally in part.tallies.values():
            if tally.collisions or tally.diverged:
                raise Failed(f"{part.path.name}: {tally.collisions} "
                             f"collisions, {tally.diverged} divergences")
    if not truths:
        raise Failed("the program wrote no truth")


def check(one, setting, folder):
    """Raises Failed on a difference, or subprocess.CalledProcessError if the program
    cannot be built.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    build(one, setting, folder)
    try:
        native = run([folder / "play"], folder, NATIVE_S)
    except subprocess.TimeoutExpired as late:
        raise subprocess.CalledProcessError(1, "play") from late
    if native.returncode < 0:
        raise subprocess.CalledProcessError(native.returncode, "play")
    for start in range(setting.starts):
        check_start(folder, setting, native, folder / f"truth{start}")


def check_start(folder, setting, native, truths):
    truths.mkdir()
    try:
        recorded = run([CLEW, "record", "-o", folder / "rec",
                        *setting.options, "--", folder / "play"], folder,
                       TIMEOUT_S, TRUTH_DIR=str(truths))
    except subprocess.TimeoutExpired as late:
        raise Failed("it hangs") from late
    for what in ("returncode", "stdout", "stderr"):
        was, now = getattr(native, what), getattr(recorded, what)
        if was != now:
            raise Failed(f"{what}: {was!r:.400} natively, {now!r:.400}")
    compare_counts(folder, truths, setting)


def differs(one, setting, folder):
    """Returns the difference, or None. A program that fails natively has no difference."""
    try:
        check(one, setting, folder)
    except Failed as why:
        return str(why)
    except subprocess.CalledProcessError:
        pass
    return None


def shrink(one, setting, folder):
    """Returns the smallest program found in time that still differs, and the difference."""
    why, end = differs(one, setting, folder), time.monotonic() + SHRINK_S
    progress = True
    while why and progress and time.monotonic() < end:
        progress = False
        for less in program.smaller(one):
            if time.monotonic() >= end:
                break
            found = differs(less, setting, folder)
            if found:
                one, why, progress = less, found, True
                break
    differs(one, setting, folder)
    return one, why


def keep(one, setting, why, folder):
    folder.mkdir(parents=True, exist_ok=True)
    differs(one, setting, folder / "files")
    (folder / "why").write_text(
        f"{why}\n\n{one}\n{setting}\n", encoding="utf-8")


def report(one, setting, why, options):
    print(f"seed {one.seed} ({one.language}, {', '.join(one.features)}; "
          f"{setting.compiler} {setting.level} {' '.join(setting.flags)}; "
          f"{' '.join(setting.options)}; {setting.starts} starts):\n{why}",
          flush=True)
    if not options.keep:
        return
    with tempfile.TemporaryDirectory(prefix="clew-random-") as work:
        less, why = shrink(one, setting, pathlib.Path(work) / "p")
    keep(less, setting, why or "not again", options.keep / str(one.seed))
    print(f"made smaller: {options.keep / str(one.seed)}", flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, help="otherwise by the clock",
                        default=int(time.time()) % 10**6 * 1000)
    parser.add_argument("--count", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--features", type=lambda text: text.split(","),
                        help=", ".join(program.FEATURES))
    parser.add_argument("--keep", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = parse()
    end = time.monotonic() + 60 * (options.minutes or 1e6)
    count = options.count or (1 << 30 if options.minutes else 20)
    done = bad = unbuilt = 0
    with tempfile.TemporaryDirectory(prefix="clew-random-") as work:
        for seed in range(options.seed, options.seed + count):
            if time.monotonic() >= end:
                break
            one = program.Maker(seed, options.features).make()
            setting = setting_of(one)
            done += 1
            try:
                check(one, setting, pathlib.Path(work) / "p")
            except Failed as why:
                bad += 1
                report(one, setting, str(why), options)
            except subprocess.CalledProcessError as error:
                unbuilt += 1
                print(f"seed {seed}: does not run natively: {error}",
                      flush=True)
    print(f"{done} programs, {bad} differ, {unbuilt} did not run natively")
    return 1 if bad or not done or unbuilt * 10 > done else 0


if __name__ == "__main__":
    sys.exit(main())
