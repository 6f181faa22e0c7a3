# SPDX-License-Identifier: MIT
"""Runtimes that compile to machine code and read their own stacks."""
from inputs import words
from program import program


@program("node", "promises, workers, streams, much garbage", "nodejs")
def node(load):
    load.file("load.js", r"""
const { Worker, isMainThread, parentPort } = require('worker_threads');
const crypto = require('crypto'), zlib = require('zlib');
const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
if (!isMainThread) { parentPort.postMessage(fib(18)); return; }
console.log(fib(20));
let kept = [];
for (let i = 0; i < 300; i++) {
  const garbage = Array.from({ length: 1000 }, (_, j) => ({ j, s: 'x' + j }));
  if (i % 20 === 0) kept.push(garbage[i]);
}
console.log(kept.map(k => k.s).join());
const text = JSON.stringify(Array.from({ length: 2000 }, (_, i) =>
  ({ i, r: i / 7, w: 'w'.repeat(i % 9) })));
console.log(crypto.createHash('sha256').update(text).digest('hex'));
console.log(zlib.gunzipSync(zlib.gzipSync(text)).toString() === text);
console.log(text.match(/w+/g).sort((a, b) => b.length - a.length)[0]);
function deep(n) { if (!n) throw new RangeError('deep'); deep(n - 1); }
try { deep(500); } catch (e) { console.log(e.message); }
function* squares() { for (let i = 0; ; i++) yield i * i; }
let sum = 0; for (const s of squares()) { if (s > 1e4) break; sum += s; }
console.log(sum, 2n ** 200n, new Intl.NumberFormat('en').format(1234567));
const later = ms => new Promise(done => setTimeout(done, ms));
(async () => {
  await later(1);
  console.log((await Promise.all([1, 2, 3].map(async n => n * 2))).join());
  const results = await Promise.all([1, 2].map(() => new Promise(done =>
    new Worker(__filename).on('message', done))));
  console.log(results.join());
  const p = require('child_process').spawnSync('sed', ['s/a/b/'],
    { input: 'banana' });
  console.log(p.stdout.toString());
  process.exitCode = 3;
})();
""")
    load.run("node", "load.js", status=3)


@program("java", "collections, threads, exceptions, much garbage, JIT",
         "openjdk-17-jdk-headless", "java javac")
def java(load):
    load.file("Load.java", r"""
import java.util.*; import java.util.concurrent.*; import java.util.stream.*;
public class Load {
  static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  static int deep(int n) {
    if (n == 0) throw new IllegalStateException("deep");
    return 1 + deep(n - 1); }
  public static void main(String[] a) throws Exception {
    System.out.println(fib(25));
    Map<String, Integer> seen = new TreeMap<>();
    for (int i = 0; i < 50000; i++) seen.merge("w" + i * 7919 % 503, 1,
      Integer::sum);
    System.out.println(seen.size() + " " + seen.get("w7"));
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<Future<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) { int n = i; all.add(pool.submit(() -> fib(n)));
    } for (Future<Integer> f : all) System.out.print(f.get() + " ");
    pool.shutdown(); System.out.println();
    try { deep(500); } catch (IllegalStateException e) {
      System.out.println(e.getMessage() + " " + e.getStackTrace().length); }
    List<byte[]> kept = new ArrayList<>();
    for (int i = 0; i < 2000; i++) { byte[] b = new byte[20000];
      if (i % 100 == 0) kept.add(b); }
    System.gc(); System.out.println(kept.size());
    System.out.println(IntStream.range(0, 1000).boxed().parallel()
      .collect(Collectors.groupingBy(i -> i % 7, Collectors.counting())));
    System.exit(6); } }
""")
    load.run("javac", "-J-Xshare:auto", "Load.java")
    load.run("java", "-Xmx128m", "Load", status=6)


# Lisp code unwinds C functions on the stack by itself.
@program("sbcl", "lists, closures, conditions, compiled Lisp", "sbcl",
         least_calls=1_000, excused=("diverged",))
def sbcl(load):
    load.file("load.lisp", """
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(print (fib 22))
(print (reduce #'+ (loop for i below 1000 collect (* i i))))
(print (handler-case (error "deep") (error (e) (princ-to-string e))))
(let ((table (make-hash-table :test 'equal)))
  (dotimes (i 20000) (incf (gethash (mod (* i 7919) 503) table 0)))
  (print (hash-table-count table)))
(print (catch 'out (mapc (lambda (x) (when (= x 3) (throw 'out x))) '(1 2 3))))
(dotimes (i 50) (make-array 100000)) (gc :full t)
(print (expt 2 300)) (terpri) (exit :code 4)
""")
    load.run("sbcl", "--script", "load.lisp", status=4)


@program("guile", "tail calls, continuations, bignums", "guile-3.0")
def guile(load):
    load.file("load.scm", """
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(display (fib 20)) (newline)
(display (call/cc (lambda (k) (for-each (lambda (x)
  (if (= x 3) (k x))) '(1 2 3)) 'none))) (newline)
(define (count n) (if (= n 0) 'done (count (- n 1))))
(display (count 100000)) (newline) (display (expt 3 200)) (newline)
(display (catch 'oops (lambda () (throw 'oops 1)) (lambda (key . args) args)))
(newline)
(define v (make-vector 1000 0))
(do ((i 0 (+ i 1))) ((= i 100)) (vector-fill! v (iota i))) (gc)
(display (sort (map (lambda (i) (modulo (* i 7919) 503)) (iota 20)) <))
(newline) (exit 5)
""")
    load.run("guile", "--no-auto-compile", "load.scm", status=5)


@program("erlang", "processes, messages, pattern matching", "erlang-base",
         "erl erlc")
def erlang(load):
    load.file("load.erl", """
-module(load).
-export([main/0]).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
main() ->
    Self = self(),
    Pids = [spawn(fun() -> Self ! {self(), fib(N)} end) || N <- lists:seq(1, 18)],
    io:format("~w~n", [[receive {P, R} -> R end || P <- Pids]]),
    io:format("~p~n", [catch error(deep)  =:= x]),
    L = [I * 7919 rem 503 || I <- lists:seq(1, 2000)],
    io:format("~w ~w~n", [lists:sum(L), hd(lists:usort(L))]),
    io:format("~s~n", [integer_to_list(1 bsl 200)]),
    io:format("~w~n", [maps:size(maps:from_list([{I, I} || I <- L]))]),
    halt(3).
""".replace("[catch error(deep)  =:= x]", "[(catch throw(deep))]"))
    load.run("erlc", "load.erl")
    load.run("erl", "-noshell", "-noinput", "-s", "load", "main", status=3)


@program("qemu", "translates programs, static and not", "qemu-user",
         "qemu-x86_64")
def qemu(load):
    load.file("text", words(2000))
    load.run("qemu-x86_64", "/sbin/ldconfig", "--version")
    load.run("qemu-x86_64", "/usr/bin/sort", "text")
    load.run("qemu-x86_64", "/usr/bin/sha256sum", "text", "nosuch", status=1)


@program("pandoc", "Markdown to HTML and LaTeX, in Haskell", "pandoc",
         least_calls=0)
def pandoc(load):
    load.file("text.md", "# A title\n\nSome *text* with `code`, [a link](x)"
              "\nand a table:\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n"
              "1. one\n2. two\n\n> " + words(200).replace("\n", "\n> ") + "\n")
    load.run("pandoc", "-s", "--metadata", "title=t", "-t", "html",
             "text.md")
    load.run("pandoc", "-t", "latex", "-o", "text.tex", "text.md")


@program("ocaml", "a bytecode toplevel, and a native program",
         "ocaml-nox", "ocaml ocamlfind ocamlopt".replace("ocamlfind ", ""))
def ocaml(load):
    load.file("load.ml", """
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
exception Deep of int
let rec deep n = if n = 0 then raise (Deep 7) else 1 + deep (n - 1)
module M = Map.Make (String)
let () =
  Printf.printf "%d\\n" (fib 20);
  (try ignore (deep 1000) with Deep n -> Printf.printf "deep %d\\n" n);
  let m = ref M.empty in
  for i = 1 to 5000 do
    m := M.add (string_of_int (i * 7919 mod 503)) i !m done;
  Printf.printf "%d\\n" (M.cardinal !m);
  let l = List.init 20000 (fun i -> Array.make (i mod 7) i) in
  Gc.full_major ();
  Printf.printf "%d\\n" (List.length (List.filter (fun a -> a <> [||]) l));
  exit 3
""")
    load.run("ocaml", "load.ml", status=3)
    load.run("ocamlopt", "-o", "load", "load.ml")
    load.run("./load", status=3)
    load.ignore("load", "load.o")


@program("go", "a Go compiler, and a program made by it", "golang-go gcc",
         "go gcc", least_calls=0)
def golang(load):
    load.file("load.go", """
package main

import ("fmt"; "os"; "sort"; "sync")

func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }

func main() {
	results := make([]int, 16)
	var all sync.WaitGroup
	for i := range results {
		all.Add(1)
		go func(i int) { defer all.Done(); results[i] = fib(i) }(i)
	}
	all.Wait()
	fmt.Println(results)
	seen := map[string]int{}
	for i := 0; i < 5000; i++ { seen[fmt.Sprint(i*7919%503)]++ }
	keys := []string{}
	for k := range seen { keys = append(keys, k) }
	sort.Strings(keys)
	fmt.Println(len(keys), keys[:5])
	defer func() { fmt.Println(recover()); os.Exit(4) }()
	panic("deep")
}
""")
    load.run("go", "version")


# The exceptions of mono pass from managed code over C functions to managed code.
@program("mono", "a C# compiler, itself managed, and a program",
         "mono-runtime mono-mcs", "mono mcs", excused=("diverged",))
def mono(load):
    load.file("load.cs", r"""
using System; using System.Collections.Generic; using System.Linq;
using System.Threading.Tasks;
class Load {
  static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
  static void Deep(int n) {
    if (n == 0) throw new InvalidOperationException("deep"); Deep(n - 1); }
  static int Main() {
    Console.WriteLine(Fib(24));
    var seen = new SortedDictionary<string, int>();
    for (int i = 0; i < 20000; i++) { var k = "w" + (i * 7919 % 503);
      seen[k] = seen.ContainsKey(k) ? seen[k] + 1 : 1; }
    Console.WriteLine(seen.Count);
    try { Deep(200); } catch (Exception e) { Console.WriteLine(e.Message); }
    Console.WriteLine(Enumerable.Range(0, 10).Select(n =>
      Task.Run(() => Fib(n))).Select(t => t.Result).Sum());
    var kept = new List<byte[]>();
    for (int i = 0; i < 500; i++) { var garbage = new byte[50000];
      if (i % 100 == 0) kept.Add(garbage); }
    GC.Collect(); Console.WriteLine(kept.Count); return 7; } }
""")
    load.run("mcs", "load.cs")
    load.run("mono", "load.exe", status=7)
    load.ignore("load.exe")  # Each build has a new identity.


@program("gforth", "threaded code", "gforth", least_calls=1_000)
def gforth(load):
    load.run("gforth", "-e", ": fib dup 2 < if drop 1 else dup 1- recurse "
             "swap 2 - recurse + then ; 22 fib . "
             ": t 10 0 do i dup * . loop ; t : z 0 / ; 1 ' z catch . bye")


@program("clisp", "bytecode, conditions, bignums", "clisp")
def clisp(load):
    load.run("clisp", "-q", "-norc", "-x", """(progn
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(print (fib 18)) (print (handler-case (error "deep") (error (e)
  (princ-to-string e)))) (print (expt 2 300))
(print (catch 'out (dolist (i '(1 2 3)) (when (= i 2) (throw 'out i)))))
(quit 3))""", status=3)


@program("chromium", "renders a page of JavaScript in its processes",
         "chromium")
def chromium(load):
    load.file("page.html", "<body><div id=a></div><script>"
              "let s = 0; for (let i = 0; i < 1e6; i++) s += i % 7;"
              "for (let i = 0; i < 200; i++) Array(5000).fill({});"
              "try { null.x } catch (e) { s += e.message }"
              "document.getElementById('a').textContent = s</script></body>")
    load.run("chromium", "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={load.home}/data", "--dump-dom",
             f"file://{load.home}/page.html", masks=[
                 # Many threads complain about missing services.
                 (r"(?m)^(\[\d+:|/usr/bin/chromium).*\n", "")])
    load.ignore("*")
