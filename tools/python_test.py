#!/usr/bin/env python3
"""python_test.py FILE: runs FILE's unittest cases and lists each in $XML_OUTPUT_FILE, as Bazel expects."""

import os
import sys
import unittest
import xml.etree.ElementTree as ET


class Recorder(unittest.TextTestResult):
    """Keeps the outcome of every case, not of failed ones only."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.outcomes = {}  # case id to None, or the tag and text of what went wrong

    def startTest(self, test):
        super().startTest(test)
        self.outcomes[test.id()] = None

    def addError(self, test, err):
        super().addError(test, err)
        self.outcomes[test.id()] = ("error", self._exc_info_to_string(err, test))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.outcomes[test.id()] = ("failure", self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.outcomes[test.id()] = ("failure", self._exc_info_to_string(err, subtest))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.outcomes[test.id()] = ("skipped", reason)


def main():
    path = sys.argv[1]
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    result = unittest.TextTestRunner(resultclass=Recorder, stream=sys.stdout).run(suite)

    if "XML_OUTPUT_FILE" in os.environ:
        top = ET.Element("testsuite", name=name, tests=str(result.testsRun))
        for case, outcome in result.outcomes.items():
            element = ET.SubElement(top, "testcase", classname=case.rpartition(".")[0], name=case.rpartition(".")[2])
            if outcome:
                ET.SubElement(element, outcome[0], message=outcome[1].strip().rpartition("\n")[2]).text = outcome[1]
        ET.ElementTree(top).write(os.environ["XML_OUTPUT_FILE"], encoding="utf-8")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
