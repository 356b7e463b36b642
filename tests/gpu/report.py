"""Makes h200.json and h200.md of the files that run_h200.sh left in OUT: check.json, bench.json.

Usage: report.py --out OUT --commit TEXT --command TEXT [--sanitizer FILE]
"""

import argparse
import json
import os
import time


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def read_lines(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split("\n")[:-1]
    except (OSError, TypeError):
        return []


def bits_section(check):
    if check is None:
        return ["The check did not run."]
    cases = check["cases"]
    lines = [
        f"{check['passed']} cases passed, {check['failed']} failed: "
        f"{sum(c['launches'] for c in cases):,} launches, {sum(c['rows'] for c in cases):,} rows, "
        f"{sum(c['elements'] for c in cases):,} elements, every one compared.",
        "",
        "| kernel | weights | launches | elements compared | largest T | registers | shared bytes | result |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for case in cases:
        result = "equal" if case["failed"] == 0 else "**" + (case["failures"] or ["failed"])[0] + "**"
        lines.append(f"| {case['kernel']} | {case['set']} | {case['launches']:,} | {case['elements']:,} | "
                     f"{case['largest_rows']:,} | {case['registers']} | {case['shared_bytes']:,} | {result} |")
    return lines


def speed_section(bench):
    if bench is None:
        return ["Nothing was timed."]
    lines = []
    shape = None
    for row in bench["rows"]:
        if row["shape"] != shape:
            shape = row["shape"]
            lines += ["", f"**{shape}**, {row['launches']} launches a graph", "",
                      "| | µs | TB/s | of the copy | do_bench µs |", "|---|---:|---:|---:|---:|"]
        if "error" in row:
            lines.append(f"| {row['name']} | {row['error']} | | | |")
            continue
        share = "" if row["of_copy"] is None else f"{row['of_copy']:.3f}"
        host = "" if row["do_bench_us"] is None else f"{row['do_bench_us']:.2f}"
        lines.append(f"| {row['name']} | {row['us']:.2f} | {row['TBps']:.3f} | {share} | {host} |")
    lines += ["", "| aim | of the copy | of the best peer | met |", "|---|---:|---:|---|"]
    for verdict in bench["judged"]:
        if "of_best_peer" not in verdict:
            lines.append(f"| {verdict['shape']} | | {verdict['why']} | no |")
        else:
            lines.append(f"| {verdict['shape']} | {verdict['of_copy']:.3f} | {verdict['of_best_peer']:.3f} "
                         f"({verdict['best_peer']}) | {'yes' if verdict['ok'] else 'no'} |")
    return lines + [f"\nNot timed: {error}" for error in bench["errors"]]


def markdown(result):
    check, bench = result["check"], result["bench"]
    device = (check or {}).get("device", {})
    driver = (bench or {}).get("nvidia_smi", "").split(",")
    lines = [
        f"# {device.get('name', 'no device')}: the last run",
        "",
        f"Commit {result['commit']}, {result['date']}, `{result['command']}`; "
        f"driver{driver[1] if len(driver) > 1 else ' unknown'}, target {(check or {}).get('target', 'unknown')}"
        + (f", torch {bench['torch']}, triton {bench['triton']}, Liger {bench['liger_kernel']}" if bench else "")
        + ". How it is measured: docs/performance.md; the numbers in full: h200.json.",
        "",
        "## Bits",
        "",
        *bits_section(check),
        "",
    ]
    if result["sanitizer"]:
        lines += ["compute-sanitizer, few rows: " + "; ".join(result["sanitizer"]) + ".", ""]
    return "\n".join(lines + ["## Speed", *speed_section(bench)]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--out", "--commit", "--command"):
        parser.add_argument(name, required=True)
    parser.add_argument("--sanitizer")
    options = parser.parse_args()
    result = {
        "commit": options.commit,
        "command": options.command,
        "date": time.strftime("%Y-%m-%d"),
        "sanitizer": read_lines(options.sanitizer),
        "check": read_json(os.path.join(options.out, "check.json")),
        "bench": read_json(os.path.join(options.out, "bench.json")),
    }
    with open(os.path.join(options.out, "h200.json"), "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    with open(os.path.join(options.out, "h200.md"), "w", encoding="utf-8") as file:
        file.write(markdown(result))


if __name__ == "__main__":
    main()
