"""Are adjoints right, of straight-line code, branches, loops and lists, to second order?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.check import check
from tests.compiler.checking import differentiable, leaves_of, primal, verify, verify_second

X = np.array([0.3, 0.7, 1.2])
V = np.linspace(0.2, 1.3, 5)
A = np.arange(6.0).reshape(2, 3) / 7 + 0.2
COLUMN = np.array([[0.4], [0.9]])


# ----- straight-line code -----
def polynomial(x):
    return x * x + x * 3.0


def chain(x, y):
    return np.sum(np.tanh(x * y) / (1 + np.exp(-x)))


def broadcasting(a, b, c):
    return np.sum(np.sin(a * b + c))


def write_slice(x):
    y = x.copy()
    y[1:] = np.sin(x[:2])
    return np.sum(y * y) + x[0] * y[2]


def unused(x, y):
    return x * 2.0


def powers(x):
    return np.sum(x**2 + x**3 + np.sqrt(x))


def joined(x, y):
    return np.sum(np.concatenate((x, 2 * y)) ** 2)


def selected(x, y):
    return np.sum(np.where(x > y, x / y, np.log(y)))


def least_squares(w, a, b):
    r = a @ w - b
    return np.mean(r**2)


def statistics(x):
    return np.var(x) + np.std(x) * np.max(x)


# ----- branches -----
def branch(x, y):
    if x > y:
        t = x * y
        r = np.sin(t) * t
    else:
        r = y * y * y
    return r * x


def early_return(x):
    if x > 1.0:
        return x * x
    y = math.sin(x)
    if y > 0.5:
        return y
    return y * x


def assigned_in_branch(x):
    t = 0.0
    if x > 0.5:
        s = x * x
        t = s + 1.0
    u = 2.0
    if x > 0.5:
        u = s * t
    return u * x


# ----- loops -----
def horner(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x + math.sin(x)
    return y


def accumulate(a, w):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * w
    return s


def swap(x, y, n):
    for _ in range(n):
        x, y = y, x * y
    return x * 3.0 + y


def in_place(a, k):
    r = a.copy()
    for i in range(1, len(a)):
        r[i] = r[i - 1] * r[i] * k
    return np.sum(r * r)


def nested(a, n):
    s = 1.0
    for i in range(n):
        for j in range(i + 1):
            s = s * math.cos(a[j] + s)
        s = s + a[i]
    return s


def while_loop(x):
    while x < 50.0:
        x = x * x + 1.0
    return x


def counted_while(x):
    y, k = x, 0
    while k < 5:
        y = y + x
        k += 1
    return y


def stopping(a, limit):
    s = 0.0
    for v in a:
        if s + v * v > limit:
            break
        s = s + v * v * s + v
    return s


def skipping(a):
    s = 1.0
    for i in range(len(a)):
        if a[i] < 0.4:
            continue
        s = s * a[i]
    return s


def return_in_loop(a):
    s = 0.0
    for v in a:
        s = s + v * v
        if s > 1.0:
            return s * v
    return s


def branch_in_loop(a):
    s = 1.0
    for v in a:
        if v > 0.6:
            t = math.exp(v) * s
            s = t * t * 0.1
        else:
            s = s + v
    return s


def loop_in_branch_in_loop(a, n):
    t, s = 1.0, 0.0
    for i in range(n):
        if t > 0.5:
            u = t
            for j in range(3):
                u = u * math.sin(u + a[j])
            t = u * t
        else:
            t = t + a[i]
        s = s + t * t
    return s


def array_state(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * x
    return np.sum(y)


def overwritten(x, n):
    y, s = x, 0.0
    for i in range(n):
        y = x * x * i
        s = s + x[0]
    return np.sum(y * y) + s


def first_use_in_loop(x, n):
    for i in range(n):
        y = x * i
    return np.sum(y * y)


def growing(x, n):
    y = x
    for _ in range(n):
        y = np.concatenate((y, y[:2] * y[0]))
    return np.sum(y * y)


def stencil(u, steps):
    for _ in range(steps):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = v
    return np.sum(u**2)


# ----- lists -----
def list_of_numbers(x, n):
    values = []
    for i in range(n):
        values.append(x * x * i)
    s = 1.0
    for v in values:
        s = s + v * s
    return s


def list_backwards(x, n):
    values = []
    for i in range(n):
        values.append(x * x * i)
    s = 1.0
    for v in reversed(values):
        s = s + v * s * s
    return s


def list_with_break(x, n):
    values = []
    for i in range(n):
        values.append(x * x * i)
    s = 1.0
    for v in values:
        s = s + v * s
        if s > 1.5:
            break
    return s


def list_to_array(x, n):
    rows = [x]
    for _ in range(n):
        rows.append(np.sin(rows[-1]) * x)
    return np.sum(np.array(rows) ** 2)


def list_by_index(x, n):
    values = [x, x * 2.0]
    for i in range(n):
        values.append(values[i] * values[i + 1])
    return values[n] + values[1]


CASES = [
    (polynomial, 2.0),
    (chain, X, 0.7),
    (broadcasting, A, COLUMN, X),
    (write_slice, X),
    (unused, 2.0, X),
    (powers, X),
    (joined, X, X * 2),
    (selected, X, X[::-1] * 1.1),
    (least_squares, X, A, np.array([0.1, 0.2])),
    (statistics, X),
    (branch, 2.0, 1.0),
    (branch, 1.0, 2.0),
    (early_return, 2.0),
    (early_return, 0.9),
    (early_return, 0.2),
    (assigned_in_branch, 0.7),
    (assigned_in_branch, 0.2),
    (horner, 0.7, 4),
    (horner, 0.7, 0),
    (accumulate, V, 1.3),
    (swap, 0.8, 1.2, 5),
    (swap, 0.8, 1.2, 0),
    (in_place, V, 0.9),
    (nested, V, 4),
    (nested, V, 0),
    (while_loop, 1.1),
    (counted_while, 1.1),
    (stopping, V, 0.6),
    (skipping, V),
    (return_in_loop, V),
    (return_in_loop, V * 0.1),
    (branch_in_loop, V),
    (loop_in_branch_in_loop, V, 5),
    (array_state, X, 3),
    (array_state, X, 0),
    (overwritten, X, 4),
    (overwritten, X, 0),
    (first_use_in_loop, X, 3),
    (growing, X, 2),
    (stencil, V, 3),
    (list_of_numbers, 0.5, 4),
    (list_backwards, 0.5, 4),
    (list_with_break, 0.5, 6),
    (list_to_array, X, 3),
    (list_by_index, 0.7, 4),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_against_differences(case):
    verify(*case, order=1)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_second_derivatives_against_differences(case):
    function, *args = case
    leaves = leaves_of(args)
    wrt = differentiable(leaves)
    verify_second(check(adjoint(primal(function, *args), wrt)), wrt, leaves)
