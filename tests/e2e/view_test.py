#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clew view shows a recording on a screen, with the numbers of the reports."""
import os
import pathlib
import re
import signal
import time

from lib import clewtest, screen
from lib.clewtest import CLEW, needs, target, unless_sanitized

PROGRAM = r"""
#define NOINLINE __attribute__((noinline, noclone))
static volatile int sink;
namespace lib {
NOINLINE void leaf() { sink = sink + 1; }
NOINLINE void sort(int n) { while (n--) leaf(); sink = sink + 1; }
}
static inline __attribute__((always_inline)) void twice(int n)
{
	lib::sort(n);
	lib::sort(n);
}
NOINLINE void parse(int n) { twice(n); sink = sink + 1; }
NOINLINE void store(int n) { lib::sort(n); lib::leaf(); sink = sink + 1; }
NOINLINE void walk(int n) { if (n) walk(n - 1); sink = sink + 1; }
int main() { parse(10); store(20); walk(4); return 0; }
"""
ANNOTATED = pathlib.Path(__file__).resolve().parent / "annotate.c"
HOT_LINE = next(number for number, text in
                enumerate(ANNOTATED.read_text().splitlines(), 1)
                if "the hot line" in text)
# A row of a tree or table of calls: numbers, a share, then the name.
CALLS_ROW = re.compile(r"^ *([\d,]+) +[\d.]+% +(.*?)(?:  \[program\])?$")
SELECTED = re.compile(r"(?:\x1b\[\d*m)*\x1b\[7m(.*)$")


class Viewed(screen.Screen):
    def compile(self):
        source, self.program = self.work / "program.cc", self.work / "program"
        source.write_text(PROGRAM, encoding="utf-8")
        done = self.run_program(
            ["c++", "-g", "-O1", "-fno-optimize-sibling-calls", source, "-o",
             self.program], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def view(self, *options, **size):
        """Opens a recording. Returns the screen with the first rows."""
        self.open(CLEW, "view", *options, self.recording_path, **size)
        return self.see(r"\[1 functions\](.*\n)+\? help  q quit")

    def rows(self, shown):
        """Returns the lines between the heading and the keys."""
        return [line for line in shown.split("\n")[4:-2] if line]

    def quit(self):
        self.tmux("send-keys", "q")
        self.ended()

    def selected(self):
        """Returns the selected row, without escape sequences."""
        return self.selected_line()[1]

    def selected_line(self):
        """Returns the number of the selected line, and its text."""
        end = time.monotonic() + screen.PATIENCE_S
        while True:
            lines = self.tmux("capture-pane", "-p", "-e").split("\n")
            found = [(number, match[1]) for number, match in enumerate(
                map(SELECTED.match, lines)) if match]
            if len(found) == 1:
                break
            self.assertLess(time.monotonic(), end, lines)
        (number, line), = found
        return number, re.sub(r"\x1b\[[\d;]*m", "", line)

    def select_next(self, key):
        """Presses a key, and returns the row that is then selected."""
        before = self.selected_line()
        self.tmux("send-keys", key)
        end = time.monotonic() + screen.PATIENCE_S
        while (now := self.selected_line()) == before:
            self.assertLess(time.monotonic(), end, before)
        return now[1]


class Calls(Viewed):
    """A recording of calls without time."""

    def setUp(self):
        super().setUp()
        self.compile()
        done = self.record([self.program], ["-m", "program", "--time=none"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def numbers(self, lines):
        """Returns [(calls, name)] of rows of calls."""
        found = []
        for line in lines:
            calls, name = CALLS_ROW.match(line).groups()
            found.append((int(calls.replace(",", "")), name.split(None, 3)[3]))
        return found

    def report(self, *options):
        return sorted((row["calls"], row["name"]) for row in self.clew_json(
            "report", "--json", "--top=0", *options,
            self.recording_path)["functions"])


@needs("tmux")
class Functions(Calls):
    def test_rows_of_view_are_those_of_the_report(self):
        shown = self.view("--full-names")
        self.assertEqual(sorted(self.numbers(self.rows(shown))),
                         self.report())
        self.assertRegex(shown, r"\d+ rows by function, sorted by calls")
        self.quit()

    def test_filters_of_view_are_those_of_the_report(self):
        self.environment["XDG_CONFIG_HOME"] = str(self.work / "settings")
        options = ["--collapse=^store", "--ignore=^walk"]
        done = self.clew("report", "--save-view=mine", *options,
                         self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        for given in options, ["--view=mine"], ["--fold=lib"], ["-f", "lib"]:
            with self.subTest(given):
                shown = self.view("--full-names", *given, columns=100)
                self.assertEqual(sorted(self.numbers(self.rows(shown))),
                                 self.report(*given))
                self.quit()

    def test_keys_sort_and_regroup_the_rows(self):
        self.view()
        for key in ("contexts", "callers", "callees", "name", "module",
                    "calls"):
            shown = self.press("s", f"sorted by {key}\n")
            if key == "name":
                names = [line.split()[5] for line in self.rows(shown)]
                self.assertEqual(names, sorted(names))
        self.press("S", "sorted by module\n")
        shown = self.press("r", r"rows? by module")
        self.assertRegex(shown, r"(?m)^ +\d+ +100.00% .* program$")
        self.press("r", "rows by function")  # no samples: no lines
        self.quit()

    def test_a_search_selects_the_found_row(self):
        self.view()
        self.tmux("send-keys", "/", "walk")
        shown = self.press("Enter", "n next, N previous")
        calls = dict((name, calls) for calls, name in self.report())
        share = 100 * calls["walk(int)"] / sum(calls.values())
        self.assertIn(f"walk: 1 function, {share:.1f} % of the calls", shown)
        self.assertIn("walk", self.selected())
        self.tmux("send-keys", "/", "nothing")
        self.press("Enter", "nothing: no function matches")
        self.quit()


@needs("tmux")
class Trees(Calls):
    def tree(self, *options):
        """Returns [(calls, name)] of `clew tree`."""
        text = self.clew("tree", "--quiet", *options, self.recording_path,
                         env={**self.environment, "LC_ALL": "C"}).stdout
        rows = [re.match(r" *[\d,]+ +[\d.]+% +([\d,]+) +[|` -]*(.*)$", line)
                for line in text.splitlines()[1:]]
        return [(row[1], row[2]) for row in rows]

    def shown_tree(self, shown):
        rows = [re.match(r" *[\d,]+ +[\d.]+% +([\d,]+) +[▾▸ ]*(.*)$", line)
                for line in self.rows(shown)]
        return [(row[1], row[2]) for row in rows]

    def test_opened_rows_are_those_of_the_tree(self):
        self.view()
        wanted = self.tree()
        self.assertGreater(len(wanted), 8)
        self.press("2", r"\[2 tree\](.*\n)+.*▾ main")
        self.press("Left", "▸ main")
        for _ in wanted:
            self.tmux("send-keys", "Right", "Down")
        shown = self.press("Home", r"(walk.*\n *\d.*){4}")
        self.assertEqual(self.shown_tree(shown), wanted)
        self.assertIn("main", self.selected())
        shown = self.press("Left", "▸ main")
        self.assertEqual(self.shown_tree(shown), wanted[:1])
        self.quit()

    def test_a_search_opens_closed_rows(self):
        self.view()
        self.press("2", "▾ main")
        self.press("Left", "▸ main")
        self.tmux("send-keys", "/", "leaf")
        self.press("Enter", "1 function")
        seen = [self.selected()]
        for _ in range(3):
            seen.append(self.select_next("n"))
        leaves = [calls for calls, name in self.tree() if "leaf" in name]
        self.assertEqual([line.split()[2] for line in seen],
                         [*leaves, leaves[0]])
        self.quit()

    def test_a_key_shows_the_callers_of_a_function(self):
        self.view()
        self.tmux("send-keys", "/", "leaf")
        self.press("Enter", "1 function")
        self.press("2", "▾ main")
        self.select_next("n")
        shown = self.press("i", "callers of the function at the top"
                           r"(.*\n)+.*▸ store")
        lines = self.clew("tree", "--quiet", "--callers-of", "lib::leaf",
                          self.recording_path,
                          env={**self.environment, "LC_ALL": "C"}).stdout
        self.assertEqual(
            [re.sub("[▾▸]", "", line).split() for line in self.rows(shown)],
            [re.sub(" [|`]- ", "", line).split()
             for line in lines.splitlines()[1:]
             if re.search(r"%  ([|`]- )?\w", line)])
        self.press("i", "▾ main")
        self.quit()

    def test_a_key_relates_shares_to_the_caller(self):
        self.view()
        self.press("2", "▾ main")
        shown = self.press("%", "share of the caller")
        (total, _, *_), *children = [line.split() for line in self.rows(shown)]
        below = sum(int(child[0]) for child in children
                    if child[0].isdigit() and int(child[0]) < int(total))
        for child in children:
            self.assertEqual(child[1], f"{100 * int(child[0]) / int(total):.2f}%")
        self.assertEqual(below + 1, int(total))
        self.quit()


@needs("tmux")
class Butterfly(Calls):
    def test_the_butterfly_follows_the_selected_row(self):
        self.view("--full-names")
        self.tmux("send-keys", "/", "sort")
        self.press("Enter", "1 function")
        shown = self.press("Enter", r"\[3 butterfly\](.*\n)+.*lib::sort"
                           r"(.*\n)+\? help  q quit  Enter choose")
        wanted = self.clew("report", "-B", "lib::sort(int)", "--quiet",
                           "--full-names", self.recording_path).stdout
        self.assertEqual([line.split() for line in self.rows(shown)],
                         [line.split() for line in wanted.splitlines()[1:]])
        self.tmux("send-keys", "Up")
        self.press("Enter", "callees of (store|parse)|1 callee of parse")
        self.press("BSpace", r"callers? and \d callees? of lib::sort")
        self.tmux("send-keys", "Escape")  # ends the search
        self.see("lib::sort")
        self.press("Escape", r"\[1 functions\]")
        self.quit()


@needs("tmux")
class Transforms(Calls):
    def select(self, name):
        self.tmux("send-keys", "/", name)
        self.press("Enter", f"{name}: 1 function")
        self.tmux("send-keys", "Escape")

    def shown(self, key, state):
        return sorted(self.numbers(self.rows(self.press(key, state))))

    def test_keys_transform_the_table_as_options_of_the_report_do(self):
        self.view("--full-names", columns=100)
        for name, key, state, option in (
                ("store", "F", r"focus: store\(int\)", "--focus=^store"),
                ("lib::sort", "H", r"hide: lib::sort\(int\)",
                 "--ignore=^lib::sort"),
                ("lib::sort", "M", "fold module: program",
                 "--fold=module:program"),
                ("walk", "C", "fold recursion", "--fold=recursion")):
            with self.subTest(option):
                self.select(name)
                self.assertEqual(self.shown(key, f"(?m)^{state} .u: undo.: "),
                                 self.report(option))
                self.assertEqual(self.shown("u", r"(?m)^\d+ rows by"),
                                 self.report())
        self.quit()

    def test_transforms_apply_to_tree_and_butterfly(self):
        self.view("--full-names", columns=100)
        self.press("2", "▾ main")
        self.press("3", "callees? of main")
        self.press("2", "▾ main")
        self.select("parse")
        self.press("F", r"focus: parse(?!(.*\n)*.*(store|walk))")
        shown = self.press("3", r"focus: parse\(int\) .*1 callee of ")
        self.assertNotIn("store", shown)
        self.press("u", r"(?m)^1 caller and 3 callees of main(.*\n)*.*store")
        self.press("2", r"(?m)^\d+ contexts(.*\n)*.*walk")
        self.quit()

    def test_later_transforms_apply_to_the_result_of_earlier_ones(self):
        self.view("--full-names", columns=100)
        self.select("store")
        self.press("F", "focus: store")
        self.select("lib::sort")
        self.assertEqual(
            self.shown("H", r"focus: store\(int\); hide: lib::sort\(int\)"),
            self.report("--focus=^store", "--ignore=^lib::sort"))
        self.press("u", r"focus: store\(int\) .u")
        self.assertEqual(self.shown("u", r"(?m)^\d+ rows by"), self.report())
        self.quit()

    def test_transforms_remain_when_the_recording_is_read_again(self):
        self.view("--full-names", columns=100)
        self.select("store")
        self.press("F", "focus: store")
        self.press("2", "▾ main")
        self.press("o", r"focus: store(?!(.*\n)*.*parse)")
        self.press("u", r"(?m)^\d+ contexts(.*\n)*.*parse")
        self.quit()

    def test_a_transform_that_leaves_nothing_is_refused(self):
        self.view()
        self.select("main")
        self.press("H", "nothing would remain")
        self.press("4", r"\[4 annotate\]")
        self.press("F", "select a function in the functions")
        self.quit()


@needs("tmux")
class Inlined(Calls):
    def test_a_key_shows_and_hides_inlined_functions(self):
        self.view()
        self.press("2", "▾ main")
        self.tmux("send-keys", "/", "twice")
        self.press("Enter", "twice: no function matches")
        self.press("o", "▾ main")
        self.tmux("send-keys", "/", "twice")
        self.press("Enter", r"▸ twice \(inlined\)")
        self.tmux("send-keys", "o")
        self.see(r"▾ main(?!(.*\n)*.*twice \(inlined\))")
        self.quit()


@needs("tmux")
class Annotated(Viewed):
    @unless_sanitized  # the worker that reads code does not end well there
    def test_annotated_lines_of_view_are_those_of_annotate(self):
        program = self.work / "program"
        done = self.run_program(["cc", "-g", "-O2", ANNOTATED, "-o", program],
                                text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.record([program, "500"], ["--time=cpu"])
        self.assertEqual(done.returncode, 0, done.stderr)
        name = self.rows(self.view())[0].split()[-2]
        shown = self.press("a", rf"\[4 annotate\](.*\n)+.*\b{HOT_LINE}\b.*return "
                           r"(.*\n)+\? help  q quit  arrows scroll")
        wanted = self.clew("annotate", name, self.recording_path).stdout
        self.assertEqual([line[:80].rstrip() for line in self.rows(shown)],
                         [line[:80].rstrip() for line in
                          wanted.splitlines()[:len(self.rows(shown))]])
        self.press("Right", r"(?m)^ +share 95% range")
        self.press("s", "(?m)^source lines$")
        self.press("s", "(?m)^instructions$")
        self.press("A", "instructions, also without time")
        self.quit()


@needs("tmux")
class Traced(Viewed):
    def setUp(self):
        super().setUp()
        self.compile()
        done = self.record([self.program], [
            "-m", "program", "--trace", "--stamps=all", "--time=none"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def trace(self, *options):
        """Returns the rows that `clew trace` prints."""
        text = self.clew("trace", *options, self.recording_path).stdout
        return text.partition("\n\n")[0].rstrip("\n").split("\n")[1:]

    def test_durations_and_slowest_calls_are_those_of_trace(self):
        self.view()
        shown = self.press("5", r"\[5 calls\](.*\n)+.*lib::leaf"
                           r"(.*\n)+\? help  q quit  Enter choose")
        rows = [line.split("  ") for line in self.trace("--latencies")]
        rows = [[cell for cell in row if cell] for row in rows]
        self.assertEqual(
            [[cell for cell in line.split("  ") if cell]
             for line in self.rows(shown)],
            [[cell for i, cell in enumerate(row) if i not in (2, 4, 6)]
             for row in rows])
        self.press("s", "sorted by maximum")
        self.press("s", "sorted by 99 %")
        shown = self.press("s", "sorted by calls")
        self.assertEqual([row.split()[0] for row in self.rows(shown)][:3],
                         ["41", "5", "3"])
        shown = self.press("Enter", "the slowest 41 of 41 calls")
        self.assertEqual(
            self.rows(shown),
            [line.rstrip() for line in self.trace(
                "--slowest=lib::leaf", "--top=0")][:len(self.rows(shown))])
        self.press("c", r"fast, wall +calls +slow, wall +calls(.*\n)+two of 41 calls"
                   ".*upper bounds,\nwhich include waiting and other programs' "
                   "use of the processor")
        self.press("BSpace", "the slowest 41 of 41 calls")
        self.press("Enter", r"lib::leaf\(\);")
        self.quit()

    def test_calls_are_compared_from_the_list_of_functions(self):
        self.view()
        self.press("5", r"\[5 calls\](.*\n)+.*lib::leaf")
        self.tmux("send-keys", "/", "leaf", "Enter")
        self.see("leaf: 1 function")
        self.press("c", "two of 41 calls")
        self.press("BSpace", "the slowest 41 of 41 calls")
        self.press("BSpace", "functions, sorted by total")
        self.quit()

    def test_a_slow_call_shows_the_calls_inside_it(self):
        self.view("-f", "^store")
        shown = self.press("5", r"\[5 calls\](.*\n)+.*store")
        self.assertEqual(len(self.rows(shown)), 1)
        self.press("Enter", "the slowest 1 of 1 call")
        self.press("Enter", "store\\(\\) {")
        shown = self.press("End", "} store")
        self.assertGreater(shown.count("lib::leaf();"), 10)
        self.press("Home", "lib::sort\\(\\) {")
        self.tmux("send-keys", "/", "} STORE")
        self.press("Enter", "Backspace: the slowest calls(.*\n)+.*} store")
        self.assertIn("} store", self.selected())
        self.quit()

    def test_calls_in_a_call_are_cut_once(self):
        source = self.work / "many.c"
        source.write_text(
            "#include <stdlib.h>\n"
            "static volatile int sink;\n"
            "__attribute__((noipa)) void leaf(void) { sink++; }\n"
            "__attribute__((noipa)) void many(int n)\n"
            "{ while (n--) leaf(); sink++; }\n"
            "int main(int argc, char **argv)\n"
            "{ many(atoi(argv[argc - 1])); return 0; }\n")
        self.assertEqual(self.run_program(
            ["cc", "-O1", source, "-o", self.program]).returncode, 0)
        notice = "... (clew trace shows all calls)"
        # many() itself is one of the 20,000 calls that are shown.
        for calls, last in (19999, "} many"), (20000, notice):
            with self.subTest(calls):
                done = self.record([self.program, calls], [
                    "-m", "program", "--trace", "--stamps=all", "--time=none"])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.view("-f", "^many")
                self.press("5", r"\[5 calls\](.*\n)+.*many")
                self.press("Enter", "the slowest 1 of 1 call")
                self.press("Enter", "many\\(\\) {")
                rows = self.rows(self.press("End", re.escape(last)))
                self.assertIn(last, rows[-1])
                for row in rows[:-1]:
                    self.assertIn("leaf();", row)
                self.quit()


@needs("tmux")
class Overwritten(Viewed):
    def test_calls_that_a_ring_has_lost_are_reported(self):
        self.record([target("recursion")], ["--trace=ring:128K"])
        self.view()
        missing = "; older calls lost: larger ring, --min-duration"
        self.press("5", "sorted by total" + missing)
        self.press("Enter", "the slowest [0-9,]+ of [0-9,]+ calls?" + missing)
        self.quit()


@needs("tmux")
class Untraced(Calls):
    def test_a_recording_without_a_trace_names_the_missing_option(self):
        self.view()
        self.press("5", r"\[5 calls\](.*\n)+.*--trace")
        self.quit()


@needs("tmux")
class Imported(Viewed):
    """Recordings of other tools: numbers that are neither time nor calls."""

    def imported(self, text):
        path = self.work / "input"
        path.write_text(text)
        done = self.clew("import", "-o", self.recording_path, path)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_imported_numbers_are_not_shown_as_time(self):
        self.imported("main;parse 30\nmain;parse;leaf 1200\nmain;store 7\n")
        self.view(columns=120)
        self.press("Down", "sorted by self")
        shown = self.press("a", r"parse: 30 self \(2\.43% of all samples\), "
                           "1,230 total")
        self.assertNotRegex(shown, r"\d (ns|us)\b")
        self.press("m", "the recording has no calls")
        self.tmux("send-keys", "1", "/", "leaf")
        self.press("Enter", "97.0 % of the samples")
        self.quit()

    def test_each_metric_keeps_its_order(self):
        self.imported("events: Ir\nfn=main\n1 5\ncfn=work\ncalls=2 1\n1 9\n"
                      "fn=work\n1 9\n")
        self.view()
        self.press("s", "sorted by total\n")
        self.press("s", "sorted by calls\n")
        self.press("s", "sorted by per-call\n")
        self.press("m", "sorted by calls\n")
        self.press("s", "sorted by contexts\n")
        self.press("m", "sorted by per-call\n")
        self.press("m", "sorted by contexts\n")
        self.quit()

    def test_a_narrow_terminal_shows_names(self):
        self.imported("main;parse 30\nmain;parse;leaf 1200\nmain;store 7\n")
        shown = self.view(columns=40, lines=10)
        for key, pane in (None, "functions"), ("2", "tree"), ("b", "butterfly"):
            shown = self.press(key, rf"\[\d {pane}\]") if key else shown
            text = "\n".join(self.rows(shown))
            for name in "main", "parse":
                self.assertRegex(text, rf"%\s+(\S+ )?{name}\b")
        self.quit()


@needs("tmux")
class Terminal(Calls):
    def test_view_fits_other_sizes_of_the_terminal(self):
        shown = self.view()
        self.assertEqual(len(shown.rstrip("\n").split("\n")), 24)
        self.assertRegex(shown, "calls +share +contexts")
        self.resize(120, 30)
        shown = self.see(r"\A(.*\n){29}\? help")
        self.assertEqual(len(shown.rstrip("\n").split("\n")), 30)
        self.resize(60, 8)
        shown = self.see(r"\A(.*\n){7}\? help  q quit")
        self.assertNotIn("contexts", shown.split("\n")[3])
        self.resize(40, 10)
        shown = self.see(r"\A(.*\n){9}\? help  q quit")
        self.assertRegex(self.rows(shown)[0], r"^ *[\d,]+ +[\d.]+%  lib::leaf")
        self.press("2", r"\[2 tree\]")
        self.quit()

    @unless_sanitized
    def test_signals_to_view_restore_the_terminal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGSEGV,
                       signal.SIGABRT):
            with self.subTest(number):
                self.view()
                os.kill(self.command_pid("view"), number)
                self.ended(128 + number)

    def test_control_c_quits_view(self):
        self.view()
        self.tmux("send-keys", "C-c")
        self.ended(128 + signal.SIGINT)

    def test_view_continues_after_a_stop(self):
        self.view()
        pid = self.command_pid("view")
        os.kill(pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGCONT)
        self.press("2", r"\[2 tree\]")
        self.quit()

    def test_view_has_colours(self):
        self.view()
        self.assertIn("\33[31m", self.tmux("capture-pane", "-p", "-e"))
        self.quit()

    def test_no_color_turns_the_colours_of_view_off(self):
        self.environment["NO_COLOR"] = "1"
        self.view()
        shown = self.tmux("capture-pane", "-p", "-e")
        self.assertNotRegex(shown, r"\x1b\[(\d+;)*3[0-7]")
        self.quit()

    def test_lines_continue_behind_characters_of_other_locales(self):
        """The rest of the line is shown."""
        renamed = self.work / "größe.out"
        self.recording_path.rename(renamed)
        self.open("env", "LC_ALL=C", CLEW, "view", renamed)
        self.see(r"\Aclew view \S*gr\?+e\.out  total: [\d,]+ calls")
        self.quit()

    def test_a_key_shows_the_help_of_view(self):
        self.view()
        self.press("?", "clew view: what a recording contains")
        self.press("q", r"\[1 functions\](.*\n)+.*main")
        self.quit()

    def test_view_works_on_other_types_of_terminals(self):
        for kind in "xterm", "vt100", "screen", "linux":
            for locale in "C", "C.UTF-8":
                with self.subTest(kind=kind, locale=locale):
                    self.open("env", f"TERM={kind}", f"LC_ALL={locale}", CLEW,
                              "view", self.recording_path)
                    self.see(r"\[1 functions\](.*\n)+\? help  q quit")
                    self.press("2", r"\[2 tree\]")
                    self.press("Down", r"\[2 tree\](.*\n)+.*main")
                    self.tmux("send-keys", "q")
                    # Without an alternate screen, the keys must not remain.
                    self.assertNotIn("q quit", self.ended())

    def test_view_refuses_a_terminal_that_cannot_place_text(self):
        self.open("env", "TERM=dumb", CLEW, "view", self.recording_path)
        shown = self.ended(1).replace("\n", "")
        self.assertIn("cannot show a screen", shown)
        self.assertIn("use clew report", shown)

    def test_a_key_shows_the_summary(self):
        self.view()
        shown = self.press("6", r"\[6 summary\](.*\n)+.*hooked: ")
        for line in self.clew("report", self.recording_path).stdout \
                .partition("\ntotal: ")[2].splitlines()[:1]:
            self.assertIn(line, shown)
        self.quit()


class Refusals(Calls):
    def test_view_without_a_terminal_names_other_commands(self):
        self.assert_one_line_error(self.clew("view", self.recording_path),
                                   "no terminal; use clew report")

    def test_view_refuses_options_for_printed_output(self):
        for option in "--json", "--no-pager", "--quiet":
            self.assertEqual(self.clew("view", option).returncode, 64)


if __name__ == "__main__":
    clewtest.main()
