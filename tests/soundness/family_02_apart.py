"""Values of several ranks or classes: what follows is read once for each, and is right for each."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
TWO = FOUR[:2]
SINGLE = FOUR.astype(np.float32)


@program(FOUR, 1, later=[(FOUR, 3), (TWO, 0), (TWO, 5)])
def lengths_of_a_number_or_a_vector(x, n):
    v = np.tanh(x) if n > 2 else x[0]
    w = v * 2.0
    k = len(w.shape) + sum(w.shape)
    return np.sum(w) * k + np.sum(np.outer(w, x) ** 2)


@program(FOUR, 0, later=[(FOUR, 2), (TWO, 1), (SINGLE, 2), (SINGLE, 0)])
def filled_by_a_loop_that_may_have_no_turn(x, n):
    total = 0.5
    for i in range(n):
        total = total + x * i
    shape = np.shape(total)
    out = np.ones(shape) * total
    return np.sum(out * out) + out.size


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 2)])
def a_number_before_a_loop_that_certainly_runs(x, n):
    v = 0.0
    for _ in range(3):
        v = 0.9 * v
        v -= np.cos(x) * n
    return np.sum(v[::-1] * x) + v.shape[-1]


@program(FOUR, 4, later=[(FOUR, 1), (TWO, 9)])
def asked_in_each_pass(x, n):
    g, out = x[1], 0.0
    for i in range(3):
        if i == n % 3:
            g = x * g
        out = out + np.size(g) * np.sum(g)
        if isinstance(g, np.ndarray):
            out += g[-1] * i
    return out


@program(FOUR, 0, later=[(FOUR, 1), (FOUR, 2), (TWO, 2)])
def three_of_them(x, n):
    v = x[0]
    if n == 1:
        v = x * 1.5
    elif n == 2:
        v = np.outer(x, x)
    rows, r = v.shape, 0.0
    for length in rows:
        r = r + length * np.sum(v)
    return r * x[1]


def spread(v, x):
    if isinstance(v, float):
        return v * np.ones(x.shape[0])
    return np.diag(v @ np.eye(v.shape[0])) @ x


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (SINGLE, 0), (SINGLE, 1)])
def by_class_in_a_helper(x, n):
    v = x if n else 0.25
    return np.sum(spread(v, x) * x)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def written_where_it_is_a_vector(x, n):
    v = x * 1.0 if n else 0.25
    if hasattr(v, "fill"):
        v[0] = x[1] * 3.0
    else:
        v = v * x[2 - len(x) % 2]
    return np.sum(v * x)


@program(FOUR, 1, later=[(TWO, 3), (FOUR, 2)])
def a_view_after_the_question(x, n):
    v = np.outer(x, x) if n % 2 else x * 2.0
    length = v.shape[-1]
    w = v[::-1]
    w[0] = x[0] * v.ndim * length
    return np.sum(v * v) + np.sum(w[1:])


@program(FOUR, 1, later=[(TWO, 3), (FOUR, 2)], compiled=False)
def a_view_of_what_is_a_matrix_or_a_vector(x, n):
    v = np.outer(x, x) if n % 2 else x * 2.0
    w = v[::-1]
    w[0] = x[0] * v.ndim * v.shape[-1]
    return np.sum(v * v) + np.sum(w[1:])


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def changed_under_two_names_after_it_was_asked(x, n):
    v = x * 1.0
    if n:
        v = np.outer(x, x)
    w = v
    length = v.shape[-1]
    w *= 2.0
    return np.sum(v) * length + np.sum(w * w)


@program(FOUR, 0, later=[(FOUR, 1), (SINGLE, 0), (SINGLE, 1)])
def an_int_or_a_float(x, n):
    total = 0
    for i in range(n):
        total += x[i]
    scale = 2.0 if isinstance(total, int) else 3.0
    out = np.full(2, total) + scale
    out = out.astype(float)
    out[0] = x[0] * scale
    return np.sum(out * out)


@program(FOUR, 0, later=[(FOUR, 1), (SINGLE, 1)])
def stored_into_ints_or_floats(x, n):
    c = np.array([1, 2, 3])
    if n:
        c = c * x[0]
    c[1] = x[1] * 5.0
    return np.sum(c * x[2])


@program(FOUR, 0, later=[(FOUR, 1), (TWO, 1)])
def none_or_a_vector(x, n):
    top = None
    for i in range(n):
        top = x * (i + 1.0)
    y = np.array([x[0] if top is None else v for v in (1.0, 2.0)])
    return np.sum(y) + (0.0 if top is None else top.shape[0] * np.sum(np.tile(top, 2)))


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)])
def the_function_raises_for_one_of_them(x, n):
    v = x if n else x[0] * 2.0
    w = v[1:] * v[-1]
    return np.sum(w * w) + w.shape[0]


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)])
def raised_in_a_loop(x, n):
    v = x if n else 0.5
    r = 0.0
    for i in range(v.size if hasattr(v, "size") else 0):
        r = r + v[i] * x[0]
    for i in range(n):
        r = r * v.shape[i]
    return r + np.sum(v)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)], compiled=False)
def caught_for_one_of_them(x, n):
    v = x if n else x[0]
    try:
        r = v[1] * 2.0
    except IndexError:
        r = v * 3.0
    return np.sum(v) * r


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def two_questions_at_once(x, n):
    v = x if n else x[0]
    w = np.outer(x, x) if x[0] * n > 0.1 else x[1:]
    u = np.outer(v, w)
    return np.sum(u * u) * u.shape[0] + v.ndim * w.shape[-1] + np.sum(w)


@program(FOUR, 2, later=[(FOUR, 0), (TWO, 1)])
def in_a_comprehension_of_lambdas(x, n):
    v = x * x if n > 1 else x[0]
    grow = lambda a: a.shape[0] * np.sum(a) if a.ndim else a * 7.0
    return sum([grow(v * k) for k in range(3)]) + grow(x)


@program(FOUR, 2, later=[(FOUR, 0), (TWO, 1)])
def left_early_on_one_side(x, n):
    v = np.outer(x, x) if n > 1 else x
    for i in range(4):
        if v.shape[0] > 3 and i == n:
            break
        if v.ndim == 2:
            v = v @ v.T * 0.3
        else:
            v = v * 1.1
    else:
        return np.sum(v)
    return np.sum(v * v) * i


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)])
def squeezed(x, n):
    v = np.outer(x, x) if n else np.float64(0.5) * x[0]
    w = v.squeeze()
    return np.sum(w * w) + np.sum(w * np.max(v))


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)])
def a_number_of_two_kinds_and_an_array(x, n):
    v = 1
    for i in range(n):
        v = x[i]
    if x[0] * n > 0.3:
        v = x * v
    k = v.shape[0] if isinstance(v, np.ndarray) else 0
    return np.sum(v * x) + k * np.sum(np.atleast_1d(v)[0])


@program(FOUR, 2, later=[(FOUR, 1), (FOUR, 5), (TWO, 2)])
def each_pass_of_another_rank(x, n):
    h = x
    for _ in range(n % 4):
        h = np.outer(h, h)[:3] * 0.5
    return np.mean(h) * h.shape[0] + np.sum(h[-1] * x[0])


class Kept:
    def __init__(self, v):
        self.v = v
        self.count = 0

    def scaled(self, k):
        self.count += self.v.size
        return self.v * k


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def held_by_an_object(x, n):
    kept = Kept(x * 1.0 if n else x[0])
    r = np.sum(kept.scaled(2.0)) + np.sum(kept.scaled(x[1]))
    return r * kept.count


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)])
def in_a_tuple_and_a_list(x, n):
    v = x * 1.0 if n else x[0]
    pair, many = (v, x), [v, x[1:]]
    r = pair[0].size * np.sum(pair[0]) + np.size(many[0])
    return r * np.sum(many[1])


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (FOUR, 3)])
def in_place_on_one_of_them(x, n):
    v, w = x[0], x * 1.0
    for _ in range(n):
        v = w * v
        v += 1.0
    w[0] = x[1]
    return np.sum(v) * np.ndim(v) + np.sum(w * w)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)], compiled=False)
def changed_in_place_under_two_names(x, n):
    v = x * 1.0 if n else x[0] * 2.0
    w = v
    v += x[1]
    v *= 2.0
    return np.sum(v) * 2.0 + np.sum(w * w)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (FOUR, 3)], compiled=False)
def changed_while_a_tuple_and_an_object_have_it(x, n):
    v = x[0]
    for i in range(n):
        v = x * (v + i)
    pair, kept = (v, x), Kept(v)
    v -= np.sum(x)
    return np.sum(v) + np.sum(pair[0] ** 2) * 3.0 + np.sum(kept.v * x[1])


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)], compiled=False)
def changed_while_a_closure_reads_it(x, n):
    v = x * 1.0 if n else x[0] * 2.0
    w = v

    def read():
        return np.sum(v * v)

    before = read()
    w += x[1]
    return read() * 2.0 + before + np.sum(w)


def increased(a, x):
    a += x[1]
    return a


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)], compiled=False)
def changed_by_a_helper(x, n):
    v = x * 1.0 if n else x[0] * 2.0
    w = increased(v, x)
    w *= 3.0
    return np.sum(v * v) + np.sum(w * x)


@program(FOUR, 3, later=[(FOUR, 0), (TWO, 1), (TWO, 2)], compiled=False)
def changed_in_each_pass_while_another_has_the_last(x, n):
    v, keep = x[0], x[1]
    for i in range(n):
        keep = v
        v = x * v if i == 1 else v
        v += i * 0.5
    return np.sum(v * v) + np.sum(keep) * 3.0


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)], compiled=False)
def changed_while_a_list_has_it(x, n):
    v = x * 1.0 if n else x[0] * 2.0
    many = [v, x * 2.0]
    v /= 2.0
    many[1] += v
    return np.sum(many[0] * x) + np.sum(many[1] ** 2)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1)], compiled=False)
def an_argument_or_a_number_changed(x, n):
    v = x if n else x[0] * 2.0
    v += 1.5
    return np.sum(v * v) + np.sum(x)


def measured(a, x):
    length = a.size
    if length > 3:
        return a
    return a if length == 1 else (a, x)[0]


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)], compiled=False)
def returned_by_a_helper_that_asks(x, n):
    v = x * 1.0 if n else x[0] * 2.0
    w = measured(v, x)
    w *= 3.0
    return np.sum(v * v) + np.sum(w * x)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)], compiled=False)
def a_matrix_returned_by_a_helper_that_asks(x, n):
    v = np.outer(x, x) if n else x * 2.0
    w = measured(v, x)
    w[0] = x[1]
    return np.sum(v * v) + np.sum(w * x)


def with_lengths(a):
    lengths = a.shape
    return a if sum(lengths) < 9 else -a


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)], compiled=False)
def returned_by_a_helper_that_asks_for_lengths(x, n):
    v = x * 1.0 if n else x[0] * 2.0
    w = with_lengths(v)
    w *= 3.0
    return np.sum(v * v) + np.sum(w * x)


@program(FOUR, 1, later=[(FOUR, 0), (TWO, 1), (TWO, 0)], compiled=False)
def stored_in_what_a_helper_returned(x, n):
    v = x * 1.0 if n else x[0] * 2.0
    w = with_lengths(v)
    if isinstance(w, np.ndarray):
        w[0] = 3.0 * x[1]
    return np.sum(v * v) + np.sum(w * x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
