"""Functions that call themselves as often as a condition at run time says, and in later calls more often."""

import numpy as np

from .harness import program


def _newton(x, a, tolerance):
    y = x - (x * x - a) / (2 * x)
    return y if abs(y - x) < tolerance else _newton(y, a, tolerance)


@program(1.5, 2.0, 1e-3, later=[(1.4, 2.1, 1e-2), (1.6, 2.0, 1e-3)], wrt=(0, 1))
def newton(x, a, tolerance):
    return _newton(x, a, tolerance) * a


@program(
    1.5, 2.0, 1e-3, later=[(90.0, 2.0, 1e-3), (80.0, 2.0, 1e-3), (1.5, 2.0, 1e-3)], wrt=(0, 1), compiled=False
)
def newton_that_goes_deeper_later(x, a, tolerance):
    return _newton(x, a, tolerance) * a


def _power(x, n):
    if n == 0:
        return 1.0
    half = _power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


@program(1.1, 3, later=[(1.2, 2), (1.1, 0), (0.9, 5)])
def power_by_halves(x, n):
    return _power(x, n)


@program(1.1, 3, later=[(1.2, 40), (1.1, 40), (0.9, 2)], compiled=False)
def power_by_more_halves_later(x, n):
    return _power(x, n)


def _even(x, n):
    return x if n == 0 else 1.1 * _odd(x, n - 1)


def _odd(x, n):
    return 0.5 * x if n == 0 else np.sin(_even(x, n - 1))


@program(0.3, 3, later=[(0.4, 2), (0.3, 1)])
def two_that_call_each_other(x, n):
    return _even(x, n)


@program(0.3, 3, later=[(0.4, 9), (0.3, 9), (0.3, 4)], compiled=False)
def two_that_call_each_other_more_often(x, n):
    return _even(x, n)


@program(0.3, 2, later=[(0.4, 3), (0.3, 0)])
def closure_with_an_accumulator(x, n):
    def go(k, acc):
        if k >= n:
            return acc
        return go(k + 1, acc * np.cos(x) + k)

    return go(0, x)


@program(0.4, 3, later=[(0.5, 1), (0.4, 0)])
def closure_that_appends(x, n):
    out = []

    def walk(k):
        if k < n:
            out.append(x * k)
            walk(k + 1)

    walk(0)
    return sum(out) + x


def _rolled(x, n):
    if n < 1:
        return np.sum(x)
    x = x.copy()
    x[n % 3] *= 1.1
    return _rolled(np.roll(x, 1) * 0.9, n - 1) + x[0]


@program(np.array([1.1, 2.3, 0.7]), 2, later=[(np.array([0.5, 0.3, 1.7]), 1), (np.ones(3), 3)])
def arrays_that_are_written(x, n):
    return _rolled(x, n)


def _writes(x, n):
    if n > 0:
        x[n - 1] *= x[n]
        _writes(x, n - 1)


@program(np.array([1.1, 2.3, 0.7, 0.2]), 2, later=[(np.array([0.5, 0.3, 1.7, 0.1]), 3), (np.ones(4), 0)])
def one_array_that_all_write(x, n):
    x = x.copy()
    _writes(x, n)
    return np.sum(x * x)


@program(np.array([1.1, 2.3, 0.7, 0.2]), 2, later=[(np.ones(4), 3), (np.ones(4) * 1.5, 1)])
def halves_of_an_array(x, least):
    def total(part):
        if len(part) <= least:
            return np.sum(part * part)
        middle = len(part) // 2
        return total(part[:middle]) * 0.5 + total(part[middle:])

    return total(x)


class _Oscillator:
    def __init__(self, k):
        self.k = k

    def step(self, q, p, n):
        if n == 0:
            return q * q + p * p
        p = p - 0.1 * self.k * q
        return self.step(q + 0.1 * p, p, n - 1)


@program(1.1, 0.3, 3, later=[(1.0, 0.2, 2), (0.4, 0.3, 0)])
def method(k, q, n):
    return _Oscillator(k).step(q, 0.1, n)


@program(0.7, 2, later=[(0.8, 1), (0.7, 3)])
def result_that_is_a_pair(x, n):
    def fibonacci(k):
        if k <= 0:
            return x, 1.0
        a, b = fibonacci(k - 1)
        return a + b, a * x

    a, b = fibonacci(n)
    return a * b


def _until(x, n):
    if n == 0:
        raise ValueError("no more")
    return x if x > 1.0 else _until(x * 2.0, n - 1)


@program(0.3, 3, later=[(0.3, 1), (0.6, 3), (0.1, 2)])
def exception_at_the_end(x, n):
    return _until(x, n)


@program(np.array([0.3, 1.4, 0.8]), 2, later=[(np.array([0.2, 0.4, 0.8]), 3)])
def called_in_a_loop(x, n):
    total = 0.0
    for v in x:
        total = total + _power(v, n) * v
    return total


@program(0.2, 1.0, 0.3, later=[(0.1, 0.9, 0.4), (0.2, 0.7, 0.5)])
def quadrature(a, b, tolerance):
    def simpson(left, right):
        middle = (left + right) / 2
        fine = (np.exp(left) + np.exp(middle)) * (middle - left) + (right - middle) * np.exp(right)
        coarse = (right - left) * np.exp(middle)
        if abs(fine - coarse) < tolerance:
            return fine
        return simpson(left, middle) + simpson(middle, right)

    return simpson(a, b)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
