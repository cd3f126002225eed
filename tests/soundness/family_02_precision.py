"""Cotangents have the class, the precision and the rank of their values, by whatever path they come.

Where values come together without an operation, in lists and dicts, behind branches and in loops, a double or
a number of Python's meets single precision, and a number an array; what leaves is what the argument is.
"""

import math

import numpy as np

from .harness import program

SINGLE = np.array([0.7, -0.4, 1.3], np.float32)
OTHER = np.array([0.3, 0.9, -0.8], np.float32)
DOUBLE = np.array([0.45, -1.1, 0.6])
NUMBER = np.float32(0.62)
FLAT = np.array(0.35, np.float32)


@program(SINGLE, 0.3, 1, later=[(DOUBLE, 0.2, 2), (SINGLE, 0.4, 0)])
def number_of_python_before_a_loop_and_a_single_array_after_it(x, s, n):
    held = next((t for t in (s, x) if True), True)
    for _ in range(n):
        held = x
    total = np.sum(held)
    return [np.sum(x), total / 1.5][n > 0]


@program(SINGLE, np.float64(0.4), 1, later=[(DOUBLE, NUMBER, 2), (SINGLE, 0.3, 3), (SINGLE, NUMBER, 0)])
def double_that_no_path_reads(x, z, n):
    first, second = (np.mean(x), [z, 2][n > 1]) if np.sum(x) > 5 else (np.cumsum(x), np.sin(x[0]))
    return np.sin(second) + np.sum(first * x)


@program(FLAT, SINGLE, 2, later=[(np.array(0.4), SINGLE, 1), (NUMBER, DOUBLE, 0), (0.3, OTHER, 2)])
def single_array_without_axes(z, x, n):
    total = 0.0
    for k in range(n):
        total = float(z) * x[k] + total
    return total + z * np.float64(1.5)


@program(DOUBLE, NUMBER, False, later=[(SINGLE, NUMBER, False), (DOUBLE, np.float64(0.3), True)])
def mean_of_an_array_without_axes_and_of_a_sum(y, z, many):
    if many:
        found = np.mean(y)
    else:
        found = np.mean([np.asarray(np.sum(y)), math.fsum([y[0], z])])
    return np.sum(found * y) + 0.69 * z * y[1]


@program(SINGLE, OTHER, 1, later=[(DOUBLE, OTHER, 2), (SINGLE, DOUBLE, 0)])
def list_of_doubles_and_of_single_arrays(x, y, n):
    start = np.full(3, np.sum(x) ** 2)
    parts = [np.array([math.fsum([0.0, y[0]]), np.array(np.sum(start)), x[0]])]
    for _ in range(n):
        parts.append(start + x)
    return np.sum((parts[0] + parts[-1]) * start) * 0.1


@program(SINGLE, OTHER, NUMBER, 1, later=[(SINGLE, DOUBLE, 0.4, 2), (DOUBLE, OTHER, FLAT, 3)])
def dict_whose_entry_is_replaced(x, y, s, n):
    found = {0: np.where(n > 9, math.fsum([np.sum(x), np.sum(x)]), sum([s, 1.5]))}
    for k in range(n):
        found[k] = found.get(k, np.float64(np.sum(y))) * y.sum().item()
    return found[0] + np.sum(y * s) + np.sum(x)


@program(DOUBLE, OTHER, FLAT, 0, later=[(DOUBLE, DOUBLE, np.float64(0.4), 1), (SINGLE, OTHER, NUMBER, 2)])
def dict_that_may_lack_a_key(x, y, s, n):
    found = {0: y.mean().item()}
    for k in range(n):
        found[k] = s
    return 1.27 * np.sin(found.get(1, np.max(x))) + np.mean(x / (2.0 + y**2)) * x[0] + math.tanh(s)


@program(DOUBLE, 0.3, 3, later=[(DOUBLE, NUMBER, 0), (SINGLE, 0.3, 1), (SINGLE, NUMBER, 2)])
def sum_of_a_list_of_an_array_and_numbers(x, z, n):
    parts = [x * 2.0]
    for _ in range(n):
        parts.append(z)
    total = sum(parts)
    scaled = total * 3.0 if np.ndim(total) else total * 5.0
    return np.max(total) + np.mean(scaled)


@program(DOUBLE, 0.3, 3, later=[(DOUBLE, NUMBER, 0), (SINGLE, 0.3, 1), (SINGLE, NUMBER, 2)])
def sum_of_a_list_of_an_array_and_numbers_times_a_number(x, z, n):
    parts = [np.stack([math.sin(z), float(x[1]), x[0]])]
    for _ in range(n):
        parts.append(np.array(np.sum(x)))
    total = sum(parts)
    return np.mean(total) * z + np.max(total * np.sum(x))


@program(DOUBLE, 0.3, 3, later=[(DOUBLE, NUMBER, 1), (SINGLE, 0.3, 2)])
def largest_element_that_is_an_array_or_a_number(x, z, n):
    rows = [x]
    for k in range(n):
        rows.append(z * k if k else x * z)
    joined = np.array(rows[:2])
    return np.sum(joined[0] * x) + joined.ndim * np.sum(rows[-1])


@program(SINGLE, np.float64(0.4), 2, later=[(DOUBLE, NUMBER, 1), (SINGLE, NUMBER, 3)])
def choice_of_numbers_by_where(x, z, n):
    found = np.array([np.where(n > 2, z, np.float64(0.7)), x.sum().item(), np.where(n < 2, x[-1], x[0])])
    return np.max(found) * 0.5 + np.sum(found) * np.where(z > 0.1, z, 2 * z)


@program(OTHER, 0.31, np.array(0.8), 1, later=[(OTHER, 0.3, np.array(0.6), 0), (OTHER, 0.2, FLAT, 2)])
def number_of_python_is_the_sum_of_a_list(y, s, z, n):
    parts = [s] * 2
    for _ in range(n):
        parts.append(np.asarray(float(y[0]), float))
        parts[-1] = parts[-1] * 1.5
    return np.sin(sum(parts)) + np.sum(y * z)


@program([SINGLE, DOUBLE], (NUMBER, 0.4), 2, later=[([SINGLE, OTHER], (0.3, NUMBER), 1)], compiled=False)
def lists_and_tuples_of_two_precisions(rows, pair, n):
    total = np.float64(0.0)
    for k in range(n):
        total = total + np.sum(rows[k] * pair[k]) * np.sum(rows[-1])
    return total + math.fsum(pair)


@program(DOUBLE, OTHER, 1, later=[(DOUBLE, OTHER, 4), (DOUBLE[:2], OTHER[:2], 0), (OTHER, SINGLE, 2)])
def sum_of_a_list_of_as_many_as_there_are_turns(x, y, n):
    rows = [y]
    for _ in range(n):
        rows.append(x)
    total = sum(rows)
    return np.sum(total * total) + np.sum(rows[-1])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}


WIDE = np.array([0.7, 1.4, 1.3], np.longdouble)


@program(WIDE, 0.3, compiled=True, later=[(DOUBLE, np.longdouble(0.4)), (WIDE, np.longdouble(1) / 3)])
def more_digits_than_a_double_has(x, s):
    total = np.max(x) * s
    for k in range(len(x)):
        total = total * s + x[k] ** 2 if total < 1.1 else np.sin(total) * x[k]
    return total + np.mean(np.abs(x) ** s) + np.sum(np.where(x > 1, x, s))
