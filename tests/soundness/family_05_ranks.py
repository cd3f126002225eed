"""Views of what may be a number, an array of another rank or dtype: a dummy is one of these."""

import numpy as np

from .harness import program

X = np.array([0.933, -0.157, -2.237, 0.193, 1.353])
LATER = [(X, -1.7), (X[:1], 1.0)]


def pick(x, s):
    return x - 1.0 if s > 0 else s * 2


@program(X, 1.7, later=LATER, compiled=False)
def turned_round(x, s):
    u = pick(x, s)
    v = np.flip(u)
    if s > 0:
        v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def made_flat(x, s):
    u = pick(x, s)
    v = np.ravel(u)
    v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def with_an_axis_at_least(x, s):
    u = pick(x, s)
    v = np.atleast_1d(u)
    v *= 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def as_an_array(x, s):
    u = pick(x, s)
    v = np.asarray(u)
    v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def by_an_attribute(x, s):
    u = pick(x, s)
    v = u.T
    v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def squeezed(x, s):
    u = pick(x, s)
    v = np.squeeze(u)
    v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def transposed(x, s):
    u = pick(x, s)
    v = np.transpose(u)
    v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def sliced(x, s):
    u = pick(x, s)
    if s > 0:
        v = u[::-1]
        v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def in_place_with_two_names(x, s):
    u = pick(x, s)
    w = u
    u += 5.0
    return np.sum(u) + np.sum(w)


@program(X, 1.7, later=LATER, compiled=False)
def in_a_list_twice(x, s):
    u = pick(x, s)
    w = [u, u]
    u *= 2.0
    w[0] += 1.0
    return np.sum(u) + np.sum(w[1])


@program(X, 1.7, later=LATER, compiled=False)
def its_real_part(x, s):
    u = pick(x, s)
    v = np.real(u)
    v += 5.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def broadcast(x, s):
    u = pick(x, s)
    v = np.broadcast_to(u, (len(x),))
    if s > 0:
        u += 1.0
    return np.sum(u) + np.sum(v)


@program(X, 1.7, later=LATER, compiled=False)
def told_by_a_condition(x, s):
    u = pick(x, s)
    if np.ndim(u) == 1:
        v = np.flip(u)
        v += 1.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def of_two_ranks(x, s):
    u = np.outer(x, x) if s > 0 else x * 1.0
    v = np.flip(u)
    v += 1.0
    w = u.T
    w *= 2.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def of_two_ranks_by_rows(x, s):
    u = np.outer(x, x) if s > 0 else x * 1.0
    v = u.ravel()
    v += 1.0
    w = u[0]
    w *= 2.0
    for r in u:
        r += 1.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def of_an_array_or_none(x, s):
    u = np.outer(x, x) if s > 0 else None
    if u is None:
        u = x * 2
    v = np.flip(u)
    v += 1.0
    w = u[0]
    w *= 2.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def starred_rows(x, s):
    u = np.outer(x, x) if s > 0 else x
    u = u * 1.0
    a, *b = u
    b[0] += 2.0
    a *= 3.0
    return np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def behind_a_loop_within_try(x, s):
    try:
        for j in range(0, 3, 2):
            if s < 0:
                u = s * 2
                break
        else:
            u = x - x[4]
            s0 = np.flip(u)
            s0 += 5.0
        c = np.sum(u)
    except (KeyError, IndexError):
        pass
    return 0.81 * np.sum(u)


@program(X, 1.7, later=LATER, compiled=False)
def of_one_dtype_or_another(x, s):
    places = np.arange(5) if s > 0 else np.arange(5.0)
    same = np.asarray(places, dtype=int)
    same += 2
    return np.sum(x[: len(same)]) * np.sum(places)


@program(X + 0j, 1.7, wrt=(1,), later=[(X + 1j, -1.7)], compiled=False)
def complex_or_not(x, s):
    z = x * s if s > 0 else np.abs(x) * s
    part = np.real(z)
    part += 1.0
    return np.sum(np.abs(z))


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
