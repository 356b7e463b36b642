"""How the fuzzer is run: seeds, limits, what it says in the end."""

import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile

import evil

FUZZ = os.environ.get("ORDO_FUZZ", "tests/fuzz/fuzz")
HERE = pathlib.Path("tests/fuzz")
LANGUAGE = ("lexer", "parser", "format", "checker", "evaluator")

# The bounded run: executions after the seeds; inputs are at most so long.
TARGETS = {
    "lexer": (2000, 4096),
    "parser": (2000, 4096),
    "format": (600, 4096),
    "checker": (800, 4096),
    "evaluator": (1000, 3000),
    "orders": (1000, 400),
    "npy": (4000, 300),
    "lock": (2000, 1500),
    "manifest": (2000, 1500),
    "value": (8000, 60),
}

# No input may take so long, or so much, even with sanitizers on a machine with other things to do.
LIMITS = ("-timeout=600", "-rss_limit_mb=3072", "-malloc_limit_mb=1024")
STACK = 64 << 20  # sanitizers make frames several times larger than they are


def contract_texts():
    for folder in ("contracts", "tests/contracts", "tests/sketches", "tests/lit/fail"):
        for path in sorted(pathlib.Path(folder).rglob("*.ordo")):
            yield "_".join(path.with_suffix("").parts), path.read_bytes()


def tiny(text):
    """The contract with sizes that are evaluated in no time."""
    def smaller(match):
        return match[0] if len(match[0]) < 3 else str(int(match[0]) % 13 + 1)
    lines = text.decode(errors="replace").split("\n")
    return "\n".join(re.sub(r"(?<![\w.])\d+(?![\w.])", smaller, line) for line in lines).encode()


# What reaches the checker's limit of four million parts: many seconds with sanitizers, so once is enough.
LARGE = {"tests_lit_fail_too_large", "doubling_locals"}


def seeds(target):
    all_seeds = list(evil.inputs(target))
    if target in LANGUAGE:
        all_seeds += contract_texts()
    if target == "evaluator":
        all_seeds += ((name + "_tiny", tiny(text)) for name, text in contract_texts() if name not in LARGE)
    yield from ((name, data) for name, data in all_seeds if name not in LARGE or target == "checker")
    for folder in ("seeds", "found"):
        for path in sorted((HERE / folder / target).glob("*")):
            yield f"{folder}_{path.name}", path.read_bytes()


class Run:
    """One target: its seeds first, as they are, then a search that begins with them."""

    def __init__(self, target, work=None):
        self.target = target
        self.work = pathlib.Path(work or tempfile.mkdtemp(prefix="fuzz_", dir=os.environ.get("TEST_TMPDIR")))
        for name in ("seeds", "new", "scratch", "found"):
            (self.work / name).mkdir(exist_ok=True)
        self.seeds = 0
        for name, data in seeds(target):
            (self.work / "seeds" / name).write_bytes(data)
            self.seeds += 1

    def _fuzz(self, *arguments):
        def more_stack():
            hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
            resource.setrlimit(resource.RLIMIT_STACK, (STACK if hard == resource.RLIM_INFINITY else min(STACK, hard), hard))
        options = "detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=1:quarantine_size_mb=16"
        command = [FUZZ, f"--target={self.target}", "--contracts=contracts", f"--scratch={self.work / 'scratch'}",
                   *LIMITS, f"-artifact_prefix={self.work / 'found'}/", *arguments]  # fmt: skip
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=more_stack,
                              env={**os.environ, "ASAN_OPTIONS": options, "UBSAN_OPTIONS": "print_stacktrace=1"})  # fmt: skip
        text = done.stdout.decode(errors="replace")
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}\n{self._failure(text)}")
        return text

    @staticmethod
    def _failure(text):
        lines = text.splitlines()
        first = next((i for i, line in enumerate(lines) if re.match(r"fuzz: |==\d+==|.*runtime error:|ALARM", line)), len(lines) - 40)
        return "\n".join(lines[max(0, first) :][:80])

    def replay(self):
        """Every seed once: none is too large for that."""
        self._fuzz("-runs=0", "-max_len=4000000", str(self.work / "seeds"))

    def search(self, *arguments):
        """What libFuzzer counted, by name."""
        limit = TARGETS[self.target][1]
        corpus = self.work / "small"
        corpus.mkdir(exist_ok=True)
        for path in (self.work / "seeds").iterdir():
            if path.stat().st_size <= limit:
                shutil.copyfile(path, corpus / path.name)
        dictionary = ("-dict=tests/fuzz/ordo.dict",) if self.target in LANGUAGE + ("orders",) else ()
        text = self._fuzz("-seed=1", f"-max_len={limit}", "-print_final_stats=1", *dictionary, *arguments,
                          str(self.work / "new"), str(corpus))  # fmt: skip
        stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", text))
        coverage = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", text)
        return {"executions": int(stats["number_of_executed_units"]), "peak_mb": int(stats["peak_rss_mb"]),
                "edges": int(coverage[-1][0]), "features": int(coverage[-1][1]), "corpus": int(coverage[-1][2])}  # fmt: skip

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)
