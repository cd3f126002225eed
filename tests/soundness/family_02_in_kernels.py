"""What do kernels make of a value whose type depends on the path taken, and what type has it behind them?"""

import numpy as np

from .harness import program

X = np.array([0.11, 0.23, 0.57])


@program(X, 3, later=[(X, 0), (X, 1)])
def zero_or_a_sum(x, k):
    total = 0
    for i in range(k):
        total += x[i] ** 2
    return total


@program(X, 0, later=[(X, 3)])
def pythons_float_or_a_sum(x, k):
    total = 0.0
    for i in range(k):
        total += x[i] ** 2
    return total


@program(X, 0, later=[(X, 1), (X, 3)])
def sums_of_rows_that_may_be_empty(x, k):
    total = 0.0
    for i in range(3):
        for j in range(i, k):
            total += x[i] * x[j]
    return total


@program(X, 5, later=[(X, 0), (X, 1)])
def first_below_a_bound(x, k):
    found = 0
    for i in range(3):
        if x[i] * k > 1.0:
            found = x[i] ** 2
            break
    return found


@program(X, 0, later=[(X, 1), (X, 2)])
def remainder_of_a_large_int_or_a_float(x, k):
    n = k * 2**58 + 1 if k < 2 else 0.5
    total = 0.0
    for i in range(3):
        total += x[i] * (n % 7)
    return total


@program(X, 0, later=[(X, 1)])
def negative_of_an_int_or_a_float(x, k):
    u = 0
    if k:
        u = x.sum()
    total = 0.0
    for i in range(3):
        total += x[i] * np.arctan2(-u, -1.0)
    return total


@program(X, 0, later=[(X, 1), (X, 3)])
def sum_of_pythons_or_numpys_bools(x, k):
    b = True
    total = 0.0
    for i in range(3):
        if i < k:
            b = x[i] > 0.2
        total += x[i] * (b + b)
    return total


@program(X, 0, later=[(X, 1), (X, 3)])
def bools_of_a_loop(x, k):
    u = True
    for i in range(k):
        u = x[i] > 0.2
    return np.sum(x * (u + u))


@program(X, 0, later=[(X, 1), (X, 3)])
def divided_by_pythons_or_numpys_int(x, k):
    divisor = k - 1
    if k == 0:
        divisor = np.arange(3)[0]
    total = 0.0
    for i in range(3):
        total += x[i] * (5 // divisor)
    return total


@program(X, 0, later=[(X, 1), (X, 3)])
def pythons_or_numpys_large_int(x, k):
    b = 2**61
    if k == 1:
        b = (np.arange(3) * 2**61)[1]
    total = 0.0
    for i in range(3):
        total += x[i] * ((b * 4) * 1e-10)
    return total


@program(X, 0, later=[(X, 1)], compiled=False)
def class_of_a_sum_with_numpys_int(x, k):
    n = 3
    if k:
        n = np.arange(4)[3]
    return x[0] if isinstance(n + 1, int) else x[1]


@program(X, 0, later=[(X, 1), (X, 3)])
def single_grows_to_double_in_a_loop(x, k):
    u = np.full(3, np.float32(0.1))
    for _ in range(k):
        u = u * x
    return x[0] * np.sum(u * 0.1)


@program(X, 0, later=[(X, 2)])
def handed_from_kernel_to_kernel(x, k):
    scale = 0
    for i in range(k):
        scale += x[i]
    y = np.sort(x) * scale
    rest = 1
    for i in range(3):
        rest += y[i] * scale
    return np.linalg.det(np.outer(y, x) + np.eye(3)) * rest + scale


@program(X, 0, later=[(X, 1), (X, 2)])
def largest_of_a_sum_and_zero(x, k):
    total = 0
    for i in range(k):
        total += x[i] - 0.2
    return max(total, 0)


@program(np.array([0.3, 0.4, 0.5]), 0, later=[(np.array([0.3, 0.4, 0.5]), 2)])
def range_of_what_may_be_a_float(x, n):
    count = 3
    for _ in range(n):
        count = x[0]
    return sum(x[i] * x[i] for i in range(count))


@program(np.array([0.3, 0.4, 0.5]), 0, later=[(np.array([0.3, 0.4, 0.5]), 2)])
def integer_or_single_precision(x, n):
    rate = 3
    for _ in range(n):
        rate = np.float32(0.1)
    step = rate * 0.1
    return step * x[0] + (rate + 1e-9) * x[1]


@program(0.3, np.array([0.3, 0.4, 0.5]), 0, later=[(0.3, np.array([0.3, 0.4, 0.5]), 2)])
def double_or_single_precision(s, x, n):
    rate = s * 1.1
    for _ in range(n):
        rate = np.float32(0.1)
    scaled = rate * s
    return scaled * np.sum(x * scaled)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
