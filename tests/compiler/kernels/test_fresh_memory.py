"""Is the memory that kernels make their own, and read by nobody when it is free?"""

import gc

import numpy as np
import pytest

from ast_ad.compiler.kernels.fresh_memory import empty
from ast_ad.compiler.kernels.runtime import kernel


@kernel
def copied(x, other, out):
    """Copies of copies, of which the first is free, and written over, when the last is read."""
    n = x.shape[0]
    a = empty(n, np.float64)
    for i in range(n):
        a[i] = x[i] * 2.0
    b = empty(n, np.float64)
    for i in range(n):
        b[i] = a[i]
    c = empty(n, np.float64)
    for i in range(n):
        c[i] = -1.0
    for i in range(n):
        other[i] = c[i]
    for i in range(n):
        out[i] = b[i]


@kernel
def exchanged(x, turns):
    """Arrays that change their names from turn to turn; the last one is returned."""
    old = empty(x.shape[0], np.float64)
    for i in range(x.shape[0]):
        old[i] = x[i]
    for _ in range(turns):
        new = empty(x.shape[0], np.float64)
        for i in range(x.shape[0]):
            new[i] = old[i] + 1.0
        old = new
    return old


@kernel
def of_shape(n, m):
    a = empty((n, m), np.float32)
    for i in range(n):
        for j in range(m):
            a[i, j] = i + 10 * j
    return a


@pytest.mark.parametrize("n", [0, 1, 50, 5000])
def test_copies(n):
    x, other, out = np.arange(float(n)), np.empty(n), np.empty(n)
    for _ in range(5):
        copied(x, other, out)
        assert np.array_equal(out, 2 * x) and np.all(other == -1.0)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("turns", [0, 1, 7])
def test_results_outlive_the_kernel(turns):
    found = [exchanged(np.arange(100.0), turns) for _ in range(10)]
    gc.collect()
    for array in found:
        assert np.array_equal(array, np.arange(100.0) + turns)


def test_shapes_and_dtypes():
    a = of_shape(2, 3)
    assert a.dtype == np.float32 and a.flags.c_contiguous
    assert np.array_equal(a, [[0, 10, 20], [1, 11, 21]])
    assert of_shape(0, 3).shape == (0, 3)
    with pytest.raises(ValueError, match="negative dimensions"):
        of_shape(-1, 3)
    assert empty((2, 1), np.int64).shape == (2, 1)  # not compiled


def test_nothing_is_moved_behind_what_frees_the_memory():
    """LLVM knows that the address is new, and that whoever comes later may know it, too."""
    copied(np.ones(3), np.ones(3), np.ones(3))
    (text,) = copied.inspect_llvm().values()
    addresses = [line.split(" = ")[0].strip() for line in text.splitlines() if "call noalias ptr asm" in line]
    assert len(addresses) == 3
    for address in addresses:
        assert f'asm sideeffect "", "r"(ptr {address})' in text
