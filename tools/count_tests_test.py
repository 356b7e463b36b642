import contextlib
import io
import json
import os
import tempfile
import unittest

import count_tests


class CountTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.events = []

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def add_test(self, label, status, cases=None, log="", attempt=1, shard=1):
        """Adds a testResult; `cases` is the inside of its test.xml, None for a test without one."""
        stem = f"{label.strip('/').replace('/', '_').replace(':', '_')}_{attempt}_{shard}"
        outputs = [{"name": "test.log", "uri": "file://" + self.write(stem + ".log", log)}]
        if cases is not None:
            xml = f"<testsuites><testsuite name='s'>{cases}</testsuite></testsuites>"
            outputs.append({"name": "test.xml", "uri": "file://" + self.write(stem + ".xml", xml)})
        self.events.append({
            "id": {"testResult": {"label": label, "run": 1, "shard": shard, "attempt": attempt}},
            "testResult": {"status": status, "testActionOutput": outputs},
        })

    def run_main(self, bazel_status=0, checks=()):
        """The lines printed and the exit code."""
        path = self.write("events.json", "\n".join(json.dumps(event) for event in self.events))
        arguments = ["--events", path, "--bazel-status", str(bazel_status)]
        for check in checks:
            arguments += ["--check", check]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = count_tests.main(arguments)
        return output.getvalue().splitlines(), code

    def test_single_cases_are_counted(self):
        self.add_test("//a:t", "PASSED", "<testcase name='x'/><testcase name='y'/>")
        self.add_test("//b:t", "PASSED", "<testcase name='x'/>")
        self.assertEqual(self.run_main(), (["3 passed, 0 failed"], 0))

    def test_failed_cases_are_named_with_the_log(self):
        self.add_test("//a:t", "FAILED", "<testcase name='x'/><testcase classname='c' name='y'><failure/></testcase>",
                      log="expected 1, got 2\n")
        lines, code = self.run_main(3)
        self.assertEqual(lines, ["FAILED //a:t: c.y", "expected 1, got 2", "1 passed, 1 failed"])
        self.assertEqual(code, 1)

    def test_only_the_tail_of_a_long_log(self):
        self.add_test("//a:t", "FAILED", log="\n".join(str(i) for i in range(100)))
        lines, _ = self.run_main(3)
        self.assertEqual(lines[1:3], ["  … 60 lines before", "60"])

    def test_without_xml_a_test_is_one_case(self):
        self.add_test("//a:t", "PASSED")
        self.add_test("//b:t", "TIMEOUT")
        lines, code = self.run_main(3)
        self.assertEqual((lines, code), (["FAILED //b:t: timeout", "1 passed, 1 failed"], 1))

    def test_unreadable_xml_is_no_xml(self):
        self.add_test("//a:t", "FAILED", "<testcase name='x'>")
        self.assertEqual(self.run_main(3)[0][-1], "0 passed, 1 failed")

    def test_a_crash_after_the_last_case_fails(self):
        self.add_test("//a:t", "FAILED", "<testcase name='x'/>")
        self.assertEqual(self.run_main(3)[0][-1], "1 passed, 1 failed")

    def test_skipped_cases_do_not_pass(self):
        self.add_test("//a:t", "PASSED", "<testcase name='x'><skipped/></testcase><testcase name='y' status='notrun'/>"
                      "<testcase name='z'/>")
        self.assertEqual(self.run_main(), (["2 skipped", "1 passed, 0 failed"], 0))

    def test_no_case_fails(self):
        self.add_test("//a:t", "PASSED", "")
        self.assertEqual(self.run_main(), (["FAILED //a:t: ran no case", "0 passed, 1 failed"], 1))

    def test_the_last_attempt_counts_and_every_shard(self):
        self.add_test("//a:t", "PASSED", "<testcase name='x'/>", attempt=2)
        self.add_test("//a:t", "FAILED", "<testcase name='x'><failure/></testcase>", attempt=1)
        self.add_test("//a:t", "PASSED", "<testcase name='y'/>", shard=2)
        self.assertEqual(self.run_main(), (["2 passed, 0 failed"], 0))

    def test_a_target_that_did_not_build_fails_once(self):
        for label in ("//a:lib", "//a:t"):
            self.events.append({"id": {"targetCompleted": {"label": label}}, "completed": {"success": False}})
        self.events.append({"id": {"targetCompleted": {"label": "//b:lib"}}, "completed": {"success": True}})
        lines, code = self.run_main(1)
        self.assertEqual(lines, ["FAILED //a:lib: did not build", "FAILED //a:t: did not build", "0 passed, 2 failed"])
        self.assertEqual(code, 1)

    def test_a_package_that_did_not_load_fails(self):
        self.events.append({"id": {"pattern": {"pattern": ["//..."]}},
                            "aborted": {"reason": "LOADING_FAILURE", "description": "no such file"}})
        self.assertEqual(self.run_main(1)[0], ["FAILED //...: no such file", "0 passed, 1 failed"])

    def test_bazel_failing_for_no_named_reason_fails(self):
        self.add_test("//a:t", "PASSED", "<testcase name='x'/>")
        lines, code = self.run_main(37)
        self.assertEqual((lines[-1], code), ("1 passed, 1 failed", 1))

    def test_no_events_at_all(self):
        self.assertEqual(self.run_main(4)[0][-1], "0 passed, 1 failed")

    def test_checks(self):
        log = self.write("walls.log", "case: dsl knows no MLIR ok\ncase: runtime links no LLVM FAILED\n")
        lines, code = self.run_main(checks=[f"walls:1:{log}"])
        self.assertEqual(lines[0], "FAILED check walls: runtime links no LLVM")
        self.assertEqual((lines[-1], code), ("1 passed, 1 failed", 1))

    def test_a_check_that_dies_or_says_nothing_fails(self):
        died = self.write("died.log", "case: first ok\nSegmentation fault\n")
        silent = self.write("silent.log", "")
        lines, _ = self.run_main(checks=[f"died:139:{died}", f"silent:0:{silent}"])
        self.assertIn("FAILED check died: exit code 139", lines)
        self.assertIn("FAILED check silent: ran no case", lines)
        self.assertEqual(lines[-1], "1 passed, 2 failed")


if __name__ == "__main__":
    unittest.main()
