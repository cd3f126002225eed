"""Exceptions within ``with``: which of them `__exit__` swallows, and what runs then.

Each must be right whether or not one comes up, in the first call and in later ones.
"""

import math
import warnings

import numpy as np

from .harness import program

THREE = np.array([1.0, 2.0, 3.0])


class Scope:
    """Swallows everything."""

    def __init__(self, value):
        self.value = value
        self.left = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.left += 1
        self.value = self.value + 1.0
        return True


class Some(Scope):
    """Swallows exceptions of one class."""

    def __exit__(self, kind, error, trace):
        self.left += 1
        self.value = self.value * 2.0
        return kind is ZeroDivisionError


class Counts(Scope):
    """Swallows the first few."""

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.left += 1
        return self.left < 3


class Never(Scope):
    def __exit__(self, kind, error, trace):
        self.value = self.value * (3.0 if kind is None else 5.0)


class Looks(Scope):
    """Reads the exception itself: that is not followed."""

    def __exit__(self, kind, error, trace):
        self.value = self.value * (2.0 if error is None else 3.0 + len(str(error)))
        return True


@program(THREE, 0, later=[(THREE, 1), (THREE * 2.0, 3), (THREE, 0)])
def the_name_of_the_manager_is_replaced(x, n):
    acc = Scope(x[0])
    with acc as k:
        k.value = k.value + x[1]
        k = 1 // n
    return acc.value * x[0] * acc.left


@program(THREE, 1, later=[(THREE, 0), (THREE, 2), (THREE, -2), (THREE, 5)])
def another_handler_gets_what_is_not_swallowed(x, n):
    acc = Some(x[0])
    r = 0.0
    try:
        with acc as k:
            k.value = k.value + x[1]
            k = [1.0, 2.0][n] / (n - 1)
            r = x[1] * k
    except IndexError:
        r = x[2]
    return acc.value * x[0] * acc.left + r


@program(THREE, 2, later=[(THREE, 0), (THREE, 3), (THREE, 7)])
def in_a_loop_with_a_return(x, n):
    acc = Some(x[0])
    r = 0.0
    for j in range(4):
        with acc as k:
            k.value = k.value + x[1]
            k = 2.0 / (n - j)
            r = r + x[1] * k
            if j == 3:
                return acc.value * r
    return acc.value * x[0] * acc.left + r


@program(THREE, 2, later=[(THREE, 0), (THREE, 3)], compiled=False)
def what_is_not_swallowed_leaves_the_function(x, n):
    acc = Some(x[0])
    r = x[2]
    with acc:
        r = x[n] * 2.0
    return r * acc.value


@program(THREE, 5.0, later=[(THREE, 0.25), (THREE, -3.0), (THREE, 2.0)])
def what_stood_before_is_read_behind_it(x, s):
    acc = Scope(s)
    r = x[0] * x[1]
    with acc:
        acc.value = acc.value * x[2]
        r = math.sqrt(s) * x[1]
        acc.value = acc.value - r
    return r * acc.value


@program(THREE, 4, later=[(THREE, 2), (THREE, 9)], compiled=False)
def swallows_by_a_state(x, n):
    acc = Counts(x[0])
    total = x[1]
    for i in range(n):
        with acc:
            total = total * x[i % 3] / (i % 2)
    return total * acc.left


@program(THREE, 0, later=[(THREE, 2), (THREE, 0)])
def never_swallows_within_try(x, n):
    acc = Never(x[0])
    r = x[1]
    try:
        with acc:
            r = r * x[2]
            r = r + 1.0 / n
    except ZeroDivisionError:
        r = r + acc.value
    else:
        r = r * acc.value
    return r


@program(THREE, 0, later=[(THREE, 2), (THREE, 0)], compiled=False)
def looks_at_the_exception(x, n):
    acc = Looks(x[0])
    with acc:
        acc.value = acc.value + x[1] / n
    return acc.value


@program(THREE, 3, later=[(THREE, 1), (THREE, 0), (THREE, 2)])
def two_managers(x, n):
    outer, inner = Scope(x[0]), Some(x[1])
    r = x[2]
    with outer as a, inner as b:
        a.value = a.value * b.value
        r = r * [2.0, 3.0, 4.0][n]
        b.value = b.value / n
        r = r + b.value
    return r * outer.value + inner.value * outer.left + inner.left


@program(THREE, 3, later=[(THREE, 1), (THREE, 0)])
def raised_by_the_block_itself(x, n):
    acc = Some(x[0])
    for i in range(3):
        with acc:
            if i == n:
                raise ZeroDivisionError("here")
            acc.value = acc.value * x[i]
    return acc.value * (1 + acc.left)


@program(THREE, 0, later=[(THREE, 1), (THREE, 2)])
def a_class_within_the_function(x, n):
    class Within:
        def __init__(self, value):
            self.value = value

        def __enter__(self):
            self.value = self.value * math.cos(x[1])
            return self

        def __exit__(self, kind, error, trace):
            self.value = self.value + (x[0] if kind is None else x[2])
            return kind is IndexError

    acc = Within(x[0])
    for _ in range(2):
        with acc as k:
            k = [1.0][n % 2]
            acc.value = acc.value * k * x[1]
    return acc.value


@program(THREE, 2.3, later=[(THREE, 0.6), (THREE, 1.4)])
def a_matrix_that_has_no_factor(x, s):
    r = 0.0
    for i in range(3):
        try:
            r = r + np.linalg.cholesky(np.outer(x, x) + np.eye(3) * (s - i))[0, 0]
        except np.linalg.LinAlgError:
            r = r * x[i]
    return r


@program(THREE, 0, later=[(THREE, 2), (THREE, 0), (THREE, -1)])
def a_system_without_solution(x, n):
    try:
        m = np.array([[x[0], 1.0], [x[1] * n, 1.0 * n]])
        v = np.linalg.solve(m, x[:2])
    except ValueError:
        return x[0] * x[2]
    else:
        return np.sum(v) * x[2]


@program(THREE, 3, later=[(THREE, 0), (THREE, 800), (THREE, 1)])
def a_number_of_a_type_that_depends_on_the_path(x, n):
    total = 0
    for i in range(n):
        total += x[i % 3]
    try:
        a = math.exp(total)
    except OverflowError:
        a = x[0] * n
    return a * x[1]


# ----- what a handler is told
@program(THREE, later=[THREE[:2]], compiled=False)
def its_class(x):
    try:
        x.units  # noqa: B018
    except Exception as e:
        return x[0] * x[1] + 1000 * len(type(e).__name__)
    return x[0]


@program(THREE, later=[THREE[:2]], compiled=False)
def its_text(x):
    try:
        x.units  # noqa: B018
    except AttributeError as e:
        return x[0] * len(str(e))
    return x[0]


@program(THREE, 0, later=[(THREE, 1)], compiled=False)
def its_class_for_a_number(x, n):
    y = float(x[n])
    try:
        y.fill(x[1])
    except (AttributeError, TypeError) as e:
        y = x[1] * (2.0 if isinstance(e, AttributeError) else 3.0)
    return y * x[0]


@program(THREE, later=[THREE[:2]])
def that_it_was(x):
    total = 0.0
    for i in range(3):
        try:
            total += x[i % 2] * x.units
        except AttributeError as e:
            total += x[i % 2] ** 2
    return total


# ----- warnings that are raised
@program(THREE, 2.0, later=[(THREE, 0.0)], wrt=(0,), compiled=False)
def a_warning_raised(x, s):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            t = np.sum(x / np.float64(s)) + x[1]
        except RuntimeWarning:
            t = x[1] * 4.0
    return t * x[0]


@program(THREE, "ignore", later=[(THREE, "error")], compiled=False)
def a_warning_by_choice(x, action):
    with warnings.catch_warnings(action=action):
        try:
            t = np.sum(x / np.float64(0.5 if action == "ignore" else 0.0))
        except RuntimeWarning:
            t = x[1] * 4.0
    return t * x[0]


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
