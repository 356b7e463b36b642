"""Every kind of error is listed, reported, explained and tested, and nothing else is.

The compiler refuses a kind that dsl/syntax/kinds.h does not list, so the list holds all there are.
"""
import pathlib
import re
import unittest

KIND = r"[a-z0-9]+(?:-[a-z0-9]+)*"

# Kinds without a case, and the unit test that has them.
ELSEWHERE = {
    # The command line looks a kernel's name up itself and answers without a place.
    "unknown-kernel": "tests/unit/dsl/sema/errors_test.cc",
    # It finds out before it loads that a file cannot be read.
    "missing-file": "tests/unit/dsl/sema/modules_test.cc",
    # A fault of the formatter: whoever knows one corrects it.
    "format-fault": None,
}


def listed():
    text = pathlib.Path("dsl/syntax/kinds.h").read_text()
    body = re.search(r"kKinds\[\] = \{(.*?)\};", text, re.S).group(1)
    return re.findall(rf'"({KIND})"', body)


def reported():
    """Kinds that are the first argument of what reports."""
    kinds = set()
    for folder in ("dsl", "compiler"):
        for path in pathlib.Path(folder).rglob("*"):
            if path.suffix in (".h", ".cc") and path.name != "kinds.h":
                kinds.update(re.findall(rf'\b(?:error|warning|report|fail|refuse|Kind)\(\s*"({KIND})"\s*[,)]',
                                        path.read_text()))
    return kinds


def explained():
    """Kind to the other cells of its line in docs/errors.md."""
    lines = re.findall(rf"^\| `({KIND})` \|(.*)\|$", pathlib.Path("docs/errors.md").read_text(), re.M)
    return [(kind, [cell.strip() for cell in re.split(r"(?<!\\)\|", cells)]) for kind, cells in lines]


def tested():
    """Kind to the cases whose first check ends with it."""
    kinds = {}
    for path in sorted(pathlib.Path("tests/lit/fail").glob("*.ordo")):
        first = re.search(rf"^// +CHECK:.*\.ordo:\d+:\d+: (?:error|warning): .*\[({KIND})\]$",
                          path.read_text(errors="replace"), re.M)
        kinds.setdefault(first.group(1) if first else None, []).append(path.name)
    return kinds


class Kinds(unittest.TestCase):
    def test_the_list_has_no_kind_twice(self):
        self.assertEqual(len(listed()), len(set(listed())))
        self.assertGreater(len(listed()), 50)

    def test_every_kind_is_reported_somewhere(self):
        self.assertEqual(set(listed()), reported())

    def test_every_kind_has_one_line_in_the_book_in_the_order_of_the_list(self):
        self.assertEqual([kind for kind, _ in explained()], listed())

    def test_a_line_says_what_it_means_shows_an_example_and_the_fix(self):
        for kind, cells in explained():
            with self.subTest(kind):
                self.assertEqual(len(cells), 3)
                self.assertTrue(all(cells), cells)

    def test_every_kind_has_a_case(self):
        cases = tested()
        self.assertNotIn(None, cases, "a case whose first check shows no place and kind")
        self.assertEqual(set(cases) | set(ELSEWHERE), set(listed()))
        self.assertFalse(set(cases) & set(ELSEWHERE))

    def test_a_case_carries_the_name_of_its_kind(self):
        for kind, files in tested().items():
            for file in files:
                with self.subTest(file):
                    self.assertTrue(file.startswith(kind.replace("-", "_")))

    def test_kinds_without_a_case_have_a_unit_test(self):
        for kind, file in ELSEWHERE.items():
            with self.subTest(kind):
                if file:
                    self.assertRegex(pathlib.Path(file).read_text(), rf'"{kind}"|\[{kind}\]')


if __name__ == "__main__":
    unittest.main()
