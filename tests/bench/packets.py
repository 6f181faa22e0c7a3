# SPDX-License-Identifier: MIT
"""Measures call trees from packets, beside a program that builds its tree itself.

The first table is for the program: CPU and wall time of a traced program, of the same
program with a tree that it updates at each call (under a lock, or one tree a thread;
see inline_tree.h), and of the native program. The next tables are for workers that
build trees from the packets. The workers' times are measured, and also computed by a
model (packet_model.py) from the time of one worker. The model also covers more
processors than this computer has. The last table is for the options of a trace.
"""
import os
import pathlib
import statistics
import subprocess
import tempfile
from dataclasses import dataclass

from measure import BENCH, CLEW, NATIVE, medians, recorded, table
from packet_model import Machine, Work, bound, simulate

LOADS = {
    # name: (shape, size for many calls, threads)
    "fib(36)": ("fib", 36, 1),
    "200 leaves, 2 threads": ("leaves", 150_000, 2),
    "37,448 contexts at random": ("wide", 6_000_000, 1),
}
NONE = 1
MEASURED = 1, 2, 4, 8
MODELLED = 1, 2, 4, 8, 16, 32, 64
PACKET_BYTES = 65536
MORE_MEMORY = 10
QUEUE_THREADS, QUEUE_PACKETS = 4, 4000
WAYS = {
    "native": "plain",
    "packets, all kept": "plain",
    "packets, a ring of 1 MiB": "plain",
    "inline, one tree, locked": "locked",
    "inline, a tree a thread": "own",
}
KEPT, RING, LOCKED, OWN = list(WAYS)[1:]
OPTIONS = {
    "counting, no trace": ["--time=none"],
    "--stamps=packet": ["--stamps=packet"],
    "a stamp each 64 calls": [],
    "... --sites": ["--sites"],
    "... --trace-depth=200": ["--trace-depth=200"],
    "... --trace-depth=10": ["--trace-depth=10"],
    "... --on-overflow=process": ["--on-overflow=process"],
    "... --on-overflow=wait": ["--on-overflow=wait"],
}


TOOLS = {KEPT: recorded(KEPT, "--trace=4G", "--stamps=packet"),
         RING: recorded(RING, "--trace=ring:1M", "--stamps=packet")}


def calls_of(sample):
    return int(sample.output.split()[-1])


@dataclass
class Took:
    """The time of one call, in nanoseconds."""
    cpu: float
    wall: float


def program_takes(load, rounds):
    """Returns {method: Took}."""
    shape, size, threads = LOADS[load]
    found = medians({
        (way, n): (TOOLS.get(way, NATIVE),
                   [BENCH / build / "treed", shape, n, threads], None)
        for way, build in WAYS.items() for n in (size, NONE)}, rounds)
    calls = calls_of(found["native", size]) - calls_of(found["native", NONE])
    return {way: Took(*((getattr(found[way, size], what) -
                         getattr(found[way, NONE], what)) / calls * 1e9
                        for what in ("cpu", "wall")))
            for way in WAYS}


def program_table(takes):
    rows = []
    for load, took in takes.items():
        for way in WAYS:
            rows.append([load if way == "native" else "", way,
                         f"{took[way].cpu:.2f}", f"{took[way].wall:.2f}",
                         f"{took[way].cpu / took[LOCKED].cpu:.2f}",
                         f"{took[way].cpu / took[OWN].cpu:.2f}"])
    return table(["", "ns a call", "CPU", "wall", "over inline, locked",
                  "over inline, a tree a thread"], rows)


@dataclass
class Trees:
    packets: int
    calls: int
    contexts: int
    wall_ns: float
    cpu_ns: float
    adding_ns: float  # time to add one worker's table to another table


def trees_of(trace, workers):
    done = subprocess.run([BENCH / "packet_trees", trace, str(workers), "1"],
                          check=True, stdout=subprocess.PIPE, text=True)
    return Trees(*map(int, done.stdout.split()))


def make_trees(load, rounds):
    """Returns {number of workers: Trees of medians}."""
    shape, size, threads = LOADS[load]
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        out = pathlib.Path(folder) / "clew.out"
        subprocess.run([CLEW, "record", "-q", "-o", out, "--trace=4G",
                        "--stamps=packet", "--", BENCH / "plain" / "treed",
                        shape, str(size), str(threads)], check=True,
                       stdout=subprocess.DEVNULL)
        trace, = out.glob("*.trace")
        found = {workers: [] for workers in MEASURED}
        for _ in range(rounds):
            for workers in MEASURED:
                found[workers].append(trees_of(trace, workers))
    return {workers: Trees(some[0].packets, some[0].calls, some[0].contexts,
                           *(statistics.median(getattr(t, what) for t in some)
                             for what in ("wall_ns", "cpu_ns", "adding_ns")))
            for workers, some in found.items()}


def bandwidth(threads):
    done = subprocess.run([BENCH / "packet_trees", "--bandwidth",
                           str(threads)], check=True, stdout=subprocess.PIPE,
                          text=True)
    return float(done.stdout)


def packet_work(trees, took, threads, places):
    """Returns the Work of a load.

    A filled packet costs a fetch and a write of its bytes; a processed packet costs a
    fetch, a read and a copy.
    """
    one = trees[1]
    return Work(threads=threads, packets=one.packets, places=places,
                fill_ns=took.cpu * one.calls / one.packets,
                take_ns=one.cpu_ns / one.packets,
                fill_bytes=2 * PACKET_BYTES, take_bytes=3 * PACKET_BYTES)


def modelled(machine, work, workers, trees):
    """Returns (millions of calls a second, the bottleneck), with the time to add up the tables."""
    ns = simulate(machine, work, workers).ns
    adding = trees[1].adding_ns * (workers - 1)
    return (trees[1].calls / (ns + adding) * 1e3,
            "adding tables" if adding > ns else bound(machine, work, workers))


def machines():
    """Returns this computer's Machine, and two with enough processors."""
    processors = os.cpu_count()
    moves = bandwidth(processors)
    return (Machine(processors, moves), Machine(256, moves),
            Machine(256, MORE_MEMORY * moves))


def workers_table(load, trees, took, models):
    rows = []
    work = packet_work(trees, took, 0, 1)
    for workers in MODELLED:
        measured = trees.get(workers)
        found = [modelled(machine, work, workers, trees)
                 for machine in models]
        rows.append([
            load if workers == 1 else "", workers,
            *(f"{measured.calls / ns * 1e3:.0f}" if measured else ""
              for ns in ((measured.wall_ns, measured.cpu_ns) if measured
                         else (1, 1))),
            *(f"{calls:.0f} ({by})" for calls, by in found)])
    return rows


def queue_table(takes, trees, machine):
    """Returns the table for a running program whose threads wait if no packet buffer is free."""
    rows = []
    for load in LOADS:
        for places in 8, 64, 1024:
            row = [load if places == 8 else "", places]
            for workers in MODELLED:
                work = packet_work(trees[load], takes[load][RING],
                                   QUEUE_THREADS, places)
                work.packets = QUEUE_PACKETS
                alone = work.fill_ns * work.packets / work.threads
                row.append(f"{simulate(machine, work, workers).fill_ns / alone:.2f}x")
            rows.append(row)
    return table([f"time of {QUEUE_THREADS} threads that wait, over not waiting",
                  "packets", *(f"{n} worker{'s' * (n > 1)}" for n in MODELLED)], rows)


def options_table(rounds):
    """Returns the table of trace options; the ring is bounded, so packets are reused."""
    argv = [BENCH / "plain" / "treed", "fib"]
    tools = {name: recorded(name, *([] if "--time=none" in options else
                                    ["--trace=1M"]), *options)
             for name, options in OPTIONS.items()}
    found = medians({(name, n): (tool, [*argv, n, 1], None)
                     for name, tool in [("native", NATIVE), *tools.items()]
                     for n in (34, NONE)}, rounds)
    calls = calls_of(found["native", 34]) - calls_of(found["native", NONE])

    def ns(name, what):
        return (getattr(found[name, 34], what) -
                getattr(found[name, NONE], what)) / calls * 1e9

    rows = [[name, f"+{ns(name, 'cpu') - ns('native', 'cpu'):.2f}",
             f"+{ns(name, 'wall') - ns('native', 'wall'):.2f}"]
            for name in OPTIONS]
    return table(["fib(34), `--trace=1M`, ns a call over native",
                  "CPU of all", "wall"], rows)


def bench(rounds):
    models = machines()
    takes = {load: program_takes(load, rounds) for load in LOADS}
    trees = {load: make_trees(load, rounds) for load in LOADS}
    rows = [row for load in LOADS
            for row in workers_table(load, trees[load], takes[load][RING],
                                     models)]
    return "\n\n".join([
        program_table(takes),
        table(["millions of calls a second", "workers", "measured",
               "a second of CPU", "model of this machine",
               "256 processors, this memory",
               f"... and {MORE_MEMORY} times as fast"], rows),
        f"Memory: {models[0].bytes_per_s / 1e9:.1f} GB/s, read by "
        f"{models[0].processors} threads.",
        queue_table(takes, trees, models[2]), options_table(rounds)])
