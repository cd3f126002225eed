"""Does a kernel compute on numbers what NumPy computes on arrays, and Python on its own numbers?"""

import builtins
import itertools
import math
import operator
import os
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("numba")
import numba
import scipy.special

from ast_ad.compiler.ir.ops import UNKNOWN
from ast_ad.compiler.ir.types import KIND_OF, Opaque, Scalar, type_of
from ast_ad.compiler.kernels import vector_math
from ast_ad.compiler.kernels.numbers import python_math, scalar_calls
from ast_ad.compiler.kernels.numbers.scalar_calls import FORMS, LOGICAL, scalar_form
from ast_ad.compiler.kernels.runtime import FLAGS
from ast_ad.rules import helpers, partials

KERNEL = dict(error_model="numpy", fastmath=FLAGS)
ULPS = 5  # 4 of the function itself, and those of NumPy's
FLOATS = [
    0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    2,
    -2.5,
    3,
    0.1,
    -7.25,
    1.5,
    np.inf,
    -np.inf,
    np.nan,
    1e-310,
    1e-300,
    1e300,
]
FLOATS += [-1e300, 709.5, -740, 1e5, 1e22, np.pi, 100.3, 0.29999, 0.66, 20, -20, 1e-8, -1e-9, 0.9999999]
INTS = [0, 1, -1, 2, -2, 3, -3, 7, -7, 10, 63, 64, 65, -64, 100, 2**31, -(2**31), 2**53 + 1, 2**62, -(2**63)]
COMPLEX = [a + b * 1j for a in (0, 1, -2.5, 0.3) for b in (0, -1, 3.5, 0.2)]
VALUES = {"?": [False, True], "l": INTS, "f": FLOATS, "d": FLOATS, "F": COMPLEX, "D": COMPLEX}
# Python's own numbers, which have no say in the dtype of a result
OWN = {
    "int": [0, 1, -1, 2, 3, -2, 7],
    "float": [0.0, 1.0, -1.0, 0.1, 2.0, -2.5, np.inf, np.nan],
    "bool": [True],
}


def type_named(name):
    if name in OWN:
        return Scalar(name)
    return Scalar(KIND_OF[np.dtype(name).kind], np.dtype(name))


def kernel_of(form, names):
    """A loop that computes the form of the elements of arrays and of numbers."""
    params = [f"x{i}" for i in range(len(names))]
    parts = [p if name in OWN else f"{p}[i]" for p, name in zip(params, names)]
    source = (
        f"def kernel({', '.join(params)}, out):\n for i in range(len(out)): out[i] = form({', '.join(parts)})"
    )
    made = {"form": form}
    exec(source, made)
    return numba.njit(**KERNEL)(made["kernel"])


def result_type(form, args):
    """The dtype that Numba finds for a call."""
    context = numba.core.registry.cpu_target.typing_context
    types = tuple(numba.typeof(a.flat[0] if isinstance(a, np.ndarray) else a) for a in args)
    context.refresh()
    found = context.resolve_function_type(context.resolve_value_type(form), types, {}).return_type
    return np.dtype("bool" if "bool" in str(found) else str(found))


@np.errstate(all="ignore")
def assert_close(value, reference, what):
    value, reference = np.asarray(value), np.asarray(reference)
    assert value.dtype == reference.dtype, what
    if value.dtype.kind in "bi":
        np.testing.assert_array_equal(value, reference, str(what))
        return
    finite = np.isfinite(reference)
    if value.dtype.kind == "c":
        # of a power the exponent's rounding is multiplied by its size, here and in NumPy
        roundings = 16 if what[0] in (np.power, np.float_power, partials.power_dx) else 4
        close = np.abs(value - reference) <= roundings * np.finfo(value.dtype).eps * np.abs(reference)
        value, reference = (np.where(np.isinf(z.real), z.real, z.imag) for z in (value, reference))
        reference = np.where(finite, reference, np.where(np.isinf(reference), reference, np.nan))
        value = np.where(finite, value, np.where(np.isinf(value), value, np.nan))
    else:
        error = np.abs(value.astype(np.longdouble) - reference)
        close = error <= ULPS * np.spacing(np.abs(np.where(finite, reference, 1)))
    close = np.where(finite, close, (value == reference) | np.isnan(value) & np.isnan(reference))
    worst = np.flatnonzero(~close)[:5]
    assert not worst.size, (what, worst, value[worst], reference[worst])


def check(fn, names, form=None, values=VALUES):
    form = form or scalar_form(fn, [type_named(name) for name in names])
    assert form is not None
    kernel = kernel_of(form, names)
    arrays = [np.array(values[n], n) for n in names if n not in OWN]
    grids = [grid.ravel() for grid in np.meshgrid(*arrays)]
    for own in itertools.product(*[OWN[n] for n in names if n in OWN]):
        numbers, rest = iter(own), iter(grids)
        args = [next(numbers) if n in OWN else next(rest) for n in names]
        reference = fn(*args)
        assert result_type(form, args) == reference.dtype, (fn, names)
        out = np.empty(reference.shape, reference.dtype)
        kernel(*args, out)
        assert_close(out, reference, (fn, names, own))


def rows():
    """Every function of the table with each of the dtypes that it is computed for."""
    for fn, forms in FORMS.items():
        if getattr(scipy.special, fn.__name__, None) is not fn:
            for kinds in forms:
                yield pytest.param(fn, kinds, id=f"{fn.__name__}-{kinds.replace('?', 'b')}")


@pytest.mark.drawn(of=28)
@pytest.mark.parametrize(("fn", "kinds"), list(rows()))
@np.errstate(all="ignore")
@pytest.mark.filterwarnings("ignore")
def test_of_one_dtype(fn, kinds):
    values = VALUES
    if fn in (partials.power_dx, partials.exp_share, np.logaddexp2):
        # NumPy's 0 * inf, sums of integers out of range, and cancellation have no counterpart
        values = {**VALUES, "d": [0.1, 1, 2, 3.5, 20], "f": [0.1, 1, 2, 3.5, 20]}
    check(fn, list(kinds), values=values)


MIXED = [
    operator.add,
    operator.mul,
    operator.truediv,
    operator.pow,
    operator.mod,
    operator.floordiv,
    operator.lt,
]
MIXED += [np.maximum, np.arctan2, helpers.safe_product, np.copysign, operator.eq, np.subtract]
MIXED += [helpers.exact_product]
PRODUCTS = {helpers.safe_product, helpers.exact_product}
PAIRS = [
    ("f", "float"),
    ("float", "f"),
    ("f", "int"),
    ("l", "float"),
    ("d", "int"),
    ("f", "l"),
    ("f", "d"),
    ("?", "f"),
]
PAIRS += [("?", "l"), ("bool", "d"), ("l", "int")]


@pytest.mark.drawn(of=10)
@pytest.mark.parametrize("fn", MIXED, ids=lambda f: f.__name__)
@np.errstate(all="ignore")
@pytest.mark.filterwarnings("ignore")
def test_mixed_dtypes(fn):
    """What has no dtype of its own takes that of the others."""
    for names in PAIRS[::2] if fn in MIXED[::2] else PAIRS[1::2]:
        form = scalar_form(fn, [type_named(name) for name in names])
        if form is None:  # integer powers; they raise for negative exponents
            assert fn is operator.pow and set(names) <= {"l", "int", "?"} or fn in PRODUCTS
        else:
            check(fn, list(names), form)


@np.errstate(all="ignore")
@pytest.mark.parametrize(
    "names", [["?", "f", "int"], ["?", "d", "d"], ["?", "float", "f"], ["?", "D", "float"]]
)
def test_where(names):
    check(np.where, names)


@pytest.mark.parametrize("names", [["d", "float", "float"], ["f", "float", "f"], ["l", "int", "int"]])
@np.errstate(all="ignore")
def test_clip(names):
    low, high = (-1, 2) if names[0] == "l" else (-1.0, 2.5)
    x = np.array(VALUES[names[0]], names[0])
    form = scalar_form(np.clip, [type_named(name) for name in names])
    kernel = numba.njit(lambda x, low, high: form(x, low, high))
    low, high = (np.float32(b) if name == "f" else b for b, name in zip((low, high), names[1:]))
    reference = np.clip(x, low, high)
    assert_close(np.array([kernel(a, low, high) for a in x], x.dtype), reference, names)
    assert result_type(form, [x, low, high]) == reference.dtype


def test_clip_with_one_bound():
    types = [type_named("d"), Opaque("None"), type_named("float")]
    assert scalar_form(np.clip, types).__name__ == "minimum"
    assert scalar_form(np.clip, [types[0], types[2], types[1]]).__name__ == "maximum"
    assert scalar_form(np.clip, [types[0], types[1], types[1]]) is None


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("source", ["?", "l", "f", "d", "F", "D"])
@pytest.mark.parametrize("target", ["?", "l", "f", "d", "F", "D"])
@np.errstate(all="ignore")
def test_conversions(source, target):
    dtype = np.dtype(target)
    form = scalar_form(helpers.astype, [type_named(source), Opaque()], [UNKNOWN, dtype])
    if source in "FD" and target not in "FD":
        assert form is None or target == "?"
        return
    x = np.array(
        [v for v in VALUES[source] if source in "?lFD" or target not in "l" or abs(v) < 1e18], source
    )
    kernel = kernel_of(form, [source])
    out = np.empty(len(x), dtype)
    kernel(x, out)
    assert_close(out, x.astype(dtype), (source, target))


def test_powers_with_known_exponents():
    single, number = type_named("f"), type_named("d")
    for exponent in 1, 2, 3, 4:
        assert scalar_form(operator.pow, [number, type_of(exponent)], [UNKNOWN, exponent]) is operator.pow
    assert scalar_form(operator.pow, [single, type_of(2)], [UNKNOWN, 2]) is operator.pow
    assert scalar_form(operator.pow, [number, Scalar("float")], [UNKNOWN, 2.0]) is vector_math.pow

    for exponent in 2, 3:
        form = scalar_form(operator.pow, [Scalar("float"), type_of(exponent)], [UNKNOWN, exponent])
        for x in PYTHON_VALUES["float"]:
            found, expected = outcome(form, x, exponent), outcome(operator.pow, x, exponent)
            assert found is expected or found == pytest.approx(expected, rel=4e-16, nan_ok=True)
    square = scalar_form(operator.pow, [type_named("D"), type_of(2)], [UNKNOWN, 2])
    assert_close(np.array([square(z, 2) for z in COMPLEX]), np.array(COMPLEX) ** 2, "square")

    @numba.njit(**KERNEL)
    def powers(x):
        return x**2, x**3, vector_math.pow(x, 2.0), vector_math.pow(x, 0.5), vector_math.pow(x, -1.0)

    x = np.random.default_rng(0).uniform(0, 10, 1000)
    two, three, square, root, inverse = (np.array(p) for p in zip(*map(powers, x)))
    assert (two == x**2).all() and (square == x**2).all()
    assert (root == np.sqrt(x)).all() and (inverse == 1 / x).all()
    np.testing.assert_array_max_ulp(three, x**3, 2)


HALF, LONG = type_named("e"), type_named("g")
NOTHING = [
    (np.exp, [HALF]),
    (operator.add, [HALF, HALF]),
    (operator.mul, [LONG, type_named("d")]),
    (operator.add, [type_named("int8"), type_named("int8")]),
    (operator.add, [type_named("uint64"), type_named("uint64")]),
    (operator.pow, [type_named("l"), type_named("l")]),
    (operator.pow, [type_named("F"), type_named("D"), type_named("D")]),
    (operator.pow, [Scalar("int"), Scalar("int")]),
    (operator.lt, [type_named("D"), type_named("D")]),
    (np.log, [type_named("F")]),
    (np.arcsin, [type_named("D")]),
    (np.exp, [type_named("l"), type_named("l")]),
    (np.sum, [type_named("d")]),
    (np.exp, [Opaque()]),
    (builtins.max, [Scalar("int"), Scalar("float")]),
    (builtins.round, [Scalar("float"), Scalar("int")]),
    (math.gcd, [Scalar("int"), Scalar("int")]),
]


@pytest.mark.parametrize(("fn", "types"), NOTHING, ids=lambda v: getattr(v, "__name__", None))
def test_what_a_kernel_leaves_to_numpy(fn, types):
    assert scalar_form(fn, types) is None


@np.errstate(all="ignore")
def test_complex_exponential():
    parts = [0.0, 1.0, -2.5, 40.0, 700.0, 709.9, 745.0, -750.0, np.inf, -np.inf]
    values = [complex(a, b) for a in parts for b in (0.0, 0.3, -2.0, 1e5)]
    check(np.exp, ["D"], values={"D": values})


@np.errstate(all="ignore")
def test_logical():
    for fn in LOGICAL:
        for names in (["d"], ["l"], ["?"]) if fn is np.logical_not else (["d", "l"], ["f", "?"]):
            check(fn, names)


# ----- Python's own numbers -----

PYTHON_VALUES = {
    "float": [0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e300, -1e200, math.inf, -math.inf, math.nan, 710.0, 0.3],
    "int": [0, 1, -1, 2, -3, 7, 2**40, -(2**62), 2**63 - 1],
    "bool": [False, True],
}
BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.eq, operator.ne, builtins.max, builtins.min]
OF_MATH = """exp expm1 sinh cosh tanh log log1p log2 log10 sqrt sin cos tan asin acos atan asinh acosh atanh
    erf erfc degrees radians fabs floor ceil trunc isnan isinf isfinite""".split()


def outcome(function, *args):
    try:
        return function(*args)
    except (ArithmeticError, ValueError) as error:
        return type(error)


def check_python(fn, kinds, argument_lists):
    form = scalar_form(fn, [Scalar(kind) for kind in kinds])
    assert form is not None
    params = ", ".join(f"x{i}" for i in range(len(kinds)))
    kernel = numba.njit(**KERNEL)(eval(f"lambda {params}: form({params})", {"form": form}))
    for args in argument_lists:
        expected, found = outcome(fn, *args), outcome(kernel, *args)
        fits = not isinstance(expected, int) or -(2**63) <= expected < 2**63
        if isinstance(expected, complex) or not fits:
            assert found is python_math.NotInKernel, (fn, args, found)
        elif found is python_math.NotInKernel:  # it may give up early
            assert isinstance(expected, int) and abs(expected) > 9e18, (fn, args)
        elif isinstance(expected, float):
            assert type(found) is float, (fn, args, found, expected)
            assert_close(np.array([found]), np.array([expected]), (fn, args))
        else:
            assert found == expected and type(found) is type(expected), (fn, args, found, expected)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize(
    "fn", [*BINARY, operator.pow, *COMPARISONS, math.atan2, math.hypot, math.pow, math.fmod]
)
def test_python_numbers(fn):
    for kinds in ("float", "float"), ("int", "int"), ("float", "int"), ("bool", "int"):
        if fn is operator.pow and "float" not in kinds or fn in (max, min) and len(set(kinds)) > 1:
            continue
        check_python(fn, kinds, itertools.product(*[PYTHON_VALUES[kind] for kind in kinds]))


@pytest.mark.parametrize("name", OF_MATH)
def test_math(name):
    check_python(getattr(math, name), ["float"], [(x,) for x in PYTHON_VALUES["float"]])


def test_lgamma():
    """Near its zeros Python's own is not exact."""
    check_python(
        math.lgamma, ["float"], [(x,) for x in (0.0, -1.0, 1.0, 5.5, 0.25, 200.0, 1e306, 1e308, math.inf)]
    )


def test_conversions_of_python_numbers():
    for fn, kind in itertools.product(
        [int, float, bool, round, abs, operator.neg, operator.not_], ["float", "int"]
    ):
        check_python(
            fn, [kind], [(x,) for x in PYTHON_VALUES[kind] if fn is not operator.neg or x != -(2**63)]
        )
    check_python(math.log, ["float", "float"], itertools.product([0.5, 2.0, 0.0], [2.0, 10.0, 1.0]))


def test_math_of_numpy_numbers_is_a_python_number():
    form = scalar_form(math.exp, [type_named("f")])
    assert result_type(form, [np.float32(1)]) == np.dtype(float)


# ----- loops -----


@pytest.mark.skipif(not vector_math.VECTORISED, reason="no vector library")
@pytest.mark.parametrize(
    ("fn", "arity", "sign"),
    [
        (np.logaddexp, 2, "_ZGV"),
        (partials.power_dx, 2, "_ZGV"),
        (scipy.special.expit, 1, "_ZGV"),
        (scipy.special.xlogy, 2, "_ZGV"),
        (helpers.safe_product, 2, r"vmulpd"),
        (helpers.exact_product, 2, r"vmulpd"),
        (np.maximum, 2, r"v\w+pd\t.*%[yz]mm"),
        (np.sign, 1, r"v\w+pd\t.*%[yz]mm"),
        (np.floor, 1, r"v\w+pd\t.*%[yz]mm"),
        (np.sqrt, 1, r"vsqrtpd"),
        (partials.ratio, 2, r"vdivpd"),
    ],
)
def test_loops_vectorise(fn, arity, sign):
    kernel = kernel_of(scalar_form(fn, [type_named("d")] * arity), ["d"] * arity)
    kernel.compile((numba.float64[::1],) * (arity + 1))
    (assembly,) = kernel.inspect_asm().values()
    assert re.search(sign, assembly)


# ----- SciPy -----

SPECIAL = """erf erfc expit logit log_expit entr gammaln digamma gamma erfinv ndtri log_ndtr i0 j1 k0
    exprel""".split()


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("name", SPECIAL)
@np.errstate(all="ignore")
def test_special_functions(name):
    for kind in "df":
        check(getattr(scipy.special, name), [kind], values={kind: [*FLOATS[:15], 0.1, 0.66, 20, -20, 1e-8]})


def test_tails_of_the_normal_distribution():
    """An argument's rounding is multiplied by its square, in SciPy too: neither has the last bits."""
    ndtr = scipy.special.ndtr
    kernel = kernel_of(scalar_form(ndtr, [type_named("d")]), ["d"])
    x = np.array([*np.linspace(-37.0, 9.0, 400), 0.0, -0.0, np.inf, -np.inf, np.nan])
    found = np.empty_like(x)
    kernel(x, found)
    np.testing.assert_array_equal(found[400:], ndtr(x[400:]))
    x, found = x[:400], found[:400]
    assert np.all(np.abs(found - ndtr(x)) <= (4 + x**2) * np.finfo(float).eps * ndtr(x))
    check(ndtr, ["f"], values={"f": [*FLOATS[:15], 0.1, 0.66, 20, -20, 1e-8]})


@pytest.mark.parametrize("name", ["xlogy", "xlog1py", "gammainc", "betaln", "kv"])
@np.errstate(all="ignore")
def test_special_functions_of_two_numbers(name):
    check(getattr(scipy.special, name), ["d", "d"])


PROGRAM = """
import numba, numpy as np
from ast_ad.compiler.kernels.numbers.special_math import psi
from ast_ad.compiler.kernels.numbers.promoted import mul_float32
from ast_ad.compiler.kernels.numbers.kernel_math import logaddexp

@numba.njit(error_model="numpy", cache=True)
def kernel(x):
    return psi(x), mul_float32(np.float32(x), 2.0), logaddexp(x, x)
"""
USE = """
import sys
sys.path.insert(0, sys.argv[1])
from program import kernel
print(kernel(1.0)[0], kernel(1.0)[1], sum(kernel.stats.cache_hits.values()))
"""


def test_cached_code_finds_functions_in_another_process(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    found = []
    for _ in range(2):
        run = [sys.executable, "-c", USE, str(tmp_path)]
        done = subprocess.run(run, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.split())
    assert [line[:2] for line in found] == [[str(float(scipy.special.digamma(1.0))), "2.0"]] * 2
    assert [line[2] for line in found] == ["0", "1"]


def test_all_forms_can_be_imported():
    """A kernel names them in an import statement."""
    scalar_form(scipy.special.erf, [type_named("d")])
    for fn, forms in FORMS.items():
        for form in forms.values():
            if form.__module__ not in ("_operator", "builtins") and not isinstance(form, np.ufunc):
                assert getattr(sys.modules[form.__module__], form.__name__) is form, (fn, form)
    single = scalar_form(operator.mul, [type_named("f"), Scalar("float")])
    assert getattr(sys.modules[single.__module__], single.__name__) is single
    assert scalar_calls.promoted.__name__ == single.__module__
