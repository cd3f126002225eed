"""Memory that loops keep for their turns is free when a turn takes it, and that of the last turn stays."""

import re

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

from ast_ad.compiler.kernels.fresh_memory import carved, empty, grown
from ast_ad.compiler.kernels.runtime import kernel
from tests.compiler.kernels.comparing import compare

DRAW = np.random.default_rng(3)


def shrinking(x, w):
    """A lattice: each turn hands on one number less."""
    for t in range(len(x) - 1):
        x = 0.6 * w[0] * x[1:] + 0.4 * np.sin(x[:-1])
    return x[0] ** 2


def two_that_shrink(x, w):
    y, total = x * 2.0, 0.0
    for t in range(len(x) - 3):
        x, y = x[1:] * w[1], np.maximum(0.5 * y[1:] + w[0], x[1:] * x[:-1])
        total += x[0]
    return total + np.sum(y * x)


def growing(x, w):
    for t in range(7):
        x = np.concatenate((x[:1] * w[0], np.tanh(x)))
    return np.sum(x**2)


def up_and_down(x, w):
    """Lengths that come and go, so that rooms are larger than their arrays."""
    n = len(x)
    for t in range(9):
        y = x[: n - 2 * (t % 3)] * w[0]
        x = np.sin(np.concatenate((y, x[: 2 * (t % 3)])))
    return np.sum(x * w[1])


def with_the_one_before(x, w):
    """Two turns of a wave: the new array is read in two more turns."""
    old = 0.9 * x
    for t in range(8):
        new = 2.0 * x - old
        new[1:-1] += w[0] * (x[2:] - 2.0 * x[1:-1] + x[:-2])
        old, x = x, new
    return np.sum(x * old)


def three_before(x, w):
    a, b, c = x, 2.0 * x, x * x
    for t in range(6):
        a, b, c = b, c, np.sin(a) + b * w[0] - c[::-1]
    return np.sum(a * b * c)


def round_and_round(x, w):
    """What is handed on comes back: no turn is the last that sees it."""
    y, z = 2.0 * x, np.cos(x)
    for t in range(7):
        new = np.sin(z) * w[0]
        x, y, z = y, x, new + 0.1 * x * y
        if t % 3 == 0:
            x, z = z, x
    return np.sum(x * y * z)


def under_two_names(x, w):
    y, old = 2.0 * x, 3.0 * x
    for t in range(6):
        new = np.cos(x) * y[::-1] + w[0] * old
        x, y, old = new, new, y
    return np.sum(x * y * old)


def in_a_branch(x, w):
    for t in range(8):
        new = np.sin(x) + w[t % 2]
        if new[0] > 0.5:
            x = new
        else:
            x[0] += 0.1
    return np.sum(x**2)


def ends_early(x, w):
    for t in range(20):
        x = 0.7 * x + w[0]
        if np.sum(x) < 0.3 * t:
            break
    return np.sum(x**3)


def until_small(x, w):
    while np.sum(x * x) > 0.1:
        x = 0.6 * x + 0.01 * w[0] * np.sin(x)
    return np.sum(np.cos(x) * x)


def kept_rows(x, w):
    rows = []
    for t in range(5):
        x = np.sin(x * w[0]) + 0.1 * t
        rows.append(x)
    return np.sum(rows[0] * rows[2] * rows[4]) + np.sum(rows[-2])


def begins_with(x, w):
    first = x
    for t in range(5):
        x = np.sin(x) * first + w[0] * first[0]
    return np.sum(x * first)


def loops_in_loops(x, w):
    """What the inner loop leaves is read in the next turns of the outer one."""
    before = x
    for s in range(4):
        y = x
        for t in range(6):
            y = np.sin(y) + w[0] * x
        x, before = y * before, y
    return np.sum(x) + np.sum(before)


def all_last_ones(x, w):
    found = []
    for s in range(3):
        y = x * w[0]
        for t in range(6):
            y = np.sin(y[1:]) + y[:-1]
        found.append(y)
    return np.sum(found[0] * found[1]) + np.sum(found[2])


def in_place(x, w):
    for t in range(7):
        new = x * w[0]
        new[0] += x[-1]
        new[1:] -= 0.2 * x[:-1]
        new *= 1.1
        x = new
        x[-1] = np.sin(x[0])
    return np.sum(x**2)


def of_a_turn(x, w):
    """Arrays that no other turn sees, of a length that hangs on the turn."""
    total = 0.0
    for t in range(1, len(x)):
        y = np.sin(x[:t]) * w[0]
        z = y[::-1] * x[:t]
        total += np.sum(np.cumsum(z) * y)
    return total


def whole_numbers(x, w):
    k = np.arange(len(x))
    for t in range(len(x) - 2):
        k = (k[1:] + k[:-1]) % 7
        x = x[1:] * np.where(k > 3, w[0], w[1])
    return np.sum(x * k)


def single(x, w):
    y = x.astype(np.float32)
    for t in range(6):
        y = np.sin(y[1:]) * y[:-1] * np.float32(1.5)
    return np.sum(y) * w[0]


def of_complex(x, w):
    z = x * np.exp(1j * w[0])
    for t in range(6):
        z = z[1:] * z[:-1] + w[1] * 1j
    return np.sum(np.abs(z) ** 2)


def planes(x, w):
    """Of two axes, both shorter in each turn."""
    y = np.outer(x, np.cos(x))
    for t in range(len(x) - 2):
        y = 0.5 * np.sin(y[1:, 1:]) + 0.5 * w[0] * y[:-1, :-1]
    return np.sum(y)


def left_to_the_caller(x, w):
    for t in range(5):
        x = np.sin(x[1:]) * w[0]
    return np.sum(x), x


PROGRAMS = [
    shrinking, two_that_shrink, growing, up_and_down, with_the_one_before, three_before, round_and_round,
    under_two_names, in_a_branch, ends_early, until_small, kept_rows, begins_with, loops_in_loops,
    all_last_ones, in_place, of_a_turn, whole_numbers, single, of_complex, planes,
]  # fmt: skip
W = np.array([0.8, 0.3])


def given(function, n=11):
    return 0.4 + 0.5 * DRAW.random(n), W.astype(np.float64)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_evaluated_kernels_whose_rooms_are_wiped_agree_with_numpy_code(function):
    assert compare(function, given(function), "evaluated", argnums=(0, 1)) == ""


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_kernels_agree_with_numpy_code(function):
    kernels = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba", fallback="error")
    plain = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numpy")
    near = 2e-5 if function is single else 1e-11
    for n in (40, 12, 200, 13):
        args = given(function, n)
        for got, wanted in zip(kernels(*args)[1], plain(*args)[1], strict=True):
            np.testing.assert_allclose(got, wanted, rtol=near, atol=near)


def source_of(function):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba", fallback="error")
    derivative(*given(function))
    return derivative.source


def test_what_is_handed_on_has_two_rooms_and_what_is_not_has_one():
    text = source_of(shrinking)
    assert "empty(0, np.float64)" in text and "carved(x_room" in text
    assert "x_room, x_room_1 = x_room_1, x_room" in text
    assert "empty(" not in text[text.index("for t in") :].split("for t in")[1].split("return")[0]


def test_there_is_a_room_for_each_turn_that_sees_an_array():
    rooms = r"(\w+_room\w*), (\w+_room\w*), (\w+_room\w*) = \2, \3, \1\n"
    assert re.search(rooms, source_of(with_the_one_before))


def test_what_goes_on_under_two_names_is_new():
    assert "new = carved" not in source_of(under_two_names)


def test_what_a_loop_leaves_is_the_callers():
    """Each call has arrays of its own, which no later call writes to."""
    x, w = given(left_to_the_caller)
    f = ast_ad.value_and_grad(left_to_the_caller, has_aux=True, backend="numba")
    (_, kept), g = f(x, w)
    before = kept.copy(), g.copy()
    f(2.0 * x, w)
    np.testing.assert_array_equal(kept, before[0])
    np.testing.assert_array_equal(g, before[1])


@kernel
def exchanged(x, turns, step):
    """Rooms that two arrays share in turn; lengths change by ``step``; the last one is returned."""
    old = empty(x.shape[0], np.float64)
    for i in range(x.shape[0]):
        old[i] = x[i]
    room = empty(0, np.float64)
    spare = room
    for _ in range(turns):
        n = old.shape[0] + step
        room = grown(room, n)
        new = carved(room, n)
        for i in range(n):
            new[i] = old[min(i, old.shape[0] - 1)] + 1.0
        old = new
        room, spare = spare, room
    return old


@pytest.mark.parametrize("step", [-3, 0, 5])
@pytest.mark.parametrize("turns", [0, 1, 2, 9])
def test_rooms_grow_and_results_outlive_them(turns, step):
    x = np.full(100, 0.5)
    found = [exchanged(x, turns, step) for _ in range(5)]
    for array in found:
        np.testing.assert_array_equal(array, np.full(100 + turns * step, 0.5 + turns))


@kernel
def of_shape(room, n, m):
    room = grown(room, (n, m))
    a = carved(room, (n, m))
    for i in range(n):
        for j in range(m):
            a[i, j] = i + 10 * j
    return a


def test_shapes_of_rooms():
    a = of_shape(np.empty(3, np.float32), 2, 3)
    assert a.dtype == np.float32 and a.flags.c_contiguous
    np.testing.assert_array_equal(a, [[0, 10, 20], [1, 11, 21]])
    room = np.empty(6)
    assert np.shares_memory(of_shape(room, 2, 3), room)
    assert of_shape(room, 0, 3).shape == (0, 3)
    with pytest.raises(ValueError, match="negative dimensions"):
        of_shape(room, -2, -3)
    with pytest.raises(ValueError, match="too big"):
        of_shape(room, 2**33, 2**33)  # as many numbers as there are in 2**64, and 0 of them


def test_accesses_stay_on_their_side_of_what_takes_a_room():
    """LLVM takes the memory for new, but may not move what was done with it before behind that."""
    exchanged(np.ones(3), 1, 0)
    (text,) = exchanged.inspect_llvm().values()
    assert '"=r,0,~{memory}"' in text
