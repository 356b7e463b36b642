"""The language reference holds: its examples check with their kernels, its grammar is whole and knows the words that the
lexer knows, and the examples use every word and mark of the grammar and every kind of node of a tree."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PAGE = pathlib.Path("docs/language.md").read_text(encoding="utf-8")
BINARY = pathlib.Path(os.environ.get("ORDO") or "compiler/driver/ordo").resolve()

# What each kind of dsl/syntax/ast.h looks like. A kind that is missing here fails the test.
LOOKS = {
    "Number": r"\d", "BoolLit": r"\btrue\b", "Name": r"\w", "Unary": r"~\w", "Binary": r" \* ", "Compare": r"<= \w+\[t\] <",
    "If": r"\bif .* then .* else ", "Call": r"sqrt\(", "Index": r"\w\[t\]", "Field": r"\)\.\w", "ArrayLit": r"\(\[",
    "Tuple": r"\(\(n\[u\], u\) <", "Block": r"\) \{$", "Reduce": r"\bsum\[", "Binder": r"\[\w in \w", "Ranking": r"\btop\[\w+\] \w in",
    "RankKey": r"\bNaN last", "Fold": r"\bfold\[", "Merge": r"\} merge \(", "Iterate": r"\biterate \d+ \(", "Carry": r"\(\w = \w+, \w",
    "Next": r"^\s+next \(", "Yield": r"^\s+yield \(", "OrderPipe": r"seq\(\d\) \| ", "OrderName": r"\bby \w+\]", "Stage": r"\blanes\(",
    "StageFrom": r"\)\.from\(", "StagePad": r"\)\.pad\(", "StageRound": r"pairs: bf16", "TensorType": r": f32\[T", "TupleType": r"-> \(\w+: \w+, \w+: \w+\) =",
    "Define": r"^  \w+\[t\] +=", "DefineTuple": r"^  \(\w+\[t\], ", "Target": r"^  \(\w+\[t\], ", "Update": r"\] := ", "Let": r"^  let \w+ =",
    "LetFn": r"^  let \w+\(\w", "Require": r"^  require ", "Assume": r"^  assume ", "Forall": r"\bforall \w+: ", "Distinct": r"\bdistinct\(",
    "Disjoint": r"\bdisjoint\(", "For": r"^  for \w in", "Use": r"^use \w", "Param": r"\] inout", "GenericDim": r"<H, ", "GenericBool": r"\bbool [A-Z]+,",
    "GenericType": r"\btype E\b", "GenericOrder": r", order \w+>", "Op": r"^op ", "Fn": r"^fn ", "View": r"^view ", "OrderDecl": r"^order \w+ +=",
    "LetDecl": r"^let \w+ =", "Kernel": r"^kernel ", "NamedArg": r"<H = \d", "Ranks": r"\bover ranks\(", "Profile": r"^profile ",
    "ProfileTarget": r"^  target ", "Atom": r"\batom mma = ", "Forbid": r"^  forbid ",
}


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


def examples():
    """Name of the module, and its text."""
    for n, text in enumerate(blocks("ordo")):
        named = re.match(r"module (\S+)\n", text)
        yield (named[1], text) if named else (f"example{n}", f"module example{n}\n\n{text}")


def without_comments(text):
    return re.sub(r"//.*", "", text)


def rules():
    [text] = blocks("ebnf")
    return [(name, body) for name, body in re.findall(r"^(\w+) += (.*?) ;$", text, re.M | re.S)]


def words_of(pattern, path):
    body = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8"), re.S)[1]
    return {word for word in re.findall(r'"([A-Za-z_]+)"', body)}


class Language(unittest.TestCase):
    maxDiff = None

    def test_examples_are_accepted(self):
        names = [name for name, _ in examples()]
        self.assertGreaterEqual(len(names), 14)
        self.assertEqual(len(names), len(set(names)))
        for name, text in examples():
            with self.subTest(module=name), tempfile.TemporaryDirectory() as folder:
                self.assertRegex(without_comments(text), r"(?m)^kernel ", "an example without a kernel")
                path = pathlib.Path(folder, *name.split(".")).with_suffix(".ordo")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                done = subprocess.run([BINARY, "check", path], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      env=os.environ | {"ORDO_CONTRACTS": str(pathlib.Path("contracts").resolve())}, check=False)
                self.assertEqual(0, done.returncode, done.stdout)
                self.assertNotIn("warning:", done.stdout)
                self.assertEqual(0, subprocess.run([BINARY, "fmt", "--check", path], check=False).returncode, "ordo fmt would change it")
                self.assertIn(f"ok, {len(re.findall(r'(?m)^ *kernel ', text))} kernel", done.stdout)

    def test_a_broken_example_is_refused(self):
        """The check above can fail: each example, with a result it does not define, is refused."""
        for name, text in examples():
            broken = re.sub(r"(?m)-> \((\w+: [^\n]*)\)(?=\s\{$)", r"-> (\1, undefined_result: f32[1])", text, count=1)
            self.assertNotEqual(text, broken, name)
            with self.subTest(module=name), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, *name.split(".")).with_suffix(".ordo")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(broken, encoding="utf-8")
                done = subprocess.run([BINARY, "check", path], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      env=os.environ | {"ORDO_CONTRACTS": str(pathlib.Path("contracts").resolve())}, check=False)
                self.assertEqual(1, done.returncode, done.stdout)
                self.assertIn("[missing-definition]", done.stdout)

    def test_grammar_is_whole(self):
        names = [name for name, _ in rules()]
        [text] = blocks("ebnf")
        self.assertEqual(text.count(";\n"), len(names), "a rule that is not read")
        self.assertEqual(len(names), len(set(names)), "a rule defined twice")
        used = {word for _, body in rules() for word in re.findall(r"\w+", re.sub(r'"[^"]*"', "", body))}
        self.assertEqual({"file"}, set(names) - used, "a rule that no other uses")
        self.assertEqual({"name", "number", "newline"}, used - set(names), "no rule defines it")

    def test_grammar_has_the_words_of_the_lexer_and_the_orders(self):
        lexer = "dsl/syntax/lexer.cc"
        known = words_of(r"kWords\[\] = \{(.*?)\n\};", lexer) | words_of(r"contextualWords\(\) \{(.*?)\n\}", lexer)
        known |= words_of(r"kStages = \{(.*?)\};", "dsl/syntax/parse_order.cc") | {"leaf", "pad"}
        words = {word for _, body in rules() for word in re.findall(r'"([A-Za-z_]+)"', body)}
        self.assertEqual(known, words)

    def test_examples_use_all_of_the_grammar(self):
        text = "\n".join(without_comments(text) for _, text in examples())
        tokens = set(re.findall(r"\w+|->|:=|<<|>>|[=!<>]=|[^\w\s]", text))
        terminals = {word for _, body in rules() for word in re.findall(r'"([^"]+)"', body)}
        self.assertEqual(set(), terminals - tokens)

    def test_examples_have_every_kind_of_node(self):
        header = pathlib.Path("dsl/syntax/ast.h").read_text(encoding="utf-8")
        body = re.search(r"enum class NodeKind[^{]*\{(.*?)\n\};", header, re.S)[1]
        kinds = re.findall(r"(\w+),", re.sub(r"//.*", "", body))
        self.assertEqual(set(LOOKS), set(kinds))
        text = "\n".join(without_comments(text) for _, text in examples())
        for kind in kinds:
            with self.subTest(kind=kind):
                self.assertRegex(text, re.compile(LOOKS[kind], re.M))


if __name__ == "__main__":
    unittest.main()
