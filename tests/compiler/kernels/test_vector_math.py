"""Are the vectorisable functions exact enough, right at edges, and really vectorised, in cached code too?"""

import os
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

pytest.importorskip("numba")
import numba

from ast_ad.compiler.kernels import vector_math
from ast_ad.compiler.kernels.runtime import FLAGS

KERNEL = dict(error_model="numpy", fastmath=FLAGS)
UNARY = """exp exp2 expm1 log log1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    erf erfc cbrt""".split()
BINARY = ["pow", "atan2", "hypot"]
NUMPY = {
    **{f"a{name}": getattr(np, f"arc{name}") for name in "sin cos tan sinh cosh tanh tan2".split()},
    **{name: np.vectorize(getattr(vector_math, name)) for name in ("erf", "erfc")},
    "pow": np.power,
}
EDGES = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 2.3e-308, 1e-300, 1e300, -1e300, 1.7e308]
EDGES += [709.7, 709.79, -745.0, -746.0, 1e5, -1e22, 355.0, 0.5, -0.5, 2, -2, 3, 1 - 1e-16, 27.3, -1074, 1024]
EDGES += [88.7, 88.8, -103.9, -104.1, 128, -149, 1e-40, 1e-45, 3e38]


def numbers(dtype, arity):
    """Numbers of all magnitudes, those where functions are steep or have zeros, and edges."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2 ** (8 * dtype().itemsize), 4000, np.uint64).astype(f"u{dtype().itemsize}")
    spread = [bits.view(dtype), random.uniform(-1, 1, 4000), random.uniform(-30, 30, 4000)]
    spread += [
        random.uniform(-800, 800, 4000),
        1 + random.uniform(-1, 1, 4000) * 10.0 ** -(np.arange(4000) % 15),
    ]
    edges = np.array(EDGES)
    if arity == 1:
        return [np.concatenate([edges, *spread]).astype(dtype)]
    pairs = [grid.ravel() for grid in np.meshgrid(edges, edges)]
    first, second = np.concatenate(spread), random.permutation(np.concatenate(spread))
    return [np.concatenate(both).astype(dtype) for both in zip(pairs, (first, second))]


def loop_of(function, arity):
    if arity == 1:

        @numba.njit(**KERNEL)
        def loop(x, out):
            for i in range(len(out)):
                out[i] = function(x[i])

    else:

        @numba.njit(**KERNEL)
        def loop(x, y, out):
            for i in range(len(out)):
                out[i] = function(x[i], y[i])

    return loop


def units(value, reference):
    """The error in units in the last place; infinite where one is infinite or NaN and the other is not."""
    exact = reference.astype(value.dtype)
    same = (value == exact) | np.isnan(value) & np.isnan(exact)
    finite = np.isfinite(value) & np.isfinite(exact)
    error = np.abs(value.astype(reference.dtype) - reference) / np.spacing(np.abs(np.where(finite, exact, 1)))
    return np.where(finite, error, np.where(same, 0, np.inf))


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", UNARY + BINARY)
@np.errstate(all="ignore")
def test_values_and_vectorisation(name, dtype):
    arity = 2 if name in BINARY else 1
    args = numbers(dtype, arity)
    loop, out = loop_of(getattr(vector_math, name), arity), np.empty_like(args[0])
    loop(*args, out)
    wide = np.longdouble if name not in ("erf", "erfc") else float
    reference = (NUMPY.get(name) or getattr(np, name))(*[x.astype(wide) for x in args])
    error = units(out, reference)
    worst = error.argmax()
    # math.erfc and math.erf, the references, are not exact themselves
    assert error[worst] <= (4.1 if wide is np.longdouble else 5), [x[worst] for x in args]
    (assembly,) = loop.inspect_asm().values()
    if vector_math.variants(name + "f" * (dtype is np.float32), arity, dtype().itemsize):
        assert re.search(rf"_ZGV\w+_{name}", assembly)


def test_here_is_a_vector_library():
    """On the platform that this is about the functions are there (no test passes for want of them)."""
    if sys.platform == "linux" and os.uname().machine == "x86_64" and vector_math.VECTORISED:
        assert vector_math.variants("exp", 1, 8) and vector_math.variants("powf", 2, 4)
        assert vector_math.CACHE_TAG.startswith("libmvec")


def test_types():
    @numba.njit
    def both(x, y):
        return vector_math.exp(x), vector_math.pow(x, y)

    assert both(np.float32(1), np.float32(2)) == pytest.approx((np.e, 1), rel=1e-6)
    assert str(both.nopython_signatures[0].return_type) == "UniTuple(float32 x 2)"
    assert both(2, True) == pytest.approx((np.exp(2), 2))
    assert vector_math.exp(0.0) == 1 and vector_math.pow(2.0, 3.0) == 8  # by the interpreter


def test_reductions_vectorise():
    @numba.njit(**KERNEL)
    def total(x):
        s = 0.0
        for i in range(len(x)):
            s += vector_math.exp(x[i]) * vector_math.tanh(x[i])
        return s

    x = np.linspace(0, 1, 1000)
    assert total(x) == pytest.approx(np.sum(np.exp(x) * np.tanh(x)), rel=1e-14)
    if vector_math.VECTORISED:
        (assembly,) = total.inspect_asm().values()
        assert "_ZGV" in assembly


PROGRAM = """
import numba, numpy as np
from ast_ad.compiler.kernels.vector_math import exp

@numba.njit(error_model="numpy", cache=True)
def kernel(x, out):
    for i in range(len(x)):
        out[i] = exp(x[i])
"""
USE = """
import sys, numpy as np
sys.path.insert(0, sys.argv[1])
from program import kernel
x = np.linspace(0, 1, 100)
out = np.empty(100)
kernel(x, out)
assert np.allclose(out, np.exp(x), rtol=1e-15)
print(sum(kernel.stats.cache_hits.values()))
"""


def test_cached_code_is_linked_in_another_process(tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    found = []
    for _ in range(2):
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        }
        run = [sys.executable, "-c", USE, str(tmp_path)]
        done = subprocess.run(run, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.split())
    assert found == [["0"], ["1"]]
    code = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*.nbc"))
    assert (b"_ZGV" in code) == vector_math.VECTORISED


WITHOUT = """
import ctypes, sys
import numpy as np

class Missing(ctypes.CDLL):
    def __init__(self, name, *args, **kwargs):
        if name and "mvec" in str(name):
            raise OSError(name)
        super().__init__(name, *args, **kwargs)

ctypes.CDLL = Missing
import numba
from ast_ad.compiler.kernels import vector_math
assert not vector_math.VECTORISED and vector_math.CACHE_TAG == "scalar"
for name in sys.argv[1:]:
    function = getattr(vector_math, name)
    for number, digits in (np.float64(1.25), 1e-14), (np.float32(1.25), 1e-6):
        number = number if name not in ("asin", "acos", "atanh") else number / 2
        args = [number] * function.arity
        one, two = (lambda x: function(x)), (lambda x, y: function(x, y))
        call = numba.njit(one if len(args) == 1 else two)
        found = call(*args)
        assert abs(found - function(*map(float, args))) < 5 * digits, name
        assert str(call.nopython_signatures[0].return_type) == number.dtype.name, name
"""


def test_without_the_library():
    """The functions are Numba's then."""
    run = [sys.executable, "-c", WITHOUT, *UNARY, *BINARY]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(run, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
