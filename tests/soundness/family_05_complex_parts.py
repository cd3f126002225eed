"""Stores to the real and the imaginary parts of arrays: writes to the arrays, under all their names."""

import numpy as np

from .harness import program

X = np.array([0.3, 1.2, -0.7, 0.9])
LATER = [(X * 1.5,), (X[:3] + 1,)]


@program(X, later=LATER)
def both_parts_of_an_empty_array(x):
    z = np.empty(len(x), complex)
    z.real = x
    z.imag = 2 * x[::-1]
    return np.sum(np.abs(z) ** 2 * x)


@program(X, later=LATER)
def parts_that_are_exchanged(x):
    z = x * (1 + 2j)
    z.real = z.imag[::-1]
    z.imag = z.real
    return np.sum(np.abs(z) ** 2 * x) + np.sum(z.real * z.imag)


@program(X, later=LATER)
def part_of_a_view_with_another_name(x):
    z = x.astype(complex)
    same, tail = z, z[1:]
    real = z.real
    tail.imag = x[1:] * x[:-1]
    tail.real = 3.0
    return np.sum(np.abs(same) ** 4) + np.sum(real * x)


@program(X, later=LATER)
def parts_of_rows_in_a_loop(x):
    z = np.zeros((3, len(x)), complex)
    for i in range(3):
        z[i].imag = x * i
        if x[0] > 0.4:
            z[i].real = x**2
    return np.sum((z * np.conj(z)).real) + np.sum(z.imag)


@program(X, later=LATER)
def real_part_of_real_numbers(x):
    y = x * 2
    y.real = np.sin(x)
    return np.sum(y * x)


@program(X, later=LATER)
def part_of_an_argument(x):
    x.real = x**2
    return np.sum(x)


@program(X.astype("f4"), later=[((X * 1.5).astype("f4"),)], wrt=(), compiled=False)
def single_precision_and_a_list(x):
    z = x.astype(np.complex64)
    z.imag = [1.0, 2.0, 3.0, 4.0]
    return np.sum(np.abs(z) ** 2)


@program(X, later=LATER, compiled=False)
def imaginary_part_of_real_numbers(x):
    y = x * 2
    y.imag = x
    return np.sum(y)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
