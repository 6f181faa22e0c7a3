# SPDX-License-Identifier: MIT
"""Editors in batch mode, shells, and tools for text."""
from inputs import words
from program import program


@program("vim", "substitutes, sorts, runs a script, writes", "vim")
def vim(load):
    load.file("text", words(3000))
    load.file("load.vim", r"""
%s/clew/[&]/g
g/hero/normal! guu
sort u
function! Fib(n)
  return a:n < 2 ? a:n : Fib(a:n - 1) + Fib(a:n - 2)
endfunction
call append(0, string(Fib(12)))
call append(1, map(range(5), {_, v -> 'n' . v * v}))
call append('$', sort(split(substitute(getline('$'), 'a', 'b', 'g'))))
silent! call Nosuch()
w out
cquit 3
""")
    load.run("vim", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", "load.vim",
             "text", status=3)


@program("emacs", "Lisp, a buffer, a regular expression", "emacs-nox")
def emacs(load):
    load.file("text", words(3000))
    load.file("load.el", r"""
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(princ (format "%d\n" (fib 15)))
(with-temp-buffer
  (insert-file-contents "text")
  (while (re-search-forward "\\(clew\\) \\(\\w+\\)" nil t)
    (replace-match "\\2 \\1"))
  (sort-lines nil (point-min) (point-max))
  (write-region nil nil "out" nil 'quiet))
(princ (condition-case e (error "deep") (error (cadr e))))
(dotimes (i 100) (make-string 10000 ?x)) (garbage-collect)
(princ (format "\n%S %s\n" (let ((l '(3 1 2))) (sort l #'<)) (expt 2 100)))
(kill-emacs 5)
""")
    load.run("emacs", "--batch", "-Q", "-l", "load.el", status=5)


@program("ed", "substitutes and writes", "ed", least_calls=1_000)
def ed(load):
    load.file("text", words(2000))
    load.run("ed", "-s", "text", status=1, stdin=r"""g/clew/s//[&]/g
g/hero/m0
,n
1,5t$
/minotaur/,/yarn/d
w out
nosuch
""")


@program("sed", "substitutes with groups, holds, branches", "sed",
         ci=True)
def sed(load):
    load.file("text", words(6000))
    load.run("sed", "-nE", r"""s/(\w+) (\w+)/\2 \1/g; /clew/{h;G;s/\n/|/}
:a;s/^([^#]*)aw/\1#/;ta
y/abc/xyz/;/hero$/{N;P};p;400q7""", "text", status=7)
    load.run("sed", "-i.bak", "s/yarn/thread/", "text")
    load.run("sed", "s/(/", "text", status=1)


@program("grep", "fixed, extended and Perl expressions, a tree", "grep")
def grep(load):
    for number in range(20):
        load.file(f"tree/file{number}", words(500, number))
    load.run("grep", "-rnc", "clew", "tree")
    load.run("grep", "-rE", r"(hero|exit) \w+ (wall|yarn)", "tree",
             "--include=file1*")
    load.run("grep", "-rPo", r"(?<=clew )\w+(?= of)", "tree")
    load.run("grep", "-F", "nosuch", "tree/file1", status=1)


@program("bash", "functions, arrays, pipes, traps, substitutions", "bash",
         ci=True)
def bash(load):
    load.run("bash", "-c", r"""
fib() { if (($1 < 2)); then echo $1; else
    echo $(($(fib $(($1-1))) + $(fib $(($1-2))))); fi; }
fib 6
declare -A seen; for i in {1..500}; do ((seen[k$((i*7%31))]++)); done
for k in "${!seen[@]}"; do echo "$k ${seen[$k]}"; done | sort
trap 'echo on exit' EXIT; trap 'echo USR1' USR1; kill -USR1 $$
while read -r a b; do echo "$b-$a"; done < <(printf '%s %s\n' a b c d)
x=hello; echo "${x^^} ${x/l/L} ${x:1:3} ${#x}"; [[ $x =~ h(.)l ]] &&
    echo "${BASH_REMATCH[1]}"
(exit 7); echo $?; sleep 0 & wait $!; seq 5 | tac | paste -sd+ | sed s/+/-/g
set -o pipefail; false | true; exit $((${PIPESTATUS[0]} + 4))
""", status=5)


@program("dash", "functions, pipes, traps", "dash", least_calls=5_000)
def dash(load):
    load.run("dash", "-c", r"""
fib() { if [ $1 -lt 2 ]; then echo $1; else
    echo $(($(fib $(($1-1))) + $(fib $(($1-2))))); fi; }
fib 6; trap 'echo on exit' EXIT; trap 'echo USR1' USR1; kill -USR1 $$
i=0; while [ $i -lt 200 ]; do i=$((i+1)); set -- "$@" $i; done; echo $#
case $1$2 in 1[0-9]) echo yes;; esac; echo a b | { read x y; echo $y $x; }
cat <<END | tr a-z A-Z
here $i
END
exec 3>out; echo to a file >&3; (exit 7) || exit $?
""", status=7)


@program("zsh", "globs, arrays, arithmetic, functions", "zsh")
def zsh(load):
    load.file("a1", "")
    load.file("b2", "")
    load.run("zsh", "-f", "-c", r"""
fib() { (( $1 < 2 )) && { print $1; return }
    print $(( $(fib $(($1-1))) + $(fib $(($1-2))) )) }
fib 6; typeset -A seen; for i in {1..500}; do (( seen[k$((i*7%31))]++ )); done
print -l ${(ko)seen} | tail -3; print ${(U)${:-hello}} ${(s:,:)${:-a,b}}
print *(.) ${(j:+:)${(f)"$(seq 5)"}} $(( 2 ** 40 )); zmodload zsh/mathfunc
printf '%.3f\n' $(( sin(1) )); TRAPEXIT() { print on exit }; exit 3
""", status=3)


@program("coreutils", "sort, sums, joins, dates, splits", "coreutils",
         "sort sha512sum join split date factor")
def coreutils(load):
    load.file("text", words(5000))
    load.file("one", "".join(f"{n:04} a{n}\n" for n in range(0, 900, 2)))
    load.file("two", "".join(f"{n:04} b{n}\n" for n in range(0, 900, 3)))
    load.run("sort", "-k2", "--parallel=4", "-S", "64K", "text")
    load.run("sha512sum", "text", "one")
    load.run("join", "one", "two")
    load.run("split", "-l", "100", "text", "piece")
    load.run("date", "-d", "2001-09-09 01:46:40 3 weeks", "+%F %T %A")
    load.run("factor", "1234567890123456789", "340282366920938463463")
    load.run("sh", "-c", "tr ' ' '\\n' <text | sort | uniq -c | sort -rn | "
             "head -3; ls -la --time-style=+%s one; stat -c %s text; df . "
             "| wc -l; env | sort | cut -d= -f1 | grep -c ^HOME; expr 6 \\* 7; "
             "numfmt --to=iec 123456789; base64 one | md5sum; ls nosuch",
             status=2)


@program("find", "predicates, -exec, xargs", "findutils", "find xargs",
         least_calls=5_000)
def find(load):
    for number in range(60):
        load.file(f"tree/{number % 5}/{number % 3}/f{number}", "x" * number)
    load.run("find", "tree", "-type", "f", "-size", "+20c", "-printf",
             "%f %s %m\\n", "-o", "-name", "2", "-print", "-prune")
    load.run("sh", "-c", "find tree -name 'f1*' -print0 | sort -z | "
             "xargs -0 -n 3 -P 1 wc -c")
    load.run("find", "tree", "-name", "f5?", "-exec", "echo", "{}", ";")
    load.run("find", "nosuch", status=1)


@program("diff", "unified, side by side, patch", "diffutils patch",
         "diff cmp patch", least_calls=5_000)
def diff(load):
    one = words(3000)
    load.file("one", one)
    load.file("two", one.replace("clew hero", "hero clew"))
    changes = load.run("diff", "-u", "--label", "1", "--label", "2", "one",
                       "two", status=1)
    load.run("diff", "-y", "one", "two", status=1)
    load.run("cmp", "one", "two", status=1)
    load.run("patch", "-o", "patched", "one", stdin=changes)


@program("jq", "filters, reductions, strings", "jq")
def jq(load):
    load.run("jq", "-n", '[range(2000) | {i: ., w: "w\\(. * 7919 % 503)"}] | '
             "group_by(.w) | map({w: .[0].w, n: length}) | sort_by(-.n, .w) | "
             '.[:3], (map(.n) | add), ("a1b2" | gsub("[0-9]"; "")), '
             "([limit(5; repeat(1))]), (try error(\"deep\") catch .)")


@program("w3m", "a page to text", "w3m")
def w3m(load):
    load.file("page.html", "<html><body><h1>Title</h1><table border=1>" +
              "".join(f"<tr><td>{n}<td>{n * n}" for n in range(40)) +
              "</table><p>" + words(500) + "<ul><li>a<li>b</ul>")
    load.run("w3m", "-dump", "-cols", "70", "page.html")
    load.ignore(".w3m", ".w3m/*")


@program("xsltproc", "a stylesheet, an XPath, a validation",
         "xsltproc libxml2-utils", "xsltproc xmllint")
def xsltproc(load):
    load.file("data.xml", "<r>" + "".join(
        f"<e k='{n * 7 % 31}'>{n}</e>" for n in range(500)) + "</r>")
    load.file("sheet.xsl", """<xsl:stylesheet version="1.0"
 xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:key name="k" match="e" use="@k"/>
<xsl:template match="/r"><out><xsl:for-each select="e">
<xsl:sort select="@k" data-type="number"/><xsl:if test="position() &lt; 20">
<x><xsl:value-of select="concat(@k, ':', ., ':', count(key('k', @k)))"/></x>
</xsl:if></xsl:for-each></out></xsl:template></xsl:stylesheet>""")
    load.run("xsltproc", "sheet.xsl", "data.xml")
    load.run("xmllint", "--xpath", "sum(//e[@k > 5])", "data.xml")
    load.run("xmllint", "--noout", "sheet.xsl", "nosuch.xml", status=1)
