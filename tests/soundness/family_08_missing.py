"""Arrays that only one path makes: the cotangent of a missing one has no shape for another to borrow."""

import numpy as np

from .harness import program

THREE = np.array([0.603, 1.583, -1.507])
FOUR = np.array([0.4, -0.9, 1.3, 0.7])
FAR = 100.0


@program(THREE, -FAR, later=[(THREE, FAR)])
def bound_before_a_break(x, limit):
    for _ in range(2):
        w = np.column_stack([x])
        v = np.resize(w, w.shape)
        r = np.sum(v)
        if w[1] < limit:
            u = v
            break
    else:
        u = w
    return r + np.sum(u)


@program(THREE, 3, -FAR, later=[(THREE, 3, FAR), (THREE[:2], 1, -FAR)])
def bound_in_a_while(x, n, limit):
    k = 0
    found = False
    while k < n:
        w = np.tile(x, 2)
        v = np.cumsum(w)
        k += 1
        if v[0] < limit:
            best = v
            found = True
            break
    if not found:
        best = np.sin(w)
    return np.sum(best * best) + np.sum(v)


@program(THREE, -FAR, later=[(THREE, FAR)])
def bound_in_a_nested_loop(x, limit):
    total = 0.0
    for i in range(2):
        for j in range(2):
            w = np.outer(x, x) * (i + j + 1)
            v = w.T * 2.0
            if v[0, 0] < limit:
                u = v
                break
        else:
            u = w
        total += np.sum(u * u) + np.sum(v)
    return total


@program(THREE, -FAR, later=[(THREE, FAR)], compiled=False)
def kept_from_a_turn(x, limit):
    for k in range(3):
        w = np.roll(x, k)
        v = np.repeat(w, 2)
        if v[0] < limit:
            kept = v
    try:
        return np.sum(kept * kept) + np.sum(v)
    except UnboundLocalError:
        return np.sum(v * w[0])


def last_match(x, limit):
    match = None
    for k in range(3):
        w = x * (k + 1.0)
        v = np.append(w, w[0])
        if w[0] < limit:
            match = v
    return match, v


@program(THREE, -FAR, later=[(THREE, FAR)])
def none_in_a_helper(x, limit):
    match, last = last_match(x, limit)
    return np.sum(last) if match is None else np.sum(match * last)


class Search:
    def __init__(self, limit):
        self.limit = limit

    def run(self, x):
        for k in range(3):
            w = np.diff(x, append=x[0])
            v = np.flip(w) * (k + 1.0)
            if v[0] < self.limit:
                u = v
                break
        else:
            u = np.stack([w, v])[1]
        return np.sum(u * v)


@program(THREE, -FAR, later=[(THREE, FAR)])
def in_a_method(x, limit):
    return Search(limit).run(x)


@program(FOUR, -FAR, later=[(FOUR, FAR), (FOUR[:2], FAR)])
def two_that_may_be_missing(x, limit):
    for k in range(2):
        a = np.concatenate([x, x[:1]])
        b = a[::-1] * 2.0
        if a[0] < limit:
            p = a
            q = b
            break
    else:
        p = b
        q = a * k
    return np.sum(p * q) + np.sum(a)


@program(FOUR, -FAR, later=[(FOUR, FAR)])
def left_by_return(x, limit):
    for k in range(3):
        w = np.pad(x, 1)
        v = np.convolve(w, [0.5, 0.5])
        if v[1] < limit:
            return np.sum(v * v)
        if k == 1:
            u = v
    return np.sum(u * w[0]) + np.sum(u * u) + np.sum(v)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
