"""How a benchmark is timed: ours, the peers and copies of as many bytes in one way, in one process, on one GPU.

Each candidate's launches are captured into one CUDA graph, every launch with an input and an output of its own,
so that together they exceed the L2 several times; the graphs are replayed in turn, and a candidate's figure is
the median of its replays over the number of launches. A copy reads half of a launch's bytes and writes half.
Triton's do_bench is reported too.
"""

import math
import statistics
import sys
import traceback

import torch
import triton

ROUNDS = 60
MIN_GRAPH_SECONDS = 1.0e-3  # so that starting a graph counts for little
CACHES = 4  # times the L2 that the launches of a graph touch, at least
CHECKED_ROWS = 128  # of a result, against its reference


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


def release(candidates):
    for candidate in candidates:
        candidate.graph = candidate.kept = candidate.launch = None
    torch.compiler.reset()  # compiled variants are counted by function, not by shape
    torch.cuda.empty_cache()


def peer(name, function, *arguments):
    """`function` of the tensors of a launch, which stand in `arguments` launch by launch."""
    return Candidate(name, "peer", lambda i: function(*(tensors[i] for tensors in arguments)))


def compiled(function, *arguments):
    whole = torch.compile(function, dynamic=False)
    return peer("torch.compile", whole, *arguments)


class Bench:
    """The device, the kernels of all bundles, and the helper kernels."""

    def __init__(self, driver, kernels, helpers, l2_bytes):
        self.driver, self.kernels, self.helpers, self.l2_bytes = driver, kernels, helpers, l2_bytes

    def named(self, *names):
        return [kernel for name in names for kernel in self.kernels if kernel.name == name]

    def launches(self, nbytes):
        return launches_for(nbytes, self.l2_bytes)

    def ours(self, kernel, inputs, outputs, rows, error, scalars=None):
        """`inputs`: the tensors of each launch in the manifest's order. `error`: how far launch 0's output is off."""

        def launch(i):
            kernel.launch(self.driver, [*inputs[i], outputs[i]], rows, scalars or {})
            return outputs[i]

        candidate = Candidate(kernel.name, "ours", launch)
        try:
            outputs[0].fill_(float("nan"))
            launch(0)
            torch.cuda.synchronize()
            off = error(outputs[0])
            if not off < 1e-2:
                raise RuntimeError(f"the result is {off} away from the reference")
        except Exception as problem:
            candidate.fail(problem)
        return candidate

    def copies(self, nbytes, count, buffers):
        half = nbytes // 2
        sources = [torch.randint(0, 255, (half,), dtype=torch.uint8, device="cuda") for _ in range(buffers)]
        targets = [torch.empty_like(source) for source in sources]
        sources, targets = sources * (count // buffers), targets * (count // buffers)
        found = [Candidate("cuMemcpyDtoD", "copy", lambda i: self.driver.copy(targets[i], sources[i], half))]
        if self.helpers:
            vectorised = self.driver.load(self.helpers, "ordo_copy")
            vectors = half // 16
            grid = (-(-vectors // 1024), 1, 1)
            found.append(Candidate("copy kernel", "copy", lambda i: self.driver.launch(vectorised, grid, (256, 1, 1), [
                self.driver.pointer(targets[i]), self.driver.pointer(sources[i]), self.driver.word(vectors)])))
        return found

    def table(self, shape, nbytes, count, candidates, buffers=None):
        """Times them beside the copies. `buffers`: different ones that the launches use, else one each."""
        buffers = buffers or count
        candidates = self.copies(nbytes, count, buffers) + candidates
        time_candidates(candidates, count, keep=buffers == count)
        rows = rows_of(candidates, shape, count, nbytes)
        release(candidates)
        return rows


def error_of_rows(reference, *tensors):
    """An `error` for `ours`: the first rows of the output against `reference` of those of the inputs."""
    some = [tensor[:CHECKED_ROWS] for tensor in tensors]
    return lambda output: relative_error(output[:CHECKED_ROWS], reference(*some))
