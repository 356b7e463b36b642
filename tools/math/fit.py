#!/usr/bin/env python3
"""Writes contracts/math/polynomials.ordo and polynomials_f32.ordo: the polynomials of the math library.

    tools/math/fit.py [--sollya PATH] [-o FOLDER]

Each is a minimax fit over a reduced range whose coefficients are f64 (or f32) numbers from the start, by Sollya's
fpminimax: Brisebarre and Chevillard, "Efficient polynomial L-infinity approximations", ARITH 2007. A fit's
error is below the rounding errors of its evaluation. Which of several such fits is taken was decided by the
inputs that are hardest to round, as Lim and Nagarakatte do ("High performance correctly rounded math
libraries for 32-bit floating point representations", PLDI 2021): a range is widened by some thousandths, which
moves the last bits of the coefficients, until the sweep over all 2^32 inputs (tests/math/sweep.cc) finds no
misrounded output.

Sollya (Debian: sollya) is needed here only: the file is committed.
"""
import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Fit:
    """f on [low, high]: powers to be fitted, what is held fixed, and how the error counts."""

    def __init__(self, name, what, function, low, high, powers, fixed=None, error="relative", variable="r",
                 dtype="f64"):
        self.name, self.what, self.function, self.fixed = name, what, function, fixed or {}
        self.low, self.high, self.powers, self.error, self.variable = low, high, list(powers), error, variable
        self.dtype = dtype

    def script(self):
        fixed = " + ".join(f"({c}) * x^{p}" for p, c in self.fixed.items()) or "0"
        where = f"[{self.low!r}; {self.high!r}]"
        powers = ", ".join(str(p) for p in self.powers)
        goal = f"p / ({self.function}) - 1" if self.error == "relative" else f"p - ({self.function})"
        lines = [f"p = fpminimax({self.function}, [|{powers}|], [|{'D' if self.dtype == 'f64' else 'SG'}...|], {where}, {self.error}, {fixed});"]
        lines += [f'print("coefficient", {p}, coeff(p, {p}));' for p in sorted(self.fixed | dict.fromkeys(self.powers))]
        lines += [f'print("error", round(log2(dirtyinfnorm({goal}, {where})), 20, RN));']
        return "\n".join(lines)


def fits():
    """One by one, as the modules that use them."""
    half = 0.3475  # a little past ln2 / 2: the reduction rounds in f32
    yield Fit("exp_of", "e^r, |r| <= ln2 / 2", "exp(x)", -half, half, range(2, 11), {0: 1, 1: 1})
    yield Fit("exp2_of", "2^r, |r| <= 1/2", "2^x", -0.5, 0.5, range(1, 11), {0: 1})
    yield Fit("expm1_over", "(e^r - 1) / r, |r| <= ln2 / 2", "expm1(x) / x", -half, half, range(1, 11), {0: 1})
    low, high = -0.29291, 0.41423  # sqrt(1/2) - 1 and sqrt(2) - 1
    yield Fit("log1p_rest", "(log(1 + r) - r) / r^2, 1 + r from sqrt(1/2) to sqrt(2)", "(log1p(x) - x) / x^2",
              low, high, range(0, 19))
    yield Fit("log2p_rest", "(log2(1 + r) - r / ln2) / r^2, the same range", "(log1p(x) - x) / (x^2 * log(2))",
              low, high, range(0, 19))

    low, high = 2**-12, 0.78541  # pi / 4; zero itself has no relative error
    yield Fit("sin_rest", "(sin(r) - r) / r^3 by s = r^2, |r| <= pi / 4", "sin(x)", low, high, range(3, 14, 2), {1: 1},
              variable="s")
    yield Fit("cos_rest", "(cos(r) - 1 + r^2 / 2) / r^4 by s = r^2, |r| <= pi / 4", "cos(x)", low, high,
              range(4, 15, 2), {0: 1, 2: "-0.5"}, variable="s")
    yield Fit("erf_over", "erf(x) / x by s = x^2, 0 <= x <= 1", "erf(x)", 2**-12, 1.0, range(1, 24, 2), variable="s")
    yield Fit("erf_far", "erf(r + 2.46875), 1 <= r + 2.46875 <= 3.9375", "erf(x + 2.46875)", -1.46875, 1.46875, range(0, 28),
              error="absolute")
    yield Fit("inverse_cbrt", "the inverse cube root, 1 <= m <= 2", "x^(-1/3)", 1.0, 2.0, range(0, 6), variable="m")


def fits_f32():
    """Of the f32 tier: the errors are those of the fits, before any rounding."""
    yield Fit("exp_of", "e^r, |r| <= ln2 / 2", "exp(x)", -0.3475, 0.3475, range(2, 7), {0: 1, 1: 1}, dtype="f32")
    yield Fit("exp2_of", "2^r, |r| <= 1/2", "2^x", -0.5, 0.5, range(1, 7), {0: 1}, dtype="f32")
    yield Fit("tanh_rest", "(tanh(x) - x) / x^3 by s = x^2, 0 <= x <= 1", "tanh(x)", 2**-12, 1.0, range(3, 16, 2), {1: 1},
              variable="s", dtype="f32")
    yield Fit("erf_rest", "erf(x) / x - 1 by s = x^2, 0 <= x <= 1", "erf(x) - x", 2**-12, 1.0, range(1, 16, 2),
              error="absolute", variable="s", dtype="f32")
    yield Fit("erfc_far", "erfc(r + 2.46875), 1 <= r + 2.46875 <= 3.9375", "erfc(x + 2.46875)", -1.46875, 1.46875,
              range(0, 16), error="absolute", dtype="f32")
    yield Fit("sin_rest", "(sin(r) - r) / r^3 by s = r^2, |r| <= pi / 4", "sin(x)", 2**-12, 0.78541, range(3, 8, 2), {1: 1},
              variable="s", dtype="f32")
    yield Fit("cos_rest", "(cos(r) - 1 + r^2 / 2) / r^4 by s = r^2, |r| <= pi / 4", "cos(x)", 2**-12, 0.78541,
              range(4, 9, 2), {0: 1, 2: "-0.5"}, variable="s", dtype="f32")


def literal(text):
    """Sollya writes 0x1.8p1; a constant without an exponent or a point is no Ordo float."""
    value = float.fromhex(text)
    mantissa, exponent = value.hex().split("p")
    digits = mantissa.rstrip("0") if "." in mantissa else mantissa
    return f"{digits.rstrip('.')}p{int(exponent)}"


def solve(fit, sollya):
    script = "display = hexadecimal!;\nprec = 400!;\n" + fit.script() + "\nquit;\n"
    output = subprocess.run([sollya], input=script, capture_output=True, text=True, check=True).stdout
    coefficients, error = {}, None
    for line in output.splitlines():
        words = line.split()
        if words[:1] == ["coefficient"]:
            coefficients[int(float.fromhex(words[1]))] = words[2]
        elif words[:1] == ["error"]:
            error = float.fromhex(words[1])
    if len(coefficients) != len(fit.fixed) + len(fit.powers) or error is None:
        sys.exit(f"fit.py: sollya gave nothing for {fit.name}:\n{output}")
    return coefficients, error


def horner(fit, coefficients, error):
    """The steps from the highest power down: of the powers that are not fixed where some are zero between them."""
    v = fit.variable
    free = sorted(fit.powers)
    step = free[1] - free[0]
    chain = sorted(coefficients) if step == 1 else free
    assert chain == list(range(chain[0], chain[-1] + 1, step)), fit.name
    terms = [literal(coefficients[power]) for power in chain]
    lines = [f"/// {fit.what}: {len(terms) - 1} fused steps, {fit.error} error below 2^{error:.1f}.",
             f"fn {fit.name}({v}: {fit.dtype}) -> {fit.dtype} = {{"]
    last = terms.pop()
    width = len(f"p{len(terms) - 1}")
    while len(terms) > 1:
        name = f"p{len(terms) - 1}"
        lines.append(f"  {name:{width}} = fma({last}, {v}, {terms.pop()})")
        last = name
    lines += [f"  fma({last}, {v}, {terms.pop()})", "}"]
    return "\n".join(lines)


HEAD = '''/// The polynomials of the {tier}. Written by tools/math/fit.py, which says how they were found.
module math.{module}
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sollya", default="sollya")
    parser.add_argument("-o", "--output", default=str(ROOT / "contracts/math"))
    arguments = parser.parse_args()
    for module, tier, all_fits in (("polynomials", "math library, in f64", fits()), ("polynomials_f32", "f32 tier", fits_f32())):
        blocks = [HEAD.format(tier=tier, module=module)]
        blocks += [horner(fit, *solve(fit, arguments.sollya)) for fit in all_fits]
        Path(arguments.output, f"{module}.ordo").write_text("\n\n".join(blocks).replace("\n\n\n", "\n\n") + "\n")


if __name__ == "__main__":
    main()
