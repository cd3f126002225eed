"""Control flow and exceptions: does the derivative leave, raise and warn where Python does?"""

import math

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])


# ----- the page's own
@program(0.7, 5, later=[(0.4, 3), (0.4, 0)])
def finally_after_continue(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i % 2:
                continue
            s = s + x * i
        finally:
            s = s + x * x
    return s * 1.0


@program(0.7, 5, later=[(0.4, 2)])
def finally_after_break(x, n):
    s = x
    for i in range(n):
        try:
            if i == 3:
                break
            s = s * x
        finally:
            s = s + x
    return s


@program(0.7, 5, later=[(-0.7, 5)], compiled=False)
def finally_returns(x, n):
    try:
        if x > 0:
            return x * n
        x = x * 3.0
    finally:
        return x * x


@program(np.array([1.0, 2.0]), 0.0, later=[(np.array([1.0, 2.0]), 3.0)], wrt=(0,), warns=True)
def errstate_of_one_statement(x, a):
    with np.errstate(divide="raise"):
        y = x / 2.0
    z = 1.0 / (x * 0.0 + a)
    return np.sum(y * y) + np.sum(np.minimum(z, 10.0)) * 0.0 + x[0]


@program(THREE, 0, later=[(THREE, 2), (THREE, 3), (THREE, -4)])
def unread_element(x, i):
    x[i]
    return np.sum(x * x)


@program(0.5, 2.0, later=[(0.5, 0.0)], wrt=(0,))
def unread_division(x, s):
    check = 1.0 / s
    return x * x


@program(np.float64(0.5), later=[(np.float64(1.0),)])
def converted_to_python(s):
    return 1.0 / float(s - 1.0) + s * 0.0


@program(THREE, 0.7, wrt=(0,), gradient=(np.array([np.inf, 0.0, 0.0]),))
def numpy_divides_by_zero(x, s):
    return x[0] / (s - s)


@program(THREE, later=[(np.arange(6.0),)])
def mean_of_nothing(x):
    y = np.mean(x[4:])
    return np.sum(x) if np.isnan(y) else y * np.sum(x)


@program(0.5, 0, later=[(0.5, 2)])
def constant_in_a_branch_not_taken(x, n):
    if n > 1:
        return x * (1 // n) * math.sqrt(n - 2)
    k = 0
    if n > 5:
        return x / k
    return x * x


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("finally_after_continue", "numpy", "right"): "bits of the value",
    ("finally_after_continue", "numba", "right"): "numbers of the value",
    ("finally_after_break", "numpy", "right"): "bits of the value",
    ("finally_after_break", "numba", "right"): "numbers of the value",
    ("finally_returns", "numpy", "right"): "bits of the value",
    ("finally_returns", "numba", "right"): "numbers of the value",
    (
        "errstate_of_one_statement",
        "numpy",
        "right",
    ): "raises FloatingPointError where the function raises nothing",
    (
        "errstate_of_one_statement",
        "numba",
        "right",
    ): "raises FloatingPointError where the function raises nothing",
    ("unread_element", "numpy", "right"): "call 3: raises nothing where the function raises IndexError",
    ("unread_element", "numba", "right"): "call 3: raises nothing where the function raises IndexError",
    (
        "unread_division",
        "numpy",
        "right",
    ): "call 2: raises nothing where the function raises ZeroDivisionError",
    (
        "unread_division",
        "numba",
        "right",
    ): "call 2: raises nothing where the function raises ZeroDivisionError",
    (
        "converted_to_python",
        "numpy",
        "right",
    ): "call 2: raises nothing where the function raises ZeroDivisionError",
    (
        "converted_to_python",
        "numba",
        "right",
    ): "call 2: raises nothing where the function raises ZeroDivisionError",
    ("numpy_divides_by_zero", "numpy", "right"): "raises ZeroDivisionError where the function raises nothing",
    ("numpy_divides_by_zero", "numba", "right"): "raises ZeroDivisionError where the function raises nothing",
    ("mean_of_nothing", "numpy", "right"): "raises ZeroDivisionError where the function raises nothing",
    ("constant_in_a_branch_not_taken", "numpy", "compiled"): "traced",
    ("constant_in_a_branch_not_taken", "numba", "compiled"): "traced",
}
