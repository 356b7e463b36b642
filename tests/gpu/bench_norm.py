"""RMSNorm and softmax beside PyTorch, torch.compile and Liger."""

import torch
import torch.nn.functional as F

from timing import Candidate, compiled, error_of_rows, peer

EPS = 1e-6
NORM_SHAPES = ((16384, 2048), (16384, 3584), (16384, 5120), (64, 3584))
SOFTMAX_ROWS = {2048: 16384, 3584: 16384, 5120: 16384, 152064: 1024}
COPY_SHARE = 0.95  # of the copy's speed, at 16,384 rows
SMALL_SLACK = 1.10  # of the best peer's time, at 64 rows


def norm_reference(x, w, centred):
    x, w = x.double(), w.double()
    scale = 1.0 + w if centred else w
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * scale


def liger_norm(inputs, w):
    try:
        from liger_kernel.ops.rms_norm import LigerRMSNormFunction

        return peer("Liger", lambda x: LigerRMSNormFunction.apply(x, w, EPS), inputs)
    except Exception as problem:
        missing = Candidate("Liger", "peer", None)
        missing.fail(problem)
        return missing


def norm(bench, rows, hidden, rotate=True):
    """Without `rotate`, all launches share one input that stays in the L2: for information."""
    nbytes = 2 * rows * hidden * 2
    count = bench.launches(nbytes)
    buffers = count if rotate else 1
    inputs = [torch.randn(rows, hidden, device="cuda", dtype=torch.bfloat16) for _ in range(buffers)]
    outputs = [torch.empty_like(x) for x in inputs]
    inputs, outputs = inputs * (count // buffers), outputs * (count // buffers)
    w = (1 + 0.1 * torch.randn(hidden, device="cuda")).to(torch.bfloat16)
    candidates = []
    for kernel in bench.kernels:
        if kernel.operator.startswith("nn.norm.rms_norm") and kernel.dtype == "bf16" and kernel.columns == hidden:
            error = error_of_rows(lambda x, c="centred" in kernel.name: norm_reference(x, w, c), inputs[0])
            candidates.append(bench.ours(kernel, [[x, w] for x in inputs], outputs, rows, error,
                                         {name: EPS for name in kernel.scalars}))
    candidates += [
        peer("torch F.rms_norm", lambda x: F.rms_norm(x, (hidden,), w, EPS), inputs),
        compiled(lambda x: F.rms_norm(x, (hidden,), w, EPS), inputs),
        liger_norm(inputs, w),
    ]
    shape = f"rms_norm bf16 {rows}x{hidden}" + ("" if rotate else " (one buffer)")
    return bench.table(shape, nbytes, count, candidates, buffers)


def softmax(bench, columns):
    rows = SOFTMAX_ROWS[columns]
    nbytes = 2 * rows * columns * 2
    count = bench.launches(nbytes)
    inputs = [torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) * 4 for _ in range(count)]
    outputs = [torch.empty_like(x) for x in inputs]
    error = error_of_rows(lambda x: torch.softmax(x.double(), -1), inputs[0])
    candidates = [bench.ours(kernel, [[x] for x in inputs], outputs, rows, error)
                  for kernel in bench.named(f"softmax_bf16_{columns}")]
    candidates += [
        peer("torch.softmax", lambda x: torch.softmax(x, -1), inputs),
        compiled(lambda x: torch.softmax(x.float(), -1).to(x.dtype), inputs),
    ]
    return bench.table(f"softmax bf16 {rows}x{columns}", nbytes, count, candidates)


JOBS = ([(norm, shape) for shape in NORM_SHAPES] + [(norm, (64, 3584, False))] +
        [(softmax, (columns,)) for columns in SOFTMAX_ROWS])


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
