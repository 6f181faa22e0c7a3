#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every test that tests/claims.md assigns to a documented claim exists."""
import re

from lib import clewtest

TESTS = clewtest.ROOT / "tests"


def rows():
    for line in (TESTS / "claims.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "where":
            yield cells


def promises():
    """Yields the tests of each promise in SECURITY.md."""
    text = (clewtest.ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for line in text.split("shown by |", maxsplit=1)[1].splitlines()[2:]:
        yield line.strip("| ").split(" | ")[-1]


def plain(text):
    """Returns the text without roff requests and with single blanks."""
    text = re.sub(r"(?m)^\.[A-Za-z]+ ?", "", text)
    return " ".join(re.sub(r"\\f[A-Z]|\\&", "", text)
                    .replace("\\-", "-").split())


def defines(file, name):
    """Returns whether a file has a test with exactly this name: a method, a
    row of a table of tests, or a title of node's test()."""
    name = re.escape(name)
    pattern = {".py": rf"^    def {name}\(",
               ".c": r"\b(cmocka_unit_test\w*|\w*TEST|CLAIM)"
                     rf"\(\s*{name}\s*[,)]",
               ".mjs": rf"^\s*test\((?:\"{name}\"|`{name}`),"}[file.suffix]
    return bool(re.search(pattern, file.read_text(encoding="utf-8"), re.M))


def exists(test):
    """Returns whether a test exists: "FOLDER/FILE", optionally with a test
    name."""
    path, _, name = test.partition(" ")
    for candidate in (path, f"tests/{path}", f"tests/{path}_test.py",
                      f"tests/{path}_test.c"):
        found = clewtest.ROOT / candidate
        if found.is_dir():
            return not name
        if found.is_file():
            return not name or defines(found, name)
    return False


def missing_tests(cells):
    return [test for cell in cells
            for test in re.split(r", (?=e2e/|tests/|page/|unit/|fuzz/)", cell)
            if not exists(test)]


class Claims(clewtest.Case):
    def test_documents_contain_the_words_of_each_claim(self):
        missing = [(where, words) for where, words, _ in rows()
                   if plain(words) not in plain(
                       (clewtest.ROOT / where).read_text(encoding="utf-8"))]
        self.assertEqual(missing, [])

    def test_each_claim_has_existing_tests(self):
        self.assertGreater(len(list(rows())), 30)
        self.assertEqual(missing_tests(tests for *_, tests in rows()), [])

    def test_each_promise_of_security_has_existing_tests(self):
        self.assertGreater(len(list(promises())), 15)
        self.assertEqual(missing_tests(promises()), [])

    def test_a_part_of_a_test_name_is_no_test(self):
        whole = ["e2e/claims test_a_part_of_a_test_name_is_no_test",
                 "unit/confinement a_worker_has_no_descriptor_but_its_own",
                 "page/address_test.mjs Back undoes each step, and Forward "
                 "repeats it"]
        self.assertEqual(missing_tests(whole), [])
        cut = [name[:-1] for name in whole]
        self.assertEqual(missing_tests(cut), cut)


if __name__ == "__main__":
    clewtest.main()
