"""What a loop leaves under several names: one of them is written behind the loop, another one read."""

import numpy as np

from .harness import program

THREE = np.array([0.7, -0.3, 1.1])
TWO = THREE[:2]
LATER = [(THREE, 0), (TWO, 1), (THREE, 3)]


@program(THREE, 2, later=[(TWO, 2), (THREE * 2, 2)])
def kept_when_it_broke(x, n):
    for _ in range(3):
        w = x * 1.0
        if n == 2:
            got = w
            break
    w *= 2.0
    return np.sum(got * x)


@program(THREE, 2, later=[(TWO, 2)])
def kept_on_a_path_of_each_pass(x, n):
    for i in range(3):
        w = x * (i + 1.0)
        if n == 2 and i > 0:
            got = w
    w[0] = 5.0
    return np.sum(got * x)


@program(THREE, 2, later=[(THREE, 1), (TWO, 2)])
def none_before_it_is_kept(x, n):
    got = None
    for _ in range(3):
        w = np.sin(x)
        if n == 2:
            got = w
            break
    w += x
    return np.sum(w if got is None else got)


@program(THREE, 2, later=[(THREE, 1), (TWO, 2)])
def kept_in_a_list(x, n):
    got = [x]
    for _ in range(3):
        w = x * 1.5
        if n == 2:
            got = [w]
            break
    w *= 2.0
    return np.sum(got[0] * x)


class Best:
    def __init__(self, value):
        self.value = value


@program(THREE, 2, later=[(THREE, 0), (TWO, 3)])
def kept_in_an_object(x, n):
    best = Best(x * 0.5)
    i = 0
    while i < n:
        i += 1
        w = x * i
        if i == 2:
            best.value = w
    if n:
        w[1] = 3.0
    return np.sum(best.value * x)


@program(THREE, 2, later=[(THREE, 1), (TWO, 2)])
def a_window_on_what_was_kept(x, n):
    got = x
    for i in range(2):
        w = np.outer(x, x) * (i + 1.0)
        if n == 2:
            got = w[0]
    w[0] *= 2.0
    return np.sum(got * x)


def search(x, n):
    found = x
    for i in range(3):
        trial = x * (i + 1.0)
        if i == n:
            found = trial
            break
    return trial, found


@program(THREE, 2, later=[(THREE, 0), (TWO, 1), (THREE, 5)])
def both_returned_by_a_helper(x, n):
    trial, found = search(x, n)
    trial *= 3.0
    return np.sum(found * x) + np.sum(trial)


@program(THREE * 2, 3, later=[(THREE * 2, 1), (TWO * 2, 2)])
def perhaps_unbound_before(x, n):
    a = x.copy()
    if x[0] > 0.5:
        d = x * 1.3
    for _ in range(n):
        b = d
        d = d
        a = b
    a[0] = x[1] * 3.0
    return np.sum(d * x)


@program(THREE, 2, later=[(-THREE * 2, 2), (TWO, 0)])
def one_of_several_on_one_side(x, n):
    a = x * 2.0
    d = x.copy()
    c = b = a
    if x[0] > -0.5:
        for i in range(2):
            for _ in range(n + 1):
                d = d
            c = d[:]
            b = c
    else:
        d = a[::-1]
    c += x
    return np.sum(b * x) + np.sum(d)


@program(THREE, 2, later=[(THREE, 0), (TWO, 1)])
def in_loops_within_loops(x, n):
    b = x.copy()
    c = b
    i = 0
    while i < n:
        i += 1
        k = 0
        while k < 2:
            k += 1
            c = x * (i + k)
            if x[0] > 1.0:
                break
            b = c
    c[0] = 7.0
    return np.sum(b * x)


@program(THREE, 2, later=[(THREE, 5), (TWO, 2)])
def raises_on_the_other_path(x, n):
    d = x - 1.0
    b = d[:]
    if n < 3:
        for i in range(2):
            b = x.copy()
    else:
        if i == 2:
            d += x
    b[0] = 7.0
    return np.sum(d * x)


@program(THREE, 0, later=[(THREE, 1), (TWO, 0)])
def an_item_of_none_on_another_path(x, n):
    a = None
    if n > 0:
        return np.sum(a[:]) * x[0]
    return np.sum(x * x)


@program(THREE.astype("f"), 3, later=[(THREE.astype("f"), 0), (THREE, 2)])
def a_queue_of_numbers_that_widen(x, n):
    queue = [np.vdot(x, x)]
    total = 0
    for _ in range(n + 1):
        queue.append(queue[-1] * np.sin(0.97))
        if len(queue) > 2:
            total += queue.pop(0)
    return total + queue[0]


@program(THREE, 1, later=[(THREE, 0), (TWO, 2)])
def read_on_one_path_only(x, n):
    c = x.copy()
    t = 0.0
    if n > 1:
        b = c * 1.0
    else:
        d = x.copy()
        i = 0
        while i < n:
            i += 1
            c = d[:]
        b = c
        for _ in range(2):
            if n < 3:
                b = c
            d[0] = x[1] * 3.0
            t = t + np.sum(b * x)
    return t + np.sum(b)


@program(THREE, 2, later=[(THREE, 0), (TWO, 3)])
def put_into_a_list_before_it_is_written(x, n):
    c = x.copy()
    b = x - 1.0
    box = [x * 3.0]
    d = c
    for _ in range(n):
        box.append(b)
        c[1:] -= 0.5
        b = d[::-1]
    return np.sum(box[-1] * x)


@program(THREE, 2, later=[(-THREE * 2, 0), (TWO, 3)])
def a_list_made_on_a_path_of_a_loop(x, n):
    b = x * 2.0
    d = x.copy()
    c = x + 0.5
    box = [x * 3.0]
    while n > 0:
        n -= 1
        a = x + 1.0
        for _ in range(2):
            a = b * 0.6
            d = a
        if x[0] > -0.5:
            box = [b, c]
            c = d
            a[1:] -= 0.5
        break
    return np.sum(box[-1] * x) + np.sum(c)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("kept_when_it_broke", "numpy", "compiled"): "traced",
    ("kept_on_a_path_of_each_pass", "numpy", "compiled"): "traced",
    ("perhaps_unbound_before", "numpy", "compiled"): "traced",
    ("a_list_made_on_a_path_of_a_loop", "numpy", "compiled"): "traced",
    ("kept_when_it_broke", "numba", "compiled"): "traced",
    ("kept_on_a_path_of_each_pass", "numba", "compiled"): "traced",
    ("perhaps_unbound_before", "numba", "compiled"): "traced",
    ("a_list_made_on_a_path_of_a_loop", "numba", "compiled"): "traced",
}
