"""mma(RUN) | seq over bf16 as NVIDIA's matrix units add, in plain integers: see docs/orders.md.

  truncated_sum.py X.npy W.npy Y.npy RUN L F

X is [T, K] and W [N, K], bits of bf16; Y is f32[T, N] and must hold the same bits. Finite, normal operands.
"""

import ast
import struct
import sys


def read(path, code):
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    shape = ast.literal_eval(data[10 : 10 + size].decode())["shape"]
    count = shape[0] * shape[1]
    flat = struct.unpack(f"<{count}{code}", data[10 + size :])
    return [flat[i * shape[1] : (i + 1) * shape[1]] for i in range(shape[0])]


def taken_apart(bits, width, fraction, bias):
    """x = s * 2^(e - fraction), s an integer."""
    sign = -1 if bits >> (width - 1) else 1
    field = bits >> fraction & ((1 << (width - 1 - fraction)) - 1)
    tail = bits & ((1 << fraction) - 1)
    return (sign * tail, 1 - bias) if field == 0 else (sign * (tail | 1 << fraction), field - bias)


def bf16(bits):
    return taken_apart(bits, 16, 7, 127)


def f32(bits):
    return taken_apart(bits, 32, 23, 127)


def cut(value, shift):
    """value * 2^shift toward zero."""
    size = abs(value) << shift if shift >= 0 else abs(value) >> -shift
    return -size if value < 0 else size


def step(a, b, c, kept):
    """c + sum of a[i] * b[i]: terms aligned to the largest exponent, cut, summed, cut to an f32."""
    terms = [f32(c) + (23,)]
    for x, y in zip(a, b):
        (s, e), (r, d) = bf16(x), bf16(y)
        terms.append((s * r, e + d, 14))
    terms = [t for t in terms if t[0] != 0]
    if not terms:
        return 0
    top = max(e for _, e, _ in terms)
    total = sum(cut(s, kept + e - top - fraction) for s, e, fraction in terms)
    if total == 0:
        return 0
    exponent = abs(total).bit_length() - 1 + top - kept
    assert -126 <= exponent <= 127
    significand = abs(cut(total, 23 - (abs(total).bit_length() - 1)))
    return (total < 0) << 31 | exponent + 127 << 23 | significand & 0x7FFFFF


def as_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def as_bits(value):
    """A double that is the sum of two f32s rounds once."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def product(x, w, run, length, kept):
    total = None
    for begin in range(0, len(x), run):
        end = min(begin + run, len(x))
        acc = 0
        for k in range(begin, end, length):
            stop = min(k + length, end)
            acc = step(x[k:stop], w[k:stop], acc, kept)
        total = acc if total is None else as_bits(as_float(total) + as_float(acc))
    return total


def main():
    x, w, y = read(sys.argv[1], "H"), read(sys.argv[2], "H"), read(sys.argv[3], "I")
    run, length, kept = (int(text) for text in sys.argv[4:7])
    want = [tuple(product(row, column, run, length, kept) for column in w) for row in x]
    different = sum(a != b for p, q in zip(want, y) for a, b in zip(p, q))
    print(f"{different} of {len(x) * len(w)} differ")
    return 1 if different or len(want) != len(y) else 0


if __name__ == "__main__":
    sys.exit(main())
