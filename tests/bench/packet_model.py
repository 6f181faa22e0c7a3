# SPDX-License-Identifier: MIT
"""Simulates threads that fill packets and workers that process them, and finds the bottleneck.

The simulation is event-driven. Each thread fills a packet in fill_ns. The thread then
begins the next packet if a packet buffer is free, and waits otherwise. Each worker
processes any full packet, in take_ns. Both take longer if more of them are busy than
there are processors, or if they move more bytes than the memory can. All times vary by
about a tenth, with a fixed seed.
"""
import heapq
import random
from dataclasses import dataclass

SPREAD = .1


@dataclass
class Machine:
    processors: int
    bytes_per_s: float  # memory bandwidth


@dataclass
class Work:
    threads: int       # filling threads; 0 if all packets are full at the start
    packets: int       # total number
    places: int        # packet buffers of all threads, full or being filled
    fill_ns: float     # per packet
    take_ns: float
    fill_bytes: float  # bytes moved to fill one packet
    take_bytes: float


@dataclass
class Outcome:
    ns: float      # until the last packet was processed
    fill_ns: float # until the last packet was full
    waits: int
    wait_ns: float # sum over all threads


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
        """Returns the factor by which the current load slows everything down."""
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
    """Returns the bottleneck: the program's threads, the workers, the processors, or memory."""
    rates = {"workers": workers / work.take_ns}
    if work.threads:
        rates["the program"] = work.threads / work.fill_ns
    busy_ns = work.take_ns + (work.fill_ns if work.threads else 0)
    rates["processors"] = machine.processors / busy_ns
    moved = work.take_bytes + (work.fill_bytes if work.threads else 0)
    rates["memory"] = machine.bytes_per_s / moved / 1e9
    return min(rates, key=rates.get)
