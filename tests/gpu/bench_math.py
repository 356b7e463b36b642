"""The gates, gelu, log-probabilities, sums of columns and noise beside PyTorch and torch.compile.

Bytes are those of the tensors that a launch must read and write once.
"""

import torch
import torch.nn.functional as F

from timing import compiled, error_of_rows, peer, relative_error

IGNORE = -100
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def randn(dtype, *shape, scale=1.0):
    return (torch.randn(*shape, device="cuda") * scale).to(TYPES[dtype])


def many(count, make):
    return [make() for _ in range(count)]


def silu_up(gate, up):
    return F.silu(gate) * up


def swiglu(bench, dtype, rows, hidden):
    size = rows * hidden * TYPES[dtype].itemsize
    count = bench.launches(3 * size)
    both = many(count, lambda: randn(dtype, rows, 2 * hidden, scale=2.0))
    gates = [x[:, :hidden].contiguous() for x in both]
    ups = [x[:, hidden:].contiguous() for x in both]
    outputs = [torch.empty_like(gate) for gate in gates]
    error = error_of_rows(lambda g, u: silu_up(g.double(), u.double()), gates[0], ups[0])
    pairs = [list(pair) for pair in zip(gates, ups)]
    end = f"{dtype}_{hidden}"
    candidates = [bench.ours(kernel, pairs, outputs, rows, error) for kernel in bench.named(
        f"swiglu_{end}", f"swiglu_product_{end}", f"swiglu_hf_{end}", f"swiglu_tier_{end}")]
    candidates += [bench.ours(kernel, [[x] for x in both], outputs, rows, error)
                   for kernel in bench.named(f"swiglu_packed_{end}")]
    candidates += [peer("F.silu(a) * b", silu_up, gates, ups), compiled(silu_up, gates, ups)]
    try:
        from liger_kernel.ops.swiglu import LigerSiLUMulFunction

        candidates.append(peer("Liger", LigerSiLUMulFunction.apply, gates, ups))
    except Exception as problem:
        print(f"Liger: {problem}")
    return bench.table(f"swiglu {dtype} {rows}x{hidden}", 3 * size, count, candidates)


def gelu(bench, dtype, approximate, rows, hidden):
    size = rows * hidden * TYPES[dtype].itemsize
    count = bench.launches(2 * size)
    inputs = many(count, lambda: randn(dtype, rows, hidden, scale=2.0))
    outputs = [torch.empty_like(x) for x in inputs]

    def function(x):
        return F.gelu(x, approximate=approximate)

    name = "gelu" if approximate == "none" else "gelu_tanh"
    error = error_of_rows(lambda x: function(x.double()), inputs[0])
    candidates = [bench.ours(kernel, [[x] for x in inputs], outputs, rows, error)
                  for kernel in bench.named(f"{name}_{dtype}_{hidden}", f"{name}_tier_{dtype}_{hidden}")]
    candidates += [peer("F.gelu", function, inputs), compiled(function, inputs)]
    return bench.table(f"{name} {dtype} {rows}x{hidden}", 2 * size, count, candidates)


def sigmoid_up(x, gate):
    return x * torch.sigmoid(gate)


def sigmoid_gate(bench, rows, hidden, by_row):
    columns = 1 if by_row else hidden
    nbytes = 2 * rows * (2 * hidden + columns)
    count = bench.launches(nbytes)
    inputs = many(count, lambda: randn("bf16", rows, hidden))
    gates = many(count, lambda: randn("bf16", rows, columns, scale=2.0))
    outputs = [torch.empty_like(x) for x in inputs]
    error = error_of_rows(lambda x, g: sigmoid_up(x.double(), g.double()), inputs[0], gates[0])
    name = "sigmoid_gate_row" if by_row else "sigmoid_gate"
    hf = "sigmoid_gate_row_hf" if by_row else "sigmoid_gate_hf"
    candidates = [bench.ours(kernel, [list(pair) for pair in zip(inputs, gates)], outputs, rows, error)
                  for kernel in bench.named(f"{name}_bf16_{hidden}", f"{hf}_bf16_{hidden}")]
    candidates += [peer("x * torch.sigmoid(g)", sigmoid_up, inputs, gates), compiled(sigmoid_up, inputs, gates)]
    return bench.table(f"{name} bf16 {rows}x{hidden}", nbytes, count, candidates)


def picked(logits, target):
    return F.log_softmax(logits.float(), -1).gather(-1, target[:, None].long())[:, 0]


def selected_log_prob(bench, dtype, rows, columns):
    nbytes = rows * columns * TYPES[dtype].itemsize
    count = bench.launches(nbytes)
    logits = many(count, lambda: randn(dtype, rows, columns, scale=4.0))
    targets = many(count, lambda: torch.randint(0, columns, (rows,), device="cuda", dtype=torch.int32))
    outputs = many(count, lambda: torch.empty(rows, device="cuda"))
    error = error_of_rows(lambda x, t: F.log_softmax(x.double(), -1).gather(-1, t[:, None].long())[:, 0],
                          logits[0], targets[0])
    end = f"{dtype}_{columns}"
    candidates = [bench.ours(kernel, [list(pair) for pair in zip(logits, targets)], outputs, rows, error, {"ignore": IGNORE})
                  for kernel in bench.named(f"selected_log_prob_{end}", f"selected_log_softmax_{end}",
                                            f"selected_log_prob_rounded_{end}")]
    candidates += [peer("log_softmax, gather", picked, logits, targets), compiled(picked, logits, targets)]
    return bench.table(f"selected_log_prob {dtype} {rows}x{columns}", nbytes, count, candidates)


def column_sum(bench, dtype, rows, columns):
    nbytes = rows * columns * TYPES[dtype].itemsize
    count = bench.launches(nbytes)
    inputs = many(count, lambda: randn(dtype, rows, columns))
    outputs = many(count, lambda: torch.empty(columns, device="cuda"))
    end = f"{dtype}_{columns}"
    candidates = [bench.ours(kernel, [[x] for x in inputs], outputs, rows,
                             lambda y: relative_error(y, inputs[0].double().sum(0)))
                  for kernel in bench.named(f"column_sum_{end}", f"column_sum_chunked_{end}")]

    def total(x):
        return x.sum(0, dtype=torch.float32)

    candidates += [peer("torch.sum", total, inputs), compiled(total, inputs)]
    return bench.table(f"column_sum {dtype} {rows}x{columns}", nbytes, count, candidates)


def weight_gradient(dy, x, rstd):
    return (dy.float() * x.float() * rstd[:, None]).sum(0)


def rms_norm_dw(bench, rows, hidden):
    nbytes = 2 * rows * hidden * 2
    count = bench.launches(nbytes)
    dys, inputs = (many(count, lambda: randn("bf16", rows, hidden)) for _ in range(2))
    rstds = many(count, lambda: torch.rand(rows, device="cuda") + 0.5)
    outputs = many(count, lambda: torch.empty(hidden, device="cuda"))
    reference = (dys[0].double() * inputs[0].double() * rstds[0].double()[:, None]).sum(0)
    candidates = [bench.ours(kernel, [list(three) for three in zip(dys, inputs, rstds)], outputs, rows,
                             lambda dw: relative_error(dw, reference))
                  for kernel in bench.named(*(f"rms_norm_{kind}_bf16_{hidden}"
                                              for kind in ("dw", "dw_chunked", "hf_dw", "hf_dw_chunked")))]
    candidates += [peer("PyTorch", weight_gradient, dys, inputs, rstds), compiled(weight_gradient, dys, inputs, rstds)]
    return bench.table(f"rms_norm_dw bf16 {rows}x{hidden}", nbytes, count, candidates)


def noise(bench, kind, rows, columns):
    nbytes = rows * columns * 4
    count = bench.launches(nbytes)
    seeds, samples = (many(count, lambda: torch.randint(0, 1 << 62, (rows,), device="cuda")) for _ in range(2))
    steps = many(count, lambda: torch.randint(0, 1 << 30, (rows,), device="cuda", dtype=torch.int32))
    outputs = many(count, lambda: torch.empty(rows, columns, device="cuda"))
    mean, deviation = (0.0, 1.0) if kind == "noise" else (0.5, 12**-0.5)

    def error(y):
        return max(abs(y.double().mean().item() - mean), abs(y.double().std().item() - deviation))

    candidates = [bench.ours(kernel, [list(three) for three in zip(seeds, samples, steps)], outputs, rows, error)
                  for kernel in bench.named(f"{kind}_{columns}")]
    fill = torch.Tensor.normal_ if kind == "noise" else torch.Tensor.uniform_
    candidates.append(peer(f"{fill.__name__}", fill, outputs))
    return bench.table(f"{kind} f32 {rows}x{columns}", nbytes, count, candidates)


JOBS = [
    (swiglu, ("bf16", 16384, 18944)),
    (swiglu, ("f32", 4096, 18944)),
    (gelu, ("bf16", "none", 16384, 3584)),
    (gelu, ("bf16", "tanh", 16384, 3584)),
    (gelu, ("f32", "none", 16384, 3584)),
    (gelu, ("f32", "tanh", 16384, 3584)),
    (sigmoid_gate, (16384, 4096, False)),
    (sigmoid_gate, (16384, 2048, True)),
    (selected_log_prob, ("bf16", 1024, 151936)),
    (selected_log_prob, ("bf16", 1024, 152064)),
    (selected_log_prob, ("f32", 1024, 151936)),
    (column_sum, ("bf16", 16384, 3584)),
    (column_sum, ("bf16", 16384, 5120)),
    (rms_norm_dw, (16384, 3584)),
    (noise, ("noise", 16384, 2048)),
    (noise, ("uniform", 16384, 2048)),
]
