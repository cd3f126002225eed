"""Names that loops carry, which hold an array that has other names, and in some passes a number or None."""

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
TWO = FOUR[:2]
ROWS = np.array([[0.4, -0.9, 1.3], [1.1, 0.6, -0.7], [0.3, 0.8, 0.5]])


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 0), (TWO, 5)])
def a_number_until_it_is_found(x, n):
    y = x * 2.0
    z = y
    best = 0
    for i in range(n):
        if i == 1:
            best = y
            break
    z *= 2.0
    return np.sum(best * x) + np.sum(z)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4)])
def none_until_it_is_found(x, n):
    y = x * 2.0
    z = y
    best = None
    for i in range(n):
        if i == 2:
            best = y
    z *= 2.0
    if best is not None:
        best += x
    return np.sum(z * x)


@program(FOUR, 4, later=[(FOUR, 1), (TWO, 2), (TWO, 0)])
def written_and_replaced_by_turns(x, n):
    y = x * 2.0
    z = y
    u = y
    for i in range(n):
        z += x[0]
        if i % 2:
            u = 1.5
        elif i == 2:
            u = y
        u += i * x[1]
    return np.sum(z * x) + np.sum(u * x)


@program(FOUR, 3, later=[(FOUR, 2), (TWO, 0)])
def a_number_and_an_array_swap(x, n):
    y = x * 2.0
    z = y
    a = 2.0
    b = y
    for _ in range(n):
        a, b = b, a
        z *= 1.1
    a *= 1.5
    return np.sum(z * x) + np.sum(a * x) * np.sum(b * x)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4)])
def the_number_has_a_second_name(x, n):
    y = x * 1.0
    z = y
    s = 0.0
    k = s
    for i in range(n):
        k = s
        s = y if i > 0 else s + i
        z += 1.0
    k += 2.0
    s *= x
    return np.sum(z * x) + np.sum(s * x) + np.sum(k * x)


@program(ROWS, 3, later=[(ROWS, 1), (ROWS[:2], 2)])
def the_last_row_or_none(y, n):
    prev = None
    total = 0.0
    for cur in y[:n]:
        if prev is not None:
            total = total + np.sum(prev * cur)
        prev = cur
    y *= 2.0
    return total + np.sum(prev * y)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 1)])
def a_while_loop_that_keeps_one(x, n):
    y = np.sin(x)
    held = {"y": y}
    kept, i = -1.0, 0
    while i < n:
        if i == 1:
            kept = held["y"]
        held["y"] *= 0.5 + i
        i += 1
    kept -= x[1]
    return np.sum(kept * x) + np.sum(y * y)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4)])
def an_integer_or_an_array_in_a_nested_loop(x, n):
    y = x + 1.0
    z = [y]
    mark = 0
    for i in range(n):
        for j in range(2):
            if i * j == 2:
                mark = z[0]
            y[j] += 0.5 * i
        mark += 1
    return np.sum(mark * x) + np.sum(z[0] * y)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)])
def what_the_last_pass_chose(x, n):
    y = x * 2.0
    z = y
    u = 0.25
    for i in range(n):
        u = y if i == 2 else float(i)
    z[0] = 3.0
    v = u
    u -= 1.0
    return np.sum(u * x) + np.sum(v * z)


@program(FOUR, 3, later=[(FOUR, 1), (np.asfortranarray(TWO), 2)])
def where_the_order_in_memory_tells(x, n):
    h = x
    if n > 1:
        h = h.ravel()
    h[0] -= np.tanh(h[1])
    return np.sum(h * x)


@program(ROWS, 3, later=[(ROWS, 1), (np.asfortranarray(ROWS), 3), (ROWS, 2)])
def a_copy_or_a_view_by_the_order(x, n):
    h = x
    if n > 1:
        h = h.ravel()
    h *= 1.5
    return np.sum(h) + np.sum(x * x)


@program(ROWS, 3, later=[(ROWS, 1), (ROWS, 0), (ROWS, 5)])
def the_row_before_or_a_number(y, n):
    prev = 0.0
    t = 0.0
    for i in range(n):
        t = t + np.sum(prev * y[0])
        prev = y[i % 3]
    y *= 2.0
    return t + np.sum(prev * y)


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4), (TWO, 0)])
def what_a_pass_made_under_two_names(x, n):
    y = x * 1.0
    z = y
    prev = None
    for i in range(n):
        cur = y if i % 2 else x * (i + 1.0)
        if prev is not None:
            z += prev * 0.1
        prev = cur
    z *= 2.0
    return np.sum(z * x) + (0.0 if prev is None else np.sum(prev * x))


@program(ROWS, 4, later=[(ROWS, 1), (ROWS, 2), (ROWS, 0)])
def rows_written_and_numbers_replaced(y, n):
    prev = 2.0
    t = 0.0
    for i in range(n):
        if i == 2:
            prev = 0.5 * y[0, 0]
        prev *= 1.5
        t = t + np.sum(prev)
        if i != 1:
            prev = y[i % 3]
    prev *= 3.0
    return t + np.sum(prev * y) + np.sum(y * y)


@program(ROWS, 4, later=[(ROWS, 1), (ROWS, 2), (ROWS, 0)])
def a_table_or_one_of_its_rows(y, n):
    z, u, w = y, y, y
    for i in range(n):
        if i == 1:
            u = y[0]
        if i == 3:
            w = u
        u *= 1.2
        z -= 0.1
    w += 1.0
    return np.sum(z * y) + np.sum(u * y) + np.sum(w)


@program(ROWS, 3, later=[(ROWS, 1), (ROWS, 4), (ROWS, 0)])
def none_or_a_row_or_the_table(y, n):
    u = None
    for i in range(n):
        if u is not None:
            u -= 0.5
        u = y[i % 3] if i != 2 else y
        y *= 1.1
    return np.sum(y) + (0.0 if u is None else np.sum(u * y))


@program(ROWS, 3, later=[(ROWS, 1), (ROWS, 4), (ROWS, 0)])
def an_item_or_a_row(y, n):
    u = 1.0
    for i in range(n):
        u += y[0, 0]
        u = y[i % 3] if i != 2 else y[0, 1]
        y *= 1.1
    u *= 2.0
    return np.sum(y) + np.sum(u * y[0])


@program(FOUR, 3, later=[(FOUR, 1), (TWO, 4)])
def in_a_list_it_may_be_a_number(x, n):
    y = x * 1.0
    items, last = [y], 0.5
    for i in range(n):
        last *= 1.5
        last = items[-1] if i % 2 else 0.25 * i
        items.append(x * i)
        items[0][0] += 1.0
    return np.sum(last * x) + np.sum(items[0]) + np.sum(items[-1] * y)


@program(FOUR, ROWS, 1, later=[(FOUR, ROWS, 2), (FOUR, ROWS, 3)])
def a_row_at_first_and_then_the_table_of_one_pass(x, y, n):
    last = x
    for k in range(n):
        if not k:
            last = y + 0.5 * y
        else:
            x[1] += 1.0
    q = np.minimum(last, 2.0) * y
    last[-2, 0] *= np.sin(np.sum(q))
    return np.sum(x) + np.sum(np.sin(last))


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
