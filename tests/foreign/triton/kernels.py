"""Triton kernels for tests/foreign: compiled to PTX without a GPU, by regenerate.sh.

A line `# signature:` tells what `ordo audit --signature` is given. Triton appends two pointers to every
kernel's arguments, for scratch memory that these do not use; they are called `scratch` and `profile`.
"""

import re
import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


# signature: x: f32[T, 1024] in, y: f32[T] out, scratch: i64, profile: i64; grid T; block 128; shared 16
@triton.jit
def triton_row_sum(x, y, columns: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, columns)
    tl.store(y + row, tl.sum(tl.load(x + row * columns + at)))


# signature: x: bf16[T, 1024] in, w: bf16[1024] in, y: bf16[T, 1024] out, eps: f32, scratch: i64, profile: i64; grid T; block 128; shared 16
@triton.jit
def triton_rms_norm(x, w, y, eps, columns: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, columns)
    values = tl.load(x + row * columns + at).to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values) / columns + eps)
    weights = tl.load(w + at).to(tl.float32)
    tl.store(y + row * columns + at, (values * scale * weights).to(tl.bfloat16))


# signature: x: f32[T, C] in, y: f32[T, C] out, C: i32, scratch: i64, profile: i64; grid T; block 128; shared 16; C <= 256
@triton.jit
def triton_softmax(x, y, columns, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, block)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values))
    tl.store(y + row * columns + at, numerator / tl.sum(numerator), mask=at < columns)


# The kernel, its arguments' types, its constants.
KERNELS = [
    (triton_row_sum, {"x": "*fp32", "y": "*fp32"}, {"columns": 1024}),
    (triton_rms_norm, {"x": "*bf16", "w": "*bf16", "y": "*bf16", "eps": "fp32"}, {"columns": 1024}),
    (triton_softmax, {"x": "*fp32", "y": "*fp32", "columns": "i32"}, {"block": 256}),
]


def ptx(function, types, constants):
    names = function.arg_names
    source = ASTSource(
        function,
        {name: types.get(name, "constexpr") for name in names},
        {(names.index(name),): value for name, value in constants.items()},
        # As Triton assumes of a pointer that is a multiple of 16.
        {(names.index(name),): [["tt.divisibility", 16]] for name, type in types.items() if type[0] == "*"},
    )
    target = GPUTarget("cuda", 90, 32)
    return triton.compile(source, target=target, options={"num_warps": 4}).asm["ptx"]


def without_paths(text):
    """The lines of the source stay; the debugging sections, which spell out folders, go."""
    text = re.sub(r'(\.file\t\d+ ")[^"]*/', r"\1", text)
    return re.sub(r"^\t\.section\t\.debug\w*\n\t\{.*?^\t\}\n", "", text, flags=re.M | re.S)


if __name__ == "__main__":
    for kernel in KERNELS:
        (Path(sys.argv[1]) / f"{kernel[0].__name__}.ptx").write_text(without_paths(ptx(*kernel)))
