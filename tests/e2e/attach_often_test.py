#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""More than a hundred sessions of `clew attach` leave a process's memory
bounded."""
import pathlib
import statistics

from lib import clewtest
from lib.attached import ManyThreadsCase
from lib.clewtest import slow

SESSIONS = 120
STUBS_SPREAD = 4  # mappings; the stubs that threads are in vary by session
MAPPINGS_SPREAD = 4
MEMORY_SPREAD_KB = 256


def private_kb(pid):
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines
               if line.startswith("Private_Dirty:"))


class Often(ManyThreadsCase):
    def mappings(self):
        maps = pathlib.Path(f"/proc/{self.process.pid}/maps").read_text()
        return maps.count("\n")

    @slow
    def test_sessions_leave_no_more_and_more_memory(self):
        """A later session frees the stub pages that a thread may have returned
        into."""
        stubs, mappings, memory = [], [], []
        for _ in range(SESSIONS):
            self.leave(self.attach(self.process))
            stubs.append(self.ours()[".stubs"])
            mappings.append(self.mappings())
            memory.append(private_kb(self.process.pid))
        self.assert_all_go_on()
        half = SESSIONS // 2
        self.assertLessEqual(max(stubs[half:]),
                             max(stubs[:half]) + STUBS_SPREAD, stubs)
        for values, spread in ((mappings, MAPPINGS_SPREAD),
                               (memory, MEMORY_SPREAD_KB)):
            self.assertLessEqual(
                statistics.median(values[half:]),
                statistics.median(values[:half]) + spread, values)


if __name__ == "__main__":
    clewtest.main()
