# SPDX-License-Identifier: MIT
"""Threads that fill packets, workers that take them: what bounds them.

A small simulation, event by event. Each thread fills a packet in fill_ns and begins the
next one if one of its places is free, else it waits; each worker takes whichever is full,
in take_ns. Both take longer where there are fewer processors than are busy, or where
they move more bytes than the memory does. Times vary by a tenth or so, by a fixed seed.
"""
import heapq
import random
from dataclasses import dataclass

SPREAD = .1


@dataclass
class Machine:
    processors: int
    bytes_per_s: float  # that memory moves


@dataclass
class Work:
    threads: int       # that fill; 0: all packets are full at the beginning
    packets: int       # in all
    places: int        # of all threads; as many are full or being filled
    fill_ns: float     # a packet
    take_ns: float
    fill_bytes: float  # that filling one moves
    take_bytes: float


@dataclass
class Outcome:
    ns: float      # until the last one was taken
    fill_ns: float # until the last one was full
    waits: int
    wait_ns: float # of all threads


class Simulation:
    def __init__(self, machine, work, workers):
        self.machine, self.work = machine, work
        self.random = random.Random(15)
        self.now, self.events, self.order = 0., [], 0
        self.idle, self.filling, self.taking = workers, 0, 0
        self.full = 0 if work.threads else work.packets
        self.free = work.places
        self.left = work.packets if work.threads else 0
        self.waiting, self.waits, self.wait_ns, self.filled_at = [], 0, 0., 0.

    def _stretch(self):
        """How much longer all takes, by what is busy now."""
        work = self.work
        bytes_per_ns = self.taking * work.take_bytes / work.take_ns
        if work.threads:
            bytes_per_ns += self.filling * work.fill_bytes / work.fill_ns
        return max(1., (self.filling + self.taking) / self.machine.processors,
                   bytes_per_ns * 1e9 / self.machine.bytes_per_s)

    def _after(self, ns, what):
        took = ns * self._stretch() * self.random.uniform(1 - SPREAD,
                                                          1 + SPREAD)
        self.order += 1
        heapq.heappush(self.events, (self.now + took, self.order, what))

    def _begin_taking(self):
        while self.idle and self.full:
            self.idle -= 1
            self.full -= 1
            self.taking += 1
            self._after(self.work.take_ns, self._taken)

    def _begin_filling(self):
        if not self.left:
            return
        if not self.free:
            self.waits += 1
            self.waiting.append(self.now)
            return
        self.left -= 1
        self.free -= 1
        self.filling += 1
        self._after(self.work.fill_ns, self._filled)

    def _taken(self):
        self.taking -= 1
        self.idle += 1
        self.free += 1
        if self.waiting:
            self.wait_ns += self.now - self.waiting.pop(0)
            self._begin_filling()

    def _filled(self):
        self.filling -= 1
        self.full += 1
        self.filled_at = self.now
        self._begin_filling()

    def run(self):
        for _ in range(self.work.threads):
            self._begin_filling()
        self._begin_taking()
        while self.events:
            self.now, _, what = heapq.heappop(self.events)
            what()
            self._begin_taking()
        return Outcome(self.now, self.filled_at, self.waits, self.wait_ns)


def simulate(machine, work, workers):
    return Simulation(machine, work, workers).run()


def bound(machine, work, workers):
    """What the slowest of all is: threads, workers, processors or memory."""
    rates = {"workers": workers / work.take_ns}
    if work.threads:
        rates["the program"] = work.threads / work.fill_ns
    busy_ns = work.take_ns + (work.fill_ns if work.threads else 0)
    rates["processors"] = machine.processors / busy_ns
    moved = work.take_bytes + (work.fill_bytes if work.threads else 0)
    rates["memory"] = machine.bytes_per_s / moved / 1e9
    return min(rates, key=rates.get)
