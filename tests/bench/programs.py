# SPDX-License-Identifier: MIT
"""Measures whole programs from the distribution: CPU time relative to native.

Start-up is measured separately, with the program's smallest load, and subtracted from
both. The other tools get a smaller load than clew, since they take 20 to 70 times as
long as native.
"""
import pathlib
import shutil
import subprocess
import tempfile

from measure import CALLGRIND, CLEW_TOOL, NATIVE, UFTRACE, medians, table

PYTHON = """
import sys
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
class Point:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, other): return Point(self.x + other.x, self.y + other.y)
for _ in range(int(sys.argv[1])):
    fib(15)
    sum((Point(i, -i) for i in range(200)), Point(0, 0))
    words = {}
    for i in range(1000): words.setdefault(str(i * 7919 % 101), []).append(i)
    sorted(words, key=lambda w: (len(words[w]), w))
    ",".join("%d:%s" % (i, "x" * (i % 7)) for i in range(300)).split(",")
"""

LUA = """
local function fib(n) if n < 2 then return n end
  return fib(n - 1) + fib(n - 2) end
for _ = 1, tonumber(arg[1]) do
  fib(18)
  local t = {}
  for i = 1, 1000 do t[i] = (i * 7919) % 1007 end
  table.sort(t)
  local s = {}
  for i = 1, 300 do s[#s + 1] = tostring(i):rep(2) .. ("x"):rep(i % 7) end
  table.concat(s, ","):gsub("x+", "y")
end
"""

PERL = """
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
for (1 .. $ARGV[0]) {
  fib(15);
  my %words;
  push @{$words{$_ * 7919 % 101}}, $_ for 1 .. 1000;
  my @sorted = sort { @{$words{$a}} <=> @{$words{$b}} || $a <=> $b }
    keys %words;
  my $text = join ",", map { "$_:" . "x" x ($_ % 7) } 1 .. 300;
  my @parts = split /,/, $text;
  (my $copy = $text) =~ s/x+/y/g;
}
"""

NODE = """
let kept = [];
for (let i = 0; i < Number(process.argv[2]); i++) {
  const rows = [];
  for (let k = 0; k < 300; k++)
    rows.push({ id: k, name: "row" + (k * 7919 % 1000), tags: ["a", "b", k] });
  const text = JSON.stringify(rows);
  kept.push(JSON.parse(text));
  if (kept.length > 200) kept = [];
}
"""

CPLUSPLUS = """
#include <iostream>
#include <map>
#include <string>
#include <vector>
template <int N> struct Table {
  std::map<std::string, std::vector<int>> rows;
  void add(const std::string &name) { rows[name].push_back(N); }
  int sum() const {
    int all = 0;
    for (auto &row : rows) for (int x : row.second) all += x;
    return all + Table<N - 1>().sum();
  }
};
template <> struct Table<0> { int sum() const { return 0; } };
int main() {
  Table<SIZE> table;
  table.add("x");
  std::cout << table.sum() << std::endl;
}
"""

SQL = """
create table t(id integer primary key, name text, v real);
with recursive n(i) as (select 1 union all select i+1 from n where i<{rows})
insert into t select i, 'name' || (i * 7919 % 1000), i / 7.0 from n;
create index byname on t(name);
select name, count(*), sum(v) from t group by name order by 2 desc limit 3;
select count(*) from t a join t b on a.id = b.id + 1 where a.v > b.v;
update t set v = v * 2 where id % 3 = 0;
delete from t where name like '%99';
select count(*), round(sum(v), 3) from t;
"""


class Load:
    """The argv and stdin of a program at the sizes none, few and many.

    Several other tools fail, or take minutes, on programs that are not `small`.
    """

    def __init__(self, name, program, script, sizes, build, small=True):
        self.name, self.program, self.small = name, program, small
        self.script, self.sizes, self.build = script, sizes, build


def python_argv(folder, size):
    return ["/usr/bin/python3", "-S", folder / "script", str(size)], None


def luajit_argv(folder, size):
    return ["luajit", "-joff", folder / "script", str(size)], None


def sqlite_argv(folder, size):
    path = folder / f"sql.{size}"
    path.write_text(SQL.format(rows=size), encoding="utf-8")
    return ["sqlite3", ":memory:"], path


def perl_argv(folder, size):
    return ["perl", folder / "script", str(size)], None


def node_argv(folder, size):
    return ["node", folder / "script", str(size)], None


def cc1plus():
    if not shutil.which("g++"):
        return ""
    return subprocess.run(["g++", "-print-prog-name=cc1plus"], check=True,
                          capture_output=True, text=True).stdout.strip()


def cc1plus_argv(folder, size):
    """Returns (argv, stdin) of cc1plus; `size` is the number of templates, 0 an empty file."""
    script = folder / "script" if size else "/dev/null"
    return [cc1plus(), "-quiet", "-imultiarch", "x86_64-linux-gnu",
            "-D_GNU_SOURCE", "-O1", f"-DSIZE={size}", "-o", "/dev/null",
            script], None


LOADS = [
    Load("python3, pure Python", "/usr/bin/python3", PYTHON, (0, 200, 3000),
         python_argv),
    Load("sqlite3 + libsqlite3", "sqlite3", SQL, (1, 15000, 500000),
         sqlite_argv),
    Load("luajit -joff", "luajit", LUA, (0, 200, 3000), luajit_argv),
    Load("perl", "perl", PERL, (0, 200, 3000), perl_argv),
    Load("node, JSON and garbage", "node", NODE, (0, 500, 5000), node_argv,
         small=False),
    Load("cc1plus: map, vector, iostream", cc1plus() or "cc1plus", CPLUSPLUS,
         (0, 1, 40), cc1plus_argv, small=False),
]
NONE, FEW, MANY = range(3)
NOTE = """These programs are stripped. clew and callgrind count all calls of \
them; uftrace
patches only functions with symbols, so its figure is for a part of the work."""


def measure(load, tools, folder, rounds):
    """Returns {(tool, size): Sample}."""
    (folder / "script").write_text(load.script, encoding="utf-8")
    jobs = {}
    for tool in tools:
        sizes = {NATIVE: (NONE, FEW, MANY), CLEW_TOOL: (NONE, MANY)}.get(
            tool, (NONE, FEW))
        for size in sizes:
            jobs[tool, size] = (tool, *load.build(folder, load.sizes[size]))
    return medians(jobs, rounds)


def ratio(found, tool):
    scale = MANY if tool is CLEW_TOOL else FEW
    return (found[tool, scale].cpu - found[tool, NONE].cpu) / \
        (found[NATIVE, scale].cpu - found[NATIVE, NONE].cpu)


def bench(rounds):
    tools = [tool for tool in (NATIVE, CLEW_TOOL, UFTRACE, CALLGRIND)
             if tool.is_here()]
    rows = []
    for load in LOADS:
        if not shutil.which(load.program):
            continue
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
            used = tools if load.small else [NATIVE, CLEW_TOOL]
            found = measure(load, used, pathlib.Path(folder), rounds)
        native = found[NATIVE, MANY].cpu - found[NATIVE, NONE].cpu
        size = found[CLEW_TOOL, MANY].scratch_bytes / 2**20
        rows.append([load.name, f"{native:.2f} s",
                     *(f"{ratio(found, tool):.2f}x" if tool in used else "-"
                       for tool in tools[1:]),
                     f"{size:.1f} MiB"])
    return table(["CPU time over native", "native",
                  *(tool.name for tool in tools[1:]), "clew's recording"],
                 rows) + "\n\n" + NOTE
