#!/usr/bin/env python3
"""Packs the published tensor-core vectors into one small file per GPU and format.

    pack.py FOLDER

FOLDER holds GPU_FORMAT_{a,b,c,d}.txt: a and b are lines of operands as hexadecimal f32 words, c and d one
f32 a line in binary. GPU_FORMAT.bin.gz beside this script becomes, gunzipped and little-endian: u32 rows,
u32 columns, a and b row by row in the format's own bits (u16; tf32 as u32), then c and d as u32.
"""
import gzip
import pathlib
import struct
import sys


def words(path, base):
    return [[int(word, base) for word in line.split()] for line in path.read_text().splitlines()]


def operand(format, word):
    """The f32 word in `format`; it must be one of that format's values."""
    if format == "tf32":
        assert word & 0x1FFF == 0
        return struct.pack("<I", word)
    if format == "bf16":
        assert word & 0xFFFF == 0
        return struct.pack("<H", word >> 16)
    value = struct.unpack("<f", struct.pack("<I", word))[0]
    half = struct.pack("<e", value)
    assert struct.unpack("<e", half)[0] == value
    return half


def pack(folder, stem):
    format = stem.split("_")[1]
    a, b = (words(folder / f"{stem}_{x}.txt", 16) for x in "ab")
    c, d = (words(folder / f"{stem}_{x}.txt", 2) for x in "cd")
    rows, columns = len(a), len(a[0])
    assert all(len(row) == columns for row in a + b) and len(b) == len(c) == len(d) == rows
    data = struct.pack("<II", rows, columns)
    data += b"".join(operand(format, word) for row in a + b for word in row)
    data += b"".join(struct.pack("<I", row[0]) for row in c + d)
    return gzip.compress(data, compresslevel=9, mtime=0)


def main():
    folder = pathlib.Path(sys.argv[1])
    for path in sorted(folder.glob("*_a.txt")):
        stem = path.name.removesuffix("_a.txt")
        target = pathlib.Path(__file__).parent / f"{stem}.bin.gz"
        target.write_bytes(pack(folder, stem))
        print(target.name)


main()
