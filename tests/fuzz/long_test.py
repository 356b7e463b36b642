"""The long run, by ./ordo test --full: each target for a while, and what docs/robustness.md says of it.

`bazel run //tests/fuzz:long_test` with ORDO_FUZZ_SECONDS=600 runs each target for ten minutes and writes the table.
"""

import os
import pathlib
import re
import unittest

import fuzzing

PAGE = "docs/robustness.md"
SECONDS = int(os.environ.get("ORDO_FUZZ_SECONDS", "60"))
BEGIN, END = "<!-- the long run -->\n", "<!-- end -->\n"


def table(rows):
    lines = ["| target | seeds | executions | seconds | edges | features | inputs kept | peak memory |", "|---|---|---|---|---|---|---|---|"]
    for target, row in rows.items():
        lines.append(f"| `{target}` | {row['seeds']:,} | {row['executions']:,} | {row['seconds']} | {row['edges']:,} | {row['features']:,} | {row['corpus']:,} | {row['peak_mb']} MB |")
    return "\n".join(lines) + "\n"


class Long(unittest.TestCase):
    rows = {}

    def check(self, target):
        run = fuzzing.Run(target)
        self.addCleanup(run.close)
        run.replay()
        stats = run.search(f"-max_total_time={SECONDS}")
        self.assertGreater(stats["executions"], run.seeds)
        self.rows[target] = {"seeds": run.seeds, "seconds": SECONDS, **stats}

    @classmethod
    def tearDownClass(cls):
        print(table(cls.rows))
        workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
        if workspace and len(cls.rows) == len(fuzzing.TARGETS):
            page = pathlib.Path(workspace, PAGE)
            text = page.read_text()
            page.write_text(re.sub(f"(?s){re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: BEGIN + table(cls.rows) + END, text))


for name in fuzzing.TARGETS:
    setattr(Long, f"test_{name}", lambda self, name=name: self.check(name))

if __name__ == "__main__":
    unittest.main()
