"""Lists that get another length on one path, or in a pass: does what follows know the arrays in them?

What only this path has made gets its place where the paths meet, when names and other lists have been
looked at.
"""

import numpy as np

from .harness import program

X = np.array([0.4, -0.9, 1.3])
TWO = X[:2].copy()
BOTH = [(X, -0.5), (TWO, 0.7)]


@program(X, 0.5, later=BOTH)
def another_list_is_longer_later(x, s):
    u = x * 1.0
    kept = [u]
    if s > 0:
        u *= s
        kept.append(x * 2.0)
        kept.append(u)
    u[1] = s * x[0]
    more = [u]
    for i in range(len(kept)):
        more.append(x * (i + 3.0))
    more[-1][0] = s
    return sum([np.sum(h * x) for h in kept]) + sum([np.sum(h * x * x) for h in more])


@program(X, 0.5, later=BOTH)
def two_lists_one_after_the_other(x, s):
    u = x * 1.0
    kept = [u]
    if s > 0:
        kept.append(x * 2.0)
        kept.append(u)
    u[1] = s * x[0]
    others = [x * 5.0]
    if s > 0:
        others.append(x * 7.0)
        others.append(others[0])
    others[0][-1] = 3.0 * s
    return sum([np.sum(h * x) for h in kept]) + sum([np.sum(h * x * x) for h in others])


@program(X, 0.5, later=BOTH)
def a_name_of_what_a_path_has_made(x, s):
    u = x * 1.0
    kept = [u]
    if s > 0:
        w = x * 2.0
        kept.append(w)
        kept.append(u)
    else:
        w = x * 3.0
    u[0] = s
    w[1] = s * s
    return sum([np.sum(h * x) for h in kept]) + np.sum(w * w)


@program(X, 0.5, later=BOTH)
def a_name_that_comes_first(x, s):
    a = x * 1.0
    kept = [a]
    if s > 0:
        a = x * s
        kept.append(a)
        kept.append(a)
    a += x[0]
    for h in kept:
        h[0] *= 2.0
    return sum([np.sum(h * x) for h in kept]) + np.sum(a * a * x)


@program(X, 0.5, later=BOTH)
def longer_on_both_paths(x, s):
    u = x * 1.0
    kept = [u]
    if s > 0:
        kept.append(x * 2.0)
    else:
        kept.append(x * 3.0)
        kept.append(kept[1])
        kept.append(u)
    u[0] = s
    kept[-1][1] = 2.0 * s
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(kept)])


@program(X, 0.5, 1, later=[(X, 0.5, 0), (X, -0.5, 1), (TWO, 0.3, 1), (TWO, -0.3, 0)])
def branches_in_branches(x, s, n):
    u = x * 1.0
    kept = [u]
    if s > 0:
        kept.append(x * 2.0)
        if n:
            kept.append(x * s)
            kept.append(kept[1])
    elif n:
        kept.append(u)
    u[1] = s
    kept[-1][0] = s * s
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(kept)])


@program(X, 0.5, 3, later=[(X, 0.5, 0), (TWO, -0.5, 2), (X, 0.3, 1)])
def a_branch_in_a_loop(x, s, n):
    u = x * 1.0
    kept = [u]
    for i in range(n):
        u = u * s
        if i % 2 == 0:
            kept.append(x * (i + 2.0))
            kept.append(u)
        u[0] = s * i
    kept[-1][1] += 1.0
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(kept)]) + np.sum(u * u)


@program(X, 2, later=[(X, 1), (X, 3), (TWO, 2)])
def the_one_in_a_list_at_a_break(x, n):
    got = [x]
    for _ in range(3):
        w = x * 1.5
        if n == 2:
            got = [w]
            break
    w *= 2.0
    later = []
    for i in range(n):
        later.append(x * i)
    later[-1] *= 3.0
    return np.sum(got[0] * x) + np.sum(later[0] * later[-1] * x)


@program(X, 2, later=[(X, 0), (X, 3), (TWO, 1)])
def a_pair_that_a_loop_carries(x, n):
    u = x * 1.0
    pair = [u, u]
    for i in range(n):
        u = u * 0.5 + x
        pair = [pair[1], u]
        u[0] = i + 1.0
    u[1] *= 2.0
    return np.sum(pair[0] * x) + np.sum(pair[1] * x * x)


@program(X, 3, later=[(X, 0), (X, 1), (TWO, 4)])
def a_tuple_that_a_loop_carries(x, n):
    best = (x, 0.0)
    w = x * 1.0
    for i in range(n):
        w = x * (i + 1.0)
        if np.sum(w) > best[1]:
            best = (w, np.sum(w))
        w[0] = -1.0
    w[1] = 2.0
    return np.sum(best[0] * x) * best[1]


@program(X, 0.5, later=BOTH)
def in_a_helper(x, s):
    def extended(items, v):
        if s > 0:
            items.append(v * 2.0)
            items.append(v)
        return items

    u = x * 1.0
    kept = extended([u], u)
    u[1] = s
    kept = extended(kept, u)
    kept[0][0] = s * s
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(kept)])


@program(X, 0.5, later=BOTH)
def lists_of_lists(x, s):
    u = x * 1.0
    groups = [[u]]
    if s > 0:
        groups.append([x * 2.0, u])
        groups.append(groups[0])
    u[0] = s
    groups[-1].append(x * s)
    return sum([np.sum(h * x) * (k + 1.0) for k, g in enumerate(groups) for h in g])


@program(X, 0.5, later=BOTH)
def a_list_in_an_object(x, s):
    class Box:
        def __init__(self, items):
            self.items = items

    u = x * 1.0
    box = Box([u])
    if s > 0:
        box.items.append(x * 2.0)
        box.items.append(u)
    u[0] = s
    box.items[-1][1] = s * s
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(box.items)])


# ----- and names, exits, containers of several types
@program(X, 0.5, later=BOTH)
def by_a_conditional_expression(x, s):
    u = x * 1.0
    kept = [u, x * 2.0, u] if s > 0 else [x * 3.0, u]
    u[0] = s
    kept[0][1] = s * s
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(kept)])


@program(X, 3, later=[(X, 0), (TWO, 2), (X, 1)])
def longer_where_a_loop_ends(x, n):
    u = x * 1.0
    kept = [u]
    for i in range(n):
        w = x * (i + 2.0)
        if i == 2:
            kept.append(w)
            kept.append(u)
            break
        kept = [w, u]
        u[0] = i + 3.0
    u[1] = 7.0
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(kept)])


@program(X, 3, later=[(X, 0), (TWO, 2), (X, 1)])
def a_dict_that_a_loop_carries(x, n):
    a = x * 1.0
    held = {"u": a, "v": a}
    for i in range(n):
        w = held["v"] * 0.5 + x
        held["u"] = held["v"]
        held["v"] = w
        w[0] = i + 1.0
    a[1] = 4.0
    return np.sum(held["u"] * x) + np.sum(held["v"] * x * x)


@program(X, 0.5, 3, later=[(X, -0.5, 2), (TWO, 0.7, 0), (X, 0.2, 1)])
def a_branch_behind_a_loop(x, s, n):
    rows = []
    for i in range(n):
        rows.append(x * (i + 1.0))
        if s > 0:
            rows.append(rows[0])
    if rows and s > 0.3:
        rows[-1][0] = s
        rows.append(x * s)
    u = rows[0] if rows else x * 1.0
    u[1] = 9.0 * s
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(rows)]) + np.sum(u)


@program(X, 0.5, later=BOTH)
def vectors_and_matrices(x, s):
    u = x * 1.0
    m = np.outer(x, x)
    kept, others = [u], [m]
    if s > 0:
        kept.append(x * 2.0)
        others.append(m * 2.0)
        others.append(others[1])
        kept.append(kept[1])
    kept[-1][0] = s
    others[-1][0, 1] = s
    u[1] = 3.0 * s
    total = sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(kept)])
    return total + sum([np.sum(h * (i + 1.0)) for i, h in enumerate(others)])


@program(X, 0.5, later=BOTH)
def by_a_closure(x, s):
    log = []

    def logged(v):
        log.append(v)
        if s > 0:
            log.append(v * 2.0)
        return v

    a = logged(x * 1.0)
    b = logged(a * s)
    a[0] = 5.0
    b[1] = 6.0
    return sum([np.sum(h * x * (i + 1.0)) for i, h in enumerate(log)])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
