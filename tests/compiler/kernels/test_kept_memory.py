"""Are blocks of memory that kernels keep given to one array at a time, and given back?"""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numba import njit

import ast_ad
from ast_ad.compiler.kernels import kept_memory
from ast_ad.compiler.kernels.fresh_memory import empty

pytestmark = pytest.mark.slow


@njit(nogil=True)
def numbers(length, value):
    made = empty(length, np.float64)
    made[:] = value
    return made


@njit
def matrix(rows, columns):
    return empty((rows, columns), np.float64)


@njit(nogil=True)
def shuffled(draws, lengths, most):
    """How many elements were not what their array was filled with, after arrays came and went at random."""
    arrays = [empty(0, np.int64) for _ in range(most)]
    wrong = 0
    for turn in range(len(draws)):
        place = draws[turn] % most
        for value in arrays[place]:
            wrong += value != arrays[place][0]
        arrays[place] = empty(lengths[turn], np.int64)
        arrays[place][:] = turn
    for array in arrays:
        for value in array:
            wrong += value != array[0]
    return wrong


def in_a_process(program, **settings):
    """What a program prints in a process of its own."""
    environment = {**os.environ, **settings}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert not done.stderr
    return done.stdout.decode().split()


def test_numba_reads_it_as_meant():
    assert kept_memory.IS_READ_AS_MEANT
    made = numbers(5, 1.0)
    assert made.base.refcount == 1 and made.base.data == made.ctypes.data


def test_a_block_is_used_again():
    first = numbers(3000, 1.0)
    address, before = first.ctypes.data, kept_memory.kept()
    del first
    assert kept_memory.kept() == before + 24576  # 24,128 bytes, as three bits say it
    assert numbers(3050, 2.0).ctypes.data == address
    second, third = numbers(3000, 1.0), numbers(3000, 2.0)
    assert second.ctypes.data != third.ctypes.data and set(second) == {1.0}


def test_views_keep_the_block():
    view, address = (lambda a: (a[10:], a.ctypes.data))(numbers(3000, 7.0))
    others = [numbers(3000, 8.0) for _ in range(5)]
    assert address not in {other.ctypes.data for other in others} and set(view) == {7.0}


def test_what_nobody_wrote_is_nan():
    """In tests: a kernel that reads such a number gives it away."""
    assert kept_memory.WIPED
    numbers(100, 1.0)
    assert np.all(np.isnan(matrix(10, 10)))


def test_every_length_has_room():
    """Each array is written to its end while its neighbours are alive."""
    lengths = [*range(70), *(2**k + d for k in range(7, 17) for d in range(-17, 18, 2))]
    alive = [numbers(n, n) for n in lengths]
    for n, array in zip(lengths, alive, strict=True):
        assert array.ctypes.data % 64 == 0 and array.shape == (n,)
        assert np.all(array == n)


def test_arrays_that_come_and_go():
    draw = np.random.default_rng(3)
    draws, lengths = draw.integers(0, 2**30, 20_000), np.exp(draw.uniform(0, 9, 20_000)).astype(int)
    assert shuffled(draws, lengths, 40) == 0


def test_threads():
    """They share the lists without a lock of Python's."""
    draw, wrong = np.random.default_rng(4), []
    shuffled(np.zeros(1, int), np.zeros(1, int), 1)

    def run(seed):
        own = np.random.default_rng(seed)
        draws, lengths = own.integers(0, 2**30, 20_000), np.exp(own.uniform(0, 9, 20_000)).astype(int)
        wrong.append(shuffled(draws, lengths, 40))

    threads = [threading.Thread(target=run, args=(int(draw.integers(1000)),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [0] * 4


def test_too_large():
    with pytest.raises(MemoryError):
        matrix(2**22, 2**22)
    with pytest.raises(ValueError, match="too big"):
        matrix(2**40, 2**40)


MANY = """
import numpy as np
from numba import njit
from ast_ad.compiler.kernels import kept_memory
from ast_ad.compiler.kernels.fresh_memory import empty

@njit
def made(n):
    return empty(n, np.float64)

most = 0
for n in [1000] * 50 + [100_000] * 20 + [300_000, 10, 20]:
    array = made(n)
    several = [made(n) for _ in range(4)]
    del array, several
    most = max(most, kept_memory.kept())
print(most, kept_memory.kept())
last = made(10)  # freed when the process ends
"""


def test_no_more_is_kept_than_told():
    seen, left = map(int, in_a_process(MANY, AST_AD_KEPT_MEMORY="1"))
    assert 0 < left <= seen <= 2**20
    assert in_a_process(MANY, AST_AD_KEPT_MEMORY="0") == ["0", "0"]


def test_a_limit_beyond_all_memory():
    assert int(in_a_process(MANY, AST_AD_KEPT_MEMORY=str(2**44))[0]) > 2**20  # 2**64 bytes


def test_a_limit_that_is_no_number():
    program = "import warnings\nwarnings.simplefilter('ignore')\n" + MANY
    assert int(in_a_process(program, AST_AD_KEPT_MEMORY="much")[0]) > 2**20


def test_another_layout(monkeypatch):
    """With a Numba that has one, arrays are Numba's."""
    monkeypatch.setattr(kept_memory, "IS_READ_AS_MEANT", False)

    @njit
    def made(n):
        return empty(n, np.float64)

    before = kept_memory.kept()
    array = made(3000)
    assert array.base.external_allocator is None or array.base.external_allocator == 0
    del array
    assert kept_memory.kept() == before


FORKED = """
import os, threading
import numpy as np
from numba import njit
from ast_ad.compiler.kernels.fresh_memory import empty

@njit(nogil=True)
def busy(turns):
    total = 0.0
    for i in range(turns):
        made = empty(1000, np.float64)
        made[i % 1000] = i
        total += made[i % 1000]
    return total

busy(1)
expected = busy(1000)
thread = threading.Thread(target=busy, args=(20_000_000,), daemon=True)
thread.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0 if busy(1000) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_forked_processes():
    """One that is born while the lists are busy goes on."""
    in_a_process("import warnings\nwarnings.simplefilter('ignore', DeprecationWarning)\n" + FORKED)


def layers(x, w, n):
    kept = []
    for _ in range(n):
        x = np.tanh(w @ x)
        kept.append(x)
    return np.sum(kept[n // 2] * x) + np.sum(x**2)


def test_gradients_stay_as_they_were():
    """What a call has returned is nobody else's memory in the next one."""
    derivative = ast_ad.value_and_grad(layers, argnums=(0, 1), backend="numba")
    draw = np.random.default_rng(5)
    results = []
    for n in (40, 7, 40, 12):
        x, w = draw.normal(size=n), 0.3 * draw.normal(size=(n, n))
        value, gradients = derivative(x, w, 9)
        results.append(((x, w), value, gradients, [g.copy() for g in gradients]))
    plain = ast_ad.value_and_grad(layers, argnums=(0, 1), backend="numpy")
    for args, value, gradients, copies in results:
        expected = plain(*args, 9)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        for got, copy, one in zip(gradients, copies, expected[1], strict=True):
            assert np.array_equal(got, copy)
            np.testing.assert_allclose(got, one, rtol=1e-10, atol=1e-12)
