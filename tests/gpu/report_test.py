"""The report of a run, whole or cut short."""

import unittest

from report import markdown

CASE = {"kernel": "k", "set": "plain", "failed": 0, "failures": [], "launches": 5, "rows": 1000, "elements": 40000,
        "largest_rows": 256, "registers": 40, "shared_bytes": 512}
CHECK = {"device": {"name": "NVIDIA H200"}, "target": "cuda.sm_90a", "passed": 1, "failed": 0, "cases": [CASE]}
ROW = {"shape": "rms_norm bf16 64x3584", "launches": 9, "name": "k", "us": 2.5, "TBps": 3.25, "of_copy": 0.99,
       "do_bench_us": None}
BENCH = {"nvidia_smi": "NVIDIA H200, 580.1, 345 MHz", "torch": "2", "triton": "3", "liger_kernel": None, "errors": [],
         "rows": [ROW, {"shape": ROW["shape"], "launches": 9, "name": "peer", "error": "it broke"}],
         "judged": [{"shape": "a", "ok": False, "why": "nothing to compare"},
                    {"shape": "b", "ok": True, "of_copy": 0.97, "of_best_peer": 1.2, "best_peer": "peer"}]}


def result(check, bench, sanitizer=()):
    return {"commit": "abc", "command": "run", "date": "2026-01-01", "check": check, "bench": bench,
            "sanitizer": list(sanitizer)}


class Report(unittest.TestCase):
    def test_whole(self):
        text = markdown(result(CHECK, BENCH, ["memcheck k: clean"]))
        self.assertIn("# NVIDIA H200", text)
        self.assertIn("Commit abc, 2026-01-01, `run`; driver 580.1", text)
        self.assertIn("| k | plain | 5 | 40,000 | 256 | 40 | 512 | equal |", text)
        self.assertIn("| k | 2.50 | 3.250 | 0.990 |  |", text)
        self.assertIn("| peer | it broke | | | |", text)
        self.assertIn("| b | 0.970 | 1.200 (peer) | yes |", text)
        self.assertIn("memcheck k: clean", text)

    def test_a_failure_is_in_the_table(self):
        bad = dict(CASE, failed=2, failures=["T = 3: y differs"])
        self.assertIn("| **T = 3: y differs** |", markdown(result(dict(CHECK, cases=[bad]), None)))

    def test_nothing_ran(self):
        text = markdown(result(None, None))
        self.assertIn("The check did not run.", text)
        self.assertIn("Nothing was timed.", text)
