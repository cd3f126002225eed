"""Do loops in threads give what the same loops give one turn after the other?"""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import pipeline
from ast_ad.calls.code import Loaded, Pure
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import For, walk
from ast_ad.compiler.kernels import threads
from ast_ad.compiler.kernels.nests import parallel
from ast_ad.compiler.kernels.partition import partition as parts_of
from ast_ad.compiler.report import UNHEARD
from tests.compiler.kernels import running
from tests.compiler.kernels.run import difference
from tests.programs.generate import generate

numba = pytest.importorskip("numba")
N = 120_000


def reduction(x, w):
    s = 0.0
    for i in numba.prange(x.shape[0]):
        if x[i] > 0:
            s += np.sin(x[i]) * w[i]
        else:
            s -= w[i] * w[i]
    return s


def elementwise(x, w):
    return np.sum(np.exp(-x * x) * w) / np.sum(w * w)


def scattered(x, w, places):
    s = 0.0
    for i in range(len(places)):
        s += np.sin(x[places[i]]) * w[i]
    return s


def rows(a, b):
    return np.sum(np.tanh(a * b[:, None]) ** 2)


def stencil(a, b):
    for _ in range(3):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = b[1:-1] * np.cos(b[1:-1])
    return np.sum(a * a)


def recurrence(x, w):
    s = 0.0
    for i in range(1, x.shape[0]):
        x[i] = 0.5 * x[i - 1] + np.sin(w[i])
        s += x[i] * w[i]
    return s


def small_states(x, w):
    total = 0.0
    for i in numba.prange(x.shape[0]):
        state = np.zeros(3)
        for k in range(5):
            state[k % 3] += np.cos(x[i] * (k + 1)) * w[i]
        total += np.sum(state * state)
    return total


def triangle(x, w):
    energy = 0.0
    for i in range(len(w)):
        for j in range(i):
            energy -= w[i] * w[j] / np.sqrt((x[i] - x[j]) ** 2 + 0.01)
    return energy


def other_triangle(x, w):
    energy = 0.0
    for i in range(0, len(w), 2):
        for j in range(i + 1, len(w)):
            energy += w[i] * np.cos(x[i] - x[j])
    return energy


def arguments(name):
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=N), rng.normal(size=N)
    if "triangle" in name:
        return x[:701], w[:701]
    if name == "scattered":
        return x[:1000], w, rng.integers(0, 1000, N)
    if name == "rows":
        return x.reshape(300, 400), w[:300]
    return x, w


FUNCTIONS = [reduction, elementwise, scattered, rows, stencil, small_states, triangle, other_triangle]


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_threads_change_rounding_only(f):
    args = arguments(f.__name__)
    threaded = ast_ad.value_and_grad(f, (0, 1), backend="numba", parallel=True, fallback="error")
    plain = ast_ad.value_and_grad(f, (0, 1), backend="numpy")
    value, bars = threaded(*args)
    wanted, wanted_bars = plain(*args)
    assert threaded.backend == "numba"
    assert "prange" in threaded.source
    np.testing.assert_allclose(value, wanted, rtol=1e-11)
    for bar, other in zip(bars, wanted_bars, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-12)
    again, more = threaded(*args)  # chunks are summed in order
    assert again == value and all(np.array_equal(a, b) for a, b in zip(bars, more, strict=True))
    short = [a[:50] for a in args[:2]] + [a[:50] % 50 for a in args[2:]]
    np.testing.assert_allclose(threaded(*short)[0], plain(*short)[0], rtol=1e-12)


def test_a_recurrence_stays_in_order():
    threaded = ast_ad.value_and_grad(recurrence, (0, 1), backend="numba", parallel=True)
    threaded(*arguments(""))
    assert threaded.backend == "numba" and "prange" not in threaded.source


@pytest.mark.parametrize("f", [triangle, other_triangle], ids=lambda f: f.__name__)
def test_of_a_triangle_a_thread_takes_blocks_from_both_ends(f):
    threaded = ast_ad.value_and_grad(f, (0, 1), backend="numba", parallel=True)
    threaded(*arguments(f.__name__))
    assert threaded.source.count("prange(") == 1 and "blocks(chunks_)" in threaded.source
    for chunks in (2, 3, 5):
        taken = [threads.block(chunk, end, chunks) for chunk in range(chunks) for end in (0, 1)]
        assert sorted(taken) == list(range(threads.blocks(chunks)))


def test_a_failed_check_in_a_thread_is_not_lost():
    x, w, places = arguments("scattered")
    threaded = ast_ad.grad(scattered, (0, 1), backend="numba", parallel=True)
    threaded(x, w, places)
    places = places.copy()
    places[-1] = 1000
    with pytest.raises(IndexError, match="out of bounds"):
        threaded(x, w, places)
    places[-1] = -1
    bars = threaded(x, w, places)
    for bar, other in zip(bars, ast_ad.grad(scattered, (0, 1), backend="numpy")(x, w, places), strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-12)


def test_plain_kernels_have_no_threads():
    plain = ast_ad.grad(reduction, (0, 1), backend="numba")
    plain(*arguments(""))
    assert "prange" not in plain.source
    with pytest.raises(ast_ad.AdError, match="only compiled kernels"):
        ast_ad.grad(reduction, backend="numpy", parallel=True)


def test_gradients_with_threads_are_called_from_compiled_code():
    g = ast_ad.grad(elementwise, backend="numba", parallel=True)

    @numba.njit
    def call(x, w):
        return g(x, w)

    args = arguments("")
    np.testing.assert_allclose(call(*args), g(*args), rtol=1e-11, atol=1e-16)


@pytest.mark.drawn(of=10)
@pytest.mark.parametrize("seed", range(400, 410))
def test_chunks_run_in_any_order(seed, tmp_path, monkeypatch):
    def evaluated(function, owned, fresh):
        placed = pipeline.for_kernels(Pure(function, owned, fresh), UNHEARD)
        parts = parts_of.partition(placed, f"{function.name}_kernel", parallel=True)
        for op in [op for kernel in parts.kernels for op in walk(kernel.body)]:
            if isinstance(op, For) and op.parallel:
                op.reverse = True
        return Loaded(lambda *args: evaluate(parts.driver, *args), "0", parts.refused)

    monkeypatch.setattr(running, "evaluated", evaluated)
    monkeypatch.setattr(parallel, "_is_worthwhile", lambda loop: True)
    monkeypatch.setitem(running._STRICT, threads.chunks, lambda turns, work: max(1, min(turns, 3)))
    assert difference(generate(seed), tmp_path, "evaluated") == ""


SCRIPT = """
import numpy as np, numba, ast_ad
from tests.compiler.kernels.test_parallel import *
assert numba.get_num_threads() == 2
for f in (reduction, scattered):
    args = arguments(f.__name__)
    g = ast_ad.grad(f, (0, 1), backend="numba", parallel=True)
    for bar, other in zip(g(*args), ast_ad.grad(f, (0, 1), backend="numpy")(*args)):
        np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-12)
    assert g.backend == "numba"
    kernels = [k for k in vars(__import__("sys").modules[g._last.run.__module__]).values()
               if hasattr(k, "stats")]
    print(sum(sum(k.stats.cache_misses.values()) for k in kernels if "kernel" in k.__name__))
"""


def test_a_later_process_compiles_nothing(tmp_path):
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    around = {**os.environ, "NUMBA_NUM_THREADS": "2", "AST_AD_CACHE_DIR": str(tmp_path), "PYTHONPATH": home}
    out = [
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(SCRIPT)],
            env=around,
            cwd=home,
            capture_output=True,
            text=True,
        )
        for _ in range(2)
    ]
    assert [run.returncode for run in out] == [0, 0], out[0].stderr + out[1].stderr
    assert out[1].stdout.split() == ["0", "0"], out[1].stdout
