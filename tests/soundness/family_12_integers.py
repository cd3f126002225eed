"""Integers beyond the machine's: do kernels compute with them as Python does?"""

from .harness import program


# ----- the page's own
@program(0.7, 5, later=[(0.3, 9)])
def mask_of_64_bits(x, n):
    s = 0.0
    for i in range(n):
        s += x * ((i ^ 0xAAAAAAAAAAAAAAAA) % 3)
    return s


@program(0.7, 12345, later=[(0.7, 2**62 + 5)])
def large_modulus(x, n):
    return x * (n % 10**19 % 7)


@program(0.7, 12345, later=[(0.7, -5)])
def large_divisor(x, n):
    return x * (n // 2**63 + 3)


@program(0.7, 12, later=[(0.7, 2**62)])
def large_summand(x, n):
    return x * ((n + 0xFFFFFFFFFFFFFFFF) % 5)


@program(0.7, 2**63 - 1, later=[(0.7, 4)])
def sum_that_wraps(x, n):
    return x * ((n + n) % 7)


@program(0.7, -(2**63), later=[(0.7, 4)])
def negative_of_the_least(x, n):
    return x * ((-n) % 7)


@program(0.7, -(2**63), later=[(0.7, -4)])
def magnitude_of_the_least(x, n):
    return x * (abs(n) % 7)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("mask_of_64_bits", "numba", "right"): "numbers of the value",
    ("large_modulus", "numba", "right"): "numbers of the value",
    ("large_divisor", "numba", "right"): "numbers of the value",
    ("large_summand", "numba", "right"): "numbers of the value",
    ("sum_that_wraps", "numba", "right"): "numbers of the value",
    ("negative_of_the_least", "numba", "right"): "numbers of the value",
    ("magnitude_of_the_least", "numba", "right"): "numbers of the value",
}
