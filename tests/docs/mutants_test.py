"""The committed pages of the last full mutation run: their sums are right, no rule is missing, and none survives."""
import pathlib
import re
import unittest

RESULTS = pathlib.Path("tests/mutation/results")
PAGE = (RESULTS / "mutants.md").read_text(encoding="utf-8")
EQUIVALENTS = (RESULTS / "equivalents.md").read_text(encoding="utf-8")
MUTATION = pathlib.Path("tests/mutation")
LEAST = 2000


def table(text, heading):
    """The rows of the first table whose first line starts so."""
    lines = text[text.index(heading):].splitlines()
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def rules(mutator):
    """The names of the rules of a mutator, as change.h spells them."""
    words = dict(re.findall(r'constexpr char (k\w+)\[\] = "([^"]+)"', (MUTATION / "change.h").read_text("utf-8")))
    listed = (MUTATION / mutator).read_text("utf-8").split("Rules() {")[1].split("}")[0]
    return {words[name] for name in re.findall(r"rule::(k\w+)", listed)}


class Mutants(unittest.TestCase):
    def setUp(self):
        self.rows = table(PAGE, "| target | rule | mutants |")

    def test_sums(self):
        body, total = self.rows[:-1], self.rows[-1]
        self.assertEqual(["all", "all"], total[:2])
        for column in range(2, len(total)):
            self.assertEqual(sum(int(row[column]) for row in body), int(total[column]), column)
        for row in self.rows:
            ends = [int(cell) for cell in row[3:7]]
            self.assertEqual(int(row[2]), sum(ends), row)

    def test_enough_and_none_survives(self):
        total = self.rows[-1]
        self.assertGreaterEqual(int(total[2]), LEAST)
        self.assertIn(f"{total[2]} mutants of ", PAGE)
        self.assertEqual(0, int(total[6]))

    def test_every_rule(self):
        for family, mutator in (("PTX", "ptx_mutator.cc"), ("AMDGCN", "gcn_mutator.cc")):
            self.assertGreater(len(rules(mutator)), 30)
            self.assertEqual(rules(mutator), {row[1] for row in self.rows if row[0] == family})

    def test_each_equivalent_is_listed_with_its_reason(self):
        reasons = table(PAGE, "| rule | why it is equivalent |")
        count = sum(int(row[2]) for row in reasons)
        self.assertEqual(int(self.rows[-1][5]), count)
        listed = [line for line in EQUIVALENTS.splitlines() if line.startswith("| ")]
        headings = [line for line in listed if line.startswith("| kernel |")]
        self.assertEqual(count, len(listed) - len(headings))
        for _, why, _ in reasons:
            self.assertIn(f"\n{why}:\n", EQUIVALENTS.replace("\\|", "|") if "|" in why else EQUIVALENTS)
        unknown = sum(int(row[2]) for row in reasons if "not classified" in row[1])
        self.assertLessEqual(unknown, count // 20)


if __name__ == "__main__":
    unittest.main()
