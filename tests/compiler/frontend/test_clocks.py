"""Are clocks read where the function reads them, once each, and without a derivative?"""

import time
from time import perf_counter

import numpy as np
import pytest

import ast_ad

X = np.linspace(0.1, 1.0, 5)


def timed(x):
    start = time.perf_counter()
    y = np.sum(np.sin(x))
    elapsed = time.perf_counter() - start
    return y if elapsed >= 0.0 else 0.0 * y


def by_another_name(x):
    start = perf_counter()
    y = np.sum(x * x)
    return y * (perf_counter() > start)


def deadline_in_a_loop(x):
    start, total = time.monotonic(), 0.0
    for i in range(6):
        total = total + np.sum(x**i)
        if time.monotonic() - start > 100.0:
            break
    return total


def waits(x):
    start, turns = time.perf_counter(), 0
    while time.perf_counter() - start < 0.002:
        turns += 1
    return np.sum(x**3) * (turns > 0)


def growing(x):
    shown = []
    for _ in range(3):
        shown.append(time.perf_counter_ns())
    return np.sum(x) * (shown[0] < shown[1] < shown[2])


def per_turn(x):
    total, times = 0.0, np.zeros(4)
    for i in range(4):
        start = time.perf_counter()
        total += np.sum(np.cos(i * x))
        times[i] = time.perf_counter() - start
    return total if np.all(times > 0.0) else np.sum(times)


class Timer:
    def __enter__(self):
        self.start = time.process_time()
        return self

    def __exit__(self, *about):
        self.elapsed = time.process_time() - self.start


def within_a_block(x):
    with Timer() as timer:
        y = np.sum(np.exp(x))
    return y if timer.elapsed >= 0.0 else x[0]


def on_request(x, full=False):
    start = time.time()
    y = np.prod(x)
    return (y, time.time() - start) if full else y


def bounded_search(x):
    end, y = time.thread_time() + 100.0, np.sum(x)
    while abs(y * y - 2.0) > 1e-9 and time.thread_time() < end:
        y = 0.5 * (y + 2.0 / y)
    return y + np.sum(x)


def of_integers(x):
    first, second = time.monotonic_ns(), time.time_ns()
    return np.sum(x) * (isinstance(first, int) and second > 10**18)


PROGRAMS = (
    timed, by_another_name, deadline_in_a_loop, waits, growing, per_turn, within_a_block, on_request,
    bounded_search, of_integers,
)  # fmt: skip


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_clocks(program, backend):
    derivative = ast_ad.value_and_grad(program, fallback="error", backend=backend)
    steps = 1e-6 * np.eye(5)
    differences = [(program(X + step) - program(X - step)) / 2e-6 for step in steps]
    for _ in range(2):
        value, gradient = derivative(X)
        assert value == pytest.approx(program(X), rel=1e-12)
        assert np.allclose(gradient, differences, atol=1e-7)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_it_shows_is_what_it_shows_in_the_call(backend):
    def scaled(x):
        before = time.time()
        y = np.sum(x) * before
        return y, (before, time.time())

    derivative = ast_ad.value_and_grad(scaled, has_aux=True, fallback="error", backend=backend)
    last = 0.0
    for _ in range(3):
        start = time.time()
        (value, (before, after)), gradient = derivative(X)
        assert last < start <= before <= after <= time.time()
        assert value == np.sum(X) * before
        assert np.all(gradient == before)
        last = after


def test_a_function_in_the_place_of_a_clock(monkeypatch):
    def scaled(x):
        return x * time.perf_counter()

    derivative = ast_ad.value_and_grad(scaled, fallback="error")
    assert derivative(2.0)[1] > 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: -3.0)
    assert derivative(2.0) == (-6.0, -3.0)
