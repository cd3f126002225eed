"""Arrays that several names, lists or views hold: is a write through one seen by all, and by no other?

All must be right; traced is enough.
"""

import numpy as np

from .harness import program

THREE = np.array([0.4, -0.9, 1.3])
FOUR = np.array([0.4, -0.9, 1.3, 0.7])
SQUARE = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])
ROWS = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])


# ----- the page's own
@program(THREE, 0.6, compiled=False)
def history_of_one_array(x, s):
    u = x.copy()
    hist = []
    for i in range(3):
        u += s * i
        hist.append(u)
    return sum(np.sum(h * h * (k + 1.0)) for k, h in enumerate(hist))


@program(THREE, ROWS, 0.6, compiled=False)
def row_in_a_list_written(x, y, s):
    y = y * 1.0
    rows = [y[i] for i in range(3)]
    rows[1][:] = x * s
    return np.sum(y * y)


@program(THREE, THREE * 0.5, 0.6, 3, compiled=False)
def momentum_with_a_history(w, v, s, n):
    w, v = w.copy(), v.copy()
    ws = []
    for _ in range(n):
        v *= 0.9
        v -= s * np.cos(w)
        w += v
        ws.append(w)
    return sum(np.sum(np.sin(p) * (i + 1.0)) for i, p in enumerate(ws))


@program(ROWS, 0.6, compiled=False)
def rows_swapped_in_a_list(y, s):
    rows = list(y)
    rows[0], rows[1] = rows[1], rows[0]
    return np.sum(rows[0] * s) + np.sum(rows[1] ** 2) + np.sum(y[0] * y[2])


@program(ROWS, 0.6, compiled=False)
def rows_unpacked_and_written(y, s):
    y = y * 1.0
    w1, w2, w3 = list(y)
    w1 -= s * w2
    return np.sum(y * y) + np.sum(w3)


@program(THREE, ROWS[1].copy(), 0.6, compiled=False)
def names_swapped_then_written(a, b, s):
    a, b = a * 1.0, b * 1.0
    for i in range(2):
        b, a = a, a
    a[1:] *= s
    return np.sum(b * b) + np.sum(a)


@program(0.4, compiled=False)
def list_grows_while_iterated(x):
    l = [x]
    total = 0.0
    for v in l:
        total = total + v * v
        if len(l) < 5:
            l.append(v * 1.5 + 0.1)
    return total


@program(THREE, ROWS, compiled=False)
def rows_of_a_reversed_view(x, y):
    h = np.zeros_like(y)
    for k, g in enumerate(h[::-1]):
        x, x = x, g
        g[1:] = y[k, :-1]
    return np.sum(h * h) + np.sum(x)


# ----- in helper functions
def relax(u, rate):
    u[1:-1] += rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


@program(FOUR, 0.1, 3, compiled=False, later=[(FOUR, 0.2, 1)])
def history_from_a_helper(x, rate, n):
    u = x * 1.0
    snapshots, states = [u.copy()], [u]
    for _ in range(n):
        states.append(relax(u, rate))
        snapshots.append(u.copy())
    return sum(np.sum(a * b) for a, b in zip(snapshots, states)) + np.sum(states[0] ** 2)


def exchanged(a, b):
    return b, a


@program(THREE, THREE * 0.5 + 0.1, 0.6, compiled=False)
def pair_exchanged_by_a_helper(x, y, s):
    x, y = x * 1.0, y * 1.0
    first = x
    for _ in range(3):
        x, y = exchanged(x, y)
    x *= s
    y[0] = x[1] * 2.0
    return np.sum(first * x) + np.sum(y**2)


def store(u, records):
    records["last"] = u
    records["all"].append(u)


@program(THREE, 0.6, compiled=False)
def stored_in_two_places(x, s):
    records = {"last": None, "all": []}
    u = np.sin(x)
    store(u, records)
    u = u * s
    store(u, records)
    records["last"][0] += x[1]
    records["all"][0][2] = s
    return np.sum(records["all"][1] * u) + np.sum(records["all"][0])


def first_and_last(y):
    return y[0], y[-1]


@program(ROWS, 0.6, compiled=False)
def rows_returned_by_a_helper(y, s):
    y = y + 0.0
    top, bottom = first_and_last(y)
    top -= s * bottom
    bottom *= top
    return np.sum(y * y)


def larger(a, b):
    return a if np.sum(a) > np.sum(b) else b


@program(THREE, THREE * 0.5, 0.6, compiled=False, later=[(THREE * 0.1, THREE, 0.6)])
def either_of_two_written(x, y, s):
    x, y = x * 1.0, y * 1.0
    chosen = larger(x, y)
    chosen *= s
    chosen[0] += 1.0
    return np.sum(x * x) + np.sum(x * y)


def appended(trajectory, u):
    trajectory += [u, u[::-1]]
    return trajectory[-1]


@program(THREE, 0.6, 2, compiled=False)
def reversed_views_in_a_list(x, s, n):
    trajectory = []
    u = x * 1.0
    for k in range(n):
        back = appended(trajectory, u)
        back[0] = s * u[0]
        u[1] = u[1] + back[0]
    return sum(np.sum(p**2) * (k + 1) for k, p in enumerate(trajectory))


# ----- in methods, comprehensions and lambdas
class Particle:
    def __init__(self, position, velocity):
        self.position, self.velocity = position, velocity

    def drift(self, dt):
        self.position += dt * self.velocity

    def kick(self, dt):
        self.velocity -= dt * np.sin(self.position)


@program(THREE, THREE * 0.5, 0.1, compiled=False)
def two_particles_share_a_velocity(x, v, dt):
    shared = v * 1.0
    a, b = Particle(x * 1.0, shared), Particle(x + 1.0, shared)
    for _ in range(2):
        for one in (a, b):
            one.kick(dt)
            one.drift(dt)
    return np.sum(a.position * b.position) + np.sum(b.velocity**2)


class Momentum:
    def __init__(self, w, rate):
        self.w, self.rate = w, rate
        self.v = np.zeros_like(w)
        self.history = []

    def step(self):
        self.v *= 0.9
        self.v -= self.rate * np.cos(self.w)
        self.w += self.v
        self.history.append((self.w, self.v.copy()))


@program(THREE, 0.3, 3, compiled=False, later=[(THREE, 0.1, 1)])
def optimizer_with_a_history(w, rate, n):
    optimizer = Momentum(w.copy(), rate)
    for _ in range(n):
        optimizer.step()
    return sum(np.sum(p * p) + np.sum(q) * (k + 1) for k, (p, q) in enumerate(optimizer.history))


@program(ROWS, 0.6, compiled=False)
def rows_of_a_comprehension_written(y, s):
    y = y * 1.0
    rows = [row for row in y]
    rows[1] *= s
    rows[0], rows[2] = rows[2], rows[0]
    rows[0][1:] = rows[1][:-1]
    return np.sum(y**2 * np.arange(9.0).reshape(3, 3))


@program(THREE, 0.6, compiled=False)
def one_field_under_two_keys(x, s):
    state = {"now": x * 1.0}
    state["old"] = state["now"]
    state["now"] += s * np.cos(state["old"])
    state["new"] = state["now"] * s
    state = {k: v for k, v in state.items() if k != "now"}
    state["old"][0] = s
    return np.sum(state["old"] * state["new"])


@program(ROWS, 0.6, compiled=False)
def row_picked_by_a_lambda(y, s):
    y = y * 1.0
    pick = lambda k: y[k % 3]
    pick(4)[:] = s * pick(0)
    target = pick(2)
    target += pick(4)
    return np.sum(y * y)


@program(THREE, 0.6, compiled=False)
def list_multiplied(x, s):
    buffers = [x * s] * 3
    buffers[0][1] = 5.0 * s
    buffers[2] = buffers[2] * 2.0
    table = [[0.0] * 2] * 2
    table[0][1] = s * s
    return sum(np.sum(b * b) for b in buffers) + table[1][1] * table[0][1]


# ----- in nested loops
@program(THREE, 0.2, 3, compiled=False, later=[(THREE, 0.2, 2)])
def double_buffering(x, rate, n):
    old, new = x * 1.0, x * 1.0
    for _ in range(n):
        for i in range(len(old)):
            new[i] = old[i] + rate * (old[i - 1] - old[i])
        old, new = new, old
    return np.sum(old * old) + np.sum(new * x)


@program(np.linspace(0.3, 1.2, 6), 0.5, compiled=False, later=[(np.linspace(0.3, 1.2, 3), 0.5)])
def work_list_of_views(x, s):
    x = x * 1.0
    stack = [x]
    while stack:
        part = stack.pop()
        part[0] += s * part[-1]
        half = len(part) // 2
        if half:
            for piece in (part[:half], part[half:]):
                stack.append(piece)
    return np.sum(x * x)


@program(THREE, 0.4, 4, compiled=False)
def two_latest_states(x, s, n):
    recent = [x * 1.0, x * s]
    for k in range(n):
        for _ in range(1):
            recent.append(2.0 * recent[-1] - recent[-2] * s)
        oldest = recent.pop(0)
        oldest *= 0.0
        recent[0] += 0.1 * k
    return np.sum(recent[0] * recent[1])


@program(0.8, 3, compiled=False, later=[(0.8, 1), (0.4, 4)])
def tree_walked_by_breadth(x, depth):
    queue = [(x, 0)]
    total = 0.0
    for value, level in queue:
        total = total + value * value
        if level < depth:
            for sign in (-1.0, 1.0):
                queue.append((value * 0.5 + sign * 0.1, level + 1))
    return total


@program(THREE, 0.5, 3, compiled=False)
def buffers_in_turn(x, s, n):
    buffers = [x * 1.0, np.zeros(3)]
    for step in range(n):
        source, target = buffers[step % 2], buffers[(step + 1) % 2]
        for i in range(3):
            target[i] = s * source[i - 1] + source[i] * target[i]
    return np.sum(buffers[0] ** 2) + np.sum(buffers[1])


@program(ROWS, compiled=False)
def rows_changed_while_iterated(y):
    y = y * 1.0
    for sweep in range(2):
        for row in y:
            row -= np.mean(row)
            y[0] = y[0] + 0.1 * row
            for k, v in enumerate(row):
                row[k] = v * (1.0 + 0.1 * k)
    return np.sum(y**3)


@program(THREE, 0.6, compiled=False)
def cells_of_a_grid_share_an_array(x, s):
    zero = x * 0.0
    grid = [[zero for _ in range(2)] for _ in range(2)]
    for i in range(2):
        for j in range(2):
            grid[i][j] += s * x * (i + 2 * j + 1)
    return np.sum(grid[0][0] * grid[1][1]) + np.sum(zero)


# ----- further ones, of all kinds
@program(THREE, 0.5, compiled=False, kernels=False)
def argument_written_by_a_helper_twice(x, s):
    def scale(a, b):
        a *= s
        b += a
        return b

    y = x * 1.0
    z = scale(y, y)
    z[0] = 1.0
    return np.sum(y * z)


@program(THREE, 0.5, compiled=False, kernels=False)
def default_list_of_a_helper(x, s):
    def push(v, to):
        to.append(v)
        return to

    a = []
    b = push(x * s, a)
    push(b[0], b)
    a[1][0] = 3.0 * s
    return np.sum(a[0] * b[1])


@program(THREE, 0.5, compiled=False, kernels=False)
def slices_of_lists_share_arrays(x, s):
    states = [x * 1.0, x * s, x * s * s]
    tail = states[1:]
    tail[0] += 1.0
    copy = list(states)
    copy[2] *= 2.0
    tail[1] = x
    return sum(np.sum(u * u) for u in states)


@program(THREE, 0.5, compiled=False, kernels=False)
def sorted_list_of_arrays(x, s):
    parts = [x * s, x * 2.0, x * 1.0]
    order = sorted(range(3), key=lambda k: float(np.sum(parts[k])))
    first = parts[order[0]]
    first += s
    return sum(np.sum(p * p) * (k + 1) for k, p in enumerate(parts))


@program(THREE, 0.5, compiled=False, kernels=False)
def augmented_in_a_tuple(x, s):
    pair = (x * 1.0, x * s)
    a, b = pair
    a += b
    b *= 2.0
    return np.sum(pair[0] * pair[1])


@program(THREE, 0.5, compiled=False, kernels=False)
def dict_updated_and_shared(x, s):
    a = {"u": x * 1.0}
    b = dict(a)
    b["u"] += s
    b["v"] = b["u"] * s
    a.update(b)
    a["v"][0] = 2.0
    return np.sum(a["u"] * b["v"])


@program(THREE, 3, compiled=False, kernels=False)
def reference_kept_in_the_loop(x, n):
    y = x * 1.0
    old = y
    total = 0.0
    for k in range(n):
        y = y + 0.1 * old
        if k == 0:
            old = y
        y += 0.5
        total = total + np.sum(old)
    return total + np.sum(y * old)


@program(SQUARE, 3, compiled=False, kernels=False)
def row_kept_across_turns(y, n):
    y = y * 1.0
    row = y[0]
    for k in range(n):
        row *= 1.5
        row = y[(k + 1) % 3]
        y[k % 3, 0] += row[1]
    return np.sum(y * y) + np.sum(row)


@program(THREE, 0.5, compiled=False)
def conditional_alias_in_a_loop(x, s):
    a, b = x * 1.0, x * s
    for k in range(4):
        t = a if k % 2 else b
        t += 0.1 * k
        a = t
    return np.sum(a * b)


@program(THREE, 0.5, compiled=False)
def list_comprehension_of_views(x, s):
    y = x * 1.0
    views = [y[k:] for k in range(3)]
    for k, v in enumerate(views):
        v *= s + k
    return sum(np.sum(v) for v in views)


@program(THREE, 0.5, compiled=False, kernels=False)
def star_unpacking_of_rows(x, s):
    y = np.outer(x, x)
    first, *others = y
    first += s
    for o in others:
        o -= first
    return np.sum(y * y)


@program(THREE, 0.5, compiled=False, kernels=False)
def zip_of_rows_written(x, s):
    y = np.outer(x, x)
    z = y * s
    for a, b in zip(y, z):
        a += b
        b *= 0.5
    return np.sum(y * z)


@program(THREE, 0.5, compiled=False, kernels=False)
def while_popping_a_list(x, s):
    work = [x * 1.0]
    total = 0.0
    while work:
        u = work.pop()
        total = total + np.sum(u * u)
        if total < 8.0:
            work.append(u * s + 1.0)
            work.append(u)
            u += 0.3
    return total


# ----- what is a number on one path and an array on the other is written in place on the other
@program(THREE, 0.6, compiled=False)
def history_that_begins_with_a_number(x, s):
    speed = 0.0
    path = []
    for _ in range(3):
        speed -= s * np.cos(x)
        path.append(speed)
    return sum([np.sum(part * x) for part in path])


@program(THREE, 0.6, compiled=False)
def momentum_that_begins_with_a_number(x, s):
    w, speed, kept = x.copy(), 0.0, []
    for _ in range(3):
        speed *= 0.9
        speed -= s * np.sin(w)
        w = w + speed
        kept.append(speed)
    return np.sum(w * kept[0]) + np.sum(kept[-1])


@program(THREE, compiled=False, later=[(np.array([2.0]),)])
def number_or_argument(x):
    start = 0.0 if len(x) < 2 else x
    other = start
    other *= 1.5
    return np.sum(start * x) + np.sum(other)


def accumulated(parts):
    total = 0.0
    seen = {}
    for k, part in enumerate(parts):
        total += part
        seen[k] = total
    return total, seen


@program(THREE, 0.6, compiled=False)
def number_and_then_array_in_a_dict(x, s):
    total, seen = accumulated([x * s, x * x, x - s])
    return np.sum(total) + np.sum(seen[0] * x) + np.sum(seen[1])


class Meter:
    def __init__(self):
        self.total = 0
        self.log = []

    def add(self, value):
        self.total += value
        self.log.append(self.total)


@program(THREE, 0.6, compiled=False)
def attribute_that_becomes_an_array(x, s):
    meter = Meter()
    for k in range(3):
        meter.add(x * (s + k))
    return sum(np.sum(entry * x) for entry in meter.log)


@program(THREE, 0.6)
def sum_that_begins_with_a_number(x, s):
    total = 0.0
    for k in range(3):
        total += x * (s + k)
    return np.sum(total * x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
