# SPDX-License-Identifier: MIT
"""Measures an exception: microseconds of CPU time for a throw through ten frames.

The formula, natively and under clew, is (CPU of n throws - CPU of one throw) / n.
"""
from measure import BENCH, CLEW_TOOL, NATIVE, medians, table

MANY, ONE = 200000, 1
UNWINDERS = {"plain": "libgcc_s", "static": "libgcc, linked statically",
             "llvm": "LLVM's libunwind"}


def bench(rounds):
    rows = []
    for build, name in UNWINDERS.items():
        if not (BENCH / build / "throw").exists():
            continue
        found = medians({(tool, count): (tool, [BENCH / build / "throw",
                                                str(count)], None)
                         for tool in (NATIVE, CLEW_TOOL)
                         for count in (MANY, ONE)}, rounds)
        native, clew = ((found[tool, MANY].cpu - found[tool, ONE].cpu)
                        / MANY * 1e6 for tool in (NATIVE, CLEW_TOOL))
        rows.append([name, f"{native:.2f}", f"{clew:.2f}",
                     f"{clew / native:.2f}x"])
    return table(["unwinder", "native us", "clew us", "ratio"], rows)
