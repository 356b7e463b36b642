"""docs/proof.md stays true: the trusted base has the size that it says, and every law's test is there.

No law's test is forgotten either: each test of the laws' files stands in a table.
"""
import pathlib
import re
import unittest

PAGE = pathlib.Path("docs/proof.md").read_text(encoding="utf-8")
TESTS = pathlib.Path("tests/unit/compiler/verify")
TABLED = ["term/float_laws_test.cc", "term/integer_laws_test.cc", "term/integer_bits_laws_test.cc",
          "term/condition_laws_test.cc", "term/division_laws_test.cc"]


def rows(heading):
    """The cells of the rows of the tables under a heading, up to the next one of its level or above."""
    level = heading.split()[0]
    part = PAGE.split(heading + "\n")[1]
    part = re.split(rf"\n#{{1,{len(level)}}} ", part)[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
            if not line.startswith(("| law |", "| expansion |", "| part |", "|---"))]


def lines_of(folder):
    files = [path for path in pathlib.Path(folder).iterdir() if path.suffix in (".cc", ".h")]
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def tests_in(path):
    text = path.read_text(encoding="utf-8")
    return {".".join(pair) for pair in re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", text, re.M)}


class Proof(unittest.TestCase):
    def test_trusted_base_has_its_size(self):
        counted = rows("## What has to be believed")
        self.assertGreater(len(counted), 5)
        for part, folders, said in counted:
            real = sum(lines_of(folder) for folder in re.findall("`([^`]+)`", folders))
            number = int(said.replace(",", ""))
            with self.subTest(part=part, real=real):
                self.assertLess(abs(real - number), real / 10)

    def test_each_law_has_its_test(self):
        known = set().union(*(tests_in(path) for path in TESTS.glob("*/*_test.cc")))
        laws = rows("## The laws")
        self.assertGreater(len(laws), 40)
        for row in laws:
            with self.subTest(law=row[0]):
                named = re.findall(r"`(\w+\.\w+)`", row[-1])
                self.assertTrue(named)
                self.assertEqual([], [name for name in named if name not in known])

    def test_each_test_is_of_a_law(self):
        named = {name for row in rows("## The laws") for name in re.findall(r"`(\w+\.\w+)`", row[-1])}
        for file in TABLED:
            self.assertEqual(set(), tests_in(TESTS / file) - named)


if __name__ == "__main__":
    unittest.main()
