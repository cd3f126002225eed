"""Names that a loop or a branch may leave unbound: are they read as Python reads them?"""

import math

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
ROWS = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- the page's own
@program(0.7, 10, later=[(0.3, 2), (0.3, 0)])
def bound_before_break(x, count):
    for n in range(count):
        if n > 3:
            break
        u = 2.0 * x
    return np.sum(u)


@program(0.7, 10, later=[(0.3, 2), (0.3, 1)])
def bound_before_continue(x, count):
    for n in range(count):
        if n % 3 == 0:
            continue
        u = 2.0 * x * n
    return np.sum(u)


@program(FOUR, 0.5, later=[(FOUR, 5.0), (FOUR, -5.0)])
def last_match(x, limit):
    for v in x:
        if v > limit:
            found = v * v
    return found * 2.0


@program(2.5, 1e-3, wrt=(0,), later=[(3.5, 1e-9), (1.0, 1.0)])
def residual_before_convergence(a, tol):
    x = a
    for k in range(20):
        step = 0.5 * (a / x - x)
        if abs(step) < tol:
            break
        residual = step * step
        x = x + step
    return x + residual


# ----- in helper functions
def bisect(f, lo, hi, tol):
    for _ in range(60):
        if hi - lo < tol:
            break
        mid = 0.5 * (lo + hi)
        if f(mid) > 0:
            hi = mid
        else:
            lo = mid
    return mid


@program(0.45, 2.9, 0.1, wrt=(0, 1), later=[(0.45, 2.9, 0.5), (0.45, 2.9, 10.0)])
def midpoint_of_a_bisection(lo, hi, tol):
    return bisect(lambda x: x * x - 2.0, lo, hi, tol) ** 2


def crossing_time(x, level):
    for i in range(len(x) - 1):
        if x[i] < level <= x[i + 1]:
            at = i
            break
    return at + (level - x[at]) / (x[at + 1] - x[at])


@program(FOUR, 0.8, later=[(FOUR, -0.5), (FOUR, 3.0)])
def first_crossing(x, level):
    return crossing_time(x, level) * 2.0


def newton(a, start, tol):
    x = start
    for _ in range(8):
        f = x * x - a
        if abs(f) > tol:
            slope = 2.0 * x
            x = x - f / slope
    return x, slope


@program(2.0, 1.2, 1e-9, wrt=(0,), later=[(2.0, 1.2, 0.3), (1.44, 1.2, 5.0)])
def slope_of_the_last_step(a, start, tol):
    x, slope = newton(a, start, tol)
    return x * slope


def logarithm_where_there_is_one(x):
    try:
        rate = math.log(x)
    except ValueError:
        pass
    return rate


@program(0.7, later=[(1.7,), (-0.5,)], wrt=(0,))
def bound_in_a_try(x):
    return logarithm_where_there_is_one(x) * x


def gain_of(mode, x):
    if mode == 0:
        gain = x
    elif mode == 1:
        gain = x * x
    elif mode == 3:
        gain = np.sin(x)
        del gain
    return gain * 2.0


@program(0.7, 1, later=[(0.7, 0), (0.7, 2), (0.7, 3)])
def branches_without_an_else(x, mode):
    return gain_of(mode, x) + x


# ----- in methods, comprehensions and lambdas
class Solver:
    def __init__(self, tol, limit):
        self.tol, self.limit = tol, limit

    def solve(self, a):
        x = a
        for k in range(self.limit):
            new = 0.5 * (x + a / x)
            if abs(new - x) < self.tol:
                break
            change = new - x
            x = new
        else:
            failed = x * 10.0
            return failed
        return x + change


@program(2.3, 1e-4, 20, wrt=(0,), later=[(2.3, 1e-12, 3), (1.0, 0.5, 3)])
def method_with_an_else(a, tol, limit):
    return Solver(tol, limit).solve(a)


@program(FOUR, 0.5, later=[(FOUR, -1.0), (FOUR, 9.0)], wrt=(0,))
def factor_read_by_a_lambda(x, limit):
    scaled = lambda v: v * factor
    for v in x:
        if v > limit:
            factor = v
    return scaled(x[0]) + scaled(x[1])


@program(FOUR, 0.5, later=[(FOUR, -1.0), (FOUR, 9.0)], wrt=(0,))
def key_that_may_be_missing(x, limit):
    best = {}
    for i in range(len(x)):
        if x[i] > limit:
            best["value"] = x[i] * (i + 1)
            best["at"] = i
    return best["value"] + x[best["at"]] ** 2


@program(FOUR, 0.5, later=[(FOUR, -1.0), (FOUR, 9.0)], wrt=(0,))
def named_in_a_comprehension(x, limit):
    squares = [last := v * v for v in x if v > limit]
    return sum(squares) + last


class Series:
    def __init__(self, values):
        self.values = values

    def last_of(self, sign):
        for v in self.values:
            if v * sign > 0:
                kept = v
        return kept

    def last(self):
        for v in self.values:
            pass
        return v


@program(FOUR, 1, later=[(FOUR, -1), (np.abs(FOUR), -1), (FOUR[:0], 1)])
def last_of_a_series(x, sign):
    series = Series(x)
    return series.last() * 2.0 + series.last_of(sign)


# ----- in nested loops
@program(ROWS, 0.6, wrt=(0,), later=[(ROWS, 1.2), (ROWS, -5.0), (ROWS, 5.0)])
def bound_in_the_inner_loop(a, limit):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > limit:
                break
            seen = a[i, j] * (j + 1)
        total = total + seen
    return total


@program(ROWS, 0.1, wrt=(0,), later=[(ROWS, 1e-6), (ROWS * 0.0, 0.1)])
def jacobi_until_converged(a, tol):
    b = a[0] + 1.0
    u = b * 0.3
    done = False
    for sweep in range(30):
        if done:
            break
        new = b * 0.3
        for i in range(len(u)):
            s = b[i]
            for j in range(len(u)):
                if j != i:
                    s = s + 0.2 * u[j]
            new[i] = s / 3.0
        residual = np.sum((new - u) ** 2)
        done = residual < tol
        u = new
    return np.sum(u * u) + residual


@program(ROWS, 3, later=[(ROWS, 1), (ROWS, 0)])
def only_odd_rows(a, n):
    for i in range(n):
        if i % 2 == 0:
            continue
        for j in range(a.shape[1]):
            weight = a[i, j] * (i + j)
        row = a[i] * weight
    return np.sum(row) * weight


@program(ROWS, -2.0, wrt=(0,), later=[(ROWS, 0.5), (ROWS, 7.0)])
def best_of_a_table(a, best):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > best:
                best = a[i, j]
                where = i, j
    i, j = where
    return best * a[j, i] + a[i, j] ** 2


@program(np.array([0.9, -0.7]), 4, later=[(np.array([0.9, -0.7]), 1), (np.zeros(2), 2)])
def trial_of_a_line_search(x, steps):
    energy = lambda p: p @ p + 0.5 * np.sum(p**4)
    for _ in range(steps):
        slope = 2.0 * x + 2.0 * x**3
        length = 1.0
        while length > 1e-3 and energy(x - length * slope) > energy(x) - 0.3 * length * (slope @ slope):
            trial = x - length * slope
            length = length * 0.5
        x = x - length * slope
    return energy(x) + np.sum(trial**2)


@program(FOUR, 0.4, 4, later=[(FOUR, 0.4, 2), (FOUR, 0.2, 1)])
def velocity_from_the_second_turn(x, rate, n):
    total = 0.0
    for i in range(n):
        if i > 1:
            total = total + np.sum(velocity * x)
        for _ in range(2):
            if i > 0:
                velocity = x * rate - 0.1 * i
        x = x + 0.1 * np.cos(x)
    return total + np.sum(velocity)


@program(0.8, 5, later=[(0.8, 0), (0.3, 1)])
def step_after_a_break(u, n):
    done = False
    for i in range(n):
        if done:
            break
        for _ in range(2):
            u = u + 0.1 * math.sin(u)
        size = u * u
        done = size > 1.2
    return u * size


@program(np.array([0.3, 0.7]), 2, later=[(np.array([0.3, 0.7]), 1)])
def comprehension_over_what_its_own_name_hides(x, k):
    parts = [k * x[0] for k in range(1, k + 1) if k]
    squares = [x * x for x in x[:k]]
    return sum(parts) * k + sum(squares)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("key_that_may_be_missing", "numpy", "compiled"): "traced",
    ("key_that_may_be_missing", "numba", "compiled"): "traced",
}
