"""Inputs made to hurt: what a random search would need long to find. Each is a name and bytes."""


def kernel_of(body, kernel="k = f<N = 3>"):
    return f"module m\n\n{body}\nkernel {kernel}\n"


def op(value, generics="N", shape="[T, N]", more=""):
    return f"op f<{generics}>(x: f32{shape}) -> (y: f32{shape}) {{\n{more}  y[t, n] = {value}\n}}\n"


def nested(before, core, after, depth):
    return before * depth + core + after * depth


def depths():
    """Nesting of every kind, from just allowed to absurd."""
    for depth in (150, 199, 201, 20000):
        yield f"parentheses_{depth}", kernel_of(op(nested("(", "x[t, n]", ")", depth)))
        yield f"minus_{depth}", kernel_of(op("-" * depth + "x[t, n]"))
        yield f"not_{depth}", kernel_of(op(f"if {'not ' * depth}(n == 0) then 0.0 else 1.0"))
        yield f"if_{depth}", kernel_of(op(nested("if n == 0 then x[t, n] else ", "0.0", "", depth)))
        yield f"index_{depth}", kernel_of(op(nested("x[t, ", "0", "]", depth)))
        yield f"call_{depth}", kernel_of(op(nested("sqrt(", "x[t, n]", ")", depth)))
        yield f"cast_{depth}", kernel_of(op(nested("f32(f64(", "x[t, n]", "))", depth)))
        yield f"sum_{depth}", kernel_of(op(nested("sum[i in 2 by seq] (", "x[t, n]", ")", depth)))
        yield f"array_{depth}", kernel_of(op(nested("[", "x[t, n]", "][0]", depth)))
        yield f"tuple_{depth}", f"module m\nfn f(x: f32) -> f32 = {nested('(', 'x', ', x)', depth)}\n"
        yield f"type_{depth}", f"module m\nfn f(x: {nested('(', 'f32', ', f32)', depth)}) -> f32 = 1.0\n"
        yield f"block_{depth}", f"module m\nfn f(x: f32) -> f32 = {nested('{ ', 'x', ' }', depth)}\n"
        yield f"open_{depth}", "module m\nlet a = " + "(" * depth
        yield f"generics_{depth}", "module m\nkernel k = f" + "<" * depth
        yield f"profile_{depth}", "module m\n" + "profile p.v1 { " * depth
    for depth in (900, 1100, 20000):
        yield f"chain_{depth}", kernel_of(op("x[t, n]" + " + x[t, n]" * depth))
        yield f"compare_{depth}", kernel_of(op("if " + "0 < " * depth + "n then 1.0 else 0.0"))
        yield f"and_{depth}", kernel_of(op("if " + "n == 0 and " * depth + "n == 1 then 1.0 else 0.0"))
        yield f"stages_{depth}", f"module m\norder o = {'seq(2) | ' * depth}seq\n"
        yield f"dots_{depth}", "module m\nuse " + "a." * depth + "a\n"


LITERALS = [
    "9" * 20000, "0." + "0" * 20000 + "1", "1e" + "9" * 5000, "1e-" + "9" * 5000, "1e999999999", "1e-999999999",
    "0x" + "f" * 20000, "0x1p" + "9" * 5000, "0x1p-" + "9" * 5000, "0x1." + "f" * 20000 + "p0",
    "1." + "3" * 20000 + "e-40", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "18446744073709551615", "18446744073709551616", "1.17549435e-38", "7.006492321624085e-46", "3.4028235677973366e38",
    "0x1p-150", "0x1.000001p-150", "0x1.ffffffp127", "1e", "0x", "0x1p", "1.e5", "1..2", "1_000", "0b1", "1f", "00001",
]  # fmt: skip


def literals():
    for i, literal in enumerate(LITERALS):
        yield f"literal_float_{i}", kernel_of(op(f"x[t, n] + {literal}"))
        yield f"literal_size_{i}", kernel_of(op(f"x[t, n]", more=f"  require N < {literal}\n"), f"k = f<N = {literal}>")
        yield f"literal_let_{i}", f"module m\nlet a = {literal}\nlet b = a * a\nlet c = -a\nlet d = a % 3\n"
        yield f"literal_stage_{i}", f"module m\norder o = seq({literal}) | lanes({literal}, {literal}).from({literal}) | seq\n"


SIZES = ["0", "1", "2147483648", "4294967296", "1099511627776", "3037000500", "9223372036854775807"]


def sizes():
    sum_of = op("sum[h in N by o] x[t, h]", "N, order o")
    for size in SIZES:
        yield f"extent_{size}", kernel_of(sum_of, f"k = f<N = {size}, o = seq(8) | lanes(128) | halves>")
        yield f"shape_{size}", kernel_of(op("x[t, n]", shape="[T, N * N * N]"), f"k = f<N = {size}>")
        yield f"product_{size}", kernel_of(op("x[t * N * N, n * N]"), f"k = f<N = {size}>")
        yield f"literal_extent_{size}", kernel_of(op(f"sum[a in {size}, b in {size}, c in N by seq] x[t, n]"))
        yield f"array_size_{size}", f"module m\nfn f(x: f32[{size}]) -> f32 = x[0]\n"
        yield f"iterate_{size}", f"module m\nfn f(x: f32) -> f32 = iterate {size} (c = x) {{\n  next c + 1.0\n}}\n"
        yield f"stage_{size}", kernel_of(sum_of, f"k = f<N = 3, o = seq({size}).pad(0.0) | lanes({size}, {size}) | seq>")
        yield f"shift_{size}", f"module m\nlet a = 1 << {size}\nlet b = 1 >> {size}\nlet c = {size} % 7\n"
        yield f"ranks_{size}", "module m\n" + sum_of + f"kernel k = f<N = 8, o = seq> over {size} ranks\n"
        yield f"top_{size}", kernel_of(op(f"(top[{size}] of x[t, n]).x"))
        yield f"count_{size}", kernel_of(op(f"f32(count[a in {size}] a > n)"))
    yield "shape_axes", kernel_of(op("1.0", shape="[" + ", ".join(["N"] * 3000) + "]"))
    yield "overflowing_let", "module m\nlet a0 = 2\n" + "".join(f"let a{i} = a{i - 1} * a{i - 1}\n" for i in range(1, 70))
    yield "zero_divisors", "module m\nlet a = 1 / 0\nlet b = 1 % 0\nlet c = 0 / 0\nlet d = (0 - 9223372036854775807 - 1) / -1\n"
    yield "least_by_minus_one", kernel_of(op("x[t, n]", more="  require (0 - 9223372036854775807 - 1) % (N - 4) == 0\n"))


def growth():
    """Where each line doubles what the one before it is."""
    body = "fn f0(x: f32) -> f32 = x * 0.5\n"
    body += "".join(f"fn f{i}(x: f32) -> f32 = f{i - 1}(x) + f{i - 1}(x * 0.5)\n" for i in range(1, 60))
    yield "doubling_functions", kernel_of(body + op("f59(x[t, n])"))
    body = "fn f0(x: f32) -> f32 = x * 0.5\n"
    body += "".join(f"fn f{i}(x: f32) -> f32 = f{i - 1}(f{i - 1}(x))\n" for i in range(1, 60))
    yield "doubling_calls", kernel_of(body + op("f59(x[t, n])"))
    lines = "".join(f"  a{i}[t, n] = a{i - 1}[t, n] + a{i - 1}[t, 0] * a{i - 1}[t, n]\n" for i in range(1, 300))
    yield "doubling_definitions", kernel_of(op("a299[t, n]", more="  a0[t, n] = x[t, n]\n" + lines))
    lines = "".join(f"  let a{i}(v) = a{i - 1}(v) + a{i - 1}(v * 0.5)\n" for i in range(1, 60))
    yield "doubling_locals", kernel_of(op("a59(x[t, n])", more="  let a0(v) = v * 0.5\n" + lines))
    body = "fn f0(x: f32) -> (f32, f32) = (x, x)\n"
    body += "".join(f"fn f{i}(x: f32) -> ({', '.join(['f32'] * 2)}) = (f{i - 1}(x).0, f{i - 1}(x).1)\n" for i in range(1, 60))
    yield "doubling_tuples", "module m\n" + body
    kind = "f32"
    for _ in range(25):
        kind = f"({kind}, {kind})" if len(kind) < 200000 else kind
    yield "doubling_type", f"module m\nfn f(x: {kind}) -> f32 = 1.0\n"
    inner = "c + 1.0"
    for i in range(8):
        inner = f"iterate 1024 (c = {inner if i else 'x'}) {{\n  next c * 0.5\n}}"
    steps = "".join(f"fn g{i}(x: f32) -> f32 = iterate 1024 (c = x) {{\n  next g{i - 1}(c)\n}}\n" for i in range(1, 7))
    yield "nested_iterate", kernel_of("fn g0(x: f32) -> f32 = x * 0.5\n" + steps + op("g6(x[t, n])"))
    yield "iterate_in_iterate", f"module m\nfn f(x: f32) -> f32 = {inner}\n"
    orders = "order o0 = seq(2)\n" + "".join(f"order o{i} = o{i - 1} | o{i - 1}\n" for i in range(1, 40))
    yield "doubling_orders", "module m\n" + orders + "order all = o39 | seq\n"
    sums = "x[t, n]"
    for i in range(60):
        sums = f"sum[i{i} in N by seq] ({sums} * {sums if i < 9 else '2.0'})"
    yield "sums_in_sums", kernel_of(op(sums))
    yield "requires", kernel_of(op("x[t, n]", more="  require N > 3, N < 3, N == 7, N % 2 == 0, N % 2 == 1, T > 5, T < 5, T == T, N / 0 == 1\n"))


def crowds():
    """Many of one thing."""
    yield "many_lets", "module m\n" + "".join(f"let a{i} = {i}\n" for i in range(3000))
    yield "many_errors", "module m\n" + "".join(f"let a{i} = b{i}\n" for i in range(5000))
    yield "many_syntax_errors", "module m\n" + "let = = ;\n" * 2000
    yield "many_kernels", "module m\n" + op("x[t, n]") + "".join(f"kernel k{i} = f<N = {i}>\n" for i in range(500))
    yield "many_unknown_kernels", "module m\n" + op("x[t, n]") + "".join(f"kernel k{i} = g{i}<N = {i}>\n" for i in range(500))
    yield "many_parameters", "module m\nfn f(" + ", ".join(f"a{i}: f32" for i in range(800)) + ") -> f32 = a0\n"
    yield "many_generics", "module m\nop f<" + ", ".join(f"A{i}" for i in range(600)) + ">(x: f32[T]) -> (y: f32[T]) {\n  y[t] = x[t]\n}\n"
    yield "many_outputs", "module m\nop f(x: f32[T]) -> (" + ", ".join(f"y{i}: f32[T]" for i in range(400)) + ") {\n" + "".join(f"  y{i}[t] = x[t]\n" for i in range(400)) + "}\nkernel k = f\n"
    yield "many_arguments", kernel_of(op("x[t, n]"), "k = f<" + ", ".join(f"A{i} = {i}" for i in range(500)) + ">")
    yield "many_uses", "module m\n" + "".join(f"use a{i}.b\n" for i in range(1000))
    yield "many_imports", "module m\nuse math.f32 (" + ", ".join(f"a{i}" for i in range(1000)) + ")\n"
    yield "many_profiles", "module m\n" + "".join(f"profile p{i}.v1 {{\n  let a = {i}\n}}\n" for i in range(500))
    yield "many_requires", kernel_of(op("x[t, n]", more="".join(f"  require N + {i} > T % {i + 1}\n" for i in range(1000))))
    yield "long_name", "module m\nlet " + "a" * 50000 + " = " + "a" * 49999 + "\n"
    yield "long_names", "module m\n" + "".join(f"let {'a' * 300}{i} = {'b' * 300}{i}\n" for i in range(300))
    yield "long_line", "module m\nlet a = " + "b " * 20000
    yield "long_comment", "module m\n// " + "é" * 30000 + "\nlet a = b\n"
    yield "many_comments", "module m\n" + "/// x\n" * 4000 + "let a = 1\n" + "// y\n" * 4000
    yield "blank_lines", "module m" + "\n" * 100000 + "let a = 1\n"
    yield "one_line", "module m\n" + " ".join(f"let a{i} = {i}" for i in range(3000))


def files():
    yield "self_use", "//// file a.ordo\nmodule a\nuse a\nlet x = 1\n"
    yield "mutual_use", "//// file a.ordo\nmodule a\nuse b\n//// file b.ordo\nmodule b\nuse a\n"
    chain = "".join(f"//// file a{i}.ordo\nmodule a{i}\nuse a{i + 1}\n" for i in range(200))
    yield "chain_of_uses", chain + "//// file a200.ordo\nmodule a200\nuse a0\n"
    yield "other_module", "//// file a.ordo\nmodule a\nuse b (x)\n//// file b.ordo\nmodule c\nlet x = 1\n"
    yield "no_module", "//// file a.ordo\nuse b\n//// file b.ordo\nlet x = 1\n"
    yield "diamond", "//// file a.ordo\nmodule a\nuse b (x)\nuse c (x)\n//// file b.ordo\nmodule b\nlet x = 1\n//// file c.ordo\nmodule c\nuse b (x)\n"
    yield "let_cycle", "module m\nlet a = b\nlet b = c\nlet c = a\n"
    yield "order_cycle", "module m\norder a = b | seq\norder b = a | seq\norder c = c\n"
    yield "function_cycle", "module m\nfn f(x: f32) -> f32 = g(x)\nfn g(x: f32) -> f32 = h(x)\nfn h(x: f32) -> f32 = f(x)\n"
    yield "definition_cycle", kernel_of(op("a[t, n]", more="  a[t, n] = b[t, n]\n  b[t, n] = a[t, n]\n"))


def bytes_():
    good = b"module m\nlet a = 1\n"
    for i, raw in enumerate([b"", b"\0", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xef\xbb\xbf",
                             b"\r", b"\r\n", b"\x0b\x0c", b"\x1b[31m", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\xc2\xa0", b"\x7f"]):  # fmt: skip
        yield f"bytes_{i}", raw
        yield f"bytes_before_{i}", raw + good
        yield f"bytes_after_{i}", good + raw
        yield f"bytes_within_{i}", good.replace(b"=", b"= " + raw) + b"// " + raw + b"\nlet b" + raw + b" = c" + raw
    yield "bytes_many_nul", b"\0" * 100000
    yield "bytes_many_high", b"\xff" * 100000
    yield "bytes_all", bytes(range(256)) * 8
    yield "bytes_utf16", "module m\nlet a = 1\n".encode("utf-16")


def language():
    for source in (depths, literals, sizes, growth, crowds, files, bytes_):
        for name, text in source():
            yield name, text if isinstance(text, bytes) else text.encode()


ORDERS = [
    "seq", "seq(8) | lanes(128) | halves", "seq(8) | lanes(256, 8) | halves", "mid.leaf(32): bf16", "seq(32) | seq", "pairs(4) | pairs",
    "mma(512) | seq", "mma", "fma(4) | pairs(2) | pairs", "fma", "first(3) | seq(4).from(0.0) | halves: f16", "seq(4).pad(0.0) | mid(8).leaf(2) | seq",
    "lanes(2147483648, 2147483648) | seq", "seq(2147483648) | pairs", "mid(2147483648) | mid.leaf(2147483648)", "seq(1048576).pad(1e308) | seq",
    "lanes(1048576).pad(-inf).from(inf): bf16 | seq", "seq.from(nan)", "seq.from(-0.0)", "seq.from(1e-400)", "seq(0)", "seq(-1)", "lanes", "first(1)",
    "first(2147483648) | seq(2147483648) | seq", "seq | seq", "", " ", "|", "seq |", "halves(3): f8e4m3fn | pairs(5): f8e5m2 | seq: bool", "seq: index",
    "seq(1) | " * 500 + "seq", "seq(2) | " * 70 + "pairs", "halves(2147483647) | " * 40 + "halves", "mid(3) | " * 60 + "mid.leaf(2)", "seq(3).pad(0.0) | " * 30 + "seq",
]  # fmt: skip


def orders():
    for i, order in enumerate(ORDERS):
        yield f"order_{i}", order.encode()
        yield f"orders_{i}", (order + "\n" + ORDERS[(i * 7 + 1) % len(ORDERS)]).encode()
    yield "pairs_twice", b"pairs(4) | pairs\npairs"
    yield "bytes", bytes(range(256))


def npy_bytes(header, data=b"", version=1, length=None):
    width = 2 if version == 1 else 4
    size = len(header) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + size.to_bytes(width, "little") + header + data


def npy():
    for i, descr in enumerate(["<f8", "<f4", "<f2", "<u2", "|u1", "|u1", "|u1", "|u1", "<i4", "<i8", "<u4", "<u8", "|b1", "<f4"]):
        for shape in ("(2, 3)", "()", "(1,)", "(0,)", "(9223372036854775807,)", "(4294967296, 4294967296)", "(0, 9223372036854775807)", "(3, -1)", "(" + "1, " * 100 + ")"):
            header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
            yield f"npy_{i}_{shape[:9].replace(' ', '')}", bytes([i]) + npy_bytes(header, b"\1\0" * 24)
    whole = npy_bytes(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", b"\0" * 24)
    for cut in range(0, len(whole), 5):
        yield f"npy_cut_{cut}", b"\1" + whole[:cut]
    for version in (0, 1, 2, 3, 4, 255):
        yield f"npy_version_{version}", b"\1" + npy_bytes(whole[10:-24], b"\0" * 24, version)
    for i, header in enumerate([b"", b"{", b"{}", b"[" * 1000, b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", b"{'shape': (" + b"1" * 5000 + b",)}",
                                b"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", b"{'descr': '\xff', 'fortran_order': False, 'shape': (2,)}"]):  # fmt: skip
        yield f"npy_header_{i}", b"\1" + npy_bytes(header, b"\0" * 24)
        yield f"npy_claims_{i}", b"\1" + npy_bytes(header, b"", 2, 0xFFFFFFFF)


LOCK = """{"ordo_lock": 1, "profiles": {"m.v1": {"resolutions": {"every target": {"fingerprint":
 "8a9cbbc0b4e2fae0bb1c9d9b2a8ea8a3ba0d2d9ab4f2b8a7e6a5d4c3b2a19081", "kernels": {"k": "00"}}}, "parts": {"k": {"arguments": "a", "requires": [], "definitions": ["b"], "orders": ["seq"]}}}}}"""
MANIFEST = '{"ordo_manifest": 1, "kernels": [{"name": "k", "targets": {"cpu": {"files": {"object": {"path": "k.o", "bytes": 3}}}}}]}'


def json_texts(good):
    yield "good", good.encode()
    for cut in range(0, len(good), 9):
        yield f"cut_{cut}", good[:cut].encode()
    for i, value in enumerate(["null", "[]", "{}", "1e999", "-1", '"x"', '"\\ud800"', "true", "18446744073709551616", "[" * 500 + "]" * 500]):
        yield f"value_{i}", good.replace("1,", value + ",", 1).encode()
        yield f"inner_{i}", good.replace('"k"', value, 1).encode()
        yield f"bare_{i}", value.encode()
    yield "deep_arrays", b"[" * 200000
    yield "deep_objects", b'{"path":' * 100000
    yield "deep_closed", b'{"ordo_manifest":' + b"[" * 100000 + b"]" * 100000 + b"}"
    yield "bad_utf8", good.encode().replace(b"k", b"\xff")
    yield "nul", good.encode().replace(b"k", b"\\u0000")
    yield "up", good.replace("k.o", "../k.o").encode()
    yield "twice", good.replace('"profiles"', '"ordo_lock": 2, "profiles"').encode()


def locks():
    yield from json_texts(LOCK)
    yield "empty_lock", b'{"ordo_lock": 1, "profiles": {}}'
    # The fingerprint of no kernels is that of the first line alone.
    import hashlib
    empty = hashlib.sha256(b"ordo profile 1\n").hexdigest()
    one = hashlib.sha256(b"ordo profile 1\nk 00\n").hexdigest()
    for name, text in (("no_kernels", LOCK.replace('"k": "00"', "")), ("one_kernel", LOCK)):
        for digest in (empty, one):
            at = text.index("8a9c")
            yield f"{name}_{digest[:4]}", (text[:at] + digest + text[at + 64 :]).encode()


def values():
    texts = LITERALS + ["nan", "-nan", "inf", "-inf", "true", "false", "-", "", "--1", "+1", "-0.0", "1e-46", "0x1p-9", "448.0", "464.0", "57344.0", "\0", "\xff"]
    for i, text in enumerate(texts):
        for kind in range(14):
            yield f"value_{i}_{kind}", bytes([kind]) + text.encode("latin-1")


def inputs(target):
    """Of a target: pairs of a name and bytes."""
    made = {"orders": orders, "npy": npy, "lock": locks, "manifest": lambda: json_texts(MANIFEST), "value": values}
    return made.get(target, language)()
