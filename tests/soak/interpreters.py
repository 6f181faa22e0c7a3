# SPDX-License-Identifier: MIT
"""Interpreters that do not compile to machine code."""
from inputs import words
from program import program

PYTHON = """
import asyncio, collections, concurrent.futures, ctypes, decimal, hashlib
import itertools, json, multiprocessing, pickle, re, sqlite3, threading
import zlib, xml.etree.ElementTree as tree

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps

def threads():
    done = collections.deque()
    pool = [threading.Thread(target=lambda n=n: done.append(fib(n)))
            for n in range(14)]
    for one in pool: one.start()
    for one in pool: one.join()
    return sorted(done)

async def ticker(queue, n):
    for i in range(n):
        await queue.put(i)
        await asyncio.sleep(0)
    await queue.put(None)

async def loop():
    queue, total = asyncio.Queue(3), 0
    tasks = [asyncio.create_task(ticker(queue, n)) for n in (30, 40)]
    while tasks:
        got = await queue.get()
        if got is None: tasks.pop()
        else: total += got
    process = await asyncio.create_subprocess_exec(
        "sed", "s/a/b/", stdin=-1, stdout=-1)
    return total, (await process.communicate(b"banana"))[0]

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int),
                  ctypes.POINTER(ctypes.c_int))
def compare(a, b):
    return a[0] - b[0]

def callbacks():
    libc = ctypes.CDLL(None)
    array = (ctypes.c_int * 200)(*((i * 7919) % 503 for i in range(200)))
    libc.qsort(array, 200, 4, compare)
    return list(array) == sorted(array)

def deep(n):
    if n == 0: raise ValueError("deep")
    deep(n - 1)

if __name__ == "__main__":
    print(fib(16), threads(), asyncio.run(loop()), callbacks())
    with multiprocessing.Pool(3) as pool:
        print(pool.map(collatz, range(1, 200, 7)))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(list(pool.map(collatz, range(1, 50, 7))))
    data = {str(i): [i, i / 7, None, "x" * (i % 9)] for i in range(500)}
    text = json.dumps(data)
    print(hashlib.sha256(text.encode()).hexdigest(), json.loads(text) == data)
    print(len(pickle.dumps(data)), zlib.crc32(zlib.compress(text.encode())))
    print(collections.Counter(re.findall("[1-9]+", text)).most_common(3))
    print(decimal.Decimal(2).sqrt(), sum(itertools.islice(
        itertools.count(), 1000)))
    base = sqlite3.connect(":memory:")
    base.create_function("twice", 1, lambda x: 2 * x)
    base.executescript("create table t(a); insert into t values(1),(2),(3)")
    print(base.execute("select sum(twice(a)) from t").fetchall())
    print(tree.fromstring("<a><b c='d'>e</b></a>").find("b").attrib)
    try: deep(400)
    except ValueError as error: print(error)
    raise SystemExit(3)
"""


@program("python3", "threads, asyncio, multiprocessing, ctypes, json",
         "python3", ci=True)
def python3(load):
    load.file("load.py", PYTHON)
    load.run("python3", "-B", "load.py", status=3,
             env={"PYTHONHASHSEED": "0"})


@program("gevent", "greenlets, eventlet, on one stack",
         "python3-gevent python3-eventlet", "/usr/bin/python3",
         excused=("diverged",))
def gevent(load):
    load.file("load.py", """
import eventlet, gevent
from gevent.queue import Queue

def rec(n, f):
    return f() if n == 0 else rec(n - 1, f) + 1

def worker(i):
    return [rec(k % 7, lambda: gevent.sleep(0) or i) for k in range(40)]

print([sum(job.value) for job in
       (lambda jobs: gevent.joinall(jobs) or jobs)(
           [gevent.spawn(worker, i) for i in range(50)])])
queue = Queue(2)
gevent.spawn(lambda: [queue.put(n) for n in range(300)] and queue.put(None))
print(sum(iter(queue.get, None)))

def green(i):
    for _ in range(5): eventlet.sleep(0.001)
    return sorted([3, 1, 2], key=lambda x: eventlet.sleep(0) or x)[i % 3]
print(list(eventlet.GreenPool(20).imap(green, range(100))))
""")
    load.run("/usr/bin/python3", "load.py")


@program("perl", "regular expressions, sorting, closures, fork, sprintf",
         "perl", ci=True)
def perl(load):
    load.file("text", words(4000))
    load.file("load.pl", r"""
use strict; use warnings; use Digest::SHA qw(sha256_hex);
use List::Util qw(sum reduce); use Data::Dumper;
local $/; open my $in, "<", "text" or die; my $text = <$in>;
my %seen; $seen{$_}++ for $text =~ /(\w+)/g;
printf "%-12s %5d\n", $_, $seen{$_}
    for sort { $seen{$b} <=> $seen{$a} || $a cmp $b } keys %seen;
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
print fib(16), " ", sum(map { $_ ** 2 } 1 .. 100), "\n";
(my $turned = $text) =~ s/(\w+) (\w+)/$2 $1/g;
print sha256_hex($turned), "\n";
my @closures = map { my $n = $_; sub { $n += shift } } 1 .. 5;
print join(",", map { $_->(10) } @closures), "\n";
$Data::Dumper::Sortkeys = 1; print Dumper({ a => [1, { b => 2 }], c => \"d" });
my $child = open(my $pipe, "-|") // die;
if (!$child) { print "from the child\n"; exit 5 }
print <$pipe>; close $pipe; print $? >> 8, "\n";
local $SIG{ALRM} = sub { die "signalled\n" };
eval { kill ALRM => $$; sleep 1 }; print $@;
eval { die { code => 7 } }; print $@->{code}, "\n"; warn "ends\n"; exit 4;
""")
    load.run("perl", "load.pl", status=4)


@program("ruby", "blocks, fibers, threads, GC, exceptions", "ruby")
def ruby(load):
    load.file("load.rb", r"""
require 'json'; require 'digest'; require 'set'
def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)
puts fib(17)
words = Array.new(3000) { |i| "w#{(i * 7919) % 503}" }
puts words.tally.sort_by { |k, v| [-v, k] }.first(5).inspect
fiber = Fiber.new { 200.times { |i| Fiber.yield i * i }; :done }
puts 200.times.sum { fiber.resume }, fiber.resume
puts Array.new(8) { |n| Thread.new { fib(n) } }.map(&:value).inspect
squares = Enumerator.new { |y| n = 0; loop { y << n * n; n += 1 } }
puts squares.lazy.select(&:even?).first(5).inspect
def deep(n) = n.zero? ? raise(ArgumentError, 'deep') : deep(n - 1)
begin deep(500) rescue puts $!.message end
puts catch(:out) { 10.times { |i| throw :out, i if i == 7 } }
20.times { Array.new(2000) { |i| "garbage #{i}" }; GC.start }
text = JSON.generate({ 'a' => [1, nil, 2.5], 'b' => { 'c' => words } })
puts Digest::SHA256.hexdigest(text), JSON.parse(text)['a'].inspect
puts (2**300).to_s, Rational(3, 7) + 1, Set[3, 1, 2].sort.inspect
puts text.gsub(/w(\d)/) { $1 }.length, [3, 1, 2].pack('C*').unpack1('H*')
pid = fork { exit! 3 }; Process.wait(pid); puts $?.exitstatus
def method_missing(name, *) = name.to_s.upcase
puts whatever; warn 'ends'; exit 6
""")
    load.run("ruby", "load.rb", status=6)


LUA = """
local function fib(n) if n < 2 then return n end
  return fib(n - 1) + fib(n - 2) end
print(fib(20))
local t = {}
for i = 1, 5000 do t[i] = (i * 7919) % 10007 end
table.sort(t, function(a, b) return a < b end)
print(t[1], t[#t], #t)
print(("x"):rep(1000):gsub("x", {x = "yz"}):len())
local co = coroutine.wrap(function() for i = 1, 1000 do
  coroutine.yield(i * i) end end)
local s = 0
for _ = 1, 1000 do s = s + co() end
print(s)
local o = setmetatable({}, {__index = function(_, k) return k .. "!" end,
  __call = function(_, a) return a * 2 end})
print(o.hello, o(21), select("#", table.unpack and 1, 2, 3))
for i = 1, 200 do local g = {}; for j = 1, 100 do g[j] = {j} end end
collectgarbage()
print((pcall(function() error({code = 7}) end)))
print(select(2, pcall(error, "plain")))
print(pcall(string.rep, "x", -1), string.format("%5.2f|%q", 3.14159, "a\\n"))
local function deep(n) if n == 0 then error("deep", 0) end
  return 1 + deep(n - 1) end
print(pcall(deep, 150))
os.exit(9)
"""


@program("lua", "closures, coroutines, errors, collections", "lua5.4",
         "lua5.4")
def lua(load):
    load.file("load.lua", LUA)
    load.run("lua5.4", "load.lua", status=9)


@program("luajit", "the same, compiled to machine code and interpreted",
         "luajit", ci=True)
def luajit(load):
    load.file("load.lua", LUA.replace("table.unpack", "unpack"))
    load.run("luajit", "load.lua", status=9)
    load.run("luajit", "-joff", "load.lua", status=9)


@program("php", "classes, closures, generators, preg, json", "php-cli")
def php(load):
    load.file("load.php", r"""<?php
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
echo fib(18), "\n";
function squares($n) { for ($i = 0; $i < $n; $i++) yield $i => $i * $i; }
$sum = 0; foreach (squares(500) as $k => $v) $sum += $v; echo "$sum\n";
$words = []; for ($i = 0; $i < 3000; $i++) $words[] = "w" . $i * 7919 % 503;
$count = array_count_values($words); ksort($count); arsort($count);
print_r(array_slice($count, 0, 4));
usort($words, fn($a, $b) => strcmp(strrev($a), strrev($b)));
echo sha1(implode(",", $words)), "\n";
echo preg_replace_callback('/w(\d)/', fn($m) => $m[1] * 2, "w1 w2 w3"), "\n";
echo json_encode(["a" => [1, null, 2.5], "b" => json_decode('{"c":[]}')]), "\n";
class Node { public $next; function __destruct() { global $gone; $gone++; } }
$gone = 0; for ($i = 0; $i < 5000; $i++) { $n = new Node; $n->next = $n; }
unset($n); gc_collect_cycles(); echo "$gone\n";
function deep($n) { if (!$n) throw new LogicException("deep"); deep($n - 1); }
try { deep(300); } catch (LogicException $e) { echo $e->getMessage(), "\n"; }
finally { echo "finally\n"; }
$fiber = new Fiber(function ($x) {
    while (true) $x = Fiber::suspend($x * 2); });
echo $fiber->start(1), $fiber->resume(5), $fiber->resume(7), "\n";
printf("%08.3f %s %b\n", M_PI, ucwords("a b c"), 10);
exit(8);
""")
    load.run("php", "load.php", status=8)


@program("tcl", "procedures, coroutines, regexps, events", "tcl", "tclsh")
def tcl(load):
    load.file("load.tcl", r"""
proc fib n { expr {$n < 2 ? $n : [fib [expr {$n-1}]] + [fib [expr {$n-2}]]} }
puts [fib 15]
proc numbers {} { yield; for {set i 0} {$i < 100} {incr i} { yield $i } }
coroutine next numbers
set s 0; for {set i 0} {$i < 100} {incr i} { incr s [next] }; puts $s
set l {}; for {set i 0} {$i < 1000} {incr i} { lappend l [expr {$i*7919%503}] }
puts [lrange [lsort -integer -unique $l] 0 9]
dict set d a b c; puts [dict get $d a b]
puts [regsub -all {(\w+)@(\w+)} "x@y z@w" {\2@\1}]
after 1 {set done yes}; vwait done; puts $done
puts [exec sh -c "echo piped; exit 0"]
if {[catch {error deep} why]} { puts $why }
puts [format %08.3f 3.14159][string toupper abc][expr {2**200}]
exit 2
""")
    load.run("tclsh", "load.tcl", status=2)


@program("gawk", "fields, arrays, functions, regular expressions", "gawk")
def gawk(load):
    load.file("text", words(5000))
    load.run("gawk", r"""
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
{ for (i = 1; i <= NF; i++) { seen[$i]++; total += length($i) } }
/clew/ { gsub(/clew/, "[&]"); marked++; last = $0 }
END { n = asorti(seen, order)
  for (i = 1; i <= n; i++) printf "%-12s %d\n", order[i], seen[order[i]]
  print total, marked, last, fib(15), tolower(substr("ABCDEF", 2, 3))
  "echo piped" | getline line; print line; exit 3 }""", "text", status=3)


@program("mawk", "fields, arrays, functions, regular expressions", "mawk")
def mawk(load):
    load.file("text", words(5000))
    load.run("mawk", r"""
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
{ for (i = 1; i <= NF; i++) { seen[$i]++; total += length($i) } }
/clew/ { gsub(/clew/, "[&]"); marked++; last = $0 }
END { for (w in seen) print w, seen[w] | "sort"; close("sort")
  print total, marked, last, fib(15); exit 3 }""", "text", status=3)


@program("bc", "pi to 300 digits, bit by bit", "bc")
def bc(load):
    load.run("bc", "-lq", stdin="scale=300\n4*a(1)\ne(1)\n2^1000%997\n"
             "define f(n){ if (n<2) return n; return f(n-1)+f(n-2) }\n"
             "f(16)\nsqrt(2)\n1/0\nobase=16\n255\n")


@program("maxima", "symbolic algebra, on a Lisp", "maxima",
         least_calls=1_000)
def maxima(load):
    load.run("maxima", "--very-quiet", "--batch-string="
             "factor(x^12-1); integrate(1/(1+x^3),x); taylor(sin(x),x,0,9);"
             "solve(x^3-6*x^2+11*x-6,x); 100!; diff(x^x,x);")


@program("octave", "matrices, cells, functions", "octave", "octave-cli")
def octave(load):
    load.file("load.m", """
A = magic(6); disp(A * A'); disp(det(A(1:3,1:3))); disp(rank(A));
[q, r] = qr(A); printf("%.6f\\n", norm(q * r - A) < 1e-9);
x = linspace(0, 1, 5); disp(polyfit(x, x .^ 2, 2)(1) - 1 < 1e-9);
c = cellfun(@(s) upper(s), {"a", "b"}, "UniformOutput", false); disp(c);
s.a = 1; s.b = {2, 3}; disp(s); disp(sum(primes(500)));
try error("deep"); catch e; disp(e.message); end
disp(abs(fft([1 2 3 4]))); f = @(n) prod(1:n); disp(f(10)); exit(5);
""")
    load.run("octave-cli", "--norc", "--no-history", "load.m", status=5)


@program("R", "regression, factors, closures, conditions", "r-base-core",
         "Rscript")
def r_language(load):
    load.file("load.R", """
x <- (1:50 * 37) %% 101; y <- 3 * x + 5 + (1:50 %% 7)
print(summary(lm(y ~ x))$coefficients)
print(table(cut(x, 5))); print(tapply(y, x %% 3, mean))
fib <- function(n) if (n < 2) n else fib(n - 1) + fib(n - 2)
print(fib(14)); print(Reduce(`+`, Map(function(a, b) a * b, 1:9, 9:1)))
m <- matrix(c(2, 1, 1, 3), 2); print(solve(m)); print(eigen(m)$values)
print(tryCatch(stop("deep"), error = function(e) conditionMessage(e)))
print(gsub("(\\\\w)(\\\\d)", "\\\\2\\\\1", "a1 b2")); print(quantile(x))
set.seed(42); print(round(rnorm(3), 4)); str(list(a = 1, b = "c"))
quit(status = 7)
""")
    load.run("Rscript", "--vanilla", "load.R", status=7)


@program("swipl", "N queens, grammars, tabling, exceptions",
         "swi-prolog-nox")
def swipl(load):
    load.file("load.pl", """
:- use_module(library(clpfd)).
:- table fib/2.
fib(0, 0). fib(1, 1).
fib(N, F) :- N > 1, A is N-1, B is N-2, fib(A, X), fib(B, Y), F is X+Y.
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), label(Qs).
safe([]). safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [R|Rs], D) :- Q #\\= R, abs(Q-R) #\\= D, E is D+1,
    no_attack(Q, Rs, E).
greeting --> [hello], name. name --> [world]. name --> [prolog].
:- initialization(main).
main :- fib(200, F), writeln(F), queens(8, Qs), writeln(Qs),
    findall(X, phrase(greeting, X), Xs), writeln(Xs),
    catch(atom_length(_, _), E, (print_message(silent, E), writeln(caught))),
    numlist(1, 2000, L), foldl([A,B,C]>>(C is A+B), L, 0, S), writeln(S),
    X2 is 2**300, writeln(X2), halt(4).
""")
    load.run("swipl", "load.pl", status=4)
