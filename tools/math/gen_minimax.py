#!/usr/bin/python3
"""Generates the polynomial coefficients of contracts/math/f32.ordo.

Method: the weighted minimax polynomial (relative error of the whole function) by Lawson's iteration, a
least-squares fit whose weights move towards the largest errors (C. L. Lawson, 1961), over Chebyshev
nodes; the target values come from 50 digits of mpmath. A float coefficient cannot hold the minimax
value, so coefficients are rounded to f32 one at a time, lowest degree first, and the free ones are
fitted again each time. Printed is the error of the polynomial that results, in exact arithmetic; what
rounding adds at run time is measured by sweep_f32.cc. Needs python3-mpmath and python3-numpy; nothing
in the build does.

Usage: tools/math/gen_minimax.py
"""
from mpmath import exp, floor, log, mp, mpf
import numpy

mp.dps = 50


def f32_literal(value):
    """The C hexadecimal spelling of an f32."""
    mantissa, exponent = float(numpy.float32(value)).hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}"


def chebyshev_nodes(low, high, count):
    angles = numpy.pi * (2 * numpy.arange(count) + 1) / (2 * count)
    return (low + high) / 2 - (high - low) / 2 * numpy.cos(angles)


def lawson(powers, target, weight, iterations=300):
    """Coefficients c that nearly minimise max |weight * (target - powers @ c)|, and that maximum."""
    moving = numpy.full(len(target), 1.0 / len(target))
    best, level = None, numpy.inf
    for _ in range(iterations):
        scale = numpy.sqrt(moving) * weight
        c = numpy.linalg.lstsq(powers * scale[:, None], target * scale, rcond=None)[0]
        error = numpy.abs(weight * (target - powers @ c))
        if error.max() < level:
            best, level = c, error.max()
        moving = moving * error
        moving /= moving.sum()
    return best, level


def fit(name, target, weight, low, high, degree):
    nodes = chebyshev_nodes(low, high, 800)
    values = numpy.array([float(target(mpf(float(x)))) for x in nodes])
    weights = numpy.array([float(abs(weight(mpf(float(x))))) for x in nodes])
    fixed = []
    while len(fixed) <= degree:
        known = sum((float(c) * nodes**i for i, c in enumerate(fixed)), 0 * nodes)
        powers = numpy.stack([nodes**i for i in range(len(fixed), degree + 1)], axis=1)
        best, level = lawson(powers, values - known, weights)
        if not fixed:
            print(f"{name}: degree {degree}, unrounded 2^{numpy.log2(level):.2f}", end="")
        fixed.append(numpy.float32(best[0]))
    known = sum(float(c) * nodes**i for i, c in enumerate(fixed))
    print(f", rounded 2^{numpy.log2(numpy.abs(weights * (values - known)).max()):.2f}")
    for i, c in enumerate(fixed):
        print(f"  c{i} = {f32_literal(c)}")


def main():
    # exp(f) = 1 + f + f^2 q(f). The reduced argument passes ln2 / 2 by a little: 1/ln2 is rounded, and so
    # is its product with x.
    half = float(log(2) / 2) * 1.00001 + 2.0**-17
    fit("exp q", lambda f: (exp(f) - 1 - f) / f**2, lambda f: f**2 / exp(f), -half, half, 4)

    # log(1 + f) = f - f^2 / 2 + f^3 q(f), f in [2/3 - 1, 4/3 - 1).
    for degree in (7, 8):
        fit("log q", lambda f: (log(1 + f) - f + f**2 / 2) / f**3, lambda f: f**3 / log(1 + f),
            -1 / 3 - 2.0**-23, 1 / 3, degree)

    ln2 = log(2)
    high = numpy.float32(float(ln2))
    short = floor(ln2 * 2**16) / mpf(2) ** 16
    print(f"1/ln2 {f32_literal(float(1 / ln2))}")
    print(f"ln2 = {f32_literal(high)} + {f32_literal(float(ln2 - mpf(float(high))))}")
    print(f"ln2 = {f32_literal(float(short))} (16 bits) + {f32_literal(float(ln2 - short))}")


if __name__ == "__main__":
    main()
