"""Times RMSNorm and softmax kernels of built bundles beside a device copy and the peers, on one GPU.

Everything is measured in one way, in one process: each candidate's launches are captured into one CUDA graph,
every launch with an input and an output of its own, so that together they exceed the L2 several times; the
graphs are replayed in turn, and a candidate's figure is the median of its replays over the number of launches.
The copy moves as many bytes as the kernel. Triton's do_bench is reported too.

Usage: bench_norm.py BUNDLE... [--helpers check_kernels.cubin] [--out bench.json] [--target cuda.sm_90a]
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import traceback

import torch
import torch.nn.functional as F
import triton

from cuda_launch import Driver, read_kernels

ROUNDS = 60
MIN_GRAPH_SECONDS = 1.0e-3  # so that starting a graph counts for little
CACHES = 4  # times the L2 that the launches of a graph touch, at least
EPS = 1e-6
NORM_SHAPES = ((16384, 2048), (16384, 3584), (16384, 5120), (64, 3584))
SOFTMAX_ROWS = {2048: 16384, 3584: 16384, 5120: 16384, 152064: 1024}
COPY_SHARE = 0.95  # of the copy's speed, at 16,384 rows
SMALL_SLACK = 1.10  # of the best peer's time, at 64 rows


class Candidate:
    """Something to time: `launch(i)` works on input i and returns what must stay alive."""

    def __init__(self, name, kind, launch):
        self.name, self.kind, self.launch = name, kind, launch
        self.graph, self.kept, self.times, self.bench = None, None, [], None
        self.error = None

    def capture(self, count, keep):
        """With `keep`, every launch has an output of its own, as long as the graph lives."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # compiles and loads outside of the capture
            for i in range(min(count, 3)):
                self.launch(i)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.kept = []
            for i in range(count):
                output = self.launch(i)
                if keep:
                    self.kept.append(output)
        for _ in range(3):
            self.graph.replay()
        torch.cuda.synchronize()

    def fail(self, problem):
        self.error = f"{type(problem).__name__}: {str(problem)[:300]}"
        self.graph = self.kept = None
        print(f"{self.name}: {self.error}", file=sys.stderr)
        traceback.print_exc()


def replay_in_turn(candidates, count):
    """Fills in `times`, microseconds a launch."""
    live = [c for c in candidates if c.graph is not None]
    for turn in range(ROUNDS):
        order = live[turn % len(live):] + live[: turn % len(live)]
        marks = []
        order[-1].graph.replay()  # keeps the device busy while the rest is queued
        for candidate in order:
            start = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            start.record()
            candidate.graph.replay()
            end.record()
            marks.append((candidate, start, end))
        torch.cuda.synchronize()
        for candidate, start, end in marks:
            candidate.times.append(start.elapsed_time(end) * 1e3 / count)


def time_candidates(candidates, count, keep=True):
    for candidate in candidates:
        if candidate.error is not None:
            continue
        try:
            candidate.capture(count, keep)
        except Exception as problem:  # one peer's failure must not cost the run
            candidate.fail(problem)
            torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        replay_in_turn(candidates, count)
    torch.cuda.synchronize()
    for candidate in candidates:
        if candidate.error is None:
            try:
                ms = triton.testing.do_bench(lambda: candidate.launch(0), warmup=5, rep=40, return_mode="median")
                candidate.bench = ms * 1e3
            except Exception as problem:
                print(f"{candidate.name}: do_bench: {problem}", file=sys.stderr)


def launches_for(bytes_a_launch, l2_bytes):
    by_time = MIN_GRAPH_SECONDS / (bytes_a_launch / 4.0e12 + 1.5e-6)
    return max(4, math.ceil(CACHES * l2_bytes / bytes_a_launch), math.ceil(by_time))


def rows_of(candidates, shape, count, bytes_a_launch):
    copy = next((statistics.median(c.times) for c in candidates if c.name == "cuMemcpyDtoD" and c.times), None)
    rows = []
    for c in candidates:
        row = {"shape": shape, "name": c.name, "kind": c.kind, "launches": count, "bytes": bytes_a_launch}
        if c.error or not c.times:
            row["error"] = c.error or "not timed"
        else:
            half = len(c.times) // 2
            median = statistics.median(c.times)
            row["us"] = round(median, 4)
            row["us_halves"] = [round(statistics.median(c.times[:half]), 4), round(statistics.median(c.times[half:]), 4)]
            row["us_p10"], row["us_p90"] = (round(q, 4) for q in (quantile(c.times, 0.1), quantile(c.times, 0.9)))
            row["TBps"] = round(bytes_a_launch / median / 1e6, 4)
            row["of_copy"] = round(copy / median, 4) if copy else None
            row["do_bench_us"] = round(c.bench, 3) if c.bench else None
        rows.append(row)
    return rows


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def relative_error(got, want):
    """Of the norms, over finite elements of the reference; NaN never passes."""
    got, want = got.double(), want.double()
    return ((got - want).norm() / want.norm()).item()


def norm_reference(x, w, centred):
    x, w = x.double(), w.double()
    scale = 1.0 + w if centred else w
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * scale


def our_candidate(driver, kernel, inputs, outputs, fixed, reference):
    rows = inputs[0].shape[0]
    scalars = {name: EPS for name in kernel.scalars}

    def launch(i):
        kernel.launch(driver, [inputs[i], *fixed, outputs[i]], rows, scalars)
        return outputs[i]

    candidate = Candidate(kernel.name, "ours", launch)
    try:
        outputs[0].fill_(float("nan"))
        launch(0)
        torch.cuda.synchronize()
        some = min(rows, 128)
        error = relative_error(outputs[0][:some], reference(inputs[0][:some]))
        if not error < 1e-2:
            raise RuntimeError(f"the result is {error} away from the reference")
    except Exception as problem:
        candidate.fail(problem)
    return candidate


def copies(driver, helpers, inputs, outputs):
    nbytes = inputs[0].numel() * inputs[0].element_size()

    def memcpy(i):
        driver.copy(outputs[i], inputs[i], nbytes)

    found = [Candidate("cuMemcpyDtoD", "copy", memcpy)]
    if helpers:
        vectorised = driver.load(helpers, "ordo_copy")
        vectors = nbytes // 16
        grid = (-(-vectors // 1024), 1, 1)

        def kernel(i):
            driver.launch(vectorised, grid, (256, 1, 1), [
                driver.pointer(outputs[i]), driver.pointer(inputs[i]), driver.word(vectors)])

        found.append(Candidate("copy kernel", "copy", kernel))
    return found


def norm_peers(inputs, w):
    hidden = inputs[0].shape[1]
    compiled = torch.compile(lambda x, w: F.rms_norm(x, (hidden,), w, EPS), dynamic=False)
    found = [
        Candidate("torch F.rms_norm", "peer", lambda i: F.rms_norm(inputs[i], (hidden,), w, EPS)),
        Candidate("torch.compile", "peer", lambda i: compiled(inputs[i], w)),
    ]
    try:
        from liger_kernel.ops.rms_norm import LigerRMSNormFunction

        found.append(Candidate("Liger", "peer", lambda i: LigerRMSNormFunction.apply(inputs[i], w, EPS)))
    except Exception as problem:
        missing = Candidate("Liger", "peer", None)
        missing.fail(problem)
        found.append(missing)
    return found


def softmax_peers(inputs):
    dtype = inputs[0].dtype
    compiled = torch.compile(lambda x: torch.softmax(x.float(), -1).to(dtype), dynamic=False)
    return [
        Candidate("torch.softmax", "peer", lambda i: torch.softmax(inputs[i], -1)),
        Candidate("torch.compile", "peer", lambda i: compiled(inputs[i])),
    ]


def release(candidates):
    for candidate in candidates:
        candidate.graph = candidate.kept = candidate.launch = None
    torch.compiler.reset()  # compiled variants are counted by function, not by shape
    torch.cuda.empty_cache()


def bench_norm(driver, kernels, helpers, l2_bytes, rows, hidden, rotate=True):
    """Without `rotate`, all launches share one input that stays in the L2: for information."""
    bytes_a_launch = 2 * rows * hidden * 2
    count = launches_for(bytes_a_launch, l2_bytes)
    buffers = count if rotate else 1
    inputs = [torch.randn(rows, hidden, device="cuda", dtype=torch.bfloat16) for _ in range(buffers)]
    outputs = [torch.empty_like(x) for x in inputs]
    inputs, outputs = inputs * (count // buffers), outputs * (count // buffers)
    w = (1 + 0.1 * torch.randn(hidden, device="cuda")).to(torch.bfloat16)
    candidates = copies(driver, helpers, inputs, outputs)
    for kernel in kernels:
        if kernel.operator.startswith("nn.norm.rms_norm") and kernel.dtype == "bf16" and kernel.columns == hidden:
            centred = "centred" in kernel.name
            candidates.append(our_candidate(driver, kernel, inputs, outputs, [w],
                                            lambda x, c=centred: norm_reference(x, w, c)))
    candidates += norm_peers(inputs, w)
    time_candidates(candidates, count, keep=rotate)
    shape = f"rms_norm bf16 {rows}x{hidden}" + ("" if rotate else " (one buffer)")
    table = rows_of(candidates, shape, count, bytes_a_launch)
    release(candidates)
    return table


def bench_softmax(driver, kernels, helpers, l2_bytes, columns):
    rows = SOFTMAX_ROWS[columns]
    wanted = [k for k in kernels if k.operator == "nn.softmax.softmax" and k.dtype == "bf16" and k.columns == columns]
    if not wanted:
        return []
    bytes_a_launch = 2 * rows * columns * 2
    count = launches_for(bytes_a_launch, l2_bytes)
    inputs = [torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) * 4 for _ in range(count)]
    outputs = [torch.empty_like(x) for x in inputs]
    candidates = copies(driver, helpers, inputs, outputs)
    for kernel in wanted:
        candidates.append(our_candidate(driver, kernel, inputs, outputs, [],
                                        lambda x: torch.softmax(x.double(), -1)))
    candidates += softmax_peers(inputs)
    time_candidates(candidates, count)
    table = rows_of(candidates, f"softmax bf16 {rows}x{columns}", count, bytes_a_launch)
    release(candidates)
    return table


def judge(table):
    """The aims of docs/performance.md, for the plain kernels: the operator rms_norm with weights as stored."""
    verdicts = []
    for rows, hidden in NORM_SHAPES:
        shape = f"rms_norm bf16 {rows}x{hidden}"
        here = [row for row in table if row["shape"] == shape and "us" in row]
        peers = [row for row in here if row["kind"] == "peer"]
        ours = [row for row in here if row["name"] == f"rms_norm_bf16_{hidden}"]
        if not peers or not ours:
            verdicts.append({"shape": shape, "ok": False, "why": "nothing to compare"})
            continue
        best = min(peers, key=lambda row: row["us"])
        speedup = best["us"] / ours[0]["us"]
        verdict = {"shape": shape, "of_copy": ours[0]["of_copy"], "best_peer": best["name"],
                   "of_best_peer": round(speedup, 4)}
        if rows == 64:
            verdict["ok"] = speedup >= 1 / SMALL_SLACK
        else:
            verdict["ok"] = speedup >= 1 and (ours[0]["of_copy"] or 0) >= COPY_SHARE
        verdicts.append(verdict)
    return verdicts


def version_of(module):
    try:
        from importlib.metadata import version

        return version(module)
    except Exception:
        return None


def describe(properties):
    query = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,clocks.mem", "--format=csv,noheader"],
                           capture_output=True, text=True, check=False)
    return {"device": properties.name, "l2_bytes": getattr(properties, "L2_cache_size", None),
            "multiprocessors": properties.multi_processor_count, "nvidia_smi": query.stdout.strip(),
            "torch": torch.__version__, "triton": triton.__version__, "liger_kernel": version_of("liger-kernel")}


def print_table(table):
    shape = None
    for row in table:
        if row["shape"] != shape:
            shape = row["shape"]
            print(f"\n{shape}: {row['launches']} launches a graph")
        if "error" in row:
            print(f"  {row['name']:34} {row['error'][:80]}")
        else:
            print(f"  {row['name']:34} {row['us']:9.3f} us {row['TBps']:7.3f} TB/s {row['of_copy'] or 0:6.3f} of copy"
                  f"   do_bench {row['do_bench_us'] or 0:9.3f} us   halves {row['us_halves']}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundles", nargs="+")
    parser.add_argument("--helpers")
    parser.add_argument("--out")
    parser.add_argument("--target", default="cuda.sm_90a")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")  # makes the context that the driver calls work in
    driver = Driver(lambda: torch.cuda.current_stream().cuda_stream)
    kernels = [kernel for bundle in options.bundles for kernel in read_kernels(bundle, options.target)]
    properties = torch.cuda.get_device_properties(0)
    l2_bytes = getattr(properties, "L2_cache_size", 60 << 20)
    result = {**describe(properties), "rows": [], "judged": [], "errors": []}
    jobs = [(bench_norm, shape) for shape in NORM_SHAPES] + [(bench_norm, (64, 3584, False))] + [(bench_softmax, (c,)) for c in SOFTMAX_ROWS]
    for job, arguments in jobs:
        try:
            table = job(driver, kernels, options.helpers, l2_bytes, *arguments)
        except Exception as problem:
            traceback.print_exc()
            result["errors"].append(f"{job.__name__}{arguments}: {problem}")
            continue
        result["rows"] += table
        print_table(table)
        if options.out:  # after every shape, so that a run cut short leaves what it has
            result["judged"] = judge(result["rows"])
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(result, file, indent=1)
    print("\naims:")
    verdicts = judge(result["rows"])
    for verdict in verdicts:
        print("  " + json.dumps(verdict))
    # A slow kernel is a figure; one that was not there to be timed is a fault.
    return 1 if result["errors"] or any("why" in verdict for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
