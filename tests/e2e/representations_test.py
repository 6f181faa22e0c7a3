#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trees by modules, lines and the like equal the tree of functions, folded by this test."""
import collections
import pathlib
import subprocess

from lib import clewtest
from lib.clewtest import target

HERE = pathlib.Path(__file__).resolve().parent


class Contexts(clewtest.Case):
    @staticmethod
    def paths(tree):
        """Returns [(functions from the outermost on, calls of exactly this path)]."""
        by_id, found = {0: ()}, []
        for node in tree["contexts"]:
            path = (*by_id[node["parent"]], tree["functions"][node["function"]])
            by_id[node["id"]] = path
            found.append((path, node["calls"]))
        return found

    def folded(self, key, most=None):
        """Returns {keys of a chain: calls}, computed from the tree of functions."""
        found = collections.Counter()
        for path, calls in self.paths(self.functions):
            keys = []
            for function in path:
                if keys[-1:] != [key(function)] or most:
                    keys.append(key(function))
            found[tuple(keys[:most])] += calls
        return found

    def represented(self, context, name=lambda name: name):
        tree = self.clew_json("tree", "--json", f"--context={context}",
                              self.recording_path)
        found = collections.Counter()
        for path, calls in self.paths(tree):
            found[tuple(name(function["name"]) for function in path)] += calls
        return found

    def object(self):
        path = self.work / "letters.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-I", HERE.parents[1], "-o",
                        path, HERE / "letters.c"], check=True)
        return path

    def test_context_objects_work_for_counts_and_traces(self):
        letters = self.object()
        trees = []
        for options in ["--time=none"], ["--trace"]:
            with self.subTest(options):
                self.record([target("unwinding")], options)
                self.functions = self.clew_json("tree", "--json",
                                                self.recording_path)
                modules = self.folded(
                    lambda function: pathlib.Path(function["module"]).name)
                self.assertGreater(len(modules), 2)
                self.assertEqual(self.represented("module"), modules)
                trees.append(self.represented(
                    letters, lambda name: name.split(" (0x")[0]))
                self.assertEqual(trees[-1], self.folded(
                    lambda function: function["name"][0], most=3))
                self.assertEqual(self.represented("function"), self.folded(
                    lambda function: function["name"], most=1000000))
        self.assertEqual(*trees)

    def test_contexts_have_classes_and_files(self):
        path, source = self.work / "classes", self.work / "classes.cc"
        source.write_text(
            "namespace shop { struct Cart {\n"
            " __attribute__((noinline)) void add(int n) { sum += n; }\n"
            " __attribute__((noinline)) void all(int n)"
            " { while (n) add(n--); }\n"
            " volatile int sum; }; }\n"
            "int main() { shop::Cart cart; cart.sum = 0; cart.all(9); }\n")
        subprocess.run(["c++", "-g", "-O1", "-fno-ipa-icf", "-o", path, source],
                       check=True)
        self.record([path], ["--time=none", "-m", "classes", "-f",
                             "main|Cart"])
        self.assertEqual(self.represented("class"), {
            ("main",): 1, ("main", "shop::Cart"): 10})
        self.assertEqual(self.represented(
            "file", lambda name: pathlib.Path(name).name),
            {("classes.cc",): 11})

    def test_unknown_context_functions_are_refused(self):
        self.record(["true"], ["--time=none"])
        done = self.clew("tree", "--context=nothing", self.recording_path)
        self.assert_usage_error(done, "not one of function, site")
        for path, said in (("./none.so", "No such file"),
                           ("/bin/true", "--context=/bin/true")):
            done = self.clew("tree", f"--context={path}", self.recording_path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    clewtest.main()
