"""Reads the parts of a page that can be checked, and compares what a page shows with what is so."""

import dataclasses
import re

MARK = re.compile(r"<!-- (file|from|results|kernels|audit): (.+) -->$")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)$")
GAP = "…"  # a line of its own: any number of lines are left out here


@dataclasses.dataclass
class Part:
    """`kind` is console or a mark's word; `lines` are page lines [first, last)."""

    kind: str
    argument: str
    lines: list
    first: int
    last: int


@dataclasses.dataclass
class Step:
    """One `$ command` of a console block, and what the page shows after it."""

    command: str
    exit: int
    shown: list


def parts(text):
    lines = text.split("\n")
    found, mark, at = [], None, 0
    while at < len(lines):
        line = lines[at]
        match = MARK.match(line)
        if match:
            mark = match.groups()
        elif line.startswith("```"):
            end = lines.index("```", at + 1)
            kind, argument = mark or ("console" if line == "```console" else None, "")
            if kind:
                found.append(Part(kind, argument, lines[at + 1 : end], at + 1, end))
            mark, at = None, end
        elif mark and line.startswith("|"):
            end = at
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            found.append(Part(*mark, lines[at:end], at, end))
            mark, at = None, end - 1
        elif mark and PICTURE.match(line):
            found.append(Part(*mark, [PICTURE.match(line).group(1)], at, at + 1))
            mark = None
        elif mark and line.strip():
            raise ValueError(f"line {at + 1}: nothing that <!-- {mark[0]}: … --> could speak of")
        at += 1
    return found


def steps(lines):
    """`$ command` lines, continued by a backslash; `# exit 1` at the end tells the exit code."""
    found = []
    continued = False
    for line in lines:
        if continued:
            found[-1].command += "\n" + line
        elif line.startswith("$ "):
            found.append(Step(line[2:], 0, []))
        elif not found:
            raise ValueError(f"output before any command: {line}")
        else:
            found[-1].shown.append(line)
        continued = (continued or line.startswith("$ ")) and line.endswith("\\")
    for step in found:
        code = re.search(r"# exit (\d+)$", step.command)
        step.exit = int(code.group(1)) if code else 0
    return found


def comparable(line):
    """Without what moves whenever the compiler learns something: value numbers, registers, sizes."""
    line = re.sub(r"%([a-z]*)\d+", r"%\1", line.rstrip())
    return re.sub(r"\b\d+(\.\d+)? (registers|bytes|kB)\b", r"N \2", line)


def listed(lines, most=40):
    cut = [f"… {len(lines) - most} more"] if len(lines) > most else []
    return "".join("\n  " + line for line in lines[:most] + cut)


def difference(shown, real):
    """Why `shown`, which may have gaps, is not `real`; None if it is."""
    shown = [comparable(line) for line in shown]
    real = [comparable(line) for line in real]
    at, gap, runs = 0, False, [[]]
    for line in shown:
        if line.strip() == GAP:
            runs.append([])
        else:
            runs[-1].append(line)
    for number, run in enumerate(runs):
        gap = number > 0
        last = number == len(runs) - 1
        if gap and last and run:
            places = [len(real) - len(run)]
        elif gap:
            places = range(at, len(real) - len(run) + 1)
        else:
            places = [at]
        place = next((p for p in places if p >= at and real[p : p + len(run)] == run), None)
        if place is None:
            return f"the page shows{listed(run)}\nand there is{listed(real[at:])}"
        at = place + len(run)
    if runs[-1] or len(runs) == 1:
        return None if at == len(real) else f"the page leaves out{listed(real[at:])}"
    return None
