"""The book stays true. On each page

  ```console            every `$ command` is run and prints what is shown; `# exit 1` tells another exit code
  <!-- file: NAME -->   the block is a file that the page's commands read
  <!-- from: PATH -->   the block is cut from a file of the project
  <!-- audit: K -->     the picture is what `ordo audit K --svg` draws
  <!-- results: S -->   the table is what tests/gpu/results/h200.json says of the shapes that start with S
  <!-- kernels: S -->   the same of h200_math.json, with every kernel of ours

A line `…` leaves lines out. Value numbers, register counts and sizes may differ. `bazel run //tests/docs:docs_test`
rewrites tables, pictures, and outputs without a gap; review the difference as code.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import pages

PAGES = ["README.md", "docs/tour.md", "docs/numbers.md", "docs/performance.md", "docs/profiles.md",
         "docs/foreign.md"]
WORKSPACE = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
ROOT = pathlib.Path(WORKSPACE or ".").resolve()
BINARY = pathlib.Path(os.environ.get("ORDO") or "compiler/driver/ordo").resolve()


def ptxas():
    return shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas")


def measured(name):
    with open(ROOT / "tests/gpu/results" / name, encoding="utf-8") as file:
        return json.load(file)["bench"]


def results_table(prefix):
    bench = measured("h200.json")
    lines = ["| shape | Ordo, µs | TB/s | of the copy | fastest of PyTorch, torch.compile, Liger, µs | its time over ours |",
             "|---|---:|---:|---:|---:|---:|"]
    shapes = dict.fromkeys(row["shape"] for row in bench["rows"] if row["shape"].startswith(prefix))
    for shape in shapes:
        rows = [row for row in bench["rows"] if row["shape"] == shape and "error" not in row]
        # The contract that the shape is named after; its variants are in the full table.
        operation, dtype, size = shape.split()[:3]
        ours = next(row for row in rows if row["name"] == f"{operation}_{dtype}_{size.split('x')[1]}")
        peer = min((row for row in rows if row["kind"] == "peer"), key=lambda row: row["us"])
        lines.append(f"| {shape} | {ours['us']:.2f} | {ours['TBps']:.2f} | {ours['of_copy']:.3f} | "
                     f"{peer['us']:.2f} ({peer['name']}) | {peer['us'] / ours['us']:.2f} |")
    return lines


def kernels_table(prefixes):
    bench = measured("h200_math.json")
    lines = ["| kernel | rows x columns | µs | TB/s | of the copy | fastest of PyTorch, torch.compile, Liger, µs | its time over ours |",
             "|---|---|---:|---:|---:|---:|---:|"]
    rows = [row for row in bench["rows"] if "error" not in row and row["shape"].split()[0] in prefixes.split()]
    for ours in (row for row in rows if row["kind"] == "ours"):
        peer = min((row for row in rows if row["kind"] == "peer" and row["shape"] == ours["shape"]), key=lambda row: row["us"])
        lines.append(f"| {ours['name']} | {ours['shape'].split()[2]} | {ours['us']:.1f} | {ours['TBps']:.2f} | "
                     f"{ours['of_copy']:.3f} | {peer['us']:.1f} ({peer['name']}) | {peer['us'] / ours['us']:.2f} |")
    return lines


class Book(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        """A folder like the project's root, as far as a reader's commands need it."""
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("contracts", "tools", "tests/foreign"):
            shutil.copytree(ROOT / name, self.folder / name)
        wrapper = self.folder / "ordo"
        wrapper.write_text(f'#!/bin/sh\nORDO_CONTRACTS={self.folder}/contracts exec {BINARY} "$@"\n')
        wrapper.chmod(0o755)

    def run_step(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def check_console(self, part):
        """The block as it should be."""
        wanted = []
        for step in pages.steps(part.lines):
            done = self.run_step(step.command)
            real = done.stdout.replace(str(self.folder) + "/", "").splitlines()
            gaps = any(line.strip() == pages.GAP for line in step.shown)
            wanted += ["$ " + line if n == 0 else line for n, line in enumerate(step.command.split("\n"))]
            wanted += step.shown if gaps else real
            with self.subTest(command=step.command):
                self.assertEqual(step.exit, done.returncode, done.stdout)
                if "cuda" in step.command and "--emit" not in step.command and not ptxas():
                    continue  # no cubin, and a note that says so
                shown = step.shown
                if not ptxas():  # the pages were written with it
                    shown = [line for line in shown if not line.endswith(".cubin")]
                if gaps or not WORKSPACE:
                    self.assertIsNone(pages.difference(shown, real))
        return wanted

    def check_from(self, part):
        real = (ROOT / part.argument).read_text(encoding="utf-8").splitlines()
        # An excerpt begins and ends anywhere.
        self.assertIsNone(pages.difference([pages.GAP, *part.lines, pages.GAP], real))
        return part.lines

    def check_file(self, part):
        (self.folder / part.argument).write_text("\n".join(part.lines) + "\n", encoding="utf-8")
        return part.lines

    def check_table(self, part, wanted):
        if not WORKSPACE:
            self.assertEqual(wanted, part.lines)
        return wanted

    def check_results(self, part):
        return self.check_table(part, results_table(part.argument))

    def check_kernels(self, part):
        return self.check_table(part, kernels_table(part.argument))

    def check_audit(self, part, page):
        picture = page.parent / part.lines[0]
        self.run_step(f"./ordo audit {part.argument} --svg tree.svg")
        drawn = (self.folder / "tree.svg").read_text(encoding="utf-8")
        if WORKSPACE:
            picture.write_text(drawn, encoding="utf-8")
        self.assertEqual(drawn, picture.read_text(encoding="utf-8"))

    def check_page(self, name):
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        lines = text.split("\n")
        parts = pages.parts(text)
        self.assertTrue(parts, "nothing on this page is checked")
        changed = []
        for part in parts:
            with self.subTest(line=part.first, kind=part.kind):
                if part.kind == "audit":
                    self.check_audit(part, page)
                else:
                    changed.append((part, getattr(self, "check_" + part.kind)(part)))
        if WORKSPACE:
            for part, wanted in reversed(changed):
                lines[part.first : part.last] = wanted
            page.write_text("\n".join(lines), encoding="utf-8")

    def test_demo_runs(self):
        done = self.run_step("tools/demo.sh")
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertIn("equal, bit for bit", done.stdout)
        self.assertTrue((self.folder / "out/demo/kernels/manifest.json").exists())


for _name in PAGES:
    setattr(Book, "test_" + _name.replace("/", "_").removesuffix(".md").lower(),
            lambda self, name=_name: self.check_page(name))


class Reading(unittest.TestCase):
    """The comparison itself can fail."""

    def test_difference(self):
        real = ["a %12 = 3 registers", "b", "c", "d"]
        for shown in (["a %7 = 4 registers", "b", "c", "d"], ["a %1 = 1 registers", "…", "d"], ["…", "c", "…"], ["…"]):
            self.assertIsNone(pages.difference(shown, real), shown)
        for shown in ([], ["b"], ["a %1 = 1 registers"], ["…", "c"], ["…", "e", "…"], ["…", "c", "…", "b", "…"], real[:3],
                      real + ["e"]):
            self.assertIsNotNone(pages.difference(shown, real), shown)

    def test_steps(self):
        one, two = pages.steps(["$ ./ordo check x  # exit 1", "error", "$ a \\", "    b", "", "out"])
        self.assertEqual((1, ["error"]), (one.exit, one.shown))
        self.assertEqual(("a \\\n    b", 0, ["", "out"]), (two.command, two.exit, two.shown))

    def test_parts(self):
        text = "```console\n$ true\n```\n<!-- results: x -->\n\n| a |\n|---|\n<!-- audit: f:k -->\n![t](i.svg)\n```sh\n```\n"
        self.assertEqual([("console", ["$ true"]), ("results", ["| a |", "|---|"]), ("audit", ["i.svg"])],
                         [(part.kind, part.lines) for part in pages.parts(text)])
        with self.assertRaises(ValueError):
            pages.parts("<!-- file: x -->\ntext\n")


if __name__ == "__main__":
    unittest.main()
