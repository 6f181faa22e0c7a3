# SPDX-License-Identifier: MIT
"""Compares a recording with the program's own counts.

A program's truth (tests/targets/truth.h) is a calling context tree of the
functions that it counts. The recording's tree contains more functions:
constructors and similar ones above them, and those of other modules in between.
Both trees are therefore mapped onto one trie of paths that contain only counted
functions:
- Functions of other modules are omitted from a path, as are those that the
  program names by LEAVE_OUT.
- All functions above the path's first counted function are omitted.
- A path starts anew at a function that was entered with ENTER_ROOT.
- An uncounted function of the program *below* a counted one is an error,
  since the program has no such call. The exception is a program that has its
  C++ runtime linked in; the runtime's functions are then omitted.
"""
import collections
import pathlib

NOWHERE = 0  # the trie's root


class Truth:
    """A file that truth_write() wrote."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.pid, self.image = (int(n) for n in self.path.name.split("."))
        self.nodes = {}  # number: (parent, tid, function, calls)
        self.tails = {}  # number: those of its calls that are tail calls
        # numbers of nodes entered by a jump of their parent
        self.jumped = set()
        self.names = {}  # function: name; a function is (module, vaddr)
        self.totals = collections.Counter()
        self.total_functions = set()
        self.roots = set()
        self.omitted = set()
        self.runtimes = set()
        for line in self.path.read_text(encoding="utf-8").splitlines():
            self._add(*line.split())

    def _add(self, kind, *fields):
        if kind == "node":
            number, parent, tid, vaddr, calls, module, name = fields
            function = self._function(module, vaddr, name)
            self.nodes[int(number)] = (int(parent), int(tid), function,
                                       int(calls))
        elif kind == "tails":
            self.tails[int(fields[0])] = int(fields[1])
        elif kind == "jumped":
            self.jumped.add(int(fields[0]))
        elif kind == "root":
            vaddr, module, name = fields
            self.roots.add(self._function(module, vaddr, name))
        elif kind == "omitted":
            vaddr, module, name = fields
            self.omitted.add((module, int(vaddr, 0)))
        elif kind == "runtime":
            self.runtimes.update(fields)
        elif kind == "total":
            vaddr, calls, module, name = fields
            function = self._function(module, vaddr, name)
            self.total_functions.add(function)
            self.totals[function] += int(calls)
        else:
            raise ValueError(f"{self.path}: {kind}?")

    def _function(self, module, vaddr, name):
        if name == "-":
            return None
        function = (module, int(vaddr, 0))
        self.names[function] = name
        return function

    def threads(self):
        return {tid for _, tid, _, _ in self.nodes.values() if tid}


class Trie:
    """Maps paths of functions to small numbers that both sides share."""

    def __init__(self):
        self.steps = {}
        self.back = [None]

    def step(self, node, function):
        key = (node, function)
        if key not in self.steps:
            self.steps[key] = len(self.back)
            self.back.append(key)
        return self.steps[key]

    def path(self, node):
        functions = []
        while node != NOWHERE:
            node, function = self.back[node]
            functions.append(function)
        return functions[::-1]


class Comparison:
    """Finds the differences between a truth and a part, and describes them."""

    def __init__(self, truth, part, tid=None, nests=True):
        self.truth, self.part, self.nests = truth, part, nests
        self.trie = Trie()
        self.wanted_tails = collections.Counter()
        self.found_tails = collections.Counter()
        self.wanted = self._lay_truth(tid)
        self.totals = collections.Counter()
        self.strangers = collections.Counter()
        self.found = self._lay_part(self._tallies_of(tid))
        self.compares_totals = tid is None

    def _lay_truth(self, tid):
        """Returns {trie node: calls}; a parent's line always precedes its
        child's."""
        at, counts = {}, collections.Counter()
        for number, (parent, owner, function, calls) in \
                sorted(self.truth.nodes.items()):
            if function is None:
                at[number] = NOWHERE if tid in (None, owner) else None
                continue
            above = at[parent]
            if above is None:
                at[number] = None
                continue
            if function in self.truth.omitted:
                at[number] = above
                continue
            if number in self.truth.jumped and not self.nests:
                # The callee replaces the function that jumps, which may itself
                # have been entered by a jump.
                above, _ = self.trie.back[above]
            at[number] = self.trie.step(above, function)
            counts[at[number]] += calls
            self.wanted_tails[at[number]] += self.truth.tails.get(number, 0)
        return +counts

    def _tallies_of(self, tid):
        if tid is None:
            return list(self.part.tallies.values())
        return [self.part.tallies[tally]
                for owner, tally, _ in self.part.threads if owner == tid]

    def _lay_part(self, tallies):
        contexts = self.part.contexts(tallies)
        calls = self.part.counts(tallies)
        tails = self.part.tail_counts(tallies)
        at, counts = {0: NOWHERE}, collections.Counter()
        for context in contexts.values():
            # from the leaf up to a known context, without recursion
            pending = []
            while context and context.id not in at:
                pending.append(context)
                context = contexts.get(context.parent)
            for context in reversed(pending):
                # A missing caller means a broken recording or a context of
                # another thread. The path starts here in both cases.
                above = at.get(context.parent, NOWHERE)
                at[context.id] = self._lay_context(
                    above, context, calls.get(context.id, 0), counts)
                self.found_tails[at[context.id]] += tails[context.id]
        for name in set(calls) - set(contexts):
            self.strangers[f"a count for unknown context {name:x}"] += 1
        return +counts

    def _lay_context(self, above, context, calls, counts):
        function = self.part.functions.get(context.function)
        if function is None:
            self.strangers[f"function number {context.function}"] += calls
            return above
        own = (function.module.name, function.vaddr)
        if own in self.truth.omitted:
            return above
        if own in self.truth.total_functions:
            self.totals[own] += calls
            return above
        if own in self.truth.names:
            if own in self.truth.roots:
                above = NOWHERE
            node = self.trie.step(above, own)
            counts[node] += calls
            return node
        modules = {module for module, _ in self.truth.names}
        modules -= self.truth.runtimes
        if above != NOWHERE and function.module.name in modules and calls:
            self.strangers[f"{own[0]}+{own[1]:#x} below "
                           + self._path_text(above)] += calls
        return above

    def _path_text(self, node):
        names = [self.truth.names.get(f, f"{f[0]}+{f[1]:#x}")
                 for f in self.trie.path(node)]
        if len(names) > 12:
            names = names[:4] + [f"...({len(names) - 8})..."] + names[-4:]
        return ";".join(names)

    def tail_differences(self):
        """Only meaningful for programs that only call, and mark tail calls by
        TAIL()."""
        return [f"{self._path_text(node)}: {self.wanted_tails[node]} tail "
                f"calls, {self.found_tails[node]} recorded"
                for node in sorted(self.wanted_tails | self.found_tails)
                if self.wanted_tails[node] != self.found_tails[node]]

    def sum_differences(self):
        """Compares each function's total calls, regardless of contexts."""
        sums = collections.Counter(), collections.Counter()
        for counts, by_function in zip((self.wanted, self.found), sums):
            for node, calls in counts.items():
                by_function[self.trie.back[node][1]] += calls
        wanted, found = sums
        return [f"{self.truth.names[function]}: called {wanted[function]} "
                f"times, {found[function]} recorded"
                for function in sorted(set(wanted) | set(found))
                if wanted[function] != found[function]]

    def differences(self):
        lines = [f"{what}: {calls} calls that the program knows nothing of"
                 for what, calls in self.strangers.items() if calls]
        for node in sorted(set(self.wanted) | set(self.found)):
            wanted, found = self.wanted[node], self.found[node]
            if wanted != found:
                lines.append(f"{self._path_text(node)}: called {wanted} "
                             f"times, {found} recorded")
        for function in self.truth.total_functions \
                if self.compares_totals else ():
            wanted = self.truth.totals[function]
            if wanted != self.totals[function]:
                lines.append(f"{self.truth.names[function]} in all: called "
                             f"{wanted} times, {self.totals[function]} "
                             "recorded")
        return lines


class Folded(Comparison):
    """Compares a part with folded recursion: no path contains a function
    twice."""

    def _lay_truth(self, tid):
        self.folded = {}
        return super()._lay_truth(tid)

    def _lay_context(self, above, context, calls, counts):
        node = super()._lay_context(above, context, calls, counts)
        path = self.trie.path(node)
        if len(set(path)) < len(path) and calls:
            self.strangers[f"recursion: {self._path_text(node)}"] += calls
        return node

    def differences(self):
        wanted, tails = collections.Counter(), collections.Counter()
        for node, calls in self.wanted.items():
            folded = self._fold(node)
            wanted[folded] += calls
            tails[folded] += self.wanted_tails[node]
        self.wanted, self.wanted_tails = wanted, tails
        return super().differences()

    def _fold(self, node):
        """Returns the trie node of the path with each function once."""
        pending = []
        while node not in self.folded and node != NOWHERE:
            pending.append(node)
            node, _ = self.trie.back[node]
        folded = self.folded.get(node, NOWHERE)
        for node in reversed(pending):
            _, function = self.trie.back[node]
            folded = self._step(folded, function)
            self.folded[node] = folded
        return folded

    def _step(self, above, function):
        node = above
        while node != NOWHERE:
            if self.trie.back[node][1] == function:
                return node
            node, _ = self.trie.back[node]
        return self.trie.step(above, function)


def read_all(directory):
    """Returns all truths in a directory, sorted by pid and image."""
    return sorted((Truth(path) for path in pathlib.Path(directory).iterdir()),
                  key=lambda truth: (truth.pid, truth.image))
