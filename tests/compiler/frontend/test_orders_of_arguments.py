"""Is the value the function's own to the bit, in whatever order the matrices that are passed lie in memory?

Sums depend on the order. Copies, ``op=`` and ``out=`` have to lie as NumPy's do.
"""

import itertools

import numpy as np
import pytest

import ast_ad

SIZE = 23, 17


def in_columns_with_gaps(a):
    room = np.zeros((3 * a.shape[1], 2 * a.shape[0])).T
    room[::2, ::3] = a
    return room[::2, ::3]


LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "columns with gaps": in_columns_with_gaps,
    "rows backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "columns backwards": lambda a: np.asfortranarray(a[:, ::-1])[:, ::-1],
}


def copied(a, b):
    c, d = a.copy(), a[::2].copy("F")
    return np.sum(c) + np.sum(d) * np.sum(np.copy(b)) + np.sum(b.copy(order="K"))


def copied_and_written(a, b):
    c = a.copy()
    c[1] = b[0]
    return np.sum(c) + np.sum(c * b)


def copied_on_a_path(a, b):
    if b[0, 0] > 0:
        c = a.copy()
    else:
        c = b.T.copy().T
    c[0] = 2.0 * a[1]
    return np.sum(c) + np.sum(a)


def copied_into_a_list(a, b):
    parts = [a.copy(), b.copy()]
    for k in range(3):
        parts.append(a.copy())
        parts[k][0] = 0.1 * k
    return np.sum(parts[0]) + np.sum(parts[1]) * np.sum(parts[-1])


def copied_in_turns(a, b):
    c = a
    for k in range(3):
        c = c * 0.5 + b
        d = c.copy()
        d[k] = 0.3
        c = d
    return np.sum(c)


def copied_by_a_helper(a, b):
    def changed(u):
        u = u.copy()
        u[0] = 1.0
        return u

    return np.sum(changed(a) + changed(b)) + np.sum(changed(a))


def cast(a, b):
    c, d = a.astype(float, order="C"), a.astype(float)
    d[0] *= b[1]
    return np.sum(c) + np.sum(d) + np.sum(a.astype(np.float32))


def divided(a, b):
    c = a * 1.0
    c /= 2.0 + b * b
    return np.sum(c)


def changed_in_turns(a, b):
    for k in range(2):
        a += b * 0.3
        a[k] *= b[k]
        b -= a * 0.1
    return np.sum(a) + np.sum(b)


def changed_from_what_is_like_it(a, b):
    c, d = np.full_like(a, 2.0), np.ones_like(a, order="C")
    c *= b
    d *= a
    return np.sum(c) + np.sum(d)


def kept_before_it_is_changed(a, b):
    c = a * 0.5
    kept = c * 2.0
    d = c
    c -= b
    return np.sum(d) + np.sum(kept) + np.sum(c * kept)


def changed_under_another_dtype(a, b):
    c = a.astype(np.float32)
    c += b
    return np.sum(c) + np.sum(c * a)


def out_of_products(a, b):
    c, d = np.empty_like(b), np.zeros(a.shape)
    for _ in range(2):
        np.add(a, b, c)
        np.multiply(c, a, out=c)
        np.exp(c * 0.001, out=d)
    return np.sum(c) + np.sum(d)


def all_of_it_stored(a, b):
    c = a.copy()
    c[:] = b
    d = a * 2.0
    d[...] = b + a
    a[:, :] = b * 2.0
    return np.sum(c) + np.sum(d) + np.sum(a)


def sorted_and_clipped(a, b):
    a.sort(axis=0)
    np.clip(b, -1.0, 1.0, out=b)
    return np.sum(a) + np.sum(b) + np.sum(np.sort(b, axis=None))


def where_it_is_positive(a, b):
    c = np.where(a > 0, a, b)
    np.multiply(c, a, out=c, where=b > 0)
    return np.sum(c) + np.sum(np.where(a > 0, b, 0.0))


def joined(a, b):
    found = [np.concatenate([a, b], axis=k) for k in (0, 1)] + [np.stack([a, b], axis=k) for k in (0, 2)]
    return sum([np.sum(one) + np.std(one) for one in found]) + np.sum(np.vstack([a.copy(), b]))


def reduced(a, b):
    c = a * b
    return np.std(c) + np.sum(c.sum(axis=0) * np.mean(a + b, axis=0)) + np.linalg.norm(a - b)


def flattened(a, b):
    c, d = a.copy().ravel(), a.flatten()
    c[0], d[1] = 3.0, b[0, 0]
    return np.sum(c) + np.sum(d) + np.sum((a * b).reshape(-1)) + np.sum(b.flatten("F"))


def written_by_place(a, b):
    c = a * b
    a.flat[3] = 0.5
    b.T.flat[7] = a[0, 0]
    np.put(c, [1, 4], 0.3)
    c.T.flat[0] = b[1, 1]
    return np.sum(a) + np.sum(b) * np.sum(c)


def stored_and_read_where_it_was_made(a, b):
    out = np.zeros(a.shape)
    t = a * b
    out[:] = t
    return np.sum(t) + np.sum(out, axis=0)[1] * np.sum(t.ravel(order="K")[:40])


def stored_and_carried_on(a, b):
    out, total = np.zeros(a.shape), 0.0
    for _ in range(3):
        t = np.sin(a) + b
        out[...] = t
        a = t
        total = total + np.sum(out) * np.sum(a)
    return total


PROGRAMS = [
    copied, copied_and_written, copied_on_a_path, copied_into_a_list, copied_in_turns, copied_by_a_helper,
    cast, divided, changed_in_turns, changed_from_what_is_like_it, kept_before_it_is_changed,
    changed_under_another_dtype, out_of_products, all_of_it_stored, sorted_and_clipped, where_it_is_positive,
    joined, reduced, flattened, written_by_place, stored_and_read_where_it_was_made, stored_and_carried_on,
]  # fmt: skip


@pytest.mark.drawn(of=13)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_value_is_the_functions_own(f):
    derivative = ast_ad.value_and_grad(f, argnums=(0, 1), fallback="error")
    random = np.random.default_rng(3)
    for _, (one, other) in itertools.product(range(2), itertools.product(LAYOUTS.values(), repeat=2)):
        a, b, da, db = random.normal(size=(4, *SIZE)) * 10.0 ** random.integers(-2, 2, size=(4, *SIZE))
        value, (a_bar, b_bar) = derivative(one(a), other(b))
        assert value == f(one(a.copy()), other(b.copy()))
    if f in (sorted_and_clipped, cast, changed_under_another_dtype):
        return  # kinks, and values in single precision: of no use for differences
    step = 1e-6
    up, down = (f(one(a + h * da), other(b + h * db)) for h in (step, -step))
    size = np.sum(np.abs(a_bar * da)) + np.sum(np.abs(b_bar * db))
    assert abs((up - down) / (2 * step) - np.sum(a_bar * da) - np.sum(b_bar * db)) < 1e-5 * size
