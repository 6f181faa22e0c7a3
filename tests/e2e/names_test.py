#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tables show short names of functions, which no other function of the table has."""
import json
import re

from lib import clewtest, html_page

SOURCE = """
#include <map>
#include <string>
#include <vector>
#define KEPT __attribute__((noinline, noclone))
static volatile long sum;
namespace trading {
struct OrderOfTheDay { long price; };
struct PriceOfTheDay { long price; };
template <class Item> struct Index {
    KEPT long find(const std::string &key) { sum += key.size(); return sum; }
};
template <class Table> KEPT long insert(const Table &table)
{
    sum += table.size();
    return sum;
}
KEPT void parse(int n) { sum += n; }
KEPT void parse(const char *text) { sum += *text; }
KEPT std::string join(const std::string &a, const std::string &b)
{
    sum += a.size();
    return a + b;
}
}
int main()
{
    std::map<std::string, trading::OrderOfTheDay> orders;
    std::map<std::string, trading::PriceOfTheDay> prices;
    trading::Index<std::vector<std::vector<trading::OrderOfTheDay>>> index;

    for (int i = 0; i < 10; i++) {
        trading::insert(orders);
        trading::insert(prices);
        trading::parse(i);
        trading::parse("text");
        index.find(trading::join("a", "b"));
    }
    return 0;
}
"""

INSERT = "trading::insert<std::map<std::string, trading::%sOfTheDay>>"


@clewtest.needs("g++")
class Case(clewtest.Case):
    OPTIONS = ("--time=none", "--trace")

    def setUp(self):
        super().setUp()
        source = self.work / "orders.cc"
        source.write_text(SOURCE, encoding="utf-8")
        self.program = self.work / "orders"
        done = self.run_program(["g++", "-O1", "-g", "-o", self.program, source])
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.record([self.program],
                           (*self.OPTIONS, "-m", "orders"), text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def said(self, *words, status=0):
        done = self.clew(*words, self.recording_path)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout


class Tables(Case):
    TABLES = (["report", "--top=0"], ["tree"], ["trace"],
              ["trace", "--latencies", "--top=0"], ["list", "--all"],
              ["report", "-B", "main"], ["tree", "--callers-of", "main"])

    def test_names_have_neither_result_nor_default_arguments(self):
        for words in (*self.TABLES[:3], ["report", "-B", "main"]):
            text = self.said(*words)
            with self.subTest(words=words):
                self.assertIn("trading::Index<...>::find", text)
                self.assertRegex(text, r"trading::join(  \[|\(\)|\n)")
                self.assertNotIn("std::allocator", text)
                self.assertNotIn("__cxx11", text)

    def test_instantiations_and_overloads_stay_different(self):
        for words in ["report", "--top=0"], ["tree"], ["report", "-B", "main"]:
            text = self.said(*words)
            with self.subTest(words=words):
                for name in (INSERT % "Order", INSERT % "Price",
                             "trading::parse(int)",
                             "trading::parse(char const*)"):
                    self.assertEqual(len(re.findall(
                        re.escape(name) + r"(?:  \[orders\])?$", text, re.M)), 1)

    def test_full_names_are_shown_on_request(self):
        for words in self.TABLES[:5]:
            with self.subTest(words=words):
                self.assertIn("std::allocator",
                              self.said(*words, "--full-names"))

    def test_json_and_exports_have_full_names(self):
        rows = json.loads(self.said("report", "--json", "--top=0"))["functions"]
        self.assertIn("trading::parse(int)", {row["name"] for row in rows})
        for form in "csv", "folded", "callgrind":
            text = self.said("export", "--metric=calls", "-F", form)
            self.assertIn("trading::parse(int)", text)
            self.assertIn("std::allocator", text)

    def test_diff_shows_short_names(self):
        text = self.clew("diff", self.recording_path, self.empty()).stdout
        self.assertIn("trading::Index<...>::find", text)
        self.assertNotIn("std::allocator", text)

    def test_the_page_has_short_names_that_differ(self):
        path = self.work / "page.html"
        self.said("html", "-o", path)
        page = html_page.Page(path.read_text(encoding="utf-8"))
        functions = page.meta["functions"]
        names = dict(zip(functions["name"], functions["short"]))
        self.assertEqual(names["main"], 0)
        self.assertEqual(names["trading::parse(int)"], 0)
        shown = [short for short in names.values() if short]
        self.assertEqual(len(shown), len(set(shown)))
        for name in INSERT % "Order", INSERT % "Price", "trading::join":
            self.assertIn(name, shown)

    def empty(self):
        path = self.work / "other"
        done = self.clew("record", "--time=none", "-m", "orders", "-o", path, "-F",
                         "find", "--", self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path


class Finder(Case):
    def found(self, text):
        """Returns the function that `report -B` finds, or None."""
        done = self.clew("report", "--json", "-B", text, self.recording_path)
        if done.returncode:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            return None
        return json.loads(done.stdout)["name"]

    def line_of(self, text):
        lines = SOURCE.splitlines()
        return next(i for i, line in enumerate(lines, 1) if text in line)

    def address_of(self, name):
        text = self.run_program(["nm", "-C", self.program], text=True).stdout
        return int(re.search(rf"^(\w+) [TtWw] .*{re.escape(name)}", text,
                             re.M).group(1), 16)

    def test_a_part_of_a_name_finds_the_function(self):
        for text in ("find", "Index::find", "trading::Index<...>::find",
                     f"orders.cc:{self.line_of('key.size()')}"):
            self.assertRegex(self.found(text), r"^trading::Index<.*>::find\(",
                             text)
        for text in "parse(int)", "trading::parse(int)":
            self.assertEqual(self.found(text), "trading::parse(int)")
        self.assertRegex(self.found("^trading::jo"), r"^trading::join")

    def test_an_address_finds_the_function(self):
        at = self.address_of("trading::parse(int)")
        for text in f"{at:#x}", f"orders+{at:#x}", f"{at + 1:#x}":
            self.assertEqual(self.found(text), "trading::parse(int)", text)

    def test_several_matches_are_listed_with_names_to_type(self):
        for words in (["report", "-B"], ["tree", "--callers-of"],
                      ["trace", "--slowest"]):
            for name, count in ("parse", 2), ("insert", 2), ("trading", 5):
                done = self.clew(*words, name, self.recording_path)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                said, *listed = done.stderr.splitlines()
                self.assertIn(f"clew {words[0]}: {name}: ", said)
                self.assertIn(" functions match", said)
                self.assertEqual(len(listed), count, done.stderr)
                for text in listed:
                    self.said(*words, text.strip()[1:-1])

    def test_an_address_finds_a_function_of_a_stripped_program(self):
        at = self.address_of("trading::parse(int)")
        self.run_program(["strip", self.program])
        done = self.record([self.program], (*self.OPTIONS, "-m", "orders"))
        self.assertEqual(done.returncode, 0)
        for text in f"{at:#x}", f"orders+{at:#x}", f"{at + 1:#x}":
            self.assertEqual(self.found(text), f"orders+{at:#x}")
            self.assertIn(f"orders+{at:#x}",
                          self.said("tree", "--callers-of", text))
        self.assertIsNone(self.found("parse"))


EQUAL_ONE = """
#define KEPT __attribute__((noinline, noclone))
volatile int sink;
KEPT static void init(void) { sink = sink + 1; }
void other(void);
struct Base { int x; KEPT Base() { sink = sink + 1; }
              KEPT virtual ~Base() { sink = sink + 1; } };
struct Inner : virtual Base { KEPT ~Inner() override { sink = sink + 1; } };
struct Outer : Inner { KEPT ~Outer() override { sink = sink + 1; } };
template <class A, class B> KEPT void packs(A, B) { sink = sink + 1; }
KEPT void text(const char *, unsigned long) { sink = sink + 1; }
int main()
{
    init();
    for (int i = 0; i < 2; i++) other();
    for (int i = 0; i < 3; i++) delete new Inner;
    for (int i = 0; i < 5; i++) { Outer outer; }
    for (int i = 0; i < 7; i++) packs(1, 2.0);
    packs(1, 'a');
    for (int i = 0; i < 4; i++) text("a", 2);
    return 0;
}
"""
EQUAL_OTHER = """
extern volatile int sink;
__attribute__((noinline, noclone)) static void init(void)
{
    sink = sink + 2;
}
void other(void) { init(); }
"""


@clewtest.needs("g++")
class Equal(clewtest.Case):
    """Functions whose names are equal, and names with other blanks."""

    def setUp(self):
        super().setUp()
        for name, text in ("one.cc", EQUAL_ONE), ("other.cc", EQUAL_OTHER):
            (self.work / name).write_text(text)
        done = self.run_program(["g++", "-O1", "-o", "equal", "one.cc",
                                 "other.cc"], text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.record([self.work / "equal"],
                           ["--time=none", "--trace", "-m", "equal"])
        self.assertEqual(done.returncode, 0, done.stderr)

    def calls(self, *options):
        """Returns {name: calls} of the rows of a report."""
        done = self.clew("report", "-n", "0", "--metric=calls", *options,
                         self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"(?m)^ +([\d,]+) +[\d.]+% +.*?\d  (\S.*)  \[equal\]$",
                          done.stdout)
        self.assertEqual(len(rows), len(dict((name, 0) for _, name in rows)))
        return {name: int(calls.replace(",", "")) for calls, name in rows}

    def butterfly(self, name):
        done = self.clew("report", "-B", name, self.recording_path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_static_functions_have_their_addresses(self):
        for option in [], ["--full-names"]:
            rows = {name: calls for name, calls in self.calls(*option).items()
                    if name.startswith("init")}
            self.assertEqual(sorted(rows.values()), [1, 2])
            for name, calls in rows.items():
                self.assertRegex(name, r"^init(\(\))? \[0x[0-9a-f]+\]$")
                text = self.butterfly(name)
                self.assertRegex(text, rf"100\.00% +{calls}  init")

    def test_variants_of_destructors_are_marked(self):
        rows = self.calls()
        self.assertEqual(
            {name: calls for name, calls in rows.items() if "~" in name},
            {"Base::~Base": 8, "Inner::~Inner()": 3,
             "Inner::~Inner() [base]": 5, "Inner::~Inner() [deleting]": 3,
             "Inner::~Inner() [unified]": 8, "Outer::~Outer()": 5,
             "Outer::~Outer() [unified]": 5})
        self.assertIn("3  Inner::~Inner", self.butterfly(
            "Inner::~Inner() [deleting]"))
        text = self.clew("export", "-F", "folded", "--metric=calls",
                         self.recording_path).stdout
        self.assertIn("main;Inner::~Inner() [deleting];Inner::~Inner() 3", text)

    def test_blanks_in_names_do_not_matter(self):
        for name in ("packs<int,double>", "packs< int , double >",
                     "void packs<int,double>(int,double)",
                     "packs<int,double>(int, double)"):
            self.assertRegex(self.butterfly(name), r"100\.00% +7  packs")
        for name in "text(char const *, unsigned long)", \
                "text(char const*,unsigned long)":
            self.assertRegex(self.butterfly(name), r"100\.00% +4  text")
        done = self.clew("report", "-B", "text(char const*,unsignedlong)",
                         self.recording_path)
        self.assertEqual(done.returncode, 1)

    def test_blanks_do_not_matter_for_any_option(self):
        for words in (["report", "-f", "packs<int,double>"],
                      ["tree", "--focus=packs<int,double>"],
                      ["export", "-F", "folded", "--focus=packs<int,double>"],
                      ["trace", "--slowest=packs<int,double>"],
                      ["tree", "--callers-of=packs<int,double>"]):
            with self.subTest(words=words):
                done = self.clew(*words, self.recording_path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("char>", done.stdout)
        done = self.clew("diff", self.recording_path, self.recording_path,
                         "--fail-if=calls(packs<int,double>)>0%")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("passed: 1 condition", done.stdout)


if __name__ == "__main__":
    clewtest.main()
