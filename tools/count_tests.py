#!/usr/bin/env python3
"""Counts single test cases and prints what failed, then `N passed, N failed` on a line of its own.

Bazel's build events say which tests ran in this very run and where each one's test.xml lies; a glob over
the log folder would count old runs. A test without a readable test.xml counts as one case. A target that
did not build counts as one failed case. A test that ran no case fails: it asserts nothing.
"""

import argparse
import dataclasses
import json
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree

LOG_TAIL = 40  # lines of a failed test's log


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = dataclasses.field(default_factory=list)  # pairs of title and text

    def fail(self, title, text="", cases=1):
        self.failed += cases
        self.failures.append((title, text))


def path_of(uri):
    parts = urllib.parse.urlparse(uri)
    return urllib.parse.unquote(parts.path) if parts.scheme == "file" else None


def tail(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
    except (OSError, TypeError):
        return ""
    cut = [f"  … {len(lines) - LOG_TAIL} lines before"] if len(lines) > LOG_TAIL else []
    return "\n".join(cut + lines[-LOG_TAIL:])


def read_cases(path):
    """The (passed, failed names, skipped) of a test.xml, or None where it cannot be read."""
    try:
        tree = xml.etree.ElementTree.parse(path)
    except (OSError, TypeError, xml.etree.ElementTree.ParseError):
        return None
    passed, failed, skipped = 0, [], 0
    for case in tree.iter("testcase"):
        children = {child.tag for child in case}
        if children & {"failure", "error"}:
            failed.append(".".join(filter(None, (case.get("classname"), case.get("name")))))
        elif "skipped" in children or case.get("status") == "notrun" or case.get("result") == "skipped":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_test(count, label, result):
    """Adds one test's cases. `result` is the payload of Bazel's testResult event."""
    files = {file["name"]: path_of(file.get("uri", "")) for file in result.get("testActionOutput", [])}
    succeeded = result.get("status") in ("PASSED", "FLAKY")
    cases = read_cases(files.get("test.xml"))
    passed, failed, skipped = cases or (int(succeeded), [], 0)
    count.passed += passed
    count.skipped += skipped
    if failed:
        count.fail(f"{label}: {', '.join(failed)}", tail(files.get("test.log")), len(failed))
    elif not succeeded:
        status = result.get("status", "no status").lower().replace("_", " ")
        count.fail(f"{label}: {status}", tail(files.get("test.log")))
    elif passed + skipped == 0:
        count.fail(f"{label}: ran no case")


def count_events(count, lines, bazel_status):
    """Adds what Bazel's build events say: one JSON object a line."""
    results, broken = {}, {}
    for line in lines:
        try:
            event = json.loads(line)
        except json.JSONDecodeError:  # Bazel died while writing
            continue
        identity = event.get("id", {})
        if "testResult" in identity:
            key = identity["testResult"]
            place = (key["label"], key.get("run", 1), key.get("shard", 1))
            attempt = key.get("attempt", 1)
            if place not in results or results[place][0] <= attempt:
                results[place] = (attempt, event.get("testResult", {}))
        elif "targetCompleted" in identity and "completed" in event:
            label = identity["targetCompleted"]["label"]
            if not event["completed"].get("success"):
                broken[label] = "did not build"
        elif "aborted" in event and event["aborted"].get("reason") != "SKIPPED":
            # Loading and analysis errors name a target or a pattern; the rest has no name.
            name = next((key.get("label") or " ".join(key.get("pattern", [])) for key in identity.values() if key), "")
            if name:
                broken.setdefault(name, event["aborted"].get("description", "").strip() or "did not load")
    for (label, _, _), (_, result) in sorted(results.items()):
        count_test(count, label, result)
    tested = {label for label, _, _ in results}
    for label, why in sorted(broken.items()):
        if label not in tested:
            count.fail(f"{label}: {why}")
    if bazel_status != 0 and not count.failures:
        count.fail(f"bazel failed with exit code {bazel_status}; its messages stand above")


def count_check(count, name, status, path):
    """Adds the `case: NAME ok|FAILED` lines of a script of tools/checks."""
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            cases = re.findall(r"^case: (.+) (ok|FAILED)$", log.read(), re.MULTILINE)
    except OSError:
        cases = []
    failed = [case for case, verdict in cases if verdict == "FAILED"]
    count.passed += len(cases) - len(failed)
    if failed:
        count.fail(f"check {name}: {', '.join(failed)}", tail(path), len(failed))
    elif status != 0:
        count.fail(f"check {name}: exit code {status}", tail(path))
    elif not cases:
        count.fail(f"check {name}: ran no case", tail(path))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", required=True, help="file of Bazel's --build_event_json_file")
    parser.add_argument("--bazel-status", type=int, required=True, help="Bazel's exit code")
    parser.add_argument("--check", action="append", default=[], metavar="NAME:EXITCODE:LOG")
    options = parser.parse_args(arguments)

    count = Count()
    lines = []
    if os.path.exists(options.events):
        with open(options.events, encoding="utf-8", errors="replace") as events:
            lines = events.readlines()
    count_events(count, lines, options.bazel_status)
    for check in options.check:
        name, status, path = check.split(":", 2)
        count_check(count, name, int(status), path)

    for title, text in count.failures:
        print(f"FAILED {title}")
        if text:
            print(text)
    if count.skipped:
        print(f"{count.skipped} skipped")
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed or options.bazel_status != 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
