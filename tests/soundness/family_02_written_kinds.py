"""A name holds one of two arrays that differ in dtype or axes, and is written to: is each what it is?

One of the two has another name. Where it holds ints, NumPy refuses floats that an operation in place makes,
and cuts off the fraction of floats that are stored.
"""

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])
INTS = np.array([-1, 2, 3])
FLOATS = INTS * 1.0
LATER = [(THREE, INTS, 1), (THREE, FLOATS, 1), (THREE, INTS, 0), (THREE, FLOATS, 7), (THREE[:2], INTS[:2], 0)]


@program(THREE, INTS, 0, later=LATER)
def every_second_item_is_scaled(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    a = np.sum(np.sin(u))
    u[::2] *= np.sin(u[-2])
    return np.sum(u * u) + np.sum(k) + a


@program(THREE, INTS, 0, later=LATER)
def read_in_a_loop_behind_the_write(x, k, n):
    if n > 0:
        u = k
    else:
        u = x * np.sort(x)
    a = np.sum(np.sin(u))
    u[::2] *= np.sin(u[-2])
    w = x[0]
    for _ in range(max(0, n - 4)):
        w = np.hypot(u[n % 2], 1.0 + abs(w))
    return np.sum(u * u) + np.sum(k) + a + w


@program(THREE, INTS, 0, later=LATER)
def written_again_and_again(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    a = np.sum(np.sin(u))
    u[::2] -= np.sin(u[-2])
    u[1:] /= np.cos(u[0]) + 2.0
    if a > 0.1:
        u[0] **= 2.0
    return np.sum(u * u) + np.sum(k) + a


@program(THREE, INTS, 0, later=LATER)
def written_in_each_pass(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    a = np.sum(np.sin(u))
    for i in range(2):
        u[i:] *= x[i] + 1.5
    return np.sum(u * u) + np.sum(k) + a


@program(THREE, INTS, 0, later=LATER)
def a_loop_may_have_taken_the_other_one(x, k, n):
    u = x * np.sort(x)
    for _ in range(n):
        u = k
    a = np.sum(np.sin(u))
    u[:2] **= 3.0
    return np.sum(u * u) + np.sum(k) + a


@program(THREE, INTS, 0, later=LATER)
def out_is_one_of_two(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    a = np.sum(np.sin(u))
    np.multiply(u, x, out=u)
    np.add(u, 2, out=u)
    return np.sum(u * u) + np.sum(k) + a


def damped(w, s):
    w[1:] -= s * w[0]
    return w


@program(THREE, INTS, 0, later=LATER)
def damped_by_a_helper(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    a = np.sum(np.sin(u))
    v = damped(u, x[0])
    return np.sum(u * v) + np.sum(k) + a


@program(THREE, INTS, 0, later=LATER)
def counts_or_products(x, k, n):
    counts = np.arange(len(x))
    held = [counts]
    u = counts if n > 0 else x * k
    a = np.sum(np.sin(u))
    u[:2] += x[0]
    return np.sum(u * u) + np.sum(held[0]) + a


@program(THREE, INTS, 0, later=LATER)
def flags_or_numbers(x, k, n):
    positive = x > 0
    held = [positive]
    u = positive if n > 0 else x * k
    a = np.sum(np.sin(u))
    u[::2] = u[::2] * 1.5 + x[1]
    return np.sum(u * x) + np.sum(held[0]) + a


@program(THREE, INTS, 0, later=LATER)
def stored_with_or_without_fractions(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    a = np.sum(np.sin(u))
    u[::2] = 3.0 * np.sin(u[-2])
    u[1] = 2.7 * x[0]
    return np.sum(u * x) + np.sum(k) + a


@program(THREE, INTS, 0, later=[*LATER, (THREE, INTS, 4)])
def one_of_three(x, k, n):
    single = np.ones(len(x), np.float32)
    held = [single]
    if n > 2:
        u = single
    elif n > 0:
        u = k
    else:
        u = x * np.sort(x)
    a = np.sum(np.sin(u))
    u[::2] *= 1.5
    u[0] -= 0.25
    return np.sum(u * u) + np.sum(k) + a + np.sum(held[0])


@program(THREE, INTS, 0, later=LATER)
def both_have_other_names(x, k, n):
    y = x * 2.0
    held = [y]
    u = k if n > 0 else y
    v = u
    a = np.sum(np.sin(u))
    v[1:] -= np.sin(x[0]) * v[0]
    y[0] += 1.0
    return np.sum(u * u) + np.sum(k) + a + np.sum(v * y) + np.sum(held[0])


@program(THREE, INTS, 0, later=LATER)
def an_element_is_one_of_two(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    held = [u, x]
    a = np.sum(np.sin(u))
    held[0][::2] *= np.sin(u[-2])
    return np.sum(u * u) + np.sum(k) + a


@program(THREE, 0, later=[(THREE, 1), (THREE[:2], 0), (THREE[:2], 3)])
def a_condition_tells_the_axes(x, n):
    z = x * 2.0
    held = [z]
    u = z if n > 0 else np.outer(x, x)
    a = np.sum(np.sin(u))
    if u.ndim == 1:
        u[0] *= 2.5
        u[:] *= x
    return np.sum(u * u) + np.sum(held[0]) + a


@program(THREE, INTS, 0, later=LATER, compiled=False)
def all_of_it_is_scaled(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    a = np.sum(np.sin(u))
    u *= np.sin(u[-2])
    return np.sum(u * u) + np.sum(k) + a


@program(THREE, INTS, 0, later=LATER, compiled=False)
def a_window_from_before(x, k, n):
    u = k if n > 0 else x * np.sort(x)
    w = u[::-1]
    a = np.sum(np.sin(u))
    u[::2] *= np.sin(u[-2])
    w -= a
    return np.sum(u * u) + np.sum(k) + a + np.sum(w * w)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
