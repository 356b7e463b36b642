#!/usr/bin/env python3
"""Writes and shows small .npy arrays without numpy.

  npy.py random FILE --dtype bf16 --shape 4,2048 [--seed 1] [--scale 1.0]
  npy.py show FILE [--dtype bf16] [--count 8]

NumPy has no bfloat16: such an array holds its bits as u16, and `--dtype bf16` reads them back as numbers.
"""

import argparse
import ast
import math
import random
import struct
import sys

# Name to NumPy's description and struct's code.
TYPES = {"f64": ("<f8", "d"), "f32": ("<f4", "f"), "f16": ("<f2", "e"), "bf16": ("<u2", "H"), "i32": ("<i4", "i")}
CODES = {description: code for description, code in TYPES.values()} | {"<i8": "q", "<u4": "I", "<u8": "Q", "|u1": "B"}


def bf16_bits(value):
    """The bits of the bf16 nearest to a finite f32, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def bf16_value(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def write(path, dtype, shape, values):
    """Writes row-major `values`; for bf16 they are numbers and get rounded."""
    description, code = TYPES[dtype]
    if dtype == "bf16":
        values = [bf16_bits(value) for value in values]
    dims = "".join(f"{size}, " for size in shape)
    header = f"{{'descr': '{description}', 'fortran_order': False, 'shape': ({dims}), }}"
    # The format wants the data to start at a multiple of 64, and a newline before it.
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def read(path):
    """The shape and the row-major values."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path} is not a .npy file")
    size_format, start = ("<H", 10) if data[6] == 1 else ("<I", 12)
    length = struct.unpack_from(size_format, data, 8)[0]
    header = ast.literal_eval(data[start : start + length].decode())
    if header["fortran_order"] or header["descr"] not in CODES:
        raise ValueError(f"{path}: cannot read {header['descr']}, fortran_order {header['fortran_order']}")
    count = math.prod(header["shape"])
    return header["shape"], list(struct.unpack_from(f"<{count}{CODES[header['descr']]}", data, start + length))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    fill = commands.add_parser("random", help="normally distributed values")
    fill.add_argument("file")
    fill.add_argument("--dtype", choices=["f64", "f32", "f16", "bf16"], required=True)
    fill.add_argument("--shape", required=True, help="sizes with commas between them")
    fill.add_argument("--seed", type=int, default=1)
    fill.add_argument("--scale", type=float, default=1.0)
    show = commands.add_parser("show", help="shape and first values")
    show.add_argument("file")
    show.add_argument("--dtype", choices=["bf16"])
    show.add_argument("--count", type=int, default=8)
    options = parser.parse_args(arguments)

    if options.command == "random":
        shape = [int(size) for size in options.shape.split(",")]
        generator = random.Random(options.seed)
        values = [generator.gauss(0, options.scale) for _ in range(math.prod(shape))]
        write(options.file, options.dtype, shape, values)
        return 0
    shape, values = read(options.file)
    values = values[: options.count] if options.count < len(values) else values
    texts = [f"{bf16_value(value):.6g}" if options.dtype == "bf16" else f"{value:.6g}" for value in values]
    more = " …" if len(values) < math.prod(shape) else ""
    print(f"[{' x '.join(map(str, shape))}] {' '.join(texts)}{more}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
