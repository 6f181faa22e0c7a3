#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Edges equal those of callgrind: caller, callee, number of calls, and call
site.

simulation.py runs one program under both tools; edges.py converts both results
to a common form. For every hooked function except those that simulation.py
excludes with a reason, the tests compare:
- Its number of calls with callgrind's. If clew lists the function as in doubt,
  its jumps to its own start are no calls.
- The number of calls by call instructions from each hooked function.
- The total number of calls by jumps of hooked functions. clew puts such a call
  below the function that jumped, or further out in cycles of jumps; callgrind
  does not record the caller.
If code that is not hooked calls the function also, only the first item is
compared. The tests state how many calls the other functions must have in total.

clew records one call site per context, that of the context's first call. A call
site's count is thus comparable where callgrind has only one call site for an
edge. All of clew's contexts must then have this call site, and the edge's count
is the call site's. If there are several, each one that clew has must be one of
callgrind's, with at least as many calls as there are contexts with it. A
context with tail calls may have begun with one. The context then has no call
site, or that of the function that jumped.
"""
import random
import shutil
import subprocess

from lib import clewtest, edges, simulation
from lib.clewtest import needs

WORDS = " ".join(random.Random(5).choices(
    "thread labyrinth yarn wall hero exit ab abba clew".split(), k=6000))

JQ = """[.[] | {a: (.x * 2), b: (.y | ascii_upcase | test("A.*3C"))}]
    | group_by(.b) | map({n: length, s: (map(.a) | add)}), ([range(99)] |
    sort_by(. % 7) | join(",")), (try error("x") catch .)"""

MAWK = """function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
{ for (i = 1; i <= NF; i++) n[$i]++; t += gsub(/ab+/, "<&>"); l[NR % 9] = $0 }
END { for (w in n) print w, n[w]; print t, f(14), substr(l[3], 5, 20)
      print split("a:b:c", p, ":"), index("hello", "l"), sin(1) > 0 }"""

PERL = """my (%h, @a); $h{$_ % 17}++ for 1..2000;
@a = sort { $a <=> $b } keys %h;
print join(",", map { "$_=$h{$_}" } @a), "\n"; my $s = "abc" x 200;
print $s =~ s/b(c)a/<$1>/g, length $s, "\n"; eval { die { code => 7 } };
sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) }
print f(12), sprintf(" %.3f %s", sqrt 2, $@->{code}), "\n";"""

SQL = """create table t(a, b); create table u(a primary key, c);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
insert into t select i, i * 7 % 13 from n;
insert into u select a, hex(a) from t where b < 4;
select b, count(*), sum(a) from t group by b order by 3 desc;
create view v as select t.a, c from t left join u on t.a = u.a;
select count(c), max(c), group_concat(c) from v where a like '%2%';
select json_group_array(a) from t where a in (select a from u where a < 50);
begin; delete from t where b = 1; rollback; select total(a) from t;
select printf('%08.3f|%s', 1.5, 'x'), sum(a) over (order by a) from t limit 9;
"""

NINJA = "rule c\n  command = true $in\n" + "".join(
    f"build o{i}: c " + " ".join(f"o{j}" for j in range(max(0, i - 3), i))
    + "\n" for i in range(100))

GROFF = ".TH LOAD 1\n.SH NAME\nload\n.SH TEXT\n" + "".join(
    f".TP\n.BI word{i} \" and\"\n{WORDS[i * 90:i * 90 + 80]}\n.PP\n"
    for i in range(60))

C = """int g(int);
struct s { int a[4]; double d; };
static int h(struct s *s, int n) { return s->a[n & 3] + (int)(s->d * n); }
int f(int n, struct s *s) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += g(i) * i + h(s, i);
  switch (n) { case 1: return 4; case 2: return 6; case 3: return g(9); }
  return sum;
}
"""


def share(part, whole):
    return part / max(whole, 1)


class Edges(simulation.Case):
    def setUp(self):
        super().setUp()
        # With lazy binding, ld.so would make calls for other modules.
        self.environment["LD_BIND_NOW"] = "1"

    def compare(self, program, *arguments, calls, exact=0.95, **options):
        """Asserts that both tools agree on more than `calls` calls, of which a
        share of more than `exact` is compared by caller and callee."""
        runs = self.run_both(shutil.which(program), *arguments, **options)
        images = {m.name: edges.Image(m, self.work / "modules" / m.name)
                  for m in runs.part.modules if m.state_name == "HOOKED"}
        truth = edges.Simulated(runs.simulated, images, runs.keys)
        recorded = edges.Recorded(runs.part)
        lines, compared, placed = [], 0, 0
        for callee in runs.keys.keys() - runs.excused:
            said, one, single = self.differences(callee, truth, recorded)
            lines += said
            compared += one
            placed += single
        if lines:
            self.fail(f"{len(lines)} differences\n" + "\n".join(lines[:40]))
        total = sum(truth.totals.values())
        print(f"{total} calls, {compared} compared by both ends, {placed} "
              "from one place each")
        self.assertGreater(total, calls)
        self.assertGreater(share(compared, total), exact)
        self.assertGreater(placed, 0)

    def differences(self, callee, truth, recorded):
        """Compares one function. Returns the differences, how many calls were
        compared by caller, and how many of those by call site."""
        name = f"{callee[0]}+{callee[1]:#x}"
        if truth.totals[callee] != recorded.totals[callee]:
            return [f"{name}: clew {recorded.totals[callee]}, "
                    f"callgrind {truth.totals[callee]}"], 0, 0
        if callee in truth.strays:
            return [], 0, 0
        lines, placed = [], 0
        if truth.tails[callee] != recorded.tails[callee]:
            lines.append(f"{name} by jumps: clew {recorded.tails[callee]}, "
                         f"callgrind {truth.tails[callee]}")
        known, found = truth.calls[callee], recorded.calls[callee]
        for caller in known.keys() | found.keys():
            said = self.edge_differs(known.get(caller, {}),
                                     found.get(caller, {}), truth.returns)
            if said:
                lines.append(f"{caller} -> {name}: {said}")
            elif len(known[caller]) == 1:
                placed += sum(at.calls for at in known[caller].values())
        return lines, truth.totals[callee], placed

    def edge_differs(self, known, found, returns):
        """Returns how the two {place: edges.At} of one edge differ, or None."""
        wanted = sum(at.calls for at in known.values())
        counted = sum(at.calls for at in found.values())
        if wanted != counted:
            return f"clew {counted}, callgrind {wanted}"
        for place, at in found.items():
            if place == edges.NO_PLACE and at.contexts == at.tailed:
                continue
            calls = known[place].calls if place in known else 0
            if at.contexts - at.tailed > calls or place not in returns:
                return f"{at.contexts} contexts from {place[1]:#x}, {calls} " \
                    f"calls, and {at.tailed} may have begun with tail calls"
        return None

    @needs("valgrind", "xz")
    def test_edges_of_xz_are_those_of_callgrind(self):
        self.compare("xz", "-6", "-c", input=WORDS.encode(), calls=50000)

    @needs("valgrind", "jq")
    def test_edges_of_jq_are_those_of_callgrind(self):
        load = ",".join(f'{{"x": {i}, "y": "ab{i}c"}}' for i in range(60))
        self.compare("jq", "-c", JQ, input=f"[{load}]".encode(), calls=300000)

    @needs("valgrind", "mawk")
    def test_edges_of_mawk_are_those_of_callgrind(self):
        self.compare("mawk", MAWK, input=WORDS.replace("hero", "\n").encode(),
                     calls=50000)

    @needs("valgrind", "perl")
    def test_edges_of_perl_are_those_of_callgrind(self):
        self.compare("perl", "-e", PERL, variable="PERL_HASH_SEED=0",
                     calls=50000)

    @needs("valgrind", "openssl")
    def test_edges_of_openssl_are_those_of_callgrind(self):
        """OpenSSL must not use instructions that valgrind may lack."""
        self.compare("openssl", "dgst", "-sha3-512", "-hmac", "key",
                     variable="OPENSSL_ia32cap=0", input=WORDS.encode(),
                     calls=100000)

    @needs("valgrind", "sqlite3")
    def test_edges_of_sqlite3_are_those_of_callgrind(self):
        self.compare("sqlite3", ":memory:", input=SQL.encode(), calls=80000)

    @needs("valgrind", "troff")
    def test_edges_of_troff_are_those_of_callgrind(self):
        """troff is C++ with virtual functions and libstdc++."""
        self.compare("troff", "-man", "-Tutf8", input=GROFF.encode(),
                     calls=100000)

    @needs("valgrind", "ninja")
    def test_edges_of_ninja_are_those_of_callgrind(self):
        """ninja is C++ with containers and strings."""
        (self.work / "build.ninja").write_text(NINJA, encoding="utf-8")
        self.compare("ninja", "-t", "graph", calls=10000)

    @needs("valgrind", "gcc")
    def test_edges_of_gcc_are_those_of_callgrind(self):
        cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], check=True,
                             capture_output=True, text=True).stdout.strip()
        self.compare(cc1, "-quiet", "-O2", "-o", "/dev/null", "-",
                     input=C.encode(), calls=1000000)


if __name__ == "__main__":
    clewtest.main()
